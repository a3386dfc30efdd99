// SPDX-License-Identifier: MIT
// Degree labelling (Dias, Castonguay, Longo, Jradi 2013), and blocks renumbered by it.
#ifndef MCO_CYCLES_SEARCH_ORDER_H
#define MCO_CYCLES_SEARCH_ORDER_H

#include "cycles/block.h"

// Writes the vertices in the order of their labels to vertex [n]: each next one has the fewest neighbours among those without a
// label, the lowest index of several. For a directed graph the arcs out of and into a vertex count. Errors: MEMORY.
// O((vertices + arcs) log vertices).
// Errors: MEMORY; STOPPED, without a message, where the run must stop.
mco_status cycles_degree_labels(mco_context *ctx, mco_run *run, const graph_simple *graph, bool is_directed, int32_t *vertex);

// The graph with vertex[k] called k; its rows ascend. Errors: MEMORY. O(vertices + arcs).
mco_status cycles_relabel(mco_context *ctx, const graph_simple *graph, const int32_t *vertex, graph_simple *out);

// The arcs turned round; its rows ascend. Errors: MEMORY. O(vertices + arcs).
mco_status cycles_reverse(mco_context *ctx, const graph_simple *graph, graph_simple *out);

#endif
