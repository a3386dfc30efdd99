// SPDX-License-Identifier: MIT
// A worker's side of the protocol: a state machine without threads, clock and channel, as the coordinator's is. The
// search around it asks what is wanted, and tells it what was searched (flowshop/tree/exchange.h).
#ifndef MCO_FLOWSHOP_CLUSTER_MEMBER_H
#define MCO_FLOWSHOP_CLUSTER_MEMBER_H

#include "flowshop/cluster/message.h"
#include "flowshop/tree/exchange.h"

typedef enum flowshop_member_state {
    FLOWSHOP_JOINING,  // says hello until it is welcome
    FLOWSHOP_WAITING_FOR_WORK,
    FLOWSHOP_AT_WORK,
    FLOWSHOP_VOID,     // its incarnation counts no more: what it searches is dropped; then it joins again
    FLOWSHOP_OVER,     // the search is over, or the member has left
    FLOWSHOP_REFUSED   // `text` says why
} flowshop_member_state;

typedef struct flowshop_member {
    mco_context *ctx;
    uint64_t build, instance;    // as in HELLO
    int64_t power;
    double period_s, silence_s;  // between reports; until a silent coordinator counts as lost
    void *to;                    // of send()
    mco_status (*send)(void *to, const flowshop_message *m);  // to the coordinator; it may be lost
    flowshop_member_state state;
    flowshop_message welcome;    // of the incarnation: instance and parameters
    uint64_t life, incarnation;
    int64_t slot, received, sent;
    double heard_s, spoken_s, next_report_s;
    flowshop_intervals work;     // that came last
    bool has_work;               // it is not yet taken
    bool is_asked;
    bool is_ending;              // the search is over for all: one more report
    int64_t incumbent;           // the least makespan that the coordinator told
    int64_t *children_by_depth;  // [cells] as last reported
    int64_t cells, leaves, steals;
    int64_t rejoins;
    flowshop_message out;
    char text[200];
} flowshop_member;

// Begins to join. The caller has set ctx, build, instance, power, period_s, silence_s, to and send; all else is zero.
void flowshop_member_begin(flowshop_member *m, double now_s);
void flowshop_member_end(flowshop_member *m);
// Takes a message in. Errors: MEMORY, and those of send().
mco_status flowshop_member_receive(flowshop_member *m, double now_s, flowshop_message *in);
// To be called now and then: hellos, pings, and the silence of the coordinator.
mco_status flowshop_member_tick(flowshop_member *m, double now_s);
// Joins again after it became void, once the search around it has dropped all.
void flowshop_member_rejoin(flowshop_member *m, double now_s);

// What a search must do now. wish->work is the member's and is taken with this call.
void flowshop_member_wish(flowshop_member *m, double now_s, bool is_idle, flowshop_wish *wish);
// What the search tells.
mco_status flowshop_member_report(flowshop_member *m, double now_s, const flowshop_checkpoint *note);
mco_status flowshop_member_give(flowshop_member *m, const flowshop_intervals *given);
mco_status flowshop_member_found(flowshop_member *m, int64_t makespan, const int32_t *order);
// Leaves with a last report, or without one if `note` is NULL: then its work since the last one is done again. Work that is still on its way to this worker goes back too.
mco_status flowshop_member_leave(flowshop_member *m, double now_s, const flowshop_checkpoint *note);

#endif
