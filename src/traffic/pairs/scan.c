// SPDX-License-Identifier: MIT
// The scanner of the cores (scan.h): least-cost trees of 8 rows at a time by relaxation in an order that the rows share, then one
// pass over their slots. A batch belongs to one thread from its first label to its last candidate, so answers do not depend on threads.
//
// The order is what decides the time. It is a depth-first order of the union of the 8 trees of an earlier scan: every parent
// stands before its children, except on cycles between different trees. So one sweep finds most labels, if what falls behind it is
// settled at once: on AustinTAPB 1,120 relaxations come on top of the 12,141 of a sweep, where sweeps in rounds needed 21,700.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/pairs/scanner.h"

enum { REPAIRS_OF_ORDER = 8 }; // a new order pays if more than one node in so many was relaxed again
enum { REPAIRS_OF_EARLY = 2 }; // the same in early scans of a cold start
static const double GOOD_ENOUGH = 0.5;  // times the target: a batch with this gap in a scan for a proof has no candidates, and needs no parents
enum { LONG_S_1E3 = 20 };      // between two looks of the calling thread while it waits, in ms

// ---- When to stop

// The first load and scans for a proof have the grace of the call.
static bool is_over(const pairs_scanner *s)
{
    return mco_run_must_stop(s->call->run, 0) && !((s->is_loading || s->proof != NULL) && traffic_has_grace(s->call));
}

bool pairs_scan_must_stop(void *user)
{
    pairs_worker *w = user;
    if (w->is_caller && is_over(w->scanner))
        atomic_store_explicit(&w->scanner->is_stopped, true, memory_order_relaxed);
    return atomic_load_explicit(&w->scanner->is_stopped, memory_order_relaxed);
}

static double watch(void *shared)
{
    pairs_scanner *s = shared;
    if (is_over(s))
        atomic_store_explicit(&s->is_stopped, true, memory_order_relaxed);
    return LONG_S_1E3 * 1e-3;
}

// ---- Orders

void pairs_load_order(const pairs_scanner *s, pairs_worker *w, int32_t i)
{
    const int32_t count = pairs_through(s);
    const size_t first = (size_t)i * (size_t)count;
    if (s->wide_order != NULL)
        memcpy(w->trees.order, s->wide_order + first, (size_t)count * sizeof *w->trees.order);
    for (int32_t k = 0; s->narrow_order != NULL && k < count; k++)
        w->trees.order[k] = s->narrow_order[first + (size_t)k];
}

void pairs_save_order(pairs_scanner *s, const pairs_worker *w, int32_t i)
{
    const int32_t count = pairs_through(s);
    const size_t first = (size_t)i * (size_t)count;
    if (s->wide_order != NULL)
        memcpy(s->wide_order + first, w->trees.order, (size_t)count * sizeof *w->trees.order);
    for (int32_t k = 0; s->narrow_order != NULL && k < count; k++)
        s->narrow_order[first + (size_t)k] = (uint16_t)w->trees.order[k];
}

// ---- Trees

void pairs_set_batch(pairs_scanner *s, pairs_worker *w, int32_t i)
{
    const traffic_problem *p = s->store->problem;
    const pairs_batch *b = &s->store->batch[i];
    pairs_trees *t = &w->trees;
    const size_t class = p->extra == NULL ? 0 : (size_t)b->user_class;
    t->cost = s->cost + class * (size_t)p->links;
    t->into_cost = s->into_cost + class * (size_t)p->links;
    t->arc_cost = s->arc_cost + class * (size_t)s->graph.chains.arc_links;
    t->ahead_cost = s->ahead_cost + class * (size_t)s->graph.chains.slots;
    t->back_cost = s->back_cost + class * (size_t)s->graph.chains.slots;
    t->narrow = s->narrow == NULL ? NULL : s->narrow + (size_t)i * (size_t)p->nodes;
    t->wide = s->wide == NULL ? NULL : s->wide + (size_t)i * (size_t)p->nodes * PAIRS_LANES;
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        t->origin[lane] = b->row[lane] < 0 ? -1 : p->row_origin[b->row[lane]];
}

