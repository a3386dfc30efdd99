// SPDX-License-Identifier: MIT
// Components and orders of graphs against their definitions: all graphs of up to 6 vertices, all directed graphs of up to
// 4, random graphs, and long paths, which a recursion would not survive.
#include "graph_support.h"

#include "graph/order.h"
#include "graph/parts.h"

static graph_simple make_simple(const mco_graph *graph, bool is_directed)
{
    const mco_graph_rows rows = mco_graph_view(graph);
    graph_simple simple;
    assert_ok(graph_simple_make(test_ctx, &rows, is_directed, &simple));
    return simple;
}

// What is reached from `root` without a vertex of `closed`.
static uint32_t reach(const uint32_t *bits, int32_t root, uint32_t closed)
{
    uint32_t met = UINT32_C(1) << root, last = 0;
    while (met != last) {
        last = met;
        for (uint32_t rest = met; rest != 0; rest &= rest - 1)
            met |= bits[__builtin_ctz(rest)] & ~closed;
    }
    return met;
}

// ---- Connected and strongly connected components

static void check_components(const graph_simple *g, const uint32_t *bits)
{
    int32_t *part, count, next = 0;
    assert_ok(graph_components(test_ctx, g, &part, &count));
    for (int32_t u = 0; u < g->vertices; u++) {
        assert_true(part[u] <= next);  // numbers follow the least vertices
        next += part[u] == next;
        for (int32_t v = 0; v < g->vertices; v++)
            assert_int_equal(part[u] == part[v], reach(bits, u, 0) >> v & 1);
    }
    assert_int_equal(count, next);
    mco_free(test_ctx, &part);
}

static void check_strong_components(const graph_simple *g, const uint32_t *bits)
{
    int32_t *part, count;
    uint32_t seen = 0;
    assert_ok(graph_strong_components(test_ctx, g, NULL, &part, &count));
    for (int32_t u = 0; u < g->vertices; u++) {
        seen |= UINT32_C(1) << part[u];
        for (int32_t v = 0; v < g->vertices; v++) {
            const bool forth = (reach(bits, u, 0) >> v & 1) != 0, back = (reach(bits, v, 0) >> u & 1) != 0;
            assert_int_equal(part[u] == part[v], forth && back);
            assert_true(!forth || part[u] >= part[v]);
        }
    }
    assert_int_equal(seen, (UINT32_C(1) << count) - 1);
    mco_free(test_ctx, &part);
}

// ---- Biconnected components

// The component of the graph without x in which the edge lies; an edge at x lies where its other end does.
static uint32_t side_of(const uint32_t *bits, int32_t x, int32_t u, int32_t v)
{
    return reach(bits, u == x ? v : u, UINT32_C(1) << x);
}

// Two edges are in one component if no vertex separates them.
static bool are_together(const uint32_t *bits, int32_t n, const int32_t *e, const int32_t *f)
{
    for (int32_t x = 0; x < n; x++)
        if (side_of(bits, x, e[0], e[1]) != side_of(bits, x, f[0], f[1]))
            return false;
    return true;
}

static void check_bicomponents(const graph_simple *g, const uint32_t *bits)
{
    int32_t ends[TEST_GRAPH_MOST * TEST_GRAPH_MOST][2];
    int edges = 0;
    graph_bicomponents b;
    assert_ok(graph_bicomponents_make(test_ctx, g, &b));
    for (int32_t u = 0; u < g->vertices; u++)
        for (int32_t v = u + 1; v < g->vertices; v++)
            if ((bits[u] >> v & 1) != 0) {
                ends[edges][0] = u;
                ends[edges++][1] = v;
            }
    uint32_t sets[TEST_GRAPH_MOST * TEST_GRAPH_MOST] = {0};
    for (int i = 0; i < edges; i++) {
        const int32_t number = graph_bicomponent_of(&b, ends[i][0], ends[i][1]);
        assert_in_range(number, 0, b.count - 1);
        sets[number] |= UINT32_C(1) << ends[i][0] | UINT32_C(1) << ends[i][1];
        for (int j = 0; j < i; j++)
            assert_int_equal(number == graph_bicomponent_of(&b, ends[j][0], ends[j][1]),
                             are_together(bits, g->vertices, ends[i], ends[j]));
    }
    for (int32_t c = 0; c < b.count; c++) {
        uint32_t listed = 0;
        for (int64_t k = b.first[c]; k < b.first[c + 1]; k++) {
            assert_int_equal(listed >> b.vertex[k] & 1, 0);
            listed |= UINT32_C(1) << b.vertex[k];
            assert_int_equal(b.home[b.vertex[k]] == c, k > b.first[c]);
        }
        assert_int_equal(listed, sets[c]);
        assert_true(__builtin_popcount(listed) >= 2);
    }
    graph_bicomponents_clear(test_ctx, &b);
}

