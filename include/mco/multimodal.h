// SPDX-License-Identifier: MIT
// Earliest arrival in multi-modal, time-dependent networks under an automaton: the word of the labels along a path must belong to a
// regular language, and the cost of an arc depends on when, and in which state of the traveller, the arc is entered.
//
// A search labels pairs (vertex, state) of the product of network and automaton, which is never built. Times are integers, in
// seconds. Every function of time is first in, first out: who leaves later does not arrive earlier. Networks that break
// this are refused, so label-setting searches are exact.
//
//     mco_multimodal *network = NULL;
//     mco_automaton *automaton = NULL;
//     mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
//     mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
//     const mco_multimodal_query query = {.source = 0, .target = 9, .depart = 8 * 3600};
//     if (mco_multimodal_read(ctx, "city.mm", &network) == MCO_OK &&
//         mco_automaton_read(ctx, network, "walk-bus.txt", &automaton) == MCO_OK &&
//         mco_multimodal_find_tree(ctx, network, automaton, &query, &params, &tree) == MCO_OK)
//         printf("%d\n", tree.arrival);
//
// Sources: Barrett, Jacob, Marathe (2000), regular languages; Strappaveccia (2015), chapter 6, the product with travellers' states.
#ifndef MCO_MULTIMODAL_H
#define MCO_MULTIMODAL_H

#include "mco/engine.h"
#include "mco/multimodal_options.def"
#include "mco/paths.h"

MCO_BEGIN_C

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
#define MCO_MULTIMODAL_MAX_LABELS 32
#define MCO_MULTIMODAL_MAX_STATES 32
#define MCO_MULTIMODAL_MAX_PERIOD 604800  // seconds, a week
#define MCO_MULTIMODAL_MAX_FACTOR 7.99    // of a profile
#define MCO_MULTIMODAL_NONE MCO_PATHS_NONE  // no arrival

// ---- Networks

// Vertices, and arcs with a label, a function of time and seconds. Immutable after creation; threads may share it.
typedef struct mco_multimodal mco_multimodal;

// How the cost of an arc with `seconds` depends on the time t at which it is entered.
typedef enum mco_multimodal_kind {
    MCO_MULTIMODAL_CONSTANT,  // seconds
    MCO_MULTIMODAL_PROFILE,   // seconds * speed of the state * factor(t), a periodic piecewise-linear factor
    MCO_MULTIMODAL_HEADWAY,   // wait until the next departure, one every `headway` seconds from `offset` on; then seconds
    MCO_MULTIMODAL_TIMETABLE  // wait until the next departure of a list; then its ride, and seconds
} mco_multimodal_kind;

// A function that any number of arcs share.
typedef struct mco_multimodal_function {
    mco_multimodal_kind kind;
    int32_t count;          // points of PROFILE, departures of TIMETABLE
    const int32_t *time;    // [count] ascending, in [0, period)
    const double *factor;   // [count] PROFILE: above 0, at most MCO_MULTIMODAL_MAX_FACTOR; taken to the nearest 1/4096
    const int32_t *ride;    // [count] TIMETABLE: seconds, 0 or more
    int32_t headway, offset;  // HEADWAY: headway divides the period, offset in [0, headway)
} mco_multimodal_function;

typedef struct mco_multimodal_arcs {
    int64_t count;
    const int32_t *tail, *head;           // [count]
    const int32_t *label;                 // [count] index of a label
    const int32_t *function;              // [count] index of a function
    const int32_t *seconds;               // [count] 0 or more
} mco_multimodal_arcs;

typedef struct mco_multimodal_parts {
    int32_t vertices;
    int32_t period;                       // seconds, after which all functions repeat
    int32_t labels, functions;
    const char *const *label_name;        // [labels]
    const mco_multimodal_function *function;  // [functions]
    mco_multimodal_arcs arcs;
    const double *x, *y;                  // [vertices] or NULL
} mco_multimodal_parts;

