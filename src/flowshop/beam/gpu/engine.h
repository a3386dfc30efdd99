// SPDX-License-Identifier: MIT
// Beams on a GPU: the same schedules, bounds and counts as on the cores, for equal width, target and idle share.
#ifndef MCO_FLOWSHOP_BEAM_GPU_ENGINE_H
#define MCO_FLOWSHOP_BEAM_GPU_ENGINE_H

#include "device/device.h"
#include "flowshop/beam/layer.h"

typedef struct flowshop_beam_gpu flowshop_beam_gpu;

typedef struct flowshop_beam_gpu_task {
    int64_t width, upper;
    float idle_share;
    bool (*must_stop)(void *state);  // asked every millisecond
    void *state;
    int32_t *depth;                  // receives the jobs placed, for the log
} flowshop_beam_gpu_task;

typedef struct flowshop_beam_gpu_answer {
    bool is_complete;      // must_stop() has not cut it off; else nothing but `bounded` counts
    bool has_discarded;
    int64_t makespan;      // of the schedule found, INT64_MAX if there is none below task->upper
    int64_t bounded;       // children
} flowshop_beam_gpu_answer;

// Refuses an instance that the kernels cannot take. `upper` is the largest target of all beams. Errors: LIMIT, with value and limit.
mco_status flowshop_beam_gpu_refuse(mco_context *ctx, const flowshop_beam_shape *shape, int64_t upper);

// Opens the GPU and uploads the instance; `shape` is borrowed until the beams are closed. All arrays on the device together take at
// most `memory` bytes, INFINITY: what is free. Errors: LIMIT as above, DEVICE, MEMORY.
mco_status flowshop_beam_gpu_open(mco_context *ctx, const mco_gpu *gpu, const flowshop_beam_shape *shape, int64_t upper, double memory,
                                  flowshop_beam_gpu **out);
void flowshop_beam_gpu_close(mco_context *ctx, flowshop_beam_gpu **beams);

// The width that fits `memory` and what the device had free when it was opened; and the bytes on the device with beams up to `width`.
int64_t flowshop_beam_gpu_widest(const flowshop_beam_gpu *beams);
double flowshop_beam_gpu_bytes(const flowshop_beam_gpu *beams, int64_t width);

// Runs one beam from the root, of a width up to flowshop_beam_gpu_widest(). `order` [jobs] receives the schedule found. Errors: MEMORY, DEVICE.
mco_status flowshop_beam_gpu_run(flowshop_beam_gpu *beams, const flowshop_beam_gpu_task *task, flowshop_beam_gpu_answer *out,
                                 int32_t *order);

#endif
