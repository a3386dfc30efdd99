// SPDX-License-Identifier: MIT
// The last step: the cheapest plan made of routes of a list, by an LP with cuts, removal of routes by reduced costs, and branching on
// pairs of customers that share a route (Ryan, Foster 1981). The LP has a part of the routes, which others join at negative reduced costs.
// Proofs are in integers: at each node the duals are rounded to prices, and their bound is summed over all routes of the list. So the
// solver's rounding errors cost time, never a wrong proof.
//
// Costs are scaled units of mco_vrp here, exact also where a vrp_bound_problem rounds: the routes' own costs are not read.
#ifndef MCO_VRP_BOUND_POOL_H
#define MCO_VRP_BOUND_POOL_H

#include "base/run.h"
#include "vrp/bound/claims.h"
#include "vrp/bound/routes.h"

enum { VRP_POOL_SMALL = 6000 };

typedef struct vrp_pool_result {
    bool is_done;          // no plan of the list costs less than min(known, cost)
    int64_t bound;         // no plan of the list costs less than this; at most min(known, cost)
    int64_t cost;          // of the best plan found; INT64_MAX: none below `known`
    int64_t *plan;         // [plan_count] indices of its routes in the list; owned
    int32_t plan_count;
    int64_t nodes, cuts, routes_left;
    vrp_claim_pools prices; // for the recheck: each time that routes left at the root, and of its last program; owned
} vrp_pool_result;

// Looks for plans of `routes` that visit every customer exactly once, in fleet.least to fleet.most routes, and cost less than
// `known` (INT64_MAX: any). Routes without customers or with a customer twice are left out. `cuts`: rows that hold for every plan,
// such as those of the root; RANK1 rows count with full memory here; NULL: none. Ends at stop_s, or with the run (NULL: none), and at
// large_stop_s as long as more than VRP_POOL_SMALL routes are left. threads: at least 1; what is found does not depend on it.
// Errors: MEMORY, IO (no solver), LIMIT (costs whose proof would leave 64 bits).
mco_status vrp_pool_solve(mco_context *ctx, mco_run *run, const vrp_bound_problem *problem, const vrp_routes *routes, const vrp_cuts *cuts,
                          int64_t known, int32_t threads, double stop_s, double large_stop_s, vrp_pool_result *result);
void vrp_pool_result_clear(mco_context *ctx, vrp_pool_result *result);

#endif
