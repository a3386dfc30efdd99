// SPDX-License-Identifier: MIT
// A problem as a network of shortest paths, for a hierarchy.
#ifndef MCO_TRAFFIC_ROADS_H
#define MCO_TRAFFIC_ROADS_H

#include "mco/paths.h"
#include "traffic/model/problem.h"

// Links are its arcs in the same order, with weights of 1: metrics bring their own. Places are those of the network, if no node is
// split. The caller destroys *out. Errors: LIMIT, MEMORY. O(nodes + links).
mco_status traffic_roads_make(mco_context *ctx, const traffic_problem *problem, mco_paths_network **out);

#endif
