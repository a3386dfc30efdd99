// SPDX-License-Identifier: MIT
// The cores' own search beside a crowd on a GPU (vrp/search/crowd.h), which needs one thread of the host. The other threads anneal the
// instance by themselves, with the same end. Each better plan of theirs is noted by the search of the crowd, whose parts begin from the
// better one of both.
#ifndef MCO_VRP_SEARCH_COMPANY_H
#define MCO_VRP_SEARCH_COMPANY_H

#include "vrp/search/search.h"

typedef struct vrp_company vrp_company;

// Starts the cores' search with all threads of search->params but one. It begins from search->best if that was given, else from its own
// construction. It has annealed the whole when the share `whole_share` of its time is over, or earlier. *out stays NULL where there is one
// thread, or a proof has the threads. It also stays NULL with a number of iterations: then nothing depends on the clock. Until
// vrp_company_close() search->look is the company's; what it was before is still asked. Errors: MEMORY.
mco_status vrp_company_open(vrp_search *search, bool is_given, double whole_share, vrp_company **out);
// Ends that search, notes its last plan, adds its steps, and releases it. NULL is allowed. A lack of memory on the cores is a warning.
// Errors: MEMORY, INTERNAL.
mco_status vrp_company_close(vrp_company **company);

#endif
