// SPDX-License-Identifier: MIT
// q-paths without loops i-j-i, and through-q-routes (Christofides, Mingozzi, Toth 1981).
//
// f(q, i) is the least value of a path from the depot to i of load exactly q without such a loop, p(q, i) the node before i;
// g(q, i) is the least of those whose node before i is another one than p(q, i). A q-route of i adds the arc (i, 0).
// A through-q-route of load q through i joins two paths at i, whose loads add to q + demand(i).
//
// Ties: the node before i with the smaller index wins, in every engine, so tables are equal in every cell.
#ifndef MCO_VRP_BOUND_RELAX_Q_H
#define MCO_VRP_BOUND_RELAX_Q_H

#include <stdatomic.h>

#include "base/team.h"
#include "vrp/bound/routes.h"
#include "vrp/bound/problem.h"

typedef struct vrp_q_pass vrp_q_pass;

typedef struct vrp_relax_settings {
    mco_engine engine;   // REFERENCE, CPU or GPU, settled
    mco_simd simd;
    int32_t threads;     // at least 1
    const atomic_int *threads_now;  // of them, as many may work now; passes look when they begin; NULL: all
    const char *gpus;
    double memory;       // bytes that tables may take
    bool may_use_cores;  // passes that a GPU refuses or cannot open (more nodes than its blocks hold, tables beyond its memory) go to the cores; the log says so
    bool runs_often;     // as of a driver: what a later run could ask for has to fit when a pass is opened
} vrp_relax_settings;

// The threads that may work now: 1..settings->threads.
int32_t vrp_relax_threads(const vrp_relax_settings *settings);
// Opens a team of that many, or none of one, in the place of a team of another number; *size: that of the team. Errors: MEMORY.
mco_status vrp_relax_fit_team(mco_context *ctx, const vrp_relax_settings *settings, mco_team *team, int32_t *size);

// Errors: MEMORY, LIMIT (names the bytes that the tables need and those that may be taken), DEVICE.
mco_status vrp_q_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_relax_settings *settings, vrp_q_pass **out);
void vrp_q_close(mco_context *ctx, vrp_q_pass **pass);
// The engine that computes it: that of the settings, or the cores.
mco_engine vrp_q_engine_in_use(const vrp_q_pass *pass);

// Computes the tables from arcs [nodes * stride] (vrp_prices_arcs). With an asymmetric problem also the tables of the
// transposed arcs: paths from i to the depot. Ends at stop_s or a cancellation with STOPPED, then the tables are void.
// O(nodes^2 capacity). Errors: LIMIT (values that might leave 32 bits), STOPPED, DEVICE.
mco_status vrp_q_run(mco_context *ctx, vrp_q_pass *pass, const int32_t *arcs, double stop_s);

// f(q, i), or VRP_NO_PATH; `backward` only with an asymmetric problem. The tables of a GPU are on the host when a run ends.
int32_t vrp_q_value(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node);
int32_t vrp_q_before(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node);   // p, 0: the depot, -1: no path
int32_t vrp_q_second(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node);   // g
int32_t vrp_q_second_before(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node);

// The least value of a q-route, VRP_NO_PATH where there is none, -VRP_NO_PATH when the stop_s of the run is over: no route is below that.
int32_t vrp_q_least_route(const vrp_q_pass *pass);
// Adds up to `most` q-routes of value < `below`, the best of each last node first (several loads each), to `routes`, with costs
// by problem->cost. Errors: MEMORY, STOPPED (of the run: some routes are missing).
mco_status vrp_q_routes(mco_context *ctx, const vrp_q_pass *pass, int32_t below, int32_t most, vrp_routes *routes);

// For each customer i: value[i] / load[i] is the least ratio of value to load over all through-q-routes through i; of several, that
// of the least load. value[i] is VRP_NO_PATH where no route visits i. The route of that ratio is routes[i - 1] where `routes` is not
// NULL (emptied first; a route of no customer where there is none). Uses the tables of the last run. O(nodes capacity^2).
// Errors: MEMORY, STOPPED.
mco_status vrp_through_ratios(mco_context *ctx, vrp_q_pass *pass, int32_t *value, int32_t *load, vrp_routes *routes, double stop_s);
// psi(q, i) for all q and i: out [(capacity + 1) * nodes], VRP_NO_PATH where there is none.
mco_status vrp_through_table(mco_context *ctx, vrp_q_pass *pass, int32_t *out, double stop_s);

// The same ratios one by one, each with its route node [count], 1 <= count, or count 0 with VRP_NO_PATH. Ends at a status other than
// MCO_OK and returns it.
typedef mco_status vrp_through_visit(void *user, int32_t customer, int32_t value, int32_t load, const int32_t *node, int32_t count);
mco_status vrp_through_each(mco_context *ctx, const vrp_q_pass *pass, vrp_through_visit *visit, void *user, double stop_s);

#endif
