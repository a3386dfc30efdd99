// SPDX-License-Identifier: MIT
// Routes along a space-filling curve: worse than savings, but a million customers take some tenths of a second.
#ifndef MCO_VRP_SEARCH_CURVE_H
#define MCO_VRP_SEARCH_CURVE_H

#include "vrp/instance.h"
#include "vrp/search/watch.h"

enum { VRP_CURVE_CUSTOMERS = 20000 };  // with more of them a curve comes before all other constructions

// No route breaks a limit if no customer does alone; there may be more routes than vehicles. Up to 200,000 customers the
// watch is not asked. Errors: MEMORY, STOPPED.
mco_status vrp_construct_along_curve(mco_context *ctx, const mco_vrp *problem, const vrp_watch *watch,
                                     mco_vrp_solution *out);

#endif
