// SPDX-License-Identifier: MIT
// Solves while the k-th allocation fails, for every k: there must be a status or a valid result, no leak and no crash.
#include "test_support.h"

#include "mco/mco.h"

enum { JOBS = 8, MACHINES = 4, MOST_ALLOCATIONS = 5000 };

// Makes one solve and releases what it returns. True if its result is usable.
static bool solve_once(const mco_flowshop *shop, const mco_flowshop_params *params)
{
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    int64_t makespan;
    mco_status st = mco_flowshop_solve(test_ctx, shop, params, &result);
    const bool has_failed = test_memory.fail_at > 0 && test_memory.calls >= test_memory.fail_at;
    if (st != MCO_OK && !(st == MCO_ERR_MEMORY && has_failed))
        fail_msg("%s: %s", mco_status_text(st), mco_context_error(test_ctx));
    if (st == MCO_OK && result.order != NULL) {
        test_fail_allocation(0);
        assert_ok(mco_flowshop_check(test_ctx, shop, result.order, JOBS, &makespan));
        assert_int_equal(makespan, result.makespan);
        assert_true(result.bound <= result.makespan);
    }
    if (st == MCO_ERR_MEMORY)
        assert_true(strlen(mco_context_error(test_ctx)) > 0);
    mco_flowshop_result_clear(test_ctx, &result);
    return !has_failed;
}

static void solve_generated(int32_t machines, int32_t seed, const mco_flowshop_params *params)
{
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_generate(test_ctx, JOBS, machines, seed, &shop));
    const long before = test_memory.live;
    bool is_done = false;
    for (long k = 1; !is_done; k++) {
        assert_true(k < MOST_ALLOCATIONS);
        test_fail_allocation(k);
        is_done = solve_once(shop, params);
        if (test_memory.live != before)
            fail_msg("allocation %ld failed: %ld blocks leaked", k, test_memory.live - before);
    }
    test_fail_allocation(0);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void solve_without_memory(const mco_flowshop_params *params)
{
    solve_generated(MACHINES, 1, params);
}

static void test_branch_and_bound(void **state)
{
    (void)state;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.iterations = 2;
    for (int threads = 1; threads <= 2; threads++) {
        params.threads = threads;
        params.bound = threads == 1 ? MCO_FLOWSHOP_BOUND_LB1 : MCO_FLOWSHOP_BOUND_LB2;
        solve_without_memory(&params);
    }
}

static void test_best_first(void **state)
{
    (void)state;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.iterations = 2;
    params.threads = 1;
    params.select = MCO_FLOWSHOP_SELECT_BEST;
    solve_without_memory(&params);
}

static void test_heuristic(void **state)
{
    (void)state;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.method = MCO_FLOWSHOP_METHOD_HEURISTIC;
    params.iterations = 5;
    params.threads = 2;
    solve_without_memory(&params);
    params.iterations = -1;  // turns with beams, which prove the optimum; the first schedule is none
    solve_generated(2, 6, &params);
}

static void test_beam(void **state)
{
    (void)state;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.method = MCO_FLOWSHOP_METHOD_BEAM;
    for (int threads = 1; threads <= 2; threads++) {
        params.threads = threads;
        params.engine = threads == 1 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU;
        solve_without_memory(&params);
    }
}

static void test_reference(void **state)
{
    (void)state;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.engine = MCO_ENGINE_REFERENCE;
    params.threads = 1;
    solve_without_memory(&params);
}

static void test_checkpoint(void **state)
{
    (void)state;
    char path[160];
    snprintf(path, sizeof path, "%s", test_path("search"));
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.iterations = 2;
    params.threads = 1;
    params.checkpoint = path;
    solve_without_memory(&params);
    params = (mco_flowshop_params)MCO_FLOWSHOP_PARAMS_INIT;
    params.threads = 1;
    params.resume = path;
    solve_without_memory(&params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_branch_and_bound), TEST(test_best_first), TEST(test_heuristic), TEST(test_beam),
                                       TEST(test_reference), TEST(test_checkpoint)};
    return cmocka_run_group_tests_name("flowshop_memory", tests, NULL, NULL);
}
