// SPDX-License-Identifier: MIT
// For tests and measurements of ng-paths on a GPU (ng_gpu.c). The pass was opened with MCO_ENGINE_GPU.
#ifndef MCO_VRP_BOUND_RELAX_NG_GPU_H
#define MCO_VRP_BOUND_RELAX_NG_GPU_H

#include "vrp/bound/relax/ng.h"

typedef struct vrp_ng_gpu_stats {
    double kernel_s;      // of the last run: from the arcs on the device to complete tables on it
    int32_t launches;     // of rows in the last run
    int32_t shape, warps, groups, blocks, shared_bytes;
    int32_t rows;         // loads that have cells
    bool stays;           // a block keeps its customer
} vrp_ng_gpu_stats;

const vrp_ng_gpu_stats *vrp_ng_gpu_tell(const vrp_ng_pass *pass);
// Takes this shape of blocks from now on, 0 <= shape < vrp_ng_shapes(). Errors: LIMIT (it does not fit the device).
mco_status vrp_ng_gpu_take_shape(mco_context *ctx, vrp_ng_pass *pass, int32_t shape);

#endif
