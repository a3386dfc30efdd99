// SPDX-License-Identifier: MIT
// The exact method for few customers.
#ifndef MCO_VRP_SEARCH_EXACT_H
#define MCO_VRP_SEARCH_EXACT_H

#include "vrp/search/search.h"

enum { VRP_EXACT_CUSTOMERS = 12 };

// Decides an instance of at most VRP_EXACT_CUSTOMERS customers: search->best is then optimal, or there is no solution
// if search->best_cost stays -1. Sets search->is_proven, unless a start has ended the search already. Errors: MEMORY.
mco_status vrp_search_exact(vrp_search *search);

#endif
