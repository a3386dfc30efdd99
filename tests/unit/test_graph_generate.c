// SPDX-License-Identifier: MIT
// Generators: every family has the vertices, edges and degrees that its shape says, is simple, and follows its seed.
#include "test_support.h"

#include <math.h>

#include "graph/graph.h"

static mco_graph *generate(mco_graph_family family, int64_t a, int64_t b, double share, uint64_t seed)
{
    const mco_graph_shape shape = {family, a, b, share, seed};
    mco_graph *graph = NULL;
    assert_ok(mco_graph_generate(test_ctx, &shape, &graph));
    return graph;
}

static void destroy(mco_graph *graph)
{
    mco_graph_destroy(test_ctx, &graph);
}

// The graph must be simple and undirected, with so many vertices and edges.
static void assert_simple(const mco_graph *graph, int64_t vertices, int64_t edges)
{
    const mco_graph_rows rows = mco_graph_view(graph);
    graph_simple simple;
    assert_int_equal(rows.vertices, vertices);
    assert_int_equal(rows.edges, edges);
    assert_false(rows.is_directed);
    assert_null(rows.weight);
    assert_ok(graph_simple_make(test_ctx, &rows, false, &simple));
    assert_int_equal(simple.loops, 0);
    assert_int_equal(simple.parallel, 0);
    assert_int_equal(simple.arcs, 2 * edges);
    graph_simple_clear(test_ctx, &simple);
}

static int64_t degree(const mco_graph *graph, int32_t v)
{
    const mco_graph_rows rows = mco_graph_view(graph);
    return rows.first[v + 1] - rows.first[v];
}

static void test_fixed(void **state)
{
    (void)state;
    static const struct {
        mco_graph_family family;
        int64_t a, b, vertices, edges, first_degree, last_degree;
        const char *name;
    } cases[] = {
        {MCO_GRAPH_GRID, 7, 10, 70, 123, 2, 2, "grid-7x10"},
        {MCO_GRAPH_GRID, 1, 5, 5, 4, 1, 1, "grid-1x5"},
        {MCO_GRAPH_GRID, 1, 1, 1, 0, 0, 0, "grid-1x1"},
        {MCO_GRAPH_CYCLE, 3, 0, 3, 3, 2, 2, "cycle-3"},
        {MCO_GRAPH_CYCLE, 100, -7, 100, 100, 2, 2, "cycle-100"},
        {MCO_GRAPH_WHEEL, 100, 0, 101, 200, 3, 100, "wheel-100"},
        {MCO_GRAPH_COMPLETE, 1, 0, 1, 0, 0, 0, "complete-1"},
        {MCO_GRAPH_COMPLETE, 9, 0, 9, 36, 8, 8, "complete-9"},
        {MCO_GRAPH_COMPLETE_BIPARTITE, 50, 40, 90, 2000, 40, 50, "complete-bipartite-50x40"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_graph *graph = generate(cases[i].family, cases[i].a, cases[i].b, 0, 1);
        assert_simple(graph, cases[i].vertices, cases[i].edges);
        assert_int_equal(degree(graph, 0), cases[i].first_degree);
        assert_int_equal(degree(graph, (int32_t)cases[i].vertices - 1), cases[i].last_degree);
        assert_string_equal(mco_graph_name(graph), cases[i].name);
        destroy(graph);
    }
}

// The grid joins exactly the neighbours in a row or a column.
static void test_grid(void **state)
{
    (void)state;
    mco_graph *graph = generate(MCO_GRAPH_GRID, 3, 4, 0, 1);
    const mco_graph_rows rows = mco_graph_view(graph);
    for (int32_t v = 0; v < 12; v++) {
        assert_true(rows.x[v] == v % 4 && rows.y[v] == v / 4);
        for (int64_t a = rows.first[v]; a < rows.first[v + 1]; a++)
            assert_int_equal(abs(v % 4 - rows.head[a] % 4) + abs(v / 4 - rows.head[a] / 4), 1);
    }
    destroy(graph);
}

// All numbers of edges of small graphs, and a large dense one and a large sparse one.
static void test_random(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 7; n++)
        for (int64_t m = 0; m <= n * (n - 1) / 2; m++)
            for (uint64_t seed = 0; seed < 4; seed++) {
                mco_graph *graph = generate(MCO_GRAPH_RANDOM, n, m, 0, seed);
                assert_simple(graph, n, m);
                destroy(graph);
            }
    mco_graph *graph = generate(MCO_GRAPH_RANDOM, 1000, 499400, 0, 7);
    assert_simple(graph, 1000, 499400);
    assert_string_equal(mco_graph_name(graph), "random-1000-499400-s7");
    destroy(graph);
    graph = generate(MCO_GRAPH_RANDOM, 100000, 300000, 0, 7);
    assert_simple(graph, 100000, 300000);
    destroy(graph);
}

