// SPDX-License-Identifier: MIT
// Dual ascent: its bound against the best plan of small instances, and against stored values of linear programs.
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "vrp/bound/columns/ascent.h"
#include "vrp/bound/columns/parts.h"
#include "mco/vrp_bound.h"
#include "vrp/bound/prices.h"

enum { CUSTOMERS = 7, NODES = CUSTOMERS + 1, SETS = 1 << CUSTOMERS };

static int32_t draw(uint64_t *state, int32_t low, int32_t high)
{
    return low + (int32_t)(mco_splitmix64(state) % (uint64_t)(high - low + 1));
}

// Places on a grid, or a random matrix.
static mco_vrp *make(bool is_plane, uint64_t *state)
{
    int32_t matrix[NODES * NODES], demand[CUSTOMERS], x[NODES], y[NODES];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 12;
    for (int i = 0; i < NODES; i++) {
        x[i] = draw(state, 0, 50);
        y[i] = draw(state, 0, 50);
    }
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            matrix[i * NODES + j] = is_plane ? abs(x[i] - x[j]) + abs(y[i] - y[j]) : i == j ? 0 : draw(state, 1, 60);
    for (int i = 0; i < CUSTOMERS; i++)
        demand[i] = draw(state, 1, 7);
    assert_ok(mco_vrp_create(test_ctx, CUSTOMERS, matrix, demand, &model, &vrp));
    return vrp;
}

// ---- The best plan

static void visit_sets(const vrp_bound_problem *p, uint32_t set, int32_t load, int64_t cost, int32_t at, int64_t *route)
{
    const int64_t closed = cost + p->cost[at * p->stride];
    if (at > 0 && closed < route[set])
        route[set] = closed;
    for (int32_t i = 1; i < p->nodes; i++)
        if (!(set >> (i - 1) & 1) && load + p->demand[i] <= p->capacity)
            visit_sets(p, set | 1u << (i - 1), load + p->demand[i], cost + p->cost[at * p->stride + i], i, route);
}

// By sets of customers served and the number of routes.
static int64_t best_plan(const vrp_bound_problem *p)
{
    static int64_t route[SETS], best[NODES][SETS];
    int64_t least = INT64_MAX / 4;
    for (uint32_t s = 0; s < SETS; s++)
        route[s] = best[0][s] = INT64_MAX / 4;
    best[0][0] = 0;
    visit_sets(p, 0, 0, 0, 0, route);
    for (int k = 1; k <= CUSTOMERS; k++)
        for (uint32_t s = 0; s < SETS; s++) {
            best[k][s] = INT64_MAX / 4;
            for (uint32_t part = s; part > 0; part = (part - 1) & s)
                if (best[k - 1][s ^ part] + route[part] < best[k][s])
                    best[k][s] = best[k - 1][s ^ part] + route[part];
        }
    for (int32_t k = p->fleet.least; k <= p->fleet.most; k++)
        least = best[k][SETS - 1] < least ? best[k][SETS - 1] : least;
    return least;
}

// ---- Bounds

static vrp_q_pass *open_pass(const vrp_bound_problem *problem, mco_engine engine, int32_t threads)
{
    vrp_q_pass *pass = NULL;
    const vrp_relax_settings settings = {.engine = engine, .threads = threads, .memory = 1e9};
    assert_ok(vrp_q_open(test_ctx, problem, &settings, &pass));
    return pass;
}

// Prices are even, keep their sign, and prove the bound again with the reference.
static void expect_proved(const vrp_bound_problem *p, const vrp_ascent *ascent)
{
    int32_t *arcs = NULL;
    vrp_q_pass *pass = open_pass(p, MCO_ENGINE_REFERENCE, 1);
    assert_ok(mco_alloc(test_ctx, &arcs, p->nodes * p->stride));
    vrp_prices_arcs(p, ascent->price, NULL, NULL, arcs);
    assert_ok(vrp_q_run(test_ctx, pass, arcs, INFINITY));
    assert_true(vrp_prices_bound(p, ascent->price, NULL, vrp_q_least_route(pass)) >= ascent->bound);
    for (int32_t i = 0; i < p->nodes; i++)
        assert_true(ascent->price[i] % 2 == 0 && (i > 0 || ascent->price[i] == 0) && (ascent->price[i] >= 0 || !p->is_metric));
    mco_free(test_ctx, &arcs);
    vrp_q_close(test_ctx, &pass);
}

