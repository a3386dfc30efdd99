// SPDX-License-Identifier: MIT
// What the calls for many trees, matrices and routes share: parameters, refusals, the request to stop.
#ifndef MCO_PATHS_HIERARCHY_SOLVE_H
#define MCO_PATHS_HIERARCHY_SOLVE_H

#include "paths/hierarchy/query.h"

// The first member of what the workers of a team share. The calling thread looks at the clock and at the callback; workers look at the
// flag, and end within about 0.05 s.
typedef struct paths_stopper {
    mco_run *run;
    atomic_bool is_set;
} paths_stopper;
// For mco_team_run(): `shared` begins with a paths_stopper.
double paths_stopper_watch(void *shared);
static inline bool paths_stopper_is_set(paths_stopper *stopper)
{
    return atomic_load_explicit(&stopper->is_set, memory_order_relaxed);
}
// A status without STOPPED, which the flag says then.
static inline mco_status paths_or_stopped(paths_stopper *stopper, mco_status st)
{
    if (st != MCO_ERR_STOPPED)
        return st;
    atomic_store_explicit(&stopper->is_set, true, memory_order_relaxed);
    return MCO_OK;
}
// OPTIMAL with `done`, or UNKNOWN with the reason of the stop.
void paths_settle_result(paths_stopper *stopper, mco_paths_result *result, int64_t done);

// Copies the parameters and tests them and the size of the result. Errors: ARGUMENT.
mco_status paths_take_params(mco_context *ctx, const mco_paths_params *params, const mco_paths_result *result, mco_paths_params *out);
// Refuses a negative count and vertices out of range. Errors: ARGUMENT, with the index.
mco_status paths_refuse_vertices(mco_context *ctx, const mco_paths_network *network, const char *what, int64_t count,
                                 const int32_t *vertex);
// Refuses the engines and methods that `what` does not have. Errors: ARGUMENT.
mco_status paths_refuse_gpu(mco_context *ctx, const mco_paths_params *params, const char *what);
// Errors: LIMIT, with the bytes needed and those allowed.
mco_status paths_refuse_bytes(mco_context *ctx, const char *what, double bytes, int64_t memory_mib);
// The message of a verdict; `source` is the network's vertex. Errors: LIMIT, INTERNAL.
mco_status paths_tell_verdict(mco_context *ctx, const mco_paths_network *network, const paths_verdict *verdict, const int32_t *source);

#endif
