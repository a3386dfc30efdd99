// SPDX-License-Identifier: MIT
// Walks by ruin and recreate. An order goes to the place that a trial of every place finds. Walks are the same on every
// vector unit and number of threads. Their solutions are always valid and have the stated cost.
#include "test_support.h"

#include "base/rng.h"
#include "base/simd.h"
#include "dtspms/engine.h"
#include "dtspms/walk.h"

enum { MOST_ORDERS = 80 };

extern const dtspms_place dtspms_place_portable;

typedef struct bench {
    mco_dtspms *problem;
    dtspms_model model;
    dtspms_walk_tables tables;
} bench;

static void open_bench(bench *b, mco_rng *rng, int32_t orders, int32_t stacks, int64_t capacity, uint32_t limit, bool is_symmetric)
{
    static int32_t distance[2][(MOST_ORDERS + 1) * (MOST_ORDERS + 1)];
    *b = (bench){0};
    for (int network = 0; network < 2; network++)
        for (int32_t i = 0; i <= orders; i++)
            for (int32_t j = 0; j <= orders; j++)
                distance[network][i * (orders + 1) + j] = is_symmetric && j < i ? distance[network][j * (orders + 1) + i]
                                                                                 : (int32_t)mco_rng_below(rng, limit);
    assert_ok(mco_dtspms_create(test_ctx, orders, distance[0], distance[1], &b->problem));
    assert_ok(dtspms_model_create(test_ctx, b->problem, stacks, capacity, INFINITY, &b->model));
    assert_ok(dtspms_walk_tables_make(test_ctx, &b->model, &b->tables));
}

static void close_bench(bench *b)
{
    dtspms_walk_tables_clear(test_ctx, &b->tables);
    dtspms_model_clear(test_ctx, &b->model);
    mco_dtspms_destroy(test_ctx, &b->problem);
}

static dtspms_walk open_walk(const bench *b, uint64_t seed, int32_t temperature)
{
    dtspms_walk w;
    assert_ok(dtspms_walk_make(test_ctx, &b->tables, &w));
    dtspms_walk_scatter(&b->tables, seed, MCO_SIMD_PORTABLE, &w);
    w.temperature = temperature;
    return w;
}

// ---- Solutions

// `s` must have all orders placed, closed tours, true gaps and a true cost, and pass the checker.
static void assert_is_solution(const bench *b, const dtspms_tours *s)
{
    const int32_t n = b->model.orders;
    int32_t plan_nodes[MOST_ORDERS], pickup[MOST_ORDERS], delivery[MOST_ORDERS], *tours[2] = {pickup, delivery};
    dtspms_plan plan = {.node = plan_nodes};
    int64_t cost = 0, checked, checked_of[2];
    assert_int_equal(s->placed, n);
    for (mco_dtspms_network w = 0; w < 2; w++) {
        assert_int_equal(s->node[w][0], 0);
        assert_int_equal(s->node[w][n + 1], 0);
        for (int32_t i = 0; i <= n; i++) {
            const int32_t from = s->node[w][w == 0 ? i : i + 1], to = s->node[w][w == 0 ? i + 1 : i];
            assert_int_equal(s->gap[w][i], n > 0 ? mco_dtspms_distance(b->problem, w, from, to) : 0);
            cost += s->gap[w][i];
        }
    }
    assert_int_equal(s->cost, cost);
    dtspms_tours_plan(&b->tables, s, &plan, tours);
    for (int32_t i = 0; i < n; i++) {
        plan_nodes[i]--;
        pickup[i]--;
        delivery[i]--;
    }
    mco_dtspms_solution solution = {.orders = n, .stacks = b->model.stacks, .plan = plan_nodes, .pickup = pickup, .delivery = delivery};
    memcpy(solution.heights, plan.heights, sizeof plan.heights);
    assert_ok(mco_dtspms_check(test_ctx, b->problem, &solution, b->model.capacity, &checked, checked_of));
    assert_int_equal(checked, cost);
}

