// SPDX-License-Identifier: MIT
#include "flowshop/cluster/coordinator.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "flowshop/instance.h"
#include "flowshop/state_file.h"
#include "flowshop/tree/search.h"

static const double ASK_AGAIN_S = 0.05;  // a worker that had nothing to give is asked again after so long
static const double LOOK_SHARE = 0.02;   // of the silence, between two looks for silent workers
static const double HELLO_S = 0.5;       // hellos that came within this time are one: they waited for the coordinator together

enum { MOST_LOOKED_AT = 64 };  // workers, before the one that has the most left of them is asked
enum { MOST_WORK = FLOWSHOP_MOST_INTERVALS / 16 };  // intervals that a worker gets at once

void flowshop_coordinator_begin(flowshop_coordinator *c)
{
    flowshop_message_begin(c->shop->jobs, &c->out);
    c->is_done = c->state->open.count == 0;
    c->counted = flowshop_search_nodes(c->state) + c->state->leaves + c->state->steals;
}

void flowshop_coordinator_end(flowshop_coordinator *c)
{
    for (int64_t i = 0; i < c->record_room; i++)
        flowshop_intervals_clear(c->ctx, &c->records[i].rest);
    mco_free(c->ctx, &c->records);
    flowshop_snapshot_end(c);
    mco_free(c->ctx, &c->unused.items);
    mco_free(c->ctx, &c->waiting.items);
    mco_free(c->ctx, &c->givers.items);
    flowshop_message_clear(c->ctx, &c->out);
    c->record_count = c->record_room = 0;
}

// ---- Sending

// Sends c->out as the next message of its kind to the worker of a record.
static mco_status send_to(flowshop_coordinator *c, flowshop_record *r, flowshop_message_kind kind)
{
    const bool is_numbered = kind == FLOWSHOP_WORK || kind == FLOWSHOP_ASK || kind == FLOWSHOP_BEST;
    c->out.kind = kind;
    c->out.life = c->life;
    c->out.incarnation = r->incarnation;
    c->out.slot = r - c->records;
    c->out.number = is_numbered ? ++r->sent : 0;
    return c->send(c->to, r->peer, &c->out);
}

// Tells a peer, who has no record, that the incarnation it names counts no more, or why it is refused.
static mco_status send_end(flowshop_coordinator *c, uint64_t peer, const flowshop_message *m, flowshop_message_kind kind)
{
    c->out.kind = kind;
    c->out.life = m->life;
    c->out.incarnation = m->incarnation;
    c->out.slot = m->slot;
    c->out.number = 0;
    return c->send(c->to, peer, &c->out);
}

static mco_status send_best(flowshop_coordinator *c, const flowshop_record *finder)
{
    mco_status st = MCO_OK;
    c->out.makespan = c->state->upper_bound;
    for (int64_t i = 0; i < c->record_count; i++)
        if (c->records[i].incarnation != 0 && &c->records[i] != finder)
            MCO_TRY(send_to(c, &c->records[i], FLOWSHOP_BEST));
done:
    return st;
}

// ---- Records

static mco_status append(mco_context *ctx, flowshop_intervals *to, const flowshop_intervals *from)
{
    mco_status st = MCO_OK;
    const int64_t count = to->count + from->count;
    if (count > to->room)
        MCO_TRY(flowshop_intervals_reserve(ctx, to, count + count / 2));
    for (int64_t i = 0; i < from->count; i++)
        flowshop_interval_copy(&from->items[i], flowshop_intervals_push(to));
done:
    return st;
}

// Puts a record into the list where it belongs. O(1)
static void list_anew(flowshop_coordinator *c, flowshop_record *r)
{
    flowshop_slots *const from = r->list;
    flowshop_slots *const to = r->incarnation == 0 ? &c->unused : r->is_waiting ? &c->waiting : r->is_asked ? NULL : &c->givers;
    if (from == to)
        return;
    if (from != NULL) {
        const int64_t last = from->items[--from->count];
        from->items[r->place] = last;
        c->records[last].place = r->place;
    }
    r->list = to;
    if (to != NULL) {
        r->place = to->count;
        to->items[to->count++] = r - c->records;
    }
}

