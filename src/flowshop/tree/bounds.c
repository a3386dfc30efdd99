// SPDX-License-Identifier: MIT
// Lower bounds of a whole instance, and the tables that the two-machine bound needs at every node.
//
// LB1: Taillard (1993). LB2: Lageweg, Lenstra, Rinnooy Kan (1978). LB2 takes every pair of machines as a two-machine
// flow shop with lags. It starts at the smallest heads, and the smallest tail follows it.
#include "flowshop/tree/bounds.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

// The times of a machine lie together. What adds the times of each job goes machine by machine over so many jobs at a
// time, so that the sums stay in the cache and no line of the table is loaded twice.
enum { BLOCK = 256 };

static int32_t block_end(const mco_flowshop *shop, int32_t first)
{
    return shop->jobs - first < BLOCK ? shop->jobs : first + BLOCK;
}

// Adds the times of jobs first..last-1 on machine k to sums [last - first]. Before that, *least falls to the smallest
// sum.
static void add_times(const mco_flowshop *shop, int32_t k, int32_t first, int32_t last, int32_t *sums, int32_t *least)
{
    const int32_t *times = shop->times + (int64_t)k * shop->jobs;
    for (int32_t j = first; j < last; j++) {
        *least = sums[j - first] < *least ? sums[j - first] : *least;
        sums[j - first] += times[j];
    }
}

void flowshop_root_ends(const mco_flowshop *shop, int32_t *heads, int32_t *tails)
{
    const int32_t n = shop->jobs, m = shop->machines;
    for (int32_t k = 0; k < m; k++)
        heads[k] = tails[k] = n > 0 ? INT32_MAX : 0;
    for (int32_t first = 0; first < n; first += BLOCK) {
        int32_t before[BLOCK] = {0}, behind[BLOCK] = {0};
        for (int32_t k = 0; k < m; k++)
            add_times(shop, k, first, block_end(shop, first), before, &heads[k]);
        for (int32_t k = m - 1; k >= 0; k--)
            add_times(shop, k, first, block_end(shop, first), behind, &tails[k]);
    }
}

// True if the call must end before all pairs are done; *stop says why.
static bool must_stop(const mco_context *ctx, double deadline_s, mco_stop *stop)
{
    *stop = mco_is_cancelled(ctx) ? MCO_STOP_CANCELLED : mco_clock_s() >= deadline_s ? MCO_STOP_TIME : MCO_STOP_FINISHED;
    return *stop != MCO_STOP_FINISHED;
}

typedef struct johnson_key {
    int32_t job;
    int32_t group;  // 0: jobs with a <= b, by increasing a; 1: the others, by decreasing b
    int32_t key;
} johnson_key;

static int compare_keys(const void *left, const void *right)
{
    const johnson_key *x = left, *y = right;
    if (x->group != y->group)
        return x->group - y->group;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->job - y->job;
}

// Writes Johnson's order of the jobs on machines k and l to `order` [jobs].
static void sort_pair(const mco_flowshop *shop, const flowshop_johnson *jo, int32_t k, int32_t l, johnson_key *keys,
                      int32_t *order)
{
    const int32_t n = shop->jobs, m = shop->machines;
    for (int32_t j = 0; j < n; j++) {
        int32_t lag = flowshop_lag(jo, m, j, k, l);
        int32_t a = mco_flowshop_time(shop, k, j) + lag, b = mco_flowshop_time(shop, l, j) + lag;
        keys[j] = a <= b ? (johnson_key){j, 0, a} : (johnson_key){j, 1, -b};
    }
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    for (int32_t s = 0; s < n; s++)
        order[s] = keys[s].job;
}

static mco_status sum_prefixes(mco_context *ctx, const mco_flowshop *shop, flowshop_johnson *jo)
{
    const int32_t n = shop->jobs, m = shop->machines;
    mco_status st = mco_alloc(ctx, &jo->prefix, (int64_t)n * (m + 1));
    for (int32_t first = 0; first < n && st == MCO_OK; first += BLOCK)
        for (int32_t k = 0; k < m; k++)
            for (int32_t j = first; j < block_end(shop, first); j++)
                jo->prefix[(int64_t)j * (m + 1) + k + 1] =
                    jo->prefix[(int64_t)j * (m + 1) + k] + mco_flowshop_time(shop, k, j);
    return st;
}

static int64_t two_machine(const mco_flowshop *shop, const flowshop_johnson *jo, int32_t k, int32_t l,
                           const int32_t *order, const int32_t *heads, const int32_t *tails)
{
    int64_t t1 = heads[k], t2 = heads[l];
    for (int32_t s = 0; s < shop->jobs; s++) {
        int32_t j = order[s];
        t1 += mco_flowshop_time(shop, k, j);
        int64_t arrival = t1 + flowshop_lag(jo, shop->machines, j, k, l);
        t2 = (arrival > t2 ? arrival : t2) + mco_flowshop_time(shop, l, j);
    }
    return t2 + tails[l];
}

