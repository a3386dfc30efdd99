// SPDX-License-Identifier: MIT
// Packing into few routes, and how many are best. A step of the search takes few customers out of a route, so a long route
// never empties: the search keeps the routes of the construction. A route less may be better all the same, as in XL-n1981-k13,
// or worse, where it leaves no room. A short annealing of both tells.
#include <math.h>
#include <stdlib.h>

#include "vrp/search/fleet.h"
#include "vrp/search/key.h"
#include "vrp/search/whole.h"

static const double TRIAL = 0.03, PACKING = 0.01;  // of the search: one annealing on trial, and packing before it
static const double TRIAL_STEPS = 200;              // per customer: with fewer there is no trial

// ---- Packing

static bool is_too_long(const vrp_rounds *s, int32_t route)
{
    return vrp_has_max_length(s->problem) && mco_vrp_route_of(s->problem, &s->now, route).length > s->problem->max_length;
}

static int32_t count_too_long(const vrp_rounds *s)
{
    int32_t count = 0;
    for (int32_t r = 0; r < s->now.routes; r++)
        count += is_too_long(s, r);
    return count;
}

bool vrp_fleet_fits(const vrp_rounds *s)
{
    return count_too_long(s) == 0;
}

mco_status vrp_fleet_pack(vrp_rounds *s, int32_t vehicles, double steps, bool *is_found)
{
    mco_status st = MCO_OK;
    const int32_t n = s->problem->customers;
    MCO_TRY(vrp_rounds_open_tasks(s, 1, n));
    vrp_task *t = &s->tasks[0];
    for (int32_t r = 0; r < s->now.routes; r++) {
        s->key[2 * r] = is_too_long(s, r) ? 1 : -(double)mco_vrp_route_of(s->problem, &s->now, r).load;
        s->key[2 * r + 1] = r;
    }
    qsort(s->key, (size_t)s->now.routes, 2 * sizeof *s->key, vrp_by_key);
    vrp_rounds_begin_tasks(s, 1);
    for (int32_t k = 0; k < s->now.routes; k++)
        vrp_rounds_add_route(s, 0, (int32_t)s->key[2 * k + 1]);
    for (int32_t c = 0; c < n; c++)
        t->order[c] = c + 1;
    t->routes -= count_too_long(s);
    vrp_part_fill(t, n, vehicles > 0 && vehicles < n ? vehicles : n, s->near, s->near_count, s->local);
    vrp_rounds_set_temperatures(t, 1, 1);
    const int64_t left = vrp_rounds_steps_left(s, 1);
    t->plan.steps = (int64_t)fmin(fmin((double)left, VRP_MOST_STEPS), steps);
    MCO_TRY(vrp_rounds_pack(s, t, is_found));
    if (*is_found)
        vrp_rounds_merge(s, 1, t->cost - s->now_cost);
done:
    return st;
}

// ---- The number of routes

// The least number of routes that carries all the demand; customers without any need one.
static int32_t least_routes(const mco_vrp *problem)
{
    int64_t demand = 0;
    for (int32_t i = 1; i < problem->nodes; i++)
        demand += problem->demand[i];
    return demand > 0 ? (int32_t)((demand + problem->capacity - 1) / problem->capacity) : 1;
}

static mco_status try_fewer(vrp_rounds *s, bool *is_found)
{
    mco_status st = MCO_OK;
    const int32_t fewer = s->now.routes - 1;
    MCO_TRY(vrp_fleet_pack(s, fewer, PACKING * vrp_rounds_steps(s), is_found));
    if (!*is_found)
        return MCO_OK;
    s->vehicles = fewer;
    MCO_TRY(vrp_whole_anneal(s, vrp_rounds_share(s) + TRIAL));
done:
    return st;
}

mco_status vrp_fleet_choose(vrp_rounds *s)
{
    mco_status st = MCO_OK;
    const int32_t n = s->problem->customers, least = least_routes(s->problem);
    mco_vrp_solution best = {0};
    bool is_better = true;
    if (s->search->exactly > 0 || vrp_rounds_customers_of_route(s) <= VRP_LONG_ROUTE || s->now.routes <= least ||
        TRIAL * vrp_whole_steps(s) < TRIAL_STEPS)
        return MCO_OK;  // of an exact number there are never fewer
    MCO_TRY(vrp_solution_new(s->search->ctx, n, n, &best));
    MCO_TRY(vrp_whole_anneal(s, vrp_rounds_share(s) + TRIAL));
    while (is_better && s->now.routes > least && !vrp_rounds_is_over(s)) {
        const int64_t cost = s->now_cost;
        const int32_t vehicles = s->vehicles;
        vrp_solution_copy(&s->now, &best);
        MCO_TRY(try_fewer(s, &is_better));
        is_better = is_better && s->now_cost < cost;
        if (!is_better) {
            vrp_solution_copy(&best, &s->now);
            s->now_cost = cost;
            s->vehicles = vehicles;
        }
    }
done:
    mco_vrp_solution_clear(s->search->ctx, &best);
    return st;
}
