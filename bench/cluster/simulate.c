// SPDX-License-Identifier: MIT
// A discrete event simulation of a search over many workers. Coordinators and members are the real state machines, the
// messages are real bytes. Time, network and trees are simulated:
// - The CPU time of a coordinator is what this process spends in it for each message: decoding, commit, answers, encoding.
//   message_s is added for each message in or out. A coordinator computes on one core and takes messages by turns.
// - A worker searches at its own rate. Its tree has no shape: the share of its nodes that a worker gives away
//   is drawn from what real splits gave, and what the coordinator sees of it differs (simulate_work.c).
// - A message to a worker waits for its next look, and so does the end of its work. A message to a coordinator over MPI waits for the end of its
//   nap (src/cluster/channel_mpi.c). Nothing is lost and nobody fails.
// Two levels: a coordinator of a group is a member of the one at the top. To give work upwards it takes a further worker in,
// the top, who waits as any other does.
#include "simulate.h"

#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "mco/mco.h"

enum { BUILD = 1 };
static const double SILENCE_S = 1e9, TICK_S = 0.02;
static const uint64_t TOP = UINT64_MAX;  // the peer by which a group gives upwards

typedef enum event_kind { LOOK, TO_WORKER, TO_SERVER, TO_MEMBER, TICK } event_kind;

typedef struct event {
    double due_s;
    int64_t order;  // of events at the same time
    event_kind kind;
    int64_t who;
    uint64_t peer;  // TO_SERVER; LOOK: which look
    bool has_waited;  // TO_SERVER: for the end of a nap
    uint8_t *data;
    int64_t size;
} event;

typedef struct worker {
    struct sim *sim;
    int64_t index;
    flowshop_member member;
    sim_load load;
    double rate, since_s, last_due_s;
    uint64_t looks;
} worker;

typedef struct letter {
    uint64_t peer;
    bool is_up;  // from the member of a group to the top
    uint8_t *data;
    int64_t size;
} letter;

typedef struct server {
    struct sim *sim;
    int64_t index;
    flowshop_coordinator c;
    flowshop_checkpoint state, note;
    flowshop_member up;         // of a group
    bool has_top;               // the top waits for work of this group
    flowshop_intervals for_top;
    uint64_t top_incarnation;
    int64_t top_slot, messages;
    double top_since_s;
    double free_s, busy_s, queue_s, now_s;
    double came_s, wake_s;      // the last message; the end of a nap
    letter *out;                // what it has sent in this turn
    int64_t out_count, out_room;
} server;

typedef struct sim {
    mco_context *ctx;
    const sim_facts *facts;
    mco_rng rng;
    mco_flowshop *shop;
    worker *workers;
    server *servers;            // [server_count]; 0 is the top
    int64_t server_count;
    event *heap;
    int64_t event_count, event_room, last_order;
    double now_s;
    flowshop_message in;
    flowshop_bytes bytes;
    flowshop_checkpoint note;
    flowshop_intervals given;
} sim;

// ---- Events

static bool is_before(const event *a, const event *b)
{
    return a->due_s < b->due_s || (a->due_s <= b->due_s && a->order < b->order);
}

