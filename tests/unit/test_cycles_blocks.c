// SPDX-License-Identifier: MIT
// Blocks, triangles and niche overlap against brute force: the chordless cycles of a graph are those of its blocks, each in one
// of them; blocks without cycles vanish; through given vertices too. Large graphs take linear time.
#include "graph_support.h"

#include "base/clock.h"
#include "cycles/blocks.h"
#include "cycles/simplicial.h"

static cycles_blocks make_blocks(const mco_graph *graph, bool is_directed, const int32_t *through, int32_t count)
{
    const mco_graph_rows rows = mco_graph_view(graph);
    cycles_blocks blocks;
    assert_ok(cycles_blocks_make(test_ctx, NULL, &rows, is_directed, through, count, &blocks));
    return blocks;
}

static int64_t block_count(mco_graph *graph, bool is_directed)
{
    cycles_blocks blocks = make_blocks(graph, is_directed, NULL, 0);
    const int64_t count = blocks.count;
    cycles_blocks_clear(test_ctx, &blocks);
    mco_graph_destroy(test_ctx, &graph);
    return count;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t u = *(const uint32_t *)a, v = *(const uint32_t *)b;
    return (u > v) - (u < v);
}

// Every block must be the simple graph that its vertices induce, and flagged where it is a plain cycle.
static void check_block(const cycles_block *block, const uint32_t *bits, bool is_directed)
{
    const graph_simple *g = &block->graph;
    bool is_cycle = true;
    assert_true(g->vertices >= (is_directed ? 3 : 4));
    assert_int_equal(g->first[0], 0);
    assert_int_equal(g->first[g->vertices], g->arcs);
    uint32_t all = 0;
    for (int32_t u = 0; u < g->vertices; u++) {
        int32_t degree = 0;
        assert_true(u == 0 || block->vertex[u - 1] < block->vertex[u]);
        all |= UINT32_C(1) << block->vertex[u];
        for (int32_t v = 0; v < g->vertices; v++) {
            const bool has = (bits[block->vertex[u]] >> block->vertex[v] & 1) != 0;
            assert_int_equal(graph_simple_has(g, u, v), has);
            degree += has;
        }
        assert_int_equal(g->first[u + 1] - g->first[u], degree);
    }
    is_cycle = test_induces_cycle(bits, all, is_directed);
    assert_int_equal(block->is_cycle, is_cycle);
}

// All cycles of the blocks, as sets of the graph's vertices in ascending order.
static int64_t cycles_of_blocks(const cycles_blocks *blocks, const uint32_t *bits, bool is_directed, uint32_t *sets)
{
    int64_t count = 0;
    for (int32_t b = 0; b < blocks->count; b++) {
        const cycles_block *block = &blocks->block[b];
        const int64_t before = count;
        uint32_t all = 0;
        check_block(block, bits, is_directed);
        for (int32_t k = 0; k < block->graph.vertices; k++)
            all |= UINT32_C(1) << block->vertex[k];
        for (uint32_t set = all; set != 0; set = (set - 1) & all)
            if (__builtin_popcount(set) >= (is_directed ? 3 : 4) && test_induces_cycle(bits, set, is_directed))
                sets[count++] = set;
        assert_true(is_directed || count > before);  // undirected blocks have a cycle
    }
    qsort(sets, (size_t)count, sizeof *sets, by_value);
    return count;
}

static int64_t keep_through(uint32_t *sets, int64_t count, uint32_t through)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++)
        if ((sets[k] & through) == through)
            sets[kept++] = sets[k];
    return kept;
}