// Each of the C(6, m) sets of edges of 4 vertices must appear about equally often; the limit is 5 standard deviations.
static void test_random_is_uniform(void **state)
{
    (void)state;
    enum { TRIES = 6000 };
    static const int subsets[] = {1, 6, 15, 20, 15, 6, 1};
    for (int64_t m = 0; m <= 6; m++) {
        int seen[64] = {0};
        for (uint64_t seed = 0; seed < TRIES; seed++) {
            mco_graph *graph = generate(MCO_GRAPH_RANDOM, 4, m, 0, seed);
            const mco_graph_rows rows = mco_graph_view(graph);
            unsigned mask = 0;
            for (int32_t v = 0; v < 4; v++)
                for (int64_t a = rows.first[v]; a < rows.first[v + 1]; a++)
                    if (v < rows.head[a])
                        mask |= 1U << (v == 0 ? rows.head[a] - 1 : v + rows.head[a]);
            seen[mask]++;
            destroy(graph);
        }
        const double mean = (double)TRIES / subsets[m];
        for (unsigned mask = 0; mask < 64; mask++)
            if (__builtin_popcount(mask) == m)
                assert_true(fabs(seen[mask] - mean) <= 5 * sqrt(mean));
    }
}

static void assert_regular(int64_t n, int64_t b, uint64_t seed)
{
    mco_graph *graph = generate(MCO_GRAPH_REGULAR, n, b, 0, seed);
    assert_simple(graph, n, n * b / 2);
    for (int32_t v = 0; v < n; v++)
        assert_int_equal(degree(graph, v), b);
    destroy(graph);
}

static void test_regular(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 12; n++)
        for (int64_t b = 0; b < n; b++)
            for (uint64_t seed = 0; seed < 10 && n * b % 2 == 0; seed++)
                assert_regular(n, b, seed);
    assert_regular(300, 150, 1);
    assert_regular(301, 150, 1);
    assert_regular(300, 299, 1);
    assert_regular(300, 298, 1);
    assert_regular(50000, 3, 1);
    assert_regular(2000, 60, 1);
}

// Cross product of the way from a to b with the way from a to c.
static double turn(const mco_graph_rows *g, int32_t a, int32_t b, int32_t c)
{
    return (g->x[b] - g->x[a]) * (g->y[c] - g->y[a]) - (g->y[b] - g->y[a]) * (g->x[c] - g->x[a]);
}

