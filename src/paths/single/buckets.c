// SPDX-License-Identifier: MIT
// One tree by a queue of buckets, on one core or on many.
//
// The bucket of least index is emptied: each of its pairs (distance, vertex) that is not stale relaxes the arcs of its vertex. Pairs
// that fall into the same bucket are taken as well, so labels are correct when the bucket is empty: a later pair has a greater
// distance, and weights are not negative. Within a bucket a vertex may be taken several times (label-correcting).
//
// Many cores: labels are shared and fall by an atomic minimum. Each worker has a queue of its own, which takes the pairs that it
// pushes. The pairs that lie in the current bucket when it begins are shared chunk by chunk; those that are pushed into it later
// stay with their worker. Workers meet after each bucket, and the last to arrive finds the next one: the least of all queues.
// Labels are exact for any number of workers: whoever lowers a label pushes a pair, and a bucket ends when nobody has one.
//
// Memory: the pool has room for two pairs a vertex and for the buckets that are partly filled. When it is empty, pairs are
// dropped, and the workers make their queues anew from the labels: every label from the current bucket on is a pair.
//
// Waits: a worker waits for the others at the end of a bucket. Each of them arrives, because a bucket ends: a label falls finitely
// often. A worker that sees `is_stopped` leaves its bucket within a chunk.
//
// The reference is paths_ref_tree().
#include "paths/single/queue.h"
#include "paths/single/search.h"

#include <sched.h>
#include <string.h>

#include "base/team.h"

enum {
    AHEAD = 6,              // pairs between the prefetch of a row of arcs and its use
    POLL = 1 << 13,         // pairs between two looks at the run: about 0.3 ms
    SPINS = 1 << 10,        // looks at the meeting before a worker offers its core to others
    LINE_ROOM = AHEAD + CHUNK_PAIRS
};

typedef enum phase { PHASE_BUCKET, PHASE_REBUILD, PHASE_END } phase;

// What a worker offers to all for the bucket after the next meeting.
typedef struct offer {
    int32_t least;           // of its queue; see bucket_queue_least()
    _Atomic(chunk *) chunks; // the list of that bucket, which shrinks only; NULL: nothing
} offer;

typedef struct paths_buckets paths_buckets;

typedef struct worker {
    paths_buckets *all;
    bool is_caller;          // the thread that owns the run
    int64_t until_poll;
    offer offers[2];         // of even and of odd meetings: a late thief still reads the one while the other is written
    paths_counts counts;
    bucket_queue queue;
    uint64_t line[LINE_ROOM];  // pairs of the bucket that are next
} worker;

struct paths_buckets {
    paths_search base;
    int32_t shift;           // a bucket has 2^shift distances
    chunk_pool pool;
    mco_team team;
    worker *worker;          // [threads asked for]
    // Of one tree:
    mco_run *run;
    int32_t source;
    int32_t *label;
    int32_t present;         // workers that take part
    atomic_bool is_stopped;
    // Of one meeting; the last to arrive writes all but the first two.
    atomic_int arrived;
    atomic_uint meeting;     // number of meetings so far
    phase phase;
    int32_t current;
    int64_t largest, rounds;
};

