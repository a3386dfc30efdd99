// SPDX-License-Identifier: MIT
// Whatever the prices, no bound exceeds the best plan: tiny random instances against all of their plans. Distances may be equal, 0, as
// large as they may be, or of one way; customers may have no demand, and fleets may be exact.
#include "test_support.h"

#include "base/rng.h"
#include "vrp/bound/columns/ascent.h"
#include "vrp/bound/prices.h"
#include "vrp/bound/relax/ng.h"
#include "vrp/instance.h"

enum { MOST = 5, NODES = MOST + 1, ROUTES = 326 };  // 326: ordered subsets of five customers, the empty one included

static const int64_t NO_PLAN = INT64_MAX / 4;

typedef struct route {
    int32_t node[MOST], count;
} route;

typedef struct tiny {
    mco_vrp *vrp;
    vrp_bound_problem problem;
    vrp_cuts cuts;
    int32_t price[NODES], arcs[NODES * 16];
    route routes[ROUTES];   // that the vehicles can drive
    int32_t count;
    int64_t best;           // cost of a plan, scaled
    int64_t spread;         // of prices
} tiny;

static int32_t draw(uint64_t *seed, int64_t low, int64_t high)
{
    return (int32_t)(low + (int64_t)(mco_splitmix64(seed) % (uint64_t)(high - low + 1)));
}

// ---- Instances

static mco_vrp *random_vrp(uint64_t *seed)
{
    static const int32_t spans[] = {0, 1, 9, 1000, MCO_VRP_MAX_DISTANCE};
    const int32_t customers = draw(seed, 1, MOST), span = spans[draw(seed, 0, 4)], nodes = customers + 1;
    const bool is_symmetric = draw(seed, 0, 1) == 0;
    int32_t matrix[NODES * NODES] = {0}, demand[MOST], largest = 0;
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++)
            matrix[i * nodes + j] = i == j ? 0 : j < i && is_symmetric ? matrix[j * nodes + i] : draw(seed, 0, span);
    const int32_t idle = draw(seed, 0, 3);
    for (int i = 0; i < customers; i++) {
        demand[i] = draw(seed, 0, 3) < idle ? 0 : draw(seed, 1, 6);
        largest = demand[i] > largest ? demand[i] : largest;
    }
    model.capacity = draw(seed, largest > 0 ? largest : 1, 14);
    if (draw(seed, 0, 5) == 0)
        model.max_length = 2.0 * span + draw(seed, 0, span);
    assert_ok(mco_vrp_create(test_ctx, customers, matrix, demand, &model, &vrp));
    return vrp;
}

static bool is_drivable(const mco_vrp *vrp, const route *r)
{
    int64_t load = 0, length = 0;
    for (int32_t k = 0, at = 0; k <= r->count; k++) {
        const int32_t next = k < r->count ? r->node[k] : 0;
        load += vrp->demand[next];
        length += vrp_distance(vrp, at, next) + vrp_service(vrp, next);
        at = next;
    }
    return load <= vrp->capacity && (!vrp_has_max_length(vrp) || length <= vrp->max_length);
}

static void list_routes(tiny *t, route *r)
{
    if (r->count > 0 && is_drivable(t->vrp, r))
        t->routes[t->count++] = *r;
    for (int32_t i = 1; i < t->vrp->nodes; i++) {
        bool is_new = true;
        for (int32_t k = 0; k < r->count; k++)
            is_new = is_new && r->node[k] != i;
        if (!is_new)
            continue;
        r->node[r->count++] = i;
        list_routes(t, r);
        r->count--;
    }
}

static int64_t scaled_cost(const mco_vrp *vrp, const route *r)
{
    int64_t cost = vrp_distance(vrp, r->count > 0 ? r->node[r->count - 1] : 0, 0);
    for (int32_t k = 0; k < r->count; k++)
        cost += vrp_distance(vrp, k > 0 ? r->node[k - 1] : 0, r->node[k]);
    return cost;
}

