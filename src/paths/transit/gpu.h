// SPDX-License-Identifier: MIT
// Tunings and times of the GPU engine for many queries, for tests and benchmarks. Only in builds with MCO_HAVE_CUDA.
#ifndef MCO_PATHS_TRANSIT_GPU_H
#define MCO_PATHS_TRANSIT_GPU_H

#include "device/device_cuda.h"
#include "paths/transit/batch.h"
#include "paths/transit/cuda.h"

// Zero: chosen.
typedef struct transit_gpu_tuning {
    int32_t chunk;           // queries of a launch
    int32_t place_threads;   // of a block of the walks
    int32_t round_threads;   // of a block of the rounds
    int32_t blocks;          // of either kernel, at most
} transit_gpu_tuning;

typedef struct transit_gpu_stats {
    double open_s;           // opening the device, rows, copies of the timetable and the map
    double places_s, rounds_s, copies_s;  // on the device, by events; copies of queries and answers
    double host_s;           // in which the team worked on queries and answers, wall clock
    double wait_s;           // in which the host waited for the device
    int32_t chunk, place_blocks, round_blocks;
} transit_gpu_stats;

// As transit_gpu_many().
mco_status transit_gpu_many_tuned(transit_many *many, mco_team *team, const transit_gpu_tuning *tuning, mco_work *work,
                                  transit_gpu_stats *stats);

#endif
