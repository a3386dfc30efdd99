// SPDX-License-Identifier: MIT
// Islands: several ranks search by themselves, each with a seed of its own. At the end of a leg all get the best plan of all, and the
// next leg begins with it. The first leg takes half of the time or of the iterations. Results depend on the clock, and nothing else is
// promised than that the answer is the best plan of all ranks.
#ifndef MCO_BASE_ISLANDS_H
#define MCO_BASE_ISLANDS_H

#include "base/ranks.h"

// One leg of a rank.
typedef struct mco_leg {
    double time_limit_s;  // MCO_NO_LIMIT: none
    int64_t iterations;   // -1: no limit
    int64_t seed;
    bool is_first;
} mco_leg;

// What a rank knows after a leg.
typedef struct mco_island {
    int64_t cost;         // of its best plan; -1: none
    mco_outcome outcome;
    mco_stop stop;
} mco_island;

typedef struct mco_islands {
    void *user;
    // Searches on this rank alone, from the best plan if there is one. A failure ends all ranks.
    mco_status (*search)(void *user, const mco_leg *leg, mco_island *out);
    // The best plan as integers [words], and back.
    int64_t words;
    void (*pack)(const void *user, int32_t *plan);
    mco_status (*unpack)(void *user, const int32_t *plan);
    // The whole search.
    double time_limit_s;
    int64_t iterations, seed;
    double scale;  // costs of the log are in units of it; 0: 1
} mco_islands;

// Runs the legs. The log has rows of the first one, then one for each leg; of all where details are asked for. *out is the same on all ranks, which have the same best plan then. Errors: MEMORY, those of other ranks.
mco_status mco_islands_run(mco_context *ctx, const mco_islands *islands, mco_island *out);

// Adds the improvements of a leg that began `offset_s` after the first one to history [*count], as far as they are better than its last
// one. Errors: MEMORY.
mco_status mco_islands_remember(mco_context *ctx, mco_improvement **history, int64_t *count, const mco_improvement *more,
                                int64_t more_count, double offset_s);

#endif
