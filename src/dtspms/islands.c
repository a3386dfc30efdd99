// SPDX-License-Identifier: MIT
#include "dtspms/islands.h"

#include <string.h>

#include "base/clock.h"
#include "base/islands.h"

static const double DEFAULT_TIME_S = 10;  // as of one process

typedef struct island {
    mco_context *ctx;
    const mco_dtspms *problem;
    mco_dtspms_params params;
    mco_dtspms_result r;  // of the last leg, with the best plan
    double begin_s;
    int64_t iterations;
    mco_improvement *history;  // [history_count] of this rank, of all legs
    int64_t history_count;
} island;

// What was proved before the last leg holds behind it too, and what was done counts. A short leg has no time for a good bound.
static void add_before(const mco_dtspms_result *before, mco_dtspms_result *last)
{
    last->bound = before->bound > last->bound ? before->bound : last->bound;
    last->counters.tours += before->counters.tours;
    last->counters.relaxations += before->counters.relaxations;
    last->counters.tours_skipped += before->counters.tours_skipped;
    if (last->cost >= 0 && last->cost == last->bound)
        last->outcome = MCO_OUTCOME_OPTIMAL;
}

static mco_status search(void *user, const mco_leg *leg, mco_island *out)
{
    mco_status st = MCO_OK;
    island *s = user;
    mco_dtspms_params p = s->params;
    mco_dtspms_result next = MCO_DTSPMS_RESULT_INIT;
    const double offset_s = mco_clock_s() - s->begin_s;
    p.time_limit_s = leg->time_limit_s;
    p.iterations = leg->iterations;
    p.seed = leg->seed;
    if (s->r.solution.plan != NULL)
        p.start = &s->r.solution;
    MCO_TRY(mco_dtspms_solve(s->ctx, s->problem, &p, &next));
    s->iterations += next.iterations;
    if (!leg->is_first)
        add_before(&s->r, &next);
    mco_dtspms_result_clear(s->ctx, &s->r);
    s->r = next;
    MCO_TRY(mco_islands_remember(s->ctx, &s->history, &s->history_count, next.history, next.history_count, offset_s));
    *out = (mco_island){.cost = next.cost, .outcome = next.outcome, .stop = next.stop};
done:
    return st;
}

// A plan: heights of the stacks, then plan, pickup and delivery [orders] each.
static void pack(const void *user, int32_t *plan)
{
    const mco_dtspms_solution *s = &((const island *)user)->r.solution;
    const size_t n = (size_t)s->orders;
    memcpy(plan, s->heights, sizeof s->heights);
    plan += MCO_DTSPMS_MAX_STACKS;
    memcpy(plan, s->plan, n * sizeof *plan);
    memcpy(plan + n, s->pickup, n * sizeof *plan);
    memcpy(plan + 2 * n, s->delivery, n * sizeof *plan);
}

static mco_status unpack(void *user, const int32_t *plan)
{
    mco_status st = MCO_OK;
    island *s = user;
    const int32_t n = mco_dtspms_orders(s->problem);
    mco_dtspms_solution taken = {.orders = n, .stacks = (int32_t)s->params.stacks};
    memcpy(taken.heights, plan, sizeof taken.heights);
    plan += MCO_DTSPMS_MAX_STACKS;
    MCO_TRY(mco_alloc(s->ctx, &taken.plan, n));
    MCO_TRY(mco_alloc(s->ctx, &taken.pickup, n));
    MCO_TRY(mco_alloc(s->ctx, &taken.delivery, n));
    memcpy(taken.plan, plan, (size_t)n * sizeof *plan);
    memcpy(taken.pickup, plan + n, (size_t)n * sizeof *plan);
    memcpy(taken.delivery, plan + 2 * (size_t)n, (size_t)n * sizeof *plan);
    MCO_TRY(mco_dtspms_check(s->ctx, s->problem, &taken, s->r.capacity, &s->r.cost, s->r.cost_of));
    mco_dtspms_solution_clear(s->ctx, &s->r.solution);
    s->r.solution = taken;
    taken = (mco_dtspms_solution){0};
done:
    mco_dtspms_solution_clear(s->ctx, &taken);
    return st;
}

// What all ranks found together.
static mco_status settle(island *s, const mco_island *found)
{
    mco_status st = MCO_OK;
    mco_dtspms_result *r = &s->r;
    int64_t sums[5] = {s->iterations, r->work.threads, r->counters.tours, r->counters.relaxations, r->counters.tours_skipped};
    int64_t bound = r->bound;
    MCO_TRY(mco_ranks_reduce(s->ctx, sums, 5, MCO_REDUCE_SUM));
    MCO_TRY(mco_ranks_greatest(s->ctx, &bound));
    r->iterations = sums[0];
    r->work.threads = (int32_t)sums[1];
    r->counters = (mco_dtspms_counters){sums[2], sums[3], sums[4]};
    r->bound = bound;
    r->work.solve_s = mco_clock_s() - s->begin_s;
    r->stop = found->outcome == MCO_OUTCOME_OPTIMAL ? MCO_STOP_FINISHED : found->stop;
    r->outcome = found->outcome;
    mco_free(s->ctx, &r->history);
    r->history = s->history;
    r->history_count = s->history_count;
    s->history = NULL;
done:
    return st;
}

mco_status dtspms_islands_solve(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params, mco_dtspms_result *result)
{
    mco_status st = MCO_OK;
    mco_island found = {.cost = -1};
    island s = {.ctx = ctx, .problem = problem, .params = *params, .r = MCO_DTSPMS_RESULT_INIT, .begin_s = mco_clock_s()};
    if (!(s.params.time_limit_s < MCO_NO_LIMIT) && s.params.iterations < 0)
        s.params.time_limit_s = DEFAULT_TIME_S;
    const mco_islands islands = {.user = &s, .search = search, .words = 3 * (int64_t)mco_dtspms_orders(problem) + MCO_DTSPMS_MAX_STACKS,
                                 .pack = pack, .unpack = unpack, .time_limit_s = s.params.time_limit_s,
                                 .iterations = s.params.iterations, .seed = s.params.seed};
    MCO_TRY(mco_islands_run(ctx, &islands, &found));
    MCO_TRY(settle(&s, &found));
    *result = s.r;
    s.r = (mco_dtspms_result)MCO_DTSPMS_RESULT_INIT;
done:
    mco_free(ctx, &s.history);
    mco_dtspms_result_clear(ctx, &s.r);
    return st;
}