// After each change of a rest.
static void note_rest(flowshop_coordinator *c, flowshop_record *r)
{
    const bool has_rest = r->rest.count > 0;
    c->holders += has_rest - r->has_rest;
    r->has_rest = has_rest;
    r->length = -1;
}

// Frees the slot. What the worker had is work again.
static mco_status give_up(flowshop_coordinator *c, flowshop_record *r)
{
    mco_status st = MCO_OK;
    flowshop_snapshot_keep(c, r);
    MCO_TRY(append(c->ctx, &c->state->open, &r->rest));
    r->rest.count = 0;
    r->incarnation = 0;
    c->asked -= r->is_asked;
    c->workers--;
    note_rest(c, r);
    list_anew(c, r);
    c->power -= r->power;
done:
    return st;
}

static mco_status lose(flowshop_coordinator *c, flowshop_record *r)
{
    mco_status st = MCO_OK;
    MCO_TRY(send_to(c, r, FLOWSHOP_GONE));
    MCO_TRY(give_up(c, r));
    c->lost++;
done:
    return st;
}

static mco_status new_record(flowshop_coordinator *c, flowshop_record **out)
{
    mco_status st = MCO_OK;
    int64_t at = c->record_count;
    if (c->unused.count > 0) {
        *out = &c->records[c->unused.items[c->unused.count - 1]];
        return MCO_OK;
    }
    if (at == c->record_room) {
        MCO_TRY(mco_grow(c->ctx, &c->records, &c->record_room, at + 1));
        MCO_TRY(mco_grow(c->ctx, &c->unused.items, &c->unused.room, c->record_room));
        MCO_TRY(mco_grow(c->ctx, &c->waiting.items, &c->waiting.room, c->record_room));
        MCO_TRY(mco_grow(c->ctx, &c->givers.items, &c->givers.room, c->record_room));
        for (int64_t i = at; i < c->record_room; i++)
            c->records[i] = (flowshop_record){.rest.jobs = c->shop->jobs};
    }
    c->record_count++;
    *out = &c->records[at];
done:
    return st;
}

// The record of the incarnation that sent a message, or NULL if that counts no more.
static flowshop_record *record_of(flowshop_coordinator *c, uint64_t peer, const flowshop_message *m)
{
    if (m->life != c->life || m->incarnation == 0 || m->slot < 0 || m->slot >= c->record_count)
        return NULL;
    flowshop_record *r = &c->records[m->slot];
    return r->incarnation == m->incarnation && r->peer == peer ? r : NULL;
}

// ---- Serving those who wait

// The part of the tree that an interval holds. The k-th digit of a path chooses among n - k children.
static double length_of(const flowshop_interval *v, int32_t jobs)
{
    double length = v->b_depth == 0 ? 1 : 0, share = 1;
    for (int32_t d = 0; d < jobs && (d < v->a_depth || d < v->b_depth); d++) {
        share /= jobs - d;
        length += share * ((d < v->b_depth ? v->b[d] : 0) - (d < v->a_depth ? v->a[d] : 0));
    }
    return length;
}

// Kept until the intervals change: a million of them take a tenth of a second.
static double length_of_record(flowshop_record *r)
{
    if (r->length >= 0)
        return r->length;
    r->length = 0;
    for (int64_t i = 0; i < r->rest.count; i++)
        r->length += length_of(&r->rest.items[i], r->rest.jobs);
    return r->length;
}

// Among some workers that may be asked, the one that seems to have the most left; NULL: all were asked a moment ago.
static flowshop_record *choose_giver(flowshop_coordinator *c, double now_s)
{
    const int64_t count = c->givers.count < MOST_LOOKED_AT ? c->givers.count : MOST_LOOKED_AT;
    flowshop_record *best = NULL;
    double most = -1;
    for (int64_t k = 0; k < count; k++) {
        c->next_giver = c->next_giver + 1 < c->givers.count ? c->next_giver + 1 : 0;
        flowshop_record *r = &c->records[c->givers.items[c->next_giver]];
        const double length = now_s >= r->asked_s + ASK_AGAIN_S ? length_of_record(r) : -1;
        best = length > most ? r : best;
        most = length > most ? length : most;
    }
    return best;
}

