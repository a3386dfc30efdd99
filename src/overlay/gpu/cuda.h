// SPDX-License-Identifier: MIT
// Launchers of the overlay's sweeps on a GPU, in plain C, and the structs that they share with the host. They enqueue on a stream,
// allocate nothing and do not wait. The caller makes the device current and validates the arguments.
//
// All numbers that decide are integers, or doubles by the very operations of the cores. Sums are of 64 or 128 bits and never round, so
// their order is free, and results equal those of the reference bit for bit.
#ifndef MCO_OVERLAY_GPU_CUDA_H
#define MCO_OVERLAY_GPU_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    OVERLAY_GPU_BLOCK = 256,        // threads of a block of warps, of which each has a row
    OVERLAY_GPU_WHOLE_MOST = 1024,  // nodes of a complete instance whose runs are one launch
    OVERLAY_GPU_BLOCK_WORDS = OVERLAY_GPU_BLOCK / 32 + 3,  // that a block of whole runs sends: of its nodes, and of their bound
    OVERLAY_GPU_STD_MOST = 1 << 26, // of a link, in units, in whole runs of std
    OVERLAY_GPU_CLASSES = 7,        // of rows by their length
    OVERLAY_GPU_WARP_CLASSES = 4,   // of these: a warp a row
    OVERLAY_GPU_SLOTS = 2           // of exchanged words, and of sums and states
};

typedef enum overlay_gpu_method { OVERLAY_GPU_MEASURE, OVERLAY_GPU_JUMP, OVERLAY_GPU_STD, OVERLAY_GPU_DIST } overlay_gpu_method;

// A node as its neighbours see it: a gather of 16 bytes, half a sector of the L2 cache.
typedef struct overlay_gpu_node {
    uint32_t uptime, cap, dual, bandwidth;
} overlay_gpu_node;

// What iterations leave for the next ones. In a launch or in a row of launches, slot 0 is the first.
typedef struct overlay_gpu_state {
    uint64_t least_low, least_high;  // the least doubled bound
    int64_t iteration, best_iteration;
    double before;                   // jump: the least bound before the last iteration
    double beta;                     // std
    int32_t stalls;                  // std
    int32_t side;                    // which nodes have the present duals
    int32_t is_ended;                // jump: plain jumps gain too little; or a sweep was cut
    int32_t changes;                 // entries of the log
} overlay_gpu_state;

// A bound that was the least when it was found.
typedef struct overlay_gpu_change {
    int64_t iteration;
    uint64_t low, high;
} overlay_gpu_change;

typedef struct overlay_gpu_sums {
    unsigned long long low, high;                // of the doubled bound
    unsigned long long square_low, square_high;  // std: of the excesses
    unsigned long long is_cut;                   // the host wanted the end: some rows are missing
} overlay_gpu_sums;

// How methods work (overlay_options.def).
typedef struct overlay_gpu_rules {
    double std_constant, scale;
    int32_t inner;
    bool is_squared;                 // std
    bool by_sign;                    // dist
    int32_t keep;                    // dist: 0 the mean, 1 the best dual, 2 the last one
    bool is_plain;                   // jump: ends when a jump gains little
} overlay_gpu_rules;

// Rows of similar length, that one kernel sweeps.
typedef struct overlay_gpu_class {
    int64_t first, end;              // in d_order, or nodes where it is NULL
} overlay_gpu_class;

// Where a part tells another part, or all others at once, what it has found. Slots take turns, as ticks do.
typedef struct overlay_gpu_mail {
    uint32_t *duals;                 // [OVERLAY_GPU_SLOTS][nodes] the next duals; std: excesses; before lists: the lowest duals
    overlay_gpu_sums *sums;          // [OVERLAY_GPU_SLOTS][parts]
    int32_t *near;                   // [nodes] d_near of the other part; NULL: there are no lists
} overlay_gpu_mail;