static void assert_tours_equal(const dtspms_tours *a, const dtspms_tours *b, int32_t orders)
{
    assert_int_equal(a->placed, b->placed);
    assert_int_equal(a->cost, b->cost);
    assert_memory_equal(a->heights, b->heights, sizeof a->heights);
    for (int w = 0; w < 2; w++) {
        assert_memory_equal(a->node[w], b->node[w], (size_t)(a->placed + 2) * sizeof *a->node[w]);
        assert_memory_equal(a->gap[w], b->gap[w], (size_t)(a->placed + 1) * sizeof *a->gap[w]);
    }
    if (a->placed == orders)
        assert_memory_equal(a->stack + 1, b->stack + 1, (size_t)orders * sizeof *a->stack);
}

static void assert_walks_equal(const dtspms_walk *a, const dtspms_walk *b, int32_t orders)
{
    assert_true(a->random == b->random);
    assert_tours_equal(&a->now, &b->now, orders);
    assert_tours_equal(&a->best, &b->best, orders);
}

// ---- Recreate, by trying every place

typedef struct place {
    int32_t cost, slot, stack, edge[2];
} place;

// The number of stops of `stack` up to edge `edge`.
static int32_t stops_below(const dtspms_tours *s, int sequence, int32_t edge, int32_t stack)
{
    int32_t count = 0;
    for (int32_t i = 1; i <= edge; i++)
        count += s->stack[s->node[sequence][i]] == stack;
    return count;
}

// The number of the slot above `below` stops of a stack: the place of the next stop in the second sequence.
static int32_t slot_of(const dtspms_tours *s, int32_t stack, int32_t below)
{
    for (int32_t i = 0; i < s->placed; i++)
        if (s->stack[s->node[1][i + 1]] == stack && below-- == 0)
            return i;
    return s->placed + stack;
}

static int32_t detour_of(const bench *b, const dtspms_tours *s, int sequence, int32_t node, int32_t edge)
{
    const int32_t from = s->node[sequence][edge], to = s->node[sequence][edge + 1];
    const int32_t *d = b->model.distance[sequence], m = b->model.nodes;
    return sequence == 0 ? d[from * m + node] + d[node * m + to] - (from == to ? 0 : d[from * m + to])
                         : d[to * m + node] + d[node * m + from] - (from == to ? 0 : d[to * m + from]);
}

static bool is_before(const place *a, const place *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    if (a->slot != b->slot)
        return a->slot < b->slot;
    return a->edge[0] != b->edge[0] ? a->edge[0] < b->edge[0] : a->edge[1] < b->edge[1];
}

static place best_place(const bench *b, const dtspms_tours *s, int32_t node, uint32_t drawn, bool may_blink)
{
    place best = {.cost = INT32_MAX};
    for (int32_t stack = 0; stack < b->model.stacks; stack++) {
        if (s->heights[stack] == b->model.capacity)
            continue;
        for (int32_t i = 0; i <= s->placed; i++)
            for (int32_t j = 0; j <= s->placed; j++) {
                const int32_t below = stops_below(s, 0, i, stack);
                place p = {detour_of(b, s, 0, node, i) + detour_of(b, s, 1, node, j), slot_of(s, stack, below), stack, {i, j}};
                if (below != stops_below(s, 1, j, stack) || (may_blink && dtspms_walk_blinks(drawn, (uint32_t)p.slot)))
                    continue;
                if (is_before(&p, &best))
                    best = p;
            }
    }
    return best;
}

