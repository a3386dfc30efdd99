// SPDX-License-Identifier: MIT
// Shared by the searches (dtspms/search.h).
#include "dtspms/search.h"

#include <string.h>

mco_status dtspms_search_cost(dtspms_search *search, const dtspms_plan *plan, int64_t *cost)
{
    mco_status st = MCO_OK;
    int64_t pickup, delivery;
    MCO_TRY(dtspms_tour(search->ctx, search->model, plan, MCO_DTSPMS_NETWORK_PICKUP, &pickup, NULL));
    MCO_TRY(dtspms_tour(search->ctx, search->model, plan, MCO_DTSPMS_NETWORK_DELIVERY, &delivery, NULL));
    *cost = pickup < 0 || delivery < 0 ? -1 : pickup + delivery;
done:
    return st;
}

static int64_t tour_length(const dtspms_model *model, mco_dtspms_network network, const int32_t *tour)
{
    int64_t length = 0;
    for (int32_t i = 0, at = 0; i <= model->orders; i++) {
        const int32_t next = i < model->orders ? tour[i] : 0;
        length += model->distance[network][(int64_t)at * model->nodes + next];
        at = next;
    }
    return length;
}

mco_status dtspms_solution_new(mco_context *ctx, const dtspms_model *model, mco_dtspms_solution *out)
{
    mco_status st = MCO_OK;
    *out = (mco_dtspms_solution){.orders = model->orders, .stacks = model->stacks};
    MCO_TRY(mco_alloc(ctx, &out->plan, model->orders));
    MCO_TRY(mco_alloc(ctx, &out->pickup, model->orders));
    MCO_TRY(mco_alloc(ctx, &out->delivery, model->orders));
done:
    if (st != MCO_OK)
        mco_dtspms_solution_clear(ctx, out);
    return st;
}

mco_status dtspms_solution_fill(mco_context *ctx, const dtspms_model *model, const dtspms_plan *plan, int32_t *const given[2],
                                mco_dtspms_solution *solution, int64_t cost_of[2])
{
    mco_status st = MCO_OK;
    const int32_t n = model->orders;
    int32_t *const tours[2] = {solution->pickup, solution->delivery};
    memcpy(solution->heights, plan->heights, sizeof solution->heights);
    for (mco_dtspms_network network = MCO_DTSPMS_NETWORK_PICKUP; network <= MCO_DTSPMS_NETWORK_DELIVERY; network++) {
        if (given == NULL) {
            MCO_TRY(dtspms_tour(ctx, model, plan, network, &cost_of[network], tours[network]));
            if (cost_of[network] < 0)
                return MCO_OK;
        } else {
            memcpy(tours[network], given[network], (size_t)n * sizeof **tours);
            cost_of[network] = tour_length(model, network, tours[network]);
        }
    }
    for (int32_t i = 0; i < n; i++) {
        solution->plan[i] = plan->node[i] - 1;
        solution->pickup[i]--;
        solution->delivery[i]--;
    }
done:
    return st;
}

mco_status dtspms_search_note(dtspms_search *search, const dtspms_plan *plan, int64_t cost, int32_t *const tours[2],
                              const char *source)
{
    mco_status st = MCO_OK;
    int64_t cost_of[2];
    if (cost < 0 || (search->best_cost >= 0 && cost >= search->best_cost))
        return MCO_OK;
    MCO_TRY(dtspms_solution_fill(search->ctx, search->model, plan, tours, &search->spare, cost_of));
    if (cost_of[0] < 0 || cost_of[1] < 0)
        return MCO_OK;
    if (cost_of[0] + cost_of[1] != cost)
        MCO_TRY(mco_fail(search->ctx, MCO_ERR_INTERNAL, "the search says %lld, the tours are %lld and %lld long",
                         (long long)cost, (long long)cost_of[0], (long long)cost_of[1]));
    const mco_dtspms_solution before = search->incumbent;
    search->incumbent = search->spare;
    search->spare = before;
    search->best_cost = cost;
    memcpy(search->best_cost_of, cost_of, sizeof cost_of);
    memcpy(search->best.heights, plan->heights, sizeof plan->heights);
    memcpy(search->best.node, plan->node, (size_t)search->model->orders * sizeof *plan->node);
    MCO_TRY(mco_run_improve(&search->run, (double)cost, &search->incumbent, source));
done:
    return st;
}

bool dtspms_search_ends(dtspms_search *search)
{
    const bool ends = mco_run_must_stop(&search->run, search->iterations);
    search->is_proved |= search->best_cost >= 0 && search->best_cost == search->bound;
    return ends;
}
