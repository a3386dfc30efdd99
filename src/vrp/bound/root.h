// SPDX-License-Identifier: MIT
// The root of a proof: ascent, columns, cuts, arcs. Then the bound is proved again in a finer unit and by the recheck.
#ifndef MCO_VRP_BOUND_ROOT_H
#define MCO_VRP_BOUND_ROOT_H

#include "vrp/bound/bound.h"
#include "vrp/bound/columns/master.h"
#include "vrp/bound/recheck_proof.h"

typedef struct vrp_root {
    vrp_proof *proof;
    vrp_relax_settings settings;
    vrp_bound_problem problem;   // in the unit of the passes
    mco_vrp_solution plan;       // a construction, where nothing better is known
    int64_t estimate;            // cost of a plan, in units: known, or of the construction
    int32_t *price;              // [nodes] of the ascent; NULL: none
    mco_vrp_bound_stage stage;   // of the rounds that vrp_root_solve() notes
    bool has_master;
    bool lacks_time;             // the time left does not open the program, so the proof ends early
    vrp_master master;
    double precision;            // of the master; the first programs are coarser
    int64_t tried_gap;           // units; enumerations have failed from this gap on; 0: none has
    int64_t tried_close;         // the same of close ones (vrp/bound/tree/tree.h)
    double removal_gap;          // known cost - bound when arcs were removed last; 0: not yet
    int64_t round_room;          // of the rounds in the result
    bool fleet_is_raised;        // by the known cost: bounds and prices hold up to that cost only
    double stop_s;               // of columns and cuts; what is left until the run's end is for the last passes
    // The best prices that hold for all plans, also for those dearer than the known one.
    int32_t *sure_price;         // [nodes]; NULL: none
    vrp_cuts sure_cuts;
    int64_t sure_bound;          // units
    // For the recheck of the whole proof:
    vrp_claims claims;           // of the last tree
    vrp_claim_prices refined;    // the best prices of better plans (vrp_root_refine); price NULL: none
    int64_t refined_bound;       // scaled; what the driver says that they prove
} vrp_root;

// Opens the proof's problem with the largest unit whose costs are at most `largest` and whose paths stay in range. Errors: as
// vrp_bound_problem_open().
mco_status vrp_root_open_problem(const vrp_proof *proof, int32_t largest, vrp_bound_problem *out);
// Opens problem and settings. Errors: MEMORY, LIMIT, ARGUMENT, DEVICE.
mco_status vrp_root_open(vrp_proof *proof, vrp_root *out);
void vrp_root_close(vrp_root *root);
// Whether the proof is done or the run must end.
bool vrp_root_is_over(vrp_root *root);
// Raises the bound of the proof by a bound in units of `problem`, notes a round, and lets the caller exchange. Errors: MEMORY, and
// those of the caller.
mco_status vrp_root_note(vrp_root *root, mco_vrp_bound_stage stage, const vrp_bound_problem *problem, int64_t bound);

// Column generation until root->stop_s; keeps the prices and notes the bound, also on the way. Errors: MEMORY, LIMIT, DEVICE, those of the
// caller.
mco_status vrp_root_solve(vrp_root *root, mco_vrp_bound_stage stage, bool *is_done);

// Notes in the result which engine a pass has: one of both, the other NULL.
void vrp_root_tell_engine(vrp_root *root, const vrp_q_pass *q, const vrp_ng_pass *ng);

// Whether columns follow the ascent.
bool vrp_root_wants_lp(const vrp_root *root);

// The stages. Each ends at root->stop_s. Errors: MEMORY, LIMIT, DEVICE, IO.
mco_status vrp_root_ascend(vrp_root *root);  // vrp/bound/ascend.c
mco_status vrp_root_columns(vrp_root *root);
// Behind columns, where the length of routes is limited: prices with the limit. If labels run out, or lengths are beyond their range,
// passes go on alone; the bound and its prices stay. Then the least number of routes rises as far as plans of fewer routes are proved to be no cheaper than the known one.
mco_status vrp_root_limit_length(vrp_root *root);
mco_status vrp_root_cut_capacity(vrp_root *root);
mco_status vrp_root_cut_rank1(vrp_root *root);
// Removes arcs by the known cost, and prices again, if the gap has shrunk much since the last time. From then on no prices are sure: they
// prove a bound of better plans only.
mco_status vrp_root_remove_arcs(vrp_root *root);
// Where arcs were removed: proves the bound of better plans again in a finer unit (vrp/bound/finish.c).
mco_status vrp_root_refine(vrp_root *root);
// Evaluates the sure prices and the program's duals in a finer unit, has the better ones rechecked, and fills support, prices and counts
// of the result (vrp/bound/finish.c).
mco_status vrp_root_finish(vrp_root *root);
// Rechecks claims of a bound, scaled (vrp/bound/recheck_proof.h), until stop_s at most and no longer than the proof has taken so far.
// Errors: MEMORY, INTERNAL (a plan below the bound, claims that leave plans out).
mco_status vrp_root_recheck_claims(vrp_root *root, const vrp_claims *claims, int64_t bound, double stop_s, vrp_recheck_end *end);
// Behind all of that: rechecks what the root's prices alone do not prove, and says in the result what was rechecked
// (vrp/bound/finish_recheck.c). Errors: MEMORY, INTERNAL (the recheck disagrees).
mco_status vrp_root_recheck(vrp_root *root);
// Enumerates routes and settles them where the gap is small and few are left. Errors: as below.
mco_status vrp_root_enumerate(vrp_root *root);
// Rank 0 calls the other ranks to its tree (vrp/bound/follow.c). *are_ready: false if the time of one was over. Errors: those of collectives.
mco_status vrp_root_call(vrp_root *root, bool *are_ready);
// Divides what is left open, until the run must stop. Errors: MEMORY, DEVICE, and those of the caller.
mco_status vrp_root_divide(vrp_root *root);
// Copies the master's prices to the sure ones while no arc is removed.
mco_status vrp_root_keep_prices(vrp_root *root);

#endif
