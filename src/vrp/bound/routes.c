// SPDX-License-Identifier: MIT
#include "vrp/bound/routes.h"

#include <string.h>

#include "base/grow.h"
#include "base/rng.h"

enum { FIRST_SLOTS = 1024 };

void vrp_routes_open(bool is_symmetric, vrp_routes *out)
{
    *out = (vrp_routes){.is_symmetric = is_symmetric};
}

void vrp_routes_close(mco_context *ctx, vrp_routes *routes)
{
    mco_free(ctx, &routes->first);
    mco_free(ctx, &routes->node);
    mco_free(ctx, &routes->cost);
    mco_free(ctx, &routes->key);
    mco_free(ctx, &routes->slot);
    *routes = (vrp_routes){.is_symmetric = routes->is_symmetric};
}

// ---- Keys

static uint64_t hash_of(const int32_t *node, int32_t count, bool backwards)
{
    uint64_t hash = (uint64_t)count;
    for (int32_t k = 0; k < count; k++) {
        hash ^= (uint64_t)node[backwards ? count - 1 - k : k];
        hash = mco_splitmix64(&hash);
    }
    return hash;
}

static uint64_t key_of(const vrp_routes *routes, const int32_t *node, int32_t count)
{
    const uint64_t there = hash_of(node, count, false);
    return routes->is_symmetric ? there + hash_of(node, count, true) : there;
}

static bool is_route(const vrp_routes *routes, int64_t k, const int32_t *node, int32_t count)
{
    const int32_t *own = routes->node + routes->first[k];
    if (vrp_routes_length(routes, k) != count)
        return false;
    if (memcmp(own, node, (size_t)count * sizeof *node) == 0)
        return true;
    int32_t same = 0;
    while (routes->is_symmetric && same < count && own[same] == node[count - 1 - same])
        same++;
    return same == count;
}

// ---- Slots: at most half of them are taken, so a search ends at an empty one.

static void place(vrp_routes *routes, int64_t k)
{
    const uint64_t mask = (uint64_t)routes->slots - 1;
    uint64_t at = routes->key[k] & mask;
    while (routes->slot[at] != 0)
        at = (at + 1) & mask;
    routes->slot[at] = (uint32_t)(k + 1);
}

static void place_all(vrp_routes *routes)
{
    if (routes->slots > 0)
        memset(routes->slot, 0, (size_t)routes->slots * sizeof *routes->slot);
    for (int64_t k = 0; k < routes->count; k++)
        place(routes, k);
}

static mco_status grow_slots(mco_context *ctx, vrp_routes *routes)
{
    mco_status st = MCO_OK;
    uint32_t *slot = NULL;
    const int64_t slots = routes->slots > 0 ? 2 * routes->slots : FIRST_SLOTS;
    MCO_TRY(mco_alloc(ctx, &slot, slots));
    mco_free(ctx, &routes->slot);
    routes->slot = slot;
    routes->slots = slots;
    place_all(routes);
done:
    return st;
}

// The route's index, or -1.
static int64_t find(const vrp_routes *routes, uint64_t key, const int32_t *node, int32_t count)
{
    const uint64_t mask = (uint64_t)routes->slots - 1;
    for (uint64_t at = key & mask; routes->slot[at] != 0; at = (at + 1) & mask) {
        const int64_t k = routes->slot[at] - 1;
        if (routes->key[k] == key && is_route(routes, k, node, count))
            return k;
    }
    return -1;
}

// ---- The list

static mco_status make_room(mco_context *ctx, vrp_routes *routes, int32_t count)
{
    mco_status st = MCO_OK;
    int64_t rooms[3] = {routes->room, routes->room, routes->room};
    const int64_t nodes = routes->count > 0 ? routes->first[routes->count] : 0;
    if (2 * (routes->count + 1) > routes->slots)
        MCO_TRY(grow_slots(ctx, routes));
    MCO_TRY(mco_grow(ctx, &routes->node, &routes->node_room, nodes + count));
    MCO_TRY(mco_grow(ctx, &routes->first, &rooms[0], routes->count + 2));
    MCO_TRY(mco_grow(ctx, &routes->cost, &rooms[1], routes->count + 2));
    MCO_TRY(mco_grow(ctx, &routes->key, &rooms[2], routes->count + 2));
    routes->room = rooms[0];
done:
    return st;
}

static mco_status append(mco_context *ctx, vrp_routes *routes, const int32_t *node, int32_t count, int64_t cost, uint64_t key)
{
    mco_status st = MCO_OK;
    MCO_TRY(make_room(ctx, routes, count));
    const int64_t k = routes->count++;
    if (count > 0)
        memcpy(routes->node + routes->first[k], node, (size_t)count * sizeof *node);
    routes->first[k + 1] = routes->first[k] + count;
    routes->cost[k] = cost;
    routes->key[k] = key;
    place(routes, k);
done:
    return st;
}

mco_status vrp_routes_append(mco_context *ctx, vrp_routes *routes, const int32_t *node, int32_t count, int64_t cost)
{
    return append(ctx, routes, node, count, cost, key_of(routes, node, count));
}

mco_status vrp_routes_add(mco_context *ctx, vrp_routes *routes, const int32_t *node, int32_t count, int64_t cost, int64_t *index,
                          bool *is_new)
{
    mco_status st = MCO_OK;
    const uint64_t key = key_of(routes, node, count);
    int64_t k = routes->slots > 0 ? find(routes, key, node, count) : -1;
    if (is_new != NULL)
        *is_new = k < 0;
    if (k < 0) {
        k = routes->count;
        MCO_TRY(append(ctx, routes, node, count, cost, key));
    }
    if (index != NULL)
        *index = k;
done:
    return st;
}

void vrp_routes_keep(vrp_routes *routes, const bool *keep)
{
    int64_t kept = 0, nodes = 0;
    for (int64_t k = 0; k < routes->count; k++) {
        const int64_t begin = routes->first[k], length = routes->first[k + 1] - begin;
        if (!keep[k])
            continue;
        memmove(routes->node + nodes, routes->node + begin, (size_t)length * sizeof *routes->node);
        routes->first[kept] = nodes;
        routes->cost[kept] = routes->cost[k];
        routes->key[kept++] = routes->key[k];
        nodes += length;
    }
    routes->count = kept;
    if (routes->first != NULL)
        routes->first[kept] = nodes;
    place_all(routes);
}

void vrp_routes_empty(vrp_routes *routes)
{
    routes->count = 0;
    if (routes->first != NULL)
        routes->first[0] = 0;
    place_all(routes);
}
