// SPDX-License-Identifier: MIT
// Education: a local search of relocations, exchanges, 2-opt, 2-opt* and SWAP*.
#ifndef MCO_VRP_GENETIC_EDUCATE_H
#define MCO_VRP_GENETIC_EDUCATE_H

#include "vrp/genetic/genome.h"

typedef struct vrp_local_search vrp_local_search;
mco_status vrp_local_search_open(mco_context *ctx, const vrp_network *network, vrp_local_search **out);
void vrp_local_search_close(mco_context *ctx, vrp_local_search **local);
// Makes moves that lower the weighted cost until it finds no more. The result depends on the arguments alone.
// - A customer, or it and the next one, goes behind a near customer v or changes places with v, or with v and the next
//   one. One-for-one and two-for-two exchanges are tried only if the customer with the lower number has the other one
//   near. 2-opt is tried only if the customer that comes first in the route has the other one near.
// - Both parents are NULL, or both are educated. Two routes that occur in the same parent are tried together only after
//   one of them changes: the education of the parent, although with other weights, left no such move between them.
// - The routes of the result are in order of their angle around the depot.
void vrp_educate(vrp_local_search *local, vrp_weights weights, const vrp_genome *const parents[2], mco_rng *rng,
                 vrp_genome *genome);
// Educates an educated genome again, with higher weights. Two routes within the limits are tried together only after
// one of them changes.
void vrp_repair(vrp_local_search *local, vrp_weights weights, mco_rng *rng, vrp_genome *genome);

// Recounts loads, lengths and positions along the rings of routes a and b after a move. a may equal b.
void vrp_local_search_moved(vrp_local_search *local, int32_t a, int32_t b);

#endif
