// SPDX-License-Identifier: MIT
#include "cycles/gpu_pieces.h"

#include "base/clock.h"

mco_status cycles_pieces_open(cycles_pieces *pieces, cycles_job *job)
{
    *pieces = (cycles_pieces){.job = job, .counts_lengths = job->wants_lengths};
    if (pthread_mutex_init(&pieces->lock, NULL) != 0)
        return mco_fail(job->ctx, MCO_ERR_MEMORY, "out of memory: a lock");
    mco_clock_condition(&pieces->changed);
    pieces->is_open = true;
    return MCO_OK;
}

void cycles_pieces_close(cycles_pieces *pieces)
{
    if (!pieces->is_open)
        return;
    pthread_cond_destroy(&pieces->changed);
    pthread_mutex_destroy(&pieces->lock);
    pieces->is_open = false;
}

// ---- The caller's thread

static void look_at_clock(cycles_pieces *pieces)
{
    cycles_job *job = pieces->job;
    if (job->run != NULL && mco_run_must_stop(job->run, job->result->nodes))
        atomic_store(&pieces->must_stop, true);
}

static void give(cycles_pieces *pieces, const cycles_piece *piece)
{
    cycles_sink *sink = pieces->job->sink;
    for (int64_t c = 0; c < piece->chunks && !atomic_load(&pieces->must_stop); c++) {
        const uint64_t *rows = piece->rows + (size_t)(c * piece->chunk_rows) * (size_t)piece->row_words;
        const int64_t before = sink->taken;
        if (!cycles_sink_give(sink, pieces->job->block, rows, piece->fill[c]))
            atomic_store(&pieces->must_stop, true);
        const int64_t taken = sink->taken - before;
        pieces->rows += taken;
        for (int64_t r = 0; r < taken && pieces->counts_lengths; r++)
            pieces->by_length[cycles_set_size(rows + (size_t)r * (size_t)piece->row_words, piece->row_words)]++;
        look_at_clock(pieces);
    }
}

void cycles_pieces_serve(cycles_pieces *pieces)
{
    pthread_mutex_lock(&pieces->lock);
    while (pieces->working > 0) {
        if (pieces->posted != NULL) {
            cycles_piece *piece = pieces->posted;
            pthread_mutex_unlock(&pieces->lock);
            give(pieces, piece);
            pthread_mutex_lock(&pieces->lock);
            piece->is_taken = true;
            pieces->posted = NULL;
            pthread_cond_broadcast(&pieces->changed);
            continue;
        }
        const struct timespec until = mco_clock_after(CYCLES_NAP_S);
        pthread_cond_timedwait(&pieces->changed, &pieces->lock, &until);
        pthread_mutex_unlock(&pieces->lock);
        look_at_clock(pieces);
        pthread_mutex_lock(&pieces->lock);
    }
    pthread_mutex_unlock(&pieces->lock);
}

mco_status cycles_pieces_tally(const cycles_pieces *pieces, cycles_tally *tally)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k <= CYCLES_STEP_VERTICES && pieces->counts_lengths; k++)
        if (pieces->by_length[k] > 0)
            MCO_TRY(cycles_tally_add_u64(tally, k, (uint64_t)pieces->by_length[k]));
    if (!pieces->counts_lengths && pieces->rows > 0)
        MCO_TRY(cycles_tally_add_u64(tally, 0, (uint64_t)pieces->rows));
done:
    return st;
}

// ---- Threads of the GPUs

bool cycles_pieces_post(cycles_pieces *pieces, cycles_piece *piece)
{
    pthread_mutex_lock(&pieces->lock);
    piece->is_taken = false;
    // The waits end: the caller's thread serves until all other threads have left.
    while (pieces->posted != NULL)
        pthread_cond_wait(&pieces->changed, &pieces->lock);
    pieces->posted = piece;
    pthread_cond_broadcast(&pieces->changed);
    while (!piece->is_taken)
        pthread_cond_wait(&pieces->changed, &pieces->lock);
    pthread_mutex_unlock(&pieces->lock);
    return !atomic_load(&pieces->must_stop);
}

void cycles_pieces_leave(cycles_pieces *pieces)
{
    pthread_mutex_lock(&pieces->lock);
    pieces->working--;
    pthread_cond_broadcast(&pieces->changed);
    pthread_mutex_unlock(&pieces->lock);
}

// ---- From a device to the sink

