// SPDX-License-Identifier: MIT
// A walk over a part: annealing by ruin and recreate, whose step costs the same in a part of a hundred customers and of a
// million (vrp/search/walk.c, vrp/search/walk_place.c, vrp/search/walk_improve.c). Compiled once for each vector unit; all
// give the same walk.
#ifndef MCO_VRP_SEARCH_WALK_H
#define MCO_VRP_SEARCH_WALK_H

#include "base/rng.h"
#include "base/simd.h"
#include "vrp/search/task.h"

typedef struct vrp_node {
    int32_t next, prev;        // in the ring
    int32_t route;             // -1: taken out
    int32_t to_next, to_prev;  // distances
    int32_t position;          // customers before it in its route, as of the last step accepted
    int32_t load, length;      // of the route up to and with it, as of the last step accepted
} vrp_node;

typedef struct vrp_ring {
    int32_t load, size;
    int32_t length;            // with service
    int32_t stamp;             // of the step that changed it last
} vrp_ring;

typedef struct vrp_saved_node {
    int32_t id;
    vrp_node node;
} vrp_saved_node;

typedef struct vrp_saved_ring {
    int32_t id;
    vrp_ring ring;
} vrp_saved_ring;

typedef struct vrp_walk {
    const vrp_part *part;
    vrp_node *node;            // [customers + 1 + routes] of the part
    vrp_ring *ring;            // [routes]; ring r goes through node customers + 1 + r
    int32_t *spare;            // [spare_count] rings without customers
    int32_t spare_count;
    int64_t cost, best_cost;
    vrp_node *best_node;       // as `node`, of the best
    int32_t *changed;          // [changed_count] nodes that differ from best_node, perhaps
    int32_t changed_count;
    uint8_t *is_changed;       // [nodes]
    // What the scan for a place looks at first, kept beside the nodes:
    int32_t *route_of, *edge;  // [nodes] route, and the longer of both edges
    int32_t *load_of;          // [routes] INT32_MAX of empty ones
    // Of one step:
    int32_t step;
    int32_t *node_stamp;       // [nodes] step that saved it last
    vrp_saved_node *saved_nodes;
    vrp_saved_ring *saved_rings;
    int32_t saved_node_count, saved_ring_count;
    int32_t *removed, *key;    // [removed_count]
    int32_t removed_count;
    int32_t *line;             // [4 * customers] routes as lists
    // Of packing into few routes: customers that found no place, and how often each did not.
    int32_t *absent;           // [absent_count]
    int64_t *absences;         // [customers + 1]
    int32_t absent_count;
    mco_rng rng;
    int32_t places_to_blink;
    int32_t measure;           // 1 where routes have a longest length; 0: lengths are not kept, and cannot overflow
    int64_t steps;             // done
} vrp_walk;

// Memory for parts of at most so many customers and routes. Errors: MEMORY.
mco_status vrp_walk_open(mco_context *ctx, int32_t customers, int32_t routes, vrp_walk *out);
void vrp_walk_close(mco_context *ctx, vrp_walk *walk);

typedef struct vrp_walk_variant {
    mco_build build;
    // Walks task->plan.steps steps from the task's solution, fewer once *stop is set, and leaves the best, or the last, in it.
    void (*run)(vrp_walk *walk, vrp_task *task, const atomic_bool *stop);
    // Looks for a solution with at most part.routes routes, from whatever task->order holds, which may be some customers only:
    // at most plan.steps steps. True if task now holds one; else it is as before.
    bool (*pack)(vrp_walk *walk, vrp_task *task, const atomic_bool *stop);
} vrp_walk_variant;

// The one for the vector unit asked for. Errors: ARGUMENT where it is absent.
mco_status vrp_walk_choose(mco_context *ctx, mco_simd simd, const vrp_walk_variant **out);

#if defined(LANE_SET)
#include "base/lanes.h"

// ---- Between the files of one variant

enum { VRP_WALK_NO_PLACE = 1 << 30 };  // above every change

// The cheapest place for c: behind *after, at a change of the return value; VRP_WALK_NO_PLACE if none.
int32_t VARIANT(vrp_walk_find_place)(vrp_walk *walk, int32_t c, int32_t *after);
// Draws how many places from now one is passed over.
void VARIANT(vrp_walk_draw_blink)(vrp_walk *walk);
// Makes `line` [count] the customers of a route.
void VARIANT(vrp_walk_relink)(vrp_walk *walk, int32_t route, const int32_t *line, int32_t count);
// Improves the routes around the customers removed, each with its `exchanges` nearest; nothing where distances are asymmetric.
void VARIANT(vrp_walk_improve)(vrp_walk *walk, int32_t exchanges);

// What the scan for a place looks at follows the nodes.
static inline void vrp_walk_mirror(vrp_walk *w, int32_t id)
{
    const vrp_node *n = &w->node[id];
    w->route_of[id] = n->route;
    w->edge[id] = n->to_next > n->to_prev ? n->to_next : n->to_prev;
}

// The node may differ from the best solution's.
static inline void vrp_walk_mark(vrp_walk *w, int32_t id)
{
    if (!w->is_changed[id]) {
        w->is_changed[id] = 1;
        w->changed[w->changed_count++] = id;
    }
}

#endif

#endif
