// SPDX-License-Identifier: MIT
#ifndef MCO_FLOWSHOP_GPU_EXPLORER_H
#define MCO_FLOWSHOP_GPU_EXPLORER_H

#include "flowshop/tree/explorer.h"

// Fails with LIMIT if the GPU explorer cannot take the instance. The message has the value seen and the value allowed.
mco_status flowshop_gpu_refuse(mco_context *ctx, const mco_flowshop *shop);

#endif
