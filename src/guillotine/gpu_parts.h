// SPDX-License-Identifier: MIT
// What the two forms of the gpu engine, by value and by waste, share on the host.
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

// Classes of an axis (0: x). class_of [count] gets, for every position, the number of different piece sides at or below
// it. Returns the number of classes, class 0 included.
int32_t guillotine_gpu_classes(const guillotine_model *model, int axis, int32_t *class_of, int32_t count);

// best[p * y_classes + q] gets the value of the best single piece up to class p of x and class q of y.
void guillotine_gpu_best(const guillotine_model *model, const int32_t *x_class, const int32_t *y_class, int32_t x_classes,
                         int32_t y_classes, int64_t *best);

// Copies the head and the nodes of the plan from the device; one copy is enough for most plans. If the head says
// is_full, only the head is valid. Errors: DEVICE.
mco_status guillotine_gpu_read_trace(mco_device *device, const guillotine_trace *d_trace, int32_t capacity,
                                     guillotine_trace *trace);

// Writes the nodes to answer->steps, depth first. Errors: MEMORY.
mco_status guillotine_gpu_sort_nodes(mco_context *ctx, const guillotine_trace *trace, guillotine_answer *answer);

#endif
