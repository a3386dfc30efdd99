// SPDX-License-Identifier: MIT
// Names of arcs that are no links of the network: turns and artificial arcs. A state knows them by what they join.
#ifndef MCO_TRAFFIC_ARC_NAMES_H
#define MCO_TRAFFIC_ARC_NAMES_H

#include "traffic/model/problem.h"

typedef struct traffic_arc_name {
    int32_t from, to;  // links, or -1 - node
    int32_t link;      // of the problem
} traffic_arc_name;

int traffic_compare_arc_names(const void *left, const void *right);
// The names of all arcs of a problem that are no links, in their order. Sinks are called by their zones. *out is the
// caller's. Errors: MEMORY. O(links).
mco_status traffic_name_arcs(mco_context *ctx, const traffic_problem *p, traffic_arc_name **out, int32_t *count);

#endif
