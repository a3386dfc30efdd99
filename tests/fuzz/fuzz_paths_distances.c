// SPDX-License-Identifier: MIT
// Takes any bytes as a file of distances of a small network, once as text or JSON and once as binary. What is accepted must be in range.
#include <stdlib.h>
#include <string.h>

#include "graph/reader.h"
#include "paths/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char graph_text[] = "from,to,weight\nA,B,3\nB,\"C D\",4\n";

static void require(bool claim)
{
    if (!claim)
        abort();
}

static mco_paths_network *make(mco_context *ctx)
{
    mco_text text;
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL;
    const mco_graph_file file = MCO_GRAPH_FILE_INIT;
    require(mco_text_from_memory(ctx, "graph.csv", graph_text, strlen(graph_text), &text) == MCO_OK);
    require(graph_read_text(ctx, &text, &file, "graph.csv", &graph) == MCO_OK);
    require(mco_paths_create(ctx, graph, NULL, &network) == MCO_OK);
    mco_graph_destroy(ctx, &graph);
    mco_text_close(&text);
    return network;
}

static void examine(mco_context *ctx, mco_status st, int64_t count, int32_t *source, int32_t *distance)
{
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    for (int64_t k = 0; st == MCO_OK && k < count; k++)
        require(source[k] >= 0 && source[k] < 3);
    for (int64_t k = 0; st == MCO_OK && k < 3 * count; k++)
        require(distance[k] >= 0 && distance[k] <= MCO_PATHS_NONE);
    mco_paths_distances_clear(ctx, &source, &distance);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_text text;
    int64_t count = 0;
    int32_t *source = NULL, *distance = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    mco_paths_network *network = make(ctx);
    mco_status st = paths_distances_from_bytes(ctx, network, "input", data, (int64_t)size, &count, &source, &distance);
    examine(ctx, st, count, source, distance);
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        source = distance = NULL;
        st = paths_distances_from_text(ctx, network, &text, &count, &source, &distance);
        examine(ctx, st, count, source, distance);
        mco_text_close(&text);
    }
    mco_paths_destroy(ctx, &network);
    mco_context_destroy(&ctx);
    return 0;
}
