// SPDX-License-Identifier: MIT
// An instance on a GPU: memory, loading in pieces between which the host looks at the clock, rows by their length.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "overlay/gpu/gpu.h"

static const double FIRST_BETA = 0.005;             // of subgradient.c
static const size_t PIECE_BYTES = (size_t)64 << 20; // of a load, between two looks at the clock
enum { STD_PAUSE = 600, WHOLE_PAUSE = 1000 };       // clocks (NOTES.md)
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

// Of the rows of some nodes.
static int64_t entries_of(const mco_overlay *o, int32_t first, int32_t end)
{
    return o->is_complete ? 0 : o->first[end] - o->first[first];
}

static int64_t bytes_of(const mco_overlay *o, int64_t entries, bool has_mail)
{
    const int64_t per_node = 2 * (int64_t)sizeof(overlay_gpu_node) + 11 * 4 + 2 * 8 + (has_mail ? OVERLAY_GPU_SLOTS * 4 : 0);
    const int64_t per_entry = 4 + (o->weight != NULL ? 4 : 0) + (o->row_most != NULL ? 4 : 0);
    return per_node * o->nodes + per_entry * entries;
}

int64_t overlay_gpu_bytes(const mco_overlay *o)
{
    return bytes_of(o, entries_of(o, 0, o->nodes), false);
}

bool overlay_gpu_is_shared(const mco_overlay *o)
{
    return !o->is_complete || o->nodes > OVERLAY_GPU_WHOLE_MOST;
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
static mco_status load(overlay_gpu *g, overlay_gpu_part *part, void *d_to, const void *from, size_t bytes)
{
    mco_status st = MCO_OK;
    for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
        const size_t size = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        if (overlay_gpu_must_stop(g->d))
            return MCO_ERR_STOPPED;
        MCO_CUDA(g->d->ctx, cudaMemcpyAsync((char *)d_to + at, (const char *)from + at, size, cudaMemcpyHostToDevice, part->device.stream));
    }
done:
    return st;
}

#define TAKE(out, count) MCO_TRY(mco_device_take(&part->device, MCO_MEMORY_DEVICE, out, count))
#define LOAD(out, from, count)                                                             \
    do {                                                                                   \
        TAKE(out, count);                                                                  \
        MCO_TRY(load(g, part, (void *)*(out), from, (size_t)(count) * sizeof **(out)));          \
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
    MCO_TRY(mco_alloc(g->d->ctx, &key, count));
    for (int64_t k = 0; k < count; k++)
        key[k] = row_size(g->d->o, order[k]) << 31 | order[k];
    qsort(key, (size_t)count, sizeof *key, compare_keys);
    for (int64_t k = 0; k < count; k++)
        order[k] = (int32_t)(key[k] & INT32_MAX);
done:
    mco_free(g->d->ctx, &key);
    return st;
}

// Rows in the order of their classes; none where all have the same class.
static mco_status load_classes(overlay_gpu *g, overlay_gpu_part *part)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    overlay_gpu_plan *p = &part->plan;
    int32_t *order = NULL;
    int64_t count[OVERLAY_GPU_CLASSES] = {0}, at[OVERLAY_GPU_CLASSES];
    int used = 0;
    for (int32_t i = p->first_node; i < p->end_node; i++)
        count[class_of(row_size(o, i))]++;
    for (int c = 0; c < OVERLAY_GPU_CLASSES; c++)
        used += count[c] > 0;
    int64_t first = used > 1 ? 0 : p->first_node;
    for (int c = 0; c < OVERLAY_GPU_CLASSES; first += count[c], c++) {
        int32_t blocks = 0;
        at[c] = first;
        p->classes[c] = (overlay_gpu_class){first, first + count[c]};
        MCO_CUDA(g->d->ctx, overlay_gpu_occupancy(g->method, c, part->device.info.multiprocessors, &blocks));
        const int64_t wanted = c < OVERLAY_GPU_WARP_CLASSES ? (count[c] + OVERLAY_GPU_BLOCK / 32 - 1) / (OVERLAY_GPU_BLOCK / 32) : count[c];
        p->blocks[c] = (int32_t)(wanted < blocks ? wanted : blocks);
    }
    if (used > 1) {
        MCO_TRY(mco_alloc(g->d->ctx, &order, p->end_node - p->first_node));
        for (int32_t i = p->first_node; i < p->end_node; i++)
            order[at[class_of(row_size(o, i))]++] = i;
        if (count[OVERLAY_GPU_CLASSES - 1] > 1)
            MCO_TRY(sort_longest(g, order + p->classes[OVERLAY_GPU_CLASSES - 1].first, count[OVERLAY_GPU_CLASSES - 1]));
        LOAD(&p->d_order, order, p->end_node - p->first_node);
        MCO_CUDA(g->d->ctx, cudaStreamSynchronize(part->device.stream));  // a copy of 4 bytes a node
    }
    p->longest = o->is_complete ? o->nodes : o->degree;
    if (p->blocks[OVERLAY_GPU_CLASSES - 1] > 0)
        TAKE(&p->d_scratch, p->longest * p->blocks[OVERLAY_GPU_CLASSES - 1]);
