// SPDX-License-Identifier: MIT
// The hybrid genetic search of Vidal (2022; Vidal et al. 2012). A child is a giant tour crossed from two parents and
// split into routes. A local search educates it. Routes may exceed a limit at a price.
#ifndef MCO_VRP_GENETIC_GENETIC_H
#define MCO_VRP_GENETIC_GENETIC_H

#include "vrp/search/rounds.h"

// Returns the most routes that children may have if the best solution so far has `routes`.
int32_t vrp_genetic_routes(const mco_vrp *problem, int32_t routes);

typedef struct vrp_genetic vrp_genetic;
// Symmetric distances only.
mco_status vrp_genetic_open(vrp_rounds *s, vrp_genetic **out);
void vrp_genetic_close(vrp_genetic **genetic);
// Adds a solution from elsewhere: educated, or as it is if the educated one exceeds a limit. A solution with more
// routes than children may have is left out.
mco_status vrp_genetic_admit(vrp_genetic *genetic, const mco_vrp_solution *solution);
// Makes children until `share` of all time, or of all iterations, is over. A child counts as many iterations as there
// are customers. Errors: MEMORY.
mco_status vrp_genetic_run(vrp_genetic *genetic, double share);

#endif
