// SPDX-License-Identifier: MIT
// A growing list of routes. A route may visit a customer more than once: then it belongs to a relaxation.
#ifndef MCO_VRP_BOUND_ROUTES_H
#define MCO_VRP_BOUND_ROUTES_H

#include "base/context.h"

typedef struct vrp_routes {
    int64_t count, room;
    int64_t *first;   // [count + 1] where each route begins in `node`
    int32_t *node;    // [first[count]] customers as nodes 1..customers, in order of visit
    int64_t node_room;
    int64_t *cost;    // [count] in units
    uint64_t *key;    // [count] a hash of the sequence, equal for a route and its reverse where the list is symmetric
    uint32_t *slot;   // [slots] index + 1 of a route with such a key; 0: empty. Open addressing
    int64_t slots;
    bool is_symmetric;
} vrp_routes;

void vrp_routes_open(bool is_symmetric, vrp_routes *out);
void vrp_routes_close(mco_context *ctx, vrp_routes *routes);
// Adds a route unless the list has it. *index: where it is now; *is_new may be NULL. Errors: MEMORY.
mco_status vrp_routes_add(mco_context *ctx, vrp_routes *routes, const int32_t *node, int32_t count, int64_t cost, int64_t *index,
                          bool *is_new);
// Adds a route even where the list has it, at its end. `count` may be 0. Errors: MEMORY.
mco_status vrp_routes_append(mco_context *ctx, vrp_routes *routes, const int32_t *node, int32_t count, int64_t cost);
// Keeps the routes k with keep[k], in their order.
void vrp_routes_keep(vrp_routes *routes, const bool *keep);
void vrp_routes_empty(vrp_routes *routes);

static inline int32_t vrp_routes_length(const vrp_routes *routes, int64_t k)
{
    return (int32_t)(routes->first[k + 1] - routes->first[k]);
}

#endif
