// SPDX-License-Identifier: MIT
// Niche-overlap graphs. The predators of each prey are joined to each other. Every predator goes through its prey, and marks
// the other predators of these that come after it, so each edge is found once. A species that eats its own kind is a predator
// of itself.
#include <stdio.h>
#include <string.h>

#include "graph/graph.h"
#include "mco/cycles.h"

typedef struct overlap {
    mco_context *ctx;
    mco_graph_rows web;   // rows: the predators of a prey
    int64_t *prey_first;  // [vertices + 1] the prey of each predator
    int32_t *prey;        // [arcs]
    int32_t *mark;        // [vertices] the last vertex + 1 to which this one was joined
    graph_edges edges;
} overlap;

static mco_status list_prey(overlap *o)
{
    mco_status st = MCO_OK;
    const int32_t n = o->web.vertices;
    MCO_TRY(mco_alloc(o->ctx, &o->prey_first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(o->ctx, &o->prey, o->web.arcs));
    for (int64_t a = 0; a < o->web.arcs; a++)
        o->prey_first[o->web.head[a] + 1]++;
    for (int32_t v = 0; v < n; v++)
        o->prey_first[v + 1] += o->prey_first[v];
    for (int32_t v = 0; v < n; v++)
        for (int64_t a = o->web.first[v]; a < o->web.first[v + 1]; a++)
            o->prey[o->prey_first[o->web.head[a]]++] = v;
    memmove(o->prey_first + 1, o->prey_first, (size_t)n * sizeof *o->prey_first);
    o->prey_first[0] = 0;
done:
    return st;
}

// Joins a predator to those of greater number that share a prey with it.
static mco_status join_predator(overlap *o, int32_t u)
{
    mco_status st = MCO_OK;
    for (int64_t k = o->prey_first[u]; k < o->prey_first[u + 1]; k++) {
        const int32_t prey = o->prey[k];
        for (int64_t a = o->web.first[prey]; a < o->web.first[prey + 1]; a++) {
            const int32_t v = o->web.head[a];
            if (v <= u || o->mark[v] == u + 1)
                continue;
            o->mark[v] = u + 1;
            MCO_TRY(graph_edges_add(o->ctx, &o->edges, u, v, 1));
        }
    }
done:
    return st;
}

// Copies names that are one block of pointers and characters (base/names.h).
static mco_status copy_names(mco_context *ctx, char *const *names, int32_t count, char ***out)
{
    size_t bytes = (size_t)count * sizeof **out;
    char **copy = NULL;
    if (names == NULL)
        return MCO_OK;
    for (int32_t v = 0; v < count; v++)
        bytes += names[v] != NULL ? strlen(names[v]) + 1 : 0;
    const mco_status st = mco_alloc_bytes(ctx, (void **)&copy, bytes, 1);
    if (st != MCO_OK)
        return st;
    char *to = (char *)(copy + count);
    for (int32_t v = 0; v < count; v++)
        if (names[v] != NULL) {
            copy[v] = to;
            to = stpcpy(to, names[v]) + 1;
        }
    *out = copy;
    return MCO_OK;
}

static mco_status build(overlap *o, const mco_graph *web, mco_graph **out)
{
    mco_status st = MCO_OK;
    static const char ending[] = "-niche-overlap";
    char *name = NULL, **names = NULL;
    const mco_graph_edges edges = {.vertices = o->web.vertices, .edges = o->edges.count, .from = o->edges.from,
                                   .to = o->edges.to, .x = o->web.x, .y = o->web.y};
    const size_t size = strlen(web->name) + sizeof ending;
    MCO_TRY(mco_alloc(o->ctx, &name, size));
    snprintf(name, size, "%s%s", web->name, ending);
    MCO_TRY(copy_names(o->ctx, web->names, o->web.vertices, &names));
    MCO_TRY(graph_build(o->ctx, &edges, name, names != NULL ? &names : NULL, web->base, out));
done:
    mco_free(o->ctx, &name);
    mco_free(o->ctx, &names);
    return st;
}

mco_status mco_cycles_niche_overlap(mco_context *ctx, const mco_graph *web, mco_graph **out)
{
    mco_status st = MCO_OK;
    if (ctx == NULL || web == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    overlap o = {.ctx = ctx, .web = mco_graph_view(web)};
    if (!o.web.is_directed)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the food web is undirected, arcs from prey to predator were expected");
    MCO_TRY(list_prey(&o));
    MCO_TRY(mco_alloc(ctx, &o.mark, o.web.vertices));
    for (int32_t u = 0; u < o.web.vertices; u++)
        MCO_TRY(join_predator(&o, u));
    MCO_TRY(build(&o, web, out));
done:
    mco_free(ctx, &o.prey_first);
    mco_free(ctx, &o.prey);
    mco_free(ctx, &o.mark);
    graph_edges_clear(ctx, &o.edges);
    return st;
}