// Asks as many workers as wait.
static mco_status ask(flowshop_coordinator *c, double now_s)
{
    mco_status st = MCO_OK;
    while (c->asked < c->waiting.count) {
        flowshop_record *r = choose_giver(c, now_s);
        if (r == NULL)
            break;
        r->is_asked = true;
        r->asked_s = now_s;
        c->asked++;
        list_anew(c, r);
        MCO_TRY(send_to(c, r, FLOWSHOP_ASK));
    }
done:
    return st;
}

// Gives a waiting worker a share of the queue.
static mco_status send_work(flowshop_coordinator *c, flowshop_record *r)
{
    mco_status st = MCO_OK;
    flowshop_intervals *queue = &c->state->open;
    const int64_t share = (queue->count + c->waiting.count - 1) / c->waiting.count;
    const int64_t count = share < MOST_WORK ? share : MOST_WORK;  // of a queue of millions the rest waits here
    flowshop_snapshot_keep(c, r);
    MCO_TRY(flowshop_intervals_reserve(c->ctx, &r->rest, count));
    for (int64_t i = 0; i < count; i++) {
        flowshop_snapshot_keep_last(c);
        flowshop_interval_copy(&queue->items[--queue->count], flowshop_intervals_push(&r->rest));
    }
    r->is_waiting = false;
    note_rest(c, r);
    list_anew(c, r);
    c->out.open.count = 0;
    MCO_TRY(append(c->ctx, &c->out.open, &r->rest));
    MCO_TRY(send_to(c, r, FLOWSHOP_WORK));
    c->out.open.count = 0;
done:
    return st;
}

static mco_status serve(flowshop_coordinator *c, double now_s)
{
    mco_status st = MCO_OK;
    if (c->is_stopped)
        return MCO_OK;
    while (c->waiting.count > 0 && c->state->open.count > 0)
        MCO_TRY(send_work(c, &c->records[c->waiting.items[0]]));
    c->is_done = c->state->open.count == 0 && c->holders == 0;
    if (!c->is_done)
        MCO_TRY(ask(c, now_s));
done:
    return st;
}

// ---- Messages

static mco_status welcome(flowshop_coordinator *c, flowshop_record *r)
{
    mco_status st = MCO_OK;
    flowshop_message *m = &c->out;
    const int64_t cells = (int64_t)c->shop->jobs * c->shop->machines;
    MCO_TRY(flowshop_message_reserve(c->ctx, m, cells));
    for (m->count = 0; m->count < cells; m->count++)
        m->values[m->count] = c->shop->times[m->count];
    m->machines = c->shop->machines;
    m->scale = c->shop->scale;
    m->places = c->shop->places;
    m->bound = (int32_t)c->state->bound;
    m->branching = (int32_t)c->state->branching;
    m->rule_bound = c->state->rule_bound;
    m->makespan = c->state->upper_bound;
    snprintf(m->name, sizeof m->name, "%s", c->shop->name);
    MCO_TRY(send_to(c, r, FLOWSHOP_WELCOME));
done:
    return st;
}

// Refuses a worker of another build or for another instance.
static mco_status refuse(flowshop_coordinator *c, uint64_t peer, const flowshop_message *m)
{
    const uint64_t instance = flowshop_fingerprint(c->shop);
    if (m->build != c->build)
        snprintf(c->out.text, sizeof c->out.text,
                 "the worker is another build of mco (%016" PRIx64 ") than the coordinator (%016" PRIx64 ")", m->build, c->build);
    else
        snprintf(c->out.text, sizeof c->out.text,
                 "the worker has another instance (%016" PRIx64 ") than the coordinator (%s, %016" PRIx64 ")", m->instance,
                 c->shop->name, instance);
    c->refused++;
    return send_end(c, peer, m, FLOWSHOP_REFUSE);
}

