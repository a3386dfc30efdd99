// SPDX-License-Identifier: MIT
// The recheck's arcs that no route below a limit has. Symmetric instances alone.
#ifndef MCO_VRP_BOUND_RECHECK_ARCS_H
#define MCO_VRP_BOUND_RECHECK_ARCS_H

#include "vrp/bound/recheck_tables.h"

// Sets the arcs to ABSENT whose least route by complete tables reaches the limit. O(nodes^2 capacity). Returns how many edges are new.
int64_t vrp_recheck_remove_arcs(vrp_recheck *t, int64_t limit);

// Whether tails tell more than tables do.
bool vrp_recheck_has_tails(const vrp_recheck *t);
// The same by tails, which pay for rows of RANK1 (recheck_labels.h). It ends early, with fewer arcs removed, where these are too many or stop_s
// is over. Errors: MEMORY.
mco_status vrp_recheck_remove_by_tails(vrp_recheck *t, int64_t limit);

#endif
