// SPDX-License-Identifier: MIT
// What the tests of chordless cycles share: small graphs, jobs on one block, an order-free hash of lists, brute force.
#ifndef MCO_CYCLES_SUPPORT_H
#define MCO_CYCLES_SUPPORT_H

#include "test_support.h"

#include "base/rng.h"
#include "cycles/search.h"

// ---- Graphs as edges, at most 2 * 10^6 of them

typedef struct edges {
    int32_t vertices, count, room;
    int32_t *from, *to;
    bool is_directed;
} edges;

TEST_UNUSED static void edges_add(edges *e, int32_t from, int32_t to)
{
    if (e->count == e->room) {
        e->room = e->room > 0 ? 2 * e->room : 64;
        e->from = realloc(e->from, (size_t)e->room * sizeof *e->from);
        e->to = realloc(e->to, (size_t)e->room * sizeof *e->to);
        assert_non_null(e->from);
        assert_non_null(e->to);
    }
    e->from[e->count] = from;
    e->to[e->count++] = to;
}

TEST_UNUSED static void edges_free(edges *e)
{
    free(e->from);
    free(e->to);
    *e = (edges){0};
}

TEST_UNUSED static edges edges_grid(int32_t rows, int32_t columns)
{
    edges e = {.vertices = rows * columns};
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < columns; c++) {
            if (c + 1 < columns)
                edges_add(&e, r * columns + c, r * columns + c + 1);
            if (r + 1 < rows)
                edges_add(&e, r * columns + c, (r + 1) * columns + c);
        }
    return e;
}

TEST_UNUSED static edges edges_bipartite(int32_t a, int32_t b)
{
    edges e = {.vertices = a + b};
    for (int32_t i = 0; i < a; i++)
        for (int32_t j = 0; j < b; j++)
            edges_add(&e, i, a + j);
    return e;
}

TEST_UNUSED static edges edges_circle(int32_t n, bool has_hub)
{
    edges e = {.vertices = n + has_hub};
    for (int32_t i = 0; i < n; i++) {
        edges_add(&e, i, (i + 1) % n);
        if (has_hub)
            edges_add(&e, i, n);
    }
    return e;
}

// Each pair, directed each ordered pair, with this chance.
TEST_UNUSED static edges edges_random(mco_rng *rng, int32_t n, double chance, bool is_directed)
{
    edges e = {.vertices = n, .is_directed = is_directed};
    for (int32_t u = 0; u < n; u++)
        for (int32_t v = is_directed ? 0 : u + 1; v < n; v++)
            if (u != v && mco_rng_real(rng) < chance)
                edges_add(&e, u, v);
    return e;
}

// LeBlanc (1975), 24 vertices.
TEST_UNUSED static edges edges_sioux_falls(void)
{
    static const int8_t ends[][2] = {
        {1, 2},   {1, 3},   {2, 6},   {3, 4},   {3, 12},  {4, 5},   {4, 11},  {5, 6},   {5, 9},   {6, 8},
        {7, 8},   {7, 18},  {8, 9},   {8, 16},  {9, 10},  {10, 11}, {10, 15}, {10, 16}, {10, 17}, {11, 12},
        {11, 14}, {12, 13}, {13, 24}, {14, 15}, {14, 23}, {15, 19}, {15, 22}, {16, 17}, {16, 18}, {17, 19},
        {18, 20}, {19, 20}, {20, 21}, {20, 22}, {21, 22}, {21, 24}, {22, 23}, {23, 24}};
    edges e = {.vertices = 24};
    for (int k = 0; k < COUNT_OF(ends); k++)
        edges_add(&e, ends[k][0] - 1, ends[k][1] - 1);
    return e;
}

// ---- One block to search: the whole graph, whose vertices keep their numbers

typedef mco_status (*cycles_method)(cycles_job *job);

typedef struct trial {
    cycles_block block;
    cycles_tally tally;
    cycles_sink sink;
    mco_cycles_result result;
    mco_run run;
    cycles_job job;
    uint64_t hash;      // of the listed cycles, whatever their order
    int64_t listed;
    int64_t stop_after; // the sink says stop after so many cycles; 0: never
} trial;

static uint64_t vertex_hash(int32_t v)
{
    uint64_t state = (uint64_t)(uint32_t)v + 1;
    return mco_splitmix64(&state);
}

TEST_UNUSED static bool trial_take(const mco_cycles_batch *batch, void *user)
{
    trial *t = user;
    for (int64_t k = 0; k < batch->count; k++) {
        uint64_t set = 0;
        for (int32_t b = 0; b < batch->vertices; b++)
            if (batch->rows[k * batch->words + b / 64] >> (b % 64) & 1)
                set += vertex_hash(batch->vertex[b]);
        t->hash += mco_splitmix64(&set);
        t->listed++;
    }
    return t->stop_after == 0 || t->listed < t->stop_after;
}