static mco_status hello(flowshop_coordinator *c, double now_s, uint64_t peer, const flowshop_message *m)
{
    mco_status st = MCO_OK;
    flowshop_record *r = NULL;
    if (c->is_stopped)
        return send_end(c, peer, m, FLOWSHOP_STOP);
    if (m->build != c->build || (m->instance != 0 && m->instance != flowshop_fingerprint(c->shop)))
        return refuse(c, peer, m);
    // The earlier incarnation of this worker has dropped what it had, unless it was welcome a moment ago and has said nothing since.
    for (int64_t i = 0; i < c->record_count; i++) {
        flowshop_record *earlier = &c->records[i];
        if (earlier->incarnation == 0 || earlier->peer != peer)
            continue;
        if (earlier->received == 0 && now_s < earlier->heard_s + HELLO_S)
            return MCO_OK;  // as if this hello were lost: the worker says it again
        MCO_TRY(give_up(c, earlier));
        c->lost++;
    }
    MCO_TRY(new_record(c, &r));
    *r = (flowshop_record){.peer = peer, .incarnation = ++c->last_incarnation, .heard_s = now_s, .asked_s = -1, .power = m->power,
                           .is_waiting = true, .rest = r->rest, .list = r->list, .place = r->place};
    r->rest.count = 0;
    c->workers++;
    list_anew(c, r);
    c->power += r->power;
    c->most_workers = c->workers > c->most_workers ? c->workers : c->most_workers;
    c->most_power = c->power > c->most_power ? c->power : c->most_power;
    MCO_TRY(welcome(c, r));
done:
    return st;
}

// What a report counts in all; -1: more than there can be.
static int64_t sum_of(const flowshop_message *m)
{
    int64_t sum = m->leaves;
    bool is_over = __builtin_add_overflow(sum, m->steals, &sum);
    for (int64_t i = 0; i < m->count; i += 2)
        is_over |= __builtin_add_overflow(sum, m->values[i + 1], &sum);
    return is_over ? -1 : sum;
}

// Rule 1. No sum of counters is too large for a checkpoint, whatever a worker reports.
static mco_status commit(flowshop_coordinator *c, flowshop_record *r, flowshop_message *m)
{
    mco_status st = MCO_OK;
    flowshop_checkpoint *s = c->state;
    const int64_t sum = sum_of(m);
    if (sum < 0 || sum > FLOWSHOP_STATE_LARGEST - c->counted)
        return lose(c, r);
    c->counted += sum;
    flowshop_snapshot_keep(c, r);
    if (m->open.count > r->rest.room)
        MCO_TRY(flowshop_intervals_reserve(c->ctx, &r->rest, m->open.count));
    r->rest.count = 0;
    for (int64_t i = 0; i < m->open.count; i++)
        flowshop_interval_copy(&m->open.items[i], flowshop_intervals_push(&r->rest));
    for (int64_t i = 0; i < m->count; i += 2)
        s->children_by_depth[m->values[i]] += m->values[i + 1];
    s->leaves += m->leaves;
    s->steals += m->steals;
    c->reports++;
    r->is_waiting = r->rest.count == 0;
    note_rest(c, r);
    list_anew(c, r);
done:
    return st;
}

// Rule 3. A gift that the record does not hold ends the incarnation.
static mco_status take_gift(flowshop_coordinator *c, flowshop_record *r, flowshop_message *m)
{
    mco_status st = MCO_OK;
    bool is_inside;
    c->asked -= r->is_asked;
    r->is_asked = false;
    list_anew(c, r);
    if (m->open.count == 0)
        return MCO_OK;
    flowshop_snapshot_keep(c, r);
    MCO_TRY(flowshop_intervals_subtract(c->ctx, &r->rest, &m->open, &is_inside));
    if (!is_inside)
        return lose(c, r);
    note_rest(c, r);
    r->asked_s = -1;
    c->gifts++;
    MCO_TRY(append(c->ctx, &c->state->open, &m->open));
done:
    return st;
}

