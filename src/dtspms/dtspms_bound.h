// SPDX-License-Identifier: MIT
// The parts of dtspms_tour_bound(), for its tests: two independent ways to the shortest closed tour over nodes 0..nodes-1.
// `distance` [nodes * nodes], row i from node i; the diagonal is not read; tours are below 2^30, as in a dtspms_model.
#ifndef MCO_DTSPMS_BOUND_H
#define MCO_DTSPMS_BOUND_H

#include "base/context.h"

enum { DTSPMS_BOUND_MAX_SUBSET_NODES = 13 };

// By dynamic programming over subsets (Held, Karp 1962), 1..DTSPMS_BOUND_MAX_SUBSET_NODES nodes: the optimum.
// Errors: MEMORY. O(2^nodes nodes^2).
mco_status dtspms_bound_subsets(mco_context *ctx, const int32_t *distance, int32_t nodes, int64_t *bound);

// By branch and bound on 1-trees, at least 3 nodes, until it is done or mco_clock_s() has passed stop_s. *bound is proven in
// any case; *is_optimal: it is the length of a tour that was found. Errors: MEMORY.
mco_status dtspms_bound_tree(mco_context *ctx, const int32_t *distance, int32_t nodes, bool is_symmetric, double stop_s,
                             int64_t *bound, bool *is_optimal);

#endif
