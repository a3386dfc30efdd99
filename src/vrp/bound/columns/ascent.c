// SPDX-License-Identifier: MIT
// Dual ascent without an LP (Christofides, Mingozzi, Toth 1981; Baldacci, Christofides, Mingozzi 2008).
//
// Multipliers m(i) of the customers and m(0) of the number of routes change the costs. Through each customer i there is a route of the
// least ratio r(i) of value to load. No route has a value below the sum of demand * r over its visits, so the prices
// u(i) = m(i) + demand(i) r(i) leave every route a value of at least m(0), and sum u + K m(0) is a bound. It rises along the
// subgradient 1 - visits, where the route of customer i counts demand(i) / load times. Steps after Polyak towards a target, the known
// cost or an estimate of it; directions are deflected (Camerini, Fratta, Maffioli 1975).
//
// Prices are rounded to even integers. The bound is that of the rounded prices: with their least route by one more pass, or with m(0)
// where the time is over: then prices have any sign.
#include "vrp/bound/columns/ascent.h"

#include <string.h>

#include "base/clock.h"
#include "lagrange/lagrange.h"
#include "vrp/bound/prices.h"

static const double MOST_PRICE = VRP_PRICES_MOST;
static const double DEFLECTION = 0.7;         // share of the new subgradient in the direction
static const double SHRINK = 0.7, FIRST_STEP = 1.5, LATER_STEP = 0.5, LEAST_STEP = 1e-3;  // LATER_STEP: from a start
static const double BEYOND = 1.002;           // the target is so much more than the known cost
static const double ESTIMATE = 1.05;          // of the best bound, where no cost is known
static const double TELL_S = 0.5;             // between two words to the listener
enum { PATIENCE = 6 };                       // steps without a better bound before the step shrinks

typedef struct climb {
    mco_context *ctx;
    const vrp_bound_problem *problem;
    vrp_q_pass *pass;
    mco_run *run;
    const vrp_ascent_listener *listener;      // NULL: none
    double told_s, told;                      // when, by mco_clock_s(), and of which best bound it was told last
    lagrange ascent;                          // multipliers [nodes], [0] of the number of routes
    int32_t *even;                            // [nodes] multipliers as even integers
    double *price;                            // [nodes] u of the step, [0] m(0)
    double *best_price;
    int32_t *arcs;                            // [nodes * stride]
    double bound;                             // of the step; units
    double unserved;                          // of the step: sum over the customers of demand / load
    int64_t known;
} climb;

// ---- One step

// A multiplier or a price as far as arcs can take it.
static double within_range(double value)
{
    return fmax(-MOST_PRICE, fmin(MOST_PRICE, value));
}

static int32_t even_of(double value)
{
    return 2 * (int32_t)lround(within_range(value) / 2);
}

// The greatest even integer that is not more, in the same range.
static int32_t even_below(double value)
{
    return 2 * (int32_t)floor(within_range(value) / 2);
}

static mco_status visit(void *user, int32_t customer, int32_t value, int32_t load, const int32_t *node, int32_t count)
{
    climb *a = user;
    const double demand = a->problem->demand[customer], share = demand / load;
    if (count == 0)
        return mco_fail(a->ctx, MCO_ERR_ARGUMENT, "no route visits customer %d", customer);
    a->price[customer] = a->even[customer] + demand * value / load;
    a->bound += a->price[customer];
    a->unserved += share;
    for (int32_t k = 0; k < count; k++)
        a->ascent.subgradient[node[k]] -= share;
    return MCO_OK;
}

// The subgradient by the number of routes: at m(0) = 0 each number that the fleet may have is as good.
static double fleet_gradient(const vrp_fleet *fleet, int32_t multiplier, double routes)
{
    if (multiplier > 0 || routes < fleet->least)
        return fleet->least - routes;
    return multiplier < 0 || routes > fleet->most ? fleet->most - routes : 0;
}

static mco_status evaluate(climb *a, double stop_s)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = a->problem;
    for (int32_t i = 0; i < problem->nodes; i++) {
        a->even[i] = even_of(a->ascent.dual[i]);
        a->ascent.subgradient[i] = 1;
    }
    vrp_prices_arcs(problem, a->even, NULL, NULL, a->arcs);
    MCO_TRY(vrp_q_run(a->ctx, a->pass, a->arcs, stop_s));
    a->unserved = 0;
    a->price[0] = a->even[0];
    a->bound = a->even[0] * (double)(a->even[0] > 0 ? problem->fleet.least : problem->fleet.most);
    MCO_TRY(vrp_through_each(a->ctx, a->pass, visit, a, stop_s));
    a->ascent.subgradient[0] = fleet_gradient(&problem->fleet, a->even[0], a->unserved);
