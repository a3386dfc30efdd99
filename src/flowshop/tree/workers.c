// SPDX-License-Identifier: MIT
// An idle worker waits. A working one looks up now and then. If another worker waits, it gives away a share of what it
// has left: a few large pieces, in proportion to the power of the two. A core looks up about every millisecond. A GPU
// runs until it is called, and a call stops its kernel. So it is called only for a note, for another GPU, and every
// 0.1 s for cores.
// A note is what every worker has left and has done. Each worker writes its own part. No work changes hands from the
// first part to the last. So together they are exactly the rest of the tree, and their counters exactly what is done
// (Mezmaz, Melab, Talbi 2007). Each worker writes its last note when it ends. must_stop is set under the lock, and no
// work changes hands after that.
// The caller of a function whose name ends in _locked holds the lock.
#include "flowshop/tree/workers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"

enum {
    BATCH_NODES = 1024,
    // Power of a GPU in cores: one H200 explores about as fast as 200. It sets how much work changes hands and need not
    // be exact.
    GPU_POWER = 200,
    CORE_QUEUE = 256  // the most intervals that a GPU gives to a core at a time
};
// A core does about this many lane operations, for a millisecond or less, before it looks up.
static const int64_t BATCH_OPERATIONS = 16000000;
static const double CORE_CALL_S = 0.1;    // time between two calls of a GPU for cores: each call costs it a millisecond
static const double GPU_CALL_S = 0.001;   // the same for another GPU, while there is something left to give
static const double IDLE_S = 0.002;       // how often a waiting worker tests whether a GPU may be called

static void found(flowshop_search *search, int64_t makespan, const int32_t *order)
{
    flowshop_workers *p = (flowshop_workers *)(void *)search;
    pthread_mutex_lock(&p->found_lock);
    if (makespan < atomic_load(&p->search.incumbent)) {
        atomic_store(&p->search.incumbent, makespan);
        p->found_makespan = makespan;
        memcpy(p->found_order, order, (size_t)p->search.shop->jobs * sizeof *order);
    }
    pthread_mutex_unlock(&p->found_lock);
}

// ---- Sharing

bool flowshop_workers_must_stop(flowshop_workers *p)
{
    return atomic_load_explicit(&p->search.must_stop, memory_order_relaxed);
}

// True when a worker should look up. A call alone is enough. Another GPU may be serving the waiting workers at this
// moment, and until it is done, the explorer of this worker would return at once again and again.
static bool is_wanted(flowshop_workers *p)
{
    return atomic_load_explicit(&p->wanted, memory_order_relaxed) > 0 ||
           atomic_load_explicit(&p->search.calls, memory_order_relaxed) > 0;
}

void flowshop_workers_wait_locked(flowshop_workers *p, double seconds)
{
    const struct timespec until = mco_clock_after(seconds);
    pthread_cond_timedwait(&p->changed, &p->lock, &until);
}

// True if somebody waits for work, here or outside.
static bool is_work_wanted_locked(const flowshop_workers *p)
{
    return p->waiting > 0 || p->wants_gift;
}

// True if this GPU should stop for the note or for waiting workers. The pause before the next call is longer if only
// cores wait, or if the GPU had nothing to give last time.
static bool should_call_locked(const flowshop_workers *p, const flowshop_worker *w, double now)
{
    if (w->state != FLOWSHOP_WORKING)
        return false;
    if (p->is_noting)
        return !w->has_noted;
    double peace_s = p->waiting_gpus > 0 && w->has_given ? GPU_CALL_S : CORE_CALL_S;
    return is_work_wanted_locked(p) && now >= w->answered_s + peace_s && now >= p->answered_s + GPU_CALL_S;
}

// All GPUs see a call. The first one that answers ends it, unless it is for a note.
void flowshop_workers_call_locked(flowshop_workers *p)
{
    bool is_called = false;
    double now = is_work_wanted_locked(p) && p->gpu_count > 0 ? mco_clock_s() : 0;
    for (int i = 0; i < p->gpu_count && !is_called; i++)
        is_called = should_call_locked(p, &p->workers[i], now);
    atomic_store_explicit(&p->search.calls, is_called, memory_order_relaxed);
}

// Writes down what this worker has left and what it has done.
static void write_note_locked(flowshop_workers *p, flowshop_worker *w)
{
    w->rest.count = 0;
    w->ops->fold(w->x, &w->rest);
    for (int64_t i = 0; i < w->given.count; i++)
        flowshop_interval_copy(&w->given.items[i], flowshop_intervals_push(&w->rest));
    memcpy(w->children_by_depth, w->ops->children_by_depth(w->x), (size_t)p->cells * sizeof *w->children_by_depth);
    w->leaves = w->ops->leaves(w->x);
}

