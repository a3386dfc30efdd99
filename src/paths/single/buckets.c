// SPDX-License-Identifier: MIT
// One tree by a queue of buckets, on one core or on many.
//
// The bucket of least index is emptied: each of its pairs (distance, vertex) that is not stale relaxes the arcs of its vertex. Pairs
// that fall into the same bucket are taken as well, so labels are correct when the bucket is empty: a later pair has a greater
// distance, and weights are not negative. Within a bucket a vertex may be taken several times (label-correcting).
//
// Many cores: each tile of 2^TILE_BITS successive places has an owner, who alone writes the labels there and has their pairs in a
// queue of its own. An arc into the tile of another owner makes a letter (distance, vertex). Workers meet after each bucket. Then
// each reads its letters, and the least index of all queues and letters is the next bucket, perhaps the same once more.
// Distances are exact for any number of workers: a bucket is over when nobody has a pair or a letter of it.
//
// Narrow buckets: a meeting takes as long as some hundred pairs. Where the last buckets had fewer, the last worker to arrive takes all
// pairs into its own queue and empties buckets alone, until they are wide again; then it gives the pairs back to their owners.
// The others wait at the meeting, so labels have one writer at a time as before.
//
// Memory: the pool has room for two pairs a vertex and for the buckets that are partly filled. When it is empty, pairs are
// dropped, and the workers make their queues anew from the labels: every label from the current bucket on is a pair. Lost letters
// come from vertices of the current bucket, which relax their arcs once more.
//
// Waits: a worker waits for the others at the end of a bucket. Each of them arrives, because a bucket ends: a label falls finitely
// often. The buckets that one worker empties alone end for the same reason. A worker that sees `is_stopped` leaves its bucket within a chunk.
//
// The reference is paths_ref_tree().
#include "paths/single/queue.h"
#include "paths/single/search.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/team.h"

enum {
    FAR = 24, NEAR = 6,     // pairs between the prefetch of a row of arcs, or of the labels of its heads, and their use
    AHEAD = 6,              // pairs of a chunk that wait for the next chunk
    LINE_ROOM = AHEAD + CHUNK_PAIRS,
    PREFETCHED_HEADS = 4,   // of a row
    LARGE = 1 << 18,        // vertices; labels of fewer stay in a core's cache of 1 MB
    TILE_BITS = 12,
    POLL = 1 << 13,         // pairs between two looks at the run: about 0.3 ms
    SPINS = 1 << 6,          // looks at the meeting before a worker offers its core to others
    WINDOW = 128,            // buckets between two looks at their mean width
    NARROW = 128, WIDE = 256, // pairs of a bucket in the mean: fewer are for one worker, more are for all; see paths/NOTES.md
    NAP_NS = 20000           // of a worker that waits for one that works alone
};

typedef enum phase { PHASE_BUCKET, PHASE_REBUILD, PHASE_END } phase;

typedef struct paths_buckets paths_buckets;

typedef struct worker {
    paths_buckets *all;
    bool is_caller;          // the thread that owns the run
    int64_t until_poll;
    int32_t least;           // index of a pair of the queue or of a letter since the last meeting; NO_BUCKET: none
    int32_t least_letter;
    // [2][workers] letters to each worker, as lists of pairs. Letters written before an even meeting are read while those before
    // the next, odd one are written.
    uint64_t **letters;
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
    uint64_t **letters;      // [threads asked for][2][threads asked for]
    uint16_t *owner;         // [tiles]
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
    int64_t largest, rounds, meetings;
    int64_t window_rounds, window_taken;  // of all, when the window began
    atomic_bool is_alone;    // one worker empties buckets, the others nap
};

