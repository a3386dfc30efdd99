// SPDX-License-Identifier: MIT
// Chordless cycles on GPUs: the search, the product of lists, and the published algorithm. Only in builds with MCO_HAVE_CUDA.
#ifndef MCO_CYCLES_GPU_H
#define MCO_CYCLES_GPU_H

#include "cycles/block.h"

// For tests and benchmarks. Zero: chosen.
typedef struct cycles_gpu_tuning {
    int32_t stack;       // entries of a warp's stack, a power of two from 64
    int64_t prefixes;    // breadth-first while there are fewer nodes
    int64_t pool;        // nodes of the pool, beyond what warps may put back
    int64_t rows;        // cycles of a list buffer, or of a product in device memory at a time
    int32_t rounds;      // rounds that are enqueued at a time
    double slice_s;      // most time of a search kernel
    bool makes_lists;    // without a sink: lists are made in device memory all the same, and overwritten when it is full
} cycles_gpu_tuning;

// What a call did. Sums over the GPUs.
typedef struct cycles_gpu_stats {
    double device_s;     // kernels, by events
    int64_t cycles, steps;
    int64_t levels;      // of the breadth-first parts
    int64_t batches;     // of rounds
    int64_t dumped;      // nodes put back into the pool
    int64_t spilled;     // of these: by full stacks
    int64_t rows;        // given to the sink
    uint64_t hash;       // of the published algorithm: sum of hashes of all cycles, and so free of order
} cycles_gpu_stats;

// Searches the block with the GPUs that `gpus` names (device/device.h). Counts; lists if the job has a sink: the sink is
// called on the thread of the caller. `tuning` and `stats` may be NULL. Errors: LIMIT (more than 256 vertices; nothing is
// tallied or given then, so that the caller may go on with the cores), ARGUMENT (directed cycles, `gpus`), DEVICE, MEMORY.
mco_status cycles_gpu_search(cycles_job *job, const char *gpus, const cycles_gpu_tuning *tuning, cycles_gpu_stats *stats);

// Makes all cycles of the factors and gives them to the job's sink; without one they stay in device memory, where later ones
// overwrite earlier ones if there is too little. Nothing is tallied: the frontier has counted. Errors as above; LIMIT: rows
// of more than 4 words, 2^63 cycles or more.
mco_status cycles_gpu_product(cycles_job *job, const cycles_factors *factors, const char *gpus, const cycles_gpu_tuning *tuning,
                              cycles_gpu_stats *stats);

// The published algorithm on one GPU: degree labelling, triplets, then paths that grow in tables. It counts; a sink is
// refused. tuning->pool: rows of a table. Errors: LIMIT (more than 256 vertices, a table that is too small), ARGUMENT, DEVICE,
// MEMORY.
mco_status cycles_gpu_labels(cycles_job *job, const char *gpus, const cycles_gpu_tuning *tuning, cycles_gpu_stats *stats);

#endif
