// SPDX-License-Identifier: MIT
// The run of a method on a GPU, host side. Iterations go in chunks: a launch of many for small complete instances, else launches that are
// enqueued at once. After each chunk the host looks at the clock, notes the bounds that were the least, and tests the gap where one is asked
// for. So it decides at the same iterations as on the cores.
#include "overlay/gpu/gpu.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { LOG_ROOM = 16384, SWEEPS_MOST = 256, PLAIN_SHARE = 4 };
static const double CHUNK_S = 0.02;                 // wall time of a chunk
static const double FIRST_WHOLE_S = 5e-6, STEP_S = 5e-7;  // an iteration of a whole run, before one is measured; a step of it
static const double FIRST_WIDTH = 0.005, LAST_WIDTH = 2e-5, UNITS = 4294967296.0, RAMP_SHARE = 0.8;  // of jump.c
static const double FIRST_BETA = 0.005;             // of subgradient.c
static const size_t PIECE_BYTES = (size_t)64 << 20; // of a load, between two looks at the clock
static const double CHECK_S = 4e-9;                 // an entry in the check of the bound, on one core

static bool must_stop(void *state)
{
    const overlay_dual *d = state;
    return mco_run_must_stop(d->run, d->iterations) || mco_clock_s() >= d->stop_s;
}

// ---- Opening

static int64_t entries_of(const mco_overlay *o)
{
    return o->is_complete ? 0 : 2 * o->links;
}

int64_t overlay_gpu_bytes(const mco_overlay *o)
{
    const int64_t per_node = 2 * (int64_t)sizeof(overlay_gpu_node) + 11 * 4 + 2 * 8, per_entry = 4 + (o->weight != NULL ? 4 : 0) + (o->row_most != NULL ? 4 : 0);
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
        if (must_stop(g->d))
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

// No row has a list: all its links are near, and no dual is too low.
static mco_status forget_lists(overlay_gpu *g)
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
    const int64_t nodes = p->nodes, words = OVERLAY_GPU_SLOTS * (nodes + 6 * p->whole_blocks);
    TAKE(&p->d_best, nodes);
    TAKE(&p->d_reach, nodes);
    TAKE(&p->d_alpha, nodes);
    TAKE(&p->d_stalls, nodes);
    TAKE(&p->d_excess, nodes);
    if (!p->is_complete && g->method == OVERLAY_GPU_JUMP && !g->tuning.no_lists) {
        TAKE(&p->d_near, nodes);
        TAKE(&p->d_floor, nodes);
        TAKE(&p->d_lowest, nodes);
        MCO_TRY(forget_lists(g));
    }
    TAKE(&p->d_state, OVERLAY_GPU_SLOTS);
    TAKE(&p->d_sums, OVERLAY_GPU_SLOTS);
    TAKE(&p->d_log, LOG_ROOM);
    TAKE(&g->d_width, LOG_ROOM);
    TAKE(&g->d_stop, 1);
    p->d_stop = g->d_stop;
    MCO_CUDA(g->device.ctx, cudaMemsetAsync(g->d_stop, 0, sizeof *g->d_stop, g->device.stream));
    if (p->whole_blocks > 0) {
        TAKE(&p->d_words, words);
        MCO_CUDA(g->device.ctx, cudaMemsetAsync(p->d_words, 0, (size_t)words * sizeof *p->d_words, g->device.stream));
    }
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, &g->h_state, 1));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, &g->h_log, LOG_ROOM));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, &g->h_width, LOG_ROOM));
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
        MCO_CUDA(g->device.ctx, overlay_gpu_whole_fits(g->method, o->nodes, g->device.info.multiprocessors, &fits));
    g->plan.whole_blocks = fits ? (o->nodes + OVERLAY_GPU_BLOCK / 32 - 1) / (OVERLAY_GPU_BLOCK / 32) : 0;
done:
    return st;
}

static bool starts_at_zero(const overlay_dual *d)
{
    return d->p->start == MCO_OVERLAY_START_ZERO || d->o->weight != NULL;
}

