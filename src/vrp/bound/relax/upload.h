// SPDX-License-Identifier: MIT
// What passes on a GPU share: arcs on their way there, and when a wait ends.
#ifndef MCO_VRP_BOUND_RELAX_UPLOAD_H
#define MCO_VRP_BOUND_RELAX_UPLOAD_H

#include "device/device_cuda.h"
#include "vrp/bound/problem.h"

// Enqueues copies of arcs [nodes * stride] to d_arcs on device->stream, by way of `pinned` of the same size. Of a symmetric problem only
// columns 0..i of each row i are sure to arrive. *least and *greatest become those of the arcs that are there, and 0; NULL: not asked
// for. `arcs` may change after the call. Errors: DEVICE.
mco_status vrp_relax_upload(mco_device *device, const vrp_bound_problem *problem, const int32_t *arcs, int32_t *pinned, int32_t *d_arcs,
                            int32_t *least, int32_t *greatest);

// Who waits for a GPU, and until when by mco_clock_s(). For mco_device_wait(): whether the wait must end, also by a cancellation.
typedef struct vrp_relax_watch {
    const mco_context *ctx;
    double stop_s;
} vrp_relax_watch;

bool vrp_relax_must_stop(void *watch);

#endif
