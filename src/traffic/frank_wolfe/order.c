// SPDX-License-Identifier: MIT
#include "traffic/frank_wolfe/order.h"

mco_status traffic_search_open(mco_context *ctx, const traffic_problem *problem, traffic_search *out)
{
    mco_status st = MCO_OK;
    traffic_search s = {0};
    MCO_TRY(mco_alloc(ctx, &s.label, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &s.before, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &s.settled, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &s.heap, (int64_t)problem->links + 1));
    *out = s;
    s = (traffic_search){0};
done:
    traffic_search_close(ctx, &s);
    return st;
}

void traffic_search_close(mco_context *ctx, traffic_search *search)
{
    mco_free(ctx, &search->heap);
    mco_free(ctx, &search->settled);
    mco_free(ctx, &search->before);
    mco_free(ctx, &search->label);
}

static void push(traffic_search_item *heap, int64_t at, traffic_search_item item)
{
    for (; at > 0 && heap[(at - 1) / 2].key > item.key; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

// Removes the first of `count` items.
static void pop(traffic_search_item *heap, int64_t count)
{
    const traffic_search_item last = heap[count - 1];
    int64_t at = 0;
    for (int64_t child = 1; child < count - 1; child = 2 * at + 1) {
        child += child + 1 < count - 1 && heap[child + 1].key < heap[child].key;
        if (heap[child].key >= last.key)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
}

// Every link is pushed at most once, when its tail is settled.
int32_t traffic_search_tree(const traffic_problem *p, const double *cost, int32_t origin, traffic_search *s)
{
    int32_t settled = 0;
    int64_t count = 1;
    for (int32_t v = 0; v < p->nodes; v++) {
        s->label[v] = INFINITY;
        s->before[v] = -1;
    }
    s->label[origin] = 0;
    s->heap[0] = (traffic_search_item){0, origin};
    while (count > 0) {
        const traffic_search_item item = s->heap[0];
        const int32_t v = item.node;
        pop(s->heap, count--);
        if (item.key > s->label[v])
            continue;
        s->settled[settled++] = v;
        if (v < p->first_through && v != origin)
            continue;
        for (int32_t a = p->first[v]; a < p->first[v + 1]; a++) {
            const int32_t w = p->head[a];
            if (s->label[v] + cost[a] < s->label[w]) {
                s->label[w] = s->label[v] + cost[a];
                s->before[w] = v;
                push(s->heap, count++, (traffic_search_item){s->label[w], w});
            }
        }
    }
    return settled;
}

// Children of a node follow each other in a list that `next` links.
mco_status traffic_near_places(mco_context *ctx, const traffic_problem *p, const double *cost, int32_t origin, traffic_search *s,
                               int32_t *place)
{
    mco_status st = MCO_OK;
    int32_t *child = NULL, *next = NULL, count = 0;
    MCO_TRY(mco_alloc(ctx, &child, p->nodes));
    MCO_TRY(mco_alloc(ctx, &next, p->nodes));
    const int32_t settled = traffic_search_tree(p, cost, origin, s);
    for (int32_t v = 0; v < p->nodes; v++) {
        child[v] = next[v] = -1;
        place[v] = INT32_MAX;  // not in the tree
    }
    for (int32_t i = settled - 1; i > 0; i--) {
        const int32_t v = s->settled[i], before = s->before[v];
        next[v] = child[before];
        child[before] = v;
    }
    for (int32_t v = origin; v >= 0;) {
        place[v] = count++;
        if (child[v] >= 0) {
            v = child[v];
            continue;
        }
        while (v >= 0 && next[v] < 0)
            v = s->before[v];
        v = v >= 0 ? next[v] : -1;
    }
done:
    mco_free(ctx, &next);
    mco_free(ctx, &child);
    return st;
}
