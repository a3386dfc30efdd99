// SPDX-License-Identifier: MIT
// The incumbent and the bound of one solve.
#include "flowshop/run.h"

#include <math.h>
#include <string.h>

static const double LEAST_TURN_S = 0.05;

mco_status flowshop_run_adopt(flowshop_run *run, int64_t makespan, const int32_t *order, const char *source)
{
    mco_status st = MCO_OK;
    mco_flowshop_result *r = run->result;
    const int32_t n = run->shop->jobs;
    int64_t rechecked;
    if (r->order == NULL)
        MCO_TRY(mco_alloc(run->ctx, &r->order, n));
    st = mco_flowshop_check(run->ctx, run->shop, order, n, &rechecked);
    MCO_TRY(st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st);
    if (rechecked != makespan)
        MCO_TRY(mco_fail(run->ctx, MCO_ERR_INTERNAL, "%s claims makespan %lld, the checker finds %lld", source,
                         (long long)makespan, (long long)rechecked));
    memcpy(r->order, order, (size_t)n * sizeof *order);
    r->makespan = makespan;
    if (makespan < run->upper_bound)
        run->upper_bound = makespan;
    run->incumbent = (mco_flowshop_solution){.jobs = n, .order = r->order, .makespan = makespan};
    MCO_TRY(mco_run_improve(&run->run, flowshop_units(run->shop, makespan), &run->incumbent, source));
done:
    return st;
}

mco_status flowshop_run_improve(flowshop_run *run, int64_t makespan, const int32_t *order, const char *source)
{
    return makespan < run->upper_bound ? flowshop_run_adopt(run, makespan, order, source) : MCO_OK;
}

void flowshop_run_raise_bound(flowshop_run *run, int64_t bound)
{
    if (bound > run->result->bound)
        run->result->bound = bound;
    mco_run_raise_bound(&run->run, flowshop_units(run->shop, bound));
}

bool flowshop_run_must_stop(flowshop_run *run, int64_t work, mco_stop *stop)
{
    const bool must_stop = mco_run_must_stop(&run->run, work);
    if (must_stop)
        *stop = run->run.stop;
    return must_stop;
}

void flowshop_run_begin_turn(flowshop_run *run, double patience)
{
    run->has_turns = true;
    run->patience = patience;
    run->turn_s = mco_run_time_s(&run->run);
}

bool flowshop_run_turn_is_over(const flowshop_run *run)
{
    const mco_run *r = &run->run;
    const double improved_s = r->history_count > 0 ? r->history[r->history_count - 1].time_s : 0, begin_s = fmax(run->turn_s, improved_s);
    return run->has_turns && mco_run_time_s(r) > (1 + run->patience) * begin_s + LEAST_TURN_S;
}

void flowshop_run_end_turns(flowshop_run *run)
{
    run->has_turns = false;
}

void flowshop_run_tell_checkpoint(flowshop_run *run, mco_status st, const mco_context *ctx)
{
    const bool is_failing = st != MCO_OK;
    if (is_failing && !run->is_checkpoint_failing)
        mco_log(run->ctx, MCO_LOG_WARNING, "%s; the search goes on, later checkpoints try again, and an earlier file stays",
                mco_context_error(ctx));
    if (!is_failing && run->is_checkpoint_failing)
        mco_log(run->ctx, MCO_LOG_INFO, "%9.2f s  the checkpoint is written again", mco_run_time_s(&run->run));
    run->is_checkpoint_failing = is_failing;
}
