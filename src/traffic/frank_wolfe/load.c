// SPDX-License-Identifier: MIT
// Chooses the loader, and has what both loaders use.
#include "traffic/frank_wolfe/load.h"

#include <string.h>

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

// ---- Several ranks

mco_status traffic_settle_job(mco_context *ctx, traffic_stopper *s, int64_t greatest[2])
{
    int64_t ends[4] = {atomic_load(&s->is_set), s->call->run->stop, greatest[0], greatest[1]};
    const mco_status st = mco_ranks_reduce(ctx, ends, 4, MCO_REDUCE_MAX);
    if (st != MCO_OK)
        return st;
    atomic_store(&s->is_set, ends[0] != 0);
    if (ends[0] != 0)
        s->call->run->stop = (mco_stop)ends[1];
    memcpy(greatest, ends + 2, 2 * sizeof *greatest);
    return MCO_OK;
}

// A double of which only one rank has bits keeps them in a sum of integers.
mco_status traffic_join_values(mco_context *ctx, double *values, int64_t count)
{
    return mco_ranks_reduce(ctx, values, count, MCO_REDUCE_SUM);
}

mco_status traffic_join_proofs(mco_context *ctx, traffic_certificate *c)
{
    enum { HIGH, LOW, LOSS, DONE, MEMBERS };
    mco_status st = MCO_OK;
    double *values = NULL;
    const int64_t rows = c->problem->rows;
    if (mco_rank_count(ctx) == 1)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &values, rows * MEMBERS));
    for (int64_t r = 0; r < rows; r++)
        if (c->row[r].is_done) {
            double *v = values + r * MEMBERS;
            v[HIGH] = c->row[r].least.high;
            v[LOW] = c->row[r].least.low;
            v[LOSS] = c->row[r].loss;
            v[DONE] = 1;
        }
    MCO_TRY(traffic_join_values(ctx, values, rows * MEMBERS));
    for (int64_t r = 0; r < rows; r++) {
        const double *v = values + r * MEMBERS;
        if (v[DONE] > 0) {
            c->row[r].least = (traffic_sum){v[HIGH], v[LOW]};
            c->row[r].loss = v[LOSS];
            c->row[r].is_done = true;
        }
    }
done:
    mco_free(ctx, &values);
    return st;
}

// ---- The choice

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
