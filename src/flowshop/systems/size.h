// SPDX-License-Identifier: MIT
// ASH, the adaptive selection heuristic of Chakroun (2013, algorithm 3). It finds the pool size with the best
// efficiency while the search runs. The thesis does not define efficiency; here it is decomposed nodes per second. The
// size doubles as long as that improves. Then the ranges below and above the best size are bisected. Then the size
// stays. The text of the thesis also doubles first; its printed algorithm bisects between any two trials.
#ifndef MCO_FLOWSHOP_SYSTEMS_SIZE_H
#define MCO_FLOWSHOP_SYSTEMS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum flowshop_pool_phase {
    FLOWSHOP_POOL_DOUBLING,
    FLOWSHOP_POOL_BELOW, // bisects [low, high], where high is the best size
    FLOWSHOP_POOL_ABOVE, // bisects [low, high], where low is the best size
    FLOWSHOP_POOL_FIXED
} flowshop_pool_phase;

typedef struct flowshop_pool_size {
    flowshop_pool_phase phase;
    int64_t target; // children of a pool: the size to use
    int64_t most;   // no pool may be larger
    int64_t best;
    double best_rate;
    int64_t low, high;
    int steps;     // steps of this bisection
    int batches;   // full pools of this trial so far
    int64_t nodes; // nodes decomposed in them
    double seconds;
} flowshop_pool_size;

// With `fixed` > 0 the size is `fixed` for good. Else the search for the size begins with `first`. No size exceeds
// `most`.
void flowshop_pool_size_start(flowshop_pool_size *size, int64_t first, int64_t most, int64_t fixed);
// For short memory: ends the search for the size. No pool is larger than `most` from here on.
void flowshop_pool_size_limit(flowshop_pool_size *size, int64_t most);
// To be called after each pool with the nodes decomposed and the time since the pool before. A pool that the pending
// nodes did not fill does not count.
void flowshop_pool_size_observe(flowshop_pool_size *size, bool is_full, int64_t nodes, double seconds);

#endif