static void note_locked(flowshop_workers *p, flowshop_worker *w)
{
    if (!p->is_noting || w->has_noted)
        return;
    write_note_locked(p, w);
    w->has_noted = true;
    if (--p->missing_notes == 0 || w->is_gpu)
        pthread_cond_broadcast(&p->changed);
    flowshop_workers_call_locked(p);
}

// Gives a part of what w has left to one who waits, in proportion to their power. Intervals that w has not begun go
// first. Returns the number of intervals given.
static int64_t give_locked(flowshop_worker *w, int power, flowshop_intervals *to)
{
    const double share = (double)power / (double)(power + w->power);
    if (w->given.count == 0)
        return w->ops->split(w->x, share, to->room, to);
    int64_t count = (int64_t)ceil(share * (double)w->given.count);
    count = count < to->room ? count : to->room;
    for (int64_t i = 0; i < count; i++)
        flowshop_interval_copy(&w->given.items[--w->given.count], flowshop_intervals_push(to));
    return count;
}

// A waiting worker has been given work: it wakes up.
static void end_waiting_locked(flowshop_workers *p, flowshop_worker *idle)
{
    idle->state = FLOWSHOP_GIVEN;
    atomic_fetch_sub(&p->wanted, 1);
    p->waiting--;
    p->waiting_gpus -= idle->is_gpu;
    pthread_cond_broadcast(&p->changed);
}

static void end_wish_locked(flowshop_workers *p)
{
    atomic_fetch_sub(&p->wanted, p->wants_gift);
    p->wants_gift = false;
}

// Serves the waiting workers from w, GPUs first, as they are first in the list, then those outside. Only for the time while the search goes
// on and no note is taken. True if w had something to give.
static bool share_locked(flowshop_workers *p, flowshop_worker *w)
{
    bool has_given = false;
    assert(!p->is_noting && !flowshop_workers_must_stop(p));
    for (int i = 0; i < p->count && p->waiting > 0; i++) {
        flowshop_worker *idle = &p->workers[i];
        if (idle->state != FLOWSHOP_WAITING || give_locked(w, idle->power, &idle->given) == 0)
            continue;
        end_waiting_locked(p, idle);
        atomic_fetch_add(&p->steals, 1);
        has_given = true;
    }
    if (p->wants_gift && give_locked(w, w->power, &p->gift) > 0) {
        end_wish_locked(p);
        pthread_cond_broadcast(&p->changed);  // the supervisor waits for it
        has_given = true;
    }
    return has_given;
}

static void answer(flowshop_workers *p, flowshop_worker *w)
{
    pthread_mutex_lock(&p->lock);
    note_locked(p, w);
    // The call for a note ends when all GPUs have answered it. Until then the explorer would return at once. The next
    // note may begin during the wait, and waits for this GPU too.
    while (w->is_gpu && p->is_noting && atomic_load(&p->search.calls) > 0 && !flowshop_workers_must_stop(p)) {
        flowshop_workers_wait_locked(p, IDLE_S);
        note_locked(p, w);
    }
    // Once must_stop is set, a worker that waited may have written its last note and left.
    if (is_work_wanted_locked(p) && !p->is_noting && !flowshop_workers_must_stop(p)) {
        w->has_given = share_locked(p, w);
        w->answered_s = w->is_gpu ? mco_clock_s() : 0;
        p->answered_s = w->is_gpu ? w->answered_s : p->answered_s;
    }
    flowshop_workers_call_locked(p);
    pthread_mutex_unlock(&p->lock);
}

// Takes intervals that nobody has begun: a core one, a GPU a share of them in proportion to its power.
static void take_queued_locked(flowshop_workers *p, flowshop_worker *w)
{
    const int64_t queued = p->queue->count - p->taken;
    int64_t count = (queued * w->power + p->total_power - 1) / p->total_power;
    count = w->is_gpu ? count : 1;
    count = count < w->given.room ? count : w->given.room;
    for (int64_t i = 0; i < count && p->taken < p->queue->count; i++)
        flowshop_interval_copy(&p->queue->items[p->taken++], flowshop_intervals_push(&w->given));
}

