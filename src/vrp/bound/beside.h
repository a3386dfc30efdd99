// SPDX-License-Identifier: MIT
// A search and a proof of one instance that share the time. First the search is alone. Then the proof runs on a thread beside it, or, with
// one thread, both take turns. The search hands its plans to the proof; the proof raises the bound, and its plans become the search's.
#ifndef MCO_VRP_BOUND_BESIDE_H
#define MCO_VRP_BOUND_BESIDE_H

#include "vrp/search/search.h"

// Runs `run(user)`, which searches until vrp_search_ends(), and a proof, until the plan is optimal or the run must end. `params` are
// those of the search; their threads are shared out meanwhile. With a number of iterations, and with the reference, the search comes
// first and the proof after it. Errors: those of both, INTERNAL (a bound above the cost of a plan).
mco_status vrp_search_and_prove(vrp_search *search, mco_vrp_params *params, mco_status (*run)(void *user), void *user);

#endif