done:
    return st;
}

static double target_of(const climb *a)
{
    const double estimate = a->ascent.best + (ESTIMATE - 1) * fabs(a->ascent.best);
    return a->known < 0 || a->known == INT64_MAX ? estimate : BEYOND * (double)a->known;
}

// Keeps the prices of the better bound, and moves the multipliers. Returns false if there is nowhere to go.
static bool advance(climb *a)
{
    if (lagrange_take(&a->ascent, a->bound))
        for (int32_t i = 0; i < a->problem->nodes; i++)
            a->best_price[i] = a->price[i];
    const double target = target_of(a), least = 1e-4 * fabs(target);
    return lagrange_move(&a->ascent, 0.5 * fmax(least, target - a->bound));
}

// ---- Prices

// Rounds the best prices; columns of a metric problem like none below 0.
static void round_prices(const climb *a, bool down, int32_t *price)
{
    price[0] = 0;
    for (int32_t i = 1; i < a->problem->nodes; i++) {
        price[i] = down ? even_below(a->best_price[i]) : even_of(a->best_price[i]);
        if (price[i] < 0 && a->problem->is_metric)
            price[i] = 0;
    }
}

// The best prices rounded down, of any sign, and their bound, which needs no pass: no route is worth less with them. INT64_MIN: one is
// out of range.
static int64_t sure_bound(const climb *a, int32_t *price)
{
    bool is_less = true;
    price[0] = 0;
    for (int32_t i = 1; i < a->problem->nodes; i++) {
        price[i] = even_below(a->best_price[i]);
        is_less = is_less && price[i] <= a->best_price[i];
    }
    return is_less ? vrp_prices_bound(a->problem, price, NULL, (int64_t)a->best_price[0]) : INT64_MIN;
}

// The bound of prices by one more pass.
static mco_status prove(climb *a, const int32_t *price, double stop_s, int64_t *bound)
{
    mco_status st = MCO_OK;
    vrp_prices_arcs(a->problem, price, NULL, NULL, a->arcs);
    MCO_TRY(vrp_q_run(a->ctx, a->pass, a->arcs, stop_s));
    *bound = vrp_prices_bound(a->problem, price, NULL, vrp_q_least_route(a->pass));
done:
    return st;
}

static void tell(const climb *a, int64_t bound)
{
    if (a->run != NULL && bound > INT64_MIN)
        mco_run_raise_bound(a->run, (double)vrp_bound_proved(a->problem, bound) / a->problem->vrp->scale);
}

// Tells the listener of the best prices so far. `room` [nodes] is overwritten.
static mco_status tell_on_the_way(climb *a, int32_t *room)
{
    const double now = mco_clock_s();
    if (a->listener == NULL || a->ascent.best <= a->told || now - a->told_s < TELL_S)
        return MCO_OK;
    a->told_s = now;
    a->told = a->ascent.best;
    const int64_t bound = sure_bound(a, room);
    return bound > INT64_MIN ? a->listener->tell(a->listener->user, bound) : MCO_OK;
}

// Prices that need no pass to be a bound, for a run that is stopped. Passes make it a better one: of prices rounded down, then to the
// nearest.
static mco_status finish(climb *a, int32_t *room, bool is_rough, double stop_s, vrp_ascent *out)
{
    mco_status st = MCO_OK;
    int64_t bound;
    const size_t bytes = (size_t)a->problem->nodes * sizeof *room;
    out->bound = sure_bound(a, out->price);
    if (is_rough)
        return MCO_OK;
    round_prices(a, true, room);
    MCO_TRY(prove(a, room, stop_s, &bound));
    if (bound > out->bound || memcmp(out->price, room, bytes) != 0)
        out->bound = bound;
    memcpy(out->price, room, bytes);
    round_prices(a, false, room);
    MCO_TRY(prove(a, room, stop_s, &bound));
    if (bound > out->bound) {
        out->bound = bound;
        memcpy(out->price, room, bytes);
    }
done:
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}

// ---- The whole ascent

