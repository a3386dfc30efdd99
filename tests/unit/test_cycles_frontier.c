// SPDX-License-Identifier: MIT
// The frontier method: counts, lengths, limits, lists and factors against all sets of vertices of small graphs, known counts of
// grids, long keys and long counts against other orders, limits of memory, stops, failing allocations.
#include "cycles_frontier_support.h"

static uint8_t is_cycle[1 << SMALL_MOST];

static void test_all_small(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 5; n++)
        try_all_graphs(n, 1);
    try_all_graphs(6, TEST_IS_SANITIZED ? 31 : 1);
}

// Random limits, vertices and keys for one graph.
static void try_limits(mco_rng *rng, const small_graph *g)
{
    static const int words[] = {0, 2, 4, 8};
    int32_t through[2];
    const uint32_t n = (uint32_t)g->vertices;
    bed b;
    bed_make_small(&b, g);
    b.job.through = through;
    b.job.through_count = (int32_t)mco_rng_below(rng, 3);
    b.job.min_length = 4 + (int32_t)mco_rng_below(rng, 3);
    b.job.max_length = (int32_t)(n - mco_rng_below(rng, n / 2));
    b.job.wants_lengths = mco_rng_below(rng, 2) == 0;
    uint64_t needed = 0;
    for (int32_t k = 0; k < b.job.through_count; k++) {
        through[k] = (int32_t)mco_rng_below(rng, n);
        needed |= UINT64_C(1) << through[k];
    }
    const int64_t count = small_cycles(g, b.job.min_length, b.job.max_length, needed, is_cycle);
    bed_compare_count(&b, is_cycle, count, words[mco_rng_below(rng, 4)]);
    bed_compare_list(&b, is_cycle, count, INT64_MAX, words[mco_rng_below(rng, 4)]);
    bed_compare_list(&b, is_cycle, count, 1 + count / 2, 0);
    bed_clear(&b);
}

static void test_random(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 40 : 400); k++) {
        const int32_t n = 7 + (int32_t)mco_rng_below(&rng, SMALL_MOST - 7 + 1);
        const small_graph g = small_random(&rng, n, 0.15 + 0.5 * mco_rng_real(&rng));
        bed b;
        bed_make_small(&b, &g);
        const int64_t count = small_cycles(&g, 4, n, 0, is_cycle);
        b.job.wants_lengths = k % 2 == 0;
        for (int words = 1; words <= 8; words *= 2)
            bed_compare_count(&b, is_cycle, count, words);
        bed_compare_list(&b, is_cycle, count, INT64_MAX, 0);
        bed_clear(&b);
        try_limits(&rng, &g);
    }
}

// ---- Larger graphs

static void count_grid(int32_t rows, int32_t columns, uint64_t expected)
{
    bed b;
    bed_make_grid(&b, rows, columns);
    for (int words = 1; words <= (rows < 8 ? 8 : 1); words *= 2) {
        for (int lengths = 0; lengths < 2; lengths++) {
            b.job.wants_lengths = lengths != 0;
            assert_int_equal(bed_run(&b, NULL, words), MCO_OK);
            assert_int_equal(bed_total(&b), expected);
            cycles_tally_clear(&b.tally);
        }
    }
    bed_clear(&b);
}

static void test_grids(void **state)
{
    (void)state;
    count_grid(2, 2, 1);
    count_grid(3, 3, 5);
    count_grid(7, 10, 8136453);
    count_grid(10, 7, 8136453);
    count_grid(8, 10, 71535910);
    count_grid(10, 9, 668179142);
    if (!TEST_IS_SANITIZED)
        count_grid(10, 10, 7234839185);
}

static void test_wheel_and_ring(void **state)
{
    (void)state;
    int32_t from[200], to[200];
    for (int32_t spokes = 0; spokes < 2; spokes++) {
        bed b;
        int64_t edges = 0;
        for (int32_t v = 0; v < 100; v++) {
            from[edges] = v;
            to[edges++] = (v + 1) % 100;
            from[edges] = v;
            to[edges] = 100;
            edges += spokes;
        }
        bed_make(&b, 100 + spokes, edges, from, to);
        b.job.wants_lengths = true;
        assert_int_equal(bed_run(&b, NULL, 0), MCO_OK);
        assert_int_equal(bed_total(&b), 1);
        assert_int_equal(b.tally.by_length[100], 1);
        bed_clear(&b);
    }
}