// Half the square of the uptimes, which stay the duals where the time ends before the first sweep.
static void set_half(overlay_dual *d)
{
    for (int32_t i = 0; i < d->o->nodes && !starts_at_zero(d); i++)
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
    MCO_TRY(mco_device_wait(&g->device, g->ended, must_stop, d, NULL));
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

// ---- A chunk

// Notes the bounds that a chunk has found to be the least.
static mco_status note(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_dual *d = g->d;
    const overlay_gpu_state *s = g->h_state;
    if (s->changes > 0) {
        MCO_CUDA(d->ctx, cudaMemcpyAsync(g->h_log, g->plan.d_log, (size_t)s->changes * sizeof *g->h_log, cudaMemcpyDeviceToHost, g->device.stream));
        MCO_CUDA(d->ctx, cudaStreamSynchronize(g->device.stream));  // nothing else is enqueued
    }
    for (int32_t k = 0; k < s->changes; k++) {
        const overlay_gpu_change *c = &g->h_log[k];
        d->least = (overlay_sum){c->low, c->high};
        d->best_iteration = c->iteration;
        MCO_TRY(mco_run_improve(d->run, overlay_bound_of(d->o, d->least), NULL, NULL));
    }
    d->iterations = s->iteration;
done:
    return st;
}

// When lists are made, in iterations since the last put of duals. Plain jumps from far away go wide at first, and soon settle.
static bool is_list_due(int64_t iterations, bool has_width)
{
    const bool is_power = (iterations & (iterations - 1)) == 0;
    return has_width ? iterations == 2 || iterations == 8 || (is_power && iterations >= 32)
                     : iterations == 6 || iterations == 8 || iterations == 11 || (is_power && iterations >= 16);
}

static mco_status enqueue(overlay_gpu *g, overlay_gpu_method method, int32_t count, bool has_width, bool from_best)
{
    mco_status st = MCO_OK;
    mco_device *device = &g->device;
    const bool is_whole = g->plan.whole_blocks > 0 && method != OVERLAY_GPU_MEASURE;
    if (is_whole) {
        if (has_width)
            MCO_CUDA(device->ctx, cudaMemcpyAsync(g->d_width, g->h_width, (size_t)count * sizeof *g->d_width, cudaMemcpyHostToDevice, device->stream));
        MCO_CUDA(device->ctx, cudaEventRecord(device->begin, device->stream));
        MCO_CUDA(device->ctx, overlay_gpu_launch_whole(&g->plan, method, g->ticks, count, has_width ? g->d_width : NULL, from_best, device->stream));
        g->ticks += (uint32_t)count;
        goto done;
    }
    MCO_CUDA(device->ctx, cudaMemsetAsync(g->plan.d_sums, 0, OVERLAY_GPU_SLOTS * sizeof *g->plan.d_sums, device->stream));
    MCO_CUDA(device->ctx, cudaEventRecord(device->begin, device->stream));
    if (from_best) {
        MCO_CUDA(device->ctx, overlay_gpu_launch_put(&g->plan, NULL, device->stream));
        MCO_TRY(forget_lists(g));
        g->phase = g->h_state->iteration;
    }
    for (int32_t k = 0; k < count; k++) {
        if (method == OVERLAY_GPU_JUMP && g->plan.d_near != NULL && is_list_due(g->h_state->iteration + k - g->phase, has_width))
            MCO_CUDA(device->ctx, overlay_gpu_launch_lists(&g->plan, k, has_width ? g->h_width[k] : 0, device->stream));
        MCO_CUDA(device->ctx, overlay_gpu_launch_sweep(&g->plan, method, k, has_width ? g->h_width[k] : 0, device->stream, g->beside, g->forked,
                                                       g->joined));
    }
done:
    return st;
}

// Runs `count` iterations from the state of before, and takes what they leave.
static mco_status run_chunk(overlay_gpu *g, overlay_gpu_method method, int32_t count, bool has_width, bool from_best)
{
    mco_status st = MCO_OK;
    mco_device *device = &g->device;
    const bool is_whole = g->plan.whole_blocks > 0 && method != OVERLAY_GPU_MEASURE;
    const int64_t before = g->h_state->iteration;
    float ms = 0;
    g->h_state->changes = 0;
    MCO_CUDA(device->ctx, cudaMemcpyAsync(g->plan.d_state, g->h_state, sizeof *g->h_state, cudaMemcpyHostToDevice, device->stream));
    MCO_TRY(enqueue(g, method, count, has_width, from_best));
    MCO_CUDA(device->ctx, cudaEventRecord(device->end, device->stream));
    MCO_CUDA(device->ctx, cudaMemcpyAsync(g->h_state, g->plan.d_state + (is_whole ? 0 : count % OVERLAY_GPU_SLOTS), sizeof *g->h_state,
                                          cudaMemcpyDeviceToHost, device->stream));
    MCO_CUDA(device->ctx, cudaEventRecord(g->ended, device->stream));
    MCO_TRY(mco_device_wait(device, g->ended, must_stop, g->d, g->d_stop));
    MCO_CUDA(device->ctx, cudaEventElapsedTime(&ms, device->begin, device->end));
    device->kernel_s += 1e-3 * (double)ms;
    if (g->h_state->iteration > before)
        g->launch_s = 1e-3 * (double)ms / (double)(g->h_state->iteration - before);
done:
    return st;
}

// Tests of the gap come at these iterations (overlay_test_gap()).
static bool is_gap_due(int64_t iterations)
{
    return (iterations & (iterations - 1)) == 0 || iterations % 32 == 0;
}

// Iterations of the next chunk: to `end` at most, and to the next test of the gap.
static int32_t chunk_of(const overlay_gpu *g, int64_t end)
{
    const overlay_dual *d = g->d;
    const bool is_whole = g->plan.whole_blocks > 0;
    const double steps = g->method == OVERLAY_GPU_DIST ? (double)d->p->inner * STEP_S : 0;
    const double iteration_s = g->launch_s > 0 ? g->launch_s : is_whole ? FIRST_WHOLE_S + steps : CHUNK_S;
    int64_t most = is_whole ? LOG_ROOM : SWEEPS_MOST, count;
    most = g->tuning.chunk > 0 && g->tuning.chunk < most ? g->tuning.chunk : most;
    count = (int64_t)fmax(1, fmin(CHUNK_S / iteration_s, (double)most));
    end = g->tuning.most > 0 && g->tuning.most < end ? g->tuning.most : end;
    count = count < end - d->iterations ? count : end - d->iterations;
    for (int64_t k = 1; d->p->gap > 0 && k < count; k++)
        if (is_gap_due(d->iterations + k))
            return (int32_t)k;
    return (int32_t)count;
}

static mco_status get_best(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_dual *d = g->d;
    if (d->least.high == UINT64_MAX)
        return MCO_OK;
    MCO_CUDA(d->ctx, cudaMemcpyAsync(d->best, g->plan.d_best, (size_t)d->o->nodes * sizeof *d->best, cudaMemcpyDeviceToHost, g->device.stream));
    MCO_CUDA(d->ctx, cudaStreamSynchronize(g->device.stream));  // a copy of 4 bytes a node
done:
    return st;
}

static mco_status go_on(overlay_gpu *g, int32_t count, bool has_width, bool from_best, bool *goes_on)
{
    mco_status st = MCO_OK;
    MCO_TRY(run_chunk(g, g->method, count, has_width, from_best));
    MCO_TRY(note(g));
    *goes_on = true;
    if (g->d->p->gap > 0) {
        MCO_TRY(get_best(g));
        MCO_TRY(overlay_test_gap(g->d, goes_on));
    }
done:
    return st;
}

static bool may_go_on(const overlay_gpu *g)
{
    return overlay_goes_on(g->d) && (g->tuning.most == 0 || g->d->iterations < g->tuning.most);
}

// ---- Methods

// The widths of jump.c; with a time limit, the share that has passed when the chunk begins.
static void set_widths(overlay_gpu *g, int64_t first, double share, int32_t count)
{
    const overlay_dual *d = g->d;
    const double passed = (mco_run_share(d->run) - share) / (1 - share);
    for (int32_t k = 0; k < count; k++) {
        const double done = (double)(d->iterations + k - first) / (double)(d->p->iterations - first), part = fmax(done, passed) / RAMP_SHARE;
        g->h_width[k] = (uint32_t)(UNITS * FIRST_WIDTH * pow(LAST_WIDTH / FIRST_WIDTH, part < 1 ? part : 1));
    }
}

static mco_status iterate_jump(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_dual *d = g->d;
    bool goes_on = true, from_best = true;
    const int64_t plain = (d->p->iterations + PLAIN_SHARE - 1) / PLAIN_SHARE;
    g->plan.rules.is_plain = true;
    while (goes_on && g->h_state->is_ended == 0 && d->iterations < plain && may_go_on(g))
        MCO_TRY(go_on(g, chunk_of(g, plain), false, false, &goes_on));
    g->plan.rules.is_plain = false;
    g->h_state->is_ended = 0;
    g->launch_s *= 2;  // a ramp takes more than a step
    const int64_t first = d->iterations;
    const double share = fmin(mco_run_share(d->run), 0.99);
    while (goes_on && may_go_on(g)) {
        const int32_t count = chunk_of(g, d->p->iterations);
        set_widths(g, first, share, count);
        MCO_TRY(go_on(g, count, true, from_best && first > 0, &goes_on));
        from_best = false;
    }
done:
    return st;
}

static mco_status iterate_steps(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    bool goes_on = true;
    while (goes_on && g->h_state->is_ended == 0 && may_go_on(g))
        MCO_TRY(go_on(g, chunk_of(g, g->d->p->iterations), false, false, &goes_on));
done:
    return st;
}

mco_status overlay_gpu_iterate(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    MCO_TRY(g->method == OVERLAY_GPU_JUMP ? iterate_jump(g) : iterate_steps(g));
    MCO_TRY(get_best(g));
done:
    return st;
}

// ---- Start

// The bound of the duals in d_best. *is_done: false where the clock came first.
static mco_status measure(overlay_gpu *g, overlay_sum *bound, bool *is_done)
{
    mco_status st = MCO_OK;
    overlay_gpu_state *s = g->h_state;
    const overlay_gpu_state before = *s;
    MCO_CUDA(g->device.ctx, overlay_gpu_launch_put(&g->plan, NULL, g->device.stream));
    MCO_TRY(run_chunk(g, OVERLAY_GPU_MEASURE, 1, false, false));
    *is_done = s->is_ended == 0;
    *bound = (overlay_sum){s->least_low, s->least_high};
    *s = before;
    g->launch_s = 0;
done:
    return st;
}

// The better of zero and half the square of the uptimes; the bound of the latter is a bound of the run.
static mco_status start_better(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_dual *d = g->d;
    overlay_sum zero, half;
    bool is_done;
    const size_t bytes = (size_t)d->o->nodes * sizeof *d->dual;
    MCO_CUDA(d->ctx, cudaMemsetAsync(g->plan.d_best, 0, bytes, g->device.stream));
    MCO_TRY(measure(g, &zero, &is_done));
    MCO_CUDA(d->ctx, cudaMemcpyAsync(g->plan.d_best, d->dual, bytes, cudaMemcpyHostToDevice, g->device.stream));
    if (is_done)
        MCO_TRY(measure(g, &half, &is_done));
    if (!is_done)
        return MCO_OK;
    d->least = half;
    g->h_state->least_low = half.low;
    g->h_state->least_high = half.high;
    MCO_TRY(mco_run_improve(d->run, overlay_bound_of(d->o, half), NULL, NULL));
    if (overlay_less(zero, half)) {
        MCO_CUDA(d->ctx, cudaMemsetAsync(g->plan.d_excess, 0, bytes, g->device.stream));
        MCO_CUDA(d->ctx, overlay_gpu_launch_put(&g->plan, (const uint32_t *)g->plan.d_excess, g->device.stream));
    } else {
        MCO_CUDA(d->ctx, overlay_gpu_launch_put(&g->plan, NULL, g->device.stream));
    }
done:
    return st;
}

mco_status overlay_gpu_start(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_dual *d = g->d;
    const mco_overlay *o = d->o;
    if (starts_at_zero(d))
        return MCO_OK;
    if (d->p->start == MCO_OVERLAY_START_AUTO)
        return start_better(g);
    MCO_CUDA(d->ctx, cudaMemcpyAsync(g->plan.d_best, d->dual, (size_t)o->nodes * sizeof *d->dual, cudaMemcpyHostToDevice, g->device.stream));
    MCO_CUDA(d->ctx, overlay_gpu_launch_put(&g->plan, NULL, g->device.stream));
done:
    return st;
}

// ---- All

mco_status overlay_gpu_run(overlay_dual *d, const char *gpus, mco_work *work)
{
    mco_status st = MCO_OK;
    overlay_gpu g = {0};
    MCO_TRY(overlay_gpu_open(d, gpus, NULL, &g));
    mco_log(d->ctx, MCO_LOG_DETAIL, "GPU %d: %.1f MB, loaded in %.3f s; %s", g.device.info.index, 1e-6 * (double)g.bytes, g.load_s,
            g.plan.whole_blocks > 0 ? "whole runs in one launch" : "a launch a sweep");
    MCO_TRY(overlay_gpu_start(&g));
    MCO_TRY(overlay_gpu_iterate(&g));
    work->device_s = g.device.kernel_s;
    work->gpus = UINT64_C(1) << g.device.info.index;
    mco_log(d->ctx, MCO_LOG_DETAIL, "GPU %d: %" PRId64 " iterations, kernels %.6f s", g.device.info.index, d->iterations, g.device.kernel_s);
done:
    overlay_gpu_close(&g);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}
