// SPDX-License-Identifier: MIT
// One tree on one GPU by tiles, host side: the arcs of the network stay on the device, and each tree is three kernels and a copy.
#include "paths/single/gpu.h"

#include <inttypes.h>

#include "base/clock.h"

struct paths_tiles {
    mco_context *ctx;
    const paths_layout *layout;     // the caller's
    mco_device device;
    paths_tiles_plan plan;
    paths_tiles_stats stats;
    int32_t *d_seed, *h_seed;       // [2 * seed_room] pairs of a place and a label
    int32_t seed_room;
    paths_tiles_control *h_control;  // pinned
    cudaEvent_t begun, cleared, ended;
};

// ---- Shared with other engines

mco_status paths_single_device(mco_context *ctx, uint64_t gpus, mco_device *out)
{
    mco_status st = MCO_OK;
    mco_gpu list[MCO_MAX_GPUS];
    int count = 0, wanted = 0;
    const char *reason = NULL;
    MCO_TRY(mco_gpus_list(ctx, list, &count, &reason));
    while (gpus != 0 && (gpus >> wanted & 1) == 0)
        wanted++;
    if (count == 0)
        return mco_fail(ctx, MCO_ERR_DEVICE, "no GPU: %s", reason);
    if (wanted >= count)
        return mco_fail(ctx, MCO_ERR_DEVICE, "GPU %d is asked for, there %s %d", wanted, count == 1 ? "is" : "are", count);
    MCO_TRY(mco_device_open(ctx, &list[wanted], out));
done:
    return st;
}

bool paths_single_must_stop(void *state)
{
    paths_single_watch *watch = state;
    watch->is_stopped = watch->is_stopped || (watch->run != NULL && mco_run_must_stop(watch->run, watch->run->work));
    return watch->is_stopped;
}

mco_status paths_single_refuse_long(mco_context *ctx, const paths_layout *l, int32_t source, const int32_t *distance)
{
    for (int32_t v = 0; v < l->vertices; v++) {
        if (distance[v] == MCO_PATHS_NONE || (l->is_end != NULL && l->is_end[v] && v != source))
            continue;
        for (int32_t a = l->first[v]; a < l->first[v + 1]; a++)
            if (distance[l->arc[a].head] == MCO_PATHS_NONE)
                return mco_fail(ctx, MCO_ERR_LIMIT, "vertex %d has distance %" PRId64 ", at most %d is supported; a smaller scale helps",
                                l->vertex[l->arc[a].head], (int64_t)distance[v] + l->arc[a].weight, MCO_PATHS_NONE - 1);
    }
    return MCO_OK;
}

// ---- Open

// Chooses the shape. A tile has at least a warp's vertices for each warp.
static mco_status plan_tiles(paths_tiles *t, const paths_tiles_tuning *tuning)
{
    mco_status st = MCO_OK;
    paths_tiles_plan *p = &t->plan;
    const int32_t n = t->layout->vertices;
    p->vertices = n;
    p->tile = tuning->tile > 0 ? tuning->tile : PATHS_TILE_DEFAULT;
    p->threads = tuning->threads > 0 ? tuning->threads : PATHS_TILE_THREADS;
    p->exchange = tuning->exchange;
    p->tiles = n / p->tile + (n % p->tile > 0 ? 1 : 0);
    const cudaError_t error = paths_tiles_shape(p, t->device.info.multiprocessors, tuning->blocks_each);
    if (error == cudaErrorInvalidValue)
        return mco_fail(t->ctx, MCO_ERR_ARGUMENT, "no kernel has tiles of %d vertices for %d threads", p->tile, p->threads);
    MCO_CUDA(t->ctx, error);
    t->stats.tiles = p->tiles;
    t->stats.blocks = p->blocks;
done:
    return st;
}

// Copies an array of the host to new memory of the device.
static mco_status upload(paths_tiles *t, const void *from, int64_t count, size_t item_bytes, const void **out)
{
    mco_status st = MCO_OK;
    void *to = NULL;
    MCO_TRY(mco_device_take_bytes(&t->device, MCO_MEMORY_DEVICE, &to, (size_t)count, item_bytes));
    if (count > 0)
        MCO_CUDA(t->ctx, cudaMemcpyAsync(to, from, (size_t)count * item_bytes, cudaMemcpyHostToDevice, t->device.stream));
    *out = to;
done:
    return st;
}
#define UPLOAD(t, from, count, out) upload(t, from, count, sizeof *(from), (const void **)(out))

