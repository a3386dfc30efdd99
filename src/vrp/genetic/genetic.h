// SPDX-License-Identifier: MIT
// The hybrid genetic search of Vidal (2022; Vidal et al. 2012): what its parts share. A child is a giant tour crossed from two
// parents, split into routes, and educated by a local search that may overload routes at a price.
#ifndef MCO_VRP_GENETIC_GENETIC_H
#define MCO_VRP_GENETIC_GENETIC_H

#include <math.h>
#include <stdatomic.h>

#include "base/rng.h"
#include "vrp/instance.h"

// Immutable while children are made. Symmetric distances only.
typedef struct vrp_ground {
    const mco_vrp *problem;
    int32_t customers;
    int32_t routes;            // most that a solution may have
    const int32_t *distance;   // [nodes * nodes], row i from node i
    int32_t *distance_memory;  // for it, where the instance has no matrix
    int32_t *service;          // [nodes]
    int32_t *near;             // [nodes * near_count] nearest customers of node c, as nodes; row 0 is not used
    int32_t near_count;
} vrp_ground;

// The most routes that children may have, where the best solution so far has `routes`.
int32_t vrp_genetic_routes(const mco_vrp *problem, int32_t routes);

// A solution that may overload routes; nodes 1..customers.
typedef struct vrp_genome {
    int32_t *order;            // [customers] the giant tour
    int32_t *first;            // [ground.routes + 1] where each route begins in it
    int32_t routes;
    int32_t *next, *prev;      // [nodes] beside a customer in its route, 0: the depot
    int64_t cost;              // distance
    int64_t load_excess, length_excess;  // over all routes
} vrp_genome;

typedef struct vrp_weights {
    double load, length;       // cost of a unit of excess
} vrp_weights;

static inline double vrp_weighted_cost(const vrp_genome *genome, vrp_weights w)
{
    return (double)genome->cost + w.load * (double)genome->load_excess + w.length * (double)genome->length_excess;
}

static inline bool vrp_genome_is_within(const vrp_genome *genome)
{
    return genome->load_excess == 0 && genome->length_excess == 0;
}

static inline int64_t vrp_load_excess(const mco_vrp *p, int64_t load)
{
    return load > p->capacity ? load - p->capacity : 0;
}

static inline int64_t vrp_length_excess(const mco_vrp *p, int64_t length)
{
    return length > p->max_length && vrp_has_max_length(p) ? length - p->max_length : 0;
}

// What a route over the limits costs.
static inline double vrp_excess(const mco_vrp *p, vrp_weights w, int64_t load, int64_t length)
{
    return w.load * (double)vrp_load_excess(p, load) + w.length * (double)vrp_length_excess(p, length);
}

static inline int32_t vrp_ground_distance(const vrp_ground *g, int32_t i, int32_t j)
{
    return g->distance[(int64_t)i * (g->customers + 1) + j];
}

// ---- Genomes (vrp/genetic/genome.c)

mco_status vrp_genome_open(mco_context *ctx, const vrp_ground *ground, vrp_genome *out);
void vrp_genome_close(mco_context *ctx, vrp_genome *genome);
// Fills next, prev, cost and excesses from order and first. O(customers).
void vrp_genome_complete(const vrp_ground *ground, vrp_genome *genome);
void vrp_genome_copy(const vrp_ground *ground, vrp_genome *to, const vrp_genome *from);
// Broken pairs distance: links of a that b lacks, among customers and to the depot, over the customers. Not quite symmetric.
float vrp_broken_pairs(const vrp_ground *ground, const vrp_genome *a, const vrp_genome *b);
void vrp_random_tour(int32_t customers, mco_rng *rng, int32_t *order);
// Ordered crossover: a stretch of tour a, the rest as it follows in b. is_taken [customers + 1].
void vrp_cross(int32_t customers, const int32_t *a, const int32_t *b, mco_rng *rng, bool *is_taken, int32_t *child);

// ---- Split (vrp/genetic/split.c): the cheapest cut of a giant tour into routes of at most VRP_SPLIT_LOAD capacities

#define VRP_SPLIT_LOAD 1.5

typedef struct vrp_split vrp_split;
mco_status vrp_split_open(mco_context *ctx, const vrp_ground *ground, vrp_split **out);
void vrp_split_close(mco_context *ctx, vrp_split **split);
// Fills genome->first and routes, at most ground.routes, from genome->order [customers]. O(customers * customers of a route),
// times the number of routes where the cheapest cut has too many.
void vrp_split_run(vrp_split *split, vrp_weights weights, vrp_genome *genome);

// ---- Education (vrp/genetic/educate.c, vrp/genetic/swap_star.c): a local search of relocations, exchanges, 2-opt, 2-opt* and SWAP*

typedef struct vrp_school vrp_school;
mco_status vrp_school_open(mco_context *ctx, const vrp_ground *ground, vrp_school **out);
void vrp_school_close(mco_context *ctx, vrp_school **school);
// Until no move that is tried makes the weighted cost less; depends on the arguments alone. A customer goes behind a near one
// or changes places with it, the latter only where the lower number has the higher one near, and 2-opt only where the first has
// the second. Pairs of routes that one of the parents has as well, both NULL or educated, are tried once one of them has
// changed: the parent's education, though with other weights, left no such move. Routes of the outcome are in order of their
// angle around the depot.
void vrp_educate(vrp_school *school, vrp_weights weights, const vrp_genome *const parents[2], mco_rng *rng, vrp_genome *genome);
// Educates again, now with higher weights: pairs of routes within the limits are tried once one of them has changed.
void vrp_repair(vrp_school *school, vrp_weights weights, mco_rng *rng, vrp_genome *genome);

// ---- Populations (vrp/genetic/pool.c): of solutions within all limits, and of others

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
    const vrp_ground *ground;
    vrp_pool within, beyond;
    vrp_member *members;       // [2 * (VRP_POOL_MOST + 1)]
    vrp_member **free;         // [free_count]
    int32_t free_count;
    float *apart;              // broken pairs distance, by rows of members of one pool
} vrp_pools;

mco_status vrp_pools_open(mco_context *ctx, const vrp_ground *ground, vrp_pools *out);
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