// *worst: the least share of the best plan that a bound has.
static void expect_bound(const mco_vrp *vrp, int32_t vehicles, double *worst)
{
    vrp_bound_problem p;
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, vehicles, vehicles > 0, 1 << 16, &p));
    const int64_t best = best_plan(&p);
    for (int k = 0; k < 4 && best < INT64_MAX / 4; k++) {
        vrp_q_pass *pass = open_pass(&p, k == 1 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU, k == 2 ? 2 : 1);
        vrp_ascent ascent;
        static int64_t first;
        assert_ok(vrp_ascend(test_ctx, &p, pass, NULL, k == 3 ? -1 : best, 300, INFINITY, NULL, NULL, &ascent));
        assert_true(ascent.bound <= best);
        expect_proved(&p, &ascent);
        first = k == 0 ? ascent.bound : first;
        assert_true(k == 3 || ascent.bound == first);
        *worst = fmin(*worst, (double)ascent.bound / (double)best);
        vrp_ascent_clear(test_ctx, &ascent);
        vrp_q_close(test_ctx, &pass);
    }
    vrp_bound_problem_close(test_ctx, &p);
}

static void test_small(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double worst = 1, worst_exactly = 1;
    for (int k = 0; k < 30; k++) {
        mco_vrp *vrp = make(k % 3 > 0, &seed);
        expect_bound(vrp, 0, &worst);
        expect_bound(vrp, 5, &worst_exactly);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    // Prices of a metric problem are not negative, which costs much where more routes are asked for than the loads need.
    assert_true(worst > 0.9 && worst_exactly > 0.3);
}

// Whatever an ascent begins with, its bound is one.
static void test_starts(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int rough = 0;
    for (int k = 0; k < 30; k++) {
        int32_t start[NODES];
        vrp_bound_problem p;
        vrp_ascent ascent;
        mco_vrp *vrp = make(k % 3 > 0, &seed);
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1 << 16, &p));
        vrp_q_pass *pass = open_pass(&p, MCO_ENGINE_CPU, 1);
        for (int i = 0; i < NODES; i++)
            start[i] = 2 * draw(&seed, -16384, 32768);
        assert_ok(vrp_ascend(test_ctx, &p, pass, start, -1, k, INFINITY, NULL, NULL, &ascent));
        assert_true(ascent.bound <= best_plan(&p));
        if (ascent.steps > 0)
            expect_proved(&p, &ascent);
        const int32_t steps = ascent.steps;
        vrp_ascent_clear(test_ctx, &ascent);
        assert_ok(vrp_ascend_roughly(test_ctx, &p, pass, start, -1, k, INFINITY, NULL, &ascent));
        assert_true(ascent.steps == steps && ascent.bound <= best_plan(&p));
        rough += steps > 0 && ascent.bound > INT64_MIN;
        vrp_ascent_clear(test_ctx, &ascent);
        vrp_q_close(test_ctx, &pass);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(rough > 0);
}

enum { LARGE = 2000 };

static mco_vrp *make_large(void)
{
    static double x[LARGE + 1], y[LARGE + 1];
    static int32_t demand[LARGE];
    uint64_t seed = 8;
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = TEST_IS_SANITIZED ? 16 : 40;  // a step costs as much as the capacity
    for (int i = 0; i <= LARGE; i++) {
        x[i] = draw(&seed, 0, 10000);
        y[i] = draw(&seed, 0, 10000);
    }
    for (int i = 0; i < LARGE; i++)
        demand[i] = draw(&seed, 1, 2);
    assert_ok(mco_vrp_from_coordinates(test_ctx, LARGE, x, y, demand, &model, &vrp));
    return vrp;
}

