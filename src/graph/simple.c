// SPDX-License-Identifier: MIT
// Simple graphs. Rows that do not ascend are sorted by transpositions: a pass over the vertices in order appends each to the rows
// of its neighbours, so that every row ascends. The reverse of an undirected graph is the graph itself, so one pass will do.
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

static mco_status make_transpose(mco_context *ctx, int32_t n, const int64_t *first, const int32_t *head, rows_pair *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &out->head, first[n]));
    transpose(n, first, head, out);
done:
    return st;
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

// Whether every row ascends; equal neighbours may follow each other.
static bool rows_ascend(const mco_graph_rows *rows)
{
    for (int32_t v = 0; v < rows->vertices; v++)
        for (int64_t a = rows->first[v] + 1; a < rows->first[v + 1]; a++)
            if (rows->head[a] < rows->head[a - 1])
                return false;
    return true;
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
    const bool has_both = !is_directed && rows->is_directed;  // arcs of a directed graph become edges
    const bool ascends = rows_ascend(rows);
    if (has_both || !ascends)
        MCO_TRY(make_transpose(ctx, n, rows->first, rows->head, &back));
    if (rows->is_directed && !ascends)
        MCO_TRY(make_transpose(ctx, n, back.first, back.head, &forth));
    const int64_t *first = ascends ? rows->first : rows->is_directed ? forth.first : back.first;
    const int32_t *head = ascends ? rows->head : rows->is_directed ? forth.head : back.head;
    MCO_TRY(mco_alloc(ctx, &g.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &g.head, has_both ? 2 * rows->arcs : rows->arcs));
    for (int32_t v = 0; v < n; v++) {
        const int64_t b = has_both ? back.first[v] : 0, count = has_both ? back.first[v + 1] - b : 0;
        g.first[v + 1] = g.first[v] + merge_rows(head + first[v], first[v + 1] - first[v], count > 0 ? back.head + b : NULL, count,
                                                 v, g.head + g.first[v]);
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