// Several GPUs have a part each: the rows of some nodes, and the duals of all. One GPU has all rows.
typedef struct overlay_gpu_plan {
    int32_t nodes;
    bool is_complete;
    int32_t part, parts;
    int32_t first_node, end_node;    // of the part
    int64_t first_entry;             // so many entries have the rows before
    int32_t mails;                   // those of the other parts, or one that all read
    const overlay_gpu_mail *d_mail;  // [mails] to write to
    overlay_gpu_mail inbox;          // what others have written
    const int64_t *d_first;          // [nodes + 1] of all parts
    int32_t *d_to;                   // [entries] 4 bytes an entry, and each link has two: 8 bytes a link; lists.cu reorders rows
    uint32_t *d_weight;              // [entries] NULL: products
    int32_t *d_most;                 // [entries] NULL: the lesser of both caps
    const int32_t *d_order;          // [nodes of the part] by class; NULL: all have the same class
    overlay_gpu_class classes[OVERLAY_GPU_CLASSES];  // at most 32, 128, 256, 1024, 4096, 16384 links; more
    int32_t blocks[OVERLAY_GPU_CLASSES];
    uint64_t *d_scratch;             // [blocks of the last class][longest] its rows
    int64_t longest;                 // links of a row
    overlay_gpu_node *d_node[2];     // [nodes]
    uint32_t *d_best;                // [nodes]
    uint32_t *d_reach;               // [nodes] jump
    uint64_t *d_alpha;               // [nodes] dist
    int32_t *d_stalls;               // [nodes] dist
    int32_t *d_excess;               // [nodes] std
    // Lists of near links (lists.cu); NULL: none.
    int32_t *d_near;                 // [nodes] so many links at the front of the row; as many as it has, or more: all of them
    uint32_t *d_floor;               // [nodes] they are enough at duals not below this
    uint32_t *d_lowest;              // [nodes] and while the node's own dual, which its neighbours count on, is not below this
    overlay_gpu_state *d_state;      // [OVERLAY_GPU_SLOTS]
    overlay_gpu_sums *d_sums;        // [OVERLAY_GPU_SLOTS]
    overlay_gpu_change *d_log;
    const int32_t *d_stop;           // not 0: the host wants the launch to end
    uint64_t *d_words;               // [OVERLAY_GPU_SLOTS][OVERLAY_GPU_BLOCK_WORDS * whole_blocks] of whole runs; zeroed before the first one
    int32_t whole_blocks;            // 0: this instance is swept by launches
    int32_t pause;                   // clocks of whole runs before the first look at the words of others
    overlay_gpu_rules rules;
} overlay_gpu_plan;

// Blocks that fit on the device at a time, for the kernel of a class.
cudaError_t overlay_gpu_occupancy(overlay_gpu_method method, int class_number, int multiprocessors, int32_t *blocks);
// The same for whole runs: whether all blocks fit, of jump and dist, and of std, which takes links of up to OVERLAY_GPU_STD_MOST.
cudaError_t overlay_gpu_whole_fits(overlay_gpu_method method, int32_t nodes, int multiprocessors, bool *fits);
cudaError_t overlay_gpu_std_fits(int32_t nodes, int multiprocessors, bool *fits);

// One iteration: the rows of the part, and behind them what all nodes do with the sums of all parts. `tick` counts iterations from 0: state and
// sums of tick % 2 are taken, and those of (tick + 1) % 2 are left. `width`: of jump's ramp; 0: none. `side` runs heavy rows beside the others;
// forked and joined are events that this launch may use. Between both launches a part waits for the first one of all others.
cudaError_t overlay_gpu_launch_rows(const overlay_gpu_plan *plan, overlay_gpu_method method, int64_t tick, uint32_t width, cudaStream_t stream,
                                    cudaStream_t side, cudaEvent_t forked, cudaEvent_t joined);
cudaError_t overlay_gpu_launch_apply(const overlay_gpu_plan *plan, overlay_gpu_method method, int64_t tick, cudaStream_t stream);
// Makes lists of near links for the duals before iteration `tick`, whose ramp has this width: what nodes may fall to, then rows. A part waits for
// the others between both launches, and behind the second one.
cudaError_t overlay_gpu_launch_falls(const overlay_gpu_plan *plan, int64_t tick, uint32_t width, cudaStream_t stream);
cudaError_t overlay_gpu_launch_lists(const overlay_gpu_plan *plan, int64_t tick, cudaStream_t stream);
// `count` iterations of jump or dist on a complete instance in one launch, from the state and duals of slot and side 0, which take the results. `tick` counts
// iterations of all launches since d_words was zeroed. d_width [count]: of jump's ramp; NULL: none. from_best: the first duals are those of the
// least bound.
cudaError_t overlay_gpu_launch_whole(const overlay_gpu_plan *plan, overlay_gpu_method method, uint32_t tick, int32_t count, const uint32_t *d_width,
                                     bool from_best, cudaStream_t stream);
// The same for std.
cudaError_t overlay_gpu_launch_std(const overlay_gpu_plan *plan, int32_t count, cudaStream_t stream);
// First reaches, steps and stalls of all nodes.
cudaError_t overlay_gpu_launch_begin(const overlay_gpu_plan *plan, cudaStream_t stream);
// Duals: of the least bound, or d_dual where it is not NULL, to both sides.
cudaError_t overlay_gpu_launch_put(const overlay_gpu_plan *plan, const uint32_t *d_dual, cudaStream_t stream);

MCO_END_C

#endif
