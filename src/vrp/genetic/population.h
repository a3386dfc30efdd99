// SPDX-License-Identifier: MIT
// A population of a small instance, annealed and recombined.
#ifndef MCO_VRP_GENETIC_POPULATION_H
#define MCO_VRP_GENETIC_POPULATION_H

#include "vrp/search/rounds.h"

// Many solutions of a small instance, recombined, until `share` of all is over; s->now becomes the best.
// Errors: MEMORY.
mco_status vrp_population_run(vrp_rounds *s, double share);

#endif
