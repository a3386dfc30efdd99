// SPDX-License-Identifier: MIT
// Shared by the searches: the best plan so far, when to stop, and how improvements are reported.
#ifndef MCO_DTSPMS_SEARCH_H
#define MCO_DTSPMS_SEARCH_H

#include "base/run.h"
#include "dtspms/engine.h"

typedef struct dtspms_search {
    mco_run run;               // clock, ends, history, log
    mco_context *ctx;
    const dtspms_model *model;
    const mco_dtspms_params *params;
    dtspms_engine *engine;     // open
    int64_t bound;             // proven
    dtspms_plan best;          // best.node [orders] exists
    int64_t best_cost;         // -1 while there is none
    int64_t best_cost_of[2];
    mco_dtspms_solution incumbent;  // the best plan with its tours; its arrays exist
    mco_dtspms_solution spare;      // the next incumbent, while its tours are computed; its arrays exist
    int64_t iterations;        // done
    int32_t walks;             // used
    int threads;               // of the walks
    mco_simd simd;             // of the walks
    bool is_proved;            // best_cost is the optimum
} dtspms_search;

// Keeps the plan if it is better than the best so far, and reports it to the run. The log names `source` as its finder.
// `tours` are [orders] nodes of each network as visited; if NULL, the best tours are computed. If time is over before they are
// known, the best plan stays. Errors: MEMORY, INTERNAL (the tours are longer or shorter than `cost`).
mco_status dtspms_search_note(dtspms_search *search, const dtspms_plan *plan, int64_t cost, int32_t *const tours[2],
                              const char *source);
// Whether the search has to end, as mco_run_must_stop(); search->run.stop then tells why.
bool dtspms_search_ends(dtspms_search *search);
// Cost of a plan with the best tours; -1 if time is over. Errors: MEMORY.
mco_status dtspms_search_cost(dtspms_search *search, const dtspms_plan *plan, int64_t *cost);

// The first makes a solution with room for the model's orders. The second writes the plan and its tours into it;
// `tours` is as above. A cost is -1 if time is over. Errors: MEMORY.
mco_status dtspms_solution_new(mco_context *ctx, const dtspms_model *model, mco_dtspms_solution *out);
mco_status dtspms_solution_fill(mco_context *ctx, const dtspms_model *model, const dtspms_plan *plan, int32_t *const tours[2],
                                mco_dtspms_solution *solution, int64_t cost_of[2]);

// Search from `plan`, whose node array they may change. In the end search->run.stop tells why they ended. Errors:
// MEMORY, DEVICE, INTERNAL.
mco_status dtspms_tabu(dtspms_search *search, dtspms_plan *plan);
mco_status dtspms_ils(dtspms_search *search, dtspms_plan *plan);
// Tries every plan with heights of at most model->capacity, for at most MCO_DTSPMS_MAX_EXACT_ORDERS orders. Changes the
// engine for each profile of heights.
mco_status dtspms_exact(dtspms_search *search, dtspms_plan *plan);

// Opens the engine of params->engine, which is not AUTO. *engine is all zero before.
mco_status dtspms_engine_open(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                              const mco_dtspms_params *params, dtspms_engine *engine);
// Closes the engine and opens it anew for other heights. Its counters and kernel seconds stay.
mco_status dtspms_engine_change(mco_context *ctx, const dtspms_model *model, const int32_t *heights,
                                const mco_dtspms_params *params, dtspms_engine *engine);

#endif
