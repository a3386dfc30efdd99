// SPDX-License-Identifier: MIT
// Through-q-routes (Christofides, Mingozzi, Toth 1981): the least route without loops i-j-i through a customer, by load.
//
//     psi(q, i) = least of join(a, b) over a + b = q + demand(i)
//     join(a, b) = f(a, i) + f(b, i)                               where the nodes before i differ
//                  min(f(a, i) + g(b, i), g(a, i) + f(b, i))       else
//
// b comes from the backward tables with an asymmetric problem; then a takes all loads, else half of them are enough. The depot on
// both sides is no loop: a route of one customer. Least sums f + f bound the ratios from below; only tiles of loads whose least sum
// undercuts the least ratio so far are joined exactly.
#include "vrp/bound/relax/q_inside.h"
#include "vrp/bound/relax/through_lanes.h"

typedef struct through {
    mco_context *ctx;
    const vrp_q_pass *pass;
    double stop_s;
    const vrp_through_variant *lanes;
    int32_t stride;       // of the arrays: loads, with a tile on either side
    int32_t *half[2];     // [3 * stride] value, before, second; load 0 at VRP_THROUGH_TILE; [1] of the asymmetric far half
    int32_t *out;         // [capacity + 1 + VRP_THROUGH_TILE]
    vrp_through_halves halves;
} through;

enum { TILES_IN_TIME = 8 };

#define DECLARE(set, unit) extern const vrp_through_variant vrp_through_##set;
#define LIST(set, unit) &vrp_through_##set,
MCO_EACH_SIMD(DECLARE)
static const vrp_through_variant *const variants[] = {MCO_EACH_SIMD(LIST)};

static void through_close(mco_context *ctx, through *t)
{
    mco_free(ctx, &t->half[0]);
    mco_free(ctx, &t->half[1]);
    mco_free(ctx, &t->out);
}

static mco_status through_open(mco_context *ctx, const vrp_q_pass *pass, double stop_s, through *t)
{
    mco_status st = MCO_OK;
    const int32_t loads = pass->problem->capacity + 1;
    *t = (through){.ctx = ctx, .pass = pass, .stop_s = stop_s, .stride = loads + 2 * VRP_THROUGH_TILE};
    MCO_TRY(mco_pick(ctx, variants, pass->settings.simd, 0, &t->lanes));
    for (int d = 0; d < (pass->problem->is_symmetric ? 1 : 2); d++) {
        MCO_TRY(mco_alloc(ctx, &t->half[d], 3 * (size_t)t->stride));
        for (int32_t k = 0; k < 3 * t->stride; k++)
            t->half[d][k] = VRP_THROUGH_NONE;
    }
    MCO_TRY(mco_alloc(ctx, &t->out, (size_t)loads + VRP_THROUGH_TILE));
done:
    return st;
}

// Tiles of small loads are short: only each TILES_IN_TIME-th looks at the clock, and the first one.
static bool must_stop(const through *t, int32_t begin)
{
    return begin / VRP_THROUGH_TILE % TILES_IN_TIME == 0 && vrp_q_is_over(t->ctx, t->stop_s);
}

// ---- Halves

static void take_half(const through *t, bool backward, int32_t node)
{
    const int32_t loads = t->pass->problem->capacity - t->pass->problem->demand[node];
    int32_t *value = t->half[backward] + VRP_THROUGH_TILE, *before = value + t->stride, *second = before + t->stride;
    vrp_q_column_of(t->pass, backward, node, &(vrp_q_column){value, before, second});
    for (int32_t k = 0; k <= loads; k++) {
        value[k] = value[k] < VRP_NO_PATH ? value[k] : VRP_THROUGH_NONE;
        second[k] = second[k] < VRP_NO_PATH ? second[k] : VRP_THROUGH_NONE;
    }
    for (int32_t k = loads + 1; k <= loads + VRP_THROUGH_TILE; k++)
        value[k] = before[k] = second[k] = VRP_THROUGH_NONE;
}