static inline void pause_core(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// ---- Labels

static inline int32_t label_of(const int32_t *label, int32_t vertex, bool is_shared)
{
    return is_shared ? __atomic_load_n(&label[vertex], __ATOMIC_RELAXED) : label[vertex];
}

// Lowers a label; false if it is as low already. The loop ends: each turn saw a lower label than the one before.
static inline bool lower(int32_t *label, int32_t vertex, int32_t to, bool is_shared)
{
    int32_t old = label_of(label, vertex, is_shared);
    if (to >= old)
        return false;
    if (!is_shared) {
        label[vertex] = to;
        return true;
    }
    while (!__atomic_compare_exchange_n(&label[vertex], &old, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        if (to >= old)
            return false;
    return true;
}

// ---- A bucket

static inline void take_pair(worker *w, uint64_t pair, bool is_shared)
{
    const paths_layout *layout = w->all->base.layout;
    int32_t *const label = w->all->label;
    const int32_t vertex = (int32_t)pair, distance = (int32_t)(pair >> 32);
    if (label_of(label, vertex, is_shared) != distance)
        return;
    w->counts.settled++;
    if (!paths_may_pass(layout, vertex, w->all->source))
        return;
    const paths_arc *arc = layout->arc + layout->first[vertex], *const end = layout->arc + layout->first[vertex + 1];
    w->counts.relaxed += end - arc;
    for (; arc < end; arc++) {
        const int32_t next = distance + arc->weight;  // below 2^31: both are below 2^30
        if (lower(label, arc->head, next, is_shared))
            bucket_queue_push(&w->queue, next, arc->head);
    }
}

// A chunk of the bucket that an offer holds; NULL: none is left. A chunk comes back to a list at a meeting at the earliest, so an
// unchanged first chunk means an unchanged list. The loop ends: a failure means that another worker has taken a chunk.
static chunk *take_offered(offer *from)
{
    chunk *c = atomic_load_explicit(&from->chunks, memory_order_relaxed);
    while (c != NULL &&
           !atomic_compare_exchange_weak_explicit(&from->chunks, &c, atomic_load_explicit(&c->next, memory_order_relaxed),
                                                  memory_order_relaxed, memory_order_relaxed)) {}
    return c;
}

// The next chunk of the current bucket: what was pushed just now, one's own share, then those of others. NULL: none.
static chunk *next_chunk(worker *w)
{
    paths_buckets *b = w->all;
    const unsigned parity = atomic_load_explicit(&b->meeting, memory_order_relaxed) & 1;
    const int32_t own = (int32_t)(w - b->worker);
    chunk *c = bucket_queue_take(&w->queue);
    for (int32_t k = 0; k < b->present && c == NULL; k++) {
        offer *from = &b->worker[own + k < b->present ? own + k : own + k - b->present].offers[parity];
        if (from->least == b->current)
            c = take_offered(from);
    }
    return c;
}

// Copies a chunk behind the pairs that wait, and asks for what they need first. Returns the number of pairs.
static int load_line(worker *w, int waiting)
{
    const paths_layout *layout = w->all->base.layout;
    chunk *c = next_chunk(w);
    if (c == NULL)
        return waiting;
    const int count = (int)c->count;
    for (int k = 0; k < count; k++) {
        const int32_t vertex = (int32_t)c->pair[k];
        __builtin_prefetch(&w->all->label[vertex]);
        __builtin_prefetch(&layout->first[vertex]);
        w->line[waiting + k] = c->pair[k];
    }
    bucket_queue_release(&w->queue, c);
    w->queue.taken += count;
    w->counts.taken += count;
    w->until_poll -= count;
    return waiting + count;
}

static void poll(worker *w)
{
    paths_buckets *b = w->all;
    w->until_poll = POLL;
    if (w->is_caller && b->run != NULL && mco_run_must_stop(b->run, w->counts.settled))
        atomic_store_explicit(&b->is_stopped, true, memory_order_relaxed);
}

static bool is_stopped(const paths_buckets *b)
{
    return atomic_load_explicit(&b->is_stopped, memory_order_relaxed);
}

// Takes the first `count` pairs of the line; it holds `loaded`.
static inline void take_line(worker *w, int count, int loaded, bool is_shared)
{
    const paths_layout *layout = w->all->base.layout;
    for (int k = 0; k < count; k++) {
        if (k + AHEAD < loaded)
            __builtin_prefetch(&layout->arc[layout->first[(uint32_t)w->line[k + AHEAD]]]);
        take_pair(w, w->line[k], is_shared);
    }
}

// Empties the current bucket. The last AHEAD pairs of a chunk wait for the next chunk, so that prefetches lead across.
static inline void empty_bucket(worker *w, bool is_shared)
{
    for (int loaded = 0; !is_stopped(w->all);) {
        const int waiting = loaded;
        loaded = load_line(w, waiting);
        if (loaded == 0)
            return;
        const int count = loaded == waiting ? loaded : loaded > AHEAD ? loaded - AHEAD : 0;
        take_line(w, count, loaded, is_shared);
        loaded -= count;
        memmove(w->line, w->line + count, (size_t)loaded * sizeof *w->line);
        if (w->until_poll <= 0)
            poll(w);
    }
}

static void empty_bucket_alone(worker *w)
{
    empty_bucket(w, false);
}

static void empty_bucket_shared(worker *w)
{
    empty_bucket(w, true);
}

// ---- Meetings

// Offers what the queue has for the next bucket.
static void offer_next(worker *w)
{
    offer *o = &w->offers[(atomic_load_explicit(&w->all->meeting, memory_order_relaxed) + 1) & 1];
    bool is_exact;
    o->least = bucket_queue_least(&w->queue, &is_exact);
    chunk *c = is_exact && o->least != NO_BUCKET ? bucket_queue_detach(&w->queue, 0, o->least & (SLOTS - 1)) : NULL;
    atomic_store_explicit(&o->chunks, c, memory_order_relaxed);
}

// The others have met: begins the bucket. An offer for a later bucket goes back.
static void accept(worker *w)
{
    offer *o = &w->offers[atomic_load_explicit(&w->all->meeting, memory_order_relaxed) & 1];
    chunk *c = atomic_load_explicit(&o->chunks, memory_order_relaxed);
    if (o->least != w->all->current && c != NULL)
        bucket_queue_attach(&w->queue, 0, o->least & (SLOTS - 1), c);
    bucket_queue_enter(&w->queue, w->all->current);
}

// What comes next, by the last who arrives.
static void decide(paths_buckets *b)
{
    const unsigned parity = (atomic_load_explicit(&b->meeting, memory_order_relaxed) + 1) & 1;
    int32_t least = NO_BUCKET;
    int64_t live = 0;
    bool is_full = false;
    for (int32_t k = 0; k < b->present; k++) {
        const worker *w = &b->worker[k];
        least = w->offers[parity].least < least ? w->offers[parity].least : least;
        live += w->queue.pushed - w->queue.taken;
        is_full |= w->queue.is_full;
    }
    b->rounds++;
    b->largest = live > b->largest ? live : b->largest;
    b->phase = is_full ? PHASE_REBUILD : PHASE_BUCKET;
    if (is_stopped(b) || (least == NO_BUCKET && !is_full))
        b->phase = PHASE_END;
    else if (is_full)
        chunk_pool_reset(&b->pool);
    else
        b->current = least;
}

static void meet(worker *w)
{
    paths_buckets *b = w->all;
    const unsigned meeting = atomic_load_explicit(&b->meeting, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->present) {
        decide(b);
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&b->meeting, meeting + 1, memory_order_release);
        return;
    }
    // Ends when the last worker arrives, which each of them does: see the head of the file.
    for (int spins = 0; atomic_load_explicit(&b->meeting, memory_order_acquire) == meeting;) {
        if (++spins < SPINS) {
            pause_core();
            continue;
        }
        spins = 0;
        poll(w);
        sched_yield();
    }
}

// Makes the queue anew from this worker's share of the labels. Labels below the current bucket have relaxed their arcs.
static void rebuild(worker *w)
{
    const paths_buckets *b = w->all;
    const int64_t n = b->base.layout->vertices, own = w - b->worker;
    const int32_t begin = (int32_t)(n * own / b->present), end = (int32_t)(n * (own + 1) / b->present);
    bucket_queue_reset(&w->queue, b->shift, b->current);
    for (int32_t v = begin; v < end; v++) {
        const int32_t label = label_of(b->label, v, true);
        if (label != MCO_PATHS_NONE && label >> b->shift >= b->current)
            bucket_queue_push(&w->queue, label, v);
    }
}

static void work(void *shared, int thread, int64_t item)
{
    paths_buckets *b = shared;
    worker *w = &b->worker[item];
    w->is_caller = thread == b->team.workers - 1;
    for (;;) {
        offer_next(w);
        meet(w);
        if (b->phase == PHASE_END)
            return;
        if (b->phase == PHASE_REBUILD) {
            rebuild(w);
            continue;
        }
        accept(w);
        if (b->present > 1)
            empty_bucket_shared(w);
        else
            empty_bucket_alone(w);
    }
}

// ---- A tree

static void begin_tree(paths_buckets *b, mco_run *run, int32_t source, int32_t *distance)
{
    b->run = run;
    b->source = source;
    b->label = distance;
    b->current = 0;
    b->largest = b->rounds = 0;
    atomic_store_explicit(&b->is_stopped, run != NULL && mco_run_must_stop(run, 0), memory_order_relaxed);
    chunk_pool_reset(&b->pool);
    for (int32_t k = 0; k < b->present; k++) {
        worker *w = &b->worker[k];
        w->until_poll = POLL;
        w->counts = (paths_counts){0};
        bucket_queue_reset(&w->queue, b->shift, 0);
    }
    distance[source] = 0;
    bucket_queue_push(&b->worker[0].queue, 0, source);
}

static void add_counts(const paths_buckets *b, paths_counts *counts)
{
    for (int32_t k = 0; k < b->present; k++) {
        counts->settled += b->worker[k].counts.settled;
        counts->taken += b->worker[k].counts.taken;
        counts->relaxed += b->worker[k].counts.relaxed;
    }
    counts->largest = b->largest;
    counts->rounds = b->rounds;
}

static mco_status buckets_tree(mco_context *ctx, paths_search *search, mco_run *run, int32_t source, int32_t *distance,
                               paths_counts *counts, int32_t *greatest)
{
    paths_buckets *b = (paths_buckets *)search;
    begin_tree(b, run, source, distance);
    // As many items as workers: none ends before all have begun, so each worker has one.
    mco_team_run(&b->team, b->present, work, NULL, b);
    add_counts(b, counts);
    if (is_stopped(b))
        return mco_fail(ctx, MCO_ERR_STOPPED, "the search ended after %lld labels of %d vertices", (long long)counts->settled,
                        b->base.layout->vertices);
    *greatest = (int32_t)(((int64_t)b->current + 1) * ((int64_t)1 << b->shift) - 1 < MCO_PATHS_NONE
                              ? ((int64_t)b->current + 1) * ((int64_t)1 << b->shift) - 1
                              : MCO_PATHS_NONE - 1);
    return MCO_OK;
}

static void buckets_close(mco_context *ctx, paths_search *search)
{
    paths_buckets *b = (paths_buckets *)search;
    mco_team_close(&b->team);
    mco_free(ctx, &b->worker);
    chunk_pool_clear(ctx, &b->pool);
}

// The width is the power of two next to a quarter of the mean weight.
static int32_t choose_shift(const paths_layout *layout)
{
    double sum = 0;
    for (int32_t a = 0; a < layout->arcs; a++)
        sum += layout->arc[a].weight;
    int32_t shift = 0;
    while (layout->arcs > 0 && sum / layout->arcs / 4 >= 1.5 * (double)(1 << shift))
        shift++;
    return shift;
}

void paths_buckets_set_shift(paths_search *search, int32_t shift)
{
    ((paths_buckets *)search)->shift = shift;
}

mco_status paths_buckets_open(mco_context *ctx, const paths_layout *layout, int32_t threads, paths_search **out)
{
    mco_status st = MCO_OK;
    paths_buckets *b = NULL;
    // Two pairs for each vertex; a chunk that is not full for each bucket of each worker, and what workers keep free.
    const int64_t chunks = 2 * ((int64_t)layout->vertices / CHUNK_PAIRS + 1) + threads * (int64_t)MOST_IDLE_CHUNKS;
    MCO_TRY(mco_alloc(ctx, &b, 1));
    b->base = (paths_search){layout, buckets_tree, buckets_close};
    b->shift = choose_shift(layout);
    MCO_TRY(mco_alloc(ctx, &b->worker, threads));
    MCO_TRY(chunk_pool_make(ctx, chunks, &b->pool));
    for (int32_t k = 0; k < threads; k++) {
        b->worker[k].all = b;
        b->worker[k].queue.pool = &b->pool;
    }
    MCO_TRY(mco_team_open(ctx, threads, false, &b->team));
    b->present = b->team.started + 1;
    *out = &b->base;
done:
    if (st != MCO_OK && b != NULL) {
        buckets_close(ctx, &b->base);
        mco_free(ctx, &b);
    }
    return st;
}
