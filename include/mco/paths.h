// SPDX-License-Identifier: MIT
// Shortest paths in road networks: one tree, many trees, matrices, single routes; with and without a prepared hierarchy.
//
//     mco_paths_network *network = NULL;
//     mco_paths_params params = MCO_PATHS_PARAMS_INIT;
//     mco_paths_tree tree = MCO_PATHS_TREE_INIT;
//     if (mco_paths_read(ctx, "city.gr", 0, &network) == MCO_OK &&
//         mco_paths_find_tree(ctx, network, NULL, 0, &params, &tree) == MCO_OK)
//         printf("%d\n", tree.distance[42]);
//     mco_paths_tree_clear(ctx, &tree);
//     mco_paths_destroy(ctx, &network);
//
// Weights are integers of zero or more. Distances are exact. All engines and methods give equal distances.
//
// Sources: Dijkstra (1959); Dial (1969); Delling, Goldberg, Nowatzyk, Werneck (2013, PHAST); Dibbelt, Strasser, Wagner (2016,
// customizable contraction hierarchies).
#ifndef MCO_PATHS_H
#define MCO_PATHS_H

#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/graph.h"
#include "mco/paths_options.def"

MCO_BEGIN_C

// A distance without a path. Every distance is below it: longer paths are refused with LIMIT, and a smaller scale helps.
#define MCO_PATHS_NONE INT32_C(0x3fffffff)
#define MCO_PATHS_MAX_WEIGHT (MCO_PATHS_NONE - 1)  // of an arc, and cost of a turn

// ---- Networks

// A directed graph with integer weights. Immutable after creation; threads may share it.
typedef struct mco_paths_network mco_paths_network;
// A prepared network; see below.
typedef struct mco_paths_hierarchy mco_paths_hierarchy;

// A turn from an arc into an arc that leaves its head.
typedef struct mco_paths_turn {
    int64_t from, to;  // arcs of the network
    int32_t cost;      // 0 or more; -1: forbidden
} mco_paths_turn;

// What makes a network of a graph.
typedef struct mco_paths_model {
    size_t struct_size;
    double scale;           // a weight is the nearest integer to scale times the graph's weight; 0: 1 if all weights of the
                            // graph are integers, else 1000
    int32_t first_through;  // paths pass through vertices from this one on only; earlier ones are ends alone. 0: all
    const mco_paths_turn *turns;  // [turn_count] borrowed; NULL: none
    int64_t turn_count;
} mco_paths_model;
#define MCO_PATHS_MODEL_INIT MCO_SIZED(mco_paths_model)

// Makes a network of a graph; an undirected edge stands for two arcs, a graph without weights has weight 1 everywhere. The
// network has its own copy. `model` NULL: all defaults. Errors: ARGUMENT (a negative weight, with its arc; a turn of arcs that do
// not meet), LIMIT (a weight above MCO_PATHS_MAX_WEIGHT), MEMORY. O(vertices + arcs).
MCO_API mco_status mco_paths_create(mco_context *ctx, const mco_graph *graph, const mco_paths_model *model,
                                    mco_paths_network **out);
// Reads a network: any file of mco_graph_read(), a folder of CSR vectors (docs/formats.md), a map (.osm.pbf, for cars), or a
// prepared hierarchy (.mcoh), of which the network alone is taken. DIMACS networks take places from a .co file beside them;
// TNTP networks take free-flow times and the first through node. `scale` as in mco_paths_model. Errors: as mco_graph_read(), and
// as mco_paths_create().
MCO_API mco_status mco_paths_read(mco_context *ctx, const char *path, double scale, mco_paths_network **out);
// Writes a network: DIMACS .gr with a .co file beside it if places are known, or a folder of CSR vectors if the path ends with
// a slash. Errors: ARGUMENT, IO.
MCO_API mco_status mco_paths_write(mco_context *ctx, const mco_paths_network *network, const char *path);
MCO_API void mco_paths_destroy(mco_context *ctx, mco_paths_network **network);

// The arcs of a network, row by row. All arrays are borrowed from the network.
typedef struct mco_paths_rows {
    int32_t vertices;
    int64_t arcs;
    const int64_t *first;   // [vertices + 1] arcs first[v] .. first[v + 1] - 1 leave v
    const int32_t *head;    // [arcs]
    const int32_t *weight;  // [arcs]
    const double *x, *y;    // [vertices] places, x is the longitude of a map; NULL: unknown
    int32_t first_through;
    const mco_paths_turn *turns;  // [turn_count] sorted by (from, to)
    int64_t turn_count;
    double scale;
    bool is_map;                  // places are longitude and latitude in degrees
} mco_paths_rows;
MCO_API mco_paths_rows mco_paths_view(const mco_paths_network *network);
MCO_API const char *mco_paths_name(const mco_paths_network *network);
// The name or number of a vertex, as mco_graph_vertex_name(), and the vertex of a name, as mco_graph_find().
MCO_API const char *mco_paths_vertex_name(const mco_paths_network *network, int32_t vertex, char buffer[16]);
MCO_API mco_status mco_paths_find_vertex(mco_context *ctx, const mco_paths_network *network, const char *name, int32_t *vertex);

