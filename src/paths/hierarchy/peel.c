// SPDX-License-Identifier: MIT
// The core of a graph: what is left when vertices of at most two neighbours have been eliminated, again and again.
//
// Each pair has a place in both rows, and each place knows the other one. So the elimination of a vertex between a and b turns the
// places of its two pairs into those of the pair (a, b), in constant time. A pair that is there already loses both places.
#include <string.h>

#include "paths/hierarchy/dissect.h"

enum {
    MOST_NEIGHBOURS = 2,
    LONG_ROW = 64,  // rows longer than this are not searched for a pair: it may then be there twice, which is harmless
    DEAD = -1
};

typedef struct peeling {
    int32_t vertices;
    const int32_t *first;
    int32_t *head;      // [pairs] DEAD: no pair
    int32_t *twin;      // [pairs] its place in the other row
    int32_t *degree;    // [vertices] -1: eliminated
    int32_t *touched;   // [vertices] the last round in which a neighbour left
    int32_t *list;      // [vertices] of this round
    int32_t *waiting;   // [vertices] of the next one
    int32_t *queued;    // [vertices] the last round for which it waits
    int32_t waiting_count, round;
} peeling;

// Rows in ascending order; so the places of a pair are found in one pass.
static void sort_rows(const order_graph *g, peeling *p, int32_t *next)
{
    memcpy(next, g->first, (size_t)g->vertices * sizeof *next);
    for (int32_t v = 0; v < g->vertices; v++)
        for (int32_t a = g->first[v]; a < g->first[v + 1]; a++)
            p->head[next[g->head[a]]++] = v;
    memcpy(next, g->first, (size_t)g->vertices * sizeof *next);
    for (int32_t v = 0; v < g->vertices; v++)
        for (int32_t a = g->first[v]; a < g->first[v + 1]; a++)
            p->twin[a] = next[p->head[a]]++;
}

static void wait_for_next(peeling *p, int32_t v)
{
    if (p->degree[v] < 0 || p->degree[v] > MOST_NEIGHBOURS || p->queued[v] > p->round)
        return;
    p->queued[v] = p->round + 1;
    p->waiting[p->waiting_count++] = v;
}

static bool are_joined(const peeling *p, int32_t a, int32_t b)
{
    if (p->first[a + 1] - p->first[a] > p->first[b + 1] - p->first[b]) {
        const int32_t other = a;
        a = b;
        b = other;
    }
    if (p->first[a + 1] - p->first[a] > LONG_ROW)
        return false;
    for (int32_t k = p->first[a]; k < p->first[a + 1]; k++)
        if (p->head[k] == b)
            return true;
    return false;
}

static void drop(peeling *p, int32_t place, int32_t v)
{
    p->head[place] = DEAD;
    p->degree[v]--;
}

static void eliminate(peeling *p, int32_t v)
{
    int32_t place[MOST_NEIGHBOURS], end[MOST_NEIGHBOURS], count = 0;
    for (int32_t k = p->first[v]; k < p->first[v + 1] && count < p->degree[v]; k++)
        if (p->head[k] != DEAD) {
            end[count] = p->head[k];
            place[count++] = p->twin[k];
        }
    p->degree[v] = -1;
    if (count == 2 && end[0] != end[1] && !are_joined(p, end[0], end[1])) {
        p->head[place[0]] = end[1];
        p->head[place[1]] = end[0];
        p->twin[place[0]] = place[1];
        p->twin[place[1]] = place[0];
    } else {
        for (int32_t k = 0; k < count; k++)
            drop(p, place[k], end[k]);
    }
    for (int32_t k = 0; k < count; k++) {
        p->touched[end[k]] = p->round;
        wait_for_next(p, end[k]);
    }
}

// Each round takes at least its first vertex, and about a third of them: a vertex touches two others at most.
static int32_t peel(peeling *p, int32_t *vertex)
{
    int32_t count = 0;
    for (int32_t v = 0; v < p->vertices; v++)
        wait_for_next(p, v);
    while (p->waiting_count > 0) {
        const int32_t list_count = p->waiting_count;
        memcpy(p->list, p->waiting, (size_t)list_count * sizeof *p->list);
        p->waiting_count = 0;
        p->round++;
        for (int32_t k = 0; k < list_count; k++) {
            const int32_t v = p->list[k];
            if (p->touched[v] == p->round) {
                wait_for_next(p, v);
                continue;
            }
            vertex[count++] = v;
            eliminate(p, v);
        }
    }
    return count;
}

