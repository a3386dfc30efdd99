// SPDX-License-Identifier: MIT
// Orders of the vertices of an undirected graph in which vertices of least degree are removed one by one.
#ifndef MCO_GRAPH_ORDER_H
#define MCO_GRAPH_ORDER_H

#include "graph/graph.h"

// The order of removal: (*order)[k] has the least degree among order[k], order[k + 1], ... Ties are broken in any way, but
// always in the same. *degeneracy is the greatest of these degrees. The caller frees *order [vertices]. Errors: MEMORY.
// O(vertices + arcs) (Matula, Beck 1983).
mco_status graph_smallest_last(mco_context *ctx, const graph_simple *graph, int32_t **order, int32_t *degeneracy);

// The degree labels of Dias et al. (2013): (*label)[v] = k if v is removed as number k, from 0; among vertices of least degree
// the one of least number goes first. The caller frees *label [vertices]. Errors: MEMORY. O((vertices + arcs) log vertices).
mco_status graph_degree_labels(mco_context *ctx, const graph_simple *graph, int32_t **label);

#endif
