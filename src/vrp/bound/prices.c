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
    return (removed[arc >> 6] >> (arc & 63) & 1) != 0;
}

// Prices without rows. O(nodes^2).
static void take_off_prices(const vrp_bound_problem *p, const int32_t *price, int32_t *arcs)
{
    for (int32_t i = 0; i < p->nodes; i++) {
        const int64_t row = (int64_t)i * p->stride;
        for (int32_t j = 0; j < p->nodes; j++)
            arcs[row + j] = p->cost[row + j] - (price[i] + price[j]) / 2;
    }
}

// An arc that is there stays below VRP_NO_ARC: a pass that took it for an absent one would prove too much.
static void mark_absent(const vrp_bound_problem *p, const uint64_t *removed, int32_t *arcs)
{
    for (int32_t i = 0; i < p->nodes; i++) {
        const int32_t *cost = p->cost + (int64_t)i * p->stride;
        int32_t *row = arcs + (int64_t)i * p->stride;
        for (int32_t j = 0; j < p->stride; j++) {
            const int32_t arc = row[j] < VRP_NO_ARC ? row[j] : VRP_NO_ARC - 1;
            row[j] = cost[j] < VRP_NO_ARC ? arc : VRP_NO_ARC;
        }
        for (int32_t j = 0; removed != NULL && j < p->nodes; j++)
            if (is_removed(removed, (int64_t)i * p->nodes + j))
                row[j] = VRP_NO_ARC;
    }
}

void vrp_prices_arcs(const vrp_bound_problem *problem, const int32_t *price, const vrp_cuts *cuts, const uint64_t *removed,
                     int32_t *arcs)
{
    take_off_prices(problem, price, arcs);
    for (int64_t k = 0; cuts != NULL && k < cuts->count; k++)
        if (cuts->cut[k].kind == VRP_CUT_SET && cuts->cut[k].price != 0)
            take_off_crossings(problem, &cuts->cut[k], arcs);
    mark_absent(problem, removed, arcs);
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

double vrp_prices_most(const vrp_bound_problem *problem)
{
    return (double)(VRP_NO_PATH / 8) / ((double)problem->capacity / problem->least_demand + 1);
}

// Any prices prove a bound: duals beyond what a pass can sum are cut off. Each loses by itself what the others count on, so a program whose
// bound matters keeps its duals below (vrp_program_open).
static double within_range(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

void vrp_prices_round(const vrp_bound_problem *problem, const double *customer_dual, const double *row_dual, int32_t grain,
                      int32_t *price, vrp_cuts *cuts)
{
    const double most = vrp_prices_most(problem);
    double left = VRP_PRICES_OF_SETS;
    price[0] = 0;
    for (int32_t i = 1; i < problem->nodes; i++) {
        const int32_t even = 2 * grain * (int32_t)lround(within_range(customer_dual[i], most) / (2 * grain));
        price[i] = problem->is_metric && even < 0 ? 0 : even;
    }
    for (int64_t k = 0; k < cuts->count; k++) {
        const bool is_set = cuts->cut[k].kind == VRP_CUT_SET;
        const int32_t whole = grain * (int32_t)(within_range(row_dual[k], is_set ? fmin(most, left) : most) / grain);
        const bool is_wrong = cuts->cut[k].sense == VRP_CUT_AT_LEAST ? whole < 0 : whole > 0;
        cuts->cut[k].price = is_wrong ? 0 : whole;
        left -= is_set ? fabs((double)cuts->cut[k].price) : 0;
    }
}

mco_status vrp_prices_scale(mco_context *ctx, const vrp_bound_problem *problem, const int32_t *from, double ratio, int32_t *price,
                            vrp_cuts *cuts)
{
    mco_status st = MCO_OK;
    double *customer = NULL, *row = NULL;
    MCO_TRY(mco_alloc(ctx, &customer, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &row, cuts->count));
    for (int32_t i = 1; i < problem->nodes; i++)
        customer[i] = from[i] * ratio;
    for (int64_t k = 0; k < cuts->count; k++)
        row[k] = cuts->cut[k].price * ratio;
    vrp_prices_round(problem, customer, row, 1, price, cuts);
done:
    mco_free(ctx, &row);
    mco_free(ctx, &customer);
    return st;
}

mco_status vrp_prices_lower(mco_context *ctx, const vrp_bound_problem *problem, int64_t share, int32_t *price, vrp_cuts *cuts)
{
    mco_status st = MCO_OK;
    double *customer = NULL, *row = NULL, total = 0;
    MCO_TRY(mco_alloc(ctx, &customer, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &row, cuts->count));
    for (int32_t i = 1; i < problem->nodes; i++)
        total += problem->demand[i];
    for (int32_t i = 1; i < problem->nodes; i++)
        customer[i] = price[i] - 2 * ceil((double)share / total * problem->demand[i] / 2);  // even, so no rounding raises it
    for (int64_t k = 0; k < cuts->count; k++)
        row[k] = cuts->cut[k].price;
    vrp_prices_round(problem, customer, row, 1, price, cuts);
done:
    mco_free(ctx, &row);
    mco_free(ctx, &customer);
    return st;
}
