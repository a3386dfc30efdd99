// SPDX-License-Identifier: MIT
#ifndef MCO_FLOWSHOP_GPU_H
#define MCO_FLOWSHOP_GPU_H

#include "flowshop/flowshop_explorer.h"

// Fails with LIMIT, with the value seen and the value allowed, where the GPU explorer cannot take the instance.
mco_status flowshop_gpu_refuse(mco_context *ctx, const mco_flowshop *shop);

#endif
