// SPDX-License-Identifier: MIT
// Nodes that come and go (network.h).
#include "overlay/network.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"

static const double ONE = 4294967296.0;  // 2^32

// ---- Opening

static mco_status copy(mco_context *ctx, void **out, const void *from, int64_t count, size_t item, int64_t room)
{
    void *made = NULL;
    const mco_status st = from == NULL ? MCO_OK : mco_alloc_bytes(ctx, &made, (size_t)room, item);
    if (made != NULL)
        memcpy(made, from, (size_t)count * item);
    *out = made;
    return st;
}

#define COPY(ctx, to, from, count, room) copy(ctx, (void **)&(to), from, count, sizeof *(to), room)

static mco_status copy_rows(mco_context *ctx, const mco_overlay *from, mco_overlay *o)
{
    mco_status st = MCO_OK;
    const int64_t entries = from->is_complete ? 0 : from->first[from->nodes];
    MCO_TRY(COPY(ctx, o->first, from->first, (int64_t)o->nodes + 1, (int64_t)o->nodes + 1));
    MCO_TRY(COPY(ctx, o->to, from->to, entries, entries));
    MCO_TRY(COPY(ctx, o->weight, from->weight, entries, entries));
    MCO_TRY(COPY(ctx, o->row_most, from->row_most, entries, entries));
    MCO_TRY(COPY(ctx, o->row_least, from->row_least, entries, entries));
done:
    return st;
}

// The instance without its names: nodes have the caller's numbers.
static mco_status copy_instance(mco_context *ctx, const mco_overlay *from, mco_overlay **out)
{
    mco_status st = MCO_OK;
    mco_overlay *o = NULL;
    const int64_t nodes = from->nodes, padded = nodes + OVERLAY_NODE_PAD;
    MCO_TRY(mco_alloc(ctx, &o, 1));
    *o = (mco_overlay){.nodes = from->nodes, .links = from->links, .is_complete = from->is_complete, .scale = from->scale,
                       .weight_unit = from->weight_unit, .least = from->least, .most = from->most, .degree = from->degree};
    MCO_TRY(COPY(ctx, o->name, from->name, (int64_t)strlen(from->name) + 1, (int64_t)strlen(from->name) + 1));
    MCO_TRY(COPY(ctx, o->uptime, from->uptime, nodes, padded));
    MCO_TRY(COPY(ctx, o->bandwidth, from->bandwidth, nodes, padded));
    MCO_TRY(COPY(ctx, o->cap, from->cap, nodes, padded));
    MCO_TRY(copy_rows(ctx, from, o));
    *out = o;
    o = NULL;
done:
    mco_overlay_destroy(ctx, &o);
    return st;
}

mco_status overlay_network_open(mco_context *ctx, const mco_overlay *instance, overlay_network *out)
{
    mco_status st = MCO_OK;
    const int32_t nodes = instance->nodes;
    *out = (overlay_network){.ctx = ctx, .room = nodes, .present = nodes, .ids = nodes};
    MCO_TRY(copy_instance(ctx, instance, &out->o));
    MCO_TRY(mco_alloc(ctx, &out->id, nodes));
    MCO_TRY(mco_alloc(ctx, &out->vacant, nodes));
    MCO_TRY(mco_alloc(ctx, &out->slot, nodes));
    for (int32_t i = 0; i < nodes; i++)
        out->id[i] = out->slot[i] = i;
done:
    return st;
}

void overlay_network_close(overlay_network *n)
{
    mco_overlay_destroy(n->ctx, &n->o);
    mco_free(n->ctx, &n->id);
    mco_free(n->ctx, &n->vacant);
    mco_free(n->ctx, &n->slot);
    mco_free(n->ctx, &n->arrival);
}

// ---- Room

static mco_status widen(mco_context *ctx, void **items, int64_t count, size_t item, int64_t room)
{
    void *old = *items;
    const mco_status st = copy(ctx, items, old, count, item, room);
    if (st == MCO_OK)
        mco_free(ctx, &old);
    else
        *items = old;
    return st;
}

#define WIDEN(ctx, items, count, room) widen(ctx, (void **)&(items), count, sizeof *(items), room)

