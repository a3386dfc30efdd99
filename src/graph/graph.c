// SPDX-License-Identifier: MIT
#include "graph/graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "base/number.h"

// ---- Edges as they come

mco_status graph_edges_add(mco_context *ctx, graph_edges *edges, int32_t from, int32_t to, double weight)
{
    mco_status st = MCO_OK;
    const int64_t count = edges->count + 1;
    if (count > MCO_GRAPH_MAX_ARCS / 2)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the graph has more than %" PRId64 " edges", (int64_t)MCO_GRAPH_MAX_ARCS / 2);
    MCO_TRY(mco_grow(ctx, &edges->from, &edges->from_room, count));
    MCO_TRY(mco_grow(ctx, &edges->to, &edges->to_room, count));
    if (edges->has_weights) {
        MCO_TRY(mco_grow(ctx, &edges->weight, &edges->weight_room, count));
        edges->weight[edges->count] = weight;
    }
    edges->from[edges->count] = from;
    edges->to[edges->count] = to;
    edges->count = count;
done:
    return st;
}

void graph_edges_clear(mco_context *ctx, graph_edges *edges)
{
    mco_free(ctx, &edges->from);
    mco_free(ctx, &edges->to);
    mco_free(ctx, &edges->weight);
    *edges = (graph_edges){0};
}

// ---- Rows

// Sorts the edges into rows by counting. first[v] is used as the place of the next arc of v, and moved back afterwards.
static void fill_rows(const mco_graph_edges *edges, mco_graph *graph)
{
    const int32_t n = edges->vertices;
    for (int64_t k = 0; k < edges->edges; k++) {
        const int32_t ends[2] = {edges->from[k], edges->to[k]};
        const int sides = edges->is_directed || ends[0] == ends[1] ? 1 : 2;
        for (int side = 0; side < sides; side++) {
            const int64_t at = graph->first[ends[side]]++;
            graph->head[at] = ends[1 - side];
            if (graph->weight != NULL)
                graph->weight[at] = edges->weight[k];
        }
    }
    memmove(graph->first + 1, graph->first, (size_t)n * sizeof *graph->first);
    graph->first[0] = 0;
}

// Counts the arcs of each row, and sums them up to the begin of each row.
static int64_t begin_rows(const mco_graph_edges *edges, int64_t *first)
{
    int64_t arcs = 0;
    for (int64_t k = 0; k < edges->edges; k++) {
        first[edges->from[k]]++;
        if (!edges->is_directed && edges->from[k] != edges->to[k])
            first[edges->to[k]]++;
    }
    for (int32_t v = 0; v <= edges->vertices; v++) {
        const int64_t degree = first[v];
        first[v] = arcs;
        arcs += degree;
    }
    return arcs;
}

static mco_status copy_places(mco_context *ctx, const mco_graph_edges *edges, mco_graph *graph)
{
    mco_status st = MCO_OK;
    const size_t bytes = (size_t)edges->vertices * sizeof(double);
    if (edges->x == NULL || edges->y == NULL || bytes == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &graph->x, edges->vertices));
    MCO_TRY(mco_alloc(ctx, &graph->y, edges->vertices));
    memcpy(graph->x, edges->x, bytes);
    memcpy(graph->y, edges->y, bytes);
done:
    return st;
}

mco_status graph_build(mco_context *ctx, const mco_graph_edges *edges, const char *name, char ***names, int32_t base,
                       mco_graph **out)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    MCO_TRY(mco_alloc(ctx, &graph, 1));
    MCO_TRY(mco_alloc(ctx, &graph->name, strlen(name) + 1));
    memcpy(graph->name, name, strlen(name) + 1);
    MCO_TRY(mco_alloc(ctx, &graph->first, (int64_t)edges->vertices + 1));
    const int64_t arcs = begin_rows(edges, graph->first);
    MCO_TRY(mco_alloc(ctx, &graph->head, arcs));
    if (edges->weight != NULL)
        MCO_TRY(mco_alloc(ctx, &graph->weight, arcs));
    MCO_TRY(copy_places(ctx, edges, graph));
    fill_rows(edges, graph);
    graph->base = base;
    graph->rows = (mco_graph_rows){.vertices = edges->vertices, .arcs = arcs, .first = graph->first, .head = graph->head,
                                   .weight = graph->weight, .x = graph->x, .y = graph->y,
                                   .is_directed = edges->is_directed, .edges = edges->edges};
    if (names != NULL) {
        graph->names = *names;
        *names = NULL;
    }
    *out = graph;
    graph = NULL;
