// SPDX-License-Identifier: MIT
#include "vrp/bound/problem.h"

#include "base/clock.h"
#include "base/machine.h"

enum { ROWS_IN_TIME = 64 };  // of distances between looks at the clock
// Labels have lengths of 32 bits. A greater limit is left out: bounds hold, they are those of loads alone.
enum { MOST_LENGTH = INT32_MAX / 2 };
enum { STRIDE_OF = 16, MOST_UNIT_BITS = 20, LEAST_UNIT_BITS = -31 };

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
    if (capacity > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "with %lld customers without demand, bounds take loads up to %d, not %lld", (long long)idle,
                        INT32_MAX, (long long)capacity);
    p->capacity = (int32_t)capacity;
    return MCO_OK;
}

void vrp_bound_coarsen_loads(vrp_bound_problem *problem, int32_t most)
{
    vrp_bound_problem *p = problem;
    const int32_t step = (p->capacity - 1) / most + 1;
    int64_t capacity = p->capacity / step, total = 0;
    if (step == 1)
        return;
    p->least_demand = INT32_MAX;
    for (int32_t i = 1; i < p->nodes; i++) {
        const int32_t demand = p->demand[i] / step;
        capacity += demand == 0;
        p->demand[i] = demand > 0 ? demand : 1;
        p->least_demand = p->demand[i] < p->least_demand ? p->demand[i] : p->least_demand;
        total += p->demand[i];
    }
    p->capacity = (int32_t)(capacity < total ? capacity : total);
    p->has_coarse_loads = true;
}

