// SPDX-License-Identifier: MIT
// The depth-first search and the labelled triplets against brute force, published counts, and each other.
#include "cycles_support.h"

#include "base/clock.h"
#include "base/simd.h"

static const int32_t WIDTHS[] = {1, 2, 4, 8, 16, 0};  // words of a set; 0: by lists
static const mco_simd UNITS[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};

typedef struct task {
    const edges *graph;
    const int32_t *through;
    int32_t through_count, min_length, max_length;
} task;

static void open_task(trial *t, const task *what, bool is_listing)
{
    trial_open(t, what->graph, is_listing);
    t->job.through = what->through;
    t->job.through_count = what->through_count;
    if (what->min_length > 0)
        t->job.min_length = what->min_length;
    if (what->max_length > 0)
        t->job.max_length = what->max_length;
}

// Searches in one way and compares with what is expected.
static void search(const task *what, const search_choice *choice, int threads, bool is_listing, const trial *expected)
{
    trial t;
    open_task(&t, what, is_listing);
    t.job.threads = threads;
    assert_ok(cycles_search_with(&t.job, choice));
    assert_same(&t, expected);
    if (is_listing)
        assert_int_equal((uint64_t)t.listed, trial_count(&t, -1));
    trial_close(&t);
}

static search_choice choice_of(mco_simd simd, int32_t words, int checks)
{
    search_choice c = SEARCH_CHOICE_INIT;
    c.simd = simd;
    c.least = words > 0 ? words : 1;
    c.widest = words > 0 ? SEARCH_WIDEST : 0;
    c.checks = checks;
    return c;
}

// All widths, units and both ways of testing.
static void search_in_all_ways(const task *what, const trial *expected)
{
    for (int u = 0; u < COUNT_OF(UNITS); u++)
        for (int k = 0; k < COUNT_OF(WIDTHS) && mco_simd_has(UNITS[u]); k++)
            for (int way = 0; way < 4; way++) {
                const search_choice choice = choice_of(UNITS[u], WIDTHS[k], way & 1);
                search(what, &choice, 1, way >= 2, expected);
            }
}

static void expect_brute_force(const task *what, trial *expected)
{
    open_task(expected, what, true);
    trial_brute_force(expected);
}

static void label(const task *what, bool is_listing, const trial *expected)
{
    trial t;
    open_task(&t, what, is_listing);
    assert_ok(cycles_labels(&t.job));
    assert_same(&t, expected);
    trial_close(&t);
}

// Brute force = labels = search.
static void compare(const task *what, bool in_all_ways)
{
    trial expected;
    const search_choice plain = SEARCH_CHOICE_INIT;
    expect_brute_force(what, &expected);
    if (!what->graph->is_directed) {
        label(what, true, &expected);
        label(what, false, &expected);
    }
    search(what, &plain, 1, false, &expected);
    search(what, &plain, 1, true, &expected);
    if (in_all_ways)
        search_in_all_ways(what, &expected);
    trial_close(&expected);
}

// The graph whose edges, or arcs, are the bits of `code`.
static edges coded(int32_t n, uint32_t code, bool is_directed)
{
    edges e = {.vertices = n, .is_directed = is_directed};
    int bit = 0;
    for (int32_t u = 0; u < n; u++)
        for (int32_t v = is_directed ? 0 : u + 1; v < n; v++)
            if (u != v && (code >> bit++ & 1))
                edges_add(&e, u, v);
    return e;
}

static void compare_all(int32_t n, bool is_directed, uint32_t step, bool in_all_ways)
{
    const int pairs = is_directed ? n * (n - 1) : n * (n - 1) / 2;
    for (uint32_t code = 0; code < 1u << pairs; code += step) {
        edges e = coded(n, code, is_directed);
        compare(&(task){.graph = &e}, in_all_ways);
        edges_free(&e);
    }
}

static void test_all_small_graphs(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 5; n++)
        compare_all(n, false, 1, n == 5 && !TEST_IS_SANITIZED);
    compare_all(6, false, TEST_IS_SANITIZED ? 37 : 1, false);
}

static void test_all_small_digraphs(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 3; n++)
        compare_all(n, true, 1, true);
    compare_all(4, true, TEST_IS_SANITIZED ? 17 : 1, false);
}

