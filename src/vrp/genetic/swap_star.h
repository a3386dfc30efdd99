// SPDX-License-Identifier: MIT
// SWAP* (Vidal 2022): two customers change routes, each to its best place there.
#ifndef MCO_VRP_GENETIC_SWAP_STAR_H
#define MCO_VRP_GENETIC_SWAP_STAR_H

#include "vrp/genetic/educate.h"

// The best SWAP* of r with every lower route that lies beside it, where one of them has changed since they were tried last.
void vrp_swap_star(vrp_local_search *local, int32_t r);

#endif
