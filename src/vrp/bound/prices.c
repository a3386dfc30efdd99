// SPDX-License-Identifier: MIT
#include "vrp/bound/prices.h"

#include <math.h>

static void take_off_crossings(const vrp_bound_problem *p, const vrp_cut *cut, int32_t *arcs)
{
    for (int32_t k = 0; k < cut->size; k++) {
        const int64_t i = cut->node[k];
        for (int32_t j = 0; j < p->nodes; j++) {
            if (vrp_set_has(cut->member, j))
                continue;
            arcs[i * p->stride + j] -= cut->price;
            arcs[(int64_t)j * p->stride + i] -= cut->price;
        }
    }
}

static bool is_removed(const uint64_t *removed, int64_t arc)
{
    return removed != NULL && (removed[arc >> 6] >> (arc & 63) & 1) != 0;
}

void vrp_prices_arcs(const vrp_bound_problem *problem, const int32_t *price, const vrp_cuts *cuts, const uint64_t *removed,
                     int32_t *arcs)
{
    const vrp_bound_problem *p = problem;
    for (int32_t i = 0; i < p->nodes; i++) {
        const int64_t row = (int64_t)i * p->stride;
        for (int32_t j = 0; j < p->nodes; j++)
            arcs[row + j] = p->cost[row + j] - (price[i] + price[j]) / 2;
    }
    for (int64_t k = 0; cuts != NULL && k < cuts->count; k++)
        if (cuts->cut[k].kind == VRP_CUT_SET && cuts->cut[k].price != 0)
            take_off_crossings(p, &cuts->cut[k], arcs);
    for (int32_t i = 0; i < p->nodes; i++) {
        const int64_t row = (int64_t)i * p->stride;
        for (int32_t j = 0; j < p->stride; j++)
            if (j >= p->nodes || j == i || is_removed(removed, (int64_t)i * p->nodes + j))
                arcs[row + j] = VRP_NO_ARC;
    }
}

int64_t vrp_prices_bound(const vrp_bound_problem *problem, const int32_t *price, const vrp_cuts *cuts, int64_t least_route)
{
    int64_t sum = least_route * (least_route > 0 ? problem->fleet.least : problem->fleet.most);
    for (int32_t i = 1; i < problem->nodes; i++)
        sum += price[i];
    for (int64_t k = 0; cuts != NULL && k < cuts->count; k++)
        sum += cuts->cut[k].rhs * cuts->cut[k].price;
    return sum;
}

int64_t vrp_prices_route(const vrp_bound_problem *problem, const int32_t *price, const vrp_cuts *cuts, const int32_t *node,
                         int32_t count)
{
    int64_t value = vrp_bound_route_cost(problem, node, count);
    for (int32_t k = 0; k < count; k++)
        value -= price[node[k]];
    for (int64_t k = 0; cuts != NULL && k < cuts->count; k++)
        if (cuts->cut[k].price != 0)
            value -= (int64_t)cuts->cut[k].price * vrp_cut_coefficient(&cuts->cut[k], node, count);
    return value;
}

// A program that is not yet feasible has duals as large as its artificial columns are dear. Any prices prove a bound: those beyond what a
// pass can sum along a path are cut off.
static double most_price(const vrp_bound_problem *p)
{
    return (double)(VRP_NO_PATH / 8) / ((double)p->capacity / p->least_demand + 1);
}

static double within_range(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

void vrp_prices_round(const vrp_bound_problem *problem, const double *customer_dual, const double *row_dual, int32_t *price,
                      vrp_cuts *cuts)
{
    const double most = most_price(problem);
    price[0] = 0;
    for (int32_t i = 1; i < problem->nodes; i++) {
        const int32_t even = 2 * (int32_t)lround(within_range(customer_dual[i], most) / 2);
        price[i] = problem->is_metric && even < 0 ? 0 : even;
    }
    for (int64_t k = 0; k < cuts->count; k++) {
        const int32_t whole = (int32_t)within_range(row_dual[k], most);
        const bool is_wrong = cuts->cut[k].sense == VRP_CUT_AT_LEAST ? whole < 0 : whole > 0;
        cuts->cut[k].price = is_wrong ? 0 : whole;
    }
}
