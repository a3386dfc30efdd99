// SPDX-License-Identifier: MIT
// The little that all GPU code shares: which devices, and for the code behind MCO_HAVE_CUDA
// (device_cuda.h) streams, pooled memory, timing, and CUDA errors as statuses.
#ifndef MCO_DEVICE_DEVICE_H
#define MCO_DEVICE_DEVICE_H

#include "base/context.h"
#include "mco/devices.h"

// Reads "0,1", "all" or NULL (the first) into out[0..*count). Errors: DEVICE when there is none or no
// such one, with what there is; ARGUMENT for any other text or a device twice.
mco_status mco_gpus_choose(mco_context *ctx, const char *text, mco_gpu out[MCO_MAX_GPUS], int *count);
// Whether there is one that this build can use.
bool mco_has_gpu(mco_context *ctx);

#endif
