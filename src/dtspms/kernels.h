// SPDX-License-Identifier: MIT
// Shared by the engines on the host and the kernels: sizes of moves and walks, and the random decisions of a walk
// (dtspms/walk.h). Decisions use integers alone, so that host and device agree. This file includes plain headers alone,
// so that kernels can include it.
#ifndef MCO_DTSPMS_KERNELS_H
#define MCO_DTSPMS_KERNELS_H

#include "base/rng.h"
#include "mco/dtspms.h"

enum { DTSPMS_MOST_CHANGES = MCO_DTSPMS_MAX_EXACT_ORDERS };  // positions that a move changes, at most

enum {
    DTSPMS_MOST_REMOVED = 12,                 // orders that a step takes out, at most
    DTSPMS_LONGEST_STRING = 10,
    DTSPMS_NEAR = 2 * DTSPMS_MOST_REMOVED,    // enough: each near order tried is gone already, or one more order goes
    DTSPMS_WALK_LANES = 8,                    // at least the number of stacks
    DTSPMS_BLINKS = 43,                       // slots of 4,096 that blink
    DTSPMS_LOGARITHMS = 1024,                 // entries of the table of -ln(u)
    DTSPMS_MAX_WALK_ORDERS = 32767,
    DTSPMS_DEVICE_WALK_ORDERS = 500           // at most, on a GPU; with more orders the cores move the walks
};

// ---- Random decisions

static inline MCO_HD int32_t dtspms_walk_below(uint64_t *random, int32_t limit)
{
    return (int32_t)(((mco_splitmix64(random) >> 32) * (uint64_t)limit) >> 32);
}

// By how much the trial may cost more than the solution.
static inline MCO_HD int32_t dtspms_walk_threshold(uint64_t *random, int32_t temperature, const uint32_t *logarithms)
{
    const uint32_t u = (uint32_t)(mco_splitmix64(random) >> 54);
    return (int32_t)(((uint64_t)temperature * logarithms[u]) >> 24);
}

// Whether slot number `slot` blinks for an order; `drawn` is the random number drawn for the order.
static inline MCO_HD bool dtspms_walk_blinks(uint32_t drawn, uint32_t slot)
{
    uint32_t h = drawn + slot * 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h >> 20 < DTSPMS_BLINKS;
}

#endif
