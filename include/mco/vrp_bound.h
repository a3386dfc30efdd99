// SPDX-License-Identifier: MIT
// Lower bounds and proofs for vehicle routing.
//
// No plan costs less than the bound. It comes from the set partitioning program over a relaxation of routes: q-routes without loops
// i-j-i, through-q-routes (Christofides, Mingozzi, Toth 1981), or ng-routes (Baldacci, Mingozzi, Roberti 2011). Cuts raise it. Where
// it meets the cost of a plan, that plan is optimal. Prices are integers, so a bound is a sum of integers. A separate recheck proves it
// again, and the result says what of it was left out (`bound_checked`).
//
// Customers are 0-based, as in mco/vrp.h; nodes are 0..customers with the depot 0.
#ifndef MCO_VRP_BOUND_H
#define MCO_VRP_BOUND_H

#include "mco/vrp.h"
#include "mco/vrp_bound_options.def"

MCO_BEGIN_C

typedef enum mco_vrp_relaxation { MCO_VRP_RELAXATION_Q, MCO_VRP_RELAXATION_THROUGH_Q, MCO_VRP_RELAXATION_NG } mco_vrp_relaxation;
typedef enum mco_vrp_cuts { MCO_VRP_CUTS_NONE, MCO_VRP_CUTS_CAPACITY, MCO_VRP_CUTS_ALL } mco_vrp_cuts;
typedef enum mco_vrp_bound_method { MCO_VRP_BOUND_METHOD_AUTO, MCO_VRP_BOUND_METHOD_LP, MCO_VRP_BOUND_METHOD_ASCENT } mco_vrp_bound_method;

// "q", "through-q" or "ng".
MCO_API const char *mco_vrp_relaxation_text(mco_vrp_relaxation relaxation);

// ---- One pass of a relaxation on the plain costs of the arcs (or on prices)

typedef struct mco_vrp_relax_params {
    size_t struct_size;
    MCO_FIELDS(MCO_VRP_RELAX_OPTIONS)
    const double *price;  // [customers] taken off the cost at each visit, in units of the file; borrowed; NULL: none
} mco_vrp_relax_params;
#define MCO_VRP_RELAX_PARAMS_INIT { sizeof(mco_vrp_relax_params), MCO_DEFAULTS(MCO_VRP_RELAX_OPTIONS) NULL }
MCO_API const mco_option_table *mco_vrp_relax_options(void);

typedef struct mco_vrp_relax_result {
    size_t struct_size;
    mco_stop stop;
    double value;          // through-q: sum over the customers of price + demand * least ratio of value to load, a bound of every
                           // plan's cost; q, ng: the least value of a route. NaN: the pass was stopped
    int32_t *route;        // [route_count] customers of a route that has that value (through-q: of the least ratio); owned
    int32_t route_count;
    int32_t route_load;    // in units of the capacity (mco_vrp_load_scale)
    double route_value;
    int64_t states, transitions;  // cells of the tables; pairs of a cell and a node before it, by the definition of the relaxation
    double pass_s;         // of the pass, transfers included; without opening; the least of params->repeat
    uint64_t digest;       // of all cells of the tables: equal for all engines
    mco_work work;
} mco_vrp_relax_result;
#define MCO_VRP_RELAX_RESULT_INIT MCO_SIZED(mco_vrp_relax_result)

// Runs one pass. Errors: ARGUMENT (also of an instance without customers), LIMIT (tables beyond the memory: both numbers), MEMORY, DEVICE.
MCO_API mco_status mco_vrp_relax(mco_context *ctx, const mco_vrp *problem, const mco_vrp_relax_params *params,
                                 mco_vrp_relax_result *result);
MCO_API void mco_vrp_relax_result_clear(mco_context *ctx, mco_vrp_relax_result *result);
MCO_API mco_status mco_vrp_write_relax(mco_context *ctx, const mco_vrp *problem, const mco_vrp_relax_params *params,
                                       const mco_vrp_relax_result *result, const mco_option_values *more, const char *path);

// ---- The bound

typedef struct mco_vrp_bound_params {
    size_t struct_size;
    MCO_FIELDS(MCO_VRP_BOUND_OPTIONS)
    const mco_vrp_solution *start;  // a plan: its cost is to be proved, its routes are columns; borrowed; NULL: none
} mco_vrp_bound_params;
#define MCO_VRP_BOUND_PARAMS_INIT { sizeof(mco_vrp_bound_params), MCO_DEFAULTS(MCO_VRP_BOUND_OPTIONS) NULL }
MCO_API const mco_option_table *mco_vrp_bound_options(void);