bool pairs_find_labels(pairs_scanner *s, pairs_worker *w, int32_t i, bool *wants_order)
{
    const int64_t repairs = s->build->labels(&w->trees);
    int64_t *usual = &s->repairs[i];
    const int32_t junctions = s->graph.chains.junctions;
    *wants_order = s->is_loading || (s->early_scans > 0 && repairs > junctions / REPAIRS_OF_EARLY);
    if (repairs < 0) {
        memset(w->trees.dirty, 0, ((size_t)pairs_through(s) / 64 + 1) * sizeof *w->trees.dirty);
        return false;
    }
    if (*wants_order)
        return true;
    if (*usual < 0)
        *usual = repairs;
    else
        *wants_order = repairs > *usual + *usual / 4 && repairs > junctions / REPAIRS_OF_ORDER;
    return true;
}

void pairs_renew_order(pairs_scanner *s, pairs_worker *w, int32_t i)
{
    pairs_order_trees(&w->trees, &w->room);
    pairs_save_order(s, w, i);
    s->repairs[i] = -1;
    s->is_old[i] = 0;
}

// ---- Scan

static int by_lane_and_link(const void *a, const void *b)
{
    const pairs_found *x = a, *y = b;
    return x->lane != y->lane ? (x->lane > y->lane) - (x->lane < y->lane) : (x->link > y->link) - (x->link < y->link);
}

// Gives the labels to the certificate, where an origin is an end of its own with label 0. They are spoilt then.
static void prove(pairs_scanner *s, pairs_worker *w, const pairs_batch *b)
{
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        if (w->trees.origin[lane] >= 0)
            w->trees.label[(size_t)w->trees.origin[lane] * PAIRS_LANES + (size_t)lane] = 0;
    traffic_certificate_lanes8(s->proof, b->row, w->trees.label);
}

// What the calling thread does while the others scan.
static void do_meanwhile(pairs_scanner *s)
{
    void (*const meanwhile)(void *) = s->share.meanwhile;
    s->share.meanwhile = NULL;
    if (meanwhile != NULL)
        meanwhile(s->share.user);
}

static void scan_batch(void *shared, int index, int64_t turn)
{
    pairs_scanner *s = shared;
    pairs_worker *w = &s->worker[index];
    const int64_t item = s->share.first + turn * s->share.step;
    if (w->is_caller)
        do_meanwhile(s);
    const pairs_batch *b = &s->store->batch[item];
    pairs_tally *out = &s->tally[item];
    bool wants_order;
    out->count = 0;
    if (w->status != MCO_OK || atomic_load_explicit(&s->is_stopped, memory_order_relaxed))
        return;
    pairs_set_batch(s, w, (int32_t)item);
    pairs_load_order(s, w, (int32_t)item);
    if (s->is_old[item])
        pairs_renew_order(s, w, (int32_t)item);
    if (!pairs_find_labels(s, w, (int32_t)item, &wants_order))
        return;
    w->status = mco_grow(w->ctx, &w->found, &w->found_room, (int64_t)b->slots * PAIRS_LANES + 1);
    if (w->status != MCO_OK)
        return;
    int64_t count;
    out->sums = s->build->scan(&w->trees, b, s->threshold, w->found, &count);
    if (s->proof != NULL && out->sums.excess <= GOOD_ENOUGH * s->call->gap * out->sums.total)
        count = 0;
    if (count > 0 || wants_order) {  // labels alone give the gap
        if (!s->build->parents(&w->trees))
            return;
        s->is_old[item] = wants_order;
    }
    if (s->proof != NULL)
        prove(s, w, b);
    if (count == 0)
        return;
    qsort(w->found, (size_t)count, sizeof *w->found, by_lane_and_link);
    w->status = mco_grow(w->ctx, &out->found, &out->room, count);
    if (w->status != MCO_OK)
        return;
    memcpy(out->found, w->found, (size_t)count * sizeof *w->found);
    out->count = count;
}

// The costs of links [count].
static void pick_costs(const double *cost, const int32_t *link, int32_t count, double *out)
{
    for (int32_t k = 0; k < count; k++)
        out[k] = link[k] >= 0 ? cost[link[k]] : link[k] == PAIRS_FREE_LINK ? 0 : INFINITY;
}