done:
    mco_free(g->d->ctx, &order);
    return st;
}

static mco_status load_nodes(overlay_gpu *g, overlay_gpu_part *part)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    overlay_gpu_node *node = NULL;
    MCO_TRY(mco_alloc(g->d->ctx, &node, o->nodes));
    for (int32_t i = 0; i < o->nodes; i++)
        node[i] = (overlay_gpu_node){.uptime = o->uptime[i], .cap = (uint32_t)o->cap[i], .bandwidth = (uint32_t)o->bandwidth[i]};
    for (int k = 0; k < 2; k++)
        LOAD(&part->plan.d_node[k], node, o->nodes);
    MCO_CUDA(g->d->ctx, cudaStreamSynchronize(part->device.stream));  // a copy of 32 bytes a node
done:
    mco_free(g->d->ctx, &node);
    return st;
}

mco_status overlay_gpu_forget_lists(overlay_gpu_part *part)
{
    mco_status st = MCO_OK;
    const overlay_gpu_plan *p = &part->plan;
    const size_t bytes = (size_t)p->nodes * sizeof *p->d_near;
    if (p->d_near == NULL)
        return MCO_OK;
    MCO_CUDA(part->device.ctx, cudaMemsetAsync(p->d_near, 0x7f, bytes, part->device.stream));
    MCO_CUDA(part->device.ctx, cudaMemsetAsync(p->d_lowest, 0, bytes, part->device.stream));
    MCO_CUDA(part->device.ctx, cudaMemsetAsync(p->d_floor, 0, bytes, part->device.stream));
done:
    return st;
}

// A node that falls must make rows of other parts whole, which needs memory that it can reach.
static bool has_lists(const overlay_gpu *g)
{
    return !g->d->o->is_complete && g->method == OVERLAY_GPU_JUMP && !g->tuning.no_lists && !g->by_host;
}

static mco_status take_rooms(overlay_gpu *g, overlay_gpu_part *part)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->d->ctx;
    overlay_gpu_plan *p = &part->plan;
    const int64_t nodes = p->nodes, words = OVERLAY_GPU_SLOTS * (int64_t)OVERLAY_GPU_BLOCK_WORDS * p->whole_blocks;
    TAKE(&p->d_best, nodes);
    TAKE(&p->d_reach, nodes);
    TAKE(&p->d_alpha, nodes);
    TAKE(&p->d_stalls, nodes);
    TAKE(&p->d_excess, nodes);
    if (has_lists(g)) {
        TAKE(&p->d_near, nodes);
        TAKE(&p->d_floor, nodes);
        TAKE(&p->d_lowest, nodes);
        MCO_TRY(overlay_gpu_forget_lists(part));
    }
    TAKE(&p->d_state, OVERLAY_GPU_SLOTS);
    TAKE(&p->d_sums, OVERLAY_GPU_SLOTS);
    TAKE(&p->d_log, OVERLAY_GPU_LOG_ROOM);
    TAKE(&part->d_stop, 1);
    p->d_stop = part->d_stop;
    MCO_CUDA(ctx, cudaMemsetAsync(part->d_stop, 0, sizeof *part->d_stop, part->device.stream));
    if (p->whole_blocks > 0) {
        TAKE(&g->d_width, OVERLAY_GPU_LOG_ROOM);
        TAKE(&p->d_words, words);
        MCO_CUDA(ctx, cudaMemsetAsync(p->d_words, 0, (size_t)words * sizeof *p->d_words, part->device.stream));
    }
    MCO_CUDA(ctx, cudaStreamCreateWithFlags(&part->beside, cudaStreamNonBlocking));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&part->forked, cudaEventDisableTiming));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&part->joined, cudaEventDisableTiming));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&part->ended, cudaEventDisableTiming));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&part->told, cudaEventDisableTiming));
