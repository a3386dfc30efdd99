// SPDX-License-Identifier: MIT
// A hierarchy on one GPU, beyond what hierarchy.h offers: tunings for study, both stages in one, and a look at the weights.
#ifndef MCO_PATHS_HIERARCHY_GPU_H
#define MCO_PATHS_HIERARCHY_GPU_H

#include <cuda_runtime_api.h>

#include "paths/hierarchy/hierarchy.h"
#include "paths/hierarchy/tables.h"

// How queries are answered.
typedef enum paths_queries_way {
    PATHS_QUERIES_AUTO,
    PATHS_QUERIES_WALK,         // up from both points
    PATHS_QUERIES_LABELS        // labels of all vertices, made once for the weights
} paths_queries_way;

enum { PATHS_MOST_PIECES = 64 };

// Kernels of trees, each with its time; events between them keep them from overlapping.
typedef struct paths_device_pieces {
    int count;                  // the first ones, if there are more
    char name[PATHS_MOST_PIECES][24];
    float ms[PATHS_MOST_PIECES];
} paths_device_pieces;

// Zero members take the defaults.
typedef struct paths_device_tuning {
    paths_cell_bounds cells;
    int32_t per_lane;           // sources of a lane in trees: 1 or 2; 0: by their number
    int32_t group_warps;        // warps of a cell's block, up to 8; 0: by the number of cells and sources
    int32_t split_warps;        // warps of a multiprocessor below which the warps of a block share a cell; 0: 32
    int32_t dense;              // tiers whose cells are shared by a matrix of weights: 0: where it fits, 1: none
    int32_t walk;               // 0: a block a source, where the arcs of a way fit; 1: a warp a source
    int32_t customise_blocks, customise_threads;
    paths_queries_way queries;
    int32_t copy_threads;       // that write labels to the caller's memory; 0: 8, or as many as there are cores
    bool copy_plain;            // the system is not asked for huge pages
    size_t shared_bytes;        // of a block at most; 0: what the device has
    int64_t batch_bytes;        // of labels on the device at most; 0: what is free
} paths_device_tuning;

typedef struct paths_device_stats {
    int32_t tiers, cells, high_count, high_levels, triangle_levels;
    int32_t per_lane;           // of the last trees
    int64_t bytes;              // of device memory for tables and weights
} paths_device_stats;

mco_status paths_device_open_tuned(mco_context *ctx, const mco_paths_hierarchy *hierarchy, uint64_t gpus,
                                   const paths_device_tuning *tuning, paths_device_hierarchy **out);
// Changes how trees and customising run; `cells` and batch_bytes are those of the opening.
void paths_device_tune(paths_device_hierarchy *device, const paths_device_tuning *tuning);
// New weights, and at once the trees of the sources of the last call of paths_device_trees(), whose labels stay on the device: one
// sequence of kernels between two events. Errors: ARGUMENT (the labels of the last call did not fit into one batch).
mco_status paths_device_renew(mco_context *ctx, paths_device_hierarchy *device, mco_run *run, const int32_t *weight, double *device_s);
// Labels of all vertices for the weights as they are, so that queries join them. Errors: LIMIT (memory, height), STOPPED.
mco_status paths_device_ancestors(mco_context *ctx, paths_device_hierarchy *device, mco_run *run, double *device_s);
// Runs the trees of the last call once more, whose labels are on the device, and takes the time of each kernel.
mco_status paths_device_measure(mco_context *ctx, paths_device_hierarchy *device, mco_run *run, paths_device_pieces *pieces);
// The customised weights, pair [2 * arcs of the hierarchy].
mco_status paths_device_weights(mco_context *ctx, paths_device_hierarchy *device, int32_t *pair);
// The labels that the last call left on the device, distance [count][vertices].
mco_status paths_device_labels(mco_context *ctx, paths_device_hierarchy *device, mco_run *run, int32_t *distance, double *copy_s);
// What is on the device, for kernels of other rooms: weights [arcs of the network] to be written, and the labels of the last trees
// [groups][vertices][32 * per_lane] by rank, sources by rank. Writes and reads come before and after the calls below.
typedef struct paths_device_parts {
    int32_t *d_weight;
    const paths_trees_plan *trees;
    cudaStream_t stream;        // of all kernels
} paths_device_parts;
paths_device_parts paths_device_look(const paths_device_hierarchy *device);
// paths_device_customise() with the weights that are on the device. The network has no turns.
mco_status paths_device_customise_here(mco_context *ctx, paths_device_hierarchy *device, double *device_s);
// The same, and behind it the trees of the sources of the last call, whose labels stay on the device; enqueued, not waited for. The launches
// take what paths_device_trees() took. Errors: ARGUMENT (the labels of the last call did not fit into one batch).
mco_status paths_device_enqueue(mco_context *ctx, paths_device_hierarchy *device);
paths_device_stats paths_device_tell(const paths_device_hierarchy *device);

#endif
