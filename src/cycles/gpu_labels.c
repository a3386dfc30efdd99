// SPDX-License-Identifier: MIT
// The published algorithm on a GPU, host side (labels.cu). Sizes stay on the device; the host looks at them after some levels.
#include <string.h>

#include "cycles/cuda.h"
#include "cycles/gpu.h"
#include "cycles/prefix.h"
#include "device/device_cuda.h"

enum { LEVELS_AT_ONCE = 16 };
static const int64_t TABLE_ROWS = (int64_t)1 << 28;
static const int64_t LIST_ROWS = (int64_t)1 << 26;

typedef struct gpu_labels {
    cycles_job *job;
    cycles_prefixes prefixes;
    mco_device device;
    cycles_labels_plan plan;
    uint64_t *d_adjacent;
    int32_t *d_first, *d_head, *first;
    cycles_labels_control *h_control;
    double device_s;
    int64_t batches, levels;
} gpu_labels;

static mco_status upload_graph(gpu_labels *g)
{
    mco_status st = MCO_OK;
    const graph_simple *graph = &g->job->block->graph;
    const int32_t n = graph->vertices;
    mco_device *d = &g->device;
    const size_t words = (size_t)n * (size_t)g->plan.words;
    MCO_TRY(mco_alloc(g->job->ctx, &g->first, n + 1));
    for (int32_t v = 0; v <= n; v++)
        g->first[v] = (int32_t)graph->first[v];  // at most 256 * 255 arcs
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &g->d_adjacent, words));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &g->plan.d_later, words));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &g->d_first, n + 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &g->d_head, graph->arcs));
    MCO_CUDA(g->job->ctx, cudaMemcpyAsync(g->d_adjacent, g->prefixes.adjacent, words * sizeof(uint64_t), cudaMemcpyHostToDevice, d->stream));
    MCO_CUDA(g->job->ctx, cudaMemcpyAsync(g->d_first, g->first, (size_t)(n + 1) * sizeof *g->first, cudaMemcpyHostToDevice, d->stream));
    if (graph->arcs > 0)
        MCO_CUDA(g->job->ctx, cudaMemcpyAsync(g->d_head, graph->head, (size_t)graph->arcs * sizeof *graph->head, cudaMemcpyHostToDevice,
                                              d->stream));
    g->plan.d_adjacent = g->d_adjacent;
    g->plan.d_first = g->d_first;
    g->plan.d_head = g->d_head;
done:
    return st;
}

static mco_status make_room(gpu_labels *g, const cycles_gpu_tuning *tuning)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->job->ctx;
    const int32_t n = g->job->block->graph.vertices, degree = g->prefixes.max_degree > 2 ? g->prefixes.max_degree : 2;
    cycles_labels_plan *p = &g->plan;
    mco_device *d = &g->device;
    size_t free_bytes, all_bytes;
    const int64_t triplets = (int64_t)n * degree * degree / 2 + 1;
    *p = (cycles_labels_plan){.vertices = n, .words = g->prefixes.row_words, .row_words = (n + 63) / 64, .max_degree = degree,
                              .rules = g->prefixes.rules};
    const int64_t row = p->words * (int64_t)sizeof(uint64_t) + (int64_t)sizeof(uint32_t);
    const bool lists = tuning != NULL && tuning->makes_lists;
    MCO_TRY(upload_graph(g));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_control, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &g->h_control, 1));
    if (lists) {
        p->row_capacity = tuning->rows > 0 ? tuning->rows : LIST_ROWS;
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_rows, p->row_capacity * p->row_words));
    }
    MCO_CUDA(ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    p->capacity = tuning != NULL && tuning->pool > 0 ? tuning->pool : TABLE_ROWS;
    while (2 * p->capacity * row > (int64_t)(free_bytes - free_bytes / 8) && p->capacity > 1)
        p->capacity /= 2;
    if (p->capacity < triplets)
        return mco_fail(ctx, MCO_ERR_LIMIT, "a table of %lld paths, the first level may have %lld", (long long)p->capacity,
                        (long long)triplets);
    for (int side = 0; side < 2; side++) {
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_words[side], p->capacity * p->words));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_tags[side], p->capacity));
    }
    if (2 * p->capacity * row > g->job->result->bytes)
        g->job->result->bytes = 2 * p->capacity * row;
    MCO_CUDA(ctx, cudaMemsetAsync(p->d_control, 0, sizeof *p->d_control, d->stream));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->stream));
