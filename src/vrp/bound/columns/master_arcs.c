// SPDX-License-Identifier: MIT
// Arcs that no better plan uses, by reduced costs. Two tables, of paths from the depot and of paths back to it, give a lower bound of
// the routes through each arc. Both are cumulated over loads, so that one scan over the load at the arc is enough. A path to i that ends
// j-i does not meet a path from j: q-tables give the best one and the best from another node; ng-tables give the best one whose
// memory lacks j.
#include <string.h>

#include "base/clock.h"
#include "vrp/bound/columns/program.h"

// Labels that the values of arcs may take.
enum { MOST_LABELS = 1000000 };

// Cumulated values of one end of arcs: [variants * (capacity + 1)], variant 0 all paths. ng: variant b + 1 those whose memory lacks the
// b-th neighbour. q: two variants, the best path, and the best that comes from another node than the best one's.
typedef struct side {
    int32_t *value;
    int32_t *before;   // q: [capacity + 1] the node before, of the best
} side;

typedef struct removal {
    vrp_master *m;
    const vrp_bound_problem *problem;
    int32_t loads, variants;   // capacity + 1; of a node
    side *from, *to;           // [nodes] paths that end at the node; paths that begin there
    int32_t *work;             // [loads] values of paths from the other end, by the load that is left
    uint64_t *removed;
    int32_t *label_value;      // [nodes * stride] the same bounds by labels, where pricing takes them; NULL: none
} removal;

static int32_t least_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- Tables

static void cumulate(int32_t *value, int32_t loads)
{
    for (int32_t q = 1; q < loads; q++)
        value[q] = least_of(value[q], value[q - 1]);
}

static void fill_ng(const removal *r, bool backward, int32_t i, side *s)
{
    const vrp_ng_sets *sets = vrp_master_table_sets(r->m);
    const uint32_t all = ((uint32_t)1 << (sets->size[i] - 1)) - 1;
    for (int32_t v = 0; v < sets->size[i]; v++) {
        int32_t *value = s->value + (int64_t)v * r->loads;
        for (int32_t q = 0; q < r->loads; q++)
            value[q] = vrp_ng_value(r->m->ng, backward, q, i, v == 0 ? all : all & ~((uint32_t)1 << (v - 1)));
        cumulate(value, r->loads);
    }
}

// Keeps the two best paths that come from different nodes.
static void offer(int32_t value, int32_t before, int32_t *best, int32_t *node, int32_t *second)
{
    if (value < *best) {
        if (before != *node)
            *second = *best;
        *best = value;
        *node = before;
    } else if (before != *node && value < *second)
        *second = value;
}

static void fill_q(const removal *r, bool backward, int32_t i, side *s)
{
    int32_t best = VRP_NO_PATH, second = VRP_NO_PATH, node = -1;
    for (int32_t q = 0; q < r->loads; q++) {
        const int32_t value = vrp_q_value(r->m->q, backward, q, i);
        if (value < VRP_NO_PATH / 2) {
            offer(value, vrp_q_before(r->m->q, backward, q, i), &best, &node, &second);
            const int32_t other = vrp_q_second(r->m->q, backward, q, i);
            if (other < VRP_NO_PATH / 2)
                offer(other, vrp_q_second_before(r->m->q, backward, q, i), &best, &node, &second);
        }
        s->value[q] = best;
        s->value[r->loads + q] = second;
        s->before[q] = node;
    }
}

static mco_status fill_side(removal *r, bool backward, side **out, double stop_s)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(r->m->ctx, out, r->problem->nodes));
    if (r->m->ng != NULL)
        MCO_TRY(vrp_ng_fetch(r->m->ctx, r->m->ng));
    for (int32_t i = 1; i < r->problem->nodes; i++) {
        const int64_t variants = r->m->ng != NULL ? vrp_master_table_sets(r->m)->size[i] : r->variants;
        if (mco_clock_s() >= stop_s || mco_is_cancelled(r->m->ctx))
            return MCO_ERR_STOPPED;
        MCO_TRY(mco_alloc(r->m->ctx, &(*out)[i].value, variants * r->loads));
        if (r->m->ng == NULL)
            MCO_TRY(mco_alloc(r->m->ctx, &(*out)[i].before, r->loads));
        r->m->ng != NULL ? fill_ng(r, backward, i, &(*out)[i]) : fill_q(r, backward, i, &(*out)[i]);
    }
done:
    return st;
}

static void close_side(removal *r, side *s)
{
    for (int32_t i = 0; s != NULL && i < r->problem->nodes; i++) {
        mco_free(r->m->ctx, &s[i].value);
        mco_free(r->m->ctx, &s[i].before);
    }
    mco_free(r->m->ctx, &s);
}

// ---- Arcs

// Values by load of paths at node i that may go on to, or come from, node j.
static const int32_t *values(const removal *r, const side *s, int32_t i, int32_t j, int32_t *work)
{
    if (r->m->ng != NULL) {
        const int32_t bit = vrp_ng_sets_bit(vrp_master_table_sets(r->m), i, j);
        return s[i].value + (int64_t)(bit + 1) * r->loads;
    }
    for (int32_t q = 0; q < r->loads; q++)
        work[q] = s[i].value[s[i].before[q] != j ? q : r->loads + q];
    return work;
}

// The least value of a route that goes from i to j, without the arc.
static int32_t least_around(const removal *r, int32_t i, int32_t j)
{
    const int32_t last = r->loads - 1;
    if (i == 0)
        return r->to[j].value[last];
    if (j == 0)
        return r->from[i].value[last];
    const int32_t *a = values(r, r->from, i, j, r->work), *b = values(r, r->to, j, i, r->work + r->loads);
    int32_t least = VRP_NO_PATH;
    for (int32_t q = 0; q <= last; q++)
        least = least_of(least, a[q] + b[last - q]);
    return least;
}

