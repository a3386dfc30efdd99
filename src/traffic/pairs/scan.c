// SPDX-License-Identifier: MIT
// The scanner of the cores (scan.h): least-cost trees of 8 rows at a time by relaxation in an order that the rows share, then one
// pass over their slots. A batch belongs to one thread from its first label to its last candidate, so answers do not depend on threads.
//
// The order is what decides the time. It is a depth-first order of the union of the 8 trees of an earlier scan: every parent
// stands before its children, except on cycles between different trees. So one sweep finds most labels, if what falls behind it is
// settled at once: on AustinTAPB 1,120 relaxations come on top of the 12,141 of a sweep, where sweeps in rounds needed 21,700.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "traffic/pairs/lanes.h"
#include "traffic/pairs/order.h"

enum { NARROW_STAR = 255 };    // links into a node that a byte can number, with one value for none
enum { REPAIRS_OF_ORDER = 8 }; // a new order pays if more than one node in so many was relaxed again
enum { EARLY_SCANS = 3, REPAIRS_OF_EARLY = 2 };  // of a cold start: each makes new orders if more than one node in so many was
enum { LONG_S_1E3 = 20 };      // between two looks of the calling thread while it waits, in ms

typedef struct worker {
    pairs_trees trees;
    mco_context *ctx;     // of the thread
    double *amount;       // [nodes] trips on their way to the origin, or labels of a first order; all 0 between loads
    pairs_order_room room;
    pairs_found *found;   // [found_room]
    int64_t found_room;
    struct scanner *scanner;
    bool is_caller;
    mco_status status;
} worker;

typedef struct tally {
    pairs_sums sums;
    pairs_found *found;  // [count]
    int64_t count, room;
} tally;

typedef struct scanner {
    mco_context *ctx;
    const traffic_call *call;
    pairs_store *store;
    const pairs_build *build;
    pairs_graph graph;
    const double *cost;   // [classes][links] of the call
    double *into_cost;    // the same by positions
    double *arc_cost;     // [classes][arc_links] of the chains, and [classes][slots]
    double *ahead_cost, *back_cost;
    uint16_t *narrow_order;  // [batches][through] one of both is NULL
    int32_t *wide_order;
    uint64_t *narrow;     // [batches][nodes]
    int32_t *wide;        // [batches][nodes][PAIRS_LANES]
    int64_t *repairs;     // [batches] with the present order when it was new, -1: not known yet
    uint8_t *is_old;      // [batches] the trees of the last scan give a better order
    int early_scans;      // that are left: each makes new orders
    tally *tally;         // [batches]
    traffic_candidate *candidate;  // [candidate_room]
    int64_t candidate_room;
    double threshold;
    traffic_certificate *proof;  // NULL: none is wanted
    bool is_loading, is_fresh;  // no order is known yet
    bool has_orders;            // those of the plan of the call
    traffic_share share;        // of the batches
    mco_team team;
    int workers;
    worker *worker;       // [workers]
    atomic_bool is_stopped;
} scanner;

// ---- When to stop

// The first load and scans for a proof have the grace of the call.
static bool is_over(const scanner *s)
{
    return mco_run_must_stop(s->call->run, 0) && !((s->is_loading || s->proof != NULL) && traffic_has_grace(s->call));
}

static bool must_stop(void *user)
{
    worker *w = user;
    if (w->is_caller && is_over(w->scanner))
        atomic_store_explicit(&w->scanner->is_stopped, true, memory_order_relaxed);
    return atomic_load_explicit(&w->scanner->is_stopped, memory_order_relaxed);
}

static double watch(void *shared)
{
    scanner *s = shared;
    if (is_over(s))
        atomic_store_explicit(&s->is_stopped, true, memory_order_relaxed);
    return LONG_S_1E3 * 1e-3;
}

// ---- Orders

static int32_t through(const scanner *s)
{
    return s->store->problem->nodes - s->store->problem->first_through;
}

