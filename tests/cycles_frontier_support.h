// SPDX-License-Identifier: MIT
// A job of the frontier method on a small graph, and all its chordless cycles by trying every set of vertices.
#ifndef MCO_CYCLES_FRONTIER_SUPPORT_H
#define MCO_CYCLES_FRONTIER_SUPPORT_H

#include <math.h>

#include "base/rng.h"
#include "cycles/frontier.h"
#include "test_support.h"

enum { SMALL_MOST = 14 };  // vertices of graphs that are tried in full

// A graph of up to 64 vertices as rows of bits.
typedef struct small_graph {
    int32_t vertices;
    uint64_t row[64];
} small_graph;

static inline void small_join(small_graph *g, int32_t u, int32_t v)
{
    g->row[u] |= UINT64_C(1) << v;
    g->row[v] |= UINT64_C(1) << u;
}

// The graph whose edges are the bits of `code`, pairs in the order (1,0), (2,0), (2,1), (3,0) and so on.
static inline small_graph small_of_code(int32_t n, uint64_t code)
{
    small_graph g = {.vertices = n};
    for (int32_t v = 1; v < n; v++)
        for (int32_t u = 0; u < v; u++, code >>= 1)
            if ((code & 1) != 0)
                small_join(&g, u, v);
    return g;
}

static inline small_graph small_random(mco_rng *rng, int32_t n, double density)
{
    small_graph g = {.vertices = n};
    for (int32_t v = 1; v < n; v++)
        for (int32_t u = 0; u < v; u++)
            if (mco_rng_real(rng) < density)
                small_join(&g, u, v);
    return g;
}

// Whether the set induces a cycle.
static inline bool small_is_cycle(const small_graph *g, uint64_t set)
{
    uint64_t reached = set & (~set + 1), before = 0;
    for (uint64_t rest = set; rest != 0; rest &= rest - 1)
        if (__builtin_popcountll(g->row[__builtin_ctzll(rest)] & set) != 2)
            return false;
    while (reached != before) {
        before = reached;
        for (uint64_t rest = before; rest != 0; rest &= rest - 1)
            reached |= g->row[__builtin_ctzll(rest)] & set;
    }
    return set != 0 && reached == set;
}

// Marks the sets that are cycles within the limits and through all of `through`; returns how many there are.
static inline int64_t small_cycles(const small_graph *g, int32_t least, int32_t most, uint64_t through, uint8_t *is_cycle)
{
    int64_t count = 0;
    for (uint64_t set = 0; set < UINT64_C(1) << g->vertices; set++) {
        const int32_t length = __builtin_popcountll(set);
        is_cycle[set] = length >= least && length <= most && (set & through) == through && small_is_cycle(g, set);
        count += is_cycle[set];
    }
    return count;
}

// ---- Jobs

typedef struct bed {
    cycles_block block;
    mco_run run;
    cycles_tally tally;
    mco_cycles_result result;
    cycles_job job;
} bed;

// A block of these edges. The job counts all cycles; the test changes it.
static inline void bed_make(bed *b, int32_t n, int64_t edges, const int32_t *from, const int32_t *to)
{
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "cycles"};
    const mco_graph_edges ends = {.vertices = n, .edges = edges, .from = from, .to = to};
    mco_graph *graph = NULL;
    memset(b, 0, sizeof *b);
    assert_int_equal(graph_build(test_ctx, &ends, "bed", NULL, 0, &graph), MCO_OK);
    assert_int_equal(graph_simple_make(test_ctx, &graph->rows, false, &b->block.graph), MCO_OK);
    mco_graph_destroy(test_ctx, &graph);
    assert_int_equal(mco_alloc(test_ctx, &b->block.vertex, n), MCO_OK);
    for (int32_t v = 0; v < n; v++)
        b->block.vertex[v] = v;
    b->run = mco_run_begin(test_ctx, &settings);
    b->tally.ctx = test_ctx;
    b->result = (mco_cycles_result)MCO_CYCLES_RESULT_INIT;
    b->job = (cycles_job){.ctx = test_ctx, .run = &b->run, .block = &b->block, .min_length = 4, .max_length = n,
                          .tally = &b->tally, .threads = 1, .memory_bytes = 1e9, .result = &b->result};
}

static inline void bed_make_small(bed *b, const small_graph *g)
{
    int32_t from[64 * 32], to[64 * 32];
    int64_t edges = 0;
    for (int32_t v = 0; v < g->vertices; v++)
        for (int32_t u = 0; u < v; u++)
            if ((g->row[v] >> u & 1) != 0) {
                from[edges] = u;
                to[edges++] = v;
            }
    bed_make(b, g->vertices, edges, from, to);
}

static inline void bed_make_grid(bed *b, int32_t rows, int32_t columns)
{
    static int32_t from[20000], to[20000];
    int64_t edges = 0;
    for (int32_t v = 0; v < rows * columns; v++) {
        if (v % columns + 1 < columns) {
            from[edges] = v;
            to[edges++] = v + 1;
        }
        if (v + columns < rows * columns) {
            from[edges] = v;
            to[edges++] = v + columns;
        }
    }
    bed_make(b, rows * columns, edges, from, to);
}

