// SPDX-License-Identifier: MIT
// Nodes that join and leave: bound and overlay after each round. The duals of the round before stay; a node that joins jumps to its own
// least bound first, then all nodes jump a few times. So a round costs a few sweeps and a check, whatever came before. The overlay loses
// the links of nodes that left; chains from their neighbours and from new nodes fill the rests. Now and then all candidates are listed
// anew by the present duals.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "overlay/live.h"

#define MCO_OPTION_STRUCT mco_overlay_live_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_OVERLAY_LIVE_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

enum { OWN_JUMPS = 8, ROUNDS_A_LISTING = 64, FIRST_SHAKES = 20, FEW_CANDIDATES = 32, MANY_SWEEPS = 8 };
enum { ENTRIES_A_ROUND = 1 << 21, LEAST_SWEEPS = 2, MOST_SWEEPS = 32 };
static const double UNITS = 4294967296.0, FEW_WIDTH = 0.0002, FIRST_WIDTH = 0.005, LAST_WIDTH = 0.00002;  // of the ramp of jumps
static const uint32_t FIRST_REACH = 429497;  // 0.0001: how far a node looks first

const mco_option_table *mco_overlay_live_options(void)
{
    return &options;
}

// ---- Room

// Opens sweeps with room for more slots than there are, so that most joins find room.
static mco_status fit_dual(mco_overlay_live *live)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = live->network.o;
    uint32_t *duals = NULL;
    if (live->duals != NULL && o->nodes <= live->dual_room && o->degree <= live->degree_room)
        return MCO_OK;
    mco_overlay shape = *o;
    shape.nodes = live->network.room > o->nodes ? live->network.room : o->nodes;
    shape.degree = o->is_complete ? shape.nodes : o->degree + o->degree / 2 + 16;
    overlay_dual_close(&live->dual);
    MCO_TRY(overlay_dual_open(live->network.ctx, &live->run, &shape, &live->bound, live->build, live->threads, &live->dual));
    live->dual.o = o;
    MCO_TRY(mco_alloc(live->network.ctx, &live->dual.reach, shape.nodes));
    MCO_TRY(mco_alloc(live->network.ctx, &duals, (int64_t)shape.nodes + OVERLAY_NODE_PAD));
    if (live->duals != NULL)
        memcpy(duals, live->duals, (size_t)live->dual_room * sizeof *duals);
    mco_free(live->network.ctx, &live->duals);
    live->duals = duals;
    for (int32_t i = 0; i < shape.nodes; i++)
        live->dual.reach[i] = FIRST_REACH;
    live->dual_room = shape.nodes;
    live->degree_room = shape.degree;
done:
    return st;
}

// ---- The bound

// A node that joined looks for the dual at which its own links carry just its bandwidth, while all others stand still. Where weights are
// products, half the square of its uptime is near. O(its row)
static void settle_node(mco_overlay_live *live, int32_t i)
{
    overlay_dual *d = &live->dual;
    const mco_overlay *o = live->network.o;
    d->dual[i] = o->weight != NULL ? 0 : (uint32_t)((uint64_t)o->uptime[i] * o->uptime[i] >> 33);
    for (int k = 0; k < OWN_JUMPS; k++) {
        overlay_jump_node(d, &d->rows[0], i);
        d->dual[i] = d->next[i];
    }
    overlay_prices_move(&d->prices, i);
}

// As many as look at ENTRIES_A_ROUND entries of rows.
static int64_t sweeps_of(const mco_overlay_live *live)
{
    const mco_overlay *o = live->network.o;
    const int64_t entries = o->is_complete ? (int64_t)o->nodes * o->nodes : 2 * o->links + o->nodes, sweeps = ENTRIES_A_ROUND / (entries + 1);
    return live->p.sweeps > 0 ? live->p.sweeps : sweeps < LEAST_SWEEPS ? LEAST_SWEEPS : sweeps < MOST_SWEEPS ? sweeps : MOST_SWEEPS;
}

// A few jumps stay near the duals that are there. Many go the way of a bound from the beginning (jump.c).
static uint32_t width_of(const mco_overlay_live *live, int64_t sweep)
{
    const double part = (double)sweep / (double)live->sweeps;
    return (uint32_t)(UNITS * (live->sweeps < MANY_SWEEPS ? FEW_WIDTH : FIRST_WIDTH * pow(LAST_WIDTH / FIRST_WIDTH, part)));
}

