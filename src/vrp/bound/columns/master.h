// SPDX-License-Identifier: MIT
// Column generation: the linear program over the routes of a relaxation, the customers' rows and the cuts.
//
// The rows are: row 0 the number of routes (least..most), a row a customer (>= 1 where the problem is metric, else = 1), a row a
// cut. The first `nodes` columns are artificial: column i covers customer i at a high cost, column 0 counts as a route. So the program
// has an optimum whatever the routes at hand. Each round solves the program, mixes its duals with the best ones (smoothing; Wentges
// 1997), rounds them to prices and asks a pricer for routes. Each pricing proves a bound (vrp/bound/prices.h); the best is kept with
// its prices.
#ifndef MCO_VRP_BOUND_COLUMNS_MASTER_H
#define MCO_VRP_BOUND_COLUMNS_MASTER_H

#include "base/run.h"
#include "lp/lp.h"
#include "vrp/bound/labels/labels.h"
#include "vrp/bound/relax/ng.h"

typedef struct vrp_master {
    mco_context *ctx;
    mco_run *run;                 // NULL: none
    const vrp_bound_problem *problem;
    mco_lp *lp;
    vrp_routes columns;           // column nodes + k of the program is route k
    vrp_cuts cuts;                // row nodes + k of the program is cut k; their prices are those of `price`
    uint64_t *removed;            // [words of nodes * nodes] arcs that no better plan uses; NULL: none yet
    vrp_q_pass *q;                // the pricer: one of both; owned
    vrp_ng_pass *ng;
    vrp_ng_sets *sets;            // of the relaxation; owned
    vrp_ng_sets *table_sets;      // those of `ng`, each a part of the same set in `sets`: then labels price behind the tables. NULL: `sets`; owned
    int32_t *arcs;                // [nodes * stride] at the last prices
    double lp_value;              // units; of the last program
    double lp_fleet;              // its duals in units: of the number of routes,
    double *lp_customer, *lp_row; // [nodes], [cuts.count]
    double *x;                    // [columns.count] its solution; 0 for routes that came since
    int32_t *price;               // [nodes] the best prices, with those in `cuts`
    int64_t bound;                // the bound that they prove, units, by vrp_worth_of_others(); INT64_MIN: none yet
    int64_t known;                // cost of the best plan known, units; INT64_MAX: none
    double smoothing;             // weight of the best prices; 0.8
    double precision;             // ends when lp_value - bound <= precision * lp_value; 1e-4
    bool limits_length;           // pricing keeps the limit of length (vrp_master_limit_length)
    bool has_artificial;          // an artificial column is in the last solution: no plan of the routes at hand keeps all rows
    bool is_stuck;                // labels have ended early without a route, or a pass has refused the last prices: they prove less than they could
    bool is_started;              // the prices at the begin have been priced, or there are none
    int64_t pricings, labels;     // done
    double lp_s, pricing_s, label_s, cut_s;
    mco_lp_end end;               // of the last program
    double artificial_cost;       // of an artificial column
    // While artificial columns bound the duals (columns/box.c): [nodes] their costs, then [nodes] their values in the last solution; NULL:
    // they cost artificial_cost.
    double *box;
    int32_t *by_load;             // [capacity + 1] the least value of a route of each load in the tables of the last pass
    int32_t threads;              // of labels
    // Called in vrp_master_solve() at most once a second, where `bound` has risen since. An error ends the solve. NULL: none.
    mco_status (*tell)(void *user);
    void *user;
    bool skips_labels;            // rank-1 rows are priced by tables alone: quicker, the bound is weaker, and the program may end too high
    vrp_routes found;             // routes of the last pricing
    int32_t *trial;               // [nodes] prices of the last pricing
    int32_t *row_price;           // [cuts.count] the best prices of cuts, while `cuts` has those of a trial
    double *mixed, *mixed_row;    // [nodes], [cuts.count] smoothed duals
    int32_t *visits;              // [nodes] zeros
    int64_t x_room, row_room;
} vrp_master;

// Opens a master over single-customer routes, the routes of `plan` (NULL: none) and those of `start` (NULL: none; costs are
// recomputed). `price` [nodes] are prices to begin with (NULL: none). It has no pricer yet. O(nodes^2 + visits of the routes), without a look
// at the clock: the caller sees that some 2e-7 s a pair of nodes are left (vrp_root_columns). Errors: MEMORY, IO (no solver).
mco_status vrp_master_open(mco_context *ctx, mco_run *run, const vrp_bound_problem *problem, const vrp_routes *start,
                           const mco_vrp_solution *plan, const int32_t *price, vrp_master *out);
