// SPDX-License-Identifier: MIT
// Many trees on one GPU, a block for each, host side: rows of arcs, parts of the trees that fit into memory, copies.
#include "paths/single/gpu.h"

#include <inttypes.h>

#include "base/clock.h"

enum { QUEUE_DEFAULT = 4096, THREADS_DEFAULT = 256, DELTA_ARCS = 8 };  // delta: so many mean arcs
static const int64_t PART_BYTES = (int64_t)1 << 30;  // of distances on the device

typedef struct trees {
    mco_context *ctx;
    const paths_layout *layout;
    mco_device device;
    paths_block_plan plan;
    paths_block_row *row;    // [vertices]
    paths_block_arc *more;   // [more_count]
    int64_t more_count;
    paths_single_watch watch;
    cudaEvent_t begun, ended;
    paths_block_stats stats;
} trees;

static bool is_end(const paths_layout *l, int32_t v)
{
    return l->is_end != NULL && l->is_end[v];
}

// ---- Rows

static mco_status make_rows(trees *t)
{
    mco_status st = MCO_OK;
    const paths_layout *l = t->layout;
    MCO_TRY(mco_alloc(t->ctx, &t->row, l->vertices));
    for (int32_t v = 0; v < l->vertices; v++) {
        const int32_t degree = l->first[v + 1] - l->first[v];
        if (degree - PATHS_BLOCK_SLOTS > UINT16_MAX)
            return mco_fail(t->ctx, MCO_ERR_LIMIT, "%d arcs leave vertex %d, at most %d are supported here", degree, l->vertex[v],
                            PATHS_BLOCK_SLOTS + UINT16_MAX);
        t->more_count += degree > PATHS_BLOCK_SLOTS ? degree - PATHS_BLOCK_SLOTS : 0;
    }
    MCO_TRY(mco_alloc(t->ctx, &t->more, t->more_count));
    int32_t next = 0;
    for (int32_t v = 0; v < l->vertices; v++) {
        paths_block_row *row = &t->row[v];
        row->more = next;
        for (int k = 0; k < PATHS_BLOCK_SLOTS; k++)
            row->weight[k] = MCO_PATHS_NONE;
        for (int32_t a = l->first[v], k = 0; a < l->first[v + 1]; a++, k++) {
            const paths_arc arc = l->arc[a];
            if (k >= PATHS_BLOCK_SLOTS) {
                t->more[next++] = (paths_block_arc){(uint16_t)arc.head, is_end(l, arc.head), arc.weight};
                row->more_count++;
                continue;
            }
            row->head[k] = (uint16_t)arc.head;
            row->weight[k] = arc.weight;
            row->ends = (uint16_t)(row->ends | (unsigned)is_end(l, arc.head) << k);
        }
    }
done:
    return st;
}

// ---- Plan

static int32_t mean_weight(const paths_layout *l)
{
    int64_t sum = 0;
    for (int32_t a = 0; a < l->arcs; a++)
        sum += l->arc[a].weight;
    return l->arcs > 0 ? (int32_t)(sum / l->arcs) : 0;
}

static int32_t choose_delta(const paths_layout *l, int32_t asked)
{
    const int64_t wanted = asked > 0 ? asked : (int64_t)DELTA_ARCS * mean_weight(l);
    return (int32_t)(wanted < 1 ? 1 : wanted < MCO_PATHS_NONE ? wanted : MCO_PATHS_NONE - 1);
}

static mco_status refuse_large(trees *t)
{
    mco_status st = MCO_OK;
    int most = 0;
    const paths_block_plan *p = &t->plan;
    if (p->vertices > PATHS_BLOCK_VERTICES)
        return mco_fail(t->ctx, MCO_ERR_LIMIT, "%d vertices, a block of a GPU has room for %d at most", p->vertices,
                        PATHS_BLOCK_VERTICES);
    MCO_CUDA(t->ctx, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, t->device.info.index));
    const size_t bytes = paths_block_trees_bytes(p->vertices, p->queue);
    if (bytes > (size_t)most)
        return mco_fail(t->ctx, MCO_ERR_LIMIT, "labels of %d vertices take %zu bytes, a block of this GPU has %d", p->vertices, bytes,
                        most);
