// SPDX-License-Identifier: MIT
// What the entry points of bounds share: the problem in its units, and the settings of passes.
#ifndef MCO_VRP_BOUND_ENTRY_H
#define MCO_VRP_BOUND_ENTRY_H

#include "mco/vrp_bound.h"
#include "vrp/bound/relax/q.h"

// Opens the problem in the largest unit with which values of paths stay in range. `vehicles_exactly` -1: the instance's own limit
// is the fleet rule. Errors: as vrp_bound_problem_open().
mco_status vrp_bound_open(mco_context *ctx, const mco_vrp *vrp, int64_t vehicles_exactly, vrp_bound_problem *out);

// Settles AUTO by the transitions of all passes together. `no_gpu` says why a GPU cannot be used, NULL: it can. Errors: ARGUMENT (--gpus
// with an engine of cores, a vector unit that this processor lacks).
mco_status vrp_bound_settle(mco_context *ctx, mco_engine engine, mco_simd simd, const char *gpus, int64_t threads, int64_t memory_mib,
                            double transitions, const char *no_gpu, vrp_relax_settings *out);

// A pass over ng-paths costs at least so many passes over q-paths on cores.
double vrp_bound_share(mco_vrp_relaxation relaxation);

// What computes with these settings.
mco_work vrp_bound_work(const vrp_relax_settings *settings);

// Pairs of a cell of a table and a node before it: O(nodes^2 capacity), for an asymmetric problem twice.
int64_t vrp_q_transitions(const vrp_bound_problem *problem);

#endif
