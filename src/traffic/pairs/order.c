// SPDX-License-Identifier: MIT
// Orders in which the nodes of a batch are relaxed (order.h): by distance, by flows, and by trees.
#include "traffic/pairs/order.h"

#include <math.h>
#include <string.h>

// Lowers the label of a node of the first order.
static mco_status reach(pairs_order_room *r, double label, int32_t node)
{
    if (label >= r->label[node])
        return MCO_OK;
    r->label[node] = label;
    return pairs_heap_push(r->ctx, &r->heap, label, node);
}

// A first order: by the distance from the first row's origin; nodes that it does not reach come last. The trees of the load make a better one.
mco_status pairs_order_nearest(pairs_trees *t, pairs_order_room *r, const pairs_batch *b)
{
    const traffic_problem *p = t->graph->problem;
    const int32_t origin = p->row_origin[b->row[0]];
    int32_t *order = t->order, count = 0;
    mco_status st = MCO_OK;
    r->heap.count = 0;
    for (int32_t v = 0; v < p->nodes; v++)
        r->label[v] = INFINITY;
    MCO_TRY(reach(r, 0, origin));
    while (r->heap.count > 0) {
        const pairs_entry top = pairs_heap_pop(&r->heap);
        if (top.label > r->label[top.node])
            continue;
        r->label[top.node] = -1;  // done
        if (top.node >= p->first_through)
            order[count++] = top.node;
        for (int32_t l = p->first[top.node]; l < p->first[top.node + 1]; l++)
            if (p->head[l] >= p->first_through)
                MCO_TRY(reach(r, top.label + t->cost[l], p->head[l]));
    }
    for (int32_t v = p->first_through; v < p->nodes; v++)
        if (r->label[v] == INFINITY)
            order[count++] = v;
done:
    memset(r->label, 0, (size_t)p->nodes * sizeof *r->label);
    return st;
}

// Goes back from `node` along links with flow, and appends the nodes behind those that lead to them. `position` says which link comes next.
static int32_t follow_flows_back(pairs_trees *t, pairs_order_room *r, const pairs_batch *b, int32_t node, int32_t count)
{
    const traffic_problem *p = t->graph->problem;
    int32_t *next = t->position, depth = 0;
    r->stack[depth++] = node;
    next[node] = p->into_first[node];
    while (depth > 0) {
        const int32_t v = r->stack[depth - 1];
        if (next[v] == p->into_first[v + 1]) {
            t->order[count++] = v;
            depth--;
            continue;
        }
        const int32_t link = p->into[next[v]++], tail = p->tail[link];
        if (tail >= p->first_through && next[tail] < 0 && pairs_slot(b, link) >= 0) {
            r->stack[depth++] = tail;
            next[tail] = p->into_first[tail];
        }
    }
    return count;
}

// The first order of a batch whose rows all have flow: a depth-first order of the links with flow, then the other nodes, breadth first. O(nodes + links).
void pairs_order_flows(pairs_trees *t, pairs_order_room *r, const pairs_batch *b)
{
    const traffic_problem *p = t->graph->problem;
    int32_t *order = t->order, *seen = t->position, count = 0;
    memset(seen, 0xff, (size_t)p->nodes * sizeof *seen);
    for (int32_t k = 0; k < b->slots; k++) {
        const int32_t head = p->head[b->link[k]];
        if (head >= p->first_through && seen[head] < 0)
            count = follow_flows_back(t, r, b, head, count);
    }
    for (int32_t i = 0; i < count; i++)
        for (int32_t l = p->first[order[i]]; l < p->first[order[i] + 1]; l++) {
            const int32_t head = p->head[l];
            if (head >= p->first_through && seen[head] < 0) {
                seen[head] = 0;
                order[count++] = head;
            }
        }
    for (int32_t v = p->first_through; v < p->nodes; v++)
        if (seen[v] < 0)
            order[count++] = v;
}

// The node from which the tree of a lane enters `node`, -1: none.
static int32_t tree_tail(const pairs_trees *t, int32_t node, int lane)
{
    const traffic_tree tree = {t->narrow, t->wide, lane};
    const int32_t link = traffic_tree_link(t->graph->problem, &tree, node);
    return link < 0 ? -1 : t->graph->problem->tail[link];
}

// The lane after `lane` that enters the node from elsewhere than `lane` does, PAIRS_LANES: none.
static inline int next_lane(const pairs_trees *t, int32_t node, int lane)
{
    if (t->narrow == NULL || lane + 1 == PAIRS_LANES)
        return lane + 1;
    const uint64_t word = t->narrow[node], same = (word >> 8 * lane & 255) * UINT64_C(0x0101010101010101);
    const uint64_t others = (word ^ same) >> 8 * (lane + 1);
    return others == 0 ? PAIRS_LANES : lane + 1 + __builtin_ctzll(others) / 8;
}

// Puts parents before children: a depth-first order of the union of the trees, from the nodes in their present order.
void pairs_order_trees(pairs_trees *t, pairs_order_room *r)
{
    const traffic_problem *p = t->graph->problem;
    const int32_t nodes = p->nodes - p->first_through;
    enum { NOT_SEEN = 255 };
    int32_t count = 0;
    memset(r->next, NOT_SEEN, (size_t)p->nodes);
    for (int32_t i = 0; i < nodes; i++) {
        if (r->next[t->order[i]] != NOT_SEEN)
            continue;
        int32_t depth = 0;
        r->stack[depth++] = t->order[i];
        r->next[t->order[i]] = 0;
        while (depth > 0) {
            const int32_t v = r->stack[depth - 1];
            if (r->next[v] == PAIRS_LANES) {
                r->new_order[count++] = v;
                depth--;
                continue;
            }
            const int lane = r->next[v];
            const int32_t tail = tree_tail(t, v, lane);
            r->next[v] = (uint8_t)next_lane(t, v, lane);
            if (tail >= p->first_through && r->next[tail] == NOT_SEEN) {
                r->stack[depth++] = tail;
                r->next[tail] = 0;
            }
        }
    }
    memcpy(t->order, r->new_order, (size_t)nodes * sizeof *t->order);
}
