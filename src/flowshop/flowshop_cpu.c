// SPDX-License-Identifier: MIT
// Branch and bound on all cores: one explorer a thread, work moved between them as intervals.
//
// An idle worker waits at the pool. Every working one looks up every millisecond or so, and if
// somebody waits, gives the later half of the shallowest children it has left: few, large pieces. The
// calling thread works not; it records schedules, watches the clock, logs, and writes checkpoints.
// For a checkpoint (and for the bound in the log) every worker writes down what it has left; no work
// changes hands from the first to the last of these notes, so that together they are exactly the
// rest of the tree, and the counters beside them exactly what is done (Mezmaz, Melab, Talbi 2007).
#include "flowshop/flowshop_cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/team.h"
#include "flowshop/flowshop_explorer.h"

// Between two looks at the pool a worker does about this many lane operations, one millisecond or less.
static const int64_t BATCH_OPERATIONS = 16000000;
enum { BATCH_NODES = 1024 };
static const double WAIT_S = 0.02;    // the supervisor's nap
static const double BOUND_S = 1.0;    // between two looks at the bound of the open work

typedef enum worker_state { WORKING, WAITING, GIVEN } worker_state;

typedef struct worker {
    flowshop_explorer *x;
    worker_state state;       // guarded by the pool's lock, as all below
    flowshop_interval given;  // work for a worker that waits (state GIVEN)
    bool has_noted;           // for the note being taken
    bool has_rest;
    flowshop_interval rest;
    int64_t *children_by_depth;
    int64_t leaves;
    _Alignas(64) atomic_int_least64_t nodes;  // published now and then, for the log
} worker;

typedef struct pool {
    flowshop_search search;  // first: found() receives its address
    const flowshop_explorer_ops *ops;
    flowshop_run *run;
    const flowshop_checkpoint *base;  // counters of earlier legs
    worker *workers;
    int count;
    int64_t batch_nodes;
    int64_t cells;            // of children_by_depth
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_int calls;         // workers that wait, plus one while a note is taken
    int waiting, missing_notes;
    bool is_noting, is_done;
    flowshop_intervals queue; // work nobody has begun
    int64_t queued;           // of them, not yet taken: the last ones are
    int64_t steals;
    pthread_mutex_t found_lock;
    int64_t found_makespan;   // guarded by found_lock; -1 once recorded
    int32_t *found_order;
} pool;

static void found(flowshop_search *search, int64_t makespan, const int32_t *order)
{
    pool *p = (pool *)(void *)search;
    pthread_mutex_lock(&p->found_lock);
    if (makespan < atomic_load(&p->search.incumbent)) {
        atomic_store(&p->search.incumbent, makespan);
        p->found_makespan = makespan;
        memcpy(p->found_order, order, (size_t)p->search.shop->jobs * sizeof *order);
    }
    pthread_mutex_unlock(&p->found_lock);
}

// ---- Workers. Names ending in _locked expect the pool's lock.

// Writes down what this worker has left and what it has done.
static void note_locked(pool *p, worker *w, bool has_rest)
{
    if (!p->is_noting || w->has_noted)
        return;
    w->has_rest = has_rest && p->ops->fold(w->x, &w->rest);
    memcpy(w->children_by_depth, p->ops->children_by_depth(w->x), (size_t)p->cells * sizeof *w->children_by_depth);
    w->leaves = p->ops->leaves(w->x);
    w->has_noted = true;
    if (--p->missing_notes == 0)
        pthread_cond_broadcast(&p->changed);
}

static void share_locked(pool *p, worker *w)
{
    for (int i = 0; i < p->count && p->waiting > 0 && !p->is_noting; i++) {
        worker *idle = &p->workers[i];
        if (idle->state != WAITING || !p->ops->split(w->x, &idle->given))
            continue;
        idle->state = GIVEN;
        p->waiting--;
        atomic_fetch_sub(&p->calls, 1);
        p->steals++;
        pthread_cond_broadcast(&p->changed);
    }
}

