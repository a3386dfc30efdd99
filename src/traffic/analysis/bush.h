// SPDX-License-Identifier: MIT
// The flows of one row as a graph without cycles (a bush), for what follows from proportions at nodes.
#ifndef MCO_TRAFFIC_BUSH_H
#define MCO_TRAFFIC_BUSH_H

#include "traffic/model/problem.h"

// The links of a state as a graph: links of the network, then arcs of turns and artificial arcs. Split nodes have gates (arcs.c).
typedef struct traffic_state_graph {
    int32_t nodes, links;
    int32_t *tail, *head;  // [links]
    int32_t *end;          // [zones] where trips to a zone end
} traffic_state_graph;
// Errors: ARGUMENT (the state is of another network), LIMIT, MEMORY. O(nodes + links).
mco_status traffic_state_graph_open(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, traffic_state_graph *out);
void traffic_state_graph_close(mco_context *ctx, traffic_state_graph *graph);

// Its arrays are as long as the longest row and serve all rows, one after the other.
typedef struct traffic_bush {
    const traffic_state_graph *graph;  // borrowed
    int32_t links, nodes;        // of this row
    int32_t *link;               // [links] of the state
    double *flow;                // [links] 0 where a cycle was removed
    int32_t *tail, *head;        // [links] nodes of this row
    int32_t *node;               // [nodes] of the graph
    int32_t *order;              // [nodes] nodes of this row; links lead from earlier to later ones
    int32_t *out_first, *out, *in_first, *in;  // stars of this row
    double *into;                // [nodes] flow into the node
    double *ends;                // [nodes] flow that ends there: into - out of, 0 or more
    int32_t *at;                 // [nodes of the graph] node of this row, -1: none
    int32_t *waiting;            // [nodes] links into the node from nodes that are not in the order yet
    int32_t *cycle;              // [nodes] links of a cycle
} traffic_bush;
mco_status traffic_bush_open(mco_context *ctx, const traffic_state_graph *graph, const traffic_flows *flows, traffic_bush *out);
// Takes a row of the flows and removes its cycles. O(links of the row), and as much again for each cycle at most.
void traffic_bush_take(traffic_bush *bush, const traffic_flows *flows, int32_t row);
void traffic_bush_close(mco_context *ctx, traffic_bush *bush);

#endif
