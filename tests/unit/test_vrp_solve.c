// SPDX-License-Identifier: MIT
// Entry points: what is refused, infeasible instances, no customer and one customer, ends, starts, the callback, memory
// that runs out.
#include "test_support.h"

#include <math.h>

#include "base/clock.h"
#include "base/rng.h"
#include "vrp/search/exact.h"
#include "vrp_support.h"

enum { CUSTOMERS = 40, CAPACITY = 30 };

// ---- A random instance of CUSTOMERS customers on a square of side 1000, demands 1 to 9

static mco_vrp *problem_of(uint64_t seed, int32_t customers, const mco_vrp_model *model)
{
    double *x = calloc((size_t)customers + 1, sizeof *x), *y = calloc((size_t)customers + 1, sizeof *y);
    int32_t *demands = calloc((size_t)customers + 1, sizeof *demands);
    mco_vrp_model usual = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    assert_true(x != NULL && y != NULL && demands != NULL);
    for (int32_t i = 0; i <= customers; i++) {
        x[i] = mco_rng_below(&rng, 1000);
        y[i] = mco_rng_below(&rng, 1000);
        if (i < customers)
            demands[i] = 1 + (int32_t)mco_rng_below(&rng, 9);
    }
    usual.capacity = CAPACITY;
    assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demands, model != NULL ? model : &usual, &problem));
    free(x);
    free(y);
    free(demands);
    return problem;
}

static int64_t total_of(const mco_vrp *problem, const mco_vrp_solution *s)
{
    int64_t cost = -1;
    assert_ok(mco_vrp_check(test_ctx, problem, s, &cost));
    return cost;
}

// Checks an answer; its history must fall to its cost. All values but the scaled cost are in units of the file.
static void assert_answer(const mco_vrp *problem, const mco_vrp_result *r)
{
    assert_int_equal(total_of(problem, &r->solution), r->scaled_cost);
    assert_true(r->cost == (double)r->scaled_cost / mco_vrp_scale(problem));
    assert_true(r->scaled_cost >= 0 && r->cost <= r->start_cost);
    assert_true(r->history_count > 0);
    assert_true(r->history[0].objective == r->start_cost);
    assert_true(r->history[r->history_count - 1].objective == r->cost);
    for (int64_t i = 0; i < r->history_count; i++) {
        const mco_improvement *now = &r->history[i];
        assert_true(now->bound == r->bound || (isnan(now->bound) && isnan(r->bound)));
        assert_true(i == 0 || (now->objective < now[-1].objective && now->time_s >= now[-1].time_s));
    }
}

// ---- A callback that keeps what it is told

typedef struct heard {
    const mco_vrp *problem;
    int incumbents;
    double objective;
    int32_t first_routes, routes;  // of the first solution and of the last
    bool stops;
} heard;

// What a callback gets must be a solution of the cost told.
static int listen(const mco_progress *progress, void *user)
{
    heard *h = user;
    const mco_vrp_solution *s = progress->solution;
    if (s == NULL)
        return 0;
    assert_true(progress->objective == (double)total_of(h->problem, s) / mco_vrp_scale(h->problem));
    h->objective = progress->objective;
    h->routes = s->routes;
    h->first_routes = h->first_routes > 0 ? h->first_routes : s->routes;
    h->incumbents += progress->event == MCO_EVENT_INCUMBENT;
    return h->stops;
}

// ---- Refusals

static void assert_struct_refused(mco_status st, const char *name, size_t size)
{
    char expected[80];
    const int length = snprintf(expected, sizeof expected, "struct_size of %s is %zu, ", name, size);
    assert_int_equal(st, MCO_ERR_ARGUMENT);
    assert_memory_equal(mco_context_error(test_ctx), expected, (size_t)length);
}