static void answer(pool *p, worker *w)
{
    pthread_mutex_lock(&p->lock);
    note_locked(p, w, true);
    share_locked(p, w);
    pthread_mutex_unlock(&p->lock);
}

// Takes up the next piece of work; false when there is none anywhere.
static bool next_work(pool *p, worker *w)
{
    pthread_mutex_lock(&p->lock);
    note_locked(p, w, false);
    bool has_work = false;
    if (p->queued > 0) {
        flowshop_interval_copy(&p->queue.items[--p->queued], &w->given);
        has_work = true;
    } else {
        w->state = WAITING;
        p->waiting++;
        atomic_fetch_add(&p->calls, 1);
        if (p->waiting == p->count) {
            p->is_done = true;
            pthread_cond_broadcast(&p->changed);
        }
        while (w->state == WAITING && !p->is_done && !atomic_load(&p->search.must_stop))
            pthread_cond_wait(&p->changed, &p->lock);
        has_work = w->state == GIVEN;
    }
    if (has_work)
        w->state = WORKING;
    pthread_mutex_unlock(&p->lock);
    // A note taken meanwhile waits for this worker, or has written down what it was given.
    if (has_work)
        p->ops->unfold(w->x, &w->given);
    return has_work;
}

static void work(void *shared, int index)
{
    pool *p = shared;
    worker *w = &p->workers[index];
    while (!atomic_load_explicit(&p->search.must_stop, memory_order_relaxed) && next_work(p, w)) {
        while (p->ops->explore(w->x, p->batch_nodes)) {
            atomic_fetch_add_explicit(&w->nodes, p->batch_nodes, memory_order_relaxed);
            if (atomic_load_explicit(&p->search.must_stop, memory_order_relaxed))
                return;
            if (atomic_load_explicit(&p->calls, memory_order_relaxed) > 0)
                answer(p, w);
        }
    }
}

// ---- Supervision

static void add_counters(int64_t *sum, const int64_t *more, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        sum[i] += more[i];
}

// Adds up the notes of all workers and the earlier legs; the queue is in out->open already.
static mco_status add_notes(pool *p, flowshop_checkpoint *out)
{
    mco_status st = MCO_OK;
    memcpy(out->children_by_depth, p->base->children_by_depth, (size_t)p->cells * sizeof *out->children_by_depth);
    out->leaves = p->base->leaves;
    out->steals = p->base->steals + p->steals;
    for (int i = 0; i < p->count; i++) {
        const worker *w = &p->workers[i];
        add_counters(out->children_by_depth, w->children_by_depth, p->cells);
        out->leaves += w->leaves;
        if (w->has_rest)
            MCO_TRY(flowshop_intervals_add(p->run->ctx, &out->open, &w->rest));
    }
done:
    return st;
}

// Begins a note: the queue now, and the workers that do not work.
static mco_status begin_note_locked(pool *p, flowshop_checkpoint *out)
{
    mco_status st = MCO_OK;
    flowshop_intervals_clear(p->run->ctx, &out->open);
    for (int64_t i = 0; i < p->queued; i++)
        MCO_TRY(flowshop_intervals_add(p->run->ctx, &out->open, &p->queue.items[i]));
    p->is_noting = true;
    p->missing_notes = p->count;
    for (int i = 0; i < p->count; i++)
        p->workers[i].has_noted = false;
    for (int i = 0; i < p->count; i++) {
        worker *w = &p->workers[i];
        if (w->state == WORKING)
            continue;
        // Nobody else touches the explorer of a worker that waits. What it was given is its rest.
        note_locked(p, w, false);
        w->has_rest = w->state == GIVEN;
        if (w->has_rest)
            flowshop_interval_copy(&w->given, &w->rest);
    }
done:
    return st;
}

