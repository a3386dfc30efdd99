// SPDX-License-Identifier: MIT
// The pool of workers: cores and GPUs on one tree, without a real GPU. The nodes must be those of the published trees,
// whoever searches and however often work changes hands. test_flowshop_search_stop.c has the stops and failures.
#include "flowshop_search_support.h"

#include "base/rng.h"

// ---- Trees

typedef struct tree {
    const char *name;
    mco_flowshop_bound bound;
    mco_flowshop_branching branching;
    int64_t upper_bound, nodes;
} tree;

static const tree trees[] = {
    {"ta011", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINMIN, 1582, 156873},
    {"ta011", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINBRANCH, 1582, 150678},
    {"ta020", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINBRANCH, 1591, 268812},
    {"ta020", MCO_FLOWSHOP_BOUND_LB2, MCO_FLOWSHOP_BRANCHING_MINMIN, 1591, 121893},
    {"ta030", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINBRANCH, 2178, 2415746},
};

static void test_published_trees(void **state)
{
    (void)state;
    for (int t = 0; t < COUNT_OF(trees) - TEST_IS_SANITIZED; t++)
        for (int w = t < COUNT_OF(trees) - 1 ? 0 : 2; w < COUNT_OF(teams); w++) {  // the largest only by large teams
            mco_flowshop *shop = taillard(trees[t].name);
            solve_of_test s;
            prepare(&s, shop, teams[w].engine, teams[w].gpus, teams[w].threads, trees[t].upper_bound);
            s.run.bound = trees[t].bound;
            s.run.branching = trees[t].branching;
            begin_with_root(&s);
            assert_ok(search(&s));
            assert_int_equal(s.result.nodes, trees[t].nodes);
            assert_int_equal(s.state.open.count, 0);
            assert_int_equal(s.stop, MCO_STOP_FINISHED);
            assert_int_equal(s.result.makespan, -1);
            assert_int_equal(s.result.bound, trees[t].upper_bound);
            assert_true(s.is_proved);
            assert_int_equal(s.result.work.engine, teams[w].engine);
            assert_true(s.result.work.device_s == 0.25 * teams[w].gpus);
            end(&s);
            mco_flowshop_destroy(test_ctx, &shop);
        }
}