static mco_status make_room(overlay_network *n)
{
    mco_status st = MCO_OK;
    mco_overlay *o = n->o;
    const int64_t most = o->is_complete ? MCO_OVERLAY_MAX_COMPLETE : MCO_OVERLAY_MAX_NODES;
    const int64_t wanted = (int64_t)n->room + n->room / 2 + 16, room = wanted < most ? wanted : most;
    if (n->room >= most)
        return mco_fail(n->ctx, MCO_ERR_LIMIT, "%" PRId32 " nodes and one more, allowed are %" PRId64, n->room, most);
    MCO_TRY(WIDEN(n->ctx, o->uptime, o->nodes, room + OVERLAY_NODE_PAD));
    MCO_TRY(WIDEN(n->ctx, o->bandwidth, o->nodes, room + OVERLAY_NODE_PAD));
    MCO_TRY(WIDEN(n->ctx, o->cap, o->nodes, room + OVERLAY_NODE_PAD));
    if (!o->is_complete)
        MCO_TRY(WIDEN(n->ctx, o->first, (int64_t)o->nodes + 1, room + 1));
    MCO_TRY(WIDEN(n->ctx, n->id, o->nodes, room));
    MCO_TRY(WIDEN(n->ctx, n->vacant, n->left_count, room));
    n->room = (int32_t)room;
done:
    return st;
}

static mco_status make_id(overlay_network *n, int32_t id)
{
    const int64_t before = n->ids, doubled = 2 * n->ids + 16, wanted = (int64_t)id + 1, room = wanted > doubled ? wanted : doubled;
    if (id < n->ids)
        return MCO_OK;
    const mco_status st = WIDEN(n->ctx, n->slot, before, room);
    if (st != MCO_OK)
        return st;
    for (int64_t k = before; k < room; k++)
        n->slot[k] = -1;
    n->ids = room;
    return MCO_OK;
}

// ---- Events

int32_t overlay_slot_of(const overlay_network *n, int64_t id)
{
    return id >= 0 && id < n->ids ? n->slot[id] : -1;
}

static mco_status refuse_join(const overlay_network *n, const mco_overlay_event *e)
{
    if (e->node < 0 || overlay_slot_of(n, e->node) >= 0)
        return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "node %" PRId64 " joins, and %s", (int64_t)e->node + 1, e->node < 0 ? "numbers are 1 or more" : "it is there");
    if (!(e->uptime >= 0 && e->uptime <= 1))
        return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "the uptime of node %" PRId64 " is %g, allowed is 0 to 1", (int64_t)e->node + 1, e->uptime);
    if (e->bandwidth < 0 || e->bandwidth > MCO_OVERLAY_MAX_BANDWIDTH)
        return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "the bandwidth of node %" PRId64 " is %" PRId64 ", allowed is 0 to %d", (int64_t)e->node + 1,
                        e->bandwidth, MCO_OVERLAY_MAX_BANDWIDTH);
    return MCO_OK;
}

mco_status overlay_network_join(overlay_network *n, const mco_overlay_event *e, int32_t *slot)
{
    mco_status st = MCO_OK;
    mco_overlay *o = n->o;
    MCO_TRY(refuse_join(n, e));
    MCO_TRY(make_id(n, e->node));
    if (n->vacant_count == 0 && o->nodes == n->room)
        MCO_TRY(make_room(n));
    if (n->vacant_count > 0) {
        *slot = n->vacant[--n->vacant_count];
        memmove(n->vacant + n->vacant_count, n->vacant + n->vacant_count + 1, (size_t)(n->left_count - n->vacant_count - 1) * sizeof *n->vacant);
        n->left_count--;
    } else {
        *slot = o->nodes++;
        if (!o->is_complete)
            o->first[o->nodes] = o->first[o->nodes - 1];
    }
    o->uptime[*slot] = overlay_rounded_uptime(e->uptime);
    o->bandwidth[*slot] = (int32_t)e->bandwidth;
    o->cap[*slot] = o->bandwidth[*slot] < o->most ? o->bandwidth[*slot] : o->most;
    n->id[*slot] = e->node;
    n->slot[e->node] = *slot;
    n->present++;
done:
    return st;
}

