// SPDX-License-Identifier: MIT
// The hybrid genetic search of Vidal (2022; Vidal et al. 2012). A child is a giant tour crossed from two parents, split into
// routes, and educated by a local search that may overload routes at a price.
#ifndef MCO_VRP_GENETIC_GENETIC_H
#define MCO_VRP_GENETIC_GENETIC_H

#include "vrp/search/rounds.h"

// The most routes that children may have, where the best solution so far has `routes`.
int32_t vrp_genetic_routes(const mco_vrp *problem, int32_t routes);

typedef struct vrp_genetic vrp_genetic;
// Symmetric distances only.
mco_status vrp_genetic_open(vrp_rounds *s, vrp_genetic **out);
void vrp_genetic_close(vrp_genetic **genetic);
// A solution from elsewhere joins, educated, or as it is where that would exceed a limit; not one of too many routes.
mco_status vrp_genetic_admit(vrp_genetic *genetic, const mco_vrp_solution *solution);
// Until a share of all is over. A child counts as many steps as there are customers. Errors: MEMORY.
mco_status vrp_genetic_run(vrp_genetic *genetic, double share);

#endif
