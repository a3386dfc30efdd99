// SPDX-License-Identifier: MIT
// Limits of the length of routes: the least value of a route and enumerated routes against all routes, bounds against optimal plans. Units
// are finer and coarser than costs.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "lp/lp.h"
#include "mco/vrp_bound.h"
#include "vrp/bound/columns/master.h"

enum { CUSTOMERS = 6, NODES = CUSTOMERS + 1, SETS = 1 << CUSTOMERS, MOST = 10 };
static const int64_t NONE = INT64_MAX / 4;

static int32_t draw(mco_rng *rng, int32_t low, int32_t high)
{
    return low + (int32_t)mco_rng_below(rng, (uint32_t)(high - low + 1));
}

// Places on a grid of 100 with real distances. The limit binds: it is between one and three times the way to the far corner and back.
static mco_vrp *random_instance(mco_rng *rng, int32_t customers)
{
    double x[MOST + 1], y[MOST + 1];
    int32_t demand[MOST];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = draw(rng, 8, 20);
    model.distance = MCO_VRP_DISTANCES_REAL;
    model.service_time = draw(rng, 0, 20);
    model.max_length = 283 + model.service_time + draw(rng, 0, 400);
    for (int32_t i = 0; i <= customers; i++) {
        x[i] = draw(rng, 0, 100);
        y[i] = draw(rng, 0, 100);
    }
    for (int32_t i = 0; i < customers; i++)
        demand[i] = draw(rng, 1, 5);
    assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demand, &model, &vrp));
    return vrp;
}

// ---- All elementary routes

typedef struct all {
    const vrp_bound_problem *problem;
    const int32_t *price;
    const vrp_cuts *cuts;
    int32_t node[NODES], count;
    int64_t least;           // value of a route, by lengths in units
    int64_t cheapest[SETS];  // scaled cost of the cheapest route of a set that keeps the limit, not rounded
    int64_t too_long;        // routes
} all;

static void close_route(all *a)
{
    const vrp_bound_problem *p = a->problem;
    int64_t cost = 0, service = 0;
    uint32_t set = 0;
    for (int32_t k = 0, at = 0; k <= a->count; k++) {
        const int32_t to = k < a->count ? a->node[k] : 0;
        cost += mco_vrp_distance(p->vrp, at, to);
        service += to > 0 ? vrp_service(p->vrp, to) : 0;
        set |= to > 0 ? 1u << (to - 1) : 0;
        at = to;
    }
    const bool is_short = cost + service <= p->vrp->max_length, fits = vrp_bound_route_fits(p, a->node, a->count);
    assert_true(fits || !is_short);
    a->too_long += !fits;
    if (is_short && cost < a->cheapest[set])
        a->cheapest[set] = cost;
    const int64_t value = vrp_prices_route(p, a->price, a->cuts, a->node, a->count);
    if (fits && value < a->least)
        a->least = value;
}

static void walk(all *a, int32_t load, uint32_t seen)
{
    const vrp_bound_problem *p = a->problem;
    for (int32_t i = 1; i < p->nodes; i++) {
        if ((seen >> (i - 1) & 1) != 0 || load + p->demand[i] > p->capacity)
            continue;
        a->node[a->count++] = i;
        close_route(a);
        walk(a, load + p->demand[i], seen | 1u << (i - 1));
        a->count--;
    }
}

static void find_all(const vrp_bound_problem *problem, const int32_t *price, const vrp_cuts *cuts, all *a)
{
    *a = (all){.problem = problem, .price = price, .cuts = cuts, .least = NONE};
    for (int32_t s = 0; s < SETS; s++)
        a->cheapest[s] = NONE;
    walk(a, 0, 0);
}

// ---- Labels against them

static void assert_least(const vrp_label_task *task, const all *a)
{
    vrp_routes routes;
    vrp_labels_result r;
    vrp_routes_open(true, &routes);
    assert_ok(vrp_label(test_ctx, task, &routes, &r));
    assert_int_equal(r.end, VRP_LABELS_DONE);
    assert_int_equal(r.least, a->least);  // sets hold all customers
    for (int64_t k = 0; k < routes.count; k++)
        assert_true(vrp_bound_route_fits(a->problem, routes.node + routes.first[k], vrp_routes_length(&routes, k)));
    vrp_routes_close(test_ctx, &routes);
}