mco_status overlay_network_leave(overlay_network *n, int64_t id, int32_t *slot)
{
    const int32_t i = overlay_slot_of(n, id);
    if (i < 0)
        return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "node %" PRId64 " leaves, and it is not there", id + 1);
    n->o->uptime[i] = 0;
    n->o->bandwidth[i] = n->o->cap[i] = 0;
    n->id[i] = -1;
    n->slot[id] = -1;
    n->vacant[n->left_count++] = i;
    n->present--;
    n->is_torn = n->is_torn || (!n->o->is_complete && overlay_row_size(n->o, i) > 0);
    *slot = i;
    return MCO_OK;
}

static mco_status refuse_link(const overlay_network *n, const mco_overlay_event *e)
{
    const int32_t ends[2] = {e->node, e->to};
    for (int k = 0; k < 2; k++)
        if (overlay_slot_of(n, ends[k]) < 0)
            return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "a link to node %" PRId64 ", which is not there", (int64_t)ends[k] + 1);
    if (e->node == e->to)
        return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "a link joins node %" PRId64 " with itself", (int64_t)e->node + 1);
    if (n->o->is_complete)
        return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "a link of nodes %" PRId64 " and %" PRId64 ": all pairs of this instance are possible links",
                        (int64_t)e->node + 1, (int64_t)e->to + 1);
    if (!isnan(e->weight) && !(fabs(e->weight) <= MCO_OVERLAY_MAX_WEIGHT))
        return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "the weight of a link of node %" PRId64 " is %g, allowed is %g to %g", (int64_t)e->node + 1,
                        e->weight, -MCO_OVERLAY_MAX_WEIGHT, MCO_OVERLAY_MAX_WEIGHT);
    if (e->least > MCO_OVERLAY_MAX_BANDWIDTH || (e->most >= 0 && (e->least >= 0 ? e->least : n->o->least) > e->most))
        return mco_fail(n->ctx, MCO_ERR_ARGUMENT, "the limits of a link of node %" PRId64 " are %" PRId64 " to %" PRId64 ", expected are 0 <= least <= most",
                        (int64_t)e->node + 1, e->least >= 0 ? e->least : (int64_t)n->o->least, e->most);
    return MCO_OK;
}

mco_status overlay_network_link(overlay_network *n, const mco_overlay_event *e)
{
    mco_status st = MCO_OK;
    MCO_TRY(refuse_link(n, e));
    MCO_TRY(mco_grow(n->ctx, &n->arrival, &n->arrival_room, n->arrivals + 1));
    n->arrival[n->arrivals++] = (overlay_arrival){.end = {n->slot[e->node], n->slot[e->to]}, .weight = e->weight, .least = e->least, .most = e->most};
done:
    return st;
}

// ---- Rows

// Rows that are made anew. An array that no link needs is NULL.
typedef struct rows {
    int64_t *first, *at;  // [slots + 1]; where the next entry of a row goes
    int32_t *to, *most, *least;
    uint32_t *weight;
} rows;

static bool is_there(const overlay_network *n, int32_t i)
{
    return n->id[i] >= 0;
}

static bool is_made(const overlay_network *n, const overlay_arrival *a)
{
    return is_there(n, a->end[0]) && is_there(n, a->end[1]);
}

// The unit of weights must exceed the greatest one.
static int raise_unit(overlay_network *n)
{
    int halvings = 0;
    mco_overlay *o = n->o;
    for (int64_t k = 0; k < n->arrivals; k++)
        while (n->arrival[k].weight >= o->weight_unit) {
            o->weight_unit *= 2;
            halvings++;
        }
    for (int64_t a = 0; halvings > 0 && o->weight != NULL && a < o->first[o->nodes]; a++)
        o->weight[a] = halvings < 32 ? o->weight[a] >> halvings : 0;
    return halvings;
}

