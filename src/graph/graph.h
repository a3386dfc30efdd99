// SPDX-License-Identifier: MIT
// The inside of a graph, and the collection of edges from which readers and generators make one.
#ifndef MCO_GRAPH_GRAPH_H
#define MCO_GRAPH_GRAPH_H

#include "base/context.h"
#include "mco/graph.h"

struct mco_graph {
    char *name;
    char **names;     // [vertices] one block (base/names.h), NULL entries for vertices without one; NULL: none has a name
    int32_t base;     // number of vertex 0 in files
    int64_t *first;   // the arrays of the rows, owned
    int32_t *head;
    double *weight, *x, *y;
    mco_graph_rows rows;
};

// Edges as they come, in arrays that grow (base/grow.h). Zero before use.
typedef struct graph_edges {
    int32_t *from, *to;  // [count]
    double *weight;      // [count] if has_weights
    int64_t count, from_room, to_room, weight_room;
    bool has_weights;
} graph_edges;

// Appends an edge; the weight counts only if has_weights. Errors: MEMORY, LIMIT.
mco_status graph_edges_add(mco_context *ctx, graph_edges *edges, int32_t from, int32_t to, double weight);
void graph_edges_clear(mco_context *ctx, graph_edges *edges);

// Makes the graph of these edges, whose ends are in range. `name` is copied. *names is taken over, if it is not NULL.
// Errors: MEMORY.
mco_status graph_build(mco_context *ctx, const mco_graph_edges *edges, const char *name, char ***names, int32_t base,
                       mco_graph **out);

// ---- A simple graph: sorted rows, no loops, no parallel arcs. Owned by its holder.
typedef struct graph_simple {
    int32_t vertices;
    int64_t arcs;            // twice the edges if undirected
    int64_t *first;          // [vertices + 1]
    int32_t *head;           // [arcs] ascending in each row
    int64_t loops, parallel; // dropped: loops; edges (arcs if directed) beyond the first between the same ends
} graph_simple;

// The simple graph of `rows`. Undirected: every arc counts as an edge, and arcs in both directions are one edge. Directed:
// the arcs as they are; an undirected edge gives two. Errors: MEMORY. O(vertices + arcs).
mco_status graph_simple_make(mco_context *ctx, const mco_graph_rows *rows, bool is_directed, graph_simple *out);
// Whether the arc (u, v) is there. O(log degree).
bool graph_simple_has(const graph_simple *graph, int32_t u, int32_t v);
void graph_simple_clear(mco_context *ctx, graph_simple *graph);

#endif
