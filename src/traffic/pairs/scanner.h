// SPDX-License-Identifier: MIT
// The inside of the scanner of the cores (scan.h): what opens it (scanner.c), its loads (load.c) and its scans (scan.c) share.
#ifndef MCO_TRAFFIC_PAIRS_SCANNER_H
#define MCO_TRAFFIC_PAIRS_SCANNER_H

#include <stdatomic.h>

#include "base/team.h"
#include "traffic/pairs/lanes.h"
#include "traffic/pairs/order.h"

typedef struct pairs_worker {
    pairs_trees trees;
    mco_context *ctx;     // of the thread
    double *amount;       // [nodes] trips on their way to the origin, or labels of a first order; all 0 between loads
    pairs_order_room room;
    pairs_found *found;   // [found_room]
    int64_t found_room;
    struct pairs_scanner *scanner;
    bool is_caller;
    mco_status status;
} pairs_worker;

typedef struct pairs_tally {
    pairs_sums sums;
    pairs_found *found;  // [count]
    int64_t count, room;
} pairs_tally;

typedef struct pairs_scanner {
    mco_context *ctx;
    const traffic_call *call;
    pairs_store *store;
    const pairs_build *build;
    pairs_graph graph;
    const double *cost;   // [classes][links] of the call
    double *into_cost;    // the same by positions
    double *arc_cost;     // [classes][arc_links] of the chains, and [classes][slots]
    double *ahead_cost, *back_cost;
    uint16_t *narrow_order;  // [batches][through] one of both is NULL
    int32_t *wide_order;
    uint64_t *narrow;     // [batches][nodes]
    int32_t *wide;        // [batches][nodes][PAIRS_LANES]
    int64_t *repairs;     // [batches] with the present order when it was new, -1: not known yet
    uint8_t *is_old;      // [batches] the trees of the last scan give a better order
    int early_scans;      // that are left: each makes new orders
    pairs_tally *tally;   // [batches]
    traffic_candidate *candidate;  // [candidate_room]
    int64_t candidate_room;
    double threshold;
    traffic_certificate *proof;  // NULL: none is wanted
    bool is_loading, is_fresh;  // no order is known yet
    bool has_orders;            // those of the plan of the call
    traffic_share share;        // of the batches
    mco_team team;
    int workers;
    pairs_worker *worker;  // [workers]
    atomic_bool is_stopped;
} pairs_scanner;

// Nodes that paths pass through.
static inline int32_t pairs_through(const pairs_scanner *s)
{
    return s->store->problem->nodes - s->store->problem->first_through;
}

// ---- load.c
// An item of the team, turn 0 and up of the share: loads the rows of a batch that have no flow. `shared` is the scanner.
void pairs_load_batch(void *shared, int index, int64_t turn);

// ---- scan.c
// Whether the run must end; `user` is the worker.
bool pairs_scan_must_stop(void *user);
// Orders of all batches take 16 bits a node where that fits; a worker has that of its batch at full width.
void pairs_load_order(const pairs_scanner *s, pairs_worker *w, int32_t i);
void pairs_save_order(pairs_scanner *s, const pairs_worker *w, int32_t i);
// Lets the worker's trees be those of batch i.
void pairs_set_batch(pairs_scanner *s, pairs_worker *w, int32_t i);
// Labels of a batch that has been set, by its order. *wants_order says whether a new order pays: in early scans because much was repaired,
// later because more was repaired than with the last one when it was new. Returns false if it was stopped.
bool pairs_find_labels(pairs_scanner *s, pairs_worker *w, int32_t i, bool *wants_order);
// An order by the trees of the batch, which stand since its last scan. The last scan of a solve needs none, so the next one makes it.
void pairs_renew_order(pairs_scanner *s, pairs_worker *w, int32_t i);
// Sets the functions that do the work of a scanner whose `self` is a pairs_scanner.
void pairs_scan_fill(traffic_scanner *out);

#endif
