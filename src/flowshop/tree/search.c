// SPDX-License-Identifier: MIT
// Branch and bound by many workers on one tree. Each worker has an explorer of a core or of a GPU. Work moves between
// them as intervals (flowshop/tree/workers.c).
//
// The calling thread does not search. It records schedules, watches the clock, writes the log and the checkpoints. For
// a checkpoint it takes a note of all workers. It also takes notes for the bound: with cores alone, and with GPUs if
// --gap asks for it.
#include "flowshop/tree/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/team.h"
#include "flowshop/tree/workers.h"

static const double WAIT_S = 0.02;       // the supervisor looks this often
static const double EXCHANGE_WAIT_S = 0.002;  // the same in an exchange, where others may wait for the answer
static const double GIFT_S = 1.0;        // a gift that did not come in this time is not given
static const double BOUND_S = 1.0;       // time between two notes for the bound, with cores alone
static const double GPU_BOUND_S = 10.0;  // the same with GPUs, if --gap asks for the bound

// ---- Notes

// Adds up the notes of all workers, the intervals that nobody has taken, a gift on its way out, and the counters of
// earlier legs.
static mco_status add_notes(flowshop_workers *p, flowshop_checkpoint *out)
{
    mco_status st = MCO_OK;
    int64_t count = p->queue->count - p->noted_taken + p->gift.count;
    for (int i = 0; i < p->count; i++)
        count += p->workers[i].rest.count;
    out->open.count = 0;
    MCO_TRY(flowshop_intervals_reserve(p->run->ctx, &out->open, count));
    for (int64_t i = p->noted_taken; i < p->queue->count; i++)
        flowshop_interval_copy(&p->queue->items[i], flowshop_intervals_push(&out->open));
    for (int64_t i = 0; i < p->gift.count; i++)
        flowshop_interval_copy(&p->gift.items[i], flowshop_intervals_push(&out->open));
    memcpy(out->children_by_depth, p->base->children_by_depth, (size_t)p->cells * sizeof *out->children_by_depth);
    out->leaves = p->base->leaves;
    out->steals = p->base->steals + atomic_load(&p->steals);
    for (int i = 0; i < p->count; i++) {
        const flowshop_worker *w = &p->workers[i];
        for (int64_t c = 0; c < p->cells; c++)
            out->children_by_depth[c] += w->children_by_depth[c];
        out->leaves += w->leaves;
        for (int64_t k = 0; k < w->rest.count; k++)
            flowshop_interval_copy(&w->rest.items[k], flowshop_intervals_push(&out->open));
    }
done:
    return st;
}

static int64_t nodes_so_far(const flowshop_workers *p)
{
    int64_t sum = p->base_nodes;
    for (int i = 0; i < p->count; i++)
        sum += p->workers[i].ops->nodes(p->workers[i].x);
    return sum;
}

// Takes a note of all workers while they go on. *is_whole is false if the run had to end, or ended, before all of them
// had written theirs. Workers look up only once a batch, and a batch of LB2 on a large instance takes long.
static mco_status take_note(flowshop_workers *p, flowshop_checkpoint *out, bool *is_whole)
{
    mco_status st = MCO_OK;
    mco_stop stop;
    pthread_mutex_lock(&p->lock);
    p->is_noting = true;
    p->noted_taken = p->taken;
    p->missing_notes = p->count;
    for (int i = 0; i < p->count; i++)
        p->workers[i].has_noted = false;
    atomic_fetch_add(&p->wanted, 1);
    flowshop_workers_call_locked(p);
    pthread_cond_broadcast(&p->changed);
    bool is_over = false;
    while (p->missing_notes > 0 && !p->is_done && !flowshop_workers_must_stop(p) && !is_over) {
        flowshop_workers_wait_locked(p, WAIT_S / 2);
        pthread_mutex_unlock(&p->lock);  // a row of the log takes the lock
        is_over = flowshop_run_must_stop(p->run, nodes_so_far(p), &stop);
        pthread_mutex_lock(&p->lock);
    }
    // Once the search ends, workers write their last notes instead. Then this note is not used.
    *is_whole = p->missing_notes == 0 && !p->is_done && !flowshop_workers_must_stop(p);
    p->is_noting = false;
    atomic_fetch_sub(&p->wanted, 1);
    flowshop_workers_call_locked(p);
    if (*is_whole)
        st = add_notes(p, out);
    pthread_mutex_unlock(&p->lock);
    return st;
}

