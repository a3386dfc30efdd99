// SPDX-License-Identifier: MIT
// The static membership overlay: peers with limited bandwidth and uptime choose the links that they keep.
//
// Node i is up with probability p_i and has the bandwidth b_i. A link {i, j} that is kept carries a bandwidth x_ij with
// l_ij <= x_ij <= u_ij; the links of node i carry b_i at most. Wanted is the greatest sum of w_ij x_ij, the bandwidth that is to be
// expected: w_ij = p_i p_j, or any weight. Where links may have any bandwidth up to u_ij this is a linear program, a fractional
// b-matching with capacities. Duals of the nodes give an upper bound, whatever they are:
//
//     sum of u_ij max(0, w_ij - d_i - d_j)  +  sum of b_i d_i,     d_i >= 0.
//
// Weights, duals and bounds are integers in units of 2^-32 (times a power of two where weights exceed 1), so bounds are equal on
// every engine, and safe: the figure that is reported is rounded up, and allows for the rounding of uptimes and weights.
//
// Sources: Boschetti, Maniezzo, Roffilli (2011); Strappaveccia (2015), chapter 7.
#ifndef MCO_OVERLAY_H
#define MCO_OVERLAY_H

#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/graph.h"
#include "mco/overlay_options.def"

MCO_BEGIN_C

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
#define MCO_OVERLAY_MAX_NODES 1000000000
#define MCO_OVERLAY_MAX_COMPLETE 1000000        // nodes where all pairs may be linked
#define MCO_OVERLAY_MAX_LINKS ((int64_t)1 << 34)
#define MCO_OVERLAY_MAX_BANDWIDTH 1000000000    // of a node, in units of its last decimal
#define MCO_OVERLAY_MAX_LOAD 2147483647         // sum of the limits u of a node's links, in the same units
#define MCO_OVERLAY_MAX_PLACES 6                // decimals of a bandwidth
#define MCO_OVERLAY_MAX_WEIGHT 1e15             // of a link; so is the least one, below 0

// ---- Instances

// An instance is immutable after creation; threads may share it.
typedef struct mco_overlay mco_overlay;

// Options of the model: what a file leaves open.
typedef struct mco_overlay_model {
    size_t struct_size;
    MCO_FIELDS(MCO_OVERLAY_MODEL_OPTIONS)
} mco_overlay_model;
#define MCO_OVERLAY_MODEL_INIT { sizeof(mco_overlay_model), MCO_DEFAULTS(MCO_OVERLAY_MODEL_OPTIONS) }

// An instance in arrays, which are copied. Bandwidths are integers in any unit.
typedef struct mco_overlay_data {
    int32_t nodes;
    const double *uptime;      // [nodes] in [0, 1]
    const int64_t *bandwidth;  // [nodes] 0 to MCO_OVERLAY_MAX_BANDWIDTH
    int64_t links;             // -1: all pairs
    const int32_t *from, *to;  // [links] two different nodes; a pair stands once
    const double *weight;      // [links] up to MCO_OVERLAY_MAX_WEIGHT; below 0 counts as 0. NULL: products of uptimes
    const int64_t *least;      // [links] NULL: least_of_all
    const int64_t *most;       // [links] NULL: most_of_all
    int64_t least_of_all;
    int64_t most_of_all;       // -1: none
} mco_overlay_data;

// Makes an instance. `name` NULL: "overlay". Errors: ARGUMENT (what is wrong, and where), LIMIT, MEMORY. O(nodes + links log links).
MCO_API mco_status mco_overlay_create(mco_context *ctx, const char *name, const mco_overlay_data *data, mco_overlay **out);
MCO_API void mco_overlay_destroy(mco_context *ctx, mco_overlay **instance);

// Reads an instance from CSV (docs/formats.md); "-" is standard input, files may be compressed by gzip. `model` NULL: nothing is
// given. Errors: ARGUMENT, IO, PARSE with path:line:column, LIMIT, STOPPED, MEMORY. O(bytes).
MCO_API mco_status mco_overlay_read(mco_context *ctx, const char *path, const mco_overlay_model *model, mco_overlay **out);
// Writes it as CSV; "-" is standard output. Links of an instance without all pairs are written with it. Errors: ARGUMENT, IO.
MCO_API mco_status mco_overlay_write(mco_context *ctx, const mco_overlay *instance, const char *path);