static void check_cycles(const mco_graph *graph, bool is_directed, const int32_t *through, int32_t through_count)
{
    uint32_t bits[TEST_GRAPH_MOST], *brute, mask = 0;
    test_graph_bits(graph, is_directed, bits);
    int64_t count = test_brute_cycles(graph, is_directed, is_directed ? 3 : 4, &brute);
    uint32_t *sets = calloc((size_t)count + 1, sizeof *sets);
    for (int32_t k = 0; k < through_count; k++)
        mask |= UINT32_C(1) << through[k];
    cycles_blocks blocks = make_blocks(graph, is_directed, through, through_count);
    const int64_t found = keep_through(sets, cycles_of_blocks(&blocks, bits, is_directed, sets), mask);
    count = keep_through(brute, count, mask);
    assert_int_equal(found, count);
    assert_memory_equal(sets, brute, (size_t)count * sizeof *sets);
    int64_t digons = 0;
    for (int32_t u = 0; u < mco_graph_view(graph).vertices; u++)
        for (int32_t v = 0; v < u; v++)
            digons += is_directed && (bits[u] >> v & 1) != 0 && (bits[v] >> u & 1) != 0;
    assert_int_equal(blocks.digons, digons);
    cycles_blocks_clear(test_ctx, &blocks);
    free(sets);
    free(brute);
}

// ---- Triangles

typedef struct triples {
    uint32_t sets[2048];
    int64_t count, most;
} triples;

static bool take_triple(const int32_t t[3], void *user)
{
    triples *all = user;
    assert_true(t[0] < t[1] && t[1] < t[2] && all->count < all->most);
    all->sets[all->count++] = UINT32_C(1) << t[0] | UINT32_C(1) << t[1] | UINT32_C(1) << t[2];
    return all->count < all->most;
}

static void check_triangles(const mco_graph *graph, const int32_t *through, int32_t through_count)
{
    static triples taken;
    uint32_t *brute, mask = 0;
    int64_t triangles = 0, count;
    const mco_run_settings settings = {.time_limit_s = MCO_NO_LIMIT, .target = -1};
    mco_run run = mco_run_begin(test_ctx, &settings);
    const int64_t all = test_brute_cycles(graph, false, 3, &brute);
    for (int32_t k = 0; k < through_count; k++)
        mask |= UINT32_C(1) << through[k];
    for (int64_t k = 0; k < all; k++)
        if (__builtin_popcount(brute[k]) == 3 && (brute[k] & mask) == mask)
            brute[triangles++] = brute[k];
    cycles_blocks blocks = make_blocks(graph, false, NULL, 0);
    assert_ok(cycles_triangles(test_ctx, &run, &blocks.graph, through, through_count, NULL, NULL, &count));
    assert_int_equal(count, triangles);
    for (int64_t most = triangles + 1; most > 0; most -= triangles / 2 + 1) {
        taken.count = 0;
        taken.most = most;
        assert_ok(cycles_triangles(test_ctx, &run, &blocks.graph, through, through_count, take_triple, &taken, &count));
        assert_int_equal(count, most < triangles ? most : triangles);
        assert_int_equal(count, taken.count);
        if (most <= triangles)
            continue;
        qsort(taken.sets, (size_t)count, sizeof *taken.sets, by_value);
        assert_memory_equal(taken.sets, brute, (size_t)count * sizeof *brute);
    }
    cycles_blocks_clear(test_ctx, &blocks);
    mco_run_clear(&run);
    free(brute);
}

// ---- Cases

static void test_all_small(void **state)
{
    (void)state;
    for (int32_t n = 0; n <= (TEST_IS_SANITIZED ? 5 : 6); n++)
        for (uint64_t mask = 0; mask < UINT64_C(1) << test_graph_pairs(n); mask++) {
            mco_graph *graph = test_graph_from_mask(n, mask, 0, false);
            check_cycles(graph, false, NULL, 0);
            check_triangles(graph, NULL, 0);
            mco_graph_destroy(test_ctx, &graph);
        }
    for (int32_t n = 0; n <= 4; n++)
        for (uint64_t mask = 0; mask < UINT64_C(1) << test_graph_pairs(n); mask++)
            for (uint64_t back = 0; back < UINT64_C(1) << test_graph_pairs(n); back++) {
                mco_graph *graph = test_graph_from_mask(n, mask, back, true);
                check_cycles(graph, true, NULL, 0);
                check_cycles(graph, false, NULL, 0);
                mco_graph_destroy(test_ctx, &graph);
            }
}

