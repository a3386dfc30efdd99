// SPDX-License-Identifier: MIT
// The pool systems with the host as their device: node counts of published trees; parity of every system, rule and
// bound with the reference; the pending nodes; the adaptive pool size; memory that runs short.
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "flowshop/systems/pool.h"
#include "flowshop/systems/nodes.h"
#include "flowshop/systems/size.h"
#include "flowshop/tree/ref.h"
#include "mco/mco.h"

typedef struct system_case {
    mco_engine engine;
    int gpu_count;
    bool prunes_on_host;
} system_case;

static const system_case systems[] = {
    {MCO_ENGINE_CPU, 0, false},
    {MCO_ENGINE_GPU_BOUND, 1, false},
    {MCO_ENGINE_GPU_MULTINODE, 1, false},
    {MCO_ENGINE_GPU_TREE, 1, false},
    {MCO_ENGINE_GPU_TREE, 1, true},
    {MCO_ENGINE_GPU_CONCURRENT, 1, false},
    {MCO_ENGINE_GPU_COOPERATIVE, 1, false},
    {MCO_ENGINE_MULTI_GPU_BOUND, 3, false},
    {MCO_ENGINE_MULTI_GPU_FUNCTIONAL, 1, false},
    {MCO_ENGINE_MULTI_GPU_FUNCTIONAL, 2, false},
    {MCO_ENGINE_MULTI_GPU_FUNCTIONAL, 5, false},
};
enum { SYSTEMS = sizeof systems / sizeof systems[0] };

static const mco_gpu fake_gpus[5] = {{.index = 0, .multiprocessors = 2},
                                     {.index = 1, .multiprocessors = 2},
                                     {.index = 2, .multiprocessors = 2},
                                     {.index = 3, .multiprocessors = 2},
                                     {.index = 4, .multiprocessors = 2}};

typedef struct outcome {
    mco_status st;
    mco_stop stop;
    bool is_proved;
    mco_flowshop_result result;
    flowshop_pool_stats stats;
} outcome;

static void clear(outcome *o)
{
    mco_flowshop_result_clear(test_ctx, &o->result);
}

typedef struct wish {
    mco_flowshop_bound bound;
    mco_flowshop_branching branching;
    int64_t upper;
    int64_t pool_size;
    int64_t most_pending;
    double time_limit_s;
    const flowshop_backend *backend;
    long fail_at; // the number of the search's allocation that fails; 0: none
} wish;

static outcome run_system(const mco_flowshop *shop, const system_case *system, wish w)
{
    const int32_t n = mco_flowshop_jobs(shop);
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    outcome o = {.result = MCO_FLOWSHOP_RESULT_INIT};
    o.result.work.engine = system->engine;
    o.result.makespan = -1;
    o.result.upper_bound_used = w.upper;
    o.result.children_columns = flowshop_children_columns(n);
    assert_int_equal(mco_alloc(test_ctx, &o.result.children_by_depth, (int64_t)(n + 1) * o.result.children_columns),
                     MCO_OK);
    mco_flowshop_lower_bound(test_ctx, shop, MCO_FLOWSHOP_BOUND_LB1, &o.result.bound);
    flowshop_run run = {.ctx = test_ctx,
                        .shop = shop,
                        .params = &params,
                        .result = &o.result,
                        .bound = w.bound,
                        .branching = w.branching,
                        .threads = 2,
                        .upper_bound = w.upper,
                        .fixed_bound = w.upper};
    const mco_run_settings settings = {
        .time_limit_s = w.time_limit_s > 0 ? w.time_limit_s : (double)INFINITY, .target = -1, .objective = "makespan"};
    run.run = mco_run_begin(test_ctx, &settings);
    const flowshop_pool_setup setup = {.backend = w.backend != NULL ? w.backend : &flowshop_host_backend,
                                       .gpus = fake_gpus,
                                       .gpu_count = system->gpu_count,
                                       .pool_size = w.pool_size,
                                       .streams = 3,
                                       .block = 64,
                                       .rule_bound = w.upper,
                                       .most_pending = w.most_pending,
                                       .prunes_on_host = system->prunes_on_host,
                                       .stats = &o.stats};
    test_fail_allocation(w.fail_at);
    if (system->engine == MCO_ENGINE_REFERENCE)
        o.st = flowshop_reference(&run, &o.is_proved, &o.stop);
    else
        o.st = flowshop_pool_search(&run, &setup, &o.is_proved, &o.stop);
    test_memory.fail_at = 0;
    mco_run_give_history(&run.run, &o.result.history, &o.result.history_count);
    return o;
}

