// SPDX-License-Identifier: MIT
// The recheck: it proves a bound again from prices alone. It shares no code with the passes, the labels or the master: plain loops over
// mco_vrp itself, 64-bit integers, its own tables.
#ifndef MCO_VRP_BOUND_RECHECK_H
#define MCO_VRP_BOUND_RECHECK_H

#include "vrp/bound/prices.h"
#include "vrp/bound/relax/ng.h"

// The greatest bound that these prices prove with routes of the relaxation (sets NULL: q-routes without loops i-j-i), at `unit` units a
// scaled unit, under these rows. RANK1 rows are proved by plain labels with their own completion bounds. *bound in units. *is_done
// false: stop_s was over first. Errors: CHECK (prices of a wrong sign or an odd one), MEMORY.
mco_status vrp_bound_recheck(mco_context *ctx, const mco_vrp *vrp, const vrp_bound_problem *problem, const int32_t *price,
                             const vrp_cuts *cuts, const vrp_ng_sets *sets, double stop_s, int64_t *bound, bool *is_done);

#endif
