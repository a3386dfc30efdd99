// SPDX-License-Identifier: MIT
// Static traffic assignment: flows on a road network where no traveller finds a cheaper way, or where all together are cheapest.
//
//     mco_traffic *city = NULL;
//     mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
//     mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
//     const mco_traffic_files files = {.network = "SiouxFalls_net.tntp", .trips = "SiouxFalls_trips.tntp"};
//     if (mco_traffic_read(ctx, &files, &city) == MCO_OK &&
//         mco_traffic_assign(ctx, city, &params, NULL, &result) == MCO_OK)
//         printf("%.15g at a gap of %.2g\n", result.objective, result.gap);
//     mco_traffic_result_clear(ctx, &result);
//     mco_traffic_destroy(ctx, &city);
//
// Sources: Wardrop (1952); Beckmann, McGuire, Winsten (1956); Frank, Wolfe (1956); Mitradjieva, Lindberg (2013, conjugate and
// biconjugate directions); Bar-Gera (2010, paired alternative segments); Xie, Xie (2016); Nesterov, de Palma (2003); Jradi (2016).
#ifndef MCO_TRAFFIC_H
#define MCO_TRAFFIC_H

#include "mco/engine.h"
#include "mco/traffic_options.def"

MCO_BEGIN_C

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
#define MCO_TRAFFIC_MAX_NODES INT32_C(50000000)
#define MCO_TRAFFIC_MAX_LINKS INT32_C(200000000)  // and turns
#define MCO_TRAFFIC_MAX_CLASSES 32
#define MCO_TRAFFIC_MAX_ROWS INT32_C(10000000)  // pairs of a class and an origin with trips

// A network with its trips. Immutable after creation; threads may share it.
typedef struct mco_traffic mco_traffic;

// What stands in a street's cost besides its own flow (the twelve types of Jradi 2016). Links are numbered as in mco_traffic_network.
typedef struct mco_traffic_street {
    int32_t type;           // 1 .. 12
    double lanes, signal;   // f > 0; the factor s of a traffic light, 0: none
    int32_t reverse;        // the link z of the other direction, -1: none
    int32_t preferential[2], circulating[3];  // y1, y2 and w1, w2, w3 at its end, -1: none
} mco_traffic_street;

// A turn from a link into a link that leaves its head. It cannot be made if the cost is infinite.
typedef struct mco_traffic_turn {
    int32_t from, to;  // links
    double cost;       // 0 or more; infinity: forbidden
} mco_traffic_turn;

// A network. Arrays are in the order of the file; those that are NULL have zeros, except where a comment says otherwise.
typedef struct mco_traffic_network {
    int32_t nodes, zones;       // zones are the first nodes
    int32_t first_through;      // paths pass through nodes from this one on only, from 0; earlier ones are ends alone
    int32_t links;
    const int32_t *tail, *head;  // [links]
    const double *capacity;      // [links] above 0
    const double *length, *free_time;  // [links] 0 or more
    const double *b, *power;     // [links] 0 or more: BPR, cost = free_time * (1 + b * (flow / capacity) ^ power)
    const double *speed, *toll;  // [links] toll may be negative where the whole cost of the link stays 0 or more
    const int32_t *type;         // [links]
    const mco_traffic_street *street;  // [links] NULL: no street types
    const double *x, *y;         // [nodes] NULL: unknown
    bool is_map;                 // x, y are longitude and latitude in degrees
    const mco_traffic_turn *turns; // [turn_count]
    int64_t turn_count;
} mco_traffic_network;

// The trips of a class of users, by origin. Trips from a zone to itself are kept, counted and never assigned.
typedef struct mco_traffic_class {
    const char *name;
    int64_t *first;             // [zones + 1] entries first[o] .. first[o + 1] - 1 leave zone o
    int32_t *to;                // [first[zones]] zones, ascending in a row, each once
    double *amount;             // [first[zones]] trips, above 0
    double toll_factor, distance_factor;  // -1: those of the call
    double value_of_time;       // money for a unit of cost: toll / value_of_time is added too; 0: toll_factor alone counts
    double car_equivalent;      // a vehicle of the class counts as so many cars, above 0
    double stated_total;        // of the file's header, NaN: none
    double stated_toll_factor, stated_distance_factor;  // of the file's header, NaN: none
} mco_traffic_class;

// Where a network and its trips are. Paths may end in .gz; NULL: there is none.
typedef struct mco_traffic_files {
    const char *network;  // TNTP; GMNS: link.csv, or a folder with it; CSV of streets (docs/formats.md)
    const char *nodes;    // places: a TNTP node file, node.csv
    const char *trips;    // TNTP; CSV: matrix, or rows origin, destination, trips; .omx; or a list of classes (docs/formats.md)
    const char *turns;    // CSV: from, via, to, cost ("no": forbidden); or movements of GMNS. NULL: movement.csv of a GMNS network, if it is there
} mco_traffic_files;