// Prices are in the order of the uptimes, which events change.
static mco_status begin_duals(mco_overlay_live *live)
{
    overlay_dual *d = &live->dual;
    const mco_overlay *o = live->network.o;
    overlay_prices_close(d->ctx, &d->prices);
    const mco_status st = overlay_prices_open(d->ctx, o, d->build->both == NULL, &d->prices);
    if (st != MCO_OK)
        return st;
    d->blocks = (o->nodes + d->block - 1) / d->block;
    live->sweeps = sweeps_of(live);
    d->width = width_of(live, live->sweeps);
    d->least = (overlay_sum){UINT64_MAX, UINT64_MAX};
    d->stop_s = live->run.stop_s;
    atomic_store(&d->is_cut, false);
    d->iterations = 0;
    memcpy(d->dual, live->duals, (size_t)o->nodes * sizeof *d->dual);
    for (int64_t k = 0; k < live->leaves; k++)
        d->dual[live->left[k]] = 0;
    overlay_prices_set(&d->prices, d->dual);
    for (int64_t k = 0; k < live->joins; k++) {
        if (mco_run_must_stop(&live->run, live->search.moves))
            return mco_fail(d->ctx, MCO_ERR_STOPPED, "the round was stopped");
        if (live->network.id[live->joined[k]] >= 0)
            settle_node(live, live->joined[k]);
    }
    return MCO_OK;
}

// A sweep measures the duals that are there and proposes the next ones. So the first sweep costs no more than to know the bound of the old ones.
static mco_status find_bound(mco_overlay_live *live)
{
    overlay_dual *d = &live->dual;
    overlay_sum bound;
    const int64_t nodes = live->network.o->nodes;
    const mco_status st = begin_duals(live);
    if (st != MCO_OK)
        return st;
    for (int64_t k = 0; k <= live->sweeps; k++) {
        d->width = width_of(live, k);
        if (!overlay_sweep(d, k < live->sweeps ? overlay_jump_node : overlay_measure, &bound))
            return mco_fail(d->ctx, MCO_ERR_STOPPED, "the round was stopped");
        if (overlay_less(bound, d->least)) {
            d->least = bound;
            memcpy(d->best, d->dual, (size_t)nodes * sizeof *d->best);
        }
        uint32_t *const dual = d->dual;
        d->dual = d->next;
        d->next = dual;
        d->iterations++;
    }
    if (!overlay_check_best(d, &bound))
        return mco_fail(d->ctx, MCO_ERR_STOPPED, "the round was stopped");
    overlay_sum doubled = bound;
    overlay_add_sum(&doubled, &bound);
    if (doubled.low != d->least.low || doubled.high != d->least.high)
        return mco_fail(d->ctx, MCO_ERR_INTERNAL, "the check of a round finds another bound than the engine");
    memcpy(live->duals, d->best, (size_t)nodes * sizeof *d->best);
    live->bound_value = overlay_bound_of(live->network.o, doubled);
    return MCO_OK;
}

// ---- The overlay

static mco_status touch(mco_overlay_live *live, int32_t i)
{
    const mco_status st = mco_grow(live->network.ctx, &live->touched, &live->touch_room, live->touches + 1);
    if (st == MCO_OK)
        live->touched[live->touches++] = i;
    return st;
}

// Lists all candidates by the present duals; the overlay stays, as far as its links are among them.
static mco_status list_anew(mco_overlay_live *live)
{
    mco_status st = MCO_OK;
    mco_context *ctx = live->network.ctx;
    overlay_search old = live->search;
    const overlay_guide guide = {.dual = live->duals, .seed = (uint64_t)live->p.seed};
    live->search = (overlay_search){.ctx = ctx};
    MCO_TRY(overlay_search_open(ctx, &live->run, live->network.o, &guide, &live->search));
    if (old.first != NULL) {
        MCO_TRY(overlay_search_take(&live->search, &old));
        live->search.moves = old.moves;
        live->search.rng = old.rng;
    }
    live->searched = live->network.o->nodes;
    live->rounds = 0;
    for (int32_t i = 0; i < live->searched; i++)
        if (live->search.rest[i] > 0)
            MCO_TRY(touch(live, i));
done:
    overlay_search_close(&old);
    return st;
}

