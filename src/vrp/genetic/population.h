// SPDX-License-Identifier: MIT
// The search of small instances: solutions are annealed, then recombined.
#ifndef MCO_VRP_GENETIC_POPULATION_H
#define MCO_VRP_GENETIC_POPULATION_H

#include "vrp/search/rounds.h"

// Anneals and recombines solutions until `share` of all time, or of all iterations, is over. s->now becomes the best
// one. Errors: MEMORY.
mco_status vrp_population_run(vrp_rounds *s, double share);

#endif