static void assert_planar(const mco_graph_rows *g)
{
    for (int32_t u = 0; u < g->vertices; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            for (int32_t x = 0; x < g->vertices; x++)
                for (int64_t b = g->first[x]; b < g->first[x + 1]; b++) {
                    const int32_t v = g->head[a], y = g->head[b];
                    if (u >= v || x >= y || u == x || u == y || v == x || v == y)
                        continue;
                    assert_false((turn(g, u, v, x) > 0) != (turn(g, u, v, y) > 0) &&
                                 (turn(g, x, y, u) > 0) != (turn(g, x, y, v) > 0));
                }
}

static void test_road(void **state)
{
    (void)state;
    mco_graph *graph = generate(MCO_GRAPH_ROAD, 12, 15, 0.3, 5);
    mco_graph_rows rows = mco_graph_view(graph);
    assert_simple(graph, 180, 333 - 100);
    assert_planar(&rows);
    assert_string_equal(mco_graph_name(graph), "road-12x15-0.3-s5");
    for (int32_t v = 0; v < rows.vertices; v++) {
        assert_true(fabs(rows.x[v] - v % 15) <= 0.25 && fabs(rows.y[v] - v / 15) <= 0.25);
        assert_true(rows.x[v] != v % 15);
    }
    destroy(graph);
    graph = generate(MCO_GRAPH_ROAD, 4, 5, 0, 5);
    assert_simple(graph, 20, 31);
    destroy(graph);
    graph = generate(MCO_GRAPH_ROAD, 4, 5, 0.999, 5);
    assert_simple(graph, 20, 0);
    destroy(graph);
}

static void test_seeds(void **state)
{
    (void)state;
    static const struct {
        mco_graph_family family;
        int64_t a, b;
    } cases[] = {{MCO_GRAPH_RANDOM, 80, 200}, {MCO_GRAPH_RANDOM, 20, 150}, {MCO_GRAPH_REGULAR, 80, 5}, {MCO_GRAPH_ROAD, 9, 9}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_graph *graphs[3];
        for (uint64_t k = 0; k < 3; k++)
            graphs[k] = generate(cases[i].family, cases[i].a, cases[i].b, 0.2, k / 2);
        const mco_graph_rows a = mco_graph_view(graphs[0]), b = mco_graph_view(graphs[1]), c = mco_graph_view(graphs[2]);
        assert_memory_equal(a.head, b.head, (size_t)a.arcs * sizeof *a.head);
        assert_memory_not_equal(a.head, c.head, (size_t)a.arcs * sizeof *a.head);
        for (int k = 0; k < 3; k++)
            destroy(graphs[k]);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        mco_graph_shape shape;
        mco_status status;
        const char *text;
    } cases[] = {
        {{MCO_GRAPH_GRID, 0, 5, 0, 0}, MCO_ERR_ARGUMENT, "a graph of 0 by 5, 1 by 1 or more was expected"},
        {{MCO_GRAPH_CYCLE, 2, 0, 0, 0}, MCO_ERR_ARGUMENT, "2 vertices, 3 or more were expected"},
        {{MCO_GRAPH_WHEEL, -1, 0, 0, 0}, MCO_ERR_ARGUMENT, "-1 vertices, 3 or more were expected"},
        {{MCO_GRAPH_COMPLETE, 0, 0, 0, 0}, MCO_ERR_ARGUMENT, "0 vertices, 1 or more were expected"},
        {{MCO_GRAPH_RANDOM, 4, 7, 0, 0}, MCO_ERR_ARGUMENT, "7 edges, 4 vertices have 0 to 6"},
        {{MCO_GRAPH_RANDOM, 4, -1, 0, 0}, MCO_ERR_ARGUMENT, "-1 edges, 4 vertices have 0 to 6"},
        {{MCO_GRAPH_REGULAR, 4, 4, 0, 0}, MCO_ERR_ARGUMENT, "degree 4, 4 vertices may have 0 to 3"},
        {{MCO_GRAPH_REGULAR, 5, 3, 0, 0}, MCO_ERR_ARGUMENT, "5 vertices of degree 3, one of the two must be even"},
        {{MCO_GRAPH_ROAD, 5, 3, 1, 0}, MCO_ERR_ARGUMENT,
         "a share of 1 of the edges removed, it must be 0 or more and below 1"},
        {{MCO_GRAPH_ROAD, 5, 3, (double)NAN, 0}, MCO_ERR_ARGUMENT, NULL},
        {{(mco_graph_family)8, 5, 3, 0, 0}, MCO_ERR_ARGUMENT, "there is no family of graphs 8"},
        {{MCO_GRAPH_GRID, 3, 2000000001, 0, 0}, MCO_ERR_LIMIT, "2000000001 vertices, at most 2000000000 are allowed"},
        {{MCO_GRAPH_COMPLETE, INT64_MAX, 0, 0, 0}, MCO_ERR_LIMIT,
         "9223372036854775807 vertices, at most 2000000000 are allowed"},
        {{MCO_GRAPH_GRID, 50000, 50000, 0, 0}, MCO_ERR_LIMIT,
         "2500000000 vertices and 4999900000 edges, at most 2000000000 and 34359738368 are allowed"},
        {{MCO_GRAPH_COMPLETE, 1000000, 0, 0, 0}, MCO_ERR_LIMIT,
         "1000000 vertices and 499999500000 edges, at most 2000000000 and 34359738368 are allowed"},
        {{MCO_GRAPH_WHEEL, 2000000000, 0, 0, 0}, MCO_ERR_LIMIT,
         "2000000001 vertices and 4000000000 edges, at most 2000000000 and 34359738368 are allowed"},
    };
    mco_graph *graph = NULL;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const mco_status st = mco_graph_generate(test_ctx, &cases[i].shape, &graph);
        if (cases[i].text != NULL)
            assert_string_equal(mco_context_error(test_ctx), cases[i].text);
        assert_int_equal(st, cases[i].status);
        assert_null(graph);
    }
    assert_fails(mco_graph_generate(test_ctx, NULL, &graph), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_graph_generate(test_ctx, &cases[0].shape, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
}

static void test_memory_failures(void **state)
{
    (void)state;
    for (int family = MCO_GRAPH_GRID; family <= MCO_GRAPH_ROAD; family++) {
        const mco_graph_shape shape = {(mco_graph_family)family, 8, 6, 0.2, 3};
        mco_status st = MCO_ERR_MEMORY;
        long k = 0;
        while (st == MCO_ERR_MEMORY) {
            mco_graph *graph = NULL;
            test_fail_allocation(++k);
            st = mco_graph_generate(test_ctx, &shape, &graph);
            test_fail_allocation(0);
            assert_int_equal(graph != NULL, st == MCO_OK);
            destroy(graph);
        }
        assert_ok(st);
        assert_true(k > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_fixed),   TEST(test_grid), TEST(test_random), TEST(test_random_is_uniform),
                                       TEST(test_regular), TEST(test_road), TEST(test_seeds),  TEST(test_refusals),
                                       TEST(test_memory_failures)};
    return cmocka_run_group_tests_name("graph_generate", tests, NULL, NULL);
}