// Nodes that left free bandwidth of their neighbours; nodes that joined bring theirs.
static mco_status renew(mco_overlay_live *live)
{
    mco_status st = MCO_OK;
    overlay_search *s = &live->search;
    const overlay_network *n = &live->network;
    for (int64_t k = 0; k < live->leaves; k++) {
        const int32_t v = live->left[k];
        if (v >= live->searched)
            continue;
        for (int64_t a = s->first[v]; a < s->first[v + 1]; a++)
            if (s->x[s->of[a]] > 0)
                MCO_TRY(touch(live, s->link[s->of[a]].end[0] == v ? s->link[s->of[a]].end[1] : s->link[s->of[a]].end[0]));
        overlay_search_leave(s, v);
    }
    s->guide.dual = live->duals;
    int64_t there = 0;
    for (int64_t k = 0; k < live->lists; k++)
        if (n->id[live->listed[k]] >= 0)
            live->listed[there++] = live->listed[k];
    if (there > 0 || n->o->nodes > live->searched)
        MCO_TRY(overlay_search_join(s, live->searched, live->listed, there));
    live->searched = n->o->nodes;
    for (int64_t k = 0; k < there; k++) {
        const int32_t v = live->listed[k];
        int64_t load = 0;
        for (int64_t a = s->first[v]; a < s->first[v + 1]; a++)
            load += s->x[s->of[a]];
        s->rest[v] = n->o->bandwidth[v] - load;
        MCO_TRY(touch(live, v));
    }
    live->rounds++;
done:
    return st;
}

// The entry of row i that leads to j, from `place` [nodes], where a sparse row stands; -1: none.
static int64_t entry_of(const mco_overlay *o, const int64_t *place, int32_t i, int32_t j)
{
    return o->is_complete ? j - (j > i) : place[j] - 1;
}

// Recomputes the worth of the overlay from the network alone: links are possible, stand once, are within their limits, and no node carries
// more than its bandwidth. O(candidates), and O(links) where not all pairs are links.
static mco_status check_overlay(mco_overlay_live *live)
{
    mco_status st = MCO_OK;
    const overlay_search *s = &live->search;
    const mco_overlay *o = live->network.o;
    int64_t *place = NULL;
    int32_t *seen = NULL;
    overlay_sum worth = {0};
    bool is_valid = true;
    MCO_TRY(mco_alloc(live->network.ctx, &place, o->nodes));
    MCO_TRY(mco_alloc(live->network.ctx, &seen, o->nodes));
    live->kept = 0;
    for (int32_t i = 0; i < o->nodes && is_valid; i++) {
        int64_t load = 0;
        for (int64_t k = 0; !o->is_complete && k < overlay_row_size(o, i); k++)
            place[o->to[o->first[i] + k]] = k + 1;
        for (int64_t a = s->first[i]; a < s->first[i + 1] && is_valid; a++) {
            const int32_t e = s->of[a], x = s->x[e], j = s->link[e].end[0] == i ? s->link[e].end[1] : s->link[e].end[0];
            const int64_t k = entry_of(o, place, i, j);
            if (x == 0)
                continue;
            is_valid = i != j && k >= 0 && seen[j] != i + 1 && live->network.id[j] >= 0;
            if (!is_valid)
                break;
            const overlay_link link = overlay_entry(o, i, k);
            is_valid = x <= link.most && x >= (o->row_least != NULL ? o->row_least[o->first[i] + k] : o->least);
            seen[j] = i + 1;
            load += x;
            if (i < j)
                overlay_add(&worth, (uint64_t)link.weight * (uint64_t)x);
            live->kept += i < j;
        }
        is_valid = is_valid && load <= o->bandwidth[i];
        for (int64_t k = 0; !o->is_complete && k < overlay_row_size(o, i); k++)
            place[o->to[o->first[i] + k]] = 0;
    }
    if (!is_valid)
        MCO_TRY(mco_fail(live->network.ctx, MCO_ERR_INTERNAL, "the overlay of a round fails its check"));
    live->worth = overlay_worth_of(o, worth);
    live->run.objective = live->worth;  // for the log: each round has its own
    live->run.bound = live->bound_value;
done:
    mco_free(live->network.ctx, &seen);
    mco_free(live->network.ctx, &place);
    return st;
}

// Fewer where nodes have many candidates, since the time of a chain grows with their square. The first overlay takes some a node.
static int64_t shakes_of(const mco_overlay_live *live, bool is_first)
{
    const double nodes = live->network.o->nodes, candidates = 2.0 * (double)live->search.links / fmax(nodes, 1);
    const double share = FEW_CANDIDATES / fmax(candidates, FEW_CANDIDATES), asked = (double)live->p.shakes;
    if (is_first)
        return asked > 0 ? (int64_t)(fmax(FIRST_SHAKES * share * share, 1) * nodes) : 0;
    return (int64_t)ceil(asked * share * share);
}

