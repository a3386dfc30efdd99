// SPDX-License-Identifier: MIT
// Turns as arcs. A vertex v at which turns have costs or are forbidden is split into
//   - the exit, which keeps the number of v: paths into v end here, no arc leaves it;
//   - entry[v]: paths from v begin here, and so does what arrives by an arc without turns; every arc out of v leaves it;
//   - a vertex for each arc into v that has turns: each arc out of v leaves it, with the cost of the turn, unless that is forbidden.
// An arc without a weight leads from each of the last two to the exit. So the distance of v is the distance from the entry of the
// source to the exit of v, and 0 at the source itself. Ends of paths are not split: no path turns there.
#include <inttypes.h>
#include <string.h>

#include "graph/graph.h"
#include "paths/file.h"
#include "paths/hierarchy/prepare.h"

typedef struct expansion {
    const mco_paths_rows *rows;
    int64_t *turn_first;  // [arcs + 1] the turns from an arc
    int32_t *entry;       // [vertices] itself where v is not split
    int32_t *arrival;     // [arcs] where an arc leads
    int32_t vertices;     // of the expanded network
    int64_t arcs;
    int64_t *first;       // the expanded rows
    int32_t *head, *weight, *cost;
    int64_t *plain_arc;
} expansion;

static bool is_split(const expansion *e, int32_t v)
{
    return e->entry[v] != v;
}

// Numbers the vertices of the expanded network.
static mco_status number_vertices(mco_context *ctx, expansion *e)
{
    const mco_paths_rows *rows = e->rows;
    int64_t next = rows->vertices;
    for (int64_t k = 0; k < rows->turn_count; k++)
        e->turn_first[rows->turns[k].from + 1]++;
    for (int64_t a = 0; a < rows->arcs; a++) {
        if (e->turn_first[a + 1] > 0 && rows->head[a] >= rows->first_through)
            e->entry[rows->head[a]] = -1;
        e->turn_first[a + 1] += e->turn_first[a];
    }
    for (int32_t v = 0; v < rows->vertices; v++)
        e->entry[v] = e->entry[v] < 0 ? (int32_t)next++ : v;
    for (int64_t a = 0; a < rows->arcs; a++) {
        const bool has_turns = e->turn_first[a + 1] > e->turn_first[a] && is_split(e, rows->head[a]);
        if (next >= INT32_MAX)
            return mco_fail(ctx, MCO_ERR_LIMIT, "turns make more than %d vertices, at most %d are supported", INT32_MAX, INT32_MAX);
        e->arrival[a] = has_turns ? (int32_t)next++ : e->entry[rows->head[a]];
    }
    e->vertices = (int32_t)next;
    return MCO_OK;
}

// Appends an arc of the expanded network; counts it only while there are no arrays.
static void put(expansion *e, int32_t head, int64_t plain_arc, int32_t cost)
{
    if (e->head != NULL) {
        e->head[e->arcs] = head;
        e->plain_arc[e->arcs] = plain_arc;
        e->cost[e->arcs] = cost;
    }
    e->arcs++;
}

// The arcs out of v from its entry.
static void put_entry(expansion *e, int32_t v)
{
    if (is_split(e, v))
        put(e, v, -1, 0);
    for (int64_t b = e->rows->first[v]; b < e->rows->first[v + 1]; b++)
        put(e, e->arrival[b], b, 0);
}

// The arcs that follow arc a, whose head is split. Its turns and the arcs ascend together.
static void put_followers(expansion *e, int64_t a)
{
    const int32_t v = e->rows->head[a];
    int64_t k = e->turn_first[a];
    put(e, v, -1, 0);
    for (int64_t b = e->rows->first[v]; b < e->rows->first[v + 1]; b++) {
        const bool has_turn = k < e->turn_first[a + 1] && e->rows->turns[k].to == b;
        const int32_t cost = has_turn ? e->rows->turns[k++].cost : 0;
        if (cost >= 0)
            put(e, e->arrival[b], b, cost);
    }
}

// Vertices of the expanded network were numbered in this order.
static void put_all(expansion *e)
{
    const mco_paths_rows *rows = e->rows;
    int32_t at = 0;
    e->arcs = 0;
    for (int32_t v = 0; v < rows->vertices; v++) {
        e->first[at++] = e->arcs;
        if (!is_split(e, v))
            put_entry(e, v);
    }
    for (int32_t v = 0; v < rows->vertices; v++)
        if (is_split(e, v)) {
            e->first[at++] = e->arcs;
            put_entry(e, v);
        }
    for (int64_t a = 0; a < rows->arcs; a++)
        if (e->arrival[a] != e->entry[rows->head[a]]) {
            e->first[at++] = e->arcs;
            put_followers(e, a);
        }
    e->first[at] = e->arcs;
}

