// SPDX-License-Identifier: MIT
// Vehicle routing with capacities and route lengths (DCVRP): identical vehicles start and end at a depot, every customer is
// in one route, no route carries more than the capacity or is longer than allowed (distances and service times). Find routes
// of least total distance, with at most a given number of vehicles where one is given.
//
// Two tools: a search (ruin and recreate, any size; a genetic search up to 500 customers), and complete 2-opt and 3-opt
// neighbourhoods of the giant tour after Schulz (2013), every move of which is decided.
//
// Nodes are 0..customers: 0 is the depot, node k + 1 is customer k. Costs and lengths are integers: distance * scale, where
// scale is 1 with rounded distances.
#ifndef MCO_VRP_H
#define MCO_VRP_H

#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/vrp_options.def"

MCO_BEGIN_C

// ---- Limits, refused with a message that names the value seen and the value allowed.
enum {
    MCO_VRP_MAX_CUSTOMERS = 10000000,      // of an instance with coordinates
    MCO_VRP_MAX_MATRIX_CUSTOMERS = 20000,  // of one with a matrix
    MCO_VRP_MAX_DISTANCE = 1 << 24,        // between two nodes, scaled
    MCO_VRP_MAX_LENGTH = 1 << 30           // of a route where there is a limit, scaled; also of demands and the capacity
};

// ---- Instance: immutable after creation, may be shared between threads.

typedef struct mco_vrp mco_vrp;

typedef enum mco_vrp_distances { MCO_VRP_DISTANCES_ROUNDED, MCO_VRP_DISTANCES_REAL } mco_vrp_distances;

// What replaces, or adds to, what a file says: the table MCO_VRP_MODEL_OPTIONS. Lengths are unscaled.
typedef struct mco_vrp_model {
    size_t struct_size;
    MCO_FIELDS(MCO_VRP_MODEL_OPTIONS)
} mco_vrp_model;

#define MCO_VRP_MODEL_INIT { sizeof(mco_vrp_model), MCO_DEFAULTS(MCO_VRP_MODEL_OPTIONS) }
MCO_API const mco_option_table *mco_vrp_model_options(void);

// From distances, [(customers + 1)^2] row i from node i, at least 0, and demands [customers], at least 0. Copied; the diagonal
// is not read; `model` NULL for the defaults, its capacity has to be given. Errors: ARGUMENT, LIMIT, MEMORY. O(customers^2).
MCO_API mco_status mco_vrp_create(mco_context *ctx, int32_t customers, const int32_t *distances, const int32_t *demands,
                                  const mco_vrp_model *model, mco_vrp **out);
// From coordinates [customers + 1], the depot first, and Euclidean distances. O(customers).
MCO_API mco_status mco_vrp_from_coordinates(mco_context *ctx, int32_t customers, const double *x, const double *y,
                                            const int32_t *demands, const mco_vrp_model *model, mco_vrp **out);

// VRPLIB or TSPLIB (TYPE CVRP, ACVRP, DCVRP), or CSV with names (docs/formats.md); gzip is read directly, "-" is standard
// input. Errors: IO, PARSE (with path:line:column), LIMIT, MEMORY. O(size of the file).
MCO_API mco_status mco_vrp_read(mco_context *ctx, const char *path, const mco_vrp_model *model, mco_vrp **out);
// As VRPLIB; "-" is standard output. Errors: IO.
MCO_API mco_status mco_vrp_write(mco_context *ctx, const mco_vrp *problem, const char *path);

typedef enum mco_vrp_depot { MCO_VRP_DEPOT_CENTRE, MCO_VRP_DEPOT_CORNER, MCO_VRP_DEPOT_RANDOM } mco_vrp_depot;
typedef enum mco_vrp_placement {
    MCO_VRP_PLACEMENT_RANDOM,
    MCO_VRP_PLACEMENT_CLUSTERED,
    MCO_VRP_PLACEMENT_MIXED
} mco_vrp_placement;
typedef enum mco_vrp_demand_type {
    MCO_VRP_DEMAND_UNIT,
    MCO_VRP_DEMAND_1_10,
    MCO_VRP_DEMAND_5_10,
    MCO_VRP_DEMAND_1_100,
    MCO_VRP_DEMAND_50_100,
    MCO_VRP_DEMAND_QUADRANT,   // 51..100 in two opposite quadrants, 1..50 in the others
    MCO_VRP_DEMAND_MANY_SMALL  // most 1..10, some 50..100
} mco_vrp_demand_type;

typedef struct mco_vrp_generation {
    size_t struct_size;
    MCO_FIELDS(MCO_VRP_GENERATE_OPTIONS)
} mco_vrp_generation;

#define MCO_VRP_GENERATION_INIT { sizeof(mco_vrp_generation), MCO_DEFAULTS(MCO_VRP_GENERATE_OPTIONS) }
MCO_API const mco_option_table *mco_vrp_generation_options(void);