// Every other shake is near an event.
static mco_status shake(mco_overlay_live *live, int64_t k, bool is_first)
{
    overlay_search *s = &live->search;
    if (k % 2 == 0 || is_first || live->touches == 0 || live->touches > INT32_MAX)
        return overlay_shake(s);
    return overlay_shake_at(s, live->touched[mco_rng_below(&s->rng, (uint32_t)live->touches)]);
}

static mco_status find_overlay(mco_overlay_live *live)
{
    mco_status st = MCO_OK;
    const bool is_first = live->search.first == NULL;
    live->touches = 0;
    if (!is_first)
        MCO_TRY(renew(live));
    if (is_first || live->rounds >= ROUNDS_A_LISTING)
        MCO_TRY(list_anew(live));
    if (is_first)
        MCO_TRY(overlay_descend(&live->search));
    else
        MCO_TRY(overlay_search_mend(&live->search, live->touched, live->touches));
    const int64_t shakes = shakes_of(live, is_first);
    for (int64_t k = 0; k < shakes && live->search.links > 0 && !mco_run_must_stop(&live->run, live->search.moves); k++)
        MCO_TRY(shake(live, k, is_first));
    MCO_TRY(check_overlay(live));
    if (mco_is_cancelled(live->network.ctx))
        MCO_TRY(mco_fail(live->network.ctx, MCO_ERR_STOPPED, "the round was stopped"));
done:
    return st;
}

// ---- A round

static mco_status list(mco_overlay_live *live, int32_t i)
{
    const mco_status st = mco_grow(live->network.ctx, &live->listed, &live->list_room, live->lists + 1);
    if (st == MCO_OK)
        live->listed[live->lists++] = i;
    return st;
}

static mco_status apply(mco_overlay_live *live, const mco_overlay_event *e)
{
    mco_status st = MCO_OK;
    mco_context *ctx = live->network.ctx;
    int32_t slot = 0;
    switch (e->kind) {
    case MCO_OVERLAY_EVENT_JOIN:
        MCO_TRY(overlay_network_join(&live->network, e, &slot));
        MCO_TRY(mco_grow(ctx, &live->joined, &live->join_room, live->joins + 1));
        live->joined[live->joins++] = slot;
        return list(live, slot);
    case MCO_OVERLAY_EVENT_LEAVE:
        MCO_TRY(overlay_network_leave(&live->network, e->node, &slot));
        MCO_TRY(mco_grow(ctx, &live->left, &live->leave_room, live->leaves + 1));
        live->left[live->leaves++] = slot;
        return MCO_OK;
    case MCO_OVERLAY_EVENT_LINK:
        MCO_TRY(overlay_network_link(&live->network, e));
        MCO_TRY(list(live, overlay_slot_of(&live->network, e->node)));
        return list(live, overlay_slot_of(&live->network, e->to));
    default: return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d is no kind of event", (int)e->kind);
    }
done:
    return st;
}

static void halve_duals(mco_overlay_live *live, int halvings)
{
    for (int64_t i = 0; halvings > 0 && i < live->dual_room; i++)
        live->duals[i] = halvings < 32 ? live->duals[i] >> halvings : 0;
}

mco_status overlay_live_advance(mco_overlay_live *live, const mco_overlay_event *events, int64_t count, mco_overlay_round *out)
{
    mco_status st = MCO_OK;
    int halvings = 0;
    const double begin_s = mco_clock_s();
    live->joins = live->leaves = live->lists = 0;
    for (int64_t k = 0; k < count; k++)
        MCO_TRY(apply(live, &events[k]));
    const int64_t links = live->network.arrivals;
    MCO_TRY(overlay_network_commit(&live->network, &halvings));
    halve_duals(live, halvings);
    MCO_TRY(fit_dual(live));
    MCO_TRY(find_bound(live));
    const double middle_s = mco_clock_s();
    MCO_TRY(find_overlay(live));
    *out = (mco_overlay_round){.round = count > 0 ? events[0].round : 0, .joins = live->joins, .leaves = live->leaves, .links = links,
                               .nodes = live->network.present, .bound = live->bound_value, .worth = live->worth, .kept = live->kept,
                               .bound_s = middle_s - begin_s, .overlay_s = mco_clock_s() - middle_s};
done:
    return st;
}

// ---- Opening and closing

static mco_status pick(mco_context *ctx, mco_overlay_live *live)
{
    const bool is_reference = live->bound.engine == MCO_ENGINE_REFERENCE;
    live->build = &overlay_plain;
    live->threads = is_reference ? 1 : mco_settle_threads(live->bound.threads);
    live->bound.inner = live->bound.inner > 0 && live->bound.method == MCO_OVERLAY_METHOD_JUMP ? live->bound.inner : 4;
    return is_reference ? MCO_OK : overlay_pick(ctx, live->bound.simd, &live->build);
}

