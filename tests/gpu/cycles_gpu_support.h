// SPDX-License-Identifier: MIT
// Graphs as blocks for tests of chordless cycles.
#ifndef MCO_TESTS_CYCLES_GPU_SUPPORT_H
#define MCO_TESTS_CYCLES_GPU_SUPPORT_H

#include <stdlib.h>

#include "base/rng.h"
#include "cycles/block.h"

typedef struct test_edges {
    int32_t vertices;
    int64_t count, room;
    int32_t *from, *to;
} test_edges;

static inline void test_join(test_edges *e, int32_t u, int32_t v)
{
    if (e->count == e->room) {
        e->room = e->room == 0 ? 64 : 2 * e->room;
        e->from = realloc(e->from, (size_t)e->room * sizeof *e->from);
        e->to = realloc(e->to, (size_t)e->room * sizeof *e->to);
    }
    e->from[e->count] = u;
    e->to[e->count++] = v;
}

// Makes a block of all vertices from the edges and releases these. The vertices keep their numbers.
static inline mco_status test_block_make(mco_context *ctx, test_edges *edges, cycles_block *out)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    *out = (cycles_block){0};
    const mco_graph_edges list = {.vertices = edges->vertices, .edges = edges->count, .from = edges->from, .to = edges->to};
    MCO_TRY(mco_graph_create(ctx, &list, &graph));
    const mco_graph_rows rows = mco_graph_view(graph);
    MCO_TRY(graph_simple_make(ctx, &rows, false, &out->graph));
    MCO_TRY(mco_alloc(ctx, &out->vertex, edges->vertices));
    for (int32_t v = 0; v < edges->vertices; v++)
        out->vertex[v] = v;
done:
    mco_graph_destroy(ctx, &graph);
    free(edges->from);
    free(edges->to);
    *edges = (test_edges){0};
    return st;
}

static inline void test_block_clear(mco_context *ctx, cycles_block *block)
{
    graph_simple_clear(ctx, &block->graph);
    mco_free(ctx, &block->vertex);
}

static inline test_edges test_grid(int32_t rows, int32_t columns)
{
    test_edges e = {.vertices = rows * columns};
    for (int32_t v = 0; v < e.vertices; v++) {
        if (v % columns + 1 < columns)
            test_join(&e, v, v + 1);
        if (v / columns + 1 < rows)
            test_join(&e, v, v + columns);
    }
    return e;
}

static inline test_edges test_bipartite(int32_t a, int32_t b)
{
    test_edges e = {.vertices = a + b};
    for (int32_t u = 0; u < a; u++)
        for (int32_t v = 0; v < b; v++)
            test_join(&e, u, a + v);
    return e;
}

static inline test_edges test_circle(int32_t length, bool has_hub)
{
    test_edges e = {.vertices = length + (has_hub ? 1 : 0)};
    for (int32_t v = 0; v < length; v++) {
        test_join(&e, v, (v + 1) % length);
        if (has_hub)
            test_join(&e, v, length);
    }
    return e;
}

// Random edges, each with `chance` of 1000.
static inline test_edges test_random(int32_t vertices, int32_t chance, uint64_t seed)
{
    test_edges e = {.vertices = vertices};
    for (int32_t u = 0; u < vertices; u++)
        for (int32_t v = u + 1; v < vertices; v++)
            if (mco_splitmix64(&seed) % 1000 < (uint64_t)chance)
                test_join(&e, u, v);
    return e;
}

// A circle, and to each vertex random chords so that most have the degree.
static inline test_edges test_regular(int32_t vertices, int32_t degree, uint64_t seed)
{
    test_edges e = test_circle(vertices, false);
    for (int32_t k = 2; k < degree; k++)
        for (int32_t v = 0; v < vertices; v += 2) {
            const int32_t to = (int32_t)(mco_splitmix64(&seed) % (uint64_t)vertices);
            if (to != v)
                test_join(&e, v, to);
        }
    return e;
}

// A circle and some random chords: long cycles, of which there are few.
static inline test_edges test_chords(int32_t vertices, int32_t chords, uint64_t seed)
{
    test_edges e = test_circle(vertices, false);
    for (int32_t k = 0; k < chords; k++) {
        const int32_t u = (int32_t)(mco_splitmix64(&seed) % (uint64_t)vertices), v = (int32_t)(mco_splitmix64(&seed) % (uint64_t)vertices);
        if (u != v)
            test_join(&e, u, v);
    }
    return e;
}

#endif