// Networks by rule; equal shapes give equal networks on every machine.
typedef enum mco_paths_family {
    MCO_PATHS_GRID,    // a rows, b columns, both directions of every street with the same weight, uniform in 100 .. 1099
    MCO_PATHS_ROAD,    // planar, with separators of about 2 * L^0.4 vertices for a side of L vertices; a rows, b columns
    MCO_PATHS_RANDOM   // a vertices, b arcs between uniform ends, weights uniform in 1 .. 1000
} mco_paths_family;
#define MCO_PATHS_FAMILY_NAMES "grid|road|random"
typedef struct mco_paths_shape {
    mco_paths_family family;
    int64_t a, b;
    uint64_t seed;
} mco_paths_shape;
// Makes a network. *order receives the dissection order of a ROAD [vertices], first the vertices that are eliminated first;
// NULL for other families; it is released by mco_paths_order_clear(). `order` may be NULL. Errors: ARGUMENT, LIMIT, MEMORY.
MCO_API mco_status mco_paths_generate(mco_context *ctx, const mco_paths_shape *shape, mco_paths_network **out, int32_t **order);
MCO_API void mco_paths_order_clear(mco_context *ctx, int32_t **order);

// ---- Parameters and result

typedef enum mco_paths_method {
    MCO_PATHS_METHOD_AUTO,      // by engine, size and whether there is a hierarchy; the log says what and why
    MCO_PATHS_METHOD_DIJKSTRA,  // a heap of labels; one core
    MCO_PATHS_METHOD_BUCKETS,   // a queue of buckets by distance; all cores
    MCO_PATHS_METHOD_TILES,     // blocks of a GPU own tiles of vertices and exchange labels
    MCO_PATHS_METHOD_SWEEP      // by a hierarchy: up from the source, then one sweep down
} mco_paths_method;

// paths_options.def lists the fields, their defaults and their meanings.
typedef struct mco_paths_params {
    size_t struct_size;
    MCO_FIELDS(MCO_PATHS_OPTIONS)
} mco_paths_params;
#define MCO_PATHS_PARAMS_INIT { sizeof(mco_paths_params), MCO_DEFAULTS(MCO_PATHS_OPTIONS) }
MCO_API const mco_option_table *mco_paths_options(void);

// One tree, or what was done for many.
typedef struct mco_paths_tree {
    size_t struct_size;
    mco_outcome outcome;  // OPTIMAL; UNKNOWN: a limit or a request ended it, there are no distances
    mco_stop stop;
    int32_t source;
    int32_t vertices;
    int32_t *distance;    // [vertices] MCO_PATHS_NONE: no path; owned
    int64_t *parent;      // [vertices] the last arc of a shortest path, -1: none; NULL unless asked for; owned. The first arc of positive
                          // weight that ends such a path; where there is none, the first one of weight 0 from a vertex with fewer of
                          // these behind it. So all methods and engines give equal parents; with turns, those of the reference.
    int64_t reached;      // vertices with a path, the source included
    int32_t farthest;     // the greatest distance
    mco_paths_method method;  // what was used, never AUTO
    mco_work work;        // solve_s is the time of the tree alone, without preparing
    double prepare_s;     // seconds for layouts, orders and customising
    char reason[MCO_REASON_ROOM];  // why the method was chosen, one line
} mco_paths_tree;
#define MCO_PATHS_TREE_INIT MCO_SIZED(mco_paths_tree)

// Finds the tree of shortest paths from a source. `hierarchy` may be NULL; with one, `sweep` is possible. Its first call lays the rows of the
// hierarchy out and takes the weights, O(arcs of the hierarchy), which the hierarchy keeps; the first call after new weights takes these alone.
// Any other call costs the sweep, the copy and the check: 0.35 ms for 76,595 vertices. Any number of threads may ask at the same time; those
// that find the tables in use lay out their own. MCO_OK means that *tree
// is valid, whatever the outcome; every tree has been certified as mco_paths_check() does. Errors: ARGUMENT (a vertex out of
// range; a method and an engine that exclude each other; `sweep` without a hierarchy, which mco_paths_find_trees() prepares; a
// hierarchy of another network or with other weights), LIMIT (a distance of MCO_PATHS_NONE or
// more; memory, with the bytes needed), MEMORY, DEVICE, INTERNAL. O(arcs + vertices log vertices).
MCO_API mco_status mco_paths_find_tree(mco_context *ctx, const mco_paths_network *network, const mco_paths_hierarchy *hierarchy,
                                       int32_t source, const mco_paths_params *params, mco_paths_tree *tree);