static mco_status open_rows(overlay_network *n, rows *r)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = n->o;
    bool has_weight = o->weight != NULL, has_most = o->row_most != NULL, has_least = o->row_least != NULL;
    MCO_TRY(mco_alloc(n->ctx, &r->first, (int64_t)n->room + 1));
    MCO_TRY(mco_alloc(n->ctx, &r->at, (int64_t)o->nodes + 1));
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t a = o->first[i]; a < o->first[i + 1]; a++)
            r->first[i + 1] += is_there(n, i) && is_there(n, o->to[a]);
    for (int64_t k = 0; k < n->arrivals; k++) {
        const overlay_arrival *a = &n->arrival[k];
        has_weight = has_weight || !isnan(a->weight);
        has_most = has_most || a->most >= 0;
        has_least = has_least || a->least >= 0;
        for (int e = 0; e < 2 && is_made(n, a); e++)
            r->first[a->end[e] + 1]++;
    }
    for (int32_t i = 0; i < o->nodes; i++) {
        r->first[i + 1] += r->first[i];
        r->at[i] = r->first[i];
    }
    const int64_t entries = r->first[o->nodes];
    MCO_TRY(mco_alloc(n->ctx, &r->to, entries));
    if (has_weight)
        MCO_TRY(mco_alloc(n->ctx, &r->weight, entries));
    if (has_most)
        MCO_TRY(mco_alloc(n->ctx, &r->most, entries));
    if (has_least)
        MCO_TRY(mco_alloc(n->ctx, &r->least, entries));
done:
    return st;
}

static void put(rows *r, int32_t i, int32_t j, uint32_t weight, int32_t most, int32_t least)
{
    const int64_t at = r->at[i]++;
    r->to[at] = j;
    if (r->weight != NULL)
        r->weight[at] = weight;
    if (r->most != NULL)
        r->most[at] = most;
    if (r->least != NULL)
        r->least[at] = least;
}

// A weight in units. A product is rounded down twice where the unit exceeds 1: by less than two units in all (overlay_bound_of()).
static uint32_t weight_of(const mco_overlay *o, const overlay_arrival *a)
{
    if (!isnan(a->weight)) {
        const double units = a->weight / o->weight_unit * ONE;
        return units <= 0 ? 0 : (uint32_t)units;
    }
    return (uint32_t)(overlay_product(o->uptime[a->end[0]], o->uptime[a->end[1]]) / o->weight_unit);
}

static void put_old(const overlay_network *n, rows *r)
{
    const mco_overlay *o = n->o;
    const bool was_product = o->weight == NULL;
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t k = 0; k < overlay_row_size(o, i); k++) {
            const int64_t a = o->first[i] + k;
            if (!is_there(n, i) || !is_there(n, o->to[a]))
                continue;
            const overlay_link link = overlay_entry(o, i, k);
            const uint32_t weight = was_product ? (uint32_t)(link.weight / o->weight_unit) : link.weight;
            put(r, i, link.node, weight, link.most, o->row_least != NULL ? o->row_least[a] : o->least);
        }
}

static void put_new(const overlay_network *n, rows *r)
{
    const mco_overlay *o = n->o;
    for (int64_t k = 0; k < n->arrivals; k++) {
        const overlay_arrival *a = &n->arrival[k];
        if (!is_made(n, a))
            continue;
        const int32_t i = a->end[0], j = a->end[1], cap = o->cap[i] < o->cap[j] ? o->cap[i] : o->cap[j];
        const int32_t own = a->most >= 0 && a->most < MCO_OVERLAY_MAX_BANDWIDTH ? (int32_t)a->most : MCO_OVERLAY_MAX_BANDWIDTH;
        const int32_t most = own < cap ? own : cap, least = a->least >= 0 ? (int32_t)a->least : o->least;
        put(r, i, j, weight_of(o, a), most, least);
        put(r, j, i, weight_of(o, a), most, least);
    }
}

static void swap_rows(mco_overlay *o, rows *r)
{
    const rows old = {.first = o->first, .to = o->to, .most = o->row_most, .least = o->row_least, .weight = o->weight};
    o->first = r->first;
    o->to = r->to;
    o->row_most = r->most;
    o->row_least = r->least;
    o->weight = r->weight;
    r->first = old.first;
    r->to = old.to;
    r->most = old.most;
    r->least = old.least;
    r->weight = old.weight;
}

