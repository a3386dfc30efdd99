// SPDX-License-Identifier: MIT
// The checkers of overlays and of bounds: plain loops over the instance, which share nothing with the engines but its entries.
#include <inttypes.h>
#include <stdlib.h>

#include "overlay/instance.h"

// The entry of row i that leads to node j; -1: no such link is possible.
static int64_t find_entry(const mco_overlay *o, int32_t i, int32_t j)
{
    if (o->is_complete)
        return i == j ? -1 : j - (j > i);
    for (int64_t k = 0; k < overlay_row_size(o, i); k++)
        if (o->to[o->first[i] + k] == j)
            return k;
    return -1;
}

// Link `at` of the overlay is entry k of row i.
static mco_status refuse_link(mco_context *ctx, const mco_overlay *o, const mco_overlay_solution *s, int64_t at, int32_t i, int64_t k)
{
    char from[16], to[16];
    const int64_t bandwidth = s->bandwidth[at], most = overlay_entry(o, i, k).most;
    const int64_t least = o->row_least != NULL ? o->row_least[o->first[i] + k] : o->least;
    if (bandwidth >= least && bandwidth <= most)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_CHECK, "link %" PRId64 ", between %s and %s, carries %.15g; allowed is %.15g to %.15g", at + 1,
                    mco_overlay_node_name(o, s->from[at], from), mco_overlay_node_name(o, s->to[at], to), (double)bandwidth / (double)o->scale,
                    (double)least / (double)o->scale, (double)most / (double)o->scale);
}

static mco_status add_link(mco_context *ctx, const mco_overlay *o, const mco_overlay_solution *s, int64_t at, int64_t *load, overlay_sum *worth)
{
    const int32_t i = s->from[at], j = s->to[at];
    char from[16], to[16];
    if (i < 0 || j < 0 || i >= o->nodes || j >= o->nodes || i == j)
        return mco_fail(ctx, MCO_ERR_CHECK, "link %" PRId64 " joins nodes %" PRId64 " and %" PRId64 ", expected are two different ones of %" PRId32,
                        at + 1, (int64_t)i + 1, (int64_t)j + 1, o->nodes);
    const bool is_short = overlay_row_size(o, i) <= overlay_row_size(o, j);
    const int32_t of = is_short ? i : j;  // a hub has many links, its neighbours may have few
    const int64_t k = find_entry(o, of, is_short ? j : i);
    if (k < 0)
        return mco_fail(ctx, MCO_ERR_CHECK, "link %" PRId64 ", between %s and %s, is not possible in this instance", at + 1,
                        mco_overlay_node_name(o, i, from), mco_overlay_node_name(o, j, to));
    const mco_status st = refuse_link(ctx, o, s, at, of, k);
    if (st != MCO_OK)
        return st;
    overlay_add(worth, (uint64_t)overlay_entry(o, of, k).weight * (uint64_t)s->bandwidth[at]);
    load[i] += s->bandwidth[at];
    load[j] += s->bandwidth[at];
    return MCO_OK;
}

typedef struct pair {
    int32_t low, high;
} pair;

static int compare_pairs(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

static mco_status refuse_doubles(mco_context *ctx, const mco_overlay *o, const mco_overlay_solution *s)
{
    mco_status st = MCO_OK;
    pair *list = NULL;
    char from[16], to[16];
    MCO_TRY(mco_alloc(ctx, &list, s->count));
    for (int64_t k = 0; k < s->count; k++)
        list[k] = s->from[k] < s->to[k] ? (pair){s->from[k], s->to[k]} : (pair){s->to[k], s->from[k]};
    if (s->count > 0)
        qsort(list, (size_t)s->count, sizeof *list, compare_pairs);
    for (int64_t k = 1; k < s->count && st == MCO_OK; k++)
        if (compare_pairs(&list[k - 1], &list[k]) == 0)
            st = mco_fail(ctx, MCO_ERR_CHECK, "the link between %s and %s stands twice", mco_overlay_node_name(o, list[k].low, from),
                          mco_overlay_node_name(o, list[k].high, to));
done:
    mco_free(ctx, &list);
    return st;
}

mco_status mco_overlay_check(mco_context *ctx, const mco_overlay *instance, const mco_overlay_solution *solution, double *worth)
{
    mco_status st = MCO_OK;
    int64_t *load = NULL;
    overlay_sum sum = {0};
    char name[16];
    if (ctx == NULL || instance == NULL || solution == NULL || worth == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_alloc(ctx, &load, instance->nodes));
    for (int64_t k = 0; k < solution->count; k++)
        MCO_TRY(add_link(ctx, instance, solution, k, load, &sum));
    for (int32_t i = 0; i < instance->nodes; i++)
        if (load[i] > instance->bandwidth[i])
            MCO_TRY(mco_fail(ctx, MCO_ERR_CHECK, "the links of node %s carry %.15g, its bandwidth is %.15g", mco_overlay_node_name(instance, i, name),
                             (double)load[i] / (double)instance->scale, instance->bandwidth[i] / (double)instance->scale));
    MCO_TRY(refuse_doubles(ctx, instance, solution));
    *worth = overlay_worth_of(instance, sum);
done:
    mco_free(ctx, &load);
    return st;
}

// Adds the parts of some nodes to a bound: what their bandwidth costs, and what links to later nodes are worth beyond it. Each link
// counts once.
void overlay_check_rows(const mco_overlay *o, const uint32_t *duals, int64_t first, int64_t end, overlay_sum *sum)
{
    for (int64_t row = first; row < end; row++) {
        const int32_t i = (int32_t)row;
        overlay_add(sum, (uint64_t)duals[i] * (uint32_t)o->bandwidth[i]);
        for (int64_t k = o->is_complete ? i : 0; k < overlay_row_size(o, i); k++) {  // entry i leads to node i + 1
            const overlay_link link = overlay_entry(o, i, k);
            const int64_t reduced = (int64_t)link.weight - duals[i] - duals[link.node];
            if (link.node > i && reduced > 0)
                overlay_add(sum, (uint64_t)reduced * (uint32_t)link.most);
        }
    }
}

double overlay_give_exact(const mco_overlay *o, overlay_sum sum, uint64_t exact[2])
{
    overlay_sum doubled = sum;
    overlay_add_sum(&doubled, &sum);
    if (exact != NULL) {
        exact[0] = sum.low;
        exact[1] = sum.high;
    }
    return overlay_bound_of(o, doubled);
}

mco_status mco_overlay_check_bound(mco_context *ctx, const mco_overlay *instance, const uint32_t *duals, double *bound, uint64_t exact[2])
{
    if (ctx == NULL || instance == NULL || bound == NULL || (duals == NULL && instance->nodes > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    overlay_sum sum = {0};
    for (int32_t i = 0; i < instance->nodes; i++) {
        if (mco_is_cancelled(ctx)) {
            mco_clear_cancel(ctx);
            return MCO_ERR_STOPPED;
        }
        overlay_check_rows(instance, duals, i, (int64_t)i + 1, &sum);
    }
    *bound = overlay_give_exact(instance, sum, exact);
    return MCO_OK;
}
