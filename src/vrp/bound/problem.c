// SPDX-License-Identifier: MIT
#include "vrp/bound/problem.h"

#include "base/clock.h"

enum { STRIDE_OF = 16, MOST_UNIT_BITS = 20, LEAST_UNIT_BITS = -24 };

// ---- Loads

static int64_t divisor_of(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t total_demand(const mco_vrp *vrp)
{
    int64_t sum = 0;
    for (int32_t i = 1; i < vrp->nodes; i++)
        sum += vrp->demand[i];
    return sum;
}

// Demands and capacity as the header says: divided, and spread where some demands are 0. More capacity than all demands is no use.
static mco_status set_loads(mco_context *ctx, const mco_vrp *vrp, vrp_bound_problem *p)
{
    int64_t divisor = 0, idle = 0, total = 0;
    for (int32_t i = 1; i < p->nodes; i++) {
        divisor = divisor_of(vrp->demand[i], divisor);
        idle += vrp->demand[i] == 0;
    }
    divisor = divisor > 0 ? divisor : 1;
    int64_t capacity = vrp->capacity / divisor;
    capacity = capacity * (idle + 1) + idle;
    p->least_demand = INT32_MAX;
    for (int32_t i = 1; i < p->nodes; i++) {
        const int64_t demand = vrp->demand[i] > 0 ? vrp->demand[i] / divisor * (idle + 1) : 1;
        if (demand > INT32_MAX)
            return mco_fail(ctx, MCO_ERR_LIMIT, "customer %d: with %lld customers without demand, bounds take demands up to %lld, not %d", i,
                            (long long)idle, (long long)(INT32_MAX / (idle + 1) * divisor), vrp->demand[i]);
        p->demand[i] = (int32_t)demand;
        p->least_demand = p->demand[i] < p->least_demand ? p->demand[i] : p->least_demand;
        total += demand;
    }
    capacity = capacity < total ? capacity : total;
    p->capacity = (int32_t)(capacity < INT32_MAX ? capacity : INT32_MAX);
    return MCO_OK;
}

// ---- Costs

static int unit_bits(int32_t longest, int32_t largest_cost)
{
    int bits = LEAST_UNIT_BITS;
    while (bits < MOST_UNIT_BITS && ldexp(longest, bits + 1) <= largest_cost)
        bits++;
    return bits;
}

// A length or a cost in units, rounded down.
static int64_t in_units(int64_t value, int bits)
{
    return bits >= 0 ? value << bits : value >> -bits;
}

// Whether the call is over. A matrix of tens of thousands of nodes takes seconds.
static bool is_over(const mco_context *ctx)
{
    return mco_is_cancelled(ctx) || mco_call_is_over(ctx);
}

static void set_costs(const mco_context *ctx, const mco_vrp *vrp, int bits, vrp_bound_problem *p)
{
    for (int32_t i = 0; i < p->nodes && !is_over(ctx); i++) {
        int32_t *row = p->cost + (int64_t)i * p->stride;
        for (int32_t j = 0; j < p->stride; j++)
            row[j] = j >= p->nodes || j == i ? VRP_NO_ARC : (int32_t)in_units(vrp_distance(vrp, i, j), bits);
    }
}

// The longest of the distances there are; vrp->longest may be more.
static int32_t longest_distance(const mco_context *ctx, const mco_vrp *vrp)
{
    int32_t longest = 1;
    for (int32_t i = 0; i < vrp->nodes && !is_over(ctx); i++)
        for (int32_t j = 0; j < vrp->nodes; j++) {
            const int32_t distance = i != j ? vrp_distance(vrp, i, j) : 0;
            longest = distance > longest ? distance : longest;
        }
    return longest;
}

// ---- Triangles

static bool is_metric(const mco_context *ctx, const mco_vrp *vrp)
{
    if (vrp->rule != VRP_MATRIX)
        return true;
    if (vrp->nodes > VRP_METRIC_NODES)
        return false;
    for (int32_t i = 0; i < vrp->nodes && !is_over(ctx); i++)
        for (int32_t j = 0; j < vrp->nodes; j++)
            for (int32_t k = 0; i != j && k < vrp->nodes; k++)
                if (i != k && j != k && vrp_distance(vrp, i, k) > vrp_distance(vrp, i, j) + vrp_distance(vrp, j, k) + 1)
                    return false;
    return true;
}

// Whether no way by the depot is shorter than the direct one, exactly.
static bool joins_pay(const mco_context *ctx, const mco_vrp *vrp)
{
    for (int32_t i = 1; i < vrp->nodes && !is_over(ctx); i++)
        for (int32_t j = 1; j < vrp->nodes; j++)
            if (i != j && vrp_distance(vrp, i, j) > vrp_distance(vrp, i, 0) + vrp_distance(vrp, 0, j))
                return false;
    return true;
}

// ---- The number of routes

static mco_status set_fleet(mco_context *ctx, const mco_vrp *vrp, int32_t vehicles, bool exactly, vrp_bound_problem *p)
{
    const int64_t total = total_demand(vrp), capacity = vrp->capacity;
    int64_t least = (total + capacity - 1) / capacity, most = vrp->customers;
    least = least > 0 ? least : 1;
    if (vehicles > 0 && (vehicles < least || (exactly && vehicles > vrp->customers)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d vehicle%s: the demands need at least %lld, and %d customers make at most %d routes", vehicles,
                        mco_plural(vehicles), (long long)least, vrp->customers, vrp->customers);
    if (!vrp_has_max_length(vrp) && joins_pay(ctx, vrp)) {
        most = (2 * total + capacity - 1) / capacity - 1;
        most = most > least ? most : least;
        most = most < vrp->customers ? most : vrp->customers;
    }
    most = vehicles > 0 && vehicles < most ? vehicles : most;
    p->fleet = (vrp_fleet){(int32_t)(exactly ? vehicles : least), (int32_t)(exactly ? vehicles : most)};
    return MCO_OK;
}

static mco_status set_lengths(mco_context *ctx, const mco_vrp *vrp, int bits, vrp_bound_problem *p)
{
    mco_status st = MCO_OK;
    p->max_length = INT64_MAX;
    if (!vrp_has_max_length(vrp))
        return MCO_OK;
    p->max_length = in_units(vrp->max_length, bits);
    MCO_TRY(mco_alloc(ctx, &p->service, p->nodes));
    for (int32_t i = 0; i < p->nodes; i++)
        p->service[i] = (int32_t)in_units(vrp_service(vrp, i), bits < 0 ? bits : 0);
    for (int32_t i = 0; bits > 0 && i < p->nodes; i++) {
        const int64_t service = in_units(vrp_service(vrp, i), bits);
        p->service[i] = (int32_t)(service < INT32_MAX ? service : INT32_MAX);  // such a customer alone is beyond the limit
    }
done:
    return st;
}

// ---- Open, close

mco_status vrp_bound_problem_open(mco_context *ctx, const mco_vrp *vrp, int32_t vehicles, bool exactly, int32_t largest_cost,
                                  vrp_bound_problem *out)
{
    mco_status st = MCO_OK;
    vrp_bound_problem p = {.vrp = vrp, .customers = vrp->customers, .nodes = vrp->nodes, .is_symmetric = vrp->is_symmetric};
    p.stride = (p.nodes + STRIDE_OF - 1) / STRIDE_OF * STRIDE_OF;
    MCO_TRY(vrp_refuse_unservable(ctx, vrp, INFINITY));
    MCO_TRY(mco_alloc(ctx, &p.demand, p.nodes));
    MCO_TRY(mco_alloc(ctx, &p.cost, (int64_t)p.nodes * p.stride));
    MCO_TRY(set_loads(ctx, vrp, &p));
    const int bits = unit_bits(longest_distance(ctx, vrp), largest_cost);
    p.unit = ldexp(1, bits);
    p.is_exact = bits >= 0;
    p.is_metric = is_metric(ctx, vrp);
    set_costs(ctx, vrp, bits, &p);
    MCO_TRY(set_fleet(ctx, vrp, vehicles, exactly, &p));
    MCO_TRY(set_lengths(ctx, vrp, bits, &p));
    if (is_over(ctx))
        MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "the call was over before the costs of %d nodes were there", p.nodes));
    *out = p;
done:
    if (st != MCO_OK)
        vrp_bound_problem_close(ctx, &p);
    return st;
}

void vrp_bound_problem_close(mco_context *ctx, vrp_bound_problem *problem)
{
    mco_free(ctx, &problem->demand);
    mco_free(ctx, &problem->cost);
    mco_free(ctx, &problem->service);
}

int64_t vrp_bound_route_cost(const vrp_bound_problem *problem, const int32_t *node, int32_t count)
{
    int64_t cost = 0;
    int32_t at = 0;
    for (int32_t k = 0; k < count; k++) {
        cost += problem->cost[(int64_t)at * problem->stride + node[k]];
        at = node[k];
    }
    return cost + problem->cost[(int64_t)at * problem->stride];
}

int64_t vrp_bound_proved(const vrp_bound_problem *problem, int64_t value)
{
    if (!problem->is_exact)
        return value * (int64_t)(1 / problem->unit);
    const int64_t unit = (int64_t)problem->unit;
    return value / unit + (value % unit > 0);
}
