// SPDX-License-Identifier: MIT
// The searches and entry points: the exact search against every plan, equal walks on every engine, ends, limits,
// memory.
#include "test_support.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/simd.h"
#include "dtspms/engine.h"

enum { MOST_NODES = 64, MOST_ALLOCATIONS = 5000 };

// ---- Problems

static mco_dtspms *make_problem(mco_rng *rng, int32_t orders, uint32_t limit, bool is_symmetric)
{
    static int32_t distance[2][MOST_NODES * MOST_NODES];
    const int32_t nodes = orders + 1;
    mco_dtspms *problem = NULL;
    assert_true(nodes <= MOST_NODES);
    for (int network = 0; network < 2; network++)
        for (int32_t i = 0; i < nodes; i++)
            for (int32_t j = 0; j < nodes; j++)
                distance[network][i * nodes + j] = is_symmetric && j < i ? distance[network][j * nodes + i]
                                                                         : (int32_t)mco_rng_below(rng, limit);
    assert_ok(mco_dtspms_create(test_ctx, orders, distance[0], distance[1], &problem));
    return problem;
}

static mco_dtspms *random_problem(uint64_t seed, int32_t orders, uint32_t limit, bool is_symmetric)
{
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    return make_problem(&rng, orders, limit, is_symmetric);
}

// Every distance is `length`, in both networks.
static mco_dtspms *even_problem(int32_t orders, int32_t length)
{
    static int32_t distance[MOST_NODES * MOST_NODES];
    mco_dtspms *problem = NULL;
    for (int32_t i = 0; i < (orders + 1) * (orders + 1); i++)
        distance[i] = length;
    assert_ok(mco_dtspms_create(test_ctx, orders, distance, distance, &problem));
    return problem;
}

static mco_dtspms *named_problem(const char *name, int32_t orders)
{
    mco_dtspms *problem = NULL;
    assert_ok(mco_dtspms_named(test_ctx, name, orders, &problem));
    return problem;
}

// ---- Results

static mco_dtspms_result solve(const mco_dtspms *problem, const mco_dtspms_params *params)
{
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    int64_t cost, cost_of[2];
    assert_ok(mco_dtspms_solve(test_ctx, problem, params, &r));
    assert_ok(mco_dtspms_check(test_ctx, problem, &r.solution, params->capacity, &cost, cost_of));
    assert_int_equal(cost, r.cost);
    assert_int_equal(cost_of[0], r.cost_of[0]);
    assert_int_equal(cost_of[1], r.cost_of[1]);
    assert_int_equal(r.solution.stacks, params->stacks);
    assert_true(r.bound <= r.cost);
    assert_true(r.history_count > 0);
    assert_true(r.history[r.history_count - 1].objective == (double)r.cost);
    for (int64_t i = 1; i < r.history_count; i++)
        assert_true(r.history[i].objective < r.history[i - 1].objective);
    assert_int_equal(r.outcome, r.cost == r.bound ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE);
    return r;
}

// Plan, tours and improvements must be equal. What is proved about them may differ, because a bound may take more or
// less time.
static void assert_results_equal(const mco_dtspms_result *a, const mco_dtspms_result *b)
{
    const size_t bytes = (size_t)a->solution.orders * sizeof(int32_t);
    assert_int_equal(a->cost, b->cost);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->stop, b->stop);
    assert_memory_equal(a->solution.heights, b->solution.heights, sizeof a->solution.heights);
    if (bytes > 0) {
        assert_memory_equal(a->solution.plan, b->solution.plan, bytes);
        assert_memory_equal(a->solution.pickup, b->solution.pickup, bytes);
        assert_memory_equal(a->solution.delivery, b->solution.delivery, bytes);
    }
    assert_int_equal(a->history_count, b->history_count);
    for (int64_t i = 0; i < a->history_count; i++)
        assert_true(a->history[i].objective == b->history[i].objective);
}

// ---- Exact

static int64_t cost_of_plan(const dtspms_model *model, const dtspms_plan *plan)
{
    int64_t pickup, delivery;
    assert_ok(dtspms_tour(test_ctx, model, plan, MCO_DTSPMS_NETWORK_PICKUP, &pickup, NULL));
    assert_ok(dtspms_tour(test_ctx, model, plan, MCO_DTSPMS_NETWORK_DELIVERY, &delivery, NULL));
    return pickup + delivery;
}

// The least cost over all arrangements of the nodes at places `at` and later.
static int64_t best_order(const dtspms_model *model, dtspms_plan *plan, int32_t at)
{
    int64_t best = INT64_MAX;
    if (at >= model->orders - 1)
        return cost_of_plan(model, plan);
    for (int32_t k = at; k < model->orders; k++) {
        const int32_t node = plan->node[k];
        plan->node[k] = plan->node[at];
        plan->node[at] = node;
        const int64_t cost = best_order(model, plan, at + 1);
        best = cost < best ? cost : best;
        plan->node[at] = plan->node[k];
        plan->node[k] = node;
    }
    return best;
}

// The least cost over all heights that do not increase and all arrangements; `stack` and later stacks hold `left`
// orders.
static int64_t best_plan(const dtspms_model *model, dtspms_plan *plan, int32_t stack, int32_t left)
{
    int64_t best = INT64_MAX;
    if (stack == model->stacks || stack == MCO_DTSPMS_MAX_STACKS)
        return left == 0 ? best_order(model, plan, 0) : INT64_MAX;
    const int32_t most = stack > 0 ? plan->heights[stack - 1] : model->capacity;
    for (int32_t height = 0; height <= most && height <= left; height++) {
        plan->heights[stack] = height;
        const int64_t cost = best_plan(model, plan, stack + 1, left - height);
        best = cost < best ? cost : best;
    }
    return best;
}

