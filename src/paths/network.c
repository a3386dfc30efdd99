// SPDX-License-Identifier: MIT
// Networks: a graph with integer weights, turns and ends. The graph keeps rows, names and places; its weights become integers.
#include "paths/network.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/structs.h"
#include "base/text.h"
#include "paths/file.h"

static const double DEFAULT_FINE_SCALE = 1000;  // of weights that are no integers

// ---- Weights

static mco_status refuse_weight(mco_context *ctx, const mco_graph *graph, int64_t arc, mco_status status, const char *limit)
{
    char from[16], to[16];
    const mco_graph_rows rows = mco_graph_view(graph);
    int32_t tail = 0;
    while (rows.first[tail + 1] <= arc)
        tail++;
    return mco_fail(ctx, status, "%s: arc %" PRId64 " from %s to %s has weight %.17g, %s", mco_graph_name(graph), arc,
                    mco_graph_vertex_name(graph, tail, from), mco_graph_vertex_name(graph, rows.head[arc], to), rows.weight[arc],
                    limit);
}

static double find_scale(const mco_graph_rows *rows, double asked)
{
    if (asked > 0)
        return asked;
    for (int64_t a = 0; rows->weight != NULL && a < rows->arcs; a++)
        if (rows->weight[a] != nearbyint(rows->weight[a]))
            return DEFAULT_FINE_SCALE;
    return 1;
}

// Makes the integers of the graph's weights, and tells their scale.
static mco_status make_weights(mco_context *ctx, const mco_graph *graph, double asked, int32_t **out, double *scale)
{
    mco_status st = MCO_OK;
    const mco_graph_rows rows = mco_graph_view(graph);
    *scale = find_scale(&rows, asked);
    MCO_TRY(mco_alloc(ctx, out, rows.arcs));
    for (int64_t a = 0; a < rows.arcs; a++) {
        const double weight = rows.weight != NULL ? nearbyint(*scale * rows.weight[a]) : 1;
        if (rows.weight != NULL && rows.weight[a] < 0)
            return refuse_weight(ctx, graph, a, MCO_ERR_ARGUMENT, "0 or more was expected");
        if (!(weight <= MCO_PATHS_MAX_WEIGHT))
            return refuse_weight(ctx, graph, a, MCO_ERR_LIMIT, "times the scale at most 1073741822 is allowed; a smaller scale helps");
        (*out)[a] = (int32_t)weight;
    }
done:
    return st;
}

static mco_status refuse_weights(mco_context *ctx, const mco_paths_network *network)
{
    for (int64_t a = 0; a < network->rows.arcs; a++) {
        const int32_t weight = network->weight[a];
        if (weight < 0 || weight > MCO_PATHS_NONE)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "arc %" PRId64 " has weight %d, 0 to %d were expected", a, weight, MCO_PATHS_NONE);
    }
    return MCO_OK;
}

// ---- Turns

static int compare_turns(const void *a, const void *b)
{
    const mco_paths_turn *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static mco_status refuse_turn(mco_context *ctx, const mco_paths_rows *rows, const mco_paths_turn *turn, int64_t k)
{
    if (turn->from < 0 || turn->from >= rows->arcs || turn->to < 0 || turn->to >= rows->arcs)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "turn %" PRId64 " leads from arc %" PRId64 " to arc %" PRId64 ", there are arcs 0 to %" PRId64,
                        k, turn->from, turn->to, rows->arcs - 1);
    const int32_t v = rows->head[turn->from];
    if (turn->to < rows->first[v] || turn->to >= rows->first[v + 1])
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "turn %" PRId64 ": arc %" PRId64 " ends at vertex %d, arc %" PRId64 " does not begin there", k,
                        turn->from, v, turn->to);
    if (turn->cost < -1 || turn->cost > MCO_PATHS_MAX_WEIGHT)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "turn %" PRId64 " has cost %d, -1 to %d were expected", k, turn->cost, MCO_PATHS_MAX_WEIGHT);
    return MCO_OK;
}

static mco_status take_turns(mco_context *ctx, const mco_paths_model *model, mco_paths_network *network)
{
    mco_status st = MCO_OK;
    const int64_t count = model->turn_count;
    if (count == 0)
        return MCO_OK;
    if (count < 0 || model->turns == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " turns, and the pointer to them is %sNULL", count, model->turns == NULL ? "" : "not ");
    MCO_TRY(mco_alloc(ctx, &network->turns, count));
    for (int64_t k = 0; k < count; k++) {
        MCO_TRY(refuse_turn(ctx, &network->rows, &model->turns[k], k));
        network->turns[k] = model->turns[k];
    }
    qsort(network->turns, (size_t)count, sizeof *network->turns, compare_turns);
    for (int64_t k = 1; k < count; k++)
        if (compare_turns(&network->turns[k - 1], &network->turns[k]) == 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the turn from arc %" PRId64 " to arc %" PRId64 " is there twice", network->turns[k].from,
                            network->turns[k].to);
    network->has_turns = true;
    network->rows.turns = network->turns;
    network->rows.turn_count = count;
done:
    return st;
}

