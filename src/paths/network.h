// SPDX-License-Identifier: MIT
// The inside of a network, and the forms of it that engines read.
#ifndef MCO_PATHS_NETWORK_H
#define MCO_PATHS_NETWORK_H

#include "base/context.h"
#include "mco/paths.h"

struct mco_paths_network {
    mco_graph *graph;       // owned: names and places; its weights are released
    char *name;
    mco_paths_rows rows;    // arrays below, and those of the graph
    int32_t *weight;        // [arcs] owned
    mco_paths_turn *turns;  // owned
    bool has_turns;
};

// Head and weight of an arc, side by side for engines that relax arcs.
typedef struct paths_arc {
    int32_t head, weight;
} paths_arc;

// A copy of a network in another order of its vertices, with 32-bit places. Owned by its holder.
typedef struct paths_layout {
    int32_t vertices;
    int32_t arcs;
    int32_t *first;    // [vertices + 1]
    paths_arc *arc;    // [arcs]
    int32_t *place;    // [vertices] of the network's vertex in the layout
    int32_t *vertex;   // [vertices] the network's vertex at a place
    int64_t *origin;   // [arcs] the network's arc; NULL unless asked for
    bool *is_end;      // [vertices] paths do not pass through; NULL: none
    int32_t max_weight;
} paths_layout;

// Makes a layout. vertex_at [vertices] is the order, NULL: the network's own. Arcs with weight MCO_PATHS_NONE are left out.
// Errors: LIMIT (more than 2^31 - 1 arcs, with the memory), STOPPED, MEMORY.
mco_status paths_layout_make(mco_context *ctx, const mco_paths_rows *rows, const int32_t *vertex_at, bool has_origin,
                             paths_layout *out);
void paths_layout_clear(mco_context *ctx, paths_layout *layout);

// Dijkstra's algorithm with a binary heap over the network as it stands, turns and first_through included: the oracle of all
// others. parent [vertices] may be NULL. Errors: LIMIT (a distance of MCO_PATHS_NONE or more), STOPPED, MEMORY.
mco_status paths_ref_tree(mco_context *ctx, const mco_paths_rows *rows, int32_t source, int32_t *distance, int64_t *parent);

// Refuses a call on `network` with a hierarchy of `inner`, unless both have the same arcs, weights and turns. `inner` NULL: none.
// Errors: ARGUMENT. O(arcs + turns).
mco_status paths_refuse_other(mco_context *ctx, const mco_paths_network *network, const mco_paths_network *inner);

// Finds the parents of certified distances: the first arc of positive weight that is tight; where there is none, the first tight arc of
// weight 0 from a vertex with fewer of these behind it. With turns: those of the reference. O(arcs). Errors: STOPPED, MEMORY.
mco_status paths_parents(mco_context *ctx, const mco_paths_rows *rows, int32_t source, const int32_t *distance, int64_t *parent);

// The arcs of weight 0, ascending. Errors: STOPPED, MEMORY.
typedef struct paths_zeros {
    int64_t count;
    int32_t *tail;  // [count]
    int64_t *arc;   // [count]
} paths_zeros;
mco_status paths_zeros_open(mco_context *ctx, const mco_paths_rows *rows, paths_zeros *out);
void paths_zeros_close(mco_context *ctx, paths_zeros *zeros);
// The parents on arcs of weight 0, where those by positive arcs are known and the rest is -1; queue [vertices] is scratch. Errors: STOPPED.
mco_status paths_parents_of_zeros(mco_context *ctx, const mco_paths_rows *rows, const paths_zeros *zeros, int32_t source,
                                  const int32_t *distance, int32_t *queue, int64_t *parent);

#endif
