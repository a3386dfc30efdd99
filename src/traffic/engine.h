// SPDX-License-Identifier: MIT
// The interface of all engines of traffic assignment.
#ifndef MCO_TRAFFIC_ENGINE_H
#define MCO_TRAFFIC_ENGINE_H

#include "base/run.h"
#include "traffic/certificate.h"
#include "traffic/model/problem.h"

// One solve. All members are borrowed.
typedef struct traffic_call {
    const traffic_problem *problem;
    const mco_traffic_params *params;  // method, engine, simd, threads and gap are settled
    mco_run *run;                      // engines ask mco_run_must_stop() at least every 0.05 s
    struct traffic_history *history;
    double gap;                        // the target
    double memory;                     // bytes that tables may take
    uint64_t gpus;
    const traffic_flows *start_flows;  // NULL: none
    traffic_flows *spent_flows;  // the same where nobody needs their links and flows again: pairs free them once they are in batches. NULL: they stay
    const traffic_pairs *start_pairs;  // NULL: none
    const traffic_plan *start_plan;    // NULL: none
    const double *start_flow;          // [links] for the Frank-Wolfe family; NULL: none
    bool wants_state;                  // the answer has flows of rows and pairs
    double grace_s;                    // first flows and the proof of the gap may take so long after the time limit
} traffic_call;
// Whether time has ended the run, but its first flows and the proof of its gap may go on. After a signal nothing goes on.
bool traffic_has_grace(const traffic_call *call);

// What an engine found. Arrays are owned by the holder.
typedef struct traffic_answer {
    double *flow;        // [links of the problem] cars
    double *class_flow;  // [classes][links] cars; NULL if there is one class
    double gap;          // as the engine sees it: the checker has the last word
    int64_t iterations, segment_pairs;
    traffic_flows flows; // of rows; empty if the engine keeps none
    traffic_pairs pairs;
    traffic_plan plan;
    double device_s;
    uint64_t gpus;
    mco_simd simd;
    int32_t lane_bits, threads;
    // Of hard capacities alone.
    double *price;       // [links] cost of a queue: what the link costs above its free cost; NULL: soft capacities
    double objective, bound;  // sum of flow * free cost, and the greatest dual value
    double excess;       // greatest share by which a flow exceeds its capacity
    bool is_infeasible;  // no flows respect the capacities: prices are the certificate, and there are no flows
    traffic_certificate certificate;  // opened by the engine with `flow`, rows given; zero: the entry point searches itself
} traffic_answer;
void traffic_answer_clear(mco_context *ctx, traffic_answer *answer);

// Ends with STOPPED only if there are no feasible flows yet; else a limit ends it with MCO_OK and what it has. First flows that cover all
// trips may use the grace.
typedef mco_status traffic_engine(mco_context *ctx, const traffic_call *call, traffic_answer *out);
traffic_engine traffic_ref_assign;          // ref.c: the shortest readable algorithm, FW family by heap and one core; small networks
traffic_engine traffic_frank_wolfe_assign;  // frank_wolfe/: fw, cfw, bfw on cores
traffic_engine traffic_pairs_assign;        // pairs/: on cores
traffic_engine traffic_gpu_frank_wolfe_assign;  // gpu/
traffic_engine traffic_gpu_pairs_assign;
// streets/: the variational inequality of streets that depend on each other, by an engine for frozen flows of the others.
mco_status traffic_streets_assign(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, traffic_engine *inner,
                                  const traffic_call *call, traffic_answer *out);
// capacitated/: hard capacities, by multipliers over an engine for soft ones; the first takes pairs on cores.
traffic_engine traffic_capacitated_assign;
// After such a solve: the problem gets the true costs at these flows [links], with prices of queues, as a proof of the gap needs them.
mco_status traffic_streets_settle(mco_context *ctx, const mco_traffic_params *params, const double *flow, traffic_problem *problem);
// Says in one line why no flows respect the capacities: names the link that earns most by the prices that prove it, a link of a cut
// that is too narrow.
void traffic_capacitated_explain(const traffic_problem *problem, const traffic_answer *answer, char out[MCO_REASON_ROOM]);
void traffic_capacitated_settle(const traffic_answer *answer, traffic_problem *problem);
mco_status traffic_capacitated_solve(mco_context *ctx, traffic_engine *inner, const traffic_call *call, traffic_answer *out);

// Passes of a solve, in memory and in the log. Errors: MEMORY.
typedef struct traffic_history {
    mco_traffic_pass *pass;  // [count]
    int64_t count, room;
    double objective, gap;   // of the last pass, for the log
    bool is_quiet;           // of a solve within another one: nobody is told
} traffic_history;
mco_status traffic_note(const traffic_call *call, double objective, double gap);

// Sum of potentials at flows, by double-double. class_flow may be NULL for one class.
double traffic_objective(const traffic_problem *problem, const double *flow, const double *class_flow);

#endif