// ---- Networks

mco_status paths_network_adopt(mco_context *ctx, mco_graph **graph, int32_t **weight, const mco_paths_model *model, bool is_map,
                               mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_paths_network *network = NULL;
    double scale = model->scale > 0 ? model->scale : 1;
    const mco_graph_rows g = mco_graph_view(*graph);
    const char *name = mco_graph_name(*graph);
    if (model->first_through < 0 || model->first_through > g.vertices)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the first through vertex is %d, 0 to %d were expected", model->first_through, g.vertices);
    if (!(model->scale >= 0) || isinf(model->scale))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the scale is %g, a finite number of 0 or more was expected", model->scale);
    MCO_TRY(mco_alloc(ctx, &network, 1));
    MCO_TRY(mco_alloc(ctx, &network->name, strlen(name) + 1));
    memcpy(network->name, name, strlen(name) + 1);
    if (weight != NULL) {
        network->weight = *weight;
        *weight = NULL;
    } else {
        MCO_TRY(make_weights(ctx, *graph, model->scale, &network->weight, &scale));
    }
    network->rows = (mco_paths_rows){.vertices = g.vertices, .arcs = g.arcs, .first = g.first, .head = g.head, .weight = network->weight,
                                     .x = g.x, .y = g.y, .first_through = model->first_through, .scale = scale, .is_map = is_map};
    MCO_TRY(refuse_weights(ctx, network));
    MCO_TRY(take_turns(ctx, model, network));
    network->graph = *graph;
    *graph = NULL;
    mco_free(ctx, &network->graph->weight);
    network->graph->rows.weight = NULL;
    *out = network;
    network = NULL;
done:
    mco_paths_destroy(ctx, &network);
    return st;
}

// The names of a graph are one block: pointers [vertices], then the characters.
static mco_status copy_names(mco_context *ctx, const mco_graph *graph, char ***out)
{
    mco_status st = MCO_OK;
    const size_t vertices = (size_t)graph->rows.vertices;
    size_t bytes = vertices * sizeof(char *);
    void *block = NULL;
    if (graph->names == NULL)
        return MCO_OK;
    for (size_t v = 0; v < vertices; v++)
        bytes += graph->names[v] != NULL ? strlen(graph->names[v]) + 1 : 0;
    MCO_TRY(mco_alloc_bytes(ctx, &block, bytes, 1));
    char **names = block;
    char *next = (char *)(names + vertices);
    for (size_t v = 0; v < vertices; v++) {
        if (graph->names[v] == NULL)
            continue;
        const size_t size = strlen(graph->names[v]) + 1;
        names[v] = memcpy(next, graph->names[v], size);
        next += size;
    }
    *out = names;
done:
    return st;
}

static mco_status copy_array(mco_context *ctx, const void *from, size_t count, size_t item_bytes, void **out)
{
    if (from == NULL)
        return MCO_OK;
    const mco_status st = mco_alloc_bytes(ctx, out, count, item_bytes);
    if (st == MCO_OK)
        memcpy(*out, from, count * item_bytes);
    return st;
}

static mco_status copy_graph(mco_context *ctx, const mco_graph *graph, mco_graph **out)
{
    mco_status st = MCO_OK;
    mco_graph *g = NULL;
    const size_t n = (size_t)graph->rows.vertices, m = (size_t)graph->rows.arcs;
    MCO_TRY(mco_alloc(ctx, &g, 1));
    MCO_TRY(copy_array(ctx, graph->name, strlen(graph->name) + 1, 1, (void **)&g->name));
    MCO_TRY(copy_names(ctx, graph, &g->names));
    MCO_TRY(copy_array(ctx, graph->first, n + 1, sizeof *g->first, (void **)&g->first));
    MCO_TRY(copy_array(ctx, graph->head, m, sizeof *g->head, (void **)&g->head));
    MCO_TRY(copy_array(ctx, graph->weight, m, sizeof *g->weight, (void **)&g->weight));
    MCO_TRY(copy_array(ctx, graph->x, n, sizeof *g->x, (void **)&g->x));
    MCO_TRY(copy_array(ctx, graph->y, n, sizeof *g->y, (void **)&g->y));
    g->base = graph->base;
    g->rows = graph->rows;
    g->rows.first = g->first;
    g->rows.head = g->head;
    g->rows.weight = g->weight;
    g->rows.x = g->x;
    g->rows.y = g->y;
    *out = g;
    g = NULL;
done:
    mco_graph_destroy(ctx, &g);
    return st;
}