MCO_API void mco_paths_tree_clear(mco_context *ctx, mco_paths_tree *tree);

// Certifies distances [vertices] from a source: the source has 0; no arc (u, v) has distance[u] + weight < distance[v]; and from
// the source, arcs with equality reach every vertex that has a distance. The three hold for the shortest distances alone, zero
// weights included. Turns and first_through count. Errors: CHECK with the first vertex or arc at fault, STOPPED
// (mco_cancel()), MEMORY. O(vertices + arcs), with turns O(pairs of arcs that meet * log turns).
MCO_API mco_status mco_paths_check(mco_context *ctx, const mco_paths_network *network, int32_t source, const int32_t *distance);

// ---- Files of distances

typedef enum mco_paths_format {
    MCO_PATHS_FORMAT_AUTO,    // from the end of the path: .bin, .json, else text
    MCO_PATHS_FORMAT_TEXT,    // a line for each vertex that is reached: its name and its distance
    MCO_PATHS_FORMAT_BINARY,  // docs/formats.md
    MCO_PATHS_FORMAT_JSON
} mco_paths_format;
#define MCO_PATHS_FORMAT_NAMES "auto|text|binary|json"

// Writes the distances of `count` trees, distance [count][vertices] in rows of `stride`. ".gz" compresses; "-" is standard output.
MCO_API mco_status mco_paths_write_distances(mco_context *ctx, const mco_paths_network *network, mco_paths_format format,
                                             int64_t count, const int32_t *source, const int32_t *distance, int64_t stride,
                                             const char *path);
// Reads a file of distances. *source [*count] and *distance [*count * vertices] are released by mco_paths_distances_clear().
// Errors: IO, PARSE with the place, LIMIT, MEMORY.
MCO_API mco_status mco_paths_read_distances(mco_context *ctx, const mco_paths_network *network, const char *path, int64_t *count,
                                            int32_t **source, int32_t **distance);
MCO_API void mco_paths_distances_clear(mco_context *ctx, int32_t **source, int32_t **distance);

// ---- Customizable hierarchies

// A hierarchy is a nested-dissection order of a network, its elimination tree, and weights between every vertex and its upper
// neighbours. It holds a copy of the network. Threads may share it while nobody customises it. It keeps sleeping threads and tables from
// one call to the next, where a call has the context that prepared it; destroying it ends them. It must go before its context.

// Prepares a network. `order` [vertices], first the vertices that are eliminated first; NULL: nested dissection by flows finds it, and METIS,
// where the library has it, if separators are wider than those of road networks. Vertices below first_through come first in any order. The hierarchy is customised with the
// network's weights. A network with turns is expanded at the vertices that have turns. Errors: ARGUMENT (no permutation), LIMIT
// (more than 2^31 - 1 arcs, with the memory; a height above 65535), STOPPED, MEMORY.
MCO_API mco_status mco_paths_prepare(mco_context *ctx, const mco_paths_network *network, const int32_t *order,
                                     const mco_paths_params *params, mco_paths_hierarchy **out);
MCO_API void mco_paths_hierarchy_destroy(mco_context *ctx, mco_paths_hierarchy **hierarchy);
// Takes new weights of all arcs, weight [arcs of the network], each in [0, MCO_PATHS_NONE]; MCO_PATHS_NONE closes an arc. The
// hierarchy's network takes them too. The time limit and mco_cancel() end it, and after an error all weights are those of before; so
// the hierarchy keeps room for a second set of weights, 16 bytes an arc of its own. Errors: ARGUMENT, STOPPED, MEMORY. O(triangles).
MCO_API mco_status mco_paths_customise(mco_context *ctx, mco_paths_hierarchy *hierarchy, const int32_t *weight,
                                       const mco_paths_params *params);
MCO_API const mco_paths_network *mco_paths_hierarchy_network(const mco_paths_hierarchy *hierarchy);

typedef struct mco_paths_hierarchy_facts {
    size_t struct_size;
    int32_t vertices;       // those of turns included
    int32_t height;         // most vertices on a way up
    int64_t arcs;           // pairs of a vertex and an upper neighbour
    int64_t triangles;
    int64_t bytes;
    double order_s, build_s, customise_s;
    char order_by[16];      // "flow", "metis", "given"
} mco_paths_hierarchy_facts;
#define MCO_PATHS_HIERARCHY_FACTS_INIT MCO_SIZED(mco_paths_hierarchy_facts)
MCO_API mco_status mco_paths_hierarchy_tell(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_paths_hierarchy_facts *facts);

