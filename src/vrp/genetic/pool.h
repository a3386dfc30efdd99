// SPDX-License-Identifier: MIT
// Populations of solutions within all limits, and of others.
#ifndef MCO_VRP_GENETIC_POOL_H
#define MCO_VRP_GENETIC_POOL_H

#include "vrp/genetic/genome.h"

enum { VRP_POOL_LEAST = 25, VRP_POOL_MOST = VRP_POOL_LEAST + 40 };

typedef struct vrp_member {
    vrp_genome genome;
    double weighted;           // cost
    double apart;              // from those closest to it in its pool
    double rank;               // by cost and by how far apart; small is good
    int32_t row;               // in vrp_pools.apart
} vrp_member;

typedef struct vrp_pool {
    vrp_member *all[VRP_POOL_MOST + 1];  // [count] by weighted cost
    int32_t count;
} vrp_pool;

typedef struct vrp_pools {
    const vrp_network *network;
    vrp_pool within, beyond;
    vrp_member *members;       // [2 * (VRP_POOL_MOST + 1)]
    vrp_member **free;         // [free_count]
    int32_t free_count;
    float *apart;              // broken pairs distance, by rows of members of one pool
} vrp_pools;

mco_status vrp_pools_open(mco_context *ctx, const vrp_network *network, vrp_pools *out);
void vrp_pools_close(mco_context *ctx, vrp_pools *pools);
// A copy joins its pool. Once that has more than VRP_POOL_MOST, VRP_POOL_LEAST survive: clones go first, then who ranks last.
void vrp_pools_join(vrp_pools *pools, vrp_weights weights, const vrp_genome *genome);
void vrp_pools_clear(vrp_pools *pools);
// After weights have changed.
void vrp_pools_weigh(vrp_pools *pools, vrp_weights weights);
// Before vrp_pools_draw(): the better of two random members of both pools, of which one at least has a member.
void vrp_pools_rank(vrp_pools *pools);
const vrp_genome *vrp_pools_draw(const vrp_pools *pools, mco_rng *rng);

#endif