// ---- Supervision

static mco_status record_found(flowshop_workers *p, flowshop_checkpoint *note)
{
    mco_status st = MCO_OK;
    pthread_mutex_lock(&p->found_lock);
    int64_t makespan = p->found_makespan;
    if (makespan >= 0)
        memcpy(note->order, p->found_order, (size_t)p->search.shop->jobs * sizeof *note->order);
    p->found_makespan = -1;
    pthread_mutex_unlock(&p->found_lock);
    if (makespan >= 0)
        MCO_TRY(flowshop_run_improve(p->run, makespan, note->order, "tree"));
    if (makespan >= 0 && p->leg->exchange != NULL)
        MCO_TRY(p->leg->exchange->found(p->leg->exchange->self, makespan, note->order));
done:
    return st;
}

int64_t flowshop_search_nodes(const flowshop_checkpoint *state)
{
    int64_t sum = 0;
    const int64_t columns = flowshop_children_columns(state->open.jobs);
    for (int64_t i = columns; i < ((int64_t)state->open.jobs + 1) * columns; i++)
        sum += state->children_by_depth[i];
    return sum;
}

void flowshop_search_raise_bound(flowshop_run *run, const flowshop_checkpoint *state)
{
    int64_t least = run->upper_bound;
    for (int64_t i = 0; i < state->open.count; i++)
        least = state->open.items[i].bound < least ? state->open.items[i].bound : least;
    if (!state->is_slice)
        flowshop_run_raise_bound(run, least);
}

void flowshop_run_fill_state(const flowshop_run *run, flowshop_checkpoint *state)
{
    const mco_flowshop_result *r = run->result;
    state->bound = run->bound;
    state->branching = run->branching;
    state->upper_bound = run->upper_bound;
    state->makespan = r->makespan;
    state->iterations = r->iterations;
    if (r->makespan >= 0)
        memcpy(state->order, r->order, (size_t)run->shop->jobs * sizeof *r->order);
}

mco_status flowshop_run_write_checkpoint(flowshop_run *run, flowshop_checkpoint *state)
{
    flowshop_run_fill_state(run, state);
    mco_log(run->ctx, MCO_LOG_DETAIL, "%9.2f s  checkpoint: %lld intervals open", mco_run_time_s(&run->run),
            (long long)state->open.count);
    return flowshop_checkpoint_write(run->ctx, run->shop, state, run->params->checkpoint);
}

// The supervisor's clocks.
typedef struct watch {
    double next_bound, next_checkpoint;
    double end, half_way;   // of the leg
    double rate_time;       // the rate in the log counts from this moment and this number of nodes
    int64_t rate_nodes;
    double leg_time;        // the same for the rate of the leg
    int64_t leg_nodes;
    int64_t open;           // intervals of the last note; -1 before the first
    double gift_end;        // a gift is waited for until this moment; infinite: none is
} watch;

// Seconds between two notes that are taken for the bound alone.
static double bound_interval_s(const flowshop_workers *p)
{
    if (p->leg->exchange != NULL)  // a part of the tree proves no bound
        return INFINITY;
    return p->gpu_count == 0 ? BOUND_S : p->run->params->gap > 0 ? GPU_BOUND_S : INFINITY;
}

static watch begin_watch(const flowshop_workers *p)
{
    const mco_flowshop_params *params = p->run->params;
    const double now = mco_clock_s();
    return (watch){.next_bound = now + bound_interval_s(p),
                   .next_checkpoint = params->checkpoint != NULL ? now + params->checkpoint_interval_s : INFINITY,
                   .end = now + p->leg->limit_s,
                   .half_way = now + p->leg->limit_s / 2,
                   .rate_time = now,
                   .rate_nodes = p->base_nodes,
                   .leg_time = now,
                   .leg_nodes = p->base_nodes,
                   .open = -1,
                   .gift_end = INFINITY};
}

// What a row of the log needs.
typedef struct row {
    flowshop_workers *workers;
    watch *watch;
} row;

static const char COLUMNS[] = "     M nodes      open   M nodes/s    steals";

