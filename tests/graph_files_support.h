// SPDX-License-Identifier: MIT
// What the tests of graph files share: graphs as one line of text, and reading from memory.
#ifndef MCO_GRAPH_FILES_SUPPORT_H
#define MCO_GRAPH_FILES_SUPPORT_H

#include "test_support.h"

#include "graph/reader.h"

enum { GRAPH_LINE = 4096 };

// A graph as "undirected 3: a-b a-c(2.5)": the vertices by name, each edge once.
TEST_UNUSED static const char *graph_line(const mco_graph *graph)
{
    static char line[GRAPH_LINE];
    char from[16], to[16];
    const mco_graph_rows r = mco_graph_view(graph);
    int used = snprintf(line, sizeof line, "%s %d:", r.is_directed ? "directed" : "undirected", r.vertices);
    for (int32_t v = 0; v < r.vertices; v++)
        for (int64_t a = r.first[v]; a < r.first[v + 1] && used < GRAPH_LINE; a++) {
            if (!r.is_directed && r.head[a] < v)
                continue;
            used += snprintf(line + used, (size_t)(GRAPH_LINE - used), " %s%s%s", mco_graph_vertex_name(graph, v, from),
                             r.is_directed ? ">" : "-", mco_graph_vertex_name(graph, r.head[a], to));
            if (r.weight != NULL && used < GRAPH_LINE)
                used += snprintf(line + used, (size_t)(GRAPH_LINE - used), "(%.10g)", r.weight[a]);
        }
    return line;
}

TEST_UNUSED static mco_status graph_of_text(const char *content, mco_graph_format format, mco_graph_direction direction,
                                            const char *name, mco_graph **out)
{
    mco_text text;
    mco_graph_file file = MCO_GRAPH_FILE_INIT;
    file.format = format;
    file.direction = direction;
    mco_status st = mco_text_from_memory(test_ctx, "f", content, strlen(content), &text);
    if (st != MCO_OK)
        return st;
    st = graph_read_text(test_ctx, &text, &file, name, out);
    mco_text_close(&text);
    return st;
}

// The text must read as this graph.
#define assert_graph(content, format, expected)                                                             \
    do {                                                                                                    \
        mco_graph *seen_graph = NULL;                                                                       \
        assert_ok(graph_of_text(content, format, MCO_GRAPH_DIRECTION_AUTO, "file", &seen_graph));           \
        assert_string_equal(graph_line(seen_graph), expected);                                              \
        mco_graph_destroy(test_ctx, &seen_graph);                                                           \
    } while (0)

// The text must be refused with exactly this message.
#define assert_refused(content, format, expected)                                                           \
    do {                                                                                                    \
        mco_graph *seen_graph = NULL;                                                                       \
        assert_fails(graph_of_text(content, format, MCO_GRAPH_DIRECTION_AUTO, "file", &seen_graph),         \
                     MCO_ERR_PARSE, expected);                                                              \
        assert_null(seen_graph);                                                                            \
    } while (0)

#endif
