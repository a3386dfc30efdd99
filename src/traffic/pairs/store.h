// SPDX-License-Identifier: MIT
// Flows of all rows, sparse: batches of 8 near rows side by side. A batch has a slot for each link that carries flow of one of its rows.
//
// Near origins share most links of their trees, so slots of 8 rows are well filled: 41 % on AustinTAPB, where the slots
// of all batches take 61 MB and dense rows would take 420. Slots are appended and never move between two scans.
#ifndef MCO_TRAFFIC_PAIRS_STORE_H
#define MCO_TRAFFIC_PAIRS_STORE_H

#include "base/grow.h"
#include "traffic/model/problem.h"

enum { PAIRS_LANES = TRAFFIC_PLAN_ROWS };

typedef struct pairs_batch {
    int32_t row[PAIRS_LANES];  // rows of one class; -1: none
    int32_t user_class;        // of the rows
    int32_t slots, room;
    bool is_packed;       // once it was, it grows little
    int32_t *link;        // [room]
    double *flow;         // [room][PAIRS_LANES] cars, 0 or more
    uint8_t *is_changed;  // [room] flows that were changed since a scanner cleared the mark; NULL: nobody asks
    uint16_t *narrow;     // [links] slot + 1, 0: none. One of `narrow` and `wide` is NULL
    int32_t *wide;
} pairs_batch;

typedef struct pairs_store {
    mco_context *ctx;
    const traffic_problem *problem;  // borrowed
    int32_t batches;
    pairs_batch *batch;  // [batches]
    int32_t *place;      // [rows] batch * PAIRS_LANES + lane
    bool is_watched;     // a scanner wants the marks of changes
} pairs_store;

// Groups rows eight by eight: as the plan does, else, where it is NULL, those of each class by nearness at costs without flow. Errors: MEMORY.
// O(links + rows * (nodes of a group's trees)).
mco_status pairs_store_open(mco_context *ctx, const traffic_problem *problem, bool is_watched, const traffic_plan *plan, pairs_store *out);
void pairs_store_close(pairs_store *store);

// The slot of a link, -1: none.
static inline int32_t pairs_slot(const pairs_batch *b, int32_t link)
{
    return b->narrow != NULL ? (int32_t)b->narrow[link] - 1 : b->wide[link] - 1;
}

// The slot of a link, a new one without flow if there is none. Any thread, for batches that
// no other thread has, with its own context. Errors: MEMORY.
mco_status pairs_slot_make(mco_context *ctx, pairs_store *store, pairs_batch *b, int32_t link, int32_t *slot);

// Orders slots by link and drops those without flow. Slots that others know are void then. Errors: MEMORY; then nothing has changed. O(links).
mco_status pairs_batch_pack(mco_context *ctx, pairs_store *store, pairs_batch *b);

// The flow of a lane on a link.
static inline double pairs_flow(const pairs_batch *b, int lane, int32_t link)
{
    const int32_t slot = pairs_slot(b, link);
    return slot < 0 ? 0 : b->flow[(size_t)slot * PAIRS_LANES + (size_t)lane];
}

// Fills the rows that have flows. Errors: MEMORY.
mco_status pairs_store_take(pairs_store *store, const traffic_flows *flows);
// Moves all flows to rows and releases the batches one by one, so that both are never in memory together. Errors: MEMORY.
mco_status pairs_store_give(pairs_store *store, traffic_flows *out);
// The rows of all batches: plan->batches, plan->row. Errors: MEMORY.
mco_status pairs_store_plan(const pairs_store *store, traffic_plan *plan);
// Links first_link .. end_link - 1, batches first, first + step and so on.
typedef struct pairs_range {
    int32_t first_link, end_link, first, step;
} pairs_range;
// Adds the flows of a range to flow [links], and to class_flow [classes][links] unless it is NULL. O(slots of the batches).
void pairs_store_add(const pairs_store *store, const pairs_range *range, double *flow, double *class_flow);
// Sums the flows of all rows: flow [links], and class_flow [classes][links] unless it is NULL. One order of sums. O(slots).
void pairs_store_sum(const pairs_store *store, double *flow, double *class_flow);

#endif