// The cheapest plan of `least` to `most` routes.
static int64_t best_plan(const tiny *t, int32_t least, int32_t most)
{
    const int32_t sets = 1 << t->vrp->customers;
    int64_t value[NODES][1 << MOST], best = NO_PLAN;
    for (int k = 0; k < NODES; k++)
        for (int s = 0; s < sets; s++)
            value[k][s] = k == 0 && s == 0 ? 0 : NO_PLAN;
    for (int k = 0; k < MOST; k++)
        for (int s = 0; s < sets; s++)
            for (int32_t r = 0; r < t->count && value[k][s] < NO_PLAN; r++) {
                int32_t own = 0;
                for (int32_t a = 0; a < t->routes[r].count; a++)
                    own |= 1 << (t->routes[r].node[a] - 1);
                const int64_t cost = value[k][s] + scaled_cost(t->vrp, &t->routes[r]);
                if ((s & own) == 0 && cost < value[k + 1][s | own])
                    value[k + 1][s | own] = cost;
            }
    for (int32_t k = least; k <= most && k < NODES; k++)
        best = value[k][sets - 1] < best ? value[k][sets - 1] : best;
    return best;
}

// Rows that every plan obeys: capacity cuts, limits of crossings that cannot be exceeded, and rank-1 rows of three customers.
static void add_cut(tiny *t, uint64_t *seed)
{
    const vrp_bound_problem *p = &t->problem;
    int32_t node[MOST], size = 0, load = 0;
    for (int32_t i = 1; i < p->nodes; i++)
        if (draw(seed, 0, 1) == 0) {
            node[size++] = i;
            load += p->demand[i];
        }
    const int32_t kind = draw(seed, 0, 2), price = draw(seed, 0, t->spread);
    const uint64_t memory = (uint64_t)draw(seed, 0, (1 << p->nodes) - 1);
    if (size == 0 || (kind == 2 && size < 3))
        return;
    if (kind == 0)
        assert_ok(vrp_cuts_add_set(test_ctx, &t->cuts, node, size, VRP_CUT_AT_LEAST, 2 * ((load + p->capacity - 1) / p->capacity)));
    else if (kind == 1)
        assert_ok(vrp_cuts_add_set(test_ctx, &t->cuts, node, size, VRP_CUT_AT_MOST, 2 * size));
    else
        assert_ok(vrp_cuts_add_rank1(test_ctx, &t->cuts, node, 3, (int32_t[]){1, 1, 2}, 3, 1, draw(seed, 0, 1) == 0 ? NULL : &memory));
    t->cuts.cut[t->cuts.count - 1].price = kind == 0 ? price : -price;
}

// Returns false where the instance has no plan.
static bool make(uint64_t *seed, tiny *t)
{
    static const int32_t costs[] = {1, 20, 4000, 1 << 20, INT32_MAX};
    static const int64_t spreads[] = {0, 10, 3000, 1 << 19, VRP_PRICES_MOST};
    route empty = {.count = 0};
    *t = (tiny){.vrp = random_vrp(seed), .spread = spreads[draw(seed, 0, 4)]};
    list_routes(t, &empty);
    const bool exactly = draw(seed, 0, 2) == 0;
    const int32_t n = t->vrp->customers, vehicles = exactly || draw(seed, 0, 1) == 0 ? draw(seed, 1, n) : 0;
    const mco_status st = vrp_bound_problem_open(test_ctx, t->vrp, vehicles, exactly, costs[draw(seed, 0, 4)], &t->problem);
    t->best = best_plan(t, exactly ? vehicles : 1, vehicles > 0 ? vehicles : n);
    if (st != MCO_OK) {
        assert_int_equal(st, MCO_ERR_ARGUMENT);
        assert_true(t->best == NO_PLAN);
        return false;
    }
    vrp_cuts_open(&t->problem, &t->cuts);
    for (int32_t i = 1; i <= n; i++)
        t->price[i] = 2 * draw(seed, -t->spread / 2, t->spread / 2);
    for (int k = draw(seed, 0, 3); k > 0 && t->spread < VRP_PRICES_MOST; k--)
        add_cut(t, seed);
    vrp_prices_arcs(&t->problem, t->price, &t->cuts, NULL, t->arcs);
    return true;
}

static void clear(tiny *t)
{
    vrp_cuts_close(test_ctx, &t->cuts);
    vrp_bound_problem_close(test_ctx, &t->problem);
    mco_vrp_destroy(test_ctx, &t->vrp);
}

// ---- Bounds

// INT64_MIN: no bound.
static void assert_safe(const tiny *t, int64_t bound)
{
    assert_true(bound == INT64_MIN || vrp_bound_proved(&t->problem, bound) <= t->best);
}

