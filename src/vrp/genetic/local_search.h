// SPDX-License-Identifier: MIT
// What the local search works on (vrp/genetic/educate.c, vrp/genetic/swap_star.c): routes as rings through a depot node of
// their own, customers + 1 + r. Loads and lengths up to every customer are kept, so that a move is decided in constant time,
// and are counted again along both routes once it is made.
#ifndef MCO_VRP_GENETIC_LOCAL_SEARCH_H
#define MCO_VRP_GENETIC_LOCAL_SEARCH_H

#include "vrp/genetic/educate.h"

enum { VRP_BEST_PLACES = 3 };

// A line of the cache.
typedef struct vrp_local_search_node {
    int32_t next, prev, route;
    int32_t to_next, to_prev;          // distances
    int32_t skip;                      // distance from prev to next
    int32_t after_next, next_to_next;  // the node after next, the distance there from next
    int32_t position;                  // customers before it in its route; of a depot 0
    int32_t demand;
    int32_t load;                      // of its route up to and with it; of a depot 0
    int32_t excess;                    // of its route, rounded up
    int32_t changed;                   // stamp of its route
    int32_t tested;                    // stamp of when its moves were tried last
    int64_t length;                    // of its route up to and with it, service included; of a depot 0
} vrp_local_search_node;
_Static_assert(sizeof(vrp_local_search_node) == 64, "vrp_local_search_node");

typedef struct vrp_local_search_route {
    int64_t length;
    double excess;         // what it costs to be over the limits
    int32_t load, size;
    int32_t changed;       // stamp of the last change
    int32_t tested;        // stamp of when its SWAP* was tried last
    unsigned known_from;   // a bit for each earlier education that left it as it is
} vrp_local_search_route;

// The cheapest places of a customer in a route.
typedef struct vrp_local_search_places {
    int32_t stamp;         // of when they were found; -1: never
    int32_t least;         // no place costs less, also once a customer has left the route
    int32_t change[VRP_BEST_PLACES], after[VRP_BEST_PLACES];
} vrp_local_search_places;

struct vrp_local_search {
    const vrp_network *network;
    vrp_weights weights;
    vrp_local_search_node *node;      // [nodes + routes]
    vrp_local_search_route *route;    // [routes]
    vrp_local_search_places *places;  // [routes * nodes]
    int32_t *customers;         // [customers] in the order they are tried
    int32_t *routes;            // [routes] likewise, from 1 on
    int32_t *line;              // [nodes] a route being made
    bool *is_near;              // [routes] beside the one whose SWAP* is tried
    double *angle;              // [2 * routes]
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

// Distances from node i, by node of the instance.
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

// What a move has to gain where excesses cost `before`: more than rounding could, or two moves might undo each other for ever.
// Changes of distances are added to the difference of both sums of excesses, in this order.
static inline double local_least_gain(double before)
{
    return 1e-5 + 1e-12 * before;
}

// Whether an earlier education has left both routes as they are, and has tried what could be done with them.
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