static void orders_go_to_the_best_place(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 21, 0);
    for (int k = 0; k < 60; k++) {
        const int32_t n = 1 + k % 14, stacks = 2 + k % 5;
        const uint32_t limit = k % 3 == 0 ? 4 : 1000;  // many ties, or few
        bench b;
        open_bench(&b, &rng, n, stacks, (n + stacks - 1) / stacks + k % 2 * 3, limit, k % 4 == 0);
        dtspms_walk begun;
        assert_ok(dtspms_walk_make(test_ctx, &b.tables, &begun));
        dtspms_tours *s = &begun.now;
        s->node[0][0] = s->node[0][1] = s->node[1][0] = s->node[1][1] = s->gap[0][0] = s->gap[1][0] = 0;
        for (int32_t node = 1; node <= n; node++) {
            const uint32_t drawn = (uint32_t)mco_rng_next(&rng);
            place expected = best_place(&b, s, node, drawn, true);
            if (expected.cost == INT32_MAX)
                expected = best_place(&b, s, node, drawn, false);
            const int32_t before = s->cost;
            dtspms_place_portable.place(&b.tables, node, drawn, begun.work, s);
            assert_int_equal(s->cost, before + expected.cost);
            assert_int_equal(s->stack[node], expected.stack);
            for (int sequence = 0; sequence < 2; sequence++)
                assert_int_equal(s->node[sequence][expected.edge[sequence] + 1], node);
        }
        assert_is_solution(&b, s);
        dtspms_walk_clear(test_ctx, &begun);
        close_bench(&b);
    }
}

static void slots_blink_as_often_as_they_should(void **state)
{
    int32_t blinks = 0;
    (void)state;
    for (uint32_t k = 0; k < 1 << 20; k++)
        blinks += dtspms_walk_blinks(k * 0x10001u, k % 67);
    assert_in_range(blinks, DTSPMS_BLINKS * 256 * 9 / 10, DTSPMS_BLINKS * 256 * 11 / 10);
}

// ---- Steps

static void walks_hold_solutions(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 22, 0);
    for (int k = 0; k < 48; k++) {
        static const int32_t sizes[] = {0, 1, 2, 3, 7, 12, 30, 80};
        const int32_t n = sizes[k % 8], stacks = 2 + k % 5;
        bench b;
        open_bench(&b, &rng, n, stacks, (n + stacks - 1) / stacks + k % 3, 1000, k % 2 == 0);
        dtspms_walk w = open_walk(&b, (uint64_t)k, k % 4 * 20 << 8);
        assert_is_solution(&b, &w.now);
        for (int step = 0; step < 60; step++) {
            const int32_t cost = w.now.cost, best = w.best.cost;
            assert_ok(dtspms_walk_all(test_ctx, &b.tables, &w, 1, 1, 1, MCO_SIMD_PORTABLE));
            assert_is_solution(&b, &w.now);
            assert_is_solution(&b, &w.best);
            assert_true(w.temperature > 0 || w.now.cost <= cost);
            assert_int_equal(w.best.cost, w.now.cost < best ? w.now.cost : best);
        }
        dtspms_walk_clear(test_ctx, &w);
        close_bench(&b);
    }
}

// Walks are equal in one call or in pieces, on any vector unit and any number of threads.
static void walks_are_equal(void **state)
{
    static const mco_simd units[] = {MCO_SIMD_PORTABLE, MCO_SIMD_AVX2, MCO_SIMD_AVX512};
    enum { WALKS = 3, STEPS = 50 };
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 23, 0);
    for (int k = 0; k < 24; k++) {
        bench b;
        open_bench(&b, &rng, 1 + 7 * (k % 12), 2 + k % 5, 0, k % 6 == 0 ? 5 : 10000000, k % 2 == 0);
        dtspms_walk expected[WALKS];
        for (int w = 0; w < WALKS; w++)
            expected[w] = open_walk(&b, (uint64_t)w, 100 << 8);
        assert_ok(dtspms_walk_all(test_ctx, &b.tables, expected, WALKS, STEPS, 1, MCO_SIMD_PORTABLE));
        for (int unit = 0; unit < COUNT_OF(units); unit++)
            for (int threads = 1; threads <= 4 && mco_simd_has(units[unit]); threads++) {
                dtspms_walk walks[WALKS];
                for (int w = 0; w < WALKS; w++)
                    walks[w] = open_walk(&b, (uint64_t)w, 100 << 8);
                assert_ok(dtspms_walk_all(test_ctx, &b.tables, walks, WALKS, 0, threads, units[unit]));
                assert_ok(dtspms_walk_all(test_ctx, &b.tables, walks, WALKS, 1, threads, units[unit]));
                assert_ok(dtspms_walk_all(test_ctx, &b.tables, walks, WALKS, STEPS - 1, threads, units[unit]));
                for (int w = 0; w < WALKS; w++) {
                    assert_walks_equal(&walks[w], &expected[w], b.model.orders);
                    dtspms_walk_clear(test_ctx, &walks[w]);
                }
            }
        for (int w = 0; w < WALKS; w++)
            dtspms_walk_clear(test_ctx, &expected[w]);
        close_bench(&b);
    }
}

