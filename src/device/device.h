// SPDX-License-Identifier: MIT
// The little that all GPU code shares: which devices, and for the code behind MCO_HAVE_CUDA
// (device_cuda.h) streams, pooled memory, timing, and CUDA errors as statuses.
#ifndef MCO_DEVICE_DEVICE_H
#define MCO_DEVICE_DEVICE_H

#include "base/context.h"
#include "mco/devices.h"
#include "mco/engine.h"

// Reads "0,1", "all" or NULL (the first) into out[0..*count). Errors: DEVICE when there is none or no
// such one, with what there is; ARGUMENT for any other text or a device twice.
mco_status mco_gpus_choose(mco_context *ctx, const char *text, mco_gpu out[MCO_MAX_GPUS], int *count);
// The same for an engine that uses one. Errors: also ARGUMENT for several.
mco_status mco_gpu_choose(mco_context *ctx, const char *text, mco_gpu *out);
// Whether there is one that this build can use.
bool mco_has_gpu(mco_context *ctx);

// The engine that was asked for. AUTO: a GPU where `gpus` names some, or where the cores would take about `cpu_s` seconds,
// which is more than `pays_s`, and there is one; else the cores. `no_gpu` says why a GPU is out of the question; NULL: it is
// not. The log is told what AUTO has chosen.
mco_engine mco_choose_engine(mco_context *ctx, mco_engine asked, const char *gpus, double cpu_s, double pays_s,
                             const char *no_gpu);

#endif
