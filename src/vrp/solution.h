// SPDX-License-Identifier: MIT
// Solutions as routes that are lists.
#ifndef MCO_VRP_SOLUTION_H
#define MCO_VRP_SOLUTION_H

#include "vrp/instance.h"

// A solution with room for so many customers and routes. Errors: MEMORY.
mco_status vrp_solution_new(mco_context *ctx, int32_t customers, int32_t routes, mco_vrp_solution *out);
// Scaled, all routes together.
int64_t vrp_solution_cost(const mco_vrp *problem, const mco_vrp_solution *solution);

#endif
