// SPDX-License-Identifier: MIT
// What the tests of graphs share: graphs from masks, from generators and at random, and all chordless cycles of a small
// graph by trying every set of its vertices.
#ifndef MCO_GRAPH_SUPPORT_H
#define MCO_GRAPH_SUPPORT_H

#include "test_support.h"

#include "base/rng.h"
#include "graph/graph.h"

enum { TEST_GRAPH_MOST = 20 };  // vertices of graphs whose sets of vertices are all tried

// Pairs {u, v} with u < v of n vertices, in the order (0,1), (0,2), ..., (1,2), ...: bit k of a mask is pair k.
TEST_UNUSED static int test_graph_pairs(int32_t n)
{
    return n * (n - 1) / 2;
}

// The graph of the pairs in `mask`. For a directed graph, bit k of `back` adds the arc of pair k from v to u, and bit k of
// `mask` the arc from u to v. Undirected: `back` must be 0.
TEST_UNUSED static mco_graph *test_graph_from_mask(int32_t n, uint64_t mask, uint64_t back, bool is_directed)
{
    int32_t from[128], to[128];
    int64_t count = 0;
    int k = 0;
    mco_graph *graph = NULL;
    for (int32_t u = 0; u < n; u++)
        for (int32_t v = u + 1; v < n; v++, k++) {
            if ((mask >> k & 1) != 0) {
                from[count] = u;
                to[count++] = v;
            }
            if ((back >> k & 1) != 0) {
                from[count] = v;
                to[count++] = u;
            }
        }
    const mco_graph_edges edges = {.vertices = n, .edges = count, .from = from, .to = to, .is_directed = is_directed};
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    return graph;
}

// A graph with `edges` random ends: loops and parallel edges are possible.
TEST_UNUSED static mco_graph *test_graph_random(mco_rng *rng, int32_t n, int32_t edges, bool is_directed)
{
    mco_graph *graph = NULL;
    int32_t *from = calloc((size_t)edges + 1, sizeof *from), *to = calloc((size_t)edges + 1, sizeof *to);
    assert_non_null(from);
    assert_non_null(to);
    for (int32_t k = 0; k < edges; k++) {
        from[k] = (int32_t)mco_rng_below(rng, (uint32_t)n);
        to[k] = (int32_t)mco_rng_below(rng, (uint32_t)n);
    }
    const mco_graph_edges e = {.vertices = n, .edges = edges, .from = from, .to = to, .is_directed = is_directed};
    assert_ok(mco_graph_create(test_ctx, &e, &graph));
    free(from);
    free(to);
    return graph;
}

TEST_UNUSED static mco_graph *test_graph_generate(mco_graph_family family, int64_t a, int64_t b, double share, uint64_t seed)
{
    const mco_graph_shape shape = {family, a, b, share, seed};
    mco_graph *graph = NULL;
    assert_ok(mco_graph_generate(test_ctx, &shape, &graph));
    return graph;
}

// ---- Small graphs as rows of bits: bit v of row u is the arc (u, v). No loops.

TEST_UNUSED static void test_graph_bits(const mco_graph *graph, bool is_directed, uint32_t bits[TEST_GRAPH_MOST])
{
    const mco_graph_rows rows = mco_graph_view(graph);
    assert_true(rows.vertices <= TEST_GRAPH_MOST);
    memset(bits, 0, TEST_GRAPH_MOST * sizeof *bits);
    for (int32_t u = 0; u < rows.vertices; u++)
        for (int64_t a = rows.first[u]; a < rows.first[u + 1]; a++) {
            const int32_t v = rows.head[a];
            if (u == v)
                continue;
            bits[u] |= UINT32_C(1) << v;
            if (!is_directed)
                bits[v] |= UINT32_C(1) << u;
        }
}

TEST_UNUSED static bool test_one_bit(uint32_t set)
{
    return set != 0 && (set & (set - 1)) == 0;
}

// Whether the set induces a cycle: every vertex has two neighbours in it (directed: one before, one after, and no others),
// and a walk from its lowest vertex meets all of it.
TEST_UNUSED static bool test_induces_cycle(const uint32_t *bits, uint32_t set, bool is_directed)
{
    uint32_t met = set & (~set + 1), last = 0;
    while (met != last) {
        last = met;
        for (uint32_t rest = met; rest != 0; rest &= rest - 1)
            met |= bits[__builtin_ctz(rest)] & set;
    }
    if (met != set || __builtin_popcount(set) < 3)
        return false;
    uint32_t entered = 0;
    for (uint32_t rest = set; rest != 0; rest &= rest - 1) {
        const uint32_t next = bits[__builtin_ctz(rest)] & set;
        if (__builtin_popcount(next) != (is_directed ? 1 : 2))
            return false;
        entered |= next;
    }
    return entered == set;
}

// The sets of all chordless cycles of the graph, triangles included, in ascending order; `from` 3 or 4 is the least length.
// Returns their number; the caller frees *sets. Every set of n <= TEST_GRAPH_MOST vertices is tried.
TEST_UNUSED static int64_t test_brute_cycles(const mco_graph *graph, bool is_directed, int from, uint32_t **sets)
{
    uint32_t bits[TEST_GRAPH_MOST];
    int64_t count = 0, room = 16;
    test_graph_bits(graph, is_directed, bits);
    *sets = calloc((size_t)room, sizeof **sets);
    for (uint32_t set = 1; set < UINT32_C(1) << mco_graph_view(graph).vertices; set++) {
        if (__builtin_popcount(set) < from || !test_induces_cycle(bits, set, is_directed))
            continue;
        if (count == room) {
            room *= 2;
            *sets = realloc(*sets, (size_t)room * sizeof **sets);
        }
        assert_non_null(*sets);
        (*sets)[count++] = set;
    }
    return count;
}

#endif
