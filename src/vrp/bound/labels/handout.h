// SPDX-License-Identifier: MIT
// From labels to routes: which ones are handed out, in which order.
#ifndef MCO_VRP_BOUND_LABELS_HANDOUT_H
#define MCO_VRP_BOUND_LABELS_HANDOUT_H

#include "vrp/bound/labels/grow.h"

// Adds routes of forward->final to `routes`; back: the side of their tails, NULL if none has one. Sorts forward->final. In elementary
// mode all, one a set of customers; some, where the time is over. Else at most task->most_routes: rounds take the best routes that have
// a customer which few taken ones have. Errors: MEMORY.
mco_status vrp_hand_out(mco_context *ctx, vrp_side *forward, const vrp_side *back, vrp_routes *routes);

#endif
