// SPDX-License-Identifier: MIT
// An instance on a GPU: memory, loading in pieces between which the host looks at the clock, rows by their length.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "overlay/gpu/gpu.h"

static const double FIRST_BETA = 0.005;             // of subgradient.c
static const size_t PIECE_BYTES = (size_t)64 << 20; // of a load, between two looks at the clock
static const double CHECK_S = 4e-9;                 // an entry in the check of the bound, on one core

bool overlay_gpu_must_stop(void *dual)
{
    const overlay_dual *d = dual;
    if (mco_run_must_stop(d->run, d->iterations))
        return true;
    if (mco_clock_s() < d->stop_s)
        return false;
    d->run->stop = MCO_STOP_TIME;  // what is left is for the check
    return true;
}

// ---- Opening

static int64_t entries_of(const mco_overlay *o)
{
    return o->is_complete ? 0 : 2 * o->links;
}

int64_t overlay_gpu_bytes(const mco_overlay *o)
{
    const int64_t per_node = 2 * (int64_t)sizeof(overlay_gpu_node) + 11 * 4 + 2 * 8;
    const int64_t per_entry = 4 + (o->weight != NULL ? 4 : 0) + (o->row_most != NULL ? 4 : 0);
    return per_node * o->nodes + per_entry * entries_of(o);
}

static int64_t row_size(const mco_overlay *o, int32_t i)
{
    return o->is_complete ? o->nodes : o->first[i + 1] - o->first[i];
}

static int class_of(int64_t size)
{
    static const int64_t most[OVERLAY_GPU_CLASSES - 1] = {32, 128, 256, 1024, 4096, 16384};
    int c = 0;
    while (c < OVERLAY_GPU_CLASSES - 1 && size > most[c])
        c++;
    return c;
}

// Brings an array to the device. Errors: STOPPED.
static mco_status load(overlay_gpu *g, void *d_to, const void *from, size_t bytes)
{
    mco_status st = MCO_OK;
    for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
        const size_t size = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        if (overlay_gpu_must_stop(g->d))
            return MCO_ERR_STOPPED;
        MCO_CUDA(g->device.ctx, cudaMemcpyAsync((char *)d_to + at, (const char *)from + at, size, cudaMemcpyHostToDevice, g->device.stream));
    }
done:
    return st;
}

#define TAKE(out, count) MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, out, count))
#define LOAD(out, from, count)                                                             \
    do {                                                                                   \
        TAKE(out, count);                                                                  \
        MCO_TRY(load(g, (void *)*(out), from, (size_t)(count) * sizeof **(out)));          \
    } while (0)

