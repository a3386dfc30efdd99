// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/handout.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOKED_AT_A_ROUTE = 16, LOOKED_AT = 4096,  // routes of which most_routes are chosen
    LOOKED_AT_WHEN_STOPPED = 1 << 16           // of more, those found first
};

typedef struct handout {
    mco_context *ctx;
    vrp_side *forward;
    const vrp_side *back;
    vrp_routes *routes;
    int64_t count;   // of forward->final that are looked at
    int32_t *node;   // [node_room] a route
    int64_t node_room;
} handout;

static int by_value(const void *a, const void *b)
{
    const vrp_label_final *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return (x->tail > y->tail) - (x->tail < y->tail);
}

// Fills h->node; returns the number of nodes.
static int32_t trace(handout *h, const vrp_label_final *final)
{
    int32_t count = 0;
    for (int32_t at = final->head; at >= 0; at = vrp_side_item(h->forward, at)->before)
        h->node[count++] = vrp_side_item(h->forward, at)->node;
    for (int32_t x = 0, y = count - 1; x < y; x++, y--) {
        const int32_t node = h->node[x];
        h->node[x] = h->node[y];
        h->node[y] = node;
    }
    for (int32_t at = final->tail; at >= 0; at = vrp_side_item(h->back, at)->before)
        h->node[count++] = vrp_side_item(h->back, at)->node;
    return count;
}

static mco_status add(handout *h, int32_t count, bool *is_new)
{
    int64_t index;
    const int64_t cost = vrp_bound_route_cost(h->forward->task->problem, h->node, count);
    return vrp_routes_add(h->ctx, h->routes, h->node, count, cost, &index, is_new);
}

// ---- Routes of a relaxation

// Whether one of the nodes is in fewer than `limit` routes so far.
static bool is_rare(const int32_t *uses, const int32_t *node, int32_t count, int64_t limit)
{
    for (int32_t k = 0; k < count; k++)
        if (uses[node[k]] < limit)
            return true;
    return false;
}

static mco_status hand_out_best(handout *h)
{
    mco_status st = MCO_OK;
    const vrp_side *side = h->forward;
    const vrp_label_task *task = side->task;
    const int64_t most = LOOKED_AT_A_ROUTE * task->most_routes + LOOKED_AT;
    const int64_t count = h->count < most ? h->count : most;
    bool *is_taken = NULL, is_new;
    int32_t *uses = NULL;
    int64_t taken = 0, left = count;
    MCO_TRY(mco_alloc(h->ctx, &is_taken, count));
    MCO_TRY(mco_alloc(h->ctx, &uses, task->problem->nodes));
    for (int64_t limit = 1; left > 0 && taken < task->most_routes; limit *= 2)
        for (int64_t k = 0; k < count && taken < task->most_routes; k++) {
            const int32_t nodes = is_taken[k] ? 0 : trace(h, &side->final[k]);
            if (is_taken[k] || !is_rare(uses, h->node, nodes, limit))
                continue;
            MCO_TRY(add(h, nodes, &is_new));
            is_taken[k] = true;
            left--;
            taken += is_new;
            for (int32_t x = 0; x < nodes && is_new; x++)
                uses[h->node[x]]++;
        }
done:
    mco_free(h->ctx, &uses);
    mco_free(h->ctx, &is_taken);
    return st;
}

// ---- Elementary routes

static uint64_t set_word(const handout *h, const vrp_label_final *final, int32_t w)
{
    uint64_t word = vrp_side_visited(h->forward, vrp_side_item(h->forward, final->head))[w];
    if (final->tail >= 0)
        word |= vrp_side_visited(h->back, vrp_side_item(h->back, final->tail))[w];
    return word;
}

static bool has_same_set(const handout *h, const vrp_label_final *a, const vrp_label_final *b)
{
    for (int32_t w = 0; w < h->forward->set_words; w++)
        if (set_word(h, a, w) != set_word(h, b, w))
            return false;
    return true;
}

static int64_t cost_of(const handout *h, const vrp_label_final *final)
{
    const vrp_bound_problem *p = h->forward->task->problem;
    const vrp_label_item *head = vrp_side_item(h->forward, final->head);
    const vrp_label_item *tail = final->tail >= 0 ? vrp_side_item(h->back, final->tail) : NULL;
    return head->cost + vrp_label_cost(p, head->node, tail != NULL ? tail->node : 0) + (tail != NULL ? tail->cost : 0);
}

// Puts the cheapest route of each set into slot [slots], by index + 1; of equal ones the first.
static void find_cheapest(const handout *h, int32_t *slot, uint64_t slots)
{
    const vrp_label_final *final = h->forward->final;
    for (int64_t k = 0; k < h->count; k++) {
        uint64_t hash = 0;
        for (int32_t w = 0; w < h->forward->set_words; w++) {
            hash = (hash ^ set_word(h, &final[k], w)) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        uint64_t at = hash & (slots - 1);
        while (slot[at] != 0 && !has_same_set(h, &final[k], &final[slot[at] - 1]))
            at = (at + 1) & (slots - 1);
        if (slot[at] == 0 || cost_of(h, &final[k]) < cost_of(h, &final[slot[at] - 1]))
            slot[at] = (int32_t)k + 1;
    }
}

static mco_status hand_out_sets(handout *h)
{
    mco_status st = MCO_OK;
    const int64_t count = h->count;
    int32_t *slot = NULL;
    bool *is_cheapest = NULL;
    uint64_t slots = 64;
    while (slots < 2 * (uint64_t)count)
        slots *= 2;
    MCO_TRY(mco_alloc(h->ctx, &slot, slots));
    MCO_TRY(mco_alloc(h->ctx, &is_cheapest, count));
    find_cheapest(h, slot, slots);
    for (uint64_t at = 0; at < slots; at++)
        if (slot[at] != 0)
            is_cheapest[slot[at] - 1] = true;
    for (int64_t k = 0; k < count; k++)
        if (is_cheapest[k])
            MCO_TRY(add(h, trace(h, &h->forward->final[k]), NULL));
done:
    mco_free(h->ctx, &is_cheapest);
    mco_free(h->ctx, &slot);
    return st;
}

mco_status vrp_hand_out(mco_context *ctx, vrp_side *forward, const vrp_side *back, vrp_routes *routes)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = forward->task->problem;
    handout h = {.ctx = ctx, .forward = forward, .back = back, .routes = routes};
    h.node_room = p->capacity / p->least_demand + 1;
    h.count = forward->final_count;
    if (forward->end == VRP_LABELS_STOPPED && h.count > LOOKED_AT_WHEN_STOPPED)
        h.count = LOOKED_AT_WHEN_STOPPED;
    if (h.count == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &h.node, h.node_room));
    if (h.count > 0)
        qsort(forward->final, (size_t)h.count, sizeof *forward->final, by_value);
    MCO_TRY(forward->task->is_elementary ? hand_out_sets(&h) : hand_out_best(&h));
done:
    mco_free(ctx, &h.node);
    return st;
}
