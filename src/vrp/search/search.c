// SPDX-License-Identifier: MIT
// What the search shares with the entry points (vrp/search/search.h): the best solution, and when the search ends.
#include "vrp/search/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vrp/solution.h"

bool vrp_search_is_at_bound(const vrp_search *search)
{
    const double bound = search->params->lower_bound * search->problem->scale;
    const bool is_given = bound > 0 && ceil(bound - 1e-6) == (double)search->best_cost;
    return search->best_cost >= 0 && (is_given || search->proved == search->best_cost);
}

void vrp_search_write_columns(void *user, char *out, size_t size)
{
    const vrp_search *search = user;
    const double seconds = mco_run_time_s(&search->run);
    snprintf(out, size, "  %7d  %12.4g", search->best_cost >= 0 ? search->best.routes : 0,
             seconds > 0 ? (double)search->iterations / seconds : 0);
}

// Copies the solution to search->best, which has room for a route per customer: no later solution needs more.
static mco_status keep(vrp_search *search, const mco_vrp_solution *solution)
{
    mco_status st = MCO_OK;
    const int32_t n = search->problem->customers;
    if (search->best.order == NULL)
        MCO_TRY(vrp_solution_new(search->ctx, n, n, &search->best));
    search->best.customers = n;
    search->best.routes = solution->routes;
    memcpy(search->best.order, solution->order, (size_t)n * sizeof *solution->order);
    memcpy(search->best.first, solution->first, ((size_t)solution->routes + 1) * sizeof *solution->first);
done:
    return st;
}

mco_status vrp_search_note(vrp_search *search, const mco_vrp_solution *solution, int64_t cost, const char *source)
{
    mco_status st = MCO_OK;
    const bool replaces_early = search->is_early && cost == search->best_cost;
    if (search->best_cost >= 0 && cost >= search->best_cost && !replaces_early)
        return MCO_OK;
    MCO_TRY(keep(search, solution));
    search->is_early = false;
    if (replaces_early)
        return MCO_OK;
    if (search->best_cost < 0)
        search->start_cost = cost;
    search->best_cost = cost;
    MCO_TRY(mco_run_improve(&search->run, (double)cost / search->problem->scale, &search->best, source));
done:
    return st;
}

mco_status vrp_search_note_early(vrp_search *search, const mco_vrp_solution *solution, int64_t cost, const char *source)
{
    if (search->best_cost >= 0 && cost >= search->best_cost)
        return MCO_OK;
    const mco_status st = vrp_search_note(search, solution, cost, source);
    search->is_early = st == MCO_OK;
    return st;
}

bool vrp_search_ends(vrp_search *search)
{
    const bool is_asked = search->look != NULL && search->look(search->look_user);
    const bool ends = mco_run_must_stop(&search->run, search->iterations) || is_asked;
    if (!vrp_search_is_at_bound(search) || (ends && search->run.stop == MCO_STOP_CANCELLED))
        return ends;
    search->run.stop = MCO_STOP_FINISHED;
    return true;
}
