// SPDX-License-Identifier: MIT
// Beams on one GPU or several: the same schedules, bounds and counts as on the cores, for equal width, target and idle share.
#ifndef MCO_FLOWSHOP_BEAM_GPU_ENGINE_H
#define MCO_FLOWSHOP_BEAM_GPU_ENGINE_H

#include "device/device.h"
#include "flowshop/beam/layer.h"

typedef struct flowshop_beam_gpu flowshop_beam_gpu;

typedef struct flowshop_beam_gpu_task {
    int64_t width, upper;
    int gpus;                        // so many of those opened work on it, at least one; the schedule is the same for any number
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

// Opens `count` GPUs, FLOWSHOP_BEAM_GPU_PARTS at most, and uploads the instance; `shape` is borrowed until the beams are closed. All arrays on
// a device together take at most `memory` bytes, INFINITY: what is free. A GPU named twice works as two. Errors: LIMIT as above, DEVICE (also
// where one GPU cannot write another's memory), MEMORY.
mco_status flowshop_beam_gpu_open(mco_context *ctx, const mco_gpu *gpus, int count, const flowshop_beam_shape *shape, int64_t upper,
                                  double memory, flowshop_beam_gpu **out);
int32_t flowshop_beam_gpu_count(const flowshop_beam_gpu *beams);
void flowshop_beam_gpu_close(mco_context *ctx, flowshop_beam_gpu **beams);

// The width that fits `memory` and what each device had free when it was opened, with all GPUs on one beam; and the bytes on each device with
// beams up to `width`.
int64_t flowshop_beam_gpu_widest(const flowshop_beam_gpu *beams);
double flowshop_beam_gpu_bytes(const flowshop_beam_gpu *beams, int64_t width);

// Runs one beam from the root, of a width up to flowshop_beam_gpu_widest(). `order` [jobs] receives the schedule found. Errors: MEMORY, DEVICE.
mco_status flowshop_beam_gpu_run(flowshop_beam_gpu *beams, const flowshop_beam_gpu_task *task, flowshop_beam_gpu_answer *out,
                                 int32_t *order);

#endif
