// SPDX-License-Identifier: MIT
// The reference: branch and bound for the permutation flow shop in its shortest and plainest form. It keeps nothing
// from node to node. The counts and answers of every engine must equal those of the reference.
// Definitions: flowshop/README.md.
#include "flowshop/tree/ref.h"

#include <string.h>

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// front[k]: when machine k has completed the jobs fixed in front; the smallest head if there are none.
static void compute_front(const flowshop_ref *r, const flowshop_node *v, int64_t *front)
{
    for (int32_t k = 0; k < r->shop->machines; k++)
        front[k] = v->front == 0 ? r->heads[k] : 0;
    for (int32_t t = 0; t < v->front; t++)
        for (int32_t k = 0; k < r->shop->machines; k++)
            front[k] = max64(front[k], k > 0 ? front[k - 1] : 0) + mco_flowshop_time(r->shop, k, v->order[t]);
}

// back[k]: the least time from the start of the jobs fixed at the back on machine k to the end of the schedule; the
// smallest tail if there are none.
static void compute_back(const flowshop_ref *r, const flowshop_node *v, int64_t *back)
{
    const int32_t n = r->shop->jobs, m = r->shop->machines;
    for (int32_t k = 0; k < m; k++)
        back[k] = v->back == 0 ? r->tails[k] : 0;
    for (int32_t t = n - 1; t >= n - v->back; t--)
        for (int32_t k = m - 1; k >= 0; k--)
            back[k] = max64(back[k], k < m - 1 ? back[k + 1] : 0) + mco_flowshop_time(r->shop, k, v->order[t]);
}

// LB1 of a node: the greatest sum, over the machines, of the front, the load of the free jobs and the back.
static int64_t one_machine(const flowshop_ref *r, const int64_t *front, const int64_t *back, const int64_t *remain)
{
    int64_t bound = 0;
    for (int32_t k = 0; k < r->shop->machines; k++)
        bound = max64(bound, front[k] + remain[k] + back[k]);
    return bound;
}

// The two-machine part of LB2: the greatest bound over all pairs of machines, by Johnson's order of the free jobs.
static int64_t two_machine(const flowshop_ref *r, const int64_t *front, const int64_t *back)
{
    const int32_t n = r->shop->jobs;
    int64_t bound = 0;
    for (int32_t q = 0; q < r->johnson.pairs; q++) {
        int32_t k = r->johnson.first[q], l = r->johnson.second[q];
        int64_t t1 = front[k], t2 = front[l];
        for (int32_t s = 0; s < n; s++) {
            int32_t j = r->johnson.order[(int64_t)q * n + s];
            if (!r->is_free[j])
                continue;
            t1 += mco_flowshop_time(r->shop, k, j);
            t2 = max64(t2, t1 + flowshop_lag(&r->johnson, r->shop->machines, j, k, l)) +
                 mco_flowshop_time(r->shop, l, j);
        }
        bound = max64(bound, t2 + back[l]);
    }
    return bound;
}

static int64_t child_bound(flowshop_ref *r, int32_t job, const int64_t *front, const int64_t *back)
{
    for (int32_t k = 0; k < r->shop->machines; k++)
        r->remain[k] -= mco_flowshop_time(r->shop, k, job);
    int64_t bound = one_machine(r, front, back, r->remain);
    for (int32_t k = 0; k < r->shop->machines; k++)
        r->remain[k] += mco_flowshop_time(r->shop, k, job);
    if (r->run->bound == MCO_FLOWSHOP_BOUND_LB1)
        return bound;
    r->is_free[job] = false;
    bound = max64(bound, two_machine(r, front, back));
    r->is_free[job] = true;
    return bound < r->rule_bound ? bound : r->rule_bound;  // no rule sees more of LB2 than U
}

