// SPDX-License-Identifier: MIT
// Inner loops of through-q-routes (through_lanes.c), compiled once for each vector unit: lanes over the load of the route.
#ifndef MCO_VRP_BOUND_RELAX_THROUGH_LANES_H
#define MCO_VRP_BOUND_RELAX_THROUGH_LANES_H

#include "base/simd.h"
#include "vrp/bound/problem.h"

// A value that is none: a sum with it is at least VRP_NO_PATH, and two of them stay in 32 bits.
enum { VRP_THROUGH_TILE = 64, VRP_THROUGH_NONE = 2 * VRP_NO_PATH - 1 };

// Both halves of the routes through one customer, by load beyond its demand: 0..loads. The arrays of the far half go on with
// VRP_THROUGH_TILE values that are none, on either side.
typedef struct vrp_through_halves {
    const int32_t *value, *before, *second;  // near half
    const int32_t *far_value, *far_before, *far_second;
    int32_t loads;
    bool is_symmetric;                       // both halves are the same: the near one takes at most half of the load
} vrp_through_halves;

typedef struct vrp_through_variant {
    mco_build build;
    // Of the routes of loads begin..begin + VRP_THROUGH_TILE - 1 beyond the demand: the least values with loops i-j-i at the customer
    // allowed, and without them (the depot on both sides counts as one). From VRP_NO_PATH on: none.
    void (*least_sums)(const vrp_through_halves *halves, int32_t begin, int32_t *out);
    void (*least_routes)(const vrp_through_halves *halves, int32_t begin, int32_t *out);
} vrp_through_variant;

#endif
