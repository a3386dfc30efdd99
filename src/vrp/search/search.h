// SPDX-License-Identifier: MIT
// What the search of mco_vrp_solve() shares with the entry points (vrp.c): the best solution so far, when to stop, and
// how improvements are reported.
#ifndef MCO_VRP_SEARCH_SEARCH_H
#define MCO_VRP_SEARCH_SEARCH_H

#include "base/run.h"
#include "vrp/instance.h"

typedef struct vrp_search {
    mco_run run;               // clock, ends, history, log; in units of the file
    mco_context *ctx;
    const mco_vrp *problem;
    const mco_vrp *given;      // the instance of the caller; another one where `exactly` (vrp/search/exactly.h)
    int32_t exactly;           // routes of all plans; 0: as many as `problem` allows
    int64_t shift;             // what `problem` makes plans cost more than `given` does
    const mco_vrp_params *params;  // engine is not AUTO
    mco_vrp_solution best;     // feasible; best.order NULL while there is none
    int64_t best_cost;         // -1 while there is none
    int64_t start_cost;        // of the first solution
    bool is_early;             // the best was noted by vrp_search_note_early()
    bool is_proven;            // `best` is optimal; without one there is no solution
    int64_t proved;            // scaled bound of a proof beside the search (vrp/bound/beside.h); -1: none
    bool is_bound_rechecked;   // all of that proof
    char bound_checked[MCO_REASON_ROOM];  // what was rechecked of it; "": there is none
    bool (*look)(void *user);  // asked by vrp_search_ends(): whether the search has to end for another reason; NULL: none
    void *look_user;
    double whole_share;        // of the search, at which the whole has been annealed at the latest; 0: as without this limit
    int64_t iterations;        // done
    mco_work work;
} vrp_search;

// Copies the solution if it is better than the best so far, and reports it to the run. Where plans have an exact number of routes, one of
// fewer is divided first. `source` is the name of its finder in the log. Errors: MEMORY.
mco_status vrp_search_note(vrp_search *search, const mco_vrp_solution *solution, int64_t cost, const char *source);
// The same for a solution of work under way that is noted as soon as it is seen. When the work is done, the solution that
// vrp_search_note() gets must cost no more; at the same cost it takes the place of the early one. So the answer depends
// on the work alone, not on when the calling thread looked.
mco_status vrp_search_note_early(vrp_search *search, const mco_vrp_solution *solution, int64_t cost, const char *source);
// Whether the search has to end; search->run.stop then holds the reason. Like mco_run_must_stop(), and true at the
// lower bound. The search itself compares its iterations with their limit.
bool vrp_search_ends(vrp_search *search);
// The cost of the best solution by the instance of the caller; -1: there is none.
int64_t vrp_search_cost(const vrp_search *search);
// Whether the best cost equals the lower bound given, or the one proved, so that nothing is left to find.
bool vrp_search_is_at_bound(const vrp_search *search);
// The columns of the log: their heads, and the function that writes them, whose first argument is the vrp_search.
#define VRP_SEARCH_COLUMNS "   routes  iterations/s"
void vrp_search_write_columns(void *search, char *out, size_t size);

#endif
