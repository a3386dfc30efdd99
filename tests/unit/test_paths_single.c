// SPDX-License-Identifier: MIT
// One source on cores: the heap and the buckets, on 1, 2 and 5 threads, against the reference and against Bellman's recursion;
// limits, stops, full queues, failing allocations; local orders.
#include "test_support.h"

#include <math.h>

#include "base/clock.h"
#include "base/rng.h"
#include "paths/single/search.h"

#ifndef FACTOR
#define FACTOR 1  // cases of slow_paths_single.c for one of the quick run
#endif

// ---- Graphs

typedef struct bed {
    mco_paths_rows rows;
    int64_t *first;
    int32_t *head, *weight;
    double *x, *y;
    paths_layout layout;
    int32_t *expected, *distance;
} bed;

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);
    assert_non_null(memory);
    return memory;
}

// Room for a graph; arcs are added vertex by vertex.
static bed bed_make(int32_t vertices, int64_t most_arcs)
{
    bed b = {.first = room((size_t)vertices + 1, sizeof *b.first), .head = room((size_t)most_arcs, sizeof *b.head),
             .weight = room((size_t)most_arcs, sizeof *b.weight), .expected = room((size_t)vertices, sizeof *b.expected),
             .distance = room((size_t)vertices, sizeof *b.distance)};
    b.rows = (mco_paths_rows){.vertices = vertices, .first = b.first, .head = b.head, .weight = b.weight, .scale = 1};
    return b;
}

static void add_arc(bed *b, int32_t from, int32_t to, int32_t weight)
{
    b->head[b->rows.arcs] = to;
    b->weight[b->rows.arcs++] = weight;
    b->first[from + 1] = b->rows.arcs;
}

static void end_row(bed *b, int32_t vertex)
{
    b->first[vertex + 1] = b->rows.arcs;
}

static void bed_clear(bed *b)
{
    paths_layout_clear(test_ctx, &b->layout);
    free(b->first);
    free(b->head);
    free(b->weight);
    free(b->x);
    free(b->y);
    free(b->expected);
    free(b->distance);
}

// A random order of the places.
static void bed_lay_out(bed *b, mco_rng *rng)
{
    const int32_t n = b->rows.vertices;
    int32_t *vertex_at = room((size_t)n, sizeof *vertex_at);
    for (int32_t k = 0; k < n; k++) {
        const int32_t j = (int32_t)mco_rng_below(rng, (uint32_t)k + 1);
        vertex_at[k] = vertex_at[j];
        vertex_at[j] = k;
    }
    assert_ok(paths_layout_make(test_ctx, &b->rows, vertex_at, false, &b->layout));
    free(vertex_at);
}

// Loops, parallel arcs and vertices without arcs occur; a weight is 0 now and then.
static bed bed_random(mco_rng *rng, int32_t n, uint32_t most_degree, uint32_t most_weight)
{
    bed b = bed_make(n, (int64_t)n * most_degree);
    for (int32_t v = 0; v < n; v++) {
        for (uint32_t k = mco_rng_below(rng, most_degree + 1); k > 0; k--)
            add_arc(&b, v, (int32_t)mco_rng_below(rng, (uint32_t)n),
                    mco_rng_below(rng, 8) == 0 ? 0 : (int32_t)mco_rng_below(rng, most_weight + 1));
        end_row(&b, v);
    }
    return b;
}

// ---- Comparisons

static void compare(bed *b, paths_search *search, int32_t source, mco_status expected)
{
    paths_counts counts;
    const mco_status st = paths_search_tree(test_ctx, search, NULL, b->layout.place[source], b->distance, &counts);
    assert_int_equal(st, expected);
    if (st != MCO_OK)
        return;
    for (int32_t v = 0; v < b->rows.vertices; v++)
        if (b->distance[b->layout.place[v]] != b->expected[v])
            fail_msg("vertex %d of %d: distance %d, expected %d", v, b->rows.vertices, b->distance[b->layout.place[v]], b->expected[v]);
    assert_true(counts.taken >= counts.settled && counts.settled > 0 && counts.largest > 0);
}

