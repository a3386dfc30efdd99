// SPDX-License-Identifier: MIT
// Launchers of the kernels for trees without a hierarchy, in plain C. They enqueue on a stream, allocate nothing and do not wait.
// The caller makes the device current and validates the arguments.
#ifndef MCO_PATHS_SINGLE_CUDA_H
#define MCO_PATHS_SINGLE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/paths.h"

MCO_BEGIN_C

// ---- One tree: asynchronous tiles (tiles.cu)

enum {
    PATHS_TILE_SLOTS = 4,     // arcs into a vertex that threads keep in registers; further ones are in a list
    PATHS_TILE_WARPS = 16,    // of a block, at most: a word has two bits for each
    PATHS_TILE_DEAL = 8       // vertices of a thread, at most
};

// An arc between tiles, as the tile of its tail and the tile of its head see it.
typedef struct paths_tile_border {
    int32_t local;   // the end inside the tile, by number in the tile
    int32_t far;     // place of the other end
    int32_t weight;
    int32_t more;    // of an arc out: where the other tile's key is in d_key; of an arc in: bits of the warps that read its head
} paths_tile_border;

// An arc inside a tile beyond the slots of its head.
typedef struct paths_tile_more {
    uint16_t head, tail;  // numbers in the tile
    int32_t weight;
} paths_tile_more;

// The host zeroes it before each tree and sets `pending`. Words of different writers lie in cache lines of their own.
typedef struct paths_tiles_control {
    int32_t stop;                 // written by the host while the kernel runs
    int32_t pad_of_stop[31];
    unsigned long long pending;   // tiles with a key, tiles that a block works on, and what these blocks hold in reserve
    unsigned long long pad_of_pending[15];
    unsigned long long visits, exchanges, sweeps;
    int32_t farthest;             // paths_launch_tiles_farthest()
} paths_tiles_control;

// Tiles are the places tile * t .. tile * (t + 1) - 1. Tile t belongs to block t % blocks, whose keys are side by side: that of
// tile t is d_key[t % blocks * own + t / blocks].
typedef struct paths_tiles_plan {
    int32_t vertices;
    int32_t tile;          // vertices of a tile, a multiple of the threads, at most PATHS_TILE_DEAL for each
    int32_t tiles;
    int32_t threads;       // of a block
    int32_t blocks, own;   // own = ceil(tiles / blocks)
    int32_t exchange;      // sweeps of a warp between two exchanges with other tiles; 0: a tile settles first
    // Arcs into vertex i of tile t from the same tile: entries (t * SLOTS + slot) * tile + i. An empty slot has the weight
    // MCO_PATHS_NONE and the vertex itself as tail.
    const int32_t *d_weight;
    const uint16_t *d_tail;
    const uint16_t *d_readers;        // [tiles * tile] bit w: an arc leads to a vertex of warp w, another one than its own
    const paths_tile_more *d_more;    // of warp w of tile t: d_more_first[t * warps + w] and on; NULL: no tile has any
    const int32_t *d_more_first;      // [tiles * warps + 1]
    const paths_tile_border *d_in, *d_out;  // of tile t: d_in_first[t] .. d_in_first[t + 1] - 1
    const int32_t *d_in_first, *d_out_first;
    int32_t *d_label;      // [tiles * tile] by place
    int32_t *d_key;        // [blocks * own] the least label that waits to enter the tile; MCO_PATHS_NONE: none does
    int32_t *d_visits;     // [tiles]
    paths_tiles_control *d_control;
} paths_tiles_plan;

// Sets `blocks` to what fits on the current device at a time, at most a block for each tile, and `own`. Of the plan, `tile`,
// `tiles` and `threads` must be set. blocks_each: of a multiprocessor, 0: as many as fit. Errors: also InvalidValue for a shape
// that has no kernel, InvalidConfiguration if no block fits.
cudaError_t paths_tiles_shape(paths_tiles_plan *plan, int multiprocessors, int blocks_each);
// Clears labels, keys and visits, and sets the labels of `seeds` vertices: d_seed has pairs of a place and a label.
cudaError_t paths_launch_tiles_begin(const paths_tiles_plan *plan, int32_t seeds, const int32_t *d_seed, cudaStream_t stream);
// Works until no tile has a key, or d_control->stop is set.
cudaError_t paths_launch_tiles(const paths_tiles_plan *plan, cudaStream_t stream);
// Writes the greatest label below MCO_PATHS_NONE to d_control->farthest.
cudaError_t paths_launch_tiles_farthest(const paths_tiles_plan *plan, cudaStream_t stream);

// ---- Many trees: a block each (block_trees.cu)

enum { PATHS_BLOCK_SLOTS = 4, PATHS_BLOCK_VERTICES = 65535 };

// The arcs that leave a vertex, in one sector of memory; further ones are in a list.
typedef struct paths_block_row {
    uint16_t head[PATHS_BLOCK_SLOTS];    // a slot without an arc has the weight MCO_PATHS_NONE and the head 0
    int32_t more;                        // further arcs are d_more[more] and on
    uint16_t more_count;
    uint16_t ends;                       // bit k: paths end at head[k]
    int32_t weight[PATHS_BLOCK_SLOTS];
} paths_block_row;

typedef struct paths_block_arc {
    uint16_t head, is_end;
    int32_t weight;
} paths_block_arc;

// Zeroed before each launch.
typedef struct paths_block_control {
    int32_t stop;                // written by the host while the kernel runs
    int32_t pad_of_stop[31];
    unsigned long long next;     // trees taken
    unsigned long long done;     // trees written
    unsigned long long rounds, scans;
} paths_block_control;

typedef struct paths_block_plan {
    int32_t vertices;            // at most PATHS_BLOCK_VERTICES
    int32_t threads;
    int32_t delta;               // the range of labels that are near at a time, at least 1
    int32_t queue;               // entries of each of the two queues, an even number
    int32_t blocks;              // paths_block_trees_shape()
    const paths_block_row *d_row;   // [vertices]
    const paths_block_arc *d_more;
    int64_t count;
    const int32_t *d_source;     // [count]
    int32_t *d_distance;         // [count * vertices]
    paths_block_control *d_control;
} paths_block_plan;

// Bytes of shared memory of a block.
size_t paths_block_trees_bytes(int32_t vertices, int32_t queue);
cudaError_t paths_block_trees_shape(paths_block_plan *plan, int multiprocessors);
cudaError_t paths_launch_block_trees(const paths_block_plan *plan, cudaStream_t stream);

MCO_END_C
#endif