static void test_random(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    for (int i = 0; i < (TEST_IS_SANITIZED ? 100 : 1500); i++) {
        const int32_t n = 5 + (int32_t)mco_rng_below(&rng, 8);
        const bool is_directed = i % 3 == 2;
        const int32_t through_count = (int32_t)mco_rng_below(&rng, 4);
        int32_t through[3];
        for (int k = 0; k < 3; k++)
            through[k] = (int32_t)mco_rng_below(&rng, (uint32_t)n);
        mco_graph *graph = test_graph_random(&rng, n, (int32_t)mco_rng_below(&rng, 3 * (uint32_t)n), i % 2 == 0);
        check_cycles(graph, is_directed, through, through_count);
        check_triangles(graph, through, through_count);
        mco_graph_destroy(test_ctx, &graph);
    }
}

// A budget that ends in the middle leaves vertices, but never removes one that is in a cycle.
static void test_budgets(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 6, 0);
    for (int i = 0; i < 300; i++) {
        uint32_t *brute, left = 0;
        int32_t count, seen = 0;
        bool *is_left;
        mco_graph *graph = test_graph_random(&rng, 10, 25, false);
        cycles_blocks blocks = make_blocks(graph, false, NULL, 0);
        const int64_t cycles = test_brute_cycles(graph, false, 4, &brute), given = (int64_t)mco_rng_below(&rng, 60);
        int64_t budget = given;
        assert_ok(cycles_strip_simplicial(test_ctx, &blocks.graph, &budget, &is_left, &count));
        for (int32_t v = 0; v < 10; v++) {
            left |= (uint32_t)is_left[v] << v;
            seen += is_left[v];
        }
        assert_int_equal(seen, count);
        assert_true(given > 0 || count == 10);
        for (int64_t k = 0; k < cycles; k++)
            assert_int_equal(brute[k] & ~left, 0);
        mco_free(test_ctx, &is_left);
        cycles_blocks_clear(test_ctx, &blocks);
        mco_graph_destroy(test_ctx, &graph);
        free(brute);
    }
}

static void test_families(void **state)
{
    (void)state;
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_GRID, 1, 50, 0, 0), false), 0);
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_GRID, 7, 10, 0, 0), false), 1);
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_CYCLE, 3, 0, 0, 0), false), 0);
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_COMPLETE, 300, 0, 0, 0), false), 0);
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_COMPLETE_BIPARTITE, 1, 9, 0, 0), false), 0);
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_COMPLETE_BIPARTITE, 8, 8, 0, 0), false), 1);
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_WHEEL, 3, 0, 0, 0), false), 0);
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_WHEEL, 100, 0, 0, 0), false), 1);
    assert_int_equal(block_count(test_graph_generate(MCO_GRAPH_GRID, 5, 5, 0, 0), true), 0);  // opposite arcs only
}

// Edges of a graph under construction.
typedef struct sketch {
    graph_edges edges;
    int32_t vertices;
} sketch;

static void join(sketch *s, int32_t u, int32_t v)
{
    assert_ok(graph_edges_add(test_ctx, &s->edges, u, v, 1));
}

static mco_graph *finish(sketch *s, bool is_directed)
{
    mco_graph *graph = NULL;
    const mco_graph_edges e = {.vertices = s->vertices, .edges = s->edges.count, .from = s->edges.from, .to = s->edges.to,
                               .is_directed = is_directed};
    assert_ok(mco_graph_create(test_ctx, &e, &graph));
    graph_edges_clear(test_ctx, &s->edges);
    return graph;
}

// Many squares, and as many triangles, at one vertex: its row is long, and must not be read for each block.
static void test_many_blocks(void **state)
{
    (void)state;
    enum { PETALS = 100000 };
    for (int is_directed = 0; is_directed < 2; is_directed++) {
        sketch s = {.vertices = 1 + 5 * PETALS};
        for (int32_t k = 0; k < PETALS; k++) {
            const int32_t v = 1 + 5 * k;
            for (int32_t i = -1; i < 3; i++)
                join(&s, i < 0 ? 0 : v + i, i < 2 ? v + i + 1 : 0);
            join(&s, 0, v + 3);
            join(&s, v + 3, v + 4);
            join(&s, v + 4, 0);
        }
        mco_graph *graph = finish(&s, is_directed != 0);
        const double begin_s = mco_cpu_clock_s();
        cycles_blocks blocks = make_blocks(graph, is_directed != 0, NULL, 0);
        assert_true(mco_cpu_clock_s() - begin_s < 20);
        assert_int_equal(blocks.count, is_directed != 0 ? 2 * PETALS : PETALS);
        for (int32_t b = 0; b < blocks.count; b++)
            assert_true(blocks.block[b].is_cycle && blocks.block[b].vertex[0] == 0);
        cycles_blocks_clear(test_ctx, &blocks);
        mco_graph_destroy(test_ctx, &graph);
    }
}