// The least value of all routes that vehicles can drive, with rank-1 rows or without their prices.
static int64_t least_route(const tiny *t, bool with_rank1)
{
    int64_t least = NO_PLAN;
    for (int32_t r = 0; r < t->count; r++) {
        const route *own = &t->routes[r];
        int64_t value = vrp_prices_route(&t->problem, t->price, &t->cuts, own->node, own->count);
        for (int64_t k = 0; k < t->cuts.count && !with_rank1; k++)
            if (t->cuts.cut[k].kind == VRP_CUT_RANK1)
                value += (int64_t)t->cuts.cut[k].price * vrp_cut_coefficient(&t->cuts.cut[k], own->node, own->count);
        least = value < least ? value : least;
    }
    return least;
}

// What an arc costs never exceeds what a route pays for it, and no arc is lost.
static void assert_arcs(const tiny *t)
{
    const vrp_bound_problem *p = &t->problem;
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->stride; j++)
            assert_true((t->arcs[i * p->stride + j] >= VRP_NO_ARC) == (j >= p->nodes || i == j) && t->arcs[i * p->stride + j] > -2 * VRP_NO_PATH);
}

// Returns the bound of a pass, or INT64_MIN where it refuses these values.
static int64_t by_q(const tiny *t, mco_engine engine)
{
    const vrp_relax_settings settings = {.engine = engine, .threads = 1, .memory = 1e9};
    vrp_q_pass *pass = NULL;
    int64_t bound = INT64_MIN;
    assert_ok(vrp_q_open(test_ctx, &t->problem, &settings, &pass));
    const mco_status st = vrp_q_run(test_ctx, pass, t->arcs, INFINITY);
    if (st == MCO_OK) {
        assert_true(vrp_q_least_route(pass) <= least_route(t, false));
        bound = vrp_prices_bound(&t->problem, t->price, &t->cuts, vrp_q_least_route(pass));
    } else {
        assert_int_equal(st, MCO_ERR_LIMIT);
    }
    vrp_q_close(test_ctx, &pass);
    return bound;
}

static int64_t by_ng(const tiny *t, mco_engine engine, int32_t size)
{
    const vrp_relax_settings settings = {.engine = engine, .threads = 1, .memory = 1e9};
    vrp_ng_sets sets;
    vrp_ng_pass *pass = NULL;
    int64_t bound = INT64_MIN;
    assert_ok(vrp_ng_sets_open(test_ctx, &t->problem, size, &sets));
    assert_ok(vrp_ng_open(test_ctx, &t->problem, &sets, &settings, &pass));
    const mco_status st = vrp_ng_run(test_ctx, pass, t->arcs, INFINITY);
    if (st == MCO_OK) {
        assert_true(vrp_ng_least_route(pass) <= least_route(t, false));
        bound = vrp_prices_bound(&t->problem, t->price, &t->cuts, vrp_ng_least_route(pass));
    } else {
        assert_int_equal(st, MCO_ERR_LIMIT);
    }
    vrp_ng_close(test_ctx, &pass);
    vrp_ng_sets_close(test_ctx, &sets);
    return bound;
}

static void climb(const tiny *t)
{
    const vrp_relax_settings settings = {.engine = MCO_ENGINE_CPU, .threads = 1, .memory = 1e9};
    vrp_q_pass *pass = NULL;
    vrp_ascent ascent = {.bound = INT64_MIN};
    assert_ok(vrp_q_open(test_ctx, &t->problem, &settings, &pass));
    const mco_status st = vrp_ascend(test_ctx, &t->problem, pass, NULL, -1, 40, INFINITY, NULL, NULL, &ascent);
    if (st == MCO_OK)
        assert_safe(t, ascent.bound);
    else
        assert_int_equal(st, MCO_ERR_LIMIT);
    vrp_ascent_clear(test_ctx, &ascent);
    vrp_q_close(test_ctx, &pass);
}

