// SPDX-License-Identifier: MIT
// SWAP* (Vidal 2022): two customers change routes, each to its best place there.
#ifndef MCO_VRP_GENETIC_SWAP_STAR_H
#define MCO_VRP_GENETIC_SWAP_STAR_H

#include "vrp/genetic/educate.h"

// For every route with a lower number that lies beside r: makes the best SWAP* of the two routes if it pays. Pairs of
// routes are skipped if neither has changed since they were tried last, or since an earlier education.
void vrp_swap_star(vrp_local_search *local, int32_t r);

#endif
