// SPDX-License-Identifier: MIT
// The order of the vertices around a cycle, from the set of its vertices.
//
// A vertex of a chordless cycle has exactly two neighbours in the set. So the walk leaves a vertex for its only neighbour that
// is not yet walked: an AND of two bitsets and the place of the one bit that remains. With one or two words all of it stays in
// registers.
#include <stdlib.h>
#include <string.h>

#include "cycles/solve.h"

enum { SMALL_VERTICES = 1024 };  // masks of 128 KiB at most

static bool has_masks(const graph_simple *graph)
{
    // A mask has vertices / 64 words. Rows of about as many arcs are no shorter.
    return graph->vertices <= SMALL_VERTICES || graph->arcs / 4 >= (int64_t)graph->vertices * (graph->vertices / 64);
}

mco_status cycles_walk_make(mco_context *ctx, const graph_simple *graph, bool is_directed, cycles_walk *out)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    cycles_walk w = {.graph = graph, .is_directed = is_directed, .words = (n + 63) / 64};
    MCO_TRY(mco_alloc(ctx, &w.rest, w.words));
    if (has_masks(graph)) {
        MCO_TRY(mco_alloc(ctx, &w.mask, (int64_t)n * w.words));
        for (int32_t v = 0; v < n; v++)
            for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++)
                w.mask[(size_t)v * (size_t)w.words + (size_t)(graph->head[a] / 64)] |= (uint64_t)1 << graph->head[a] % 64;
    }
    *out = w;
    w = (cycles_walk){0};
done:
    cycles_walk_clear(ctx, &w);
    return st;
}

void cycles_walk_clear(mco_context *ctx, cycles_walk *walk)
{
    mco_free(ctx, &walk->mask);
    mco_free(ctx, &walk->rest);
    *walk = (cycles_walk){0};
}

static inline int32_t lowest_bit(uint64_t word)
{
    return (int32_t)__builtin_ctzll(word);
}

static int32_t count_row(const uint64_t *row, int32_t words)
{
    int32_t count = 0;
    for (int32_t w = 0; w < words; w++)
        count += (int32_t)__builtin_popcountll(row[w]);
    return count;
}

// The least vertex of the row, which is not empty.
static int32_t first_of(const uint64_t *row)
{
    int32_t w = 0;
    while (row[w] == 0)
        w++;
    return 64 * w + lowest_bit(row[w]);
}

// ---- Walks

// One word or two. A step takes all neighbours of the vertex that remain, which is the one unless the set is no chordless
// cycle; such a walk ends too early.
static inline int32_t walk_two(const uint64_t *mask, int32_t words, const uint64_t *row, bool is_directed, int32_t *out)
{
    uint64_t low = row[0], high = words == 2 ? row[1] : 0;
    int32_t count = 0, v = low != 0 ? lowest_bit(low) : 64 + lowest_bit(high | (uint64_t)1 << 63);
    if ((low | high) == 0)
        return 0;
    const int32_t all = count_row(row, words);
    low &= low - (low != 0);
    high = row[0] != 0 ? high : high & (high - 1);
    out[count++] = v;
    while (true) {
        const uint64_t next_low = low & mask[v * words], next_high = words == 2 ? high & mask[v * words + 1] : 0;
        if ((next_low | next_high) == 0)
            return count == all ? count : 0;
        v = next_low != 0 ? lowest_bit(next_low) : 64 + lowest_bit(next_high | (uint64_t)1 << 63);
        if (count == 1 && !is_directed) {  // of the two neighbours of the first vertex the lesser, alone
            low &= ~(next_low & -next_low);
            high &= next_low != 0 ? ~(uint64_t)0 : ~(next_high & -next_high);
        } else {
            low ^= next_low;
            high ^= next_high;
        }
        out[count++] = v;
    }
}

static inline void drop(uint64_t *rest, int32_t v)
{
    rest[v / 64] &= ~((uint64_t)1 << v % 64);
}

// The least neighbour of v that remains, or -1.
static int32_t next_by_mask(const cycles_walk *walk, int32_t v)
{
    const uint64_t *mask = walk->mask + (size_t)v * (size_t)walk->words;
    for (int32_t w = 0; w < walk->words; w++)
        if ((mask[w] & walk->rest[w]) != 0)
            return 64 * w + lowest_bit(mask[w] & walk->rest[w]);
    return -1;
}

static int32_t next_by_row(const cycles_walk *walk, int32_t v)
{
    const graph_simple *g = walk->graph;
    for (int64_t a = g->first[v]; a < g->first[v + 1]; a++)
        if ((walk->rest[g->head[a] / 64] >> g->head[a] % 64 & 1) != 0)
            return g->head[a];
    return -1;
}