// Makes a network; everything is copied. Errors: ARGUMENT (an index out of range; a function that is not first in, first out,
// with the times), LIMIT (label, function and seconds of an arc take more than 32 bits together), MEMORY. O(vertices + arcs +
// period * functions).
MCO_API mco_status mco_multimodal_create(mco_context *ctx, const mco_multimodal_parts *parts, mco_multimodal **out);
MCO_API void mco_multimodal_destroy(mco_context *ctx, mco_multimodal **network);
// Reads and writes a network (docs/formats.md). Errors: IO, PARSE with the place, LIMIT, MEMORY.
MCO_API mco_status mco_multimodal_read(mco_context *ctx, const char *path, mco_multimodal **out);
MCO_API mco_status mco_multimodal_write(mco_context *ctx, const mco_multimodal *network, const char *path);

typedef struct mco_multimodal_facts {
    size_t struct_size;
    int32_t vertices, labels, functions, period;
    int64_t arcs;
} mco_multimodal_facts;
#define MCO_MULTIMODAL_FACTS_INIT MCO_SIZED(mco_multimodal_facts)
MCO_API mco_status mco_multimodal_tell(mco_context *ctx, const mco_multimodal *network, mco_multimodal_facts *facts);

// The name of a label of the network; NULL if there is none. The label of an arc; -1 if there is no such arc.
MCO_API const char *mco_multimodal_label_name(const mco_multimodal *network, int32_t label);
MCO_API int32_t mco_multimodal_label(const mco_multimodal *network, int64_t arc);

// A network as in Strappaveccia (2015), section 6.d: a road network of rows x columns (mco_paths_generate), whose profiles have two
// rush hours, and four random layers of `layer` vertices with headways. Each vertex of a layer has `degree` rides, an arc from
// and to the roads, and mostly one to another layer. Labels: street, avenue, layer1 to layer4, up, down.
typedef struct mco_multimodal_shape {
    int64_t rows, columns;
    int64_t layer[4];
    int64_t degree;
    uint64_t seed;
} mco_multimodal_shape;
MCO_API mco_status mco_multimodal_generate(mco_context *ctx, const mco_multimodal_shape *shape, mco_multimodal **out);

// ---- Automata

// States of a traveller, which labels lead from which to which, and the pace of each state. Immutable.
typedef struct mco_automaton mco_automaton;

// Reads an automaton (docs/formats.md): lines "states A B ...", "start A ...", "final B ...", "move A LABEL B", "pace A FACTOR"
// with the labels of the network; FACTOR multiplies profiles, 1 if not given. Errors: IO, PARSE with the place (no start, no
// final state, an unknown state or label), LIMIT, ARGUMENT (a pace makes a profile not first in, first out), MEMORY.
MCO_API mco_status mco_automaton_read(mco_context *ctx, const mco_multimodal *network, const char *path, mco_automaton **out);
// One of 1 to 8 states for generated networks. All states use streets; state q rides on the first q layers. The label "up" leads to
// the next state, "down" to the one before. State 0 walks; all states are final. Errors: ARGUMENT, MEMORY.
MCO_API mco_status mco_automaton_generate(mco_context *ctx, const mco_multimodal *network, int32_t states, mco_automaton **out);
// Writes an automaton as mco_automaton_read() reads it. Errors: IO.
MCO_API mco_status mco_automaton_write(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                       const char *path);
MCO_API void mco_automaton_destroy(mco_context *ctx, mco_automaton **automaton);
MCO_API int32_t mco_automaton_states(const mco_automaton *automaton);
MCO_API const char *mco_automaton_state_name(const mco_automaton *automaton, int32_t state);

// ---- Searches

typedef struct mco_multimodal_query {
    int32_t source;
    int32_t target;  // -1: the whole network
    int32_t depart;  // seconds, 0 or more
} mco_multimodal_query;