// Two trees of each engine, so that the second finds used memory. `shift` below 0: the engine's own.
static void try_sources(bed *b, int32_t threads, int32_t shift, const int32_t source[2])
{
    paths_search *search = NULL;
    if (threads == 0)
        assert_ok(paths_heap_open(test_ctx, &b->layout, &search));
    else
        assert_ok(paths_buckets_open(test_ctx, &b->layout, threads, &search));
    if (threads > 0 && shift >= 0)
        paths_buckets_set_shift(search, shift);
    for (int k = 0; k < 2; k++) {
        const mco_status expected = paths_ref_tree(test_ctx, &b->rows, source[k], b->expected, NULL);
        compare(b, search, source[k], expected);
    }
    paths_search_close(test_ctx, &search);
    assert_null(search);
}

static void try_engines(bed *b, mco_rng *rng)
{
    static const int32_t all_threads[] = {0, 1, 2, 5}, shifts[] = {-1, 0, 4, 12, 29};
    const uint32_t n = (uint32_t)b->rows.vertices;
    const int32_t source[2] = {(int32_t)mco_rng_below(rng, n), (int32_t)mco_rng_below(rng, n)};
    bed_lay_out(b, rng);
    for (int t = 0; t < COUNT_OF(all_threads); t++)
        try_sources(b, all_threads[t], shifts[mco_rng_below(rng, COUNT_OF(shifts))], source);
}

// The reference against n rounds over all arcs.
static void check_reference(const bed *b, int32_t source)
{
    const mco_paths_rows *r = &b->rows;
    int64_t label[64];
    for (int32_t v = 0; v < r->vertices; v++)
        label[v] = v == source ? 0 : MCO_PATHS_NONE;
    for (int32_t round = 0; round < r->vertices; round++)
        for (int32_t v = 0; v < r->vertices; v++)
            for (int64_t a = r->first[v]; a < r->first[v + 1]; a++)
                if (label[v] < MCO_PATHS_NONE && (v >= r->first_through || v == source) && label[v] + r->weight[a] < label[r->head[a]])
                    label[r->head[a]] = label[v] + r->weight[a];
    if (paths_ref_tree(test_ctx, r, source, b->expected, NULL) == MCO_OK)
        for (int32_t v = 0; v < r->vertices; v++)
            assert_int_equal(b->expected[v], label[v]);
}

static void test_small(void **state)
{
    (void)state;
    static const uint32_t weights[] = {0, 1, 9, 1000, 1 << 20, MCO_PATHS_MAX_WEIGHT};
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 40 : 120 * FACTOR); k++) {
        const int32_t n = 1 + (int32_t)mco_rng_below(&rng, 40);
        bed b = bed_random(&rng, n, 1 + mco_rng_below(&rng, 5), weights[k % COUNT_OF(weights)]);
        if (k % 3 == 0)
            b.rows.first_through = (int32_t)mco_rng_below(&rng, (uint32_t)n);
        check_reference(&b, (int32_t)mco_rng_below(&rng, (uint32_t)n));
        try_engines(&b, &rng);
        bed_clear(&b);
    }
}

// Several tiles for each thread.
static void test_tiles(void **state)
{
    (void)state;
    static const uint32_t weights[] = {0, 1, 50, 1000, 1 << 22};
    mco_rng rng;
    mco_rng_seed(&rng, 4, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 3 : 6 * FACTOR); k++) {
        bed b = bed_random(&rng, 12000 + (int32_t)mco_rng_below(&rng, 9000), 4, weights[k % COUNT_OF(weights)]);
        if (k % 3 == 0)
            b.rows.first_through = 100;
        try_engines(&b, &rng);
        bed_clear(&b);
    }
}