int32_t cycles_walk_row(cycles_walk *walk, const uint64_t *row, int32_t *out)
{
    if (walk->words == 1 && walk->mask != NULL)
        return walk_two(walk->mask, 1, row, walk->is_directed, out);
    if (walk->words == 2 && walk->mask != NULL)
        return walk_two(walk->mask, 2, row, walk->is_directed, out);
    const int32_t all = count_row(row, walk->words);
    int32_t count = 0, v = all > 0 ? first_of(row) : -1;
    memcpy(walk->rest, row, (size_t)walk->words * sizeof *row);
    while (v >= 0) {
        out[count++] = v;
        drop(walk->rest, v);
        v = walk->mask != NULL ? next_by_mask(walk, v) : next_by_row(walk, v);
    }
    return count == all ? count : 0;
}

// ---- Strict walks

// How many neighbours (or heads of arcs) of v are in the row.
static int32_t degree_in(const cycles_walk *walk, const uint64_t *row, int32_t v)
{
    const graph_simple *g = walk->graph;
    int32_t degree = 0;
    if (walk->mask != NULL) {
        const uint64_t *mask = walk->mask + (size_t)v * (size_t)walk->words;
        for (int32_t w = 0; w < walk->words; w++)
            degree += (int32_t)__builtin_popcountll(mask[w] & row[w]);
        return degree;
    }
    for (int64_t a = g->first[v]; a < g->first[v + 1]; a++)
        degree += (row[g->head[a] / 64] >> g->head[a] % 64 & 1) != 0;
    return degree;
}

// Whether the arc (u, v) is there.
static bool has_arc(const cycles_walk *walk, int32_t u, int32_t v)
{
    if (walk->mask != NULL)
        return (walk->mask[(size_t)u * (size_t)walk->words + (size_t)(v / 64)] >> v % 64 & 1) != 0;
    return graph_simple_has(walk->graph, u, v);
}

int32_t cycles_walk_strictly(cycles_walk *walk, const uint64_t *row, int32_t *out)
{
    const int32_t count = cycles_walk_row(walk, row, out);
    if (count < 3 || !has_arc(walk, out[count - 1], out[0]))
        return 0;
    for (int32_t k = 0; k < count; k++)
        if (degree_in(walk, row, out[k]) != (walk->is_directed ? 1 : 2))
            return 0;
    return count;
}

// ---- Induced graphs

static int compare_vertices(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Copies the arcs of the row that stay inside, ascending, to `to`; returns their number.
static int64_t copy_row(const graph_simple *graph, int32_t v, const int32_t *local, int32_t *to)
{
    int64_t count = 0;
    bool is_ascending = true;
    for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++)
        if (local[graph->head[a]] >= 0) {
            to[count] = local[graph->head[a]];
            is_ascending = is_ascending && (count == 0 || to[count - 1] < to[count]);
            count++;
        }
    if (!is_ascending)
        qsort(to, (size_t)count, sizeof *to, compare_vertices);
    return count;
}

// The same for a row that is far longer than n: the vertices look for themselves in it.
static int64_t find_in_row(const graph_simple *graph, int32_t v, const int32_t *vertices, int32_t n, int32_t *to)
{
    int64_t count = 0;
    for (int32_t k = 0; k < n; k++)
        if (graph_simple_has(graph, v, vertices[k]))
            to[count++] = k;
    return count;
}

mco_status cycles_induce(mco_context *ctx, const graph_simple *graph, const int32_t *vertices, int32_t n, int32_t *local,
                         graph_simple *out)
{
    enum { LONG = 32 };  // times n: a vertex of very many blocks
    mco_status st = MCO_OK;
    int64_t arcs = 0;
    graph_simple g = {.vertices = n};
    for (int32_t v = 0; v < n; v++) {
        const int64_t degree = graph->first[vertices[v] + 1] - graph->first[vertices[v]];
        arcs += degree < n ? degree : n;
    }
    MCO_TRY(mco_alloc(ctx, &g.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &g.head, arcs));
    for (int32_t v = 0; v < n; v++)
        local[vertices[v]] = v;
    for (int32_t v = 0; v < n; v++) {
        const bool is_long = graph->first[vertices[v] + 1] - graph->first[vertices[v]] > (int64_t)LONG * n;
        int32_t *to = g.head + g.arcs;
        g.arcs += is_long ? find_in_row(graph, vertices[v], vertices, n, to) : copy_row(graph, vertices[v], local, to);
        g.first[v + 1] = g.arcs;
    }
    for (int32_t v = 0; v < n; v++)
        local[vertices[v]] = -1;
    *out = g;
    g = (graph_simple){0};
done:
    graph_simple_clear(ctx, &g);
    return st;
}