static inline void bed_clear(bed *b)
{
    mco_run_clear(&b->run);
    cycles_tally_clear(&b->tally);
    graph_simple_clear(test_ctx, &b->block.graph);
    mco_free(test_ctx, &b->block.vertex);
}

// Runs the method once along `order`, chosen if NULL, with keys of at least `words` words.
static inline mco_status bed_run(bed *b, const int32_t *order, int words)
{
    cycles_frontier *frontier = NULL;
    int32_t width;
    double cost;
    mco_status st = order != NULL ? frontier_make(&b->job, order, &frontier)
                                  : cycles_frontier_plan(&b->job, &frontier, &width, &cost);
    if (st == MCO_OK) {
        frontier->forced_words = (int8_t)words;
        st = cycles_frontier_run(&b->job, frontier);
    }
    cycles_frontier_destroy(test_ctx, &frontier);
    return st;
}

// The least limb of the count of all lengths.
static inline uint64_t bed_total(const bed *b)
{
    uint64_t total = 0;
    for (int32_t k = 0; k < b->tally.lengths; k++)
        total += b->tally.by_length[(int64_t)k * b->tally.limbs];
    return total;
}

// ---- Lists of small graphs

typedef struct seen_sets {
    const uint8_t *is_cycle;  // [2^vertices]
    uint8_t *seen;            // [2^vertices]
    int64_t count;
} seen_sets;

static inline bool see_batch(const mco_cycles_batch *batch, void *user)
{
    seen_sets *sets = user;
    assert_int_equal(batch->words, 1);
    for (int64_t k = 0; k < batch->count; k++) {
        assert_true(sets->is_cycle[batch->rows[k]]);
        assert_false(sets->seen[batch->rows[k]]++);
    }
    sets->count += batch->count;
    return true;
}

// Lists the cycles of a small bed and compares with the marked sets. `left`: cycles wanted.
static inline void bed_compare_list(bed *b, const uint8_t *is_cycle, int64_t count, int64_t left, int words)
{
    static uint8_t seen[1 << SMALL_MOST];
    seen_sets sets = {is_cycle, seen, 0};
    cycles_sink sink = {.take = see_batch, .user = &sets, .left = left};
    memset(seen, 0, (size_t)1 << b->block.graph.vertices);
    b->job.sink = &sink;
    assert_int_equal(bed_run(b, NULL, words), MCO_OK);
    b->job.sink = NULL;
    assert_int_equal(sets.count, count < left ? count : left);
    assert_int_equal(sink.taken, sets.count);
    assert_int_equal(bed_total(b), sets.count);
    for (int32_t length = 1; length < b->tally.lengths && b->job.wants_lengths; length++) {
        uint64_t marked = 0;
        for (uint64_t set = 0; set < UINT64_C(1) << b->block.graph.vertices; set++)
            marked += seen[set] && __builtin_popcountll(set) == length;
        assert_int_equal(b->tally.by_length[(int64_t)length * b->tally.limbs], marked);
    }
    cycles_tally_clear(&b->tally);
}

// Counts the cycles of a small bed, by length if the job wants that, and compares with the marked sets.
static inline void bed_compare_count(bed *b, const uint8_t *is_cycle, int64_t count, int words)
{
    assert_int_equal(bed_run(b, NULL, words), MCO_OK);
    assert_int_equal(bed_total(b), count);
    for (int32_t length = 1; length < b->tally.lengths && b->job.wants_lengths; length++) {
        uint64_t marked = 0;
        for (uint64_t set = 0; set < UINT64_C(1) << b->block.graph.vertices; set++)
            marked += is_cycle[set] && __builtin_popcountll(set) == length;
        assert_int_equal(b->tally.by_length[(int64_t)length * b->tally.limbs], marked);
    }
    cycles_tally_clear(&b->tally);
}

// Every graph of n vertices, counted, counted by length and listed, against all sets; `step` leaves graphs out.
static inline void try_all_graphs(int32_t n, uint64_t step)
{
    static uint8_t is_cycle[1 << SMALL_MOST];
    for (uint64_t code = 0; code < UINT64_C(1) << (n * (n - 1) / 2); code += step) {
        const small_graph g = small_of_code(n, code);
        const int64_t count = small_cycles(&g, 4, n, 0, is_cycle);
        bed b;
        bed_make_small(&b, &g);
        b.job.wants_lengths = (code & 1) != 0;
        bed_compare_count(&b, is_cycle, count, 0);
        b.job.wants_lengths = !b.job.wants_lengths;
        if (code % 3 == 0)
            bed_compare_list(&b, is_cycle, count, INT64_MAX, 0);
        else
            bed_compare_count(&b, is_cycle, count, 0);
        bed_clear(&b);
    }
}

#endif