// Chordal graphs vanish: a strip of triangles, and a 30-tree, in which every new vertex is joined to a clique of 30.
static void test_chordal(void **state)
{
    (void)state;
    enum { N = 20000, K = 30 };
    sketch s = {.vertices = N};
    for (int32_t v = 1; v < N; v++)
        for (int32_t u = v < 2 ? 0 : v - 2; u < v; u++)
            join(&s, u, v);
    assert_int_equal(block_count(finish(&s, false), false), 0);
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    static int32_t clique[N][K];
    s = (sketch){.vertices = N};
    for (int32_t v = 0; v < N; v++) {
        const int32_t near = v <= K ? v : K + (int32_t)mco_rng_below(&rng, (uint32_t)(v - K));
        for (int32_t k = 0; k < K && k < v; k++) {
            clique[v][k] = v <= K ? k : clique[near][k];
            if (v > K && k == v % K)
                clique[v][k] = near;
            join(&s, clique[v][k], v);
        }
    }
    assert_int_equal(block_count(finish(&s, false), false), 0);
}

// A tree has no block, however large, and no triangle.
static void test_tree(void **state)
{
    (void)state;
    enum { N = 1000000 };
    mco_rng rng;
    mco_rng_seed(&rng, 4, 0);
    sketch s = {.vertices = N};
    for (int32_t v = 1; v < N; v++)
        join(&s, (int32_t)mco_rng_below(&rng, (uint32_t)(v < 8 ? v : v / 8)), v);
    assert_int_equal(block_count(finish(&s, false), false), 0);
}

// ---- Niche overlap

// Species 0 to 2 are plants; 5 eats its own kind.
static void test_niche_overlap(void **state)
{
    (void)state;
    static const int32_t prey[] = {0, 0, 1, 1, 2, 3, 5, 3, 0}, predator[] = {3, 4, 4, 5, 5, 5, 5, 6, 3};
    mco_graph_edges e = {.vertices = 7, .edges = 9, .from = prey, .to = predator, .is_directed = true};
    mco_graph *web = NULL, *out = NULL;
    assert_ok(mco_graph_create(test_ctx, &e, &web));
    assert_ok(mco_cycles_niche_overlap(test_ctx, web, &out));
    uint32_t bits[TEST_GRAPH_MOST];
    test_graph_bits(out, false, bits);
    static const uint32_t expected[] = {0, 0, 0, 1 << 4, 1 << 3 | 1 << 5, 1 << 4 | 1 << 6, 1 << 5};
    for (int v = 0; v < 7; v++)
        assert_int_equal(bits[v], expected[v]);
    assert_int_equal(mco_graph_view(out).edges, 3);
    assert_false(mco_graph_view(out).is_directed);
    assert_string_equal(mco_graph_name(out), "graph-niche-overlap");
    mco_graph_destroy(test_ctx, &out);
    mco_graph_destroy(test_ctx, &web);
    e.is_directed = false;
    assert_ok(mco_graph_create(test_ctx, &e, &web));
    assert_fails(mco_cycles_niche_overlap(test_ctx, web, &out), MCO_ERR_ARGUMENT,
                 "the food web is undirected, arcs from prey to predator were expected");
    assert_fails(mco_cycles_niche_overlap(test_ctx, NULL, &out), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(out);
    mco_graph_destroy(test_ctx, &web);
}

// Against the definition, with names.
static void test_niche_random(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 8, 0);
    for (int i = 0; i < 200; i++) {
        mco_graph *web = test_graph_random(&rng, 12, (int32_t)mco_rng_below(&rng, 40), true), *out = NULL;
        const mco_graph_rows rows = mco_graph_view(web);
        uint32_t eats[12] = {0}, bits[TEST_GRAPH_MOST];
        for (int32_t v = 0; v < 12; v++)
            for (int64_t a = rows.first[v]; a < rows.first[v + 1]; a++)
                eats[rows.head[a]] |= UINT32_C(1) << v;
        assert_ok(mco_alloc_bytes(test_ctx, (void **)&web->names, 12 * sizeof *web->names + 8, 1));
        web->names[i % 12] = strcpy((char *)(web->names + 12), "shark");
        assert_ok(mco_cycles_niche_overlap(test_ctx, web, &out));
        test_graph_bits(out, false, bits);
        for (int32_t u = 0; u < 12; u++) {
            char buffer[16];
            assert_int_equal(strcmp(mco_graph_vertex_name(out, u, buffer), "shark") == 0, u == i % 12);
            for (int32_t v = 0; v < 12; v++)
                assert_int_equal(bits[u] >> v & 1, u != v && (eats[u] & eats[v]) != 0);
        }
        mco_graph_destroy(test_ctx, &web);
        mco_graph_destroy(test_ctx, &out);
    }
}

