// SPDX-License-Identifier: MIT
// What the parts of the own order share: a connected part of the graph, and the cut of it.
#ifndef MCO_PATHS_DISSECT_H
#define MCO_PATHS_DISSECT_H

#include <stdatomic.h>

#include "paths/hierarchy/order.h"

enum { PATHS_CUT_DIRECTIONS = 6 };

typedef enum paths_side { PATHS_LOW, PATHS_HIGH, PATHS_BETWEEN } paths_side;

// A connected part with rows of its own.
typedef struct paths_part {
    int32_t vertices;
    int32_t begin;    // its places in the order are begin .. begin + vertices - 1
    int32_t *first;   // [vertices + 1]
    int32_t *head;    // [first[vertices]]
    int32_t *origin;  // [vertices] of the core
} paths_part;

// Tells workers to stop. A thread that owns the run looks at it; the others look at the flag.
typedef struct paths_halt {
    mco_run *run;
    atomic_bool is_set;
} paths_halt;

// ---- peel.c: the vertices that leave first

// The graph without vertices of at most two neighbours, as the eliminations leave it.
typedef struct paths_core {
    order_graph graph;   // x and y are its own
    int32_t *origin;     // [graph.vertices] of the whole graph
    double *x, *y;       // [graph.vertices]; NULL: unknown
    int32_t peeled;      // vertices that left, the first ones of the order
} paths_core;
// Eliminates vertices of at most two neighbours, again and again, and writes them to vertex [0 .. peeled). Such a vertex adds at most
// one pair. Neighbours never leave in one round, so chains become low trees. Errors: MEMORY. O(pairs).
mco_status paths_core_make(mco_context *ctx, const order_graph *graph, int32_t *vertex, paths_core *out);
void paths_core_clear(mco_context *ctx, paths_core *core);

// ---- cut.c: separators by flows

typedef struct paths_cutter paths_cutter;  // scratch of one thread
mco_status paths_cutter_open(mco_context *ctx, const order_graph *core, paths_halt *halt, bool is_supervisor, paths_cutter **out);
void paths_cutter_close(mco_context *ctx, paths_cutter **cutter);
// Separates a part along a direction, 0 .. PATHS_CUT_DIRECTIONS - 1. If the separator has fewer vertices for each vertex of the smaller side than *least,
// side [vertices] and *least tell it. A part has at least 2 vertices. False: it must stop.
bool paths_cut(paths_cutter *cutter, const paths_part *part, int direction, uint8_t *side, double *least);
// True: go on. To be called after `steps` of work.
bool paths_cutter_goes_on(paths_cutter *cutter, int64_t steps);

#endif
