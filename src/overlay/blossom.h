// SPDX-License-Identifier: MIT
// Maximum weight matchings of general graphs, with the duals that prove them: y >= 0 of vertices, z >= 0 of odd sets, such that
//
//     y_u + y_v + (z of all sets that hold both u and v)  >=  weight of {u, v}
//
// for each edge. Then no matching weighs more than the sum of y plus (|S| - 1) / 2 times z of each set S. Everything is an integer. The
// sets are nested: those that hold a vertex are a path of parents.
//
// Method: Edmonds (1965), one tree after the other (Galil 1986). A search starts at a vertex that is free though its dual is positive. It
// ends with one more pair, or with a path whose change frees a vertex of dual 0 instead. Duals are feasible all the time.
#ifndef MCO_OVERLAY_BLOSSOM_H
#define MCO_OVERLAY_BLOSSOM_H

#include "base/context.h"
#include "base/run.h"

typedef struct overlay_edge {
    int32_t end[2];
    int64_t weight;  // even; at most 2^60
} overlay_edge;

typedef struct overlay_blossom {
    mco_context *ctx;
    int32_t vertices, sets;      // sets have the numbers vertices .. 2 * vertices - 1
    int64_t *y;                  // [vertices]
    int64_t *z;                  // [2 * vertices] of sets
    int32_t *mate;               // [vertices] -1: free
    int32_t *parent;             // [2 * vertices] the next larger set that holds it; -1: none
    // Half edges out[first[v]] .. out[first[v + 1] - 1] leave vertex v.
    int64_t *first;
    int32_t *tail, *head;
    int64_t *weight;
    // Sets: children in a circle, from the one with the base on; the edge from a child to the next one.
    int32_t *base, *start, *next, *previous, *edge_from, *edge_to;
    int32_t *unused;             // [vertices] numbers of sets; `sets` of them are taken
    // The search.
    int32_t *top;                // [vertices] the largest set that holds it
    uint8_t *mark;               // [2 * vertices] of what is largest: none, even, odd
    int32_t *entry_from, *entry_to;  // [2 * vertices] odd: the edge by which the tree came
    int64_t *near, *level;       // [vertices] half edge of least slack from an even vertex: to one that is not even; to another even one
    int32_t *queue;              // [vertices] even vertices
    int32_t queued, looked;
    int32_t *stamp;              // [2 * vertices] of walks to the root
    int32_t walks;
} overlay_blossom;

// Takes the graph, without loops; of parallel edges the heaviest counts. `y` are feasible duals, of any parity. overlay_blossom_close()
// releases it. Errors: MEMORY. O(vertices + edges)
mco_status overlay_blossom_open(mco_context *ctx, int32_t vertices, int64_t edges, const overlay_edge *edge, const int64_t *y,
                                overlay_blossom *out);
void overlay_blossom_close(overlay_blossom *b);
// Matches. False: the run ended before; duals are feasible then, too. O(vertices^3) at worst; O(vertices^2 + edges) for each search.
bool overlay_blossom_match(overlay_blossom *b, mco_run *run);
// The z of all sets that hold both vertices. O(sets)
int64_t overlay_blossom_shared(const overlay_blossom *b, int32_t u, int32_t v);

#endif