static void test_no_bound_exceeds_a_plan(void **state)
{
    (void)state;
    uint64_t seed = 20;
    int plans = 0, refused = 0, tight = 0;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 500 : 8000); round++) {
        tiny t;
        if (make(&seed, &t)) {
            const int64_t bound = vrp_prices_bound(&t.problem, t.price, &t.cuts, least_route(&t, true));
            const int64_t q = by_q(&t, MCO_ENGINE_CPU), ng = by_ng(&t, MCO_ENGINE_CPU, 1 + round % 4);
            if (t.count > 0)
                assert_safe(&t, bound);
            assert_safe(&t, q);
            assert_safe(&t, ng);
            assert_arcs(&t);
            assert_true(q == by_q(&t, MCO_ENGINE_REFERENCE));
            assert_true(ng == by_ng(&t, MCO_ENGINE_REFERENCE, 1 + round % 4));
            climb(&t);
            plans += t.best < NO_PLAN;
            refused += q == INT64_MIN;
            tight += t.best < NO_PLAN && vrp_bound_proved(&t.problem, bound) == t.best;
        }
        clear(&t);
    }
    print_message("%d instances with a plan, %d passes refused, %d bounds tight\n", plans, refused, tight);
    assert_true(plans > 200 && refused > 20 && tight > 20);
}

// ---- Prices that leave all ranges

// A program that is not feasible has duals as large as it likes; arcs and bounds must bear them.
static void test_duals_of_any_size(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int rounds = 0;
    while (rounds < 300) {
        tiny t;
        double dual[NODES], row[256];
        if (make(&seed, &t)) {
            for (int k = 0; k < 100; k++) {
                if (rounds % 2 == 1)
                    add_cut(&t, &seed);
                assert_ok(vrp_cuts_add_set(test_ctx, &t.cuts, (int32_t[]){1}, 1, VRP_CUT_AT_MOST, 2));
            }
            for (int32_t i = 0; i < t.problem.nodes; i++)
                dual[i] = ldexp(draw(&seed, -100, 100), draw(&seed, 0, 40));
            for (int64_t k = 0; k < t.cuts.count; k++)
                row[k] = t.cuts.cut[k].sense == VRP_CUT_AT_MOST ? -ldexp(1, draw(&seed, 0, 60)) : rounds % 2 * ldexp(1, draw(&seed, 0, 60));
            vrp_prices_round(&t.problem, dual, row, 1, t.price, &t.cuts);
            vrp_prices_arcs(&t.problem, t.price, &t.cuts, NULL, t.arcs);
            for (int32_t r = 0; r < t.count; r++) {
                const route *own = &t.routes[r];
                int64_t sum = t.arcs[own->node[own->count - 1] * t.problem.stride];
                for (int32_t k = 0; k < own->count; k++)
                    sum += t.arcs[(k > 0 ? own->node[k - 1] : 0) * t.problem.stride + own->node[k]];
                int64_t value = vrp_prices_route(&t.problem, t.price, &t.cuts, own->node, own->count);
                for (int64_t k = 0; k < t.cuts.count; k++)
                    if (t.cuts.cut[k].kind == VRP_CUT_RANK1)
                        value += (int64_t)t.cuts.cut[k].price * vrp_cut_coefficient(&t.cuts.cut[k], own->node, own->count);
                assert_true(sum <= value);
            }
            assert_arcs(&t);
            assert_safe(&t, by_q(&t, MCO_ENGINE_CPU));
            rounds++;
        }
        clear(&t);
    }
}

// Such loads would need more than 31 bits; a smaller capacity would lose routes and prove too much.
static void test_loads_beyond_31_bits(void **state)
{
    (void)state;
    static const int32_t matrix[NODES * NODES], demand[MOST] = {333333301, 333333307, 333333311, 0, 0};
    mco_vrp *vrp = NULL;
    vrp_bound_problem p;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 900000000;
    assert_ok(mco_vrp_create(test_ctx, MOST, matrix, demand, &model, &vrp));
    assert_int_equal(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1000, &p), MCO_ERR_LIMIT);
    mco_vrp_destroy(test_ctx, &vrp);
}

// Time that is over ends the opening, and leaves nothing.
static void test_time_is_over(void **state)
{
    (void)state;
    uint64_t seed = 3;
    mco_vrp *vrp = random_vrp(&seed);
    vrp_bound_problem p;
    assert_int_equal(vrp_bound_problem_open_until(test_ctx, vrp, 0, false, 1000, 0, &p), MCO_ERR_STOPPED);
    mco_vrp_destroy(test_ctx, &vrp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_no_bound_exceeds_a_plan),
        TEST(test_duals_of_any_size),
        TEST(test_loads_beyond_31_bits),
        TEST(test_time_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
