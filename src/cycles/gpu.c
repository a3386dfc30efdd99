// SPDX-License-Identifier: MIT
// The search on GPUs, host side: pools, rounds, lists that pass to the caller's thread.
//
// Every GPU has a host thread. Nodes that no GPU has taken yet are parcels: the roots at first, later what a GPU with too many
// nodes gives away, or one with much work when another has none. The thread of the caller looks at the clock and hands listed
// cycles to the sink. A list has two buffers on the device: one is filled by kernels while the other passes through pinned
// memory to the sink.
#include "cycles/gpu.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/team.h"
#include "cycles/cuda.h"
#include "cycles/gpu_pieces.h"
#include "cycles/prefix.h"
#include "device/device_cuda.h"

enum {
    STACK_OF_COUNTS = 256, STACK_OF_LISTS = 128,
    ROUNDS = 6,                     // enqueued at a time; a round without work takes some microseconds
    PREFIXES_PER_LANE = 2,
    IDLE_SHARE = 4,                 // work is spread anew when one warp of so many has none
    CHUNK_ROWS = 1024,
    SHARE_LEAST = 1 << 12           // nodes of which a GPU gives half to another one
};
static const int64_t POOL_NODES = 1 << 21, POOL_LEAST = 1 << 12;
static const size_t LIST_BYTES = (size_t)512 << 20, PIECE_BYTES = (size_t)16 << 20;
static const double SLICE_S = 0.05, SLICE_OF_MANY_S = 0.01;

typedef struct parcel {
    cycles_nodes nodes;
    struct parcel *next;
} parcel;

typedef struct list_buffer {
    uint64_t *d_rows;   // [chunks * chunk_rows * row_words]
    int32_t *d_fill;    // [chunks]
    int64_t chunks;     // in use
    bool is_pending;    // full of cycles that are not yet given
} list_buffer;

typedef struct worker {
    struct gpu_search *all;
    mco_context *ctx;
    mco_device device;
    mco_status status;
    cycles_search_plan plan;
    uint64_t *d_adjacent;
    cycles_search_control *h_control;  // pinned; as the device's control was after the last batch
    cudaEvent_t begun, ended;
    list_buffer lists[2];
    int list;                          // the buffer that is filled
    cycles_drain drain;
    int64_t batches;
    double device_s;
} worker;

typedef struct gpu_search {
    cycles_job *job;
    cycles_gpu_tuning tuning;
    cycles_prefixes prefixes;
    mco_gpu gpus[MCO_MAX_GPUS];
    int gpu_count;
    worker *workers;        // [gpu_count]
    cycles_pieces pieces;
    parcel *parcels;        // guarded by the lock of `pieces`, as are the two counts
    int busy, hungry;       // GPUs that have work, and that wait for a parcel
} gpu_search;

// ---- Parcels

static void parcel_destroy(mco_context *ctx, parcel **p)
{
    if (*p == NULL)
        return;
    mco_free(ctx, &(*p)->nodes.tags);
    mco_free(ctx, &(*p)->nodes.words);
    mco_free(ctx, p);
}

static mco_status parcel_create(mco_context *ctx, int node_words, int64_t count, parcel **out)
{
    mco_status st = MCO_OK;
    parcel *p = NULL;
    MCO_TRY(mco_alloc(ctx, &p, 1));
    p->nodes.count = count;
    MCO_TRY(mco_alloc(ctx, &p->nodes.words, count * node_words));
    MCO_TRY(mco_alloc(ctx, &p->nodes.tags, count));
    *out = p;
done:
    if (st != MCO_OK)
        parcel_destroy(ctx, &p);
    return st;
}

static void put_parcel(gpu_search *all, parcel *p)
{
    pthread_mutex_lock(&all->pieces.lock);
    p->next = all->parcels;
    all->parcels = p;
    pthread_cond_broadcast(&all->pieces.changed);
    pthread_mutex_unlock(&all->pieces.lock);
}

