// SPDX-License-Identifier: MIT
// A simulated cluster whose coordinators and workers are the real state machines of the protocol (simulate.c).
#ifndef MCO_BENCH_CLUSTER_SIMULATE_H
#define MCO_BENCH_CLUSTER_SIMULATE_H

#include "base/rng.h"
#include "flowshop/cluster/coordinator.h"
#include "flowshop/cluster/member.h"

// What is assumed of machines and network.
typedef struct sim_facts {
    int64_t workers;
    int64_t group;      // workers of a coordinator of the second level; 0: one level
    double rate;        // nodes a second of a worker, on average
    double spread;      // rates lie in rate * [1 - spread, 1 + spread]
    double work_s;      // what all workers together need at least
    double period_s;    // between two reports
    double latency_s;   // of the network, in one direction
    double look_s;      // a worker looks at its messages, and whether it is through, so often
    double nap_s;       // over MPI a coordinator naps half of the time since its last message, at most so long; 0: it wakes at once (ZeroMQ)
    double message_s;   // the channel's CPU time for a message in or out of a coordinator
    double join_s;      // the workers join within this time
    uint64_t seed;
} sim_facts;

typedef struct sim_result {
    double time_s;      // until the coordinator knows that all is done
    double busy;        // share of the workers' time
    double load;        // share of the time that the coordinator computes
    double group_load;  // the same of the busiest of the second level
    double queue_s;     // the longest that a message waits for the coordinator
    int64_t reports, gifts, messages;  // of the coordinator at the top
    int64_t nodes, nodes_expected;
} sim_result;

mco_status simulate(mco_context *ctx, const sim_facts *facts, sim_result *out);

// ---- Work (simulate_work.c): a worker holds parts of a tree of SIM_JOBS jobs. Each has a hidden number of nodes, which travels
// in the place of the interval's bound.

enum { SIM_JOBS = 20, SIM_CELLS = 60 };

typedef struct sim_piece {
    int64_t first, end;  // numbers of leaves: [first, end)
    int64_t nodes;
} sim_piece;

typedef struct sim_load {
    sim_piece *pieces;   // [count]; the last is searched
    int64_t count, room;
    int64_t nodes;       // of all pieces
    int64_t done;        // nodes in all
} sim_load;

// Searches so many nodes of the load, at most all.
void sim_search(sim_load *load, int64_t nodes);
mco_status sim_take(mco_context *ctx, sim_load *load, const flowshop_intervals *work);
// Gives a part, or nothing of too little work. The list is emptied before.
mco_status sim_give(mco_context *ctx, mco_rng *rng, sim_load *load, flowshop_intervals *given);
// What a worker notes: what is left and what is done.
mco_status sim_note(mco_context *ctx, const sim_load *load, flowshop_checkpoint *note);

#endif
