// SPDX-License-Identifier: MIT
// Joins labels of both directions to routes.
//
// Let H be half the capacity. A route of a greater load has a first customer at which its forward load exceeds H. The label that ends
// there waits; what follows has a load below the capacity less H, so a backward label holds it.
#ifndef MCO_VRP_BOUND_LABELS_JOIN_H
#define MCO_VRP_BOUND_LABELS_JOIN_H

#include "vrp/bound/labels/grow.h"

// Adds to forward->final the routes of each waiting label: in elementary mode all below task->below, else the best one by each next
// node. `back` may be `forward`, of a symmetric problem. forward->end says how it ended. Errors: MEMORY.
mco_status vrp_join(mco_context *ctx, vrp_side *forward, vrp_side *back);

#endif
