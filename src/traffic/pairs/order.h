// SPDX-License-Identifier: MIT
// Orders in which the nodes of a batch are relaxed. Labels and parents do not depend on them, but the time does (scan.c).
#ifndef MCO_TRAFFIC_PAIRS_ORDER_H
#define MCO_TRAFFIC_PAIRS_ORDER_H

#include "traffic/pairs/heap.h"
#include "traffic/pairs/lanes.h"

// Room of one thread.
typedef struct pairs_order_room {
    mco_context *ctx;     // of the thread
    double *label;        // [nodes] all 0 between calls
    pairs_heap heap;
    int32_t *stack;       // [nodes + 1]
    uint8_t *next;        // [nodes] the lane that comes next
    int32_t *new_order;   // [nodes]
} pairs_order_room;

// Each writes trees->order; pairs_order_flows() overwrites `position`.
// A first order: by the distance from the first row's origin. Errors: MEMORY. O(links log nodes).
mco_status pairs_order_nearest(pairs_trees *t, pairs_order_room *r, const pairs_batch *b);
// The first order of a batch whose rows all have flow. O(nodes + links).
void pairs_order_flows(pairs_trees *t, pairs_order_room *r, const pairs_batch *b);
// Puts parents before children, as the trees of the last scan have them. O(nodes * PAIRS_LANES).
void pairs_order_trees(pairs_trees *t, pairs_order_room *r);

#endif
