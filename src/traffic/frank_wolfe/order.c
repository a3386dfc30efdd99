// SPDX-License-Identifier: MIT
#include "traffic/frank_wolfe/order.h"

mco_status traffic_search_open(mco_context *ctx, const traffic_problem *problem, traffic_search *out)
{
    mco_status st = MCO_OK;
    traffic_search s = {0};
    MCO_TRY(mco_alloc(ctx, &s.label, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &s.settled, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &s.labelled, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &s.heap, (int64_t)problem->links + 1));
    for (int32_t v = 0; v < problem->nodes; v++)
        s.label[v] = INFINITY;
    *out = s;
    s = (traffic_search){0};
done:
    traffic_search_close(ctx, &s);
    return st;
}

void traffic_search_close(mco_context *ctx, traffic_search *search)
{
    mco_free(ctx, &search->heap);
    mco_free(ctx, &search->labelled);
    mco_free(ctx, &search->settled);
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
int32_t traffic_search_tree(const traffic_problem *p, const double *cost, int32_t origin, bool (*is_over)(void *user, int32_t node),
                            void *user, traffic_search *s)
{
    int32_t settled = 0;
    int64_t count = 1;
    s->label[origin] = 0;
    s->labelled[0] = origin;
    s->labels = 1;
    s->heap[0] = (traffic_search_item){0, origin};
    while (count > 0) {
        const traffic_search_item item = s->heap[0];
        const int32_t v = item.node;
        pop(s->heap, count--);
        if (item.key > s->label[v])
            continue;
        s->settled[settled++] = v;
        if (is_over != NULL && is_over(user, v))
            break;
        if (v < p->first_through && v != origin)
            continue;
        for (int32_t a = p->first[v]; a < p->first[v + 1]; a++) {
            const int32_t w = p->head[a];
            const double label = s->label[v] + cost[a];
            if (label >= s->label[w])
                continue;
            if (s->label[w] == INFINITY)
                s->labelled[s->labels++] = w;
            s->label[w] = label;
            push(s->heap, count++, (traffic_search_item){label, w});
        }
    }
    return settled;
}

void traffic_search_forget(traffic_search *s)
{
    for (int32_t i = 0; i < s->labels; i++)
        s->label[s->labelled[i]] = INFINITY;
    s->labels = 0;
}

// Rows by their origins, and the group that grows.
typedef struct grouping {
    int32_t *row_at;  // [nodes] the row of an origin that is in no group yet, -1: none
    int32_t *group;   // [size]
    int32_t count, size;
} grouping;

static bool take_row(void *user, int32_t node)
{
    grouping *g = user;
    if (g->row_at[node] < 0)
        return false;
    g->group[g->count++] = g->row_at[node];
    g->row_at[node] = -1;
    return g->count == g->size;
}

// Where no more origins are within reach, the next ones by number fill the group.
mco_status traffic_near_rows(mco_context *ctx, const traffic_problem *p, const double *cost, int32_t size, int32_t count, int32_t *row,
                             traffic_search *search)
{
    mco_status st = MCO_OK;
    grouping g = {.size = size};
    int32_t *given = NULL, next = 0;
    MCO_TRY(mco_alloc(ctx, &g.row_at, p->nodes));
    MCO_TRY(mco_alloc(ctx, &given, count));
    for (int32_t v = 0; v < p->nodes; v++)
        g.row_at[v] = -1;
    for (int32_t i = 0; i < count; i++) {
        given[i] = row[i];
        g.row_at[p->row_origin[row[i]]] = row[i];
    }
    for (int32_t done = 0; done < count; done += g.count) {
        g.group = row + done;
        g.count = 0;
        g.size = size < count - done ? size : count - done;
        while (g.count < g.size) {
            while (g.row_at[p->row_origin[given[next]]] < 0)
                next++;
            traffic_search_tree(p, cost, p->row_origin[given[next]], take_row, &g, search);
            traffic_search_forget(search);
        }
    }
done:
    mco_free(ctx, &given);
    mco_free(ctx, &g.row_at);
    return st;
}