// Each set of customers that a vehicle can serve is enumerated by its cheapest route, also where units round costs.
static void assert_sets(vrp_label_task task, const all *a)
{
    vrp_routes routes;
    vrp_labels_result r;
    int64_t found[SETS];
    task.is_elementary = true;
    vrp_routes_open(true, &routes);
    assert_ok(vrp_label(test_ctx, &task, &routes, &r));
    assert_int_equal(r.end, VRP_LABELS_DONE);
    for (int32_t s = 0; s < SETS; s++)
        found[s] = NONE;
    for (int64_t k = 0; k < routes.count; k++) {
        int64_t cost = 0;
        uint32_t set = 0;
        int32_t at = 0;
        for (int64_t v = routes.first[k]; v < routes.first[k + 1]; v++) {
            cost += mco_vrp_distance(a->problem->vrp, at, routes.node[v]);
            at = routes.node[v];
            set |= 1u << (at - 1);
        }
        found[set] = cost + mco_vrp_distance(a->problem->vrp, at, 0);
    }
    for (int32_t s = 0; s < SETS; s++)
        if (a->cheapest[s] < NONE)
            assert_int_equal(found[s], a->cheapest[s]);
    vrp_routes_close(test_ctx, &routes);
}

static void test_labels(void **state)
{
    (void)state;
    mco_rng rng;
    int64_t too_long = 0;
    static all a;
    mco_rng_seed(&rng, 5, 0);
    for (int32_t round = 0; round < (TEST_IS_SANITIZED ? 40 : 300); round++) {
        mco_vrp *vrp = random_instance(&rng, CUSTOMERS);
        vrp_bound_problem p;
        vrp_ng_sets sets;
        vrp_ng_pass *pass = NULL;
        vrp_cuts cuts;
        int32_t price[NODES] = {0}, *arcs = NULL;
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, round % 3 == 0 ? 40 : 27000, &p));
        vrp_cuts_open(&p, &cuts);
        for (int32_t i = 1; i < NODES; i++)
            price[i] = 2 * draw(&rng, 0, (int32_t)vrp_bound_route_cost(&p, &i, 1) / 2);
        assert_ok(mco_alloc(test_ctx, &arcs, (int64_t)p.nodes * p.stride));
        vrp_prices_arcs(&p, price, &cuts, NULL, arcs);
        assert_ok(vrp_ng_sets_open(test_ctx, &p, CUSTOMERS, &sets));
        assert_ok(vrp_ng_open(test_ctx, &p, &sets, &(vrp_relax_settings){.engine = MCO_ENGINE_REFERENCE, .threads = 1, .memory = 1e9}, &pass));
        assert_ok(vrp_ng_run(test_ctx, pass, arcs, INFINITY));
        find_all(&p, price, &cuts, &a);
        too_long += a.too_long;
        assert_true(vrp_ng_least_route(pass) <= a.least);
        vrp_label_task task = {.problem = &p, .arcs = arcs, .cuts = &cuts, .sets = &sets, .below = VRP_NO_PATH, .most_routes = 1 << 20,
                               .most_labels = 1 << 20, .threads = 1, .stop_s = INFINITY};
        assert_least(&task, &a);
        assert_sets(task, &a);
        task.tables = pass;
        assert_least(&task, &a);
        assert_sets(task, &a);
        vrp_ng_close(test_ctx, &pass);
        vrp_ng_sets_close(test_ctx, &sets);
        mco_free(test_ctx, &arcs);
        vrp_cuts_close(test_ctx, &cuts);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(too_long > 0);
}

// ---- Column generation

// With the limit the program's value rises, stays below the optimum, and its routes keep the limit.
static void test_columns(void **state)
{
    (void)state;
    mco_rng rng;
    int32_t raised = 0;
    mco_rng_seed(&rng, 6, 0);
    for (int32_t round = 0; mco_lp_is_there() && round < (TEST_IS_SANITIZED ? 12 : 40); round++) {
        mco_vrp *vrp = random_instance(&rng, MOST);
        mco_vrp_params exact = MCO_VRP_PARAMS_INIT;
        mco_vrp_result best = MCO_VRP_RESULT_INIT;
        vrp_bound_problem p;
        vrp_master m;
        bool is_done;
        exact.threads = 1;
        assert_ok(mco_vrp_solve(test_ctx, vrp, &exact, &best));
        assert_int_equal(best.outcome, MCO_OUTCOME_OPTIMAL);
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, round % 2 == 0 ? 27000 : 1000, &p));
        assert_ok(vrp_master_open(test_ctx, NULL, &p, NULL, NULL, NULL, &m));
        assert_ok(vrp_master_take_ng(&m, &(vrp_relax_settings){.engine = MCO_ENGINE_REFERENCE, .threads = 1, .memory = 1e9}, 5));
        assert_ok(vrp_master_solve(&m, INFINITY, &is_done));
        const int64_t free_bound = m.bound;
        assert_ok(vrp_master_limit_length(&m, true));
        assert_true(m.limits_length);
        assert_ok(vrp_master_solve(&m, INFINITY, &is_done));
        assert_true(is_done && m.bound >= free_bound);
        assert_true(vrp_bound_proved(&p, m.bound) <= best.scaled_cost);
        assert_true(m.lp_value - (double)m.bound <= 1e-3 * m.lp_value + 2 * MOST);
        for (int64_t k = 0; k < m.columns.count; k++)
            assert_true(vrp_bound_route_fits(&p, m.columns.node + m.columns.first[k], vrp_routes_length(&m.columns, k)));
        raised += m.bound > free_bound + free_bound / 1000;
        vrp_master_close(&m);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_result_clear(test_ctx, &best);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(raised > 0 || TEST_IS_SANITIZED || !mco_lp_is_there());  // few rounds under a sanitizer
}

