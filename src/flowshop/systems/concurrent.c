// SPDX-License-Identifier: MIT
// RLL-GB&B (Chakroun 2013, algorithms 8 to 10): one thread drives a device, the others decompose nodes on the host. All
// take from and insert into one locked pool. The thesis ends the search when the pool is empty, which is too early.
// Here it ends when the pool is empty and no thread has nodes in hand. A thread takes many nodes for each lock, not
// one.
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/team.h"
#include "flowshop/systems/run.h"

static const double WAIT_S = 0.02; // the supervisor's nap
// A CPU thread takes at most TAKE nodes at a time, and at most TAKE_STEPS steps of work (some milliseconds), but at
// least one node.
enum { TAKE = 32, TAKE_STEPS = 4000000 };

typedef struct cpu_worker {
    flowshop_pool_node nodes[TAKE];
    flowshop_pool_counts counts;
} cpu_worker;

typedef struct shared {
    flowshop_pool_run *p;
    cpu_worker *workers; // [worker_count]
    int worker_count;
    pthread_mutex_t lock;
    atomic_bool is_lock_wanted; // by the supervisor
    pthread_cond_t changed;
    int active; // threads with nodes in hand; guarded by the lock, as are all members below
    bool is_done, must_stop;
    int64_t nodes; // nodes decomposed so far, for the log and the callback
    mco_status failure; // the first failure; failure_text has its message
    char failure_text[MCO_ERROR_LENGTH];
} shared;

// A mutex does not serve threads in turn. Threads that unlock and lock again within microseconds can keep the
// supervisor, and with it the time limit, waiting for seconds. So they let the supervisor pass first.
static void lock_behind_supervisor(shared *s)
{
    while (atomic_load_explicit(&s->is_lock_wanted, memory_order_relaxed))
        sched_yield();
    pthread_mutex_lock(&s->lock);
}

static void lock_for_supervisor(shared *s)
{
    atomic_store_explicit(&s->is_lock_wanted, true, memory_order_relaxed);
    pthread_mutex_lock(&s->lock);
    atomic_store_explicit(&s->is_lock_wanted, false, memory_order_relaxed);
}

// Waits until there is work; the caller holds the lock before and after. False if there will be no more work.
static bool wait_for_work_locked(shared *s)
{
    while (s->p->tree.nodes.count == 0 && s->active > 0 && !s->must_stop)
        pthread_cond_wait(&s->changed, &s->lock);
    s->is_done = s->is_done || (s->p->tree.nodes.count == 0 && s->active == 0);
    if (s->is_done || s->must_stop)
        pthread_cond_broadcast(&s->changed);
    return !s->is_done && !s->must_stop;
}

// Ends this thread's work on its nodes. `ctx` has the message if `st` is a failure.
static void leave_locked(shared *s, mco_status st, const mco_context *ctx)
{
    s->active--;
    s->must_stop = s->must_stop || st != MCO_OK;
    if (st != MCO_OK && s->failure == MCO_OK) {
        s->failure = st;
        snprintf(s->failure_text, sizeof s->failure_text, "%s", mco_context_error(ctx));
    }
    pthread_cond_broadcast(&s->changed);
}

// The steps of a node: 2 n children are bounded, and LB2 walks n positions for every pair of machines.
static int nodes_at_a_time(const flowshop_run *run)
{
    const double n = run->shop->jobs, m = run->shop->machines;
    const double steps = 2 * n * (m + (run->bound == MCO_FLOWSHOP_BOUND_LB2 ? n * m * (m - 1) / 2 : 0));
    return steps * TAKE <= TAKE_STEPS ? TAKE : steps >= TAKE_STEPS ? 1 : (int)(TAKE_STEPS / steps);
}

static void work_on_host(shared *s, cpu_worker *w)
{
    const int most = nodes_at_a_time(s->p->run);
    lock_behind_supervisor(s);
    while (wait_for_work_locked(s)) {
        int count = 0;
        while (count < most && flowshop_pool_take(&s->p->tree, &w->nodes[count]))
            count++;
        s->active++;
        pthread_mutex_unlock(&s->lock);
        for (int i = 0; i < count; i++)
            flowshop_pool_decompose(&s->p->tree, &w->nodes[i]);
        lock_behind_supervisor(s);
        mco_status st = MCO_OK;
        for (int i = 0; i < count && st == MCO_OK; i++)
            st = flowshop_pool_insert(&s->p->tree, &w->nodes[i], &w->counts);
        s->nodes += count;
        leave_locked(s, st, s->p->tree.ctx);
    }
    pthread_mutex_unlock(&s->lock);
}

static void lock_for_device(shared *s)
{
    const double begin_s = mco_clock_s();
    lock_behind_supervisor(s);
    s->p->stats.lock_s += mco_clock_s() - begin_s;
}

