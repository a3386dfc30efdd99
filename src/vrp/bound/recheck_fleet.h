// SPDX-License-Identifier: MIT
// How many routes the plans in question have, for the rechecks: from the instance and the fleet rule alone. It shares no code with the
// driver, whose numbers are refused where they leave one of these out.
#ifndef MCO_VRP_BOUND_RECHECK_FLEET_H
#define MCO_VRP_BOUND_RECHECK_FLEET_H

#include "vrp/bound/problem.h"

// exactly > 0: this many routes. Else some best plan has a number of routes in the result, which keeps the instance's limit. *is_done false:
// stop_s was over, or the call was cancelled, before it was known; the result is void then. O(nodes^2).
vrp_fleet vrp_recheck_fleet(mco_context *ctx, const mco_vrp *vrp, int64_t exactly, double stop_s, bool *is_done);

#endif