// The least value of a route that uses the arc; with a symmetric problem in either direction.
static int64_t least_through(const removal *r, int32_t i, int32_t j)
{
    const vrp_bound_problem *p = r->problem;
    const int64_t arc = (int64_t)i * p->stride + j, back = (int64_t)j * p->stride + i;
    const int64_t tables = (int64_t)least_around(r, i, j) + r->m->arcs[arc];
    if (r->label_value == NULL)
        return tables;
    const int32_t there = r->label_value[arc];
    const int32_t labels = p->is_symmetric ? least_of(there, r->label_value[back]) : there;
    return labels > tables ? labels : tables;
}

static bool has_bit(const uint64_t *set, int64_t arc)
{
    return set[arc >> 6] >> (arc & 63) & 1;
}

// Marks arcs whose routes have a value beyond `most`.
static mco_status mark(removal *r, int64_t most, double stop_s)
{
    const vrp_bound_problem *p = r->problem;
    for (int32_t i = 0; i < p->nodes; i++) {
        if (mco_clock_s() >= stop_s || mco_is_cancelled(r->m->ctx))
            return MCO_ERR_STOPPED;
        for (int32_t j = p->is_symmetric ? i + 1 : 0; j < p->nodes; j++) {
            const int64_t arc = (int64_t)i * p->nodes + j, back = (int64_t)j * p->nodes + i;
            if (i == j || has_bit(r->removed, arc))
                continue;
            if (least_through(r, i, j) <= most)
                continue;
            r->removed[arc >> 6] |= (uint64_t)1 << (arc & 63);
            if (p->is_symmetric)
                r->removed[back >> 6] |= (uint64_t)1 << (back & 63);
        }
    }
    return MCO_OK;
}

mco_status vrp_master_most_value(vrp_master *master, double stop_s, int64_t *most)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = master->problem;
    vrp_worth worth;
    bool is_done;
    vrp_prices_arcs(p, master->price, &master->cuts, master->removed, master->arcs);
    MCO_TRY(vrp_master_run_pass(master, stop_s, &worth));
    if (vrp_master_wants_labels(master)) {
        vrp_routes_empty(&master->found);
        MCO_TRY(vrp_master_run_labels(master, 0, stop_s, &worth, &is_done));
    }
    // The bound was proved by the same prices. So it tells what all routes of a plan are worth together, and what all but one are: labels
    // above ask for no values beyond 0, they may be worth more.
    const int64_t rest = vrp_prices_bound(p, master->price, &master->cuts, 0), all = master->bound > INT64_MIN ? master->bound - rest : INT64_MIN;
    const int64_t but_one = all > 0 ? all - (all + p->fleet.least - 1) / p->fleet.least : all, others = vrp_worth_of_others(p, worth, 1);
    *most = master->known - (p->is_exact ? (int64_t)p->unit : 0) - rest - (but_one > others ? but_one : others);
done:
    return st;
}

// Values of arcs by labels, as far as they get.
static mco_status value_by_labels(removal *r, int64_t most, double stop_s)
{
    mco_status st = MCO_OK;
    vrp_master *m = r->m;
    vrp_labels_result result;
    if (!vrp_master_wants_labels(m) || m->ng == NULL || most < -VRP_NO_PATH / 2 || most >= VRP_NO_PATH / 2)
        return MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &r->label_value, (int64_t)r->problem->nodes * r->problem->stride));
    const vrp_label_task task = {.problem = r->problem, .arcs = m->arcs, .cuts = &m->cuts, .sets = m->sets, .tables = m->ng, .table_sets = m->table_sets,
                                 .below = (int32_t)most + 1, .most_labels = MOST_LABELS, .threads = m->threads, .stop_s = stop_s};
    MCO_TRY(vrp_label_arc_values(m->ctx, &task, r->label_value, &result));
    m->labels += result.labels;
    m->label_s += result.seconds;
done:
    return st;
}

mco_status vrp_master_remove_arcs(vrp_master *master, double stop_s, int64_t *removed_count)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    const vrp_bound_problem *p = m->problem;
    const int64_t words = ((int64_t)p->nodes * p->nodes + 63) / 64;
    const int64_t all = (int64_t)p->nodes * p->customers;
    removal r = {.m = m, .problem = p, .loads = p->capacity + 1, .variants = 2};
    int64_t most;
    *removed_count = all - vrp_master_arcs(m);
    if (m->known == INT64_MAX || m->bound == INT64_MIN)
        return MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &r.removed, words));
    if (m->removed != NULL)
        memcpy(r.removed, m->removed, (size_t)words * sizeof *r.removed);
    MCO_TRY(mco_alloc(m->ctx, &r.work, 2 * (int64_t)r.loads));
    MCO_TRY(vrp_master_most_value(m, stop_s, &most));
    MCO_TRY(value_by_labels(&r, most, stop_s));
    MCO_TRY(fill_side(&r, false, &r.from, stop_s));
    if (p->is_symmetric)
        r.to = r.from;
    else
        MCO_TRY(fill_side(&r, true, &r.to, stop_s));
    MCO_TRY(mark(&r, most, stop_s));
    mco_free(m->ctx, &m->removed);
    m->removed = r.removed;
    r.removed = NULL;
    *removed_count = all - vrp_master_arcs(m);
    MCO_TRY(vrp_master_drop_columns(m));
done:
    close_side(&r, r.from);
    if (r.to != r.from)
        close_side(&r, r.to);
    mco_free(m->ctx, &r.label_value);
    mco_free(m->ctx, &r.work);
    mco_free(m->ctx, &r.removed);
    return st;
}