mco_status flowshop_johnson_create(mco_context *ctx, const mco_flowshop *shop, double deadline_s,
                                   flowshop_johnson *out)
{
    mco_status st = MCO_OK;
    const int32_t n = shop->jobs, m = shop->machines;
    flowshop_johnson jo = {.pairs = m * (m - 1) / 2, .is_complete = true};
    int32_t heads[MCO_FLOWSHOP_MAX_MACHINES], tails[MCO_FLOWSHOP_MAX_MACHINES];
    johnson_key *keys = NULL;
    mco_stop stop;
    flowshop_root_ends(shop, heads, tails);
    MCO_TRY(mco_alloc(ctx, &jo.first, jo.pairs));
    MCO_TRY(mco_alloc(ctx, &jo.second, jo.pairs));
    MCO_TRY(mco_alloc(ctx, &jo.order, (int64_t)jo.pairs * n));
    MCO_TRY(mco_alloc(ctx, &keys, n));
    MCO_TRY(sum_prefixes(ctx, shop, &jo));
    for (int32_t k = 0, q = 0; k < m; k++)
        for (int32_t l = k + 1; l < m; l++, q++) {
            jo.first[q] = k;
            jo.second[q] = l;
            jo.is_complete = jo.is_complete && !must_stop(ctx, deadline_s, &stop);
            if (!jo.is_complete)
                continue;
            sort_pair(shop, &jo, k, l, keys, jo.order + (int64_t)q * n);
            const int64_t of_pair = two_machine(shop, &jo, k, l, jo.order + (int64_t)q * n, heads, tails);
            jo.bound = of_pair > jo.bound ? of_pair : jo.bound;
        }
    *out = jo;
done:
    mco_free(ctx, &keys);
    if (st != MCO_OK)
        flowshop_johnson_destroy(ctx, &jo);
    return st;
}

void flowshop_johnson_destroy(mco_context *ctx, flowshop_johnson *johnson)
{
    mco_free(ctx, &johnson->prefix);
    mco_free(ctx, &johnson->order);
    mco_free(ctx, &johnson->second);
    mco_free(ctx, &johnson->first);
}

static int64_t one_machine(const mco_flowshop *shop, const int32_t *heads, const int32_t *tails)
{
    int64_t bound = 0;
    for (int32_t k = 0; k < shop->machines; k++) {
        int64_t load = (int64_t)heads[k] + tails[k];
        for (int32_t j = 0; j < shop->jobs; j++)
            load += shop->times[(int64_t)k * shop->jobs + j];
        bound = load > bound ? load : bound;
    }
    for (int32_t first = 0; first < shop->jobs; first += BLOCK) {
        const int32_t last = block_end(shop, first);
        int32_t lengths[BLOCK] = {0}, least = 0;
        for (int32_t k = 0; k < shop->machines; k++)
            add_times(shop, k, first, last, lengths, &least);
        for (int32_t j = first; j < last; j++)
            bound = lengths[j - first] > bound ? lengths[j - first] : bound;
    }
    return bound;
}

int64_t flowshop_one_machine_bound(const mco_flowshop *shop)
{
    int32_t heads[MCO_FLOWSHOP_MAX_MACHINES], tails[MCO_FLOWSHOP_MAX_MACHINES];
    flowshop_root_ends(shop, heads, tails);
    return one_machine(shop, heads, tails);
}

// Raises *best by the bounds of all pairs, until *stop says why not all of them. It sorts one pair at a time: the
// orders of all pairs of a large instance would not fit in memory.
static mco_status raise_by_pairs(mco_context *ctx, const mco_flowshop *shop, const int32_t *heads, const int32_t *tails,
                                 double deadline_s, int64_t *best, mco_stop *stop)
{
    mco_status st = MCO_OK;
    flowshop_johnson jo = {0};
    johnson_key *keys = NULL;
    int32_t *order = NULL;
    MCO_TRY(mco_alloc(ctx, &keys, shop->jobs));
    MCO_TRY(mco_alloc(ctx, &order, shop->jobs));
    MCO_TRY(sum_prefixes(ctx, shop, &jo));
    for (int32_t k = 0; k < shop->machines; k++)
        for (int32_t l = k + 1; l < shop->machines; l++) {
            if (must_stop(ctx, deadline_s, stop))
                goto done;
            sort_pair(shop, &jo, k, l, keys, order);
            int64_t of_pair = two_machine(shop, &jo, k, l, order, heads, tails);
            *best = of_pair > *best ? of_pair : *best;
        }
done:
    flowshop_johnson_destroy(ctx, &jo);
    mco_free(ctx, &order);
    mco_free(ctx, &keys);
    return st;
}

mco_status mco_flowshop_lower_bound_within(mco_context *ctx, const mco_flowshop *shop, mco_flowshop_bound bound,
                                           double time_limit_s, int64_t *out, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const double deadline_s = mco_clock_s() + time_limit_s;
    mco_stop why = MCO_STOP_FINISHED;
    if (ctx == NULL || shop == NULL || out == NULL || stop == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (!(time_limit_s >= 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the time limit is %g s, at least 0 was expected", time_limit_s);
    int32_t heads[MCO_FLOWSHOP_MAX_MACHINES], tails[MCO_FLOWSHOP_MAX_MACHINES];
    flowshop_root_ends(shop, heads, tails);
    int64_t best = one_machine(shop, heads, tails);
    if (bound == MCO_FLOWSHOP_BOUND_LB2)
        MCO_TRY(raise_by_pairs(ctx, shop, heads, tails, deadline_s, &best, &why));
    *out = best;
    *stop = why;
done:
    mco_clear_cancel(ctx);
    return st;
}

mco_status mco_flowshop_lower_bound(mco_context *ctx, const mco_flowshop *shop, mco_flowshop_bound bound, int64_t *out)
{
    mco_stop stop;
    return mco_flowshop_lower_bound_within(ctx, shop, bound, (double)INFINITY, out, &stop);
}
