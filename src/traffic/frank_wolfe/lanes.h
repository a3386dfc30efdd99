// SPDX-License-Identifier: MIT
// Trees of 8 rows at once, and their loads. Compiled for each vector unit (base/lanes.h); all builds give equal trees and flows.
#ifndef MCO_TRAFFIC_FRANK_WOLFE_LANES_H
#define MCO_TRAFFIC_FRANK_WOLFE_LANES_H

#include <stdatomic.h>

#include "base/simd.h"
#include "traffic/model/problem.h"

enum { TRAFFIC_LANES = 8 };

// What all batches share. A place is where a label stands: node v has place v, and paths that begin in an end v < first_through
// leave from place nodes + v, which no link enters.
typedef struct traffic_lane_net {
    int32_t nodes, first_through, links;
    const int32_t *first, *head, *tail;  // of the problem
    const int32_t *into_first, *into;
    const int32_t *into_place;           // [links] place of the tail of into[k]
} traffic_lane_net;

// Scratch of one thread.
typedef struct traffic_lane_room {
    double *label;     // [nodes + first_through][8]
    int32_t *entered;  // [nodes][8] the link by which the tree enters a node
    int64_t *flow;     // [nodes][8] zero between two calls
    uint64_t *dirty;   // [nodes / 64 + 1] zero between two calls
    int32_t *position; // [nodes] of nodes in the order
    int32_t *sorted;   // [nodes]
    int32_t *count;    // [2 * nodes + 2]
    double *key;       // [nodes]
} traffic_lane_room;

// Trees of 16 rows over a hierarchy of `paths`, with integer labels, and the flows that walk back over its arcs down.
enum { TRAFFIC_TREES = 16 };
typedef struct traffic_descent {
    const int32_t *first, *head;  // of the hierarchy
    const int32_t *down;          // [arcs] a weight with which no label is explained where the head ends paths
    const int32_t *label;         // [vertices][16]
    int64_t *flow;                // [vertices][16]
    uint64_t *touched;            // [vertices / 64 + 1] bits of vertices with flow
    atomic_int_least64_t *arc_flow;  // [2 * arcs] by slot
} traffic_descent;

typedef struct traffic_lane_build {
    mco_build build;
    // Least labels from origin [8], -1: none, at costs by link and by slot of `into`. order [nodes - first_through] has the nodes that
    // paths pass through; the better it follows the labels, the fewer nodes are looked at again: the answer is their number. -1: *stop was set.
    int64_t (*grow)(const traffic_lane_net *net, const double *cost, const double *cost_into, const int32_t *origin,
                    const int32_t *order, traffic_lane_room *room, const atomic_bool *stop);
    // Sorts the order by the least labels of the lanes.
    void (*sort)(const traffic_lane_net *net, int32_t *order, traffic_lane_room *room);
    // Moves room->flow, which has amounts at their ends, down the trees to y [links]. O(nodes) a row if the order follows the labels.
    void (*spread)(const traffic_lane_net *net, const int32_t *origin, const int32_t *order, traffic_lane_room *room, int64_t *y);
    // Moves the flows at a vertex of the lanes in `pending` over the first arc that explains the label of each; returns the lanes that have none.
    uint32_t (*descend)(const traffic_descent *d, int32_t vertex, uint32_t pending);
} traffic_lane_build;

// The build for `simd`; AUTO: the widest. Errors: ARGUMENT.
mco_status traffic_lanes_find(mco_context *ctx, mco_simd simd, const traffic_lane_build **out);

#endif
