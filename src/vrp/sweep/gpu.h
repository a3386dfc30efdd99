// SPDX-License-Identifier: MIT
// The inside of the gpu engine of complete neighbourhoods: its state (vrp/sweep/gpu.c), and what the ways of a scan
// share. Each way is in a file of its own.
#ifndef MCO_VRP_SWEEP_GPU_H
#define MCO_VRP_SWEEP_GPU_H

#include "base/clock.h"
#include "device/device_cuda.h"
#include "vrp/sweep/cuda.h"
#include "vrp/sweep/fold.h"

static const vrp_candidate VRP_NO_CANDIDATE = {.move = {-1, -1, -1, -1}};

// Sweeps of 2-opt that the device makes ahead of the host. Sweeps have numbers, from 1.
typedef struct vrp_gpu_chain {
    cudaGraphExec_t batch;     // `sweeps` sweeps on tours of `count` nodes, from side 0 to side 0; NULL: none yet
    int32_t count;
    int64_t sweeps;
    int64_t taken, launched;   // the last sweep whose answer the host has taken, the last one launched
    int64_t last;              // the last sweep that is wanted
    bool is_on;                // the device goes on beyond `taken`
} vrp_gpu_chain;

typedef struct vrp_gpu {
    mco_device device;
    const mco_vrp *problem;
    vrp_device_places places;
    int32_t room;             // nodes of the longest tour
    int64_t memory_bytes;     // device memory for the work of a scan
    vrp_sums_memory sums_memory;
    vrp_sums sums;            // of the host
    int32_t *d_sums;          // copy of sums_memory.block
    int64_t *d_turn;
    vrp_device_tour tour;     // of the device
    vrp_device_two_opt two_opt;
    vrp_gpu_chain chain;
    int32_t *h_tour;
    vrp_device_tables tables;
    void *d_tables;
    int64_t tables_room;      // bytes
    vrp_device_three_opt search;
    vrp_candidate *d_candidates;  // [room]
    unsigned long long *d_keys;   // [2 * room + 2]
    vrp_device_key *d_partial, *d_rows;
    int64_t partial_room;
    vrp_device_key *rows;     // [room] of the host
    vrp_candidate *candidates;  // [room] of the host
    vrp_segment *d_segments;
    int64_t segment_room;
} vrp_gpu;

static inline bool vrp_gpu_is_over(const vrp_gpu *s, double stop_s)
{
    return mco_is_cancelled(s->device.ctx) || mco_clock_s() >= stop_s;
}

// Called before each launch of a scan. Before all but the first it waits for the launches so far; *stopped if the scan
// has to end.
mco_status vrp_gpu_wait_between(vrp_gpu *s, double stop_s, bool is_first, bool *stopped);

// Keeps the better one in *best.
void vrp_gpu_take_better(vrp_candidate *best, const vrp_candidate *other, bool wants_first);
// The number of moves up to m in the order of the indices, m included.
int64_t vrp_gpu_rank_of(int64_t edges, vrp_move m);

static inline int64_t vrp_gpu_round_up(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

// Bytes of the distances of all pairs of positions.
int64_t vrp_gpu_distance_bytes(const vrp_gpu *s);
// Bytes of memory_bytes that these distances leave.
int64_t vrp_gpu_room_left(const vrp_gpu *s);

// Opens the engine for giant tours of `tour_nodes` nodes; *out is all zero before. It takes params->gpus, memory.
// Errors: ARGUMENT, LIMIT, MEMORY, DEVICE.
mco_status vrp_gpu_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out);

#endif
