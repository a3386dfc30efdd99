// SPDX-License-Identifier: MIT
// Parts of a graph: connected, biconnected and strongly connected components. No function recurses, so a path of any length
// is as good as any other graph.
#ifndef MCO_GRAPH_PARTS_H
#define MCO_GRAPH_PARTS_H

#include "base/run.h"
#include "graph/graph.h"

// Connected components of an undirected graph. (*part)[v] is the number of the component of v; they are numbered in the
// order of their least vertices. The caller frees *part [vertices]. Errors: MEMORY. O(vertices + arcs).
mco_status graph_components(mco_context *ctx, const graph_simple *graph, int32_t **part, int32_t *count);

// Strongly connected components of a directed graph (Tarjan 1972), in the same form. Arcs between components lead from
// greater numbers to lesser ones. `run` may be NULL: nothing stops the search. Errors: STOPPED (by the run), MEMORY. O(vertices + arcs).
mco_status graph_strong_components(mco_context *ctx, const graph_simple *graph, mco_run *run, int32_t **part, int32_t *count);

// Biconnected components of an undirected graph. A bridge is a component of two vertices; a vertex without edges is in none.
// Two components have at most one vertex in common.
typedef struct graph_bicomponents {
    int32_t count;
    int64_t *first;   // [count + 1] vertex[first[c]] .. vertex[first[c + 1] - 1] are in component c
    int32_t *vertex;  // the first vertex of each component is the one that was met first
    int32_t *met;     // [vertices] when the depth-first search met the vertex: 0, 1, 2, ...
    int32_t *home;    // [vertices] the component in which the vertex is not the first; -1: none, a search began there
} graph_bicomponents;

// Finds them (Hopcroft, Tarjan 1973). Errors: MEMORY. O(vertices + arcs).
mco_status graph_bicomponents_make(mco_context *ctx, const graph_simple *graph, graph_bicomponents *out);
void graph_bicomponents_clear(mco_context *ctx, graph_bicomponents *parts);

// The component of the edge {u, v}, which the graph has.
static inline int32_t graph_bicomponent_of(const graph_bicomponents *parts, int32_t u, int32_t v)
{
    return parts->home[parts->met[u] > parts->met[v] ? u : v];
}

#endif
