// SPDX-License-Identifier: MIT
// The search of small instances as a whole: the genetic search with symmetric distances, the annealing of a population
// with others. Steps are counted exactly, equal seeds give equal routes, limits are kept, and memory may run out.
#include "test_support.h"

#include "base/rng.h"
#include "vrp/search/rounds.h"

enum { CUSTOMERS = 60, CAPACITY = 20 };

// Points on a square of side 1000 and their distances, with ways back a little longer if asymmetric; demands 1 to 9.
static mco_vrp *problem_of(uint64_t seed, int32_t customers, bool is_symmetric, int32_t vehicles)
{
    const int32_t nodes = customers + 1;
    int32_t *matrix = calloc((size_t)nodes * (size_t)nodes, sizeof *matrix), *demands = calloc((size_t)nodes, sizeof *demands);
    double *x = calloc((size_t)nodes, sizeof *x), *y = calloc((size_t)nodes, sizeof *y);
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    assert_true(matrix != NULL && demands != NULL && x != NULL && y != NULL);
    for (int32_t i = 0; i < nodes; i++) {
        x[i] = mco_rng_below(&rng, 1000);
        y[i] = mco_rng_below(&rng, 1000);
        demands[i] = 1 + (int32_t)mco_rng_below(&rng, 9);  // the last is not read
        for (int32_t j = 0; j < i; j++) {
            matrix[i * nodes + j] = (int32_t)sqrt((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
            matrix[j * nodes + i] = matrix[i * nodes + j] + (is_symmetric ? 0 : (int32_t)mco_rng_below(&rng, 50));
        }
    }
    model.capacity = CAPACITY;
    model.vehicles = vehicles;
    assert_ok(mco_vrp_create(test_ctx, customers, matrix, demands, &model, &problem));
    assert_int_equal(problem->is_symmetric, is_symmetric);
    free(y);
    free(x);
    free(demands);
    free(matrix);
    return problem;
}

static mco_vrp_params params_of(int threads, int64_t iterations, int64_t seed)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    params.engine = MCO_ENGINE_CPU;
    params.threads = threads;
    params.iterations = iterations;
    params.seed = seed;
    return params;
}

static void assert_answer(const mco_vrp *problem, const mco_vrp_result *r, int64_t iterations)
{
    int64_t cost = -1;
    assert_int_equal(r->stop, MCO_STOP_ITERATIONS);
    assert_int_equal(r->iterations, iterations);
    assert_ok(mco_vrp_check(test_ctx, problem, &r->solution, &cost));
    assert_int_equal(r->scaled_cost, cost);
    assert_true(r->cost == (double)cost && r->cost <= r->start_cost);
}

// Numbers of steps that are not multiples of the number of customers, or that are smaller.
static void steps_are_counted_and_routes_are_the_same_again(void **state)
{
    static const int64_t iterations[] = {0, 1, CUSTOMERS - 1, CUSTOMERS + 1, 3001, TEST_IS_SANITIZED ? 4999 : 20011};
    (void)state;
    for (int is_symmetric = 0; is_symmetric <= 1; is_symmetric++) {
        mco_vrp *problem = problem_of(1, CUSTOMERS, is_symmetric, 0);
        for (int k = 0; k < COUNT_OF(iterations); k++)
            for (int threads = 1; threads <= 3; threads += 2) {
                mco_vrp_result r[2] = {MCO_VRP_RESULT_INIT, MCO_VRP_RESULT_INIT};
                const mco_vrp_params params = params_of(threads, iterations[k], 5);
                for (int i = 0; i < 2; i++) {
                    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r[i]));
                    assert_answer(problem, &r[i], iterations[k]);
                }
                const mco_vrp_solution *a = &r[0].solution, *b = &r[1].solution;
                assert_int_equal(a->routes, b->routes);
                assert_memory_equal(a->order, b->order, CUSTOMERS * sizeof *a->order);
                assert_memory_equal(a->first, b->first, ((size_t)a->routes + 1) * sizeof *a->first);
                if (k + 1 == COUNT_OF(iterations))
                    assert_true(r[0].cost < r[0].start_cost);
                mco_vrp_result_clear(test_ctx, &r[0]);
                mco_vrp_result_clear(test_ctx, &r[1]);
            }
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// The starts: a bad one, a route for every customer; and a good one.
static void a_start_is_never_made_worse(void **state)
{
    (void)state;
    for (int is_symmetric = 0; is_symmetric <= 1; is_symmetric++) {
        mco_vrp *problem = problem_of(2, CUSTOMERS, is_symmetric, 0);
        mco_vrp_solution start = {0};
        assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SINGLE, &start));
        for (int round = 0; round < 3; round++) {
            int64_t cost = -1;
            mco_vrp_result r = MCO_VRP_RESULT_INIT;
            mco_vrp_params params = params_of(1, round == 0 ? 6000 : CUSTOMERS * 3, 1 + round);
            params.start = &start;
            assert_ok(mco_vrp_check(test_ctx, problem, &start, &cost));
            assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
            assert_answer(problem, &r, params.iterations);
            assert_true(r.start_cost == (double)cost);
            assert_true(round > 0 || r.scaled_cost < cost / 2);
            mco_vrp_solution_clear(test_ctx, &start);
            start = r.solution;
            r.solution = (mco_vrp_solution){0};
            mco_vrp_result_clear(test_ctx, &r);
        }
        mco_vrp_solution_clear(test_ctx, &start);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// Every solution that the callback gets must have this many routes.
typedef struct told {
    int32_t routes;
    int64_t incumbents;
} told;

static int assert_routes(const mco_progress *progress, void *user)
{
    told *t = user;
    const mco_vrp_solution *s = progress->solution;
    if (s != NULL)
        assert_int_equal(s->routes, t->routes);
    t->incumbents += progress->event == MCO_EVENT_INCUMBENT;
    return 0;
}

// Four towns of 15 customers and three vehicles that take 20 each. Savings give each town its own vehicle, and such a
// start is refused.
static void no_more_routes_than_vehicles(void **state)
{
    enum { TOWNS = 4, OF_TOWN = 15, N = TOWNS * OF_TOWN };
    static const int town[TOWNS][2] = {{1000, 0}, {921, 389}, {697, 717}, {362, 932}};
    double x[N + 1] = {0}, y[N + 1] = {0};
    int32_t demands[N];
    mco_vrp *problem = NULL;
    mco_vrp_solution start = {0};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 3, 0);
    for (int32_t c = 0; c < N; c++) {
        x[c + 1] = town[c / OF_TOWN][0] + (int)mco_rng_below(&rng, 10);
        y[c + 1] = town[c / OF_TOWN][1] + (int)mco_rng_below(&rng, 10);
        demands[c] = 1;
    }
    model.capacity = N / (TOWNS - 1);
    model.vehicles = TOWNS - 1;
    assert_ok(mco_vrp_from_coordinates(test_ctx, N, x, y, demands, &model, &problem));
    assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SAVINGS, &start));
    assert_int_equal(start.routes, TOWNS);
    for (int k = 0; k < 4; k++) {
        mco_vrp_result r = MCO_VRP_RESULT_INIT;
        mco_vrp_params params = params_of(1 + k % 2 * 2, 6000, 1 + k);
        told t = {.routes = TOWNS - 1};
        mco_context_set_callback(test_ctx, assert_routes, &t);
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
        mco_context_set_callback(test_ctx, NULL, NULL);
        assert_answer(problem, &r, params.iterations);
        assert_int_equal(r.solution.routes, TOWNS - 1);
        assert_int_equal(r.history_count, t.incumbents);
        params.start = &start;
        assert_int_equal(mco_vrp_solve(test_ctx, problem, &params, &(mco_vrp_result)MCO_VRP_RESULT_INIT), MCO_ERR_ARGUMENT);
        mco_vrp_result_clear(test_ctx, &r);
    }
    mco_vrp_solution_clear(test_ctx, &start);
    mco_vrp_destroy(test_ctx, &problem);
}