// Makes a network from arrays, which are copied. `classes` [class_count]. Errors: ARGUMENT with the link or the trip, LIMIT, MEMORY.
MCO_API mco_status mco_traffic_create(mco_context *ctx, const char *name, const mco_traffic_network *network, int32_t class_count,
                                      const mco_traffic_class *classes, mco_traffic **out);
// Reads a network and its trips. `trips` NULL: no class and no trips. Parallel links are kept and said, as is every difference
// between a header and what follows it. Errors: ARGUMENT, IO, PARSE with path:line:column, LIMIT, STOPPED, MEMORY. O(bytes).
MCO_API mco_status mco_traffic_read(mco_context *ctx, const mco_traffic_files *files, mco_traffic **out);
MCO_API void mco_traffic_destroy(mco_context *ctx, mco_traffic **traffic);

MCO_API const char *mco_traffic_name(const mco_traffic *traffic);
// Arrays are borrowed.
MCO_API mco_traffic_network mco_traffic_view(const mco_traffic *traffic);
MCO_API int32_t mco_traffic_class_count(const mco_traffic *traffic);
MCO_API const mco_traffic_class *mco_traffic_class_at(const mco_traffic *traffic, int32_t k);
// The name of a node in files: its number unless names are known; `buffer` as in mco_graph_vertex_name().
MCO_API const char *mco_traffic_node_name(const mco_traffic *traffic, int32_t node, char buffer[16]);

// Writes a network as TNTP (.tntp), as a table of streets (.csv), or as GMNS (a folder). Places go into F_node.tntp beside F.tntp or
// F.csv, turns into F_turns.csv, or into turns.csv of the folder. Trips of class k are TNTP, CSV (.csv) or OMX (.omx).
// Errors: ARGUMENT (what the format cannot hold), IO, MEMORY.
MCO_API mco_status mco_traffic_write_network(mco_context *ctx, const mco_traffic *traffic, const char *path);
MCO_API mco_status mco_traffic_write_trips(mco_context *ctx, const mco_traffic *traffic, int32_t k, const char *path);

// Networks by rule; equal shapes give equal networks on every machine. Lengths are metres, speeds km/h, times seconds.
typedef enum mco_traffic_family {
    MCO_TRAFFIC_GRID,     // rows x columns streets in both directions, BPR costs; zones at nodes spread over the grid
    MCO_TRAFFIC_ROAD,     // planar, as MCO_PATHS_ROAD, free speed, lanes and capacity by rule
    MCO_TRAFFIC_STREETS,  // the same with the twelve types of streets and what interacts
    MCO_TRAFFIC_BRAESS    // four nodes
} mco_traffic_family;
#define MCO_TRAFFIC_FAMILY_NAMES "grid|road|streets|braess"
typedef struct mco_traffic_shape {
    mco_traffic_family family;
    int64_t rows, columns;
    int32_t zones;
    int32_t destinations;  // of each zone, drawn at random; as in tables 8.2 to 8.13 of Jradi: 256; 0: all other zones
    double load;           // of grids, roads and streets: about the mean of flow over capacity where all take their shortest path; 0: no
                           // trips. Of BRAESS: 6 trips times it
    uint64_t seed;
} mco_traffic_shape;
// Errors: ARGUMENT (a shape without nodes, more zones than nodes, more destinations than other zones), LIMIT, STOPPED, MEMORY.
// O(nodes + zones * destinations).
MCO_API mco_status mco_traffic_generate(mco_context *ctx, const mco_traffic_shape *shape, mco_traffic **out);

// ---- Parameters and result

