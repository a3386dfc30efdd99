// SPDX-License-Identifier: MIT
// Products of lists on GPUs, host side. The products are numbered; GPUs take stretches of them in turn. With a sink a GPU fills
// one buffer while the other passes to the sink. Without one a stretch is as long as device memory allows.
#include <string.h>

#include "base/team.h"
#include "cycles/cuda.h"
#include "cycles/gpu.h"
#include "cycles/gpu_pieces.h"
#include "device/device_cuda.h"

static const int64_t PART_ROWS = (int64_t)1 << 30;  // most rows of a part's right list; a part has at most twice as many
static const int32_t CHUNK_ROWS = 4096;
static const size_t BUFFER_BYTES = (size_t)128 << 20, PIECE_BYTES = (size_t)16 << 20, SPARE_BYTES = (size_t)512 << 20;

typedef struct gpu_product {
    cycles_job *job;
    cycles_gpu_tuning tuning;
    const cycles_factors *factors;
    cycles_product_part *parts;  // [part_count]
    int64_t part_count, rows;    // of all products
    int64_t stretch;             // rows that a GPU takes at a time, a multiple of CHUNK_ROWS
    atomic_int_least64_t next;   // first row that no GPU has taken
    mco_gpu gpus[MCO_MAX_GPUS];
    int gpu_count;
    struct product_worker *workers;
    cycles_pieces pieces;
} gpu_product;

typedef struct product_worker {
    gpu_product *all;
    mco_context *ctx;
    mco_device device;
    mco_status status;
    cycles_product_plan plan;
    uint64_t *d_lists, *d_rows[2];
    cycles_product_part *d_parts;
    cycles_drain drain;
    cudaEvent_t begun, ended;
    int64_t batches;
    double device_s;
} product_worker;

// ---- Parts

// Appends the parts of left rows [left, left + left_count) times right rows [right, right + right_count). `out` NULL: counts.
static void add_parts(cycles_product_part *out, int64_t *count, int64_t *rows, cycles_segment s)
{
    for (int64_t r = 0; r < s.right_count; r += PART_ROWS) {
        const int64_t right = s.right_count - r < PART_ROWS ? s.right_count - r : PART_ROWS;
        const int64_t at_once = (2 * PART_ROWS - 1) / right;
        for (int64_t l = 0; l < s.left_count; l += at_once) {
            const int64_t left = s.left_count - l < at_once ? s.left_count - l : at_once;
            if (out != NULL)
                out[*count] = (cycles_product_part){.first = *rows, .left = s.left + l, .right = s.right + r,
                                                    .right_count = (uint32_t)right, .rows = (uint32_t)(left * right)};
            *rows += left * right;
            ++*count;
        }
    }
}

// The lists stand behind each other on the device: left, right, single, and one empty row, which times `single` gives it.
static mco_status make_parts(gpu_product *all)
{
    mco_status st = MCO_OK;
    const cycles_factors *f = all->factors;
    const int64_t right = f->left_count, single = right + f->right_count, none = single + f->single_count;
    for (int pass = 0; pass < 2; pass++) {
        all->part_count = all->rows = 0;
        for (int64_t s = 0; s < f->segments; s++) {
            cycles_segment segment = f->segment[s];
            segment.right += right;
            add_parts(all->parts, &all->part_count, &all->rows, segment);
        }
        add_parts(all->parts, &all->part_count, &all->rows,
                  (cycles_segment){.left = none, .left_count = 1, .right = single, .right_count = f->single_count});
        if (pass == 0)
            MCO_TRY(mco_alloc(all->job->ctx, &all->parts, all->part_count));
    }
done:
    return st;
}

// ---- One GPU