static mco_status post(sim *s, event e)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(s->ctx, &s->heap, &s->event_room, s->event_count + 1));
    e.order = ++s->last_order;
    int64_t at = s->event_count++;
    for (; at > 0 && is_before(&e, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = e;
done:
    return st;
}

static event pop(sim *s)
{
    const event first = s->heap[0], last = s->heap[--s->event_count];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < s->event_count; at = child) {
        child += child + 1 < s->event_count && is_before(&s->heap[child + 1], &s->heap[child]);
        if (is_before(&last, &s->heap[child]))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return first;
}

// Copies a message as bytes. The event frees them.
static mco_status encode(sim *s, const flowshop_message *m, uint8_t **data, int64_t *size)
{
    mco_status st = MCO_OK;
    *data = NULL;
    MCO_TRY(flowshop_message_encode(s->ctx, m, &s->bytes));
    MCO_TRY(mco_alloc(s->ctx, data, s->bytes.count));
    memcpy(*data, s->bytes.data, (size_t)s->bytes.count);
    *size = s->bytes.count;
done:
    return st;
}

// ---- Workers

static int64_t server_of(const sim *s, int64_t index)
{
    return s->facts->group > 0 ? 1 + index / s->facts->group : 0;
}

static mco_status worker_sends(void *to, const flowshop_message *m)
{
    mco_status st = MCO_OK;
    worker *w = to;
    event e = {.due_s = w->sim->now_s + w->sim->facts->latency_s, .kind = TO_SERVER, .who = server_of(w->sim, w->index),
               .peer = (uint64_t)w->index + 1};
    MCO_TRY(encode(w->sim, m, &e.data, &e.size));
    MCO_TRY(post(w->sim, e));
done:
    return st;
}

static mco_status post_look(worker *w)
{
    const flowshop_member *m = &w->member;
    double due_s = m->spoken_s + 1;
    if (m->state == FLOWSHOP_AT_WORK) {
        const double end_s = w->since_s + ((double)w->load.nodes + 0.5) / w->rate + w->sim->facts->look_s * mco_rng_real(&w->sim->rng);
        due_s = m->next_report_s < due_s ? m->next_report_s : due_s;
        due_s = end_s < due_s ? end_s : due_s;
    }
    return post(w->sim, (event){.due_s = due_s, .kind = LOOK, .who = w->index, .peer = ++w->looks});
}

// What a worker does when it looks.
static mco_status look(worker *w)
{
    mco_status st = MCO_OK;
    sim *s = w->sim;
    flowshop_wish wish;
    const int64_t nodes = (int64_t)((s->now_s - w->since_s) * w->rate);
    w->since_s = w->load.nodes > nodes ? w->since_s + (double)nodes / w->rate : s->now_s;
    sim_search(&w->load, nodes);
    MCO_TRY(flowshop_member_tick(&w->member, s->now_s));
    for (bool goes_on = true; goes_on;) {
        flowshop_member_wish(&w->member, s->now_s, w->load.nodes == 0, &wish);
        goes_on = wish.work != NULL || wish.gift || wish.report;
        if (wish.work != NULL)
            MCO_TRY(sim_take(s->ctx, &w->load, wish.work));
        if (wish.gift) {
            MCO_TRY(sim_give(s->ctx, &s->rng, &w->load, &s->given));
            MCO_TRY(flowshop_member_give(&w->member, &s->given));
        }
        if (wish.report) {
            MCO_TRY(sim_note(s->ctx, &w->load, &s->note));
            MCO_TRY(flowshop_member_report(&w->member, s->now_s, &s->note));
        }
    }
    MCO_TRY(post_look(w));
done:
    return st;
}

static mco_status begin_worker(sim *s, int64_t index)
{
    worker *w = &s->workers[index];
    const double begin_s = s->facts->join_s * mco_rng_real(&s->rng);
    *w = (worker){.sim = s, .index = index, .since_s = begin_s};
    w->rate = s->facts->rate * (1 + s->facts->spread * (2 * mco_rng_real(&s->rng) - 1));
    w->member = (flowshop_member){.ctx = s->ctx, .build = BUILD, .power = 1, .period_s = s->facts->period_s, .silence_s = SILENCE_S,
                                  .to = w, .send = worker_sends};
    flowshop_member_begin(&w->member, begin_s);
    return post_look(w);
}

// ---- Coordinators

static mco_status keep_letter(server *v, uint64_t peer, bool is_up, const flowshop_message *m)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(v->sim->ctx, &v->out, &v->out_room, v->out_count + 1));
    letter *l = &v->out[v->out_count];
    *l = (letter){.peer = peer, .is_up = is_up};
    MCO_TRY(encode(v->sim, m, &l->data, &l->size));
    v->out_count++;
done:
    return st;
}

static mco_status server_sends(void *to, uint64_t peer, const flowshop_message *m)
{
    mco_status st = MCO_OK;
    server *v = to;
    if (peer != TOP)
        return keep_letter(v, peer, false, m);
    if (m->kind == FLOWSHOP_WELCOME) {
        v->top_incarnation = m->incarnation;
        v->top_slot = m->slot;
    }
    for (int64_t i = 0; m->kind == FLOWSHOP_WORK && i < m->open.count; i++)
        MCO_TRY(flowshop_intervals_add(v->sim->ctx, &v->for_top, &m->open.items[i]));
done:
    return st;
}

