// SPDX-License-Identifier: MIT
// What engines solve: a network whose options are settled. Turns are arcs, trips without a path are gone or have artificial arcs,
// factors are in the costs, and cars are the unit of all flows.
//
// A row is an origin of a class. All rows of a class follow each other. A link costs traffic_cost(total flow) + extra[class][link].
// With flows in cars (vehicles * car equivalent) this has the potential sum of integrals + sum over classes of extra * flow, so the
// least potential is the equilibrium of all classes.
//
// Nodes below first_through are ends: a path begins or ends there and never passes through.
//
// A node with turns that cost or are banned is split: each link into it ends at a node of its own, each link out of it begins at one,
// and arcs join those that a path may join. Such nodes stand behind those of the network. Trips begin at the zone itself and end
// at its sink, so nobody passes through a zone to avoid a turn.
#ifndef MCO_TRAFFIC_PROBLEM_H
#define MCO_TRAFFIC_PROBLEM_H

#include "base/context.h"
#include "mco/traffic.h"
#include "traffic/model/costs.h"

typedef struct traffic_problem {
    const mco_traffic *traffic;  // borrowed; NULL: a problem that was made without a network
    int32_t nodes, first_through;
    int32_t links;               // sorted by tail; links with equal tails keep the order of the file
    int32_t *first;              // [nodes + 1] links first[v] .. first[v + 1] - 1 leave v
    int32_t *tail, *head;        // [links]
    int32_t *into_first;         // [nodes + 1]
    int32_t *into;               // [links] links by head, then by number
    int32_t *origin_link;        // [links] link of the network; -1: a turn, -2: an artificial arc (TRAFFIC_TURN_ARC, ...)
    int32_t *link_at;            // [links of the network] its link here
    int32_t *sink;               // [zones] the node where trips to a zone end; NULL: the zone itself. Others where turns are at zones
    traffic_costs costs;         // arrays owned by the problem
    double *fixed;               // [links] of streets: what links cost besides (tolls, lengths, turns, artificial arcs); else NULL
    bool is_integral;            // whether costs have a potential: false while streets depend on others
    int32_t classes;
    double *extra;               // [classes][links] constants of classes; NULL: all are 0 (one class has them in costs.base)
    double *car_equivalent;      // [classes]
    int32_t rows;                // with trips, ascending by (class, origin)
    int32_t *row_class, *row_origin;  // [rows]
    int64_t *row_first;          // [rows + 1]
    int32_t *to;                 // [trips] ends, ascending in a row
    double *amount;              // [trips] cars, above 0
    double demand;               // sum of amounts
    // What was left out or added, in vehicles.
    double assigned, intrazonal, dropped;
    int64_t dropped_pairs;
    int32_t artificial_arcs, hub;  // which all artificial arcs begin or end at; -1: there are none
    struct traffic_pair { int32_t k, from, to; double amount; } *first_dropped;  // [least of dropped_pairs, TRAFFIC_NAMED]
} traffic_problem;
enum { TRAFFIC_NAMED = 16 };  // dropped pairs that are named
enum { TRAFFIC_TURN_ARC = -1, TRAFFIC_ARTIFICIAL_ARC = -2 };  // in origin_link

// Settles a network under options: objective, cost, factors, demand, unreachable trips, turns. Trips that lack a path are named in the
// log. Streets that depend on other links are settled at flows 0 of these; traffic_streets_freeze() has others.
// Errors: ARGUMENT (options that the network cannot follow; a negative cost, with the link), LIMIT, STOPPED, MEMORY. O(links + rows * (nodes + links)).
mco_status traffic_problem_make(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, traffic_problem *out);
void traffic_problem_clear(mco_context *ctx, traffic_problem *problem);

// ---- Flows of every row, sparse: by rows and links of a problem (state.c, state_take.c)
typedef struct traffic_flows {
    int32_t rows;
    int64_t *first;  // [rows + 1]
    int32_t *link;   // [first[rows]] each once in a row; ascending where it is of a problem
    double *flow;    // [first[rows]] cars, above 0
} traffic_flows;
void traffic_flows_clear(mco_context *ctx, traffic_flows *flows);

// A pair of alternative segments: two paths from one node to another that share no link.
typedef struct traffic_pairs {
    int64_t count;
    int64_t *first;   // [2 * count + 1] segment s of pair p has links link[first[2p + s]] .. link[first[2p + s + 1] - 1] in order
    int32_t *link;
    int64_t *row_first;  // [count + 1]
    int32_t *row;        // rows that use the pair, ascending
} traffic_pairs;
void traffic_pairs_clear(mco_context *ctx, traffic_pairs *pairs);

// How the method of pairs puts rows side by side, and in which order it relaxes nodes. It says nothing about flows: it saves time alone.
enum { TRAFFIC_PLAN_ROWS = 8 };
typedef struct traffic_plan {
    int32_t batches;  // 0: there is no plan
    int32_t *row;     // [batches][TRAFFIC_PLAN_ROWS] rows, each in one batch; -1: none
    int32_t first, places;  // nodes first .. first + places - 1 have an order
    uint16_t *order;  // [batches][places] nodes; NULL: there are no orders
} traffic_plan;
void traffic_plan_clear(mco_context *ctx, traffic_plan *plan);

// By links and rows of the network as read: a row is class * zones + origin, a link is that of the file, artificial arcs and turns are
// followed by the state's own numbers from `links` on. state.c makes it of a problem's flows, state_take.c turns it back, also after edits.
struct mco_traffic_state {
    int32_t nodes, zones, links, classes;  // of the network that it is of
    int32_t *tail, *head;                  // [links] so that an edited network is recognised
    int32_t more_links;                    // artificial arcs and turns
    int32_t *more;                         // [more_links][2] turn: links from, to; artificial: -1 - node from, -1 - node to
    traffic_flows flows;
    traffic_pairs pairs;
    traffic_plan plan;                     // by rows of the state and nodes of the problem
    void *block;                           // bytes of a file, where all arrays are then; NULL: each has a block of its own
};
// The row of a state that a row of a problem is.
int32_t traffic_state_row(const traffic_problem *problem, int32_t row);
// A state of a problem; takes the flows, which are empty then, and copies the pairs. Errors: MEMORY; then nothing was taken.
mco_status traffic_state_of(mco_context *ctx, const traffic_problem *problem, traffic_flows *flows, const traffic_pairs *pairs,
                            mco_traffic_state **out);
// Flows and pairs for a problem. Rows whose flows do not carry the problem's trips any more (edited trips, lost links) are empty: the engine
// assigns them anew. Pairs that lost a link vanish. Errors: ARGUMENT (a state of another network: zones or classes differ), MEMORY.
mco_status traffic_state_take(mco_context *ctx, const traffic_problem *problem, const mco_traffic_state *state, traffic_flows *flows,
                              traffic_pairs *pairs);

// Gives a plan by rows of the problem to the state, which takes its arrays. O(rows).
void traffic_state_keep_plan(mco_context *ctx, const traffic_problem *problem, traffic_plan *plan, mco_traffic_state *state);
// A plan for a problem; out->row is the caller's, out->order stays the state's. Empty if the problem has other rows; without orders if it has
// other nodes, or if an order lacks a node. Errors: MEMORY. O(batches * nodes).
mco_status traffic_state_take_plan(mco_context *ctx, const traffic_problem *problem, const mco_traffic_state *state, traffic_plan *out);

#endif
