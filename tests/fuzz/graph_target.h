// SPDX-License-Identifier: MIT
// Takes any bytes as a graph file of one format. What is accepted must be a sound graph, and the same after writing and reading
// again in every format that can hold it. What is refused must have a message.
#ifndef MCO_FUZZ_GRAPH_TARGET_H
#define MCO_FUZZ_GRAPH_TARGET_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_COMPARED = 300 };  // vertices of a graph that is written

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const mco_graph *graph)
{
    const mco_graph_rows r = mco_graph_view(graph);
    char a[16], b[16];
    int64_t loops = 0;
    require(r.vertices >= 0 && r.vertices <= MCO_GRAPH_MAX_VERTICES && r.first[0] == 0 && r.first[r.vertices] == r.arcs);
    for (int32_t v = 0; v < r.vertices; v++)
        require(r.first[v] <= r.first[v + 1]);
    for (int32_t v = 0; v < r.vertices; v++)
        for (int64_t k = r.first[v]; k < r.first[v + 1]; k++) {
            require(r.head[k] >= 0 && r.head[k] < r.vertices && (r.weight == NULL || isfinite(r.weight[k])));
            loops += r.head[k] == v;
        }
    require(r.edges == (r.is_directed ? r.arcs : (r.arcs + loops) / 2));
    require(mco_graph_base(graph) == 0 || mco_graph_base(graph) == 1);
    for (int32_t v = 0; v < r.vertices && v < MOST_COMPARED; v++) {
        require(mco_graph_vertex_name(graph, v, a)[0] != '\0');
        for (int32_t u = 0; u < v; u++)
            require(strcmp(mco_graph_vertex_name(graph, v, a), mco_graph_vertex_name(graph, u, b)) != 0);
    }
}

// What `graph` is as a file; NULL if the format cannot hold it.
static char *content_of(mco_context *ctx, const mco_graph *graph, mco_graph_format format, size_t *size)
{
    char *content = NULL;
    FILE *file = open_memstream(&content, size);
    require(file != NULL);
    const mco_status st = graph_write_text(ctx, graph, format, file);
    require(fclose(file) == 0);
    if (st == MCO_OK)
        return content;
    require(st == MCO_ERR_ARGUMENT && (format == MCO_GRAPH_FORMAT_METIS || format == MCO_GRAPH_FORMAT_MATRIX));
    free(content);
    return NULL;
}

static mco_graph *read_back(mco_context *ctx, const char *content, size_t size, mco_graph_format format)
{
    mco_text text;
    mco_graph *back = NULL;
    mco_graph_file file = MCO_GRAPH_FILE_INIT;
    file.format = format;
    require(mco_text_from_memory(ctx, "again", content, size, &text) == MCO_OK);
    require(graph_read_text(ctx, &text, &file, "again", &back) == MCO_OK);
    mco_text_close(&text);
    return back;
}

static void write_and_read(mco_context *ctx, const mco_graph *graph, mco_graph_format format)
{
    const mco_graph_rows r = mco_graph_view(graph);
    size_t size = 0, again_size = 0;
    char *content = content_of(ctx, graph, format, &size);
    if (content == NULL)
        return;
    mco_graph *back = read_back(ctx, content, size, format);
    examine(back);
    const mco_graph_rows b = mco_graph_view(back);
    const bool is_matrix = format == MCO_GRAPH_FORMAT_MATRIX;  // symmetric ones lose their direction
    require(b.vertices == r.vertices && (is_matrix || (b.edges == r.edges && b.is_directed == r.is_directed)));
    char *again = content_of(ctx, back, format, &again_size);
    require(again != NULL);
    if (format != MCO_GRAPH_FORMAT_METIS)  // where edges of smaller ends go first after reading
        require(again_size == size && memcmp(content, again, size) == 0);
    free(again);
    mco_graph_destroy(ctx, &back);
    free(content);
}

static int take_graph(const uint8_t *data, size_t size, mco_graph_format format)
{
    static const mco_graph_format written[] = {MCO_GRAPH_FORMAT_EDGES,   MCO_GRAPH_FORMAT_DIMACS, MCO_GRAPH_FORMAT_METIS,
                                               MCO_GRAPH_FORMAT_GRAPHML, MCO_GRAPH_FORMAT_MATRIX, MCO_GRAPH_FORMAT_CSV};
    mco_context *ctx = NULL;
    mco_text text;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    for (int k = 0; k < 3 && mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK; k++) {
        mco_graph *graph = NULL;
        mco_graph_file file = MCO_GRAPH_FILE_INIT;
        file.format = format;
        file.direction = (mco_graph_direction)k;
        const mco_status st = graph_read_text(ctx, &text, &file, "input", &graph);
        require((st == MCO_OK) == (graph != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (graph != NULL)
            examine(graph);
        const int32_t vertices = mco_graph_view(graph).vertices;
        for (size_t f = 0; f < sizeof written / sizeof written[0] && vertices > 0 && vertices <= MOST_COMPARED; f++)
            write_and_read(ctx, graph, written[f]);
        mco_graph_destroy(ctx, &graph);
        mco_text_close(&text);
    }
    mco_context_destroy(&ctx);
    return 0;
}

#endif
