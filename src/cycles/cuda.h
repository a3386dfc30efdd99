// SPDX-License-Identifier: MIT
// Launchers of the cycle kernels, in plain C for the engine. They enqueue on a stream, allocate nothing and do not wait. The
// caller makes the device current and validates the arguments.
#ifndef MCO_CYCLES_CUDA_H
#define MCO_CYCLES_CUDA_H

#include <cuda_runtime_api.h>

#include "cycles/step.h"

MCO_BEGIN_C

enum {
    CYCLES_BLOCK = 256,             // threads of a block
    CYCLES_BLOCK_WARPS = CYCLES_BLOCK / 32,
    CYCLES_STACK_LEAST = 64,        // entries of a warp's stack
    CYCLES_LENGTHS = CYCLES_STEP_VERTICES + 1,
    CYCLES_NO_CHUNK = -1
};

// ---- Search (search.cu)

// A level of the breadth-first part.
typedef struct cycles_level {
    unsigned long long count;  // nodes written
    uint32_t failed;           // a warp found no room for its cycles
    uint32_t pad;
} cycles_level;

// Zeroed before the first launch. Words of different writers lie in cache lines of their own.
typedef struct cycles_search_control {
    // Written by the prepare kernel alone, and by the host between launches.
    int64_t count;        // nodes in the pool
    int32_t side;         // which half of the pool holds them
    int32_t goes_on;      // the search kernel has work and may run
    int32_t is_crowded;   // the host must take nodes out of the pool
    int32_t pad_of_state[27];
    // Written by the host while kernels run, and by warps without room.
    int32_t stop;
    int32_t is_full;      // no chunk of the list is free
    uint32_t idle;        // warps that have ended for lack of work
    uint32_t pad_of_ends[29];
    unsigned long long next;     // nodes pulled, from the top of the pool
    unsigned long long pad_of_next[15];
    unsigned long long dumped;   // nodes written above the top
    unsigned long long spilled;  // of these: by full stacks
    unsigned long long chunks;   // of the list, taken
    unsigned long long pad_of_room[13];
    unsigned long long arrived;  // blocks at the barriers of the prepare kernel, in all
    unsigned long long pad_of_arrived[15];
    cycles_level level[3];       // the levels of the breadth-first part take turns
    unsigned long long cycles, steps;
    unsigned long long all_dumped, all_spilled, levels;  // sums over all launches
    unsigned long long by_length[CYCLES_LENGTHS];
} cycles_search_control;

// Part of the list that a warp fills.
typedef struct cycles_chunk {
    int32_t chunk;  // CYCLES_NO_CHUNK: none
    int32_t used;   // rows
} cycles_chunk;

typedef struct cycles_search_plan {
    int32_t vertices, words;        // words of a set: 1, 2 or 4
    int32_t row_words;              // words of a listed row: (vertices + 63) / 64
    bool lists;                     // cycles are listed; nodes carry their paths
    bool by_length;
    cycles_rules rules;
    const uint64_t *d_adjacent;     // [vertices * words]
    // The pool: two halves of `capacity` nodes. Word w of node i is d_words[side][w * capacity + i]; words [0, words) are the
    // open set, with `lists` the next `words` are the path. A node is on top if its number is high.
    uint64_t *d_words[2];
    uint32_t *d_tags[2];
    int64_t capacity;
    int64_t crowded;                // more nodes: the search waits for the host
    int64_t spill_room;             // nodes that full stacks may add in one launch
    int64_t prefixes;               // breadth-first while there are fewer nodes; prefixes * (max_degree + 1) <= capacity
    int32_t stack;                  // entries of a warp's stack, a power of two
    int32_t idle_warps;             // so many: the others dump their stacks, and work is spread anew
    int64_t slice_ns;               // a search kernel ends after this time
    int32_t search_blocks, prepare_blocks;  // cycles_search_shape()
    cycles_search_control *d_control;
    // The list: chunk c is rows c * chunk_rows and on, of which d_fill[c] are in use.
    uint64_t *d_rows;
    int32_t *d_fill;                // [chunks]
    int64_t chunks;
    int32_t chunk_rows;             // at least 32 times the cycles that a step can close
    cycles_chunk *d_open;           // [warps of the larger grid]
} cycles_search_plan;

