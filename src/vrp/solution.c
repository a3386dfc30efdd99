// SPDX-License-Identifier: MIT
// Solutions: memory and cost.
#include "vrp/solution.h"

#include <string.h>

mco_status vrp_solution_new(mco_context *ctx, int32_t customers, int32_t routes, mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    mco_vrp_solution s = {.customers = customers, .routes = routes};
    MCO_TRY(mco_alloc(ctx, &s.order, customers));
    MCO_TRY(mco_alloc(ctx, &s.first, (int64_t)routes + 1));
    *out = s;
done:
    if (st != MCO_OK)
        mco_free(ctx, &s.order);
    return st;
}

void vrp_solution_copy(const mco_vrp_solution *from, mco_vrp_solution *to)
{
    to->customers = from->customers;
    to->routes = from->routes;
    memcpy(to->order, from->order, (size_t)from->customers * sizeof *to->order);
    memcpy(to->first, from->first, ((size_t)from->routes + 1) * sizeof *to->first);
}

int64_t vrp_solution_cost(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    int64_t cost = 0;
    for (int32_t r = 0; r < solution->routes; r++)
        cost += mco_vrp_route_of(problem, solution, r).cost;
    return cost;
}