typedef struct mco_overlay_generation {
    size_t struct_size;
    MCO_FIELDS(MCO_OVERLAY_GENERATION_OPTIONS)
} mco_overlay_generation;
#define MCO_OVERLAY_GENERATION_INIT { sizeof(mco_overlay_generation), MCO_DEFAULTS(MCO_OVERLAY_GENERATION_OPTIONS) }

// Makes a random instance. The originals are lost; src/overlay/NOTES.md has the rule and what it is calibrated with. Errors:
// ARGUMENT (neither or both of group and nodes, no such group, an impossible degree), LIMIT, MEMORY. O(nodes + links).
MCO_API mco_status mco_overlay_generate(mco_context *ctx, const mco_overlay_generation *generation, mco_overlay **out);

MCO_API const char *mco_overlay_name(const mco_overlay *instance);
MCO_API int32_t mco_overlay_nodes(const mco_overlay *instance);
MCO_API int64_t mco_overlay_links(const mco_overlay *instance);  // possible ones
// The name of a node, which the instance owns; its number from 1, written to `buffer` [16], where it has none.
MCO_API const char *mco_overlay_node_name(const mco_overlay *instance, int32_t node, char buffer[16]);
// Bandwidths of the instance are in units of 1 / this, a power of ten.
MCO_API int64_t mco_overlay_scale(const mco_overlay *instance);

// The options as tables.
MCO_API const mco_option_table *mco_overlay_model_options(void);
MCO_API const mco_option_table *mco_overlay_bound_options(void);
MCO_API const mco_option_table *mco_overlay_generation_options(void);

// ---- Bounds

typedef enum mco_overlay_method {
    MCO_OVERLAY_METHOD_AUTO,  // JUMP, and says so
    MCO_OVERLAY_METHOD_LP,    // the value of the linear program
    MCO_OVERLAY_METHOD_JUMP,  // each node moves 0.6 of the way to the least bound that it alone can reach, with smoothing
    MCO_OVERLAY_METHOD_STD,   // subgradient with a global step
    MCO_OVERLAY_METHOD_DIST   // subgradient of each node with its neighbours' duals frozen, and a local step
} mco_overlay_method;
typedef enum mco_overlay_start { MCO_OVERLAY_START_AUTO, MCO_OVERLAY_START_ZERO, MCO_OVERLAY_START_HALF } mco_overlay_start;
typedef enum mco_overlay_norm { MCO_OVERLAY_NORM_PLAIN, MCO_OVERLAY_NORM_SQUARED } mco_overlay_norm;
typedef enum mco_overlay_step { MCO_OVERLAY_STEP_SIGN, MCO_OVERLAY_STEP_SHARE } mco_overlay_step;
typedef enum mco_overlay_keep { MCO_OVERLAY_KEEP_MEAN, MCO_OVERLAY_KEEP_BEST, MCO_OVERLAY_KEEP_LAST } mco_overlay_keep;

// overlay_options.def lists the fields, their defaults and their meanings.
typedef struct mco_overlay_bound_params {
    size_t struct_size;
    MCO_FIELDS(MCO_OVERLAY_BOUND_OPTIONS)
} mco_overlay_bound_params;
#define MCO_OVERLAY_BOUND_PARAMS_INIT { sizeof(mco_overlay_bound_params), MCO_DEFAULTS(MCO_OVERLAY_BOUND_OPTIONS) }

// What a round of events led to.
typedef struct mco_overlay_round {
    int64_t round;         // its number in the events
    int64_t joins, leaves; // of nodes
    int64_t links;         // that appeared by events of their own
    int32_t nodes;         // that are there
    double bound;          // no overlay of them is worth more
    double worth;          // of the overlay that was repaired
    int64_t kept;          // its links
    double bound_s, overlay_s;  // time for the events and the bound; for the overlay; checks included
} mco_overlay_round;