static void take_halves(through *t, int32_t node)
{
    const vrp_bound_problem *problem = t->pass->problem;
    const int32_t *near = t->half[0] + VRP_THROUGH_TILE, *far = t->half[problem->is_symmetric ? 0 : 1] + VRP_THROUGH_TILE;
    take_half(t, false, node);
    if (!problem->is_symmetric)
        take_half(t, true, node);
    t->halves = (vrp_through_halves){.value = near, .before = near + t->stride, .second = near + 2 * (int64_t)t->stride,
                                     .far_value = far, .far_before = far + t->stride, .far_second = far + 2 * (int64_t)t->stride,
                                     .loads = problem->capacity - problem->demand[node], .is_symmetric = problem->is_symmetric};
}

// The least routes of a tile of loads. The first one has the depot on both sides: no loop.
static void join_tile(const through *t, int32_t begin, int32_t *out)
{
    t->lanes->least_routes(&t->halves, begin, out);
    if (begin == 0)
        out[0] = t->halves.value[0] + t->halves.far_value[0];
}

// ---- Ratios

static bool is_less_ratio(int64_t value, int64_t load, int64_t than_value, int64_t than_load)
{
    return value * than_load < than_value * load;
}

// Whether a route of the tile may have a lesser ratio.
static bool may_undercut(const int32_t *sum, int32_t begin, int32_t end, int32_t demand, int64_t value, int64_t load)
{
    for (int32_t k = begin; k < end; k++)
        if (sum[k - begin] < VRP_NO_PATH && is_less_ratio(sum[k - begin], k + demand, value, load))
            return true;
    return false;
}

// The least ratio through the node whose halves were taken; ties by load. Large loads go first: they often have the least one.
// Errors: STOPPED.
static mco_status least_ratio(through *t, int32_t node, int32_t *value, int32_t *load)
{
    const int32_t demand = t->pass->problem->demand[node], loads = t->halves.loads;
    int64_t best = VRP_NO_PATH, best_load = 1;
    for (int32_t begin = loads / VRP_THROUGH_TILE * VRP_THROUGH_TILE; begin >= 0; begin -= VRP_THROUGH_TILE) {
        const int32_t end = begin + VRP_THROUGH_TILE <= loads ? begin + VRP_THROUGH_TILE : loads + 1;
        if (must_stop(t, begin))
            return MCO_ERR_STOPPED;
        t->lanes->least_sums(&t->halves, begin, t->out);
        // A tie has a smaller load, so it counts.
        if (!may_undercut(t->out, begin, end, demand, best + 1, best_load))
            continue;
        join_tile(t, begin, t->out);
        for (int32_t k = end - 1; k >= begin; k--)
            if (t->out[k - begin] < VRP_NO_PATH && !is_less_ratio(best, best_load, t->out[k - begin], k + demand)) {
                best = t->out[k - begin];
                best_load = k + demand;
            }
    }
    *value = (int32_t)best;
    *load = (int32_t)best_load;
    return MCO_OK;
}

// ---- Routes

static int64_t join(const vrp_through_halves *h, int32_t near, int32_t far, bool *near_second, bool *far_second)
{
    *near_second = *far_second = false;
    if (h->before[near] != h->far_before[far] || near + far == 0)
        return (int64_t)h->value[near] + h->far_value[far];
    const int64_t a = (int64_t)h->value[near] + h->far_second[far], b = (int64_t)h->second[near] + h->far_value[far];
    *far_second = a <= b;
    *near_second = a > b;
    return a <= b ? a : b;
}

// The least route of the load through the node whose halves were taken; of several, the one whose first half has the least load.
static void trace_route(const through *t, int32_t node, int32_t load, int32_t *out, int32_t *count)
{
    const vrp_bound_problem *problem = t->pass->problem;
    const int32_t beyond = load - problem->demand[node];
    int64_t least = VRP_NO_PATH;
    int32_t near = -1;
    bool near_second = false, far_second = false;
    for (int32_t u = 0; u <= (problem->is_symmetric ? beyond / 2 : beyond); u++) {
        bool is_near, is_far;
        const int64_t value = join(&t->halves, u, beyond - u, &is_near, &is_far);
        if (value < least) {
            least = value;
            near = u;
            near_second = is_near;
            far_second = is_far;
        }
    }
    *count = 0;
    if (near < 0)
        return;
    vrp_q_trace(t->pass, false, near + problem->demand[node], node, near_second, false, out, count);
    for (int32_t a = 0, b = *count - 1; a < b; a++, b--) {
        const int32_t swap = out[a];
        out[a] = out[b];
        out[b] = swap;
    }
    vrp_q_trace(t->pass, !problem->is_symmetric, beyond - near + problem->demand[node], node, far_second, true, out, count);
}

