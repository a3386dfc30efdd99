// SPDX-License-Identifier: MIT
// What the search shares with the entry points (vrp/search/search.h): the best solution, its history, the table of progress, the ends.
#include "vrp/search/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/sweep/engine.h"

static const double REPORT_S = 0.1;
static const double ROW_S = 1, LATE_ROW_S = 5, LATE_S = 20;  // between two rows of the table; later on; from when
enum { ROWS_OF_HEADER = 20 };

// ---- Units of the file

int64_t vrp_scaled_target(const mco_vrp *problem, double target)
{
    // The tolerance takes a decimal number, 524.6 * 10^4, to the integer that it means.
    const double scaled = floor(target * problem->scale + 1e-6);
    return target < 0 ? -1 : scaled < 0x1p62 ? (int64_t)scaled : (int64_t)1 << 62;
}

static double unscaled(const vrp_search *search, int64_t cost)
{
    return (double)cost / search->problem->scale;
}

bool vrp_search_is_at_bound(const vrp_search *search)
{
    const double bound = search->params->lower_bound * search->problem->scale;
    return bound > 0 && search->best_cost >= 0 && ceil(bound - 1e-6) == (double)search->best_cost;
}

// ---- The table of progress, in the log

static void log_row(vrp_search *search)
{
    const double now = mco_clock_s(), seconds = now - search->begin_s, bound = search->params->lower_bound;
    const int decimals = search->problem->scale > 1 ? 2 : 0;
    char cost[40] = "none", gap[40] = "";
    search->next_row_s = now + (seconds < LATE_S ? ROW_S : LATE_ROW_S);
    if (!mco_wants_log(search->ctx, MCO_LOG_INFO))
        return;
    if (search->rows++ % ROWS_OF_HEADER == 0)
        mco_log(search->ctx, MCO_LOG_INFO, "%10s  %14s  %7s  %12s%s", "time", "cost", "routes", "iterations/s",
                bound > 0 ? "      gap" : "");
    if (search->best_cost >= 0)
        snprintf(cost, sizeof cost, "%.*f", decimals, unscaled(search, search->best_cost));
    if (bound > 0 && search->best_cost > 0)
        snprintf(gap, sizeof gap, "  %6.3f%%", 100 * (1 - bound / unscaled(search, search->best_cost)));
    mco_log(search->ctx, MCO_LOG_INFO, "%8.2f s  %14s  %7d  %12.4g%s", seconds, cost,
            search->best_cost >= 0 ? search->best.routes : 0, seconds > 0 ? (double)search->iterations / seconds : 0, gap);
}

void vrp_search_log(vrp_search *search)
{
    if (search->rows > 0 || search->best_cost >= 0)
        log_row(search);
}

// ---- Improvements

static bool report(vrp_search *search, mco_event event)
{
    const bool has_best = search->best_cost >= 0;
    const mco_progress progress = {
        .event = event,
        .time_s = mco_clock_s() - search->begin_s,
        .objective = has_best ? unscaled(search, search->best_cost) : NAN,
        .bound = search->params->lower_bound > 0 ? search->params->lower_bound : NAN,
        .work = search->iterations,
        .solution = has_best ? search->report : NULL,
        .solution_length = has_best ? (int64_t)search->best.routes + 1 + search->best.customers : 0};
    search->last_report_s = mco_clock_s();
    return mco_report(search->ctx, &progress);
}

static mco_status add_to_history(vrp_search *search)
{
    mco_status st = MCO_OK;
    if (search->history_count == search->history_room) {
        const int64_t room = 2 * search->history_room + 16;
        mco_vrp_improvement *history = NULL;
        MCO_TRY(mco_alloc(search->ctx, &history, room));
        if (search->history_count > 0)
            memcpy(history, search->history, (size_t)search->history_count * sizeof *history);
        mco_free(search->ctx, &search->history);
        search->history = history;
        search->history_room = room;
    }
    search->history[search->history_count++] =
        (mco_vrp_improvement){mco_clock_s() - search->begin_s, search->best_cost, search->best.routes};
done:
    return st;
}

// As many routes as customers have room, so that no later solution needs more.
static mco_status keep(vrp_search *search, const mco_vrp_solution *solution)
{
    mco_status st = MCO_OK;
    const int32_t n = search->problem->customers;
    if (search->best.order == NULL)
        MCO_TRY(vrp_solution_new(search->ctx, n, n, &search->best));
    if (search->report == NULL)
        MCO_TRY(mco_alloc(search->ctx, &search->report, 2 * (int64_t)n + 1));
    search->best.customers = n;
    search->best.routes = solution->routes;
    memcpy(search->best.order, solution->order, (size_t)n * sizeof *solution->order);
    memcpy(search->best.first, solution->first, ((size_t)solution->routes + 1) * sizeof *solution->first);
    memcpy(search->report, solution->first, ((size_t)solution->routes + 1) * sizeof *solution->first);
    memcpy(search->report + solution->routes + 1, solution->order, (size_t)n * sizeof *solution->order);
done:
    return st;
}

mco_status vrp_search_note(vrp_search *search, const mco_vrp_solution *solution, int64_t cost)
{
    mco_status st = MCO_OK;
    if (search->best_cost >= 0 && cost >= search->best_cost)
        return MCO_OK;
    MCO_TRY(keep(search, solution));
    if (search->best_cost < 0)
        search->start_cost = cost;
    search->best_cost = cost;
    MCO_TRY(add_to_history(search));
    if (search->history_count == 1 || mco_clock_s() >= search->next_row_s)
        log_row(search);
    if (report(search, MCO_EVENT_INCUMBENT))
        search->stop = MCO_STOP_CANCELLED;
done:
    return st;
}

// ---- Ends

static bool is_within_gap(const vrp_search *search)
{
    const double cost = search->best_cost > 0 ? unscaled(search, search->best_cost) : 0;
    const double bound = search->params->lower_bound, gap = search->params->gap;
    return cost > 0 && gap > 0 && bound > 0 && cost - bound <= gap * cost;
}

bool vrp_search_ends(vrp_search *search)
{
    const int64_t cost = search->best_cost;
    const double now = mco_clock_s();
    if (now - search->last_report_s > REPORT_S && report(search, MCO_EVENT_PROGRESS))
        search->stop = MCO_STOP_CANCELLED;
    if (cost >= 0 && now >= search->next_row_s)
        log_row(search);
    if (search->stop == MCO_STOP_CANCELLED || mco_is_cancelled(search->ctx))
        search->stop = MCO_STOP_CANCELLED;
    else if (vrp_search_is_at_bound(search))
        search->stop = MCO_STOP_FINISHED;
    else if (cost >= 0 && search->target_cost >= 0 && cost <= search->target_cost)
        search->stop = MCO_STOP_TARGET;
    else if (is_within_gap(search))
        search->stop = MCO_STOP_GAP;
    else if (now >= search->stop_s)
        search->stop = MCO_STOP_TIME;
    else
        return false;
    return true;
}