static void set_costs(pairs_scanner *s, const double *cost)
{
    const traffic_problem *p = s->store->problem;
    const int32_t arrays = p->extra == NULL ? 1 : p->classes;
    s->cost = cost;
    const pairs_chains *c = &s->graph.chains;
    for (int32_t k = 0; k < arrays; k++) {
        const double *own = cost + (size_t)k * (size_t)p->links;
        pick_costs(own, p->into, p->links, s->into_cost + (size_t)k * (size_t)p->links);
        pick_costs(own, c->arc_link, c->arc_links, s->arc_cost + (size_t)k * (size_t)c->arc_links);
        pick_costs(own, c->ahead, c->slots, s->ahead_cost + (size_t)k * (size_t)c->slots);
        pick_costs(own, c->back, c->slots, s->back_cost + (size_t)k * (size_t)c->slots);
    }
}

static mco_status run_team(pairs_scanner *s, int64_t items, mco_team_item *work)
{
    atomic_store(&s->is_stopped, is_over(s));
    mco_team_run(&s->team, items, work, watch, s);
    for (int k = 0; k < s->workers; k++)
        if (s->worker[k].status != MCO_OK)
            return mco_fail(s->ctx, s->worker[k].status, "%s", mco_context_error(s->worker[k].ctx));
    return atomic_load(&s->is_stopped) ? mco_fail(s->ctx, MCO_ERR_STOPPED, "stopped") : MCO_OK;
}

static void choose(void *self, const traffic_share *share)
{
    pairs_scanner *s = self;
    s->share = *share;
}

static int64_t share_count(const pairs_scanner *s)
{
    return ((int64_t)s->store->batches - s->share.first + s->share.step - 1) / s->share.step;
}

static bool is_last_share(const pairs_scanner *s)
{
    return s->share.first + 1 == s->share.step;
}

static mco_status load(void *self, const double *cost)
{
    pairs_scanner *s = self;
    set_costs(s, cost);
    s->proof = NULL;
    s->is_loading = true;
    const mco_status st = run_team(s, share_count(s), pairs_load_batch);
    s->is_loading = false;
    s->is_fresh = s->is_fresh && !is_last_share(s);
    return st;
}

static mco_status scan(void *self, const double *cost, double threshold, traffic_certificate *proof, traffic_scan *out)
{
    pairs_scanner *s = self;
    *out = (traffic_scan){0};
    set_costs(s, cost);
    s->threshold = threshold;
    s->proof = proof;
    mco_status st = run_team(s, share_count(s), scan_batch);
    do_meanwhile(s);  // if others had all batches
    s->early_scans -= is_last_share(s) && s->early_scans > 0;
    int64_t count = 0;
    for (int32_t i = s->share.first; i < s->store->batches && st == MCO_OK; i += s->share.step) {
        const pairs_tally *t = &s->tally[i];
        st = mco_grow(s->ctx, &s->candidate, &s->candidate_room, count + t->count);
        if (st != MCO_OK)
            break;
        for (int64_t k = 0; k < t->count; k++)
            s->candidate[count++] = (traffic_candidate){i * PAIRS_LANES + t->found[k].lane, t->found[k].link, t->found[k].reduced};
        out->total += t->sums.total;
        out->excess += t->sums.excess;
    }
    out->count = count;
    out->candidate = s->candidate;
    return st;
}

static traffic_tree tree(void *self, int32_t place)
{
    const pairs_scanner *s = self;
    const size_t first = (size_t)(place / PAIRS_LANES) * (size_t)s->store->problem->nodes;
    return (traffic_tree){s->narrow == NULL ? NULL : s->narrow + first, s->wide == NULL ? NULL : s->wide + first * PAIRS_LANES,
                          place % PAIRS_LANES};
}

static void each(void *self, int64_t items, mco_team_item *work, void *shared)
{
    pairs_scanner *s = self;
    mco_team_run(&s->team, items, work, NULL, shared);
}

static void forget(void *self)
{
    pairs_scanner *s = self;
    mco_free(s->ctx, &s->wide);
    mco_free(s->ctx, &s->narrow);
}

static uint16_t *orders(void *self)
{
    pairs_scanner *s = self;
    uint16_t *all = s->narrow_order;
    s->narrow_order = NULL;
    return all;
}

void pairs_scan_fill(traffic_scanner *out)
{
    out->load = load;
    out->choose = choose;
    out->scan = scan;
    out->tree = tree;
    out->forget = forget;
    out->orders = orders;
    out->each = each;
}