// ---- Failing allocations

static void test_memory_failures(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 2, 0);
    mco_graph *graph = test_graph_random(&rng, 40, 90, true);
    const mco_graph_rows rows = mco_graph_view(graph);
    const int32_t through[] = {3};
    for (int which = 0; which < 4; which++) {
        mco_status st = MCO_ERR_MEMORY;
        long k = 0;
        while (st == MCO_ERR_MEMORY) {
            cycles_blocks blocks = {0};
            mco_graph *out = NULL;
            test_fail_allocation(++k);
            st = which < 3 ? cycles_blocks_make(test_ctx, NULL, &rows, which == 1, through, which == 2, &blocks)
                           : mco_cycles_niche_overlap(test_ctx, graph, &out);
            test_fail_allocation(0);
            assert_int_equal(blocks.graph.first != NULL || out != NULL, st == MCO_OK);
            cycles_blocks_clear(test_ctx, &blocks);
            mco_graph_destroy(test_ctx, &out);
        }
        assert_ok(st);
        assert_true(k > 5);
    }
    mco_graph_destroy(test_ctx, &graph);
}

static void test_triangle_memory(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_COMPLETE, 6, 0, 0, 0);
    cycles_blocks blocks = make_blocks(graph, false, NULL, 0);
    const mco_run_settings settings = {.time_limit_s = MCO_NO_LIMIT, .target = -1};
    mco_run run = mco_run_begin(test_ctx, &settings);
    int64_t count = -1;
    for (long k = 1; k <= 3; k++) {
        test_fail_allocation(k);
        assert_int_equal(cycles_triangles(test_ctx, &run, &blocks.graph, NULL, 0, NULL, NULL, &count), MCO_ERR_MEMORY);
        assert_int_equal(count, 0);
    }
    test_fail_allocation(0);
    assert_ok(cycles_triangles(test_ctx, &run, &blocks.graph, NULL, 0, NULL, NULL, &count));
    assert_int_equal(count, 20);
    // A run whose time is over ends early: so many triangles take more than one look at the clock.
    cycles_blocks_clear(test_ctx, &blocks);
    mco_graph_destroy(test_ctx, &graph);
    graph = test_graph_generate(MCO_GRAPH_COMPLETE, 120, 0, 0, 0);
    blocks = make_blocks(graph, false, NULL, 0);
    mco_run_limit(&run, 0);
    assert_ok(cycles_triangles(test_ctx, &run, &blocks.graph, NULL, 0, NULL, NULL, &count));
    assert_true(count > 0 && count < 120 * 119 * 118 / 6);
    mco_run_clear(&run);
    cycles_blocks_clear(test_ctx, &blocks);
    mco_graph_destroy(test_ctx, &graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_all_small),       TEST(test_random),      TEST(test_budgets),
                                       TEST(test_families),        TEST(test_many_blocks), TEST(test_chordal),
                                       TEST(test_tree),            TEST(test_niche_overlap), TEST(test_niche_random),
                                       TEST(test_memory_failures), TEST(test_triangle_memory)};
    return cmocka_run_group_tests_name("cycles_blocks", tests, NULL, NULL);
}
