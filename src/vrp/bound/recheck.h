// SPDX-License-Identifier: MIT
// The recheck: it proves a bound again from prices alone. It shares no code with the passes, the labels or the master: plain loops over
// mco_vrp itself, 64-bit integers, its own tables.
#ifndef MCO_VRP_BOUND_RECHECK_H
#define MCO_VRP_BOUND_RECHECK_H

#include "vrp/bound/prices.h"
#include "vrp/bound/relax/ng.h"

// The greatest bound that these prices prove with routes of the relaxation (sets NULL: q-routes without loops i-j-i), in units of
// `problem`, under these rows, of plans of `fleet` routes (vrp/bound/recheck_fleet.h). Of the problem it takes the unit alone. *bound in units. *is_done false: stop_s was over
// first, the tables would exceed VRP_RECHECK_BYTES, or RANK1 rows with a price need too many labels, or have no sets; then *bound is
// INT64_MIN. O(nodes^2 capacity), with sets also O(near pairs * 2^(size - 1) * capacity), with RANK1 rows also O(labels). Errors: CHECK (an odd price, a
// price of a row with a wrong sign, a row that not every plan obeys), MEMORY.
enum { VRP_RECHECK_BYTES = 1 << 30 };
mco_status vrp_bound_recheck(mco_context *ctx, const mco_vrp *vrp, const vrp_bound_problem *problem, vrp_fleet fleet, const int32_t *price,
                             const vrp_cuts *cuts, const vrp_ng_sets *sets, double stop_s, int64_t *bound, bool *is_done);

#endif
