// SPDX-License-Identifier: MIT
// Published methods for one tree of shortest paths on a GPU, as rows beside ours. No part of the library.
#ifndef MCO_BENCH_PATHS_PUBLISHED_H
#define MCO_BENCH_PATHS_PUBLISHED_H

#include <cuda_runtime_api.h>
#include <vector_types.h>
#include <stdint.h>

#include "mco/paths.h"

MCO_BEGIN_C

typedef enum published_method {
    PUBLISHED_ONE_VERTEX,   // Jradi (2016), algorithm 7.3: a vertex a barrier, the queue in shared memory
    PUBLISHED_BELLMAN,      // Bellman, Ford, Moore with early exit: all arcs a round
    PUBLISHED_TWO_FLAGS,    // Agarwal, Dutta (2015): arcs of vertices whose label fell in the round before
    PUBLISHED_MARTIN,       // Martin, Torres, Gavilanes (2009): the frontier is all vertices at the least label
    PUBLISHED_CRAUSER,      // Crauser et al. (1998), Ortega-Arranz et al. (2013): all labels up to the least label plus arc out
    PUBLISHED_NEAR_FAR,     // Davidson, Baxter, Garland, Owens (2014)
    PUBLISHED_METHODS
} published_method;

enum { PUBLISHED_THREADS = 256, PUBLISHED_CHUNK = 8192, PUBLISHED_MOST_BLOCKS = 1024 };

// Zeroed before each launch but for `capped_at` and `least`, which are INT32_MAX and MCO_PATHS_NONE.
typedef struct published_control {
    unsigned long long arrived;   // blocks at barriers, in all
    unsigned long long pad[15];
    int32_t capped_at;            // the barrier before which the time was over
    int32_t is_full;              // a chunk of the queue had no room
    int32_t changed[3];           // of rounds in turn
    int32_t least[3];
    int32_t count[3];             // of near queues in turn
    int32_t far_count[2];
    long long barriers, rounds;
} published_control;

typedef struct published_plan {
    int32_t vertices, source;
    const int32_t *d_first;       // [vertices + 1]
    const int2 *d_arc;            // head, weight
    int32_t delta;                // of near and far
    int32_t window;               // blocks that take the neighbours of one vertex, at least the greatest degree
    long long cap_ns;
    int32_t blocks;
    int32_t *d_label, *d_parent;  // [vertices]
    int32_t *d_flag[2];           // [vertices]
    int32_t *d_queue[4];          // [vertices] near, near, far, far
    unsigned long long *d_partial;  // [2 * PUBLISHED_MOST_BLOCKS]
    published_control *d_control;
} published_plan;

const char *published_name(published_method method);
// Sets plan->blocks to what is on the device at a time; one for each multiprocessor for PUBLISHED_ONE_VERTEX.
cudaError_t published_shape(published_plan *plan, published_method method, int multiprocessors);
// Clears labels and flags, then searches.
cudaError_t published_launch(const published_plan *plan, published_method method, cudaStream_t stream);

MCO_END_C
#endif