static void write_columns(void *user, char *out, size_t size)
{
    flowshop_workers *p = ((row *)user)->workers;
    watch *t = ((row *)user)->watch;
    const double now = mco_clock_s();
    const int64_t nodes = nodes_so_far(p);
    char open[24] = "-";
    if (t->open >= 0)
        snprintf(open, sizeof open, "%lld", (long long)t->open);
    const int64_t steals = p->base->steals + atomic_load(&p->steals);
    snprintf(out, size, " %11.3f %9s %11.2f %9lld", (double)nodes * 1e-6, open,
             now > t->rate_time ? (double)(nodes - t->rate_nodes) / (now - t->rate_time) * 1e-6 : 0, (long long)steals);
    t->rate_nodes = nodes;
    t->rate_time = now;
}

// Takes a note if one is due, and raises the bound with it. Writes the checkpoint if that is due.
static mco_status note_if_due(flowshop_workers *p, flowshop_checkpoint *note, watch *t)
{
    mco_status st = MCO_OK;
    const double now = mco_clock_s();
    const bool is_checkpoint_due = now >= t->next_checkpoint;
    bool is_whole;
    if (!is_checkpoint_due && now < t->next_bound)
        return MCO_OK;
    MCO_TRY(take_note(p, note, &is_whole));
    if (!is_whole)
        return MCO_OK;
    // Schedules found before the notes come from work that the notes count as done: the same checkpoint must have them.
    MCO_TRY(record_found(p, note));
    flowshop_search_raise_bound(p->run, note);
    t->open = note->open.count;
    t->next_bound = mco_clock_s() + bound_interval_s(p);
    if (is_checkpoint_due) {
        flowshop_run_tell_checkpoint(p->run, flowshop_run_write_checkpoint(p->run, note), p->run->ctx);
        t->next_checkpoint = mco_clock_s() + p->run->params->checkpoint_interval_s;
    }
done:
    return st;
}

// ---- Exchange

// Gives away what a worker has put aside, or nothing where nothing comes in time.
static mco_status give_gift(flowshop_workers *p, bool is_idle, watch *t)
{
    mco_status st = MCO_OK;
    const double now = mco_clock_s();
    t->gift_end = isinf(t->gift_end) ? now + GIFT_S : t->gift_end;
    flowshop_workers_want_gift(p, !is_idle && now < t->gift_end);
    pthread_mutex_lock(&p->lock);
    if (p->wants_gift)
        flowshop_workers_wait_locked(p, EXCHANGE_WAIT_S);
    const bool is_over = !p->wants_gift;
    pthread_mutex_unlock(&p->lock);
    if (!is_over)
        return MCO_OK;
    // No worker touches the gift once the wish has ended.
    MCO_TRY(p->leg->exchange->give(p->leg->exchange->self, &p->gift));
    p->gift.count = 0;
    t->gift_end = INFINITY;
done:
    return st;
}

// Does what the outside wants at this moment.
static mco_status exchange(flowshop_workers *p, flowshop_checkpoint *note, watch *t)
{
    mco_status st = MCO_OK;
    const flowshop_exchange *x = p->leg->exchange;
    const bool is_idle = flowshop_workers_are_idle(p);
    flowshop_wish wish = {.incumbent = INT64_MAX};
    bool is_whole = false;
    MCO_TRY(x->look(x->self, is_idle, &wish));
    flowshop_workers_lower(p, wish.incumbent);
    p->run->upper_bound = wish.incumbent < p->run->upper_bound ? wish.incumbent : p->run->upper_bound;
    if (wish.work != NULL)
        MCO_TRY(flowshop_workers_take(p, wish.work));
    if (wish.gift)
        MCO_TRY(give_gift(p, is_idle && wish.work == NULL, t));
    if (wish.report)
        MCO_TRY(take_note(p, note, &is_whole));
    if (is_whole) {
        MCO_TRY(record_found(p, note));  // before the report of the nodes that it pruned
        MCO_TRY(x->report(x->self, note));
    }
    if (wish.end && is_idle && wish.work == NULL) {
        pthread_mutex_lock(&p->lock);
        p->is_done = true;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
done:
    return st;
}

// True if the leg has reached its limit and does not go on.
static bool is_leg_over(flowshop_workers *p, watch *t)
{
    const double now = mco_clock_s();
    const int64_t nodes = nodes_so_far(p);
    if (now >= t->end) {
        p->leg->nodes_per_s = (double)(nodes - t->leg_nodes) / (now - t->leg_time);
        t->end = INFINITY;
        return p->leg->goes_on == NULL || !p->leg->goes_on(p->run);
    }
    if (now >= t->half_way) {
        t->leg_time = now;
        t->leg_nodes = nodes;
        t->half_way = INFINITY;
    }
    return false;
}

// The calling thread's work until the workers are done, the leg is over or the run must end. Then it sets must_stop.
static mco_status supervise(flowshop_workers *p, mco_team *team, flowshop_checkpoint *note, mco_stop *stop)
{
    mco_status st = MCO_OK;
    watch t = begin_watch(p);
    row columns = {p, &t};
    mco_run_set_columns(&p->run->run, COLUMNS, write_columns, &columns);
    while (!mco_team_wait(team, p->leg->exchange != NULL ? EXCHANGE_WAIT_S : WAIT_S)) {
        MCO_TRY(record_found(p, note));
        if (flowshop_run_must_stop(p->run, nodes_so_far(p), stop) || is_leg_over(p, &t))
            break;
        MCO_TRY(note_if_due(p, note, &t));
        if (p->leg->exchange != NULL)
            MCO_TRY(exchange(p, note, &t));
    }
done:
    mco_run_set_columns(&p->run->run, NULL, NULL, NULL);
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->search.must_stop, true);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return st;
}

