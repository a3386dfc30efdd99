// SPDX-License-Identifier: MIT
// Tasks of the search. A task is a part of a solution that is annealed on its own: some customers, with the routes that
// hold exactly these. Tasks that share no route can run at the same time: on the cores, or on a GPU, where a warp walks
// one task.
#ifndef MCO_VRP_SEARCH_TASK_H
#define MCO_VRP_SEARCH_TASK_H

#include <pthread.h>
#include <stdatomic.h>

#include "vrp/instance.h"

enum { VRP_LIST_STEP = 16 };  // the length of a list of neighbours is a multiple of this

// Immutable during a walk. Nodes 1..customers are customers. Each higher node stands for the depot in one route, so
// that every route is a ring through a node of its own. Node 0 is nowhere; it fills up lists.
typedef struct vrp_part {
    const mco_vrp *problem;
    int32_t customers;       // at most most_customers
    int32_t routes;          // a solution of the part may have at most so many
    int32_t neighbours;      // length of a list
    int32_t *place;          // [customers + 1 + routes] node of the instance
    int32_t *near;           // [(customers + 1) * neighbours] nodes, from near to far; 0 behind the last
    int32_t *near_distance;  // [the same]
    int32_t *behind;         // [(customers + 1) * neighbours] row c: nodes u by ascending behind_change; then 0
    int32_t *behind_change;  // [the same] cost of c between u and the depot: d(u, c) + d(c, depot) - d(u, depot)
    double *xy;              // [2 * (customers + 1 + routes)]; NULL for a matrix or a sphere
    int32_t *matrix;         // [(customers + 1)^2], row and column 0 the depot; NULL where distances are computed
    int32_t *matrix_memory;  // memory for `matrix`
    int32_t *demand, *service, *depot_distance;  // [customers + 1]
    int32_t most_customers, most_routes;
} vrp_part;

// Parameters of a walk. The temperature falls geometrically from hot to cold over the steps.
typedef struct vrp_walk_plan {
    int64_t steps;
    double seconds;          // > 0: the walk lasts so long and cools by the clock, instead of by its steps; cores only
    double hot, cold;        // in units of cost
    double removed;          // customers that a step takes out: about so many on average
    int32_t longest_string;
    int32_t exchanges;       // neighbours tried by the improvement of an accepted step; 0: none
    int32_t tails, middles;  // exchanges of route ends and of middles of routes that a step proposes; cores only
} vrp_walk_plan;

// What the calling thread sees of a walk under way on the cores. The walk writes its best solution when it is asked to,
// and at its end; a GPU writes nothing.
typedef struct vrp_view {
    atomic_int_least64_t best;  // the least cost of the walk so far; INT64_MAX: none
    atomic_bool is_wanted;      // the calling thread asks for the solution; the walk clears it
    pthread_mutex_t lock;       // guards the rest
    int64_t cost;               // of the solution here; INT64_MAX: none
    int32_t routes, *order, *first;  // as in vrp_task
} vrp_view;

// In: a solution of the part. On the cores it may leave out customers; the walk puts them in first. Out: the best
// solution found, never a worse one; the cost is INT64_MAX if a customer left out fits nowhere.
typedef struct vrp_task {
    vrp_part part;
    vrp_walk_plan plan;
    uint64_t seed;
    int32_t routes;          // of the solution, none of them empty
    int32_t *order;          // [customers] nodes, route after route
    int32_t *first;          // [most_routes + 1] where each route begins in `order`
    int64_t cost;
    int32_t *customer;       // [customers] customer of the instance, by node - 1; for the caller
    bool wants_last;         // return the last solution of a walk that was not stopped, not its best; cores only
    struct vrp_line *line;   // working memory of large parts, else NULL
    int64_t *least;          // [part.neighbours] working memory of a list
    vrp_view *view;
} vrp_task;

// Allocates a task of at most so many customers and routes. Errors: MEMORY.
mco_status vrp_task_open(mco_context *ctx, const mco_vrp *problem, int32_t customers, int32_t routes, int32_t neighbours,
                         vrp_task *out);
void vrp_task_close(mco_context *ctx, vrp_task *task);
// Empties the view before a run.
void vrp_view_clear(vrp_view *view);
// Fills task->part from task->customer [customers] and the lists near [customers of the instance * count] of
// vrp_neighbours(). local [nodes of the instance] is zero before and after. O(customers * (count + customers)). Any
// thread may call it.
void vrp_part_fill(vrp_task *task, int32_t customers, int32_t routes, const int32_t *near, int32_t count, int32_t *local);
// The same in three calls, for many tasks that share `local`. Each customer has one number in all tasks that hold it. First every
// task numbers its customers; then every task fills its lists, at the same time as others if need be; then every task clears `local`.
void vrp_part_number(vrp_task *task, int32_t customers, int32_t routes, int32_t *local);
void vrp_part_list(vrp_task *task, const int32_t *near, int32_t count, const int32_t *local);
void vrp_part_clear(const vrp_task *task, int32_t *local);

// Distance from node i to node j of the part; depots too.
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