typedef struct mco_overlay_bound_result {
    size_t struct_size;
    mco_outcome outcome;   // OPTIMAL: the linear program is solved to the gap asked for; FEASIBLE: a bound
    mco_stop stop;
    double bound;          // no overlay is worth more, and no fractional one
    uint64_t exact[2];     // the bound of the instance's rounded weights in units of 2^-32 / scale, low and high word
    double value;          // of a feasible fractional overlay; 0 where no better one is known
    uint32_t *duals;       // [nodes] of the bound, in units of 2^-32 of weight_unit; owned
    double weight_unit;    // 1, or a power of two above the greatest weight
    mco_overlay_method method;
    int64_t iterations;    // done
    int64_t best;          // the iteration whose duals are the answer, from 0
    mco_work work;
    mco_improvement *history;  // [history_count] the bound as it fell; owned
    int64_t history_count;
    mco_overlay_round *rounds; // [round_count] of mco_overlay_follow(), the first one before any event; else NULL; owned
    int64_t round_count;
    char reason[MCO_REASON_ROOM];
    int64_t seed;          // of the shakes in mco_overlay_follow(); else 0
} mco_overlay_bound_result;
#define MCO_OVERLAY_BOUND_RESULT_INIT MCO_SIZED(mco_overlay_bound_result)

// Finds an upper bound. MCO_OK means that *result is valid, whatever the outcome; mco_overlay_bound_result_clear() releases it.
// Errors: ARGUMENT, LIMIT (also: a GPU that was asked for has too little memory), MEMORY, IO (no solver of linear programs), DEVICE.
// O(links) an iteration.
MCO_API mco_status mco_overlay_bound(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *params,
                                     mco_overlay_bound_result *result);
MCO_API void mco_overlay_bound_result_clear(mco_context *ctx, mco_overlay_bound_result *result);

// Recomputes the bound of duals [nodes] from the instance alone. *bound: as in the result. `exact` may be NULL. Errors: ARGUMENT,
// STOPPED (cancelled). O(links).
MCO_API mco_status mco_overlay_check_bound(mco_context *ctx, const mco_overlay *instance, const uint32_t *duals, double *bound,
                                           uint64_t exact[2]);

// ---- Overlays

// Links that are kept. `solution` of mco_progress points to one; it is NULL while the bound is sought, which is the objective then.
typedef struct mco_overlay_solution {
    int32_t *from, *to;   // [count] two different nodes, from 0; a pair stands once
    int64_t *bandwidth;   // [count] in units of the instance
    int64_t count;
} mco_overlay_solution;

MCO_API void mco_overlay_solution_clear(mco_context *ctx, mco_overlay_solution *solution);

// Recomputes the worth of an overlay from the instance alone: every link is possible and within its limits, no node carries more than
// its bandwidth. Errors: ARGUMENT, CHECK (what is wrong, and where). O(sum of the lesser degrees of the ends).
MCO_API mco_status mco_overlay_check(mco_context *ctx, const mco_overlay *instance, const mco_overlay_solution *solution, double *worth);

// Reads an overlay: CSV with the columns from, to, bandwidth, or a result file. *stated: the worth that the file states, else NaN.
// *out takes mco_overlay_solution_clear(). Errors: ARGUMENT, IO, PARSE with the place, LIMIT, MEMORY.
MCO_API mco_status mco_overlay_read_solution(mco_context *ctx, const mco_overlay *instance, const char *path, mco_overlay_solution *out,
                                             double *stated);
// Writes it as CSV. Errors: ARGUMENT, IO.
MCO_API mco_status mco_overlay_write_solution(mco_context *ctx, const mco_overlay *instance, const mco_overlay_solution *solution,
                                              const char *path);

// overlay_options.def lists the fields, their defaults and their meanings.
typedef struct mco_overlay_params {
    size_t struct_size;
    MCO_FIELDS(MCO_OVERLAY_SOLVE_OPTIONS)
} mco_overlay_params;
#define MCO_OVERLAY_PARAMS_INIT { sizeof(mco_overlay_params), MCO_DEFAULTS(MCO_OVERLAY_SOLVE_OPTIONS) }

MCO_API const mco_option_table *mco_overlay_options(void);