// ---- A leg

// After all workers have returned, makes their last notes the state.
static mco_status end_leg(flowshop_workers *p, flowshop_checkpoint *state, flowshop_checkpoint *note)
{
    mco_status st = MCO_OK;
    // The notes are valid only together with the schedules that pruned their nodes.
    MCO_TRY(record_found(p, note));
    p->noted_taken = p->taken;
    MCO_TRY(add_notes(p, note));
    for (int i = 0; i < p->count; i++)
        p->run->result->work.device_s += p->workers[i].device_s;
    flowshop_checkpoint begun = *state;
    *state = *note;
    *note = begun;
    p->leg->is_recorded = true;
done:
    return st;
}

// Fails with the error of the GPU. If `st` is an error too, the message adds it: then nothing of the leg is recorded.
static mco_status fail_by_device(const flowshop_workers *p, mco_status st)
{
    char text[MCO_ERROR_LENGTH + 8] = "";
    if (st != MCO_OK)
        snprintf(text, sizeof text, "; then %s", mco_context_error(p->run->ctx));
    return mco_fail(p->run->ctx, p->failure, "%s%s", p->failure_text, text);
}

// The first `started` workers alone: a GPU's are the first, and nobody holds work before the threads begin.
static void go_on_with(void *workers, int started)
{
    ((flowshop_workers *)workers)->count = started;
}

mco_status flowshop_search_leg(flowshop_run *run, flowshop_checkpoint *state, flowshop_leg *leg, mco_stop *stop)
{
    mco_status st = MCO_OK;
    flowshop_checkpoint note = {0};
    mco_team team = {0};
    flowshop_workers p;
    MCO_TRY(flowshop_workers_create(run, state, leg, &p));
    MCO_TRY(flowshop_checkpoint_create(run->ctx, run->shop->jobs, &note));
    note.rule_bound = state->rule_bound;
    note.is_fixed = state->is_fixed;
    note.is_slice = state->is_slice;
    *stop = MCO_STOP_FINISHED;
    // Sorting the orders of LB2 or opening a GPU may have used up the time.
    if (flowshop_run_must_stop(run, p.base_nodes, stop) || (leg->johnson != NULL && !leg->johnson->is_complete))
        atomic_store(&p.search.must_stop, true);
    MCO_TRY(mco_team_start_some(run->ctx, p.count, flowshop_workers_work, go_on_with, &p, &team));
    if (team.started == 0) {  // the search ends with what is known
        mco_team_join(&team);
        *stop = MCO_STOP_MEMORY;
        goto done;
    }
    st = supervise(&p, &team, &note, stop);
    mco_team_join(&team);
    if (st == MCO_OK)
        st = end_leg(&p, state, &note);
    leg->has_lost_device = p.failure != MCO_OK;
    if (leg->has_lost_device)
        st = fail_by_device(&p, st);
    MCO_TRY(st);
    *stop = state->open.count == 0 ? MCO_STOP_FINISHED : *stop;
done:
    flowshop_workers_destroy(&p);
    flowshop_checkpoint_destroy(run->ctx, &note);
    return st;
}
