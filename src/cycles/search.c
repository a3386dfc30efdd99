// SPDX-License-Identifier: MIT
// Depth-first search for chordless cycles on all cores (search.h has the idea; Uno, Satoh 2014, and Dias et al. 2013 the ground).
//
// A worker has a stack of nodes over the rows of one root. It takes the next root when its stack is empty. When no root is left, it
// waits, and a worker with nodes gives it the lower half of its stack: the nodes nearest to the root. Requests are rare, so that
// one lock serves; the walk itself knows nothing of it. The calling thread works alone for a moment first: a small search ends
// without any thread. Then it supervises, and hands full lists to the sink.
// Whether a node is tested for a way between its ends is decided by measurement: both ways are timed now and then on what is to be
// done anyway, and the one that finds more cycles a second goes on.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/team.h"
#include "cycles/search_deal.h"
#include "cycles/search_lists.h"

enum {
    SLICE_EFFORT = 1 << 16,    // nodes between two looks around: less than a millisecond
    SLICE_STEPS = 1 << 12,
    CHECKED_SHARE = 8,         // a slice with tests has an eighth of the nodes
    LIST_BYTES = 1 << 16,
    TRIAL_SLICES = 256         // between two trials of the other way; a trial is two slices, the second of which counts
};
static const double WATCH_S = 0.02;

extern const search_build search_build_portable;
#ifdef MCO_HAVE_AVX512
extern const search_build search_build_avx512, search_build_avx2;
#endif
static const search_build *const BUILDS[] = {
#ifdef MCO_HAVE_AVX512
    &search_build_avx512, &search_build_avx2,
#endif
    &search_build_portable,
};

typedef struct search_buffer {
    uint64_t *rows;
    int64_t count;
    int32_t vertices;
    int32_t *own_vertex;      // [n] room for the vertices of the rows
    const int32_t *vertex;    // of the whole graph
    bool is_handed;           // to the calling thread; guarded by the lock
} search_buffer;

typedef enum search_state { SEARCH_WORKING, SEARCH_WAITING, SEARCH_GIVEN, SEARCH_ENDED } search_state;

typedef struct search_worker {
    search_walker walker;     // must be the first member: flush() converts its address
    struct search_team *team;
    search_root root;
    search_lists lists;
    search_buffer buffers[2];
    int current;              // of the buffers
    search_state state;       // guarded by the lock
    int64_t effort, looked_nodes;
    // The choice of the way: rate[1] with tests.
    double slice_s, rate[2];
    uint64_t slice_cycles;
    int64_t slices;
    uint64_t *stack_memory;   // the stack, behind SEARCH_LANES words that a walker reads and ignores
    uint64_t *list_tally;     // [n + 1] by length, of roots searched by lists
} search_worker;

typedef struct search_team {
    search_block block;
    cycles_job *job;
    search_worker *workers;   // [count]; the first `made` of them have memory
    int count, made;
    bool is_alone;            // no thread runs yet
    search_choice choice;
    double alone_until_s;     // by mco_clock_s()
    uint64_t *untaken;        // [n + 1] tallied cycles that the sink did not take
    atomic_int next_root;
    atomic_int wanted;        // waiting workers; read without the lock
    atomic_bool must_stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int waiting, ended;
    bool is_done;
} search_team;

static bool must_stop(search_team *t)
{
    return atomic_load_explicit(&t->must_stop, memory_order_relaxed);
}

static void stop(search_team *t)
{
    atomic_store_explicit(&t->must_stop, true, memory_order_relaxed);
}

// ---- Lists

static void count_untaken(search_team *t, const search_buffer *b, int64_t from)
{
    const int32_t words = (b->vertices + 63) / 64;
    for (int64_t k = from; k < b->count; k++) {
        int32_t length = 0;
        for (int32_t i = 0; i < words; i++)
            length += __builtin_popcountll(b->rows[k * words + i]);
        t->untaken[length]++;
    }
}