// Sets search_blocks and prepare_blocks to what fits on the current device at a time. capacity, crowded and spill_room may
// be unknown. Errors: also InvalidConfiguration if no block fits.
cudaError_t cycles_search_shape(cycles_search_plan *plan, int multiprocessors);
// Puts what the last search left into order and goes on breadth-first while the nodes are few.
cudaError_t cycles_launch_prepare(const cycles_search_plan *plan, cudaStream_t stream);
// Goes on depth-first. It ends when all nodes are done, when idle_warps are without work, after slice_ns, when the list is
// full, or when d_control->stop is set; what is left is back in the pool after the next prepare.
cudaError_t cycles_launch_search(const cycles_search_plan *plan, cudaStream_t stream);

// ---- Products (product.cu)

// Products first .. first + rows - 1 of the whole list: every row of a left list with every row of a right list. Fewer than
// 2^32 rows.
typedef struct cycles_product_part {
    int64_t first;
    int64_t left, right;    // first rows
    uint32_t right_count;
    uint32_t rows;
} cycles_product_part;

typedef struct cycles_product_plan {
    int32_t words;                       // of a row: 1 to 4
    const uint64_t *d_lists;             // rows of both sides
    const cycles_product_part *d_parts;  // [parts] in order, without gaps
    int64_t parts;
    int64_t begin, end;                  // products to be made, begin < end
    uint64_t *d_rows;                    // [(end - begin) * words]
} cycles_product_plan;

cudaError_t cycles_launch_product(const cycles_product_plan *plan, cudaStream_t stream);

// ---- The published algorithm (labels.cu)

// Zeroed before the first launch.
typedef struct cycles_labels_control {
    int64_t count, taken;      // paths in the table; those on top that the next level takes
    int32_t side;              // the table in use
    int32_t is_full;           // not one path can grow: the table is too small
    unsigned long long grown;  // paths written to the other table
    unsigned long long cycles, listed, hash;
    unsigned long long by_length[CYCLES_LENGTHS];
} cycles_labels_control;

typedef struct cycles_labels_plan {
    int32_t vertices, words, row_words;
    int32_t max_degree;          // at least 2
    cycles_rules rules;
    const uint64_t *d_adjacent;  // [vertices * words]
    const int32_t *d_first;      // [vertices + 1] neighbours of v: d_head[d_first[v] .. d_first[v + 1])
    const int32_t *d_head;
    uint64_t *d_later;           // [vertices * words] the vertices of greater label
    // Two tables: word w of row i is d_words[side][w * capacity + i]; a tag has the first, second and last vertex.
    uint64_t *d_words[2];
    uint32_t *d_tags[2];
    int64_t capacity;
    uint64_t *d_rows;            // [row_capacity * row_words] cycles, overwritten in turn; NULL: they are counted only
    int64_t row_capacity;
    cycles_labels_control *d_control;
} cycles_labels_plan;

// Labels by degree, and fills d_later.
cudaError_t cycles_launch_degree_labels(const cycles_labels_plan *plan, cudaStream_t stream);
// Stage 1: the table of triplets. At most vertices * max_degree^2 / 2 paths; the caller makes room.
cudaError_t cycles_launch_triplets(const cycles_labels_plan *plan, cudaStream_t stream);
// Stage 2, one level: paths on top of the table grow by a vertex, close, or end. Does nothing if there are none.
cudaError_t cycles_launch_growth(const cycles_labels_plan *plan, int multiprocessors, cudaStream_t stream);

MCO_END_C
#endif
