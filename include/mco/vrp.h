// SPDX-License-Identifier: MIT
// Vehicle routing with capacities and route lengths (DCVRP). Identical vehicles start and end at a depot. Every
// customer is in one route. No route carries more than the capacity, or is longer than allowed; its length is distances
// and service times. The problem asks for routes of least total distance. If a number of vehicles is given, there are
// at most as many routes.
//
// There are two tools. One is a search: ruin and recreate for any size, with a genetic search up to 500 customers. The
// other evaluates complete 2-opt and 3-opt neighbourhoods of the giant tour after Schulz (2013) and decides every move.
//
// Nodes are 0..customers: 0 is the depot, node k + 1 is customer k. Costs and lengths are integers: distance * scale.
// The scale is 1 with rounded distances.
#ifndef MCO_VRP_H
#define MCO_VRP_H

#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/vrp_options.def"

MCO_BEGIN_C

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
enum {
    MCO_VRP_MAX_CUSTOMERS = 10000000,      // in an instance with coordinates
    MCO_VRP_MAX_MATRIX_CUSTOMERS = 20000,  // in an instance with a matrix
    MCO_VRP_MAX_DISTANCE = 1 << 24,        // between two nodes, scaled
    MCO_VRP_MAX_LENGTH = 1 << 30           // greatest limit of a route, scaled; also of each demand and the capacity
};

// ---- Instance. It is immutable after creation; threads may share it.

typedef struct mco_vrp mco_vrp;

// GEO: metres on a sphere between latitudes and longitudes in decimal degrees, rounded to integers. In GEO files the
// latitude comes first; else y is the latitude and x the longitude.
typedef enum mco_vrp_distances { MCO_VRP_DISTANCES_ROUNDED, MCO_VRP_DISTANCES_REAL, MCO_VRP_DISTANCES_GEO } mco_vrp_distances;

// Values that replace or complete those of a file. MCO_VRP_MODEL_OPTIONS lists them. Lengths are unscaled.
typedef struct mco_vrp_model {
    size_t struct_size;
    MCO_FIELDS(MCO_VRP_MODEL_OPTIONS)
} mco_vrp_model;

#define MCO_VRP_MODEL_INIT { sizeof(mco_vrp_model), MCO_DEFAULTS(MCO_VRP_MODEL_OPTIONS) }
MCO_API const mco_option_table *mco_vrp_model_options(void);

// Creates an instance from distances [(customers + 1)^2] and demands [customers], which are copied. Row i holds the
// distances from node i. Both are at least 0; the diagonal is not read. `model` must give the capacity. Errors:
// ARGUMENT, LIMIT, MEMORY. O(customers^2).
MCO_API mco_status mco_vrp_create(mco_context *ctx, int32_t customers, const int32_t *distances, const int32_t *demands,
                                  const mco_vrp_model *model, mco_vrp **out);
// The same from coordinates x, y [customers + 1], the depot first. Distances are Euclidean, with GEO on a sphere.
// O(customers).
MCO_API mco_status mco_vrp_from_coordinates(mco_context *ctx, int32_t customers, const double *x, const double *y,
                                            const int32_t *demands, const mco_vrp_model *model, mco_vrp **out);

// Reads an instance (docs/formats.md): VRPLIB (TYPE CVRP, ACVRP, DCVRP), or CSV with names. The file may be
// compressed by gzip. "-" is standard input. `model` NULL means the defaults. Errors: IO, PARSE (with
// path:line:column), ARGUMENT (the file does not suit `model`), LIMIT, MEMORY, STOPPED (of the command's time limit). O(size of the file).
MCO_API mco_status mco_vrp_read(mco_context *ctx, const char *path, const mco_vrp_model *model, mco_vrp **out);
// Writes the instance as VRPLIB. "-" is standard output. Demands with decimals are written times mco_vrp_load_scale(), and
// degrees as GEO, which is TSPLIB's rule unless the model says MCO_VRP_DISTANCES_GEO. Errors: IO.
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

