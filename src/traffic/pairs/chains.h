// SPDX-License-Identifier: MIT
// The network without the nodes that only lie between two others. Labels of junctions are found first, along arcs that stand for whole chains
// of links; then two sweeps give the nodes of each chain theirs. An arc adds its links one by one, so all labels are the rounded sums
// that they are without chains. On AustinTAPB 5,529 of 12,141 nodes are junctions.
#ifndef MCO_TRAFFIC_PAIRS_CHAINS_H
#define MCO_TRAFFIC_PAIRS_CHAINS_H

#include "traffic/model/problem.h"

// From a junction to a junction, by links that no path can leave but at ends.
typedef struct pairs_arc {
    int32_t other;       // the number of the junction at the other end
    int32_t first, end;  // of its links, in the order of travel: whole blocks
} pairs_arc;
// Blocks are filled up with links that cost 0, so that lengths of arcs hardly show in the flow of control. Adding 0 is exact.
enum { PAIRS_ARC_BLOCK = 2, PAIRS_NO_LINK = -1, PAIRS_FREE_LINK = -2 };

typedef struct pairs_chains {
    int32_t junctions;
    uint8_t *is_junction;  // [nodes] of the nodes that paths pass through; 0 for ends
    int32_t *number;       // [nodes] of a junction
    int32_t *junction;     // [junctions] nodes. Labels of junctions stand close together while they are found, since caches are small
    int32_t arcs, arc_links;
    pairs_arc *into, *out; // [arcs] by head and by tail: small, and all that a junction needs side by side
    int32_t *into_first;   // [junctions + 1]
    int32_t *first;        // [junctions + 1]
    int32_t *arc_link;     // [arc_links]
    // Chains: the junction before, the nodes in between, the junction behind. A chain that ends blind has the junction before at both ends.
    int32_t chains, slots;
    int32_t *chain_first;  // [chains + 1] slots
    int32_t *node;         // [slots]
    int32_t *ahead, *back; // [slots] links into the node of a slot from the slot before and from the one behind, -1: none
    int32_t *slot_of;      // [nodes] slot of a node in between, -1: it is none
} pairs_chains;

// Errors: MEMORY. O(nodes + links).
mco_status pairs_chains_open(mco_context *ctx, const traffic_problem *problem, pairs_chains *out);
void pairs_chains_close(mco_context *ctx, pairs_chains *c);

#endif
