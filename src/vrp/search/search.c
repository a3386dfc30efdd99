// SPDX-License-Identifier: MIT
// What the search shares with the entry points (vrp/search/search.h): the best solution, and when the search ends.
#include "vrp/search/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vrp/search/exactly.h"
#include "vrp/solution.h"

int64_t vrp_search_cost(const vrp_search *search)
{
    return search->best_cost >= 0 ? search->best_cost - search->shift : -1;
}

bool vrp_search_is_at_bound(const vrp_search *search)
{
    const double bound = search->params->lower_bound * search->problem->scale;
    const int64_t cost = vrp_search_cost(search);
    const bool is_given = bound > 0 && ceil(bound - 1e-6) == (double)cost;
    return cost >= 0 && (is_given || search->proved == cost);
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
    vrp_solution_copy(solution, &search->best);
done:
    return st;
}

static mco_status note(vrp_search *search, const mco_vrp_solution *solution, int64_t cost, const char *source)
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
    MCO_TRY(mco_run_improve(&search->run, (double)vrp_search_cost(search) / search->problem->scale, &search->best, source));
done:
    return st;
}

// A plan of fewer routes than were asked for, divided.
static mco_status note_divided(vrp_search *search, const mco_vrp_solution *solution, const char *source)
{
    mco_status st = MCO_OK;
    mco_vrp_solution divided = {0};
    bool is_within = false;
    MCO_TRY(vrp_exactly_divide(search->ctx, search->problem, search->exactly, solution, &divided, &is_within));
    if (is_within)
        MCO_TRY(note(search, &divided, vrp_solution_cost(search->problem, &divided), source));
done:
    mco_vrp_solution_clear(search->ctx, &divided);
    return st;
}

mco_status vrp_search_note(vrp_search *search, const mco_vrp_solution *solution, int64_t cost, const char *source)
{
    const bool has_fewer = solution->routes < search->exactly;
    return has_fewer ? note_divided(search, solution, source) : note(search, solution, cost, source);
}

mco_status vrp_search_note_early(vrp_search *search, const mco_vrp_solution *solution, int64_t cost, const char *source)
{
    if (search->best_cost >= 0 && cost >= search->best_cost)
        return MCO_OK;
    const int64_t before = search->best_cost;
    const mco_status st = vrp_search_note(search, solution, cost, source);
    search->is_early = st == MCO_OK && search->best_cost != before;
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