// Waits for a parcel. NULL: none is left and no GPU works, or the search must stop. `was_busy`: this GPU has just ended one.
static parcel *take_parcel(gpu_search *all, bool was_busy)
{
    pthread_mutex_lock(&all->pieces.lock);
    all->busy -= was_busy ? 1 : 0;
    all->hungry++;
    while (all->parcels == NULL && all->busy > 0 && !atomic_load(&all->pieces.must_stop)) {
        const struct timespec until = mco_clock_after(CYCLES_NAP_S);
        pthread_cond_timedwait(&all->pieces.changed, &all->pieces.lock, &until);
    }
    parcel *p = atomic_load(&all->pieces.must_stop) ? NULL : all->parcels;
    if (p != NULL) {
        all->parcels = p->next;
        all->busy++;
        all->hungry--;
    }
    pthread_cond_broadcast(&all->pieces.changed);
    pthread_mutex_unlock(&all->pieces.lock);
    return p;
}

static bool is_wanted(gpu_search *all)
{
    pthread_mutex_lock(&all->pieces.lock);
    const bool wanted = all->hungry > 0 && all->parcels == NULL;
    pthread_mutex_unlock(&all->pieces.lock);
    return wanted;
}

// ---- Room

static bool makes_lists(const gpu_search *all)
{
    return all->job->sink != NULL || all->tuning.makes_lists;
}

static int node_words(const worker *w)
{
    return w->plan.lists ? 2 * w->plan.words : w->plan.words;
}

// Chooses the sizes of the pool from the shape of the grid and the memory that is free.
static void plan_pool(worker *w, size_t free_bytes)
{
    const gpu_search *all = w->all;
    cycles_search_plan *p = &w->plan;
    const int64_t warps = (int64_t)p->search_blocks * CYCLES_BLOCK_WARPS, node = node_words(w) * 8 + 4;
    const int64_t put_back = warps * (p->stack + 32), branches = all->prefixes.max_degree + 1;
    int64_t room = all->tuning.pool > 0 ? all->tuning.pool : POOL_NODES;
    while (room > POOL_LEAST && 2 * (room + room / 2 + put_back) * node > (int64_t)(free_bytes / 2))
        room /= 2;
    p->crowded = room;
    p->spill_room = room / 2;
    p->capacity = room + room / 2 + put_back;
    p->prefixes = all->tuning.prefixes > 0 ? all->tuning.prefixes : warps * 32 * PREFIXES_PER_LANE;
    p->prefixes = p->prefixes * branches < p->capacity ? p->prefixes : p->capacity / branches;
    p->idle_warps = (int32_t)(warps / IDLE_SHARE > 0 ? warps / IDLE_SHARE : 1);
}

static mco_status make_list_room(worker *w, size_t free_bytes)
{
    mco_status st = MCO_OK;
    cycles_search_plan *p = &w->plan;
    const gpu_search *all = w->all;
    const size_t row = (size_t)p->row_words * sizeof(uint64_t);
    const int buffers = all->job->sink != NULL ? 2 : 1;
    const int64_t warps = (int64_t)(p->search_blocks > p->prepare_blocks ? p->search_blocks : p->prepare_blocks) * CYCLES_BLOCK_WARPS;
    // 32 lanes close at most as many cycles each as the greatest degree.
    p->chunk_rows = CHUNK_ROWS;
    while (p->chunk_rows < 32 * all->prefixes.max_degree)
        p->chunk_rows *= 2;
    size_t bytes = all->tuning.rows > 0 ? (size_t)all->tuning.rows * row : LIST_BYTES;
    bytes = all->tuning.rows > 0 || bytes < free_bytes / 8 ? bytes : free_bytes / 8;
    p->chunks = (int64_t)(bytes / ((size_t)p->chunk_rows * row));
    p->chunks = p->chunks > 0 ? p->chunks : 1;
    for (int k = 0; k < buffers; k++) {
        list_buffer *list = &w->lists[k];
        MCO_TRY(mco_device_take(&w->device, MCO_MEMORY_DEVICE, &list->d_rows, p->chunks * p->chunk_rows * p->row_words));
        MCO_TRY(mco_device_take(&w->device, MCO_MEMORY_DEVICE, &list->d_fill, p->chunks));
    }
    MCO_TRY(mco_device_take(&w->device, MCO_MEMORY_DEVICE, &p->d_open, warps));
    if (all->job->sink != NULL)
        MCO_TRY(cycles_drain_open(&w->drain, w->ctx, &w->device, &w->all->pieces, p->row_words, p->chunk_rows, p->chunks, PIECE_BYTES));
done:
    return st;
}

