// SPDX-License-Identifier: MIT
// What all GPU code shares. This header chooses devices and engines. device_cuda.h, for code behind MCO_HAVE_CUDA, has
// streams, pooled memory, timing, and CUDA errors as statuses.
#ifndef MCO_DEVICE_DEVICE_H
#define MCO_DEVICE_DEVICE_H

#include "base/context.h"
#include "mco/devices.h"
#include "mco/engine.h"

// Chooses the GPUs that `text` names: "0,1", "all", or NULL for the first one. Writes them to out[0..*count). Errors:
// DEVICE (there is no GPU, or not the one named: the message says what there is), ARGUMENT (any other text, or a GPU
// that is named twice).
mco_status mco_gpus_choose(mco_context *ctx, const char *text, mco_gpu out[MCO_MAX_GPUS], int *count);
// The same for an engine that uses one GPU. Errors: also ARGUMENT if `text` names several.
mco_status mco_gpu_choose(mco_context *ctx, const char *text, mco_gpu *out);
#ifndef MCO_HAVE_CUDA
// As mco_gpus_choose(), which fails in a build without GPU engines, with a message that says why.
mco_status mco_fail_no_gpu(mco_context *ctx, const char *text);
#endif
// Whether there is a GPU that this build can use.
bool mco_has_gpu(mco_context *ctx);
// Why there is none, in static storage or valid until the next call on the context; NULL: there is one.
const char *mco_why_no_gpu(mco_context *ctx);

// Returns the engine that was asked for. AUTO chooses the GPU if `gpus` names some, or if there is one and the cores
// would take about `cpu_s` seconds, which is more than `pays_s`. Else it chooses the cores. `no_gpu` says why a GPU
// cannot be used here; NULL: it can. The log says what AUTO has chosen.
mco_engine mco_choose_engine(mco_context *ctx, mco_engine asked, const char *gpus, double cpu_s, double pays_s,
                             const char *no_gpu);

#endif
