// SPDX-License-Identifier: MIT
// Biconnected components by depth-first search (Hopcroft, Tarjan 1973). low[v] is the earliest vertex that v or a vertex below
// it is joined to. When the search returns from v to the vertex above and low[v] is not before that vertex, v and all
// vertices on the stack after v make a component with it.
#include "graph/parts.h"

typedef struct search {
    const graph_simple *graph;
    graph_bicomponents parts;
    int64_t *next;   // [n] the next arc of a vertex to follow
    int32_t *above;  // [n] the vertex from which it was met; -1: none
    int32_t *low;    // [n]
    int32_t *stack;  // [n] vertices that were met and have no home yet
    int32_t stacked, time;
} search;

static void meet(search *s, int32_t v, int32_t above)
{
    s->above[v] = above;
    s->next[v] = s->graph->first[v];
    s->parts.met[v] = s->low[v] = s->time++;
    s->stack[s->stacked++] = v;
}

static void close_component(search *s, int32_t v, int32_t above)
{
    graph_bicomponents *parts = &s->parts;
    const int32_t number = parts->count++;
    int64_t end = parts->first[number];
    int32_t w;
    parts->vertex[end++] = above;
    do {
        w = s->stack[--s->stacked];
        parts->home[w] = number;
        parts->vertex[end++] = w;
    } while (w != v);
    parts->first[number + 1] = end;
}

static void leave(search *s, int32_t v)
{
    const int32_t above = s->above[v];
    if (above < 0)
        s->stacked--;
    else if (s->low[v] >= s->parts.met[above])
        close_component(s, v, above);
    else if (s->low[v] < s->low[above])
        s->low[above] = s->low[v];
}

static void search_from(search *s, int32_t root)
{
    meet(s, root, -1);
    for (int32_t v = root; v >= 0;) {
        if (s->next[v] == s->graph->first[v + 1]) {
            leave(s, v);
            v = s->above[v];
            continue;
        }
        const int32_t w = s->graph->head[s->next[v]++];
        if (s->parts.met[w] < 0) {
            meet(s, w, v);
            v = w;
        } else if (s->parts.met[w] < s->low[v] && w != s->above[v]) {
            s->low[v] = s->parts.met[w];
        }
    }
}

mco_status graph_bicomponents_make(mco_context *ctx, const graph_simple *graph, graph_bicomponents *out)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    search s = {.graph = graph};
    MCO_TRY(mco_alloc(ctx, &s.next, n));
    MCO_TRY(mco_alloc(ctx, &s.above, n));
    MCO_TRY(mco_alloc(ctx, &s.low, n));
    MCO_TRY(mco_alloc(ctx, &s.stack, n));
    MCO_TRY(mco_alloc(ctx, &s.parts.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &s.parts.vertex, 2 * (int64_t)n));  // each vertex at home, and one more in each component
    MCO_TRY(mco_alloc(ctx, &s.parts.met, n));
    MCO_TRY(mco_alloc(ctx, &s.parts.home, n));
    for (int32_t v = 0; v < n; v++)
        s.parts.met[v] = s.parts.home[v] = -1;
    for (int32_t v = 0; v < n; v++)
        if (s.parts.met[v] < 0)
            search_from(&s, v);
    *out = s.parts;
    s.parts = (graph_bicomponents){0};
done:
    graph_bicomponents_clear(ctx, &s.parts);
    mco_free(ctx, &s.next);
    mco_free(ctx, &s.above);
    mco_free(ctx, &s.low);
    mco_free(ctx, &s.stack);
    return st;
}

void graph_bicomponents_clear(mco_context *ctx, graph_bicomponents *parts)
{
    mco_free(ctx, &parts->first);
    mco_free(ctx, &parts->vertex);
    mco_free(ctx, &parts->met);
    mco_free(ctx, &parts->home);
    *parts = (graph_bicomponents){0};
}
