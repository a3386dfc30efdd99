// SPDX-License-Identifier: MIT
// Split: the cheapest cut of a giant tour into routes of at most VRP_SPLIT_LOAD capacities (Prins 2004).
#ifndef MCO_VRP_GENETIC_SPLIT_H
#define MCO_VRP_GENETIC_SPLIT_H

#include "vrp/genetic/genome.h"

#define VRP_SPLIT_LOAD 1.5

typedef struct vrp_split vrp_split;
mco_status vrp_split_open(mco_context *ctx, const vrp_network *network, vrp_split **out);
void vrp_split_close(mco_context *ctx, vrp_split **split);
// Fills genome->first and genome->routes from genome->order [customers]. There are at most network.routes routes. If no
// such cut exists, all of them get the same number of customers, give or take one. O(customers * customers of a route),
// times network.routes if the cheapest cut has too many routes.
void vrp_split_run(vrp_split *split, vrp_weights weights, vrp_genome *genome);

#endif