static void wait_for_work_locked(flowshop_workers *p, flowshop_worker *w)
{
    w->state = FLOWSHOP_WAITING;
    p->waiting_gpus += w->is_gpu;
    atomic_fetch_add(&p->wanted, 1);
    if (++p->waiting == p->count && p->leg->exchange == NULL) {
        p->is_done = true;
        pthread_cond_broadcast(&p->changed);
    }
    while (w->state == FLOWSHOP_WAITING && !p->is_done && !flowshop_workers_must_stop(p)) {
        note_locked(p, w);
        flowshop_workers_call_locked(p);
        if (p->gpu_count > 0)
            flowshop_workers_wait_locked(p, IDLE_S);
        else
            pthread_cond_wait(&p->changed, &p->lock);
    }
}

// Takes the next piece of work. Returns false when there is none anywhere, or when all must stop.
static bool next_work(flowshop_workers *p, flowshop_worker *w)
{
    pthread_mutex_lock(&p->lock);
    note_locked(p, w);
    if (w->given.count == 0)
        take_queued_locked(p, w);
    if (w->given.count == 0)
        wait_for_work_locked(p, w);
    // A note may have begun while this worker woke up: its part is written here. Later notes wait for this worker.
    note_locked(p, w);
    bool has_work = w->given.count > 0;
    if (has_work)
        w->state = FLOWSHOP_WORKING;
    pthread_mutex_unlock(&p->lock);
    if (has_work) {
        int64_t count = w->is_gpu ? w->given.count : 1;
        w->given.count -= count;
        w->ops->unfold(w->x, &w->given.items[w->given.count], count);
    }
    return has_work;
}

