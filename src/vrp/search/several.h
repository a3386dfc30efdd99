// SPDX-License-Identifier: MIT
// Several annealings of the whole solution, each by one core (vrp/search/several.c).
#ifndef MCO_VRP_SEARCH_SEVERAL_H
#define MCO_VRP_SEARCH_SEVERAL_H

#include "vrp/search/rounds.h"

// How many annealings the steps of the search suffice for: a multiple of the threads. 1 where routes are short or many, or the
// steps are few.
int32_t vrp_several_count(const vrp_rounds *s);
// Anneals copies [count] of the present solution up to a share of the search; the best becomes the present solution. Rounds
// of the second half of the cooling begin with the best copy in the place of the worst. Errors: MEMORY.
mco_status vrp_several_anneal(vrp_rounds *s, int32_t count, double until);

#endif