// Prices of the parts of a map are a better begin than shares of the way. A stop gives none, and failed allocations release all.
static void test_parts(void **state)
{
    (void)state;
    vrp_relax_settings settings = {.engine = MCO_ENGINE_CPU, .threads = 1, .memory = 1e9};
    mco_vrp *vrp = make_large();
    vrp_bound_problem p;
    vrp_ascent ascent;
    int32_t *start = NULL, *again = NULL;
    int64_t bound[2];
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1 << 16, &p));
    assert_ok(vrp_ascend_parts(test_ctx, &p, &settings, mco_clock_s() - 1, &start));
    assert_null(start);
    for (long k = 1; k < 20; k += 1 + 5 * TEST_IS_SANITIZED) {
        test_fail_allocation(k);
        assert_int_equal(vrp_ascend_parts(test_ctx, &p, &settings, INFINITY, &start), MCO_ERR_MEMORY);
        test_fail_allocation(0);
        assert_null(start);
    }
    assert_ok(vrp_ascend_parts(test_ctx, &p, &settings, INFINITY, &start));
    assert_non_null(start);
    settings.threads = 3;  // parts at the same time have the prices of parts in turn
    assert_ok(vrp_ascend_parts(test_ctx, &p, &settings, INFINITY, &again));
    assert_memory_equal(start, again, (size_t)p.nodes * sizeof *start);
    mco_free(test_ctx, &again);
    for (long k = 1; k < 24; k += 4 + 8 * TEST_IS_SANITIZED) {
        test_fail_allocation(k);
        assert_int_equal(vrp_ascend_parts(test_ctx, &p, &settings, INFINITY, &again), MCO_ERR_MEMORY);
        test_fail_allocation(0);
        assert_null(again);
    }
    for (int k = 0; k < 2; k++) {
        vrp_q_pass *pass = open_pass(&p, MCO_ENGINE_CPU, 1);
        assert_ok(vrp_ascend(test_ctx, &p, pass, k == 0 ? NULL : start, -1, 8, INFINITY, NULL, NULL, &ascent));
        expect_proved(&p, &ascent);
        bound[k] = ascent.bound;
        vrp_ascent_clear(test_ctx, &ascent);
        vrp_q_close(test_ctx, &pass);
    }
    assert_true(bound[1] > bound[0]);
    mco_free(test_ctx, &start);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// Cancels behind the first step of the whole map, which is before its parts.
static void cancel_before_parts(mco_log_level level, const char *line, void *user)
{
    (void)level;
    if (strncmp(line, "ascent: 1 step,", strlen("ascent: 1 step,")) == 0)
        mco_cancel(*(mco_context **)user);
}

// A run that is cancelled while the parts of a map climb has the bound of the first step.
static void test_cancelled_parts(void **state)
{
    (void)state;
    mco_vrp *vrp = make_large();
    mco_context_params settings = MCO_CONTEXT_PARAMS_INIT;
    mco_context *ctx = NULL;
    mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
    mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
    settings.log = cancel_before_parts;
    settings.log_user = &ctx;
    settings.log_level = MCO_LOG_DETAIL;
    params.method = MCO_VRP_BOUND_METHOD_ASCENT;
    assert_ok(mco_context_create(&ctx, &settings));
    assert_ok(mco_vrp_bound(ctx, vrp, &params, &r));
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    assert_true(r.scaled_bound > 0 && r.pricings == 1);
    mco_vrp_bound_result_clear(ctx, &r);
    mco_context_destroy(&ctx);
    mco_vrp_destroy(test_ctx, &vrp);
}

static void test_stop(void **state)
{
    (void)state;
    uint64_t seed = 2;
    mco_vrp *vrp = make(true, &seed);
    vrp_bound_problem p;
    vrp_ascent ascent;
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1 << 16, &p));
    vrp_q_pass *pass = open_pass(&p, MCO_ENGINE_CPU, 1);
    assert_ok(vrp_ascend(test_ctx, &p, pass, NULL, -1, 100, 0, NULL, NULL, &ascent));
    assert_true(ascent.steps == 0 && ascent.bound == INT64_MIN);
    vrp_ascent_clear(test_ctx, &ascent);
    assert_ok(vrp_ascend(test_ctx, &p, pass, NULL, -1, 1, INFINITY, NULL, NULL, &ascent));
    assert_true(ascent.steps == 1 && ascent.bound > 0);
    vrp_ascent_clear(test_ctx, &ascent);
    vrp_q_close(test_ctx, &pass);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// However soon an ascent is stopped behind its first step, it has a bound: the prices on the way may have any sign.