// Ends the search, since the device of this worker has failed.
static void fail(flowshop_workers *p, flowshop_worker *w)
{
    pthread_mutex_lock(&p->lock);
    if (p->failure == MCO_OK)
        p->failure = w->ops->failure(w->x, &p->failure_text);
    atomic_store(&p->search.must_stop, true);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void flowshop_workers_work(void *workers, int index)
{
    flowshop_workers *p = workers;
    flowshop_worker *w = &p->workers[index];
    while (!flowshop_workers_must_stop(p) && next_work(p, w)) {
        flowshop_progress progress;
        for (;;) {
            progress = w->ops->explore(w->x, p->batch_nodes);
            if (progress != FLOWSHOP_WORK_LEFT || flowshop_workers_must_stop(p))
                break;
            if (is_wanted(p))
                answer(p, w);
        }
        if (progress == FLOWSHOP_WORK_FAILED)
            fail(p, w);
    }
    // The last note includes what this worker was given and has not begun. A note that is being taken at this moment is
    // not used, because the search ends.
    pthread_mutex_lock(&p->lock);
    write_note_locked(p, w);
    w->device_s = w->ops->device_s != NULL ? w->ops->device_s(w->x) : 0;
    pthread_mutex_unlock(&p->lock);
}

// ---- Exchange with a larger search

bool flowshop_workers_are_idle(flowshop_workers *p)
{
    pthread_mutex_lock(&p->lock);
    const bool are_idle = p->waiting == p->count && p->taken == p->queue->count && p->gift.count == 0;
    pthread_mutex_unlock(&p->lock);
    return are_idle;
}

mco_status flowshop_workers_take(flowshop_workers *p, const flowshop_intervals *work)
{
    mco_status st = MCO_OK;
    pthread_mutex_lock(&p->lock);
    assert(!p->is_noting);
    if (p->taken == p->queue->count)
        p->taken = p->queue->count = 0;
    MCO_TRY(flowshop_intervals_reserve(p->run->ctx, p->queue, p->queue->count + work->count));
    for (int64_t i = 0; i < work->count; i++)
        flowshop_interval_copy(&work->items[i], flowshop_intervals_push(p->queue));
    for (int i = 0; i < p->count && !flowshop_workers_must_stop(p); i++) {
        flowshop_worker *w = &p->workers[i];
        if (w->state != FLOWSHOP_WAITING)
            continue;
        take_queued_locked(p, w);
        if (w->given.count > 0)
            end_waiting_locked(p, w);
    }
done:
    pthread_mutex_unlock(&p->lock);
    return st;
}

void flowshop_workers_want_gift(flowshop_workers *p, bool is_wanted)
{
    pthread_mutex_lock(&p->lock);
    const int64_t queued = p->queue->count - p->taken;
    if (!is_wanted || p->gift.count > 0) {
        end_wish_locked(p);
    } else if (queued > 0) {
        for (int64_t i = 0; i < (queued + 1) / 2 && p->gift.count < p->gift.room; i++)
            flowshop_interval_copy(&p->queue->items[p->taken++], flowshop_intervals_push(&p->gift));
        end_wish_locked(p);
    } else if (!p->wants_gift) {
        p->wants_gift = true;
        atomic_fetch_add(&p->wanted, 1);
    }
    flowshop_workers_call_locked(p);
    pthread_mutex_unlock(&p->lock);
}

void flowshop_workers_lower(flowshop_workers *p, int64_t makespan)
{
    pthread_mutex_lock(&p->found_lock);
    if (makespan < atomic_load(&p->search.incumbent))
        atomic_store(&p->search.incumbent, makespan);
    if (p->found_makespan >= makespan)
        p->found_makespan = -1;
    pthread_mutex_unlock(&p->found_lock);
}

// ---- Creation

static int64_t batch_nodes(const flowshop_run *run)
{
    const double n = run->shop->jobs, m = run->shop->machines;
    double operations = 2 * n * m;
    if (run->bound == MCO_FLOWSHOP_BOUND_LB2)
        operations += n * n * m * (m - 1);
    double nodes = (double)BATCH_OPERATIONS / operations;
    return nodes < 1 ? 1 : nodes > BATCH_NODES ? BATCH_NODES : (int64_t)nodes;
}

static mco_status create_worker(flowshop_workers *p, const flowshop_worker_kind *kind, flowshop_worker *w)
{
    mco_status st = MCO_OK;
    mco_context *ctx = p->run->ctx;
    w->ops = kind->ops;
    w->is_gpu = kind->gpu != NULL;
    w->power = w->is_gpu ? GPU_POWER : 1;
    MCO_TRY(w->ops->create(ctx, &p->search, kind->gpu, &w->x));
    const int64_t held = w->ops->room(w->x), queued = w->is_gpu ? held : p->gpu_count > 0 ? CORE_QUEUE : 1;
    w->given.jobs = w->rest.jobs = p->search.shop->jobs;
    MCO_TRY(flowshop_intervals_reserve(ctx, &w->given, queued));
    MCO_TRY(flowshop_intervals_reserve(ctx, &w->rest, held + queued));
    MCO_TRY(mco_alloc(ctx, &w->children_by_depth, p->cells));
done:
    return st;
}

static mco_status create_explorers(flowshop_workers *p)
{
    mco_status st = MCO_OK;
    mco_context *ctx = p->run->ctx;
    MCO_TRY(mco_alloc(ctx, &p->workers, p->count));
    MCO_TRY(mco_alloc(ctx, &p->found_order, p->search.shop->jobs));
    for (int i = 0; i < p->count; i++) {
        assert(i == 0 || p->leg->workers[i].gpu == NULL || p->leg->workers[i - 1].gpu != NULL);
        p->gpu_count += p->leg->workers[i].gpu != NULL;
    }
    for (int i = 0; i < p->count; i++) {
        MCO_TRY(create_worker(p, &p->leg->workers[i], &p->workers[i]));
        p->total_power += p->workers[i].power;
        MCO_TRY(flowshop_intervals_reserve(ctx, &p->gift, p->leg->exchange != NULL ? p->workers[i].given.room : 0));
    }
done:
    return st;
}

static void destroy_explorers(flowshop_workers *p)
{
    mco_context *ctx = p->run->ctx;
    for (int i = 0; i < p->leg->count && p->workers != NULL; i++) {
        flowshop_worker *w = &p->workers[i];
        mco_free(ctx, &w->children_by_depth);
        flowshop_intervals_clear(ctx, &w->rest);
        flowshop_intervals_clear(ctx, &w->given);
        if (w->x != NULL)
            w->ops->destroy(ctx, &w->x);
    }
    flowshop_intervals_clear(ctx, &p->gift);
    mco_free(ctx, &p->found_order);
    mco_free(ctx, &p->workers);
}

mco_status flowshop_workers_create(flowshop_run *run, flowshop_checkpoint *state, flowshop_leg *leg,
                                   flowshop_workers *p)
{
    *p = (flowshop_workers){.run = run, .base = state, .queue = &state->open, .leg = leg, .gift.jobs = run->shop->jobs, .count = leg->count, .found_makespan = -1};
    p->cells = ((int64_t)run->shop->jobs + 1) * flowshop_children_columns(run->shop->jobs);
    p->base_nodes = flowshop_search_nodes(state);
    p->batch_nodes = batch_nodes(run);
    p->search = (flowshop_search){.shop = run->shop, .bound = run->bound, .branching = run->branching,
                                  .rule_bound = state->rule_bound, .johnson = leg->johnson, .found = found};
    atomic_init(&p->search.incumbent, run->upper_bound);
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->found_lock, NULL);
    mco_clock_condition(&p->changed);
    return create_explorers(p);
}

void flowshop_workers_destroy(flowshop_workers *p)
{
    destroy_explorers(p);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->found_lock);
    pthread_mutex_destroy(&p->lock);
}