static mco_status server_reports(void *to, const flowshop_message *m)
{
    return keep_letter(to, 0, true, m);
}

// The top takes part in a group as a worker: it says hello, reports that it has nothing, and leaves.
static mco_status speak_for_top(server *v, flowshop_message_kind kind, int64_t number)
{
    flowshop_message m = {.kind = kind, .life = v->c.life, .incarnation = v->top_incarnation, .slot = v->top_slot, .number = number,
                          .build = BUILD, .power = 1, .open.jobs = SIM_JOBS};
    return flowshop_coordinator_receive(&v->c, v->now_s, TOP, &m);
}

static mco_status give_upwards(server *v, bool is_asked)
{
    mco_status st = MCO_OK;
    static const double GIFT_S = 0.05;  // then the group has nothing to give
    if (is_asked && !v->has_top) {
        v->for_top.count = 0;
        v->has_top = true;
        v->top_since_s = v->now_s;
        MCO_TRY(speak_for_top(v, FLOWSHOP_HELLO, 0));
    }
    if (!v->has_top || (v->for_top.count == 0 && !v->c.is_done && v->now_s < v->top_since_s + GIFT_S))
        return MCO_OK;
    v->has_top = false;
    MCO_TRY(flowshop_member_give(&v->up, &v->for_top));
    MCO_TRY(speak_for_top(v, FLOWSHOP_REPORT, 1));
    MCO_TRY(speak_for_top(v, FLOWSHOP_LEAVE, 2));
done:
    return st;
}

// The other side of a group: what its coordinator does as a member of the top.
static mco_status take_part(server *v)
{
    mco_status st = MCO_OK;
    flowshop_wish wish;
    MCO_TRY(flowshop_member_tick(&v->up, v->now_s));
    for (bool goes_on = true; goes_on;) {
        flowshop_member_wish(&v->up, v->now_s, v->c.is_done && !v->has_top, &wish);
        goes_on = wish.work != NULL || wish.report;
        for (int64_t i = 0; wish.work != NULL && i < wish.work->count; i++)
            MCO_TRY(flowshop_intervals_add(v->sim->ctx, &v->state.open, &wish.work->items[i]));
        if (wish.work != NULL)
            MCO_TRY(flowshop_coordinator_tick(&v->c, v->now_s));
        MCO_TRY(give_upwards(v, wish.gift));
        if (wish.report) {
            MCO_TRY(flowshop_coordinator_rest(&v->c, &v->note.open));
            memcpy(v->note.children_by_depth, v->state.children_by_depth, SIM_CELLS * sizeof *v->note.children_by_depth);
            MCO_TRY(flowshop_member_report(&v->up, v->now_s, &v->note));
        }
    }
done:
    return st;
}

static double thread_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Sends the letters of a turn when it is over.
static mco_status post_letters(server *v)
{
    mco_status st = MCO_OK;
    sim *s = v->sim;
    for (int64_t i = 0; i < v->out_count; i++) {
        const letter *l = &v->out[i];
        event e = {.due_s = v->free_s + s->facts->latency_s, .data = l->data, .size = l->size};
        if (l->is_up) {
            e.kind = TO_SERVER;
            e.peer = (uint64_t)v->index + 1;
        } else if (v->index == 0 && s->facts->group > 0) {
            e.kind = TO_MEMBER;
            e.who = (int64_t)l->peer - 1;
        } else {
            worker *w = &s->workers[l->peer - 1];
            e.kind = TO_WORKER;
            e.who = w->index;
            e.due_s += s->facts->look_s * mco_rng_real(&s->rng);
            e.due_s = w->last_due_s = e.due_s > w->last_due_s ? e.due_s : w->last_due_s;  // a channel keeps the order
        }
        MCO_TRY(post(s, e));
    }
    v->out_count = 0;
done:
    return st;
}