mco_status mco_paths_create(mco_context *ctx, const mco_graph *graph, const mco_paths_model *model, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_paths_model m = MCO_PATHS_MODEL_INIT;
    mco_graph *copy = NULL;
    if (ctx == NULL || graph == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (model != NULL)
        MCO_TRY(MCO_TAKE(ctx, model, &m));
    MCO_TRY(copy_graph(ctx, graph, &copy));
    MCO_TRY(paths_network_adopt(ctx, &copy, NULL, &m, false, out));
done:
    mco_graph_destroy(ctx, &copy);
    return st;
}

mco_status paths_network_copy(mco_context *ctx, const mco_paths_network *network, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    int32_t *weight = NULL;
    const mco_paths_rows *r = &network->rows;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    model.scale = r->scale;
    model.first_through = r->first_through;
    model.turns = r->turns;
    model.turn_count = r->turn_count;
    MCO_TRY(copy_graph(ctx, network->graph, &graph));
    MCO_TRY(copy_array(ctx, r->weight, (size_t)r->arcs, sizeof *weight, (void **)&weight));
    MCO_TRY(paths_network_adopt(ctx, &graph, &weight, &model, r->is_map, out));
done:
    mco_free(ctx, &weight);
    mco_graph_destroy(ctx, &graph);
    return st;
}

static bool has_same_turns(const mco_paths_rows *a, const mco_paths_rows *b)
{
    bool is_same = a->turn_count == b->turn_count;
    for (int64_t k = 0; is_same && k < a->turn_count; k++)
        is_same = compare_turns(&a->turns[k], &b->turns[k]) == 0 && a->turns[k].cost == b->turns[k].cost;
    return is_same;
}

mco_status paths_refuse_other(mco_context *ctx, const mco_paths_network *network, const mco_paths_network *inner)
{
    if (inner == NULL || inner == network)
        return MCO_OK;
    const mco_paths_rows *a = &network->rows, *b = &inner->rows;
    if (a->vertices != b->vertices || a->arcs != b->arcs)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the hierarchy has %d vertices and %" PRId64 " arcs, the network %d and %" PRId64, b->vertices,
                        b->arcs, a->vertices, a->arcs);
    if (memcmp(a->first, b->first, ((size_t)a->vertices + 1) * sizeof *a->first) != 0 ||
        memcmp(a->head, b->head, (size_t)a->arcs * sizeof *a->head) != 0 || a->first_through != b->first_through || !has_same_turns(a, b))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the hierarchy is of another network: %s, not %s", inner->name, network->name);
    for (int64_t k = 0; k < a->arcs; k++)
        if (a->weight[k] != b->weight[k])
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "arc %" PRId64 " has weight %d in the hierarchy, %d in the network", k, b->weight[k], a->weight[k]);
    return MCO_OK;
}

void mco_paths_destroy(mco_context *ctx, mco_paths_network **network)
{
    if (network == NULL || *network == NULL)
        return;
    mco_graph_destroy(ctx, &(*network)->graph);
    mco_free(ctx, &(*network)->name);
    mco_free(ctx, &(*network)->weight);
    mco_free(ctx, &(*network)->turns);
    mco_free(ctx, network);
}

mco_paths_rows mco_paths_view(const mco_paths_network *network)
{
    return network != NULL ? network->rows : (mco_paths_rows){0};
}

const char *mco_paths_name(const mco_paths_network *network)
{
    return network != NULL ? network->name : NULL;
}

const char *mco_paths_vertex_name(const mco_paths_network *network, int32_t vertex, char buffer[16])
{
    return network != NULL ? mco_graph_vertex_name(network->graph, vertex, buffer) : NULL;
}

mco_status mco_paths_find_vertex(mco_context *ctx, const mco_paths_network *network, const char *name, int32_t *vertex)
{
    int64_t number;
    if (ctx == NULL || network == NULL || name == NULL || vertex == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const int32_t base = mco_graph_base(network->graph), n = network->rows.vertices;
    if (mco_graph_has_names(network->graph))
        return mco_graph_find(ctx, network->graph, name, vertex);
    if (n == 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s has no vertex %s, it has none at all", network->name, name);
    if (!mco_parse_integer(name, base, (int64_t)base + n - 1, &number))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s has no vertex %s, its vertices are %d to %" PRId64, network->name, name, base,
                        (int64_t)base + n - 1);
    *vertex = (int32_t)(number - base);
    return MCO_OK;
}
