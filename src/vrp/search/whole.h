// SPDX-License-Identifier: MIT
// The annealing of the whole solution on the cores (vrp/search/whole.c).
#ifndef MCO_VRP_SEARCH_WHOLE_H
#define MCO_VRP_SEARCH_WHOLE_H

#include "vrp/search/rounds.h"

// The share of the search for the annealing of the whole. A region of few routes leaves little to find, so with long routes
// the whole takes nearly all of it.
double vrp_whole_share(const vrp_rounds *s);
// Whether an annealing that takes such a share of the search has enough steps.
bool vrp_whole_pays(const vrp_rounds *s, double share);
// Anneals the present solution from hot to cold, from now until a share of the search. Does nothing where that does not pay.
// Errors: MEMORY.
mco_status vrp_whole_anneal(vrp_rounds *s, double until);

#endif