// ---- Orders

static int degree_in(const uint32_t *bits, int32_t v, uint32_t left)
{
    return __builtin_popcount(bits[v] & left);
}

// The first vertex of least degree among `left`.
static int32_t least_in(const uint32_t *bits, int32_t n, uint32_t left)
{
    int32_t least = -1;
    for (int32_t v = 0; v < n; v++)
        if ((left >> v & 1) != 0 && (least < 0 || degree_in(bits, v, left) < degree_in(bits, least, left)))
            least = v;
    return least;
}

static void check_orders(const graph_simple *g, const uint32_t *bits)
{
    const int32_t n = g->vertices;
    const uint32_t all = (UINT32_C(1) << n) - 1;
    int32_t *order, *label, degeneracy, most = 0;
    uint32_t left = all;
    assert_ok(graph_smallest_last(test_ctx, g, &order, &degeneracy));
    for (int32_t k = 0; k < n; k++) {
        const int degree = degree_in(bits, order[k], left);
        assert_int_equal(left >> order[k] & 1, 1);
        assert_int_equal(degree, degree_in(bits, least_in(bits, n, left), left));
        most = degree > most ? degree : most;
        left &= ~(UINT32_C(1) << order[k]);
    }
    assert_int_equal(degeneracy, most);
    assert_ok(graph_degree_labels(test_ctx, g, &label));
    left = all;
    for (int32_t k = 0; k < n; k++) {
        const int32_t v = least_in(bits, n, left);
        assert_int_equal(label[v], k);
        left &= ~(UINT32_C(1) << v);
    }
    mco_free(test_ctx, &order);
    mco_free(test_ctx, &label);
}

// ---- Cases

static void check_graph(mco_graph *graph, bool is_directed)
{
    uint32_t bits[TEST_GRAPH_MOST];
    graph_simple simple = make_simple(graph, is_directed);
    test_graph_bits(graph, is_directed, bits);
    if (is_directed) {
        check_strong_components(&simple, bits);
    } else {
        check_components(&simple, bits);
        check_bicomponents(&simple, bits);
        check_orders(&simple, bits);
    }
    graph_simple_clear(test_ctx, &simple);
    mco_graph_destroy(test_ctx, &graph);
}

static void test_all_small(void **state)
{
    (void)state;
    for (int32_t n = 0; n <= (TEST_IS_SANITIZED ? 5 : 6); n++)
        for (uint64_t mask = 0; mask < UINT64_C(1) << test_graph_pairs(n); mask++)
            check_graph(test_graph_from_mask(n, mask, 0, false), false);
    for (int32_t n = 0; n <= 4; n++)
        for (uint64_t mask = 0; mask < UINT64_C(1) << test_graph_pairs(n); mask++)
            for (uint64_t back = 0; back < UINT64_C(1) << test_graph_pairs(n); back++)
                check_graph(test_graph_from_mask(n, mask, back, true), true);
}

static void test_random(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 11, 0);
    for (int i = 0; i < 600; i++) {
        const int32_t n = 7 + (int32_t)mco_rng_below(&rng, TEST_GRAPH_MOST - 6);
        check_graph(test_graph_random(&rng, n, (int32_t)mco_rng_below(&rng, 3 * (uint32_t)n), false), false);
        check_graph(test_graph_random(&rng, n, (int32_t)mco_rng_below(&rng, 4 * (uint32_t)n), true), true);
    }
}

