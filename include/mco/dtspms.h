// SPDX-License-Identifier: MIT
// The double travelling salesman problem with multiple stacks (Petersen, Madsen 2009). A vehicle picks up orders in one
// city, stacks them in a container and delivers them in another city. Only the order on top of a stack can be taken,
// and nothing is repacked. The problem asks for a loading plan and a closed tour in each city, from depot to depot, of
// least total length.
//
// A loading plan lists the orders of each stack, bottom to top, as they lie when all are picked up. Given the plan, two
// independent dynamic programs over the heights of the stacks find the best tours (Casazza, Ceselli, Nunkesser 2012).
#ifndef MCO_DTSPMS_H
#define MCO_DTSPMS_H

#include "mco/devices.h"
#include "mco/dtspms_options.def"
#include "mco/engine.h"

MCO_BEGIN_C

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
enum {
    MCO_DTSPMS_MAX_STACKS = 6,
    MCO_DTSPMS_MAX_EXACT_ORDERS = 12,     // of --method exact
    MCO_DTSPMS_MAX_ORDERS = 10000000,     // in an instance with coordinates
    MCO_DTSPMS_MAX_MATRIX_ORDERS = 20000  // in an instance with matrices
};
// A further limit holds in each network: take the greatest distance from each node, the depot included. Their sum must
// stay below 2^30. It bounds the length of every tour.

// ---- Instance: two networks over a depot and the same orders. It is immutable after creation; threads may share it.

typedef struct mco_dtspms mco_dtspms;

typedef enum mco_dtspms_network { MCO_DTSPMS_NETWORK_PICKUP, MCO_DTSPMS_NETWORK_DELIVERY } mco_dtspms_network;

// Creates an instance from two distance matrices [(orders + 1)^2], which are copied. Row i holds the distances from
// node i. Node 0 is the depot, node k + 1 is order k. Distances are at least 0; the diagonal is not read. Errors:
// ARGUMENT (a negative distance), LIMIT, MEMORY. O(orders^2).
MCO_API mco_status mco_dtspms_create(mco_context *ctx, int32_t orders, const int32_t *pickup, const int32_t *delivery,
                                     mco_dtspms **out);

// Reads an instance (docs/formats.md). Either both paths name TSPLIB files: the first node of each file is the depot,
// and the k-th node of both files is the same order. Or `pickup` names a CSV file with names and the coordinates of
// both networks, and `delivery` is NULL. Files may be compressed by gzip. "-" is standard input. Errors: IO, PARSE
// (with path:line:column), LIMIT, MEMORY.
MCO_API mco_status mco_dtspms_read(mco_context *ctx, const char *pickup, const char *delivery, mco_dtspms **out);

// Makes one of Petersen and Madsen's instances R00 to R19, with any number of orders. They come from java.util.Random
// with the published seeds. Errors: ARGUMENT (no such name), LIMIT, MEMORY. O(orders).
MCO_API mco_status mco_dtspms_named(mco_context *ctx, const char *name, int32_t orders, mco_dtspms **out);
// The same from any two seeds, 0..2^53. Each network draws x and y of one order after the other, uniform in [0, 100).
// The depot is at (50, 50). Distances are rounded to the nearest integer.
MCO_API mco_status mco_dtspms_generate(mco_context *ctx, int32_t orders, int64_t seed_pickup, int64_t seed_delivery,
                                       mco_dtspms **out);

// Makes a new instance from the first `orders` orders of `problem`. The smaller instances of the literature are such
// prefixes of the larger ones. Errors: ARGUMENT (more orders than `problem` has), MEMORY.
MCO_API mco_status mco_dtspms_prefix(mco_context *ctx, const mco_dtspms *problem, int32_t orders, mco_dtspms **out);

// Writes one network as a TSPLIB file; "-" is standard output. Errors: IO.
MCO_API mco_status mco_dtspms_write(mco_context *ctx, const mco_dtspms *problem, mco_dtspms_network network,
                                    const char *path);

MCO_API void mco_dtspms_destroy(mco_context *ctx, mco_dtspms **problem);

