// SPDX-License-Identifier: MIT
// What the searches share (dtspms/search.h).
#include "dtspms/search.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

static const double REPORT_S = 0.1;

mco_status dtspms_search_cost(dtspms_search *search, const dtspms_plan *plan, int64_t *cost)
{
    mco_status st = MCO_OK;
    int64_t pickup, delivery;
    MCO_TRY(dtspms_tour(search->ctx, search->model, plan, MCO_DTSPMS_PICKUP, &pickup, NULL));
    MCO_TRY(dtspms_tour(search->ctx, search->model, plan, MCO_DTSPMS_DELIVERY, &delivery, NULL));
    *cost = pickup + delivery;
done:
    return st;
}

static bool report(dtspms_search *search, mco_event event)
{
    const int32_t length = search->model->stacks + 3 * search->model->orders;
    const mco_progress progress = {.event = event,
                                   .time_s = mco_clock_s() - search->begin_s,
                                   .objective = search->best_cost >= 0 ? (double)search->best_cost : NAN,
                                   .bound = (double)search->bound,
                                   .work = search->iterations,
                                   .solution = search->best_cost >= 0 ? search->report : NULL,
                                   .solution_length = search->best_cost >= 0 ? length : 0};
    search->last_report_s = mco_clock_s();
    return mco_report(search->ctx, &progress);
}

static int64_t tour_length(const dtspms_model *model, int network, const int32_t *tour)
{
    int64_t length = 0;
    for (int32_t i = 0, at = 0; i <= model->orders; i++) {
        const int32_t next = i < model->orders ? tour[i] : 0;
        length += model->distance[network][(int64_t)at * model->nodes + next];
        at = next;
    }
    return length;
}

// Heights, plan and tours of the best plan, orders from 0.
static mco_status fill_report(dtspms_search *search, int32_t *const given[2])
{
    mco_status st = MCO_OK;
    const int32_t n = search->model->orders, s = search->model->stacks;
    int32_t *plan = search->report + s, *tours[2] = {plan + n, plan + 2 * n};
    memcpy(search->report, search->best.heights, (size_t)s * sizeof *plan);
    memcpy(plan, search->best.node, (size_t)n * sizeof *plan);
    for (mco_dtspms_network network = MCO_DTSPMS_PICKUP; network <= MCO_DTSPMS_DELIVERY; network++) {
        if (given == NULL) {
            MCO_TRY(dtspms_tour(search->ctx, search->model, &search->best, network, &search->best_cost_of[network],
                                tours[network]));
        } else {
            memcpy(tours[network], given[network], (size_t)n * sizeof **tours);
            search->best_cost_of[network] = tour_length(search->model, network, tours[network]);
        }
    }
    for (int32_t i = 0; i < 3 * n; i++)
        plan[i]--;
    if (search->best_cost_of[0] + search->best_cost_of[1] != search->best_cost)
        MCO_TRY(mco_fail(search->ctx, MCO_ERR_INTERNAL, "the search says %lld, the tours are %lld and %lld long",
                         (long long)search->best_cost, (long long)search->best_cost_of[0],
                         (long long)search->best_cost_of[1]));
done:
    return st;
}

static mco_status add_to_history(dtspms_search *search)
{
    mco_status st = MCO_OK;
    if (search->history_count == search->history_room) {
        const int64_t room = 2 * search->history_room + 16;
        mco_dtspms_improvement *history = NULL;
        MCO_TRY(mco_alloc(search->ctx, &history, room));
        if (search->history_count > 0)
            memcpy(history, search->history, (size_t)search->history_count * sizeof *history);
        mco_free(search->ctx, &search->history);
        search->history = history;
        search->history_room = room;
    }
    search->history[search->history_count++] =
        (mco_dtspms_improvement){mco_clock_s() - search->begin_s, search->best_cost, search->bound};
done:
    return st;
}

mco_status dtspms_search_note(dtspms_search *search, const dtspms_plan *plan, int64_t cost, int32_t *const tours[2])
{
    mco_status st = MCO_OK;
    if (search->best_cost >= 0 && cost >= search->best_cost)
        return MCO_OK;
    search->best_cost = cost;
    memcpy(search->best.heights, plan->heights, sizeof plan->heights);
    memcpy(search->best.node, plan->node, (size_t)search->model->orders * sizeof *plan->node);
    MCO_TRY(fill_report(search, tours));
    MCO_TRY(add_to_history(search));
    mco_log(search->ctx, MCO_LOG_INFO, "%8.2f s  cost %lld = %lld + %lld, bound %lld, gap %.2f%%",
            mco_clock_s() - search->begin_s, (long long)cost, (long long)search->best_cost_of[0],
            (long long)search->best_cost_of[1], (long long)search->bound,
            cost > 0 ? 100.0 * (double)(cost - search->bound) / (double)cost : 0.0);
    if (report(search, MCO_EVENT_INCUMBENT))
        search->stop = MCO_STOP_CANCELLED;
done:
    return st;
}

bool dtspms_search_ends(dtspms_search *search)
{
    const mco_dtspms_params *p = search->params;
    const int64_t cost = search->best_cost;
    if (mco_clock_s() - search->last_report_s > REPORT_S && report(search, MCO_EVENT_PROGRESS))
        search->stop = MCO_STOP_CANCELLED;
    if (search->stop == MCO_STOP_CANCELLED || mco_is_cancelled(search->ctx)) {
        search->stop = MCO_STOP_CANCELLED;
    } else if (cost >= 0 && cost == search->bound) {
        search->is_proved = true;
        search->stop = MCO_STOP_FINISHED;
    } else if (cost >= 0 && p->target >= 0 && cost <= p->target) {
        search->stop = MCO_STOP_TARGET;
    } else if (cost > 0 && p->gap > 0 && (double)(cost - search->bound) <= p->gap * (double)cost) {
        search->stop = MCO_STOP_GAP;
    } else if (mco_clock_s() >= search->stop_s) {
        search->stop = MCO_STOP_TIME;
    } else {
        return false;
    }
    return true;
}
