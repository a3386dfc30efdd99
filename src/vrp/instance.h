// SPDX-License-Identifier: MIT
// Inside of an instance: coordinates with a rule for distances, or a matrix; demands; limits.
// Distances, service times and the longest route are scaled to integers.
#ifndef MCO_VRP_INSTANCE_H
#define MCO_VRP_INSTANCE_H

#include <math.h>

#include "base/context.h"
#include "mco/vrp.h"

typedef enum vrp_rule {
    VRP_EUC_2D,   // sqrt(dx^2 + dy^2), rounded to nearest: floor(... + 0.5)
    VRP_CEIL_2D,  // rounded up; like EUC_2D with real distances
    VRP_GEO,      // on a sphere, TSPLIB's formula; real distances omit its last step, to integers. With
                  // MCO_VRP_DISTANCES_GEO by haversines
    VRP_MATRIX
} vrp_rule;

struct mco_vrp {
    int32_t customers, nodes;  // nodes = customers + 1; 0 is the depot
    vrp_rule rule;
    mco_vrp_distances distances;
    double scale;          // units per unit of the file; a power of ten; 1 with rounded distances
    bool is_symmetric;
    double *x, *y;         // [nodes] as read, with VRP_GEO latitude and longitude; NULL if there are none. With a matrix no
                           // distance depends on them
    double *latitude, *longitude;  // [nodes] radians; NULL except with TSPLIB's VRP_GEO
    double *direction;     // [3 * nodes] from the centre of the Earth, of length 1; NULL except with MCO_VRP_DISTANCES_GEO
    int32_t *matrix;       // [nodes * nodes], row i from node i, diagonal 0; NULL except with VRP_MATRIX
    int32_t *demand;       // [nodes] times load_scale, 0 for the depot
    int32_t *service;      // [nodes] scaled, 0 for the depot; NULL if all are 0
    int32_t capacity;      // times load_scale
    int32_t load_scale;    // units per unit of the file, a power of ten; 1 where no demand has decimals
    int32_t max_length;    // MCO_VRP_MAX_LENGTH: no limit
    int32_t vehicles;      // 0: any number
    int32_t longest;       // no distance between two nodes is greater
    char *name;
    char **names;          // [customers]; NULL if customers have numbers only
};

// In metres the mean radius of the Earth (IUGG; Moritz 2000), else TSPLIB's in kilometres (Reinelt 1995).
static inline double vrp_earth_radius(const mco_vrp *p)
{
    return p->distances == MCO_VRP_DISTANCES_GEO ? 6371008.8 : 6378.388;
}

// The great circle distance as a real number: by haversines, or by TSPLIB's formula RRR acos(...).
double vrp_geo_distance(const mco_vrp *problem, int32_t i, int32_t j);

static inline int32_t vrp_distance(const mco_vrp *p, int32_t i, int32_t j)
{
    if (p->rule == VRP_MATRIX)
        return p->matrix[(int64_t)i * p->nodes + j];
    if (i == j)
        return 0;
    if (p->rule == VRP_GEO)
        return p->distances == MCO_VRP_DISTANCES_ROUNDED ? (int32_t)(vrp_geo_distance(p, i, j) + 1.0)
                                                         : (int32_t)(vrp_geo_distance(p, i, j) * p->scale + 0.5);
    const double dx = p->x[i] - p->x[j], dy = p->y[i] - p->y[j];
    const double length = sqrt(dx * dx + dy * dy) * p->scale;
    return p->rule == VRP_CEIL_2D && p->distances == MCO_VRP_DISTANCES_ROUNDED ? (int32_t)ceil(length) : (int32_t)(length + 0.5);
}

static inline int32_t vrp_service(const mco_vrp *p, int32_t node)
{
    return p->service != NULL ? p->service[node] : 0;
}

// A load in units of the file.
static inline double vrp_load(const mco_vrp *p, int64_t load)
{
    return (double)load / p->load_scale;
}

static inline bool vrp_has_max_length(const mco_vrp *p)
{
    return p->max_length < MCO_VRP_MAX_LENGTH;
}

// Refuses an instance with a customer that provably no vehicle can serve (vrp/servable.c). O(customers); O(customers^2)
// where the direct way there and back is too long for one. At stop_s, or after a cancellation, it goes without that proof.
// Errors: ARGUMENT with the customer, MEMORY.
mco_status vrp_refuse_unservable(mco_context *ctx, const mco_vrp *problem, double stop_s);
// Records in the context's error why no solution can exist, and returns ARGUMENT: such a customer, or more demand than the
// vehicles carry. MCO_OK: a solution may exist. Errors: also MEMORY.
mco_status vrp_find_conflict(mco_context *ctx, const mco_vrp *problem, double stop_s);

#endif
