// SPDX-License-Identifier: MIT
// Separation: rows that a fractional solution breaks. They see the support and the routes alone.
#ifndef MCO_VRP_BOUND_COLUMNS_SEPARATE_H
#define MCO_VRP_BOUND_COLUMNS_SEPARATE_H

#include "vrp/bound/cuts.h"
#include "vrp/bound/routes.h"

// Rounded capacity cuts: sets grown from each customer by connection (several rules, also at random by `seed`), components and
// their complements, shrunk pairs; a set is taken if 2 ceil(demand / capacity) - x(delta(S)) > least_violation. `support`
// [nodes * nodes] symmetric sums. Adds at most `most` sets to `cuts`, the most violated first, none that `cuts` already has, each
// customer in a few. Strengthened combs may follow where they pay. O(rules nodes^2). Errors: MEMORY.
mco_status vrp_separate_capacity(mco_context *ctx, const vrp_bound_problem *problem, const double *support, uint64_t seed,
                                 int32_t most, double least_violation, double stop_s, vrp_cuts *cuts, int32_t *found);

// Rank-1 cuts of three to five members, of each family of multipliers the best order (columns/rank1.c), violated by the routes of value
// x [routes->count]. Each gets the least memory that keeps the coefficient of every route of positive value (limited node memory), and
// a row that is there already gets its memory enlarged: *grown of them.
mco_status vrp_separate_rank1(mco_context *ctx, const vrp_bound_problem *problem, const vrp_routes *routes, const double *x, int32_t most,
                              double least_violation, double stop_s, vrp_cuts *cuts, int32_t *found, int32_t *grown);

#endif
