// SPDX-License-Identifier: MIT
#include "base/run.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/grow.h"
#include "mco/options.h"

static const double REPORT_S = 0.1;      // between two calls of the callback
static const double ROW_S = 5;           // between two rows of the log
static const double IMPROVEMENT_S = 0.5; // between two rows for improvements; the history has all of them
enum { ROWS_OF_HEADER = 20 };

// MCO_NO_LIMIT is a finite number, and searches ask whether the end is finite.
static double stop_of(double begin_s, double time_limit_s)
{
    return time_limit_s < MCO_NO_LIMIT ? begin_s + time_limit_s : (double)INFINITY;
}

mco_run mco_run_begin(mco_context *ctx, const mco_run_settings *settings)
{
    const double now = mco_clock_s();
    return (mco_run){.ctx = ctx, .settings = *settings, .begin_s = now, .stop_s = stop_of(now, settings->time_limit_s),
                     .objective = NAN, .bound = NAN, .stop = MCO_STOP_FINISHED, .reported_s = now, .row_s = now};
}

void mco_run_limit(mco_run *run, double time_limit_s)
{
    run->stop_s = stop_of(run->begin_s, time_limit_s);
}

void mco_run_clear(mco_run *run)
{
    if (run->ctx != NULL)
        mco_free(run->ctx, &run->history);
}

void mco_run_set_columns(mco_run *run, const char *columns, void (*write_columns)(void *user, char *out, size_t size),
                         void *user)
{
    run->settings.columns = columns;
    run->settings.write_columns = write_columns;
    run->settings.user = user;
}

double mco_run_time_s(const mco_run *run)
{
    return mco_clock_s() - run->begin_s;
}

double mco_run_share(const mco_run *run)
{
    const double seconds = run->stop_s - run->begin_s;
    return isinf(seconds) ? 0 : seconds > 0 ? mco_run_time_s(run) / seconds : 1;
}

// The gap; NaN while the objective or the bound is unknown.
static double gap_of(const mco_run *run)
{
    const double difference = fabs(run->objective - run->bound);
    return difference > 0 ? difference / fabs(run->objective) : difference;
}

// ---- Log

static void write_value(double value, int decimals, char *out, size_t size)
{
    if (isnan(value))
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%.*f", decimals, value);
}

static void log_row(mco_run *run)
{
    const mco_run_settings *s = &run->settings;
    char objective[40], bound[40], gap[16] = "-", columns[256] = "";
    run->row_s = mco_clock_s();
    if (mco_wants_log(run->ctx, MCO_LOG_INFO)) {
        if (run->rows++ % ROWS_OF_HEADER == 0 || run->header != s->columns)
            mco_log(run->ctx, MCO_LOG_INFO, "   time s  found by  %14s %14s      gap%s", s->objective, "bound",
                    s->columns != NULL ? s->columns : "");
        run->header = s->columns;
        write_value(run->objective, s->decimals, objective, sizeof objective);
        write_value(run->bound, s->decimals, bound, sizeof bound);
        if (isfinite(gap_of(run)))
            snprintf(gap, sizeof gap, "%.3f%%", 100 * gap_of(run));
        if (s->write_columns != NULL)
            s->write_columns(s->user, columns, sizeof columns);
        mco_log(run->ctx, MCO_LOG_INFO, "%9.2f  %-9s %14s %14s %8s%s", mco_run_time_s(run),
                run->source != NULL ? run->source : "", objective, bound, gap, columns);
    }
    run->source = NULL;
    run->row_bound = run->bound;
}

// Logs a row after ROW_S, or for an improvement at once, unless the last row is younger than IMPROVEMENT_S.
static void log_if_due(mco_run *run)
{
    const double since = mco_clock_s() - run->row_s;
    if (since >= ROW_S || (run->source != NULL && (run->rows == 0 || since >= IMPROVEMENT_S)))
        log_row(run);
}

void mco_run_log_end(mco_run *run)
{
    const bool is_told = run->bound == run->row_bound || isnan(run->bound);
    if (run->source != NULL || (run->rows > 0 && (!is_told || mco_clock_s() - run->row_s >= IMPROVEMENT_S)))
        log_row(run);
}

// ---- Improvements

static bool report(mco_run *run, mco_event event)
{
    const mco_progress progress = {.event = event,
                                   .time_s = mco_run_time_s(run),
                                   .objective = run->objective,
                                   .bound = run->bound,
                                   .work = run->work,
                                   .solution = run->solution};
    run->reported_s = mco_clock_s();
    return mco_call_back(run->ctx, &progress);
}

mco_status mco_run_improve(mco_run *run, double objective, const void *solution, const char *source)
{
    const mco_status st = mco_grow(run->ctx, &run->history, &run->history_room, run->history_count + 1);
    if (st != MCO_OK)
        return st;
    run->objective = objective;
    run->solution = solution;
    run->source = source;
    run->history[run->history_count++] = (mco_improvement){mco_run_time_s(run), objective, run->bound};
    log_if_due(run);
    run->is_asked_to_stop |= report(run, MCO_EVENT_INCUMBENT);
    return MCO_OK;
}

void mco_run_raise_bound(mco_run *run, double bound)
{
    if (isnan(run->bound) || (run->settings.maximises ? bound < run->bound : bound > run->bound))
        run->bound = bound;
}

void mco_run_give_history(mco_run *run, mco_improvement **history, int64_t *count)
{
    *history = run->history;
    *count = run->history_count;
    run->history = NULL;
    run->history_count = run->history_room = 0;
}

// ---- Ends

static bool meets_target(const mco_run *run)
{
    const mco_run_settings *s = &run->settings;
    return s->target >= 0 && (s->maximises ? run->objective >= s->target : run->objective <= s->target);
}

bool mco_run_must_stop(mco_run *run, int64_t work)
{
    const mco_run_settings *s = &run->settings;
    const double now = mco_clock_s();
    run->work = work;
    if (now - run->reported_s >= REPORT_S)
        run->is_asked_to_stop |= report(run, MCO_EVENT_PROGRESS);
    log_if_due(run);
    if (run->is_asked_to_stop || mco_is_cancelled(run->ctx))
        run->stop = MCO_STOP_CANCELLED;
    else if (s->ends_at_bound && run->objective == run->bound)
        run->stop = MCO_STOP_FINISHED;
    else if (meets_target(run))
        run->stop = MCO_STOP_TARGET;
    else if (s->gap > 0 && gap_of(run) <= s->gap)
        run->stop = MCO_STOP_GAP;
    else if (now >= run->stop_s)
        run->stop = MCO_STOP_TIME;
    else
        return false;
    return true;
}