static void assert_exact(const mco_dtspms *problem, int32_t stacks, int32_t capacity)
{
    dtspms_model model = {0};
    int32_t node[8];
    dtspms_plan plan = {.node = node};
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    for (int32_t i = 0; i < 8; i++)
        node[i] = i + 1;
    assert_ok(dtspms_model_create(test_ctx, problem, stacks, capacity, INFINITY, &model));
    const int64_t best = best_plan(&model, &plan, 0, model.orders);
    dtspms_model_clear(test_ctx, &model);
    params.stacks = stacks;
    params.capacity = capacity;
    params.method = MCO_DTSPMS_METHOD_EXACT;
    for (int engine = 0; engine < 2; engine++) {
        params.engine = engine == 0 ? MCO_ENGINE_CPU : MCO_ENGINE_REFERENCE;
        params.threads = 1 + stacks % 2;
        mco_dtspms_result r = solve(problem, &params);
        assert_int_equal(r.cost, best);
        assert_int_equal(r.bound, best);
        assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
        assert_int_equal(r.stop, MCO_STOP_FINISHED);
        assert_int_equal(r.method, MCO_DTSPMS_METHOD_EXACT);
        mco_dtspms_result_clear(test_ctx, &r);
    }
}

static void exact_is_the_best_of_all_plans(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    for (int32_t n = 0; n <= 6; n++)
        for (int32_t stacks = 2; stacks <= 4; stacks++)
            for (int32_t kind = 0; kind < 6; kind++) {
                const int32_t tight = (n + stacks - 1) / stacks, slack[] = {0, 1, n};
                mco_dtspms *problem = make_problem(&rng, n, 30, kind % 2 == 0);
                const int32_t capacity = tight + slack[kind / 2];
                assert_exact(problem, stacks, capacity > 0 ? capacity : 1);
                mco_dtspms_destroy(test_ctx, &problem);
            }
}

// From seven orders on, the exact search fixes positions one by one, under a bound.
static void exact_leaves_nothing_out(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind < 4; kind++) {
        mco_dtspms *problem = random_problem(20 + (uint64_t)kind, 7, kind < 2 ? 12 : 1000, kind % 2 == 0);
        assert_exact(problem, 2 + kind % 2, kind < 2 ? 4 : 0);
        mco_dtspms_destroy(test_ctx, &problem);
    }
}

// Four instances on whose optima two independent programs agree.
static void known_optima_are_found(void **state)
{
    (void)state;
    static const struct {
        int32_t orders, stacks, distance[2][49];
        int64_t optimum;
    } known[] = {
        {4, 2, {{0, 13, 16, 14, 7, 13, 0, 7, 13, 2, 16, 7, 0, 14, 15, 14, 13, 14, 0, 15, 7, 2, 15, 15, 0},
                {0, 10, 16, 14, 7, 10, 0, 2, 14, 10, 16, 2, 0, 10, 12, 14, 14, 10, 0, 1, 7, 10, 12, 1, 0}}, 82},
        {6, 3, {{0,  20, 9, 12, 17, 1, 15, 20, 0,  8, 2, 6,  4,  12, 9,  8,  0, 16, 8, 13, 18, 12, 2, 16, 0,
                 4,  19, 8, 17, 6,  8, 4,  0,  1,  7, 1, 4,  13, 19, 1,  0,  14, 15, 12, 18, 8, 7, 14, 0},
                {0,  16, 13, 18, 14, 19, 10, 16, 0,  12, 18, 6,  16, 4,  13, 12, 0,  19, 11, 12, 7, 18, 18, 19, 0,
                 2,  19, 2,  14, 6,  11, 2,  0,  10, 2,  19, 16, 12, 19, 10, 0,  11, 10, 4,  7,  2, 2,  11, 0}}, 97},
        {6, 2, {{0,  20, 3,  20, 17, 2, 12, 15, 0,  17, 4, 15, 20, 10, 13, 14, 0,  15, 5, 2,  3, 14, 3,  18, 0,
                 10, 12, 14, 19, 19, 12, 19, 0, 2,  17, 20, 7, 17, 14, 3, 0,  1,  1,  17, 12, 3, 19, 8,  0},
                {0, 3, 15, 16, 4,  2,  1, 12, 0, 10, 19, 8,  5,  20, 1, 17, 0,  5,  10, 2,  18, 3,  11, 13, 0,
                 2, 9, 10, 1,  13, 14, 8, 0,  6, 13, 12, 6, 18, 11, 6, 0, 8, 20, 14, 14, 16, 15, 15, 0}}, 72},
        {4, 2, {{0, 20, 9, 12, 17, 1, 0, 15, 8, 2, 6, 4, 0, 12, 16, 8, 13, 18, 0, 4, 19, 8, 1, 7, 0},
                {0, 16, 13, 18, 14, 19, 0, 10, 12, 18, 6, 16, 0, 4, 19, 11, 12, 7, 0, 2, 19, 2, 10, 2, 0}}, 63},
    };
    for (int k = 0; k < COUNT_OF(known); k++) {
        mco_dtspms *problem = NULL;
        mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
        params.stacks = known[k].stacks;
        assert_ok(mco_dtspms_create(test_ctx, known[k].orders, known[k].distance[0], known[k].distance[1], &problem));
        mco_dtspms_result r = solve(problem, &params);  // auto takes the exact search
        assert_int_equal(r.method, MCO_DTSPMS_METHOD_EXACT);
        assert_int_equal(r.cost, known[k].optimum);
        mco_dtspms_result_clear(test_ctx, &r);
        mco_dtspms_destroy(test_ctx, &problem);
    }
}

