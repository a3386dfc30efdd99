// SPDX-License-Identifier: MIT
// The processor of a GPU.
#ifndef MCO_VRP_SEARCH_GPU_H
#define MCO_VRP_SEARCH_GPU_H

#include "vrp/search/processor.h"

// Opens a processor; *out is all zero before. It takes params->gpus. Errors: ARGUMENT, MEMORY, DEVICE.
mco_status vrp_gpu_walks_open(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, vrp_processor *out);

#endif
