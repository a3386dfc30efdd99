// SPDX-License-Identifier: MIT
// The bound by matchings, where nodes have room for one link or two. A link that is kept is worth
//
//     the greatest (w - m_i - m_j) x,  l <= x <= u,
//
// beyond what its bandwidth costs at prices m, and node i keeps at most floor(b_i / l_i) links. So the greatest b-matching by these
// worths plus the sum of b_i m_i bounds every overlay, whatever the prices are. Each node stands as often as it has room for links; then
// the b-matching is a matching, and odd sets of nodes prove it (blossom.h). Where all have room for one link, the bound is the optimum. Where a
// matching gives a node more than its bandwidth, cases of how many links it keeps have bounds of their own; the greatest of them is one, too.
#ifndef MCO_OVERLAY_MATCHING_H
#define MCO_OVERLAY_MATCHING_H

#include "base/run.h"
#include "overlay/instance.h"

typedef struct overlay_matching {
    double bound;          // no overlay is worth more
    double *price;         // [nodes] of a link, in units of weight times bandwidth
    int32_t *from, *to;    // [count] links of the matching
    int64_t count;
} overlay_matching;

// Whether nodes have room for so few links that this is worth its time. O(nodes), or O(links) where links have limits of their own.
bool overlay_matching_pays(const mco_overlay *o);
// Finds the bound from duals of bandwidth [nodes], and prices of links [nodes] of another bound, which may be NULL. The duals of the matching
// are tested against every possible link. The end of the run leaves a bound that is not the least; none (infinite) where it comes before
// the first matching, or where these tests take more than 0.05 s after it. overlay_matching_clear() releases it. Errors: MEMORY. O(nodes^3) at worst.
mco_status overlay_matching_find(mco_context *ctx, mco_run *run, const mco_overlay *o, const uint32_t *dual, const double *price,
                                 overlay_matching *out);
void overlay_matching_clear(mco_context *ctx, overlay_matching *m);

// Floor of the bandwidth over the least of the node's links, and no more than it has links.
int64_t overlay_room_of(const mco_overlay *o, int32_t i);

#endif