// The branching rules; ties and definitions as in README.md.
static bool choose_front(const flowshop_ref *r, int32_t depth, int32_t children)
{
    int64_t least = INT64_MAX, sum_front = 0, sum_back = 0;
    int32_t below_front = 0, below_back = 0, least_front = 0, least_back = 0;
    for (int32_t c = 0; c < children; c++) {
        int64_t f = r->front_bounds[c], b = r->back_bounds[c];
        least = f < least ? f : least;
        least = b < least ? b : least;
        sum_front += f;
        sum_back += b;
        below_front += f < r->rule_bound;
        below_back += b < r->rule_bound;
    }
    for (int32_t c = 0; c < children; c++) {
        least_front += r->front_bounds[c] == least;
        least_back += r->back_bounds[c] == least;
    }
    switch (r->run->branching) {
    case MCO_FLOWSHOP_BRANCHING_FORWARD: return true;
    case MCO_FLOWSHOP_BRANCHING_BACKWARD: return false;
    case MCO_FLOWSHOP_BRANCHING_ALTERNATE: return depth % 2 == 0;
    case MCO_FLOWSHOP_BRANCHING_MAXSUM: return sum_front >= sum_back;
    case MCO_FLOWSHOP_BRANCHING_MINMIN:
        return least_front != least_back ? least_front < least_back : below_front < below_back;
    default: return below_front != below_back ? below_front < below_back : sum_front >= sum_back;
    }
}

static void take_node(flowshop_ref *r, const flowshop_node *v)
{
    const int32_t n = r->shop->jobs, m = r->shop->machines;
    compute_front(r, v, r->front);
    compute_back(r, v, r->back);
    memset(r->is_free, 0, (size_t)n * sizeof *r->is_free);
    memset(r->remain, 0, (size_t)m * sizeof *r->remain);
    for (int32_t t = v->front; t < n - v->back; t++) {
        r->is_free[v->order[t]] = true;
        for (int32_t k = 0; k < m; k++)
            r->remain[k] += mco_flowshop_time(r->shop, k, v->order[t]);
    }
}

int64_t flowshop_ref_pairs_bound(flowshop_ref *r, const flowshop_node *v)
{
    take_node(r, v);
    return two_machine(r, r->front, r->back);
}

bool flowshop_ref_decompose(flowshop_ref *r, const flowshop_node *v)
{
    const int32_t n = r->shop->jobs, m = r->shop->machines, children = n - v->front - v->back;
    take_node(r, v);
    for (int32_t c = 0; c < children; c++) {
        int32_t job = v->order[v->front + c];
        int64_t reach = 0;
        // LB2 of a node of a wide instance takes seconds.
        r->is_stopped = r->stop != NULL && r->run->bound == MCO_FLOWSHOP_BOUND_LB2 &&
                        flowshop_run_must_stop(r->run, r->run->result->nodes, r->stop);
        if (r->is_stopped)
            return true;
        for (int32_t k = 0; k < m; k++)
            r->child_front[k] = reach = max64(reach, r->front[k]) + mco_flowshop_time(r->shop, k, job);
        reach = 0;
        for (int32_t k = m - 1; k >= 0; k--)
            r->child_back[k] = reach = max64(reach, r->back[k]) + mco_flowshop_time(r->shop, k, job);
        r->front_bounds[c] = child_bound(r, job, r->child_front, r->back);
        r->back_bounds[c] = child_bound(r, job, r->front, r->child_back);
    }
    return choose_front(r, v->front + v->back, children);
}

void flowshop_ref_child(const flowshop_ref *r, const flowshop_node *v, int32_t k, bool in_front, flowshop_node *child)
{
    const int32_t n = r->shop->jobs, at = v->front + k, last = n - v->back - 1;
    memcpy(child->order, v->order, (size_t)n * sizeof *v->order);
    child->front = v->front + in_front;
    child->back = v->back + !in_front;
    child->bound = in_front ? r->front_bounds[k] : r->back_bounds[k];
    if (in_front)
        memmove(child->order + v->front + 1, v->order + v->front, (size_t)k * sizeof *v->order);
    else
        memmove(child->order + at, v->order + at + 1, (size_t)(last - at) * sizeof *v->order);
    child->order[in_front ? v->front : last] = v->order[at];
}

void flowshop_ref_count(flowshop_ref *r, const flowshop_node *v, int64_t children)
{
    const int64_t depth = (int64_t)v->front + v->back;
    const int64_t columns = r->run->result->children_columns;
    r->run->result->children_by_depth[depth * columns + (children < columns ? children : columns - 1)] += depth > 0;
}