static mco_status make_rows(overlay_network *n, int *halvings)
{
    mco_status st = MCO_OK;
    rows r = {0};
    *halvings = raise_unit(n);
    MCO_TRY(open_rows(n, &r));
    put_old(n, &r);
    put_new(n, &r);
    swap_rows(n->o, &r);
    n->o->links = n->o->first[n->o->nodes] / 2;
done:
    mco_free(n->ctx, &r.first);
    mco_free(n->ctx, &r.at);
    mco_free(n->ctx, &r.to);
    mco_free(n->ctx, &r.most);
    mco_free(n->ctx, &r.least);
    mco_free(n->ctx, &r.weight);
    return st;
}

// ---- The end of a round

// Of the node in a slot; its number from 1, written to `buffer`, where it has none.
static const char *name_of(const overlay_network *n, int32_t slot, char buffer[16])
{
    if (n->id[slot] < n->named)
        return n->names[n->id[slot]];
    snprintf(buffer, 16, "%" PRId64, (int64_t)n->id[slot] + 1);
    return buffer;
}

// Links of the nodes that new links lead to: no pair stands twice.
static mco_status refuse_doubles(const overlay_network *n)
{
    mco_status st = MCO_OK;
    char one[16], two[16];
    const mco_overlay *o = n->o;
    int32_t *seen = NULL;
    MCO_TRY(mco_alloc(n->ctx, &seen, o->nodes));
    for (int64_t k = 0; k < n->arrivals; k++) {
        const int32_t i = n->arrival[k].end[0];
        for (int64_t a = o->first[i]; a < o->first[i + 1]; a++) {
            if (seen[o->to[a]] == i + 1)
                MCO_TRY(mco_fail(n->ctx, MCO_ERR_ARGUMENT, "the link between nodes %s and %s stands twice", name_of(n, i, one),
                                 name_of(n, o->to[a], two)));
            seen[o->to[a]] = i + 1;
        }
        for (int64_t a = o->first[i]; a < o->first[i + 1]; a++)
            seen[o->to[a]] = 0;
    }
done:
    mco_free(n->ctx, &seen);
    return st;
}

// Sums of limits fit 31 bits. Among all pairs it is enough that the sum over all nodes does; else rows are looked at.
static mco_status refuse_loads(const overlay_network *n)
{
    const mco_overlay *o = n->o;
    int64_t all = 0, greatest = 0;
    for (int32_t i = 0; i < o->nodes; i++) {
        int64_t sum = 0;
        for (int64_t k = 0; !o->is_complete && k < overlay_row_size(o, i); k++)
            sum += overlay_entry(o, i, k).most;
        all = o->is_complete ? all + o->cap[i] : sum > all ? sum : all;
        greatest = greatest > o->cap[i] ? greatest : o->cap[i];
    }
    all -= o->is_complete ? greatest : 0;
    if (all > MCO_OVERLAY_MAX_LOAD)
        return mco_fail(n->ctx, MCO_ERR_LIMIT, "after the event the links of a node may carry %" PRId64 " in all, allowed is %d; a coarser unit of "
                        "bandwidth or --most would help", all, MCO_OVERLAY_MAX_LOAD);
    return MCO_OK;
}

mco_status overlay_network_commit(overlay_network *n, int *halvings)
{
    mco_status st = MCO_OK;
    mco_overlay *o = n->o;
    *halvings = 0;
    if (n->is_torn || n->arrivals > 0)
        MCO_TRY(make_rows(n, halvings));
    if (n->arrivals > 0)
        MCO_TRY(refuse_doubles(n));
    MCO_TRY(refuse_loads(n));
    if (o->is_complete)
        o->links = (int64_t)o->nodes * (o->nodes - 1) / 2;
    o->degree = o->is_complete && o->nodes > 0 ? o->nodes - 1 : 0;
    for (int32_t i = 0; i < o->nodes && !o->is_complete; i++)
        o->degree = o->degree > overlay_row_size(o, i) ? o->degree : overlay_row_size(o, i);
    n->vacant_count = n->left_count;
    n->arrivals = 0;
    n->is_torn = false;
done:
    return st;
}
