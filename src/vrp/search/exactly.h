// SPDX-License-Identifier: MIT
// Plans of exactly K routes, for a search that knows at most K.
//
// Every arc between two customers costs the same more, `more` >= 0. A plan of K routes for n customers has n - K such arcs, so all of
// them cost more * (n - K) = shift more, and none is cheaper than another by it. A plan of fewer routes pays more, and where `more` is
// great enough it is cheaper when it is divided. So the cheapest plan of at most K routes has K of them. `more` is no greater than that
// needs: a search anneals by the costs that it sees.
#ifndef MCO_VRP_SEARCH_EXACTLY_H
#define MCO_VRP_SEARCH_EXACTLY_H

#include "vrp/instance.h"

typedef struct vrp_exactly {
    mco_vrp problem;    // the instance of the search: at most K vehicles; all but the matrix is borrowed
    int32_t *matrix;    // [nodes * nodes]; NULL: the distances are those of the instance
    int64_t shift;
} vrp_exactly;

// Refuses `routes` >= 1 where the instance has a limit of vehicles. Errors: ARGUMENT.
mco_status vrp_refuse_exactly(mco_context *ctx, const mco_vrp *problem, int64_t routes);
// Returns ARGUMENT, with the reason in the context's error, where no plan of so many routes can exist.
mco_status vrp_find_exact_conflict(mco_context *ctx, const mco_vrp *problem, int64_t routes);

// `routes`: 1..customers. Without `more` where the loads need so many routes, where their length is limited, beyond 5000 nodes, or after stop_s. O(nodes^2).
// Errors: MEMORY.
mco_status vrp_exactly_open(mco_context *ctx, const mco_vrp *problem, int32_t routes, double stop_s, vrp_exactly *out);
void vrp_exactly_close(mco_context *ctx, vrp_exactly *exactly);

// Divides routes of a plan of at most `routes` until there are that many, at the arcs where it costs least: no division of this plan is
// cheaper. *is_within false: a part is too long then. O(customers log customers). Errors: MEMORY.
mco_status vrp_exactly_divide(mco_context *ctx, const mco_vrp *problem, int32_t routes, const mco_vrp_solution *plan, mco_vrp_solution *out,
                              bool *is_within);

#endif
