// SPDX-License-Identifier: MIT
// The checker walks the routes over the raw instance. It shares nothing with the solvers.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "mco/vrp.h"

enum { LONGEST_NAME = 48 };  // bytes of a name in a message

typedef struct check {
    mco_context *ctx;
    const mco_vrp *problem;
    const mco_vrp_solution *solution;
    int32_t *route;  // [customers of the instance] the route of each plus one; 0 until it is seen
} check;

typedef struct customer_text {
    char text[80];
} customer_text;

// "customer 12" or "customer 12 (Berger)". A long name is cut between characters of UTF-8.
static customer_text describe(const mco_vrp *problem, int32_t customer)
{
    customer_text t;
    char buffer[16];
    const char *name = mco_vrp_customer_name(problem, customer, buffer);
    int length = (int)strnlen(name, LONGEST_NAME);
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
        length--;
    if (name == buffer)
        snprintf(t.text, sizeof t.text, "customer %d", customer + 1);
    else
        snprintf(t.text, sizeof t.text, "customer %d (%.*s)", customer + 1, length, name);
    return t;
}

// Tests what makes the arrays safe to walk.
static mco_status check_shape(const check *c)
{
    const mco_vrp_solution *s = c->solution;
    if (s->customers < 0 || s->routes < 0)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "the solution has %d customers and %d routes, at least 0 were expected",
                        s->customers, s->routes);
    if (s->first == NULL || (s->order == NULL && s->customers > 0))
        return mco_fail(c->ctx, MCO_ERR_CHECK, "the solution has no %s", s->first == NULL ? "routes" : "order");
    for (int32_t r = 0; r < s->routes; r++)
        if (s->first[r + 1] <= s->first[r])
            return mco_fail(c->ctx, MCO_ERR_CHECK, "route %d holds %lld customers, at least 1 was expected", r + 1,
                            (long long)s->first[r + 1] - s->first[r]);
    if (s->first[0] != 0 || s->first[s->routes] != s->customers)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "the routes hold customers %d to %d of the order, expected were 0 to %d",
                        s->first[0], s->first[s->routes], s->customers);
    return MCO_OK;
}

static mco_status check_visits(check *c)
{
    const mco_vrp_solution *s = c->solution;
    const int32_t customers = mco_vrp_customers(c->problem);
    int32_t missing = 0, first_missing = 0;
    for (int32_t r = 0; r < s->routes; r++)
        for (int32_t i = s->first[r]; i < s->first[r + 1]; i++) {
            const int32_t customer = s->order[i];
            if (customer < 0 || customer >= customers)
                return mco_fail(c->ctx, MCO_ERR_CHECK, "route %d: customer %lld, 1 to %d was expected", r + 1,
                                (long long)customer + 1, customers);
            if (c->route[customer] > 0)
                return mco_fail(c->ctx, MCO_ERR_CHECK, "%s is in route %d and again in route %d, once was expected",
                                describe(c->problem, customer).text, c->route[customer], r + 1);
            c->route[customer] = r + 1;
        }
    for (int32_t customer = customers - 1; customer >= 0; customer--)
        if (c->route[customer] == 0) {
            missing++;
            first_missing = customer;
        }
    if (missing > 0)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s is in no route; the routes visit %d of %d customers",
                        describe(c->problem, first_missing).text, customers - missing, customers);
    return MCO_OK;
}

// No sum overflows: 64 bits hold 3 * 10^7 demands, distances and service times below 2^31.
mco_vrp_route mco_vrp_route_of(const mco_vrp *problem, const mco_vrp_solution *solution, int32_t route)
{
    mco_vrp_route r = {0};
    int32_t at = 0;
    if (problem == NULL || solution == NULL)
        return r;
    for (int32_t i = solution->first[route]; i < solution->first[route + 1]; i++) {
        const int32_t customer = solution->order[i];
        r.load += mco_vrp_demand(problem, customer);
        r.length += mco_vrp_service(problem, customer);
        r.cost += mco_vrp_distance(problem, at, customer + 1);
        at = customer + 1;
    }
    r.cost += mco_vrp_distance(problem, at, 0);
    r.length += r.cost;
    return r;
}

static mco_status check_routes(const check *c, int64_t *cost)
{
    const mco_vrp *p = c->problem;
    const int32_t max_length = mco_vrp_max_length(p);
    const double scale = mco_vrp_scale(p);
    *cost = 0;
    for (int32_t r = 0; r < c->solution->routes; r++) {
        const mco_vrp_route route = mco_vrp_route_of(p, c->solution, r);
        if (route.load > mco_vrp_capacity(p))
            return mco_fail(c->ctx, MCO_ERR_CHECK, "route %d: the load is %.15g, at most %.15g is allowed", r + 1,
                            (double)route.load / mco_vrp_load_scale(p), (double)mco_vrp_capacity(p) / mco_vrp_load_scale(p));
        if (max_length < MCO_VRP_MAX_LENGTH && route.length > max_length)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "route %d: the length is %.15g, at most %.15g is allowed", r + 1,
                            (double)route.length / scale, max_length / scale);
        *cost += route.cost;
    }
    return MCO_OK;
}

mco_status mco_vrp_check(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, int64_t *cost)
{
    mco_status st = MCO_OK;
    int64_t total = 0;
    if (ctx == NULL || problem == NULL || solution == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    check c = {.ctx = ctx, .problem = problem, .solution = solution};
    const int32_t vehicles = mco_vrp_vehicles(problem);
    MCO_TRY(check_shape(&c));
    MCO_TRY(mco_alloc(ctx, &c.route, mco_vrp_customers(problem)));
    MCO_TRY(check_visits(&c));
    MCO_TRY(check_routes(&c, &total));
    if (vehicles > 0 && solution->routes > vehicles)
        MCO_TRY(mco_fail(ctx, MCO_ERR_CHECK, "%d routes, there are at most %d vehicles", solution->routes, vehicles));
    if (cost != NULL)
        *cost = total;
done:
    mco_free(ctx, &c.route);
    return st;
}