done:
    return st;
}

static bool must_stop(void *state)
{
    const gpu_labels *g = state;
    return g->job->run != NULL && mco_run_must_stop(g->job->run, g->job->result->nodes);
}

// A level reads and writes a table once, some milliseconds, so no kernel looks at a flag.
static mco_status grow_levels(gpu_labels *g)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->job->ctx;
    cudaStream_t stream = g->device.stream;
    bool is_stopped = false;
    int at_once = LEVELS_AT_ONCE;
    do {
        float ms = 0;
        MCO_CUDA(ctx, cudaEventRecord(g->device.begin, stream));
        if (g->batches == 0) {
            MCO_CUDA(ctx, cycles_launch_degree_labels(&g->plan, stream));
            MCO_CUDA(ctx, cycles_launch_triplets(&g->plan, stream));
        }
        for (int k = 0; k < at_once; k++)
            MCO_CUDA(ctx, cycles_launch_growth(&g->plan, g->device.info.multiprocessors, stream));
        MCO_CUDA(ctx, cudaEventRecord(g->device.end, stream));
        MCO_CUDA(ctx, cudaMemcpyAsync(g->h_control, g->plan.d_control, sizeof *g->h_control, cudaMemcpyDeviceToHost, stream));
        MCO_TRY(mco_device_wait(&g->device, g->device.end, must_stop, g, NULL));
        MCO_CUDA(ctx, cudaStreamSynchronize(stream));
        MCO_CUDA(ctx, cudaEventElapsedTime(&ms, g->device.begin, g->device.end));
        g->device_s += 1e-3 * (double)ms;
        g->batches++;
        g->levels += at_once;
        is_stopped = must_stop(g);
        if (g->h_control->is_full != 0)
            return mco_fail(ctx, MCO_ERR_LIMIT, "a table of %lld paths is too small, %lld wait in it", (long long)g->plan.capacity,
                            (long long)g->h_control->count);
    } while (g->h_control->count > 0 && !is_stopped);
done:
    return st;
}

mco_status cycles_gpu_labels(cycles_job *job, const char *gpus, const cycles_gpu_tuning *tuning, cycles_gpu_stats *stats)
{
    mco_status st = MCO_OK;
    gpu_labels g = {.job = job};
    if (job->sink != NULL)
        return mco_fail(job->ctx, MCO_ERR_ARGUMENT, "the labels method on a GPU counts, a list was asked for");
    MCO_TRY(cycles_prefixes_make(job, &g.prefixes));
    MCO_TRY(mco_device_open_named(job->ctx, gpus, &g.device));
    MCO_TRY(make_room(&g, tuning));
    MCO_TRY(grow_levels(&g));
    const cycles_labels_control *c = g.h_control;
    for (int32_t k = 0; k < CYCLES_LENGTHS; k++)
        if (c->by_length[k] > 0)
            MCO_TRY(cycles_tally_add_u64(job->tally, job->wants_lengths ? k : 0, c->by_length[k]));
    job->result->work.gpus |= (uint64_t)1 << g.device.info.index;
    job->result->work.device_s += g.device_s;
    if (stats != NULL)
        *stats = (cycles_gpu_stats){.device_s = g.device_s, .cycles = (int64_t)c->cycles, .levels = g.levels, .batches = g.batches,
                                    .hash = c->hash};
done:
    mco_device_close(&g.device);
    mco_free(job->ctx, &g.first);
    cycles_prefixes_clear(job->ctx, &g.prefixes);
    return st;
}
