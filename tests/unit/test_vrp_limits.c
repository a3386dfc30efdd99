// SPDX-License-Identifier: MIT
// What a search owes to the clock. Solutions are told while walks and children are still under way, and a target ends
// the search then. What comes before the search ends at the limit too. What a search does until then is counted in CPU
// seconds, for a loaded machine may give it few of them: less than a search does that looks between its rounds only (4 s
// and more of each thread).
#include "test_support.h"

#include "base/clock.h"
#include "base/rng.h"
#include "vrp/search/construct.h"
#include "vrp/search/curve.h"
#include "vrp/search/neighbours.h"
#include "vrp/search/search.h"
#include "vrp_support.h"

static const double SOON_S = TEST_IS_SANITIZED ? 30 : 3;  // CPU seconds of each thread

// Customers at random places of a square, with demands 1 to 9.
static mco_vrp *problem_of(uint64_t seed, int32_t customers)
{
    double *x = calloc((size_t)customers + 1, sizeof *x), *y = calloc((size_t)customers + 1, sizeof *y);
    int32_t *demands = calloc((size_t)customers + 1, sizeof *demands);
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    assert_true(x != NULL && y != NULL && demands != NULL);
    for (int32_t i = 0; i <= customers; i++) {
        x[i] = mco_rng_below(&rng, 10000);
        y[i] = mco_rng_below(&rng, 10000);
        if (i < customers)
            demands[i] = 1 + (int32_t)mco_rng_below(&rng, 9);
    }
    model.capacity = 40;
    assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demands, &model, &problem));
    free(x);
    free(y);
    free(demands);
    return problem;
}

// Distances that differ by direction: the search is another one.
static mco_vrp *asymmetric_of(uint64_t seed, int32_t customers)
{
    const int32_t nodes = customers + 1;
    int32_t *distances = calloc((size_t)nodes * (size_t)nodes, sizeof *distances);
    int32_t *demands = calloc((size_t)customers, sizeof *demands);
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    assert_true(distances != NULL && demands != NULL);
    for (int32_t i = 0; i < nodes * nodes; i++)
        distances[i] = 1000 + (int32_t)mco_rng_below(&rng, 1000);
    for (int32_t i = 0; i < customers; i++)
        demands[i] = 1;
    model.capacity = 10;
    assert_ok(mco_vrp_create(test_ctx, customers, distances, demands, &model, &problem));
    free(distances);
    free(demands);
    return problem;
}

typedef struct heard {
    const mco_vrp *problem;
    int incumbents, wanted;
    double cpu_s;  // of the process, at the last of them
} heard;

// Stops at the incumbent that is wanted. Every solution told must be valid and have the cost told.
static int listen(const mco_progress *progress, void *user)
{
    heard *h = user;
    int64_t cost = -1;
    if (progress->event != MCO_EVENT_INCUMBENT)
        return 0;
    assert_ok(mco_vrp_check(test_ctx, h->problem, progress->solution, &cost));
    assert_true(progress->objective == (double)cost / mco_vrp_scale(h->problem));
    h->cpu_s = mco_cpu_clock_s();
    return ++h->incumbents >= h->wanted;
}

// A search that has no end of its own plans walks of several seconds.
static void assert_told_soon(mco_vrp *problem, int threads)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    heard h = {.problem = problem, .wanted = 3};
    params.threads = threads;
    params.engine = MCO_ENGINE_CPU;
    params.target = 0;
    mco_context_set_callback(test_ctx, listen, &h);
    double begin_s = mco_cpu_clock_s();
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    mco_context_set_callback(test_ctx, NULL, NULL);
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    assert_true(h.incumbents >= h.wanted);  // walks that end may bring one more
    assert_true(h.cpu_s - begin_s < SOON_S * threads);

    // The third cost as a target ends the search as soon.
    params.target = r.cost;
    mco_vrp_result_clear(test_ctx, &r);
    r = (mco_vrp_result)MCO_VRP_RESULT_INIT;
    begin_s = mco_cpu_clock_s();
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.stop, MCO_STOP_TARGET);
    assert_true(r.cost <= params.target);
    assert_true(mco_cpu_clock_s() - begin_s < 2 * SOON_S * threads);
    mco_vrp_result_clear(test_ctx, &r);
    mco_vrp_destroy(test_ctx, &problem);
}