// ---- Published trees with the optimum known

static void test_published_trees(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        mco_flowshop_bound bound;
        mco_flowshop_branching branching;
        int64_t upper, nodes;
    } trees[] = {{"ta011", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINBRANCH, 1582, 150678},
                 {"ta020", MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BRANCHING_MINMIN, 1591, 288357}};
    for (size_t i = 0; i < (TEST_IS_SANITIZED ? 1 : sizeof trees / sizeof trees[0]); i++) {
        mco_flowshop *shop = NULL;
        assert_int_equal(mco_flowshop_taillard(test_ctx, trees[i].name, &shop), MCO_OK);
        for (int s = 0; s < SYSTEMS; s += TEST_IS_SANITIZED ? 6 : 1) {  // those of cores and of both: tests below search this tree, too
            outcome o =
                run_system(shop, &systems[s],
                           (wish){.bound = trees[i].bound, .branching = trees[i].branching, .upper = trees[i].upper});
            assert_int_equal(o.st, MCO_OK);
            assert_true(o.is_proved);
            assert_int_equal(o.result.nodes, trees[i].nodes);
            assert_int_equal(o.result.makespan, -1);
            if (systems[s].engine == MCO_ENGINE_GPU_COOPERATIVE)
                assert_true(o.stats.host_nodes > 0 && o.stats.host_nodes < trees[i].nodes);
            clear(&o);
        }
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// ---- Parity with the reference

static mco_flowshop *random_shop(mco_rng *rng, int32_t n, int32_t m, int32_t largest)
{
    mco_flowshop *shop = NULL;
    int32_t *times = calloc((size_t)(n * m) + 1, sizeof *times);
    for (int32_t c = 0; c < n * m; c++)
        times[c] = (int32_t)mco_rng_below(rng, (uint32_t)largest + 1);
    assert_int_equal(mco_flowshop_create(test_ctx, n, m, times, &shop), MCO_OK);
    free(times);
    return shop;
}

static void compare(const outcome *a, const outcome *b, int32_t n)
{
    assert_int_equal(b->st, MCO_OK);
    assert_true(a->is_proved && b->is_proved);
    assert_int_equal(a->result.nodes, b->result.nodes);
    assert_int_equal(a->result.leaves, b->result.leaves);
    assert_memory_equal(a->result.children_by_depth, b->result.children_by_depth,
                        (size_t)((n + 1) * a->result.children_columns) * sizeof(int64_t));
}

static int64_t optimum_of(const mco_flowshop *shop)
{
    const system_case reference = {MCO_ENGINE_REFERENCE, 0, false};
    outcome o = run_system(shop, &reference,
                           (wish){.bound = MCO_FLOWSHOP_BOUND_LB1,
                                  .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH,
                                  .upper = INT32_MAX});
    const int64_t optimum = o.result.makespan;
    clear(&o);
    return optimum;
}

static void test_parity_with_reference(void **state)
{
    (void)state;
    const system_case reference = {MCO_ENGINE_REFERENCE, 0, false};
    mco_rng rng;
    mco_rng_seed(&rng, 40, 0);
    for (int round = 0; round < (TEST_IS_SANITIZED ? 16 : 24); round++) {
        const int32_t n = 1 + round % 8, m = 1 + (int32_t)mco_rng_below(&rng, 6);
        mco_flowshop *shop = random_shop(&rng, n, m, round % 3 == 0 ? 90000 : round % 3 == 1 ? 12 : 1);
        const int64_t optimum = optimum_of(shop);
        for (int rule = MCO_FLOWSHOP_BRANCHING_FORWARD; rule <= MCO_FLOWSHOP_BRANCHING_MAXSUM; rule++)
            for (int bound = MCO_FLOWSHOP_BOUND_LB1; bound <= MCO_FLOWSHOP_BOUND_LB2; bound++) {
                wish w = {.bound = (mco_flowshop_bound)bound,
                          .branching = (mco_flowshop_branching)rule,
                          .upper = optimum,
                          .pool_size = round % 2 * 100};
                outcome expected = run_system(shop, &reference, w);
                for (int s = 0; s < SYSTEMS; s++) {
                    outcome o = run_system(shop, &systems[s], w);
                    compare(&expected, &o, n);
                    clear(&o);
                }
                clear(&expected);
                // One above the optimum: the search must find the optimum and prove it.
                w.upper = optimum + 1;
                for (int s = 0; s < SYSTEMS; s++) {
                    outcome o = run_system(shop, &systems[s], w);
                    assert_int_equal(o.st, MCO_OK);
                    assert_true(o.is_proved);
                    assert_int_equal(o.result.makespan, optimum);
                    clear(&o);
                }
            }
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// Searches the same tree by the vector explorers of engine cpu, which are fast enough for the sizes below.
static outcome run_explorers(const mco_flowshop *shop, wish w)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    outcome o = {.result = MCO_FLOWSHOP_RESULT_INIT};
    params.engine = MCO_ENGINE_CPU;
    params.threads = 1;
    params.bound = w.bound;
    params.branching = w.branching;
    params.upper_bound = w.upper;
    o.st = mco_flowshop_solve(test_ctx, shop, &params, &o.result);
    o.is_proved = o.result.outcome == MCO_OUTCOME_NONE_BELOW;
    return o;
}

// LB2 with numbers of jobs around the words of a set of jobs. With a bound `above` the root's bound, the tree has at
// least `nodes` nodes and no schedule, so the order of the visits does not matter.
static void test_parity_at_larger_sizes(void **state)
{
    (void)state;
    static const struct {
        int32_t n, m;
        uint64_t seed;
        int64_t above, nodes;
    } trees[] = {{10, 10, 0, 80, 400},  {31, 10, 0, 59, 600}, {32, 10, 11, 61, 1000},
                 {33, 10, 0, 44, 600}, {65, 15, 3, 80, 700}, {300, 20, 0, 80, 80}};
    for (size_t i = 0; i < sizeof trees / sizeof trees[0] - TEST_IS_SANITIZED; i++) {
        mco_rng rng;
        mco_rng_seed(&rng, 41, trees[i].seed);
        mco_flowshop *shop = random_shop(&rng, trees[i].n, trees[i].m, 99);
        wish w = {.bound = MCO_FLOWSHOP_BOUND_LB2, .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH};
        mco_flowshop_lower_bound(test_ctx, shop, MCO_FLOWSHOP_BOUND_LB2, &w.upper);
        w.upper += trees[i].above;
        outcome expected = run_explorers(shop, w);
        assert_int_equal(expected.st, MCO_OK);
        assert_true(expected.is_proved);
        assert_in_range(expected.result.nodes, trees[i].nodes, 2 * trees[i].nodes);
        for (int s = TEST_IS_SANITIZED ? (int)i % 3 : 0; s < SYSTEMS; s += TEST_IS_SANITIZED ? 3 : 1) {
            outcome o = run_system(shop, &systems[s], w);
            compare(&expected, &o, trees[i].n);
            clear(&o);
        }
        clear(&expected);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// ---- Stops

static void test_time_limit(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    assert_int_equal(mco_flowshop_taillard(test_ctx, "ta056", &shop), MCO_OK);
    for (int s = 0; s < SYSTEMS; s++) {
        int64_t nodes = 0;
        // A busy machine may leave a short limit no time for a node.
        for (double limit_s = 0.05; nodes == 0 && limit_s < 100; limit_s *= 2) {
            const double begin_s = mco_cpu_clock_s();
            outcome o = run_system(
                shop, &systems[s],
                (wish){
                    .bound = MCO_FLOWSHOP_BOUND_LB1,
                     .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH,
                     .upper = 3679,
                     .time_limit_s = limit_s});
            assert_int_equal(o.st, MCO_OK);
            assert_false(o.is_proved);
            assert_int_equal(o.stop, MCO_STOP_TIME);
            assert_true(mco_cpu_clock_s() - begin_s < 20);
            nodes = o.result.nodes;
            clear(&o);
        }
        assert_true(nodes > 0);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Little room for pending nodes: pools are cut and the search continues

static void test_little_room_for_pending_nodes(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    assert_int_equal(mco_flowshop_taillard(test_ctx, "ta011", &shop), MCO_OK);
    for (int s = 1; s < SYSTEMS; s += 1 + TEST_IS_SANITIZED) {
        wish w = {.bound = MCO_FLOWSHOP_BOUND_LB1,
                  .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH,
                  .upper = 1582,
                  .pool_size = 10000,
                  .most_pending = 5000};
        outcome o = run_system(shop, &systems[s], w);
        assert_int_equal(o.st, MCO_OK);
        assert_true(o.is_proved);
        assert_int_equal(o.result.nodes, 150678);
        clear(&o);
        w.most_pending = 5;
        o = run_system(shop, &systems[s], w);
        assert_int_equal(o.st, MCO_OK);
        assert_false(o.is_proved);
        assert_int_equal(o.stop, MCO_STOP_MEMORY);
        clear(&o);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Memory that runs short: batches shrink; failures have their messages

static const int32_t FITS = 700;
static mco_context *backend_ctx; // gets the messages of the backends below

static mco_status noting_create(mco_context *ctx, const flowshop_tables *tables, flowshop_operators operators,
                                const flowshop_batch_place *place, flowshop_batch **out)
{
    backend_ctx = ctx;
    return flowshop_host_backend.create(ctx, tables, operators, place, out);
}

static mco_status short_resize(flowshop_batch *batch, int32_t children, int32_t fathers)
{
    return children > FITS ? mco_fail(backend_ctx, MCO_ERR_MEMORY, "too short")
                           : flowshop_host_backend.resize(batch, children, fathers);
}

static mco_status lost_begin(flowshop_batch *batch)
{
    return batch->host.fathers > 20 ? mco_fail(backend_ctx, MCO_ERR_DEVICE, "lost")
                                    : flowshop_host_backend.begin(batch);
}

static void test_short_memory_and_lost_device(void **state)
{
    (void)state;
    flowshop_backend narrow = flowshop_host_backend, lost = flowshop_host_backend;
    mco_flowshop *shop = NULL;
    narrow.create = lost.create = noting_create;
    narrow.resize = lost.resize = short_resize;
    lost.begin = lost_begin;
    assert_int_equal(mco_flowshop_taillard(test_ctx, "ta011", &shop), MCO_OK);
    for (int s = 1 + TEST_IS_SANITIZED; s < SYSTEMS; s += 1 + TEST_IS_SANITIZED) {
        wish w = {.bound = MCO_FLOWSHOP_BOUND_LB1,
                  .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH,
                  .upper = 1582,
                  .pool_size = 10000,
                  .backend = &narrow};
        outcome o = run_system(shop, &systems[s], w);
        assert_int_equal(o.st, MCO_OK);
        assert_int_equal(o.result.nodes, 150678);
        assert_in_range(o.stats.pool_size, 1, 5 * FITS);
        clear(&o);
        w.backend = &lost;
        o = run_system(shop, &systems[s], w);
        assert_int_equal(o.st, MCO_ERR_DEVICE);
        assert_string_equal(mco_context_error(test_ctx), "lost");
        clear(&o);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Pending nodes

static void test_pending_nodes(void **state)
{
    (void)state;
    enum { JOBS = 40, COUNT = 20000 };
    flowshop_pool_nodes nodes;
    mco_rng rng;
    mco_rng_seed(&rng, 42, 0);
    assert_int_equal(flowshop_pool_nodes_create(test_ctx, JOBS, 1000, 1160, &nodes), MCO_OK);
    assert_null(flowshop_pool_nodes_take(&nodes));
    int64_t sum = 0;
    for (int i = 0; i < COUNT; i++) {
        flowshop_row *row;
        const int32_t depth = (int32_t)mco_rng_below(&rng, JOBS - 1), bound = 990 + (int32_t)mco_rng_below(&rng, 200);
        assert_int_equal(flowshop_pool_nodes_add(&nodes, depth, bound, &row), MCO_OK);
        *row = (flowshop_row){.bound = bound, .front = (uint16_t)depth};
        flowshop_row_order(row)[JOBS - 1] = (uint16_t)i;
        sum += i;
    }
    int32_t depth = JOBS, part = 0;
    for (int i = 0; i < COUNT; i++) {
        const int32_t next = flowshop_pool_nodes_depth(&nodes);
        const flowshop_row *row = flowshop_pool_nodes_take(&nodes);
        assert_int_equal(row->front, next);
        assert_true(row->front <= depth);
        const int32_t inside = row->bound < 1000 ? 1000 : row->bound > 1159 ? 1159 : row->bound;
        const int32_t next_part = (inside - 1000) * FLOWSHOP_POOL_CLASSES / 160;
        assert_true(row->front < depth || next_part >= part);
        depth = row->front;
        part = next_part;
        sum -= flowshop_row_order(row)[JOBS - 1];
    }
    assert_int_equal(sum, 0);
    assert_null(flowshop_pool_nodes_take(&nodes));
    flowshop_pool_nodes_destroy(&nodes);
}

// ---- The adaptive size

// A rate with a single maximum, at `best`.
static double rate_at(int64_t size, int64_t best)
{
    const double x = (double)size / (double)best;
    return 1e6 * x / (1 + x * x);
}

static void test_adaptive_size(void **state)
{
    (void)state;
    static const int64_t bests[] = {5000, 70000, 300000, 100000000};
    for (size_t i = 0; i < sizeof bests / sizeof bests[0]; i++) {
        flowshop_pool_size size;
        flowshop_pool_size_start(&size, 33792, 1 << 22, 0);
        for (int k = 0; k < 1000 && size.phase != FLOWSHOP_POOL_FIXED; k++) {
            assert_in_range(size.target, 1, 1 << 22);
            flowshop_pool_size_observe(&size, false, 1000000000, 1e-9); // this is no trial
            flowshop_pool_size_observe(&size, true, (int64_t)(1e3 * rate_at(size.target, bests[i])), 1e3);
        }
        assert_int_equal(size.phase, FLOWSHOP_POOL_FIXED);
        const int64_t reachable = bests[i] < 1 << 22 ? (bests[i] > 33792 / 2 ? bests[i] : 33792 / 2) : 1 << 22;
        assert_true(size.target > reachable * 2 / 3 && size.target < reachable * 3 / 2);
    }
    flowshop_pool_size fixed;
    flowshop_pool_size_start(&fixed, 33792, 1 << 22, 5000);
    for (int k = 0; k < 100; k++)
        flowshop_pool_size_observe(&fixed, true, 1000 * k, 1);
    assert_int_equal(fixed.target, 5000);
}

// ---- Every allocation may fail

static void test_every_allocation(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 43, 0);
    mco_flowshop *shop = random_shop(&rng, 7, 4, 99);
    const int64_t upper = optimum_of(shop);
    for (int s = 0; s < SYSTEMS; s++)
        for (long k = 1, is_failing = 1; is_failing != 0; k++) {
            wish w = {.bound = MCO_FLOWSHOP_BOUND_LB2,
                      .branching = MCO_FLOWSHOP_BRANCHING_MINMIN,
                      .upper = upper,
                      .fail_at = k};
            outcome o = run_system(shop, &systems[s], w);
            // A pool that does not fit is tried at half its size, so the search may still succeed.
            assert_true(o.st == MCO_ERR_MEMORY || (o.st == MCO_OK && o.is_proved));
            is_failing = test_memory.calls >= k;
            clear(&o);
        }
    mco_flowshop_destroy(test_ctx, &shop);
}

// A shortage that the search survives leaves no message for a later failure.
static void test_message_is_of_the_failure(void **state)
{
    (void)state;
    flowshop_backend narrow = flowshop_host_backend;
    narrow.create = noting_create;
    narrow.resize = short_resize;
    mco_rng rng;
    mco_rng_seed(&rng, 43, 0);
    mco_flowshop *shop = random_shop(&rng, 7, 4, 99);
    const wish w = {.bound = MCO_FLOWSHOP_BOUND_LB1,
                    .branching = MCO_FLOWSHOP_BRANCHING_MINMIN,
                    .upper = optimum_of(shop) + 1,
                    .pool_size = 10000,
                    .backend = &narrow};
    for (int s = 1; s < SYSTEMS; s++)
        for (long k = 1, is_failing = 1; is_failing != 0; k++) {
            wish failing = w;
            failing.fail_at = k;
            outcome o = run_system(shop, &systems[s], failing);
            assert_true(o.st == MCO_OK || o.st == MCO_ERR_MEMORY);
            if (o.st != MCO_OK)
                assert_memory_equal(mco_context_error(test_ctx), "out of memory", strlen("out of memory"));
            is_failing = test_memory.calls >= k;
            clear(&o);
        }
    mco_flowshop_destroy(test_ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_published_trees),
        TEST(test_parity_with_reference),
        TEST(test_parity_at_larger_sizes),
        TEST(test_time_limit),
        TEST(test_little_room_for_pending_nodes),
        TEST(test_short_memory_and_lost_device),
        TEST(test_pending_nodes),
        TEST(test_adaptive_size),
        TEST(test_every_allocation),
        TEST(test_message_is_of_the_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
