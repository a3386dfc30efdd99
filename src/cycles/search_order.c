// SPDX-License-Identifier: MIT
#include "cycles/search_order.h"

#include <string.h>

enum { STEPS_PER_LOOK = 1 << 16 };  // vertices between two looks at the clock

// A heap of vertices, least degree first, then least index. place[v] is the vertex's position in it, -1 after it was taken.
typedef struct degree_heap {
    int32_t *item, *place;
    int64_t *degree;
    int32_t count;
} degree_heap;

static bool is_before(const degree_heap *h, int32_t u, int32_t v)
{
    return h->degree[u] < h->degree[v] || (h->degree[u] == h->degree[v] && u < v);
}

static void put(degree_heap *h, int32_t at, int32_t v)
{
    h->item[at] = v;
    h->place[v] = at;
}

static void rise(degree_heap *h, int32_t at)
{
    const int32_t v = h->item[at];
    for (; at > 0 && is_before(h, v, h->item[(at - 1) / 2]); at = (at - 1) / 2)
        put(h, at, h->item[(at - 1) / 2]);
    put(h, at, v);
}

static void sink(degree_heap *h, int32_t at)
{
    const int32_t v = h->item[at];
    for (int64_t child; (child = 2 * (int64_t)at + 1) < h->count; at = (int32_t)child) {
        child += child + 1 < h->count && is_before(h, h->item[child + 1], h->item[child]);
        if (!is_before(h, h->item[child], v))
            break;
        put(h, at, h->item[child]);
    }
    put(h, at, v);
}

static int32_t take_first(degree_heap *h)
{
    const int32_t v = h->item[0];
    h->place[v] = -1;
    if (--h->count > 0) {
        put(h, 0, h->item[h->count]);
        sink(h, 0);
    }
    return v;
}

static void lower_neighbours(degree_heap *h, const graph_simple *graph, int32_t v)
{
    for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++) {
        const int32_t w = graph->head[a];
        if (h->place[w] < 0)
            continue;
        h->degree[w]--;
        rise(h, h->place[w]);
    }
}

mco_status cycles_degree_labels(mco_context *ctx, mco_run *run, const graph_simple *graph, bool is_directed, int32_t *vertex)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    degree_heap h = {.count = n};
    graph_simple back = {0};
    MCO_TRY(mco_alloc(ctx, &h.item, n));
    MCO_TRY(mco_alloc(ctx, &h.place, n));
    MCO_TRY(mco_alloc(ctx, &h.degree, n));
    if (is_directed)
        MCO_TRY(cycles_reverse(ctx, graph, &back));
    for (int32_t v = 0; v < n; v++) {
        h.degree[v] = graph->first[v + 1] - graph->first[v] + (is_directed ? back.first[v + 1] - back.first[v] : 0);
        put(&h, v, v);
    }
    for (int32_t k = n / 2; k-- > 0;)
        sink(&h, k);
    for (int32_t k = 0; k < n; k++) {
        if ((k + 1) % STEPS_PER_LOOK == 0 && mco_run_must_stop(run, run->work)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        vertex[k] = take_first(&h);
        lower_neighbours(&h, graph, vertex[k]);
        if (is_directed)
            lower_neighbours(&h, &back, vertex[k]);
    }
done:
    graph_simple_clear(ctx, &back);
    mco_free(ctx, &h.item);
    mco_free(ctx, &h.place);
    mco_free(ctx, &h.degree);
    return st;
}

// Sorts arcs by their tails with one pass in the order of their heads, so that rows ascend: the arcs of `graph` turned round,
// with vertex[k] called k and label[v] the number of v; both NULL: numbers stay.
static mco_status turn(mco_context *ctx, const graph_simple *graph, const int32_t *vertex, const int32_t *label,
                       graph_simple *out)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    graph_simple g = {.vertices = n, .arcs = graph->arcs};
    MCO_TRY(mco_alloc(ctx, &g.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &g.head, g.arcs));
    for (int64_t a = 0; a < g.arcs; a++)
        g.first[(label != NULL ? label[graph->head[a]] : graph->head[a]) + 1]++;
    for (int32_t v = 0; v < n; v++)
        g.first[v + 1] += g.first[v];
    for (int32_t k = 0; k < n; k++) {
        const int32_t v = vertex != NULL ? vertex[k] : k;
        for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++)
            g.head[g.first[label != NULL ? label[graph->head[a]] : graph->head[a]]++] = k;
    }
    memmove(g.first + 1, g.first, (size_t)n * sizeof *g.first);
    g.first[0] = 0;
    *out = g;
    g = (graph_simple){0};
done:
    graph_simple_clear(ctx, &g);
    return st;
}

mco_status cycles_reverse(mco_context *ctx, const graph_simple *graph, graph_simple *out)
{
    return turn(ctx, graph, NULL, NULL, out);
}

mco_status cycles_relabel(mco_context *ctx, const graph_simple *graph, const int32_t *vertex, graph_simple *out)
{
    mco_status st = MCO_OK;
    int32_t *label = NULL;
    graph_simple back = {0};
    MCO_TRY(mco_alloc(ctx, &label, graph->vertices));
    for (int32_t k = 0; k < graph->vertices; k++)
        label[vertex[k]] = k;
    MCO_TRY(turn(ctx, graph, vertex, label, &back));
    MCO_TRY(cycles_reverse(ctx, &back, out));
done:
    graph_simple_clear(ctx, &back);
    mco_free(ctx, &label);
    return st;
}
