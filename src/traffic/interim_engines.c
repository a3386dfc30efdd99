// SPDX-License-Identifier: MIT
// Until all rooms are here. Whoever brings the last one removes this file.
#include "traffic/engine.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define LATER(name, ...) __attribute__((weak)) mco_status name(__VA_ARGS__) { return mco_fail(ctx, MCO_ERR_ARGUMENT, #name " is not supported yet"); }
#ifdef MCO_HAVE_CUDA
LATER(traffic_gpu_frank_wolfe_assign, mco_context *ctx, const traffic_call *call, traffic_answer *out)
LATER(traffic_gpu_pairs_assign, mco_context *ctx, const traffic_call *call, traffic_answer *out)
#endif
