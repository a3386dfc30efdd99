// SPDX-License-Identifier: MIT
// What the stages of the search share (vrp/search/rounds.c): the present solution, the tasks of a round, and how many
// steps or how much time is left.
#ifndef MCO_VRP_SEARCH_ROUNDS_H
#define MCO_VRP_SEARCH_ROUNDS_H

#include "base/rng.h"
#include "vrp/search/processor.h"
#include "vrp/search/search.h"
#include "vrp/search/temperature.h"
#include "vrp/search/watch.h"
#include "vrp/solution.h"

enum {
    VRP_LONGEST_STRING = 10,   // most customers that a step takes out of a route
    VRP_LONG_ROUTE = 40,       // customers: longer routes are long
    VRP_MOST_STEPS = 1 << 30   // of one task
};

typedef struct vrp_rounds {
    vrp_search *search;
    const mco_vrp *problem;
    vrp_processor *processor;
    int32_t *near;               // [customers * near_count]
    int32_t near_count;
    vrp_task *tasks;             // [task_count]
    int32_t task_count;
    int64_t *before;             // [task_count] cost with which a task began
    int32_t *shown;              // [task_count] by group: the task whose routes are shown in place of its own; -1: none
    int32_t running, groups;     // tasks of the run under way, and how many of them differ; 0: none
    const char *source;          // of solutions of this run
    bool is_asked;               // walks were asked to show their best solutions
    double next_look_s;          // at the walks
    mco_status look_status;
    int32_t *local;              // [nodes] zero
    int32_t *route_of;           // [customers] route in `now`
    int32_t *task_of;            // [customers] by route: the task that has it, -1: none
    double *key;                 // [2 * customers] routes to be sorted
    mco_vrp_solution now, next;  // the present solution, and the memory where the one after it is built
    int64_t now_cost;
    double edge;                 // mean edge of the first solution
    vrp_temperatures temperatures;  // by the first solution
    bool is_wide;                // their range (vrp/search/temperature.h)
    bool ends_together;          // with a time limit the walks of a run end at the same moment, whatever steps they have done
    double rate;                 // steps a second of one task at a time
    int32_t vehicles;            // a solution may have at most so many routes; 0: any number
    vrp_watch watch;             // of what comes before the tasks
    mco_rng rng;
} vrp_rounds;

// The caller has set search, problem and processor. Errors: MEMORY.
mco_status vrp_rounds_open(vrp_rounds *s);
// Makes the lists of neighbours, which all tasks need. Errors: MEMORY, STOPPED.
mco_status vrp_rounds_find_neighbours(vrp_rounds *s);
// The mean distance of a customer to the nearest other one, in the nearer direction; 0 without lists of neighbours.
double vrp_rounds_nearest(const vrp_rounds *s);
void vrp_rounds_close(vrp_rounds *s);

// Whether a number of iterations is given. All lengths are then shares of it, and a time limit only cuts the search
// off.
bool vrp_rounds_counts_steps(const vrp_rounds *s);
// Seconds of the whole search; a search without an end is planned as a short one.
double vrp_rounds_planned_s(const vrp_rounds *s);
// The number of steps planned for one core in the whole search.
double vrp_rounds_steps(const vrp_rounds *s);
// The share of all time, or of all steps, that is over.
double vrp_rounds_share(const vrp_rounds *s);
// Whether the given share is over. False for a share of 1: a search without an end goes on beyond it.
bool vrp_rounds_is_at(const vrp_rounds *s, double share);
// The iterations left until a share of their number; INT64_MAX if no number is given.
int64_t vrp_rounds_steps_left(const vrp_rounds *s, double share);
// Whether the search has to end, or all its iterations are done; search->run.stop then holds the reason.
bool vrp_rounds_is_over(vrp_rounds *s);

// Allocates tasks [count] with room for so many customers, in place of those before. Errors: MEMORY.
mco_status vrp_rounds_open_tasks(vrp_rounds *s, int32_t count, int32_t customers);
// Takes all routes from tasks [count].
void vrp_rounds_begin_tasks(vrp_rounds *s, int32_t count);
// Gives task k a route of the present solution.
void vrp_rounds_add_route(vrp_rounds *s, int32_t k, int32_t route);
// Completes the parts and costs of tasks [count]; nodes get numbers in the order of the routes. `shares` of the tasks share the
// vehicles that are left. False if the search has to end: a task may then lack its lists.
bool vrp_rounds_fill_tasks(vrp_rounds *s, int32_t count, int32_t shares);
// Sets the plan of a task, but for its steps.
void vrp_rounds_set_temperatures(vrp_task *task, double hot, double cold);
// Sets the steps of each of tasks [count], at most `most`, so that a core does `share` of its planned steps in them.
// All tasks together get no more steps than are left.
void vrp_rounds_plan_steps(vrp_rounds *s, int32_t count, double share, int64_t most);
// Draws seeds and runs tasks [count], which began with the costs they have. Task k has the routes of task k % groups, and
// task_of[] of these routes is k % groups. Better solutions are noted under the name `source` while the walks still run.
// Errors: MEMORY, DEVICE.
mco_status vrp_rounds_run(vrp_rounds *s, int32_t count, int32_t groups, const char *source);
// For vrp_processor.ends, with the vrp_rounds as user: looks at the walks, then as vrp_search_ends().
bool vrp_rounds_watch(void *rounds);
// Replaces the routes with which tasks [count] began by their results; the cost of the present solution changes by
// `change`.
void vrp_rounds_merge(vrp_rounds *s, int32_t count, int64_t change);
// Reports the present solution to the search. Errors: MEMORY.
mco_status vrp_rounds_note(vrp_rounds *s, const char *source);
// Makes the best solution of the search the present one, if it is better.
void vrp_rounds_take_best(vrp_rounds *s);
int32_t vrp_rounds_longest_route(const vrp_rounds *s);
// The customers of a route of the present solution, on average.
static inline double vrp_rounds_customers_of_route(const vrp_rounds *s)
{
    return (double)s->problem->customers / s->now.routes;
}
// Draws a seed and packs a task, which need not be one of `tasks`. *is_found if it now has at most part.routes routes.
// Errors: MEMORY.
mco_status vrp_rounds_pack(vrp_rounds *s, vrp_task *task, bool *is_found);
// Adds a route to a solution that has room for it.
void vrp_add_route(mco_vrp_solution *solution, const int32_t *customers, int32_t count);

static inline int32_t vrp_route_size(const mco_vrp_solution *solution, int32_t route)
{
    return solution->first[route + 1] - solution->first[route];
}

#endif