typedef enum mco_traffic_objective {
    MCO_TRAFFIC_UE,  // user equilibrium
    MCO_TRAFFIC_SO   // system optimum: equilibrium of marginal costs
} mco_traffic_objective;
typedef enum mco_traffic_method {
    MCO_TRAFFIC_METHOD_AUTO,   // pairs where their memory suffices, else bfw; the log says which and why
    MCO_TRAFFIC_METHOD_PAIRS,
    MCO_TRAFFIC_METHOD_FW,
    MCO_TRAFFIC_METHOD_CFW,
    MCO_TRAFFIC_METHOD_BFW
} mco_traffic_method;
typedef enum mco_traffic_line_search {
    MCO_TRAFFIC_SEARCH_EXACT,  // zero of the derivative; a polynomial where costs are
    MCO_TRAFFIC_SEARCH_GOLDEN,
    MCO_TRAFFIC_SEARCH_FIBONACCI,
    MCO_TRAFFIC_SEARCH_DICHOTOMY
} mco_traffic_line_search;
typedef enum mco_traffic_cost {
    MCO_TRAFFIC_COST_AUTO,
    MCO_TRAFFIC_COST_BPR,      // free_time * (1 + b * (flow / capacity) ^ power)
    MCO_TRAFFIC_COST_CONICAL,  // Spiess (1990); alpha is the power, above 1
    MCO_TRAFFIC_COST_AKCELIK,  // Akcelik (1991); the delay parameter is b
    MCO_TRAFFIC_COST_STREETS   // the twelve types of Jradi (2016); some depend on flows of other links: a variational inequality
} mco_traffic_cost;
typedef enum mco_traffic_capacities { MCO_TRAFFIC_CAPACITIES_SOFT, MCO_TRAFFIC_CAPACITIES_HARD } mco_traffic_capacities;
typedef enum mco_traffic_unreachable { MCO_TRAFFIC_DROP, MCO_TRAFFIC_ARC } mco_traffic_unreachable;

// traffic_options.def lists the fields, their defaults and their meanings.
typedef struct mco_traffic_params {
    size_t struct_size;
    MCO_FIELDS(MCO_TRAFFIC_OPTIONS)
    int wants_state;  // 0 or 1: the method pairs returns the flows of every origin
} mco_traffic_params;
#define MCO_TRAFFIC_PARAMS_INIT { sizeof(mco_traffic_params), MCO_DEFAULTS(MCO_TRAFFIC_OPTIONS) 0 }
MCO_API const mco_option_table *mco_traffic_options(void);

// Flows of every origin, and the pairs of segments that they were balanced with: what a warm start takes.
typedef struct mco_traffic_state mco_traffic_state;

// An iteration: what was known when it ended.
typedef struct mco_traffic_pass {
    double time_s, objective, gap;
} mco_traffic_pass;

// What a checker says about flows.
typedef struct mco_traffic_facts {
    double objective;     // Beckmann's objective; total cost for SO; NaN where costs have no integral
    double total_cost;    // sum of flow * cost, fixed costs and all classes included
    double least_cost;    // sum of trips * least cost at these flows
    double gap;           // relative gap (total_cost - least_cost) / total_cost, of marginal costs for SO; 0 without any cost
    double imbalance;     // greatest |flow out - flow in - trips| of a node
    double excess;        // greatest flow above a hard capacity; 0 for soft ones
} mco_traffic_facts;

typedef struct mco_traffic_result {
    size_t struct_size;
    mco_outcome outcome;   // OPTIMAL: the gap was reached; FEASIBLE: flows with a larger gap; UNKNOWN: none; INFEASIBLE: trips exceed hard capacities
    mco_stop stop;
    double objective, bound;  // no flows have a smaller objective than `bound`; NaN where costs have no integral
    double gap;            // proven, at least that of mco_traffic_check(); hard capacities: of objective and bound, at least the greatest excess by its capacity
    bool is_certified;     // false: time or a signal ended the proof; the gap is the engine's own of its last pass; `bound` holds what was proved
    double total_cost;     // of all travellers by the costs that they pay, for SO too
    int32_t links, classes;
    double *flow;          // [links] cars (a vehicle counts its car equivalent) by the order of the network; owned
    double *class_flow;    // [classes][links] vehicles; NULL if there is one class; owned
    double *cost;          // [links] at these flows, without what a class adds; owned
    double *toll;          // [links] what a traveller costs all others: flow * slope of the cost; hard capacities: the price of the queue; owned.
                           // With the tolls of a system optimum, in the unit of costs, the user equilibrium is that optimum
    double assigned, intrazonal, dropped;  // trips
    int64_t dropped_pairs;
    int32_t artificial_arcs;
    double artificial_trips; // that use one
    int64_t iterations, segment_pairs;
    mco_traffic_method method;  // never AUTO
    mco_traffic_state *state;   // owned; NULL: not wanted, or the method keeps none
    mco_work work;
    mco_traffic_pass *history;  // [history_count] owned
    int64_t history_count;
    char reason[MCO_REASON_ROOM];  // why method and engine were chosen, one line
    double price_of_anarchy;       // total cost of the user equilibrium by that of the system optimum; NaN: not asked for
    double anarchy_gap;            // the larger gap of the two
} mco_traffic_result;
#define MCO_TRAFFIC_RESULT_INIT MCO_SIZED(mco_traffic_result)

// Where an assignment begins. Both may be NULL.
typedef struct mco_traffic_start {
    const mco_traffic_state *state;  // of the same or an edited network
    const double *flow;              // [links] for the Frank-Wolfe family
} mco_traffic_start;