static mco_status make_room(worker *w)
{
    mco_status st = MCO_OK;
    const gpu_search *all = w->all;
    const cycles_job *job = all->job;
    mco_device *d = &w->device;
    cycles_search_plan *p = &w->plan;
    size_t free_bytes, all_bytes;
    const double slice_s = all->tuning.slice_s > 0 ? all->tuning.slice_s : all->gpu_count > 1 ? SLICE_OF_MANY_S : SLICE_S;
    const size_t adjacent_bytes = (size_t)job->block->graph.vertices * (size_t)all->prefixes.row_words * sizeof(uint64_t);
    *p = (cycles_search_plan){.vertices = job->block->graph.vertices, .words = all->prefixes.row_words,
                              .row_words = (job->block->graph.vertices + 63) / 64, .lists = makes_lists(all),
                              .by_length = job->wants_lengths && job->sink == NULL, .rules = all->prefixes.rules,
                              .slice_ns = (int64_t)(1e9 * slice_s)};
    p->stack = all->tuning.stack > 0 ? all->tuning.stack : p->lists || p->words == 4 ? STACK_OF_LISTS : STACK_OF_COUNTS;
    MCO_CUDA(w->ctx, cycles_search_shape(p, d->info.multiprocessors));
    MCO_CUDA(w->ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    plan_pool(w, free_bytes);
    for (int side = 0; side < 2; side++) {
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_words[side], p->capacity * node_words(w)));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_tags[side], p->capacity));
    }
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &w->d_adjacent, adjacent_bytes / sizeof(uint64_t)));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_control, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &w->h_control, 1));
    MCO_CUDA(w->ctx, cudaEventCreate(&w->begun));
    MCO_CUDA(w->ctx, cudaEventCreate(&w->ended));
    MCO_CUDA(w->ctx, cudaMemsetAsync(p->d_control, 0, sizeof *p->d_control, d->stream));
    MCO_CUDA(w->ctx, cudaMemcpyAsync(w->d_adjacent, all->prefixes.adjacent, adjacent_bytes, cudaMemcpyHostToDevice, d->stream));
    p->d_adjacent = w->d_adjacent;
    if (p->lists)
        MCO_TRY(make_list_room(w, free_bytes));
    MCO_CUDA(w->ctx, cudaStreamSynchronize(d->stream));
done:
    return st;
}

// ---- The pool

static mco_status set_count(worker *w, int64_t count, int32_t side)
{
    mco_status st = MCO_OK;
    w->h_control->count = count;
    w->h_control->side = side;
    w->h_control->goes_on = w->h_control->is_crowded = 0;
    MCO_CUDA(w->ctx, cudaMemcpyAsync(w->plan.d_control, w->h_control, offsetof(cycles_search_control, pad_of_state),
                                     cudaMemcpyHostToDevice, w->device.stream));
    MCO_CUDA(w->ctx, cudaStreamSynchronize(w->device.stream));
done:
    return st;
}

static mco_status upload(worker *w, const cycles_nodes *nodes)
{
    mco_status st = MCO_OK;
    const cycles_search_plan *p = &w->plan;
    const size_t row = (size_t)nodes->count * sizeof(uint64_t);
    if (nodes->count > p->capacity)
        return mco_fail(w->ctx, MCO_ERR_LIMIT, "%lld nodes to begin with, the GPU's pool has %lld", (long long)nodes->count,
                        (long long)p->capacity);
    if (nodes->count > 0) {
        MCO_CUDA(w->ctx, cudaMemcpy2DAsync(p->d_words[0], (size_t)p->capacity * sizeof(uint64_t), nodes->words, row, row,
                                           (size_t)node_words(w), cudaMemcpyHostToDevice, w->device.stream));
        MCO_CUDA(w->ctx, cudaMemcpyAsync(p->d_tags[0], nodes->tags, (size_t)nodes->count * sizeof(uint32_t),
                                         cudaMemcpyHostToDevice, w->device.stream));
    }
    MCO_TRY(set_count(w, nodes->count, 0));
done:
    return st;
}