static void test_random_graphs(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 19, 1);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 6 : 24); k++) {
        const bool is_directed = k % 3 == 2;
        const int32_t n = 5 + (int32_t)mco_rng_below(&rng, is_directed ? 8 : 10);
        edges e = edges_random(&rng, n, 0.1 + 0.5 * mco_rng_real(&rng), is_directed);
        int32_t through[2] = {(int32_t)mco_rng_below(&rng, (uint32_t)n)};
        through[1] = (through[0] + 1 + (int32_t)mco_rng_below(&rng, (uint32_t)n - 1)) % n;
        compare(&(task){.graph = &e}, true);
        compare(&(task){.graph = &e, .through = through, .through_count = 1}, true);
        compare(&(task){.graph = &e, .through = through, .through_count = 2}, true);
        compare(&(task){.graph = &e, .min_length = 5, .max_length = 6}, true);
        compare(&(task){.graph = &e, .through = through, .through_count = 2, .max_length = 5}, true);
        edges_free(&e);
    }
}

// ---- Published counts

typedef struct known {
    const char *name;
    int32_t rows, columns;  // of a grid; columns 0: see `name`
    uint64_t cycles;
    int64_t paths;          // of the published algorithm; 0: not known
} known;

static const known KNOWN[] = {
    {"grid", 4, 10, 1823, 45155},    {"grid", 5, 6, 749, 5062},           {"grid", 5, 10, 52620, 730015},
    {"grid", 6, 6, 3436, 24590},     {"grid", 6, 10, 800139, 10696912},   {"bipartite", 8, 8, 784, 140},
    {"bipartite", 50, 50, 1500625, 40425}, {"wheel", 100, 0, 1, 97},      {"circle", 100, 0, 1, 0},
    {"Sioux Falls", 0, 0, 176, 1239},
};

static edges known_graph(const known *k)
{
    switch (k->name[0]) {
    case 'g':
        return edges_grid(k->rows, k->columns);
    case 'b':
        return edges_bipartite(k->rows, k->columns);
    case 'S':
        return edges_sioux_falls();
    default:
        return edges_circle(k->rows, k->name[0] == 'w');
    }
}

static void test_published_counts(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(KNOWN); k++) {
        if (TEST_IS_SANITIZED && KNOWN[k].cycles > 100000)
            continue;
        edges e = known_graph(&KNOWN[k]);
        trial t;
        trial_open(&t, &e, true);
        assert_ok(cycles_labels(&t.job));
        assert_int_equal(trial_count(&t, -1), KNOWN[k].cycles);
        if (KNOWN[k].paths > 0)
            assert_int_equal(t.result.nodes, KNOWN[k].paths);
        for (int threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3)
            for (int is_listing = 0; is_listing < 2; is_listing++) {
                search_choice choice = SEARCH_CHOICE_INIT;
                choice.alone_s = 0;
                search(&(task){.graph = &e}, &choice, threads, is_listing, &t);
            }
        trial_close(&t);
        edges_free(&e);
    }
}

// Widths, lists and threads on a graph whose search takes some milliseconds, and a wide one.
static void test_wide_graphs(void **state)
{
    (void)state;
    edges e = TEST_IS_SANITIZED ? edges_grid(4, 10) : edges_grid(5, 10);
    trial expected;
    trial_open(&expected, &e, true);
    assert_ok(cycles_labels(&expected.job));
    for (int k = 0; k < COUNT_OF(WIDTHS); k++)
        for (int threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
            search_choice choice = choice_of(MCO_SIMD_AUTO, WIDTHS[k], -1);
            choice.alone_s = 0;
            search(&(task){.graph = &e}, &choice, threads, true, &expected);
            search(&(task){.graph = &e}, &choice, threads, false, &expected);
        }
    trial_close(&expected);
    edges_free(&e);
}

// Roots have rows of their own, of different widths, or none.
static void test_large_graphs(void **state)
{
    (void)state;
    static const int32_t SIDES[][2] = {{4, 40}, {3, 120}, {3, 500}, {20, 20}, {40, 60}};
    for (int k = 0; k < COUNT_OF(SIDES); k++) {
        edges e = edges_grid(SIDES[k][0], SIDES[k][1]);
        for (int32_t longest = 8; longest <= 12; longest += 4) {
            trial expected;
            const task what = {.graph = &e, .max_length = longest};
            open_task(&expected, &what, true);
            assert_ok(cycles_labels(&expected.job));
            search_choice choice = SEARCH_CHOICE_INIT;
            search(&what, &choice, 1, true, &expected);
            search(&what, &choice, 2, true, &expected);
            choice.widest = 1;
            search(&what, &choice, 2, true, &expected);
            trial_close(&expected);
        }
        edges_free(&e);
    }
}

// A long circle with one chord in a graph beyond all rows: three cycles less the one with the chord.
static void test_long_cycle(void **state)
{
    (void)state;
    edges e = edges_circle(5000, false);
    edges_add(&e, 0, 2000);
    trial t;
    trial_open(&t, &e, true);
    assert_ok(cycles_search(&t.job));
    assert_int_equal(trial_count(&t, -1), 2);
    assert_int_equal(trial_count(&t, 2001), 1);
    assert_int_equal(trial_count(&t, 3001), 1);
    assert_int_equal(t.listed, 2);
    trial_close(&t);
    edges_free(&e);
}