static int compare_keys(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

// The longest rows first, so that no block begins one when the others end.
static mco_status sort_longest(overlay_gpu *g, int32_t *order, int64_t count)
{
    mco_status st = MCO_OK;
    int64_t *key = NULL;
    MCO_TRY(mco_alloc(g->device.ctx, &key, count));
    for (int64_t k = 0; k < count; k++)
        key[k] = row_size(g->d->o, order[k]) << 31 | order[k];
    qsort(key, (size_t)count, sizeof *key, compare_keys);
    for (int64_t k = 0; k < count; k++)
        order[k] = (int32_t)(key[k] & INT32_MAX);
done:
    mco_free(g->device.ctx, &key);
    return st;
}

// Rows in the order of their classes; none where all have the same class.
static mco_status load_classes(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    overlay_gpu_plan *p = &g->plan;
    int32_t *order = NULL;
    int64_t count[OVERLAY_GPU_CLASSES] = {0}, at[OVERLAY_GPU_CLASSES];
    int used = 0;
    for (int32_t i = 0; i < o->nodes; i++)
        count[class_of(row_size(o, i))]++;
    for (int c = 0, first = 0; c < OVERLAY_GPU_CLASSES; first += (int)count[c], c++) {
        int32_t blocks = 0;
        used += count[c] > 0;
        at[c] = first;
        p->classes[c] = (overlay_gpu_class){first, first + count[c]};
        MCO_CUDA(g->device.ctx, overlay_gpu_occupancy(g->method, c, g->device.info.multiprocessors, &blocks));
        const int64_t wanted = c < OVERLAY_GPU_WARP_CLASSES ? (count[c] + OVERLAY_GPU_BLOCK / 32 - 1) / (OVERLAY_GPU_BLOCK / 32) : count[c];
        p->blocks[c] = (int32_t)(wanted < blocks ? wanted : blocks);
    }
    if (used > 1) {
        MCO_TRY(mco_alloc(g->device.ctx, &order, o->nodes));
        for (int32_t i = 0; i < o->nodes; i++)
            order[at[class_of(row_size(o, i))]++] = i;
        if (count[OVERLAY_GPU_CLASSES - 1] > 1)
            MCO_TRY(sort_longest(g, order + p->classes[OVERLAY_GPU_CLASSES - 1].first, count[OVERLAY_GPU_CLASSES - 1]));
        LOAD(&p->d_order, order, o->nodes);
        MCO_CUDA(g->device.ctx, cudaStreamSynchronize(g->device.stream));  // a copy of 4 bytes a node
    }
    p->longest = o->is_complete ? o->nodes : o->degree;
    if (p->blocks[OVERLAY_GPU_CLASSES - 1] > 0)
        TAKE(&p->d_scratch, p->longest * p->blocks[OVERLAY_GPU_CLASSES - 1]);
done:
    mco_free(g->device.ctx, &order);
    return st;
}

static mco_status load_nodes(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    overlay_gpu_node *node = NULL;
    MCO_TRY(mco_alloc(g->device.ctx, &node, o->nodes));
    for (int32_t i = 0; i < o->nodes; i++)
        node[i] = (overlay_gpu_node){.uptime = o->uptime[i], .cap = (uint32_t)o->cap[i], .bandwidth = (uint32_t)o->bandwidth[i]};
    for (int k = 0; k < 2; k++)
        LOAD(&g->plan.d_node[k], node, o->nodes);
    MCO_CUDA(g->device.ctx, cudaStreamSynchronize(g->device.stream));  // a copy of 32 bytes a node
done:
    mco_free(g->device.ctx, &node);
    return st;
}

mco_status overlay_gpu_forget_lists(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    const size_t bytes = (size_t)g->plan.nodes * sizeof *g->plan.d_near;
    if (g->plan.d_near == NULL)
        return MCO_OK;
    MCO_CUDA(g->device.ctx, cudaMemsetAsync(g->plan.d_near, 0x7f, bytes, g->device.stream));
    MCO_CUDA(g->device.ctx, cudaMemsetAsync(g->plan.d_lowest, 0, bytes, g->device.stream));
    MCO_CUDA(g->device.ctx, cudaMemsetAsync(g->plan.d_floor, 0, bytes, g->device.stream));
done:
    return st;
}

static mco_status take_rooms(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_gpu_plan *p = &g->plan;
    const int64_t nodes = p->nodes, words = OVERLAY_GPU_SLOTS * (2 * nodes + 3 * p->whole_blocks);
    TAKE(&p->d_best, nodes);
    TAKE(&p->d_reach, nodes);
    TAKE(&p->d_alpha, nodes);
    TAKE(&p->d_stalls, nodes);
    TAKE(&p->d_excess, nodes);
    if (!p->is_complete && g->method == OVERLAY_GPU_JUMP && !g->tuning.no_lists) {
        TAKE(&p->d_near, nodes);
        TAKE(&p->d_floor, nodes);
        TAKE(&p->d_lowest, nodes);
        MCO_TRY(overlay_gpu_forget_lists(g));
    }
    TAKE(&p->d_state, OVERLAY_GPU_SLOTS);
    TAKE(&p->d_sums, OVERLAY_GPU_SLOTS);
    TAKE(&p->d_log, OVERLAY_GPU_LOG_ROOM);
    TAKE(&g->d_width, OVERLAY_GPU_LOG_ROOM);
    TAKE(&g->d_stop, 1);
    p->d_stop = g->d_stop;
    MCO_CUDA(g->device.ctx, cudaMemsetAsync(g->d_stop, 0, sizeof *g->d_stop, g->device.stream));
    if (p->whole_blocks > 0) {
        TAKE(&p->d_words, words);
        MCO_CUDA(g->device.ctx, cudaMemsetAsync(p->d_words, 0, (size_t)words * sizeof *p->d_words, g->device.stream));
    }
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, &g->h_state, 1));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, &g->h_log, OVERLAY_GPU_LOG_ROOM));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, &g->h_width, OVERLAY_GPU_LOG_ROOM));
    MCO_CUDA(g->device.ctx, cudaStreamCreateWithFlags(&g->beside, cudaStreamNonBlocking));
    MCO_CUDA(g->device.ctx, cudaEventCreateWithFlags(&g->forked, cudaEventDisableTiming));
    MCO_CUDA(g->device.ctx, cudaEventCreateWithFlags(&g->joined, cudaEventDisableTiming));
    MCO_CUDA(g->device.ctx, cudaEventCreateWithFlags(&g->ended, cudaEventDisableTiming));
done:
    return st;
}

static mco_status load_rows(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    overlay_gpu_plan *p = &g->plan;
    if (o->is_complete)
        return MCO_OK;
    LOAD(&p->d_first, o->first, (int64_t)o->nodes + 1);
    LOAD(&p->d_to, o->to, entries_of(o));
    if (o->weight != NULL)
        LOAD(&p->d_weight, o->weight, entries_of(o));
    if (o->row_most != NULL)
        LOAD(&p->d_most, o->row_most, entries_of(o));
done:
    return st;
}

