// SPDX-License-Identifier: MIT
// Trees from one source without a hierarchy. Each engine is made once for a network and then finds any number of trees.
#ifndef MCO_PATHS_SINGLE_H
#define MCO_PATHS_SINGLE_H

#include "base/run.h"
#include "paths/network.h"

// What a search counted; of studies and benches.
typedef struct paths_counts {
    int64_t settled;   // labels taken from the queue that were not stale
    int64_t taken;     // labels taken from the queue
    int64_t relaxed;   // arcs looked at
    int64_t largest;   // most labels in the queue at a time
    int64_t rounds;    // buckets, phases or barriers
    int64_t meetings;  // of the workers; of the buckets alone
    int64_t frontier;  // most vertices at a time that have a label and are not settled; of the heap alone
} paths_counts;

// A search that keeps its memory. Zero before use. Turns are left to paths_ref_search().
typedef struct paths_search paths_search;

// Dijkstra's algorithm with a 4-ary heap, one core. Layout: the caller keeps it until the search is closed.
mco_status paths_heap_open(mco_context *ctx, const paths_layout *layout, paths_search **out);
// A queue of buckets of a power of two as width, by the weights; `threads` cores work on one tree.
mco_status paths_buckets_open(mco_context *ctx, const paths_layout *layout, int32_t threads, paths_search **out);
// Finds the tree of the vertex at place `source`, distance [vertices] by place. Errors: STOPPED (by the run), LIMIT (a
// distance of MCO_PATHS_NONE or more), MEMORY.
mco_status paths_search_tree(mco_context *ctx, paths_search *search, mco_run *run, int32_t source, int32_t *distance,
                             paths_counts *counts);
void paths_search_close(mco_context *ctx, paths_search **search);

// An order of the vertices in which neighbours are near in memory: by tiles of places where they are known, else by breadth-first
// search in parts. Errors: STOPPED, MEMORY. The caller frees *vertex_at [vertices]. Tiles of `tile` vertices are parts of that size; see tiles.cu.
mco_status paths_local_order(mco_context *ctx, const mco_paths_rows *rows, int32_t tile, int32_t **vertex_at);

// ---- One GPU
typedef struct paths_tiles paths_tiles;
mco_status paths_tiles_open(mco_context *ctx, const paths_layout *layout, uint64_t gpus, paths_tiles **out);
mco_status paths_tiles_tree(mco_context *ctx, paths_tiles *tiles, mco_run *run, int32_t source, int32_t *distance,
                            double *device_s, paths_counts *counts);
void paths_tiles_close(mco_context *ctx, paths_tiles **tiles);

// Many trees on a GPU without a hierarchy: one block of threads for each source, labels in shared memory. Networks whose labels
// do not fit are refused (LIMIT). distance [count][vertices] by place, on the host.
mco_status paths_block_trees(mco_context *ctx, const paths_layout *layout, uint64_t gpus, mco_run *run, int64_t count,
                             const int32_t *source, int32_t *distance, double *device_s);

#endif
