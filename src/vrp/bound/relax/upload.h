// SPDX-License-Identifier: MIT
// Arcs of a pass on their way to a GPU.
#ifndef MCO_VRP_BOUND_RELAX_UPLOAD_H
#define MCO_VRP_BOUND_RELAX_UPLOAD_H

#include "device/device_cuda.h"
#include "vrp/bound/problem.h"

// Enqueues copies of arcs [nodes * stride] to d_arcs on device->stream, by way of `pinned` of the same size. Of a symmetric problem only
// columns 0..i of each row i are sure to arrive. *least and *greatest become those of the arcs that are there, and 0; NULL: not asked
// for. `arcs` may change after the call. Errors: DEVICE.
mco_status vrp_relax_upload(mco_device *device, const vrp_bound_problem *problem, const int32_t *arcs, int32_t *pinned, int32_t *d_arcs,
                            int32_t *least, int32_t *greatest);

#endif
