// SPDX-License-Identifier: MIT
#include "guillotine/gpu_parts.h"

#include <string.h>

enum { TRACE_AT_ONCE = 2048 };  // nodes that are copied together with the head

int32_t guillotine_gpu_classes(const guillotine_model *model, int axis, int32_t *class_of, int32_t count)
{
    int32_t classes = 0;
    memset(class_of, 0, (size_t)count * sizeof *class_of);
    for (int64_t k = 0; k < model->seed_count; k++)
        class_of[axis == 0 ? model->seeds[k].i : model->seeds[k].j] = 1;
    for (int32_t p = 0; p < count; p++) {
        classes += class_of[p];
        class_of[p] = classes;
    }
    return classes + 1;
}

void guillotine_gpu_best(const guillotine_model *model, const int32_t *x_class, const int32_t *y_class, int32_t x_classes,
                         int32_t y_classes, int64_t *best)
{
    memset(best, 0, (size_t)x_classes * (size_t)y_classes * sizeof *best);
    for (int64_t k = 0; k < model->seed_count; k++) {
        const guillotine_seed *s = &model->seeds[k];
        int64_t *cell = &best[(int64_t)x_class[s->i] * y_classes + y_class[s->j]];
        *cell = max64(*cell, s->value);
    }
    for (int64_t p = 1; p < x_classes; p++)
        for (int64_t q = 1; q < y_classes; q++) {
            int64_t *cell = &best[p * y_classes + q];
            *cell = max64(*cell, max64(cell[-1], cell[-y_classes]));
        }
}

mco_status guillotine_gpu_read_trace(mco_device *device, const guillotine_trace *d_trace, int32_t capacity,
                                     guillotine_trace *trace)
{
    mco_status st = MCO_OK;
    const size_t first = guillotine_trace_bytes(min64(capacity, TRACE_AT_ONCE));
    MCO_CUDA(device->ctx, cudaMemcpyAsync(trace, d_trace, first, cudaMemcpyDeviceToHost, device->stream));
    MCO_CUDA(device->ctx, cudaStreamSynchronize(device->stream));
    const size_t needed = trace->is_full ? 0 : guillotine_trace_bytes(trace->made);
    if (needed > first) {
        MCO_CUDA(device->ctx, cudaMemcpyAsync((char *)trace + first, (const char *)d_trace + first, needed - first,
                                              cudaMemcpyDeviceToHost, device->stream));
        MCO_CUDA(device->ctx, cudaStreamSynchronize(device->stream));
    }
done:
    return st;
}

mco_status guillotine_gpu_sort_nodes(mco_context *ctx, const guillotine_trace *trace, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    int32_t *open = NULL, open_count = 0;
    int64_t count = 0;
    MCO_TRY(mco_alloc(ctx, &open, trace->made));
    MCO_TRY(mco_alloc(ctx, &answer->steps, trace->made));
    open[open_count++] = 0;
    while (open_count > 0) {
        const guillotine_trace_node *n = &trace->nodes[open[--open_count]];
        const bool is_cut = n->kind == GUILLOTINE_TRACE_X || n->kind == GUILLOTINE_TRACE_Y;
        answer->steps[count++] = (guillotine_step){(guillotine_step_kind)n->kind, n->first, n->second};
        for (int part = 1; is_cut && part >= 0; part--)
            open[open_count++] = n->part + part;
    }
    answer->step_count = count;
done:
    mco_free(ctx, &open);
    return st;
}
