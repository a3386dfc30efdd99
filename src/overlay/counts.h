// SPDX-License-Identifier: MIT
// Bounds by numbers of links. A link that is kept is worth w u at most, and node i keeps at most floor(b_i / l) links. So the greatest
// sum of w u over fractions of links, with that many at each node, bounds every overlay. It is an overlay problem again: bandwidths are
// numbers of links. Its bound is the better one where the least bandwidths are large.
#ifndef MCO_OVERLAY_COUNTS_H
#define MCO_OVERLAY_COUNTS_H

#include "base/run.h"
#include "overlay/instance.h"

enum { FEW_LINKS = 4, OVERLAY_COUNTS_MOST = 1 << 24 };  // links at a node; possible links of the instance

// Whether this bound can be the better one, and all links have room in memory. O(nodes), or O(links) where links have limits of their own.
bool overlay_counts_pay(const mco_overlay *o);
// Makes the instance of numbers. *out takes mco_overlay_destroy(); NULL: the run ended before. Errors: LIMIT, MEMORY. O(links)
mco_status overlay_counts_open(mco_context *ctx, mco_run *run, const mco_overlay *o, mco_overlay **out);
// The bound of the instance o that a bound of its numbers proves.
double overlay_counts_bound(const mco_overlay *o, double bound);
// A dual of the numbers, in units of weight times bandwidth of the instance.
double overlay_counts_price(const mco_overlay *counts, uint32_t dual);

#endif