mco_status flowshop_ref_create(flowshop_run *run, flowshop_ref *out)
{
    mco_status st = MCO_OK;
    mco_context *ctx = run->ctx;
    const int32_t n = run->shop->jobs, m = run->shop->machines;
    flowshop_ref r = {.run = run, .shop = run->shop, .rule_bound = run->result->upper_bound_used};
    MCO_TRY(mco_alloc(ctx, &r.heads, m));
    MCO_TRY(mco_alloc(ctx, &r.tails, m));
    MCO_TRY(mco_alloc(ctx, &r.front, 5 * (int64_t)m));
    MCO_TRY(mco_alloc(ctx, &r.front_bounds, 2 * (int64_t)n));
    MCO_TRY(mco_alloc(ctx, &r.is_free, n));
    r.back = r.front + m;
    r.remain = r.back + m;
    r.child_front = r.remain + m;
    r.child_back = r.child_front + m;
    r.back_bounds = r.front_bounds + n;
    flowshop_root_ends(run->shop, r.heads, r.tails);
    if (run->bound == MCO_FLOWSHOP_BOUND_LB2)
        MCO_TRY(flowshop_johnson_create(ctx, run->shop, run->run.stop_s, &r.johnson));
    *out = r;
done:
    if (st != MCO_OK)
        flowshop_ref_destroy(ctx, &r);
    return st;
}

void flowshop_ref_destroy(mco_context *ctx, flowshop_ref *r)
{
    flowshop_johnson_destroy(ctx, &r->johnson);
    mco_free(ctx, &r->is_free);
    mco_free(ctx, &r->front_bounds);
    mco_free(ctx, &r->front);
    mco_free(ctx, &r->tails);
    mco_free(ctx, &r->heads);
}

// Explores the subtree of stack[0] depth first. stack[1] holds the current child. *is_stopped: the run had to end.
static mco_status explore(flowshop_run *run, flowshop_ref *r, flowshop_node *stack, bool *is_stopped, mco_stop *stop)
{
    const int32_t n = run->shop->jobs;
    flowshop_node *v = stack, *child = stack + 1;
    int64_t survivors = 0, makespan;
    mco_status st = MCO_OK;
    *is_stopped = flowshop_run_must_stop(run, run->result->nodes, stop);
    if (*is_stopped)
        return MCO_OK;
    const int32_t children = n - v->front - v->back;
    if (children <= 1 && v->front + v->back > 0) {
        run->result->leaves++;
        MCO_TRY(mco_flowshop_check(run->ctx, run->shop, v->order, n, &makespan));
        return flowshop_run_improve(run, makespan, v->order, "tree");
    }
    bool in_front = flowshop_ref_decompose(r, v);
    *is_stopped = r->is_stopped;
    if (*is_stopped)
        return MCO_OK;
    // Nodes below overwrite these bounds, so `kept` [children] holds a copy.
    int64_t *bounds = in_front ? r->front_bounds : r->back_bounds;
    int64_t *kept = NULL;
    MCO_TRY(mco_alloc(run->ctx, &kept, children));
    memcpy(kept, bounds, (size_t)children * sizeof *kept);
    for (int32_t c = 0; c < children; c++)
        survivors += kept[c] < run->upper_bound;
    flowshop_ref_count(r, v, survivors);
    run->result->nodes += v->front + v->back > 0;
    for (int32_t c = 0; c < children && st == MCO_OK && !*is_stopped; c++) {
        if (kept[c] >= run->upper_bound)
            continue;
        flowshop_ref_child(r, v, c, in_front, child);
        st = explore(run, r, child, is_stopped, stop);
    }
    mco_free(run->ctx, &kept);
done:
    return st;
}

mco_status flowshop_reference(flowshop_run *run, bool *is_proved, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const int32_t n = run->shop->jobs;
    flowshop_ref r = {0};
    flowshop_node *stack = NULL;
    int32_t *orders = NULL;
    bool is_stopped = false;
    MCO_TRY(flowshop_ref_create(run, &r));
    MCO_TRY(mco_alloc(run->ctx, &stack, (int64_t)n + 1));
    MCO_TRY(mco_alloc(run->ctx, &orders, ((int64_t)n + 1) * n));
    for (int32_t d = 0; d <= n; d++)
        stack[d].order = orders + (int64_t)d * n;
    for (int32_t j = 0; j < n; j++)
        stack[0].order[j] = j;
    *stop = MCO_STOP_FINISHED;
    r.stop = stop;
    MCO_TRY(explore(run, &r, stack, &is_stopped, stop));
    *is_proved = !is_stopped;
done:
    mco_free(run->ctx, &orders);
    mco_free(run->ctx, &stack);
    flowshop_ref_destroy(run->ctx, &r);
    return st;
}
