// SPDX-License-Identifier: MIT
// Dijkstra with a heap of four children, one search a row. A search ends when all ends of its row are settled.
#include "traffic/least/least.h"

#include <string.h>

static const double WATCH_S = 0.02;

// Nodes that wait, by label. place[v]: -1 untouched, -2 settled, else the place in the heap.
typedef struct least_worker {
    double *label;   // [nodes]
    int32_t *place;  // [nodes]
    int32_t *heap;   // [nodes]
    int32_t *seen;   // [nodes] touched nodes, whose places are reset after a search
    int32_t waiting, touched;
} least_worker;

enum { UNTOUCHED = -1, SETTLED = -2, CHILDREN = 4 };
enum { STOP_NODES = 4096 };  // a search asks after as many nodes whether it must stop: about a millisecond

static void rise(least_worker *w, int32_t at, int32_t v)
{
    while (at > 0) {
        const int32_t parent = (at - 1) / CHILDREN, u = w->heap[parent];
        if (w->label[u] <= w->label[v])
            break;
        w->heap[at] = u;
        w->place[u] = at;
        at = parent;
    }
    w->heap[at] = v;
    w->place[v] = at;
}

static void reach(least_worker *w, int32_t v, double label)
{
    if (w->place[v] == SETTLED || (w->place[v] != UNTOUCHED && w->label[v] <= label))
        return;
    w->label[v] = label;
    if (w->place[v] == UNTOUCHED) {
        w->seen[w->touched++] = v;
        rise(w, w->waiting++, v);
    } else {
        rise(w, w->place[v], v);
    }
}

static int32_t settle(least_worker *w)
{
    const int32_t top = w->heap[0], last = w->heap[--w->waiting];
    w->place[top] = SETTLED;
    int32_t at = 0;
    for (;;) {
        const int64_t child = (int64_t)at * CHILDREN + 1;
        int64_t least = -1;
        for (int64_t c = child; c < child + CHILDREN && c < w->waiting; c++)
            if (least < 0 || w->label[w->heap[c]] < w->label[w->heap[least]])
                least = c;
        if (least < 0 || w->label[w->heap[least]] >= w->label[last])
            break;
        w->heap[at] = w->heap[least];
        w->place[w->heap[at]] = at;
        at = (int32_t)least;
    }
    if (w->waiting > 0) {
        w->heap[at] = last;
        w->place[last] = at;
    }
    return top;
}

// The sum of a row: amounts times labels of its ends, as they are settled last in `to`.
static double search(traffic_least *least, least_worker *w, int32_t row)
{
    const traffic_problem *p = least->problem;
    const double *extra = least->extra == NULL ? NULL : least->extra + (int64_t)p->row_class[row] * p->links;
    const int32_t origin = p->row_origin[row];
    reach(w, origin, 0);
    int64_t open = p->row_first[row + 1] - p->row_first[row];
    // Ends in `to` ascend, so a bisection finds whether a settled node is one.
    for (int64_t settled = 0; w->waiting > 0 && open > 0; settled++) {
        if (settled % STOP_NODES == STOP_NODES - 1 && atomic_load_explicit(&least->must_stop, memory_order_relaxed))
            break;
        const int32_t v = settle(w);
        int64_t lo = p->row_first[row], hi = p->row_first[row + 1];
        while (lo < hi) {
            const int64_t mid = (lo + hi) / 2;
            if (p->to[mid] < v)
                lo = mid + 1;
            else
                hi = mid;
        }
        open -= lo < p->row_first[row + 1] && p->to[lo] == v;
        if (v < p->first_through && v != origin)
            continue;
        for (int32_t e = p->first[v]; e < p->first[v + 1]; e++)
            reach(w, p->head[e], w->label[v] + least->cost[e] + (extra == NULL ? 0 : extra[e]));
    }
    double sum = 0;
    for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++)
        sum += p->amount[t] * (w->place[p->to[t]] == UNTOUCHED ? INFINITY : w->label[p->to[t]]);
    for (int32_t i = 0; i < w->touched; i++)
        w->place[w->seen[i]] = UNTOUCHED;
    w->waiting = w->touched = 0;
    return sum;
}

static void search_row(void *shared, int worker, int64_t row)
{
    traffic_least *least = shared;
    if (!atomic_load_explicit(&least->must_stop, memory_order_relaxed))
        least->row_sum[row] = search(least, &least->worker[worker], (int32_t)row);
}

static double watch(void *shared)
{
    traffic_least *least = shared;
    if (mco_run_must_stop(least->run, 0))
        atomic_store(&least->must_stop, true);
    return WATCH_S;
}

mco_status traffic_least_open(mco_context *ctx, const traffic_problem *problem, int threads, traffic_least *out)
{
    mco_status st = MCO_OK;
    *out = (traffic_least){.problem = problem};
    atomic_init(&out->must_stop, false);
    MCO_TRY(mco_team_open(ctx, threads, true, &out->team));
    out->workers = out->team.workers;
    MCO_TRY(mco_alloc(ctx, &out->worker, out->workers));
    MCO_TRY(mco_alloc(ctx, &out->row_sum, problem->rows));
    for (int i = 0; i < out->workers; i++) {
        least_worker *w = &out->worker[i];
        MCO_TRY(mco_alloc(ctx, &w->label, problem->nodes));
        MCO_TRY(mco_alloc(ctx, &w->place, problem->nodes));
        MCO_TRY(mco_alloc(ctx, &w->heap, problem->nodes));
        MCO_TRY(mco_alloc(ctx, &w->seen, problem->nodes));
        for (int32_t v = 0; v < problem->nodes; v++)
            w->place[v] = UNTOUCHED;
    }
done:
    if (st != MCO_OK)
        traffic_least_close(out);
    return st;
}

mco_status traffic_least_sum(traffic_least *least, mco_run *run, const double *cost, const double *extra, double *sum)
{
    least->run = run;
    least->cost = cost;
    least->extra = extra;
    atomic_store(&least->must_stop, mco_run_must_stop(run, 0));
    mco_team_run(&least->team, least->problem->rows, search_row, watch, least);
    if (atomic_load(&least->must_stop))
        return mco_fail(least->team.ctx, MCO_ERR_STOPPED, "the search of least costs was stopped");
    // Kahan's sum, in the order of rows: equal for any number of threads.
    double total = 0, lost = 0;
    for (int32_t r = 0; r < least->problem->rows; r++) {
        const double y = least->row_sum[r] - lost, t = total + y;
        lost = (t - total) - y;
        total = t;
    }
    *sum = total;
    return MCO_OK;
}

void traffic_least_close(traffic_least *least)
{
    mco_context *ctx = least->team.ctx;
    mco_team_close(&least->team);
    for (int i = 0; i < least->workers && least->worker != NULL; i++) {
        mco_free(ctx, &least->worker[i].label);
        mco_free(ctx, &least->worker[i].place);
        mco_free(ctx, &least->worker[i].heap);
        mco_free(ctx, &least->worker[i].seen);
    }
    if (ctx != NULL) {
        mco_free(ctx, &least->worker);
        mco_free(ctx, &least->row_sum);
    }
    least->workers = 0;
}
