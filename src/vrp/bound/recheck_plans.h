// SPDX-License-Identifier: MIT
// The recheck's last step: whether routes of a list make a plan below a cost, by a search over exact covers. It shares no code with the
// pool.
#ifndef MCO_VRP_BOUND_RECHECK_PLANS_H
#define MCO_VRP_BOUND_RECHECK_PLANS_H

#include "vrp/bound/prices.h"
#include "vrp/bound/routes.h"

// Every plan that costs less than `cost` has routes whose values add up to at most `budget`.
typedef struct vrp_recheck_plans {
    int32_t customers;
    vrp_fleet fleet;
    const vrp_routes *routes;  // no customer twice; costs as `cost`
    const int64_t *value;      // [routes->count]
    const int64_t *demand;     // [customers + 1]; the sum of values that are left is bounded by shares of it
    int64_t budget, cost;
    double stop_s;
} vrp_recheck_plans;

// *exists: such a plan was found. *is_done false: the search took too many steps, or its time was over. Errors: MEMORY.
mco_status vrp_recheck_search_plans(mco_context *ctx, const vrp_recheck_plans *task, bool *exists, bool *is_done);

#endif