static void wrong_arguments_are_refused(void **state)
{
    mco_vrp *problem = problem_of(1, 5, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    mco_vrp_neighbourhood_result around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    (void)state;
    assert_int_equal(mco_vrp_solve(NULL, problem, &params, &r), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_vrp_neighbourhood(NULL, problem, &params, &around), MCO_ERR_ARGUMENT);
    assert_fails(mco_vrp_solve(test_ctx, NULL, &params, &r), MCO_ERR_ARGUMENT, "the instance is NULL");
    assert_fails(mco_vrp_solve(test_ctx, problem, NULL, &r), MCO_ERR_ARGUMENT, "params is NULL");
    assert_fails(mco_vrp_solve(test_ctx, problem, &params, NULL), MCO_ERR_ARGUMENT, "result is NULL");
    assert_fails(mco_vrp_neighbourhood(test_ctx, NULL, &params, &around), MCO_ERR_ARGUMENT, "the instance is NULL");
    assert_fails(mco_vrp_neighbourhood(test_ctx, problem, NULL, &around), MCO_ERR_ARGUMENT, "params is NULL");
    assert_fails(mco_vrp_neighbourhood(test_ctx, problem, &params, NULL), MCO_ERR_ARGUMENT, "result is NULL");
    for (int is_larger = 0; is_larger <= 1; is_larger++) {
        r.struct_size = is_larger ? sizeof r + 1 : 1;
        assert_struct_refused(mco_vrp_solve(test_ctx, problem, &params, &r), "result", r.struct_size);
        r.struct_size = sizeof r;
        around.struct_size = is_larger ? sizeof around + 1 : 0;
        assert_struct_refused(mco_vrp_neighbourhood(test_ctx, problem, &params, &around), "result", around.struct_size);
        around.struct_size = sizeof around;
        params.struct_size = is_larger ? sizeof params + 1 : 0;
        assert_struct_refused(mco_vrp_solve(test_ctx, problem, &params, &r), "params", params.struct_size);
        assert_struct_refused(mco_vrp_neighbourhood(test_ctx, problem, &params, &around), "params", params.struct_size);
        params.struct_size = sizeof params;
    }
    params.engine = MCO_ENGINE_CPU;
    params.gpus = "0";
    assert_fails(mco_vrp_solve(test_ctx, problem, &params, &r), MCO_ERR_ARGUMENT, "--gpus 0 is for --engine gpu");
    params.gpus = NULL;
    params.threads = -1;
    assert_int_equal(mco_vrp_solve(test_ctx, problem, &params, &r), MCO_ERR_ARGUMENT);
    params.threads = 1;
    params.keep = NAN;
    assert_int_equal(mco_vrp_neighbourhood(test_ctx, problem, &params, &around), MCO_ERR_ARGUMENT);
    mco_vrp_destroy(test_ctx, &problem);
}

// Structs of an older header are shorter: a missing parameter has its default, and a missing result is not written.
static void older_structs_are_taken(void **state)
{
    mco_vrp *problem = problem_of(1, 5, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    (void)state;
    params.engine = MCO_ENGINE_REFERENCE;
    r = (mco_vrp_result){.struct_size = offsetof(mco_vrp_result, reason), .reason = "kept"};
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.struct_size, offsetof(mco_vrp_result, reason));
    assert_int_equal(total_of(problem, &r.solution), r.scaled_cost);
    assert_non_null(r.history);
    mco_vrp_result_clear(test_ctx, &r);
    assert_null(r.solution.order);
    assert_null(r.history);
    assert_string_equal(r.reason, "kept");
    mco_vrp_destroy(test_ctx, &problem);
}

// Routes of customers 1 to 4 with one of them missing, repeated or unknown.
static void starts_that_miss_a_customer_are_refused(void **state)
{
    static const struct {
        int32_t order[4], first[3];
        const char *message;  // of mco_vrp_neighbourhood()
    } starts[] = {
        {{0, 1, 2, 2}, {0, 2, 4}, "the solution to start with visits customer 3, which it has visited already"},
        {{0, 1, 2, 4}, {0, 2, 4}, "the solution to start with visits customer 5, which does not exist"},
        {{0, -1, 2, 3}, {0, 2, 4}, "the solution to start with visits customer 0, which does not exist"},
        {{0, 1, 2, 3}, {0, 0, 4}, "route 1 of the solution to start with is empty"},
        {{0, 1, 2, 3}, {0, 2, 3}, "the routes to start with reach from place 0 to 3, 0 to 4 was expected"},
        {{0, 1, 2, 3}, {1, 2, 4}, "the routes to start with reach from place 1 to 4, 0 to 4 was expected"}};
    mco_vrp *problem = problem_of(2, 4, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    mco_vrp_neighbourhood_result around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    (void)state;
    for (int k = 0; k < COUNT_OF(starts); k++) {
        mco_vrp_solution start = {4, 2, (int32_t *)starts[k].order, (int32_t *)starts[k].first};
        params.start = &start;
        assert_int_equal(mco_vrp_solve(test_ctx, problem, &params, &r), MCO_ERR_ARGUMENT);
        assert_fails(mco_vrp_neighbourhood(test_ctx, problem, &params, &around), MCO_ERR_ARGUMENT, starts[k].message);
    }
    int32_t first[] = {0, 4};
    const struct {
        mco_vrp_solution start;
        const char *message;
    } shapes[] = {{{3, 0, NULL, NULL}, "the solution to start with has 3 customers, the instance has 4"},
                  {{4, -1, NULL, NULL}, "the solution to start with has -1 routes, at least 0 were expected"},
                  {{4, 1, NULL, NULL}, "the solution to start with has no routes"},
                  {{4, 1, NULL, first}, "the solution to start with has no order"}};
    for (int k = 0; k < COUNT_OF(shapes); k++) {
        params.start = &shapes[k].start;
        assert_int_equal(mco_vrp_solve(test_ctx, problem, &params, &r), MCO_ERR_ARGUMENT);
        assert_fails(mco_vrp_neighbourhood(test_ctx, problem, &params, &around), MCO_ERR_ARGUMENT, shapes[k].message);
    }
    mco_vrp_destroy(test_ctx, &problem);
}

#ifndef MCO_HAVE_CUDA
static void a_gpu_that_is_not_compiled_in_is_missing(void **state)
{
    mco_vrp *problem = problem_of(2, 4, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    mco_vrp_neighbourhood_result around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *reason = NULL;
    (void)state;
    assert_ok(mco_gpus_list(test_ctx, gpus, &count, &reason));
    params.engine = MCO_ENGINE_GPU;
    if (count == 0) {
        char why[256];
        snprintf(why, sizeof why, "no GPU: %s; --engine cpu needs none", reason);
        assert_fails(mco_vrp_solve(test_ctx, problem, &params, &r), MCO_ERR_DEVICE, why);
        assert_fails(mco_vrp_neighbourhood(test_ctx, problem, &params, &around), MCO_ERR_DEVICE, why);
    }
    mco_vrp_destroy(test_ctx, &problem);
}
#endif

// ---- Infeasible instances

// Two customers, 10 and 100 from the depot; expects INFEASIBLE and the numbers in the reason.
static void assert_infeasible(const mco_vrp_model *model, const int32_t demands[2], const char *const parts[3])
{
    static const double x[] = {0, 10, 100}, y[] = {0, 0, 0};
    mco_vrp *problem = NULL;
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    assert_ok(mco_vrp_from_coordinates(test_ctx, 2, x, y, demands, model, &problem));
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_INFEASIBLE);
    assert_int_equal(r.scaled_cost, -1);
    assert_true(isnan(r.cost) && isnan(r.start_cost) && isnan(r.bound));
    assert_true(r.work.engine == MCO_ENGINE_CPU && r.work.threads == 1 && r.work.simd == MCO_SIMD_AUTO);
    assert_null(r.solution.order);
    for (int k = 0; k < 3; k++)
        assert_non_null(strstr(r.reason, parts[k]));
    mco_vrp_result_clear(test_ctx, &r);
    mco_vrp_destroy(test_ctx, &problem);
}

static void infeasible_instances_are_told(void **state)
{
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    (void)state;
    model.capacity = 5;
    assert_infeasible(&model, (const int32_t[]){3, 7}, (const char *const[]){"customer 2", "7", "5"});
    model.max_length = 150;
    assert_infeasible(&model, (const int32_t[]){3, 3}, (const char *const[]){"customer 2", "200", "150"});
    model.max_length = -1;
    model.vehicles = 1;
    assert_infeasible(&model, (const int32_t[]){3, 4},
                      (const char *const[]){"all demands are 7", "carry 5", "1 of capacity 5"});
}

// ---- No customer, and one

static void tiny_instances_are_solved(void **state)
{
    static const mco_engine engines[] = {MCO_ENGINE_AUTO, MCO_ENGINE_CPU, MCO_ENGINE_REFERENCE};
    (void)state;
    for (int32_t customers = 0; customers <= 1; customers++)
        for (int k = 0; k < COUNT_OF(engines); k++) {
            mco_vrp *problem = problem_of(3, customers, NULL);
            mco_vrp_params params = MCO_VRP_PARAMS_INIT;
            mco_vrp_result r = MCO_VRP_RESULT_INIT;
            mco_vrp_neighbourhood_result around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
            params.engine = engines[k];
            params.sweeps = 0;
            assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
            assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
            assert_int_equal(r.stop, MCO_STOP_FINISHED);
            assert_int_equal(r.solution.routes, customers);
            assert_true((r.cost > 0) == (customers > 0));
            assert_answer(problem, &r);
            assert_ok(mco_vrp_neighbourhood(test_ctx, problem, &params, &around));
            assert_int_equal(around.scaled_cost, r.scaled_cost);
            assert_true(around.is_local_optimum && around.is_feasible);
            mco_vrp_neighbourhood_result_clear(test_ctx, &around);
            mco_vrp_result_clear(test_ctx, &r);
            mco_vrp_destroy(test_ctx, &problem);
        }
}

// ---- Searches

// No search goes below the optimum. The cores find it within some thousand steps; sweeps of 2-opt may not.
static void small_instances_reach_the_optimum(void **state)
{
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        model.capacity = 20;
        model.max_length = seed % 2 == 0 ? 3000 : -1;
        model.service_time = seed % 3 == 0 ? 25 : -1;
        mco_vrp *problem = problem_of(seed, 7, &model);
        const int64_t optimum = vrp_optimal_cost(problem);
        for (mco_engine engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2) {
            mco_vrp_params params = MCO_VRP_PARAMS_INIT;
            mco_vrp_result r = MCO_VRP_RESULT_INIT;
            params.engine = engine;
            params.threads = 2;
            params.iterations = engine == MCO_ENGINE_CPU ? 3000 : -1;
            assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
            assert_answer(problem, &r);
            assert_true(r.scaled_cost >= optimum);
            if (engine == MCO_ENGINE_CPU)
                assert_int_equal(r.scaled_cost, optimum);
            else
                assert_int_equal(r.stop, MCO_STOP_FINISHED);
            mco_vrp_result_clear(test_ctx, &r);
        }
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// Without iterations few customers are decided exactly: from no start, from a bad one, and up to the greatest number.
static void few_customers_are_decided_exactly(void **state)
{
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp_solution start = {0};
    (void)state;
    model.capacity = 20;
    for (int32_t customers = 2; customers <= VRP_EXACT_CUSTOMERS; customers += 5) {
        mco_vrp *problem = problem_of(5, customers, &model);
        int64_t cost = -1;
        assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SINGLE, &start));
        for (mco_engine engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2)
            for (int has_start = 0; has_start <= 1; has_start++) {
                mco_vrp_params params = MCO_VRP_PARAMS_INIT;
                mco_vrp_result r = MCO_VRP_RESULT_INIT;
                params.engine = engine;
                params.start = has_start ? &start : NULL;
                assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
                assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
                assert_int_equal(r.stop, MCO_STOP_FINISHED);
                assert_true(r.bound == r.cost);
                assert_int_equal(total_of(problem, &r.solution), r.scaled_cost);
                assert_true(cost < 0 || cost == r.scaled_cost);
                if (customers <= 7)
                    assert_int_equal(r.scaled_cost, vrp_optimal_cost(problem));
                cost = r.scaled_cost;
                mco_vrp_result_clear(test_ctx, &r);
            }
        mco_vrp_solution_clear(test_ctx, &start);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// Equal distances say nothing about which customers fit together. The loads of two vehicles are 18 of 18.
static void constant_matrices_are_packed(void **state)
{
    enum { N = 15 };
    static const int32_t demands[N] = {3, 2, 3, 2, 2, 3, 2, 3, 2, 2, 3, 2, 3, 2, 2};
    int32_t distances[(N + 1) * (N + 1)];
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    (void)state;
    model.vehicles = 2;
    model.capacity = 18;
    for (int32_t distance = 0; distance <= 8; distance += 4) {
        mco_vrp *problem = NULL;
        for (int k = 0; k < COUNT_OF(distances); k++)
            distances[k] = distance;
        assert_ok(mco_vrp_create(test_ctx, N, distances, demands, &model, &problem));
        for (mco_engine engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2) {
            mco_vrp_params params = MCO_VRP_PARAMS_INIT;
            mco_vrp_result r = MCO_VRP_RESULT_INIT;
            params.engine = engine;
            params.iterations = 20000;
            params.threads = 1;
            assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
            assert_int_equal(r.scaled_cost, (N + 2) * distance);
            assert_answer(problem, &r);
            mco_vrp_result_clear(test_ctx, &r);
        }
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// The reference ends if no move of 2-opt improves, which a neighbourhood around its routes confirms.
static void the_reference_ends_at_a_local_optimum(void **state)
{
    mco_vrp *problem = problem_of(11, CUSTOMERS, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    mco_vrp_neighbourhood_result around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    (void)state;
    params.engine = MCO_ENGINE_REFERENCE;
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.stop, MCO_STOP_FINISHED);
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    assert_int_equal(r.iterations, r.history_count);  // the construction adds an entry, the last sweep none
    assert_answer(problem, &r);
    params.start = &r.solution;
    assert_ok(mco_vrp_neighbourhood(test_ctx, problem, &params, &around));
    assert_true(around.is_local_optimum);
    assert_int_equal(around.scaled_cost, r.scaled_cost);
    assert_int_equal(around.sweep_count, 1);
    mco_vrp_neighbourhood_result_clear(test_ctx, &around);
    mco_vrp_result_clear(test_ctx, &r);
    mco_vrp_destroy(test_ctx, &problem);
}

// Without iterations the start comes back; with some it never gets worse.
static void a_start_is_never_made_worse(void **state)
{
    static const mco_engine engines[] = {MCO_ENGINE_CPU, MCO_ENGINE_REFERENCE};
    mco_vrp *problem = problem_of(21, CUSTOMERS, NULL);
    mco_vrp_solution start = {0};
    (void)state;
    assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SINGLE, &start));
    for (int k = 0; k < COUNT_OF(engines); k++)
        for (int64_t iterations = 0; iterations <= 3; iterations += 3) {
            mco_vrp_params params = MCO_VRP_PARAMS_INIT;
            mco_vrp_result r = MCO_VRP_RESULT_INIT;
            params.engine = engines[k];
            params.threads = 1;
            params.iterations = iterations;
            params.start = &start;
            assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
            assert_true(r.start_cost == (double)total_of(problem, &start));
            assert_int_equal(r.stop, MCO_STOP_ITERATIONS);
            assert_int_equal(r.iterations, iterations);
            assert_answer(problem, &r);
            if (iterations == 0)
                assert_memory_equal(r.solution.order, start.order, sizeof(int32_t) * CUSTOMERS);
            mco_vrp_result_clear(test_ctx, &r);
        }
    mco_vrp_solution_clear(test_ctx, &start);
    mco_vrp_destroy(test_ctx, &problem);
}

static void equal_seeds_and_threads_give_equal_routes(void **state)
{
    mco_vrp *problem = problem_of(31, 200, NULL);
    mco_vrp_result r[2] = {MCO_VRP_RESULT_INIT, MCO_VRP_RESULT_INIT};
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        for (int k = 0; k < 2; k++) {
            mco_vrp_params params = MCO_VRP_PARAMS_INIT;
            params.engine = MCO_ENGINE_CPU;
            params.threads = threads;
            params.iterations = 2000;
            params.seed = 7;
            assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r[k]));
            assert_answer(problem, &r[k]);
        }
        assert_int_equal(r[0].scaled_cost, r[1].scaled_cost);
        assert_int_equal(r[0].solution.routes, r[1].solution.routes);
        assert_memory_equal(r[0].solution.order, r[1].solution.order, 200 * sizeof(int32_t));
        assert_memory_equal(r[0].solution.first, r[1].solution.first, sizeof(int32_t) * ((size_t)r[0].solution.routes + 1));
        mco_vrp_result_clear(test_ctx, &r[0]);
        mco_vrp_result_clear(test_ctx, &r[1]);
    }
    mco_vrp_destroy(test_ctx, &problem);
}

