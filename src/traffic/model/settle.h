// SPDX-License-Identifier: MIT
// Steps of settling a problem: its links with turns and artificial arcs (arcs.c), and who reaches whom (reach.c).
#ifndef MCO_TRAFFIC_SETTLE_H
#define MCO_TRAFFIC_SETTLE_H

#include "traffic/model/network.h"
#include "traffic/model/problem.h"

// Fills nodes, first_through, links, first, tail, head, into_first, into, origin_link, link_at, sink and `fixed` [links]: the cost
// of turns and artificial arcs, 0 for links of the network. The caller releases *fixed. Errors: LIMIT, STOPPED, MEMORY. O(nodes + links + turns).
mco_status traffic_settle_arcs(mco_context *ctx, const mco_traffic_params *params, traffic_problem *problem, double **fixed);

// Which trips have a path, by searches from and to a node of the greatest strongly connected part. Only what this part does not join
// needs searches of its own, and these stay outside of it.
typedef struct traffic_reach {
    const traffic_problem *problem;  // borrowed
    bool *from, *into;     // [nodes] whether the part is reached from a path's begin there, whether a path from the part ends there
    int32_t *ahead, *behind;  // [nodes] the number of the last search, forward or backward, that saw the node
    int32_t *queue;        // [nodes]
    int32_t searches;
    int32_t origin, end;   // of the last searches; -1: none
    int32_t origin_mark, end_mark;
} traffic_reach;
// Errors: STOPPED, MEMORY. O(nodes + links).
mco_status traffic_reach_open(mco_context *ctx, const traffic_problem *problem, traffic_reach *out);
// Whether a path leads from an origin to an end; both are other nodes. Fastest where calls with equal ends follow each other.
// O(1) within the part, else O(nodes + links).
bool traffic_reach_has_path(traffic_reach *reach, int32_t origin, int32_t end);
void traffic_reach_close(mco_context *ctx, traffic_reach *reach);

#endif
