// SPDX-License-Identifier: MIT
// Savings (Clarke, Wright 1964), all routes at once. It begins with a route per customer, and joins the routes that end in i and begin
// with j, the largest saving d(i, 0) + d(0, j) - d(i, j) > 0 first, if the limits allow it. While there are more routes than vehicles it
// goes on with those that save nothing, or cost. It considers pairs of near neighbours; up to 1,000 customers all pairs. With symmetric
// distances it turns routes round as needed.
#ifndef MCO_VRP_SEARCH_SAVINGS_H
#define MCO_VRP_SEARCH_SAVINGS_H

#include "vrp/instance.h"
#include "vrp/search/watch.h"

// Routes of at least two customers. Only the lists of neighbours use more than one thread; the routes do not depend on their number.
// Errors: MEMORY, STOPPED.
mco_status vrp_savings(mco_context *ctx, const mco_vrp *problem, int threads, const vrp_watch *watch, mco_vrp_solution *out);

#endif