static void exact_is_equal_on_both_engines(void **state)
{
    (void)state;
    static const char *const names[] = {"R00", "R05"};
    for (int k = 0; k < COUNT_OF(names); k++) {
        mco_dtspms *problem = named_problem(names[k], 8 + k);
        mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
        params.method = MCO_DTSPMS_METHOD_EXACT;
        params.threads = 2;
        mco_dtspms_result cpu = solve(problem, &params);
        params.engine = MCO_ENGINE_REFERENCE;
        mco_dtspms_result reference = solve(problem, &params);
        assert_int_equal(cpu.outcome, MCO_OUTCOME_OPTIMAL);
        assert_results_equal(&cpu, &reference);
        mco_dtspms_result_clear(test_ctx, &reference);
        mco_dtspms_result_clear(test_ctx, &cpu);
        mco_dtspms_destroy(test_ctx, &problem);
    }
}

// ---- Searches on every engine

static void assert_engines_equal(const mco_dtspms *problem, mco_dtspms_params params)
{
    params.engine = MCO_ENGINE_REFERENCE;
    mco_dtspms_result expected = solve(problem, &params);
    params.engine = MCO_ENGINE_CPU;
    for (mco_simd simd = MCO_SIMD_AVX512; simd <= MCO_SIMD_PORTABLE; simd++)
        for (int threads = 1; threads <= 3 && mco_simd_has(simd); threads += 1 + TEST_IS_SANITIZED) {
            params.simd = simd;
            params.threads = threads;
            mco_dtspms_result r = solve(problem, &params);
            assert_results_equal(&expected, &r);
            mco_dtspms_result_clear(test_ctx, &r);
        }
    mco_dtspms_result_clear(test_ctx, &expected);
}

static void searches_are_equal(mco_dtspms_method method, int64_t iterations)
{
    static const int32_t sizes[] = {0, 1, 2, 3, 5, 8, 12};
    mco_rng rng;
    mco_rng_seed(&rng, 8, 0);
    for (int k = 0; k < COUNT_OF(sizes); k++)
        for (int32_t stacks = 2; stacks <= 4; stacks++) {
            const int32_t n = sizes[k], tight = (n + stacks - 1) / stacks;
            mco_dtspms *problem = make_problem(&rng, n, 1000, stacks != 3);
            mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
            params.method = method;
            params.iterations = iterations;
            params.stacks = stacks;
            params.capacity = stacks == 4 ? 0 : tight + stacks - 1;
            params.walks = 3;
            params.seed = k + 1;
            assert_engines_equal(problem, params);
            mco_dtspms_destroy(test_ctx, &problem);
        }
}

static void iterated_searches_are_equal(void **state)
{
    (void)state;
    searches_are_equal(MCO_DTSPMS_METHOD_ILS, 130);
}

static void tabu_searches_are_equal(void **state)
{
    (void)state;
    searches_are_equal(MCO_DTSPMS_METHOD_TABU, 30);
}

static void equal_seeds_give_equal_results(void **state)
{
    (void)state;
    mco_dtspms *problem = named_problem("R03", 15);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    params.threads = 2;
    for (params.method = MCO_DTSPMS_METHOD_TABU; params.method <= MCO_DTSPMS_METHOD_ILS; params.method++)
        for (params.capacity = 5; params.capacity <= 7; params.capacity += 2) {
            params.iterations = params.method == MCO_DTSPMS_METHOD_TABU ? 30 : 700;
            mco_dtspms_result a = solve(problem, &params);
            params.time_limit_s = 1000;  // a limit that is not reached must change nothing
            mco_dtspms_result b = solve(problem, &params);
            params.time_limit_s = INFINITY;
            assert_results_equal(&a, &b);
            assert_int_equal(a.stop, MCO_STOP_ITERATIONS);
            assert_int_equal(a.iterations, params.method == MCO_DTSPMS_METHOD_TABU ? 30 : 700 * a.walks);
            assert_true((a.walks > 0) == (params.method == MCO_DTSPMS_METHOD_ILS));
            mco_dtspms_result_clear(test_ctx, &b);
            mco_dtspms_result_clear(test_ctx, &a);
        }
    mco_dtspms_destroy(test_ctx, &problem);
}