static int64_t published_nodes(pool *p)
{
    int64_t sum = p->run->result->nodes_resumed;
    for (int i = 0; i < p->count; i++)
        sum += atomic_load_explicit(&p->workers[i].nodes, memory_order_relaxed);
    return sum;
}

// Takes a note of everything while the workers go on. *is_whole false if the run had to end, or did
// end, before all had written theirs: workers look up once a batch, and a batch of LB2 on a large
// instance is long.
static mco_status take_note(pool *p, flowshop_checkpoint *out, bool *is_whole)
{
    pthread_mutex_lock(&p->lock);
    *is_whole = false;
    mco_status st = begin_note_locked(p, out);
    if (st == MCO_OK && !p->is_done) {
        atomic_fetch_add(&p->calls, 1);
        mco_stop stop;
        while (p->missing_notes > 0 && !flowshop_run_must_stop(p->run, published_nodes(p), &stop)) {
            struct timespec until;
            clock_gettime(CLOCK_MONOTONIC, &until);
            until.tv_nsec += 10000000;
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            pthread_cond_timedwait(&p->changed, &p->lock, &until);
        }
        *is_whole = p->missing_notes == 0;
        atomic_fetch_sub(&p->calls, 1);
    }
    p->is_noting = false;
    if (*is_whole)
        st = add_notes(p, out);
    pthread_mutex_unlock(&p->lock);
    return st;
}

// The same once all workers have returned.
static mco_status take_last_note(pool *p, flowshop_checkpoint *out)
{
    mco_status st = begin_note_locked(p, out);
    for (int i = 0; i < p->count; i++)
        note_locked(p, &p->workers[i], true);
    return st == MCO_OK ? add_notes(p, out) : st;
}

static mco_status record_found(pool *p, flowshop_checkpoint *note)
{
    mco_status st = MCO_OK;
    pthread_mutex_lock(&p->found_lock);
    int64_t makespan = p->found_makespan;
    if (makespan >= 0)
        memcpy(note->order, p->found_order, (size_t)p->search.shop->jobs * sizeof *note->order);
    p->found_makespan = -1;
    pthread_mutex_unlock(&p->found_lock);
    if (makespan >= 0)
        st = flowshop_run_improve(p->run, makespan, note->order, "tree");
    return st;
}

static int64_t nodes_of(const flowshop_checkpoint *c, int32_t jobs)
{
    int64_t sum = 0;
    const int64_t columns = flowshop_children_columns(jobs);
    for (int64_t i = columns; i < ((int64_t)jobs + 1) * columns; i++)
        sum += c->children_by_depth[i];
    return sum;
}

static void raise_bound(pool *p, const flowshop_checkpoint *note)
{
    int64_t least = p->run->upper_bound;
    for (int64_t i = 0; i < note->open.count; i++)
        least = note->open.items[i].bound < least ? note->open.items[i].bound : least;
    if (!p->base->is_slice)
        flowshop_run_raise_bound(p->run, least);
}

static void log_line(pool *p, const flowshop_checkpoint *note, double nodes, double rate)
{
    const mco_flowshop_result *r = p->run->result;
    char best[24] = "-", gap[24] = "-";
    if (r->makespan >= 0) {
        snprintf(best, sizeof best, "%lld", (long long)r->makespan);
        snprintf(gap, sizeof gap, "%.2f%%", 100.0 * (double)(r->makespan - r->bound) / (double)(r->makespan + (r->makespan == 0)));
    }
    if (p->run->log_lines++ % 20 == 0)
        mco_log(p->run->ctx, MCO_LOG_INFO, "   time s     M nodes      open      best     bound      gap   M nodes/s    steals");
    mco_log(p->run->ctx, MCO_LOG_INFO, "%9.1f %11.3f %9lld %9s %9lld %8s %11.2f %9lld", flowshop_run_time_s(p->run),
            nodes * 1e-6, (long long)note->open.count, best, (long long)r->bound, gap, rate * 1e-6,
            (long long)note->steals);
}

