// SPDX-License-Identifier: MIT
// Reuse in the cpu engine: the same best move as without it, bounds that hold and have their stated values, and
// counters that add up.
#include "test_support.h"

#include "base/clock.h"
#include "base/rng.h"
#include "dtspms/engine.h"
#include "dtspms/reuse.h"

enum { MOST_ORDERS = 33, MANY_ORDERS = 66, MOST_NODES = MOST_ORDERS + 1, MOST_MOVES = 10912, MOST_LANES = 8 };

extern const dtspms_reuse_variant dtspms_reuse_portable_16, dtspms_reuse_portable_32;

static const dtspms_reuse_variant *const VARIANTS[] = {&dtspms_reuse_portable_16, &dtspms_reuse_portable_32};

typedef struct bench {
    mco_dtspms *problem;
    dtspms_model model;
    dtspms_plan plan;
    int32_t node[MANY_ORDERS];
} bench;

static void close_bench(bench *b)
{
    dtspms_model_clear(test_ctx, &b->model);
    mco_dtspms_destroy(test_ctx, &b->problem);
}

// Distances of kind 0 are below 100, of kind 1 are 0 to 2 with many ties, of kind 2 are those of points on a grid, of
// kind 3 are too long for 16 bits. Kind 2 and others of even k are symmetric. Heights are random, as equal as possible,
// or all in one stack.
static void open_random(bench *b, mco_rng *rng, int32_t orders, int32_t stacks, int k)
{
    static const uint32_t limits[] = {100, 3, 0, 5000000};
    int32_t distance[2][MOST_NODES * MOST_NODES], x[MOST_NODES], y[MOST_NODES];
    const int32_t nodes = orders + 1;
    for (int network = 0; network < 2; network++) {
        for (int32_t i = 0; i < nodes; i++) {
            x[i] = (int32_t)mco_rng_below(rng, 20);
            y[i] = (int32_t)mco_rng_below(rng, 20);
        }
        for (int32_t i = 0; i < nodes; i++)
            for (int32_t j = 0; j < nodes; j++)
                distance[network][i * nodes + j] = k % 4 == 2            ? abs(x[i] - x[j]) + abs(y[i] - y[j])
                                                   : k % 8 < 4 && j < i ? distance[network][j * nodes + i]
                                                                        : (int32_t)mco_rng_below(rng, limits[k % 4]);
    }
    *b = (bench){0};
    assert_ok(mco_dtspms_create(test_ctx, orders, distance[0], distance[1], &b->problem));
    assert_ok(dtspms_model_create(test_ctx, b->problem, stacks, 0, INFINITY, &b->model));
    b->plan.node = b->node;
    dtspms_plan_random(&b->model, mco_rng_below(rng, 1000000), &b->plan);
    if (k % 3 == 0)
        return;
    memset(b->plan.heights, 0, sizeof b->plan.heights);
    const uint32_t any = k % 9 == 1 ? 0 : (uint32_t)stacks;
    for (int32_t i = 0; i < orders; i++)
        b->plan.heights[any == 0 ? k % stacks : (int32_t)mco_rng_below(rng, any)]++;
}

static dtspms_engine open_engine(const bench *b, mco_simd simd, int threads)
{
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    dtspms_engine engine = {0};
    params.simd = simd;
    params.threads = threads;
    assert_ok(dtspms_cpu_open(test_ctx, &b->model, b->plan.heights, &params, &engine));
    return engine;
}

// ---- Scans

// Scans the neighbourhood both ways. Returns the best cost and applies the best move.
static int64_t scan_both(bench *b, dtspms_engine *engine, mco_dtspms_move kind, int64_t *skipped)
{
    dtspms_scan plain = {.plan = &b->plan, .kind = kind}, reused = {.plan = &b->plan, .kind = kind, .reuse = true};
    assert_ok(engine->scan(engine, &plain, INFINITY));
    const mco_dtspms_counters before = engine->counters;
    assert_ok(engine->scan(engine, &reused, INFINITY));
    assert_int_equal(reused.best_move, plain.best_move);
    assert_int_equal(reused.cost_sum, -1);
    const int64_t tours = engine->counters.tours - before.tours, rest = engine->counters.tours_skipped - before.tours_skipped;
    assert_int_equal(tours + rest, 2 * dtspms_move_count(kind, b->model.orders));
    assert_true(engine->counters.relaxations - before.relaxations >=
                tours * dtspms_relaxations(b->plan.heights, b->model.stacks));
    *skipped += rest;
    if (plain.best_move < 0)
        return INT64_MAX;
    dtspms_move move;
    assert_memory_equal(reused.best_cost_of, plain.best_cost_of, sizeof plain.best_cost_of);
    dtspms_move_at(&b->plan, kind, b->model.orders, plain.best_move, &move);
    dtspms_move_apply(&move, &b->plan);
    return plain.best_cost_of[0] + plain.best_cost_of[1];
}

