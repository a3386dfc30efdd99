// SPDX-License-Identifier: MIT
// One solve: incumbent, history, progress, and when to stop.
#include "flowshop/run.h"

#include <string.h>

#include "base/clock.h"

static const double REPORT_S = 0.1;  // between two calls of the callback
static const double LOG_S = 5;       // between two lines of progress

double flowshop_run_time_s(const flowshop_run *run)
{
    return mco_clock_s() - run->start_s;
}

static mco_status add_history(flowshop_run *run)
{
    mco_status st = MCO_OK;
    mco_flowshop_result *r = run->result;
    if (r->history_count == run->history_room) {
        int64_t room = run->history_room > 0 ? 2 * run->history_room : 64;
        mco_flowshop_improvement *history = NULL;
        MCO_TRY(mco_alloc(run->ctx, &history, room));
        if (r->history_count > 0)
            memcpy(history, r->history, (size_t)r->history_count * sizeof *history);
        mco_free(run->ctx, &r->history);
        r->history = history;
        run->history_room = room;
    }
    r->history[r->history_count++] = (mco_flowshop_improvement){flowshop_run_time_s(run), r->makespan, r->bound};
done:
    return st;
}

static bool report(flowshop_run *run, mco_event event, int64_t work)
{
    const mco_flowshop_result *r = run->result;
    bool has_schedule = r->makespan >= 0;
    mco_progress progress = {.event = event,
                             .time_s = flowshop_run_time_s(run),
                             .objective = has_schedule ? (double)r->makespan : (double)NAN,
                             .bound = (double)r->bound,
                             .work = work,
                             .solution = has_schedule ? r->order : NULL,
                             .solution_length = has_schedule ? run->shop->jobs : 0};
    run->reported_s = mco_clock_s();
    return mco_report(run->ctx, &progress);
}

mco_status flowshop_run_adopt(flowshop_run *run, int64_t makespan, const int32_t *order, const char *source)
{
    mco_status st = MCO_OK;
    mco_flowshop_result *r = run->result;
    const int32_t n = run->shop->jobs;
    int64_t rechecked;
    if (r->order == NULL)
        MCO_TRY(mco_alloc(run->ctx, &r->order, n));
    MCO_TRY(mco_flowshop_check(run->ctx, run->shop, order, n, &rechecked));
    if (rechecked != makespan)
        MCO_TRY(mco_fail(run->ctx, MCO_ERR_INTERNAL, "%s claims makespan %lld, the checker finds %lld", source,
                         (long long)makespan, (long long)rechecked));
    memcpy(r->order, order, (size_t)n * sizeof *order);
    r->makespan = makespan;
    if (makespan < run->upper_bound)
        run->upper_bound = makespan;
    MCO_TRY(add_history(run));
    mco_log(run->ctx, MCO_LOG_INFO, "%9.2f s  %-9s makespan %lld, bound %lld, gap %.2f%%", flowshop_run_time_s(run),
            source, (long long)makespan, (long long)r->bound,
            makespan > 0 ? 100.0 * (double)(makespan - r->bound) / (double)makespan : 0.0);
    run->is_asked_to_stop |= report(run, MCO_EVENT_INCUMBENT, r->nodes);
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
}

bool flowshop_run_must_stop(flowshop_run *run, int64_t work, mco_stop *stop)
{
    const mco_flowshop_result *r = run->result;
    const mco_flowshop_params *p = run->params;
    double now = mco_clock_s();
    if (now - run->reported_s >= REPORT_S)
        run->is_asked_to_stop |= report(run, MCO_EVENT_PROGRESS, work);
    if (run->is_asked_to_stop || mco_is_cancelled(run->ctx))
        *stop = MCO_STOP_CANCELLED;
    else if (now >= run->deadline_s)
        *stop = MCO_STOP_TIME;
    else if (r->makespan >= 0 && r->makespan <= p->target)
        *stop = MCO_STOP_TARGET;
    else if (p->gap > 0 && r->makespan >= 0 && (double)(r->makespan - r->bound) <= p->gap * (double)r->makespan)
        *stop = MCO_STOP_GAP;
    else
        return false;
    return true;
}

bool flowshop_run_log_is_due(flowshop_run *run)
{
    double now = mco_clock_s();
    if (now - run->logged_s < LOG_S)
        return false;
    run->logged_s = now;
    return true;
}