mco_status cycles_drain_open(cycles_drain *drain, mco_context *ctx, mco_device *device, cycles_pieces *pieces, int32_t row_words,
                             int32_t chunk_rows, int64_t most_chunks, size_t piece_bytes)
{
    mco_status st = MCO_OK;
    const int64_t chunk_bytes = (int64_t)chunk_rows * row_words * (int64_t)sizeof(uint64_t);
    *drain = (cycles_drain){.ctx = ctx, .device = device, .pieces = pieces, .row_words = row_words, .chunk_rows = chunk_rows};
    drain->at_once = (int64_t)piece_bytes / chunk_bytes > 0 ? (int64_t)piece_bytes / chunk_bytes : 1;
    drain->at_once = drain->at_once < most_chunks ? drain->at_once : most_chunks;
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &drain->h_fill, most_chunks));
    for (int k = 0; k < 2; k++) {
        MCO_TRY(mco_device_take_bytes(device, MCO_MEMORY_PINNED, (void **)&drain->h_rows[k], (size_t)drain->at_once,
                                      (size_t)chunk_bytes));
        MCO_CUDA(ctx, cudaEventCreateWithFlags(&drain->copied[k], cudaEventDisableTiming));
    }
done:
    return st;
}

static mco_status start_copy(cycles_drain *drain, int k, const uint64_t *d_rows, int64_t first, int64_t chunks)
{
    mco_status st = MCO_OK;
    const int64_t chunk_words = (int64_t)drain->chunk_rows * drain->row_words;
    MCO_CUDA(drain->ctx, cudaMemcpyAsync(drain->h_rows[k], d_rows + first * chunk_words,
                                         (size_t)(chunks * chunk_words) * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                                         drain->device->side));
    MCO_CUDA(drain->ctx, cudaEventRecord(drain->copied[k], drain->device->side));
done:
    return st;
}

// Gives chunks whose fills are in h_fill.
static mco_status give_chunks(cycles_drain *drain, const uint64_t *d_rows, int64_t chunks)
{
    mco_status st = MCO_OK;
    const int64_t step = drain->at_once;
    bool wants_more = !atomic_load(&drain->pieces->must_stop);
    int k = 0;
    if (chunks == 0 || !wants_more)
        return MCO_OK;
    MCO_TRY(start_copy(drain, k, d_rows, 0, step < chunks ? step : chunks));
    for (int64_t c = 0; c < chunks && wants_more; c += step, k ^= 1) {
        const int64_t next = c + step, left = chunks - next;
        if (left > 0)
            MCO_TRY(start_copy(drain, k ^ 1, d_rows, next, step < left ? step : left));
        MCO_CUDA(drain->ctx, cudaEventSynchronize(drain->copied[k]));
        cycles_piece piece = {.rows = drain->h_rows[k], .fill = drain->h_fill + c, .chunks = left > 0 ? step : chunks - c,
                              .chunk_rows = drain->chunk_rows, .row_words = drain->row_words};
        wants_more = cycles_pieces_post(drain->pieces, &piece);
    }
done:
    // The next copy into the buffers follows on the same stream, so none is still written then.
    return st;
}

mco_status cycles_drain_chunks(cycles_drain *drain, const uint64_t *d_rows, const int32_t *d_fill, int64_t chunks)
{
    mco_status st = MCO_OK;
    MCO_CUDA(drain->ctx, cudaMemcpyAsync(drain->h_fill, d_fill, (size_t)chunks * sizeof *d_fill, cudaMemcpyDeviceToHost,
                                         drain->device->side));
    MCO_CUDA(drain->ctx, cudaStreamSynchronize(drain->device->side));
    MCO_TRY(give_chunks(drain, d_rows, chunks));
done:
    return st;
}

mco_status cycles_drain_rows(cycles_drain *drain, const uint64_t *d_rows, int64_t rows)
{
    const int64_t chunks = (rows + drain->chunk_rows - 1) / drain->chunk_rows;
    for (int64_t c = 0; c < chunks; c++)
        drain->h_fill[c] = c + 1 < chunks ? drain->chunk_rows : (int32_t)(rows - c * drain->chunk_rows);
    return give_chunks(drain, d_rows, chunks);
}

void cycles_drain_close(cycles_drain *drain)
{
    for (int k = 0; k < 2; k++)
        if (drain->copied[k] != NULL)
            (void)cudaEventDestroy(drain->copied[k]);
    *drain = (cycles_drain){0};
}
