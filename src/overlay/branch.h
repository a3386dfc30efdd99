// SPDX-License-Identifier: MIT
// Exact branch and bound for few nodes. A part of all overlays says of each link within which limits it carries bandwidth. Its bound is the
// linear program with these limits, a flow from the nodes to copies of them, in integers. A part is halved at a link that carries less than
// its least, or half a unit: the link is not kept, or carries its least; it carries the units below, or those above.
//
// Overlays carry whole units of the instance.
#ifndef MCO_OVERLAY_BRANCH_H
#define MCO_OVERLAY_BRANCH_H

#include "base/run.h"
#include "overlay/instance.h"

enum { OVERLAY_BRANCH_NODES = 40 };  // at most

typedef struct overlay_branch_result {
    bool is_better;                 // `solution` is worth more than the overlay that was known
    mco_overlay_solution solution;  // takes mco_overlay_solution_clear()
    double bound;                   // no overlay is worth more
    int64_t programs;               // solved
} overlay_branch_result;

// Whether the instance has few enough nodes, and sums that fit its integers. O(nodes)
bool overlay_branch_takes(const mco_overlay *o);
// Searches all overlays that may be worth more than `known`, in units of weight times bandwidth. After most_programs, or at the end of
// the run or of the share of its time limit, the bound is that of what is left. Errors: MEMORY. A program takes O(nodes^2) a path.
mco_status overlay_branch(mco_context *ctx, mco_run *run, const mco_overlay *o, int64_t known, int64_t most_programs, double most_share,
                          overlay_branch_result *out);

#endif