typedef struct mco_overlay_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    double worth, bound;            // of the overlay; no overlay is worth more than the bound
    mco_overlay_solution solution;  // owned
    int64_t moves;                  // links that the search changed
    mco_work work;
    mco_improvement *history;       // [history_count] owned
    int64_t history_count;
    char reason[MCO_REASON_ROOM];
} mco_overlay_result;
#define MCO_OVERLAY_RESULT_INIT MCO_SIZED(mco_overlay_result)

// Finds an overlay: a bound first, then links by their reduced weights, then a search that moves bandwidth along chains of links. Up to
// 40 nodes, branch and bound proves it, if the time allows. It ends with a proof, where no chain gains, or at a limit. OPTIMAL: no overlay
// of whole units is worth more, but for the rounding of weights to 32 bits. MCO_OK means that *result is valid, whatever the outcome;
// mco_overlay_result_clear() releases it. Errors: ARGUMENT, LIMIT, MEMORY, DEVICE.
MCO_API mco_status mco_overlay_solve(mco_context *ctx, const mco_overlay *instance, const mco_overlay_params *params,
                                     mco_overlay_result *result);
MCO_API void mco_overlay_result_clear(mco_context *ctx, mco_overlay_result *result);

// ---- Nodes that join and leave

typedef enum mco_overlay_event_kind {
    MCO_OVERLAY_EVENT_JOIN,  // of a node that is not there
    MCO_OVERLAY_EVENT_LEAVE, // of one that is there, with all its links
    MCO_OVERLAY_EVENT_LINK   // becomes possible; not where all pairs are possible links
} mco_overlay_event_kind;

// Nodes have numbers of the caller's: those of the instance 0 .. nodes - 1, others any. A node may leave and join again. Memory is taken
// for all numbers up to the greatest.
typedef struct mco_overlay_event {
    int64_t round;          // events of equal, ascending numbers are one round
    mco_overlay_event_kind kind;
    int32_t node;
    int32_t to;             // LINK: the other end
    double uptime;          // JOIN: in [0, 1]
    int64_t bandwidth;      // JOIN: in units of the instance
    double weight;          // LINK: NaN: the product of both uptimes
    int64_t least, most;    // LINK: limits of its bandwidth; -1: those of all links
} mco_overlay_event;

// Events of an instance.
typedef struct mco_overlay_events {
    mco_overlay_event *list;  // [count] by ascending rounds
    int64_t count;
    char **names;             // [ids] of all nodes, those of the instance first
    int32_t ids;
} mco_overlay_events;

// Reads events from CSV (docs/formats.md); "-" is standard input. Each must be possible after those before it. *out takes
// mco_overlay_events_clear(). Errors: ARGUMENT, IO, PARSE with path:line:column, LIMIT, STOPPED, MEMORY. O(bytes).
MCO_API mco_status mco_overlay_read_events(mco_context *ctx, const mco_overlay *instance, const char *path, mco_overlay_events *out);
// Makes generation->events random events of an instance that the same generation made: one a round, and a join or a leave with equal
// probability. Nodes that join are drawn as those of the instance; in a sparse one they get `degree` links. Errors: ARGUMENT, MEMORY.
MCO_API mco_status mco_overlay_generate_events(mco_context *ctx, const mco_overlay *instance, const mco_overlay_generation *generation,
                                               mco_overlay_events *out);
// Writes them as CSV; "-" is standard output. Errors: ARGUMENT, IO.
MCO_API mco_status mco_overlay_write_events(mco_context *ctx, const mco_overlay *instance, const mco_overlay_events *events, const char *path);
MCO_API void mco_overlay_events_clear(mco_context *ctx, mco_overlay_events *events);

// overlay_options.def lists the fields, their defaults and their meanings.
typedef struct mco_overlay_live_params {
    size_t struct_size;
    MCO_FIELDS(MCO_OVERLAY_LIVE_OPTIONS)
} mco_overlay_live_params;
#define MCO_OVERLAY_LIVE_PARAMS_INIT { sizeof(mco_overlay_live_params), MCO_DEFAULTS(MCO_OVERLAY_LIVE_OPTIONS) }

