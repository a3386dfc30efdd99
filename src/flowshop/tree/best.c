// SPDX-License-Identifier: MIT
// Best-first search on one thread: the open node with the least bound comes first; tie: the deepest. It serves for
// comparison with depth-first search. It decomposes no node whose bound exceeds the optimum, but it needs a heap of all
// open nodes. Nodes are those of the reference.
#include <string.h>

#include "base/grow.h"
#include "flowshop/tree/ref.h"

// Open nodes may take about this many bytes. Beyond it the search ends with MCO_STOP_MEMORY.
static const int64_t HEAP_BYTES = (int64_t)4 << 30;

typedef struct heap {
    mco_context *ctx;
    int32_t jobs;
    flowshop_node *items;  // [room] binary heap
    int64_t count, room;
} heap;

static bool comes_first(const flowshop_node *a, const flowshop_node *b)
{
    if (a->bound != b->bound)
        return a->bound < b->bound;
    return a->front + a->back > b->front + b->back;
}

static mco_status push(heap *h, const flowshop_node *node)
{
    mco_status st = MCO_OK;
    flowshop_node copy = *node;
    copy.order = NULL;
    MCO_TRY(mco_grow(h->ctx, &h->items, &h->room, h->count + 1));
    MCO_TRY(mco_alloc(h->ctx, &copy.order, h->jobs));
    memcpy(copy.order, node->order, (size_t)h->jobs * sizeof *copy.order);
    int64_t at = h->count++;
    for (; at > 0 && comes_first(&copy, &h->items[(at - 1) / 2]); at = (at - 1) / 2)
        h->items[at] = h->items[(at - 1) / 2];
    h->items[at] = copy;
done:
    return st;
}

static flowshop_node pop(heap *h)
{
    flowshop_node top = h->items[0], last = h->items[--h->count];
    int64_t at = 0;
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && comes_first(&h->items[child + 1], &h->items[child]))
            child++;
        if (!comes_first(&h->items[child], &last))
            break;
        h->items[at] = h->items[child];
        at = child;
    }
    if (h->count > 0)
        h->items[at] = last;
    return top;
}

static mco_status visit(flowshop_run *run, flowshop_ref *r, heap *h, const flowshop_node *v, flowshop_node *child)
{
    mco_status st = MCO_OK;
    const int32_t n = run->shop->jobs, children = n - v->front - v->back;
    int64_t survivors = 0, makespan;
    bool in_front = flowshop_ref_decompose(r, v);
    if (r->is_stopped)
        return MCO_OK;
    const int64_t *bounds = in_front ? r->front_bounds : r->back_bounds;
    for (int32_t c = 0; c < children; c++)
        survivors += bounds[c] < run->upper_bound;
    flowshop_ref_count(r, v, survivors);
    run->result->nodes += v->front + v->back > 0;
    for (int32_t c = 0; c < children; c++) {
        if (bounds[c] >= run->upper_bound)
            continue;
        flowshop_ref_child(r, v, c, in_front, child);
        if (children > 2) {
            MCO_TRY(push(h, child));
            continue;
        }
        run->result->leaves++;
        MCO_TRY(mco_flowshop_check(run->ctx, run->shop, child->order, n, &makespan));
        MCO_TRY(flowshop_run_improve(run, makespan, child->order, "tree"));
    }
done:
    return st;
}

mco_status flowshop_best_first(flowshop_run *run, bool *is_proved, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const int32_t n = run->shop->jobs;
    const int64_t most = HEAP_BYTES / ((int64_t)n * 4 + 256);
    flowshop_ref r = {0};
    heap h = {.ctx = run->ctx, .jobs = n};
    flowshop_node child = {0}, v = {0};
    MCO_TRY(flowshop_ref_create(run, &r));
    MCO_TRY(mco_alloc(run->ctx, &child.order, n));
    for (int32_t j = 0; j < n; j++)
        child.order[j] = j;
    MCO_TRY(push(&h, &child));
    *stop = MCO_STOP_FINISHED;
    *is_proved = true;
    r.stop = stop;
    while (h.count > 0 && h.items[0].bound < run->upper_bound) {
        flowshop_run_raise_bound(run, h.items[0].bound);
        if (h.count > most)
            *stop = MCO_STOP_MEMORY;
        if (h.count > most || flowshop_run_must_stop(run, run->result->nodes, stop)) {
            *is_proved = false;
            break;
        }
        v = pop(&h);
        MCO_TRY(visit(run, &r, &h, &v, &child));
        mco_free(run->ctx, &v.order);
        if (r.is_stopped) {
            *is_proved = false;
            break;
        }
    }
done:
    mco_free(run->ctx, &v.order);
    for (int64_t i = 0; i < h.count; i++)
        mco_free(run->ctx, &h.items[i].order);
    mco_free(run->ctx, &h.items);
    mco_free(run->ctx, &child.order);
    flowshop_ref_destroy(run->ctx, &r);
    return st;
}