// A grid of 6 x 100 has more than 2^64 cycles. Two orders and three kinds of passes agree.
static void test_long_counts(void **state)
{
    (void)state;
    enum { ROWS = 6, COLUMNS = 100, N = ROWS * COLUMNS };
    int32_t by_columns[N], back[N];
    bed plain, lengths;
    for (int32_t i = 0; i < N; i++) {
        by_columns[i] = i % ROWS * COLUMNS + i / ROWS;
        back[N - 1 - i] = by_columns[i];
    }
    bed_make_grid(&plain, ROWS, COLUMNS);
    bed_make_grid(&lengths, ROWS, COLUMNS);
    assert_int_equal(bed_run(&plain, by_columns, 0), MCO_OK);
    lengths.job.wants_lengths = true;
    assert_int_equal(bed_run(&lengths, back, 2), MCO_OK);
    uint64_t sums[2][8] = {{0}};
    cycles_tally *tallies[2] = {&plain.tally, &lengths.tally};
    for (int t = 0; t < 2; t++) {
        cycles_tally all = {.ctx = test_ctx};
        for (int32_t k = 0; k < tallies[t]->lengths; k++)
            assert_int_equal(cycles_tally_add(&all, 0, tallies[t]->by_length + (int64_t)k * tallies[t]->limbs, tallies[t]->limbs), MCO_OK);
        assert_in_range(all.limbs, 2, 8);
        memcpy(sums[t], all.by_length, (size_t)all.limbs * sizeof(uint64_t));
        cycles_tally_clear(&all);
    }
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
    assert_true(sums[0][1] != 0);
    bed_clear(&plain);
    bed_clear(&lengths);
}

// ---- Factors

static void test_factors(void **state)
{
    (void)state;
    bed b;
    cycles_frontier *frontier = NULL;
    cycles_factors factors = {0};
    int32_t width;
    double cost;
    bed_make_grid(&b, 5, 6);
    b.job.min_length = 6;
    b.job.max_length = 14;
    b.job.wants_lengths = true;
    assert_int_equal(bed_run(&b, NULL, 0), MCO_OK);
    assert_int_equal(cycles_frontier_plan(&b.job, &frontier, &width, &cost), MCO_OK);
    assert_int_equal(cycles_frontier_factors(&b.job, frontier, &factors), MCO_OK);
    assert_int_equal(factors.cycles, bed_total(&b));
    int64_t cycles = factors.single_count;
    for (int64_t k = 0; k < factors.segments; k++) {
        const cycles_segment s = factors.segment[k];
        cycles += s.left_count * s.right_count;
        assert_true(s.left + s.left_count <= factors.left_count && s.right + s.right_count <= factors.right_count);
        for (int64_t i = 0; i < s.left_count * s.right_count; i++) {
            const uint64_t l = factors.left[s.left + i / s.right_count], r = factors.right[s.right + i % s.right_count];
            assert_int_equal(l & r, 0);
            assert_in_range(__builtin_popcountll(l | r), 6, 14);
        }
    }
    assert_int_equal(cycles, factors.cycles);
    cycles_factors_clear(test_ctx, &factors);
    cycles_frontier_destroy(test_ctx, &frontier);
    bed_clear(&b);
}

// Listed cycles of two words are chordless, and as many as counted.
static bool check_grid_batch(const mco_cycles_batch *batch, void *user)
{
    const int32_t columns = 10;
    *(int64_t *)user += batch->count;
    for (int64_t k = 0; k < batch->count; k++) {
        const uint64_t *row = batch->rows + k * batch->words;
        for (int32_t v = 0; v < batch->vertices; v++) {
            int32_t degree = 0;
            if ((row[v / 64] >> (v % 64) & 1) == 0)
                continue;
            const int32_t near[4] = {v % columns > 0 ? v - 1 : -1, v % columns + 1 < columns ? v + 1 : -1, v - columns, v + columns};
            for (int d = 0; d < 4; d++)
                degree += near[d] >= 0 && near[d] < batch->vertices && (row[near[d] / 64] >> (near[d] % 64) & 1) != 0;
            assert_int_equal(degree, 2);
        }
    }
    return true;
}