// Puts a message off until the coordinator wakes. False: it is awake.
static bool is_put_off(sim *s, server *v, const event *e, mco_status *st)
{
    static const double LEAST_NAP_S = 0.0002;
    event later = *e;
    if (s->facts->nap_s <= 0 || e->kind != TO_SERVER || e->has_waited)
        return false;
    if (s->now_s >= v->wake_s) {
        const double half_s = (s->now_s - v->came_s) / 2, nap_s = half_s < s->facts->nap_s ? half_s : s->facts->nap_s;
        v->wake_s = s->now_s + (nap_s > LEAST_NAP_S ? nap_s : LEAST_NAP_S) * mco_rng_real(&s->rng);
        v->came_s = v->wake_s;
    }
    later.due_s = v->wake_s;
    later.has_waited = true;
    *st = post(s, later);
    return true;
}

// A turn of a coordinator: a message, or a tick.
static mco_status take_turn(sim *s, const event *e)
{
    mco_status st = MCO_OK;
    server *v = &s->servers[e->who];
    v->now_s = v->free_s > s->now_s ? v->free_s : s->now_s;
    v->queue_s = v->now_s - s->now_s > v->queue_s ? v->now_s - s->now_s : v->queue_s;
    const double begin_s = thread_cpu_s();
    if (e->kind != TICK)
        MCO_TRY(flowshop_message_decode(s->ctx, e->data, e->size, &s->in));
    switch (e->kind) {
    case TO_SERVER: MCO_TRY(flowshop_coordinator_receive(&v->c, v->now_s, e->peer, &s->in)); break;
    case TO_MEMBER: MCO_TRY(flowshop_member_receive(&v->up, v->now_s, &s->in)); break;
    default: MCO_TRY(flowshop_coordinator_tick(&v->c, v->now_s));
    }
    if (v->index > 0)
        MCO_TRY(take_part(v));
    const int64_t messages = (e->kind != TICK) + v->out_count;
    const double spent_s = thread_cpu_s() - begin_s + (double)messages * s->facts->message_s;
    v->messages += messages;
    v->busy_s += spent_s;
    v->free_s = v->now_s + spent_s;
    MCO_TRY(post_letters(v));
    if (e->kind == TICK)
        MCO_TRY(post(s, (event){.due_s = v->free_s + TICK_S, .kind = TICK, .who = e->who}));
done:
    return st;
}

static mco_status begin_server(sim *s, int64_t index)
{
    mco_status st = MCO_OK;
    server *v = &s->servers[index];
    *v = (server){.sim = s, .index = index, .for_top.jobs = SIM_JOBS};
    MCO_TRY(flowshop_checkpoint_create(s->ctx, SIM_JOBS, &v->state));
    MCO_TRY(flowshop_checkpoint_create(s->ctx, SIM_JOBS, &v->note));
    v->state.bound = MCO_FLOWSHOP_BOUND_LB1;
    v->state.branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH;
    v->c = (flowshop_coordinator){.ctx = s->ctx, .shop = s->shop, .life = (uint64_t)index + 1, .build = BUILD, .silence_s = SILENCE_S,
                                  .to = v, .send = server_sends, .state = &v->state};
    flowshop_coordinator_begin(&v->c);
    v->up = (flowshop_member){.ctx = s->ctx, .build = BUILD, .power = 1, .period_s = s->facts->period_s, .silence_s = SILENCE_S,
                              .to = v, .send = server_reports};
    flowshop_member_begin(&v->up, 0);
    MCO_TRY(post(s, (event){.kind = TICK, .who = index}));
done:
    return st;
}

// ---- The simulation

static mco_status begin(sim *s, int64_t nodes)
{
    mco_status st = MCO_OK;
    const sim_facts *f = s->facts;
    flowshop_interval whole = {0};
    mco_rng_seed(&s->rng, f->seed, 0);
    MCO_TRY(mco_flowshop_taillard(s->ctx, "ta001", &s->shop));
    s->server_count = 1 + (f->group > 0 ? (f->workers + f->group - 1) / f->group : 0);
    MCO_TRY(mco_alloc(s->ctx, &s->servers, s->server_count));
    MCO_TRY(mco_alloc(s->ctx, &s->workers, f->workers));
    MCO_TRY(flowshop_checkpoint_create(s->ctx, SIM_JOBS, &s->note));
    flowshop_message_begin(SIM_JOBS, &s->in);
    s->given.jobs = SIM_JOBS;
    for (int64_t i = 0; i < s->server_count; i++)
        MCO_TRY(begin_server(s, i));
    MCO_TRY(flowshop_interval_create(s->ctx, SIM_JOBS, &whole));
    whole.bound = nodes;
    server *top = &s->servers[0];
    MCO_TRY(flowshop_intervals_add(s->ctx, &top->state.open, &whole));
    top->c.is_done = false;
    for (int64_t i = 0; i < f->workers; i++)
        MCO_TRY(begin_worker(s, i));
done:
    flowshop_interval_destroy(s->ctx, &whole);
    return st;
}

