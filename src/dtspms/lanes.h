// SPDX-License-Identifier: MIT
// The inner part of the cpu engine. Each lane holds one neighbour of the base plan; all lanes go through the same
// states.
//
// A desk holds the distances that the dynamic program of dtspms/model.h reads: one vector for each pair of steps of two
// sequences, with the base plan's distance in all lanes. A neighbour differs in a few positions. Their rows and columns
// are patched in its lane and restored after the run. The code is compiled once for each vector unit and lane width.
//
// Lanes of 16 bits count from an origin of -32768, so a path may be up to 65535 - longest distance long. Infinite is
// 32767 - longest distance. No path is longer, and infinite plus a distance does not overflow. Such a sum is never
// kept: in every state that can be reached, some stack is not empty or the state is the origin, so some F is finite.
#ifndef MCO_DTSPMS_LANES_H
#define MCO_DTSPMS_LANES_H

#include "base/simd.h"
#include "dtspms/model.h"

typedef struct dtspms_lanes_distances {
    const void *rows[2];     // [nodes * nodes] lanes, row i from node i
    const void *columns[2];  // the transposed matrix; the same memory where it is symmetric
} dtspms_lanes_distances;

typedef struct dtspms_lanes_variant {
    mco_build build;  // bits: 16 or 32
    int lanes;
    // Bytes of a desk for plans of these heights; a double, since they may be huge.
    double (*desk_bytes)(const dtspms_model *model, const int32_t *heights);
    // Makes a desk in zeroed memory [desk_bytes()], aligned to 64 bytes.
    void (*open)(void *desk, const dtspms_model *model, const int32_t *heights, const dtspms_lanes_distances *distances);
    // Makes node [orders] the base plan. Returns false if time is over (dtspms_is_over()) before it is done; the desk then has no
    // base plan. O(positions that differ from the base plan before * orders).
    bool (*load)(void *desk, const int32_t *node);
    // Evaluates `count` neighbours of the base plan, at most `lanes`. pickup and delivery [count] receive the tour
    // lengths. Returns false if time is over before they are known.
    bool (*run)(void *desk, const dtspms_move *moves, int32_t count, int32_t *pickup, int32_t *delivery);
} dtspms_lanes_variant;

#endif
