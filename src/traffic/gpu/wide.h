// SPDX-License-Identifier: MIT
// Loads on a GPU by a hierarchy, for networks of any size: new weights, labels of rows by batches, walks along them.
#ifndef MCO_TRAFFIC_GPU_WIDE_H
#define MCO_TRAFFIC_GPU_WIDE_H

#include "device/device_cuda.h"
#include "paths/hierarchy/gpu.h"
#include "traffic/engine.h"
#include "traffic/gpu/cuda.h"

typedef struct traffic_gpu_wide traffic_gpu_wide;

// Prepares a hierarchy of the problem's links and opens it on the GPU. `walks`: loads by walks even if trees fit into shared memory. `like`: its hierarchy is
// taken, and outlives this one; NULL: none. Errors: those of mco_paths_prepare() and paths_device_open().
mco_status traffic_gpu_wide_open(mco_context *ctx, const traffic_call *call, mco_device *device, bool walks, const traffic_gpu_wide *like,
                                 traffic_gpu_wide **out);
// The arcs of slots with tails as ranks, [classes][slots]: the caller's.
mco_status traffic_gpu_wide_arcs(const traffic_gpu_wide *wide, const traffic_problem *problem, traffic_gpu_arc *arc);
// Tables of trips. Afterwards plan->d_arc, d_load and d_state are those of the city.
mco_status traffic_gpu_wide_bind(traffic_gpu_wide *wide, const traffic_gpu_arc *d_arc, unsigned long long *d_load, traffic_gpu_state *d_state,
                                 const uint32_t *d_amount, const int64_t *d_trip_first);
// Where later loads go, and the greatest label of a destination.
void traffic_gpu_wide_aim(traffic_gpu_wide *wide, unsigned long long *d_load, uint32_t *d_greatest);
// Adds the loads of all rows at the costs of the slots, on the stream of `device`, perhaps without waiting for them. Errors: STOPPED, LIMIT, DEVICE, MEMORY.
mco_status traffic_gpu_wide_load(traffic_gpu_wide *wide, mco_run *run);
// Gives labels of all rows to a proof that was opened at the flows of the slots' costs; `scale` is that of the costs. Errors: STOPPED, LIMIT, DEVICE, MEMORY.
mco_status traffic_gpu_wide_prove(traffic_gpu_wide *wide, const traffic_call *call, mco_device *device, double scale, traffic_certificate *proof);
// Its parts. Labels of all rows at costs rounded down, batch by batch: work() finds those of rows begin .. end - 1 on the device.
mco_status traffic_gpu_wide_labels(traffic_gpu_wide *wide, mco_run *run, mco_status (*work)(void *state, mco_run *run, int32_t begin, int32_t end),
                                   void *state);
// Enqueues labels [count][nodes] of rows first and on, of the batch that begins at `base`; first - base is a multiple of the group below.
mco_status traffic_gpu_wide_spread(const traffic_gpu_wide *wide, int32_t base, int32_t first, int32_t count, int32_t *d_label);
// About so many rows, whole groups of labels.
int32_t traffic_gpu_wide_group(const traffic_gpu_wide *wide, int64_t rows);
// The row of the problem that has this place by class and rank.
int32_t traffic_gpu_wide_row(const traffic_gpu_wide *wide, int32_t place);
// Seconds of kernels so far: weights, trees, walks.
void traffic_gpu_wide_times(const traffic_gpu_wide *wide, double seconds[3]);
void traffic_gpu_wide_close(mco_context *ctx, traffic_gpu_wide **wide);

#endif