// Makes a random instance after Uchoa et al. (2017), on the grid [0, 1000]^2, with rounded distances. With more than
// 200,000 customers the grid grows with the square root of the number of customers. With giant_tour_nodes T, the
// vehicles are limited to M with customers + M + 1 = T, and the capacity is chosen so that cheapest insertion needs at
// most M. Errors: ARGUMENT, LIMIT, MEMORY.
MCO_API mco_status mco_vrp_generate(mco_context *ctx, const mco_vrp_generation *generation, mco_vrp **out);

MCO_API void mco_vrp_destroy(mco_context *ctx, mco_vrp **problem);

MCO_API int32_t mco_vrp_customers(const mco_vrp *problem);
MCO_API int32_t mco_vrp_distance(const mco_vrp *problem, int32_t from, int32_t to);  // between nodes; scaled
MCO_API int32_t mco_vrp_demand(const mco_vrp *problem, int32_t customer);  // times the load scale, as the capacity and loads
MCO_API int32_t mco_vrp_service(const mco_vrp *problem, int32_t customer);  // scaled
MCO_API int32_t mco_vrp_capacity(const mco_vrp *problem);
// A load / load scale is the load in units of the file. A power of ten; 1 where no demand of the file has decimals.
MCO_API int32_t mco_vrp_load_scale(const mco_vrp *problem);
MCO_API int32_t mco_vrp_max_length(const mco_vrp *problem);  // scaled; MCO_VRP_MAX_LENGTH where there is no limit
MCO_API int32_t mco_vrp_vehicles(const mco_vrp *problem);    // 0: any number
MCO_API double mco_vrp_scale(const mco_vrp *problem);        // cost / scale is the cost in units of the file
MCO_API mco_vrp_distances mco_vrp_distance_rule(const mco_vrp *problem);
// Names of the instance and of a customer, as read. The name of an instance without one is that of its file. The name
// of a customer without one is its number from 1, written to `buffer` [16]. Other names are owned by the instance.
MCO_API const char *mco_vrp_name(const mco_vrp *problem);
MCO_API const char *mco_vrp_customer_name(const mco_vrp *problem, int32_t customer, char buffer[16]);
// Whether customers have names; some may still lack one.
MCO_API bool mco_vrp_has_names(const mco_vrp *problem);
// Coordinates of a node, with distances on a sphere latitude and longitude; false if the instance is a matrix without
// coordinates.
MCO_API bool mco_vrp_coordinates(const mco_vrp *problem, int32_t node, double *x, double *y);

// ---- Solutions

// The solution owns its arrays; mco_vrp_solution_clear() releases them.
typedef struct mco_vrp_solution {
    int32_t customers, routes;
    int32_t *order;  // [customers] 0-based customers, route after route, each in order of visit
    int32_t *first;  // [routes + 1] index in `order` where each route begins; first[routes] = customers
} mco_vrp_solution;

// Load, length and cost of one route.
typedef struct mco_vrp_route {
    int64_t load, length, cost;  // all scaled; length: distances and service times
} mco_vrp_route;
MCO_API mco_vrp_route mco_vrp_route_of(const mco_vrp *problem, const mco_vrp_solution *solution, int32_t route);

// Checks a solution. Every customer must be in exactly one route, once. No route may be empty, too heavy or too long.
// There may be no more routes than vehicles. *cost receives the total distance; `cost` may be NULL. Errors: CHECK, with
// the customer or route, the value and what is allowed. O(customers).
MCO_API mco_status mco_vrp_check(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, int64_t *cost);

// Reads a solution from CVRPLIB .sol, CSV, or a result file (docs/formats.md). *cost receives the cost that the file
// states, in units of the file, or NaN. A file that leaves out or repeats a customer is still read; mco_vrp_check()
// finds the fault. Empty routes are dropped. Errors: IO, PARSE with the place, MEMORY.
MCO_API mco_status mco_vrp_read_solution(mco_context *ctx, const mco_vrp *problem, const char *path,
                                         mco_vrp_solution *solution, double *cost);