static void improvements_are_told_while_walks_go_on(void **state)
{
    (void)state;
    assert_told_soon(problem_of(1, 60), 1);
    assert_told_soon(problem_of(2, 60), 3);
    assert_told_soon(asymmetric_of(3, 100), 2);
    assert_told_soon(problem_of(4, 700), 2);
}

static int64_t optimum_of(const mco_vrp *problem)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    params.iterations = 20000;
    params.threads = 1;
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    const int64_t cost = r.scaled_cost;
    mco_vrp_result_clear(test_ctx, &r);
    return cost;
}

static void tiny_searches_end_at_their_target(void **state)
{
    (void)state;
    for (int32_t customers = 14; customers <= 34; customers += 10)  // fewer are decided exactly
    {
        mco_vrp *problem = problem_of((uint64_t)customers, customers);
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        mco_vrp_result r = MCO_VRP_RESULT_INIT;
        params.target = (double)optimum_of(problem);
        params.threads = 2;
        const double begin_s = mco_cpu_clock_s();
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
        assert_int_equal(r.stop, MCO_STOP_TARGET);
        assert_true(mco_cpu_clock_s() - begin_s < 2 * SOON_S);
        mco_vrp_result_clear(test_ctx, &r);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// Whoever looks early must not change the answer: the solution of the finished work counts, at equal cost too.
static void early_solutions_give_way_to_those_of_the_finished_work(void **state)
{
    mco_vrp *problem = problem_of(7, 6);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_solution s = {0}, reversed = {0};
    vrp_search search = {.ctx = test_ctx, .problem = problem, .params = &params, .best_cost = -1, .start_cost = -1};
    (void)state;
    search.run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "cost"});
    assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SINGLE, &s));
    assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SINGLE, &reversed));
    for (int32_t c = 0; c < 6; c++)
        reversed.order[c] = 5 - c;
    assert_ok(vrp_search_note_early(&search, &reversed, 100, "early"));
    assert_int_equal(search.best.order[0], 5);
    assert_ok(vrp_search_note_early(&search, &s, 100, "early"));  // an early one gives way to no other early one
    assert_int_equal(search.best.order[0], 5);
    assert_ok(vrp_search_note(&search, &s, 100, "done"));
    assert_int_equal(search.best.order[0], 0);
    assert_ok(vrp_search_note(&search, &reversed, 100, "done"));
    assert_int_equal(search.best.order[0], 0);
    assert_int_equal(search.run.history_count, 1);
    mco_run_clear(&search.run);
    mco_vrp_solution_clear(test_ctx, &search.best);
    mco_vrp_solution_clear(test_ctx, &reversed);
    mco_vrp_solution_clear(test_ctx, &s);
    mco_vrp_destroy(test_ctx, &problem);
}

// ---- Before the search

enum { LARGE = 30000 };  // customers: a curve comes first

static int64_t check_of(const mco_vrp *problem, const mco_vrp_solution *s)
{
    int64_t cost = -1;
    assert_ok(mco_vrp_check(test_ctx, problem, s, &cost));
    return cost;
}

static int64_t curve_cost(const mco_vrp *problem)
{
    mco_vrp_solution s = {0};
    assert_ok(vrp_construct_along_curve(test_ctx, problem, NULL, &s));
    const int64_t cost = check_of(problem, &s);
    mco_vrp_solution_clear(test_ctx, &s);
    return cost;
}

static bool count_down(void *questions)
{
    return --*(int *)questions < 0;
}

// At whatever question the work ends: no routes, no memory lost.
static void constructions_end_when_asked(void **state)
{
    mco_vrp *problem = problem_of(11, LARGE);
    const int steps = TEST_IS_SANITIZED ? 9 : 1;
    (void)state;
    for (mco_vrp_construction c = MCO_VRP_CONSTRUCTION_INSERTION; c <= MCO_VRP_CONSTRUCTION_SAVINGS; c++) {
        mco_status st = MCO_ERR_STOPPED;
        int most = 0;
        for (; st == MCO_ERR_STOPPED; most = 3 * most + steps) {
            int questions = most;
            mco_vrp_solution s = {0};
            st = vrp_construct(test_ctx, problem, c, 2, &(vrp_watch){.ends = count_down, .user = &questions}, &s);
            assert_true(st == MCO_OK || (st == MCO_ERR_STOPPED && s.order == NULL));
            mco_vrp_solution_clear(test_ctx, &s);
        }
        assert_int_equal(st, MCO_OK);
        assert_true(c == MCO_VRP_CONSTRUCTION_SINGLE || most > 9);
    }
    mco_vrp_destroy(test_ctx, &problem);
}

