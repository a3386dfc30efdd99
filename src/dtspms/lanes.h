// SPDX-License-Identifier: MIT
// The inner part of the cpu engine: one neighbour of a plan a lane, all lanes through the same states.
//
// A desk holds the distances that the dynamic program of dtspms/model.h reads, one vector for each pair of steps of two
// sequences: the plan's own, broadcast. A neighbour differs in few positions; the rows and columns of these are patched in its
// lane, and restored after the run. Compiled once for each vector unit and width of lane.
//
// Lanes of 16 bits are relative to an origin of -32768, so that a path may be up to 65535 - longest distance long. Infinite is
// 32767 - longest distance, never less than a path, and never added to itself: every state that can be reached has a last
// stack that is not empty.
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
    // Bytes of a desk for plans of these heights; as double: may be huge.
    double (*desk_bytes)(const dtspms_model *model, const int32_t *heights);
    // Makes a desk of zeroed memory [desk_bytes], aligned to 64.
    void (*open)(void *desk, const dtspms_model *model, const int32_t *heights, const dtspms_lanes_distances *distances);
    // Takes the plan node [orders]; O(positions that differ from the last one * orders).
    void (*load)(void *desk, const int32_t *node);
    // Lengths of both tours of neighbours [count], count <= lanes, of the plan loaded.
    void (*run)(void *desk, const dtspms_move *moves, int32_t count, int32_t *pickup, int32_t *delivery);
} dtspms_lanes_variant;

#endif