// Writes a solution as CSV if `path` ends in ".csv", else as CVRPLIB .sol. `path` "-" is standard output. Errors: IO.
MCO_API mco_status mco_vrp_write_solution(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution,
                                          const char *path);
MCO_API void mco_vrp_solution_clear(mco_context *ctx, mco_vrp_solution *solution);

// Draws the routes with their numbers, the depot, and the load of each route as a bar (SVG). If the instance has no
// coordinates, its customers are on a circle. Errors: CHECK (the solution breaks a rule), IO.
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

// vrp_options.def lists the fields, their defaults and their meanings.
typedef struct mco_vrp_params {
    size_t struct_size;
    MCO_FIELDS(MCO_VRP_OPTIONS)
    const mco_vrp_solution *start;  // routes to begin with; borrowed; NULL: none
    MCO_FIELDS(MCO_VRP_PROVE_OPTIONS)
    MCO_FIELDS(MCO_VRP_FLEET_OPTIONS)
} mco_vrp_params;

#define MCO_VRP_PARAMS_INIT { sizeof(mco_vrp_params), MCO_DEFAULTS(MCO_VRP_OPTIONS) NULL, MCO_DEFAULTS(MCO_VRP_PROVE_OPTIONS) \
                              MCO_DEFAULTS(MCO_VRP_FLEET_OPTIONS) }

// Option tables: the options of mco_vrp_solve(), and those of mco_vrp_neighbourhood().
MCO_API const mco_option_table *mco_vrp_solve_options(void);
MCO_API const mco_option_table *mco_vrp_neighbourhood_options(void);

// ---- The search

typedef struct mco_vrp_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    double cost;          // in units of the file, like the bound and the history; NaN while no solution is known
    double bound;         // proved by the exact method or by params->prove; params->lower_bound if that is more; NaN if none is known
    double start_cost;    // of the first solution
    int64_t scaled_cost;  // cost * mco_vrp_scale(), an integer; -1 while no solution is known
    mco_vrp_solution solution;
    int64_t iterations;  // steps; a child of the genetic search counts as many steps as there are customers
    mco_work work;
    mco_improvement *history;  // [history_count]
    int64_t history_count;
    char reason[MCO_REASON_ROOM];  // why there is no solution, one line; "" where there is one or nothing is known
    bool is_bound_rechecked;       // with params->prove: a separate recheck has proved `bound` again, the whole proof
    char bound_checked[MCO_REASON_ROOM];  // what was rechecked of it, and why not all, one line; "": there is no such bound
} mco_vrp_result;

#define MCO_VRP_RESULT_INIT MCO_SIZED(mco_vrp_result)

// Searches for the best routes. MCO_OK means that *result is valid, whatever the outcome; its solution has been
// checked. The outcome is INFEASIBLE only with a proof, and `reason` tells it: a customer that no route can serve, not
// even by the shortest ways; demands beyond the vehicles; or, up to 12 customers, all partitions tried. Up to 12
// customers are decided exactly, so the outcome is OPTIMAL or INFEASIBLE. With params->iterations, or on a GPU, that
// follows only a search that finds nothing. The result is never worse than params->start. With params->prove a bound is
// raised beside the search (mco/vrp_bound.h); each sees what the other finds, and the outcome is OPTIMAL where they meet. With
// params->vehicles_exactly all plans and bounds have that many routes; then the instance must not limit the vehicles. Errors: ARGUMENT, LIMIT,
// MEMORY, DEVICE, INTERNAL.
MCO_API mco_status mco_vrp_solve(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                 mco_vrp_result *result);
MCO_API void mco_vrp_result_clear(mco_context *ctx, mco_vrp_result *result);
// Draws the solution of a result as mco_vrp_plot() does; the title has its gap or "optimal". Errors: also ARGUMENT.
MCO_API mco_status mco_vrp_plot_result(mco_context *ctx, const mco_vrp *problem, const mco_vrp_result *result,
                                       const char *path);
