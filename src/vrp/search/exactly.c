// SPDX-License-Identifier: MIT
#include "vrp/search/exactly.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/solution.h"

enum { MOST_NODES = 5000 };  // of a matrix of its own: 100 MB

mco_status vrp_refuse_exactly(mco_context *ctx, const mco_vrp *problem, int64_t routes)
{
    if (routes <= 0 || problem->vehicles == 0)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "--vehicles-exactly %lld and a limit of %d vehicle%s are given: one of them was expected",
                    (long long)routes, problem->vehicles, mco_plural(problem->vehicles));
}

mco_status vrp_find_exact_conflict(mco_context *ctx, const mco_vrp *problem, int64_t routes)
{
    const mco_vrp *p = problem;
    int64_t demand = 0;
    if (routes <= 0)
        return MCO_OK;
    if (routes > p->customers)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d customer%s at most %d route%s, exactly %lld are asked for", p->customers,
                        p->customers == 1 ? " makes" : "s make", p->customers, mco_plural(p->customers), (long long)routes);
    for (int32_t i = 1; i < p->nodes; i++)
        demand += p->demand[i];
    if (demand > routes * p->capacity)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "all demands are %.15g, %lld vehicle%s %.15g", vrp_load(p, demand), (long long)routes,
                        routes == 1 ? " carries" : "s carry", vrp_load(p, routes * p->capacity));
    return MCO_OK;
}

// ---- The instance of the search

// What a route costs more when it is divided between two customers.
static int64_t price_of(const mco_vrp *p, int32_t i, int32_t j)
{
    return (int64_t)vrp_distance(p, i, 0) + vrp_distance(p, 0, j) - vrp_distance(p, i, j);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

// What makes a division pay in every plan of fewer than `routes` routes: of the `routes` customers behind which a division costs least at its
// most, one has another customer behind it. As far as distances have room; 0: nothing has to be more, or the time is over.
static mco_status find_more(mco_context *ctx, const mco_vrp *p, int32_t routes, double stop_s, int64_t *more)
{
    mco_status st = MCO_OK;
    const int64_t room = MCO_VRP_MAX_DISTANCE - p->longest;
    int64_t *most = NULL, demand = 0;
    *more = 0;
    for (int32_t i = 1; i < p->nodes; i++)
        demand += p->demand[i];
    if (vrp_has_max_length(p) || p->nodes > MOST_NODES || demand > (int64_t)(routes - 1) * p->capacity)
        return MCO_OK;  // in the last case no plan has fewer
    MCO_TRY(mco_alloc(ctx, &most, p->customers));
    for (int32_t i = 1; i < p->nodes; i++) {
        if (mco_clock_s() >= stop_s || mco_is_cancelled(ctx))
            goto done;
        most[i - 1] = -1;
        for (int32_t j = 1; j < p->nodes; j++) {
            const int64_t price = i != j ? price_of(p, i, j) : -1;
            most[i - 1] = price > most[i - 1] ? price : most[i - 1];
        }
    }
    qsort(most, (size_t)p->customers, sizeof *most, by_value);
    *more = most[routes - 1] + 1 < room ? most[routes - 1] + 1 : room;
    *more = *more > 0 ? *more : 0;
done:
    mco_free(ctx, &most);
    return st;
}

mco_status vrp_exactly_open(mco_context *ctx, const mco_vrp *problem, int32_t routes, double stop_s, vrp_exactly *out)
{
    mco_status st = MCO_OK;
    const int64_t nodes = problem->nodes;
    int64_t more = 0;
    *out = (vrp_exactly){.problem = *problem};
    out->problem.vehicles = routes;
    MCO_TRY(find_more(ctx, problem, routes, stop_s, &more));
    if (more == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &out->matrix, nodes * nodes));
    for (int32_t i = 0; i < problem->nodes; i++)
        for (int32_t j = 0; j < problem->nodes; j++)
            out->matrix[i * nodes + j] = i == j ? 0 : vrp_distance(problem, i, j) + (int32_t)(i > 0 && j > 0 ? more : 0);
    out->problem.rule = VRP_MATRIX;
    out->problem.matrix = out->matrix;
    out->problem.longest = problem->longest + (int32_t)more;
    out->shift = more * (problem->customers - routes);
done:
    return st;
}

void vrp_exactly_close(mco_context *ctx, vrp_exactly *exactly)
{
    mco_free(ctx, &exactly->matrix);
}

// ---- Plans of fewer routes

typedef struct place {
    int64_t price;
    int32_t at;    // the route is divided before this place in the order
} place;

static int by_price(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static int32_t list_places(const mco_vrp *problem, const mco_vrp_solution *plan, place *list)
{
    int32_t count = 0;
    for (int32_t r = 0; r < plan->routes; r++)
        for (int32_t k = plan->first[r] + 1; k < plan->first[r + 1]; k++)
            list[count++] = (place){price_of(problem, plan->order[k - 1] + 1, plan->order[k] + 1), k};
    return count;
}

static bool are_within(const mco_vrp *problem, const mco_vrp_solution *plan)
{
    for (int32_t r = 0; vrp_has_max_length(problem) && r < plan->routes; r++)
        if (mco_vrp_route_of(problem, plan, r).length > problem->max_length)
            return false;
    return true;
}

mco_status vrp_exactly_divide(mco_context *ctx, const mco_vrp *problem, int32_t routes, const mco_vrp_solution *plan, mco_vrp_solution *out,
                              bool *is_within)
{
    mco_status st = MCO_OK;
    place *list = NULL;
    MCO_TRY(vrp_solution_new(ctx, plan->customers, plan->customers, out));
    MCO_TRY(mco_alloc(ctx, &list, plan->customers));
    const int32_t places = list_places(problem, plan, list);  // customers - routes of the plan: enough
    qsort(list, (size_t)places, sizeof *list, by_price);
    memcpy(out->order, plan->order, (size_t)plan->customers * sizeof *plan->order);
    memcpy(out->first, plan->first, ((size_t)plan->routes + 1) * sizeof *plan->first);
    for (int32_t k = 0; plan->routes + k < routes; k++)
        out->first[plan->routes + 1 + k] = list[k].at;
    qsort(out->first, (size_t)routes + 1, sizeof *out->first, by_number);
    out->routes = routes;
    *is_within = are_within(problem, out);
done:
    mco_free(ctx, &list);
    if (st != MCO_OK)
        mco_vrp_solution_clear(ctx, out);
    return st;
}
