// SPDX-License-Identifier: MIT
// Problems and tours for the tests of complete neighbourhoods on a GPU.
#ifndef MCO_TESTS_VRP_GPU_SUPPORT_H
#define MCO_TESTS_VRP_GPU_SUPPORT_H

#include <math.h>

#include "base/rng.h"
#include "vrp/sweep/cpu.h"
#include "vrp/sweep/gpu.h"
#include "vrp_support.h"

// Distances as a matrix, or by coordinates: integers, or others.
typedef enum places { BY_MATRIX, BY_GRID, BY_PLANE, BY_CEILING, PLACES } places;

static inline void place(mco_vrp *p, places kind, mco_rng *rng, int32_t side)
{
    p->x = calloc((uint32_t)p->nodes, sizeof *p->x);
    p->y = calloc((uint32_t)p->nodes, sizeof *p->y);
    if (p->x == NULL || p->y == NULL)
        abort();
    for (int32_t i = 0; i < p->nodes; i++) {
        const double part = kind == BY_PLANE ? 0.37 : 1;
        p->x[i] = part * (double)mco_rng_below(rng, (uint32_t)side) - side / 3;
        p->y[i] = part * (double)mco_rng_below(rng, (uint32_t)side) + side;
    }
    free(p->matrix);
    p->matrix = NULL;
    p->rule = kind == BY_CEILING ? VRP_CEIL_2D : VRP_EUC_2D;
    p->is_symmetric = true;
    p->scale = kind == BY_PLANE ? 1000 : 1;
    p->distances = kind == BY_PLANE ? MCO_VRP_DISTANCES_REAL : MCO_VRP_DISTANCES_ROUNDED;
    p->longest = (int32_t)ceil(sqrt(2) * side * p->scale) + 1;
}

static inline void release(mco_vrp *p)
{
    free(p->x);
    free(p->y);
    vrp_case_free(p);
}

// Sets limits from 4 % below to 7 % above the greatest load and length, so that some routes of the tour may break them.
static inline void set_limits(mco_vrp *p, const vrp_tour *tour, mco_rng *rng, bool has_length)
{
    int64_t load = 0, length = 0, most_load = 1, most_length = 1;
    for (int32_t i = 1; i < tour->count; i++) {
        load += p->demand[tour->node[i]];
        length += vrp_distance(p, tour->node[i - 1], tour->node[i]) + vrp_service(p, tour->node[i]);
        if (tour->node[i] != 0)
            continue;
        most_load = load > most_load ? load : most_load;
        most_length = length > most_length ? length : most_length;
        load = length = 0;
    }
    p->capacity = (int32_t)(most_load * (96 + mco_rng_below(rng, 12)) / 100) + 1;
    if (has_length)
        p->max_length = (int32_t)(most_length * (96 + mco_rng_below(rng, 12)) / 100) + 1;
}

// A tour of equal routes by angle around the depot, with empty ones among them.
static inline vrp_tour sweep_tour(const mco_vrp *p, int32_t routes, int32_t empty)
{
    vrp_tour tour = {.count = p->customers + routes + empty + 1};
    tour.node = calloc((size_t)tour.count, sizeof *tour.node);
    int32_t *order = calloc((size_t)p->customers, sizeof *order);
    if (tour.node == NULL || order == NULL)
        abort();
    for (int32_t i = 0; i < p->customers; i++) {
        int32_t at = i;
        const double angle = p->x != NULL ? atan2(p->y[i + 1] - p->y[0], p->x[i + 1] - p->x[0]) : 0;
        for (; at > 0 && p->x != NULL && atan2(p->y[order[at - 1]] - p->y[0], p->x[order[at - 1]] - p->x[0]) > angle; at--)
            order[at] = order[at - 1];
        order[at] = i + 1;
    }
    for (int32_t r = 0, at = 1, from = 0; r < routes; r++, at++) {
        const int32_t end = (int32_t)((int64_t)p->customers * (r + 1) / routes);
        for (; from < end; from++)
            tour.node[at++] = order[from];
        at += r < empty;
    }
    free(order);
    return tour;
}

#endif