// ---- Ends

// Fewer routes than threads: no part may be empty.
static void few_long_routes_are_shared_among_more_threads(void **state)
{
    (void)state;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 1300;
    model.vehicles = 3;
    mco_vrp *problem = problem_of(5, 700, &model);
    for (int64_t threads = 1 + 3 * TEST_IS_SANITIZED; threads <= 7; threads += 3 + 3 * TEST_IS_SANITIZED) {
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        mco_vrp_result r = MCO_VRP_RESULT_INIT;
        params.engine = MCO_ENGINE_CPU;
        params.iterations = 200000;  // enough for each customer, so the whole is annealed
        params.threads = threads;
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
        assert_answer(problem, &r);
        assert_int_equal(r.iterations, 200000);
        assert_true(r.solution.routes <= 3);
        mco_vrp_result_clear(test_ctx, &r);
    }
    mco_vrp_destroy(test_ctx, &problem);
}

// Ten routes of 120 customers, two threads: equal runs, and an annealing that is not frozen at its first solution.
static void long_routes_are_annealed(void **state)
{
    (void)state;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 630;
    mco_vrp *problem = problem_of(9, 1200, &model);
    int64_t cost[2];
    for (int k = 0; k < 2 - TEST_IS_SANITIZED; k++) {
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        mco_vrp_result r = MCO_VRP_RESULT_INIT;
        params.engine = MCO_ENGINE_CPU;
        params.iterations = 300000;
        params.threads = 2;
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
        assert_answer(problem, &r);
        assert_true(r.cost < 0.86 * r.start_cost);  // 0.831; 0.882 from 0.6 mean edges
        cost[k] = r.scaled_cost;
        mco_vrp_result_clear(test_ctx, &r);
    }
    assert_int_equal(cost[0], cost[1 - TEST_IS_SANITIZED]);
    mco_vrp_destroy(test_ctx, &problem);
}

