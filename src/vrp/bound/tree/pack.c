// SPDX-License-Identifier: MIT
#include "vrp/bound/tree/pack.h"

#include <string.h>

#include "base/grow.h"

mco_status tree_put(tree_bytes *b, const void *data, int64_t size)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(b->ctx, &b->data, &b->room, b->count + size));
    if (size > 0)
        memcpy(b->data + b->count, data, (size_t)size);
    b->count += size;
done:
    return st;
}

mco_status tree_get(tree_bytes *b, void *data, int64_t size)
{
    if (size < 0 || size > b->count - b->at)
        return mco_fail(b->ctx, MCO_ERR_INTERNAL, "a rank has sent %lld bytes of a tree, %lld more are missing", (long long)b->count,
                        (long long)(size - b->count + b->at));
    if (size > 0)
        memcpy(data, b->data + b->at, (size_t)size);
    b->at += size;
    return MCO_OK;
}

// Items behind their number. *out: a new array; NULL where `items` was.
static mco_status put_array(tree_bytes *b, const void *items, int64_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    const int64_t size = items != NULL ? count * (int64_t)item_bytes : -1;
    MCO_TRY(tree_put(b, &size, sizeof size));
    if (items != NULL)
        MCO_TRY(tree_put(b, items, size));
done:
    return st;
}

static mco_status get_array(tree_bytes *b, void **out, int64_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    int64_t size = 0;
    MCO_TRY(tree_get(b, &size, sizeof size));
    if (size < 0)
        return MCO_OK;
    if (size != count * (int64_t)item_bytes)
        return mco_fail(b->ctx, MCO_ERR_INTERNAL, "a rank has sent an array of %lld bytes, %lld items were expected", (long long)size,
                        (long long)count);
    MCO_TRY(mco_alloc_bytes(b->ctx, out, (size_t)count, item_bytes));
    MCO_TRY(tree_get(b, *out, size));
done:
    return st;
}
#define PUT_ARRAY(b, items, count) put_array(b, items, count, sizeof *(items))
#define GET_ARRAY(b, items, count) get_array(b, (void **)(items), count, sizeof **(items))

// ---- Routes

mco_status tree_put_routes(tree_bytes *b, const vrp_routes *routes)
{
    mco_status st = MCO_OK;
    MCO_TRY(tree_put(b, &routes->count, sizeof routes->count));
    for (int64_t k = 0; k < routes->count; k++) {
        const int32_t length = vrp_routes_length(routes, k);
        MCO_TRY(tree_put(b, &length, sizeof length));
        MCO_TRY(tree_put(b, &routes->cost[k], sizeof routes->cost[k]));
        MCO_TRY(tree_put(b, routes->node + routes->first[k], length * (int64_t)sizeof *routes->node));
    }
done:
    return st;
}

mco_status tree_get_routes(tree_bytes *b, vrp_routes *routes)
{
    mco_status st = MCO_OK;
    int64_t count = 0, cost = 0, room = 0;
    int32_t length = 0, *node = NULL;
    MCO_TRY(tree_get(b, &count, sizeof count));
    for (int64_t k = 0; k < count; k++) {
        MCO_TRY(tree_get(b, &length, sizeof length));
        MCO_TRY(tree_get(b, &cost, sizeof cost));
        MCO_TRY(mco_grow(b->ctx, &node, &room, length > 0 ? length : 1));
        MCO_TRY(tree_get(b, node, length * (int64_t)sizeof *node));
        MCO_TRY(vrp_routes_append(b->ctx, routes, node, length, cost));
    }
done:
    mco_free(b->ctx, &node);
    return st;
}

// ---- Rows

static mco_status put_cuts(tree_bytes *b, const vrp_cuts *cuts)
{
    mco_status st = MCO_OK;
    MCO_TRY(tree_put(b, &cuts->words, sizeof cuts->words));
    MCO_TRY(tree_put(b, &cuts->count, sizeof cuts->count));
    for (int64_t k = 0; k < cuts->count; k++) {
        const vrp_cut *cut = &cuts->cut[k];
        MCO_TRY(tree_put(b, cut, sizeof *cut));  // its pointers mean nothing there
        MCO_TRY(tree_put(b, cut->node, cut->size * (int64_t)sizeof *cut->node));
        MCO_TRY(PUT_ARRAY(b, cut->memory, cuts->words));
    }
done:
    return st;
}

static mco_status get_cut(tree_bytes *b, vrp_cuts *cuts)
{
    mco_status st = MCO_OK;
    vrp_cut cut = {0};
    int32_t *node = NULL;
    uint64_t *memory = NULL;
    MCO_TRY(tree_get(b, &cut, sizeof cut));
    MCO_TRY(mco_alloc(b->ctx, &node, cut.size));
    MCO_TRY(tree_get(b, node, cut.size * (int64_t)sizeof *node));
    MCO_TRY(GET_ARRAY(b, &memory, cuts->words));
    if (cut.kind == VRP_CUT_SET)
        MCO_TRY(vrp_cuts_add_set(b->ctx, cuts, node, cut.size, cut.sense, cut.rhs));
    else
        MCO_TRY(vrp_cuts_add_rank1(b->ctx, cuts, node, cut.size, cut.numerator, cut.denominator, cut.rhs, memory));
    cuts->cut[cuts->count - 1].price = cut.price;
    cuts->cut[cuts->count - 1].idle = cut.idle;
done:
    mco_free(b->ctx, &memory);
    mco_free(b->ctx, &node);
    return st;
}

