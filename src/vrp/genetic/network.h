// SPDX-License-Identifier: MIT
// What the making of children needs to know: distances, limits, and the price of exceeding a limit.
#ifndef MCO_VRP_GENETIC_NETWORK_H
#define MCO_VRP_GENETIC_NETWORK_H

#include "vrp/instance.h"

// Immutable while children are made. Symmetric distances only.
typedef struct vrp_network {
    const mco_vrp *problem;
    int32_t customers;
    int32_t routes;            // the most that a solution may have
    const int32_t *distance;   // [nodes * nodes], row i from node i
    int32_t *distance_memory;  // its memory; NULL if the instance has a matrix
    int32_t *service;          // [nodes]
    int32_t *near;             // [nodes * near_count] row c: the nearest customers of node c, as nodes; row 0 is unused
    int32_t near_count;
} vrp_network;

typedef struct vrp_weights {
    double load, length;       // cost of a unit of excess
} vrp_weights;

static inline int64_t vrp_load_excess(const mco_vrp *p, int64_t load)
{
    return load > p->capacity ? load - p->capacity : 0;
}

static inline int64_t vrp_length_excess(const mco_vrp *p, int64_t length)
{
    return length > p->max_length && vrp_has_max_length(p) ? length - p->max_length : 0;
}

// The penalty of a route over the limits; 0 for one within them.
static inline double vrp_excess(const mco_vrp *p, vrp_weights w, int64_t load, int64_t length)
{
    return w.load * (double)vrp_load_excess(p, load) + w.length * (double)vrp_length_excess(p, length);
}

static inline int32_t vrp_network_distance(const vrp_network *g, int32_t i, int32_t j)
{
    return g->distance[(int64_t)i * (g->customers + 1) + j];
}

#endif
