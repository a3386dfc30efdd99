// SPDX-License-Identifier: MIT
// Constructions: cheapest insertion, a route per customer, savings.
#ifndef MCO_VRP_SEARCH_CONSTRUCT_H
#define MCO_VRP_SEARCH_CONSTRUCT_H

#include "vrp/instance.h"
#include "vrp/search/watch.h"

// mco_vrp_construct() on a given number of threads. Errors: as there, and STOPPED.
mco_status vrp_construct(mco_context *ctx, const mco_vrp *problem, mco_vrp_construction construction, int threads,
                         const vrp_watch *watch, mco_vrp_solution *solution);

#endif
