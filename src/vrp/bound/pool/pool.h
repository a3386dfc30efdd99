// SPDX-License-Identifier: MIT
// The last step: the cheapest plan made of routes of a list, by an LP with cuts, removal of routes by reduced costs, and branching.
// Proofs are in integers: at each node the duals are rounded to prices, and their bound is summed over the list.
#ifndef MCO_VRP_BOUND_POOL_H
#define MCO_VRP_BOUND_POOL_H

#include "base/run.h"
#include "vrp/bound/prices.h"
#include "vrp/bound/routes.h"

typedef struct vrp_pool_result {
    bool is_done;          // nothing better than `known` is left beyond what `plan` says
    int64_t bound;         // no plan of these routes costs less than min(bound, cost)
    int64_t cost;          // of the best plan found, units; INT64_MAX: none below `known`
    int64_t *plan;         // [plan_count] indices of its routes in the list as handed over; owned
    int32_t plan_count;
    int64_t nodes, routes_left;
} vrp_pool_result;

// Plans of `routes` (elementary; any subset of all elementary routes) that visit every customer exactly once, with fleet.least to
// fleet.most routes, and cost less than `known` (units; the gain is at least one scaled unit where objectives are integers).
// `cuts`: rows valid for every plan, such as those of the root; NULL: none. Ends at stop_s or with the run. Errors: MEMORY, IO.
mco_status vrp_pool_solve(mco_context *ctx, mco_run *run, const vrp_bound_problem *problem, const vrp_routes *routes, const vrp_cuts *cuts,
                          int64_t known, double stop_s, vrp_pool_result *result);
void vrp_pool_result_clear(mco_context *ctx, vrp_pool_result *result);

#endif
