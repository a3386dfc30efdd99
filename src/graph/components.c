// SPDX-License-Identifier: MIT
#include "graph/parts.h"

mco_status graph_components(mco_context *ctx, const graph_simple *graph, int32_t **part, int32_t *count)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    int32_t *of = NULL, *queue = NULL, parts = 0;
    MCO_TRY(mco_alloc(ctx, &of, n));
    MCO_TRY(mco_alloc(ctx, &queue, n));
    for (int32_t v = 0; v < n; v++)
        of[v] = -1;
    for (int32_t root = 0; root < n; root++) {
        if (of[root] >= 0)
            continue;
        int32_t begin = 0, end = 0;
        queue[end++] = root;
        of[root] = parts;
        while (begin < end) {
            const int32_t u = queue[begin++];
            for (int64_t a = graph->first[u]; a < graph->first[u + 1]; a++)
                if (of[graph->head[a]] < 0) {
                    of[graph->head[a]] = parts;
                    queue[end++] = graph->head[a];
                }
        }
        parts++;
    }
    *part = of;
    of = NULL;
    *count = parts;
done:
    mco_free(ctx, &of);
    mco_free(ctx, &queue);
    return st;
}

// ---- Strongly connected components

enum { LOOK = 1 << 16 };  // vertices between two looks at the run

typedef struct search {
    const graph_simple *graph;
    int64_t *next;   // [n] the next arc of a vertex to follow
    int32_t *above;  // [n] the vertex from which it was met; -1: none
    int32_t *low;    // [n] 0: not met; else the least time, from 1, of a vertex without a part that is reached
    int32_t *met;    // [n] the time when it was met
    int32_t *stack;  // [n] vertices that were met and have no part yet
    int32_t stacked, time;
    int32_t *part, parts;
} search;

static void meet(search *s, int32_t v, int32_t above)
{
    s->above[v] = above;
    s->next[v] = s->graph->first[v];
    s->met[v] = s->low[v] = ++s->time;
    s->stack[s->stacked++] = v;
}

// All arcs of v are done: v may end a part, which is all above it on the stack.
static void leave(search *s, int32_t v)
{
    const int32_t above = s->above[v];
    if (s->low[v] == s->met[v]) {
        int32_t w;
        do {
            w = s->stack[--s->stacked];
            s->part[w] = s->parts;
        } while (w != v);
        s->parts++;
    }
    if (above >= 0 && s->low[v] < s->low[above])
        s->low[above] = s->low[v];
}

// False: the run must stop.
static bool search_from(search *s, mco_run *run, int32_t root)
{
    meet(s, root, -1);
    for (int32_t v = root; v >= 0;) {
        if (s->next[v] == s->graph->first[v + 1]) {
            leave(s, v);
            v = s->above[v];
            continue;
        }
        const int32_t w = s->graph->head[s->next[v]++];
        if (s->low[w] == 0) {
            meet(s, w, v);
            v = w;
            if (s->time % LOOK == 0 && run != NULL && mco_run_must_stop(run, 0))
                return false;
        } else if (s->part[w] < 0 && s->met[w] < s->low[v]) {
            s->low[v] = s->met[w];
        }
    }
    return true;
}

mco_status graph_strong_components(mco_context *ctx, const graph_simple *graph, mco_run *run, int32_t **part, int32_t *count)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    search s = {.graph = graph};
    MCO_TRY(mco_alloc(ctx, &s.next, n));
    MCO_TRY(mco_alloc(ctx, &s.above, n));
    MCO_TRY(mco_alloc(ctx, &s.low, n));
    MCO_TRY(mco_alloc(ctx, &s.met, n));
    MCO_TRY(mco_alloc(ctx, &s.stack, n));
    MCO_TRY(mco_alloc(ctx, &s.part, n));
    for (int32_t v = 0; v < n; v++)
        s.part[v] = -1;
    for (int32_t v = 0; v < n; v++)
        if (s.low[v] == 0 && !search_from(&s, run, v))
            MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "stopped before all strongly connected components were found"));
    *part = s.part;
    s.part = NULL;
    *count = s.parts;
done:
    mco_free(ctx, &s.next);
    mco_free(ctx, &s.above);
    mco_free(ctx, &s.low);
    mco_free(ctx, &s.met);
    mco_free(ctx, &s.stack);
    mco_free(ctx, &s.part);
    return st;
}