// multimodal_options.def lists the fields, their defaults and their meanings.
typedef struct mco_multimodal_params {
    size_t struct_size;
    MCO_FIELDS(MCO_MULTIMODAL_OPTIONS)
} mco_multimodal_params;
#define MCO_MULTIMODAL_PARAMS_INIT { sizeof(mco_multimodal_params), MCO_DEFAULTS(MCO_MULTIMODAL_OPTIONS) }
MCO_API const mco_option_table *mco_multimodal_options(void);

// One step of a journey.
typedef struct mco_multimodal_step {
    int64_t arc;
    int32_t state;   // behind the arc
    int32_t enter, leave;  // seconds
    int32_t tail, head;    // vertices
} mco_multimodal_step;

typedef struct mco_multimodal_tree {
    size_t struct_size;
    mco_outcome outcome;   // OPTIMAL; INFEASIBLE: no journey to the target; UNKNOWN: a limit or a request ended it
    mco_stop stop;
    int32_t arrival;       // at the target, in its best final state; MCO_MULTIMODAL_NONE: none, or no target
    int32_t states, vertices;
    int32_t *label;        // [vertices * states] arrival at v in state q: label[v * states + q]; only up to the target's
                           // arrival they are exact; owned
    int64_t steps;
    mco_multimodal_step *step;  // [steps] a journey to the target; owned; NULL without a target
    int64_t reached;       // labels
    mco_work work;
} mco_multimodal_tree;
#define MCO_MULTIMODAL_TREE_INIT MCO_SIZED(mco_multimodal_tree)

// Finds the earliest arrivals of a query. MCO_OK means that *tree is valid; trees of the whole network have been certified by
// mco_multimodal_check(), journeys have been walked again. Errors: ARGUMENT, LIMIT (memory), MEMORY, DEVICE, INTERNAL.
MCO_API mco_status mco_multimodal_find_tree(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                            const mco_multimodal_query *query, const mco_multimodal_params *params,
                                            mco_multimodal_tree *tree);
MCO_API void mco_multimodal_tree_clear(mco_context *ctx, mco_multimodal_tree *tree);
// Certifies the labels [vertices * states] of the whole network: start labels, no arc improves any label, and tight arcs reach every
// label from the start. Errors: CHECK with the first fault, MEMORY. O((vertices + arcs) * states).
MCO_API mco_status mco_multimodal_check(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                        const mco_multimodal_query *query, const int32_t *label);

typedef struct mco_multimodal_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    int64_t done;      // queries
    int64_t reached;   // queries with an arrival, or labels of queries without a target
    mco_work work;
} mco_multimodal_result;
#define MCO_MULTIMODAL_RESULT_INIT MCO_SIZED(mco_multimodal_result)

// Finds the arrivals of many queries, arrival [count], the caller's. Queries without a target fill the network and arrive nowhere.
// Every query is certified while its labels are there, on cores and on a GPU, up to the arrival at its target: no arc from a label before
// the arrival improves one before it, and tight arcs from the start hold each. Of Rome (25 M arcs) that takes 0.72 s of a core for 8
// states, a quarter of the search. Errors: also INTERNAL (a certificate fails).
MCO_API mco_status mco_multimodal_find_many(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                            int64_t count, const mco_multimodal_query *query, const mco_multimodal_params *params,
                                            int32_t *arrival, mco_multimodal_result *result);
// Finds the arrivals at a target for departures query->depart + k * step, k = 0 .. count - 1. arrival [count]. Certified as many
// queries are.
MCO_API mco_status mco_multimodal_find_profile(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                               const mco_multimodal_query *query, int32_t step, int64_t count,
                                               const mco_multimodal_params *params, int32_t *arrival, mco_multimodal_result *result);

// ---- Files

// Writes the result file of a query (docs/formats.md). `more`: further options to echo, or NULL. Errors: ARGUMENT, IO.
MCO_API mco_status mco_multimodal_write_result(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                               const mco_multimodal_query *query, const mco_multimodal_params *params,
                                               const mco_multimodal_tree *tree, const mco_option_values *more, const char *path);

MCO_END_C
#endif