mco_status flowshop_run_write_checkpoint(flowshop_run *run, flowshop_checkpoint *state)
{
    const mco_flowshop_result *r = run->result;
    state->bound = run->bound;
    state->branching = run->branching;
    state->upper_bound = run->upper_bound;
    state->makespan = r->makespan;
    state->iterations = r->iterations;
    if (r->makespan >= 0)
        memcpy(state->order, r->order, (size_t)run->shop->jobs * sizeof *r->order);
    mco_log(run->ctx, MCO_LOG_DETAIL, "%9.2f s  checkpoint: %lld intervals open", flowshop_run_time_s(run),
            (long long)state->open.count);
    return flowshop_checkpoint_write(run->ctx, run->shop, state, run->params->checkpoint);
}

// The calling thread's part until the workers are done or the run must end.
static mco_status supervise(pool *p, mco_team *team, flowshop_checkpoint *note, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const flowshop_run *run = p->run;
    double next_bound = mco_clock_s() + BOUND_S;
    double next_checkpoint = mco_clock_s() + run->params->checkpoint_interval_s;
    double rate_time = mco_clock_s();
    int64_t rate_nodes = published_nodes(p);
    bool is_whole;
    while (!mco_team_wait(team, WAIT_S)) {
        MCO_TRY(record_found(p, note));
        if (flowshop_run_must_stop(p->run, published_nodes(p), stop))
            break;
        double now = mco_clock_s();
        bool is_due = run->params->checkpoint != NULL && now >= next_checkpoint;
        if (!is_due && now < next_bound)
            continue;
        MCO_TRY(take_note(p, note, &is_whole));
        if (!is_whole)
            continue;
        // What the workers found before they noted is done work: it must be in the same checkpoint.
        MCO_TRY(record_found(p, note));
        next_bound = mco_clock_s() + BOUND_S;
        raise_bound(p, note);
        if (is_due) {
            // A full disk must not cost the search: the next interval tries again.
            if (flowshop_run_write_checkpoint(p->run, note) != MCO_OK)
                mco_log(run->ctx, MCO_LOG_WARNING, "%s; the search goes on", mco_context_error(run->ctx));
            next_checkpoint = mco_clock_s() + run->params->checkpoint_interval_s;
        }
        if (flowshop_run_log_is_due(p->run)) {
            int64_t nodes = published_nodes(p);
            log_line(p, note, (double)nodes, (double)(nodes - rate_nodes) / (now - rate_time));
            rate_nodes = nodes;
            rate_time = now;
        }
    }
done:
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->search.must_stop, true);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return st;
}

static int64_t batch_nodes(const flowshop_run *run)
{
    const double n = run->shop->jobs, m = run->shop->machines;
    double operations = 2 * n * m;
    if (run->bound == MCO_FLOWSHOP_LB2)
        operations += n * n * m * (m - 1);
    double nodes = (double)BATCH_OPERATIONS / operations;
    return nodes < 1 ? 1 : nodes > BATCH_NODES ? BATCH_NODES : (int64_t)nodes;
}

static mco_status create_workers(pool *p)
{
    mco_status st = MCO_OK;
    mco_context *ctx = p->run->ctx;
    const int32_t n = p->search.shop->jobs;
    MCO_TRY(mco_alloc(ctx, &p->workers, p->count));
    MCO_TRY(mco_alloc(ctx, &p->found_order, n));
    for (int i = 0; i < p->count; i++) {
        worker *w = &p->workers[i];
        MCO_TRY(p->ops->create(ctx, &p->search, &w->x));
        MCO_TRY(flowshop_interval_create(ctx, n, &w->given));
        MCO_TRY(flowshop_interval_create(ctx, n, &w->rest));
        MCO_TRY(mco_alloc(ctx, &w->children_by_depth, p->cells));
    }
done:
    return st;
}