done:
    return st;
}

static mco_status load_rows(overlay_gpu *g, overlay_gpu_part *part)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    overlay_gpu_plan *p = &part->plan;
    if (o->is_complete)
        return MCO_OK;
    const int64_t entries = entries_of(o, p->first_node, p->end_node), first = o->first[p->first_node];
    p->first_entry = first;
    LOAD(&p->d_first, o->first, (int64_t)o->nodes + 1);
    LOAD(&p->d_to, o->to + first, entries);
    if (o->weight != NULL)
        LOAD(&p->d_weight, o->weight + first, entries);
    if (o->row_most != NULL)
        LOAD(&p->d_most, o->row_most + first, entries);
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

static overlay_gpu_method method_of(const overlay_dual *d)
{
    return d->p->method == MCO_OVERLAY_METHOD_STD    ? OVERLAY_GPU_STD
           : d->p->method == MCO_OVERLAY_METHOD_DIST ? OVERLAY_GPU_DIST
                                                     : OVERLAY_GPU_JUMP;
}

// Whether an instance of all pairs has whole runs.
static mco_status has_whole(const overlay_gpu *g, const mco_gpu *gpu, bool *out)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    *out = g->parts == 1 && !overlay_gpu_is_shared(o) && o->nodes > 0 && !g->tuning.by_sweeps;
    for (int32_t i = 0; i < o->nodes && *out && g->method == OVERLAY_GPU_STD; i++)
        *out = o->cap[i] <= OVERLAY_GPU_STD_MOST;
    if (*out)
        MCO_CUDA(g->d->ctx, g->method == OVERLAY_GPU_STD ? overlay_gpu_std_fits(o->nodes, gpu->multiprocessors, out)
                                                         : overlay_gpu_whole_fits(g->method, o->nodes, gpu->multiprocessors, out));
done:
    return st;
}

static mco_status settle(overlay_gpu *g, int32_t k)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    overlay_gpu_part *part = &g->part[k];
    const mco_gpu *gpu = &part->device.info;
    const int32_t first = overlay_gpu_split(o, k, g->parts), end = overlay_gpu_split(o, k + 1, g->parts);
    bool fits = false;
    part->bytes = bytes_of(o, entries_of(o, first, end), g->parts > 1);
    if ((size_t)part->bytes > gpu->free_bytes)
        MCO_TRY(mco_fail(g->d->ctx, MCO_ERR_LIMIT, "GPU %d: %s takes %" PRId64 " bytes of device memory, %zu are free", gpu->index,
                         g->parts > 1 ? "its part of the instance" : "the instance", part->bytes, gpu->free_bytes));
    part->plan = (overlay_gpu_plan){.nodes = o->nodes, .is_complete = o->is_complete, .part = k, .parts = g->parts, .first_node = first,
                                    .end_node = end, .rules = rules_of(g->d)};
    MCO_TRY(has_whole(g, gpu, &fits));
    part->plan.pause = g->tuning.pause != 0 ? g->tuning.pause : g->method == OVERLAY_GPU_STD ? STD_PAUSE : WHOLE_PAUSE;
    part->plan.whole_blocks = fits ? (o->nodes + OVERLAY_GPU_BLOCK / 32 - 1) / (OVERLAY_GPU_BLOCK / 32) : 0;
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

