// SPDX-License-Identifier: MIT
// mco_overlay_follow(): all events of a file, round by round.
#include <inttypes.h>
#include <stdio.h>

#include "base/grow.h"
#include "base/structs.h"
#include "overlay/live.h"

// A part of a time limit is for the first bound.
static const double FIRST_SHARE = 0.3;

static mco_status add_round(mco_context *ctx, mco_overlay_bound_result *r, int64_t *room, const mco_overlay_round *round)
{
    const mco_status st = mco_grow(ctx, &r->rounds, room, r->round_count + 1);
    if (st == MCO_OK)
        r->rounds[r->round_count++] = *round;
    return st;
}

static mco_status tell_round(mco_context *ctx, mco_status st, int64_t round)
{
    char why[MCO_ERROR_LENGTH];
    snprintf(why, sizeof why, "%s", mco_context_error(ctx));
    return mco_fail(ctx, st, "round %" PRId64 ": %s", round, why);
}

// Ends well where a limit or a signal stops a round.
static mco_status run_rounds(mco_overlay_live *live, const mco_overlay_events *events, mco_overlay_bound_result *r, int64_t *room)
{
    mco_status st = MCO_OK;
    int64_t end = 0;
    for (int64_t k = 0; k < events->count && !mco_run_must_stop(&live->run, r->round_count); k = end) {
        mco_overlay_round round;
        for (end = k; end < events->count && events->list[end].round == events->list[k].round;)
            end++;
        st = overlay_live_advance(live, &events->list[k], end - k, &round);
        if (st == MCO_ERR_STOPPED && live->run.stop != MCO_STOP_FINISHED)
            return MCO_OK;
        if (st != MCO_OK)
            MCO_TRY(tell_round(live->network.ctx, st, events->list[k].round));
        MCO_TRY(add_round(live->network.ctx, r, room, &round));
        mco_log(live->network.ctx, MCO_LOG_DETAIL, "round %" PRId64 ": %" PRId32 " nodes, bound %.10g, worth %.10g", round.round, round.nodes,
                round.bound, round.worth);
    }
done:
    return st;
}

static void give(mco_overlay_live *live, mco_overlay_bound_result *r)
{
    const mco_overlay_round *last = &r->rounds[r->round_count - 1];
    mco_free(live->network.ctx, &r->duals);
    r->bound = last->bound;
    r->value = last->worth;
    r->exact[0] = r->exact[1] = 0;
    r->stop = live->run.stop;
    r->seed = live->p.seed;
    r->outcome = last->worth >= last->bound * (1 - 1e-9) ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    r->work.solve_s = mco_run_time_s(&live->run);
}

mco_status mco_overlay_follow(mco_context *ctx, const mco_overlay *instance, const mco_overlay_events *events,
                              const mco_overlay_bound_params *bound, const mco_overlay_live_params *params,
                              mco_overlay_bound_result *result, mco_overlay_snapshot *last)
{
    mco_status st = MCO_OK;
    mco_overlay_live *live = NULL;
    mco_overlay_round first;
    int64_t room = 0;
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    if (events == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof r));
    MCO_TRY(overlay_live_new(ctx, instance, bound, params, &live));
    mco_run_limit(&live->run, live->bound.time_limit_s);
    if (live->bound.time_limit_s < MCO_NO_LIMIT)
        live->bound.time_limit_s *= FIRST_SHARE;
    MCO_TRY(overlay_live_begin(live, instance, &r, &first));
    MCO_TRY(add_round(ctx, &r, &room, &first));
    live->network.names = events->names;
    live->network.named = events->names != NULL ? events->ids : 0;
    MCO_TRY(run_rounds(live, events, &r, &room));
    give(live, &r);
    if (last != NULL)
        MCO_TRY(mco_overlay_live_take(ctx, live, last));
    mco_struct_give(result, &r, sizeof r);
done:
    mco_overlay_live_close(ctx, &live);
    mco_overlay_bound_result_clear(ctx, &r);
    if (ctx != NULL)
        mco_clear_cancel(ctx);
    return st;
}