// Orders of all batches take 16 bits a node where that fits; a worker has that of its batch at full width.
static void load_order(const scanner *s, worker *w, int32_t i)
{
    const int32_t count = through(s);
    const size_t first = (size_t)i * (size_t)count;
    if (s->wide_order != NULL)
        memcpy(w->trees.order, s->wide_order + first, (size_t)count * sizeof *w->trees.order);
    for (int32_t k = 0; s->narrow_order != NULL && k < count; k++)
        w->trees.order[k] = s->narrow_order[first + (size_t)k];
}

static void save_order(scanner *s, const worker *w, int32_t i)
{
    const int32_t count = through(s);
    const size_t first = (size_t)i * (size_t)count;
    if (s->wide_order != NULL)
        memcpy(s->wide_order + first, w->trees.order, (size_t)count * sizeof *w->trees.order);
    for (int32_t k = 0; s->narrow_order != NULL && k < count; k++)
        s->narrow_order[first + (size_t)k] = (uint16_t)w->trees.order[k];
}

// ---- Trees

static void set_batch(scanner *s, worker *w, int32_t i)
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

// Labels of a batch that has been set, by its order. *wants_order says whether a new order pays: in early scans because much was repaired,
// later because more was repaired than with the last one when it was new. Returns false if it was stopped.
static bool find_labels(scanner *s, worker *w, int32_t i, bool *wants_order)
{
    const int64_t repairs = s->build->labels(&w->trees);
    int64_t *usual = &s->repairs[i];
    const int32_t junctions = s->graph.chains.junctions;
    *wants_order = s->is_loading || (s->early_scans > 0 && repairs > junctions / REPAIRS_OF_EARLY);
    if (repairs < 0) {
        memset(w->trees.dirty, 0, ((size_t)through(s) / 64 + 1) * sizeof *w->trees.dirty);
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

// An order by the trees of the batch, which stand since its last scan. The last scan of a solve needs none, so the next one makes it.
static void renew_order(scanner *s, worker *w, int32_t i)
{
    pairs_order_trees(&w->trees, &w->room);
    save_order(s, w, i);
    s->repairs[i] = -1;
    s->is_old[i] = 0;
}

// ---- Load

// An amount waits at a node until all nodes behind it in the order are done.
static void put(worker *w, int32_t node, double amount)
{
    const int32_t place = w->trees.position[node];
    w->amount[node] += amount;
    w->trees.dirty[place >> 6] |= UINT64_C(1) << (place & 63);
}

// Takes an amount from node `v`, whose place in the order is `place`, up the tree to the next node that comes later, or to the origin.
static mco_status climb(const scanner *s, worker *w, pairs_batch *b, const traffic_tree *tree, int32_t origin, int32_t v, int32_t place,
                        double amount)
{
    const traffic_problem *p = s->store->problem;
    const int32_t from = v;
    while (v != origin) {
        const int32_t link = traffic_tree_link(p, tree, v);
        int32_t slot;
        if (link < 0)
            return mco_fail(w->ctx, MCO_ERR_INTERNAL, "row %d has trips to node %d, which has no path", b->row[tree->lane], from);
        const mco_status st = pairs_slot_make(w->ctx, s->store, b, link, &slot);
        if (st != MCO_OK)
            return st;
        b->flow[(size_t)slot * PAIRS_LANES + (size_t)tree->lane] += amount;
        v = p->tail[link];
        if (v != origin && w->trees.position[v] < place) {
            put(w, v, amount);
            break;
        }
    }
    return MCO_OK;
}

// Adds the trips of a row to the links of its tree. Amounts climb from the last node of the order; where a child stands before its
// parent, they climb on at once. Only nodes with amounts are visited; `dirty` marks their places. O(trips + links of the tree + nodes / 64).
static mco_status load_row(const scanner *s, worker *w, pairs_batch *b, int lane)
{
    const traffic_problem *p = s->store->problem;
    const pairs_trees *t = &w->trees;
    const traffic_tree tree = {t->narrow, t->wide, lane};
    const int32_t row = b->row[lane], origin = p->row_origin[row], count = through(s);
    mco_status st = MCO_OK;
    for (int64_t k = p->row_first[row]; k < p->row_first[row + 1] && st == MCO_OK; k++) {
        if (p->to[k] < p->first_through)
            st = climb(s, w, b, &tree, origin, p->to[k], count, p->amount[k]);
        else
            put(w, p->to[k], p->amount[k]);
    }
    for (int32_t word = count >> 6; word >= 0; word--)
        while (t->dirty[word] != 0) {
            const int32_t place = 64 * word + 63 - __builtin_clzll(t->dirty[word]), v = t->order[place];
            const double amount = w->amount[v];
            w->amount[v] = 0;
            t->dirty[word] &= ~(UINT64_C(1) << (place & 63));
            if (amount > 0 && st == MCO_OK)
                st = climb(s, w, b, &tree, origin, v, place, amount);
        }
    return st;
}

static bool row_is_empty(const pairs_batch *b, int lane)
{
    for (int32_t k = 0; k < b->slots; k++)
        if (b->flow[(size_t)k * PAIRS_LANES + (size_t)lane] > 0)
            return false;
    return true;
}

static void load_batch(void *shared, int index, int64_t turn)
{
    scanner *s = shared;
    worker *w = &s->worker[index];
    const int64_t item = s->share.first + turn * s->share.step;
    pairs_batch *b = &s->store->batch[item];
    uint32_t empty = 0;
    bool wants_order;
    if (w->status != MCO_OK || atomic_load_explicit(&s->is_stopped, memory_order_relaxed))
        return;
    set_batch(s, w, (int32_t)item);
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        empty |= (uint32_t)(b->row[lane] >= 0 && row_is_empty(b, lane)) << lane;
    if (s->is_fresh && s->has_orders)
        load_order(s, w, (int32_t)item);
    else if (s->is_fresh && empty == 0)
        pairs_order_flows(&w->trees, &w->room, b);
    else if (s->is_fresh)
        w->status = pairs_order_nearest(&w->trees, &w->room, b);
    else
        load_order(s, w, (int32_t)item);
    if (empty == 0 && w->status == MCO_OK) {  // a warm start
        s->repairs[item] = -1;
        if (!s->has_orders)
            save_order(s, w, (int32_t)item);
    }
    if (empty == 0 || w->status != MCO_OK || !find_labels(s, w, (int32_t)item, &wants_order) || !s->build->parents(&w->trees))
        return;
    renew_order(s, w, (int32_t)item);
    // Labels have found their places in the order of before; `position` follows the new one.
    for (int32_t k = 0; k < through(s); k++)
        w->trees.position[w->trees.order[k]] = k;
    for (int lane = 0; lane < PAIRS_LANES && w->status == MCO_OK; lane++)
        if (empty >> lane & 1)
            w->status = load_row(s, w, b, lane);
    if (w->status == MCO_OK)
        w->status = pairs_batch_pack(w->ctx, s->store, b);
}

// ---- Scan

static int by_lane_and_link(const void *a, const void *b)
{
    const pairs_found *x = a, *y = b;
    return x->lane != y->lane ? (x->lane > y->lane) - (x->lane < y->lane) : (x->link > y->link) - (x->link < y->link);
}

// Gives the labels to the certificate, where an origin is an end of its own with label 0. They are spoilt then.
static void prove(scanner *s, worker *w, const pairs_batch *b)
{
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        if (w->trees.origin[lane] >= 0)
            w->trees.label[(size_t)w->trees.origin[lane] * PAIRS_LANES + (size_t)lane] = 0;
    traffic_certificate_lanes8(s->proof, b->row, w->trees.label);
}

// What the calling thread does while the others scan.
static void do_meanwhile(scanner *s)
{
    void (*const meanwhile)(void *) = s->share.meanwhile;
    s->share.meanwhile = NULL;
    if (meanwhile != NULL)
        meanwhile(s->share.user);
}

static void scan_batch(void *shared, int index, int64_t turn)
{
    scanner *s = shared;
    worker *w = &s->worker[index];
    const int64_t item = s->share.first + turn * s->share.step;
    if (w->is_caller)
        do_meanwhile(s);
    const pairs_batch *b = &s->store->batch[item];
    tally *out = &s->tally[item];
    bool wants_order;
    out->count = 0;
    if (w->status != MCO_OK || atomic_load_explicit(&s->is_stopped, memory_order_relaxed))
        return;
    set_batch(s, w, (int32_t)item);
    load_order(s, w, (int32_t)item);
    if (s->is_old[item])
        renew_order(s, w, (int32_t)item);
    if (!find_labels(s, w, (int32_t)item, &wants_order))
        return;
    w->status = mco_grow(w->ctx, &w->found, &w->found_room, (int64_t)b->slots * PAIRS_LANES + 1);
    if (w->status != MCO_OK)
        return;
    int64_t count;
    out->sums = s->build->scan(&w->trees, b, s->threshold, w->found, &count);
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

static void set_costs(scanner *s, const double *cost)
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

static mco_status run_team(scanner *s, int64_t items, mco_team_item *work)
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
    scanner *s = self;
    s->share = *share;
}

static int64_t share_count(const scanner *s)
{
    return ((int64_t)s->store->batches - s->share.first + s->share.step - 1) / s->share.step;
}

static bool is_last_share(const scanner *s)
{
    return s->share.first + 1 == s->share.step;
}

static mco_status load(void *self, const double *cost)
{
    scanner *s = self;
    set_costs(s, cost);
    s->proof = NULL;
    s->is_loading = true;
    const mco_status st = run_team(s, share_count(s), load_batch);
    s->is_loading = false;
    s->is_fresh = s->is_fresh && !is_last_share(s);
    return st;
}

static mco_status scan(void *self, const double *cost, double threshold, traffic_certificate *proof, traffic_scan *out)
{
    scanner *s = self;
    *out = (traffic_scan){0};
    set_costs(s, cost);
    s->threshold = threshold;
    s->proof = proof;
    mco_status st = run_team(s, share_count(s), scan_batch);
    do_meanwhile(s);  // if others had all batches
    s->early_scans -= is_last_share(s) && s->early_scans > 0;
    int64_t count = 0;
    for (int32_t i = s->share.first; i < s->store->batches && st == MCO_OK; i += s->share.step) {
        const tally *t = &s->tally[i];
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
    const scanner *s = self;
    const size_t first = (size_t)(place / PAIRS_LANES) * (size_t)s->store->problem->nodes;
    return (traffic_tree){s->narrow == NULL ? NULL : s->narrow + first, s->wide == NULL ? NULL : s->wide + first * PAIRS_LANES,
                          place % PAIRS_LANES};
}

static void each(void *self, int64_t items, mco_team_item *work, void *shared)
{
    scanner *s = self;
    mco_team_run(&s->team, items, work, NULL, shared);
}

static void forget(void *self)
{
    scanner *s = self;
    mco_free(s->ctx, &s->wide);
    mco_free(s->ctx, &s->narrow);
}

static uint16_t *orders(void *self)
{
    scanner *s = self;
    uint16_t *all = s->narrow_order;
    s->narrow_order = NULL;
    return all;
}

// ---- Opening

static void close_worker(mco_context *ctx, worker *w)
{
    if (w->ctx == NULL)
        return;
    mco_free(w->ctx, &w->room.heap.entry);
    mco_free(w->ctx, &w->found);
    mco_free(ctx, &w->room.new_order);
    mco_free(ctx, &w->room.next);
    mco_free(ctx, &w->room.stack);
    mco_free(ctx, &w->amount);
    mco_free(ctx, &w->trees.is_open);
    mco_free(ctx, &w->trees.flat);
    mco_free(ctx, &w->trees.dirty);
    mco_free(ctx, &w->trees.position);
    mco_free(ctx, &w->trees.junction_label);
    mco_free(ctx, &w->trees.junction);
    mco_free(ctx, &w->trees.order);
    mco_free(ctx, &w->trees.label);
    mco_context_destroy(&w->ctx);
}

static void close(void *self)
{
    scanner *s = self;
    mco_context *ctx = s->ctx;
    mco_team_close(&s->team);
    for (int k = 0; s->worker != NULL && k < s->workers; k++)
        close_worker(ctx, &s->worker[k]);
    for (int32_t i = 0; s->tally != NULL && i < s->store->batches; i++)
        mco_free(ctx, &s->tally[i].found);
    mco_free(ctx, &s->worker);
    mco_free(ctx, &s->candidate);
    mco_free(ctx, &s->is_old);
    mco_free(ctx, &s->repairs);
    mco_free(ctx, &s->tally);
    mco_free(ctx, &s->wide);
    mco_free(ctx, &s->narrow);
    mco_free(ctx, &s->wide_order);
    mco_free(ctx, &s->narrow_order);
    mco_free(ctx, &s->back_cost);
    mco_free(ctx, &s->ahead_cost);
    mco_free(ctx, &s->arc_cost);
    mco_free(ctx, &s->into_cost);
    pairs_chains_close(ctx, &s->graph.chains);
    mco_free(ctx, &s->graph.into_tail);
    mco_free(ctx, &s->graph.tail_label);
    mco_free(ctx, &s);
}

static mco_status open_worker(scanner *s, int index, worker *w)
{
    const traffic_problem *p = s->store->problem;
    const int64_t nodes = p->nodes;
    mco_status st = MCO_OK;
    w->scanner = s;
    w->is_caller = index == s->workers - 1;
    MCO_TRY(mco_context_create_child(s->ctx, &w->ctx));
    MCO_TRY(mco_alloc(s->ctx, &w->trees.label, (size_t)s->graph.label_rows * PAIRS_LANES));
    MCO_TRY(mco_alloc(s->ctx, &w->trees.position, nodes));
    MCO_TRY(mco_alloc(s->ctx, &w->trees.order, nodes));
    MCO_TRY(mco_alloc(s->ctx, &w->trees.junction, nodes + 1));
    MCO_TRY(mco_alloc(s->ctx, &w->trees.junction_label, (size_t)s->graph.chains.junctions * PAIRS_LANES));
    MCO_TRY(mco_alloc(s->ctx, &w->trees.dirty, nodes / 64 + 1));
    MCO_TRY(mco_alloc(s->ctx, &w->trees.flat, nodes));
    MCO_TRY(mco_alloc(s->ctx, &w->trees.is_open, s->graph.label_rows));
    MCO_TRY(mco_alloc(s->ctx, &w->amount, nodes));
    MCO_TRY(mco_alloc(s->ctx, &w->room.stack, nodes + 1));
    MCO_TRY(mco_alloc(s->ctx, &w->room.next, nodes));
    MCO_TRY(mco_alloc(s->ctx, &w->room.new_order, nodes));
    w->room.ctx = w->ctx;
    w->room.label = w->amount;
    w->trees.graph = &s->graph;
    w->trees.must_stop = must_stop;
    w->trees.user = w;
done:
    return st;
}

static mco_status open_graph(scanner *s)
{
    const traffic_problem *p = s->store->problem;
    const size_t batches = (size_t)s->store->batches;
    mco_status st = MCO_OK;
    int32_t star = 0;
    s->graph.problem = p;
    s->graph.label_rows = p->nodes + p->first_through;
    MCO_TRY(mco_alloc(s->ctx, &s->graph.tail_label, p->links));
    MCO_TRY(mco_alloc(s->ctx, &s->graph.into_tail, p->links));
    for (int32_t l = 0; l < p->links; l++)
        s->graph.tail_label[l] = p->tail[l] < p->first_through ? p->nodes + p->tail[l] : p->tail[l];
    for (int32_t e = 0; e < p->links; e++)
        s->graph.into_tail[e] = s->graph.tail_label[p->into[e]];
    for (int32_t v = 0; v < p->nodes; v++)
        star = p->into_first[v + 1] - p->into_first[v] > star ? p->into_first[v + 1] - p->into_first[v] : star;
    const size_t arrays = (size_t)(p->extra == NULL ? 1 : p->classes);
    MCO_TRY(pairs_chains_open(s->ctx, p, &s->graph.chains));
    MCO_TRY(mco_alloc(s->ctx, &s->into_cost, arrays * (size_t)p->links));
    MCO_TRY(mco_alloc(s->ctx, &s->arc_cost, arrays * (size_t)s->graph.chains.arc_links));
    MCO_TRY(mco_alloc(s->ctx, &s->ahead_cost, arrays * (size_t)s->graph.chains.slots));
    MCO_TRY(mco_alloc(s->ctx, &s->back_cost, arrays * (size_t)s->graph.chains.slots));
    if (p->nodes <= UINT16_MAX)
        MCO_TRY(mco_alloc(s->ctx, &s->narrow_order, batches * (size_t)through(s)));
    else
        MCO_TRY(mco_alloc(s->ctx, &s->wide_order, batches * (size_t)through(s)));
    if (star <= NARROW_STAR)
        MCO_TRY(mco_alloc(s->ctx, &s->narrow, batches * (size_t)p->nodes));
    else
        MCO_TRY(mco_alloc(s->ctx, &s->wide, batches * (size_t)p->nodes * PAIRS_LANES));
    MCO_TRY(mco_alloc(s->ctx, &s->tally, batches));
    MCO_TRY(mco_alloc(s->ctx, &s->repairs, batches));
    MCO_TRY(mco_alloc(s->ctx, &s->is_old, batches));
done:
    return st;
}

// The orders of the plan that the call begins with.
static void take_orders(scanner *s)
{
    const traffic_plan *plan = s->call->start_plan;
    s->has_orders = plan != NULL && plan->order != NULL && s->narrow_order != NULL && s->call->start_flows != NULL;
    if (s->has_orders)
        memcpy(s->narrow_order, plan->order, (size_t)plan->batches * (size_t)plan->places * sizeof *plan->order);
}

mco_status pairs_pick_build(mco_context *ctx, mco_simd asked, const pairs_build **out)
{
#define ROW(set, simd) &pairs_lanes_##set,
    static const pairs_build *const builds[] = {MCO_EACH_SIMD(ROW)};
#undef ROW
    return mco_pick(ctx, builds, asked, 0, out);
}

mco_status traffic_core_scanner(mco_context *ctx, const traffic_call *call, pairs_store *store, traffic_answer *out,
                                traffic_scanner *scanner_out)
{
    mco_status st = MCO_OK;
    scanner *s = NULL;
    *scanner_out = (traffic_scanner){0};
    MCO_TRY(mco_alloc(ctx, &s, 1));
    s->ctx = ctx;
    s->call = call;
    s->store = store;
    s->is_fresh = true;
    s->share = (traffic_share){.step = 1};
    s->early_scans = call->start_flows == NULL ? EARLY_SCANS : 0;
    MCO_TRY(pairs_pick_build(ctx, call->params->simd, &s->build));
    MCO_TRY(open_graph(s));
    const int64_t threads = call->params->threads < 1 ? 1 : call->params->threads;
    s->workers = (int)(threads < store->batches ? threads : store->batches > 0 ? store->batches : 1);
    MCO_TRY(mco_alloc(ctx, &s->worker, s->workers));
    for (int k = 0; k < s->workers; k++)
        MCO_TRY(open_worker(s, k, &s->worker[k]));
    MCO_TRY(mco_team_open(ctx, s->workers, false, &s->team));
    take_orders(s);
    out->simd = s->build->build.simd;
    out->lane_bits = 64;
    out->threads = s->workers;
    *scanner_out = (traffic_scanner){.self = s, .load = load, .choose = choose, .scan = scan, .tree = tree, .forget = forget,
                                     .orders = orders, .each = each, .workers = s->workers, .close = close};
done:
    if (st != MCO_OK && s != NULL)
        close(s);
    return st;
}
