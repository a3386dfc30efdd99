// SPDX-License-Identifier: MIT
// Tunings and times of the GPU engines for trees without a hierarchy, for tests and benchmarks. Only in builds with MCO_HAVE_CUDA.
#ifndef MCO_PATHS_SINGLE_GPU_H
#define MCO_PATHS_SINGLE_GPU_H

#include "device/device_cuda.h"
#include "paths/single/cuda.h"
#include "paths/single/single.h"

// ---- Tiles

// Zero: chosen.
typedef struct paths_tiles_tuning {
    int32_t tile;         // vertices of a tile
    int32_t threads;      // of a block
    int32_t blocks_each;  // blocks of a multiprocessor, at most
    int32_t exchange;     // sweeps of a warp between two exchanges; 0: a tile settles before it publishes
} paths_tiles_tuning;

enum { PATHS_TILE_DEFAULT = 1024, PATHS_TILE_THREADS = 256 };

// What the last tree took.
typedef struct paths_tiles_stats {
    double begin_s;    // labels and keys cleared, by events
    double tiles_s;    // the kernel of the tiles, by events
    double copy_s;     // labels to the host, wall clock
    int64_t visits, exchanges, sweeps;
    int32_t tiles, blocks;
} paths_tiles_stats;

// As paths_tiles_open(). tuning->tile should be the tile of the layout's order. Errors: also ARGUMENT (a shape without a kernel).
mco_status paths_tiles_open_tuned(mco_context *ctx, const paths_layout *layout, uint64_t gpus, const paths_tiles_tuning *tuning,
                                  paths_tiles **out);
const paths_tiles_stats *paths_tiles_last(const paths_tiles *tiles);

// The arrays of a layout that kernels read, on the host (tile_arcs.c). Owned by the holder.
typedef struct paths_tile_arcs {
    int32_t tile, tiles, warps;
    int32_t *weight;              // [tiles * SLOTS * tile]
    uint16_t *tail;               // [tiles * SLOTS * tile]
    uint16_t *readers;            // [tiles * tile]
    int32_t *more_first;          // [tiles * warps + 1]
    paths_tile_more *more;        // [more_first[tiles * warps]]
    int32_t *in_first, *out_first;  // [tiles + 1]
    paths_tile_border *in, *out;  // [in_first[tiles]] both
} paths_tile_arcs;

// Turns the arcs of a layout around and sorts them by tile. The plan's tile, tiles, threads, blocks and own are set. Loops, and
// arcs that leave vertices at which paths end, are left out. Errors: MEMORY. O(vertices + arcs).
mco_status paths_tile_arcs_make(mco_context *ctx, const paths_layout *layout, const paths_tiles_plan *plan, paths_tile_arcs *out);
void paths_tile_arcs_clear(mco_context *ctx, paths_tile_arcs *arcs);

// ---- A block for each tree

// Zero: chosen.
typedef struct paths_block_tuning {
    int32_t threads;
    int32_t delta;
    int32_t queue;
} paths_block_tuning;

typedef struct paths_block_stats {
    double device_s;   // kernels, by events
    double wall_s;     // of the call, with opening the device and all copies
    int64_t rounds, scans;
    int32_t blocks, delta;
} paths_block_stats;

// As paths_block_trees(). distance NULL: the trees stay on the device, where later ones overwrite earlier ones.
mco_status paths_block_trees_tuned(mco_context *ctx, const paths_layout *layout, uint64_t gpus, mco_run *run, int64_t count,
                                   const int32_t *source, const paths_block_tuning *tuning, int32_t *distance,
                                   paths_block_stats *stats);

// ---- Shared (gpu.c)

// Opens the GPU of the lowest bit of `gpus`, the first one if there is none. Errors: DEVICE.
mco_status paths_single_device(mco_context *ctx, uint64_t gpus, mco_device *out);

// A run and whether it has said stop, for mco_device_wait().
typedef struct paths_single_watch {
    mco_run *run;   // NULL: nobody stops it
    bool is_stopped;
} paths_single_watch;
bool paths_single_must_stop(void *watch);

// Whether a vertex is reached by a walk that is too long to have a label: an arc leads from a label to a vertex without one.
// Errors: LIMIT. O(arcs).
mco_status paths_single_refuse_long(mco_context *ctx, const paths_layout *layout, int32_t source, const int32_t *distance);

#endif