done:
    return st;
}

static mco_status plan_trees(trees *t, const paths_block_tuning *tuning, int64_t count)
{
    mco_status st = MCO_OK;
    paths_block_plan *p = &t->plan;
    const int32_t n = t->layout->vertices, queue = tuning->queue > 0 ? tuning->queue : QUEUE_DEFAULT;
    p->vertices = n;
    p->queue = (queue < n ? queue : n) / 2 * 2 + 2;
    p->threads = tuning->threads > 0 ? tuning->threads : THREADS_DEFAULT;
    p->delta = choose_delta(t->layout, tuning->delta);
    p->count = PART_BYTES / (int64_t)sizeof(int32_t) / n;
    p->count = count < p->count ? count : p->count;
    MCO_TRY(refuse_large(t));
    MCO_CUDA(t->ctx, paths_block_trees_shape(p, t->device.info.multiprocessors));
    t->stats.blocks = p->blocks;
    t->stats.delta = p->delta;
done:
    return st;
}

// ---- Work

#define TAKE(t, out, count) mco_device_take(&(t)->device, MCO_MEMORY_DEVICE, out, count)

static mco_status upload(trees *t, int64_t count, const int32_t *source)
{
    mco_status st = MCO_OK;
    paths_block_plan *p = &t->plan;
    cudaStream_t stream = t->device.stream;
    paths_block_row *d_row = NULL;
    paths_block_arc *d_more = NULL;
    int32_t *d_source = NULL;
    MCO_TRY(TAKE(t, &d_row, p->vertices));
    MCO_TRY(TAKE(t, &d_more, t->more_count));
    MCO_TRY(TAKE(t, &d_source, count));
    MCO_TRY(TAKE(t, &p->d_distance, p->count * p->vertices));
    MCO_TRY(TAKE(t, &p->d_control, 1));
    MCO_CUDA(t->ctx, cudaMemcpyAsync(d_row, t->row, (size_t)p->vertices * sizeof *d_row, cudaMemcpyHostToDevice, stream));
    if (t->more_count > 0)
        MCO_CUDA(t->ctx, cudaMemcpyAsync(d_more, t->more, (size_t)t->more_count * sizeof *d_more, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(t->ctx, cudaMemcpyAsync(d_source, source, (size_t)count * sizeof *d_source, cudaMemcpyHostToDevice, stream));
    p->d_row = d_row;
    p->d_more = d_more;
    p->d_source = d_source;
    MCO_CUDA(t->ctx, cudaEventCreate(&t->begun));
    MCO_CUDA(t->ctx, cudaEventCreate(&t->ended));
done:
    return st;
}

// The control of the kernel after it has ended.
static mco_status read_control(trees *t)
{
    mco_status st = MCO_OK;
    paths_block_control control;
    float ms = 0;
    MCO_CUDA(t->ctx, cudaMemcpyAsync(&control, t->plan.d_control, sizeof control, cudaMemcpyDeviceToHost, t->device.stream));
    MCO_CUDA(t->ctx, cudaStreamSynchronize(t->device.stream));
    MCO_CUDA(t->ctx, cudaEventElapsedTime(&ms, t->begun, t->ended));
    t->stats.device_s += 1e-3 * (double)ms;
    t->stats.rounds += (int64_t)control.rounds;
    t->stats.scans += (int64_t)control.scans;
    if (t->watch.is_stopped)
        return mco_fail(t->ctx, MCO_ERR_STOPPED, "the trees were stopped");
    if ((int64_t)control.done != t->plan.count)
        return mco_fail(t->ctx, MCO_ERR_INTERNAL, "%lld trees of %lld are done", (long long)control.done, (long long)t->plan.count);
done:
    return st;
}

// Finds the trees of plan.count sources, which begin at plan.d_source.
static mco_status find_part(trees *t)
{
    mco_status st = MCO_OK;
    paths_block_plan *p = &t->plan;
    cudaStream_t stream = t->device.stream;
    MCO_CUDA(t->ctx, cudaMemsetAsync(p->d_control, 0, sizeof *p->d_control, stream));
    MCO_CUDA(t->ctx, cudaEventRecord(t->begun, stream));
    MCO_CUDA(t->ctx, cudaStreamWaitEvent(t->device.side, t->begun, 0));  // `stop` is not written before it is cleared
    MCO_CUDA(t->ctx, paths_launch_block_trees(p, stream));
    MCO_CUDA(t->ctx, cudaEventRecord(t->ended, stream));
    // The kernel ends by itself, or by `stop`, which every block reads before each tree and each scan.
    MCO_TRY(mco_device_wait(&t->device, t->ended, paths_single_must_stop, &t->watch, &p->d_control->stop));
    MCO_TRY(read_control(t));
done:
    return st;
}

static mco_status refuse_long(trees *t, int64_t count, const int32_t *source, const int32_t *distance)
{
    mco_status st = MCO_OK;
    const paths_layout *l = t->layout;
    if ((int64_t)l->max_weight * l->vertices < MCO_PATHS_NONE)
        return MCO_OK;
    for (int64_t k = 0; k < count; k++)
        MCO_TRY(paths_single_refuse_long(t->ctx, l, source[k], distance + k * l->vertices));
done:
    return st;
}

static mco_status find_all(trees *t, int64_t count, const int32_t *source, int32_t *distance)
{
    mco_status st = MCO_OK;
    const int64_t part = t->plan.count, n = t->plan.vertices;
    for (int64_t k = 0; k < count; k += part) {
        t->plan.count = count - k < part ? count - k : part;
        MCO_TRY(find_part(t));
        t->plan.d_source += t->plan.count;
        if (distance == NULL)
            continue;
        MCO_CUDA(t->ctx, cudaMemcpyAsync(distance + k * n, t->plan.d_distance, (size_t)(t->plan.count * n) * sizeof *distance,
                                         cudaMemcpyDeviceToHost, t->device.stream));
        MCO_CUDA(t->ctx, cudaStreamSynchronize(t->device.stream));  // ends: a copy of a gigabyte at most
        MCO_TRY(refuse_long(t, t->plan.count, source + k, distance + k * n));
    }
done:
    return st;
}

mco_status paths_block_trees_tuned(mco_context *ctx, const paths_layout *layout, uint64_t gpus, mco_run *run, int64_t count,
                                   const int32_t *source, const paths_block_tuning *tuning, int32_t *distance,
                                   paths_block_stats *stats)
{
    mco_status st = MCO_OK;
    trees t = {.ctx = ctx, .layout = layout, .watch = {.run = run}};
    const double begin_s = mco_clock_s();
    if (count == 0)
        return MCO_OK;
    MCO_TRY(paths_single_device(ctx, gpus, &t.device));
    MCO_TRY(plan_trees(&t, tuning, count));
    MCO_TRY(make_rows(&t));
    MCO_TRY(upload(&t, count, source));
    MCO_TRY(find_all(&t, count, source, distance));
done:
    if (t.begun != NULL)
        (void)cudaEventDestroy(t.begun);
    if (t.ended != NULL)
        (void)cudaEventDestroy(t.ended);
    mco_device_close(&t.device);
    mco_free(ctx, &t.more);
    mco_free(ctx, &t.row);
    t.stats.wall_s = mco_clock_s() - begin_s;
    if (stats != NULL)
        *stats = t.stats;
    return st;
}

mco_status paths_block_trees(mco_context *ctx, const paths_layout *layout, uint64_t gpus, mco_run *run, int64_t count,
                             const int32_t *source, int32_t *distance, double *device_s)
{
    const paths_block_tuning chosen = {0};
    paths_block_stats stats = {0};
    const mco_status st = paths_block_trees_tuned(ctx, layout, gpus, run, count, source, &chosen, distance, &stats);
    if (device_s != NULL)
        *device_s = stats.device_s;
    return st;
}
