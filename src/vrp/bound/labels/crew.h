// SPDX-License-Identifier: MIT
// Threads that work on the labels of one side.
//
// Each has a copy of the side: what it makes, sees and counts is its own, all else is shared and stays as it is while they work. What
// they have made is taken over in an order that does not depend on them.
#ifndef MCO_VRP_BOUND_LABELS_CREW_H
#define MCO_VRP_BOUND_LABELS_CREW_H

#include "vrp/bound/labels/grow.h"

// Does item k with `hand`, a copy of the side or the side itself. Where hand->end tells of a stop it may do nothing. Errors end the run.
typedef mco_status vrp_crew_work(vrp_side *hand, void *shared, int64_t k);

// Does the items 0..count-1, by side->task->threads threads (eight at most) where `pays`, else by the calling one. Then side->end tells whether one of them
// was stopped, and side->final has the routes of all, in any order. Errors: MEMORY, and those of the work.
mco_status vrp_crew_run(vrp_side *side, int64_t count, bool pays, vrp_crew_work *work, void *shared);
void vrp_crew_close(vrp_side *side);

#endif
