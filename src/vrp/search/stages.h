// SPDX-License-Identifier: MIT
// The stages of a search: what is annealed when.
#ifndef MCO_VRP_SEARCH_STAGES_H
#define MCO_VRP_SEARCH_STAGES_H

#include "vrp/search/search.h"

// Searches from search->best if there is one, else from a construction. At the end search->run.stop is set. If no
// solution with so few vehicles is found, search->best_cost stays -1. Errors: MEMORY, DEVICE.
mco_status vrp_search_cpu(vrp_search *search);
mco_status vrp_search_gpu(vrp_search *search);

// The beginning of such a search alone, on one core: a construction, packed into the vehicles if it takes more of them.
// Errors: MEMORY.
mco_status vrp_search_first(vrp_search *search);

#endif
