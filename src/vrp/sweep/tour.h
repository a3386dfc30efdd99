// SPDX-License-Identifier: MIT
// The giant tour: from routes to the tour and back, its value, and how a move changes it.
#ifndef MCO_VRP_SWEEP_TOUR_H
#define MCO_VRP_SWEEP_TOUR_H

#include "vrp/instance.h"
#include "vrp/sweep/move.h"

// Routes one after the other, a depot (node 0) before, between and behind them. Edge x leads from node[x] to
// node[x + 1].
typedef struct vrp_tour {
    int32_t *node;  // [count] 0..customers; the first and the last are 0
    int32_t count;  // T; E = T - 1 edges
} vrp_tour;

// Sets the value of a tour and the number of its routes that are not empty, by a walk along the tour. False if a route
// is too heavy or too long. O(count).
bool vrp_tour_value(const mco_vrp *problem, const vrp_tour *tour, vrp_value *value, int32_t *routes);
// A move improves the tour if its value, as in vrp_candidate, is less than this. Any feasible move improves a tour with
// a route that is too heavy or too long. O(count).
vrp_value vrp_to_beat(const mco_vrp *problem, const vrp_tour *tour);

// Makes the move on `tour` in place; `spare` [count] is working memory. O(count).
void vrp_apply(vrp_tour *tour, vrp_move move, int32_t *spare);

// The giant tour of a solution, with empty routes up to the number of vehicles. Errors: MEMORY.
mco_status vrp_tour_of(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, vrp_tour *out);
// The solution of a giant tour, without empty routes. Errors: MEMORY.
mco_status vrp_solution_of(mco_context *ctx, const mco_vrp *problem, const vrp_tour *tour, mco_vrp_solution *out);

#endif
