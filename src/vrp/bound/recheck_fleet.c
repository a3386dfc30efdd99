// SPDX-License-Identifier: MIT
#include "vrp/bound/recheck_fleet.h"

#include "base/clock.h"

enum { ROWS_IN_TIME = 64 };  // of distances between looks at the clock

// Whether two routes whose loads fit one vehicle may become one at no more cost, whichever they are. O(nodes^2).
static bool joins_cost_nothing(mco_context *ctx, const mco_vrp *vrp, double stop_s, bool *is_done)
{
    *is_done = true;
    if (vrp_has_max_length(vrp))
        return false;
    for (int32_t i = 1; i < vrp->nodes; i++) {
        if (i % ROWS_IN_TIME == 0 && (mco_clock_s() >= stop_s || mco_is_cancelled(ctx) || mco_call_is_over(ctx))) {
            *is_done = false;
            return false;
        }
        for (int32_t j = 1; j < vrp->nodes; j++)
            if (j != i && (int64_t)vrp_distance(vrp, i, 0) + vrp_distance(vrp, 0, j) < vrp_distance(vrp, i, j))
                return false;
    }
    return true;
}

vrp_fleet vrp_recheck_fleet(mco_context *ctx, const mco_vrp *vrp, int64_t exactly, double stop_s, bool *is_done)
{
    int64_t total = 0;
    *is_done = true;
    if (exactly > 0)
        return (vrp_fleet){(int32_t)exactly, (int32_t)exactly};
    for (int32_t i = 1; i < vrp->nodes; i++)
        total += vrp->demand[i];
    int64_t least = total / vrp->capacity + (total % vrp->capacity > 0), most = vrp->customers;
    least = least > 1 ? least : 1;
    if (joins_cost_nothing(ctx, vrp, stop_s, is_done)) {
        // No two of K >= 2 routes fit one vehicle. The sum over all pairs says that K capacities are less than all loads twice.
        int64_t joined = 2 * total / vrp->capacity;
        joined -= joined > 0 && 2 * total % vrp->capacity == 0;
        joined = joined > least ? joined : least;
        most = joined < most ? joined : most;
    }
    if (vrp->vehicles > 0 && vrp->vehicles < most)
        most = vrp->vehicles;
    return (vrp_fleet){(int32_t)least, (int32_t)most};
}
