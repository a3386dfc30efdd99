// SPDX-License-Identifier: MIT
// Triangles (Chiba, Nishizeki 1985; Latapy 2008). Every edge leads from the end of lesser degree to the other one, so no vertex
// has more than sqrt(2 * edges) edges that lead away. The two from the first vertex of a triangle are marked when the third
// edge is met.
//
// Triangles through given vertices lie among the neighbours of one of them.
#include "cycles/blocks.h"

enum { STEPS_PER_LOOK = 1 << 16 };  // edges between two looks at the clock

typedef struct finder {
    mco_run *run;
    const graph_simple *graph;
    const int32_t *through;
    int32_t through_count;
    cycles_take_triangle take;
    void *user;
    int64_t count, steps;
    bool is_over;
    int64_t *first;  // [n + 1] edges by their first vertex
    int32_t *head;   // [edges]
    int32_t *mark;   // [n] the last vertex + 1 to which this one is a neighbour
} finder;

static void sort_two(int32_t *a, int32_t *b)
{
    const int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

static void find_one(finder *f, int32_t u, int32_t v, int32_t w)
{
    f->count++;
    if (f->take == NULL)
        return;
    int32_t triangle[3] = {u, v, w};
    sort_two(&triangle[0], &triangle[1]);
    sort_two(&triangle[1], &triangle[2]);
    sort_two(&triangle[0], &triangle[1]);
    f->is_over = !f->take(triangle, f->user);
}

// Adds the steps; looks at the clock from time to time.
static void look(finder *f, int64_t steps)
{
    const int64_t before = f->steps / STEPS_PER_LOOK;
    f->steps += steps;
    if (f->steps / STEPS_PER_LOOK != before && mco_run_must_stop(f->run, f->count))
        f->is_over = true;
}

// ---- All triangles

static bool leads(const graph_simple *g, int32_t u, int32_t v)
{
    const int64_t a = g->first[u + 1] - g->first[u], b = g->first[v + 1] - g->first[v];
    return a != b ? a < b : u < v;
}

// Vertices with one edge are in no triangle; their edges are left out.
static mco_status direct_edges(finder *f, mco_context *ctx)
{
    mco_status st = MCO_OK;
    const graph_simple *g = f->graph;
    int64_t count = 0;
    MCO_TRY(mco_alloc(ctx, &f->first, (int64_t)g->vertices + 1));
    MCO_TRY(mco_alloc(ctx, &f->head, g->arcs / 2));
    for (int32_t u = 0; u < g->vertices; u++) {
        if (g->first[u + 1] - g->first[u] > 1)
            for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
                if (leads(g, u, g->head[a]))
                    f->head[count++] = g->head[a];
        f->first[u + 1] = count;
    }
done:
    return st;
}

// Counts the marked ends of v's edges; nothing branches on what it finds.
static int64_t count_marked(const finder *f, int32_t v, int32_t mark)
{
    int64_t count = 0;
    for (int64_t b = f->first[v]; b < f->first[v + 1]; b++)
        count += f->mark[f->head[b]] == mark;
    return count;
}

static void find_from(finder *f, int32_t u)
{
    const int64_t begin = f->first[u], end = f->first[u + 1];
    for (int64_t a = begin; a < end; a++)
        f->mark[f->head[a]] = u + 1;
    for (int64_t a = begin; a < end && !f->is_over; a++) {
        const int32_t v = f->head[a];
        if (f->take == NULL)
            f->count += count_marked(f, v, u + 1);
        else
            for (int64_t b = f->first[v]; b < f->first[v + 1] && !f->is_over; b++)
                if (f->mark[f->head[b]] == u + 1)
                    find_one(f, u, v, f->head[b]);
        look(f, 1 + f->first[v + 1] - f->first[v]);
    }
}

static mco_status find_all(finder *f, mco_context *ctx)
{
    mco_status st = MCO_OK;
    MCO_TRY(direct_edges(f, ctx));
    for (int32_t u = 0; u < f->graph->vertices && !f->is_over; u++)
        if (f->first[u + 1] - f->first[u] > 1)
            find_from(f, u);
done:
    return st;
}

// ---- Triangles through given vertices

static bool holds_all(const finder *f, int32_t u, int32_t v, int32_t w)
{
    for (int32_t k = 0; k < f->through_count; k++)
        if (f->through[k] != u && f->through[k] != v && f->through[k] != w)
            return false;
    return true;
}

static void find_through(finder *f)
{
    const graph_simple *g = f->graph;
    const int32_t u = f->through[0];
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        f->mark[g->head[a]] = u + 1;
    for (int64_t a = g->first[u]; a < g->first[u + 1] && !f->is_over; a++) {
        const int32_t v = g->head[a];
        for (int64_t b = g->first[v]; b < g->first[v + 1] && !f->is_over; b++)
            if (g->head[b] > v && f->mark[g->head[b]] == u + 1 && holds_all(f, u, v, g->head[b]))
                find_one(f, u, v, g->head[b]);
        look(f, g->first[v + 1] - g->first[v]);
    }
}

mco_status cycles_triangles(mco_context *ctx, mco_run *run, const graph_simple *graph, const int32_t *through,
                            int32_t through_count, cycles_take_triangle take, void *user, int64_t *count)
{
    mco_status st = MCO_OK;
    finder f = {.run = run, .graph = graph, .through = through, .through_count = through_count, .take = take, .user = user};
    *count = 0;
    MCO_TRY(mco_alloc(ctx, &f.mark, graph->vertices));
    if (through_count > 0)
        find_through(&f);
    else
        MCO_TRY(find_all(&f, ctx));
    *count = f.count;
done:
    mco_free(ctx, &f.first);
    mco_free(ctx, &f.head);
    mco_free(ctx, &f.mark);
    return st;
}
