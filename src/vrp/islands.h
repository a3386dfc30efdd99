// SPDX-License-Identifier: MIT
// mco_vrp_solve() by several ranks: islands (base/islands.h).
#ifndef MCO_VRP_ISLANDS_H
#define MCO_VRP_ISLANDS_H

#include "mco/vrp.h"

// As mco_vrp_solve(), which calls it where there are several ranks. Errors: also ARGUMENT (a proof beside the search).
mco_status vrp_islands_solve(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, mco_vrp_result *result);

#endif