static mco_status make_rows(mco_context *ctx, const mco_paths_network *network, expansion *e)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = &network->rows;
    *e = (expansion){.rows = rows};
    MCO_TRY(mco_alloc(ctx, &e->turn_first, rows->arcs + 1));
    MCO_TRY(mco_alloc(ctx, &e->entry, rows->vertices));
    MCO_TRY(mco_alloc(ctx, &e->arrival, rows->arcs));
    MCO_TRY(number_vertices(ctx, e));
    MCO_TRY(mco_alloc(ctx, &e->first, (int64_t)e->vertices + 1));
    put_all(e);
    MCO_TRY(mco_alloc(ctx, &e->plain_arc, e->arcs));
    MCO_TRY(mco_alloc(ctx, &e->cost, e->arcs));
    MCO_TRY(mco_alloc(ctx, &e->weight, e->arcs));
    MCO_TRY(mco_alloc(ctx, &e->head, e->arcs));
    put_all(e);
done:
    return st;
}

static void clear_expansion(mco_context *ctx, expansion *e)
{
    mco_free(ctx, &e->head);
    mco_free(ctx, &e->weight);
    mco_free(ctx, &e->cost);
    mco_free(ctx, &e->plain_arc);
    mco_free(ctx, &e->first);
    mco_free(ctx, &e->arrival);
    mco_free(ctx, &e->entry);
    mco_free(ctx, &e->turn_first);
}

static void weigh(int64_t arcs, const int64_t *plain_arc, const int32_t *cost, const int32_t *weight, int32_t *out)
{
    for (int64_t k = 0; k < arcs; k++) {
        const int32_t sum = plain_arc[k] < 0 ? 0 : weight[plain_arc[k]] + cost[k];  // both at most MCO_PATHS_NONE
        out[k] = sum < MCO_PATHS_NONE ? sum : MCO_PATHS_NONE;
    }
}

void paths_turns_weigh(const mco_paths_hierarchy *hierarchy, const int32_t *weight, int32_t *out)
{
    weigh(hierarchy->expanded->rows.arcs, hierarchy->plain_arc, hierarchy->turn_cost, weight, out);
}

mco_status paths_turns_expand(mco_context *ctx, const mco_paths_network *network, mco_paths_hierarchy *hierarchy)
{
    mco_status st = MCO_OK;
    expansion e = {0};
    mco_graph *graph = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    model.scale = network->rows.scale;
    model.first_through = network->rows.first_through;
    MCO_TRY(make_rows(ctx, network, &e));
    weigh(e.arcs, e.plain_arc, e.cost, network->rows.weight, e.weight);
    MCO_TRY(mco_alloc(ctx, &graph, 1));
    MCO_TRY(mco_alloc(ctx, &graph->name, strlen(network->name) + 1));
    strcpy(graph->name, network->name);
    graph->first = e.first;
    graph->head = e.head;
    e.first = NULL;
    e.head = NULL;
    graph->rows = (mco_graph_rows){.vertices = e.vertices, .arcs = e.arcs, .first = graph->first, .head = graph->head, .is_directed = true,
                                   .edges = e.arcs};
    MCO_TRY(paths_network_adopt(ctx, &graph, &e.weight, &model, network->rows.is_map, &hierarchy->expanded));
    hierarchy->entry = e.entry;
    hierarchy->plain_arc = e.plain_arc;
    hierarchy->turn_cost = e.cost;
    e.entry = NULL;
    e.plain_arc = NULL;
    e.cost = NULL;
done:
    mco_graph_destroy(ctx, &graph);
    clear_expansion(ctx, &e);
    return st;
}

mco_status paths_turns_order(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const int32_t *order, int32_t **out)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = &hierarchy->network->rows, *expanded = &hierarchy->expanded->rows;
    int32_t *found = NULL, *last = NULL, *before = NULL;  // the vertices made of v form a list that ends with v
    MCO_TRY(mco_alloc(ctx, &found, expanded->vertices));
    MCO_TRY(mco_alloc(ctx, &last, rows->vertices));
    MCO_TRY(mco_alloc(ctx, &before, expanded->vertices));
    memset(last, 0xff, (size_t)rows->vertices * sizeof *last);
    for (int32_t k = rows->vertices; k < expanded->vertices; k++) {
        const int32_t v = expanded->head[expanded->first[k]];  // the first arc leads to the exit
        before[k] = last[v];
        last[v] = k;
    }
    int32_t at = 0;
    for (int32_t k = 0; k < rows->vertices; k++) {
        for (int32_t w = last[order[k]]; w >= 0; w = before[w])
            found[at++] = w;
        found[at++] = order[k];
    }
    *out = found;
    found = NULL;
done:
    mco_free(ctx, &before);
    mco_free(ctx, &last);
    mco_free(ctx, &found);
    return st;
}