TEST_UNUSED static void trial_open(trial *t, const edges *e, bool is_listing)
{
    *t = (trial){.tally = {.ctx = test_ctx}, .result = MCO_CYCLES_RESULT_INIT};
    mco_graph *graph = NULL;
    const mco_graph_edges given = {.vertices = e->vertices, .edges = e->count, .from = e->from, .to = e->to,
                                   .is_directed = e->is_directed};
    assert_ok(mco_graph_create(test_ctx, &given, &graph));
    const mco_graph_rows rows = mco_graph_view(graph);
    assert_ok(graph_simple_make(test_ctx, &rows, e->is_directed, &t->block.graph));
    mco_graph_destroy(test_ctx, &graph);
    assert_ok(mco_alloc(test_ctx, &t->block.vertex, e->vertices));
    for (int32_t v = 0; v < e->vertices; v++)
        t->block.vertex[v] = v;
    const mco_run_settings settings = {.time_limit_s = MCO_NO_LIMIT, .target = -1, .objective = "cycles"};
    t->run = mco_run_begin(test_ctx, &settings);
    t->sink = (cycles_sink){.take = trial_take, .user = t, .left = INT64_MAX};
    t->job = (cycles_job){.ctx = test_ctx, .run = &t->run, .block = &t->block, .is_directed = e->is_directed,
                          .min_length = e->is_directed ? 3 : 4, .max_length = e->vertices, .wants_lengths = true,
                          .sink = is_listing ? &t->sink : NULL, .tally = &t->tally, .threads = 1, .memory_bytes = 4e9,
                          .result = &t->result};
}

TEST_UNUSED static void trial_close(trial *t)
{
    graph_simple_clear(test_ctx, &t->block.graph);
    mco_free(test_ctx, &t->block.vertex);
    cycles_tally_clear(&t->tally);
    mco_run_clear(&t->run);
}

// Cycles counted, of this length, or of all: -1.
TEST_UNUSED static uint64_t trial_count(const trial *t, int32_t length)
{
    uint64_t sum = 0;
    for (int32_t k = 0; k < t->tally.lengths; k++) {
        if (length >= 0 && k != length)
            continue;
        sum += t->tally.by_length[(int64_t)k * t->tally.limbs];
        for (int32_t i = 1; i < t->tally.limbs; i++)
            assert_int_equal(t->tally.by_length[(int64_t)k * t->tally.limbs + i], 0);
    }
    return sum;
}

// ---- Brute force over all sets of up to 20 vertices. A set is a chordless cycle if each vertex has two neighbours in it, directed
// one arc to and one from another vertex of it, and the set is connected.

static bool is_cycle(uint32_t set, const uint32_t *out, const uint32_t *in)
{
    uint32_t seen = set & -set, left = seen;
    for (uint32_t s = set; s != 0; s &= s - 1) {
        const int v = __builtin_ctz(s);
        const int forth = __builtin_popcount(out[v] & set), back = __builtin_popcount(in[v] & set);
        if (in != out ? forth != 1 || back != 1 || (out[v] & in[v] & set) != 0 : forth != 2)
            return false;
    }
    while (left != 0) {
        const uint32_t next = out[__builtin_ctz(left)] & set & ~seen;
        left = (left & (left - 1)) | next;
        seen |= next;
    }
    return seen == set;
}

TEST_UNUSED static void trial_brute_force(trial *t)
{
    const graph_simple *g = &t->block.graph;
    uint32_t out[20] = {0}, in[20] = {0}, through = 0;
    assert_true(g->vertices <= 20);
    for (int32_t v = 0; v < g->vertices; v++)
        for (int64_t a = g->first[v]; a < g->first[v + 1]; a++) {
            out[v] |= 1u << g->head[a];
            in[g->head[a]] |= 1u << v;
        }
    for (int32_t k = 0; k < t->job.through_count; k++)
        through |= 1u << t->job.through[k];
    for (uint32_t set = 1; set < 1u << g->vertices; set++) {
        const int length = __builtin_popcount(set);
        if (length < t->job.min_length || length > t->job.max_length || (set & through) != through ||
            !is_cycle(set, out, t->job.is_directed ? in : out))
            continue;
        const uint64_t row = set;
        if (t->job.sink != NULL)
            cycles_sink_give(t->job.sink, t->job.block, &row, 1);
        assert_ok(cycles_tally_add_u64(&t->tally, length, 1));
    }
}

TEST_UNUSED static void assert_same(const trial *t, const trial *expected)
{
    for (int32_t k = 0; k <= t->block.graph.vertices; k++)
        assert_int_equal(trial_count(t, k), trial_count(expected, k));
    if (t->job.sink == NULL || expected->job.sink == NULL)
        return;
    assert_int_equal(t->listed, expected->listed);
    assert_int_equal(t->hash, expected->hash);
}

#endif