static void walks_begin_with_tours(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 24, 0);
    for (int k = 0; k < 20; k++) {
        const int32_t n = k;
        bench b;
        int32_t node[MOST_ORDERS], pickup[MOST_ORDERS], delivery[MOST_ORDERS], again[2][MOST_ORDERS], *outs[2] = {again[0], again[1]};
        const int32_t *const tours[2] = {pickup, delivery};
        dtspms_plan plan = {.node = node}, seen = {.node = (int32_t[MOST_ORDERS]){0}};
        int64_t cost[2];
        open_bench(&b, &rng, n, 3, 0, 1000, false);
        dtspms_plan_random(&b.model, (uint64_t)k, &plan);
        assert_ok(dtspms_tour(test_ctx, &b.model, &plan, MCO_DTSPMS_NETWORK_PICKUP, &cost[0], pickup));
        assert_ok(dtspms_tour(test_ctx, &b.model, &plan, MCO_DTSPMS_NETWORK_DELIVERY, &cost[1], delivery));
        dtspms_walk w = open_walk(&b, 1, 0);
        dtspms_walk_enter(&b.tables, &plan, tours, &w);
        assert_int_equal(w.now.cost, cost[0] + cost[1]);
        assert_is_solution(&b, &w.now);
        assert_tours_equal(&w.now, &w.best, n);
        dtspms_tours_plan(&b.tables, &w.best, &seen, outs);
        assert_memory_equal(seen.node, plan.node, (size_t)n * sizeof *node);
        assert_memory_equal(again[0], pickup, (size_t)n * sizeof *node);
        assert_memory_equal(again[1], delivery, (size_t)n * sizeof *node);
        dtspms_walk_clear(test_ctx, &w);
        close_bench(&b);
    }
}

static void failing_memory_is_told(void **state)
{
    mco_rng rng;
    bench b;
    mco_status st = MCO_ERR_MEMORY;
    (void)state;
    mco_rng_seed(&rng, 25, 0);
    open_bench(&b, &rng, 9, 3, 0, 100, false);
    for (long k = 1; st != MCO_OK; k++) {
        dtspms_walk_tables tables = {0};
        dtspms_walk walks[2] = {0};
        test_fail_allocation(k);
        st = dtspms_walk_tables_make(test_ctx, &b.model, &tables);
        for (int w = 0; w < 2 && st == MCO_OK; w++)
            if ((st = dtspms_walk_make(test_ctx, &tables, &walks[w])) == MCO_OK)
                dtspms_walk_scatter(&tables, 1, MCO_SIMD_PORTABLE, &walks[w]);
        if (st == MCO_OK)
            st = dtspms_walk_all(test_ctx, &tables, walks, 2, 5, 2, MCO_SIMD_PORTABLE);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        for (int w = 0; w < 2; w++)
            dtspms_walk_clear(test_ctx, &walks[w]);
        dtspms_walk_tables_clear(test_ctx, &tables);
    }
    test_fail_allocation(0);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(orders_go_to_the_best_place), TEST(slots_blink_as_often_as_they_should), TEST(walks_hold_solutions),
        TEST(walks_are_equal),             TEST(walks_begin_with_tours),              TEST(failing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
