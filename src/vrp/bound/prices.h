// SPDX-License-Identifier: MIT
// Integer prices (duals) and what they prove.
//
// Let m be a value that no route undercuts: cost - customer prices of its visits - SET prices of its crossings + (-price) of each
// RANK1 count. Then every plan of K routes, least <= K <= most, costs at least
//
//     sum of customer prices + sum of rhs * price over all rows + min(least * m, most * m)
//
// in units. No price of the depot is needed. With covering rows (is_metric) customer prices are >= 0; they may have any sign else,
// since every customer is in exactly one route. Customer prices are even, so half of one is an integer.
#ifndef MCO_VRP_BOUND_PRICES_H
#define MCO_VRP_BOUND_PRICES_H

#include "vrp/bound/cuts.h"

// Arcs stay in 32 bits if customer prices lie within VRP_PRICES_MOST and the absolute prices of all SET rows add up to at most
// VRP_PRICES_OF_SETS.
enum { VRP_PRICES_MOST = 1 << 27, VRP_PRICES_OF_SETS = 1 << 28 };

// Fills arcs [nodes * stride]: cost(i, j) - (price[i] + price[j]) / 2 - prices of the SET rows that the arc crosses. price[0] = 0,
// or the even price of a route. An arc that comes to VRP_NO_ARC or more becomes VRP_NO_ARC - 1: less is safe. Arcs that
// problem->cost lacks, those for which `removed` (bit i * nodes + j; NULL: none) is set, the diagonal and the padding are
// VRP_NO_ARC. O(nodes^2 + crossings).
void vrp_prices_arcs(const vrp_bound_problem *problem, const int32_t *price, const vrp_cuts *cuts, const uint64_t *removed,
                     int32_t *arcs);

// The bound above, in units, of a least value m of a route. Sums in 64 bits.
int64_t vrp_prices_bound(const vrp_bound_problem *problem, const int32_t *price, const vrp_cuts *cuts, int64_t least_route);

// The value m of one route at these prices.
int64_t vrp_prices_route(const vrp_bound_problem *problem, const int32_t *price, const vrp_cuts *cuts, const int32_t *node,
                         int32_t count);

// The most that a price of a customer is: a pass can sum as much at each customer of its longest path.
double vrp_prices_most(const vrp_bound_problem *problem);

// Rounds duals of an LP, in units as real numbers, to prices: customers to the nearest multiple of 2 * grain, 0 if negative and the
// problem is metric; rows to multiples of the grain, toward 0; each within what a pass can sum. Sets cuts->cut[k].price.
void vrp_prices_round(const vrp_bound_problem *problem, const double *customer_dual, const double *row_dual, int32_t grain,
                      int32_t *price, vrp_cuts *cuts);

// Prices of another unit, times `ratio`, in the units of `problem`: rounded and cut off as above. `from` [nodes]; cuts->cut[k].price are
// those of the other unit before the call. Errors: MEMORY.
mco_status vrp_prices_scale(mco_context *ctx, const vrp_bound_problem *problem, const int32_t *from, double ratio, int32_t *price,
                            vrp_cuts *cuts);

// Lowers prices by the share of each demand, share * demand / demand of all, rounded up to an even number and cut off as above. share >= 0
// (vrp_worth). Errors: MEMORY.
mco_status vrp_prices_lower(mco_context *ctx, const vrp_bound_problem *problem, int64_t share, int32_t *price, vrp_cuts *cuts);

#endif