// A path whose last `loop` vertices, if any, are closed to a cycle.
static mco_graph *make_path(int32_t n, int32_t loop, bool is_directed)
{
    mco_graph *graph = NULL;
    int32_t *from = malloc((size_t)n * sizeof *from), *to = malloc((size_t)n * sizeof *to);
    assert_non_null(from);
    assert_non_null(to);
    for (int32_t v = 0; v < n; v++) {
        from[v] = v;
        to[v] = v + 1;
    }
    to[n - 1] = n - loop;
    const mco_graph_edges e = {.vertices = n, .edges = loop > 0 ? n : n - 1, .from = from, .to = to,
                               .is_directed = is_directed};
    assert_ok(mco_graph_create(test_ctx, &e, &graph));
    free(from);
    free(to);
    return graph;
}

static void test_long_paths(void **state)
{
    (void)state;
    enum { N = 1000000, LOOP = 600000 };
    int32_t *part, *order, count, degeneracy;
    graph_bicomponents b;
    mco_graph *graph = make_path(N, LOOP, false);
    graph_simple simple = make_simple(graph, false);
    assert_ok(graph_components(test_ctx, &simple, &part, &count));
    assert_int_equal(count, 1);
    mco_free(test_ctx, &part);
    assert_ok(graph_bicomponents_make(test_ctx, &simple, &b));
    assert_int_equal(b.count, N - LOOP + 1);
    assert_int_equal(b.first[b.count], LOOP + 2 * (N - LOOP));
    graph_bicomponents_clear(test_ctx, &b);
    assert_ok(graph_smallest_last(test_ctx, &simple, &order, &degeneracy));
    assert_int_equal(degeneracy, 2);
    mco_free(test_ctx, &order);
    assert_ok(graph_degree_labels(test_ctx, &simple, &order));
    for (int32_t v = 0; v < N; v++)
        assert_int_equal(order[v], v);
    mco_free(test_ctx, &order);
    graph_simple_clear(test_ctx, &simple);
    mco_graph_destroy(test_ctx, &graph);

    graph = make_path(N, LOOP, true);
    simple = make_simple(graph, true);
    assert_ok(graph_strong_components(test_ctx, &simple, NULL, &part, &count));
    assert_int_equal(count, N - LOOP + 1);
    mco_free(test_ctx, &part);
    graph_simple_clear(test_ctx, &simple);
    mco_graph_destroy(test_ctx, &graph);
}

// Runs function number `which`, and releases what it gives.
static mco_status run_one(int which, const graph_simple *g)
{
    int32_t *array = NULL, number;
    graph_bicomponents b = {0};
    const mco_status st = which == 0   ? graph_components(test_ctx, g, &array, &number)
                          : which == 1 ? graph_strong_components(test_ctx, g, NULL, &array, &number)
                          : which == 2 ? graph_smallest_last(test_ctx, g, &array, &number)
                          : which == 3 ? graph_degree_labels(test_ctx, g, &array)
                                       : graph_bicomponents_make(test_ctx, g, &b);
    assert_int_equal(array != NULL || b.first != NULL, st == MCO_OK);
    mco_free(test_ctx, &array);
    graph_bicomponents_clear(test_ctx, &b);
    return st;
}

static void test_memory_failures(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 3, 4, 0, 0);
    graph_simple simple = make_simple(graph, false);
    for (int which = 0; which < 5; which++) {
        mco_status st = MCO_ERR_MEMORY;
        long k = 0;
        while (st == MCO_ERR_MEMORY) {
            test_fail_allocation(++k);
            st = run_one(which, &simple);
            test_fail_allocation(0);
        }
        assert_ok(st);
        assert_true(k > 2);
    }
    graph_simple_clear(test_ctx, &simple);
    mco_graph_destroy(test_ctx, &graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_all_small), TEST(test_random), TEST(test_long_paths),
                                       TEST(test_memory_failures)};
    return cmocka_run_group_tests_name("graph_parts", tests, NULL, NULL);
}
