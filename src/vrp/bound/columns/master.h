// SPDX-License-Identifier: MIT
// Column generation: the linear program over the routes of a relaxation, the customers' rows and the cuts.
//
// The rows are: a row a customer (>= 1 where the problem is metric, else = 1), a row of the number of routes (least..most), a row a
// cut. Each round solves the program over the columns at hand, mixes its duals with the best ones (smoothing; Wentges 1997), rounds
// them to prices and asks a pricer for routes. Each pricing proves a bound (vrp/bound/prices.h); the best is kept with its prices.
#ifndef MCO_VRP_BOUND_COLUMNS_MASTER_H
#define MCO_VRP_BOUND_COLUMNS_MASTER_H

#include "base/run.h"
#include "lp/lp.h"
#include "mco/vrp_bound.h"
#include "vrp/bound/labels/labels.h"
#include "vrp/bound/relax/ng.h"

typedef struct vrp_master {
    mco_context *ctx;
    mco_run *run;                 // NULL: none
    const vrp_bound_problem *problem;
    mco_lp *lp;
    vrp_routes columns;           // column k of the program is route k
    vrp_cuts cuts;                // row nodes + k of the program is cut k; their prices are those of `price`
    uint64_t *removed;            // [words of nodes * nodes] arcs that no better plan uses; NULL: none yet
    vrp_q_pass *q;                // the pricer: one of both
    vrp_ng_pass *ng;
    vrp_ng_sets *sets;            // of `ng`
    int32_t *arcs;                // [nodes * stride] at the last prices
    double lp_value;              // units; of the last program
    double *lp_customer, *lp_row; // [nodes], [cuts.count] its duals in units
    int32_t *price;               // [nodes] the best prices, with those in `cuts`
    int64_t bound;                // the bound that they prove, units; INT64_MIN: none yet
    int64_t known;                // cost of the best plan known, units; INT64_MAX: none
    double smoothing;             // 0.8
    double precision;             // ends when lp_value - bound <= precision * lp_value; 1e-4
    mco_vrp_bound_round *rounds;  // [round_count] for the result
    int64_t round_count, round_room;
    int64_t pricings, labels;     // done
    double lp_s, pricing_s, cut_s;
    mco_lp_end end;               // of the last program
} vrp_master;

// Opens a master over single-customer routes, the routes of `plan` (NULL: none) and those of `start` (NULL: none; costs are
// recomputed). `price` [nodes] are prices to begin with (NULL: none). Errors: MEMORY, IO (no solver).
mco_status vrp_master_open(mco_context *ctx, mco_run *run, const vrp_bound_problem *problem, const vrp_routes *start,
                           const mco_vrp_solution *plan, const int32_t *price, vrp_master *out);
void vrp_master_close(vrp_master *master);

// Column generation to `precision`, or until stop_s. MCO_OK at both; *is_done says which. Where RANK1 cuts have prices, routes come
// from labels with the ng tables as completion bounds (vrp/bound/labels). Errors: MEMORY, LIMIT, DEVICE.
mco_status vrp_master_solve(vrp_master *master, double stop_s, bool *is_done);

// Adds cuts that the solution of the program breaks; *found of them. Rows without a price for some rounds leave.
mco_status vrp_master_cut_capacity(vrp_master *master, int32_t most, double least_violation, double stop_s, int32_t *found);
mco_status vrp_master_cut_rank1(vrp_master *master, int32_t most, double least_violation, double stop_s, int32_t *found);
// Adds customers to ng sets where routes of the program visit a customer twice; opens the ng pass anew. *found: pairs added.
mco_status vrp_master_grow_sets(vrp_master *master, const vrp_relax_settings *settings, int32_t most, int32_t *found);
// Marks arcs in `removed` whose cheapest route at the best prices exceeds `known` - bound (forward and backward tables), drops columns
// that use them. *removed_count of all. Routes of plans cheaper than `known` keep all their arcs.
mco_status vrp_master_remove_arcs(vrp_master *master, int64_t *removed_count);

// The arcs' values in the last program: x [nodes * nodes], undirected sums at [i * nodes + j] = [j * nodes + i] with a symmetric problem.
void vrp_master_support(const vrp_master *master, double *x);

#endif