// What a round did: ascent, column generation, capacity cuts, rank-1 cuts, ng sets, enumeration, branching.
typedef enum mco_vrp_bound_stage {
    MCO_VRP_BOUND_ASCENT,
    MCO_VRP_BOUND_COLUMNS,
    MCO_VRP_BOUND_CAPACITY_CUTS,
    MCO_VRP_BOUND_RANK1_CUTS,
    MCO_VRP_BOUND_SETS,
    MCO_VRP_BOUND_ENUMERATION,
    MCO_VRP_BOUND_BRANCHING
} mco_vrp_bound_stage;
MCO_API const char *mco_vrp_bound_stage_text(mco_vrp_bound_stage stage);

typedef struct mco_vrp_bound_round {
    double time_s;
    mco_vrp_bound_stage stage;
    double lp;              // value of the linear program; NaN without one
    double bound;           // proved so far, in units of the file
    int64_t columns, cuts;  // in the program
    int64_t arcs;           // that are left
} mco_vrp_bound_round;

// An arc with its value in the last linear program; an edge, from < to, where distances are symmetric.
typedef struct mco_vrp_support {
    int32_t from, to;  // nodes
    double value;
} mco_vrp_support;

typedef struct mco_vrp_bound_result {
    size_t struct_size;
    mco_outcome outcome;    // OPTIMAL: `solution` meets the bound; FEASIBLE: it does not; UNKNOWN: there is no solution;
                            // NONE_BELOW: there is none, and no plan costs less than params->known; INFEASIBLE: no plan keeps all limits
    mco_stop stop;
    double bound;           // in units of the file; NaN: none. Rounded up to the next cost that a plan can have, with rounded distances
    int64_t scaled_bound;   // bound * mco_vrp_scale(), rounded up; -1: none
    double root_bound;      // of `price`, which holds for all plans: before arcs are removed, enumeration and branching
    double cost;            // of `solution`, or params->known; NaN: neither
    int64_t scaled_cost;    // -1: none
    mco_vrp_solution solution;  // a better or equal plan than params->start; order NULL: none
    bool is_rechecked;      // the separate recheck has proved `root_bound` again; false: it lacked time or memory, or the
                            // least number of routes was raised (bound_checked)
    double *price;          // [customers] in units of the file: the prices of root_bound
    mco_vrp_support *support;   // [support_count]
    int64_t support_count;
    mco_vrp_bound_round *rounds;  // [round_count]
    int64_t round_count;
    int64_t pricings, labels, routes_enumerated, nodes;
    mco_work work;
    mco_improvement *history;   // [history_count] of plans
    int64_t history_count;
    char reason[MCO_REASON_ROOM];
    bool is_bound_rechecked;    // a separate recheck has proved `bound` itself again: removed arcs, enumeration, branching
    char bound_checked[MCO_REASON_ROOM];  // what was rechecked, and why not all of it, one line
    // What was priced in the end: params->relaxation, or q where tables of ng-routes do not fit, or through-q where there were no columns.
    mco_vrp_relaxation relaxation;
    bool used_cores;            // engine auto took a GPU, and passes that it refused ran on the cores: work.engine is CPU then
} mco_vrp_bound_result;
#define MCO_VRP_BOUND_RESULT_INIT MCO_SIZED(mco_vrp_bound_result)

// Proves a bound, and optimality where it can. Engine GPU refuses passes that a GPU has no room for, auto takes the cores for them. When the time is over, the best bound proved so far is the answer. Errors:
// ARGUMENT, LIMIT, MEMORY, DEVICE, IO (method lp without a solver), INTERNAL (the recheck disagrees).
MCO_API mco_status mco_vrp_bound(mco_context *ctx, const mco_vrp *problem, const mco_vrp_bound_params *params,
                                 mco_vrp_bound_result *result);
MCO_API void mco_vrp_bound_result_clear(mco_context *ctx, mco_vrp_bound_result *result);
MCO_API mco_status mco_vrp_write_bound(mco_context *ctx, const mco_vrp *problem, const mco_vrp_bound_params *params,
                                       const mco_vrp_bound_result *result, const mco_option_values *more, const char *path);
// Draws the support over the map (SVG): width and shade of an arc by its value. Errors: IO.
MCO_API mco_status mco_vrp_plot_bound(mco_context *ctx, const mco_vrp *problem, const mco_vrp_bound_result *result, const char *path);

MCO_END_C
#endif