static void neighbours_do_not_depend_on_threads_or_questions(void **state)
{
    mco_vrp *problem = problem_of(12, 3000);
    int32_t *one = NULL, *three = NULL, count = 20;
    int questions = INT32_MAX;
    const vrp_watch watch = {.ends = count_down, .user = &questions};
    (void)state;
    assert_ok(vrp_neighbours(test_ctx, problem, &count, 1, NULL, &one));
    assert_ok(vrp_neighbours(test_ctx, problem, &count, 3, &watch, &three));
    assert_memory_equal(one, three, (size_t)count * 3000 * sizeof *one);
    mco_free(test_ctx, &three);
    mco_free(test_ctx, &one);
    mco_vrp_destroy(test_ctx, &problem);
}

// More customers at one place than a list holds: each list has those behind its customer, so that savings join all of them.
static void customers_at_one_place_are_all_listed(void **state)
{
    enum { AWAY = 2, ALL = 1500, LOAD = 12 };
    double x[ALL + 1] = {0}, y[ALL + 1] = {0};
    int32_t demands[ALL], *near = NULL, count = 10;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_vrp_solution routes = {0};
    (void)state;
    for (int32_t c = 0; c < ALL; c++) {
        x[c + 1] = c < AWAY ? 90 : 100;
        demands[c] = 1;
    }
    model.capacity = LOAD;
    assert_ok(mco_vrp_from_coordinates(test_ctx, ALL, x, y, demands, &model, &problem));
    assert_ok(vrp_neighbours(test_ctx, problem, &count, 1, NULL, &near));
    for (int32_t c = AWAY; c < ALL; c++)
        for (int32_t k = 0; k < count; k++)
            assert_int_equal(near[c * count + k], c + 1 + k < ALL ? c + 1 + k : AWAY + c + 1 + k - ALL);
    assert_int_equal(near[0], 1);
    assert_int_equal(near[1], AWAY);
    assert_int_equal(near[2], AWAY + 1);
    assert_ok(vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SAVINGS, 1, NULL, &routes));
    assert_true(routes.routes <= ALL / LOAD + 2);
    mco_vrp_solution_clear(test_ctx, &routes);
    mco_free(test_ctx, &near);
    mco_vrp_destroy(test_ctx, &problem);
}

// A curve keeps neighbours together: far cheaper than the order of the numbers. Without places it is that order.
static void routes_along_a_curve_are_valid_and_short(void **state)
{
    mco_vrp *plane = problem_of(13, 2000), *matrix = asymmetric_of(14, 50);
    mco_vrp *empty = problem_of(15, 0), *one = problem_of(16, 1);
    mco_vrp_solution single = {0}, numbers = {0};
    (void)state;
    assert_ok(mco_vrp_construct(test_ctx, plane, MCO_VRP_CONSTRUCTION_SINGLE, &single));
    assert_true(3 * curve_cost(plane) < check_of(plane, &single));
    assert_ok(vrp_construct_along_curve(test_ctx, matrix, NULL, &numbers));
    assert_int_equal(numbers.routes, 5);
    for (int32_t c = 0; c < 50; c++)
        assert_int_equal(numbers.order[c], c);
    assert_int_equal(curve_cost(empty), 0);
    assert_true(curve_cost(one) > 0);
    mco_vrp_solution_clear(test_ctx, &numbers);
    mco_vrp_solution_clear(test_ctx, &single);
    mco_vrp_destroy(test_ctx, &one);
    mco_vrp_destroy(test_ctx, &empty);
    mco_vrp_destroy(test_ctx, &matrix);
    mco_vrp_destroy(test_ctx, &plane);
}