// A chain whose vertices lower the labels of all others one after the other: CHAIN * OTHERS pairs, more than any queue holds. The
// vertices fill three tiles.
static void test_full_queue(void **state)
{
    (void)state;
    enum { CHAIN = 150, OTHERS = 9000, N = CHAIN + OTHERS };
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    bed b = bed_make(N, (int64_t)CHAIN * (OTHERS + 1));
    for (int32_t v = 0; v < CHAIN; v++) {
        add_arc(&b, v, v + 1, 1);
        for (int32_t k = CHAIN; k < N; k++)
            add_arc(&b, v, k, 1000000 - 50 * v + (k - CHAIN) * 7 % 40);
    }
    for (int32_t v = CHAIN; v < N; v++)
        end_row(&b, v);
    bed_lay_out(&b, &rng);
    const int32_t source[2] = {0, CHAIN / 3};
    for (int32_t threads = 0; threads <= 4; threads += FACTOR == 1 ? 2 : 1)
        for (int32_t shift = 0; shift < 12; shift += 10)
            try_sources(&b, threads, shift, source);
    bed_clear(&b);
}

// A path, a fan that is wide, and a path again: one worker takes the paths alone, and all meet again at the fan.
static void test_narrow_buckets(void **state)
{
    (void)state;
    enum { PATH = 20000, FAN = 100000, N = 2 * PATH + FAN };
    mco_rng rng;
    mco_rng_seed(&rng, 6, 0);
    bed b = bed_make(N, 2 * PATH + 2 * FAN);
    for (int32_t v = 0; v + 1 < PATH; v++)
        add_arc(&b, v, v + 1, 1 + v % 3);
    for (int32_t k = 0; k < FAN; k++)
        add_arc(&b, PATH - 1, PATH + k, 100 + k % 199);
    for (int32_t k = 0; k < FAN; k++)
        add_arc(&b, PATH + k, k % 5 == 0 ? PATH + FAN : PATH + (k + 7) % FAN, 30 + k % 17);
    for (int32_t v = PATH + FAN; v + 1 < N; v++)
        add_arc(&b, v, v + 1, 2);
    end_row(&b, N - 1);
    bed_lay_out(&b, &rng);
    assert_ok(paths_ref_tree(test_ctx, &b.rows, 0, b.expected, NULL));
    for (int32_t threads = 1; threads <= 3; threads++) {
        paths_search *search = NULL;
        assert_ok(paths_buckets_open(test_ctx, &b.layout, threads, &search));
        paths_buckets_set_shift(search, 0);
        for (int k = 0; k < 2; k++) {
            paths_counts counts = {0};
            assert_ok(paths_search_tree(test_ctx, search, NULL, b.layout.place[0], b.distance, &counts));
            for (int32_t v = 0; v < N; v++)
                assert_int_equal(b.distance[b.layout.place[v]], b.expected[v]);
            assert_true(counts.rounds >= 2 * PATH);
            if (threads > 1)  // each path costs some windows of 128 buckets, the fan has some hundred
                assert_in_range(counts.meetings, 200, 2000);
        }
        paths_search_close(test_ctx, &search);
    }
    bed_clear(&b);
}

