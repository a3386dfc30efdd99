// SPDX-License-Identifier: MIT
// What passes on a GPU share (upload.h).
#include "vrp/bound/relax/upload.h"

#include <string.h>

#include "vrp/bound/relax/q.h"

// Rows are copied to pinned memory in pieces of so many bytes, while the piece before goes up.
static const size_t PIECE_BYTES = 1 << 19;

static void copy_and_scan(const int32_t *restrict from, int32_t *restrict to, int32_t count, int32_t *least, int32_t *greatest)
{
    int32_t low = *least, high = *greatest;
    for (int32_t j = 0; j < count; j++) {
        const int32_t arc = from[j], there = arc < VRP_NO_ARC ? arc : 0;
        to[j] = arc;
        low = arc < low ? arc : low;
        high = there > high ? there : high;
    }
    *least = low;
    *greatest = high;
}

mco_status vrp_relax_upload(mco_device *device, const vrp_bound_problem *problem, const int32_t *arcs, int32_t *pinned, int32_t *d_arcs,
                            int32_t *least, int32_t *greatest)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = problem;
    const size_t pitch = (size_t)p->stride * sizeof *arcs;
    int32_t low = 0, high = 0;
    for (int32_t first = 0, last; first < p->nodes; first = last) {
        size_t bytes = 0;
        for (last = first; last < p->nodes && bytes < PIECE_BYTES; last++) {
            const int32_t count = p->is_symmetric ? last + 1 : p->nodes;
            const int64_t at = last * (int64_t)p->stride;
            if (least != NULL)
                copy_and_scan(arcs + at, pinned + at, count, &low, &high);
            else
                memcpy(pinned + at, arcs + at, (size_t)count * sizeof *arcs);
            bytes += (size_t)count * sizeof *arcs;
        }
        const int64_t at = first * (int64_t)p->stride;
        const size_t width = (size_t)(p->is_symmetric ? last : p->nodes) * sizeof *arcs;
        MCO_CUDA(device->ctx, cudaMemcpy2DAsync(d_arcs + at, pitch, pinned + at, pitch, width, (size_t)(last - first), cudaMemcpyHostToDevice,
                                                device->stream));
    }
    if (least != NULL) {
        *least = low;
        *greatest = high;
    }
done:
    return st;
}

bool vrp_relax_must_stop(void *watch)
{
    const vrp_relax_watch *w = watch;
    return vrp_bound_is_over(w->ctx, w->stop_s);
}