// Writes the result file (docs/formats.md). `more` lists further options to echo and ends with an entry whose table is
// NULL. `more` NULL: none. Errors: ARGUMENT, IO.
MCO_API mco_status mco_vrp_write_result(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                        const mco_vrp_result *result, const mco_option_values *more, const char *path);

// Makes routes by one construction. They may be more than the vehicles, or one of a single customer may be too long, if
// the construction finds nothing better. Errors: ARGUMENT (a customer that provably fits no vehicle), MEMORY.
MCO_API mco_status mco_vrp_construct(mco_context *ctx, const mco_vrp *problem, mco_vrp_construction construction,
                                     mco_vrp_solution *solution);

// ---- Complete neighbourhoods of the giant tour. The tour is all routes one after the other, with the depot before,
// between and behind them. Empty routes at its end fill up the number of vehicles. A tour of T nodes has E = T - 1
// edges. Edge x leads from node x of the tour to node x + 1.

typedef struct mco_vrp_sweep {
    int64_t scaled_cost;  // after the sweep
    int32_t routes;     // not counting empty ones
    int32_t x, y, z, p;  // the first move made; -1 if there is none, and for z, p of 2-opt
    int32_t moves_made;
    int64_t moves, moves_skipped;
    double sweep_s;     // since the end of the sweep before: segment data, evaluation, reduction, execution
    double device_s;
} mco_vrp_sweep;

typedef struct mco_vrp_neighbourhood_result {
    size_t struct_size;
    mco_stop stop;          // FINISHED: a local optimum is reached, or all sweeps are done
    bool is_local_optimum;
    bool is_feasible;       // all rules are kept; else a route is too heavy or too long, or there are too many routes
    int32_t tour_nodes, routes;
    int64_t scaled_start_cost, scaled_cost;
    int32_t start_routes;
    int64_t moves;          // moves whose cost and feasibility are decided
    int64_t moves_skipped;  // moves excluded by a bound, undecided
    mco_vrp_sweep *sweeps;  // [sweep_count]
    int64_t sweep_count;
    double sweeps_s;        // of all sweeps
    mco_vrp_solution solution;
    mco_work work;
} mco_vrp_neighbourhood_result;

#define MCO_VRP_NEIGHBOURHOOD_RESULT_INIT MCO_SIZED(mco_vrp_neighbourhood_result)

// Improves a solution by sweeps of the whole neighbourhood, from params->start or a construction. By default each sweep
// makes the best move. Moves are compared by the number of routes if it exceeds the vehicles (else 0), then by cost,
// then by index. A move cuts the edges x < y, or x < y < z. They divide the tour into A = nodes 0..x, B = x+1..y, C =
// y+1..z and F = z+1.. ; with 2-opt C = y+1.. is the rest. The results of the moves are, with ' for reversed:
//   2-opt: A B' C;   3-opt, p = 0..3: A C B F, A C B' F, A C' B F, A B' C' F.
// The routes of a start may be too heavy or too long, and a construction may make too many routes. is_feasible says
// whether the final solution keeps all rules. Errors: ARGUMENT (a start that leaves out or repeats a customer, a
// customer that fits no vehicle), LIMIT, MEMORY, DEVICE, STOPPED (no first routes in time), INTERNAL.
MCO_API mco_status mco_vrp_neighbourhood(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                         mco_vrp_neighbourhood_result *result);
MCO_API void mco_vrp_neighbourhood_result_clear(mco_context *ctx, mco_vrp_neighbourhood_result *result);
// Writes the result file, as mco_vrp_write_result() does. Its history is the cost after each sweep.
MCO_API mco_status mco_vrp_write_neighbourhood(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params,
                                               const mco_vrp_neighbourhood_result *result, const mco_option_values *more,
                                               const char *path);

MCO_END_C
#endif
