// SPDX-License-Identifier: MIT
#include "base/islands.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "mco/options.h"

enum { LEGS = 6 };
static const double FIRST_SHARE = 0.5;                // of the first leg; the others are equal
static const int64_t SEED_STEP = 1000003, SEEDS = INT64_C(1) << 53;  // seeds of ranks and legs, within the range of options

static double share_until(int leg)
{
    return FIRST_SHARE + (1 - FIRST_SHARE) * leg / (LEGS - 1);
}

static mco_leg leg_of(const mco_context *ctx, const mco_islands *s, int leg, double begin_s)
{
    const double until = share_until(leg), from = leg > 0 ? share_until(leg - 1) : 0;
    mco_leg l = {.time_limit_s = s->time_limit_s, .iterations = -1, .is_first = leg == 0};
    l.seed = (s->seed + SEED_STEP * ((int64_t)leg * mco_rank_count(ctx) + mco_rank(ctx))) % SEEDS;
    if (s->time_limit_s < MCO_NO_LIMIT)
        l.time_limit_s = fmax(0, begin_s + until * s->time_limit_s - mco_clock_s());
    if (s->iterations >= 0)
        l.iterations = (int64_t)floor((double)s->iterations * until) - (int64_t)floor((double)s->iterations * from);
    return l;
}

// All ranks get the least cost, and the plan that has it; what any of them has proved or was told holds for all.
static mco_status exchange(mco_context *ctx, const mco_islands *s, int32_t *plan, mco_island *island)
{
    mco_status st = MCO_OK;
    const int ranks = mco_rank_count(ctx), rank = mco_rank(ctx);
    int64_t cost = island->cost >= 0 ? island->cost : INT64_MAX, least = cost, who;
    int64_t ends[2] = {island->outcome, island->stop};
    MCO_TRY(mco_ranks_reduce(ctx, &least, 1, MCO_REDUCE_MIN));
    MCO_TRY(mco_ranks_reduce(ctx, ends, 2, MCO_REDUCE_MAX));
    island->outcome = (mco_outcome)ends[0];
    island->stop = (mco_stop)ends[1];
    if (least == INT64_MAX)
        return MCO_OK;
    who = cost == least ? rank : ranks;
    MCO_TRY(mco_ranks_reduce(ctx, &who, 1, MCO_REDUCE_MIN));
    if (who == rank)
        s->pack(s->user, plan);
    MCO_TRY(mco_ranks_broadcast(ctx, plan, s->words * (int64_t)sizeof *plan, (int)who));
    if (cost > least)
        MCO_TRY(s->unpack(s->user, plan));
    island->cost = least;
done:
    return st;
}

// Rows of the first leg head the table of the log.
static mco_status search_leg(mco_context *ctx, const mco_islands *s, const mco_leg *leg, mco_island *out)
{
    mco_ranks *ranks = ctx->ranks;
    const mco_log_level level = ctx->params.log_level;
    ctx->ranks = NULL;  // the search is that of one process
    if (!leg->is_first && level == MCO_LOG_INFO)
        ctx->params.log_level = MCO_LOG_WARNING;
    const mco_status st = s->search(s->user, leg, out);
    ctx->params.log_level = level;
    ctx->ranks = ranks;
    return st;
}

mco_status mco_islands_run(mco_context *ctx, const mco_islands *s, mco_island *out)
{
    mco_status st = MCO_OK;
    int32_t *plan = NULL;
    const double begin_s = mco_clock_s(), scale = s->scale > 0 ? s->scale : 1;
    MCO_TRY(mco_alloc(ctx, &plan, s->words));
    for (int leg = 0; leg < LEGS; leg++) {
        const mco_leg l = leg_of(ctx, s, leg, begin_s);
        st = search_leg(ctx, s, &l, out);
        MCO_TRY(mco_ranks_agree(ctx, st));
        MCO_TRY(exchange(ctx, s, plan, out));
        if (out->cost >= 0)
            mco_log(ctx, MCO_LOG_INFO, "%9.2f  all ranks %14.10g", mco_clock_s() - begin_s, (double)out->cost / scale);
        const bool is_decided = out->outcome == MCO_OUTCOME_OPTIMAL || out->outcome == MCO_OUTCOME_INFEASIBLE;
        if (is_decided || out->stop == MCO_STOP_CANCELLED || out->stop == MCO_STOP_TARGET || out->stop == MCO_STOP_GAP)
            break;
    }
done:
    mco_free(ctx, &plan);
    return st;
}

mco_status mco_islands_remember(mco_context *ctx, mco_improvement **history, int64_t *count, const mco_improvement *more,
                                int64_t more_count, double offset_s)
{
    mco_improvement *grown = NULL;
    const mco_status st = mco_alloc(ctx, &grown, *count + more_count);
    if (st != MCO_OK)
        return st;
    if (*count > 0)
        memcpy(grown, *history, (size_t)*count * sizeof *grown);
    int64_t kept = *count;
    for (int64_t k = 0; k < more_count; k++)
        if (kept == 0 || more[k].objective < grown[kept - 1].objective || more[k].bound > grown[kept - 1].bound) {
            grown[kept] = more[k];
            grown[kept++].time_s += offset_s;
        }
    mco_free(ctx, history);
    *history = grown;
    *count = kept;
    return MCO_OK;
}