static void test_two_words(void **state)
{
    (void)state;
    bed b;
    int64_t seen = 0;
    cycles_sink sink = {.take = check_grid_batch, .user = &seen, .left = INT64_MAX};
    bed_make_grid(&b, 7, 10);
    b.job.max_length = 24;
    b.job.wants_lengths = true;
    assert_int_equal(bed_run(&b, NULL, 0), MCO_OK);
    const int64_t counted = (int64_t)bed_total(&b);
    cycles_tally_clear(&b.tally);
    b.job.sink = &sink;
    assert_int_equal(bed_run(&b, NULL, 0), MCO_OK);
    assert_int_equal(seen, counted);
    assert_int_equal(bed_total(&b), counted);
    assert_true(b.result.bytes > 0 && b.result.width >= 7 && b.result.states > 0);
    bed_clear(&b);
}

// ---- Limits, stops, failures

static bool refuse(const mco_cycles_batch *batch, void *user)
{
    (void)batch;
    ++*(int *)user;
    return false;
}

static void test_limits_and_stops(void **state)
{
    (void)state;
    bed b;
    int calls = 0;
    cycles_sink sink = {.take = refuse, .user = &calls, .left = INT64_MAX};
    bed_make_grid(&b, 8, 9);
    for (int k = 0; k < 3; k++) {
        b.job.memory_bytes = k == 2 ? 2e6 : 1e5;
        b.job.wants_lengths = k == 1;
        b.job.sink = k == 2 ? &sink : NULL;
        assert_int_equal(bed_run(&b, NULL, 0), MCO_ERR_LIMIT);
        assert_int_equal(bed_total(&b), 0);
    }
    assert_int_equal(calls, 0);
    b.job.memory_bytes = 1e9;
    assert_int_equal(bed_run(&b, NULL, 0), MCO_OK);  // the taker refuses more
    assert_int_equal(calls, 1);
    assert_int_equal(bed_total(&b), sink.taken);
    cycles_tally_clear(&b.tally);
    b.job.sink = NULL;
    mco_cancel(test_ctx);
    assert_int_equal(bed_run(&b, NULL, 0), MCO_OK);
    assert_int_equal(b.run.stop, MCO_STOP_CANCELLED);
    assert_int_equal(bed_total(&b), 0);
    cycles_frontier *frontier = NULL;
    cycles_factors factors = {0};
    int32_t width;
    double cost;
    assert_int_equal(cycles_frontier_plan(&b.job, &frontier, &width, &cost), MCO_OK);
    assert_int_equal(cycles_frontier_factors(&b.job, frontier, &factors), MCO_OK);
    assert_int_equal(factors.cycles, 0);
    assert_null(factors.segment);
    cycles_frontier_destroy(test_ctx, &frontier);
    bed_clear(&b);
}

// 73 vertices of the frontier are too many: the complete bipartite graph of 80 and 80.
static void test_too_wide(void **state)
{
    (void)state;
    static int32_t from[6400], to[6400];
    bed b;
    for (int32_t i = 0; i < 6400; i++) {
        from[i] = i / 80;
        to[i] = 80 + i % 80;
    }
    bed_make(&b, 160, 6400, from, to);
    assert_int_equal(bed_run(&b, NULL, 0), MCO_ERR_LIMIT);
    assert_int_equal(bed_total(&b), 0);
    bed_clear(&b);
}

static bool take_all(const mco_cycles_batch *batch, void *user)
{
    (void)batch;
    (void)user;
    return true;
}

static void test_failing_memory(void **state)
{
    (void)state;
    bed b;
    for (int list = 0; list < 3; list++) {
        bool has_failed = true;
        for (long k = 1; has_failed; k++) {
            cycles_sink sink = {.take = take_all, .left = INT64_MAX};
            bed_make_grid(&b, 4, 6);
            b.job.wants_lengths = list == 1;
            b.job.sink = list == 2 ? &sink : NULL;
            test_fail_allocation(k);
            const mco_status st = bed_run(&b, NULL, 0);
            has_failed = test_memory.calls >= k;
            test_fail_allocation(0);
            assert_int_equal(st, has_failed ? MCO_ERR_MEMORY : MCO_OK);
            bed_clear(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_small, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_random, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_grids, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_wheel_and_ring, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_long_counts, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_factors, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_two_words, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_limits_and_stops, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_too_wide, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_failing_memory, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
