// SPDX-License-Identifier: MIT
// What the stages of the search share (vrp/search/solver.c): the present solution, the tasks of a round, how much is left to be spent.
#ifndef MCO_VRP_SEARCH_SOLVER_H
#define MCO_VRP_SEARCH_SOLVER_H

#include "base/rng.h"
#include "vrp/sweep/engine.h"
#include "vrp/search/search.h"
#include "vrp/search/task.h"

enum { VRP_LONGEST_STRING = 10 };  // of customers that a step takes out of a route

typedef struct vrp_solver {
    vrp_search *search;
    const mco_vrp *problem;
    vrp_crew *crew;
    int32_t *near;               // [customers * near_count]
    int32_t near_count;
    vrp_task *tasks;             // [task_count]
    int32_t task_count;
    int32_t *local;              // [nodes] zero
    int32_t *route_of;           // [customers]
    int32_t *task_of;            // [customers] by route: the task that has it, -1: none
    double *key;                 // [2 * customers] routes to be sorted
    mco_vrp_solution now, next;
    int64_t now_cost;
    double edge;                 // mean, of the first solution
    double rate;                 // steps a second, of one task at a time
    mco_rng rng;
} vrp_solver;

// Its search, problem and crew are set. Errors: MEMORY.
mco_status vrp_solver_open(vrp_solver *s);
void vrp_solver_close(vrp_solver *s);

// Whether a number of iterations is given. All lengths are then shares of it, and a time limit only cuts the search off.
bool vrp_solver_counts_steps(const vrp_solver *s);
// Of all steps that one core will make; the share of all time, or of all steps, that is over.
double vrp_solver_steps(const vrp_solver *s);
double vrp_solver_share(const vrp_solver *s);
// Whether that share is over; of 1, which a search without an end passes as well, never.
bool vrp_solver_is_at(const vrp_solver *s, double share);
// With a number of iterations: how many are left until a share of it; else as many as there can be.
int64_t vrp_solver_steps_left(const vrp_solver *s, double share);
bool vrp_solver_is_over(vrp_solver *s);

mco_status vrp_solver_open_tasks(vrp_solver *s, int32_t count, int32_t customers);
// Tasks [count] without routes; a route of the present solution for task k; their parts completed, nodes numbered in order.
void vrp_solver_begin_tasks(vrp_solver *s, int32_t count);
void vrp_solver_add_route(vrp_solver *s, int32_t k, int32_t route);
void vrp_solver_fill_tasks(vrp_solver *s, int32_t count);
void vrp_solver_set_temperatures(vrp_task *task, double hot, double cold);
// Steps of each of tasks [count], of which one core does `share` of all that is planned; never more than are left.
void vrp_solver_plan_steps(vrp_solver *s, int32_t count, double share, int64_t most);
// Draws seeds, runs tasks [count].
mco_status vrp_solver_run(vrp_solver *s, int32_t count);
// The present solution with the routes of tasks [count] instead of those they began with; its cost changes by `change`.
void vrp_solver_merge(vrp_solver *s, int32_t count, int64_t change);
// Tells the search of the present solution. Errors: MEMORY.
mco_status vrp_solver_note(vrp_solver *s, const char *source);
int32_t vrp_solver_longest_route(const vrp_solver *s);
// Draws a seed and packs a task, not of `tasks` alone; *is_found if it now has part.routes routes at most. Errors: MEMORY.
mco_status vrp_solver_pack(vrp_solver *s, vrp_task *task, bool *is_found);
// Adds a route to a solution with room.
void vrp_add_route(mco_vrp_solution *solution, const int32_t *customers, int32_t count);

static inline int32_t vrp_route_size(const mco_vrp_solution *solution, int32_t route)
{
    return solution->first[route + 1] - solution->first[route];
}

// Many solutions of a small instance, recombined, until `share` of all is over (vrp/genetic/population.c); s->now becomes the best.
// Errors: MEMORY.
mco_status vrp_solver_population(vrp_solver *s, double share);

// ---- The genetic search (vrp/genetic/genetic.c)

typedef struct vrp_genetic vrp_genetic;
// Symmetric distances only.
mco_status vrp_genetic_open(vrp_solver *s, vrp_genetic **out);
void vrp_genetic_close(vrp_genetic **genetic);
// A solution from elsewhere joins, educated, or as it is where that would exceed a limit; not one of too many routes.
mco_status vrp_genetic_admit(vrp_genetic *genetic, const mco_vrp_solution *solution);
// Until a share of all is over. A child counts as many steps as there are customers. Errors: MEMORY.
mco_status vrp_genetic_run(vrp_genetic *genetic, double share);

#endif
