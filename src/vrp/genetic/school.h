// SPDX-License-Identifier: MIT
// What the local search works on (vrp/genetic/educate.c, vrp/genetic/swap_star.c): routes as rings through a depot node of their own,
// customers + 1 + r. Loads and lengths up to every customer are kept, so that a move is decided in constant time, and are
// counted again along both routes once it is made.
#ifndef MCO_VRP_GENETIC_SCHOOL_H
#define MCO_VRP_GENETIC_SCHOOL_H

#include "vrp/genetic/genetic.h"

enum { VRP_BEST_PLACES = 3 };

// A line of the cache.
typedef struct vrp_school_node {
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
} vrp_school_node;
_Static_assert(sizeof(vrp_school_node) == 64, "vrp_school_node");

typedef struct vrp_school_route {
    int64_t length;
    double excess;         // what it costs to be over the limits
    int32_t load, size;
    int32_t changed;       // stamp of the last change
    int32_t tested;        // stamp of when its SWAP* was tried last
    unsigned known_from;   // a bit for each earlier education that left it as it is
} vrp_school_route;

// The cheapest places of a customer in a route.
typedef struct vrp_school_places {
    int32_t stamp;         // of when they were found; -1: never
    int32_t least;         // no place costs less, also once a customer has left the route
    int32_t change[VRP_BEST_PLACES], after[VRP_BEST_PLACES];
} vrp_school_places;

struct vrp_school {
    const vrp_ground *ground;
    vrp_weights weights;
    vrp_school_node *node;      // [nodes + routes]
    vrp_school_route *route;    // [routes]
    vrp_school_places *places;  // [routes * nodes]
    int32_t *customers;         // [customers] in the order they are tried
    int32_t *routes;            // [routes] likewise, from 1 on
    int32_t *line;              // [nodes] a route being made
    bool *is_near;              // [routes] beside the one whose SWAP* is tried
    double *angle;              // [2 * routes]
    int32_t stamp;              // grows with every move
    bool is_better;             // a move was made in this round
};

// The best SWAP* of r with every lower route that lies beside it, where one of them has changed since they were tried last.
void vrp_swap_star(vrp_school *school, int32_t r);
// Counts along the rings of routes a and b, which may be one, after a move.
void vrp_school_moved(vrp_school *school, int32_t a, int32_t b);

static inline bool school_is_depot(const vrp_school *s, int32_t i)
{
    return i > s->ground->customers;
}

static inline int32_t school_depot(const vrp_school *s, int32_t route)
{
    return s->ground->customers + 1 + route;
}

// Distances from node i, by node of the instance.
static inline const int32_t *school_row(const vrp_school *s, int32_t i)
{
    return s->ground->distance + (int64_t)(school_is_depot(s, i) ? 0 : i) * (s->ground->customers + 1);
}

static inline int32_t school_distance(const vrp_school *s, int32_t i, int32_t j)
{
    return school_row(s, i)[school_is_depot(s, j) ? 0 : j];
}

static inline double school_excess(const vrp_school *s, int64_t load, int64_t length)
{
    return vrp_excess(s->ground->problem, s->weights, load, length);
}

// What a move has to gain where excesses cost `before`: more than rounding could, or two moves might undo each other for ever.
// Changes of distances are added to the difference of both sums of excesses, in this order.
static inline double school_least_gain(double before)
{
    return 1e-5 + 1e-12 * before;
}

// Whether an earlier education has left both routes as they are, and has tried what could be done with them.
static inline bool school_knows(const vrp_school *s, int32_t a, int32_t b)
{
    return (s->route[a].known_from & s->route[b].known_from) != 0;
}

static inline void school_link(vrp_school *s, int32_t i, int32_t j)
{
    s->node[i].next = j;
    s->node[j].prev = i;
}

#endif