bool vrp_bound_route_is_carried(const vrp_bound_problem *problem, const int32_t *node, int32_t count)
{
    int64_t load = 0;
    for (int32_t k = 0; k < count; k++)
        load += problem->vrp->demand[node[k]];
    return load <= problem->vrp->capacity;
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

// Who asks whether to stop, and until when.
typedef struct patience {
    const mco_context *ctx;
    double stop_s;
} patience;

bool vrp_bound_is_over(const mco_context *ctx, double stop_s)
{
    return mco_clock_s() >= stop_s || mco_is_cancelled(ctx) || mco_call_is_over(ctx);
}

static bool is_over(const patience *p)
{
    return vrp_bound_is_over(p->ctx, p->stop_s);
}

// The longest of the distances there are; vrp->longest may be more. Errors: STOPPED.
static mco_status find_longest(const mco_vrp *vrp, const patience *until, int32_t *longest)
{
    *longest = 1;
    for (int32_t i = 0; i < vrp->nodes; i++) {
        if (i % ROWS_IN_TIME == 0 && is_over(until))
            return MCO_ERR_STOPPED;
        for (int32_t j = 0; j < vrp->nodes; j++) {
            const int32_t distance = i != j ? vrp_distance(vrp, i, j) : 0;
            *longest = distance > *longest ? distance : *longest;
        }
    }
    return MCO_OK;
}

// Errors: STOPPED.
static mco_status set_costs(const mco_vrp *vrp, int bits, const patience *until, vrp_bound_problem *p)
{
    for (int32_t i = 0; i < p->nodes; i++) {
        int32_t *row = p->cost + (int64_t)i * p->stride;
        if (i % ROWS_IN_TIME == 0 && is_over(until))
            return MCO_ERR_STOPPED;
        for (int32_t j = 0; j < p->stride; j++)
            row[j] = j >= p->nodes || j == i ? VRP_NO_ARC : (int32_t)in_units(vrp_distance(vrp, i, j), bits);
    }
    return MCO_OK;
}

// ---- Triangles

static bool is_row_metric(const mco_vrp *vrp, int32_t i)
{
    for (int32_t j = 0; j < vrp->nodes; j++)
        for (int32_t k = 0; i != j && k < vrp->nodes; k++)
            if (i != k && j != k && vrp_distance(vrp, i, k) - 1 > (int64_t)vrp_distance(vrp, i, j) + vrp_distance(vrp, j, k))
                return false;
    return true;
}

// Errors: STOPPED.
static mco_status test_metric(const mco_vrp *vrp, const patience *until, bool *is_metric)
{
    *is_metric = vrp->rule != VRP_MATRIX || vrp->nodes <= VRP_METRIC_NODES;
    for (int32_t i = 0; vrp->rule == VRP_MATRIX && *is_metric && i < vrp->nodes; i++) {
        if (is_over(until))
            return MCO_ERR_STOPPED;
        *is_metric = is_row_metric(vrp, i);
    }
    return MCO_OK;
}

// Whether no way by the depot is shorter than the direct one, exactly. Errors: STOPPED.
static mco_status test_joins(const mco_vrp *vrp, const patience *until, bool *joins_pay)
{
    *joins_pay = true;
    for (int32_t i = 1; i < vrp->nodes && *joins_pay; i++) {
        if (i % ROWS_IN_TIME == 0 && is_over(until))
            return MCO_ERR_STOPPED;
        for (int32_t j = 1; j < vrp->nodes; j++)
            if (i != j && vrp_distance(vrp, i, j) > (int64_t)vrp_distance(vrp, i, 0) + vrp_distance(vrp, 0, j))
                *joins_pay = false;
    }
    return MCO_OK;
}

// ---- The number of routes

static mco_status set_fleet(mco_context *ctx, const mco_vrp *vrp, int32_t vehicles, bool exactly, const patience *until,
                            vrp_bound_problem *p)
{
    mco_status st = MCO_OK;
    bool joins_pay = false;
    const int64_t total = total_demand(vrp), capacity = vrp->capacity;
    int64_t least = (total + capacity - 1) / capacity, most = vrp->customers;
    least = least > 0 ? least : 1;
    if (vehicles > 0 && (vehicles < least || (exactly && vehicles > vrp->customers)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d vehicle%s: the demands need at least %lld, and %d customer%s at most %d route%s", vehicles,
                        mco_plural(vehicles), (long long)least, vrp->customers, vrp->customers == 1 ? " makes" : "s make", vrp->customers,
                        mco_plural(vrp->customers));
    if (!exactly && !vrp_has_max_length(vrp))
        MCO_TRY(test_joins(vrp, until, &joins_pay));
    if (joins_pay) {
        most = (2 * total + capacity - 1) / capacity - 1;
        most = most > least ? most : least;
        most = most < vrp->customers ? most : vrp->customers;
    }
    most = vehicles > 0 && vehicles < most ? vehicles : most;
    p->fleet = (vrp_fleet){(int32_t)(exactly ? vehicles : least), (int32_t)(exactly ? vehicles : most)};
    // Rows that cover let routes beyond the needed ones visit the nearest customer again and again.
    p->is_metric = p->is_metric && !(exactly && vehicles > least);
done:
    return st;
}

static mco_status set_lengths(mco_context *ctx, const mco_vrp *vrp, int bits, vrp_bound_problem *p)
{
    mco_status st = MCO_OK;
    p->max_length = INT64_MAX;
    if (!vrp_has_max_length(vrp))
        return MCO_OK;
    if (in_units(vrp->max_length, bits) > MOST_LENGTH)
        return MCO_OK;
    p->max_length = in_units(vrp->max_length, bits);
    MCO_TRY(mco_alloc(ctx, &p->service, p->nodes));
    for (int32_t i = 0; i < p->nodes; i++)
        p->service[i] = (int32_t)in_units(vrp_service(vrp, i), bits < 0 ? bits : 0);
    for (int32_t i = 0; bits > 0 && i < p->nodes; i++) {
        const int64_t service = in_units(vrp_service(vrp, i), bits);
        p->service[i] = (int32_t)(service < INT32_MAX ? service : INT32_MAX);  // less is safe
    }
done:
    return st;
}

// ---- Open, close

// The costs of all arcs, and those less the prices. Without this test the machine may give the memory and take the process away later.
static mco_status refuse_many(mco_context *ctx, const vrp_bound_problem *p)
{
    const double bytes = 2.0 * p->nodes * p->stride * sizeof *p->cost, most = mco_settle_memory(0);
    if (bytes <= most)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_MEMORY, "all arcs of %d nodes need %.0f MiB, at most %.0f MiB may be taken", p->nodes, bytes / (1 << 20), most / (1 << 20));
}

mco_status vrp_bound_problem_open(mco_context *ctx, const mco_vrp *vrp, int32_t vehicles, bool exactly, int32_t largest_cost,
                                  vrp_bound_problem *out)
{
    return vrp_bound_problem_open_until(ctx, vrp, vehicles, exactly, largest_cost, INFINITY, out);
}

mco_status vrp_bound_problem_open_until(mco_context *ctx, const mco_vrp *vrp, int32_t vehicles, bool exactly, int32_t largest_cost,
                                        double stop_s, vrp_bound_problem *out)
{
    mco_status st = MCO_OK;
    const patience until = {ctx, stop_s};
    int32_t longest = 0;
    vrp_bound_problem p = {.vrp = vrp, .customers = vrp->customers, .nodes = vrp->nodes, .is_symmetric = vrp->is_symmetric};
    p.stride = (p.nodes + STRIDE_OF - 1) / STRIDE_OF * STRIDE_OF;
    MCO_TRY(vrp_refuse_unservable(ctx, vrp, stop_s));
    MCO_TRY(refuse_many(ctx, &p));
    MCO_TRY(mco_alloc(ctx, &p.demand, p.nodes));
    MCO_TRY(mco_alloc(ctx, &p.cost, (int64_t)p.nodes * p.stride));
    MCO_TRY(set_loads(ctx, vrp, &p));
    MCO_TRY(find_longest(vrp, &until, &longest));
    const int bits = unit_bits(longest, largest_cost < VRP_MOST_COST ? largest_cost : VRP_MOST_COST);
    p.unit = ldexp(1, bits);
    p.is_exact = bits >= 0;
    MCO_TRY(test_metric(vrp, &until, &p.is_metric));
    MCO_TRY(set_costs(vrp, bits, &until, &p));
    MCO_TRY(set_fleet(ctx, vrp, vehicles, exactly, &until, &p));
    MCO_TRY(set_lengths(ctx, vrp, bits, &p));
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

bool vrp_bound_route_fits(const vrp_bound_problem *problem, const int32_t *node, int32_t count)
{
    if (!vrp_bound_has_length(problem))
        return true;
    int64_t length = vrp_bound_route_cost(problem, node, count);
    for (int32_t k = 0; k < count; k++)
        length += problem->service[node[k]];
    return length <= problem->max_length;
}

int64_t vrp_bound_proved(const vrp_bound_problem *problem, int64_t value)
{
    if (!problem->is_exact)
        return value * (int64_t)(1 / problem->unit);
    const int64_t unit = (int64_t)problem->unit;
    return value / unit + (value % unit > 0);
}
