// SPDX-License-Identifier: MIT
// The recheck's detours: paths and routes that are not the cheapest of their customers. A cheapest plan has none: it keeps its loads, and no
// route becomes longer, where a cheaper one takes their place.
#ifndef MCO_VRP_BOUND_RECHECK_DETOURS_H
#define MCO_VRP_BOUND_RECHECK_DETOURS_H

#include "vrp/instance.h"

// Whether the path from the depot over path [count], then to node k (0: home), becomes cheaper with the same end: its last nodes are turned, or
// up to three nodes in a row go elsewhere. Of these moves it tries those that take away the arc to k: whoever asks at each node tries all.
// distance [nodes * nodes], symmetric. O(count).
bool vrp_recheck_is_detour(const int32_t *distance, int32_t nodes, const int32_t *path, int32_t count, int32_t k);

// Whether the turn of a part of a route, or the move of a customer, makes it cheaper than `cost`. Of any distances. `node` [count] is as before
// behind the call. O(count^3).
bool vrp_recheck_is_improvable(const mco_vrp *vrp, int32_t *node, int32_t count, int64_t cost);

#endif
