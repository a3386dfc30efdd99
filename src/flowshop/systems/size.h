// SPDX-License-Identifier: MIT
// ASH, the adaptive selection heuristic of Chakroun (2013, algorithm 3): the pool size with the best
// efficiency, found while the tree is searched. Efficiency, which the thesis leaves open, is decomposed nodes a
// second. The size doubles while that improves (the printed algorithm bisects between any two trials; the text
// says: doubling first); then the ranges below and above the best are bisected; then it stays.
#ifndef MCO_FLOWSHOP_SYSTEMS_SIZE_H
#define MCO_FLOWSHOP_SYSTEMS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum flowshop_pool_phase {
    FLOWSHOP_POOL_DOUBLING,
    FLOWSHOP_POOL_BELOW, // bisects [low, high], high being the best
    FLOWSHOP_POOL_ABOVE, // bisects [low, high], low being the best
    FLOWSHOP_POOL_FIXED
} flowshop_pool_phase;

typedef struct flowshop_pool_size {
    flowshop_pool_phase phase;
    int64_t target; // children of a pool now
    int64_t most;   // no pool may be larger
    int64_t best;
    double best_rate;
    int64_t low, high;
    int steps;     // of this bisection
    int batches;   // full pools of this trial so far
    int64_t nodes; // decomposed in them
    double seconds;
} flowshop_pool_size;

// `fixed` > 0: this size for good. Else from `first` on, at most `most`.
void flowshop_pool_size_start(flowshop_pool_size *size, int64_t first, int64_t most, int64_t fixed);
// Memory was short: no pool may be larger than `most` from now on.
void flowshop_pool_size_limit(flowshop_pool_size *size, int64_t most);
// After each pool: nodes decomposed and time since the one before. A pool that the pending nodes did not fill is
// no trial.
void flowshop_pool_size_observe(flowshop_pool_size *size, bool is_full, int64_t nodes, double seconds);

#endif