// The ratios by the engine itself, where it can. *is_done false: the caller has to.
static mco_status ratios_of_engine(mco_context *ctx, const vrp_q_pass *pass, int32_t *value, int32_t *load, double stop_s, bool *is_done)
{
    *is_done = false;
    return pass->engine->through != NULL ? pass->engine->through(ctx, pass, value, load, NULL, stop_s, is_done) : MCO_OK;
}

mco_status vrp_through_each(mco_context *ctx, const vrp_q_pass *pass, vrp_through_visit *visit, void *user, double stop_s)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = pass->problem;
    int32_t *node = NULL, *ratio = NULL;
    bool has_ratios = false;
    through t;
    MCO_TRY(through_open(ctx, pass, stop_s, &t));
    MCO_TRY(mco_alloc(ctx, &node, 2 * (problem->capacity / problem->least_demand + 1)));
    MCO_TRY(mco_alloc(ctx, &ratio, 2 * (size_t)problem->nodes));
    MCO_TRY(ratios_of_engine(ctx, pass, ratio, ratio + problem->nodes, stop_s, &has_ratios));
    for (int32_t i = 1; i < problem->nodes; i++) {
        int32_t value, load, count = 0;
        take_halves(&t, i);
        if (!has_ratios)
            MCO_TRY(least_ratio(&t, i, &ratio[i], &ratio[problem->nodes + i]));
        value = ratio[i];
        load = ratio[problem->nodes + i];
        if (value < VRP_NO_PATH)
            trace_route(&t, i, load, node, &count);
        MCO_TRY(visit(user, i, value, load, node, count));
    }
done:
    through_close(ctx, &t);
    mco_free(ctx, &ratio);
    mco_free(ctx, &node);
    return st;
}

typedef struct ratios {
    mco_context *ctx;
    const vrp_bound_problem *problem;
    int32_t *value, *load;
    vrp_routes *routes;
} ratios;

static mco_status take_ratio(void *user, int32_t customer, int32_t value, int32_t load, const int32_t *node, int32_t count)
{
    const ratios *r = user;
    r->value[customer] = value;
    r->load[customer] = load;
    if (r->routes == NULL)
        return MCO_OK;
    return vrp_routes_append(r->ctx, r->routes, node, count, count > 0 ? vrp_bound_route_cost(r->problem, node, count) : 0);
}

mco_status vrp_through_ratios(mco_context *ctx, vrp_q_pass *pass, int32_t *value, int32_t *load, vrp_routes *routes, double stop_s)
{
    ratios r = {ctx, pass->problem, value, load, routes};
    bool is_done = false;
    if (routes != NULL)
        vrp_routes_empty(routes);
    else {
        const mco_status st = ratios_of_engine(ctx, pass, value, load, stop_s, &is_done);
        if (st != MCO_OK || is_done)
            return st;
    }
    return vrp_through_each(ctx, pass, take_ratio, &r, stop_s);
}

mco_status vrp_through_table(mco_context *ctx, vrp_q_pass *pass, int32_t *out, double stop_s)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = pass->problem;
    bool is_done = false;
    through t = {0};
    if (pass->engine->through != NULL)
        MCO_TRY(pass->engine->through(ctx, pass, NULL, NULL, out, stop_s, &is_done));
    if (is_done)
        goto done;
    MCO_TRY(through_open(ctx, pass, stop_s, &t));
    for (int64_t k = 0; k < ((int64_t)problem->capacity + 1) * problem->nodes; k++)
        out[k] = VRP_NO_PATH;
    for (int32_t i = 1; i < problem->nodes; i++) {
        take_halves(&t, i);
        for (int32_t begin = 0; begin <= t.halves.loads; begin += VRP_THROUGH_TILE) {
            if (must_stop(&t, begin)) {
                st = MCO_ERR_STOPPED;
                goto done;
            }
            join_tile(&t, begin, t.out + begin);
        }
        for (int32_t k = 0; k <= t.halves.loads; k++)
            out[((int64_t)k + problem->demand[i]) * problem->nodes + i] = t.out[k] < VRP_NO_PATH ? t.out[k] : VRP_NO_PATH;
    }
done:
    through_close(ctx, &t);
    return st;
}