// ---- Limits and ends

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        int32_t first, second, direct;
        const char *error;  // NULL: none
    } cases[] = {
        {MCO_PATHS_NONE - 2, 1, MCO_PATHS_MAX_WEIGHT, NULL},
        {MCO_PATHS_NONE - 2, 2, 7, NULL},
        {MCO_PATHS_MAX_WEIGHT, 1, MCO_PATHS_NONE, "vertex 2 has distance 1073741823, at most 1073741822 is supported; a smaller scale helps"},
        {MCO_PATHS_MAX_WEIGHT, MCO_PATHS_MAX_WEIGHT, MCO_PATHS_NONE,
         "vertex 2 has distance 2147483644, at most 1073741822 is supported; a smaller scale helps"},
    };
    for (int k = 0; k < COUNT_OF(cases); k++)
        for (int32_t threads = 0; threads <= 2; threads++) {
            bed b = bed_make(3, 3);
            paths_search *search = NULL;
            add_arc(&b, 0, 1, cases[k].first);
            add_arc(&b, 0, 2, cases[k].direct);  // MCO_PATHS_NONE: a closed arc, which the layout leaves out
            add_arc(&b, 1, 2, cases[k].second);
            end_row(&b, 2);
            assert_ok(paths_layout_make(test_ctx, &b.rows, NULL, false, &b.layout));
            assert_ok(threads == 0 ? paths_heap_open(test_ctx, &b.layout, &search)
                                   : paths_buckets_open(test_ctx, &b.layout, threads, &search));
            const mco_status st = paths_search_tree(test_ctx, search, NULL, 0, b.distance, NULL);
            assert_int_equal(st, cases[k].error == NULL ? MCO_OK : MCO_ERR_LIMIT);
            if (st == MCO_OK)
                assert_int_equal(b.distance[2], cases[k].direct < MCO_PATHS_MAX_WEIGHT ? cases[k].direct : MCO_PATHS_MAX_WEIGHT);
            else
                assert_string_equal(mco_context_error(test_ctx), cases[k].error);
            paths_search_close(test_ctx, &search);
            bed_clear(&b);
        }
}

// A ring with zero weights: one bucket, so that nothing but the look at the run within a bucket stops the search.
static void test_stop(void **state)
{
    (void)state;
    enum { N = 1 << 20 };
    bed b = bed_make(N, N);
    for (int32_t v = 0; v < N; v++)
        add_arc(&b, v, (v + 1) % N, 0);
    assert_ok(paths_layout_make(test_ctx, &b.rows, NULL, false, &b.layout));
    for (int32_t threads = 0; threads <= 2; threads++)
        for (int k = 0; k < 2; k++) {
            const mco_run_settings settings = {.time_limit_s = k == 0 ? 0 : 0.001, .target = -1, .objective = "distance"};
            paths_search *search = NULL;
            paths_counts counts;
            assert_ok(threads == 0 ? paths_heap_open(test_ctx, &b.layout, &search)
                                   : paths_buckets_open(test_ctx, &b.layout, threads, &search));
            mco_run run = mco_run_begin(test_ctx, &settings);
            const double begin_s = mco_cpu_clock_s();
            assert_int_equal(paths_search_tree(test_ctx, search, &run, 0, b.distance, &counts), MCO_ERR_STOPPED);
            assert_true(mco_cpu_clock_s() - begin_s < (TEST_IS_SANITIZED ? 10 : 1));
            assert_true(counts.settled < N);
            assert_int_equal(run.stop, MCO_STOP_TIME);
            mco_run_clear(&run);
            paths_search_close(test_ctx, &search);
        }
    bed_clear(&b);
}

static mco_status open_and_run(bed *b, int32_t threads)
{
    mco_status st = MCO_OK;
    paths_search *search = NULL;
    int32_t *vertex_at = NULL;
    MCO_TRY(paths_local_order(test_ctx, &b->rows, 64, &vertex_at));
    MCO_TRY(threads == 0 ? paths_heap_open(test_ctx, &b->layout, &search) : paths_buckets_open(test_ctx, &b->layout, threads, &search));
    MCO_TRY(paths_search_tree(test_ctx, search, NULL, 0, b->distance, NULL));
done:
    paths_search_close(test_ctx, &search);
    mco_free(test_ctx, &vertex_at);
    return st;
}

static void test_failing_memory(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 6, 0);
    bed b = bed_random(&rng, 3000, 4, 1000);
    bed_lay_out(&b, &rng);
    for (int with_places = 0; with_places < 2; with_places++) {
        if (with_places == 1)
            b.rows.x = b.rows.y = b.x = room(3000, sizeof *b.x);
        for (int32_t threads = 0; threads <= 3; threads++) {
            mco_status st = MCO_ERR_MEMORY;
            int failures = 0;
            for (long k = 1; st != MCO_OK; k++, failures++) {
                test_fail_allocation(k);
                st = open_and_run(&b, threads);
                assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
            }
            test_fail_allocation(0);
            assert_true(failures >= 5);
        }
    }
    bed_clear(&b);
}

