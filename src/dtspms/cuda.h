// SPDX-License-Identifier: MIT
// Launchers of the dtspms kernels (dtspms/cuda.cu), in plain C for the engine. They enqueue on a stream, allocate nothing
// and do not wait. The caller has made the device current.
//
// Scans have two forms. Pairs: three stacks; two neighbours in the 16-bit halves of words, a group of threads has both
// (dtspms/pair.cuh). Plain: any number of stacks, 32 bits, a thread per neighbour and network, its table in device memory
// (dtspms/plain.cuh).
#ifndef MCO_DTSPMS_CUDA_H
#define MCO_DTSPMS_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "dtspms/kernels.h"

MCO_BEGIN_C

enum {
    DTSPMS_DEVICE_SEQUENCE = 2 * MCO_DTSPMS_MAX_STACKS,  // steps of all sequences besides one for each order
    DTSPMS_INDEX_BITS = 33                               // of a move, below its cost, in `best`
};

// An instance and the heights of its plans; device pointers.
typedef struct dtspms_device_problem {
    int32_t orders, nodes, stacks;
    int32_t heights[MCO_DTSPMS_MAX_STACKS];    // 0 beyond the stacks
    int32_t first[MCO_DTSPMS_MAX_STACKS + 1];  // position of the lowest order of each stack; beyond the stacks, orders
    int32_t sequence_of[MCO_DTSPMS_MAX_STACKS];  // which sequence of the dynamic program a stack is
    int32_t longest[2];
    bool is_symmetric;             // in both networks
    const uint16_t *distance_16[2];  // [nodes * nodes], where lanes of 16 bits suffice; for pairs
    const int32_t *distance[2];      // [nodes * nodes]
} dtspms_device_problem;

// What a scan of all its moves leaves.
typedef struct dtspms_device_answer {
    unsigned long long best;  // cost << DTSPMS_INDEX_BITS | index; all ones before
    unsigned long long sum;   // 0 before
    int32_t pickup;           // cost of the best move's pickup tour
} dtspms_device_answer;

typedef struct dtspms_device_scan {
    const int32_t *node;  // [orders] the plan
    mco_dtspms_move kind;
    int64_t moves;
    int32_t *pickup;      // [moves + 1]
    int32_t *costs;       // [moves] or NULL
    dtspms_device_answer *answer;
} dtspms_device_scan;

// ---- Pairs

// How pairs are run on a device. Groups of `threads` threads with `rows` rows of the first sequence each, `cells` of the
// third.
typedef struct dtspms_pair_form {
    int shape;                          // number of the instance; -1: none is large enough
    int32_t cells, rows, threads;
    int32_t group_bytes;                // of shared memory
    int32_t scan_warps, scan_bytes;     // of a block, with shared memory; blocks stay on their multiprocessor
    bool scan_shares_distances;         // the block has the matrix of its network in shared memory
} dtspms_pair_form;

// Chooses the smallest instance that fits the heights, and sets problem->sequence_of to the order of stacks that fits it
// best.
cudaError_t dtspms_pair_choose(dtspms_device_problem *problem, size_t shared_bytes, dtspms_pair_form *form);

// Items first..end-1 of a scan in one network; item i is moves 2i and 2i + 1. Pickup before delivery.
cudaError_t dtspms_launch_scan_pairs(const dtspms_device_problem *problem, const dtspms_device_scan *scan,
                                     const dtspms_pair_form *form, mco_dtspms_network network, int64_t first, int64_t end,
                                     int blocks, cudaStream_t stream);

// ---- Plain

enum { DTSPMS_PLAIN_THREADS = 64 };  // of a block

// Words of device memory that a thread takes.
double dtspms_plain_words(const dtspms_device_problem *problem);

// Moves first..end-1 in one network. Pickup before delivery. d_tables: words of `threads` threads, a multiple of
// DTSPMS_PLAIN_THREADS.
cudaError_t dtspms_launch_scan_plain(const dtspms_device_problem *problem, const dtspms_device_scan *scan,
                                     mco_dtspms_network network, int64_t first, int64_t end, int32_t *d_tables,
                                     int64_t threads, cudaStream_t stream);

// ---- Both

// Before a scan; and after it, where answer->best stands.
cudaError_t dtspms_launch_begin(const dtspms_device_scan *scan, cudaStream_t stream);
cudaError_t dtspms_launch_end(const dtspms_device_scan *scan, cudaStream_t stream);

// ---- Walks (dtspms/walk.cuh)


// What is not an element of a sequence: dtspms_walk without its arrays.
typedef struct dtspms_device_walk {
    uint64_t random;
    int32_t temperature, cost, best_cost;
    int32_t heights[8], best_heights[8];
} dtspms_device_walk;

// Walks and what all of them read; device pointers. Lengths are uint16_t, words uint32_t; or int32_t and uint64_t.
typedef struct dtspms_device_walks {
    int32_t orders, nodes, stacks, capacity, near_count, count;
    int64_t steps;
    const void *leave[2];  // [nodes * nodes] of each sequence
    const uint16_t *near;  // [2][nodes][near_count]
    const uint16_t *rank;  // [nodes]
    const uint32_t *logarithms;
    dtspms_device_walk *walk;  // [count]
    void *now, *best;          // [count][2][positions] sequences of elements; `best` is written where it is better
} dtspms_device_walks;

// How walks are run on a device.
typedef struct dtspms_walk_form {
    int shape;           // number of the instance; -1: none is large enough
    bool is_wide;        // words of 64 bits
    int32_t positions;   // of a sequence: stops 0..orders + 1, then zeros
    int32_t node_bit, length_bit;  // of an element: below a bit for each stack, then the node, the length of the edge behind
    int32_t walks;       // of a warp
    int32_t warps;       // of a block, at most; one block a multiprocessor
    int32_t warp_bytes, shared_bytes;  // of shared memory: of a warp, and of a block besides
} dtspms_walk_form;

// For lengths up to `longest`.
cudaError_t dtspms_walk_choose(int32_t orders, int32_t stacks, int32_t longest, bool is_symmetric, size_t shared_bytes,
                               dtspms_walk_form *form);
cudaError_t dtspms_launch_walks(const dtspms_device_walks *walks, const dtspms_walk_form *form, int multiprocessors,
                                cudaStream_t stream);

MCO_END_C
#endif
