// SPDX-License-Identifier: MIT
// Memory and cost of solutions.
#ifndef MCO_VRP_SOLUTION_H
#define MCO_VRP_SOLUTION_H

#include "vrp/instance.h"

// Makes a solution with room for that many customers and routes. Errors: MEMORY.
mco_status vrp_solution_new(mco_context *ctx, int32_t customers, int32_t routes, mco_vrp_solution *out);
// Copies the routes to a solution that has room for them.
void vrp_solution_copy(const mco_vrp_solution *from, mco_vrp_solution *to);
// The cost of all routes together, scaled.
int64_t vrp_solution_cost(const mco_vrp *problem, const mco_vrp_solution *solution);

#endif
