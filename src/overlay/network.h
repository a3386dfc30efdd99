// SPDX-License-Identifier: MIT
// A network whose nodes come and go: an instance with room for more nodes. A node stands in a slot; the slot of a node that left has no
// bandwidth and no link, until another node takes it. Among all pairs an event costs O(1). Rows of a sparse instance are made anew once
// a round, in one pass.
#ifndef MCO_OVERLAY_NETWORK_H
#define MCO_OVERLAY_NETWORK_H

#include "overlay/instance.h"

// A possible link that appears in this round.
typedef struct overlay_arrival {
    int32_t end[2];        // slots
    double weight;         // NaN: the product of the uptimes
    int64_t least, most;   // -1: those of all links
} overlay_arrival;

typedef struct overlay_network {
    mco_context *ctx;
    mco_overlay *o;           // o->nodes is the number of slots
    int32_t room;             // slots that the arrays have room for
    int32_t present;          // nodes
    int32_t *id;              // [room] the caller's number of the node in a slot; -1: none
    int32_t *vacant;          // [room] slots without a node: those before vacant_count are free,
    int32_t vacant_count;     //   those before left_count become free with the next round
    int32_t left_count;
    int32_t *slot;            // [ids] of a node by the caller's number; -1: it is not there
    int64_t ids;
    overlay_arrival *arrival; // [arrivals]
    int64_t arrivals, arrival_room;
    bool is_torn;             // rows still have links of nodes that left
    char *const *names;  // [named] of the caller's numbers, for messages; borrowed; NULL: none
    int64_t named;
} overlay_network;

// Copies an instance; its nodes have the numbers 0 .. nodes - 1. overlay_network_close() releases it. Errors: MEMORY. O(nodes + links).
mco_status overlay_network_open(mco_context *ctx, const mco_overlay *instance, overlay_network *out);
void overlay_network_close(overlay_network *n);

// The slot of a node; -1: it is not there.
int32_t overlay_slot_of(const overlay_network *n, int64_t id);
// Puts a node into a slot. Errors: ARGUMENT (it is there; a value out of range), LIMIT, MEMORY. O(1), amortised.
mco_status overlay_network_join(overlay_network *n, const mco_overlay_event *event, int32_t *slot);
// Takes a node away. Errors: ARGUMENT (it is not there). O(1).
mco_status overlay_network_leave(overlay_network *n, int64_t id, int32_t *slot);
// Notes a link; overlay_network_commit() makes it. Errors: ARGUMENT (ends that are not there; all pairs are linked already), MEMORY.
mco_status overlay_network_link(overlay_network *n, const mco_overlay_event *event);
// Ends a round: rows, limits. *halvings: how often the unit of weights doubled, so that duals in units of it must be halved. Errors:
// ARGUMENT (a link stands twice), LIMIT (the links of a node may carry too much), MEMORY. O(nodes), and O(links) where rows change.
mco_status overlay_network_commit(overlay_network *n, int *halvings);

#endif
