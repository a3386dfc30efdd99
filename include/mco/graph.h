// SPDX-License-Identifier: MIT
// Graphs in compressed rows, for all problems on graphs: readers, writers, generators.
//
//     mco_graph *graph = NULL;
//     if (mco_graph_read(ctx, "roads.gr", NULL, &graph) == MCO_OK) {
//         const mco_graph_rows rows = mco_graph_view(graph);
//         for (int64_t a = rows.first[v]; a < rows.first[v + 1]; a++)
//             visit(rows.head[a]);
//     }
//     mco_graph_destroy(ctx, &graph);
#ifndef MCO_GRAPH_H
#define MCO_GRAPH_H

#include "mco/compiler.h"
#include "mco/context.h"

MCO_BEGIN_C

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
#define MCO_GRAPH_MAX_VERTICES INT32_C(2000000000)
#define MCO_GRAPH_MAX_ARCS ((int64_t)1 << 36)

// A graph is immutable after creation; threads may share it.
typedef struct mco_graph mco_graph;

// The arcs of a graph, row by row. All arrays are borrowed from the graph. Parallel arcs and loops stay as they were given.
// An undirected edge {u, v} stands as the two arcs (u, v) and (v, u), a loop {u, u} as one arc. Within a row the arcs of a
// file keep the order of the file.
typedef struct mco_graph_rows {
    int32_t vertices;
    int64_t arcs;
    const int64_t *first;  // [vertices + 1] arcs first[v] .. first[v + 1] - 1 leave v
    const int32_t *head;   // [arcs]
    const double *weight;  // [arcs] as given; NULL: the graph has no weights
    const double *x, *y;   // [vertices] places; NULL: unknown
    bool is_directed;
    int64_t edges;         // as given: undirected edges, or arcs of a directed graph
} mco_graph_rows;

// Ends, weights and places of a new graph. Arrays are copied.
typedef struct mco_graph_edges {
    int32_t vertices;
    int64_t edges;
    const int32_t *from, *to;  // [edges]
    const double *weight;      // [edges] or NULL
    const double *x, *y;       // [vertices] or NULL
    bool is_directed;
} mco_graph_edges;

// Makes a graph from its edges. Errors: ARGUMENT (an end out of range, a weight that is not finite), LIMIT, MEMORY.
// O(vertices + edges).
MCO_API mco_status mco_graph_create(mco_context *ctx, const mco_graph_edges *edges, mco_graph **out);
MCO_API void mco_graph_destroy(mco_context *ctx, mco_graph **graph);

MCO_API mco_graph_rows mco_graph_view(const mco_graph *graph);
// Names of the graph and of a vertex. A vertex without a name is called by its number as the file numbers it, from 1
// unless the file counts from 0; the number is written to `buffer` [16]. Other names are owned by the graph.
MCO_API const char *mco_graph_name(const mco_graph *graph);
MCO_API bool mco_graph_has_names(const mco_graph *graph);
MCO_API const char *mco_graph_vertex_name(const mco_graph *graph, int32_t vertex, char buffer[16]);
// The number of vertex 0 in files: 0 or 1.
MCO_API int32_t mco_graph_base(const mco_graph *graph);
// The vertex of this name or number. Errors: ARGUMENT (no such vertex). O(vertices).
MCO_API mco_status mco_graph_find(mco_context *ctx, const mco_graph *graph, const char *name, int32_t *vertex);

// ---- Files

typedef enum mco_graph_format {
    MCO_GRAPH_FORMAT_AUTO,     // from the file's first lines and its name
    MCO_GRAPH_FORMAT_EDGES,    // a line for each edge: two vertices, perhaps a weight; numbers or names
    MCO_GRAPH_FORMAT_SNAP,     // the same with numbers from 0 and comments that begin with #
    MCO_GRAPH_FORMAT_DIMACS,   // "p sp" (.gr) with arcs "a", "p edge" or "p col" (.col) with edges "e"
    MCO_GRAPH_FORMAT_METIS,    // a line for each vertex: its neighbours from 1
    MCO_GRAPH_FORMAT_GRAPHML,  // nodes and edges of GraphML, keys "name" and "weight"
    MCO_GRAPH_FORMAT_TNTP,     // links of a network of the Transportation Networks collection; the weight is the length
    MCO_GRAPH_FORMAT_MATRIX,   // adjacency matrix of numbers; 0: no arc
    MCO_GRAPH_FORMAT_CSV       // a header with source and target (or from and to), perhaps weight
} mco_graph_format;
#define MCO_GRAPH_FORMAT_NAMES "auto|edges|snap|dimacs|metis|graphml|tntp|matrix|csv"

typedef enum mco_graph_direction {
    MCO_GRAPH_DIRECTION_AUTO,  // as the file says; undirected where it says nothing
    MCO_GRAPH_DIRECTION_UNDIRECTED,
    MCO_GRAPH_DIRECTION_DIRECTED
} mco_graph_direction;
#define MCO_GRAPH_DIRECTION_NAMES "auto|undirected|directed"

typedef struct mco_graph_file {
    size_t struct_size;
    mco_graph_format format;
    mco_graph_direction direction;
} mco_graph_file;
#define MCO_GRAPH_FILE_INIT MCO_SIZED(mco_graph_file)

// Reads a graph (docs/formats.md). `file` NULL: all automatic. "-" is standard input; files may be compressed by gzip. The
// log says what was read, and what was dropped or taken twice. Errors: ARGUMENT, IO, PARSE with path:line:column, LIMIT,
// STOPPED, MEMORY. O(bytes).
MCO_API mco_status mco_graph_read(mco_context *ctx, const char *path, const mco_graph_file *file, mco_graph **out);
// Writes a graph: EDGES, DIMACS, METIS, GRAPHML, MATRIX or CSV; AUTO chooses by the end of the path, EDGES where it tells
// nothing. "-" is standard output. Errors: ARGUMENT (a format that is only read; METIS of a directed graph), IO.
MCO_API mco_status mco_graph_write(mco_context *ctx, const mco_graph *graph, mco_graph_format format, const char *path);

// ---- Generators

typedef enum mco_graph_family {
    MCO_GRAPH_GRID,                // a rows, b columns; vertex row * b + column
    MCO_GRAPH_CYCLE,               // a vertices in a circle, 3 or more
    MCO_GRAPH_WHEEL,               // a circle of a vertices, and a hub, the last vertex
    MCO_GRAPH_COMPLETE,            // a vertices
    MCO_GRAPH_COMPLETE_BIPARTITE,  // sides of a and of b vertices
    MCO_GRAPH_RANDOM,              // a vertices, b different edges, uniform
    MCO_GRAPH_REGULAR,             // a vertices of degree b, by random pairing and repair
    MCO_GRAPH_ROAD                 // planar: a grid of a rows and b columns, shaken places, `share` of the edges removed
} mco_graph_family;
#define MCO_GRAPH_FAMILY_NAMES "grid|cycle|wheel|complete|complete-bipartite|random|regular|road"

typedef struct mco_graph_shape {
    mco_graph_family family;
    int64_t a, b;
    double share;   // of ROAD, in [0, 1)
    uint64_t seed;  // of RANDOM, REGULAR, ROAD
} mco_graph_shape;

// Makes a graph. It is undirected and has neither loops nor parallel edges. Its name tells its shape: "grid-7x10". Errors:
// ARGUMENT (an impossible shape), LIMIT, MEMORY. O(vertices + edges).
MCO_API mco_status mco_graph_generate(mco_context *ctx, const mco_graph_shape *shape, mco_graph **out);

MCO_END_C
#endif
