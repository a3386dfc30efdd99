// SPDX-License-Identifier: MIT
// The first optimum of a program of many columns and few rows, by programs of some of its columns.
#ifndef MCO_VRP_BOUND_POOL_SIFT_H
#define MCO_VRP_BOUND_POOL_SIFT_H

#include "lp/lp.h"

// Loads an optimal basis into `lp`, which has not been solved yet: a program of its first `begin` columns is solved, columns of negative
// reduced cost join it, until there are none (Bixby, Gregory, Lustig, Marsten, Shanno 1992). Columns are at least 0 and have no upper
// bound. At stop_s, or where the solver fails, `lp` is as before. Errors: MEMORY, IO.
mco_status pool_sift(mco_context *ctx, mco_lp *lp, int32_t begin, double stop_s);

#endif