static void drive_device(shared *s)
{
    flowshop_pool_run *p = s->p;
    bool is_begun;
    p->collected_s = mco_clock_s();
    lock_for_device(s);
    while (wait_for_work_locked(s)) {
        s->active++;
        const mco_context *ctx = p->ctx;
        mco_status st = p->size.target > p->room ? flowshop_pool_make_room(p) : MCO_OK;
        if (st == MCO_OK)
            st = flowshop_pool_begin_batch(p, 1, &is_begun);
        if (st == MCO_OK && is_begun) {
            pthread_mutex_unlock(&s->lock);
            st = flowshop_pool_finish_batch(p);
            lock_for_device(s);
            s->nodes += p->batches[p->oldest]->host.fathers;
            if (st == MCO_OK) {
                ctx = p->tree.ctx;
                st = flowshop_pool_collect_batch(p);
            }
        }
        leave_locked(s, st, ctx);
    }
    pthread_mutex_unlock(&s->lock);
}

static void work(void *argument, int index)
{
    shared *s = argument;
    if (index == 0)
        drive_device(s);
    else
        work_on_host(s, &s->workers[index - 1]);
}

static mco_status create_workers(shared *s)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->p->run->ctx;
    MCO_TRY(mco_alloc(ctx, &s->workers, s->worker_count));
    for (int i = 0; i < s->worker_count; i++) {
        MCO_TRY(flowshop_pool_counts_create(ctx, &s->p->tree, &s->workers[i].counts));
        for (int k = 0; k < TAKE; k++)
            MCO_TRY(flowshop_pool_node_create(ctx, &s->p->tree, &s->workers[i].nodes[k]));
    }
done:
    return st;
}

// Adds the counters of the CPU threads to those of the driving thread and releases the workers.
static void gather_workers(shared *s)
{
    mco_context *ctx = s->p->run->ctx;
    flowshop_pool_counts *sum = &s->p->counts;
    const int64_t cells = ((int64_t)s->p->tree.tables.jobs + 1) * s->p->tree.columns;
    for (int i = 0; i < s->worker_count && s->workers != NULL; i++) {
        flowshop_pool_counts *counts = &s->workers[i].counts;
        for (int64_t c = 0; c < cells && counts->children_by_depth != NULL; c++)
            sum->children_by_depth[c] += counts->children_by_depth[c];
        sum->leaves += counts->leaves;
        sum->nodes += counts->nodes;
        s->p->stats.host_nodes += counts->nodes;
        for (int k = 0; k < TAKE; k++)
            flowshop_pool_node_destroy(ctx, &s->workers[i].nodes[k]);
        mco_free(ctx, &counts->children_by_depth);
    }
    mco_free(ctx, &s->workers);
}

static void write_columns(void *user, char *out, size_t size)
{
    shared *s = user;
    lock_for_supervisor(s);
    flowshop_pool_write_columns(s->p, out, size);
    pthread_mutex_unlock(&s->lock);
}

// The part of the calling thread: it watches until the workers are done or the run must end.
static mco_status supervise(shared *s, mco_team *team, bool *is_stopped, mco_stop *stop)
{
    mco_status st = MCO_OK;
    flowshop_pool_run *p = s->p;
    while (!mco_team_wait(team, WAIT_S)) {
        lock_for_supervisor(s);
        const int64_t nodes = s->nodes;
        const bool is_full = p->tree.nodes.count > p->most_nodes;
        pthread_mutex_unlock(&s->lock);
        MCO_TRY(flowshop_pool_record_found(p));
        *is_stopped = is_full || flowshop_run_must_stop(p->run, nodes, stop);
        if (is_full)
            *stop = MCO_STOP_MEMORY;
        if (*is_stopped)
            break;
    }
done:
    lock_for_supervisor(s);
    s->must_stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return st;
}

mco_status flowshop_pool_concurrent(flowshop_pool_run *p, bool *is_stopped, mco_stop *stop)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    shared s = {.p = p, .worker_count = p->run->threads, .failure = MCO_OK};
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    MCO_TRY(create_workers(&s));
    mco_run_set_columns(&p->run->run, FLOWSHOP_POOL_COLUMNS, write_columns, &s);
    MCO_TRY(mco_team_start(p->run->ctx, 1 + s.worker_count, work, &s, &team));
    st = supervise(&s, &team, is_stopped, stop);
    mco_team_join(&team);
    if (st == MCO_OK && s.failure != MCO_OK)
        st = mco_fail(p->run->ctx, s.failure, "%s", s.failure_text);
    *is_stopped = !s.is_done;
done:
    mco_run_set_columns(&p->run->run, NULL, NULL, NULL);
    gather_workers(&s);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
    return st;
}