// On the calling thread.
static void give_buffer(search_team *t, search_buffer *b)
{
    cycles_sink *sink = t->job->sink;
    const cycles_block view = {.graph = {.vertices = b->vertices}, .vertex = (int32_t *)(uintptr_t)b->vertex};
    const int64_t before = sink->taken;
    if (b->count == 0)
        return;
    if (!cycles_sink_give(sink, &view, b->rows, b->count))
        stop(t);
    count_untaken(t, b, sink->taken - before);
    b->count = 0;
}

static void hand_over(search_worker *w)
{
    search_team *t = w->team;
    search_buffer *b = &w->buffers[w->current];
    if (t->is_alone) {
        give_buffer(t, b);
        return;
    }
    pthread_mutex_lock(&t->lock);
    b->is_handed = true;
    pthread_cond_broadcast(&t->changed);
    w->current ^= 1;
    // The calling thread empties the buffer, also after a stop: it looks at least every WATCH_S.
    while (w->buffers[w->current].is_handed)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void flush(search_walker *walker)
{
    search_worker *w = (search_worker *)(void *)walker;
    search_team *t = w->team;
    search_buffer *b = &w->buffers[w->current];
    if (walker->list_count == 0)
        return;
    b->count = walker->list_count;
    b->vertices = walker->rows.vertices;
    b->vertex = t->block.block_vertex;
    if (w->root.is_own) {
        for (int32_t k = 0; k < b->vertices; k++)
            b->own_vertex[k] = t->block.block_vertex[w->root.vertex[k]];
        b->vertex = b->own_vertex;
    }
    hand_over(w);
    walker->list = w->buffers[w->current].rows;
    walker->list_count = 0;
}

// ---- Roots searched by lists

// Hands over the path's vertices as a list of one cycle over them alone.
static void list_path(search_worker *w, int32_t length)
{
    search_buffer *b = &w->buffers[w->current];
    memset(b->rows, 0, (size_t)((length + 63) / 64) * sizeof *b->rows);
    for (int32_t k = 0; k < length; k++) {
        b->rows[k / 64] |= (uint64_t)1 << (k % 64);
        b->own_vertex[k] = w->team->block.block_vertex[w->lists.path[k]];
    }
    b->count = 1;
    b->vertices = length;
    b->vertex = b->own_vertex;
    hand_over(w);
}

static bool look_around(search_worker *w);

static bool look(void *user, int32_t length)
{
    search_worker *w = user;
    const search_team *t = w->team;
    int32_t held = 0;
    if (length == 0)
        return look_around(w);
    for (int32_t k = 0; k < length && t->block.required > 0; k++)
        held += w->lists.path[k] >= 1 && w->lists.path[k] <= t->block.required;
    if (held < t->block.required || length < t->job->min_length || length > t->job->max_length)
        return true;
    w->list_tally[length]++;
    if (t->job->sink != NULL)
        list_path(w, length);
    return !must_stop(w->team);
}

// Words of a list: room for what one step may find, and for one cycle of any length.
static int64_t list_words(const search_block *b)
{
    const int64_t n = b->job->block->graph.vertices, most = n < SEARCH_MOST ? n : SEARCH_MOST, words = (most + 63) / 64;
    const int64_t rows = LIST_BYTES / 8 / words;
    const int64_t size = (rows > 2 * SEARCH_NOTES * most ? rows : 2 * SEARCH_NOTES * most) * words + SEARCH_WIDEST;
    return size > (n + 63) / 64 ? size : (n + 63) / 64;
}

// ---- The walk

// Times the slice that ends, and chooses the way of the next one.
static void choose_way(search_worker *w)
{
    search_walker *walker = &w->walker;
    const double now = mco_clock_s();
    const int64_t k = w->slices++ % (TRIAL_SLICES + 4);
    const double rate = (double)(walker->cycles - w->slice_cycles) / (now - w->slice_s);
    w->slice_s = now;
    w->slice_cycles = walker->cycles;
    if (w->team->choice.checks >= 0 || k > 4)
        return;
    // Slices 0 and 1 are without tests, 2 and 3 with them; the first of each cleans up what the other way left.
    if (k == 1 || k == 3)
        w->rate[k == 3] = rate;
    walker->checks = k == 4 ? w->rate[1] >= w->rate[0] : k == 1 || k == 2;
}

static void share_locked(search_team *t, search_worker *w)
{
    search_stack *from = &w->walker.stack;
    for (int k = 0; k < t->count && t->waiting > 0 && from->top >= 2; k++) {
        search_worker *idle = &t->workers[k];
        search_stack *to = &idle->walker.stack;
        const int64_t given = from->top / 2, fields = search_fields(w->walker.rows.words, w->walker.keeps_paths);
        if (idle->state != SEARCH_WAITING)
            continue;
        for (int64_t f = 0; f < fields; f++) {
            uint64_t *field = from->field + f * from->room;
            memcpy(to->field + f * to->room, field, (size_t)given * sizeof *field);
            memmove(field, field + given, (size_t)(from->top - given) * sizeof *field);
        }
        from->top -= given;
        to->top = given;
        idle->root.root = w->root.root;
        idle->state = SEARCH_GIVEN;
        t->waiting--;
        atomic_fetch_sub(&t->wanted, 1);
        pthread_cond_broadcast(&t->changed);
    }
}

// Between two slices: clock, stop, waiting workers. False: end.
static bool look_around(search_worker *w)
{
    search_team *t = w->team;
    w->effort = 0;
    if (t->is_alone && mco_run_must_stop(t->job->run, w->walker.nodes + w->lists.nodes))
        stop(t);
    if (must_stop(t))
        return false;
    choose_way(w);
    if (atomic_load_explicit(&t->wanted, memory_order_relaxed) > 0 && w->walker.stack.top >= 2) {
        pthread_mutex_lock(&t->lock);
        share_locked(t, w);
        pthread_mutex_unlock(&t->lock);
    }
    return true;
}

// Makes the walker ready for the rows of a root. 0: nothing to do there; -1: the root is too large for rows.
static int turn_to(search_worker *w, int32_t label)
{
    search_team *t = w->team;
    search_walker *walker = &w->walker;
    if (walker->list_count > 0 && w->root.is_own)
        flush(walker);
    const int32_t n = search_root_gather(&t->block, &w->root, label, 64 * t->choice.widest, &walker->rows);
    w->effort += w->root.is_own ? 8 * (int64_t)w->root.vertices : 16;
    walker->list = w->buffers[w->current].rows;
    if (n == 0)
        return 0;
    if (n > 64 * t->choice.widest)
        return -1;
    walker->list_words = (n + 63) / 64;
    walker->list_room = list_words(&t->block) / walker->list_words;
    search_root_require(&t->block, &w->root, walker);
    return 1;
}

static bool walk(search_worker *w)
{
    search_walker *walker = &w->walker;
    search_walk *const step = w->team->block.build->walk[search_width_index(walker->rows.words)];
    while (walker->stack.top > 0) {
        const int64_t before = walker->nodes, slice = walker->checks ? SLICE_EFFORT / CHECKED_SHARE : SLICE_EFFORT;
        step(walker, SLICE_STEPS / (walker->checks ? CHECKED_SHARE : 1));
        w->effort += (walker->nodes - before) * ((walker->rows.words + 1) / 2);
        if (walker->is_listing && walker->list_count + SEARCH_NOTES * (int64_t)walker->rows.vertices > walker->list_room)
            flush(walker);
        if (must_stop(w->team) || (w->effort >= slice && !look_around(w)))
            return false;
        if (w->team->is_alone && w->slice_s >= w->team->alone_until_s)
            return false;
    }
    return true;
}

// Searches the next root. False: none is left, or the search must end.
static bool next_root(search_worker *w)
{
    search_team *t = w->team;
    if (must_stop(t) || atomic_load(&t->next_root) >= t->block.roots)
        return false;
    const int32_t label = atomic_fetch_add(&t->next_root, 1);
    if (label >= t->block.roots)
        return false;
    const int fits = turn_to(w, label), parts = t->job->parts;
    if (fits < 0)
        return (parts > 1 && label % parts != t->job->part) || search_lists_root(&t->block, &w->lists, label);
    if (fits > 0 && parts > 1)
        search_deal(&t->block, &w->root, &w->walker);
    else if (fits > 0)
        search_root_begin(&t->block, &w->root, &w->walker);
    if (w->effort >= SLICE_EFFORT && !look_around(w))
        return false;
    return walk(w);
}

// Waits for nodes of another worker; false: the search is over.
static bool wait_for_nodes(search_worker *w)
{
    search_team *t = w->team;
    flush(&w->walker);
    pthread_mutex_lock(&t->lock);
    w->state = SEARCH_WAITING;
    t->waiting++;
    atomic_fetch_add(&t->wanted, 1);
    if (t->waiting + t->ended == t->count)
        t->is_done = true;
    pthread_cond_broadcast(&t->changed);
    // It ends when nodes come, when all wait, or by a stop, of which the calling thread tells all.
    while (w->state == SEARCH_WAITING && !t->is_done && !must_stop(t))
        pthread_cond_wait(&t->changed, &t->lock);
    const bool is_given = w->state == SEARCH_GIVEN;
    w->state = SEARCH_WORKING;
    pthread_mutex_unlock(&t->lock);
    if (is_given)
        turn_to(w, w->root.root);
    return is_given;
}

static void work(void *shared, int index)
{
    search_team *t = shared;
    search_worker *w = &t->workers[index];
    bool goes_on = walk(w);
    while (goes_on) {
        while (next_root(w))
            continue;
        goes_on = !must_stop(t) && wait_for_nodes(w) && walk(w);
    }
    flush(&w->walker);
    pthread_mutex_lock(&t->lock);
    w->state = SEARCH_ENDED;
    t->ended++;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

// ---- Memory

static int64_t stack_room(const search_block *b)
{
    const int64_t n = b->job->block->graph.vertices, most = n < SEARCH_MOST ? n : SEARCH_MOST;
    return 6 * most + 256 + SEARCH_SLACK + 2 * search_deal_room(b->job->parts);
}

static int32_t widest_words(const search_team *t)
{
    const int32_t n = t->job->block->graph.vertices;
    const int32_t words = n <= 64 ? 1 : n <= 128 ? 2 : n <= 256 ? 4 : n <= 512 ? 8 : SEARCH_WIDEST;
    return words > t->choice.least ? words : t->choice.least;
}

static bool keeps_paths(const cycles_job *job)
{
    return job->sink != NULL || job->through_count > 1;
}

static int64_t stack_words(const search_team *t)
{
    return SEARCH_LANES + stack_room(&t->block) * search_fields(widest_words(t), keeps_paths(t->job));
}

static double worker_bytes(const search_team *t)
{
    const search_block *b = &t->block;
    const cycles_job *job = t->job;
    const int32_t n = job->block->graph.vertices;
    double bytes = search_root_bytes(b) + 8.0 * SEARCH_LANES * (n + 3.0);
    bytes += 8.0 * (double)stack_words(t);
    bytes += job->sink != NULL ? 2 * (8.0 * (double)list_words(b) + 4.0 * n) : 0;
    return bytes + (n > SEARCH_MOST ? search_lists_bytes(n) : 0) + 8.0 * n;
}

static mco_status make_worker(search_team *t, search_worker *w)
{
    mco_status st = MCO_OK;
    cycles_job *job = t->job;
    mco_context *ctx = job->ctx;
    const int32_t n = job->block->graph.vertices;
    search_walker *walker = &w->walker;
    w->team = t;
    *walker = (search_walker){.is_directed = job->is_directed, .keeps_paths = keeps_paths(job), .checks = t->choice.checks == 1,
                              .is_listing = job->sink != NULL, .min_length = job->min_length, .max_length = job->max_length,
                              .flush = flush};
    MCO_TRY(search_root_make(&t->block, &w->root));
    walker->stack.room = stack_room(&t->block);
    MCO_TRY(mco_alloc(ctx, &w->stack_memory, stack_words(t)));
    walker->stack.field = w->stack_memory + SEARCH_LANES;
    MCO_TRY(mco_alloc(ctx, &walker->tally, SEARCH_LANES * ((int64_t)n + 3)));
    MCO_TRY(mco_alloc(ctx, &w->list_tally, (int64_t)n + 1));
    for (int k = 0; k < 2 && job->sink != NULL; k++) {
        MCO_TRY(mco_alloc(ctx, &w->buffers[k].rows, list_words(&t->block)));
        MCO_TRY(mco_alloc(ctx, &w->buffers[k].own_vertex, n));
    }
    walker->list = w->buffers[0].rows;
    if (n > 64 * t->choice.widest)
        MCO_TRY(search_lists_make(ctx, n, &w->lists));
    w->lists.look = look;
    w->lists.user = w;
done:
    return st;
}

static void clear_worker(search_team *t, search_worker *w)
{
    mco_context *ctx = t->job->ctx;
    search_root_clear(ctx, &w->root);
    search_lists_clear(ctx, &w->lists);
    mco_free(ctx, &w->stack_memory);
    mco_free(ctx, &w->walker.tally);
    mco_free(ctx, &w->list_tally);
    for (int k = 0; k < 2; k++) {
        mco_free(ctx, &w->buffers[k].rows);
        mco_free(ctx, &w->buffers[k].own_vertex);
    }
}

// Gives memory to the workers up to `count`. The first one is enough for the small blocks of which a graph may have millions.
static mco_status make_workers(search_team *t, int count)
{
    mco_status st = MCO_OK;
    mco_cycles_result *result = t->job->result;
    const double bytes = worker_bytes(t) * count;
    while (t->made < count)
        MCO_TRY(make_worker(t, &t->workers[t->made++]));
    result->bytes = (double)result->bytes > bytes ? result->bytes : (int64_t)bytes;
done:
    return st;
}

// Errors: LIMIT if the memory is too small for one worker. If it is too small for all of them, there are fewer.
static mco_status make_team(cycles_job *job, const search_choice *choice, search_team *t)
{
    mco_status st = MCO_OK;
    const search_build *build = NULL;
    *t = (search_team){.job = job, .count = job->threads > 1 ? job->threads : 1, .is_alone = true,
                       .choice = *choice};
    MCO_TRY(mco_pick(job->ctx, BUILDS, choice->simd, 0, &build));
    MCO_TRY(search_block_make(job, choice, &t->block));
    t->block.build = build;
    const double bytes = worker_bytes(t);
    if (job->memory_bytes > 0 && bytes > job->memory_bytes)
        MCO_TRY(mco_fail(job->ctx, MCO_ERR_LIMIT, "the search needs %.0f bytes for a thread, %.0f are allowed", bytes,
                         job->memory_bytes));
    if (job->memory_bytes > 0 && bytes * t->count > job->memory_bytes)
        t->count = (int)(job->memory_bytes / bytes);
    MCO_TRY(mco_alloc(job->ctx, &t->untaken, (int64_t)job->block->graph.vertices + 1));
    MCO_TRY(mco_alloc(job->ctx, &t->workers, t->count));
    MCO_TRY(make_workers(t, 1));
done:
    return st;
}

static void clear_team(search_team *t)
{
    mco_context *ctx = t->job->ctx;
    for (int k = 0; k < t->made; k++)
        clear_worker(t, &t->workers[k]);
    mco_free(ctx, &t->workers);
    mco_free(ctx, &t->untaken);
    search_block_clear(&t->block);
}

// ---- The calling thread

// Works alone for `seconds`. True: the search is over.
static bool work_alone(search_team *t, double seconds)
{
    search_worker *w = &t->workers[0];
    w->slice_s = mco_clock_s();
    t->alone_until_s = w->slice_s + seconds;
    bool goes_on = walk(w);
    while (goes_on && next_root(w))
        goes_on = isinf(seconds) || mco_clock_s() < t->alone_until_s;
    flush(&w->walker);
    return must_stop(t) || (w->walker.stack.top == 0 && atomic_load(&t->next_root) >= t->block.roots);
}

// Gives all handed buffers to the sink, with the lock held on entry and on return.
static void give_handed(search_team *t)
{
    for (int k = 0; k < 2 * t->count; k++) {
        search_buffer *b = &t->workers[k / 2].buffers[k % 2];
        if (!b->is_handed)
            continue;
        pthread_mutex_unlock(&t->lock);
        give_buffer(t, b);
        pthread_mutex_lock(&t->lock);
        b->is_handed = false;
        pthread_cond_broadcast(&t->changed);
    }
}

static void supervise(search_team *t)
{
    double looked_s = mco_clock_s();
    pthread_mutex_lock(&t->lock);
    while (t->ended < t->count) {
        give_handed(t);
        if (mco_clock_s() - looked_s >= WATCH_S) {
            pthread_mutex_unlock(&t->lock);
            looked_s = mco_clock_s();
            const bool ends = mco_run_must_stop(t->job->run, t->job->run->work);
            pthread_mutex_lock(&t->lock);
            if (ends)
                stop(t);
        }
        if (must_stop(t))
            pthread_cond_broadcast(&t->changed);
        const struct timespec until = mco_clock_after(WATCH_S);
        bool has_handed = false;
        for (int k = 0; k < 2 * t->count; k++)
            has_handed |= t->workers[k / 2].buffers[k % 2].is_handed;
        if (t->ended < t->count && !has_handed)
            pthread_cond_timedwait(&t->changed, &t->lock, &until);
    }
    give_handed(t);
    pthread_mutex_unlock(&t->lock);
}

static void settle(void *shared, int started)
{
    search_team *t = shared;
    t->count = started;
}

static mco_status work_together(search_team *t)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    MCO_TRY(make_workers(t, t->count));
    t->is_alone = false;
    MCO_TRY(mco_team_start_some(t->job->ctx, t->count, work, settle, t, &team));
    if (team.started == 0) {
        t->is_alone = true;
        work_alone(t, (double)INFINITY);
    } else {
        supervise(t);
    }
done:
    mco_team_join(&team);
    return st;
}

// ---- The method

static mco_status add_up(search_team *t)
{
    mco_status st = MCO_OK;
    cycles_job *job = t->job;
    const int32_t n = job->block->graph.vertices;
    for (int32_t length = job->min_length; length <= n && length <= job->max_length; length++) {
        uint64_t count = 0;
        for (int k = 0; k < t->made; k++) {
            count += t->workers[k].list_tally[length];
            for (int lane = 0; lane < SEARCH_LANES; lane++)
                count += t->workers[k].walker.tally[(int64_t)length * SEARCH_LANES + lane];
        }
        if (count > t->untaken[length])
            MCO_TRY(cycles_tally_add_u64(job->tally, length, count - t->untaken[length]));
    }
    for (int k = 0; k < t->made; k++)
        job->result->nodes += t->workers[k].walker.nodes + t->workers[k].lists.nodes;
done:
    return st;
}

mco_status cycles_search_with(cycles_job *job, const search_choice *choice)
{
    mco_status st = MCO_OK;
    search_team t = {.job = job};
    MCO_TRY(make_team(job, choice, &t));
    pthread_mutex_init(&t.lock, NULL);
    mco_clock_condition(&t.changed);
    if (!work_alone(&t, t.count == 1 ? (double)INFINITY : choice->alone_s))
        st = work_together(&t);
    pthread_cond_destroy(&t.changed);
    pthread_mutex_destroy(&t.lock);
    MCO_TRY(st);
    MCO_TRY(add_up(&t));
done:
    clear_team(&t);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}

mco_status cycles_search(cycles_job *job)
{
    return cycles_search_with(job, &(search_choice)SEARCH_CHOICE_INIT);
}
