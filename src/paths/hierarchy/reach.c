// SPDX-License-Identifier: MIT
// Reachability of 64 sources at once. Vertices of one strongly connected part reach the same, so masks belong to parts. Arcs between
// parts lead from greater numbers to lesser ones: one pass over the parts by descending numbers gives all masks. Vertices that end
// paths have no arcs there, so each of them is a part of its own. The arcs of a source among them give its bit before the pass.
#include "paths/hierarchy/reach.h"

#include <string.h>

#include "graph/parts.h"

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

// The arcs that paths may take after another one, as rows of their own. Errors: STOPPED, MEMORY.
static mco_status collect_open(mco_context *ctx, const mco_paths_hierarchy *h, graph_simple *out)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = &inner(h)->rows;
    int64_t count = 0;
    out->vertices = rows->vertices;
    for (int64_t a = rows->first[rows->first_through]; a < rows->arcs; a++)
        count += is_open(h, a);
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)rows->vertices + 1));
    MCO_TRY(mco_alloc(ctx, &out->head, count));
    for (int32_t v = 0; v < rows->vertices; v++) {
        MCO_TRY(mco_call_in_time(ctx, v));
        for (int64_t a = rows->first[v]; v >= rows->first_through && a < rows->first[v + 1]; a++)
            if (is_open(h, a))
                out->head[out->arcs++] = rows->head[a];
        out->first[v + 1] = out->arcs;
    }
done:
    return st;
}

// The arcs between parts. Several arcs between the same parts remain. `graph` are the open arcs. Errors: MEMORY.
static mco_status join_parts(mco_context *ctx, const graph_simple *graph, paths_reach *r)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &r->first, (int64_t)r->parts + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t v = 0; v < graph->vertices; v++)
            for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++) {
                const int32_t from = r->part[v], to = r->part[graph->head[a]];
                if (from != to && pass == 0)
                    r->first[from]++;
                else if (from != to)
                    r->head[r->first[from]++] = to;
            }
        if (pass == 1)
            break;
        int64_t sum = 0;
        for (int32_t k = 0; k <= r->parts; k++) {
            const int64_t count = r->first[k];
            r->first[k] = sum;
            sum += count;
        }
        MCO_TRY(mco_alloc(ctx, &r->head, sum));
    }
    memmove(r->first + 1, r->first, (size_t)r->parts * sizeof *r->first);
    r->first[0] = 0;
done:
    return st;
}

mco_status paths_reach_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_run *run, paths_reach *out)
{
    mco_status st = MCO_OK;
    graph_simple graph = {0};
    paths_reach r = {.hierarchy = hierarchy, .rows = &inner(hierarchy)->rows};
    MCO_TRY(collect_open(ctx, hierarchy, &graph));
    MCO_TRY(graph_strong_components(ctx, &graph, run, &r.part, &r.parts));
    MCO_TRY(join_parts(ctx, &graph, &r));
    MCO_TRY(mco_alloc(ctx, &r.mask, r.parts));
    *out = r;
    r = (paths_reach){0};
done:
    graph_simple_clear(ctx, &graph);
    paths_reach_close(ctx, &r);
    return st;
}

void paths_reach_close(mco_context *ctx, paths_reach *reach)
{
    mco_free(ctx, &reach->mask);
    mco_free(ctx, &reach->head);
    mco_free(ctx, &reach->first);
    mco_free(ctx, &reach->part);
    *reach = (paths_reach){0};
}

// Puts source j where it begins, and where its arcs lead if it ends paths.
static void begin_source(paths_reach *r, int32_t j, int32_t source)
{
    const mco_paths_rows *rows = r->rows;
    const uint64_t bit = UINT64_C(1) << j;
    const int32_t v = r->hierarchy->entry != NULL ? r->hierarchy->entry[source] : source;
    r->mask[r->part[v]] |= bit;
    for (int64_t a = rows->first[v]; v < rows->first_through && a < rows->first[v + 1]; a++)
        if (is_open(r->hierarchy, a))
            r->mask[r->part[rows->head[a]]] |= bit;
}

mco_status paths_reach_from(mco_context *ctx, paths_reach *reach, mco_run *run, int32_t count, const int32_t *source)
{
    enum { LOOK = 1 << 20 };
    int64_t done = 0;
    memset(reach->mask, 0, (size_t)reach->parts * sizeof *reach->mask);
    for (int32_t j = 0; j < count; j++)
        begin_source(reach, j, source[j]);
    for (int32_t k = reach->parts; k-- > 0;) {
        const uint64_t given = reach->mask[k];
        for (int64_t a = reach->first[k]; given != 0 && a < reach->first[k + 1]; a++)
            reach->mask[reach->head[a]] |= given;
        done += 1 + reach->first[k + 1] - reach->first[k];
        if (done < LOOK)
            continue;
        done = 0;
        if (mco_run_must_stop(run, 0))
            return mco_fail(ctx, MCO_ERR_STOPPED, "stopped before all pairs were tested for a path");
    }
    return MCO_OK;
}

mco_status paths_reach_refuse(mco_context *ctx, const paths_reach *reach, int32_t j, int32_t source, int32_t target)
{
    char from[16], to[16];
    const mco_paths_network *network = reach->hierarchy->network;
    if (!paths_reach_has(reach, j, target))
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_LIMIT, "the distance from vertex %s to %s is %d or more, less is supported: a smaller scale helps",
                    mco_paths_vertex_name(network, source, from), mco_paths_vertex_name(network, target, to), MCO_PATHS_NONE);
}
