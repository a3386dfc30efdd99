// SPDX-License-Identifier: MIT
// Opens and closes the scanner of the cores.
#include <string.h>

#include "traffic/pairs/scanner.h"

enum { NARROW_STAR = 255 };    // links into a node that a byte can number, with one value for none
enum { EARLY_SCANS = 3 };      // of a cold start: each may make new orders

static void close_worker(mco_context *ctx, pairs_worker *w)
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
    pairs_scanner *s = self;
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

static mco_status open_worker(pairs_scanner *s, int index, pairs_worker *w)
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
    w->trees.must_stop = pairs_scan_must_stop;
    w->trees.user = w;
done:
    return st;
}

static mco_status open_graph(pairs_scanner *s)
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
        MCO_TRY(mco_alloc(s->ctx, &s->narrow_order, batches * (size_t)pairs_through(s)));
    else
        MCO_TRY(mco_alloc(s->ctx, &s->wide_order, batches * (size_t)pairs_through(s)));
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
static void take_orders(pairs_scanner *s)
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
    pairs_scanner *s = NULL;
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
    *scanner_out = (traffic_scanner){.self = s, .workers = s->workers, .close = close};
    pairs_scan_fill(scanner_out);
done:
    if (st != MCO_OK && s != NULL)
        close(s);
    return st;
}