static void test_stop_on_the_way(void **state)
{
    (void)state;
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    mco_vrp *vrp = NULL;
    vrp_bound_problem p;
    int32_t stopped = 0;
    generation.customers = TEST_IS_SANITIZED ? 60 : 200;
    generation.depot = MCO_VRP_DEPOT_CORNER;
    generation.placement = MCO_VRP_PLACEMENT_CLUSTERED;
    generation.demand = MCO_VRP_DEMAND_1_100;
    assert_ok(mco_vrp_generate(test_ctx, &generation, &vrp));
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1 << 16, &p));
    vrp_q_pass *pass = open_pass(&p, MCO_ENGINE_CPU, 1);
    for (double seconds = 2e-4; seconds < 1; seconds *= 1.15) {
        vrp_ascent ascent;
        assert_ok(vrp_ascend(test_ctx, &p, pass, NULL, -1, 30, mco_clock_s() + seconds, NULL, NULL, &ascent));
        assert_true(ascent.steps == 0 || ascent.bound > INT64_MIN);
        stopped += ascent.steps > 0 && ascent.steps < 30;
        vrp_ascent_clear(test_ctx, &ascent);
    }
    assert_true(stopped > 0);
    vrp_q_close(test_ctx, &pass);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// Whatever allocation fails, the ascent says so and leaves nothing behind.
static void test_memory_failures(void **state)
{
    (void)state;
    uint64_t seed = 3;
    mco_vrp *vrp = make(false, &seed);
    vrp_bound_problem p;
    mco_status st = MCO_ERR_MEMORY;
    const vrp_relax_settings settings = {.engine = MCO_ENGINE_CPU, .threads = 1, .memory = 1e9};
    long k = 0;
    assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1 << 16, &p));
    while (st == MCO_ERR_MEMORY) {
        vrp_q_pass *pass = NULL;
        vrp_ascent ascent = {0};
        test_fail_allocation(++k);
        st = vrp_q_open(test_ctx, &p, &settings, &pass);
        if (st == MCO_OK)
            st = vrp_ascend(test_ctx, &p, pass, NULL, -1, 2, INFINITY, NULL, NULL, &ascent);
        test_fail_allocation(0);
        assert_true(st == MCO_OK || ascent.price == NULL);
        vrp_ascent_clear(test_ctx, &ascent);
        vrp_q_close(test_ctx, &pass);
    }
    assert_ok(st);
    assert_true(k > 30);
    vrp_bound_problem_close(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &vrp);
}

// Values of the linear program over q-routes without loops, which the ascent must not exceed.
static void test_stored_values(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        double known, lp;
    } stored[] = {{"small/E-n76-k10.vrp", 830, 811.40}, {"small/E-n101-k14.vrp", 1067, 1045.12}, {"X/X-n101-k25.vrp", 27591, 27080.2},
                  {"X/X-n110-k13.vrp", 14971, 14535.4}};
    const char *data = getenv("MCO_DATA");
    if (data == NULL)
        skip();
    for (int k = 0; k < COUNT_OF(stored); k++) {
        char path[512];
        mco_vrp *vrp = NULL;
        vrp_bound_problem p;
        vrp_ascent ascent;
        snprintf(path, sizeof path, "%s/cvrp/%s", data, stored[k].file);
        assert_ok(mco_vrp_read(test_ctx, path, &(mco_vrp_model)MCO_VRP_MODEL_INIT, &vrp));
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 1 << 18, &p));
        vrp_q_pass *pass = open_pass(&p, MCO_ENGINE_CPU, 1);
        assert_ok(vrp_ascend(test_ctx, &p, pass, NULL, (int64_t)(stored[k].known * p.unit), 300, INFINITY, NULL, NULL, &ascent));
        const double bound = (double)ascent.bound / p.unit;
        assert_true(bound <= stored[k].lp && bound >= 0.999 * stored[k].lp);
        expect_proved(&p, &ascent);
        vrp_ascent_clear(test_ctx, &ascent);
        vrp_q_close(test_ctx, &pass);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_small),           TEST(test_starts),         TEST(test_parts), TEST(test_stop),
                                       TEST(test_stop_on_the_way), TEST(test_memory_failures), TEST(test_stored_values), TEST(test_cancelled_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
