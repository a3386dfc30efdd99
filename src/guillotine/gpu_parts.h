// SPDX-License-Identifier: MIT
// What the gpu engine's forms, by value and by waste, share on the host.
#ifndef MCO_GUILLOTINE_GPU_PARTS_H
#define MCO_GUILLOTINE_GPU_PARTS_H

#include "device/device_cuda.h"
#include "guillotine/cuda.h"
#include "guillotine/engine.h"

static inline int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Classes of an axis (0: x): for every position, class_of [count], how many sides of pieces are at or below it. Returns their
// number, with 0.
int32_t guillotine_gpu_classes(const guillotine_model *model, int axis, int32_t *class_of, int32_t count);

// best[p * y_classes + q]: the best single piece up to class p of x and q of y.
void guillotine_gpu_best(const guillotine_model *model, const int32_t *x_class, const int32_t *y_class, int32_t x_classes,
                         int32_t y_classes, int64_t *best);

// The plan's nodes, most of them with the head in one copy; the head alone counts where it says that they did not suffice.
// Errors: DEVICE.
mco_status guillotine_gpu_read_trace(mco_device *device, const guillotine_trace *d_trace, int32_t capacity,
                                     guillotine_trace *trace);

// Nodes to answer->steps, depth first. Errors: MEMORY.
mco_status guillotine_gpu_sort_nodes(mco_context *ctx, const guillotine_trace *trace, guillotine_answer *answer);

#endif
