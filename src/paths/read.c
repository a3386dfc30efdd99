// SPDX-License-Identifier: MIT
// Networks from files: what a path holds, and the reader that takes it.
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/output.h"
#include "graph/reader.h"
#include "paths/file.h"
#include "paths/transit/map.h"

bool paths_ends_with(const char *path, const char *end)
{
    const size_t size = strlen(path), of_end = strlen(end);
    return size > of_end && strcasecmp(path + size - of_end, end) == 0;
}

// Takes places from the .co file beside the network, if it is there.
static mco_status add_places(mco_context *ctx, const char *path, mco_graph *graph, bool *is_map)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    char beside[MCO_PATH_LENGTH];
    if (!paths_places_path(path, beside, sizeof beside - 3) || graph->x != NULL)
        return MCO_OK;
    if (access(beside, F_OK) != 0)
        strcat(beside, ".gz");
    if (access(beside, F_OK) != 0)
        return MCO_OK;
    MCO_TRY(mco_text_open(ctx, beside, &text));
    MCO_TRY(paths_places_read(ctx, &text, graph->rows.vertices, &graph->x, &graph->y, is_map));
    graph->rows.x = graph->x;
    graph->rows.y = graph->y;
    mco_log(ctx, MCO_LOG_INFO, "%s: places of %d vertices", beside, graph->rows.vertices);
done:
    mco_text_close(&text);
    return st;
}

// What is wrong with a number of a file is wrong with the file.
static mco_status as_file_fault(mco_status st)
{
    return st == MCO_ERR_ARGUMENT ? MCO_ERR_PARSE : st;
}

static mco_status read_graph(mco_context *ctx, const char *path, double scale, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_graph_file file = MCO_GRAPH_FILE_INIT;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_graph *graph = NULL;
    mco_text text = {.ctx = ctx};
    bool is_map = false;
    model.scale = scale;
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(graph_read_roads(ctx, &text, &file, mco_text_base_name(path), &model.first_through, &graph));
    mco_text_close(&text);
    MCO_TRY(add_places(ctx, path, graph, &is_map));
    st = as_file_fault(paths_network_adopt(ctx, &graph, NULL, &model, is_map, out));
done:
    mco_graph_destroy(ctx, &graph);
    mco_text_close(&text);
    return st;
}

// Multiplies the weights of a network that nobody shares.
static mco_status rescale(mco_context *ctx, mco_paths_network *network, double scale)
{
    if (scale == 0 || scale == 1)
        return MCO_OK;
    for (int64_t a = 0; a < network->rows.arcs; a++) {
        if (network->weight[a] == MCO_PATHS_NONE)
            continue;
        const double weight = nearbyint(scale * network->weight[a]);
        if (!(weight <= MCO_PATHS_MAX_WEIGHT))
            return mco_fail(ctx, MCO_ERR_LIMIT, "%s: arc %" PRId64 " has weight %d, times the scale at most %d is supported", network->name, a,
                            network->weight[a], MCO_PATHS_MAX_WEIGHT);
        network->weight[a] = (int32_t)weight;
    }
    network->rows.scale *= scale;
    return MCO_OK;
}

static mco_status read_streets(mco_context *ctx, const char *path, double scale, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_paths_network *network = NULL;
    MCO_TRY(paths_read_map(ctx, path, PATHS_MAP_CAR, &network));
    MCO_TRY(rescale(ctx, network, scale));
    *out = network;
    network = NULL;
done:
    mco_paths_destroy(ctx, &network);
    return st;
}

// Takes the network out of the file of a hierarchy.
static mco_status read_prepared(mco_context *ctx, const char *path, double scale, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_paths_network *network = NULL;
    MCO_TRY(paths_hierarchy_read_network(ctx, path, &network));
    MCO_TRY(rescale(ctx, network, scale));
    *out = network;
    network = NULL;
done:
    mco_paths_destroy(ctx, &network);
    return st;
}

static bool is_map_name(const char *path)
{
    return paths_ends_with(path, ".osm.pbf") || paths_ends_with(path, ".osm") || paths_ends_with(path, ".pbf");
}

mco_status mco_paths_read(mco_context *ctx, const char *path, double scale, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    bool is_folder = false;
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (!(scale >= 0 && scale <= GRAPH_MAX_WEIGHT))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the scale is %g, a finite number of 0 or more was expected", scale);
    if (paths_is_hierarchy_file(path))
        return read_prepared(ctx, path, scale, out);
    if (is_map_name(path))
        return read_streets(ctx, path, scale, out);
    MCO_TRY(paths_folder_read(ctx, path, scale, &is_folder, out));
    if (!is_folder)
        MCO_TRY(read_graph(ctx, path, scale, out));
done:
    return st;
}
