// SPDX-License-Identifier: MIT
// A search over exact covers: the customer with the fewest routes left is next, each of its routes is tried. A route is left if it meets
// no customer of those chosen, and if its value, with the least that all others can be worth, keeps the budget.
#include "vrp/bound/recheck_plans.h"

#include "base/clock.h"
#include "base/grow.h"

enum { MOST_STEPS = 2000000000, LOOK_STEPS = 1 << 20 };

typedef struct cover {
    mco_context *ctx;
    const vrp_recheck_plans *task;
    int64_t total;         // demand of all customers
    int64_t share;         // routes of load q are worth -share * q / total at least
    int64_t *load;         // [routes]
    int32_t *left;         // [room] routes that are left, of all depths, one after the other
    int64_t room;
    bool *is_taken;        // [customers + 1]
    int64_t steps, look;
    bool is_stopped, exists;
} cover;

// The least that routes of this load can be worth together. The load is at most `total`.
static int64_t worth(const cover *c, int64_t load)
{
    return -(int64_t)((double)c->share * ((double)load / (double)c->total) * (1 + 1e-9) + 1);
}

static bool goes_on(cover *c, int64_t steps)
{
    c->steps += steps;
    if (c->steps >= c->look) {
        c->look = c->steps + LOOK_STEPS;
        c->is_stopped = c->is_stopped || c->steps >= MOST_STEPS || mco_clock_s() >= c->task->stop_s || mco_is_cancelled(c->ctx) ||
                        mco_call_is_over(c->ctx);
    }
    return !c->is_stopped && !c->exists;
}

static void find_share(cover *c)
{
    const vrp_routes *routes = c->task->routes;
    for (int64_t k = 0; k < routes->count; k++) {
        for (int64_t v = routes->first[k]; v < routes->first[k + 1]; v++)
            c->load[k] += c->task->demand[routes->node[v]];
        if (c->task->value[k] >= 0)
            continue;
        const double more = -(double)c->task->value[k] * ((double)c->total / (double)c->load[k]) * (1 + 1e-9) + 1;
        c->share = more > (double)c->share ? (int64_t)more : c->share;
    }
}

static bool meets(const cover *c, int32_t k)
{
    const vrp_routes *routes = c->task->routes;
    for (int64_t v = routes->first[k]; v < routes->first[k + 1]; v++)
        if (c->is_taken[routes->node[v]])
            return true;
    return false;
}

static void take(cover *c, int32_t k, bool takes)
{
    const vrp_routes *routes = c->task->routes;
    for (int64_t v = routes->first[k]; v < routes->first[k + 1]; v++)
        c->is_taken[routes->node[v]] = takes;
}

// The customer that is in the fewest routes of left[from..to); their number.
static int32_t scarcest(const cover *c, int32_t *times, int64_t from, int64_t to, int32_t *number)
{
    const vrp_routes *routes = c->task->routes;
    int32_t best = 0;
    for (int32_t i = 1; i <= c->task->customers; i++)
        times[i] = 0;
    for (int64_t e = from; e < to; e++)
        for (int64_t v = routes->first[c->left[e]]; v < routes->first[c->left[e] + 1]; v++)
            times[routes->node[v]]++;
    for (int32_t i = 1; i <= c->task->customers; i++)
        if (!c->is_taken[i] && (best == 0 || times[i] < times[best]))
            best = i;
    *number = best > 0 ? times[best] : 0;
    return best;
}

static bool visits(const vrp_routes *routes, int32_t k, int32_t node)
{
    for (int64_t v = routes->first[k]; v < routes->first[k + 1]; v++)
        if (routes->node[v] == node)
            return true;
    return false;
}

// What is fixed on the way to a node of the search.
typedef struct chosen {
    int64_t value, cost, load;
    int32_t routes;
} chosen;

// Lists what is left of left[from..to) behind `to`. Routes that come before `e` have been tried.
static mco_status filter(cover *c, const chosen *so_far, int64_t from, int64_t to, int64_t *end)
{
    mco_status st = MCO_OK;
    const int64_t open = c->total - so_far->load;
    *end = to;
    MCO_TRY(mco_grow(c->ctx, &c->left, &c->room, to + (to - from)));
    for (int64_t e = from; e < to; e++) {
        const int32_t k = c->left[e];
        if (c->load[k] <= open && !meets(c, k) && so_far->value + c->task->value[k] + worth(c, open - c->load[k]) <= c->task->budget)
            c->left[(*end)++] = k;
    }
done:
    return st;
}

// The depth is at most the most routes of a plan: each call takes customers.
static mco_status search(cover *c, const chosen *so_far, int64_t from, int64_t to)
{
    mco_status st = MCO_OK;
    const vrp_recheck_plans *t = c->task;
    int32_t *times = NULL, number = 0;
    int64_t end = to;
    if (!goes_on(c, to - from + t->customers) || so_far->routes > t->fleet.most)
        return MCO_OK;
    if (so_far->load == c->total) {
        c->exists = c->exists || (so_far->routes >= t->fleet.least && so_far->cost < t->cost);
        return MCO_OK;
    }
    MCO_TRY(filter(c, so_far, from, to, &end));
    MCO_TRY(mco_alloc(c->ctx, &times, t->customers + 1));
    const int32_t next = scarcest(c, times, to, end, &number);
    mco_free(c->ctx, &times);
    for (int64_t e = to; e < end && number > 0 && goes_on(c, 0); e++) {
        const int32_t k = c->left[e];
        if (!visits(t->routes, k, next))
            continue;
        const chosen more = {so_far->value + t->value[k], so_far->cost + t->routes->cost[k], so_far->load + c->load[k], so_far->routes + 1};
        take(c, k, true);
        st = search(c, &more, to, end);
        take(c, k, false);
        MCO_TRY(st);
    }
done:
    mco_free(c->ctx, &times);
    return st;
}

mco_status vrp_recheck_search_plans(mco_context *ctx, const vrp_recheck_plans *task, bool *exists, bool *is_done)
{
    mco_status st = MCO_OK;
    cover c = {.ctx = ctx, .task = task};
    const chosen nothing = {0};
    *exists = *is_done = false;
    for (int32_t i = 1; i <= task->customers; i++)
        c.total += task->demand[i];
    MCO_TRY(mco_alloc(ctx, &c.load, task->routes->count));
    MCO_TRY(mco_alloc(ctx, &c.is_taken, task->customers + 1));
    MCO_TRY(mco_grow(ctx, &c.left, &c.room, task->routes->count + 1));
    for (int64_t k = 0; k < task->routes->count; k++)
        c.left[k] = (int32_t)k;
    find_share(&c);
    MCO_TRY(search(&c, &nothing, 0, task->routes->count));
    *exists = c.exists;
    *is_done = !c.is_stopped;
done:
    mco_free(ctx, &c.left);
    mco_free(ctx, &c.is_taken);
    mco_free(ctx, &c.load);
    return st;
}