static mco_status run(sim *s)
{
    mco_status st = MCO_OK;
    while (!s->servers[0].c.is_done) {
        event e = pop(s);
        s->now_s = e.due_s;
        worker *w = &s->workers[e.kind <= TO_WORKER ? e.who : 0];
        switch (e.kind) {
        case LOOK:
            if (e.peer == w->looks)
                MCO_TRY(look(w));
            break;
        case TO_WORKER:
            MCO_TRY(flowshop_message_decode(s->ctx, e.data, e.size, &s->in));
            MCO_TRY(flowshop_member_receive(&w->member, s->now_s, &s->in));
            MCO_TRY(look(w));
            break;
        default:
            if (is_put_off(s, &s->servers[e.who], &e, &st)) {
                MCO_TRY(st);
                continue;  // the bytes go on with it
            }
            MCO_TRY(take_turn(s, &e));
        }
        mco_free(s->ctx, &e.data);
    }
done:
    return st;
}

static void end(sim *s)
{
    for (int64_t i = 0; s->workers != NULL && i < s->facts->workers; i++) {
        flowshop_member_end(&s->workers[i].member);
        mco_free(s->ctx, &s->workers[i].load.pieces);
    }
    for (int64_t i = 0; s->servers != NULL && i < s->server_count; i++) {
        server *v = &s->servers[i];
        flowshop_coordinator_end(&v->c);
        flowshop_member_end(&v->up);
        flowshop_checkpoint_destroy(s->ctx, &v->state);
        flowshop_checkpoint_destroy(s->ctx, &v->note);
        flowshop_intervals_clear(s->ctx, &v->for_top);
        mco_free(s->ctx, &v->out);
    }
    for (int64_t i = 0; i < s->event_count; i++)
        mco_free(s->ctx, &s->heap[i].data);
    mco_free(s->ctx, &s->heap);
    mco_free(s->ctx, &s->servers);
    mco_free(s->ctx, &s->workers);
    mco_free(s->ctx, &s->bytes.data);
    flowshop_message_clear(s->ctx, &s->in);
    flowshop_checkpoint_destroy(s->ctx, &s->note);
    flowshop_intervals_clear(s->ctx, &s->given);
    mco_flowshop_destroy(s->ctx, &s->shop);
}

mco_status simulate(mco_context *ctx, const sim_facts *f, sim_result *out)
{
    mco_status st = MCO_OK;
    sim s = {.ctx = ctx, .facts = f};
    *out = (sim_result){.nodes_expected = (int64_t)((double)f->workers * f->rate * f->work_s)};
    MCO_TRY(begin(&s, out->nodes_expected));
    MCO_TRY(run(&s));
    const server *top = &s.servers[0];
    double rates = 0;
    for (int64_t i = 0; i < f->workers; i++)
        rates += s.workers[i].rate;
    for (int64_t c = 0; c < SIM_CELLS; c++)
        out->nodes += top->state.children_by_depth[c];
    out->time_s = top->free_s;
    out->busy = (double)out->nodes / (rates * out->time_s);
    out->load = top->busy_s / out->time_s;
    out->queue_s = top->queue_s;
    out->reports = top->c.reports;
    out->gifts = top->c.gifts;
    out->messages = top->messages;
    for (int64_t i = 1; i < s.server_count; i++)
        out->group_load = s.servers[i].busy_s / out->time_s > out->group_load ? s.servers[i].busy_s / out->time_s : out->group_load;
done:
    end(&s);
    return st;
}
