// SPDX-License-Identifier: MIT
// The sums of a giant tour (vrp/sweep/move.h): made by the host in O(tour), for the engines on cores and, copied, on a GPU.
#ifndef MCO_VRP_SWEEP_FOLD_H
#define MCO_VRP_SWEEP_FOLD_H

#include "vrp/sweep/engine.h"

enum { VRP_SUMS_LIMIT = 1 << 30 };

// Room for tours of up to `tour_nodes` positions. All arrays of int32_t lie in one block [*items], one after the other from
// `node` on, each padded to a multiple of 16 with at least 16 zeros behind it; `turn` has memory of its own. Errors: MEMORY.
typedef struct vrp_sums_memory {
    int32_t *block;  // [items]
    int64_t items, stride;  // stride: items from one array to the next
    int64_t *turn;   // [stride]; NULL where distances are symmetric
} vrp_sums_memory;

mco_status vrp_sums_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, vrp_sums_memory *memory);
void vrp_sums_close(mco_context *ctx, vrp_sums_memory *memory);
// *out borrows the memory. Errors: LIMIT, where a route of the tour, or one walked back, has a load or a length beyond
// VRP_SUMS_LIMIT.
mco_status vrp_sums_fill(mco_context *ctx, const mco_vrp *problem, const vrp_tour *tour, vrp_sums_memory *memory,
                         vrp_sums *out);

#endif
