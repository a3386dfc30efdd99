// SPDX-License-Identifier: MIT
// A hierarchy on one GPU, what the files of the host side share: gpu.c (tables, customising), gpu_trees.c, gpu_pairs.c.
#ifndef MCO_PATHS_HIERARCHY_GPU_HOST_H
#define MCO_PATHS_HIERARCHY_GPU_HOST_H

#include "base/team.h"
#include "device/device_cuda.h"
#include "paths/hierarchy/gpu.h"

enum {
    PATHS_GPU_PIECES = 3,                // of a copy at a time
    PATHS_GPU_WAY_ARCS_MOST = 1 << 20,
    PATHS_GPU_HIGH_LEVELS_MOST = 16384   // levels of a launch: barriers of about 0.05 s
};

// A source in the order of ranks.
typedef struct paths_sorted_source {
    int32_t rank, place;  // of the caller
} paths_sorted_source;

struct paths_device_hierarchy {
    mco_device device;
    const mco_paths_hierarchy *hierarchy;
    paths_device_tuning tuning;
    paths_tables tables;       // the long arrays are released once they are on the device
    int32_t out_vertices;      // of the network
    int64_t network_arcs;      // of the network that was expanded, or of the network
    size_t shared_bytes;
    int32_t way_arcs;          // the most on a way to a root, at most PATHS_GPU_WAY_ARCS_MOST
    int64_t bytes;
    paths_customise_plan customise;
    paths_trees_plan trees;
    paths_queries_plan queries;
    paths_ancestors_plan ancestors;
    int64_t *label_work;       // [height] arcs and ancestors of each depth
    int64_t label_rows;        // of 32 entries, in one direction
    bool has_label_tables;     // which depend on the topology
    bool has_ancestors;        // the labels are those of the weights
    int32_t *d_rank;           // [out_vertices]
    int32_t *h_weight;         // [network_arcs] pinned
    int32_t *d_weight;
    // The sources of the last call of trees.
    int64_t count;
    paths_sorted_source *sources;    // [count] by rank
    int32_t *asked;            // [count] as the caller gave them
    bool is_traced;            // the ways up on the device are those of all sources
    bool has_labels;           // the labels of all sources are on the device
    // What the device has for trees, and how much of it.
    int64_t source_room, step_room, walk_room, label_room, query_room;
    int32_t *h_piece[PATHS_GPU_PIECES];  // pinned, PIECE_BYTES each
    mco_team team;             // writes rows of the caller
    int32_t team_threads;      // 0: not open
    int32_t *d_out;            // a group's rows
    int64_t out_room;
    cudaEvent_t copied[PATHS_GPU_PIECES];
    paths_device_pieces *pieces;  // NULL: not measured
    cudaEvent_t piece_end[PATHS_MOST_PIECES];
};

// Makes room for `count` items in *memory; what it held is lost. *room is what it holds.
mco_status paths_gpu_make_room(mco_device *device, void **memory, int64_t *room, int64_t count, size_t item_bytes);
// The weights of the network that the hierarchy is of, to the device. Turns keep their costs.
mco_status paths_gpu_upload_weights(paths_device_hierarchy *d, const int32_t *weight);
// The rank where paths from a vertex of the network begin.
int32_t paths_gpu_rank_of(const paths_device_hierarchy *d, int32_t vertex);
// For mco_device_wait(): `run` is an mco_run, or NULL.
bool paths_gpu_must_stop(void *run);
mco_status paths_gpu_upload(paths_device_hierarchy *d, void **out, const void *from, int64_t count, size_t item_bytes);
#define PATHS_GPU_UPLOAD(d, out, from, count) paths_gpu_upload(d, (void **)(out), from, count, sizeof *(from))

#endif