// ---- Orders

static void assert_permutation(const int32_t *vertex_at, int32_t n)
{
    char *is_seen = room((size_t)n, 1);
    for (int32_t k = 0; k < n; k++) {
        assert_in_range(vertex_at[k], 0, n - 1);
        assert_int_equal(is_seen[vertex_at[k]]++, 0);
    }
    free(is_seen);
}

// On a square grid every run of 4^k places is a square, and places that follow each other are neighbours.
static void test_order_by_places(void **state)
{
    (void)state;
    enum { SIDE = 64, N = SIDE * SIDE };
    bed b = bed_make(N, 1);
    int32_t *vertex_at = NULL;
    b.rows.x = b.x = room(N, sizeof *b.x);
    b.rows.y = b.y = room(N, sizeof *b.y);
    for (int32_t v = 0; v < N; v++) {
        b.x[v] = -3 + 0.25 * (v % SIDE);
        b.y[v] = 40 + 0.25 * (v / SIDE);
    }
    assert_ok(paths_local_order(test_ctx, &b.rows, 16, &vertex_at));
    assert_permutation(vertex_at, N);
    for (int32_t k = 1; k < N; k++) {
        const int32_t u = vertex_at[k - 1], v = vertex_at[k];
        assert_int_equal(abs(u % SIDE - v % SIDE) + abs(u / SIDE - v / SIDE), 1);
        for (int32_t side = 4; side <= 16; side *= 2) {
            const int32_t begin = vertex_at[k / (side * side) * side * side];
            assert_int_equal(begin % SIDE / side, v % SIDE / side);
            assert_int_equal(begin / SIDE / side, v / SIDE / side);
        }
    }
    mco_free(test_ctx, &vertex_at);
    for (int32_t v = 0; v < N; v++)
        b.x[v] = b.y[v] = 7;
    assert_ok(paths_local_order(test_ctx, &b.rows, 16, &vertex_at));
    for (int32_t k = 0; k < N; k++)
        assert_int_equal(vertex_at[k], k);
    mco_free(test_ctx, &vertex_at);
    bed_clear(&b);
}

// Each part of a long path lies together, whatever the numbers of the vertices.
static void test_order_by_parts(void **state)
{
    (void)state;
    enum { N = 1000, TILE = 50, STEP = 77 };  // coprime
    bed b = bed_make(N, N);
    int32_t *vertex_at = NULL;
    for (int32_t v = 0; v < N; v++)
        add_arc(&b, v, (v + STEP) % N, 1);
    assert_ok(paths_local_order(test_ctx, &b.rows, TILE, &vertex_at));
    for (int32_t k = 0; k < N; k++)
        assert_int_equal(vertex_at[k], (int64_t)k * STEP % N);
    mco_free(test_ctx, &vertex_at);
    bed_clear(&b);
    mco_rng rng;
    mco_rng_seed(&rng, 8, 0);
    for (int k = 0; k < 200; k++) {
        const int32_t n = 1 + (int32_t)mco_rng_below(&rng, 300);
        b = bed_random(&rng, n, mco_rng_below(&rng, 4), 10);
        assert_ok(paths_local_order(test_ctx, &b.rows, 1 + (int32_t)mco_rng_below(&rng, 100), &vertex_at));
        assert_permutation(vertex_at, n);
        mco_free(test_ctx, &vertex_at);
        bed_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_small), TEST(test_tiles), TEST(test_full_queue), TEST(test_narrow_buckets), TEST(test_limits), TEST(test_stop),
        TEST(test_failing_memory), TEST(test_order_by_places), TEST(test_order_by_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
