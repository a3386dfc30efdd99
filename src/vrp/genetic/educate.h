// SPDX-License-Identifier: MIT
// Education: a local search of relocations, exchanges, 2-opt, 2-opt* and SWAP*.
#ifndef MCO_VRP_GENETIC_EDUCATE_H
#define MCO_VRP_GENETIC_EDUCATE_H

#include "vrp/genetic/genome.h"

typedef struct vrp_local_search vrp_local_search;
mco_status vrp_local_search_open(mco_context *ctx, const vrp_network *network, vrp_local_search **out);
void vrp_local_search_close(mco_context *ctx, vrp_local_search **local);
// Until no move that is tried makes the weighted cost less; depends on the arguments alone. A customer goes behind a near one
// or changes places with it, the latter only where the lower number has the higher one near, and 2-opt only where the first has
// the second. Pairs of routes that one of the parents has as well, both NULL or educated, are tried once one of them has
// changed: the parent's education, though with other weights, left no such move. Routes of the outcome are in order of their
// angle around the depot.
void vrp_educate(vrp_local_search *local, vrp_weights weights, const vrp_genome *const parents[2], mco_rng *rng,
                 vrp_genome *genome);
// Educates again, now with higher weights: pairs of routes within the limits are tried once one of them has changed.
void vrp_repair(vrp_local_search *local, vrp_weights weights, mco_rng *rng, vrp_genome *genome);

// Counts along the rings of routes a and b, which may be one, after a move.
void vrp_local_search_moved(vrp_local_search *local, int32_t a, int32_t b);

#endif
