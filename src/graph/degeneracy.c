// SPDX-License-Identifier: MIT
// Orders by least degree. The order of graph_smallest_last() keeps the vertices sorted by degree in one array: a vertex whose
// degree falls by one is swapped with the first of its degree (Batagelj, Zaversnik 2003). Degree labels need the least number
// among equals, which a binary heap of the pairs (degree, number) gives.
#include <string.h>

#include "graph/order.h"

static int32_t degree_of(const graph_simple *graph, int32_t v)
{
    return (int32_t)(graph->first[v + 1] - graph->first[v]);
}

// ---- Smallest last

typedef struct sorted {
    int32_t *order;   // [n] vertices by degree; those before the current place are removed
    int32_t *place;   // [n] the place of each vertex in `order`
    int32_t *degree;  // [n]
    int32_t *begin;   // [n + 1] the first place of each degree
} sorted;

static void sort_by_degree(const graph_simple *graph, sorted *s)
{
    const int32_t n = graph->vertices;
    for (int32_t v = 0; v < n; v++)
        s->begin[s->degree[v] = degree_of(graph, v)]++;
    for (int32_t d = 0, sum = 0; d <= n; d++) {
        const int32_t count = s->begin[d];
        s->begin[d] = sum;
        sum += count;
    }
    for (int32_t v = 0; v < n; v++) {
        s->place[v] = s->begin[s->degree[v]]++;
        s->order[s->place[v]] = v;
    }
    memmove(s->begin + 1, s->begin, (size_t)n * sizeof *s->begin);
    s->begin[0] = 0;
}

// The degree of v falls by one. v becomes the last of the lesser degree.
static void lessen(sorted *s, int32_t v)
{
    const int32_t at = s->place[v], to = s->begin[s->degree[v]]++, other = s->order[to];
    s->order[to] = v;
    s->order[at] = other;
    s->place[v] = to;
    s->place[other] = at;
    s->degree[v]--;
}

mco_status graph_smallest_last(mco_context *ctx, const graph_simple *graph, int32_t **order, int32_t *degeneracy)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    sorted s = {0};
    *degeneracy = 0;
    MCO_TRY(mco_alloc(ctx, &s.order, n));
    MCO_TRY(mco_alloc(ctx, &s.place, n));
    MCO_TRY(mco_alloc(ctx, &s.degree, n));
    MCO_TRY(mco_alloc(ctx, &s.begin, (int64_t)n + 1));
    sort_by_degree(graph, &s);
    for (int32_t k = 0; k < n; k++) {
        const int32_t v = s.order[k], degree = s.degree[v];
        *degeneracy = degree > *degeneracy ? degree : *degeneracy;
        s.begin[degree] = k + 1;  // v itself is gone
        if (degree > 0)
            s.begin[degree - 1] = k + 1;  // a neighbour of degree `degree` falls below it, right behind v
        for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++)
            if (s.place[graph->head[a]] > k)
                lessen(&s, graph->head[a]);
    }
    *order = s.order;
    s.order = NULL;
done:
    mco_free(ctx, &s.order);
    mco_free(ctx, &s.place);
    mco_free(ctx, &s.degree);
    mco_free(ctx, &s.begin);
    return st;
}

// ---- Degree labels

typedef struct heap {
    int32_t *item;    // [count] vertices; item k is not after items 2 k + 1 and 2 k + 2
    int32_t *place;   // [n] the place of each vertex; -1: removed
    int32_t *degree;  // [n]
    int32_t count;
} heap;

static bool is_before(const heap *h, int32_t u, int32_t v)
{
    return h->degree[u] != h->degree[v] ? h->degree[u] < h->degree[v] : u < v;
}

static void put(heap *h, int32_t at, int32_t v)
{
    h->item[at] = v;
    h->place[v] = at;
}

static void move_up(heap *h, int32_t at)
{
    const int32_t v = h->item[at];
    while (at > 0 && is_before(h, v, h->item[(at - 1) / 2])) {
        put(h, at, h->item[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(h, at, v);
}

static void move_down(heap *h, int32_t at)
{
    const int32_t v = h->item[at];
    for (int64_t below; (below = 2 * (int64_t)at + 1) < h->count; at = (int32_t)below) {
        if (below + 1 < h->count && is_before(h, h->item[below + 1], h->item[below]))
            below++;
        if (!is_before(h, h->item[below], v))
            break;
        put(h, at, h->item[below]);
    }
    put(h, at, v);
}

static int32_t remove_first(heap *h)
{
    const int32_t first = h->item[0];
    h->place[first] = -1;
    if (--h->count > 0) {
        h->item[0] = h->item[h->count];
        move_down(h, 0);
    }
    return first;
}

mco_status graph_degree_labels(mco_context *ctx, const graph_simple *graph, int32_t **label)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    int32_t *labels = NULL;
    heap h = {.count = n};
    MCO_TRY(mco_alloc(ctx, &labels, n));
    MCO_TRY(mco_alloc(ctx, &h.item, n));
    MCO_TRY(mco_alloc(ctx, &h.place, n));
    MCO_TRY(mco_alloc(ctx, &h.degree, n));
    for (int32_t v = 0; v < n; v++) {
        h.degree[v] = degree_of(graph, v);
        put(&h, v, v);
    }
    for (int32_t at = n / 2 - 1; at >= 0; at--)
        move_down(&h, at);
    for (int32_t k = 0; k < n; k++) {
        const int32_t v = remove_first(&h);
        labels[v] = k;
        for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++) {
            const int32_t u = graph->head[a];
            if (h.place[u] < 0)
                continue;
            h.degree[u]--;
            move_up(&h, h.place[u]);
        }
    }
    *label = labels;
    labels = NULL;
done:
    mco_free(ctx, &labels);
    mco_free(ctx, &h.item);
    mco_free(ctx, &h.place);
    mco_free(ctx, &h.degree);
    return st;
}
