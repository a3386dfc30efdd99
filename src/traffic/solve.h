// SPDX-License-Identifier: MIT
// One solve from its entry point to its result, and what is chosen for it.
#ifndef MCO_TRAFFIC_SOLVE_H
#define MCO_TRAFFIC_SOLVE_H

#include "traffic/engine.h"

typedef struct traffic_solve {
    mco_context *ctx;
    const mco_traffic *traffic;
    const mco_traffic_start *start;
    mco_traffic_params p;
    mco_run run;
    traffic_problem problem;
    traffic_history history;
    traffic_flows start_flows;
    traffic_pairs start_pairs;
    traffic_plan start_plan;  // its orders are the state's
    double *start_flow;   // [links of the problem]
    traffic_engine *engine;
    traffic_answer answer;
    traffic_proof proof;
    double proven_gap;    // NaN: nothing is proved
    mco_traffic_result r;
} traffic_solve;

// Ranks share all-or-nothing loads. Settles method and engine where there are several. Errors: ARGUMENT where the call takes one process.
mco_status traffic_settle_ranks(traffic_solve *s);

// Settle the method and the engine where they are `auto`, and write the reason. The second fills `engine` and the GPUs.
// Errors: those of mco_gpus_choose().
void traffic_choose_method(traffic_solve *s);
mco_status traffic_choose_engine(traffic_solve *s);

const char *traffic_method_text(mco_traffic_method method);

// Seconds that a method would take on the cores, roughly: trees of all rows for each pass.
double traffic_guess_seconds(const traffic_solve *s, mco_traffic_method method);

#endif