static inline void pause_core(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// ---- Labels

// The owner writes, others read: every access is atomic, which costs nothing.
static inline int32_t label_of(const int32_t *label, int32_t vertex)
{
    return __atomic_load_n(&label[vertex], __ATOMIC_RELAXED);
}

static inline void set_label(int32_t *label, int32_t vertex, int32_t to)
{
    __atomic_store_n(&label[vertex], to, __ATOMIC_RELAXED);
}

static inline unsigned parity_of(const paths_buckets *b)
{
    return atomic_load_explicit(&b->meeting, memory_order_relaxed) & 1;
}

// ---- A bucket

// Lowers a label that this worker owns.
static inline void lower(worker *w, int32_t vertex, int32_t to)
{
    int32_t *const label = w->all->label;
    const int32_t old = label_of(label, vertex);
    set_label(label, vertex, to < old ? to : old);
    bucket_queue_push_if(&w->queue, to, vertex, to < old);
}

// Tells the owner of another tile.
static void write_letter(worker *w, int32_t vertex, int32_t to)
{
    const paths_buckets *b = w->all;
    if (to >= label_of(b->label, vertex))
        return;
    uint64_t **tail = &w->letters[(int64_t)parity_of(b) * b->present + b->owner[vertex >> TILE_BITS]];
    if (pair_list_is_full(*tail) && !bucket_queue_extend(&w->queue, tail))
        return;
    *(*tail)++ = pair_of(to, vertex);
    w->least_letter = to >> b->shift < w->least_letter ? to >> b->shift : w->least_letter;
}

static void take_letters(worker *w, uint64_t **tail)
{
    chunk *c = pair_list_take(tail);
    while (c != NULL) {
        chunk *next = c->next;
        for (int64_t i = 0; i < c->count; i++)
            lower(w, (int32_t)c->pair[i], (int32_t)(c->pair[i] >> 32));
        bucket_queue_release(&w->queue, c);
        c = next;
    }
}

// Reads the letters to this worker that were written before the last meeting.
static void read_letters(worker *w)
{
    paths_buckets *b = w->all;
    const int32_t own = (int32_t)(w - b->worker);
    for (int32_t k = 0; k < b->present; k++)
        take_letters(w, &b->worker[k].letters[(int64_t)(parity_of(b) ^ 1) * b->present + own]);
}

// Relaxes the arcs of a vertex.
static inline void relax(worker *w, int32_t vertex, int32_t distance, bool is_shared)
{
    const paths_buckets *b = w->all;
    const paths_arc *arc = b->base.layout->arc + b->base.layout->first[vertex];
    const paths_arc *const end = b->base.layout->arc + b->base.layout->first[vertex + 1];
    w->counts.relaxed += end - arc;
    for (; arc < end; arc++) {
        const int32_t next = distance + arc->weight;  // below 2^31: both are below 2^30
        const bool is_near = !is_shared || arc->head >> TILE_BITS == vertex >> TILE_BITS;
        if (is_near || b->owner[arc->head >> TILE_BITS] == b->owner[vertex >> TILE_BITS])
            lower(w, arc->head, next);
        else
            write_letter(w, arc->head, next);
    }
}

// Copies the next chunk of the bucket behind the pairs that wait, and asks for what they need first. Returns the number of pairs.
static int load_line(worker *w, int waiting)
{
    const paths_layout *layout = w->all->base.layout;
    chunk *c = bucket_queue_take(&w->queue);
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

// Asks for the labels of the first heads of a row, whose arcs are here.
static inline void prefetch_heads(const paths_layout *layout, const int32_t *label, int32_t vertex)
{
    const int32_t last = layout->arcs - PREFETCHED_HEADS, begin = layout->first[vertex];
    const paths_arc *arc = &layout->arc[begin < last ? begin : last];
    for (int k = 0; k < PREFETCHED_HEADS; k++)
        __builtin_prefetch(&label[arc[k].head]);
}

static inline void prefetch_row(const paths_layout *layout, int32_t vertex)
{
    __builtin_prefetch(&layout->arc[layout->first[vertex]]);
}

// Takes the first `count` pairs of the line. Stale pairs leave first, without a branch: whether a pair is stale is hard to foresee.
static inline void take_line(worker *w, int count, bool is_shared)
{
    const paths_layout *layout = w->all->base.layout;
    const int32_t *const label = w->all->label;
    const bool is_large = layout->vertices > LARGE && layout->arcs >= PREFETCHED_HEADS;
    uint64_t valid[LINE_ROOM];
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const uint64_t pair = w->line[k];
        valid[kept] = pair;
        kept += label_of(label, (int32_t)pair) == (int32_t)(pair >> 32);
    }
    w->counts.settled += kept;
    for (int k = 0; k < FAR && k < kept; k++)
        prefetch_row(layout, (int32_t)valid[k]);
    for (int k = 0; k < kept; k++) {
        if (k + FAR < kept)
            prefetch_row(layout, (int32_t)valid[k + FAR]);
        if (is_large && k + NEAR < kept)
            prefetch_heads(layout, label, (int32_t)valid[k + NEAR]);
        const int32_t vertex = (int32_t)valid[k];
        if (paths_may_pass(layout, vertex, w->all->source))
            relax(w, vertex, (int32_t)(valid[k] >> 32), is_shared);
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
        take_line(w, count, is_shared);
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

// ---- One worker alone, while the others wait at a meeting

static int64_t count_taken(const paths_buckets *b)
{
    int64_t taken = 0;
    for (int32_t k = 0; k < b->present; k++)
        taken += b->worker[k].counts.taken;
    return taken;
}

static void begin_window(paths_buckets *b)
{
    b->window_rounds = b->rounds;
    b->window_taken = count_taken(b);
}

// Whether the last window is over, and its buckets had few pairs.
static bool is_narrow(paths_buckets *b)
{
    if (b->present == 1 || b->rounds - b->window_rounds < WINDOW)
        return false;
    const bool is_so = count_taken(b) - b->window_taken < (int64_t)NARROW * WINDOW;
    begin_window(b);
    return is_so;
}

// Moves the pairs of a list that are not stale to the queues of their owners, or all to `alone`. Returns how many it took.
static int64_t move_list(paths_buckets *b, chunk *c, bucket_queue *from, bucket_queue *alone)
{
    int64_t taken = 0;
    while (c != NULL) {
        chunk *next = c->next;
        for (int64_t i = 0; i < c->count; i++) {
            const int32_t distance = (int32_t)(c->pair[i] >> 32), vertex = (int32_t)c->pair[i];
            bucket_queue *to = alone != NULL ? alone : &b->worker[b->owner[vertex >> TILE_BITS]].queue;
            if (label_of(b->label, vertex) == distance)
                bucket_queue_push(to, distance, vertex);
        }
        taken += c->count;
        bucket_queue_release(from, c);
        c = next;
    }
    return taken;
}

// Empties a queue into `alone`, or into those of the owners if that is NULL. The receivers are at the same bucket.
static void move_pairs(paths_buckets *b, bucket_queue *from, bucket_queue *alone)
{
    uint64_t *tail[LEVELS][SLOTS];
    memcpy(tail, from->tail, sizeof tail);
    memset(from->tail, 0, sizeof from->tail);
    memset(from->used, 0, sizeof from->used);
    for (int level = 0; level < LEVELS; level++)
        for (int32_t slot = 0; slot < SLOTS; slot++)
            from->taken += move_list(b, pair_list_take(&tail[level][slot]), from, alone);
}

static void gather(worker *w)
{
    paths_buckets *b = w->all;
    for (int32_t k = 0; k < b->present; k++) {
        worker *other = &b->worker[k];
        if (other != w)
            move_pairs(b, &other->queue, &w->queue);
        for (int32_t to = 0; to < b->present; to++)
            take_letters(w, &other->letters[(int64_t)parity_of(b) * b->present + to]);
    }
}

static bool any_is_full(const paths_buckets *b)
{
    bool is_full = false;
    for (int32_t k = 0; k < b->present; k++)
        is_full |= b->worker[k].queue.is_full;
    return is_full;
}

// Empties buckets until the last ones were wide, none is left, memory is short, or the search must stop.
static void empty_buckets(worker *w)
{
    paths_buckets *b = w->all;
    begin_window(b);
    while (!is_stopped(b) && !w->queue.is_full) {
        const int32_t least = bucket_queue_least(&w->queue);
        if (least == NO_BUCKET)
            return;
        b->current = least;
        bucket_queue_enter(&w->queue, least);
        empty_bucket_alone(w);
        b->rounds++;
        const int64_t taken = count_taken(b) - b->window_taken;
        if (taken > (int64_t)WIDE * WINDOW)
            return;
        if (b->rounds - b->window_rounds >= WINDOW)
            begin_window(b);
    }
}

// Does the work of all workers, each of whom has arrived at a meeting. Afterwards all queues are at the current bucket, and no letter waits.
static void work_alone(worker *w)
{
    paths_buckets *b = w->all;
    atomic_store_explicit(&b->is_alone, true, memory_order_relaxed);
    gather(w);
    if (!any_is_full(b))
        empty_buckets(w);
    for (int32_t k = 0; k < b->present; k++)
        bucket_queue_enter(&b->worker[k].queue, b->current);
    if (!any_is_full(b))
        move_pairs(b, &w->queue, NULL);
    for (int32_t k = 0; k < b->present; k++)
        b->worker[k].least = bucket_queue_least(&b->worker[k].queue);
    begin_window(b);
    atomic_store_explicit(&b->is_alone, false, memory_order_relaxed);
}

// ---- Meetings

// What comes next, by the last who arrives.
static void decide(worker *last)
{
    paths_buckets *b = last->all;
    int32_t least = NO_BUCKET;
    int64_t live = 0;
    bool is_full = false;
    b->rounds++;
    b->meetings++;
    if (is_narrow(b) && !is_stopped(b) && !any_is_full(b))
        work_alone(last);
    for (int32_t k = 0; k < b->present; k++) {
        const worker *w = &b->worker[k];
        least = w->least < least ? w->least : least;
        live += w->queue.pushed - w->queue.taken;
        is_full |= w->queue.is_full;
    }
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
    const int32_t least = bucket_queue_least(&w->queue);
    w->least = least < w->least_letter ? least : w->least_letter;
    w->least_letter = NO_BUCKET;
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->present) {
        decide(w);
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
        if (atomic_load_explicit(&b->is_alone, memory_order_relaxed))
            (void)nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        else
            sched_yield();
    }
}

static void reset_worker(worker *w)
{
    bucket_queue_reset(&w->queue, w->all->shift, w->all->current);
    memset(w->letters, 0, 2 * (size_t)w->all->present * sizeof *w->letters);
    w->least_letter = NO_BUCKET;
}

// Makes the queue anew from the labels that this worker owns. Labels below the current bucket have relaxed their arcs.
static void rebuild(worker *w)
{
    const paths_buckets *b = w->all;
    const int32_t own = (int32_t)(w - b->worker);
    reset_worker(w);
    for (int32_t v = 0; v < b->base.layout->vertices; v++) {
        if (b->owner[v >> TILE_BITS] != own) {
            v |= (1 << TILE_BITS) - 1;
            continue;
        }
        const int32_t label = label_of(b->label, v);
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
        meet(w);
        if (b->phase == PHASE_END)
            return;
        if (b->phase == PHASE_REBUILD) {
            rebuild(w);
            continue;
        }
        bucket_queue_enter(&w->queue, b->current);
        if (b->present > 1) {
            read_letters(w);
            empty_bucket_shared(w);
        } else {
            empty_bucket_alone(w);
        }
    }
}

// ---- A tree

static void begin_tree(paths_buckets *b, mco_run *run, int32_t source, int32_t *distance)
{
    b->run = run;
    b->source = source;
    b->label = distance;
    b->current = 0;
    b->largest = b->rounds = b->meetings = b->window_rounds = b->window_taken = 0;
    atomic_store_explicit(&b->is_stopped, run != NULL && mco_run_must_stop(run, 0), memory_order_relaxed);
    chunk_pool_reset(&b->pool);
    for (int32_t k = 0; k < b->present; k++) {
        worker *w = &b->worker[k];
        w->until_poll = POLL;
        w->counts = (paths_counts){0};
        reset_worker(w);
    }
    distance[source] = 0;
    bucket_queue_push(&b->worker[b->owner[source >> TILE_BITS]].queue, 0, source);
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
    counts->meetings = b->meetings;
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
    mco_free(ctx, &b->owner);
    mco_free(ctx, &b->letters);
    mco_free(ctx, &b->worker);
    chunk_pool_clear(ctx, &b->pool);
}

// The mean of the weights up to `most`; the greatest of them.
static double mean_weight(const paths_layout *layout, double most, int32_t *greatest)
{
    double sum = 0;
    int64_t count = 0;
    *greatest = 0;
    for (int32_t a = 0; a < layout->arcs; a++) {
        const int32_t weight = layout->arc[a].weight;
        if (weight > most)
            continue;
        sum += weight;
        count++;
        *greatest = weight > *greatest ? weight : *greatest;
    }
    return count > 0 ? sum / (double)count : 0;
}

// The width is the power of two next to a quarter of the mean weight: see paths/NOTES.md. Weights far above the mean are left out, a few
// times at most: a network may state a huge weight for a street that is closed.
static int32_t choose_shift(const paths_layout *layout)
{
    enum { PASSES = 4 };
    static const double FAR_ABOVE = 64;  // times the mean
    int32_t shift = 0, greatest = 0;
    double mean = mean_weight(layout, MCO_PATHS_NONE, &greatest);
    for (int pass = 1; pass < PASSES && greatest > FAR_ABOVE * mean; pass++)
        mean = mean_weight(layout, FAR_ABOVE * mean, &greatest);
    while (mean / 4 >= 1.5 * (double)(1 << shift))
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
    // Two pairs for each vertex; for each worker a chunk that is not full for each bucket and each list of letters, and what it
    // keeps free.
    const int64_t open = layout->vertices < LEVELS * SLOTS ? layout->vertices : LEVELS * SLOTS;
    const int64_t chunks = 2 * ((int64_t)layout->vertices / CHUNK_PAIRS + 1) + threads * (open + 2 * MOST_FREE_CHUNKS + 2 * threads);
    MCO_TRY(mco_alloc(ctx, &b, 1));
    b->base = (paths_search){layout, buckets_tree, buckets_close};
    b->shift = choose_shift(layout);
    MCO_TRY(mco_alloc(ctx, &b->worker, threads));
    MCO_TRY(mco_alloc(ctx, &b->letters, 2 * (int64_t)threads * threads));
    MCO_TRY(mco_alloc(ctx, &b->owner, ((int64_t)layout->vertices >> TILE_BITS) + 1));
    MCO_TRY(chunk_pool_make(ctx, chunks, &b->pool));
    for (int32_t k = 0; k < threads; k++) {
        b->worker[k].all = b;
        b->worker[k].queue.pool = &b->pool;
        b->worker[k].letters = b->letters + 2 * (int64_t)threads * k;
    }
    MCO_TRY(mco_team_open(ctx, threads, false, &b->team));
    b->present = b->team.started + 1;
    for (int32_t k = 0; k <= layout->vertices >> TILE_BITS; k++)
        b->owner[k] = (uint16_t)(k % b->present);
    *out = &b->base;
done:
    if (st != MCO_OK && b != NULL) {
        buckets_close(ctx, &b->base);
        mco_free(ctx, &b);
    }
    return st;
}
