// SPDX-License-Identifier: MIT
// The parts of dtspms_tour_bound(): two independent ways to the shortest closed tour over nodes 0..nodes-1, and a
// relaxation. `distance` [nodes * nodes], row i from node i; the diagonal is not read; tours are below 2^30, as in a
// dtspms_model.
#ifndef MCO_DTSPMS_BOUND_H
#define MCO_DTSPMS_BOUND_H

#include "base/context.h"

enum { DTSPMS_BOUND_MAX_SUBSET_NODES = 13 };

// By dynamic programming over subsets (Held, Karp 1962), 1..DTSPMS_BOUND_MAX_SUBSET_NODES nodes: the optimum.
// Errors: MEMORY. O(2^nodes nodes^2).
mco_status dtspms_bound_subsets(mco_context *ctx, const int32_t *distance, int32_t nodes, int64_t *bound);

// The assignment problem, at least 2 nodes. dual [2 * nodes] receives the duals of rows, then of columns, whose sum is
// *bound; if mco_clock_s() passes stop_s before it is solved, they are feasible and the bound is weaker. Errors: MEMORY.
// O(nodes^3).
mco_status dtspms_bound_assignment(mco_context *ctx, const int32_t *distance, int32_t nodes, double stop_s, int64_t *dual,
                                   int64_t *bound);

// By branch and bound on 1-trees (dtspms/bound_tree.c), at least 3 nodes, until it is done or mco_clock_s() has passed
// stop_s. *bound is proven in any case; *is_optimal: it is the length of a tour that was found. Errors: MEMORY.
mco_status dtspms_bound_tree(mco_context *ctx, const int32_t *distance, int32_t nodes, bool is_symmetric, double stop_s,
                             int64_t *bound, bool *is_optimal);

#endif