// Takes the upper half of the pool out as a parcel for any GPU. No kernel runs.
static mco_status give_half(worker *w)
{
    mco_status st = MCO_OK;
    const cycles_search_plan *p = &w->plan;
    const int64_t count = w->h_control->count, kept = count / 2, given = count - kept;
    const int32_t side = w->h_control->side;
    const size_t row = (size_t)given * sizeof(uint64_t);
    parcel *half = NULL;
    MCO_TRY(parcel_create(w->ctx, node_words(w), given, &half));
    MCO_CUDA(w->ctx, cudaMemcpy2DAsync(half->nodes.words, row, p->d_words[side] + kept, (size_t)p->capacity * sizeof(uint64_t),
                                       row, (size_t)node_words(w), cudaMemcpyDeviceToHost, w->device.stream));
    MCO_CUDA(w->ctx, cudaMemcpyAsync(half->nodes.tags, p->d_tags[side] + kept, (size_t)given * sizeof(uint32_t),
                                     cudaMemcpyDeviceToHost, w->device.stream));
    MCO_TRY(set_count(w, kept, side));  // waits for the copies too
    put_parcel(w->all, half);
    half = NULL;
done:
    parcel_destroy(w->ctx, &half);
    return st;
}

// ---- Lists

// Makes the other buffer, or the only one, the one that is filled. What it held is given.
static mco_status next_list(worker *w)
{
    mco_status st = MCO_OK;
    cycles_search_plan *p = &w->plan;
    cudaStream_t stream = w->device.stream;
    const size_t warps = (size_t)(p->search_blocks > p->prepare_blocks ? p->search_blocks : p->prepare_blocks) * CYCLES_BLOCK_WARPS;
    w->list = w->lists[1].d_rows != NULL ? 1 - w->list : 0;
    p->d_rows = w->lists[w->list].d_rows;
    p->d_fill = w->lists[w->list].d_fill;
    MCO_CUDA(w->ctx, cudaMemsetAsync(p->d_fill, 0, (size_t)p->chunks * sizeof *p->d_fill, stream));
    MCO_CUDA(w->ctx, cudaMemsetAsync(p->d_open, 0xff, warps * sizeof *p->d_open, stream));
    MCO_CUDA(w->ctx, cudaMemsetAsync(&p->d_control->chunks, 0, sizeof p->d_control->chunks, stream));
    MCO_CUDA(w->ctx, cudaMemsetAsync(&p->d_control->is_full, 0, sizeof p->d_control->is_full, stream));
done:
    return st;
}

// Marks the buffer in hand as full, of as many chunks as were taken.
static void end_list(worker *w)
{
    const int64_t taken = (int64_t)w->h_control->chunks;
    w->lists[w->list].chunks = taken < w->plan.chunks ? taken : w->plan.chunks;
    w->lists[w->list].is_pending = w->all->job->sink != NULL;
}

static mco_status drain(worker *w, int k)
{
    list_buffer *list = &w->lists[k];
    if (!list->is_pending)
        return MCO_OK;
    list->is_pending = false;
    return cycles_drain_chunks(&w->drain, list->d_rows, list->d_fill, list->chunks);
}

// ---- Rounds

static bool must_stop(void *state)
{
    const gpu_search *all = state;
    return atomic_load(&all->pieces.must_stop);
}

// Enqueues rounds. 0: only the breadth-first part, before work is shared.
static mco_status launch_batch(worker *w, int rounds)
{
    mco_status st = MCO_OK;
    cudaStream_t stream = w->device.stream;
    MCO_CUDA(w->ctx, cudaEventRecord(w->begun, stream));
    for (int k = 0; k < rounds; k++) {
        MCO_CUDA(w->ctx, cycles_launch_prepare(&w->plan, stream));
        MCO_CUDA(w->ctx, cycles_launch_search(&w->plan, stream));
    }
    MCO_CUDA(w->ctx, cycles_launch_prepare(&w->plan, stream));
    MCO_CUDA(w->ctx, cudaEventRecord(w->ended, stream));
    MCO_CUDA(w->ctx, cudaMemcpyAsync(w->h_control, w->plan.d_control, sizeof *w->h_control, cudaMemcpyDeviceToHost, stream));
done:
    return st;
}