// What is left, numbered anew. `number` [vertices] is scratch.
static mco_status take_core(mco_context *ctx, const order_graph *g, const peeling *p, int32_t *number, paths_core *core)
{
    mco_status st = MCO_OK;
    const int32_t n = g->vertices - core->peeled;
    int64_t pairs = 0;
    int32_t count = 0;
    for (int32_t v = 0; v < g->vertices; v++)
        pairs += p->degree[v] > 0 ? p->degree[v] : 0;
    core->graph.vertices = n;
    MCO_TRY(mco_alloc(ctx, &core->graph.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &core->graph.head, pairs));
    MCO_TRY(mco_alloc(ctx, &core->origin, n));
    if (g->x != NULL) {
        MCO_TRY(mco_alloc(ctx, &core->x, n));
        MCO_TRY(mco_alloc(ctx, &core->y, n));
    }
    for (int32_t v = 0; v < g->vertices; v++)
        if (p->degree[v] >= 0) {
            core->origin[count] = v;
            number[v] = count++;
        }
    int32_t next = 0;
    for (int32_t c = 0; c < n; c++) {
        const int32_t v = core->origin[c];
        for (int32_t k = p->first[v]; k < p->first[v + 1]; k++)
            if (p->head[k] != DEAD)
                core->graph.head[next++] = number[p->head[k]];
        core->graph.first[c + 1] = next;
        if (g->x != NULL) {
            core->x[c] = g->x[v];
            core->y[c] = g->y[v];
        }
    }
    core->graph.x = core->x;
    core->graph.y = core->y;
done:
    return st;
}

static mco_status open_peeling(mco_context *ctx, const order_graph *g, peeling *p)
{
    mco_status st = MCO_OK;
    *p = (peeling){.vertices = g->vertices, .first = g->first};
    MCO_TRY(mco_alloc(ctx, &p->head, g->first[g->vertices]));
    MCO_TRY(mco_alloc(ctx, &p->twin, g->first[g->vertices]));
    MCO_TRY(mco_alloc(ctx, &p->degree, g->vertices));
    MCO_TRY(mco_alloc(ctx, &p->touched, g->vertices));
    MCO_TRY(mco_alloc(ctx, &p->list, g->vertices));
    MCO_TRY(mco_alloc(ctx, &p->waiting, g->vertices));
    MCO_TRY(mco_alloc(ctx, &p->queued, g->vertices));
done:
    return st;
}

static void close_peeling(mco_context *ctx, peeling *p)
{
    mco_free(ctx, &p->queued);
    mco_free(ctx, &p->waiting);
    mco_free(ctx, &p->list);
    mco_free(ctx, &p->touched);
    mco_free(ctx, &p->degree);
    mco_free(ctx, &p->twin);
    mco_free(ctx, &p->head);
}

mco_status paths_core_make(mco_context *ctx, const order_graph *graph, int32_t *vertex, paths_core *out)
{
    mco_status st = MCO_OK;
    peeling p = {0};
    paths_core core = {0};
    MCO_TRY(open_peeling(ctx, graph, &p));
    sort_rows(graph, &p, p.list);
    for (int32_t v = 0; v < graph->vertices; v++)
        p.degree[v] = graph->first[v + 1] - graph->first[v];
    core.peeled = peel(&p, vertex);
    MCO_TRY(take_core(ctx, graph, &p, p.list, &core));
    *out = core;
    core = (paths_core){0};
done:
    paths_core_clear(ctx, &core);
    close_peeling(ctx, &p);
    return st;
}

void paths_core_clear(mco_context *ctx, paths_core *core)
{
    mco_free(ctx, &core->y);
    mco_free(ctx, &core->x);
    mco_free(ctx, &core->origin);
    mco_free(ctx, &core->graph.head);
    mco_free(ctx, &core->graph.first);
    *core = (paths_core){0};
}