// What a limit leaves time for does not depend on the machine if it leaves none.
static void a_limit_of_nothing_gives_routes_along_a_curve(void **state)
{
    mco_vrp *problem = problem_of(17, LARGE);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    mco_vrp_neighbourhood_result around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    const int64_t cost = curve_cost(problem);
    (void)state;
    params.engine = MCO_ENGINE_CPU;
    params.time_limit_s = 0;
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    assert_int_equal(r.scaled_cost, cost);
    assert_int_equal(r.iterations, 0);
    mco_vrp_result_clear(test_ctx, &r);
    params.type = MCO_VRP_TYPE_THREE_OPT;
    assert_ok(mco_vrp_neighbourhood(test_ctx, problem, &params, &around));
    assert_int_equal(around.stop, MCO_STOP_TIME);
    assert_int_equal(around.scaled_cost, cost);
    assert_int_equal(around.sweep_count, 0);
    assert_true(around.is_feasible);
    mco_vrp_neighbourhood_result_clear(test_ctx, &around);

    // A cancellation ends the work before the search in the same way; a small instance has routes then too.
    mco_vrp *small = problem_of(18, 300);
    params.time_limit_s = INFINITY;
    for (int k = 0; k < 2; k++) {
        r = (mco_vrp_result)MCO_VRP_RESULT_INIT;
        mco_cancel(test_ctx);
        assert_ok(mco_vrp_solve(test_ctx, k == 0 ? problem : small, &params, &r));
        assert_int_equal(r.stop, MCO_STOP_CANCELLED);
        assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
        mco_vrp_result_clear(test_ctx, &r);
    }
    mco_vrp_destroy(test_ctx, &small);
    mco_vrp_destroy(test_ctx, &problem);
}

static void long_files_are_given_up_at_the_limit(void **state)
{
    char path[] = "vrp-limits-XXXXXX";
    mco_vrp *problem = problem_of(19, 6000), *read = NULL;
    const int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    close(file);
    assert_ok(mco_vrp_write(test_ctx, problem, path));
    test_ctx->read_stop_s = 1e-9;  // long ago
    assert_int_equal(mco_vrp_read(test_ctx, path, NULL, &read), MCO_ERR_STOPPED);
    assert_non_null(strstr(mco_context_error(test_ctx), "the time limit"));
    assert_null(read);
    test_ctx->read_stop_s = 0;
    assert_ok(mco_vrp_read(test_ctx, path, NULL, &read));
    remove(path);
    mco_vrp_destroy(test_ctx, &read);
    mco_vrp_destroy(test_ctx, &problem);
}

// Whether a curve takes less than half of a limit: then a machine is free enough to judge what that limit gives.
static bool is_curve_within(const mco_vrp *problem, double limit_s)
{
    mco_vrp_solution s = {0};
    const double begin_s = mco_clock_s();
    assert_ok(vrp_construct_along_curve(test_ctx, problem, NULL, &s));
    const double seconds = mco_clock_s() - begin_s;
    mco_vrp_solution_clear(test_ctx, &s);
    return seconds < limit_s / 2;
}

// The time that a neighbourhood keeps for its end, 0.25 s, is no reason to have no routes. On a busy machine a curve may take
// longer than the limit itself: such a run says nothing.
static void a_neighbourhood_has_the_routes_along_a_curve(void **state)
{
    (void)state;
    if (TEST_IS_SANITIZED)
        return;
    mco_status st = MCO_ERR_STOPPED;
    mco_vrp *problem = problem_of(19, 1000000);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    int judged = 0;
    params.engine = MCO_ENGINE_CPU;
    params.time_limit_s = 0.24;
    for (int run = 0; run < 8 && judged < 4 && st == MCO_ERR_STOPPED; run++) {
        mco_vrp_neighbourhood_result r = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
        const bool is_free = is_curve_within(problem, params.time_limit_s);
        st = mco_vrp_neighbourhood(test_ctx, problem, &params, &r);
        assert_true(st == MCO_ERR_STOPPED || st == MCO_OK);
        assert_true(st != MCO_OK || (r.stop == MCO_STOP_TIME && r.sweep_count == 0 && r.is_feasible));
        mco_vrp_neighbourhood_result_clear(test_ctx, &r);
        judged += is_free && is_curve_within(problem, params.time_limit_s);
    }
    assert_true(st == MCO_OK || judged < 4);
    mco_vrp_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(constructions_end_when_asked),
                                       TEST(neighbours_do_not_depend_on_threads_or_questions),
                                       TEST(customers_at_one_place_are_all_listed),
                                       TEST(routes_along_a_curve_are_valid_and_short),
                                       TEST(a_limit_of_nothing_gives_routes_along_a_curve),
                                       TEST(a_neighbourhood_has_the_routes_along_a_curve),
                                       TEST(long_files_are_given_up_at_the_limit),
                                       TEST(improvements_are_told_while_walks_go_on),
                                       TEST(tiny_searches_end_at_their_target),
                                       TEST(early_solutions_give_way_to_those_of_the_finished_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
