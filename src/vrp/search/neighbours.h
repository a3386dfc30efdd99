// SPDX-License-Identifier: MIT
// The nearest customers of every customer.
#ifndef MCO_VRP_SEARCH_NEIGHBOURS_H
#define MCO_VRP_SEARCH_NEIGHBOURS_H

#include "vrp/instance.h"

// The nearest other customers of every customer, [customers * *count] customers (0-based), row c of customer c from near to
// far, ties by number; *count is lowered to customers - 1. With coordinates O(customers * count) on `threads` threads, with a
// matrix O(customers^2). Of an asymmetric matrix the smaller direction counts. Errors: MEMORY.
mco_status vrp_neighbours(mco_context *ctx, const mco_vrp *problem, int32_t *count, int threads, int32_t **out);

#endif
