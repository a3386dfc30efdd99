// SPDX-License-Identifier: MIT
// Tasks of the search: a part of a solution, some customers with the routes that hold exactly these, to be annealed on its
// own. Tasks that share no route can be run at the same time: by the cores, or by a GPU, each of whose warps walks one.
#ifndef MCO_VRP_SEARCH_TASK_H
#define MCO_VRP_SEARCH_TASK_H

#include "vrp/instance.h"

enum { VRP_LIST_STEP = 16 };  // lists of neighbours are as long as a multiple of this

// Immutable while walked. Nodes 1..customers are customers; those above are the depot, one for each route, so that a route is
// a ring through a node of its own. Node 0 is nowhere; it fills up lists.
typedef struct vrp_part {
    const mco_vrp *problem;
    int32_t customers;       // most_customers at most
    int32_t routes;          // most that a solution of the part may have
    int32_t neighbours;      // length of a list
    int32_t *place;          // [customers + 1 + routes] node of the instance
    int32_t *near;           // [(customers + 1) * neighbours] nodes, from near to far; 0 behind the last
    int32_t *near_distance;  // [the same]
    int32_t *behind;         // [(customers + 1) * neighbours] nodes u by what c costs between u and the depot; 0 at the end
    int32_t *behind_change;  // [the same] that cost: d(u, c) + d(c, depot) - d(u, depot)
    double *xy;              // [2 * (customers + 1 + routes)]; NULL for a matrix or a sphere
    int32_t *matrix;         // [(customers + 1)^2], row and column 0 the depot; NULL where distances are computed
    int32_t *matrix_memory;  // for it
    int32_t *demand, *service, *depot_distance;  // [customers + 1]
    int32_t most_customers, most_routes;
} vrp_part;

// What steers a walk; the temperature falls from hot to cold geometrically over the steps.
typedef struct vrp_walk_plan {
    int64_t steps;
    double hot, cold;        // in units of cost
    double removed;          // customers taken out by a step, on average, about
    int32_t longest_string;
    int32_t exchanges;       // neighbours tried by the improvement of an accepted step; 0: none
} vrp_walk_plan;

// In: a solution of the part; on the cores it may leave out customers, which are put in. Out: the best found, never worse; a
// cost of INT64_MAX where those left out fit nowhere.
typedef struct vrp_task {
    vrp_part part;
    vrp_walk_plan plan;
    uint64_t seed;
    int32_t routes;          // of the solution, none of them empty
    int32_t *order;          // [customers] nodes, route after route
    int32_t *first;          // [most_routes + 1] where each route begins in `order`
    int64_t cost;
    int32_t *customer;       // [customers] of the instance, by node - 1; for the caller
    bool wants_last;         // out: where a walk that was not stopped ended, instead of its best; cores only
    double *line;            // [2 * customers] working memory of large parts, else NULL
} vrp_task;

// Memory for a task of at most so many customers and routes. Errors: MEMORY.
mco_status vrp_task_open(mco_context *ctx, const mco_vrp *problem, int32_t customers, int32_t routes, int32_t neighbours,
                         vrp_task *out);
void vrp_task_close(mco_context *ctx, vrp_task *task);
// Fills task->part from task->customer [customers] and the lists near [customers of the instance * count] of vrp_neighbours();
// local [nodes of the instance] is zero before and after. O(customers * (count + customers)). Any thread.
void vrp_part_fill(vrp_task *task, int32_t customers, int32_t routes, const int32_t *near, int32_t count, int32_t *local);

// Between nodes of the part, depots among them.
static inline int32_t vrp_part_distance(const vrp_part *p, int32_t i, int32_t j)
{
    if (p->matrix != NULL)
        return p->matrix[(int64_t)(i <= p->customers ? i : 0) * (p->customers + 1) + (j <= p->customers ? j : 0)];
    if (p->xy != NULL) {
        const double dx = p->xy[2 * i] - p->xy[2 * j], dy = p->xy[2 * i + 1] - p->xy[2 * j + 1];
        const double length = sqrt(dx * dx + dy * dy) * p->problem->scale;
        return p->problem->rule == VRP_CEIL_2D && p->problem->distances == MCO_VRP_DISTANCES_ROUNDED ? (int32_t)ceil(length)
                                                                                           : (int32_t)(length + 0.5);
    }
    return vrp_distance(p->problem, p->place[i], p->place[j]);
}

#endif
