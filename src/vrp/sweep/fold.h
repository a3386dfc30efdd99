// SPDX-License-Identifier: MIT
// The sums of a giant tour (vrp/sweep/move.h). The host makes them in O(tour) for the cpu engine; the gpu engine copies
// them.
#ifndef MCO_VRP_SWEEP_FOLD_H
#define MCO_VRP_SWEEP_FOLD_H

#include "vrp/sweep/engine.h"

enum { VRP_SUMS_LIMIT = 1 << 30 };

// All arrays of int32_t lie in one block, one after the other from `node` on. Each is padded to a multiple of 16 with
// at least 16 zeros behind it. `turn` has memory of its own.
typedef struct vrp_sums_memory {
    int32_t *block;  // [items]
    int64_t items, stride;  // stride: items from one array to the next
    int64_t *turn;   // [stride]; NULL if distances are symmetric
} vrp_sums_memory;

// Allocates memory for tours of up to `tour_nodes` positions. Errors: MEMORY.
mco_status vrp_sums_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, vrp_sums_memory *memory);
void vrp_sums_close(mco_context *ctx, vrp_sums_memory *memory);
// Fills the sums of a tour; *out borrows the memory. Errors: LIMIT, if a route, forward or walked back, has a load or a
// length above VRP_SUMS_LIMIT.
mco_status vrp_sums_fill(mco_context *ctx, const mco_vrp *problem, const vrp_tour *tour, vrp_sums_memory *memory,
                         vrp_sums *out);

#endif