static void close_climb(mco_context *ctx, climb *a)
{
    lagrange_close(ctx, &a->ascent);
    mco_free(ctx, &a->even);
    mco_free(ctx, &a->price);
    mco_free(ctx, &a->best_price);
    mco_free(ctx, &a->arcs);
}

// First multipliers: `start`, or each customer pays its share of the way to it and back.
static mco_status open_climb(climb *a, const int32_t *start)
{
    mco_status st = MCO_OK;
    mco_context *ctx = a->ctx;
    const vrp_bound_problem *problem = a->problem;
    const size_t nodes = (size_t)problem->nodes;
    const lagrange_rules rules = {.factor = start != NULL ? LATER_STEP : FIRST_STEP, .shrink = SHRINK, .least_factor = LEAST_STEP, .patience = PATIENCE, .eases = true,
                                  .newest = DEFLECTION, .before = 1 - DEFLECTION, .memory = LAGRANGE_DIRECTION,
                                  .returns = LAGRANGE_RETURNS_WHEN_IT_SHRINKS};
    MCO_TRY(lagrange_open(ctx, &rules, problem->nodes, 0, &a->ascent));
    MCO_TRY(mco_alloc(ctx, &a->even, nodes));
    MCO_TRY(mco_alloc(ctx, &a->price, nodes));
    MCO_TRY(mco_alloc(ctx, &a->best_price, nodes));
    MCO_TRY(mco_alloc(ctx, &a->arcs, nodes * (size_t)problem->stride));
    for (int32_t i = 1; i < problem->nodes; i++) {
        const double there = problem->cost[i], back = problem->cost[(int64_t)i * problem->stride];
        a->ascent.dual[i] = there < VRP_NO_ARC && back < VRP_NO_ARC ? (there + back) * problem->demand[i] / problem->capacity : 0;
        if (start != NULL)
            a->ascent.dual[i] = start[i];
    }
    a->told = -INFINITY;
    a->told_s = mco_clock_s();
done:
    return st;
}

static bool must_stop(const climb *a, int32_t step)
{
    return a->run != NULL && mco_run_must_stop(a->run, step);
}

static mco_status ascend(climb *a, const int32_t *start, int32_t steps, bool is_rough, double stop_s, vrp_ascent *out)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    double slowest_s = 0;
    *out = (vrp_ascent){.bound = INT64_MIN};
    MCO_TRY(open_climb(a, start));
    MCO_TRY(mco_alloc(a->ctx, &out->price, a->problem->nodes));
    // The passes of the end fit in the time of two steps.
    for (bool moves = true; moves && out->steps < steps && mco_clock_s() + (is_rough ? 1 : 3) * slowest_s < stop_s && !must_stop(a, out->steps);) {
        const double step_s = mco_clock_s();
        st = evaluate(a, stop_s);
        if (st == MCO_ERR_STOPPED)
            break;
        MCO_TRY(st);
        out->steps++;
        moves = advance(a);
        slowest_s = fmax(slowest_s, mco_clock_s() - step_s);
        MCO_TRY(tell_on_the_way(a, out->price));
    }
    st = MCO_OK;
    if (out->steps > 0)
        MCO_TRY(finish(a, a->even, is_rough, stop_s, out));
    tell(a, out->bound);
    out->seconds = mco_clock_s() - begin_s;
done:
    close_climb(a->ctx, a);
    if (st != MCO_OK)
        vrp_ascent_clear(a->ctx, out);
    return st;
}

mco_status vrp_ascend(mco_context *ctx, const vrp_bound_problem *problem, vrp_q_pass *pass, const int32_t *start, int64_t known,
                      int32_t steps, double stop_s, mco_run *run, const vrp_ascent_listener *listener, vrp_ascent *out)
{
    climb a = {.ctx = ctx, .problem = problem, .pass = pass, .run = run, .listener = listener, .known = known};
    return ascend(&a, start, steps, false, stop_s, out);
}

mco_status vrp_ascend_roughly(mco_context *ctx, const vrp_bound_problem *problem, vrp_q_pass *pass, const int32_t *start, int64_t known,
                              int32_t steps, double stop_s, mco_run *run, vrp_ascent *out)
{
    climb a = {.ctx = ctx, .problem = problem, .pass = pass, .run = run, .known = known};
    return ascend(&a, start, steps, true, stop_s, out);
}

void vrp_ascent_clear(mco_context *ctx, vrp_ascent *ascent)
{
    mco_free(ctx, &ascent->price);
    *ascent = (vrp_ascent){.bound = INT64_MIN};
}
