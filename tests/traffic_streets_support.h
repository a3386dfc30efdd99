// SPDX-License-Identifier: MIT
// An engine of its own for the tests of streets and hard capacities: flows of paths, every trip with its list of paths, shifted to the
// cheapest one by Newton steps, path by path. It shares nothing with the library's engines. Small networks.
#ifndef MCO_TRAFFIC_STREETS_SUPPORT_H
#define MCO_TRAFFIC_STREETS_SUPPORT_H

#include <math.h>

#include "base/structs.h"
#include "test_support.h"
#include "traffic/engine.h"

enum { PATHS_OF_TRIP = 40, PATH_SWEEPS = 20 };

typedef struct test_route {
    int count;
    int32_t *link;
    double flow;
} test_route;

// Paths of all trips of the last problem: kept from call to call, as a start.
static struct {
    int64_t trips;
    int *count;  // [trips]
    test_route (*path)[PATHS_OF_TRIP];  // [trips]
    int calls;                         // of the engine
} test_paths;

TEST_UNUSED static void test_paths_reset(void)
{
    for (int64_t t = 0; t < test_paths.trips; t++)
        for (int p = 0; p < test_paths.count[t]; p++)
            free(test_paths.path[t][p].link);
    free(test_paths.count);
    free(test_paths.path);
    memset(&test_paths, 0, sizeof test_paths);
}

static double test_extra(const traffic_problem *p, int32_t row, int32_t e)
{
    return p->extra == NULL ? 0 : p->extra[(int64_t)p->row_class[row] * p->links + e];
}

// Labels and entering links from the origin of a row, by repeated relaxation.
static void test_tree(const traffic_problem *p, int32_t row, const double *cost, double *label, int32_t *enter)
{
    int32_t *queue = malloc(sizeof *queue * (size_t)(p->nodes + 1));
    bool *waits = calloc((size_t)p->nodes, sizeof *waits);
    assert_true(queue != NULL && waits != NULL);
    for (int32_t v = 0; v < p->nodes; v++) {
        label[v] = INFINITY;
        enter[v] = -1;
    }
    int32_t from = 0, waiting = 1;
    const int32_t origin = p->row_origin[row];
    label[origin] = 0;
    queue[0] = origin;
    waits[origin] = true;
    while (waiting > 0) {
        const int32_t v = queue[from];
        from = (from + 1) % (p->nodes + 1);
        waiting--;
        waits[v] = false;
        if (v < p->first_through && v != origin)
            continue;
        for (int32_t e = p->first[v]; e < p->first[v + 1]; e++) {
            const int32_t u = p->head[e];
            const double l = label[v] + cost[e] + test_extra(p, row, e);
            if (u != origin && l < label[u] - 1e-13 * l) {
                label[u] = l;
                enter[u] = e;
                if (!waits[u])
                    queue[(from + waiting++) % (p->nodes + 1)] = u;
                waits[u] = true;
            }
        }
    }
    free(queue);
    free(waits);
}

static double test_path_cost(const traffic_problem *p, int32_t row, const double *flow, const test_route *path)
{
    double sum = 0;
    for (int i = 0; i < path->count; i++)
        sum += traffic_cost(&p->costs, path->link[i], flow[path->link[i]]) + test_extra(p, row, path->link[i]);
    return sum;
}

// The path that the tree enters, unless it is listed; an empty path is replaced if the list is full.
static void test_add_path(const traffic_problem *p, int64_t t, int32_t origin, const int32_t *enter, double flow)
{
    int32_t links[4096];
    int n = 0;
    for (int32_t v = p->to[t]; v != origin; v = p->tail[enter[v]]) {
        assert_true(enter[v] >= 0 && n < COUNT_OF(links));
        links[n++] = enter[v];
    }
    int at = test_paths.count[t];
    for (int k = 0; k < test_paths.count[t]; k++) {
        test_route *path = &test_paths.path[t][k];
        if (path->count == n && memcmp(path->link, links, (size_t)n * sizeof *links) == 0)
            return;
        if (path->flow == 0 && at == PATHS_OF_TRIP)
            at = k;
    }
    if (at == PATHS_OF_TRIP)
        return;
    test_route *path = &test_paths.path[t][at];
    free(path->link);
    path->link = malloc((size_t)(n + 1) * sizeof *links);
    assert_non_null(path->link);
    memcpy(path->link, links, (size_t)n * sizeof *links);
    path->count = n;
    path->flow = flow;
    test_paths.count[t] += at == test_paths.count[t];
}