void vrp_master_close(vrp_master *master);
// Makes q-routes or ng-routes with sets of `size` the pricer. Columns that are no such routes leave. Errors: MEMORY, LIMIT, DEVICE;
// then the pricer is the one that was.
mco_status vrp_master_take_q(vrp_master *master, const vrp_relax_settings *settings);
mco_status vrp_master_take_ng(vrp_master *master, const vrp_relax_settings *settings, int32_t size);
// The same with these sets, which are the master's from now on, also where the call fails. Tables hold the first VRP_NG_DENSE members of each.
mco_status vrp_master_take_sets(vrp_master *master, const vrp_relax_settings *settings, vrp_ng_sets *sets);
static inline const vrp_ng_sets *vrp_master_table_sets(const vrp_master *master)
{
    return master->table_sets != NULL ? master->table_sets : master->sets;
}
// Drops columns that have a removed arc or leave the relaxation. Errors: MEMORY.
mco_status vrp_master_drop_columns(vrp_master *master);
// What the routes at some prices are worth. No route has a value below `least`. No route of load q has one below -share * q / the demand of
// all customers, so all routes of a plan together have at least -share.
typedef struct vrp_worth {
    int32_t least;
    int64_t share;   // >= 0
} vrp_worth;

// Runs the pricer on `arcs`. Errors: STOPPED, LIMIT, DEVICE.
mco_status vrp_master_run_pass(vrp_master *master, double stop_s, vrp_worth *worth);
// Behind it, where RANK1 rows have prices: labels raise the worth, and add routes of a value below `below` to `found`. *is_done false: they
// ran out of labels or time. Errors: MEMORY.
mco_status vrp_master_run_labels(vrp_master *master, int32_t below, double stop_s, vrp_worth *worth, bool *is_done);
bool vrp_master_has_rank1(const vrp_master *master);
// Whether labels are needed: rank-1 rows have prices, the length of routes is limited, or sets are larger than those of the tables.
bool vrp_master_wants_labels(const vrp_master *master);
// From now on routes keep the limit of length: labels price, behind the passes, and columns that are too long leave. Nothing changes
// without a limit, or without ng-routes. The bound and its prices stay. Errors: MEMORY.
mco_status vrp_master_limit_length(vrp_master *master, bool limits);
// Labels of one label a node and load, for routes below `below`: they go to `found`. Errors: MEMORY, LIMIT.
mco_status vrp_master_run_quick_labels(vrp_master *master, int32_t below, double stop_s);
// The share of a worth by the tables of the last pass, when no route has a value below `least`. O(capacity).
int64_t vrp_master_share(const vrp_master *master, int32_t least);
// The least that `taken` fewer routes than a plan has can be worth: 0 for all routes of a plan, 1 for all but one.
int64_t vrp_worth_of_others(const vrp_bound_problem *problem, vrp_worth worth, int32_t taken);

// Column generation to `precision`, beyond it where the program exceeds `known` and the bound does not, or until stop_s. MCO_OK at
// both; *is_done says which. Where RANK1 cuts have prices, routes come from labels with the ng tables as completion bounds
// (vrp/bound/labels). It also ends where the bound exceeds `known`, and with `is_stuck` where a pass or labels refuse prices. Errors:
// MEMORY, DEVICE, LIMIT (of the program alone).
mco_status vrp_master_solve(vrp_master *master, double stop_s, bool *is_done);

// Adds cuts that the solution of the program breaks; *found of them. Rows without a price for some rounds leave.
// `least_violation` is in crossings, or in the value of a rank-1 row.
mco_status vrp_master_cut_capacity(vrp_master *master, int32_t most, double least_violation, double stop_s, int32_t *found);
// Drops rows that have had neither a dual nor a price for some rounds.
mco_status vrp_master_drop_idle_cuts(vrp_master *master);
// Rank-1 rows; rows whose memory has grown count as found.
mco_status vrp_master_cut_rank1(vrp_master *master, int32_t most, double least_violation, double stop_s, int32_t *found);
// Adds customers to ng sets, up to `limit` in each, where routes of the program visit a customer twice, and opens the ng pass anew. *found:
// members added; it stops behind `most`. Errors: MEMORY, LIMIT, DEVICE; then the sets are those that were.
mco_status vrp_master_grow_sets(vrp_master *master, const vrp_relax_settings *settings, int32_t limit, int32_t most, int32_t *found);
// Marks arcs in `removed` whose cheapest route at the best prices exceeds `known` - bound (forward and backward tables), drops columns
// that use them. *removed_count of all. Routes of plans cheaper than `known` keep all their arcs. From then on `bound` holds for such
// plans only. Errors: MEMORY, STOPPED (then nothing has changed), LIMIT, DEVICE.
mco_status vrp_master_remove_arcs(vrp_master *master, double stop_s, int64_t *removed_count);
// The greatest value, at the best prices, that a route of a plan cheaper than `known` can have. Runs the pricer at these prices. Errors:
// STOPPED, LIMIT, DEVICE.
mco_status vrp_master_most_value(vrp_master *master, double stop_s, int64_t *most);

// The arcs' values in the last program: x [nodes * nodes], undirected sums at [i * nodes + j] = [j * nodes + i] with a symmetric problem.
void vrp_master_support(const vrp_master *master, double *x);
// The arcs that are left, of nodes * (nodes - 1).
int64_t vrp_master_arcs(const vrp_master *master);

#endif