static overlay_gpu_rules rules_of(const overlay_dual *d)
{
    return (overlay_gpu_rules){.std_constant = d->p->std_constant,
                               .scale = (double)d->o->scale,
                               .inner = (int32_t)d->p->inner,
                               .is_squared = d->p->std_norm == MCO_OVERLAY_NORM_SQUARED,
                               .by_sign = d->p->dist_step == MCO_OVERLAY_STEP_SIGN,
                               .keep = d->p->dist_keep == MCO_OVERLAY_KEEP_LAST   ? 2
                                       : d->p->dist_keep == MCO_OVERLAY_KEEP_BEST ? 1
                                                                                  : 0};
}

static mco_status settle(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    bool fits = false;
    g->bytes = overlay_gpu_bytes(o);
    if ((size_t)g->bytes > g->device.info.free_bytes)
        MCO_TRY(mco_fail(g->device.ctx, MCO_ERR_LIMIT, "GPU %d: the instance takes %" PRId64 " bytes of device memory, %zu are free",
                         g->device.info.index, g->bytes, g->device.info.free_bytes));
    g->method = g->d->p->method == MCO_OVERLAY_METHOD_STD    ? OVERLAY_GPU_STD
                : g->d->p->method == MCO_OVERLAY_METHOD_DIST ? OVERLAY_GPU_DIST
                                                             : OVERLAY_GPU_JUMP;
    g->plan = (overlay_gpu_plan){.nodes = o->nodes, .is_complete = o->is_complete, .rules = rules_of(g->d)};
    if (o->is_complete && o->nodes > 0 && o->nodes <= OVERLAY_GPU_WHOLE_MOST && !g->tuning.by_sweeps)
        MCO_CUDA(g->device.ctx, g->method == OVERLAY_GPU_STD
                                    ? overlay_gpu_std_fits(o->nodes, g->device.info.multiprocessors, &fits)
                                    : overlay_gpu_whole_fits(g->method, o->nodes, g->device.info.multiprocessors, &fits));
    g->plan.whole_blocks = fits ? (o->nodes + OVERLAY_GPU_BLOCK / 32 - 1) / (OVERLAY_GPU_BLOCK / 32) : 0;
done:
    return st;
}

bool overlay_gpu_starts_at_zero(const overlay_dual *d)
{
    return d->p->start == MCO_OVERLAY_START_ZERO || d->o->weight != NULL;
}

// Half the square of the uptimes, which stay the duals where the time ends before the first sweep.
static void set_half(overlay_dual *d)
{
    for (int32_t i = 0; i < d->o->nodes && !overlay_gpu_starts_at_zero(d); i++)
        d->dual[i] = (uint32_t)((uint64_t)d->o->uptime[i] * d->o->uptime[i] >> 33);
}

mco_status overlay_gpu_open(overlay_dual *d, const char *gpus, const overlay_gpu_tuning *tuning, overlay_gpu *out)
{
    mco_status st = MCO_OK;
    overlay_gpu *g = out;
    const double begin_s = mco_clock_s();
    *g = (overlay_gpu){.d = d};
    if (tuning != NULL)
        g->tuning = *tuning;
    set_half(d);
    MCO_TRY(mco_device_open_named(d->ctx, gpus, &g->device));
    MCO_TRY(settle(g));
    MCO_TRY(take_rooms(g));
    MCO_TRY(load_nodes(g));
    MCO_TRY(load_rows(g));
    MCO_TRY(load_classes(g));
    MCO_CUDA(d->ctx, overlay_gpu_launch_begin(&g->plan, g->device.stream));
    MCO_CUDA(d->ctx, cudaEventRecord(g->ended, g->device.stream));
    MCO_TRY(mco_device_wait(&g->device, g->ended, overlay_gpu_must_stop, d, NULL));
    d->stop_s = d->run->stop_s - CHECK_S * (double)(d->o->is_complete ? 2 * d->o->links : entries_of(d->o)) / d->workers;
    *g->h_state = (overlay_gpu_state){.least_low = UINT64_MAX, .least_high = UINT64_MAX, .before = INFINITY, .beta = FIRST_BETA};
    g->load_s = mco_clock_s() - begin_s;
done:
    return st;
}

void overlay_gpu_close(overlay_gpu *g)
{
    if (g->device.ctx == NULL)
        return;
    (void)cudaStreamSynchronize(g->device.stream);  // chunks are short, and the last one has seen d_stop
    if (g->beside != NULL)
        (void)cudaStreamDestroy(g->beside);
    if (g->forked != NULL)
        (void)cudaEventDestroy(g->forked);
    if (g->joined != NULL)
        (void)cudaEventDestroy(g->joined);
    if (g->ended != NULL)
        (void)cudaEventDestroy(g->ended);
    mco_device_close(&g->device);
    *g = (overlay_gpu){0};
}
