// SPDX-License-Identifier: MIT
// How an order of elimination is found: the graph that is dissected, and the ways to do it.
#ifndef MCO_PATHS_ORDER_H
#define MCO_PATHS_ORDER_H

#include "base/run.h"
#include "paths/network.h"

// The vertices that paths pass through, and the pairs that eliminations of ends or arcs join. Every pair is in both rows, once.
typedef struct order_graph {
    int32_t vertices;
    int32_t *first;       // [vertices + 1]
    int32_t *head;        // [first[vertices]]
    const double *x, *y;  // [vertices] places; NULL: unknown
} order_graph;

// METIS in a process of its own, since METIS itself cannot be stopped. vertex [vertices] is the order. *is_found is false if this
// build has no METIS or if METIS failed, which the log says. Errors: STOPPED, MEMORY.
mco_status paths_order_metis(mco_context *ctx, const order_graph *graph, mco_run *run, int32_t *vertex, bool *is_found);

// Nested dissection by flows along places, or along distances in pairs where places are unknown (dissect.c). Any number of threads gives
// the same order. *widest is the number of vertices of the largest separator. Errors: STOPPED, MEMORY. O(pairs log vertices) and the flows: pairs times their phases, mostly some dozens.
mco_status paths_order_flow(mco_context *ctx, const order_graph *graph, mco_run *run, int32_t threads, int32_t *vertex,
                            int32_t *widest);

// Who may order. BEST is what paths_order_find() takes.
typedef enum order_way { ORDER_BEST, ORDER_FLOW, ORDER_METIS } order_way;
mco_status paths_order_find_by(mco_context *ctx, const mco_paths_rows *rows, mco_run *run, int32_t threads, order_way way,
                               int32_t **order, char by[16]);

#endif