// Writes and reads a hierarchy with its network (.mcoh; docs/formats.md). Errors: IO, PARSE (a file that is cut or changed), LIMIT,
// STOPPED (mco_cancel()), MEMORY.
MCO_API mco_status mco_paths_hierarchy_write(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const char *path);
MCO_API mco_status mco_paths_hierarchy_read(mco_context *ctx, const char *path, mco_paths_hierarchy **out);

// ---- Many trees, matrices, routes

typedef struct mco_paths_result {
    size_t struct_size;
    mco_outcome outcome;  // OPTIMAL; UNKNOWN: a limit or a request ended it
    mco_stop stop;
    int64_t done;         // trees, rows or queries
    int64_t reached;      // labels, entries or queries with a path
    mco_paths_method method;
    mco_work work;        // solve_s without preparing
    double prepare_s;
    char reason[MCO_REASON_ROOM];
} mco_paths_result;
#define MCO_PATHS_RESULT_INIT MCO_SIZED(mco_paths_result)

// Finds the trees of many sources. `hierarchy` NULL: one is prepared if it pays. distance [count][vertices] is the caller's; parent
// [count][vertices] or NULL, as in mco_paths_tree. Every tree has been certified. Errors: as mco_paths_find_tree().
MCO_API mco_status mco_paths_find_trees(mco_context *ctx, const mco_paths_network *network, const mco_paths_hierarchy *hierarchy,
                                        int64_t count, const int32_t *source, const mco_paths_params *params, int32_t *distance,
                                        int64_t *parent, mco_paths_result *result);
// Finds the distances from every source to every target, distance [sources][targets], the caller's. The engine is cpu, the method
// sweep. Errors: ARGUMENT (another engine or method; a vertex out of range), LIMIT (a distance that was asked for is MCO_PATHS_NONE
// or more; memory, with the bytes needed), MEMORY, INTERNAL (a certificate fails). O((sources + targets) * arcs of a way up + sources * targets * height).
MCO_API mco_status mco_paths_find_matrix(mco_context *ctx, const mco_paths_hierarchy *hierarchy, int64_t sources,
                                         const int32_t *source, int64_t targets, const int32_t *target,
                                         const mco_paths_params *params, int32_t *distance, mco_paths_result *result);

// Every entry of a matrix and every distance of a route is certified on every run. The first call after new weights proves the metric: each
// weight of the hierarchy is at most that of an arc of the network and at most the sum of a lower triangle, and equals one of these; the
// first call of all also proves the order, and turns. O(arcs + triangles), 2.4 ms for 76,595 vertices. By the theory of customizable
// contraction hierarchies a query is exact then. Every answer is found again by code that the methods do not use, and compared.

// Paths of queries: arcs first[q] .. first[q + 1] - 1 of `arc` lead from source[q] to target[q]. Zero before use.
typedef struct mco_paths_routes {
    int64_t count;
    int64_t *first;  // [count + 1] owned
    int64_t *arc;    // arcs of the network, owned
} mco_paths_routes;
// Finds the distances of `count` queries, distance [count], the caller's, and their paths if `routes` is not NULL. Every path has
// been added up. Errors: as mco_paths_find_matrix().
MCO_API mco_status mco_paths_find_routes(mco_context *ctx, const mco_paths_hierarchy *hierarchy, int64_t count,
                                         const int32_t *source, const int32_t *target, const mco_paths_params *params,
                                         int32_t *distance, mco_paths_routes *routes, mco_paths_result *result);
MCO_API void mco_paths_routes_clear(mco_context *ctx, mco_paths_routes *routes);
// Writes the routes as lines of a GeoJSON FeatureCollection with their distances. Errors: ARGUMENT (places are unknown), IO.
MCO_API mco_status mco_paths_write_geojson(mco_context *ctx, const mco_paths_network *network, const mco_paths_routes *routes,
                                           const int32_t *source, const int32_t *target, const int32_t *distance, const char *path);

// ---- Result files and pictures

// Writes the result file (docs/formats.md) of a tree, or of many trees, a matrix or routes. `more`: further options to echo, or
// NULL. Errors: ARGUMENT, IO.
MCO_API mco_status mco_paths_write_tree_result(mco_context *ctx, const mco_paths_network *network, const mco_paths_params *params,
                                               const mco_paths_tree *tree, const mco_option_values *more, const char *path);
MCO_API mco_status mco_paths_write_result(mco_context *ctx, const mco_paths_network *network, const mco_paths_params *params,
                                          const mco_paths_result *result, const mco_option_values *more, const char *path);
// Draws the network's streets by their distance from the source (SVG). Errors: ARGUMENT (places are unknown), IO.
MCO_API mco_status mco_paths_plot_tree(mco_context *ctx, const mco_paths_network *network, const mco_paths_tree *tree, const char *path);

MCO_END_C
#endif