static mco_status upload(product_worker *w)
{
    mco_status st = MCO_OK;
    const gpu_product *all = w->all;
    const cycles_factors *f = all->factors;
    const int64_t rows[] = {f->left_count, f->right_count, f->single_count};
    const uint64_t *const from[] = {f->left, f->right, f->single};
    cudaStream_t stream = w->device.stream;
    const size_t row = (size_t)f->words * sizeof(uint64_t);
    int64_t at = 0;
    MCO_TRY(mco_device_take(&w->device, MCO_MEMORY_DEVICE, &w->d_lists, (rows[0] + rows[1] + rows[2] + 1) * f->words));
    MCO_TRY(mco_device_take(&w->device, MCO_MEMORY_DEVICE, &w->d_parts, all->part_count));
    for (int k = 0; k < 3; at += rows[k++])
        if (rows[k] > 0)
            MCO_CUDA(w->ctx, cudaMemcpyAsync(w->d_lists + at * f->words, from[k], (size_t)rows[k] * row, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(w->ctx, cudaMemsetAsync(w->d_lists + at * f->words, 0, row, stream));
    MCO_CUDA(w->ctx, cudaMemcpyAsync(w->d_parts, all->parts, (size_t)all->part_count * sizeof *all->parts, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(w->ctx, cudaStreamSynchronize(stream));
done:
    return st;
}

static mco_status make_room(product_worker *w)
{
    mco_status st = MCO_OK;
    const gpu_product *all = w->all;
    size_t free_bytes, all_bytes;
    const int64_t row = (int64_t)all->factors->words * (int64_t)sizeof(uint64_t);
    int64_t rows = all->stretch < all->rows ? all->stretch : (all->rows + CHUNK_ROWS - 1) / CHUNK_ROWS * CHUNK_ROWS;
    MCO_TRY(upload(w));
    MCO_CUDA(w->ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    const int64_t room = free_bytes > SPARE_BYTES ? (int64_t)(free_bytes - SPARE_BYTES) / row / CHUNK_ROWS * CHUNK_ROWS : CHUNK_ROWS;
    const bool has_sink = all->job->sink != NULL;
    if (rows > room && has_sink)
        return mco_fail(w->ctx, MCO_ERR_MEMORY, "GPU %d: a buffer of %lld cycles was asked for, %lld are free",
                        w->device.info.index, (long long)rows, (long long)room);
    rows = rows < room ? rows : room;
    for (int k = 0; k < (has_sink ? 2 : 1); k++)
        MCO_TRY(mco_device_take(&w->device, MCO_MEMORY_DEVICE, &w->d_rows[k], rows * all->factors->words));
    if (has_sink)
        MCO_TRY(cycles_drain_open(&w->drain, w->ctx, &w->device, &w->all->pieces, all->factors->words, CHUNK_ROWS,
                                  rows / CHUNK_ROWS, PIECE_BYTES));
    MCO_CUDA(w->ctx, cudaEventCreate(&w->begun));
    MCO_CUDA(w->ctx, cudaEventCreate(&w->ended));
    w->plan = (cycles_product_plan){.words = all->factors->words, .d_lists = w->d_lists, .d_parts = w->d_parts,
                                    .parts = all->part_count, .end = rows};  // `end`: the room, until the first launch
done:
    return st;
}

static bool must_stop(void *state)
{
    const gpu_product *all = state;
    return atomic_load(&all->pieces.must_stop);
}

// Takes stretches until none is left. While one is made, the one before is given. A kernel writes at most the device's
// memory, tens of milliseconds, and so needs no flag.
static mco_status make_stretches(product_worker *w)
{
    mco_status st = MCO_OK;
    gpu_product *all = w->all;
    const int64_t room = w->plan.end;
    int64_t pending = 0;  // rows in the other buffer
    for (int k = 0;; k = w->d_rows[1] != NULL ? 1 - k : 0) {
        float ms = 0;
        const int64_t begin = atomic_fetch_add(&all->next, room), left = all->rows - begin;
        const int64_t rows = left < room ? left : room;
        const bool works = rows > 0 && !atomic_load(&all->pieces.must_stop);
        if (works) {
            w->plan.begin = begin;
            w->plan.end = begin + rows;
            w->plan.d_rows = w->d_rows[k];
            MCO_CUDA(w->ctx, cudaEventRecord(w->begun, w->device.stream));
            MCO_CUDA(w->ctx, cycles_launch_product(&w->plan, w->device.stream));
            MCO_CUDA(w->ctx, cudaEventRecord(w->ended, w->device.stream));
        }
        if (pending > 0)
            MCO_TRY(cycles_drain_rows(&w->drain, w->d_rows[1 - k], pending));
        if (!works)
            break;
        MCO_TRY(mco_device_wait(&w->device, w->ended, must_stop, all, NULL));
        MCO_CUDA(w->ctx, cudaEventElapsedTime(&ms, w->begun, w->ended));
        w->device_s += 1e-3 * (double)ms;
        w->batches++;
        pending = w->d_rows[1] != NULL ? rows : 0;
    }
done:
    return st;
}

static void work(void *shared, int index)
{
    gpu_product *all = shared;
    product_worker *w = &all->workers[index];
    w->status = mco_device_open(w->ctx, &all->gpus[index], &w->device);
    if (w->status == MCO_OK)
        w->status = make_room(w);
    if (w->status == MCO_OK)
        w->status = make_stretches(w);
    cycles_drain_close(&w->drain);
    if (w->begun != NULL)
        (void)cudaEventDestroy(w->begun);
    if (w->ended != NULL)
        (void)cudaEventDestroy(w->ended);
    mco_device_close(&w->device);
    if (w->status != MCO_OK)
        atomic_store(&all->pieces.must_stop, true);
    cycles_pieces_leave(&all->pieces);
}

// ---- The call

static mco_status run_all(gpu_product *all)
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

static void choose_stretch(gpu_product *all)
{
    const int64_t row = (int64_t)all->factors->words * (int64_t)sizeof(uint64_t);
    all->stretch = all->tuning.rows > 0 ? all->tuning.rows : all->job->sink != NULL ? (int64_t)BUFFER_BYTES / row : all->rows;
    if (all->gpu_count > 1 && all->stretch > all->rows / all->gpu_count)  // each GPU has a share
        all->stretch = all->rows / all->gpu_count + 1;
    all->stretch = (all->stretch + CHUNK_ROWS - 1) / CHUNK_ROWS * CHUNK_ROWS;
}

mco_status cycles_gpu_product(cycles_job *job, const cycles_factors *factors, const char *gpus, const cycles_gpu_tuning *tuning,
                              cycles_gpu_stats *stats)
{
    mco_status st = MCO_OK;
    gpu_product all = {.job = job, .factors = factors};
    cycles_gpu_stats counts = {0};
    if (factors->words > CYCLES_STEP_WORDS)
        return mco_fail(job->ctx, MCO_ERR_LIMIT, "cycles have rows of %d words, products on a GPU take at most %d", factors->words,
                        (int)CYCLES_STEP_WORDS);
    if (factors->cycles == INT64_MAX)
        return mco_fail(job->ctx, MCO_ERR_LIMIT, "the products are 2^63 cycles or more");
    if (tuning != NULL)
        all.tuning = *tuning;
    atomic_init(&all.next, 0);
    MCO_TRY(cycles_pieces_open(&all.pieces, job));
    all.pieces.counts_lengths = false;
    MCO_TRY(make_parts(&all));
    MCO_TRY(mco_gpus_choose(job->ctx, gpus, all.gpus, &all.gpu_count));
    MCO_TRY(mco_alloc(job->ctx, &all.workers, all.gpu_count));
    choose_stretch(&all);
    if (all.rows > 0)
        MCO_TRY(run_all(&all));
    counts.cycles = all.rows;
    counts.rows = all.pieces.rows;
    for (int g = 0; g < all.gpu_count; g++) {
        counts.device_s += all.workers[g].device_s;
        counts.batches += all.workers[g].batches;
        job->result->work.gpus |= (uint64_t)1 << all.gpus[g].index;
    }
    job->result->work.device_s += counts.device_s;
    if (stats != NULL)
        *stats = counts;
done:
    for (int g = 0; g < all.gpu_count && all.workers != NULL; g++)
        mco_context_destroy(&all.workers[g].ctx);
    mco_free(job->ctx, &all.workers);
    mco_free(job->ctx, &all.parts);
    cycles_pieces_close(&all.pieces);
    return st;
}
