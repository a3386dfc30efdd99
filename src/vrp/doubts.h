// SPDX-License-Identifier: MIT
// What in an instance lets one doubt that its distances are what its author meant.
#ifndef MCO_VRP_DOUBTS_H
#define MCO_VRP_DOUBTS_H

#include "vrp/instance.h"

// Warns where rounding takes most of the distances away, and of GEO coordinates with minutes of 60 and more. The
// problem is scaled. O(customers), at most some 20,000 distances.
void vrp_doubt_distances(mco_context *ctx, const mco_vrp *problem);

#endif