// Every kernel of the batch ends: the breadth-first part by itself, the search after its slice or by d_control->stop.
static mco_status wait_batch(worker *w)
{
    mco_status st = MCO_OK;
    float ms = 0;
    MCO_TRY(mco_device_wait(&w->device, w->ended, must_stop, w->all, &w->plan.d_control->stop));
    MCO_CUDA(w->ctx, cudaStreamSynchronize(w->device.stream));  // the copy of the control, some microseconds
    MCO_CUDA(w->ctx, cudaEventElapsedTime(&ms, w->begun, w->ended));
    w->device_s += 1e-3 * (double)ms;
    w->batches++;
done:
    return st;
}

// Works until the pool is empty or the search must stop.
static mco_status search_pool(worker *w)
{
    mco_status st = MCO_OK;
    gpu_search *all = w->all;
    const int rounds = all->tuning.rounds > 0 ? all->tuning.rounds : all->gpu_count > 1 ? 1 : ROUNDS;
    bool is_first = true;  // with other GPUs waiting, the first batch only makes nodes to share
    while (w->h_control->count > 0 && !atomic_load(&all->pieces.must_stop)) {
        MCO_TRY(launch_batch(w, is_first && is_wanted(all) ? 0 : rounds));
        is_first = false;
        const mco_status drained = drain(w, 1 - w->list);  // beside the kernels
        MCO_TRY(wait_batch(w));
        MCO_TRY(drained);
        if (w->plan.lists && w->h_control->is_full != 0) {
            end_list(w);
            MCO_TRY(next_list(w));
        }
        if (w->h_control->count > 1 &&
            (w->h_control->is_crowded != 0 || (w->h_control->count >= SHARE_LEAST && is_wanted(all))))
            MCO_TRY(give_half(w));
    }
done:
    return st;
}

static mco_status run_worker(worker *w, const mco_gpu *gpu)
{
    mco_status st = MCO_OK;
    bool was_busy = false;
    parcel *p = NULL;
    MCO_TRY(mco_device_open(w->ctx, gpu, &w->device));
    MCO_TRY(make_room(w));
    if (w->plan.lists)
        MCO_TRY(next_list(w));
    while ((p = take_parcel(w->all, was_busy)) != NULL) {
        was_busy = true;
        MCO_TRY(upload(w, &p->nodes));
        parcel_destroy(w->ctx, &p);
        MCO_TRY(search_pool(w));
    }
    if (w->plan.lists && w->batches > 0)
        end_list(w);
    for (int k = 0; k < 2; k++)
        MCO_TRY(drain(w, k));
done:
    parcel_destroy(w->ctx, &p);
    return st;
}

// Runs one GPU on its own thread. The control in pinned memory outlives the device only as a copy.
static void work(void *shared, int index)
{
    gpu_search *all = shared;
    worker *w = &all->workers[index];
    cycles_search_control *last = NULL;
    w->status = run_worker(w, &all->gpus[index]);
    if (w->status == MCO_OK)
        w->status = mco_alloc(w->ctx, &last, 1);
    if (last != NULL && w->h_control != NULL && w->batches > 0)
        *last = *w->h_control;
    cycles_drain_close(&w->drain);
    if (w->begun != NULL)
        (void)cudaEventDestroy(w->begun);
    if (w->ended != NULL)
        (void)cudaEventDestroy(w->ended);
    mco_device_close(&w->device);
    w->h_control = last;
    if (w->status != MCO_OK)
        atomic_store(&all->pieces.must_stop, true);
    cycles_pieces_leave(&all->pieces);
}

// ---- The call

