// SPDX-License-Identifier: MIT
// The driver of a bound, for mco_vrp_bound() and for mco_vrp_solve() with --prove.
#ifndef MCO_VRP_BOUND_BOUND_H
#define MCO_VRP_BOUND_BOUND_H

#include <stdatomic.h>

#include "base/run.h"
#include "vrp/bound/problem.h"
#include "vrp/bound/routes.h"
#include "mco/vrp_bound.h"

// What a proof shares with its caller. All members may be read between calls of `exchange`.
typedef struct vrp_proof {
    mco_context *ctx;
    const mco_context *caller;     // a search that ends cancels ctx, the user cancels this one; NULL: ctx
    mco_run *run;                  // clock, ends, log, bound
    const mco_vrp *problem;
    const mco_vrp_bound_params *params;  // settled: engine is not AUTO
    int64_t known;                 // scaled cost of the best plan known; -1: none
    mco_vrp_solution plan;         // that plan; order NULL: only its cost is known; owned
    int64_t scaled_bound;          // proved; -1: none
    // Called between rounds: the caller may hand over a better plan (vrp_proof_offer) and see the bound. NULL: none.
    mco_status (*exchange)(struct vrp_proof *proof, void *user);
    void *user;
    mco_vrp_bound_result *result;  // rounds, support, prices, counts
    const atomic_int *threads_now; // of params->threads, as many may work now; the caller may change it; NULL: all
    bool may_use_cores;            // passes that a GPU refuses go to the cores; result->used_cores says so
    bool has_called;               // the other ranks have been called to a tree
    double open_stop_s;            // by mco_clock_s(): a first bound gives up opening its problem, as of many nodes, then; 0: no limit
} vrp_proof;

// Ascent, columns, cuts, arcs, enumeration, pool, branching, until proved, or until the run must stop.
mco_status vrp_prove(vrp_proof *proof);
// Where several ranks share a proof (base/ranks.h) rank 0 calls vrp_prove() and then, in every case but a failure, vrp_proof_release(); the
// others call vrp_prove_with(), and solve nodes of the tree with it. Known cost and bound become those of rank 0, a plan that was found in the
// tree is there too. Errors: as vrp_prove(), those of collectives, INTERNAL (ranks that differ).
mco_status vrp_prove_with(vrp_proof *proof);
mco_status vrp_proof_release(mco_context *ctx, const vrp_proof *proof);
// A first bound by an ascent, opening included, of so many seconds, told like those of vrp_prove(), which may follow. None where the
// problem does not open so soon. Errors: ARGUMENT, MEMORY, LIMIT, DEVICE.
mco_status vrp_prove_first(vrp_proof *proof, double seconds);
// Takes a plan if it is better. Copies it. Errors: MEMORY.
mco_status vrp_proof_offer(vrp_proof *proof, const mco_vrp_solution *plan, int64_t scaled_cost);

#endif