done:
    mco_graph_destroy(ctx, &graph);
    return st;
}

static mco_status refuse_edges(mco_context *ctx, const mco_graph_edges *edges)
{
    const int32_t n = edges->vertices;
    if (n < 0 || edges->edges < 0 || (edges->edges > 0 && (edges->from == NULL || edges->to == NULL)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a graph needs 0 or more vertices, and the ends of its edges");
    if (n > MCO_GRAPH_MAX_VERTICES || edges->edges > MCO_GRAPH_MAX_ARCS / 2)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d vertices and %" PRId64 " edges, at most %d and %" PRId64 " are allowed", n,
                        edges->edges, MCO_GRAPH_MAX_VERTICES, MCO_GRAPH_MAX_ARCS / 2);
    for (int64_t k = 0; k < edges->edges; k++) {
        const int32_t u = edges->from[k], v = edges->to[k];
        if (u < 0 || u >= n || v < 0 || v >= n)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "edge %" PRId64 " joins %d and %d, vertices are 0 to %d", k, u, v, n - 1);
        if (edges->weight != NULL && !isfinite(edges->weight[k]))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the weight of edge %" PRId64 " is not finite", k);
    }
    return MCO_OK;
}

// ---- The public face

mco_status mco_graph_create(mco_context *ctx, const mco_graph_edges *edges, mco_graph **out)
{
    if (ctx == NULL || edges == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_status st = refuse_edges(ctx, edges);
    return st == MCO_OK ? graph_build(ctx, edges, "graph", NULL, 1, out) : st;
}

void mco_graph_destroy(mco_context *ctx, mco_graph **graph)
{
    if (graph == NULL || *graph == NULL)
        return;
    mco_graph *g = *graph;
    mco_free(ctx, &g->name);
    mco_free(ctx, &g->names);
    mco_free(ctx, &g->first);
    mco_free(ctx, &g->head);
    mco_free(ctx, &g->weight);
    mco_free(ctx, &g->x);
    mco_free(ctx, &g->y);
    mco_free(ctx, graph);
}

mco_graph_rows mco_graph_view(const mco_graph *graph)
{
    return graph != NULL ? graph->rows : (mco_graph_rows){0};
}

const char *mco_graph_name(const mco_graph *graph)
{
    return graph != NULL ? graph->name : NULL;
}

bool mco_graph_has_names(const mco_graph *graph)
{
    return graph != NULL && graph->names != NULL;
}

int32_t mco_graph_base(const mco_graph *graph)
{
    return graph != NULL ? graph->base : 0;
}

const char *mco_graph_vertex_name(const mco_graph *graph, int32_t vertex, char buffer[16])
{
    if (graph == NULL || vertex < 0 || vertex >= graph->rows.vertices)
        return NULL;
    if (graph->names != NULL && graph->names[vertex] != NULL)
        return graph->names[vertex];
    snprintf(buffer, 16, "%" PRId64, (int64_t)vertex + graph->base);
    return buffer;
}

mco_status mco_graph_find(mco_context *ctx, const mco_graph *graph, const char *name, int32_t *vertex)
{
    char buffer[16];
    if (ctx == NULL || graph == NULL || name == NULL || vertex == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    for (int32_t v = 0; v < graph->rows.vertices; v++)
        if (strcmp(mco_graph_vertex_name(graph, v, buffer), name) == 0) {
            *vertex = v;
            return MCO_OK;
        }
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "the graph has no vertex %s", name);
}
