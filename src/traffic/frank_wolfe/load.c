// SPDX-License-Identifier: MIT
// Chooses the loader, and has what both loaders use.
#include "traffic/frank_wolfe/load.h"

mco_status traffic_amounts_make(mco_context *ctx, const traffic_problem *problem, traffic_amounts *out)
{
    enum { BITS = 61 };  // of the sum: one bit is left for roundings, at most one half for each amount
    traffic_amounts a = {.unit = 1};
    int exponent = 0;
    const int64_t trips = problem->row_first[problem->rows];
    const mco_status st = mco_alloc(ctx, &a.whole, trips);
    if (st != MCO_OK)
        return st;
    frexp(problem->demand, &exponent);
    a.unit = ldexp(1, exponent - BITS);
    for (int64_t k = 0; k < trips; k++)
        a.whole[k] = llrint(problem->amount[k] / a.unit);
    *out = a;
    return MCO_OK;
}

void traffic_amounts_clear(mco_context *ctx, traffic_amounts *amounts)
{
    mco_free(ctx, &amounts->whole);
}

double traffic_stopper_watch(void *shared)
{
    const double look_s = 0.02;
    traffic_stopper *s = shared;
    if (mco_run_must_stop(s->call->run, s->call->run->work) && !(s->has_grace && traffic_has_grace(s->call)))
        atomic_store_explicit(&s->is_set, true, memory_order_relaxed);
    return look_s;
}

mco_status traffic_loader_open(mco_context *ctx, const traffic_call *call, traffic_loader *out)
{
    const mco_status st = traffic_loader_open_hierarchy(ctx, call, out);
    if (st != MCO_ERR_LIMIT)
        return st;
    mco_log(ctx, MCO_LOG_INFO, "all-or-nothing by lanes of 8 rows: %s", mco_context_error(ctx));
    return traffic_loader_open_lanes(ctx, call, out);
}

void traffic_loader_close(traffic_loader *loader)
{
    if (loader->self != NULL)
        loader->close(loader->self);
    *loader = (traffic_loader){0};
}
