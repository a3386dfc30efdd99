// SPDX-License-Identifier: MIT
// The annealing of the whole solution on the cores (vrp/search/whole.c).
#ifndef MCO_VRP_SEARCH_WHOLE_H
#define MCO_VRP_SEARCH_WHOLE_H

#include "vrp/search/rounds.h"

// Steps for each customer in the whole search, on all cores.
double vrp_whole_steps(const vrp_rounds *s);
// Anneals the present solution from hot to cold, from now until a share of the search. With fewer than two steps a
// customer it does nothing. Errors: MEMORY.
mco_status vrp_whole_anneal(vrp_rounds *s, double until);

#endif
