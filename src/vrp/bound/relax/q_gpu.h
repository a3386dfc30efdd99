// SPDX-License-Identifier: MIT
// For tests and measurements of q-paths on a GPU (q_gpu.c). The pass was opened with MCO_ENGINE_GPU.
#ifndef MCO_VRP_BOUND_RELAX_Q_GPU_H
#define MCO_VRP_BOUND_RELAX_Q_GPU_H

#include "vrp/bound/relax/q.h"

typedef struct vrp_q_gpu_stats {
    double kernel_s;      // of the last run: from the arcs on the device to complete tables on it
    double through_s;     // kernels of the last through-q-routes
    int32_t launches;     // of steps in the last run
    int32_t shape, blocks, layers, shared_bytes;
    bool is_wide;         // the last run had keys of 64 bits
} vrp_q_gpu_stats;

const vrp_q_gpu_stats *vrp_q_gpu_tell(const vrp_q_pass *pass);
// Takes this shape of blocks from now on. Errors: LIMIT (it does not fit the device).
mco_status vrp_q_gpu_take_shape(mco_context *ctx, vrp_q_pass *pass, int32_t shape);

#endif
