// SPDX-License-Identifier: MIT
// Launchers of the dtspms kernels (dtspms_cuda.cu), in plain C for the engine. They enqueue on a stream, allocate nothing
// and do not wait. The caller has made the device current.
//
// Two forms. Pairs: three stacks; two neighbours in the 16-bit halves of words, a group of threads has both
// (dtspms_pair.cuh). Plain: any number of stacks, 32 bits, a thread per neighbour and network, its table in device memory
// (dtspms_plain.cuh).
#ifndef MCO_DTSPMS_CUDA_H
#define MCO_DTSPMS_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;  // base/context.h speaks C
#endif

#include "dtspms/dtspms_walk.h"

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

typedef struct dtspms_device_walk {
    uint64_t seed;
    int64_t step, tours;  // tours: that were evaluated
    int32_t temperature, cost, best_cost;
    bool is_improved;     // best has been written
} dtspms_device_walk;

// Walks, the blocks of a launch; what all read is as in dtspms_walk_view.
typedef struct dtspms_device_walks {
    dtspms_device_walk *walk;     // [blocks]
    int16_t *node, *best;         // [blocks][orders]
    const int16_t *stack, *near;
    const uint32_t *logarithms;
    int32_t near_count, steps;
} dtspms_device_walks;

// ---- Pairs

// How pairs are run on a device. Groups of `threads` threads with `rows` rows of the first sequence each, `cells` of the
// third.
typedef struct dtspms_pair_form {
    int shape;                          // number of the instance; -1: none is large enough
    int32_t cells, rows, threads;
    int32_t group_bytes;                // of shared memory
    int32_t scan_warps, scan_bytes;     // of a block, with shared memory; blocks stay on their multiprocessor
    bool scan_shares_distances;         // the block has the matrix of its network in shared memory
    int32_t walk_warps, walk_bytes;
    bool walk_shares_distances;         // of both networks
    int walk_blocks;                    // of a multiprocessor
} dtspms_pair_form;

// Chooses the smallest instance that fits the heights, and sets problem->sequence_of to the order of stacks that fits it
// best.
cudaError_t dtspms_pair_choose(dtspms_device_problem *problem, size_t shared_bytes, dtspms_pair_form *form);

// Items first..end-1 of a scan in one network; item i is moves 2i and 2i + 1. Pickup before delivery.
cudaError_t dtspms_launch_scan_pairs(const dtspms_device_problem *problem, const dtspms_device_scan *scan,
                                     const dtspms_pair_form *form, mco_dtspms_network network, int64_t first, int64_t end,
                                     int blocks, cudaStream_t stream);
cudaError_t dtspms_launch_walk_pairs(const dtspms_device_problem *problem, const dtspms_device_walks *walks,
                                     const dtspms_pair_form *form, int blocks, cudaStream_t stream);

// ---- Plain

enum { DTSPMS_PLAIN_THREADS = 64 };  // of a block: a step of a walk in both networks

// Words of device memory that a thread takes.
double dtspms_plain_words(const dtspms_device_problem *problem);

// Moves first..end-1 in one network. Pickup before delivery. d_tables: words of `threads` threads, a multiple of
// DTSPMS_PLAIN_THREADS.
cudaError_t dtspms_launch_scan_plain(const dtspms_device_problem *problem, const dtspms_device_scan *scan,
                                     mco_dtspms_network network, int64_t first, int64_t end, int32_t *d_tables,
                                     int64_t threads, cudaStream_t stream);
// d_tables: words of DTSPMS_PLAIN_THREADS threads of each block.
cudaError_t dtspms_launch_walk_plain(const dtspms_device_problem *problem, const dtspms_device_walks *walks,
                                     int32_t *d_tables, int blocks, cudaStream_t stream);

// ---- Both

// Before a scan; and after it, where answer->best stands.
cudaError_t dtspms_launch_begin(const dtspms_device_scan *scan, cudaStream_t stream);
cudaError_t dtspms_launch_end(const dtspms_device_scan *scan, cudaStream_t stream);

MCO_END_C
#endif