static mco_status take_params(mco_context *ctx, const mco_overlay_bound_params *bound, const mco_overlay_live_params *params,
                              mco_overlay_live *live)
{
    mco_status st = MCO_OK;
    MCO_TRY(MCO_TAKE(ctx, bound, &live->bound));
    MCO_TRY(MCO_TAKE(ctx, params, &live->p));
    MCO_TRY(mco_options_validate(ctx, mco_overlay_bound_options(), &live->bound));
    MCO_TRY(mco_options_validate(ctx, &options, &live->p));
    if (live->bound.engine == MCO_ENGINE_GPU || live->bound.gpus != NULL)
        MCO_TRY(mco_fail(ctx, MCO_ERR_DEVICE, "no GPU: nodes that come and go are followed on the cores"));
done:
    return st;
}

mco_status overlay_live_begin(mco_overlay_live *live, const mco_overlay *instance, mco_overlay_bound_result *r, mco_overlay_round *first)
{
    mco_status st = MCO_OK;
    mco_context *ctx = live->network.ctx;
    const double begin_s = mco_clock_s();
    MCO_TRY(overlay_bound(ctx, instance, &live->bound, r));
    MCO_TRY(pick(ctx, live));
    MCO_TRY(overlay_network_open(ctx, instance, &live->network));
    MCO_TRY(fit_dual(live));
    if (instance->nodes > 0)
        memcpy(live->duals, r->duals, (size_t)instance->nodes * sizeof *live->duals);
    live->bound_value = r->bound;
    const double middle_s = mco_clock_s();
    MCO_TRY(find_overlay(live));
    *first = (mco_overlay_round){.nodes = instance->nodes, .bound = r->bound, .worth = live->worth, .kept = live->kept,
                                 .bound_s = middle_s - begin_s, .overlay_s = mco_clock_s() - middle_s};
done:
    return st;
}

mco_status overlay_live_new(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *bound,
                            const mco_overlay_live_params *params, mco_overlay_live **out)
{
    mco_status st = MCO_OK;
    mco_overlay_live *live = NULL;
    if (ctx == NULL || instance == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_alloc(ctx, &live, 1));
    *live = (mco_overlay_live){.bound = MCO_OVERLAY_BOUND_PARAMS_INIT, .p = MCO_OVERLAY_LIVE_PARAMS_INIT, .network = {.ctx = ctx},
                               .dual = {.ctx = ctx}, .search = {.ctx = ctx}};
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .maximises = true, .objective = "worth", .decimals = 4};
    live->run = mco_run_begin(ctx, &settings);
    MCO_TRY(take_params(ctx, bound, params, live));
    *out = live;
    live = NULL;
done:
    mco_overlay_live_close(ctx, &live);
    return st;
}

void mco_overlay_live_close(mco_context *ctx, mco_overlay_live **live)
{
    if (ctx == NULL || live == NULL || *live == NULL)
        return;
    mco_overlay_live *l = *live;
    overlay_search_close(&l->search);
    overlay_dual_close(&l->dual);
    overlay_network_close(&l->network);
    mco_run_clear(&l->run);
    mco_free(ctx, &l->duals);
    mco_free(ctx, &l->joined);
    mco_free(ctx, &l->left);
    mco_free(ctx, &l->listed);
    mco_free(ctx, &l->touched);
    mco_free(ctx, live);
}

mco_status mco_overlay_live_open(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *bound,
                                 const mco_overlay_live_params *params, mco_overlay_round *first, mco_overlay_live **out)
{
    mco_status st = MCO_OK;
    mco_overlay_live *live = NULL;
    mco_overlay_round round;
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    if (out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(overlay_live_new(ctx, instance, bound, params, &live));
    MCO_TRY(overlay_live_begin(live, instance, &r, &round));
    if (first != NULL)
        *first = round;
    *out = live;
    live = NULL;
done:
    mco_overlay_live_close(ctx, &live);
    mco_overlay_bound_result_clear(ctx, &r);
    if (ctx != NULL)
        mco_clear_cancel(ctx);
    return st;
}

mco_status mco_overlay_live_advance(mco_context *ctx, mco_overlay_live *live, const mco_overlay_event *events, int64_t count,
                                    mco_overlay_round *out)
{
    if (ctx == NULL || live == NULL || out == NULL || (events == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (live->network.ctx != ctx)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the network belongs to another context");
    const mco_status st = overlay_live_advance(live, events, count, out);
    mco_clear_cancel(ctx);
    return st;
}