// The GPUs of all parts. Some GPUs have no node to sweep where there are few.
static mco_status open_devices(overlay_gpu *g, const char *gpus)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = g->d->o;
    mco_gpu gpu[MCO_MAX_GPUS];
    int count = 0;
    MCO_TRY(mco_gpus_choose(g->d->ctx, gpus, gpu, &count));
    const int32_t copies = g->tuning.copies > 0 ? g->tuning.copies : 1;
    int32_t parts = count * copies < o->nodes ? count * copies : o->nodes > 0 ? o->nodes : 1;
    if (!overlay_gpu_is_shared(o) && !g->tuning.by_sweeps)
        parts = 1;
    if (count > 1 && parts == 1)
        mco_log(g->d->ctx, MCO_LOG_INFO, "all pairs of up to %d nodes are the work of one GPU: GPU %d of %d", OVERLAY_GPU_WHOLE_MOST, gpu[0].index,
                count);
    MCO_TRY(mco_alloc(g->d->ctx, &g->part, parts));
    for (; g->parts < parts; g->parts++)
        MCO_TRY(mco_device_open(g->d->ctx, &gpu[g->parts / copies], &g->part[g->parts].device));
done:
    return st;
}

static mco_status fill_part(overlay_gpu *g, int32_t k)
{
    mco_status st = MCO_OK;
    overlay_gpu_part *part = &g->part[k];
    MCO_TRY(mco_device_use(&part->device));
    MCO_TRY(settle(g, k));
    MCO_TRY(take_rooms(g, part));
    MCO_TRY(load_nodes(g, part));
    MCO_TRY(load_rows(g, part));
    MCO_TRY(load_classes(g, part));
    MCO_CUDA(g->d->ctx, overlay_gpu_launch_begin(&part->plan, part->device.stream));
done:
    return st;
}

static mco_status take_host_rooms(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    mco_device *device = &g->part[0].device;
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &g->h_state, 1));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &g->h_log, OVERLAY_GPU_LOG_ROOM));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &g->h_width, OVERLAY_GPU_LOG_ROOM));
    *g->h_state = (overlay_gpu_state){.least_low = UINT64_MAX, .least_high = UINT64_MAX, .before = INFINITY, .beta = FIRST_BETA};
done:
    return st;
}

mco_status overlay_gpu_open(overlay_dual *d, const char *gpus, const overlay_gpu_tuning *tuning, overlay_gpu *out)
{
    mco_status st = MCO_OK;
    overlay_gpu *g = out;
    const double begin_s = mco_clock_s();
    const int64_t checked = d->o->is_complete ? 2 * d->o->links : entries_of(d->o, 0, d->o->nodes);
    *g = (overlay_gpu){.d = d, .method = method_of(d)};
    if (tuning != NULL)
        g->tuning = *tuning;
    set_half(d);
    MCO_TRY(open_devices(g, gpus));
    MCO_TRY(overlay_gpu_reach(g));
    for (int32_t k = 0; k < g->parts; k++)
        MCO_TRY(fill_part(g, k));
    MCO_TRY(take_host_rooms(g));
    if (g->parts > 1)
        MCO_TRY(overlay_gpu_connect(g));
    MCO_TRY(overlay_gpu_wait(g));
    d->stop_s = d->run->stop_s - CHECK_S * (double)checked / d->workers;
    g->load_s = mco_clock_s() - begin_s;
done:
    return st;
}

static void close_part(overlay_gpu_part *part)
{
    const cudaEvent_t events[] = {part->forked, part->joined, part->ended, part->told};
    (void)cudaSetDevice(part->device.info.index);
    if (part->beside != NULL)
        (void)cudaStreamDestroy(part->beside);
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        if (events[k] != NULL)
            (void)cudaEventDestroy(events[k]);
    mco_device_close(&part->device);
}

void overlay_gpu_close(overlay_gpu *g)
{
    for (int32_t k = 0; k < g->parts; k++)  // chunks are short, and the last one has seen d_stop; parts write to each other's memory
        (void)cudaStreamSynchronize(g->part[k].device.stream);
    for (int32_t k = g->parts - 1; k >= 0; k--)
        close_part(&g->part[k]);
    if (g->d != NULL)
        mco_free(g->d->ctx, &g->part);
    *g = (overlay_gpu){0};
}