// After Uchoa et al. (2017), on the grid [0, 1000]^2, distances rounded. With giant_tour_nodes T, the number of vehicles is
// limited to M and customers + M + 1 = T, where cheapest insertion needs at most M. Errors: ARGUMENT, LIMIT, MEMORY.
MCO_API mco_status mco_vrp_generate(mco_context *ctx, const mco_vrp_generation *generation, mco_vrp **out);

MCO_API void mco_vrp_destroy(mco_context *ctx, mco_vrp **problem);

MCO_API int32_t mco_vrp_customers(const mco_vrp *problem);
MCO_API int32_t mco_vrp_distance(const mco_vrp *problem, int32_t from, int32_t to);  // nodes; scaled
MCO_API int32_t mco_vrp_demand(const mco_vrp *problem, int32_t customer);
MCO_API int32_t mco_vrp_service(const mco_vrp *problem, int32_t customer);  // scaled
MCO_API int32_t mco_vrp_capacity(const mco_vrp *problem);
MCO_API int32_t mco_vrp_max_length(const mco_vrp *problem);  // scaled; MCO_VRP_MAX_LENGTH where there is no limit
MCO_API int32_t mco_vrp_vehicles(const mco_vrp *problem);    // 0: any number
MCO_API double mco_vrp_scale(const mco_vrp *problem);        // a cost in units of the file is cost / scale
MCO_API mco_vrp_distances mco_vrp_distance_rule(const mco_vrp *problem);
// Names as read, or the file's, "1", "2", ... Owned by the instance; a customer's number is written to `buffer` [16] where it
// has no name.
MCO_API const char *mco_vrp_name(const mco_vrp *problem);
MCO_API const char *mco_vrp_customer_name(const mco_vrp *problem, int32_t customer, char buffer[16]);
// Coordinates of a node; false where distances are a matrix without places.
MCO_API bool mco_vrp_coordinates(const mco_vrp *problem, int32_t node, double *x, double *y);

// ---- Solutions

// Arrays are owned by the solution; mco_vrp_solution_clear() releases them.
typedef struct mco_vrp_solution {
    int32_t customers, routes;
    int32_t *order;  // [customers] 0-based customers, route after route, each as visited
    int32_t *first;  // [routes + 1] where each route begins in `order`; first[routes] = customers
} mco_vrp_solution;

// Load, length and cost of one route.
typedef struct mco_vrp_route {
    int64_t load, length, cost;  // length: distances and service times
} mco_vrp_route;
MCO_API mco_vrp_route mco_vrp_route_of(const mco_vrp *problem, const mco_vrp_solution *solution, int32_t route);

// Verifies that every customer is in one route, once, that no route is empty, too heavy or too long, and that there are no
// more routes than vehicles; *cost receives the total distance, NULL is fine. Errors: CHECK, with the customer or route, the
// value and what is allowed. O(customers).
MCO_API mco_status mco_vrp_check(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, int64_t *cost);

// Reads a solution: CVRPLIB .sol, CSV, or a result file (docs/formats.md). *cost receives the cost that the file states, in
// units of the file, NaN if none. What leaves out or repeats a customer is still read: the check finds it. Empty routes are
// dropped. Errors: IO, PARSE with the place, MEMORY.
MCO_API mco_status mco_vrp_read_solution(mco_context *ctx, const mco_vrp *problem, const char *path,
                                         mco_vrp_solution *solution, double *cost);
// As CVRPLIB .sol, or as CSV where the path ends in ".csv". `path` "-" is standard output. Errors: IO.
MCO_API mco_status mco_vrp_write_solution(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution,
                                          const char *path);
MCO_API void mco_vrp_solution_clear(mco_context *ctx, mco_vrp_solution *solution);

// Draws the routes by colour, the depot, and the load of each route as a bar (SVG). An instance without coordinates is drawn
// with its customers on a circle. Errors: CHECK (the solution breaks a rule), IO.
MCO_API mco_status mco_vrp_plot(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, const char *path);

// ---- Parameters

typedef enum mco_vrp_type { MCO_VRP_TYPE_TWO_OPT, MCO_VRP_TYPE_THREE_OPT, MCO_VRP_TYPE_THREE_OPT_COMPLETE } mco_vrp_type;
typedef enum mco_vrp_construction {
    MCO_VRP_CONSTRUCTION_INSERTION,
    MCO_VRP_CONSTRUCTION_SINGLE,
    MCO_VRP_CONSTRUCTION_SAVINGS
} mco_vrp_construction;
typedef enum mco_vrp_improvement_rule { MCO_VRP_IMPROVEMENT_BEST, MCO_VRP_IMPROVEMENT_FIRST } mco_vrp_improvement_rule;
typedef enum mco_vrp_moves { MCO_VRP_MOVES_ONE, MCO_VRP_MOVES_INDEPENDENT } mco_vrp_moves;
typedef enum mco_vrp_filter { MCO_VRP_FILTER_MASK, MCO_VRP_FILTER_COMPACT } mco_vrp_filter;

// Fields, defaults and meanings are the table in vrp_options.def.
typedef struct mco_vrp_params {
    size_t struct_size;
    MCO_FIELDS(MCO_VRP_OPTIONS)
    const mco_vrp_solution *start;  // begin with these routes; borrowed; NULL for none
} mco_vrp_params;

