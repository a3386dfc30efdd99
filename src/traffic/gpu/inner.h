// SPDX-License-Identifier: MIT
// The inner nodes of a network: those that a path may pass. Ends of paths are none, and dead ends are none: a path that enters one goes
// no further. So labels need to spread among inner nodes alone, and a destination that is none asks those before it.
#ifndef MCO_TRAFFIC_GPU_INNER_H
#define MCO_TRAFFIC_GPU_INNER_H

#include "traffic/gpu/cuda.h"
#include "traffic/model/problem.h"

// Arrays of traffic_gpu_inner, on the host.
typedef struct traffic_inner {
    int32_t count;
    int32_t *place;           // [nodes]
    traffic_gpu_entry *kept;  // [TRAFFIC_GPU_KEPT][nodes]
    int32_t *rest_first;      // [2 * nodes + 1]
    traffic_gpu_entry *rest;  // [rest_first[2 * nodes]]
} traffic_inner;

// Error: MEMORY, and *out is empty. O(nodes + links).
mco_status traffic_inner_make(mco_context *ctx, const traffic_problem *problem, traffic_inner *out);
void traffic_inner_clear(mco_context *ctx, traffic_inner *inner);

#endif
