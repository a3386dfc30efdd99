// SPDX-License-Identifier: MIT
// What the local search works on (vrp/genetic/educate.c, vrp/genetic/swap_star.c). Route r is a ring through a depot
// node of its own, customers + 1 + r. Every customer has the load and the length of its route up to it, so a move is
// decided in constant time. A move that is made recounts both routes.
#ifndef MCO_VRP_GENETIC_LOCAL_SEARCH_H
#define MCO_VRP_GENETIC_LOCAL_SEARCH_H

#include "vrp/genetic/educate.h"

enum { VRP_BEST_PLACES = 3 };

// Fills one cache line of 64 bytes.
typedef struct vrp_local_search_node {
    int32_t next, prev, route;
    int32_t to_next, to_prev;          // distances
    int32_t skip;                      // distance from prev to next
    int32_t after_next, next_to_next;  // the node after next, and the distance from next to it
    int32_t position;                  // customers before it in its route; 0 for a depot
    int32_t demand;
    int32_t load;                      // of its route up to and including it; 0 for a depot
    int32_t excess;                    // the excess cost of its route, rounded up
    int32_t changed;                   // stamp of the last change of its route
    int32_t tested;                    // stamp of the last try of its moves; -1: never
    int64_t length;                    // of its route up to and including it, with service times; 0 for a depot
} vrp_local_search_node;
_Static_assert(sizeof(vrp_local_search_node) == 64, "vrp_local_search_node");

typedef struct vrp_local_search_route {
    int64_t length;
    double excess;         // the cost of being over the limits
    int32_t load, size;
    int32_t changed;       // stamp of the last change
    int32_t tested;        // stamp of the last try of its SWAP*; -1: never
    unsigned known_from;   // a bit for each earlier education that ended with this very route
} vrp_local_search_route;

// The cheapest places of a customer in a route.
typedef struct vrp_local_search_places {
    int32_t stamp;         // when they were found; -1: never
    int32_t least;         // no place costs less, even after one customer has left the route
    int32_t change[VRP_BEST_PLACES], after[VRP_BEST_PLACES];
} vrp_local_search_places;

struct vrp_local_search {
    const vrp_network *network;
    vrp_weights weights;
    vrp_local_search_node *node;      // [nodes + routes]
    vrp_local_search_route *route;    // [routes]
    vrp_local_search_places *places;  // [routes * nodes]
    int32_t *customers;         // [customers] in the order in which they are tried
    int32_t *routes;            // [routes] likewise, numbered from 1
    int32_t *line;              // [nodes] routes that a move builds; in SWAP*, a bound for each customer
    bool *is_near;              // [routes] whether it lies beside the route whose SWAP* is tried
    double *angle;              // [2 * routes] pairs of angle and route, to be sorted
    int32_t stamp;              // grows with every move
    bool is_better;             // a move was made in this round
};

static inline bool local_is_depot(const vrp_local_search *s, int32_t i)
{
    return i > s->network->customers;
}

static inline int32_t local_depot(const vrp_local_search *s, int32_t route)
{
    return s->network->customers + 1 + route;
}

// Distances from node i, indexed by nodes of the instance.
static inline const int32_t *local_row(const vrp_local_search *s, int32_t i)
{
    return s->network->distance + (int64_t)(local_is_depot(s, i) ? 0 : i) * (s->network->customers + 1);
}

static inline int32_t local_distance(const vrp_local_search *s, int32_t i, int32_t j)
{
    return local_row(s, i)[local_is_depot(s, j) ? 0 : j];
}

static inline double local_excess(const vrp_local_search *s, int64_t load, int64_t length)
{
    return vrp_excess(s->network->problem, s->weights, load, length);
}

// The least gain of a move, where the excesses cost `before` ahead of it. It is more than rounding can produce;
// otherwise two moves might undo each other for ever. This holds for gains computed in this order: first the difference
// of the two sums of excesses, then the change of the distances is added.
static inline double local_least_gain(double before)
{
    return 1e-5 + 1e-12 * before;
}

// Whether one earlier education ended with both routes. It has tried the moves between them then.
static inline bool local_knows(const vrp_local_search *s, int32_t a, int32_t b)
{
    return (s->route[a].known_from & s->route[b].known_from) != 0;
}

static inline void local_link(vrp_local_search *s, int32_t i, int32_t j)
{
    s->node[i].next = j;
    s->node[j].prev = i;
}

#endif
