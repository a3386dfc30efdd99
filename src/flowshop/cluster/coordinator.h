// SPDX-License-Identifier: MIT
// The coordinator of a search over many workers: which intervals each of them has, and what is done. It is a state
// machine without threads, clock and channel: messages and the time come in, messages go out.
//
// Rules that keep the counts exact, whatever is lost:
// 1. A report is a transaction: it replaces the record of its worker and adds the change of the counters, together.
// 2. Only the holder of work cuts it. The coordinator asks, the holder answers with what it gives.
// 3. The answer holds the given intervals alone. The coordinator takes them out of the record.
// 4. The record of a lost worker is work again. Its unreported counters are lost with it, and that work is done again.
//    An incarnation that was given up stays so: what it still sends counts for nothing. What a coordinator learnt since
//    its last checkpoint is lost with it, and its successor knows no incarnation.
// 5. A worker tells a schedule before any report whose nodes it pruned.
// 6. Equal counts need one fixed incumbent.
// Work is sent only in answer to a report that leaves nothing. So a report never crosses work on its way.
#ifndef MCO_FLOWSHOP_CLUSTER_COORDINATOR_H
#define MCO_FLOWSHOP_CLUSTER_COORDINATOR_H

#include "flowshop/cluster/message.h"
#include "flowshop/cluster/snapshot.h"

// Slots of records, in any order.
typedef struct flowshop_slots {
    int64_t *items;
    int64_t count, room;
} flowshop_slots;

// What the coordinator knows of one worker.
typedef struct flowshop_record {
    uint64_t peer;          // its address
    uint64_t incarnation;   // 0: the slot is free
    int64_t received, sent; // numbers of the last messages
    double heard_s;         // when
    double asked_s;         // when a gift was last asked for
    int64_t power;
    bool is_waiting;        // it has reported that nothing is left
    bool is_asked;          // an answer is due
    int64_t snapshot;       // the last one that has its intervals
    flowshop_intervals rest;
    bool has_rest;          // `rest` is not empty
    double length;          // of `rest`; -1: not computed yet
    flowshop_slots *list;   // of the coordinator that has this slot, or NULL
    int64_t place;          // in it
} flowshop_record;

typedef struct flowshop_coordinator {
    mco_context *ctx;
    const mco_flowshop *shop;
    uint64_t life, build;
    double silence_s;             // a worker that is silent for so long is given up
    void *to;                     // of send()
    // Sends a message to a peer; borrowed until the return. It may be lost.
    mco_status (*send)(void *to, uint64_t peer, const flowshop_message *m);
    flowshop_checkpoint *state;   // borrowed: its counters and incumbent grow; state->open holds what no worker has
    flowshop_record *records;     // [record_room]
    int64_t record_count, record_room;
    uint64_t last_incarnation;
    int64_t workers, asked, holders;  // records in use; those of whom an answer is due; those that have a rest
    flowshop_slots unused, waiting, givers;  // each record is in one: free; waits for work; may be asked; or is asked already
    int64_t next_giver;           // who is looked at next
    double next_look_s;           // for silent workers
    int64_t power;                // of all workers
    int64_t most_workers, most_power;  // at one time
    bool is_done;                 // nothing is left anywhere
    bool is_stopped;              // no work is given any more
    int64_t lost, refused, gifts, reports;  // for the log
    int64_t counted;              // nodes, leaves and steals of all reports
    flowshop_snapshot snapshot;
    flowshop_message out;
} flowshop_coordinator;

// Begins with `state`, which says bound, branching, U and what is left. The caller has set ctx, shop, life, build,
// silence_s, to, send and state; all else is zero. Errors: none.
void flowshop_coordinator_begin(flowshop_coordinator *c);
void flowshop_coordinator_end(flowshop_coordinator *c);
// Takes a message in. A message that makes no sense ends the incarnation of its worker, not the search. Errors: MEMORY,
// and those of send().
mco_status flowshop_coordinator_receive(flowshop_coordinator *c, double now_s, uint64_t peer, flowshop_message *m);
// To be called now and then: gives up silent workers and serves those who wait.
mco_status flowshop_coordinator_tick(flowshop_coordinator *c, double now_s);
// Tells all workers that the search is over. Those at work report once more, and all leave: `workers` falls to 0 unless some
// are lost. Whoever says hello from now on is told too.
mco_status flowshop_coordinator_stop(flowshop_coordinator *c);
// Fills out->open with all that is left: the queue and all records. Errors: MEMORY.
mco_status flowshop_coordinator_rest(const flowshop_coordinator *c, flowshop_intervals *out);

#endif
