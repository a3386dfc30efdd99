// SPDX-License-Identifier: MIT
// Simple graphs. Two transpositions by counting sort every row: a pass over the vertices in order appends each to the rows of
// its neighbours, so that every row ascends.
#include <string.h>

#include "graph/graph.h"

typedef struct rows_pair {
    int64_t *first;
    int32_t *head;
} rows_pair;

// Writes the reverse of every arc of `in` to *out; the rows of *out ascend. `out->first` is zero before.
static void transpose(int32_t n, const int64_t *first, const int32_t *head, rows_pair *out)
{
    for (int64_t a = 0; a < first[n]; a++)
        out->first[head[a] + 1]++;
    for (int32_t v = 0; v < n; v++)
        out->first[v + 1] += out->first[v];
    for (int32_t v = 0; v < n; v++)
        for (int64_t a = first[v]; a < first[v + 1]; a++)
            out->head[out->first[head[a]]++] = v;
    memmove(out->first + 1, out->first, (size_t)n * sizeof *out->first);
    out->first[0] = 0;
}

// Merges two ascending rows into *to without `own` and without repetitions; returns the number of items.
static int64_t merge_rows(const int32_t *a, int64_t a_count, const int32_t *b, int64_t b_count, int32_t own, int32_t *to)
{
    int64_t i = 0, j = 0, count = 0;
    while (i < a_count || j < b_count) {
        const int32_t next = j == b_count || (i < a_count && a[i] <= b[j]) ? a[i++] : b[j++];
        if (next != own && (count == 0 || to[count - 1] != next))
            to[count++] = next;
    }
    return count;
}

static int64_t count_loops(const mco_graph_rows *rows)
{
    int64_t loops = 0;
    for (int32_t v = 0; v < rows->vertices; v++)
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++)
            loops += rows->head[a] == v;
    return loops;
}

mco_status graph_simple_make(mco_context *ctx, const mco_graph_rows *rows, bool is_directed, graph_simple *out)
{
    mco_status st = MCO_OK;
    const int32_t n = rows->vertices;
    rows_pair back = {0}, forth = {0};
    graph_simple g = {.vertices = n, .loops = count_loops(rows)};
    MCO_TRY(mco_alloc(ctx, &back.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &back.head, rows->arcs));
    MCO_TRY(mco_alloc(ctx, &forth.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &forth.head, rows->arcs));
    transpose(n, rows->first, rows->head, &back);
    transpose(n, back.first, back.head, &forth);
    const bool has_both = !is_directed && rows->is_directed;  // arcs of a directed graph become edges
    MCO_TRY(mco_alloc(ctx, &g.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &g.head, has_both ? 2 * rows->arcs : rows->arcs));
    for (int32_t v = 0; v < n; v++) {
        const int64_t f = forth.first[v], b = back.first[v];
        g.first[v + 1] = g.first[v] + merge_rows(forth.head + f, forth.first[v + 1] - f, back.head + b,
                                                 has_both ? back.first[v + 1] - b : 0, v, g.head + g.first[v]);
    }
    g.arcs = g.first[n];
    g.parallel = rows->edges - g.loops - (is_directed ? g.arcs / (rows->is_directed ? 1 : 2) : g.arcs / 2);
    *out = g;
    g = (graph_simple){0};
done:
    graph_simple_clear(ctx, &g);
    mco_free(ctx, &back.first);
    mco_free(ctx, &back.head);
    mco_free(ctx, &forth.first);
    mco_free(ctx, &forth.head);
    return st;
}

bool graph_simple_has(const graph_simple *graph, int32_t u, int32_t v)
{
    int64_t low = graph->first[u], high = graph->first[u + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (graph->head[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->first[u + 1] && graph->head[low] == v;
}

void graph_simple_clear(mco_context *ctx, graph_simple *graph)
{
    mco_free(ctx, &graph->first);
    mco_free(ctx, &graph->head);
    *graph = (graph_simple){0};
}
