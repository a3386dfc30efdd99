// SPDX-License-Identifier: MIT
// Launcher of walks on a GPU (vrp/search/walk_cuda.cu, vrp/search/walk.cuh), in plain C for the processor. It enqueues
// work on a stream, allocates nothing and does not wait. The caller has made the device current.
#ifndef MCO_VRP_SEARCH_WALK_CUDA_H
#define MCO_VRP_SEARCH_WALK_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    VRP_WALK_LANES = 32,         // of a warp, which has one walk
    VRP_WALK_REMOVED = 32,       // a step takes out at most so many customers
    VRP_WALK_MOST_NODES = 512,   // customers, depots and node 0 of a part
    // Fields of the word of a node: the node behind it, the node before it, its ring. The first begins at bit 2, so
    // that its place in the word is that of the offset of a 4-byte item.
    VRP_WALK_FIELD = 10,
    VRP_WALK_NEXT_BIT = 2,
    VRP_WALK_PREV_BIT = VRP_WALK_NEXT_BIT + VRP_WALK_FIELD,
    VRP_WALK_RING_BIT = VRP_WALK_PREV_BIT + VRP_WALK_FIELD
};

// A part and how it is walked, the same for all its replicas.
typedef struct vrp_device_task {
    int64_t steps;
    int32_t customers, rings;    // customers + 1 + rings nodes; no more rings than customers
    float removed;
    int32_t longest_string, exchanges;
} vrp_device_task;

// A replica of a task. Its costs are differences from the cost of the start, by the distances of the device.
typedef struct vrp_device_walk {
    uint64_t seed;
    float hot, cold;
    int64_t best_cost, steps;    // out
} vrp_device_walk;

// Walk k belongs to task k / replicas. Tables have a stride for each task; nodes that a part does not have are nowhere.
typedef struct vrp_device_walks {
    int32_t walks, replicas;
    int32_t nodes;               // stride of tables by node: nodes of the form
    int32_t rows;                // stride of lists, and rows of a matrix: customers + 1 of the largest part
    int32_t capacity, longest;   // greatest load and length of a route
    float bump;                  // added to a distance before it is rounded to nearest; 0, or about a half to round up
    bool is_symmetric;
    const vrp_device_task *task;
    const float *xy;             // [nodes * 2] scaled, from the depot; not read with a matrix
    const int32_t *matrix;       // [rows * rows]; the depot is row and column 0
    const int32_t *transposed;   // the same pointer if distances are symmetric
    const int32_t *demand;       // [nodes]
    const int32_t *service;      // [nodes]; not read without a limit of length
    const uint32_t *near;        // [rows * VRP_WALK_LANES] word k: neighbour k in the low half, 32 + k in the high
    const uint32_t *start;       // [nodes] words
    vrp_device_walk *walk;       // [walks]
    uint32_t *best;              // [walks * nodes] words
    const volatile int32_t *stop;  // mapped memory of the host: not 0 once walks have to end
} vrp_device_walks;

// An instance of the kernel.
typedef struct vrp_walk_form {
    int shape;                   // its number; -1: no instance is large enough
    int32_t nodes;               // of a part, at most
    int32_t resident;            // walks that a multiprocessor runs at the same time
} vrp_walk_form;

// Chooses the smallest instance for parts of so many nodes.
cudaError_t vrp_walk_form_choose(int32_t nodes, bool is_matrix, bool has_length, vrp_walk_form *form);
cudaError_t vrp_launch_walks(const vrp_device_walks *walks, const vrp_walk_form *form, cudaStream_t stream);

MCO_END_C
#endif
