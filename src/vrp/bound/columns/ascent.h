// SPDX-License-Identifier: MIT
// Dual ascent without an LP: prices by subgradients of through-q-routes. Each customer takes the cheapest through-q-route by its share
// of the load (Christofides, Mingozzi, Toth 1981; Baldacci, Christofides, Mingozzi 2008). Steps after Polyak towards a known cost,
// directions deflected.
#ifndef MCO_VRP_BOUND_COLUMNS_ASCENT_H
#define MCO_VRP_BOUND_COLUMNS_ASCENT_H

#include "base/run.h"
#include "vrp/bound/relax/ng.h"

typedef struct vrp_ascent {
    int32_t *price;      // [nodes] even, >= 0 for a metric problem; the best so far; owned
    int64_t bound;       // in units, proved by these prices (vrp_prices_bound with vrp_q_least_route, or by shares: the greater)
    int32_t steps;       // done
    double seconds;
} vrp_ascent;

// Who hears of bounds on the way: at most twice a second, only where one has risen. The bound is in units. An error ends the ascent.
typedef struct vrp_ascent_listener {
    mco_status (*tell)(void *user, int64_t bound);
    void *user;
} vrp_ascent_listener;

// Begins with the multipliers `start` [nodes], [0] unused; NULL: shares of the way to the depot. Runs until `steps` are done, the step has shrunk to nothing, `stop_s` is over or the run must stop. `known`: cost of a plan in
// units, or an estimate. Calls mco_run_raise_bound(run, ...) at the end where `run` is not NULL. `listener`: NULL: none. Errors: MEMORY,
// LIMIT, DEVICE, those of the listener.
mco_status vrp_ascend(mco_context *ctx, const vrp_bound_problem *problem, vrp_q_pass *pass, const int32_t *start, int64_t known,
                      int32_t steps, double stop_s, mco_run *run, const vrp_ascent_listener *listener, vrp_ascent *out);
// The same without the two passes that prove rounded prices: for prices to begin with, or a bound as soon as there is one. Prices are rounded down
// and have any sign.
mco_status vrp_ascend_roughly(mco_context *ctx, const vrp_bound_problem *problem, vrp_q_pass *pass, const int32_t *start, int64_t known,
                              int32_t steps, double stop_s, mco_run *run, vrp_ascent *out);
void vrp_ascent_clear(mco_context *ctx, vrp_ascent *ascent);

#endif