static mco_status upload_arcs(paths_tiles *t, const paths_tile_arcs *a)
{
    mco_status st = MCO_OK;
    paths_tiles_plan *p = &t->plan;
    const int64_t places = (int64_t)a->tiles * a->tile, warps = (int64_t)a->tiles * a->warps;
    MCO_TRY(UPLOAD(t, a->weight, places * PATHS_TILE_SLOTS, &p->d_weight));
    MCO_TRY(UPLOAD(t, a->tail, places * PATHS_TILE_SLOTS, &p->d_tail));
    MCO_TRY(UPLOAD(t, a->readers, places, &p->d_readers));
    if (a->more_first[warps] > 0) {
        MCO_TRY(UPLOAD(t, a->more, a->more_first[warps], &p->d_more));
        MCO_TRY(UPLOAD(t, a->more_first, warps + 1, &p->d_more_first));
    }
    MCO_TRY(UPLOAD(t, a->in, a->in_first[a->tiles], &p->d_in));
    MCO_TRY(UPLOAD(t, a->in_first, a->tiles + 1, &p->d_in_first));
    MCO_TRY(UPLOAD(t, a->out, a->out_first[a->tiles], &p->d_out));
    MCO_TRY(UPLOAD(t, a->out_first, a->tiles + 1, &p->d_out_first));
    MCO_CUDA(t->ctx, cudaStreamSynchronize(t->device.stream));
done:
    return st;
}

// A source at which paths end has its arcs in no tile: their heads are seeds as well.
static int32_t most_seeds(const paths_layout *l)
{
    int32_t most = 1;
    for (int32_t v = 0; l->is_end != NULL && v < l->vertices; v++)
        if (l->is_end[v] && l->first[v + 1] - l->first[v] + 1 > most)
            most = l->first[v + 1] - l->first[v] + 1;
    return most;
}

static mco_status take_memory(paths_tiles *t)
{
    mco_status st = MCO_OK;
    paths_tiles_plan *p = &t->plan;
    mco_device *d = &t->device;
    t->seed_room = most_seeds(t->layout);
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_label, (int64_t)p->tiles * p->tile));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_key, (int64_t)p->blocks * p->own));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_visits, p->tiles));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &p->d_control, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &t->d_seed, 2 * (int64_t)t->seed_room));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &t->h_seed, 2 * (int64_t)t->seed_room));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &t->h_control, 1));
    MCO_CUDA(t->ctx, cudaEventCreate(&t->begun));
    MCO_CUDA(t->ctx, cudaEventCreate(&t->cleared));
    MCO_CUDA(t->ctx, cudaEventCreate(&t->ended));
done:
    return st;
}

mco_status paths_tiles_open_tuned(mco_context *ctx, const paths_layout *layout, uint64_t gpus, const paths_tiles_tuning *tuning,
                                  paths_tiles **out)
{
    mco_status st = MCO_OK;
    paths_tiles *t = NULL;
    paths_tile_arcs arcs = {0};
    MCO_TRY(mco_alloc(ctx, &t, 1));
    t->ctx = ctx;
    t->layout = layout;
    MCO_TRY(paths_single_device(ctx, gpus, &t->device));
    MCO_TRY(plan_tiles(t, tuning));
    MCO_TRY(paths_tile_arcs_make(ctx, layout, &t->plan, &arcs));
    MCO_TRY(upload_arcs(t, &arcs));
    MCO_TRY(take_memory(t));
    *out = t;
    t = NULL;
done:
    paths_tiles_close(ctx, &t);  // waits for copies that read `arcs`
    paths_tile_arcs_clear(ctx, &arcs);
    return st;
}

mco_status paths_tiles_open(mco_context *ctx, const paths_layout *layout, uint64_t gpus, paths_tiles **out)
{
    const paths_tiles_tuning chosen = {0};
    return paths_tiles_open_tuned(ctx, layout, gpus, &chosen, out);
}

void paths_tiles_close(mco_context *ctx, paths_tiles **tiles)
{
    paths_tiles *t = *tiles;
    if (t == NULL)
        return;
    if (t->begun != NULL)
        (void)cudaEventDestroy(t->begun);
    if (t->cleared != NULL)
        (void)cudaEventDestroy(t->cleared);
    if (t->ended != NULL)
        (void)cudaEventDestroy(t->ended);
    mco_device_close(&t->device);
    mco_free(ctx, tiles);
}

const paths_tiles_stats *paths_tiles_last(const paths_tiles *tiles)
{
    return &tiles->stats;
}

// ---- A tree

static int32_t write_seeds(paths_tiles *t, int32_t source)
{
    const paths_layout *l = t->layout;
    int32_t seeds = 1;
    t->h_seed[0] = source;
    t->h_seed[1] = 0;
    if (l->is_end == NULL || !l->is_end[source])
        return seeds;
    for (int32_t a = l->first[source]; a < l->first[source + 1]; a++, seeds++) {
        t->h_seed[2 * seeds] = l->arc[a].head;
        t->h_seed[2 * seeds + 1] = l->arc[a].weight;
    }
    return seeds;
}

