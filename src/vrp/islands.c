// SPDX-License-Identifier: MIT
#include "vrp/islands.h"

#include <string.h>

#include "base/clock.h"
#include "base/islands.h"
#include "vrp/instance.h"
#include "vrp/solution.h"

static const double DEFAULT_TIME_S = 10;  // as of one process

typedef struct island {
    mco_context *ctx;
    const mco_vrp *problem;
    mco_vrp_params params;
    mco_vrp_result r;  // of the last leg, with the best plan
    double begin_s, start_cost;
    int64_t iterations;
    mco_improvement *history;  // [history_count] of this rank, of all legs
    int64_t history_count;
} island;

static mco_status search(void *user, const mco_leg *leg, mco_island *out)
{
    mco_status st = MCO_OK;
    island *s = user;
    mco_vrp_params p = s->params;
    mco_vrp_result next = MCO_VRP_RESULT_INIT;
    const double offset_s = mco_clock_s() - s->begin_s;
    p.time_limit_s = leg->time_limit_s;
    p.iterations = leg->iterations;
    p.seed = leg->seed;
    if (s->r.solution.order != NULL)
        p.start = &s->r.solution;
    MCO_TRY(mco_vrp_solve(s->ctx, s->problem, &p, &next));
    if (leg->is_first)
        s->start_cost = next.start_cost;
    s->iterations += next.iterations;
    mco_vrp_result_clear(s->ctx, &s->r);
    s->r = next;
    MCO_TRY(mco_islands_remember(s->ctx, &s->history, &s->history_count, next.history, next.history_count, offset_s));
    *out = (mco_island){.cost = next.scaled_cost, .outcome = next.outcome, .stop = next.stop};
done:
    return st;
}

// A plan: routes, first [customers + 1], order [customers].
static void pack(const void *user, int32_t *plan)
{
    const mco_vrp_solution *s = &((const island *)user)->r.solution;
    plan[0] = s->routes;
    memcpy(plan + 1, s->first, ((size_t)s->routes + 1) * sizeof *plan);
    memcpy(plan + 2 + s->customers, s->order, (size_t)s->customers * sizeof *plan);
}

static mco_status unpack(void *user, const int32_t *plan)
{
    mco_status st = MCO_OK;
    island *s = user;
    mco_vrp_solution taken = {0};
    const int32_t n = s->problem->customers;
    MCO_TRY(vrp_solution_new(s->ctx, n, n, &taken));
    taken.customers = n;
    taken.routes = plan[0];
    memcpy(taken.first, plan + 1, ((size_t)taken.routes + 1) * sizeof *plan);
    memcpy(taken.order, plan + 2 + n, (size_t)n * sizeof *plan);
    MCO_TRY(mco_vrp_check(s->ctx, s->problem, &taken, &s->r.scaled_cost));
    mco_vrp_solution_clear(s->ctx, &s->r.solution);
    s->r.solution = taken;
    taken = (mco_vrp_solution){0};
done:
    mco_vrp_solution_clear(s->ctx, &taken);
    return st;
}

// What all ranks found together.
static mco_status settle(island *s, const mco_island *found)
{
    mco_status st = MCO_OK;
    mco_vrp_result *r = &s->r;
    int64_t sums[2] = {s->iterations, r->work.threads};
    MCO_TRY(mco_ranks_reduce(s->ctx, sums, 2, MCO_REDUCE_SUM));
    r->iterations = sums[0];
    r->work.threads = (int32_t)sums[1];
    r->work.solve_s = mco_clock_s() - s->begin_s;
    r->stop = found->outcome == MCO_OUTCOME_OPTIMAL ? MCO_STOP_FINISHED : found->stop;
    r->outcome = found->outcome;
    r->start_cost = s->start_cost;
    mco_free(s->ctx, &r->history);
    r->history = s->history;
    r->history_count = s->history_count;
    s->history = NULL;
    if (found->cost < 0)
        return MCO_OK;
    r->scaled_cost = found->cost;
    r->cost = (double)found->cost / s->problem->scale;
    if (r->outcome == MCO_OUTCOME_OPTIMAL)
        r->bound = r->cost;
done:
    return st;
}

mco_status vrp_islands_solve(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, mco_vrp_result *result)
{
    mco_status st = MCO_OK;
    mco_island found = {.cost = -1};
    island s = {.ctx = ctx, .problem = problem, .params = *params, .r = MCO_VRP_RESULT_INIT, .begin_s = mco_clock_s()};
    if (params->prove)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a proof beside the search takes one process, %d were started: solve first, then bound with "
                        "--start, whose tree they share", mco_rank_count(ctx));
    if (!(s.params.time_limit_s < MCO_NO_LIMIT) && s.params.iterations < 0)
        s.params.time_limit_s = DEFAULT_TIME_S;
    const mco_islands islands = {.user = &s, .search = search, .words = 2 * (int64_t)problem->customers + 2, .pack = pack, .unpack = unpack,
                                 .time_limit_s = s.params.time_limit_s, .iterations = s.params.iterations, .seed = s.params.seed, .scale = problem->scale};
    MCO_TRY(mco_islands_run(ctx, &islands, &found));
    MCO_TRY(settle(&s, &found));
    *result = s.r;
    s.r = (mco_vrp_result)MCO_VRP_RESULT_INIT;
done:
    mco_free(ctx, &s.history);
    mco_vrp_result_clear(ctx, &s.r);
    return st;
}