MCO_API int32_t mco_dtspms_orders(const mco_dtspms *problem);
// Distance from node `from` to node `to`. Nodes are 0..orders; 0 is the depot.
MCO_API int32_t mco_dtspms_distance(const mco_dtspms *problem, mco_dtspms_network network, int32_t from, int32_t to);
// Names of the instance and of an order, as read. The name of an instance without one is that of its file. The name of
// an order without one is its number from 1, written to `buffer` [16]. Other names are owned by the instance.
MCO_API const char *mco_dtspms_name(const mco_dtspms *problem);
MCO_API bool mco_dtspms_has_names(const mco_dtspms *problem);  // whether some order has a name
MCO_API const char *mco_dtspms_order_name(const mco_dtspms *problem, int32_t order, char buffer[16]);
// Coordinates of a node 0..orders; false if the network is a matrix.
MCO_API bool mco_dtspms_coordinates(const mco_dtspms *problem, mco_dtspms_network network, int32_t node, double *x, double *y);

// ---- Parameters

typedef enum mco_dtspms_method {
    MCO_DTSPMS_METHOD_AUTO,
    MCO_DTSPMS_METHOD_TABU,
    MCO_DTSPMS_METHOD_ILS,
    MCO_DTSPMS_METHOD_EXACT
} mco_dtspms_method;
typedef enum mco_dtspms_move { MCO_DTSPMS_MOVE_SWAP, MCO_DTSPMS_MOVE_EXCHANGE } mco_dtspms_move;
typedef enum mco_dtspms_reuse { MCO_DTSPMS_REUSE_OFF, MCO_DTSPMS_REUSE_ON } mco_dtspms_reuse;

// A loading plan with its tours. The solution owns its arrays; mco_dtspms_solution_clear() releases them.
typedef struct mco_dtspms_solution {
    int32_t orders, stacks;
    int32_t heights[MCO_DTSPMS_MAX_STACKS];  // number of orders in each stack
    int32_t *plan;      // [orders] 0-based orders, stack after stack, each from bottom to top
    int32_t *pickup;    // [orders] 0-based orders as the pickup tour visits them
    int32_t *delivery;  // [orders] 0-based orders as the delivery tour visits them
} mco_dtspms_solution;

// dtspms_options.def lists the fields, their defaults and their meanings.
typedef struct mco_dtspms_params {
    size_t struct_size;
    MCO_FIELDS(MCO_DTSPMS_OPTIONS)
    const mco_dtspms_solution *start;  // the plan to begin with, its tours are not read; borrowed; NULL: none
} mco_dtspms_params;

#define MCO_DTSPMS_PARAMS_INIT { sizeof(mco_dtspms_params), MCO_DEFAULTS(MCO_DTSPMS_OPTIONS) NULL }

// Option tables: the options of mco_dtspms_solve(), and those of mco_dtspms_neighbourhood().
MCO_API const mco_option_table *mco_dtspms_solve_options(void);
MCO_API const mco_option_table *mco_dtspms_neighbourhood_options(void);

// How much was computed.
typedef struct mco_dtspms_counters {
    int64_t tours;          // dynamic programs that ran, each over one network
    int64_t relaxations;    // sums F + distance evaluated, by the formula in src/dtspms/README.md
    int64_t tours_skipped;  // dynamic programs left out, because a bound shows that they cannot matter
} mco_dtspms_counters;

typedef struct mco_dtspms_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    int64_t cost;            // -1 while no solution is known
    int64_t cost_of[2];      // of the pickup tour and of the delivery tour
    int64_t bound;           // proven: no solution is shorter
    mco_dtspms_solution solution;
    mco_dtspms_method method;
    int64_t capacity;        // of a stack: the one given, or the least one that holds all orders
    int64_t iterations;      // tabu: moves; ils: steps of all walks; exact: plans
    int32_t walks;           // of ils; 0 with other methods
    mco_work work;
    mco_dtspms_counters counters;
    mco_improvement *history;  // [history_count]
    int64_t history_count;
    char reason[MCO_REASON_ROOM];  // why there is no solution, one line; "" where there is one or nothing is known
} mco_dtspms_result;

#define MCO_DTSPMS_RESULT_INIT MCO_SIZED(mco_dtspms_result)

// The best move of a whole neighbourhood.
typedef struct mco_dtspms_neighbourhood_result {
    size_t struct_size;
    int64_t moves;          // n(n-1)/2 swaps, n(n-1)(n-2)/3 exchanges of three
    int64_t plan_cost;      // of the plan itself; -1 if a stop came before it was known
    int64_t capacity;       // of a stack: the one given, or the least one that holds all orders
    int64_t best_move;      // lowest index among the best; -1 if there is no move, or after a stop
    int64_t best_cost, best_cost_of[2];  // -1 if there is no best move
    int64_t cost_sum;       // over all moves; -1 with reuse or after a stop, because some costs are unknown then
    int32_t positions[3];   // of the best move, ascending from 0; -1 for the third of a swap
    int32_t rotation;       // 0: positions p < q < r get the orders from q, r, p; 1: from r, p, q; -1 for a swap
    mco_dtspms_solution solution;  // the plan after the best move
    mco_work work;
    mco_dtspms_counters counters;
    mco_stop stop;          // FINISHED, TIME or CANCELLED
} mco_dtspms_neighbourhood_result;

