// SPDX-License-Identifier: MIT
// Removal of simplicial vertices: vertices whose neighbours are all joined to each other.
#ifndef MCO_CYCLES_SIMPLICIAL_H
#define MCO_CYCLES_SIMPLICIAL_H

#include "base/run.h"
#include "graph/graph.h"

// Removes simplicial vertices from an undirected graph, again and again. No chordless cycle longer than 3 holds one: its two
// neighbours on the cycle would be joined. A biconnected graph stays biconnected, or vanishes. What is left has such a cycle.
// (*is_left)[v] tells which vertices are left, *left how many; the caller frees *is_left [vertices]. It takes from *budget
// a step for each pair of neighbours that it tests; at 0 it ends, and vertices may be left that could go. If `run`, which may be NULL, must stop,
// *budget becomes 0. Errors: MEMORY.
// O(arcs + steps * log degree).
mco_status cycles_strip_simplicial(mco_context *ctx, mco_run *run, const graph_simple *graph, int64_t *budget, bool **is_left,
                                   int32_t *left);

#endif
