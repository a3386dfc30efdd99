// SPDX-License-Identifier: MIT
// The double travelling salesman problem with multiple stacks (Petersen, Madsen 2009): orders are picked up in one city,
// stacked in a container, delivered in another; only what is on top of a stack can be taken, nothing is repacked. Find the
// loading plan and the closed tours of both cities, from depot to depot, whose total length is least.
//
// A loading plan lists the orders of each stack, bottom to top, as they lie when all are picked up. Given the plan, the best
// tours are two independent dynamic programs over the heights of the stacks (Casazza, Ceselli, Nunkesser 2012).
#ifndef MCO_DTSPMS_H
#define MCO_DTSPMS_H

#include "mco/devices.h"
#include "mco/dtspms_options.def"
#include "mco/engine.h"

MCO_BEGIN_C

// ---- Limits, refused with a message that names the value seen and the value allowed.
enum {
    MCO_DTSPMS_MAX_STACKS = 6,
    MCO_DTSPMS_MAX_EXACT_ORDERS = 12,     // of --method exact
    MCO_DTSPMS_MAX_ORDERS = 10000000,     // of an instance with coordinates
    MCO_DTSPMS_MAX_MATRIX_ORDERS = 20000  // of one with matrices
};
// Besides, one order after the other at its greatest distance, with the way from the depot, stays below 2^30 in each network.

// ---- Instance: two networks over the depot and the same orders; immutable after creation, may be shared between threads.

typedef struct mco_dtspms mco_dtspms;

typedef enum mco_dtspms_network { MCO_DTSPMS_NETWORK_PICKUP, MCO_DTSPMS_NETWORK_DELIVERY } mco_dtspms_network;

// From distances, [(orders + 1)^2] each, row i from node i; node 0 is the depot, node k + 1 is order k. Copied; at least 0,
// the diagonal is not read. Errors: ARGUMENT (negative), LIMIT, MEMORY. O(orders^2).
MCO_API mco_status mco_dtspms_create(mco_context *ctx, int32_t orders, const int32_t *pickup, const int32_t *delivery,
                                     mco_dtspms **out);

// From a pair of TSPLIB files, the first node of each the depot, node k of one and the other the same order; or from CSV with
// names and the coordinates of both networks (`delivery` NULL). docs/formats.md; gzip is read directly, "-" is standard
// input. Errors: IO, PARSE (with path:line:column), LIMIT, MEMORY.
MCO_API mco_status mco_dtspms_read(mco_context *ctx, const char *pickup, const char *delivery, mco_dtspms **out);

// Petersen and Madsen's R00 to R19 with any number of orders: the streams of java.util.Random from their seeds.
// Errors: ARGUMENT (no such name), LIMIT, MEMORY. O(orders).
MCO_API mco_status mco_dtspms_named(mco_context *ctx, const char *name, int32_t orders, mco_dtspms **out);
// The same from any two seeds, 0..2^53: x then y of one customer after the other, uniform in [0, 100), depot at (50, 50),
// distances rounded to the nearest integer.
MCO_API mco_status mco_dtspms_generate(mco_context *ctx, int32_t orders, int64_t seed_pickup, int64_t seed_delivery,
                                       mco_dtspms **out);

// The instance with its first `orders` orders alone: the smaller ones of the literature are prefixes of the larger.
// Errors: ARGUMENT (more than it has), MEMORY.
MCO_API mco_status mco_dtspms_prefix(mco_context *ctx, const mco_dtspms *problem, int32_t orders, mco_dtspms **out);

// Writes one network as a TSPLIB file; "-" is standard output. Errors: IO.
MCO_API mco_status mco_dtspms_write(mco_context *ctx, const mco_dtspms *problem, mco_dtspms_network network,
                                    const char *path);

MCO_API void mco_dtspms_destroy(mco_context *ctx, mco_dtspms **problem);

MCO_API int32_t mco_dtspms_orders(const mco_dtspms *problem);
// From node `from` to node `to`, 0..orders, 0 the depot.
MCO_API int32_t mco_dtspms_distance(const mco_dtspms *problem, mco_dtspms_network network, int32_t from, int32_t to);
// Names as read, or the file's, "1", "2", ... Owned by the instance; an order's number is written to `buffer` [16] where it
// has no name.
MCO_API const char *mco_dtspms_name(const mco_dtspms *problem);
MCO_API const char *mco_dtspms_order_name(const mco_dtspms *problem, int32_t order, char buffer[16]);
// Coordinates of node 0..orders; false where the network is a matrix.
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

// A plan with its tours. Arrays are owned by the solution; mco_dtspms_solution_clear releases them.
typedef struct mco_dtspms_solution {
    int32_t orders, stacks;
    int32_t heights[MCO_DTSPMS_MAX_STACKS];  // orders of each stack
    int32_t *plan;      // [orders] 0-based orders, stack after stack, each from bottom to top
    int32_t *pickup;    // [orders] 0-based orders as visited
    int32_t *delivery;  // [orders]
} mco_dtspms_solution;

// Fields, defaults and meanings are the table in dtspms_options.def.
typedef struct mco_dtspms_params {
    size_t struct_size;
    MCO_FIELDS(MCO_DTSPMS_OPTIONS)
    const mco_dtspms_solution *start;  // begin with its plan; its tours are not read; borrowed; NULL for none
} mco_dtspms_params;

#define MCO_DTSPMS_PARAMS_INIT { sizeof(mco_dtspms_params), MCO_DEFAULTS(MCO_DTSPMS_OPTIONS) NULL }