// Five steps a customer: too few for many rounds, and the whole is annealed all the same.
static void the_whole_is_annealed_with_few_steps(void **state)
{
    (void)state;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 300;
    mco_vrp *problem = problem_of(3, 3000, &model);
    for (int64_t threads = 1; threads <= 2; threads++) {
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        mco_vrp_result r = MCO_VRP_RESULT_INIT;
        params.engine = MCO_ENGINE_CPU;
        params.iterations = 15000;
        params.threads = threads;
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
        assert_answer(problem, &r);
        assert_true(r.cost < 0.98 * r.start_cost);  // 0.964 and 0.953; regions alone 0.996 and 0.989
        mco_vrp_result_clear(test_ctx, &r);
    }
    mco_vrp_destroy(test_ctx, &problem);
}

// Four towns of 15 customers and vehicles that take 20: three vehicles are enough, and four drive farther. Savings give
// each town its own. Annealing alone gives none up (seeds 1 to 20), because the first customers that leave their town
// cost more.
static void members_with_fewer_routes_are_tried(void **state)
{
    enum { TOWNS = 4, OF_TOWN = 15, SEEDS = 3, N = TOWNS * OF_TOWN };
    static const int town[TOWNS][2] = {{1000, 0}, {921, 389}, {697, 717}, {362, 932}};
    double x[N + 1] = {0}, y[N + 1] = {0};
    int32_t demands[N];
    mco_vrp *problem = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 1, 0);
    for (int32_t c = 0; c < N; c++) {
        x[c + 1] = town[c / OF_TOWN][0] + (int)mco_rng_below(&rng, 10);
        y[c + 1] = town[c / OF_TOWN][1] + (int)mco_rng_below(&rng, 10);
        demands[c] = 1;
    }
    model.capacity = N / (TOWNS - 1);
    assert_ok(mco_vrp_from_coordinates(test_ctx, N, x, y, demands, &model, &problem));
    for (int threads = 1; threads <= 2; threads++)
        for (int seed = 1; seed <= SEEDS; seed++) {
            mco_vrp_params params = MCO_VRP_PARAMS_INIT;
            mco_vrp_result r = MCO_VRP_RESULT_INIT;
            params.engine = MCO_ENGINE_CPU;
            params.iterations = 20000;
            params.threads = threads;
            params.seed = seed;
            heard h = {.problem = problem};
            mco_context_set_callback(test_ctx, listen, &h);
            assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
            mco_context_set_callback(test_ctx, NULL, NULL);
            assert_answer(problem, &r);
            assert_int_equal(h.first_routes, TOWNS);
            assert_int_equal(r.solution.routes, TOWNS - 1);
            mco_vrp_result_clear(test_ctx, &r);
        }
    mco_vrp_destroy(test_ctx, &problem);
}

