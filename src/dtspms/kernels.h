// SPDX-License-Identifier: MIT
// What the engines on the host and the kernels have in common: sizes of moves and walks, and the random decisions of a walk
// (dtspms/walk.h). Integers only, the same on host and device; plain headers only, so that kernels include it.
#ifndef MCO_DTSPMS_KERNELS_H
#define MCO_DTSPMS_KERNELS_H

#include "base/rng.h"
#include "mco/dtspms.h"

enum { DTSPMS_MOST_CHANGES = MCO_DTSPMS_MAX_EXACT_ORDERS };  // positions that a move changes

enum {
    DTSPMS_MOST_REMOVED = 12,                 // orders in a step
    DTSPMS_LONGEST_STRING = 10,
    DTSPMS_NEAR = 2 * DTSPMS_MOST_REMOVED,    // each order tried is gone already, or one more goes
    DTSPMS_WALK_LANES = 8,                    // at least as many as stacks
    DTSPMS_BLINKS = 43,                       // of 4,096
    DTSPMS_LOGARITHMS = 1024,                 // entries of the table of -ln(u)
    DTSPMS_MAX_WALK_ORDERS = 32767,
    DTSPMS_DEVICE_WALK_ORDERS = 500           // at most on a GPU; with more the cores do the walks
};

// ---- Random decisions

static inline MCO_HD int32_t dtspms_walk_below(uint64_t *random, int32_t limit)
{
    return (int32_t)(((mco_splitmix64(random) >> 32) * (uint64_t)limit) >> 32);
}

// What the trial may cost more than the solution.
static inline MCO_HD int32_t dtspms_walk_threshold(uint64_t *random, int32_t temperature, const uint32_t *logarithms)
{
    const uint32_t u = (uint32_t)(mco_splitmix64(random) >> 54);
    return (int32_t)(((uint64_t)temperature * logarithms[u]) >> 24);
}

// Whether slot number `slot` blinks for the order whose number is `drawn`.
static inline MCO_HD bool dtspms_walk_blinks(uint32_t drawn, uint32_t slot)
{
    uint32_t h = drawn + slot * 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h >> 20 < DTSPMS_BLINKS;
}

#endif
