// SPDX-License-Identifier: MIT
// What the stages of the search share (vrp/search/rounds.c): the present solution, the tasks of a round, how much is left to
// be spent.
#ifndef MCO_VRP_SEARCH_ROUNDS_H
#define MCO_VRP_SEARCH_ROUNDS_H

#include "base/rng.h"
#include "vrp/search/processor.h"
#include "vrp/search/search.h"
#include "vrp/solution.h"

enum { VRP_LONGEST_STRING = 10 };  // of customers that a step takes out of a route

typedef struct vrp_rounds {
    vrp_search *search;
    const mco_vrp *problem;
    vrp_processor *processor;
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
} vrp_rounds;

// Its search, problem and processor are set. Errors: MEMORY.
mco_status vrp_rounds_open(vrp_rounds *s);
void vrp_rounds_close(vrp_rounds *s);

// Whether a number of iterations is given. All lengths are then shares of it, and a time limit only cuts the search off.
bool vrp_rounds_counts_steps(const vrp_rounds *s);
// Of all steps that one core will make; the share of all time, or of all steps, that is over.
double vrp_rounds_steps(const vrp_rounds *s);
double vrp_rounds_share(const vrp_rounds *s);
// Whether that share is over; of 1, which a search without an end passes as well, never.
bool vrp_rounds_is_at(const vrp_rounds *s, double share);
// With a number of iterations: how many are left until a share of it; else as many as there can be.
int64_t vrp_rounds_steps_left(const vrp_rounds *s, double share);
bool vrp_rounds_is_over(vrp_rounds *s);

mco_status vrp_rounds_open_tasks(vrp_rounds *s, int32_t count, int32_t customers);
// Tasks [count] without routes; a route of the present solution for task k; their parts completed, nodes numbered in order.
void vrp_rounds_begin_tasks(vrp_rounds *s, int32_t count);
void vrp_rounds_add_route(vrp_rounds *s, int32_t k, int32_t route);
void vrp_rounds_fill_tasks(vrp_rounds *s, int32_t count);
void vrp_rounds_set_temperatures(vrp_task *task, double hot, double cold);
// Steps of each of tasks [count], of which one core does `share` of all that is planned; never more than are left.
void vrp_rounds_plan_steps(vrp_rounds *s, int32_t count, double share, int64_t most);
// Draws seeds, runs tasks [count].
mco_status vrp_rounds_run(vrp_rounds *s, int32_t count);
// The present solution with the routes of tasks [count] instead of those they began with; its cost changes by `change`.
void vrp_rounds_merge(vrp_rounds *s, int32_t count, int64_t change);
// Tells the search of the present solution. Errors: MEMORY.
mco_status vrp_rounds_note(vrp_rounds *s, const char *source);
int32_t vrp_rounds_longest_route(const vrp_rounds *s);
// Draws a seed and packs a task, not of `tasks` alone; *is_found if it now has part.routes routes at most. Errors: MEMORY.
mco_status vrp_rounds_pack(vrp_rounds *s, vrp_task *task, bool *is_found);
// Adds a route to a solution with room.
void vrp_add_route(mco_vrp_solution *solution, const int32_t *customers, int32_t count);

static inline int32_t vrp_route_size(const mco_vrp_solution *solution, int32_t route)
{
    return solution->first[route + 1] - solution->first[route];
}

#endif
