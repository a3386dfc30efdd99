// SPDX-License-Identifier: MIT
// The parts of dtspms_tour_bound(): two independent methods for the shortest closed tour over nodes 0..nodes-1, and a
// relaxation of it. `distance` is [nodes * nodes]; row i holds the distances from node i, and the diagonal is not read.
// Tours are below 2^30, as in a dtspms_model.
#ifndef MCO_DTSPMS_BOUND_H
#define MCO_DTSPMS_BOUND_H

#include "base/context.h"

enum { DTSPMS_BOUND_MAX_SUBSET_NODES = 13 };

// Finds the length of the shortest tour by dynamic programming over subsets (Held, Karp 1962), for
// 1..DTSPMS_BOUND_MAX_SUBSET_NODES nodes. Errors: MEMORY. O(2^nodes nodes^2).
mco_status dtspms_bound_subsets(mco_context *ctx, const int32_t *distance, int32_t nodes, int64_t *bound);

// Solves the assignment problem for at least 2 nodes. dual [2 * nodes] receives the duals of the rows, then those of
// the columns; *bound is their sum. If mco_clock_s() passes stop_s first, the duals are feasible and the bound is
// weaker. Errors: MEMORY. O(nodes^3).
mco_status dtspms_bound_assignment(mco_context *ctx, const int32_t *distance, int32_t nodes, double stop_s, int64_t *dual,
                                   int64_t *bound);

// Runs branch and bound on 1-trees (dtspms/bound_tree.c) for at least 3 nodes, until it is done or mco_clock_s() passes
// stop_s. *bound is proven in both cases. *is_optimal tells that a tour of length *bound was found. Errors: MEMORY.
mco_status dtspms_bound_tree(mco_context *ctx, const int32_t *distance, int32_t nodes, bool is_symmetric, double stop_s,
                             int64_t *bound, bool *is_optimal);

#endif
