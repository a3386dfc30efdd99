// SPDX-License-Identifier: MIT
// Two populations: the solutions within all limits, and those beyond.
#ifndef MCO_VRP_GENETIC_POOL_H
#define MCO_VRP_GENETIC_POOL_H

#include "vrp/genetic/genome.h"

enum { VRP_POOL_LEAST = 25, VRP_POOL_MOST = VRP_POOL_LEAST + 40 };

typedef struct vrp_member {
    vrp_genome genome;
    double weighted;           // weighted cost
    double apart;              // mean distance from the members closest to it in its pool
    double rank;               // by cost and by `apart`; smaller is better
    int32_t row;               // its row in vrp_pools.apart
} vrp_member;

typedef struct vrp_pool {
    vrp_member *all[VRP_POOL_MOST + 1];  // [count] by increasing weighted cost
    int32_t count;
} vrp_pool;

typedef struct vrp_pools {
    const vrp_network *network;
    vrp_pool within, beyond;
    vrp_member *members;       // [2 * (VRP_POOL_MOST + 1)]
    vrp_member **free;         // [free_count] members in no pool
    int32_t free_count;
    float *apart;              // [row, row] broken pairs distance of two members; valid if both are in one pool
} vrp_pools;

mco_status vrp_pools_open(mco_context *ctx, const vrp_network *network, vrp_pools *out);
void vrp_pools_close(mco_context *ctx, vrp_pools *pools);
// Adds a copy of the genome to its pool. If the pool then has more than VRP_POOL_MOST members, VRP_POOL_LEAST of them
// survive. Clones go first, then the members that rank last. The cheapest member always stays.
void vrp_pools_join(vrp_pools *pools, vrp_weights weights, const vrp_genome *genome);
void vrp_pools_clear(vrp_pools *pools);
// Recomputes the weighted costs and their order. To be called after weights change.
void vrp_pools_weigh(vrp_pools *pools, vrp_weights weights);
// Ranks both pools. To be called before vrp_pools_draw().
void vrp_pools_rank(vrp_pools *pools);
// Returns the better of two random members of both pools. At least one pool must have a member.
const vrp_genome *vrp_pools_draw(const vrp_pools *pools, mco_rng *rng);

#endif