static void the_best_move_is_the_same(void **state)
{
    mco_rng rng;
    int64_t skipped = 0;
    (void)state;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < 400; k++) {
        bench b;
        int64_t cost = INT64_MAX, last;
        open_random(&b, &rng, k % 10, 2 + k % 7 % 5, k);
        dtspms_engine engine = open_engine(&b, k % 2 == 0 ? MCO_SIMD_AUTO : MCO_SIMD_PORTABLE, 1 + k % 3);
        if (b.model.orders > 2)
            assert_int_equal(engine.work.lane_bits, k % 4 == 3 ? 32 : 16);
        do {  // until one step behind a local optimum
            last = cost;
            cost = scan_both(&b, &engine, MCO_DTSPMS_MOVE_EXCHANGE, &skipped);
        } while (cost < last);
        scan_both(&b, &engine, MCO_DTSPMS_MOVE_SWAP, &skipped);
        engine.close(&engine);
        close_bench(&b);
    }
    assert_true(skipped > 0);
}

static void few_exchanges_of_points_are_evaluated(void **state)
{
    enum { MOST_SCANS = TEST_IS_SANITIZED ? 6 : 1000 };
    const mco_simd simds[] = {MCO_SIMD_AUTO, MCO_SIMD_PORTABLE};
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = {0};
        int64_t cost = INT64_MAX, last, skipped = 0, scans = 0;
        assert_ok(mco_dtspms_named(test_ctx, "R00", MOST_ORDERS, &b.problem));
        assert_ok(dtspms_model_create(test_ctx, b.problem, 3, 0, INFINITY, &b.model));
        b.plan.node = b.node;
        dtspms_plan_random(&b.model, 1, &b.plan);
        dtspms_engine engine = open_engine(&b, simds[k], 2);
        do {
            last = cost;
            cost = scan_both(&b, &engine, MCO_DTSPMS_MOVE_EXCHANGE, &skipped);
            scans++;
        } while (cost < last && scans < MOST_SCANS);
        assert_true(skipped > scans * 2 * dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, MOST_ORDERS) * 9 / 10);
        engine.close(&engine);
        close_bench(&b);
    }
}

// ---- Bounds

static void exact_costs(bench *b, int32_t *costs)
{
    const mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    dtspms_engine engine = {0};
    dtspms_scan scan = {.plan = &b->plan, .kind = MCO_DTSPMS_MOVE_EXCHANGE, .costs = costs};
    assert_ok(dtspms_ref_open(test_ctx, &b->model, b->plan.heights, &params, &engine));
    assert_ok(engine.scan(&engine, &scan, INFINITY));
    engine.close(&engine);
}

static void no_exchange_costs_less_than_its_bound(void **state)
{
    static int32_t costs[MOST_MOVES];
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < 300; k++) {
        bench b;
        dtspms_reuse reuse;
        void *memory = NULL;
        const dtspms_reuse_variant *variant = VARIANTS[k % 4 == 3 ? 1 : k / 4 % 2];
        open_random(&b, &rng, 3 + k % 7, 2 + k % 5, k);
        exact_costs(&b, costs);
        assert_ok(dtspms_reuse_make(test_ctx, &b.model, &b.plan, variant, &reuse));
        assert_ok(mco_alloc_bytes(test_ctx, &memory, (size_t)dtspms_reuse_worker_bytes(variant, &b.model, b.plan.heights), 1));
        for (int64_t m = 0; m < reuse.moves; m++)
            reuse.bounds[m] = INT32_MAX;  // so that no move is left out
        for (int32_t item = 0; item < b.model.orders; item++)
            assert_true(dtspms_reuse_item(&reuse, memory, item) >= 0);
        for (int64_t m = 0; m < reuse.moves; m++)
            assert_true(reuse.bounds[m] <= costs[m]);
        mco_free_bytes(test_ctx, &memory);
        dtspms_reuse_clear(test_ctx, &reuse);
        close_bench(&b);
    }
}

// Length of the best tour after three changes: position `removed` is gone, its node is in `replaced`, and that of
// `replaced` is in `inserted`.
static int64_t shorter_tour(const bench *b, int network, int32_t removed, int32_t replaced, int32_t inserted)
{
    int32_t node[MOST_ORDERS];
    dtspms_plan plan = {.node = node};
    dtspms_model model = b->model;
    int64_t cost;
    int32_t stack = 0;
    memcpy(plan.heights, b->plan.heights, sizeof plan.heights);
    memcpy(node, b->node, sizeof node);
    node[replaced] = b->node[removed];
    node[inserted] = b->node[replaced];
    memmove(node + removed, node + removed + 1, (size_t)(model.orders - 1 - removed) * sizeof *node);
    for (int32_t behind = plan.heights[0]; removed >= behind; behind += plan.heights[++stack])
        continue;
    plan.heights[stack]--;
    model.orders--;
    assert_ok(dtspms_tour(test_ctx, &model, &plan, (mco_dtspms_network)network, &cost, NULL));
    return cost;
}