static void runs_end_as_they_are_told(void **state)
{
    mco_vrp *problem = problem_of(41, CUSTOMERS, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    (void)state;
    params.engine = MCO_ENGINE_CPU;
    params.threads = 1;
    params.time_limit_s = 0.2;
    const double begin_s = mco_clock_s();
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_true(mco_clock_s() - begin_s >= 0.2 && r.work.solve_s >= 0.19);
    const double cost = r.cost, worse = r.start_cost;
    mco_vrp_result_clear(test_ctx, &r);

    params.time_limit_s = 300;
    params.target = worse;
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.stop, MCO_STOP_TARGET);
    assert_true(r.cost <= worse);
    mco_vrp_result_clear(test_ctx, &r);

    params.target = -1;
    params.lower_bound = cost / 2;
    params.gap = 0.6;
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.stop, MCO_STOP_GAP);
    assert_true(r.bound == params.lower_bound);
    mco_vrp_result_clear(test_ctx, &r);

    params.gap = 0;
    params.time_limit_s = INFINITY;
    mco_cancel(test_ctx);
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    mco_vrp_result_clear(test_ctx, &r);
    mco_vrp_destroy(test_ctx, &problem);
}

// A cost that equals the bound cannot be improved.
static void a_bound_that_is_reached_proves_the_optimum(void **state)
{
    mco_vrp *problem = problem_of(43, 6, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    (void)state;
    params.engine = MCO_ENGINE_CPU;
    params.threads = 1;
    params.time_limit_s = 300;
    params.lower_bound = (double)vrp_optimal_cost(problem) - 0.5;  // rounded up, it is the optimum
    assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(r.stop, MCO_STOP_FINISHED);
    mco_vrp_result_clear(test_ctx, &r);
    mco_vrp_destroy(test_ctx, &problem);
}

// ---- The search on its own: notes and ends

static void open_search(vrp_search *search, const mco_vrp *problem, const mco_vrp_params *params)
{
    const mco_run_settings settings = {.time_limit_s = params->time_limit_s, .target = params->target, .objective = "cost"};
    *search = (vrp_search){.ctx = test_ctx, .problem = problem, .params = params, .best_cost = -1, .start_cost = -1, .proved = -1};
    search->run = mco_run_begin(test_ctx, &settings);
}

static void close_search(vrp_search *search)
{
    mco_vrp_solution_clear(test_ctx, &search->best);
    mco_run_clear(&search->run);
}

// Whether a search with a solution of this scaled cost ends by its target.
static bool meets_target(double scale, int64_t cost, double target)
{
    const mco_vrp problem = {.customers = 1, .nodes = 2, .scale = scale};
    const mco_vrp_solution s = {1, 1, (int32_t[]){0}, (int32_t[]){0, 1}};
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_search search;
    params.target = target;
    open_search(&search, &problem, &params);
    assert_false(vrp_search_ends(&search));  // nothing is known yet
    assert_ok(vrp_search_note(&search, &s, cost, "test"));
    const bool ends = vrp_search_ends(&search);
    assert_true(!ends || search.run.stop == MCO_STOP_TARGET);
    close_search(&search);
    return ends;
}

// A target is a decimal number in units of the file; a cost is an integer number of parts of such a unit.
static void targets_are_met_at_or_below_alone(void **state)
{
    (void)state;
    assert_true(meets_target(10000, 5246100, 524.61));
    assert_false(meets_target(10000, 5246101, 524.61));
    assert_true(meets_target(10000, 5246099, 524.60999));
    assert_false(meets_target(10000, 5246100, 524.60999));
    assert_true(meets_target(10000, 1, 0.00019));
    assert_false(meets_target(10000, 2, 0.00019));
    assert_true(meets_target(1, 27591, 27591.7));
    assert_false(meets_target(1, 27592, 27591.7));
    assert_true(meets_target(1, 27591, 27591));
    assert_true(meets_target(10000, (int64_t)1 << 50, 1e15));
    assert_true(meets_target(10000, 0, 0));
    assert_false(meets_target(10000, 1, 0));
    assert_false(meets_target(10000, 0, -1));  // no target is given
    // Any cost, as a program prints it and as a user types it.
    mco_rng rng;
    mco_rng_seed(&rng, 9, 0);
    for (int k = 0; k < 20000; k++) {
        const int decimals = k % 7;
        const double scale = pow(10, decimals);
        const int64_t cost = (int64_t)(mco_rng_next(&rng) >> (16 + mco_rng_below(&rng, 40)));
        char text[48];
        snprintf(text, sizeof text, "%lld.%0*lld", (long long)(cost / (int64_t)scale), decimals + 1,
                 (long long)(cost % (int64_t)scale * 10));
        const double target = strtod(text, NULL);
        if (!meets_target(scale, cost, target) || meets_target(scale, cost + 1, target))
            fail_msg("scale %g: %s is not the target of %lld", scale, text, (long long)cost);
    }
}

// Two customers at one place, 262.305 from the depot, have one route of length 524.61.
static void solves_end_at_their_target(void **state)
{
    static const double x[] = {0, 262.305, 262.305}, y[] = {0, 0, 0};
    static const int32_t demands[] = {1, 1};
    static const mco_engine engines[] = {MCO_ENGINE_CPU, MCO_ENGINE_REFERENCE};
    static const struct {
        double target, rounded_target;  // for the length, and for 524 with rounded distances
        bool is_met;
    } cases[] = {{524.61, 524, true}, {524.61001, 524.7, true}, {524.60999, 523.99, false}, {524.6, 523, false}};
    (void)state;
    for (int is_real = 0; is_real <= 1; is_real++) {
        mco_vrp_model model = MCO_VRP_MODEL_INIT;
        mco_vrp *problem = NULL;
        model.capacity = 2;
        model.distance = is_real ? MCO_VRP_DISTANCES_REAL : MCO_VRP_DISTANCES_ROUNDED;
        assert_ok(mco_vrp_from_coordinates(test_ctx, 2, x, y, demands, &model, &problem));
        assert_true(mco_vrp_scale(problem) == (is_real ? 10000 : 1));
        for (int k = 0; k < COUNT_OF(engines) * COUNT_OF(cases); k++) {
            mco_vrp_params params = MCO_VRP_PARAMS_INIT;
            mco_vrp_result r = MCO_VRP_RESULT_INIT;
            params.engine = engines[k / COUNT_OF(cases)];
            params.threads = 1;
            params.iterations = 1000;
            params.target = is_real ? cases[k % COUNT_OF(cases)].target : cases[k % COUNT_OF(cases)].rounded_target;
            const mco_stop other = params.engine == MCO_ENGINE_CPU ? MCO_STOP_ITERATIONS : MCO_STOP_FINISHED;
            assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
            assert_answer(problem, &r);
            assert_int_equal(r.scaled_cost, is_real ? 5246100 : 524);
            assert_true(r.cost == (is_real ? 524.61 : 524));
            assert_int_equal(r.stop, cases[k % COUNT_OF(cases)].is_met ? MCO_STOP_TARGET : other);
            mco_vrp_result_clear(test_ctx, &r);
        }
        mco_vrp_destroy(test_ctx, &problem);
    }
}

static void improvements_are_kept_and_told(void **state)
{
    mco_vrp *problem = problem_of(51, 6, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_solution s = {0};
    heard h = {.problem = problem};
    vrp_search search;
    (void)state;
    open_search(&search, problem, &params);
    mco_context_set_callback(test_ctx, listen, &h);
    assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SINGLE, &s));
    const int64_t cost = total_of(problem, &s);
    assert_ok(vrp_search_note(&search, &s, cost, "single"));
    assert_ok(vrp_search_note(&search, &s, cost, "single"));
    assert_int_equal(h.incumbents, 1);
    assert_int_equal(search.run.history_count, 1);
    assert_false(vrp_search_ends(&search));
    assert_int_equal(search.best.routes, 6);
    mco_vrp_solution_clear(test_ctx, &s);

    h.stops = true;
    assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SAVINGS, &s));
    assert_true(total_of(problem, &s) < cost);
    assert_ok(vrp_search_note(&search, &s, total_of(problem, &s), "savings"));
    assert_int_equal(h.incumbents, 2);
    assert_int_equal(h.routes, s.routes);
    assert_int_equal(search.run.history_count, 2);
    assert_true(search.run.history[0].objective == (double)cost && search.run.history[1].objective == h.objective);
    assert_true(h.objective == (double)search.best_cost);
    assert_int_equal(search.start_cost, cost);
    assert_true(vrp_search_ends(&search));
    assert_int_equal(search.run.stop, MCO_STOP_CANCELLED);

    search.run.stop = MCO_STOP_FINISHED;
    search.run.is_asked_to_stop = h.stops = false;
    search.run.settings.target = (double)search.best_cost - 1;
    assert_false(vrp_search_ends(&search));
    search.run.settings.target = (double)search.best_cost;
    assert_true(vrp_search_ends(&search));
    assert_int_equal(search.run.stop, MCO_STOP_TARGET);
    mco_context_set_callback(test_ctx, NULL, NULL);
    mco_vrp_solution_clear(test_ctx, &s);
    close_search(&search);
    mco_vrp_destroy(test_ctx, &problem);
}

