// SPDX-License-Identifier: MIT
// Genomes: the solutions of the genetic search, and how two of them are crossed.
#ifndef MCO_VRP_GENETIC_GENOME_H
#define MCO_VRP_GENETIC_GENOME_H

#include "base/rng.h"
#include "vrp/genetic/network.h"

// A solution whose routes may exceed the limits. Customers are nodes 1..customers.
typedef struct vrp_genome {
    int32_t *order;            // [customers] the giant tour
    int32_t *first;            // [network.routes + 1] where each route begins in `order`
    int32_t routes;
    int32_t *next, *prev;      // [nodes] the neighbours of a customer in its route; 0: the depot
    int64_t cost;              // distance
    int64_t load_excess, length_excess;  // sums over all routes
} vrp_genome;

static inline double vrp_weighted_cost(const vrp_genome *genome, vrp_weights w)
{
    return (double)genome->cost + w.load * (double)genome->load_excess + w.length * (double)genome->length_excess;
}

static inline bool vrp_genome_is_within(const vrp_genome *genome)
{
    return genome->load_excess == 0 && genome->length_excess == 0;
}

mco_status vrp_genome_open(mco_context *ctx, const vrp_network *network, vrp_genome *out);
void vrp_genome_close(mco_context *ctx, vrp_genome *genome);
// Fills next, prev, cost and excesses from order, first and routes. O(customers).
void vrp_genome_complete(const vrp_network *network, vrp_genome *genome);
void vrp_genome_copy(const vrp_network *network, vrp_genome *to, const vrp_genome *from);
// Returns the broken pairs distance: the links of a, between customers and to the depot, that b lacks, divided by the
// number of customers. It is not quite symmetric.
float vrp_broken_pairs(const vrp_network *network, const vrp_genome *a, const vrp_genome *b);
void vrp_random_tour(int32_t customers, mco_rng *rng, int32_t *order);
// Ordered crossover: a stretch of tour a, then the other customers in the order of b. is_taken [customers + 1] is
// working memory.
void vrp_cross(int32_t customers, const int32_t *a, const int32_t *b, mco_rng *rng, bool *is_taken, int32_t *child);

#endif
