// SPDX-License-Identifier: MIT
// Launchers of the dtspms kernels (dtspms/cuda.cu), in plain C for the engine. They enqueue on a stream, allocate
// nothing and do not wait. The caller has made the device current.
//
// A scan has two forms. Pairs (dtspms/pair.cuh): three stacks; a group of threads evaluates two neighbours at a time,
// in the 16-bit halves of words. Plain (dtspms/plain.cuh): any number of stacks, 32 bits; a thread evaluates one
// neighbour in one network, with its table in device memory.
#ifndef MCO_DTSPMS_CUDA_H
#define MCO_DTSPMS_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "dtspms/kernels.h"

MCO_BEGIN_C

enum {
    DTSPMS_DEVICE_SEQUENCE = 2 * MCO_DTSPMS_MAX_STACKS,  // depot steps of all sequences, at most
    DTSPMS_INDEX_BITS = 33                               // bits of a move's index in `best`; the cost is above them
};

// An instance and the heights of its plans. Pointers are to device memory.
typedef struct dtspms_device_problem {
    int32_t orders, nodes, stacks;
    int32_t heights[MCO_DTSPMS_MAX_STACKS];    // 0 beyond the stacks
    int32_t first[MCO_DTSPMS_MAX_STACKS + 1];  // position of the lowest order of each stack; `orders` beyond the stacks
    int32_t sequence_of[MCO_DTSPMS_MAX_STACKS];  // pairs: the sequence of the dynamic program, 0 to 2, for each stack
    int32_t longest[2];
    bool is_symmetric;             // in both networks
    const uint16_t *distance_16[2];  // [nodes * nodes] for pairs, else NULL
    const int32_t *distance[2];      // [nodes * nodes] for plain, else NULL
} dtspms_device_problem;

// The result of a scan.
typedef struct dtspms_device_answer {
    unsigned long long best;  // cost << DTSPMS_INDEX_BITS | index; all ones before the first move
    unsigned long long sum;   // of all costs
    int32_t pickup;           // length of the best move's pickup tour
} dtspms_device_answer;

typedef struct dtspms_device_scan {
    const int32_t *node;  // [orders] the plan
    mco_dtspms_move kind;
    int64_t moves;
    int32_t *pickup;      // [moves + 1] length of each move's pickup tour
    int32_t *costs;       // [moves] cost of each move, or NULL
    dtspms_device_answer *answer;
} dtspms_device_scan;

// ---- Pairs

// How pairs run on a device. A group has `threads` threads. Each thread has `rows` heights of sequence 0 and `cells`
// heights of sequence 2.
typedef struct dtspms_pair_form {
    int shape;                          // number of the kernel instance; -1: none is large enough
    int32_t cells, rows, threads;
    int32_t group_bytes;                // of shared memory
    int32_t scan_warps, scan_bytes;     // warps and shared bytes of a block; one block a multiprocessor
    bool scan_shares_distances;         // a block has the matrix of its network in shared memory
} dtspms_pair_form;

// Chooses the smallest kernel instance that holds the heights. Sets problem->sequence_of to the order of stacks that
// suits it best.
cudaError_t dtspms_pair_choose(dtspms_device_problem *problem, size_t shared_bytes, dtspms_pair_form *form);

// Evaluates items first..end-1 of a scan in one network; item i is moves 2i and 2i + 1. Pickup comes before delivery,
// whose kernel adds the two costs.
cudaError_t dtspms_launch_scan_pairs(const dtspms_device_problem *problem, const dtspms_device_scan *scan,
                                     const dtspms_pair_form *form, mco_dtspms_network network, int64_t first, int64_t end,
                                     int blocks, cudaStream_t stream);

// ---- Plain

enum { DTSPMS_PLAIN_THREADS = 64 };  // of a block

// Words of device memory that a thread takes.
double dtspms_plain_words(const dtspms_device_problem *problem);

// Evaluates moves first..end-1 in one network, pickup before delivery. d_tables holds the words of `threads` threads, a
// multiple of DTSPMS_PLAIN_THREADS.
cudaError_t dtspms_launch_scan_plain(const dtspms_device_problem *problem, const dtspms_device_scan *scan,
                                     mco_dtspms_network network, int64_t first, int64_t end, int32_t *d_tables,
                                     int64_t threads, cudaStream_t stream);

// ---- Both

// The first resets the answer before a scan. The second runs after it and sets answer->pickup by answer->best.
cudaError_t dtspms_launch_begin(const dtspms_device_scan *scan, cudaStream_t stream);
cudaError_t dtspms_launch_end(const dtspms_device_scan *scan, cudaStream_t stream);

// ---- Walks (dtspms/walk.cuh)


// A dtspms_walk without its arrays.
typedef struct dtspms_device_walk {
    uint64_t random;
    int32_t temperature, cost, best_cost;
    int32_t heights[8], best_heights[8];
} dtspms_device_walk;

// Walks and the tables that all of them read. Pointers are to device memory. Lengths are uint16_t and words uint32_t;
// where walk_form.is_wide, they are int32_t and uint64_t.
typedef struct dtspms_device_walks {
    int32_t orders, nodes, stacks, capacity, near_count, count;
    int64_t steps;
    const void *leave[2];  // [nodes * nodes] lengths for each sequence, as in dtspms_walk_tables
    const uint16_t *near;  // [2][nodes][near_count]
    const uint16_t *rank;  // [nodes]
    const uint32_t *logarithms;
    dtspms_device_walk *walk;  // [count]
    void *now, *best;          // [count][2][positions] sequences of elements; `best` is written only where it improves
} dtspms_device_walks;

// How walks run on a device.
typedef struct dtspms_walk_form {
    int shape;           // number of the kernel instance; -1: none is large enough
    bool is_wide;        // words of 64 bits
    int32_t positions;   // of a sequence: stops 0..orders + 1, then zeros
    int32_t node_bit, length_bit;  // lowest bits of an element's node and length; the stacks' bits are below both
    int32_t walks;       // of a warp
    int32_t warps;       // of a block, at most; one block a multiprocessor
    int32_t warp_bytes, shared_bytes;  // shared memory of each warp, and what a block needs besides
} dtspms_walk_form;

// Chooses the kernel instance for distances up to `longest`.
cudaError_t dtspms_walk_choose(int32_t orders, int32_t stacks, int32_t longest, bool is_symmetric, size_t shared_bytes,
                               dtspms_walk_form *form);
cudaError_t dtspms_launch_walks(const dtspms_device_walks *walks, const dtspms_walk_form *form, int multiprocessors,
                                cudaStream_t stream);

MCO_END_C
#endif