// What class k adds to the cost of a link for a unit of its toll and of its length: by the class, the call, or the header of the trips, in
// this order, and 1 / value of time for tolls. Errors: ARGUMENT (no such class).
MCO_API mco_status mco_traffic_factors(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, int32_t k,
                                       double *toll, double *distance);

// Assigns the trips. `start` NULL: from the empty network. MCO_OK means that *result is valid, whatever the outcome. Flows are equal for
// any number of threads. Errors: ARGUMENT (options that exclude each other), LIMIT (memory, with the bytes needed), MEMORY,
// DEVICE, INTERNAL.
MCO_API mco_status mco_traffic_assign(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                                      const mco_traffic_start *start, mco_traffic_result *result);
MCO_API void mco_traffic_result_clear(mco_context *ctx, mco_traffic_result *result);

// Recomputes everything from flows alone: costs, sums in double-double, least costs by its own search. class_flow [classes][links] is
// needed where there are several classes. Errors: CHECK (a negative flow; an imbalance above 1e-6 of the trips; both with the
// place), ARGUMENT, STOPPED, MEMORY. O(origins * links * log nodes). mco_cancel() ends it; the time limit does not count.
MCO_API mco_status mco_traffic_check(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                                     const double *flow, const double *class_flow, mco_traffic_facts *facts);

// ---- States, flows, and what follows from them

MCO_API mco_status mco_traffic_state_write(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, const char *path);
MCO_API mco_status mco_traffic_state_read(mco_context *ctx, const mco_traffic *traffic, const char *path, mco_traffic_state **out);
MCO_API void mco_traffic_state_clear(mco_context *ctx, mco_traffic_state **state);

// Flows of links as TNTP (.tntp), CSV (.csv) or GeoJSON (.geojson; places are needed). Errors: ARGUMENT, IO.
MCO_API mco_status mco_traffic_write_flows(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_result *result, const char *path);
// Reads TNTP or CSV flows, or a result file. *flow [links] and *class_flow are released by mco_traffic_flows_clear(). Parallel links are
// taken in their order. Errors: IO, PARSE with the place, MEMORY.
MCO_API mco_status mco_traffic_read_flows(mco_context *ctx, const mco_traffic *traffic, const char *path, double **flow,
                                          double **class_flow);
MCO_API void mco_traffic_flows_clear(mco_context *ctx, double **flow, double **class_flow);

// Least costs between zones at given flows, [zones][zones], infinity: no path; the caller's. What is summed along the least-cost path.
// Errors: ARGUMENT, STOPPED (the time limit, mco_cancel()), MEMORY. O(zones * links * log nodes).
typedef enum mco_traffic_skim { MCO_TRAFFIC_SKIM_COST, MCO_TRAFFIC_SKIM_TIME, MCO_TRAFFIC_SKIM_LENGTH, MCO_TRAFFIC_SKIM_TOLL } mco_traffic_skim;
#define MCO_TRAFFIC_SKIM_NAMES "cost|time|length|toll"
MCO_API mco_status mco_traffic_find_skim(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, int32_t k,
                                         const double *flow, mco_traffic_skim what, double *matrix);
// Trips of class k that use a link, by the proportions of the state, [zones][zones], the caller's; and where these trips travel,
// share [links], or NULL. Errors: ARGUMENT, STOPPED (mco_cancel()), MEMORY. O(zones * links).
MCO_API mco_status mco_traffic_select_link(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, int32_t k,
                                           int32_t link, double *matrix, double *share);
// Writes the used paths of the state, with flows that are proportional at every node: CSV with class, origin, destination, flow, nodes. Errors: IO, STOPPED, MEMORY.
MCO_API mco_status mco_traffic_write_paths(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, double least,
                                           const char *path);
// Writes a matrix [zones][zones] as CSV or .omx. Errors: ARGUMENT, IO, STOPPED (mco_cancel()), MEMORY.
MCO_API mco_status mco_traffic_write_matrix(mco_context *ctx, const mco_traffic *traffic, const char *name, const double *matrix,
                                            const char *path);

// ---- Result files and pictures

MCO_API mco_status mco_traffic_write_result(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                                            const mco_traffic_result *result, const mco_option_values *more, const char *path);
// Draws flows (SVG): width by flow, colour by flow over capacity. Without places, the convergence alone. Errors: ARGUMENT, IO.
MCO_API mco_status mco_traffic_plot_flows(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                                          const mco_traffic_result *result, const char *path);
// Draws the gap by time, both in powers of ten.
MCO_API mco_status mco_traffic_plot_history(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_result *result, const char *path);
// Draws after - before: width by the difference, one colour for more and one for less.
MCO_API mco_status mco_traffic_plot_difference(mco_context *ctx, const mco_traffic *traffic, const double *before, const double *after,
                                               const char *path);

MCO_END_C
#endif