// The options as tables: those of mco_dtspms_solve(), those of mco_dtspms_neighbourhood().
MCO_API const mco_option_table *mco_dtspms_solve_options(void);
MCO_API const mco_option_table *mco_dtspms_neighbourhood_options(void);

// How much was computed.
typedef struct mco_dtspms_counters {
    int64_t tours;          // dynamic programs run, each over one network
    int64_t relaxations;    // F + distance evaluated, by the formula of the README
    int64_t tours_skipped;  // not run: a bound showed that they cannot matter
} mco_dtspms_counters;

typedef struct mco_dtspms_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    int64_t cost;            // -1 while no solution is known
    int64_t cost_of[2];      // of it, pickup and delivery tour
    int64_t bound;           // proven: no solution is shorter
    mco_dtspms_solution solution;
    mco_dtspms_method method;
    int64_t capacity;        // of a stack, as given or found
    int64_t iterations;      // moves of tabu search, steps of all walks, plans of the exact method
    int32_t walks;
    mco_work work;
    mco_dtspms_counters counters;
    mco_improvement *history;  // [history_count]
    int64_t history_count;
} mco_dtspms_result;

#define MCO_DTSPMS_RESULT_INIT MCO_SIZED(mco_dtspms_result)

// The best move of a whole neighbourhood.
typedef struct mco_dtspms_neighbourhood_result {
    size_t struct_size;
    int64_t moves;          // n(n-1)/2 swaps, n(n-1)(n-2)/3 exchanges of three
    int64_t plan_cost;      // of the plan itself
    int64_t capacity;       // of a stack, as given or found
    int64_t best_move;      // lowest index among the best; -1 where there is no move, or it was stopped before its end
    int64_t best_cost, best_cost_of[2];  // -1 without a best move
    int64_t cost_sum;       // over all moves; -1 with reuse or after a stop, where not all are known
    int32_t positions[3];   // of the best move, ascending from 0; -1 for the third of a swap
    int32_t rotation;       // 0: positions p < q < r receive what was at q, r, p; 1: at r, p, q; -1 for a swap
    mco_dtspms_solution solution;  // the plan after it
    mco_work work;
    mco_dtspms_counters counters;
} mco_dtspms_neighbourhood_result;

#define MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT MCO_SIZED(mco_dtspms_neighbourhood_result)

// ---- Solving and checking

// MCO_OK means *result is valid, whatever the outcome; its solution has been checked. A capacity too small for the orders is
// INFEASIBLE, and so said in the log. Errors: ARGUMENT, LIMIT (costs beyond 32 bits, tables beyond memory: the message says
// how much they need), MEMORY, DEVICE, INTERNAL.
MCO_API mco_status mco_dtspms_solve(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                    mco_dtspms_result *result);
MCO_API void mco_dtspms_result_clear(mco_context *ctx, mco_dtspms_result *result);
// Writes the result file (docs/formats.md). `more`: further options to be echoed, up to the first without a table; NULL: none.
// Errors: ARGUMENT, IO.
MCO_API mco_status mco_dtspms_write_result(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                           const mco_dtspms_result *result, const mco_option_values *more, const char *path);

// Evaluates the complete neighbourhood of the plan params->start, or of a random one by params->plan_seed. Positions number
// the orders of the plan, stack after stack, bottom to top. Swaps are pairs p < q in lexicographic order; exchanges are
// triples p < q < r in lexicographic order, for each first rotation 0, then 1. Errors: as mco_dtspms_solve(), and ARGUMENT
// for a capacity too small.
MCO_API mco_status mco_dtspms_neighbourhood(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                            mco_dtspms_neighbourhood_result *result);
MCO_API void mco_dtspms_neighbourhood_result_clear(mco_context *ctx, mco_dtspms_neighbourhood_result *result);
// As mco_dtspms_write_result().
MCO_API mco_status mco_dtspms_write_neighbourhood(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_params *params,
                                                  const mco_dtspms_neighbourhood_result *result,
                                                  const mco_option_values *more, const char *path);

// Verifies that every order is in the plan and in both tours once, that no stack holds more than `capacity` (0: as many as
// the orders need, ceil(orders / stacks)), and that both tours obey last in, first out; *cost and cost_of [2] receive the
// lengths. NULL is fine for either. Errors: CHECK, with the order, the place and what is wrong. O(orders).
MCO_API mco_status mco_dtspms_check(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution,
                                    int64_t capacity, int64_t *cost, int64_t cost_of[2]);

// Reads a solution: a result file, or what mco_dtspms_write_solution() wrote (docs/formats.md). *cost receives the cost that
// the file states, -1 if none. What is no permutation or breaks the rules is still read where it can be: the check finds it.
// Errors: IO, PARSE with the place, MEMORY. mco_dtspms_solution_clear() releases *solution.
MCO_API mco_status mco_dtspms_read_solution(mco_context *ctx, const mco_dtspms *problem, const char *path,
                                            mco_dtspms_solution *solution, int64_t *cost);
// Text: a line per stack and per tour, orders by number 1..n. `path` "-" is standard output. Errors: IO.
MCO_API mco_status mco_dtspms_write_solution(mco_context *ctx, const mco_dtspms *problem,
                                             const mco_dtspms_solution *solution, int64_t cost, const char *path);
MCO_API void mco_dtspms_solution_clear(mco_context *ctx, mco_dtspms_solution *solution);

// Draws both tours side by side, orders and stacks in the colours of the stacks, and the container (SVG). A network without
// coordinates is drawn on a circle in the order of its tour. Errors: CHECK (the solution breaks a rule), IO.
MCO_API mco_status mco_dtspms_plot(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution,
                                   const char *path);

MCO_END_C
#endif