static void sweeps_are_exact(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < 120; k++) {
        bench b;
        void *memory = NULL;
        int32_t replaced[MOST_LANES], lengths[MOST_LANES * MOST_ORDERS], count = 0;
        const dtspms_reuse_variant *variant = VARIANTS[k % 4 == 3 ? 1 : k / 4 % 2];
        open_random(&b, &rng, 3 + k % 7, 2 + k % 5, k);
        const int32_t n = b.model.orders, removed = (int32_t)mco_rng_below(&rng, (uint32_t)n);
        for (int32_t p = 0; p < n && count < variant->lanes; p++)
            if (p != removed)
                replaced[count++] = p;
        assert_ok(mco_alloc_bytes(test_ctx, &memory, (size_t)variant->bytes(&b.model, b.plan.heights), 1));
        for (int network = 0; network < 2; network++) {
            variant->run(memory, &b.model, &b.plan, network, removed, replaced, count, lengths);
            for (int32_t l = 0; l < count; l++)
                for (int32_t r = 0; r < n; r++)
                    if (r != removed && r != replaced[l])
                        assert_int_equal(lengths[l * n + r], shorter_tour(&b, network, removed, replaced[l], r));
        }
        mco_free_bytes(test_ctx, &memory);
        close_bench(&b);
    }
}

// ---- Stopping, failures

static void a_scan_stops_on_time(void **state)
{
    mco_rng rng;
    bench b;
    (void)state;
    mco_rng_seed(&rng, 4, 0);
    open_random(&b, &rng, 9, 3, 0);
    dtspms_engine engine = open_engine(&b, MCO_SIMD_AUTO, 2);
    dtspms_scan scan = {.plan = &b.plan, .kind = MCO_DTSPMS_MOVE_EXCHANGE, .reuse = true, .best_move = 7};
    assert_ok(engine.scan(&engine, &scan, mco_clock_s() - 1));
    assert_int_equal(scan.best_move, -1);
    assert_int_equal(engine.counters.tours_skipped, 0);
    engine.close(&engine);
    close_bench(&b);
}

static void failing_memory_is_told(void **state)
{
    mco_status st = MCO_ERR_MEMORY;
    mco_rng rng;
    bench b;
    (void)state;
    mco_rng_seed(&rng, 5, 0);
    open_random(&b, &rng, 6, 3, 0);
    dtspms_engine engine = open_engine(&b, MCO_SIMD_AUTO, 2);
    for (long k = 1; st != MCO_OK; k++) {
        dtspms_scan scan = {.plan = &b.plan, .kind = MCO_DTSPMS_MOVE_EXCHANGE, .reuse = true};
        test_fail_allocation(k);
        st = engine.scan(&engine, &scan, INFINITY);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_int_equal(scan.best_move >= 0, st == MCO_OK);
    }
    test_fail_allocation(0);
    engine.close(&engine);
    close_bench(&b);
}

// The bounds of 91520 exchanges take more than a MiB, the desk of one thread takes less.
static void without_room_for_bounds_all_are_evaluated(void **state)
{
    (void)state;
    for (int32_t memory = 1; memory <= 16; memory += 15) {
        mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
        dtspms_engine engine = {0};
        bench b = {0};
        assert_ok(mco_dtspms_named(test_ctx, "R00", MANY_ORDERS, &b.problem));
        assert_ok(dtspms_model_create(test_ctx, b.problem, 2, 0, INFINITY, &b.model));
        b.plan.node = b.node;
        dtspms_plan_random(&b.model, 1, &b.plan);
        params.threads = 1;
        params.memory = memory;
        params.simd = MCO_SIMD_PORTABLE;
        assert_ok(dtspms_cpu_open(test_ctx, &b.model, b.plan.heights, &params, &engine));
        dtspms_scan scan = {.plan = &b.plan, .kind = MCO_DTSPMS_MOVE_EXCHANGE, .reuse = true};
        assert_ok(engine.scan(&engine, &scan, INFINITY));
        assert_int_equal(engine.counters.tours_skipped > 0, memory > 1);
        assert_int_equal(engine.counters.tours + engine.counters.tours_skipped,
                         2 * dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, MANY_ORDERS));
        engine.close(&engine);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_best_move_is_the_same),
        TEST(few_exchanges_of_points_are_evaluated),
        TEST(no_exchange_costs_less_than_its_bound),
        TEST(sweeps_are_exact),
        TEST(a_scan_stops_on_time),
        TEST(failing_memory_is_told),
        TEST(without_room_for_bounds_all_are_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