#define MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT MCO_SIZED(mco_dtspms_neighbourhood_result)

// ---- Solving and checking

// Searches for the best solution. MCO_OK means that *result is valid, whatever the outcome; its solution has been
// checked. If the capacity is too small for the orders, the outcome is INFEASIBLE and the log says why. Errors:
// ARGUMENT, LIMIT (costs beyond 32 bits, or tables beyond memory: the message says how much they need), MEMORY, DEVICE,
// INTERNAL.
MCO_API mco_status mco_dtspms_solve(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                    mco_dtspms_result *result);
MCO_API void mco_dtspms_result_clear(mco_context *ctx, mco_dtspms_result *result);
// Writes the result file (docs/formats.md). `more` lists further options to echo and ends with an entry whose table is
// NULL. `more` NULL: none. Errors: ARGUMENT, IO.
MCO_API mco_status mco_dtspms_write_result(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                           const mco_dtspms_result *result, const mco_option_values *more, const char *path);

// Evaluates the complete neighbourhood of the plan params->start, or of a random plan made from params->plan_seed.
// Positions number the orders of the plan, stack after stack, bottom to top. Swaps are the pairs p < q in lexicographic
// order. Exchanges are the triples p < q < r in lexicographic order; each triple gives rotation 0, then rotation 1.
// Errors: as mco_dtspms_solve(), and ARGUMENT if the capacity is too small.
MCO_API mco_status mco_dtspms_neighbourhood(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                            mco_dtspms_neighbourhood_result *result);
MCO_API void mco_dtspms_neighbourhood_result_clear(mco_context *ctx, mco_dtspms_neighbourhood_result *result);
// Writes the result file of a neighbourhood, as mco_dtspms_write_result() does.
MCO_API mco_status mco_dtspms_write_neighbourhood(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                                  const mco_dtspms_neighbourhood_result *result,
                                                  const mco_option_values *more, const char *path);

// Checks a solution. Every order must be in the plan and in both tours exactly once. No stack may hold more than
// `capacity` orders; 0 means ceil(orders / stacks). Both tours must obey last in, first out. *cost receives the total
// length and cost_of [2] the lengths of the two tours; either may be NULL. Errors: CHECK, with the order, the place and
// what is wrong. O(orders).
MCO_API mco_status mco_dtspms_check(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution,
                                    int64_t capacity, int64_t *cost, int64_t cost_of[2]);

// Reads a solution from a result file or from a file that mco_dtspms_write_solution() wrote (docs/formats.md). *cost
// receives the cost that the file states, or -1. A solution that breaks the rules is read as far as possible;
// mco_dtspms_check() finds the fault. mco_dtspms_solution_clear() releases *solution. Errors: IO, PARSE with the place,
// MEMORY.
MCO_API mco_status mco_dtspms_read_solution(mco_context *ctx, const mco_dtspms *problem, const char *path,
                                            mco_dtspms_solution *solution, int64_t *cost);
// Writes a solution as text: a line per stack and per tour, with orders as numbers 1..n. `path` "-" is standard output.
// Errors: IO.
MCO_API mco_status mco_dtspms_write_solution(mco_context *ctx, const mco_dtspms *problem,
                                             const mco_dtspms_solution *solution, int64_t cost, const char *path);
MCO_API void mco_dtspms_solution_clear(mco_context *ctx, mco_dtspms_solution *solution);

// Draws both tours side by side, and the container (SVG). Orders and stacks have the colours of the stacks. A network
// without coordinates is drawn on a circle, in the order of its tour. Errors: CHECK (the solution breaks a rule), IO.
MCO_API mco_status mco_dtspms_plot(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution,
                                   const char *path);
// The same of a result: the title has its gap or "optimal", and the container is as high as its capacity. Errors: also
// ARGUMENT (the result has no solution).
MCO_API mco_status mco_dtspms_plot_result(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_result *result,
                                          const char *path);

MCO_END_C
#endif
