// SPDX-License-Identifier: MIT
// What the search of mco_vrp_solve() shares with the entry points (vrp.c): the best solution so far, when to stop, and how
// improvements are told.
#ifndef MCO_VRP_SEARCH_SEARCH_H
#define MCO_VRP_SEARCH_SEARCH_H

#include "vrp/instance.h"

typedef struct vrp_search {
    mco_context *ctx;
    const mco_vrp *problem;
    const mco_vrp_params *params;  // engine is CPU or GPU
    double begin_s, stop_s;    // moments of mco_clock_s(); stop_s infinite without a time limit
    mco_vrp_solution best;     // feasible; best.order NULL while there is none
    int64_t best_cost;         // -1 while there is none
    int64_t start_cost;        // of the first solution
    int64_t target_cost;       // stop at this or less, scaled; -1: none
    int64_t iterations;        // done
    mco_stop stop;             // why the search ended
    mco_vrp_work work;
    mco_vrp_improvement *history;  // [history_count]
    int64_t history_count, history_room;
    int32_t *report;           // [customers + routes + 1]: for the callback, see vrp_search_note()
    double last_report_s;
    int64_t rows;              // of the table of progress in the log
    double next_row_s;         // when the next one is due
} vrp_search;

// Keeps the solution if it is better than the best so far: adds to the history, tells the callback. A progress event carries
// routes + 1 borders, then the customers: first[0..routes], order[0..customers - 1]; its length is routes + 1 + customers.
// Errors: MEMORY.
mco_status vrp_search_note(vrp_search *search, const mco_vrp_solution *solution, int64_t cost);
// Whether the search has to end; sets search->stop. Tells the callback of progress now and then. The number of iterations is
// for the search itself to keep.
bool vrp_search_ends(vrp_search *search);
// Whether the best cost is the lower bound given: nothing is left to find.
bool vrp_search_is_at_bound(const vrp_search *search);
// A last row of the table of progress.
void vrp_search_log(vrp_search *search);
// The scaled cost at which a target, in units of the file, is reached; -1 where there is none.
int64_t vrp_scaled_target(const mco_vrp *problem, double target);

// Searches from search->best where there is one, else from a construction; ends with search->stop. Errors: MEMORY, DEVICE.
// Where no solution with so few vehicles is found, search->best_cost stays -1.
mco_status vrp_solve_cpu(vrp_search *search);
mco_status vrp_solve_gpu(vrp_search *search);

#endif