// ---- The driver

// A proof of an optimal cost ends there; what it proves of a greater cost is no more than the optimum, and its plan is optimal.
static void test_proofs(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    for (int32_t round = 0; mco_lp_is_there() && round < (TEST_IS_SANITIZED ? 4 : 24); round++) {
        mco_vrp *vrp = random_instance(&rng, draw(&rng, 3, MOST));
        mco_vrp_params exact = MCO_VRP_PARAMS_INIT;
        mco_vrp_result best = MCO_VRP_RESULT_INIT;
        mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
        mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
        exact.threads = params.threads = 1;
        params.time_limit_s = 300;
        params.cuts = (mco_vrp_cuts)(round % 3);
        assert_ok(mco_vrp_solve(test_ctx, vrp, &exact, &best));
        const int64_t known = best.scaled_cost + round % 2 * (best.scaled_cost / 20);
        params.known = (double)known / mco_vrp_scale(vrp);
        assert_ok(mco_vrp_bound(test_ctx, vrp, &params, &r));
        assert_int_equal(r.scaled_bound, best.scaled_cost);
        assert_true(r.root_bound <= best.cost + 1e-9);
        if (known > best.scaled_cost) {
            assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
            assert_int_equal(r.scaled_cost, best.scaled_cost);
        }
        mco_vrp_bound_result_clear(test_ctx, &r);
        mco_vrp_result_clear(test_ctx, &best);
        mco_vrp_destroy(test_ctx, &vrp);
    }
}

// A cost below the optimum is a bound, and no more is proved by it: not even where routes of a plan were counted by it.
static void test_low_costs(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 8, 0);
    for (int32_t round = 0; mco_lp_is_there() && round < (TEST_IS_SANITIZED ? 6 : 600); round++) {
        mco_vrp *vrp = random_instance(&rng, draw(&rng, 6, MOST));
        mco_vrp_params exact = MCO_VRP_PARAMS_INIT;
        mco_vrp_result best = MCO_VRP_RESULT_INIT;
        mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
        mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
        exact.threads = params.threads = 1;
        params.time_limit_s = 300;
        assert_ok(mco_vrp_solve(test_ctx, vrp, &exact, &best));
        const int64_t known = best.scaled_cost - round % 10 * (best.scaled_cost / 50);
        params.known = (double)known / mco_vrp_scale(vrp);
        assert_ok(mco_vrp_bound(test_ctx, vrp, &params, &r));
        assert_int_equal(r.outcome, MCO_OUTCOME_NONE_BELOW);
        assert_int_equal(r.scaled_bound, known);
        assert_true(r.root_bound <= best.cost + 1e-9);
        mco_vrp_bound_result_clear(test_ctx, &r);
        mco_vrp_result_clear(test_ctx, &best);
        mco_vrp_destroy(test_ctx, &vrp);
    }
}

// Lengths beyond the range of labels, in units: the bound is that of loads alone.
static void test_large_lengths(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3, 1, 2, 3}, y[] = {0, 0, 1, 0, 2, 3, 2};
    const int32_t demand[] = {1, 1, 1, 1, 1, 1};
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
    mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
    model.capacity = 4;
    model.service_time = 1000000;
    model.max_length = 3500000;
    params.threads = 1;
    params.time_limit_s = 300;
    assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demand, &model, &vrp));
    assert_ok(mco_vrp_bound(test_ctx, vrp, &params, &r));
    assert_true(r.scaled_bound > 0 || !mco_lp_is_there());
    mco_vrp_bound_result_clear(test_ctx, &r);
    mco_vrp_destroy(test_ctx, &vrp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_labels), TEST(test_columns), TEST(test_proofs), TEST(test_low_costs), TEST(test_large_lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
