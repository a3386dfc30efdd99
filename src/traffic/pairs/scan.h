// SPDX-License-Identifier: MIT
// One outer pass of the method of pairs at frozen costs: least-cost trees of all rows, their excess, and links that deserve a pair.
// A scanner is a table of functions, of the cores or of a GPU; the balance of pairs (balance.c) is written once over it.
//
// Trees depend on costs alone. label[v] is the least fixed point of the rounded sums label[tail] + cost. The parent of v is the first
// link of its star whose rounded sum is label[v] and whose tail has a smaller label. Where there is none, because costs vanish,
// it is the first such link whose tail is in the tree already, round by round over the nodes in ascending order.
#ifndef MCO_TRAFFIC_PAIRS_SCAN_H
#define MCO_TRAFFIC_PAIRS_SCAN_H

#include "base/team.h"
#include "traffic/engine.h"
#include "traffic/pairs/store.h"

// A link with flow of a row whose reduced cost times flow exceeds the threshold.
typedef struct traffic_candidate {
    int32_t place, link;  // batch * PAIRS_LANES + lane
    double reduced;       // label[tail] + cost - label[head], 0 or more
} traffic_candidate;

// What a scan found. Candidates stand by place, then by link, whatever the number of threads.
typedef struct traffic_scan {
    double total, excess;  // sum of flow * cost, sum of flow * reduced cost: the gap is excess / total
    int64_t count;
    const traffic_candidate *candidate;  // [count] owned by the scanner until the next scan
} traffic_scan;

// The tree of a place: links by which it enters nodes, as positions in their stars. One of `narrow` and `wide` is NULL.
typedef struct traffic_tree {
    const uint64_t *narrow;  // [nodes] eight lanes of a byte each, lane 0 lowest; 255: none
    const int32_t *wide;     // [nodes][PAIRS_LANES] -1: none
    int lane;
} traffic_tree;

// The link by which a tree enters a node, -1: none.
static inline int32_t traffic_tree_link(const traffic_problem *p, const traffic_tree *tree, int32_t node)
{
    int32_t position;
    if (tree->narrow != NULL) {
        position = (int32_t)(tree->narrow[node] >> (8 * tree->lane) & 255);
        if (position == 255)
            return -1;
    } else {
        position = tree->wide[(size_t)node * PAIRS_LANES + (size_t)tree->lane];
        if (position < 0)
            return -1;
    }
    return p->into[p->into_first[node] + position];
}

// Batches `first`, `first` + `step` and so on. Neighbours are near each other, so each share is a sample of the network.
typedef struct traffic_share {
    int32_t first, step;
    // What the calling thread does while others scan, NULL: nothing. It may change flows of batches outside the share, the balance, and no cost
    // that the scan has. It runs once, whatever the status of the scan.
    void (*meanwhile)(void *user);
    void *user;
} traffic_share;

// Costs are [classes][links], or [links] where the problem has no extra. All end with STOPPED when the run must end; the store is whole then.
typedef struct traffic_scanner {
    void *self;
    // Assigns the trips of all rows without flow to their least-cost trees. After STOPPED some rows have no flow.
    mco_status (*load)(void *self, const double *cost);
    // Which batches the next loads and scans do; all of them to begin with. Labels, trees and candidates of other batches stay. A proof needs all.
    // NULL: always all. The last share of a round is that with first + 1 = step.
    void (*choose)(void *self, const traffic_share *share);
    // `proof` NULL: none is wanted. Else it has been opened at these costs, and a scanner that has labels on the host gives them to it.
    mco_status (*scan)(void *self, const double *cost, double threshold, traffic_certificate *proof, traffic_scan *out);
    // Valid until the next scan, for places with candidates.
    traffic_tree (*tree)(void *self, int32_t place);
    // Releases the trees, whose room others need at the end. No scan follows. NULL: there is nothing to release.
    void (*forget)(void *self);
    // The orders of all batches for a state [batches][nodes that paths pass through], the caller's; NULL: none. The scanner only closes then. NULL: none.
    uint16_t *(*orders)(void *self);
    // Runs work(shared, worker, item) for items 0 .. items - 1 on its threads, workers 0 .. workers - 1. NULL: the caller does all items.
    void (*each)(void *self, int64_t items, mco_team_item *work, void *shared);
    int workers;
    void (*close)(void *self);
    bool is_quick;  // a scan takes less time than the balance: passes are many and look at few candidates each
} traffic_scanner;

// pairs.c: the method over a scanner. `store` has been opened; answer->flows are taken from it. The scanner is closed before that, since
// both need memory; then its `self` is NULL.
mco_status traffic_pairs_balance(mco_context *ctx, const traffic_call *call, pairs_store *store, traffic_scanner *scanner,
                                 traffic_answer *out);

// scanner.c: the scanner of the cores. Errors: MEMORY, ARGUMENT (a vector unit that is not here).
mco_status traffic_core_scanner(mco_context *ctx, const traffic_call *call, pairs_store *store, traffic_answer *out,
                                traffic_scanner *scanner);

#endif
