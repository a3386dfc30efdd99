// SPDX-License-Identifier: MIT
// What a coordinator and the workers of one search tell each other, and its form in bytes. A message is the same on
// every channel.
#ifndef MCO_FLOWSHOP_CLUSTER_MESSAGE_H
#define MCO_FLOWSHOP_CLUSTER_MESSAGE_H

#include "flowshop/tree/bytes.h"
#include "flowshop/tree/checkpoint.h"

typedef enum flowshop_message_kind {
    FLOWSHOP_HELLO,    // to the coordinator: who wants to work
    FLOWSHOP_REPORT,   // what is left, and the change of the counters since the last report
    FLOWSHOP_GAVE,     // answers ASK: these intervals are given away
    FLOWSHOP_FOUND,    // a schedule
    FLOWSHOP_LEAVE,    // the worker goes; what it has left is in its last report
    FLOWSHOP_PING,     // in both directions: still there
    FLOWSHOP_WELCOME,  // to a worker: the instance and the parameters
    FLOWSHOP_WORK,     // intervals to search; only in answer to a report that leaves nothing
    FLOWSHOP_ASK,      // a part is wanted
    FLOWSHOP_BEST,     // a makespan that somebody found
    FLOWSHOP_GONE,     // this incarnation counts no more: drop everything and say hello again
    FLOWSHOP_STOP,     // the search is over
    FLOWSHOP_REFUSE,   // this worker cannot take part; `text` says why
    FLOWSHOP_MESSAGE_KINDS
} flowshop_message_kind;

enum { FLOWSHOP_MOST_INTERVALS = 1 << 20 };  // of a message; GPUs report 13,000 each

// One message. Only the members of its kind travel.
typedef struct flowshop_message {
    flowshop_message_kind kind;
    uint64_t life;         // of the coordinator: another after each start of it; 0 in HELLO
    uint64_t incarnation;  // of the worker: a coordinator gives each number once; 0 in HELLO
    int64_t slot;          // where the coordinator keeps the incarnation
    int64_t number;        // 1, 2, ... of the messages of one incarnation in one direction; PING, WELCOME and the ends: 0
    // HELLO
    uint64_t build, instance;  // fingerprints; instance 0: the worker takes any
    int64_t power;             // cores that it is worth
    // WELCOME; the times also make the instance
    int32_t machines, scale, places, bound, branching;
    int64_t rule_bound;
    char name[64];
    // WELCOME and BEST: the least makespan known. FOUND: of `order`
    int64_t makespan;
    int64_t leaves, steals;    // REPORT: changes
    char text[200];            // REFUSE
    int64_t count;             // entries of `values` in use
    // WELCOME: the times [machines * jobs]. FOUND: the order [jobs]. REPORT: changes of children_by_depth as pairs
    // (cell, change), by increasing cell.
    int64_t *values;
    int64_t room;              // of `values`
    flowshop_intervals open;   // REPORT, GAVE, WORK; open.jobs is the number of jobs, 0 before WELCOME
} flowshop_message;

// A message for an instance of so many jobs. A worker that knows none yet gives 0, and WELCOME sets it.
void flowshop_message_begin(int32_t jobs, flowshop_message *out);
void flowshop_message_clear(mco_context *ctx, flowshop_message *m);
// Makes room for `count` values. Errors: MEMORY.
mco_status flowshop_message_reserve(mco_context *ctx, flowshop_message *m, int64_t count);

// Replaces the bytes by the message. Errors: MEMORY.
mco_status flowshop_message_encode(mco_context *ctx, const flowshop_message *m, flowshop_bytes *out);
// Replaces the message; its lists keep their memory. Errors: PARSE for bytes that are no message of this version and
// this number of jobs, MEMORY.
mco_status flowshop_message_decode(mco_context *ctx, const uint8_t *data, int64_t size, flowshop_message *m);

#endif
