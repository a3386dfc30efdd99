// SPDX-License-Identifier: MIT
// The cpu engine: chunks of the fixed tree on all cores.
//
// Work is a list of tasks: the chunks of an array, or blocks of segments. Each worker begins with a contiguous share of
// the tasks. The same worker generates the data of about that share, so it reads memory near to it. A worker that is
// done takes the next tasks from the shares of the others. Barriers stand between the passes. The clock of a pass runs
// between barriers, so it does not include the start of the threads.
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/pages.h"
#include "base/team.h"
#include "reduce/lanes.h"

static const int64_t THREAD_BYTES = 1 << 18;   // one more thread is used for each so many bytes
static const int64_t TASK_BYTES = 1 << 16;     // short segments are grouped into tasks up to this size
static const int64_t LONG_BYTES = 1 << 20;     // few segments of at least this size are each spread over all threads
static const int64_t FILL_ELEMENTS = 1 << 16;  // elements of a task that generates data

typedef struct share {
    _Alignas(64) atomic_int_least64_t next;
    int64_t end;
} share;

typedef struct engine {
    reduce_job *job;
    reduce_chunk_function *chunk_value;
    const char *data;
    char *generated;  // the same data, writable, if the engine generates them; else NULL
    int element_bytes, threads;
    bool is_by_segment;  // tasks are blocks of segments; else they are chunks
    int64_t block;       // segments of a block
    share *shares;       // [threads]
    reduce_partial *partials;  // [threads * REDUCE_MAX_CHUNKS]; a part for each worker if is_by_segment
    double *times;             // [repeat]
    int64_t repeats;           // done
    bool is_over;              // cancelled: no more of them
    double fill_s;
    pthread_barrier_t barrier;
} engine;

static void wait_for_all(engine *e)
{
    if (e->threads > 1)
        pthread_barrier_wait(&e->barrier);
}

// Runs task(e, worker, segment, 0..tasks-1) on all workers. Each of them calls this function.
static void run_tasks(engine *e, int worker, int64_t tasks, int64_t segment, void (*task)(engine *, int, int64_t, int64_t))
{
    e->shares[worker].end = tasks * (worker + 1) / e->threads;
    atomic_store(&e->shares[worker].next, tasks * worker / e->threads);
    wait_for_all(e);
    for (int k = 0; k < e->threads; k++) {
        share *from = &e->shares[(worker + k) % e->threads];
        for (int64_t t; (t = atomic_fetch_add(&from->next, 1)) < from->end;)
            task(e, worker, segment, t);
    }
    wait_for_all(e);
}

// ---- Tasks

static void fill(engine *e, int worker, int64_t segment, int64_t t)
{
    (void)worker;
    const int64_t first = t * FILL_ELEMENTS, left = e->job->count - first;
    (void)segment;
    reduce_fill(e->job->kind.type, e->job->seed, first, left < FILL_ELEMENTS ? left : FILL_ELEMENTS,
                e->generated + first * e->element_bytes);
}

// Reduces chunk c of the array of elements begin .. begin + shape->count - 1.
static void take_chunk(const engine *e, const reduce_shape *shape, int64_t begin, int64_t c, reduce_partial *out)
{
    const int64_t first = c * shape->chunk, left = shape->count - first;
    e->chunk_value(e->data + (begin + first) * e->element_bytes, left < shape->chunk ? left : shape->chunk, first, out);
}

static reduce_shape shape_of_segment(const engine *e, int64_t segment, int64_t *begin)
{
    *begin = reduce_segment_begin(e->job, segment);
    return reduce_shape_of(reduce_segment_begin(e->job, segment + 1) - *begin, e->element_bytes);
}

static void chunk_task(engine *e, int worker, int64_t segment, int64_t c)
{
    (void)worker;
    int64_t begin;
    const reduce_shape shape = shape_of_segment(e, segment, &begin);
    take_chunk(e, &shape, begin, c, &e->partials[c]);
}

static void block_task(engine *e, int worker, int64_t unused, int64_t t)
{
    reduce_partial *partials = e->partials + (int64_t)worker * REDUCE_MAX_CHUNKS;
    const int64_t first = t * e->block, left = e->job->segments - first;
    (void)unused;
    for (int64_t s = first; s < first + (left < e->block ? left : e->block); s++) {
        int64_t begin;
        const reduce_shape shape = shape_of_segment(e, s, &begin);
        for (int32_t c = 0; c < shape.chunks; c++)
            take_chunk(e, &shape, begin, c, &partials[c]);
        e->job->values[s] = reduce_comb(&e->job->kind, partials, shape.chunks);
    }
}

// ---- Workers

static void reduce_once(engine *e, int worker)
{
    if (e->is_by_segment) {
        run_tasks(e, worker, reduce_ceil_div(e->job->segments, e->block), 0, block_task);
        return;
    }
    for (int64_t s = 0; s < e->job->segments; s++) {
        int64_t begin;
        const reduce_shape shape = shape_of_segment(e, s, &begin);
        run_tasks(e, worker, shape.chunks, s, chunk_task);
        if (worker == 0)
            e->job->values[s] = reduce_comb(&e->job->kind, e->partials, shape.chunks);
    }
}