// Tallies what was counted on the devices, or with a sink what was given to it.
static mco_status tally(gpu_search *all, cycles_gpu_stats *stats)
{
    mco_status st = MCO_OK;
    cycles_job *job = all->job;
    for (int g = 0; g < all->gpu_count; g++) {
        const worker *w = &all->workers[g];
        const cycles_search_control *c = w->h_control;
        stats->device_s += w->device_s;
        stats->batches += w->batches;
        if (c == NULL)
            continue;
        stats->cycles += (int64_t)c->cycles;
        stats->steps += (int64_t)c->steps;
        stats->levels += (int64_t)c->levels;
        stats->dumped += (int64_t)c->all_dumped;
        stats->spilled += (int64_t)c->all_spilled;
        for (int32_t k = 0; k < CYCLES_LENGTHS && job->sink == NULL && job->wants_lengths; k++)
            if (c->by_length[k] > 0)
                MCO_TRY(cycles_tally_add_u64(job->tally, k, c->by_length[k]));
        if (job->sink == NULL && !job->wants_lengths && c->cycles > 0)
            MCO_TRY(cycles_tally_add_u64(job->tally, 0, c->cycles));
        const cycles_search_plan *p = &w->plan;
        const int64_t bytes = 2 * p->capacity * (node_words(w) * 8 + 4) +
                              (p->lists ? (job->sink != NULL ? 2 : 1) * p->chunks * p->chunk_rows * p->row_words * 8 : 0);
        job->result->bytes = bytes > job->result->bytes ? bytes : job->result->bytes;
    }
    if (job->sink != NULL)
        MCO_TRY(cycles_pieces_tally(&all->pieces, job->tally));
    stats->rows = all->pieces.rows;
    job->result->nodes += stats->steps;
done:
    return st;
}

// Starts the threads, serves them and joins them.
static mco_status run_all(gpu_search *all)
{
    mco_status st = MCO_OK;
    cycles_job *job = all->job;
    mco_team team = {0};
    for (int g = 0; g < all->gpu_count; g++) {
        all->workers[g].all = all;
        MCO_TRY(mco_context_create_child(job->ctx, &all->workers[g].ctx));
    }
    all->pieces.working = all->gpu_count;
    MCO_TRY(mco_team_start(job->ctx, all->gpu_count, work, all, &team));
    cycles_pieces_serve(&all->pieces);
    mco_team_join(&team);
    for (int g = 0; g < all->gpu_count; g++)
        if (all->workers[g].status != MCO_OK)
            MCO_TRY(mco_fail(job->ctx, all->workers[g].status, "%s", mco_context_error(all->workers[g].ctx)));
done:
    return st;
}

mco_status cycles_gpu_search(cycles_job *job, const char *gpus, const cycles_gpu_tuning *tuning, cycles_gpu_stats *stats)
{
    mco_status st = MCO_OK;
    gpu_search all = {.job = job};
    cycles_gpu_stats counts = {0};
    parcel *roots = NULL;
    if (tuning != NULL)
        all.tuning = *tuning;
    MCO_TRY(cycles_pieces_open(&all.pieces, job));
    MCO_TRY(cycles_prefixes_make(job, &all.prefixes));
    MCO_TRY(mco_gpus_choose(job->ctx, gpus, all.gpus, &all.gpu_count));
    MCO_TRY(mco_alloc(job->ctx, &all.workers, all.gpu_count));
    MCO_TRY(mco_alloc(job->ctx, &roots, 1));
    roots->nodes = all.prefixes.roots;
    all.prefixes.roots = (cycles_nodes){0};
    all.parcels = roots;
    MCO_TRY(run_all(&all));
    MCO_TRY(tally(&all, &counts));
    for (int g = 0; g < all.gpu_count; g++)
        job->result->work.gpus |= (uint64_t)1 << all.gpus[g].index;
    job->result->work.device_s += counts.device_s;
    if (stats != NULL)
        *stats = counts;
done:
    while (all.parcels != NULL) {
        parcel *next = all.parcels->next;
        parcel_destroy(job->ctx, &all.parcels);
        all.parcels = next;
    }
    for (int g = 0; g < all.gpu_count && all.workers != NULL; g++) {
        if (all.workers[g].ctx != NULL)
            mco_free(all.workers[g].ctx, &all.workers[g].h_control);
        mco_context_destroy(&all.workers[g].ctx);
    }
    mco_free(job->ctx, &all.workers);
    cycles_prefixes_clear(job->ctx, &all.prefixes);
    cycles_pieces_close(&all.pieces);
    return st;
}