// Twelve orders: the searches must find what the exact search proves.
static void searches_find_the_optimum(void **state)
{
    (void)state;
    mco_dtspms *problem = named_problem("R00", 12);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    params.threads = 2;
    params.target = 694;
    for (params.method = MCO_DTSPMS_METHOD_TABU; params.method <= MCO_DTSPMS_METHOD_ILS; params.method++) {
        mco_dtspms_result r = solve(problem, &params);
        assert_int_equal(r.cost, 694);
        assert_int_equal(r.stop, MCO_STOP_TARGET);
        mco_dtspms_result_clear(test_ctx, &r);
    }
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- Capacity

// Pickup 1 2 .. n and delivery n-1 .. 2 1 n have distances 1, all others 4: the last order needs a stack of its own.
static void stacks_with_room_vary(void **state)
{
    (void)state;
    enum { ORDERS = 6, NODES = ORDERS + 1 };
    int32_t distance[2][NODES * NODES];
    mco_dtspms *problem = NULL;
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    for (int32_t i = 0; i < NODES * NODES; i++)
        distance[0][i] = distance[1][i] = 4;
    for (int32_t i = 0; i < NODES; i++) {
        distance[0][i * NODES + (i + 1) % NODES] = 1;
        if (i > 1 && i < ORDERS)
            distance[1][i * NODES + i - 1] = 1;
    }
    distance[1][ORDERS - 1] = distance[1][NODES + ORDERS] = distance[1][ORDERS * NODES] = 1;
    assert_ok(mco_dtspms_create(test_ctx, ORDERS, distance[0], distance[1], &problem));
    params.stacks = 2;
    params.threads = 1;
    params.iterations = 3000;
    params.method = MCO_DTSPMS_METHOD_ILS;
    mco_dtspms_result tight = solve(problem, &params);
    params.capacity = 1000000000;
    mco_dtspms_result loose = solve(problem, &params);
    assert_int_equal(tight.capacity, 3);
    assert_int_equal(tight.solution.heights[0], 3);
    assert_int_equal(loose.capacity, 1000000000);
    assert_int_equal(loose.cost, 2 * NODES);
    assert_true(loose.cost < tight.cost);
    assert_int_equal(abs(loose.solution.heights[0] - loose.solution.heights[1]), ORDERS - 2);
    mco_dtspms_result_clear(test_ctx, &loose);
    mco_dtspms_result_clear(test_ctx, &tight);
    mco_dtspms_destroy(test_ctx, &problem);
}

static void too_small_a_capacity_is_infeasible(void **state)
{
    (void)state;
    mco_dtspms *problem = random_problem(4, 10, 100, false);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    mco_dtspms_neighbourhood_result around = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    params.capacity = 3;
    assert_ok(mco_dtspms_solve(test_ctx, problem, &params, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_INFEASIBLE);
    assert_int_equal(r.cost, -1);
    assert_int_equal(r.capacity, 3);
    assert_int_equal(r.history_count, 0);
    assert_null(r.solution.plan);
    mco_dtspms_result_clear(test_ctx, &r);
    assert_fails(mco_dtspms_neighbourhood(test_ctx, problem, &params, &around), MCO_ERR_ARGUMENT,
                 "10 orders do not fit 3 stacks of capacity 3: at least 4 is needed");
    params.capacity = 4;
    assert_ok(mco_dtspms_neighbourhood(test_ctx, problem, &params, &around));
    mco_dtspms_neighbourhood_result_clear(test_ctx, &around);
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- A plan to start with

typedef struct first_cost {
    int64_t cost;
    int calls, most_calls;  // cancels at call number most_calls
    const mco_dtspms *problem;
} first_cost;

// What the callback gets as the best plan must be a solution, with the length that it is said to have.
static void check_told(const mco_dtspms *problem, const mco_progress *progress)
{
    const mco_dtspms_solution *told = progress->solution;
    mco_context *ctx = NULL;
    int64_t cost;
    assert_int_equal(told == NULL, isnan(progress->objective));
    assert_true(told != NULL || progress->event == MCO_EVENT_PROGRESS);
    if (told == NULL)
        return;
    assert_int_equal(mco_context_create(&ctx, NULL), MCO_OK);
    assert_int_equal(mco_dtspms_check(ctx, problem, told, told->orders, &cost, NULL), MCO_OK);
    assert_true(progress->objective == (double)cost && progress->bound <= progress->objective);
    mco_context_destroy(&ctx);
}

static int keep_first(const mco_progress *progress, void *user)
{
    first_cost *first = user;
    check_told(first->problem, progress);
    if (first->calls++ == 0)
        first->cost = (int64_t)progress->objective;
    return first->most_calls > 0 && first->calls >= first->most_calls;
}

static void a_start_is_never_made_worse(void **state)
{
    (void)state;
    mco_dtspms *problem = named_problem("R02", 12);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    params.method = MCO_DTSPMS_METHOD_ILS;
    params.iterations = 400;
    params.threads = 1;
    params.capacity = 5;
    mco_dtspms_result start = solve(problem, &params);
    params.start = &start.solution;
    for (params.method = MCO_DTSPMS_METHOD_TABU; params.method <= MCO_DTSPMS_METHOD_EXACT; params.method++)
        for (params.iterations = 0; params.iterations < 40; params.iterations += 20) {
            first_cost first = {.problem = problem};
            params.seed = 7;
            params.time_limit_s = params.method == MCO_DTSPMS_METHOD_EXACT ? 0.02 : INFINITY;
            mco_context_set_callback(test_ctx, keep_first, &first);
            mco_dtspms_result r = solve(problem, &params);
            mco_context_set_callback(test_ctx, NULL, NULL);
            assert_true(r.cost <= start.cost);
            assert_int_equal(first.cost, start.cost);
            assert_true(r.history[0].objective == (double)start.cost);
            mco_dtspms_result_clear(test_ctx, &r);
        }
    mco_dtspms_result_clear(test_ctx, &start);
    mco_dtspms_destroy(test_ctx, &problem);
}

static void a_wrong_start_is_refused(void **state)
{
    (void)state;
    mco_dtspms *problem = random_problem(9, 4, 100, true);
    int32_t plan[] = {0, 1, 2, 3};
    mco_dtspms_solution start = {.orders = 4, .stacks = 2, .heights = {2, 2}, .plan = plan};
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    mco_dtspms_neighbourhood_result around = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    r.cost = around.moves = 77;
#define REFUSED(text)                                                                              \
    do {                                                                                           \
        assert_fails(mco_dtspms_solve(test_ctx, problem, &params, &r), MCO_ERR_ARGUMENT, text);    \
        assert_fails(mco_dtspms_neighbourhood(test_ctx, problem, &params, &around), MCO_ERR_ARGUMENT, text); \
    } while (0)
    params.start = &start;
    REFUSED("the plan to start with has 4 orders in 2 stacks, 4 orders in 3 stacks were expected");
    params.stacks = 2;
    start.orders = 3;
    REFUSED("the plan to start with has 3 orders in 2 stacks, 4 orders in 2 stacks were expected");
    start.orders = 4;
    start.heights[0] = 3;
    REFUSED("stack 1 of the plan to start with holds 3 orders, at most 2 fit");
    start.heights[0] = -1;
    REFUSED("stack 1 of the plan to start with holds -1 orders, at most 2 fit");
    start.heights[0] = 1;
    REFUSED("the stacks of the plan to start with hold 3 orders, 4 were expected");
    start.heights[0] = 2;
    plan[3] = 1;
    REFUSED("position 4 of the plan to start with holds order 2, which it holds already");
    plan[3] = 4;
    REFUSED("position 4 of the plan to start with holds order 5, which does not exist");
    plan[3] = INT32_MAX;
    REFUSED("position 4 of the plan to start with holds order 2147483648, which does not exist");
    plan[3] = -1;
    REFUSED("position 4 of the plan to start with holds order 0, which does not exist");
#undef REFUSED
    assert_int_equal(r.cost, 77);
    assert_int_equal(around.moves, 77);
    plan[3] = 3;
    params.iterations = 0;
    r = solve(problem, &params);
    mco_dtspms_result_clear(test_ctx, &r);
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- Ends

static void every_end_is_told(void **state)
{
    (void)state;
    mco_dtspms *problem = named_problem("R01", 24);
    for (mco_dtspms_method method = MCO_DTSPMS_METHOD_TABU; method <= MCO_DTSPMS_METHOD_ILS; method++) {
        mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
        params.method = method;
        params.threads = 2;
        params.iterations = 0;
        mco_dtspms_result none = solve(problem, &params);
        assert_int_equal(none.stop, MCO_STOP_ITERATIONS);
        assert_int_equal(none.iterations, 0);
        params.iterations = -1;
        params.target = (double)(none.cost - 1);
        mco_dtspms_result r = solve(problem, &params);
        assert_int_equal(r.stop, MCO_STOP_TARGET);
        assert_true(r.cost < none.cost);
        mco_dtspms_result_clear(test_ctx, &r);
        params.target = -1;
        params.gap = (double)(none.cost - none.bound) / (double)none.cost - 0.01;
        r = solve(problem, &params);
        assert_int_equal(r.stop, MCO_STOP_GAP);
        mco_dtspms_result_clear(test_ctx, &r);
        params.gap = 0;
        params.time_limit_s = 0.1;
        r = solve(problem, &params);
        assert_int_equal(r.stop, MCO_STOP_TIME);
        mco_dtspms_result_clear(test_ctx, &r);
        params.time_limit_s = 0;
        r = solve(problem, &params);
        assert_int_equal(r.stop, MCO_STOP_TIME);
        mco_dtspms_result_clear(test_ctx, &r);
        mco_dtspms_result_clear(test_ctx, &none);
    }
    mco_dtspms_destroy(test_ctx, &problem);
}

// A callback's wish comes before all other ends, and the result is complete.
static void cancelling_leaves_the_best_plan(void **state)
{
    (void)state;
    mco_dtspms *problem = named_problem("R01", 12);
    for (mco_dtspms_method method = MCO_DTSPMS_METHOD_TABU; method <= MCO_DTSPMS_METHOD_EXACT; method++)
        for (int most_calls = 1; most_calls <= 3; most_calls++) {
            first_cost first = {.most_calls = most_calls, .problem = problem};
            mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
            params.method = method;
            params.threads = 2;
            if (most_calls == 1)
                params.iterations = 0;
            mco_context_set_callback(test_ctx, keep_first, &first);
            mco_dtspms_result r = solve(problem, &params);
            mco_context_set_callback(test_ctx, NULL, NULL);
            assert_int_equal(r.stop, MCO_STOP_CANCELLED);
            assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
            mco_dtspms_result_clear(test_ctx, &r);
            mco_cancel(test_ctx);
            r = solve(problem, &params);
            assert_int_equal(r.stop, MCO_STOP_CANCELLED);
            mco_dtspms_result_clear(test_ctx, &r);
        }
    mco_dtspms_destroy(test_ctx, &problem);
}

static void a_neighbourhood_cut_short_has_no_sum(void **state)
{
    (void)state;
    mco_dtspms *problem = named_problem("R01", 12);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    for (params.engine = MCO_ENGINE_CPU; params.engine <= MCO_ENGINE_REFERENCE; params.engine += 2) {
        mco_dtspms_neighbourhood_result r = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
        mco_cancel(test_ctx);
        assert_ok(mco_dtspms_neighbourhood(test_ctx, problem, &params, &r));
        assert_int_equal(r.best_move, -1);
        assert_int_equal(r.best_cost, -1);
        assert_int_equal(r.cost_sum, -1);
        assert_true(r.plan_cost > 0);
        assert_null(r.solution.plan);
        assert_ok(mco_dtspms_neighbourhood(test_ctx, problem, &params, &r));  // the cancellation is used up
        assert_true(r.best_move >= 0);
        assert_true(r.cost_sum > 0);
        mco_dtspms_neighbourhood_result_clear(test_ctx, &r);
    }
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- Widths

static void assert_lane_bits(int32_t orders, int32_t length, int lane_bits)
{
    mco_dtspms *problem = even_problem(orders, length);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    for (mco_dtspms_method method = MCO_DTSPMS_METHOD_TABU; method <= MCO_DTSPMS_METHOD_ILS; method++) {
        params.method = method;
        params.iterations = 3;
        params.engine = MCO_ENGINE_REFERENCE;
        params.simd = MCO_SIMD_AUTO;
        mco_dtspms_result reference = solve(problem, &params);
        assert_int_equal(reference.cost, orders == 0 ? 0 : 2 * (orders + 1) * (int64_t)length);
        params.engine = MCO_ENGINE_CPU;
        for (params.simd = MCO_SIMD_AVX512; params.simd <= MCO_SIMD_PORTABLE; params.simd++)
            if (mco_simd_has(params.simd)) {
                mco_dtspms_result r = solve(problem, &params);
                assert_int_equal(r.work.lane_bits, lane_bits);
                assert_results_equal(&r, &reference);
                mco_dtspms_result_clear(test_ctx, &r);
            }
        mco_dtspms_result_clear(test_ctx, &reference);
    }
    mco_dtspms_destroy(test_ctx, &problem);
}

// Whole neighbourhoods by all engines.
static void assert_neighbourhoods_equal(const mco_dtspms *problem, int lane_bits)
{
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_neighbourhood_result expected = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    params.engine = MCO_ENGINE_REFERENCE;
    assert_ok(mco_dtspms_neighbourhood(test_ctx, problem, &params, &expected));
    params.engine = MCO_ENGINE_CPU;
    for (params.simd = MCO_SIMD_AVX512; params.simd <= MCO_SIMD_PORTABLE; params.simd++)
        if (mco_simd_has(params.simd)) {
            mco_dtspms_neighbourhood_result r = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
            assert_ok(mco_dtspms_neighbourhood(test_ctx, problem, &params, &r));
            assert_int_equal(r.work.lane_bits, lane_bits);
            assert_int_equal(r.best_move, expected.best_move);
            assert_int_equal(r.best_cost, expected.best_cost);
            assert_int_equal(r.cost_sum, expected.cost_sum);
            mco_dtspms_neighbourhood_result_clear(test_ctx, &r);
        }
    mco_dtspms_neighbourhood_result_clear(test_ctx, &expected);
}

// 16 bits must hold a path and one more distance, up to 65535. With all distances alike these are (orders + 2)
// distances.
static void lanes_are_as_wide_as_needed(void **state)
{
    (void)state;
    assert_lane_bits(7, 65535 / 9, 16);
    assert_lane_bits(7, 65535 / 9 + 1, 32);
    assert_lane_bits(15, 65535 / 17, 16);  // 65535 exactly
    assert_lane_bits(15, 65535 / 17 + 1, 32);
    assert_lane_bits(0, 32767, 16);
    assert_lane_bits(1, 1 << 20, 32);
    for (uint64_t seed = 0; seed < 4; seed++) {
        mco_dtspms *narrow = random_problem(seed, 13, 65535 / 15, seed % 2 == 0);
        assert_neighbourhoods_equal(narrow, 16);
        mco_dtspms_destroy(test_ctx, &narrow);
        mco_dtspms *wide = random_problem(seed, 13, 2 * 65535 / 15, seed % 2 == 0);
        assert_neighbourhoods_equal(wide, 32);
        mco_dtspms_destroy(test_ctx, &wide);
    }
}

static void costs_near_the_limit_work(void **state)
{
    (void)state;
    assert_lane_bits(7, (1 << 27) - 1, 32);  // 2^30 - 8 in each network
    mco_dtspms *wide = random_problem(1, 13, (1 << 30) / 14, false);
    assert_neighbourhoods_equal(wide, 32);
    mco_dtspms_destroy(test_ctx, &wide);
    mco_dtspms *problem = even_problem(7, 1 << 27);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    assert_fails(mco_dtspms_solve(test_ctx, problem, &params, &r), MCO_ERR_LIMIT,
                 "pickup distances allow a tour of 1073741824, at most 1073741823 supported: scale them down");
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- Limits and arguments

static void methods_refuse_what_they_do_not_take(void **state)
{
    (void)state;
    mco_dtspms *problem = random_problem(2, 13, 100, true);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    r.cost = 77;
    params.method = MCO_DTSPMS_METHOD_EXACT;
    assert_fails(mco_dtspms_solve(test_ctx, problem, &params, &r), MCO_ERR_LIMIT,
                 "13 orders: --method exact takes at most 12, --method ils up to 32767");
    assert_int_equal(mco_dtspms_solve(NULL, problem, &params, &r), MCO_ERR_ARGUMENT);
    assert_fails(mco_dtspms_solve(test_ctx, NULL, &params, &r), MCO_ERR_ARGUMENT, "the instance is NULL");
    assert_fails(mco_dtspms_solve(test_ctx, problem, NULL, &r), MCO_ERR_ARGUMENT, "params is NULL");
    assert_fails(mco_dtspms_solve(test_ctx, problem, &params, NULL), MCO_ERR_ARGUMENT, "result is NULL");
    assert_int_equal(r.cost, 77);
    mco_dtspms_destroy(test_ctx, &problem);
    problem = random_problem(2, 6, 100, true);
    params = (mco_dtspms_params)MCO_DTSPMS_PARAMS_INIT;
    params.method = MCO_DTSPMS_METHOD_EXACT;
    params.engine = MCO_ENGINE_GPU;
    assert_fails(mco_dtspms_solve(test_ctx, problem, &params, &r), MCO_ERR_ARGUMENT,
                 "--method exact runs on --engine cpu or reference");
    params = (mco_dtspms_params)MCO_DTSPMS_PARAMS_INIT;
    params.iterations = 10;  // the exact search has no iterations
    r = solve(problem, &params);
    assert_int_equal(r.method, MCO_DTSPMS_METHOD_ILS);
    mco_dtspms_result_clear(test_ctx, &r);
    mco_dtspms_destroy(test_ctx, &problem);
}

// Expects the refusal of a struct of `size` bytes of which `most` are known.
static void assert_size_refused(mco_status seen, const char *name, size_t size, size_t most)
{
    char text[200];
    assert_int_equal(seen, MCO_ERR_ARGUMENT);
    snprintf(text, sizeof text, "struct_size of %s is %zu, ", name, size);
    assert_non_null(strstr(mco_context_error(test_ctx), text));
    snprintf(text, sizeof text, " to %zu was expected: fill it by its _INIT macro", most);
    assert_non_null(strstr(mco_context_error(test_ctx), text));
}

static void only_structs_of_older_headers_are_shorter(void **state)
{
    const size_t most = sizeof(mco_dtspms_params), most_result = sizeof(mco_dtspms_result);
    (void)state;
    mco_dtspms *problem = random_problem(2, 6, 100, true);
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT, whole = MCO_DTSPMS_RESULT_INIT;
    r.cost = r.history_count = 77;
    for (int k = 0; k < 2; k++) {
        params.struct_size = k == 0 ? 0 : most + 1;
        assert_size_refused(mco_dtspms_solve(test_ctx, problem, &params, &r), "params", params.struct_size, most);
        params.struct_size = most;
        r.struct_size = k == 0 ? 0 : most_result + 1;
        assert_size_refused(mco_dtspms_solve(test_ctx, problem, &params, &r), "result", r.struct_size, most_result);
    }
    assert_int_equal(r.cost, 77);
    // A member that the struct lacks is neither read nor written.
    r = (mco_dtspms_result){.struct_size = offsetof(mco_dtspms_result, reason), .reason = "kept"};
    assert_ok(mco_dtspms_solve(test_ctx, problem, &params, &r));
    assert_ok(mco_dtspms_solve(test_ctx, problem, &params, &whole));
    assert_int_equal(r.cost, whole.cost);
    mco_dtspms_result_clear(test_ctx, &whole);
    mco_dtspms_result_clear(test_ctx, &r);
    assert_string_equal(r.reason, "kept");
    assert_null(r.solution.plan);
    assert_int_equal(r.history_count, 0);
    mco_dtspms_destroy(test_ctx, &problem);
}

static void assert_refused_for_memory(const mco_dtspms *problem, const mco_dtspms_params *params)
{
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    const long before = test_memory.calls;
    assert_int_equal(mco_dtspms_solve(test_ctx, problem, params, &r), MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), " GiB are allowed"));
    assert_int_equal(test_memory.calls, before);
}

static void tables_beyond_memory_are_refused(void **state)
{
    (void)state;
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_neighbourhood_result around = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    mco_dtspms *problem = named_problem("R00", 1000000);
    assert_refused_for_memory(problem, &params);
    params.stacks = 6;
    params.capacity = 1000000000;
    assert_refused_for_memory(problem, &params);
    mco_dtspms_destroy(test_ctx, &problem);
    params = (mco_dtspms_params)MCO_DTSPMS_PARAMS_INIT;
    problem = named_problem("R00", 300);
    params.memory = 1;
    assert_refused_for_memory(problem, &params);
    assert_int_equal(mco_dtspms_neighbourhood(test_ctx, problem, &params, &around), MCO_ERR_LIMIT);
    params.memory = 30;  // enough for a tour, not enough for 9 million costs
    params.method = MCO_DTSPMS_METHOD_TABU;
    assert_refused_for_memory(problem, &params);
    params.memory = 100;  // not enough for the plans of 65536 walks
    params.method = MCO_DTSPMS_METHOD_ILS;
    params.walks = 65536;
    assert_refused_for_memory(problem, &params);
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- Memory

// Makes one call in which an allocation may fail; true if none failed.
static bool call_once(const mco_dtspms *problem, const mco_dtspms_params *params, bool is_solve)
{
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    mco_dtspms_neighbourhood_result around = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    r.iterations = around.moves = -77;
    const mco_status st = is_solve ? mco_dtspms_solve(test_ctx, problem, params, &r)
                                   : mco_dtspms_neighbourhood(test_ctx, problem, params, &around);
    const bool has_failed = test_memory.calls >= test_memory.fail_at;
    if (st != (has_failed ? MCO_ERR_MEMORY : MCO_OK))
        fail_msg("%s: %s", mco_status_text(st), mco_context_error(test_ctx));
    if (st != MCO_OK) {
        assert_true(strlen(mco_context_error(test_ctx)) > 0);
        assert_int_equal(is_solve ? r.iterations : around.moves, -77);
        assert_null(r.solution.plan);
        assert_null(r.history);
        assert_null(around.solution.plan);
    }
    mco_dtspms_result_clear(test_ctx, &r);
    mco_dtspms_neighbourhood_result_clear(test_ctx, &around);
    return !has_failed;
}

static void assert_survives(const mco_dtspms *problem, const mco_dtspms_params *params, bool is_solve)
{
    const long before = test_memory.live;
    bool is_done = false;
    for (long k = 1; !is_done; k++) {
        assert_true(k < MOST_ALLOCATIONS);
        test_fail_allocation(k);
        is_done = call_once(problem, params, is_solve);
        if (test_memory.live != before)
            fail_msg("allocation %ld failed: %ld blocks leaked", k, test_memory.live - before);
    }
    test_fail_allocation(0);
}

static void failing_memory_is_told(void **state)
{
    (void)state;
    static const mco_dtspms_method methods[] = {MCO_DTSPMS_METHOD_TABU, MCO_DTSPMS_METHOD_ILS, MCO_DTSPMS_METHOD_EXACT};
    int32_t plan[] = {5, 4, 3, 2, 1, 0};
    const mco_dtspms_solution start = {.orders = 6, .stacks = 3, .heights = {3, 2, 1}, .plan = plan};
    mco_dtspms *problem = random_problem(3, 6, 100, false);
    for (int reference = 0; reference < 2; reference++) {
        mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
        params.engine = reference == 1 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU;
        params.threads = 2;
        params.walks = 2;
        params.capacity = 3;
        params.start = &start;
        for (int k = 0; k < COUNT_OF(methods); k++) {
            params.method = methods[k];
            params.iterations = methods[k] == MCO_DTSPMS_METHOD_ILS ? 12 : 2;
            assert_survives(problem, &params, true);
        }
        for (params.reuse = MCO_DTSPMS_REUSE_OFF; params.reuse <= MCO_DTSPMS_REUSE_ON; params.reuse++)
            assert_survives(problem, &params, false);
    }
    mco_dtspms_destroy(test_ctx, &problem);
}

// Time is over before the distances are known: the answer is the first plan, with tours that need no table.
static void a_late_model_leaves_the_first_plan(void **state)
{
    (void)state;
    enum { ORDERS = 1500 };
    mco_dtspms *problem = NULL;
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_neighbourhood_result around = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    assert_ok(mco_dtspms_generate(test_ctx, ORDERS, 1, 2, &problem));
    params.stacks = 2;
    params.time_limit_s = 0;
    mco_dtspms_result r = solve(problem, &params);
    int64_t cost = 0;
    assert_ok(mco_dtspms_check(test_ctx, problem, &r.solution, 0, &cost, NULL));
    assert_int_equal(r.cost, cost);
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    assert_int_equal(r.bound, 0);
    assert_int_equal(r.walks, 0);
    assert_memory_equal(r.solution.pickup, r.solution.plan, ORDERS * sizeof *r.solution.plan);
    mco_dtspms_result_clear(test_ctx, &r);
    assert_ok(mco_dtspms_neighbourhood(test_ctx, problem, &params, &around));
    assert_int_equal(around.stop, MCO_STOP_TIME);
    assert_int_equal(around.plan_cost, -1);
    assert_int_equal(around.best_move, -1);
    mco_dtspms_neighbourhood_result_clear(test_ctx, &around);
    mco_dtspms_destroy(test_ctx, &problem);
}

// A start puts both orders in one stack, where each could have its own: the search ends with the optimum, whatever the method.
static void few_orders_leave_the_start(void **state)
{
    (void)state;
    static const int32_t pickup[] = {0, 1, 9, 9, 0, 1, 1, 9, 0}, delivery[] = {0, 1, 9, 9, 0, 1, 1, 9, 0};
    int32_t plan[] = {0, 1};
    const mco_dtspms_solution start = {.orders = 2, .stacks = 2, .heights = {2, 0}, .plan = plan};
    mco_dtspms *problem = NULL;
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    assert_ok(mco_dtspms_create(test_ctx, 2, pickup, delivery, &problem));
    params.stacks = params.capacity = 2;
    params.start = &start;
    params.time_limit_s = 60;
    params.method = MCO_DTSPMS_METHOD_TABU;
    const mco_dtspms_result r = solve(problem, &params);
    mco_dtspms_result given = r;
    assert_int_equal(r.cost, 6);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(r.stop, MCO_STOP_FINISHED);
    mco_dtspms_result_clear(test_ctx, &given);
    mco_dtspms_destroy(test_ctx, &problem);
}

// A result that no call has filled is written as one about which nothing is known.
static void unsolved_results_are_written_as_unknown(void **state)
{
    (void)state;
    char text[8192];
    mco_dtspms *problem = random_problem(2, 5, 100, true);
    const mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    const mco_dtspms_neighbourhood_result around = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    assert_ok(mco_dtspms_write_neighbourhood(test_ctx, problem, &params, &around, NULL, test_path("unsolved.json")));
    FILE *file = fopen(test_path("unsolved.json"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "\"outcome\": \"unknown\""));
    assert_non_null(strstr(text, "\"objective\": null"));
    assert_non_null(strstr(text, "\"ok\": null"));
    mco_dtspms_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(exact_is_the_best_of_all_plans), TEST(exact_leaves_nothing_out), TEST(known_optima_are_found),
        TEST(exact_is_equal_on_both_engines), TEST(iterated_searches_are_equal), TEST(tabu_searches_are_equal),
        TEST(equal_seeds_give_equal_results), TEST(searches_find_the_optimum), TEST(stacks_with_room_vary),
        TEST(too_small_a_capacity_is_infeasible), TEST(a_start_is_never_made_worse), TEST(a_wrong_start_is_refused),
        TEST(every_end_is_told), TEST(cancelling_leaves_the_best_plan), TEST(a_neighbourhood_cut_short_has_no_sum),
        TEST(lanes_are_as_wide_as_needed), TEST(costs_near_the_limit_work), TEST(methods_refuse_what_they_do_not_take),
        TEST(only_structs_of_older_headers_are_shorter), TEST(tables_beyond_memory_are_refused), TEST(failing_memory_is_told),
        TEST(a_late_model_leaves_the_first_plan), TEST(few_orders_leave_the_start), TEST(unsolved_results_are_written_as_unknown)};
    return cmocka_run_group_tests_name("dtspms_search", tests, NULL, NULL);
}
