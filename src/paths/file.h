// SPDX-License-Identifier: MIT
// How readers make networks.
#ifndef MCO_PATHS_FILE_H
#define MCO_PATHS_FILE_H

#include "base/text.h"
#include "graph/graph.h"
#include "paths/network.h"

// Makes a network of a graph, which it takes over: *graph becomes NULL. So does *weight [arcs] if `weight` is not NULL; else the
// weights come from those of the graph by the scale of the model. Turns are copied. Errors: as mco_paths_create(); then the graph
// stays with the caller.
mco_status paths_network_adopt(mco_context *ctx, mco_graph **graph, int32_t **weight, const mco_paths_model *model, bool is_map,
                               mco_paths_network **out);
// A copy with its own arrays. Errors: MEMORY.
mco_status paths_network_copy(mco_context *ctx, const mco_paths_network *network, mco_paths_network **out);

// Makes a graph of rows that it takes over: *first [vertices + 1], *head [arcs], and *x, *y [vertices] or NULL. Files call its vertices
// by numbers from `base` on. Errors: MEMORY; then the arrays stay with the caller.
mco_status paths_graph_adopt(mco_context *ctx, const char *name, int32_t base, int32_t vertices, int64_t **first, int32_t **head,
                             double **x, double **y, mco_graph **out);

// ---- A folder of CSR vectors (docs/formats.md): little-endian, one file for each.

typedef enum paths_vector {
    PATHS_FIRST_OUT,  // uint32 [vertices + 1]
    PATHS_HEAD,       // uint32 [arcs]
    PATHS_WEIGHT,     // uint32 [arcs]
    PATHS_LATITUDE,   // float32 [vertices], or absent
    PATHS_LONGITUDE,
    PATHS_TURN_FROM,  // uint32 [turns], or absent
    PATHS_TURN_TO,
    PATHS_TURN_COST,  // int32 [turns]; absent: all are forbidden
    PATHS_THROUGH,    // uint32 [1], or absent: the first vertex that paths pass through
    PATHS_VECTORS
} paths_vector;

typedef struct paths_folder {
    const char *name;                 // of the network
    const char *file[PATHS_VECTORS];  // names for messages
    void *data[PATHS_VECTORS];        // NULL: absent; owned
    int64_t bytes[PATHS_VECTORS];
} paths_folder;

// Makes the network of vectors in memory; it may take some of them over. Errors: PARSE (sizes that disagree, an arc to a vertex that
// is not there, rows that go back), LIMIT, MEMORY.
mco_status paths_folder_build(mco_context *ctx, paths_folder *folder, double scale, mco_paths_network **out);
void paths_folder_clear(mco_context *ctx, paths_folder *folder);
// Reads the folder at `path`, or with the weights of a file in it if `path` names one. *is_folder: whether it is either.
mco_status paths_folder_read(mco_context *ctx, const char *path, double scale, bool *is_folder, mco_paths_network **out);
mco_status paths_folder_write(mco_context *ctx, const mco_paths_network *network, const char *path);

// ---- Places of DIMACS networks (.co)

// Reads a place of every vertex to *x, *y [vertices]. *is_map: the file says that they are longitude and latitude times 10^6, and
// they are given in degrees. Errors: PARSE with the place, MEMORY.
mco_status paths_places_read(mco_context *ctx, mco_text *text, int32_t vertices, double **x, double **y, bool *is_map);
// The comment that says so.
#define PATHS_MAP_COMMENT "places are longitude and latitude times 1000000"
// Writes the path of the file of places beside a network; false if its name does not end with .gr or .gr.gz.
bool paths_places_path(const char *path, char *out, size_t room);

// ---- Distances

// Reads a file of distances from text that was opened, or from bytes of a binary file.
mco_status paths_distances_from_text(mco_context *ctx, const mco_paths_network *network, mco_text *text, int64_t *count, int32_t **source,
                                     int32_t **distance);
mco_status paths_distances_from_bytes(mco_context *ctx, const mco_paths_network *network, const char *name, const void *data,
                                      int64_t bytes, int64_t *count, int32_t **source, int32_t **distance);

#endif
