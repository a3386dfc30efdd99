// SPDX-License-Identifier: MIT
// mco_dtspms_solve() by several ranks: islands (base/islands.h).
#ifndef MCO_DTSPMS_ISLANDS_H
#define MCO_DTSPMS_ISLANDS_H

#include "mco/dtspms.h"

// As mco_dtspms_solve(), which calls it where there are several ranks.
mco_status dtspms_islands_solve(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params, mco_dtspms_result *result);

#endif
