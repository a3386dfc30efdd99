// SPDX-License-Identifier: MIT
#ifndef MCO_FLOWSHOP_GPU_EXPLORER_H
#define MCO_FLOWSHOP_GPU_EXPLORER_H

#include "flowshop/tree/explorer.h"

// Fails with LIMIT, with the value seen and the value allowed, where the GPU explorer cannot take the instance.
mco_status flowshop_gpu_refuse(mco_context *ctx, const mco_flowshop *shop);

#endif