MCO_API const mco_option_table *mco_overlay_live_options(void);

// A network whose nodes come and go, with its duals and its overlay. One thread at a time may use it; it keeps threads and memory of
// the context.
typedef struct mco_overlay_live mco_overlay_live;

// Opens it with the nodes of an instance: a bound as `bound` says, and an overlay. What `bound` says of processors holds for all rounds;
// its limits, for the first bound. *first: that round; may be NULL. *out takes mco_overlay_live_close(). Errors: as mco_overlay_bound(),
// and STOPPED (cancelled).
MCO_API mco_status mco_overlay_live_open(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *bound,
                                         const mco_overlay_live_params *params, mco_overlay_round *first, mco_overlay_live **out);
MCO_API void mco_overlay_live_close(mco_context *ctx, mco_overlay_live **live);

// Lets events [count] happen, in this order, as one round. The bound goes on from the present duals; the overlay is repaired where its
// nodes left or joined, then searched. Both are checked. `round` of the events is not looked at. After an error the network can only be
// closed. Errors: ARGUMENT (an event that is not possible), LIMIT, MEMORY, STOPPED (cancelled). O(params.sweeps * links).
MCO_API mco_status mco_overlay_live_advance(mco_context *ctx, mco_overlay_live *live, const mco_overlay_event *events, int64_t count,
                                            mco_overlay_round *out);

// The network as it is: an instance of the nodes that are there. All owned.
typedef struct mco_overlay_snapshot {
    mco_overlay *instance;
    int32_t *ids;                  // [nodes] the caller's numbers
    uint32_t *duals;               // [nodes] of the last bound, as those of its result
    mco_overlay_solution overlay;  // by nodes of the instance
} mco_overlay_snapshot;

// Errors: ARGUMENT, MEMORY. O(nodes + links).
MCO_API mco_status mco_overlay_live_take(mco_context *ctx, const mco_overlay_live *live, mco_overlay_snapshot *out);
MCO_API void mco_overlay_snapshot_clear(mco_context *ctx, mco_overlay_snapshot *snapshot);

// Opens a network, and lets all events happen, round by round, until the time limit. bound, value (the worth of the overlay) and rounds of
// the result are those after the last round; its duals are NULL. *last: the network then; may be NULL. Errors: as the functions above;
// events that are not possible leave no result.
MCO_API mco_status mco_overlay_follow(mco_context *ctx, const mco_overlay *instance, const mco_overlay_events *events,
                                      const mco_overlay_bound_params *bound, const mco_overlay_live_params *params,
                                      mco_overlay_bound_result *result, mco_overlay_snapshot *last);

// ---- Pictures (SVG); "-" is standard output

// Draws the kept links: up to 120 nodes on a circle in the order of uptimes, widths by bandwidth; more as a matrix. The overlay is checked
// first. Errors: ARGUMENT, CHECK, IO, MEMORY.
MCO_API mco_status mco_overlay_plot(mco_context *ctx, const mco_overlay *instance, const mco_overlay_result *result, const char *path);
// Draws how the bound fell by time; with rounds, bound, overlay and gap by round. Errors: ARGUMENT, IO.
MCO_API mco_status mco_overlay_plot_bound(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_result *result,
                                          const char *path);

// Writes the mixed-integer program as free MPS or in the LP format of CPLEX: for each link a bandwidth, and a binary where its least
// bandwidth is not 0; least is minus the worth. "-" is standard output. Errors: ARGUMENT, LIMIT (too many columns), IO, MEMORY.
MCO_API mco_status mco_overlay_export(mco_context *ctx, const mco_overlay *instance, bool is_mps, const char *path);

// Write the result files (docs/formats.md). `more`: further options to echo, or NULL. Errors: ARGUMENT, IO.
MCO_API mco_status mco_overlay_write_result(mco_context *ctx, const mco_overlay *instance, const mco_overlay_params *params,
                                            const mco_overlay_result *result, const mco_option_values *more, const char *path);
MCO_API mco_status mco_overlay_write_bound(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *params,
                                           const mco_overlay_bound_result *result, const mco_option_values *more, const char *path);

MCO_END_C
#endif
