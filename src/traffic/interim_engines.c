// SPDX-License-Identifier: MIT
// Until the room of the GPU engines is here. Whoever brings it removes this file.
#include "traffic/engine.h"

#ifdef MCO_HAVE_CUDA
#define LATER(name)                                                                                              \
    __attribute__((weak)) mco_status name(mco_context *ctx, const traffic_call *call, traffic_answer *out)       \
    {                                                                                                            \
        (void)call, (void)out;                                                                                   \
        return mco_fail(ctx, MCO_ERR_DEVICE, "this build has no GPU engine for the method");                     \
    }
LATER(traffic_gpu_frank_wolfe_assign)
#else
typedef int traffic_no_gpu;
#endif