static void test_shift(const traffic_problem *p, int32_t row, int64_t t, double *flow, double *class_flow, bool *mark)
{
    const int count = test_paths.count[t];
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < count; k++) {
        const double c = test_path_cost(p, row, flow, &test_paths.path[t][k]);
        best = c < least ? k : best;
        least = c < least ? c : least;
    }
    test_route *to = &test_paths.path[t][best];
    for (int i = 0; i < to->count; i++)
        mark[to->link[i]] = true;
    for (int k = 0; k < count; k++) {
        test_route *from = &test_paths.path[t][k];
        if (k == best || from->flow == 0)
            continue;
        const double more = test_path_cost(p, row, flow, from) - test_path_cost(p, row, flow, to);
        double slope = 0;
        for (int i = 0; i < to->count; i++)
            slope += traffic_slope(&p->costs, to->link[i], flow[to->link[i]]);
        for (int i = 0; i < from->count; i++)
            slope += (mark[from->link[i]] ? -1 : 1) * traffic_slope(&p->costs, from->link[i], flow[from->link[i]]);
        const double step = more <= 0 ? 0 : slope > 0 && more / slope < from->flow ? more / slope : from->flow;
        double *part = class_flow == NULL ? NULL : class_flow + (int64_t)p->row_class[row] * p->links;
        from->flow -= step;
        to->flow += step;
        for (int i = 0; i < from->count; i++) {
            flow[from->link[i]] -= step;
            if (part != NULL)
                part[from->link[i]] -= step;
        }
        for (int i = 0; i < to->count; i++) {
            flow[to->link[i]] += step;
            if (part != NULL)
                part[to->link[i]] += step;
        }
    }
    for (int i = 0; i < to->count; i++)
        mark[to->link[i]] = false;
}

static void test_sum_flows(const traffic_problem *p, double *flow, double *class_flow)
{
    memset(flow, 0, (size_t)p->links * sizeof *flow);
    if (class_flow != NULL)
        memset(class_flow, 0, (size_t)p->links * (size_t)p->classes * sizeof *flow);
    for (int32_t r = 0; r < p->rows; r++)
        for (int64_t t = p->row_first[r]; t < p->row_first[r + 1]; t++)
            for (int k = 0; k < test_paths.count[t]; k++)
                for (int i = 0; i < test_paths.path[t][k].count; i++) {
                    flow[test_paths.path[t][k].link[i]] += test_paths.path[t][k].flow;
                    if (class_flow != NULL)
                        class_flow[(int64_t)p->row_class[r] * p->links + test_paths.path[t][k].link[i]] += test_paths.path[t][k].flow;
                }
}

TEST_UNUSED static mco_status test_path_engine(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = call->problem;
    double *label = malloc(sizeof *label * (size_t)p->nodes), *cost = malloc(sizeof *cost * (size_t)p->links);
    int32_t *enter = malloc(sizeof *enter * (size_t)p->nodes);
    bool *mark = calloc((size_t)p->links, sizeof *mark);
    const int64_t trips = p->row_first[p->rows];
    assert_true(label != NULL && cost != NULL && enter != NULL && mark != NULL);
    *out = (traffic_answer){.threads = 1, .gap = 1};
    MCO_TRY(mco_alloc(ctx, &out->flow, p->links));
    if (p->classes > 1)
        MCO_TRY(mco_alloc(ctx, &out->class_flow, (int64_t)p->classes * p->links));
    if (test_paths.path == NULL || test_paths.trips != trips) {
        test_paths_reset();
        test_paths.trips = trips;
        test_paths.count = calloc((size_t)trips + 1, sizeof *test_paths.count);
        test_paths.path = calloc((size_t)trips + 1, sizeof *test_paths.path);
        assert_true(test_paths.count != NULL && test_paths.path != NULL);
    }
    test_paths.calls++;
    for (;; out->iterations++) {
        test_sum_flows(p, out->flow, out->class_flow);
        double total = 0, least = 0;
        for (int32_t e = 0; e < p->links; e++)
            cost[e] = traffic_cost(&p->costs, e, out->flow[e]);
        for (int32_t r = 0; r < p->rows; r++) {
            test_tree(p, r, cost, label, enter);
            for (int64_t t = p->row_first[r]; t < p->row_first[r + 1]; t++) {
                for (int k = 0; k < test_paths.count[t]; k++)
                    total += test_paths.path[t][k].flow * test_path_cost(p, r, out->flow, &test_paths.path[t][k]);
                least += p->amount[t] * label[p->to[t]];
                test_add_path(p, t, p->row_origin[r], enter, test_paths.count[t] == 0 ? p->amount[t] : 0);
            }
        }
        if (total > 0)
            out->gap = total > least ? (total - least) / total : 0;
        if (total > 0 && (out->gap <= call->gap || mco_run_must_stop(call->run, 0) ||
                          (call->params->iterations > 0 && out->iterations >= call->params->iterations)))
            break;
        if (total == 0 && out->iterations > 2)
            break;
        test_sum_flows(p, out->flow, out->class_flow);
        for (int sweep = 0; sweep < PATH_SWEEPS; sweep++)
            for (int32_t r = 0; r < p->rows; r++)
                for (int64_t t = p->row_first[r]; t < p->row_first[r + 1]; t++)
                    test_shift(p, r, t, out->flow, out->class_flow, mark);
    }
done:
    if (st != MCO_OK)
        traffic_answer_clear(ctx, out);
    free(mark);
    free(enter);
    free(cost);
    free(label);
    return st;
}

#endif
