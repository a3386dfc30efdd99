// SPDX-License-Identifier: MIT
// Reachability of 64 sources at once: a worklist of vertices whose masks have grown.
#include "paths/hierarchy/reach.h"

#include <string.h>

static const mco_paths_network *inner(const mco_paths_hierarchy *h)
{
    return h->expanded != NULL ? h->expanded : h->network;
}

// The greatest length of a way up, at most, from any vertex by these weights; `longest` [vertices] is scratch.
static int64_t longest_way(const paths_topology *t, const int32_t *weight, int64_t *longest)
{
    int64_t most = 0;
    for (int32_t v = t->vertices - 1; v >= 0; v--) {
        longest[v] = 0;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            if (weight[a] < MCO_PATHS_NONE && weight[a] + longest[t->head[a]] > longest[v])
                longest[v] = weight[a] + longest[t->head[a]];
        most = longest[v] > most ? longest[v] : most;
    }
    return most;
}

// Whether paths may take an arc of the inner network. Where its weight and the cost of a turn reach the limit, the arc is open, and its
// weight is MCO_PATHS_NONE all the same.
static bool is_open(const mco_paths_hierarchy *h, int64_t arc)
{
    if (inner(h)->rows.weight[arc] < MCO_PATHS_NONE)
        return true;
    return h->plain_arc != NULL && h->network->rows.weight[h->plain_arc[arc]] < MCO_PATHS_NONE;  // an arc of weight 0 is not here
}

static bool has_long_turn(const mco_paths_hierarchy *h)
{
    const mco_paths_rows *rows = &inner(h)->rows;
    for (int64_t a = 0; h->plain_arc != NULL && a < rows->arcs; a++)
        if (rows->weight[a] >= MCO_PATHS_NONE && is_open(h, a))
            return true;
    return false;
}

// A sum over a triangle is at most twice the greatest weight: below the limit, customising has lost nothing. The same holds for the
// sums of a query if the longest ways up and down together are below it. A way has at most 2^16 arcs, so 64 bits hold it.
mco_status paths_is_short(mco_context *ctx, const mco_paths_hierarchy *hierarchy, bool *is_short)
{
    const paths_topology *t = &hierarchy->topology;
    int64_t *longest = NULL, most = 0;
    const mco_status st = mco_alloc(ctx, &longest, t->vertices);
    if (st != MCO_OK)
        return st;
    for (int32_t a = 0; a < t->arcs; a++) {
        const int32_t up = hierarchy->metric.up[a], down = hierarchy->metric.down[a];
        most = up < MCO_PATHS_NONE && up > most ? up : most;
        most = down < MCO_PATHS_NONE && down > most ? down : most;
    }
    *is_short = 2 * most < MCO_PATHS_NONE && !has_long_turn(hierarchy) &&
                longest_way(t, hierarchy->metric.up, longest) + longest_way(t, hierarchy->metric.down, longest) < MCO_PATHS_NONE;
    mco_free(ctx, &longest);
    return MCO_OK;
}

mco_status paths_reach_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_reach *out)
{
    mco_status st = MCO_OK;
    const int32_t n = inner(hierarchy)->rows.vertices;
    paths_reach r = {.hierarchy = hierarchy, .rows = &inner(hierarchy)->rows};
    MCO_TRY(mco_alloc(ctx, &r.mask, n));
    MCO_TRY(mco_alloc(ctx, &r.own, n));
    MCO_TRY(mco_alloc(ctx, &r.queue, n));
    MCO_TRY(mco_alloc(ctx, &r.is_queued, n));
    *out = r;
    r = (paths_reach){0};
done:
    paths_reach_close(ctx, &r);
    return st;
}

void paths_reach_close(mco_context *ctx, paths_reach *reach)
{
    mco_free(ctx, &reach->is_queued);
    mco_free(ctx, &reach->queue);
    mco_free(ctx, &reach->own);
    mco_free(ctx, &reach->mask);
    *reach = (paths_reach){0};
}

typedef struct ring {
    int64_t begin, end;  // counts of what was taken and put; at most `vertices` apart
} ring;

static void put(paths_reach *r, ring *of, int32_t v)
{
    if (r->is_queued[v])
        return;
    r->is_queued[v] = true;
    r->queue[of->end++ % r->rows->vertices] = v;
}

// Gives the sources of u to its neighbours; a vertex that ends paths passes on only itself.
static void pass_on(paths_reach *r, ring *of, int32_t u)
{
    const mco_paths_rows *rows = r->rows;
    const uint64_t given = u < rows->first_through ? r->mask[u] & r->own[u] : r->mask[u];
    for (int64_t a = rows->first[u]; a < rows->first[u + 1]; a++) {
        const int32_t v = rows->head[a];
        if ((given & ~r->mask[v]) == 0 || !is_open(r->hierarchy, a))
            continue;
        r->mask[v] |= given;
        put(r, of, v);
    }
}

mco_status paths_reach_from(mco_context *ctx, paths_reach *reach, mco_run *run, int32_t count, const int32_t *source)
{
    enum { LOOK = 1 << 16 };
    const int32_t n = reach->rows->vertices;
    ring of = {0, 0};
    memset(reach->mask, 0, (size_t)n * sizeof *reach->mask);
    memset(reach->own, 0, (size_t)n * sizeof *reach->own);
    for (int32_t j = 0; j < count; j++) {
        const int32_t v = reach->hierarchy->entry != NULL ? reach->hierarchy->entry[source[j]] : source[j];
        reach->mask[v] |= UINT64_C(1) << j;
        reach->own[v] |= UINT64_C(1) << j;
        put(reach, &of, v);
    }
    while (of.begin < of.end) {  // every entry adds a bit to some mask, so this ends
        const int32_t u = reach->queue[of.begin++ % n];
        if (of.begin % LOOK == 0 && mco_run_must_stop(run, 0))
            return mco_fail(ctx, MCO_ERR_STOPPED, "stopped before all pairs were tested for a path");
        reach->is_queued[u] = false;
        pass_on(reach, &of, u);
    }
    return MCO_OK;
}

mco_status paths_reach_refuse(mco_context *ctx, const paths_reach *reach, int32_t j, int32_t source, int32_t target)
{
    char from[16], to[16];
    const mco_paths_network *network = reach->hierarchy->network;
    if (((reach->mask[target] >> j) & 1) == 0)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_LIMIT, "the distance from vertex %s to %s is %d or more, less is supported: a smaller scale helps",
                    mco_paths_vertex_name(network, source, from), mco_paths_vertex_name(network, target, to), MCO_PATHS_NONE);
}
