// SPDX-License-Identifier: MIT
// The load of the scanner of the cores: trips of rows without flow go to the links of their least-cost trees.
#include "traffic/pairs/scanner.h"

// An amount waits at a node until all nodes behind it in the order are done.
static void put(pairs_worker *w, int32_t node, double amount)
{
    const int32_t place = w->trees.position[node];
    w->amount[node] += amount;
    w->trees.dirty[place >> 6] |= UINT64_C(1) << (place & 63);
}

// Takes an amount from node `v`, whose place in the order is `place`, up the tree to the next node that comes later, or to the origin.
static mco_status climb(const pairs_scanner *s, pairs_worker *w, pairs_batch *b, const traffic_tree *tree, int32_t origin, int32_t v, int32_t place,
                        double amount)
{
    const traffic_problem *p = s->store->problem;
    const int32_t from = v;
    while (v != origin) {
        const int32_t link = traffic_tree_link(p, tree, v);
        int32_t slot;
        if (link < 0)
            return mco_fail(w->ctx, MCO_ERR_INTERNAL, "row %d has trips to node %d, which has no path", b->row[tree->lane], from);
        const mco_status st = pairs_slot_make(w->ctx, s->store, b, link, &slot);
        if (st != MCO_OK)
            return st;
        b->flow[(size_t)slot * PAIRS_LANES + (size_t)tree->lane] += amount;
        v = p->tail[link];
        if (v != origin && w->trees.position[v] < place) {
            put(w, v, amount);
            break;
        }
    }
    return MCO_OK;
}

// Adds the trips of a row to the links of its tree. Amounts climb from the last node of the order; where a child stands before its
// parent, they climb on at once. Only nodes with amounts are visited; `dirty` marks their places. O(trips + links of the tree + nodes / 64).
static mco_status load_row(const pairs_scanner *s, pairs_worker *w, pairs_batch *b, int lane)
{
    const traffic_problem *p = s->store->problem;
    const pairs_trees *t = &w->trees;
    const traffic_tree tree = {t->narrow, t->wide, lane};
    const int32_t row = b->row[lane], origin = p->row_origin[row], count = pairs_through(s);
    mco_status st = MCO_OK;
    for (int64_t k = p->row_first[row]; k < p->row_first[row + 1] && st == MCO_OK; k++) {
        if (p->to[k] < p->first_through)
            st = climb(s, w, b, &tree, origin, p->to[k], count, p->amount[k]);
        else
            put(w, p->to[k], p->amount[k]);
    }
    for (int32_t word = count >> 6; word >= 0; word--)
        while (t->dirty[word] != 0) {
            const int32_t place = 64 * word + 63 - __builtin_clzll(t->dirty[word]), v = t->order[place];
            const double amount = w->amount[v];
            w->amount[v] = 0;
            t->dirty[word] &= ~(UINT64_C(1) << (place & 63));
            if (amount > 0 && st == MCO_OK)
                st = climb(s, w, b, &tree, origin, v, place, amount);
        }
    return st;
}

static bool row_is_empty(const pairs_batch *b, int lane)
{
    for (int32_t k = 0; k < b->slots; k++)
        if (b->flow[(size_t)k * PAIRS_LANES + (size_t)lane] > 0)
            return false;
    return true;
}

void pairs_load_batch(void *shared, int index, int64_t turn)
{
    pairs_scanner *s = shared;
    pairs_worker *w = &s->worker[index];
    const int64_t item = s->share.first + turn * s->share.step;
    pairs_batch *b = &s->store->batch[item];
    uint32_t empty = 0;
    bool wants_order;
    if (w->status != MCO_OK || atomic_load_explicit(&s->is_stopped, memory_order_relaxed))
        return;
    pairs_set_batch(s, w, (int32_t)item);
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        empty |= (uint32_t)(b->row[lane] >= 0 && row_is_empty(b, lane)) << lane;
    if (s->is_fresh && s->has_orders)
        pairs_load_order(s, w, (int32_t)item);
    else if (s->is_fresh && empty == 0)
        pairs_order_flows(&w->trees, &w->room, b);
    else if (s->is_fresh)
        w->status = pairs_order_nearest(&w->trees, &w->room, b);
    else
        pairs_load_order(s, w, (int32_t)item);
    if (empty == 0 && w->status == MCO_OK) {  // a warm start
        s->repairs[item] = -1;
        if (!s->has_orders)
            pairs_save_order(s, w, (int32_t)item);
    }
    if (empty == 0 || w->status != MCO_OK || !pairs_find_labels(s, w, (int32_t)item, &wants_order) || !s->build->parents(&w->trees))
        return;
    pairs_renew_order(s, w, (int32_t)item);
    // Labels have found their places in the order of before; `position` follows the new one.
    for (int32_t k = 0; k < pairs_through(s); k++)
        w->trees.position[w->trees.order[k]] = k;
    for (int lane = 0; lane < PAIRS_LANES && w->status == MCO_OK; lane++)
        if (empty >> lane & 1)
            w->status = load_row(s, w, b, lane);
    if (w->status == MCO_OK)
        w->status = pairs_batch_pack(w->ctx, s->store, b);
}