// ---- Ends

static void test_stop_after(void **state)
{
    (void)state;
    edges e = edges_grid(6, 10);
    for (int threads = 1; threads <= 5; threads += 2)
        for (int64_t wanted = 1; wanted <= 100000; wanted *= 10)
            for (int way = 0; way < 3; way++) {
                trial t;
                trial_open(&t, &e, true);
                t.job.threads = threads;
                if (way == 1)
                    t.stop_after = wanted;
                else
                    t.sink.left = wanted;
                search_choice choice = SEARCH_CHOICE_INIT;
                choice.alone_s = 0;
                assert_ok(way == 2 ? cycles_labels(&t.job) : cycles_search_with(&t.job, &choice));
                assert_true(t.listed >= wanted && (way == 1 || t.listed == wanted));
                assert_true(t.sink.is_closed);
                assert_int_equal(trial_count(&t, -1), (uint64_t)t.listed);
                trial_close(&t);
            }
    edges_free(&e);
}

static int cancel(const mco_progress *progress, void *user)
{
    (void)progress;
    *(double *)user = mco_cpu_clock_s();
    return 1;
}

// The callback asks to stop at its first call; the search ends within a tenth of a second of each thread's processor.
static void test_cancel(void **state)
{
    (void)state;
    static const int32_t SIDES[][2] = {{10, 12}, {12, 20}, {30, 40}};  // shared rows, rows of roots, lists
    for (int k = 0; k < 3; k++)
        for (int way = 0; way < 5; way++) {
            edges e = edges_grid(SIDES[k][0], SIDES[k][1]);
            trial t;
            double asked_s = 0;
            trial_open(&t, &e, way & 1);
            t.job.threads = 1 + (way & 2);
            mco_context_set_callback(test_ctx, cancel, &asked_s);
            assert_ok(way == 4 ? cycles_labels(&t.job) : cycles_search(&t.job));
            assert_true(asked_s > 0);
            if (!TEST_IS_SANITIZED)
                assert_true(mco_cpu_clock_s() - asked_s < 0.1 * t.job.threads);
            assert_int_equal(t.run.stop, MCO_STOP_CANCELLED);
            if (way & 1)
                assert_int_equal((uint64_t)t.listed, trial_count(&t, -1));
            mco_context_set_callback(test_ctx, NULL, NULL);
            trial_close(&t);
            edges_free(&e);
        }
}

static void test_failed_allocations(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        edges e = way == 3 ? edges_grid(30, 40) : edges_grid(4, 5);
        trial t;
        trial_open(&t, &e, true);
        t.job.threads = way == 1 ? 3 : 1;
        t.job.max_length = way == 3 ? 6 : 20;
        search_choice choice = SEARCH_CHOICE_INIT;
        choice.alone_s = 0;
        long k = 0;
        for (mco_status st = MCO_ERR_MEMORY; st == MCO_ERR_MEMORY; k++) {
            test_fail_allocation(k + 1);
            st = way == 2 ? cycles_labels(&t.job) : cycles_search_with(&t.job, &choice);
            test_fail_allocation(0);
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        }
        assert_true(k > 10);
        trial_close(&t);
        edges_free(&e);
    }
}

static void test_memory_limit(void **state)
{
    (void)state;
    edges e = edges_grid(4, 5);
    trial t;
    trial_open(&t, &e, false);
    t.job.memory_bytes = 1000;
    assert_int_equal(cycles_search(&t.job), MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), "1000 are allowed"));
    trial_close(&t);
    // Memory for two workers, eight are asked for: there are two.
    const task what = {.graph = &e};
    trial expected;
    expect_brute_force(&what, &expected);
    open_task(&t, &what, true);
    assert_ok(cycles_search(&t.job));
    const int64_t bytes = t.result.bytes;
    trial_close(&t);
    open_task(&t, &what, true);
    search_choice choice = SEARCH_CHOICE_INIT;
    choice.alone_s = 0;
    t.job.threads = 8;
    t.job.memory_bytes = 2.5 * (double)bytes;
    assert_ok(cycles_search_with(&t.job, &choice));
    assert_same(&t, &expected);
    assert_true(t.result.bytes > bytes && t.result.bytes <= 2 * bytes);
    trial_close(&t);
    trial_close(&expected);
    edges_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_small_graphs), TEST(test_all_small_digraphs), TEST(test_random_graphs), TEST(test_published_counts),
        TEST(test_wide_graphs),      TEST(test_large_graphs),       TEST(test_long_cycle),    TEST(test_stop_after),
        TEST(test_cancel),           TEST(test_failed_allocations), TEST(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
