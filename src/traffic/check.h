// SPDX-License-Identifier: MIT
// What the checker says without a search.
#ifndef MCO_TRAFFIC_CHECK_H
#define MCO_TRAFFIC_CHECK_H

#include "traffic/model/network.h"

// The costs of flows from the raw network: objective, total_cost and excess of *facts; the rest stays. `cost` [links]: what a link
// costs without what a class adds where there are several, NULL: not asked for. `toll` [links]: what a
// traveller costs all others, flow * slope; NULL: not asked for. Errors: ARGUMENT, CHECK, MEMORY. O(classes * links).
mco_status traffic_check_costs(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, const double *flow,
                               const double *class_flow, mco_traffic_facts *facts, double *cost, double *toll);

#endif
