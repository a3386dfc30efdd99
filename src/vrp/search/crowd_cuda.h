// SPDX-License-Identifier: MIT
// Launchers of a crowd (vrp/search/crowd_cuda.cu, vrp/search/crowd.cuh): copies of a whole solution that a GPU anneals. In
// plain C for the host's side. They enqueue work on a stream, allocate nothing and do not wait. The caller has made the
// device current.
#ifndef MCO_VRP_SEARCH_CROWD_CUDA_H
#define MCO_VRP_SEARCH_CROWD_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    VRP_CROWD_LANES = 32,          // of a warp, which has one walk; also the length of a list of neighbours
    VRP_CROWD_REMOVED = 32,        // a step takes out at most so many customers
    VRP_CROWD_MOST_NODES = 65535,  // customers, depots and node 0
    VRP_CROWD_MOST_CUSTOMERS = 32000,  // then there can be as many routes
    VRP_CROWD_OWN = 256,           // the ends of so many routes are tried; a part may have more
    VRP_CROWD_ALIGNED = 8          // nodes and the room of a route are multiples of this
};

// A node of a copy. Nodes 1..customers are customers, node customers + 1 + r is the depot in ring r, node 0 is nowhere.
typedef struct vrp_crowd_node {
    uint16_t next, prev, ring;     // ring `rings`: nowhere
    uint16_t position;             // in the route, after the last accepted step; VRP_CROWD_MOVED: taken out since
    int32_t edge, back;            // lengths of the edges to `next` and from `prev`
} vrp_crowd_node;

// A route of a copy.
typedef struct vrp_crowd_ring {
    int32_t load, length;          // length with service times; 0 without a limit of length
    int32_t count;                 // customers after the last accepted step
    int32_t part;                  // whose walk changes it
} vrp_crowd_ring;

// Parameters of a launch; the temperature falls geometrically from hot to cold over the steps.
typedef struct vrp_crowd_plan {
    int64_t steps;                 // of each walk
    float hot, cold;
    float removed;                 // customers that a step takes out: about so many on average
    int32_t longest_string, longest_kept, exchanges;
    int32_t tails;                 // exchanges of route ends that a step proposes, at most LANES; it makes at most one
    float spread;                  // the first copy begins at hot / 2^(spread / 2), the last at hot * 2^(spread / 2)
    uint64_t seed;
} vrp_crowd_plan;

// Tables in device memory. Each copy has a stride of its own in all of them.
typedef struct vrp_crowd {
    int32_t customers, rings, nodes;   // nodes: stride of a copy, at least customers + 1 + rings
    int32_t room;                      // customers that a route may have; stride of `line`
    int32_t copies, parts;             // a walk for every part of every copy
    int32_t capacity, longest;         // greatest load and length of a route
    float bump;                        // added to a distance before it is rounded to nearest
    bool has_length;
    const float *xy;                   // [2 * (customers + 1)] scaled, from the depot, which is node 0; not read with a matrix
    const int32_t *matrix;             // [(customers + 1)^2] symmetric; NULL: by xy
    const int32_t *demand, *service;   // [customers + 1]; service is not read without a limit of length
    const uint16_t *near;              // [(customers + 1) * LANES] from near to far; 0 behind the last
    vrp_crowd_node *node;              // [copies * nodes]
    int32_t *load_to, *length_to;      // [copies * nodes] of the route up to the customer, after the last accepted step
    vrp_crowd_ring *ring;              // [copies * (rings + 1)]; the last one is nowhere
    uint16_t *line;                    // [copies * rings * room] routes as lists, after the last accepted step
    uint16_t *scratch;                 // [copies * parts * 2 * room]
    float *key;                        // [copies * rings], like next_part
    int32_t *next_part;
    int64_t *cost;                     // [copies] by the distances of the device
    int64_t *change;                   // [copies * parts] of the cost, by the last walks
    int64_t *steps;                    // [1] done by all walks
    const volatile int32_t *stop;      // mapped memory of the host: not 0 once walks have to end
} vrp_crowd;

// Walks that a multiprocessor runs at the same time.
cudaError_t vrp_crowd_resident(const vrp_crowd *crowd, int32_t *out);
// Completes copy 0 from its lines and counts, and measures its cost.
cudaError_t vrp_launch_crowd_begin(const vrp_crowd *crowd, cudaStream_t stream);
// Copies from[k] replaces to[k], k = 0..count-1; no copy is in both lists.
cudaError_t vrp_launch_crowd_copy(const vrp_crowd *crowd, const int32_t *from, const int32_t *to, int32_t count,
                                  cudaStream_t stream);
// Cuts every copy into parts along lines of its own; with `is_same` all along the same ones.
cudaError_t vrp_launch_crowd_cut(const vrp_crowd *crowd, uint64_t seed, bool is_same, cudaStream_t stream);
// Copy 0 receives the best of every part. All copies were cut alike, and equal to copy `before`, which did not walk; it
// may be one behind the last.
cudaError_t vrp_launch_crowd_gather(const vrp_crowd *crowd, int32_t before, cudaStream_t stream);
cudaError_t vrp_launch_crowd_walk(const vrp_crowd *crowd, const vrp_crowd_plan *plan, cudaStream_t stream);

MCO_END_C
#endif