#define MCO_VRP_PARAMS_INIT { sizeof(mco_vrp_params), MCO_DEFAULTS(MCO_VRP_OPTIONS) NULL }

// The options as tables: those of mco_vrp_solve(), those of mco_vrp_neighbourhood().
MCO_API const mco_option_table *mco_vrp_solve_options(void);
MCO_API const mco_option_table *mco_vrp_neighbourhood_options(void);

// ---- The search

typedef struct mco_vrp_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    double cost;          // in units of the file, as the bound and the history; NaN while no solution is known
    double bound;         // params->lower_bound; NaN without one
    double start_cost;    // of the first solution
    int64_t scaled_cost;  // the integer cost * mco_vrp_scale(); -1 while no solution is known
    mco_vrp_solution solution;
    int64_t iterations;  // steps; a child of the genetic search counts as many as there are customers
    mco_work work;
    mco_improvement *history;  // [history_count]
    int64_t history_count;
} mco_vrp_result;

#define MCO_VRP_RESULT_INIT MCO_SIZED(mco_vrp_result)

// MCO_OK means *result is valid, whatever the outcome; its solution has been checked. Customers that fit no vehicle, or are
// farther than a route may be long, make the instance INFEASIBLE, and the log says which. Errors: ARGUMENT, LIMIT, MEMORY,
// DEVICE, INTERNAL. A solution to start from is never made worse.
MCO_API mco_status mco_vrp_solve(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                 mco_vrp_result *result);
MCO_API void mco_vrp_result_clear(mco_context *ctx, mco_vrp_result *result);
// Writes the result file (docs/formats.md). `more`: further options to be echoed, up to the first without a table; NULL: none.
// Errors: ARGUMENT, IO.
MCO_API mco_status mco_vrp_write_result(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                        const mco_vrp_result *result, const mco_option_values *more, const char *path);

// Routes made by one construction; more than the vehicles allow where it finds no better. Errors: ARGUMENT (a customer that
// fits no vehicle), MEMORY.
MCO_API mco_status mco_vrp_construct(mco_context *ctx, const mco_vrp *problem, mco_vrp_construction construction,
                                     mco_vrp_solution *solution);

// ---- Complete neighbourhoods of the giant tour: the routes one after the other, the depot before, between and behind them;
// empty routes at the end up to the number of vehicles. T nodes make E = T - 1 edges. Edge x leads from node x of the tour.

typedef struct mco_vrp_sweep {
    int64_t scaled_cost;  // after it
    int32_t routes;     // that are not empty
    int32_t x, y, z, p;  // the move made, the first of several; -1 where there is none, and z, p of 2-opt
    int32_t moves_made;
    int64_t moves, moves_skipped;
    double sweep_s;     // segment data, evaluation, reduction, execution; from the end of the sweep before
    double device_s;
} mco_vrp_sweep;

typedef struct mco_vrp_neighbourhood_result {
    size_t struct_size;
    mco_stop stop;          // FINISHED: a local optimum or all sweeps
    bool is_local_optimum;
    bool is_feasible;       // the solution keeps all rules; without, a route is too heavy or too long, or vehicles are missing
    int32_t tour_nodes, routes;
    int64_t scaled_start_cost, scaled_cost;
    int32_t start_routes;
    int64_t moves;          // whose cost and feasibility were decided
    int64_t moves_skipped;  // excluded by a bound, undecided
    mco_vrp_sweep *sweeps;  // [sweep_count]
    int64_t sweep_count;
    double sweeps_s;        // of all
    mco_vrp_solution solution;
    mco_work work;
} mco_vrp_neighbourhood_result;

#define MCO_VRP_NEIGHBOURHOOD_RESULT_INIT MCO_SIZED(mco_vrp_neighbourhood_result)

// Best improvement by sweeps of the whole neighbourhood, from params->start or a construction. Moves are compared by the
// number of routes where it exceeds the vehicles (else 0), then cost, then index. Edges x < y (< z) are cut; with
// A = nodes 0..x, B = x+1..y, C = y+1..z, F = z+1.. (2-opt: C = y+1.. is the rest) the results are
//   2-opt: A B' C;   3-opt, p = 0..3: A C B F, A C B' F, A C' B F, A B' C' F;   ' = reversed.
// A start may have routes that are too heavy or too long, and a construction too many of them: is_feasible says whether the
// end keeps all rules. Errors: ARGUMENT (a start that leaves out or repeats a customer, a customer that fits no vehicle),
// LIMIT, MEMORY, DEVICE, INTERNAL.
MCO_API mco_status mco_vrp_neighbourhood(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                         mco_vrp_neighbourhood_result *result);
MCO_API void mco_vrp_neighbourhood_result_clear(mco_context *ctx, mco_vrp_neighbourhood_result *result);
// As mco_vrp_write_result(); its history is the cost after each sweep.
MCO_API mco_status mco_vrp_write_neighbourhood(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                               const mco_vrp_neighbourhood_result *result, const mco_option_values *more,
                                               const char *path);

MCO_END_C
#endif
