// SPDX-License-Identifier: MIT
// Copies the table from a GPU to ordinary memory (guillotine/gpu_copy.h).
#include "guillotine/gpu_copy.h"

#include <sched.h>
#include <string.h>

#include "base/pages.h"

enum { MOST_WORKERS = 10 };
static const int64_t PART_BYTES = (int64_t)1 << 20;
static const int64_t CHUNK_BYTES = (int64_t)2 << 20;  // that a worker touches at a time: a huge page

static void touch_pages(guillotine_copier *c)
{
    const int64_t bytes = c->rows * (int64_t)c->row_bytes;
    for (int64_t at; !atomic_load_explicit(&c->is_stopped, memory_order_relaxed) &&
                     (at = CHUNK_BYTES * atomic_fetch_add(&c->next_chunk, 1)) < bytes;)
        mco_touch_pages(c->to + at, (size_t)(bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES));
}

static int64_t rows_of(const guillotine_copier *c, int64_t part)
{
    const int64_t left = c->rows - part * c->part_rows;
    return left < c->part_rows ? left : c->part_rows;
}

static char *slot_of(const guillotine_copier *c, int64_t part)
{
    return c->h_stage + (size_t)(part % c->slots * c->part_rows) * c->row_bytes;
}

static void move_parts(guillotine_copier *c)
{
    for (int64_t part; (part = atomic_fetch_add(&c->next_part, 1)) < c->parts;) {
        // This wait ends: the calling thread lets parts arrive one after another, or guillotine_copier_end() stops the
        // copier.
        while (atomic_load_explicit(&c->arrived, memory_order_acquire) <= part) {
            if (atomic_load_explicit(&c->is_stopped, memory_order_relaxed))
                return;
            sched_yield();
        }
        memcpy(c->to + (size_t)(part * c->part_rows) * c->row_bytes, slot_of(c, part), (size_t)rows_of(c, part) * c->row_bytes);
        atomic_fetch_add_explicit(&c->moved[part % c->slots], 1, memory_order_release);
    }
}

static void work(void *shared, int worker)
{
    guillotine_copier *c = shared;
    (void)worker;
    touch_pages(c);
    pthread_mutex_lock(&c->lock);
    c->touched++;
    pthread_cond_broadcast(&c->changed);
    while (!c->is_open)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
    move_parts(c);
}

mco_status guillotine_copier_start(mco_context *ctx, int threads, int64_t rows, size_t row_bytes, char *to,
                                   guillotine_copier *out)
{
    mco_status st = MCO_OK;
    const int64_t fit = PART_BYTES / (int64_t)row_bytes;
    *out = (guillotine_copier){.ctx = ctx, .to = to, .rows = rows, .row_bytes = row_bytes, .part_rows = fit > 0 ? fit : 1};
    out->parts = (rows + out->part_rows - 1) / out->part_rows;
    out->slots = out->parts < GUILLOTINE_COPY_SLOTS ? out->parts : GUILLOTINE_COPY_SLOTS;
    out->workers = threads < MOST_WORKERS ? threads : MOST_WORKERS;
    out->workers = out->workers < out->parts ? out->workers : (int)out->parts;
    mco_advise_huge(to, (size_t)rows * row_bytes);
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->changed, NULL);
    out->has_lock = true;
    MCO_TRY(mco_team_start(ctx, out->workers, work, out, &out->team));
done:
    return st;
}

mco_status guillotine_copier_take_staging(guillotine_copier *c, mco_device *device)
{
    mco_status st = MCO_OK;
    if (c->h_stage != NULL)
        return MCO_OK;
    MCO_TRY(mco_device_take_bytes(device, MCO_MEMORY_PINNED, (void **)&c->h_stage, (size_t)(c->slots * c->part_rows),
                                  c->row_bytes));
    for (int k = 0; k < GUILLOTINE_COPY_DEPTH; k++)
        MCO_CUDA(c->ctx, cudaEventCreateWithFlags(&c->arrivals[k], cudaEventDisableTiming));
done:
    return st;
}

// Lets the workers move parts. With `waits`, all pages are touched before: a touch clears the first byte of a page.
static void open_parts(guillotine_copier *c, bool waits)
{
    pthread_mutex_lock(&c->lock);
    while (waits && c->touched < c->workers)
        pthread_cond_wait(&c->changed, &c->lock);
    c->is_open = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

mco_status guillotine_copier_run(guillotine_copier *c, mco_device *device, const void *d_table, size_t pitch_bytes)
{
    mco_status st = MCO_OK;
    MCO_TRY(guillotine_copier_take_staging(c, device));
    open_parts(c, true);
    for (int64_t part = 0; part < c->parts + GUILLOTINE_COPY_DEPTH; part++) {
        const int64_t before = part - GUILLOTINE_COPY_DEPTH;
        cudaEvent_t *arrival = &c->arrivals[part % GUILLOTINE_COPY_DEPTH];
        if (before >= 0 && before < c->parts) {
            MCO_CUDA(c->ctx, cudaEventSynchronize(*arrival));
            atomic_store_explicit(&c->arrived, before + 1, memory_order_release);
        }
        if (part >= c->parts)
            continue;
        // This wait ends: the part that the slot held has arrived, since at most as many copies as slots are under way,
        // and workers take parts in order.
        while (atomic_load_explicit(&c->moved[part % c->slots], memory_order_acquire) < part / c->slots)
            sched_yield();
        MCO_CUDA(c->ctx, cudaMemcpy2DAsync(slot_of(c, part), c->row_bytes,
                                           (const char *)d_table + (size_t)(part * c->part_rows) * pitch_bytes, pitch_bytes,
                                           c->row_bytes, (size_t)rows_of(c, part), cudaMemcpyDeviceToHost, device->stream));
        MCO_CUDA(c->ctx, cudaEventRecord(*arrival, device->stream));
    }
    mco_team_join(&c->team);
    c->team = (mco_team){0};
    mco_device_give(device, &c->h_stage);
done:
    return st;
}

void guillotine_copier_end(guillotine_copier *c)
{
    if (!c->has_lock)
        return;
    atomic_store(&c->is_stopped, true);
    open_parts(c, false);
    mco_team_join(&c->team);
    for (int k = 0; k < GUILLOTINE_COPY_DEPTH; k++)
        if (c->arrivals[k] != NULL)
            (void)cudaEventDestroy(c->arrivals[k]);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    *c = (guillotine_copier){0};
}