// The bound is above the optimum. One worker finds the optimum and all prune by it.
static void test_optimum_is_found(void **state)
{
    (void)state;
    for (int w = 0; w < COUNT_OF(teams); w++) {
        mco_flowshop *shop = taillard("ta011");
        solve_of_test s;
        prepare(&s, shop, teams[w].engine, teams[w].gpus, teams[w].threads, 1583);
        begin_with_root(&s);
        assert_ok(search(&s));
        assert_int_equal(s.result.makespan, 1582);
        assert_int_equal(s.result.bound, 1582);
        end(&s);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

static int64_t nodes_by_reference(const mco_flowshop *shop, int64_t upper_bound)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    params.engine = MCO_ENGINE_REFERENCE;
    params.upper_bound = upper_bound;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    const int64_t nodes = result.nodes;
    mco_flowshop_result_clear(test_ctx, &result);
    return nodes;
}

// Trees of a few nodes with more workers than intervals: mostly the search for work and its end.
static void test_tiny_trees(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 31, 0);
    for (int round = 0; round < 60; round++) {
        mco_flowshop *shop = NULL;
        int64_t bound;
        assert_ok(mco_flowshop_generate(test_ctx, 1 + (int32_t)mco_rng_below(&rng, 9), 3, round + 1, &shop));
        assert_ok(mco_flowshop_lower_bound(test_ctx, shop, MCO_FLOWSHOP_BOUND_LB1, &bound));
        const int64_t upper_bound = bound + 1 + mco_rng_below(&rng, 40);
        const team *w = &teams[round % COUNT_OF(teams)];
        solve_of_test s;
        // If no schedule is found on the way, the nodes are those of the reference.
        prepare(&s, shop, w->engine, w->gpus, w->threads, bound);
        begin_with_root(&s);
        assert_ok(search(&s));
        assert_int_equal(s.result.nodes, nodes_by_reference(shop, bound));
        end(&s);
        prepare(&s, shop, w->engine, w->gpus, w->threads, upper_bound);
        begin_with_root(&s);
        assert_ok(search(&s));
        assert_true(s.is_proved);
        end(&s);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// ---- Sharing

static void test_shares_follow_power(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta030");
    solve_of_test s;
    prepare(&s, shop, MCO_ENGINE_HYBRID, 2, 2, 2178);
    begin_with_root(&s);
    assert_ok(search(&s));
    // An idle GPU gets half of the work of an equal one; an idle core gets one part in 201.
    if (mocks.share_of_gpu != 0)
        assert_true(mocks.share_of_gpu == 0.5);
    if (mocks.share_of_core != 0)
        assert_true(fabs(mocks.share_of_core - 1.0 / 201) < 1e-12);
    assert_int_equal(s.result.nodes, 2415746);
    end(&s);
    mco_flowshop_destroy(test_ctx, &shop);
}

// The search begins with many intervals. All workers begin from them; their notes hold what they have not begun.
static void test_many_intervals(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    for (int w = 0; w < COUNT_OF(teams); w++) {
        solve_of_test s;
        flowshop_interval piece = {0};
        prepare(&s, shop, teams[w].engine, teams[w].gpus, teams[w].threads, 1591);
        assert_ok(flowshop_interval_create(test_ctx, 20, &piece));
        for (int32_t first = 0; first < 20; first++)  // all pairs of the first two digits
            for (int32_t second = 0; second < 19; second++) {
                const bool is_last_of_first = second == 18, is_last = is_last_of_first && first == 19;
                piece.a[0] = first;
                piece.a[1] = second;
                piece.a_depth = first + second == 0 ? 0 : second == 0 ? 1 : 2;
                piece.b[0] = is_last_of_first ? first + 1 : first;
                piece.b[1] = second + 1;
                piece.b_depth = is_last ? 0 : is_last_of_first ? 1 : 2;
                assert_ok(flowshop_intervals_add(test_ctx, &s.state.open, &piece));
            }
        assert_ok(search(&s));
        assert_int_equal(s.result.nodes, 268812);
        flowshop_interval_destroy(test_ctx, &piece);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Engine auto

// The tree is the same, whether or not it is long enough for all legs.
static void test_auto(void **state)
{
    (void)state;
    enum { WHOLE, LOSES_GPU, CANNOT_OPEN, HAS_NO_GPU, CASES };
    const tree *t = &trees[COUNT_OF(trees) - (TEST_IS_SANITIZED ? 3 : 1)];
    mco_flowshop *shop = taillard(t->name);
    for (int c = 0; c < CASES; c++) {
        solve_of_test s;
        prepare(&s, shop, MCO_ENGINE_AUTO, 1, 1, t->upper_bound);
        mocks.fail_at = c == LOSES_GPU ? 50000 : 0;
        mocks.fails_to_open = c == CANNOT_OPEN;
        if (c == HAS_NO_GPU) {  // it looks for the GPUs of this machine
            mco_free(test_ctx, &s.run.gpus);
            s.run.gpu_count = 0;
        }
        begin_with_root(&s);
        assert_ok(search(&s));
        assert_int_equal(s.result.nodes, t->nodes);
        assert_true(s.is_proved);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Engines and what they refuse

typedef struct refusal {
    mco_engine engine;
    const char *part;  // of the expected message
    mco_flowshop_method method;
    mco_flowshop_select select;
    const char *gpus, *checkpoint;
    int64_t pool_size, streams, block;  // 0: the default
} refusal;

static const refusal refusals[] = {
    {MCO_ENGINE_CPU, "--gpus is \"0\", but cpu uses none", .gpus = "0"},
    {MCO_ENGINE_REFERENCE, "but reference uses none", .gpus = "all"},
    {MCO_ENGINE_AUTO, "but the heuristic uses none", .method = MCO_FLOWSHOP_METHOD_HEURISTIC, .gpus = "0"},
    {MCO_ENGINE_AUTO, "but --select best uses none", .select = MCO_FLOWSHOP_SELECT_BEST, .gpus = "0"},
    {MCO_ENGINE_GPU, "engine gpu has no heuristic", .method = MCO_FLOWSHOP_METHOD_HEURISTIC},
    {MCO_ENGINE_HYBRID, "engine hybrid goes its own way", .select = MCO_FLOWSHOP_SELECT_BEST},
    {MCO_ENGINE_GPU_TREE, "--engine auto, cpu, gpu or hybrid", .checkpoint = "c"},
    {MCO_ENGINE_REFERENCE, "--engine auto, cpu, gpu or hybrid", .checkpoint = "c"},
    {MCO_ENGINE_AUTO, "--pool is 7, but engine auto", .pool_size = 7},
    {MCO_ENGINE_HYBRID, "--block is 64, but engine hybrid", .block = 64},
    {MCO_ENGINE_REFERENCE, "--streams is 2, but engine is reference", .streams = 2},
    {MCO_ENGINE_GPU_TREE, "--streams is 2, but engine is gpu-tree", .streams = 2},
};

static void test_refusals(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta001");
    for (int i = 0; i < COUNT_OF(refusals); i++) {
        const refusal *x = &refusals[i];
        mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
        mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
        p.engine = x->engine;
        p.method = x->method;
        p.select = x->select;
        p.gpus = x->gpus;
        p.checkpoint = x->checkpoint;
        p.pool_size = x->pool_size > 0 ? x->pool_size : p.pool_size;
        p.streams = x->streams > 0 ? x->streams : p.streams;
        p.block = x->block > 0 ? x->block : p.block;
        assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_ARGUMENT);
        expect_text(x->part);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// Without a GPU, auto uses none, and the other engines fail.
static void test_without_gpus(void **state)
{
    (void)state;
    mco_gpu *gpus = NULL;
    int count;
    const char *reason;
    assert_ok(mco_alloc(test_ctx, &gpus, MCO_MAX_GPUS));
    assert_ok(mco_gpus_list(test_ctx, gpus, &count, &reason));
    mco_free(test_ctx, &gpus);
    if (count > 0)
        skip();
    mco_flowshop *shop = taillard("ta011");
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    p.upper_bound = 1582;
    for (mco_engine e = MCO_ENGINE_GPU; e <= MCO_ENGINE_MULTI_GPU_FUNCTIONAL; e++) {
        if (e == MCO_ENGINE_REFERENCE)
            continue;
        p.engine = e;
        assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_DEVICE);
        expect_text("no GPU");
    }
    p.engine = MCO_ENGINE_AUTO;
    p.branching = MCO_FLOWSHOP_BRANCHING_MINMIN;
    p.threads = 2;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &p, &r));
    assert_int_equal(r.work.engine, MCO_ENGINE_CPU);
    assert_int_equal(r.work.gpus, 0);
    assert_int_equal(r.nodes, 156873);
    mco_flowshop_result_clear(test_ctx, &r);
    p.gpus = "0";  // asked for by name
    assert_int_equal(mco_flowshop_solve(test_ctx, shop, &p, &r), MCO_ERR_DEVICE);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Lists of intervals

static void test_lists(void **state)
{
    (void)state;
    enum { JOBS = 6, COUNT = 100 };
    flowshop_intervals list = {.jobs = JOBS};
    flowshop_interval v = {0};
    assert_ok(flowshop_interval_create(test_ctx, JOBS, &v));
    for (int32_t i = 0; i < COUNT; i++) {
        v = (flowshop_interval){.a_depth = 1, .b_depth = JOBS, .a = v.a, .b = v.b, .bound = i};
        v.a[0] = v.b[JOBS - 1] = i;
        assert_ok(flowshop_intervals_add(test_ctx, &list, &v));
    }
    assert_ok(flowshop_intervals_reserve(test_ctx, &list, 10));  // never shrinks the list
    assert_true(list.room >= COUNT);
    assert_ok(flowshop_intervals_reserve(test_ctx, &list, 3 * COUNT));
    assert_int_equal(list.room, 3 * COUNT);
    const long calls = test_memory.calls;
    while (list.count < list.room)
        flowshop_interval_copy(&v, flowshop_intervals_push(&list));
    assert_int_equal(test_memory.calls, calls);
    for (int32_t i = 0; i < COUNT; i++) {
        assert_int_equal(list.items[i].bound, i);
        assert_int_equal(list.items[i].a[0], i);
        assert_int_equal(list.items[i].b[JOBS - 1], i);
    }
    for (long k = 1; k <= 2; k++) {  // a list that cannot grow must stay as it is
        test_fail_allocation(k);
        assert_int_equal(flowshop_intervals_add(test_ctx, &list, &v), MCO_ERR_MEMORY);
        assert_int_equal(list.count, 3 * COUNT);
        assert_int_equal(list.items[COUNT - 1].bound, COUNT - 1);
    }
    test_fail_allocation(0);
    flowshop_intervals_clear(test_ctx, &list);
    assert_int_equal(list.room, 0);
    flowshop_interval_destroy(test_ctx, &v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_lists),
        TEST(test_published_trees),
        TEST(test_optimum_is_found),
        TEST(test_tiny_trees),
        TEST(test_shares_follow_power),
        TEST(test_many_intervals),
        TEST(test_auto),
        TEST(test_refusals),
        TEST(test_without_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
