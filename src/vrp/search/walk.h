// SPDX-License-Identifier: MIT
// A walk over a part: annealing by ruin and recreate (vrp/search/walk.c, vrp/search/walk_place.c,
// vrp/search/walk_improve.c, vrp/search/walk_middles.c). A step costs the same in a part of a hundred customers and of a million. The files are
// compiled once for each vector unit; all variants give the same walk.
#ifndef MCO_VRP_SEARCH_WALK_H
#define MCO_VRP_SEARCH_WALK_H

#include "base/rng.h"
#include "base/simd.h"
#include "vrp/search/task.h"

typedef struct vrp_node {
    int32_t next, prev;        // in the ring
    int32_t route;             // -1: taken out
    int32_t to_next, to_prev;  // distances
    int32_t position;          // customers before it in its route, after the last accepted step
    int32_t load, length;      // of the route up to this node, itself included, after the last accepted step
} vrp_node;

typedef struct vrp_ring {
    int32_t load, size;
    int32_t length;            // with service times
    int32_t stamp;             // number of the last step that changed it
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
    int32_t *spare;            // [spare_count] rings without customers, those that a step has emptied among them
    int32_t spare_count;
    int64_t cost, best_cost;
    vrp_node *best_node;       // like `node`, of the best solution
    int32_t *changed;          // [changed_count] nodes that may differ from best_node
    int32_t changed_count;
    uint8_t *is_changed;       // [nodes]
    // Copies of what the scan for a place reads first:
    int32_t *route_of, *edge;  // [nodes] route, and the longer one of both edges
    int32_t *end_of;           // [nodes] route that the customer begins or ends; -1: none
    int32_t *load_of;          // [routes] INT32_MAX for an empty one
    int32_t here, steps_here;  // the first of the customers that are seeds now, counted from 0, and for how many steps
    // Of one step:
    int32_t step;
    int32_t *node_stamp;       // [nodes] number of the last step that saved the node
    vrp_saved_node *saved_nodes;
    vrp_saved_ring *saved_rings;
    int32_t saved_node_count, saved_ring_count;
    int32_t *removed, *key;    // [removed_count] customers taken out, and what orders them
    int32_t removed_count;
    int32_t *line;             // [4 * customers] routes as lists
    // Of packing into few routes: customers that have no place, and how often each found none.
    int32_t *absent;           // [absent_count]
    int64_t *absences;         // [customers + 1]
    int32_t absent_count;
    mco_rng rng;
    int32_t places_to_blink;   // so many places from now, one is passed over
    int32_t measure;           // 1 if there is a limit of length; 0: lengths stay 0, so they cannot overflow
    int64_t steps;             // done
} vrp_walk;

// Allocates a walk for parts of at most so many customers and routes. Errors: MEMORY.
mco_status vrp_walk_open(mco_context *ctx, int32_t customers, int32_t routes, vrp_walk *out);
void vrp_walk_close(mco_context *ctx, vrp_walk *walk);

typedef struct vrp_walk_variant {
    mco_build build;
    // Walks task->plan.steps steps from the task's solution; ends early once *stop is set. Leaves the best solution in
    // the task, or the last one (task->wants_last).
    void (*run)(vrp_walk *walk, vrp_task *task, const atomic_bool *stop);
    // Looks for a solution with at most part.routes routes, in at most plan.steps steps; task->order may hold only some
    // of the customers. True if task now holds such a solution; else it is unchanged.
    bool (*pack)(vrp_walk *walk, vrp_task *task, const atomic_bool *stop);
} vrp_walk_variant;

// The variant for the vector unit asked for. Errors: ARGUMENT if the machine lacks it.
mco_status vrp_walk_choose(mco_context *ctx, mco_simd simd, const vrp_walk_variant **out);

#if defined(LANE_SET)
#include "base/lanes.h"

// ---- Between the files of one variant

enum { VRP_WALK_NO_PLACE = 1 << 30 };  // greater than every change

// Finds the cheapest place for c: behind *after. Returns the change of the cost; VRP_WALK_NO_PLACE if there is none.
int32_t VARIANT(vrp_walk_find_place)(vrp_walk *walk, int32_t c, int32_t *after);
// Draws places_to_blink.
void VARIANT(vrp_walk_draw_blink)(vrp_walk *walk);
// Makes `line` [count] the customers of a route.
void VARIANT(vrp_walk_relink)(vrp_walk *walk, int32_t route, const int32_t *line, int32_t count);
// Improves the routes around the customers removed, each with its `exchanges` nearest neighbours. If distances are
// asymmetric, it turns nothing round.
void VARIANT(vrp_walk_improve)(vrp_walk *walk, int32_t exchanges);
// Draws `proposals` pairs of customers near each other in two routes, and a way to exchange the ends of these routes
// there. Makes an exchange whose change of the cost is at most `heat` times an exponential random number.
void VARIANT(vrp_walk_exchange_tails)(vrp_walk *walk, int32_t proposals, double heat);

// Draws `proposals` pairs of customers near each other in two routes, and a middle of a route behind one of them. Exchanges
// it for the middle of the other route that begins with the other customer and makes the exchange cheapest; its change of the
// cost is at most `heat` times an exponential random number. Symmetric distances only: else it does nothing.
void VARIANT(vrp_walk_exchange_middles)(vrp_walk *walk, int32_t proposals, double heat);

// Copies a node to route_of, edge and end_of.
static inline void vrp_walk_mirror(vrp_walk *w, int32_t id)
{
    const vrp_node *n = &w->node[id];
    w->route_of[id] = n->route;
    w->edge[id] = n->to_next > n->to_prev ? n->to_next : n->to_prev;
    w->end_of[id] = n->next > w->part->customers || n->prev > w->part->customers ? n->route : -1;
}

// Notes that the node may differ from that of the best solution.
static inline void vrp_walk_mark(vrp_walk *w, int32_t id)
{
    if (!w->is_changed[id]) {
        w->is_changed[id] = 1;
        w->changed[w->changed_count++] = id;
    }
}

// Takes a ring, which is about to get customers, off the spare ones.
static inline void vrp_walk_take_spare(vrp_walk *w, int32_t ring)
{
    for (int32_t k = w->spare_count - 1; k >= 0; k--)
        if (w->spare[k] == ring) {
            w->spare[k] = w->spare[--w->spare_count];
            break;
        }
}

#endif

#endif