// A schedule is checked, whoever sends it.
static mco_status take_schedule(flowshop_coordinator *c, flowshop_record *r, const flowshop_message *m)
{
    mco_status st = MCO_OK;
    flowshop_checkpoint *s = c->state;
    int32_t *order = NULL;
    int64_t makespan;
    MCO_TRY(mco_alloc(c->ctx, &order, c->shop->jobs));
    for (int64_t k = 0; k < m->count; k++)
        order[k] = (int32_t)m->values[k];
    st = mco_flowshop_check(c->ctx, c->shop, order, c->shop->jobs, &makespan);
    if (st == MCO_ERR_CHECK || (st == MCO_OK && makespan != m->makespan)) {
        st = lose(c, r);
        goto done;
    }
    MCO_TRY(st);
    if (makespan < s->upper_bound) {
        s->upper_bound = s->makespan = makespan;
        memcpy(s->order, order, (size_t)c->shop->jobs * sizeof *order);
        MCO_TRY(send_best(c, r));
    }
done:
    mco_free(c->ctx, &order);
    return st;
}

static mco_status take_numbered(flowshop_coordinator *c, flowshop_record *r, flowshop_message *m)
{
    if (m->number <= r->received)  // it came twice
        return MCO_OK;
    if (m->number > r->received + 1)  // one before it was lost
        return lose(c, r);
    r->received = m->number;
    switch (m->kind) {
    case FLOWSHOP_REPORT: return commit(c, r, m);
    case FLOWSHOP_GAVE: return take_gift(c, r, m);
    case FLOWSHOP_FOUND: return take_schedule(c, r, m);
    case FLOWSHOP_LEAVE: return give_up(c, r);
    default: return lose(c, r);
    }
}

mco_status flowshop_coordinator_receive(flowshop_coordinator *c, double now_s, uint64_t peer, flowshop_message *m)
{
    mco_status st = MCO_OK;
    flowshop_record *r = record_of(c, peer, m);
    if (m->kind == FLOWSHOP_HELLO) {
        MCO_TRY(hello(c, now_s, peer, m));
    } else if (r == NULL) {
        MCO_TRY(send_end(c, peer, m, FLOWSHOP_GONE));
    } else {
        r->heard_s = now_s;
        MCO_TRY(m->kind == FLOWSHOP_PING ? send_to(c, r, FLOWSHOP_PING) : take_numbered(c, r, m));
    }
    MCO_TRY(serve(c, now_s));
done:
    return st;
}

mco_status flowshop_coordinator_tick(flowshop_coordinator *c, double now_s)
{
    mco_status st = MCO_OK;
    for (int64_t i = 0; i < c->record_count && now_s >= c->next_look_s; i++)
        if (c->records[i].incarnation != 0 && now_s > c->records[i].heard_s + c->silence_s)
            MCO_TRY(lose(c, &c->records[i]));
    if (now_s >= c->next_look_s)
        c->next_look_s = now_s + LOOK_SHARE * c->silence_s;
    MCO_TRY(serve(c, now_s));
done:
    return st;
}

mco_status flowshop_coordinator_stop(flowshop_coordinator *c)
{
    mco_status st = MCO_OK;
    c->is_stopped = true;
    for (int64_t i = 0; i < c->record_count; i++)
        if (c->records[i].incarnation != 0)
            MCO_TRY(send_to(c, &c->records[i], FLOWSHOP_STOP));
done:
    return st;
}

mco_status flowshop_coordinator_rest(const flowshop_coordinator *c, flowshop_intervals *out)
{
    mco_status st = MCO_OK;
    out->count = 0;
    MCO_TRY(append(c->ctx, out, &c->state->open));
    for (int64_t i = 0; i < c->record_count; i++)
        MCO_TRY(append(c->ctx, out, &c->records[i].rest));
done:
    return st;
}
