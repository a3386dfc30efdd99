// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "paths/file.h"
#include "paths/transit/map.h"

// Names of vertices are their numbers in OpenStreetMap: one block, pointers and then characters.
static mco_status make_names(mco_context *ctx, const transit_map *map, char ***out)
{
    enum { DIGITS = 21 };
    mco_status st = MCO_OK;
    char number[DIGITS];
    void *block = NULL;
    size_t bytes = (size_t)map->vertices * sizeof(char *);
    for (int32_t v = 0; v < map->vertices; v++)
        bytes += (size_t)snprintf(number, sizeof number, "%" PRId64, map->node[v]) + 1;
    MCO_TRY(mco_alloc_bytes(ctx, &block, bytes, 1));
    char **names = block;
    char *next = (char *)(names + map->vertices);
    for (int32_t v = 0; v < map->vertices; v++) {
        const size_t size = (size_t)snprintf(number, sizeof number, "%" PRId64, map->node[v]) + 1;
        if (map->node[v] != 0)
            names[v] = memcpy(next, number, size);
        next += size;
    }
    *out = names;
done:
    return st;
}

static mco_status copy(mco_context *ctx, const void *from, int64_t count, size_t item_bytes, void **out)
{
    const mco_status st = mco_alloc_bytes(ctx, out, (size_t)count, item_bytes);
    if (st == MCO_OK && count > 0)
        memcpy(*out, from, (size_t)count * item_bytes);
    return st;
}

static mco_status make_graph(mco_context *ctx, const transit_map *map, const char *name, mco_graph **out)
{
    mco_status st = MCO_OK;
    int64_t *first = NULL;
    int32_t *head = NULL;
    double *x = NULL, *y = NULL;
    MCO_TRY(copy(ctx, map->first, (int64_t)map->vertices + 1, sizeof *first, (void **)&first));
    MCO_TRY(copy(ctx, map->head, map->arcs, sizeof *head, (void **)&head));
    MCO_TRY(mco_alloc(ctx, &x, map->vertices));
    MCO_TRY(mco_alloc(ctx, &y, map->vertices));
    for (int32_t v = 0; v < map->vertices; v++) {
        x[v] = map->place[v].longitude;
        y[v] = map->place[v].latitude;
    }
    MCO_TRY(paths_graph_adopt(ctx, name, 1, map->vertices, &first, &head, &x, &y, out));
done:
    mco_free(ctx, &y);
    mco_free(ctx, &x);
    mco_free(ctx, &head);
    mco_free(ctx, &first);
    return st;
}

mco_status transit_map_network(mco_context *ctx, const transit_map *map, const char *name, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    int32_t *weight = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    model.scale = 1000;  // milliseconds
    model.turns = map->turns > 0 ? map->turn : NULL;
    model.turn_count = map->turns;
    MCO_TRY(make_graph(ctx, map, name, &graph));
    MCO_TRY(make_names(ctx, map, &graph->names));
    MCO_TRY(copy(ctx, map->weight, map->arcs, sizeof *weight, (void **)&weight));
    MCO_TRY(paths_network_adopt(ctx, &graph, &weight, &model, true, out));
done:
    mco_free(ctx, &weight);
    mco_graph_destroy(ctx, &graph);
    return st;
}

mco_status paths_read_map(mco_context *ctx, const char *path, paths_map_mode mode, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    transit_map map = {0};
    MCO_TRY(transit_map_read(ctx, path, mode, &map));
    MCO_TRY(transit_map_network(ctx, &map, mco_text_base_name(path), out));
done:
    transit_map_clear(ctx, &map);
    return st;
}