static void a_callback_sees_solutions_and_may_stop(void **state)
{
    static const mco_engine engines[] = {MCO_ENGINE_CPU, MCO_ENGINE_REFERENCE};
    mco_vrp *problem = problem_of(61, CUSTOMERS, NULL);
    (void)state;
    for (int k = 0; k < COUNT_OF(engines); k++) {
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        mco_vrp_result r = MCO_VRP_RESULT_INIT;
        heard h = {.problem = problem, .stops = true};
        params.engine = engines[k];
        params.time_limit_s = 300;
        mco_context_set_callback(test_ctx, listen, &h);
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &r));
        mco_context_set_callback(test_ctx, NULL, NULL);
        assert_int_equal(r.stop, MCO_STOP_CANCELLED);
        assert_answer(problem, &r);
        assert_int_equal(h.incumbents, r.history_count);
        assert_true(h.objective == r.cost);
        assert_int_equal(h.routes, r.solution.routes);
        mco_vrp_result_clear(test_ctx, &r);
    }
    mco_vrp_destroy(test_ctx, &problem);
}

// ---- Neighbourhoods

// All customers start in one route, which is too heavy. Moves that mend it are made. If it cannot be mended, the result
// says so.
static void infeasible_starts_are_mended_or_told(void **state)
{
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    int32_t order[CUSTOMERS], first[2] = {0, CUSTOMERS};
    (void)state;
    for (int32_t i = 0; i < CUSTOMERS; i++)
        order[i] = i;
    params.start = &(mco_vrp_solution){CUSTOMERS, 1, order, first};
    params.engine = MCO_ENGINE_REFERENCE;
    params.sweeps = 0;
    for (int has_room = 0; has_room <= 1; has_room++) {
        mco_vrp_neighbourhood_result r = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
        // With two vehicles and two routes, one cut at the right place mends it. No cut does if ten vehicles are
        // needed.
        model.capacity = has_room ? 200 : CAPACITY;
        model.vehicles = has_room ? 2 : 10;
        mco_vrp *problem = problem_of(71, CUSTOMERS, &model);
        assert_ok(mco_vrp_neighbourhood(test_ctx, problem, &params, &r));
        assert_int_equal(r.is_feasible, mco_vrp_check(test_ctx, problem, &r.solution, NULL) == MCO_OK);
        assert_int_equal(r.is_feasible, has_room);
        int64_t cost = 0;
        for (int32_t k = 0; k < r.solution.routes; k++)
            cost += mco_vrp_route_of(problem, &r.solution, k).cost;
        assert_int_equal(cost, r.scaled_cost);
        mco_vrp_neighbourhood_result_clear(test_ctx, &r);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

static void customers_that_fit_no_vehicle_are_refused(void **state)
{
    static const double x[] = {0, 10}, y[] = {0, 0};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_neighbourhood_result r = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    mco_vrp *problem = NULL;
    const int32_t demand = 9;
    (void)state;
    model.capacity = 8;
    assert_ok(mco_vrp_from_coordinates(test_ctx, 1, x, y, &demand, &model, &problem));
    assert_int_equal(mco_vrp_neighbourhood(test_ctx, problem, &params, &r), MCO_ERR_ARGUMENT);
    mco_vrp_destroy(test_ctx, &problem);
}

// ---- Memory

static mco_status solve_once(const mco_vrp *problem, mco_engine engine, int64_t iterations)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    params.engine = engine;
    params.threads = 1;
    params.iterations = iterations;
    const mco_status st = mco_vrp_solve(test_ctx, problem, &params, &r);
    mco_vrp_result_clear(test_ctx, &r);
    return st;
}

static void memory_may_run_out(void **state)
{
    mco_vrp *problem = problem_of(81, CUSTOMERS, NULL);
    (void)state;
    for (mco_engine engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2) {
        mco_status st = MCO_ERR_MEMORY;
        for (long k = 1; st == MCO_ERR_MEMORY; k++) {
            assert_true(k < 10000);
            test_fail_allocation(k);
            st = solve_once(problem, engine, 5);
            test_fail_allocation(0);
        }
        assert_int_equal(st, MCO_OK);
    }
    mco_vrp_destroy(test_ctx, &problem);
}

static void memory_may_run_out_in_the_exact_method(void **state)
{
    mco_vrp *problem = problem_of(81, 5, NULL);
    mco_status st = MCO_ERR_MEMORY;
    (void)state;
    for (long k = 1; st == MCO_ERR_MEMORY; k++) {
        assert_true(k < 100);
        test_fail_allocation(k);
        st = solve_once(problem, MCO_ENGINE_CPU, -1);
        test_fail_allocation(0);
    }
    assert_int_equal(st, MCO_OK);
    mco_vrp_destroy(test_ctx, &problem);
}

static void memory_may_run_out_in_a_neighbourhood(void **state)
{
    mco_vrp *problem = problem_of(91, 12, NULL);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_status st = MCO_ERR_MEMORY;
    (void)state;
    params.engine = MCO_ENGINE_REFERENCE;
    for (long k = 1; st == MCO_ERR_MEMORY; k++) {
        mco_vrp_neighbourhood_result r = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
        assert_true(k < 1000);
        test_fail_allocation(k);
        st = mco_vrp_neighbourhood(test_ctx, problem, &params, &r);
        test_fail_allocation(0);
        mco_vrp_neighbourhood_result_clear(test_ctx, &r);
    }
    assert_int_equal(st, MCO_OK);
    mco_vrp_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(wrong_arguments_are_refused),
                                       TEST(older_structs_are_taken),
                                       TEST(starts_that_miss_a_customer_are_refused),
#ifndef MCO_HAVE_CUDA
                                       TEST(a_gpu_that_is_not_compiled_in_is_missing),
#endif
                                       TEST(infeasible_instances_are_told),
                                       TEST(tiny_instances_are_solved),
                                       TEST(small_instances_reach_the_optimum),
                                       TEST(few_customers_are_decided_exactly),
                                       TEST(constant_matrices_are_packed),
                                       TEST(the_reference_ends_at_a_local_optimum),
                                       TEST(a_start_is_never_made_worse),
                                       TEST(equal_seeds_and_threads_give_equal_routes),
                                       TEST(few_long_routes_are_shared_among_more_threads),
                                       TEST(long_routes_are_annealed),
                                       TEST(the_whole_is_annealed_with_few_steps),
                                       TEST(members_with_fewer_routes_are_tried),
                                       TEST(runs_end_as_they_are_told),
                                       TEST(a_bound_that_is_reached_proves_the_optimum),
                                       TEST(targets_are_met_at_or_below_alone),
                                       TEST(solves_end_at_their_target),
                                       TEST(improvements_are_kept_and_told),
                                       TEST(a_callback_sees_solutions_and_may_stop),
                                       TEST(infeasible_starts_are_mended_or_told),
                                       TEST(customers_that_fit_no_vehicle_are_refused),
                                       TEST(memory_may_run_out),
                                       TEST(memory_may_run_out_in_the_exact_method),
                                       TEST(memory_may_run_out_in_a_neighbourhood)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