static mco_status enqueue(paths_tiles *t, int32_t source)
{
    mco_status st = MCO_OK;
    const paths_tiles_plan *p = &t->plan;
    cudaStream_t stream = t->device.stream;
    const int32_t seeds = write_seeds(t, source);
    MCO_CUDA(t->ctx, cudaMemcpyAsync(t->d_seed, t->h_seed, 2 * (size_t)seeds * sizeof *t->h_seed, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(t->ctx, cudaMemsetAsync(p->d_control, 0, sizeof *p->d_control, stream));
    MCO_CUDA(t->ctx, cudaEventRecord(t->begun, stream));
    MCO_CUDA(t->ctx, cudaStreamWaitEvent(t->device.side, t->begun, 0));  // `stop` is not written before it is cleared
    MCO_CUDA(t->ctx, paths_launch_tiles_begin(p, seeds, t->d_seed, stream));
    MCO_CUDA(t->ctx, cudaEventRecord(t->cleared, stream));
    MCO_CUDA(t->ctx, paths_launch_tiles(p, stream));
    MCO_CUDA(t->ctx, cudaEventRecord(t->ended, stream));
    MCO_CUDA(t->ctx, paths_launch_tiles_farthest(p, stream));
    MCO_CUDA(t->ctx, cudaMemcpyAsync(t->h_control, p->d_control, sizeof *t->h_control, cudaMemcpyDeviceToHost, stream));
done:
    return st;
}

static mco_status read_times(paths_tiles *t)
{
    mco_status st = MCO_OK;
    float begin_ms = 0, tiles_ms = 0;
    MCO_CUDA(t->ctx, cudaEventElapsedTime(&begin_ms, t->begun, t->cleared));
    MCO_CUDA(t->ctx, cudaEventElapsedTime(&tiles_ms, t->cleared, t->ended));
    t->stats.begin_s = 1e-3 * (double)begin_ms;
    t->stats.tiles_s = 1e-3 * (double)tiles_ms;
    t->stats.visits = (int64_t)t->h_control->visits;
    t->stats.exchanges = (int64_t)t->h_control->exchanges;
    t->stats.sweeps = (int64_t)t->h_control->sweeps;
done:
    return st;
}

static mco_status copy_labels(paths_tiles *t, int32_t *distance)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    MCO_CUDA(t->ctx, cudaMemcpyAsync(distance, t->plan.d_label, (size_t)t->plan.vertices * sizeof *distance, cudaMemcpyDeviceToHost,
                                     t->device.stream));
    MCO_CUDA(t->ctx, cudaStreamSynchronize(t->device.stream));  // ends: a copy, tens of milliseconds at most
    t->stats.copy_s = mco_clock_s() - begin_s;
done:
    return st;
}

static void tell(const paths_tiles *t, double *device_s, paths_counts *counts)
{
    if (device_s != NULL)
        *device_s = t->stats.begin_s + t->stats.tiles_s;
    if (counts != NULL)
        *counts = (paths_counts){.relaxed = t->stats.sweeps * (t->plan.tile / (t->plan.threads / 32)) * PATHS_TILE_SLOTS,
                                 .rounds = t->stats.visits};
}

mco_status paths_tiles_tree(mco_context *ctx, paths_tiles *t, mco_run *run, int32_t source, int32_t *distance, double *device_s,
                            paths_counts *counts)
{
    mco_status st = MCO_OK;
    paths_single_watch watch = {.run = run};
    t->ctx = t->device.ctx = ctx;
    MCO_TRY(mco_device_use(&t->device));
    MCO_TRY(enqueue(t, source));
    // The kernels end: the tiles by themselves or by `stop`, which every block reads before each visit; the others are short.
    MCO_TRY(mco_device_wait(&t->device, t->ended, paths_single_must_stop, &watch, &t->plan.d_control->stop));
    MCO_CUDA(ctx, cudaStreamSynchronize(t->device.stream));
    MCO_TRY(read_times(t));
    tell(t, device_s, counts);
    if (watch.is_stopped)
        return mco_fail(ctx, MCO_ERR_STOPPED, "the tree of vertex %d was stopped", t->layout->vertex[source]);
    MCO_TRY(copy_labels(t, distance));
    if (t->h_control->farthest >= MCO_PATHS_NONE - t->layout->max_weight)
        MCO_TRY(paths_single_refuse_long(ctx, t->layout, source, distance));
done:
    return st;
}