// After 20000 children without an improvement of the best, the search begins again; here this happens more than twice.
static void a_search_begins_again(void **state)
{
    enum { N = 3, STEPS = 150000 };
    mco_vrp *problem = problem_of(5, N, true, 0);
    mco_vrp_result r[2] = {MCO_VRP_RESULT_INIT, MCO_VRP_RESULT_INIT};
    const mco_vrp_params params = params_of(1, STEPS, 1);
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r[i]));
        assert_answer(problem, &r[i], STEPS);
    }
    assert_int_equal(r[0].scaled_cost, r[1].scaled_cost);
    assert_memory_equal(r[0].solution.order, r[1].solution.order, N * sizeof *r[0].solution.order);
    mco_vrp_result_clear(test_ctx, &r[0]);
    mco_vrp_result_clear(test_ctx, &r[1]);
    mco_vrp_destroy(test_ctx, &problem);
}

// Each allocation fails in turn, with enough steps to make children.
static void memory_may_run_out(void **state)
{
    mco_vrp *problem = problem_of(4, 8, true, 0);
    mco_status st = MCO_ERR_MEMORY;
    long k = 1;
    (void)state;
    for (; st == MCO_ERR_MEMORY; k++) {
        mco_vrp_result r = MCO_VRP_RESULT_INIT;
        const mco_vrp_params params = params_of(1, 200, 1);
        assert_true(k < 10000);
        test_fail_allocation(k);
        st = mco_vrp_solve(test_ctx, problem, &params, &r);
        test_fail_allocation(0);
        mco_vrp_result_clear(test_ctx, &r);
    }
    assert_int_equal(st, MCO_OK);
    assert_true(k > 1000);  // the genetic search takes most of them
    mco_vrp_destroy(test_ctx, &problem);
}

// Progress is reported every tenth of a second, and members are annealed for 0.15 of the two seconds, so the sixth
// report comes later.
static int stop_at_the_sixth(const mco_progress *progress, void *user)
{
    int *heard = user;
    *heard += progress->event == MCO_EVENT_PROGRESS;
    return *heard >= 6;
}

static void a_search_by_children_can_be_cancelled(void **state)
{
    mco_vrp *problem = problem_of(4, CUSTOMERS, true, 0);
    mco_vrp_params params = params_of(2, -1, 1);
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    int64_t cost = -1;
    int heard = 0;
    (void)state;
    params.time_limit_s = 600;  // of which six calls take a second
    mco_context_set_callback(test_ctx, stop_at_the_sixth, &heard);
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    mco_context_set_callback(test_ctx, NULL, NULL);
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    assert_ok(mco_vrp_check(test_ctx, problem, &r.solution, &cost));
    assert_int_equal(r.scaled_cost, cost);
    mco_vrp_result_clear(test_ctx, &r);
    mco_vrp_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(steps_are_counted_and_routes_are_the_same_again),
                                       TEST(a_start_is_never_made_worse),
                                       TEST(no_more_routes_than_vehicles),
                                       TEST(a_search_by_children_can_be_cancelled),
                                       TEST(a_search_begins_again),
                                       TEST(memory_may_run_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