static mco_status get_cuts(tree_bytes *b, vrp_cuts *cuts)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    MCO_TRY(tree_get(b, &cuts->words, sizeof cuts->words));
    MCO_TRY(tree_get(b, &count, sizeof count));
    for (int64_t k = 0; k < count; k++)
        MCO_TRY(get_cut(b, cuts));
done:
    return st;
}

// ---- States and sides

static int64_t arc_words(const tree_bytes *b)
{
    return ((int64_t)b->nodes * b->nodes + 63) / 64;
}

mco_status tree_put_state(tree_bytes *b, const tree_state *state)
{
    mco_status st = MCO_OK;
    MCO_TRY(PUT_ARRAY(b, state->price, b->nodes));
    MCO_TRY(PUT_ARRAY(b, state->removed, arc_words(b)));
    MCO_TRY(put_cuts(b, &state->cuts));
    MCO_TRY(tree_put(b, &state->routes.is_symmetric, sizeof state->routes.is_symmetric));
    MCO_TRY(tree_put_routes(b, &state->routes));
done:
    return st;
}

mco_status tree_get_state(tree_bytes *b, tree_state **state)
{
    mco_status st = MCO_OK;
    bool is_symmetric = false;
    MCO_TRY(mco_alloc(b->ctx, state, 1));
    tree_state *s = *state;
    s->uses = 1;
    MCO_TRY(GET_ARRAY(b, &s->price, b->nodes));
    MCO_TRY(GET_ARRAY(b, &s->removed, arc_words(b)));
    MCO_TRY(get_cuts(b, &s->cuts));
    MCO_TRY(tree_get(b, &is_symmetric, sizeof is_symmetric));
    vrp_routes_open(is_symmetric, &s->routes);
    MCO_TRY(tree_get_routes(b, &s->routes));
done:
    return st;
}

mco_status tree_put_side(tree_bytes *b, const tree_side *side)
{
    mco_status st = MCO_OK;
    MCO_TRY(tree_put(b, side, sizeof *side));  // its pointer means nothing there
    MCO_TRY(PUT_ARRAY(b, side->node, side->size));
done:
    return st;
}

mco_status tree_get_side(tree_bytes *b, tree_side *side)
{
    mco_status st = MCO_OK;
    MCO_TRY(tree_get(b, side, sizeof *side));
    side->node = NULL;
    MCO_TRY(GET_ARRAY(b, &side->node, side->size));
done:
    return st;
}

// ---- Claims

mco_status tree_put_prices(tree_bytes *b, const vrp_claim_prices *prices)
{
    mco_status st = MCO_OK;
    MCO_TRY(tree_put(b, &prices->unit, sizeof prices->unit));
    MCO_TRY(tree_put(b, &prices->bound, sizeof prices->bound));
    MCO_TRY(PUT_ARRAY(b, prices->price, b->nodes));
    MCO_TRY(put_cuts(b, &prices->cuts));
done:
    return st;
}

mco_status tree_get_prices(tree_bytes *b, vrp_claim_prices *prices)
{
    mco_status st = MCO_OK;
    MCO_TRY(tree_get(b, &prices->unit, sizeof prices->unit));
    MCO_TRY(tree_get(b, &prices->bound, sizeof prices->bound));
    MCO_TRY(GET_ARRAY(b, &prices->price, b->nodes));
    MCO_TRY(get_cuts(b, &prices->cuts));
done:
    return st;
}

mco_status tree_put_pools(tree_bytes *b, const vrp_claim_pools *pools)
{
    mco_status st = MCO_OK;
    MCO_TRY(tree_put(b, &pools->count, sizeof pools->count));
    for (int64_t k = 0; k < pools->count; k++) {
        const vrp_claim_pool *pool = &pools->pool[k];
        MCO_TRY(tree_put(b, &pool->unit, sizeof pool->unit));
        MCO_TRY(PUT_ARRAY(b, pool->price, b->nodes));  // of the customers, and of the number of routes
        MCO_TRY(put_cuts(b, &pool->cuts));
        MCO_TRY(PUT_ARRAY(b, pool->row_price, pool->cuts.count));
    }
done:
    return st;
}

mco_status tree_get_pools(tree_bytes *b, vrp_claim_pools *pools)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    MCO_TRY(tree_get(b, &count, sizeof count));
    MCO_TRY(mco_grow(b->ctx, &pools->pool, &pools->room, count > 0 ? count : 1));
    for (; pools->count < count; pools->count++) {
        vrp_claim_pool *pool = &pools->pool[pools->count];
        *pool = (vrp_claim_pool){0};
        st = tree_get(b, &pool->unit, sizeof pool->unit);
        if (st == MCO_OK)
            st = GET_ARRAY(b, &pool->price, b->nodes);
        if (st == MCO_OK)
            st = get_cuts(b, &pool->cuts);
        if (st == MCO_OK)
            st = GET_ARRAY(b, &pool->row_price, pool->cuts.count);
        if (st != MCO_OK) {
            vrp_claim_pool_clear(b->ctx, pool);
            return st;
        }
    }
done:
    return st;
}