static void work(void *shared, int worker)
{
    engine *e = shared;
    double begin_s = 0;
    wait_for_all(e);
    if (worker == 0)
        begin_s = mco_clock_s();
    if (e->generated != NULL)
        run_tasks(e, worker, reduce_ceil_div(e->job->count, FILL_ELEMENTS), 0, fill);
    if (worker == 0)
        e->fill_s = mco_clock_s() - begin_s;
    // Worker 0 decides about the next pass behind the barriers of the last one. The others read that behind the next barrier.
    for (int64_t r = 0; r < e->job->params->repeat; r++) {
        if (worker == 0)
            e->is_over = r > 0 && mco_is_cancelled(e->job->ctx);
        wait_for_all(e);
        if (e->is_over)
            break;
        if (worker == 0)
            begin_s = mco_clock_s();
        reduce_once(e, worker);
        if (worker == 0)
            e->times[e->repeats++] = mco_clock_s() - begin_s;
    }
}

// ---- Engine

#define DECLARE(set, simd) extern const reduce_lanes reduce_lanes_##set;
#define LIST(set, simd) &reduce_lanes_##set,

MCO_EACH_SIMD(DECLARE)
static const reduce_lanes *const variants[] = {MCO_EACH_SIMD(LIST)};

mco_status reduce_lanes_choose(mco_context *ctx, mco_simd simd, const reduce_lanes **out)
{
    return mco_pick(ctx, variants, simd, 0, out);
}

static mco_status make_room(engine *e)
{
    mco_status st = MCO_OK;
    const double bytes = (double)e->job->count * e->element_bytes;
    const double there = mco_machine_memory();
    // A system that promises more memory than it has would kill the process instead of refusing.
    if (bytes > there)
        return mco_fail(e->job->ctx, MCO_ERR_MEMORY, "%lld elements of %d bytes were asked for, the machine has %.1f GB of memory",
                        (long long)e->job->count, e->element_bytes, there * 1e-9);
    MCO_TRY(mco_alloc_bytes(e->job->ctx, (void **)&e->generated, (size_t)e->job->count, (size_t)e->element_bytes));
    e->data = e->generated;
    mco_advise_huge(e->generated, (size_t)e->job->count * (size_t)e->element_bytes);
done:
    return st;
}

static void plan(engine *e)
{
    const reduce_job *job = e->job;
    const int64_t bytes = job->count * e->element_bytes, mean = bytes / (job->segments > 0 ? job->segments : 1);
    const int64_t wanted = mco_settle_threads(job->params->threads);
    const int64_t useful = 1 + bytes / THREAD_BYTES;
    e->threads = (int)(wanted < useful ? wanted : useful);
    e->is_by_segment = job->segments > 1 && (job->segments >= 8 * (int64_t)e->threads || mean < LONG_BYTES);
    e->block = mean > 0 && mean < TASK_BYTES ? TASK_BYTES / mean : 1;
    if (mean == 0)
        e->block = TASK_BYTES;
}

static int64_t count_chunks(const engine *e)
{
    int64_t chunks = 0, begin;
    for (int64_t s = 0; s < e->job->segments; s++)
        chunks += shape_of_segment(e, s, &begin).chunks;
    return chunks;
}

// Fewer threads than planned, before any of them works. Without any, the calling thread works alone.
static void settle(void *shared, int started)
{
    engine *e = shared;
    e->threads = started > 0 ? started : 1;
    pthread_barrier_destroy(&e->barrier);
    (void)pthread_barrier_init(&e->barrier, NULL, (unsigned)e->threads);  // cannot fail: the count is positive, the memory ours
}

static mco_status run_workers(engine *e)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    if (e->threads == 1) {
        work(e, 0);
        return MCO_OK;
    }
    int error = pthread_barrier_init(&e->barrier, NULL, (unsigned)e->threads);
    if (error != 0)
        return mco_fail(e->job->ctx, MCO_ERR_MEMORY, "a barrier of %d threads: %s", e->threads, strerror(error));
    MCO_TRY(mco_team_start_some(e->job->ctx, e->threads, work, settle, e, &team));
    if (team.started == 0)
        work(e, 0);
    mco_team_join(&team);
done:
    pthread_barrier_destroy(&e->barrier);
    return st;
}

mco_status reduce_cpu(reduce_job *job)
{
    mco_status st = MCO_OK;
    mco_context *ctx = job->ctx;
    const reduce_lanes *lanes = NULL;
    engine e = {.job = job, .data = job->data, .element_bytes = reduce_element_bytes(job->kind.type)};
    MCO_TRY(reduce_lanes_choose(ctx, job->params->simd, &lanes));
    e.chunk_value = lanes->function_of(&job->kind);
    plan(&e);
    mco_log(ctx, MCO_LOG_INFO, "%d thread%s, simd %s", e.threads, e.threads > 1 ? "s" : "", mco_simd_text(lanes->build.simd));
    MCO_TRY(mco_alloc(ctx, &e.shares, e.threads));
    MCO_TRY(mco_alloc(ctx, &e.partials, (int64_t)e.threads * REDUCE_MAX_CHUNKS));
    MCO_TRY(mco_alloc(ctx, &e.times, job->params->repeat));
    if (job->data == NULL)
        MCO_TRY(make_room(&e));
    MCO_TRY(run_workers(&e));
    job->result->work.threads = e.threads;
    job->result->work.simd = lanes->build.simd;
    job->result->chunks = count_chunks(&e);
    job->result->copy_s = e.fill_s;
    job->result->repeats = e.repeats;
    job->result->kernel_s = reduce_median(e.times, e.repeats);
done:
    mco_free(ctx, &e.generated);
    mco_free(ctx, &e.times);
    mco_free(ctx, &e.partials);
    mco_free(ctx, &e.shares);
    return st;
}