static void destroy_workers(pool *p)
{
    mco_context *ctx = p->run->ctx;
    for (int i = 0; i < p->count && p->workers != NULL; i++) {
        worker *w = &p->workers[i];
        mco_free(ctx, &w->children_by_depth);
        flowshop_interval_destroy(ctx, &w->rest);
        flowshop_interval_destroy(ctx, &w->given);
        p->ops->destroy(ctx, &w->x);
    }
    mco_free(ctx, &p->found_order);
    mco_free(ctx, &p->workers);
    flowshop_intervals_clear(ctx, &p->queue);
}

static mco_status fill_queue(pool *p)
{
    mco_status st = MCO_OK;
    p->queue.jobs = p->search.shop->jobs;
    for (int64_t i = p->base->open.count - 1; i >= 0; i--)  // taken from the end
        MCO_TRY(flowshop_intervals_add(p->run->ctx, &p->queue, &p->base->open.items[i]));
    p->queued = p->queue.count;
done:
    return st;
}

mco_status flowshop_cpu(flowshop_run *run, const flowshop_checkpoint *state, bool *is_proved, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const int32_t n = run->shop->jobs;
    flowshop_johnson johnson = {0};
    flowshop_checkpoint note = {0};
    mco_team team = {0};
    pthread_condattr_t attributes;
    pool p = {.run = run, .base = state, .ops = run->variant->explorer, .count = run->threads, .found_makespan = -1};
    p.cells = ((int64_t)n + 1) * flowshop_children_columns(n);
    p.search = (flowshop_search){.shop = run->shop, .bound = run->bound, .branching = run->branching,
                                 .rule_bound = state->rule_bound, .found = found};
    atomic_init(&p.search.incumbent, run->upper_bound);
    p.batch_nodes = batch_nodes(run);
    pthread_mutex_init(&p.lock, NULL);
    pthread_mutex_init(&p.found_lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (run->bound == MCO_FLOWSHOP_LB2) {
        MCO_TRY(flowshop_johnson_create(run->ctx, run->shop, run->deadline_s, &johnson));
        p.search.johnson = &johnson;
        if (johnson.is_complete)
            flowshop_run_raise_bound(run, flowshop_johnson_bound(run->shop, &johnson));
    }
    MCO_TRY(flowshop_checkpoint_create(run->ctx, n, &note));
    note.rule_bound = state->rule_bound;
    note.is_fixed = state->is_fixed;
    note.is_slice = state->is_slice;
    MCO_TRY(create_workers(&p));
    MCO_TRY(fill_queue(&p));
    *stop = MCO_STOP_FINISHED;
    // What took long before (the orders of LB2) may have used the time up.
    if (flowshop_run_must_stop(run, run->result->nodes_resumed, stop) || (p.search.johnson != NULL && !johnson.is_complete))
        atomic_store(&p.search.must_stop, true);
    MCO_TRY(mco_team_start(run->ctx, p.count, work, &p, &team));
    st = supervise(&p, &team, &note, stop);
    mco_team_join(&team);
    MCO_TRY(st);
    MCO_TRY(record_found(&p, &note));
    MCO_TRY(take_last_note(&p, &note));
    *is_proved = note.open.count == 0;
    *stop = *is_proved ? MCO_STOP_FINISHED : *stop;
    raise_bound(&p, &note);
    if (run->params->checkpoint != NULL)
        run->result->is_checkpoint_lost = flowshop_run_write_checkpoint(run, &note) != MCO_OK;
    memcpy(run->result->children_by_depth, note.children_by_depth, (size_t)p.cells * sizeof *note.children_by_depth);
    run->result->nodes = nodes_of(&note, n);
    run->result->leaves = note.leaves;
    run->result->steals = note.steals;
done:
    destroy_workers(&p);
    flowshop_checkpoint_destroy(run->ctx, &note);
    flowshop_johnson_destroy(run->ctx, &johnson);
    pthread_cond_destroy(&p.changed);
    pthread_mutex_destroy(&p.found_lock);
    pthread_mutex_destroy(&p.lock);
    return st;
}
