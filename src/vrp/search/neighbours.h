// SPDX-License-Identifier: MIT
// The nearest customers of every customer.
#ifndef MCO_VRP_SEARCH_NEIGHBOURS_H
#define MCO_VRP_SEARCH_NEIGHBOURS_H

#include "vrp/instance.h"
#include "vrp/search/watch.h"

// Sets *out, which the caller owns, to the nearest other customers of every customer: [customers * *count] customers
// (0-based). Row c is that of customer c, from near to far, ties by number; those at its own place begin with the next number, then from
// 0 on. If there are fewer others, *count is lowered to their number. The distance of a pair is the smaller one of both directions. On
// `threads` threads; looks at O(customers * count) pairs in the plane, at O(customers^2) pairs with a matrix or a sphere. Errors: MEMORY,
// STOPPED.
mco_status vrp_neighbours(mco_context *ctx, const mco_vrp *problem, int32_t *count, int threads, const vrp_watch *watch,
                          int32_t **out);

#endif
