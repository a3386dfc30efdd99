// SPDX-License-Identifier: MIT
// The run of a method on one or several GPUs, host side. Iterations go in chunks: a launch of many for small complete instances, else launches that are
// enqueued at once. After each chunk the host looks at the clock, notes the bounds that were the least, and tests the gap where one is asked
// for. So it decides at the same iterations as on the cores.
#include "overlay/gpu/gpu.h"

#include <inttypes.h>
#include <math.h>

#include "base/clock.h"

enum { SWEEPS_MOST = 256, PLAIN_SHARE = 4 };
static const double CHUNK_S = 0.02;                 // wall time of a chunk
static const double FIRST_WHOLE_S = 5e-6, STEP_S = 5e-7;  // an iteration of a whole run, before one is measured; a step of it

// ---- A chunk

// Notes the bounds that a chunk has found to be the least.
static mco_status note(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_dual *d = g->d;
    const overlay_gpu_part *first = &g->part[0];
    const overlay_gpu_state *s = g->h_state;
    if (s->changes > 0) {
        MCO_CUDA(d->ctx,
                 cudaMemcpyAsync(g->h_log, first->plan.d_log, (size_t)s->changes * sizeof *g->h_log, cudaMemcpyDeviceToHost, first->device.stream));
        MCO_CUDA(d->ctx, cudaStreamSynchronize(first->device.stream));  // nothing else is enqueued
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

// When lists are made, in iterations since the last put of duals: as soon as jumps are short, and before the drift of the duals uses them up.
static bool is_list_due(int64_t iterations, bool has_width)
{
    enum { LIST_PERIOD = 8, FIRST_OF_RAMP = 2 };
    return has_width && iterations == FIRST_OF_RAMP ? true : iterations > 0 && iterations % LIST_PERIOD == 0;
}

static bool is_whole(const overlay_gpu *g, overlay_gpu_method method)
{
    return g->part[0].plan.whole_blocks > 0 && method != OVERLAY_GPU_MEASURE;
}

static mco_status enqueue_whole(overlay_gpu *g, overlay_gpu_method method, int32_t count, bool has_width, bool from_best)
{
    mco_status st = MCO_OK;
    overlay_gpu_part *part = &g->part[0];
    const overlay_gpu_plan *p = &part->plan;
    cudaStream_t stream = part->device.stream;
    if (has_width)
        MCO_CUDA(g->d->ctx, cudaMemcpyAsync(g->d_width, g->h_width, (size_t)count * sizeof *g->d_width, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(g->d->ctx, cudaEventRecord(part->device.begin, stream));
    MCO_CUDA(g->d->ctx, method == OVERLAY_GPU_STD
                            ? overlay_gpu_launch_std(p, count, stream)
                            : overlay_gpu_launch_whole(p, method, g->ticks, count, has_width ? g->d_width : NULL, from_best, stream));
    g->ticks += (uint32_t)count;
done:
    return st;
}

// Duals of all parts: those of the least bound, or zero.
static mco_status put(overlay_gpu *g, bool is_zero)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->parts; k++) {
        overlay_gpu_part *part = &g->part[k];
        const overlay_gpu_plan *p = &part->plan;
        MCO_TRY(mco_device_use(&part->device));
        if (is_zero)
            MCO_CUDA(g->d->ctx, cudaMemsetAsync(p->d_excess, 0, (size_t)p->nodes * sizeof *p->d_excess, part->device.stream));
        MCO_CUDA(g->d->ctx, overlay_gpu_launch_put(p, is_zero ? (const uint32_t *)p->d_excess : NULL, part->device.stream));
        MCO_TRY(overlay_gpu_forget_lists(part));
    }
done:
    return st;
}

static mco_status enqueue_lists(overlay_gpu *g, int64_t tick, uint32_t width)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->parts; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, overlay_gpu_launch_falls(&g->part[k].plan, tick, width, g->part[k].device.stream));
    }
    MCO_TRY(overlay_gpu_meet(g));
    for (int32_t k = 0; k < g->parts; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, overlay_gpu_launch_lists(&g->part[k].plan, tick, g->part[k].device.stream));
    }
    MCO_TRY(overlay_gpu_meet(g));
done:
    return st;
}

static mco_status enqueue_sweep(overlay_gpu *g, overlay_gpu_method method, int64_t tick, uint32_t width)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->parts; k++) {
        overlay_gpu_part *part = &g->part[k];
        MCO_TRY(mco_device_use(&part->device));
        MCO_CUDA(g->d->ctx, overlay_gpu_launch_rows(&part->plan, method, tick, width, part->device.stream, part->beside, part->forked, part->joined));
    }
    MCO_TRY(overlay_gpu_meet(g));
    for (int32_t k = 0; k < g->parts; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, overlay_gpu_launch_apply(&g->part[k].plan, method, tick, g->part[k].device.stream));
    }
done:
    return st;
}

static mco_status enqueue_sweeps(overlay_gpu *g, overlay_gpu_method method, int32_t count, bool has_width, bool from_best)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->parts; k++) {
        const overlay_gpu_part *part = &g->part[k];
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, cudaMemsetAsync(part->plan.d_sums, 0, OVERLAY_GPU_SLOTS * sizeof *part->plan.d_sums, part->device.stream));
        MCO_CUDA(g->d->ctx, cudaEventRecord(part->device.begin, part->device.stream));
    }
    if (from_best) {
        MCO_TRY(put(g, false));
        g->phase = g->h_state->iteration;
    }
    for (int32_t k = 0; k < count; k++) {
        const uint32_t width = has_width ? g->h_width[k] : 0;
        if (method == OVERLAY_GPU_JUMP && g->part[0].plan.d_near != NULL && is_list_due(g->h_state->iteration + k - g->phase, has_width))
            MCO_TRY(enqueue_lists(g, k, width));
        MCO_TRY(enqueue_sweep(g, method, k, width));
    }
done:
    return st;
}

// What all parts begin from. It stays in pinned memory until they have.
static mco_status set_state(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->parts; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, cudaMemcpyAsync(g->part[k].plan.d_state, g->h_state, sizeof *g->h_state, cudaMemcpyHostToDevice, g->part[k].device.stream));
    }
    MCO_TRY(overlay_gpu_meet(g));
done:
    return st;
}

// Adds up the times of a chunk. *most_s: of the part that took longest.
static mco_status stop_clocks(overlay_gpu *g, double *most_s)
{
    mco_status st = MCO_OK;
    *most_s = 0;
    for (int32_t k = 0; k < g->parts; k++) {
        float ms = 0;
        mco_device *device = &g->part[k].device;
        MCO_TRY(mco_device_use(device));
        MCO_CUDA(g->d->ctx, cudaEventElapsedTime(&ms, device->begin, device->end));
        device->kernel_s += 1e-3 * (double)ms;
        *most_s = fmax(*most_s, 1e-3 * (double)ms);
    }
done:
    return st;
}

// Runs `count` iterations from the state of before, and takes what they leave.
static mco_status run_chunk(overlay_gpu *g, overlay_gpu_method method, int32_t count, bool has_width, bool from_best)
{
    mco_status st = MCO_OK;
    const overlay_gpu_part *first = &g->part[0];
    const int64_t before = g->h_state->iteration;
    double took_s;
    g->h_state->changes = 0;
    MCO_TRY(set_state(g));
    MCO_TRY(is_whole(g, method) ? enqueue_whole(g, method, count, has_width, from_best) : enqueue_sweeps(g, method, count, has_width, from_best));
    for (int32_t k = 0; k < g->parts; k++) {
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, cudaEventRecord(g->part[k].device.end, g->part[k].device.stream));
    }
    const overlay_gpu_state *d_state = first->plan.d_state + (is_whole(g, method) ? 0 : count % OVERLAY_GPU_SLOTS);
    MCO_CUDA(g->d->ctx, cudaMemcpyAsync(g->h_state, d_state, sizeof *g->h_state, cudaMemcpyDeviceToHost, first->device.stream));
    MCO_TRY(overlay_gpu_wait(g));
    MCO_TRY(stop_clocks(g, &took_s));
    if (g->h_state->iteration > before)
        g->launch_s = took_s / (double)(g->h_state->iteration - before);
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
    const bool has_whole = is_whole(g, g->method);
    const double steps = g->method == OVERLAY_GPU_DIST ? (double)d->p->inner * STEP_S : 0;
    const double iteration_s = g->launch_s > 0 ? g->launch_s : has_whole ? FIRST_WHOLE_S + steps : CHUNK_S;
    int64_t most = has_whole ? OVERLAY_GPU_LOG_ROOM : SWEEPS_MOST, count;
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
    const overlay_gpu_part *first = &g->part[0];
    MCO_CUDA(d->ctx, cudaMemcpyAsync(d->best, first->plan.d_best, (size_t)d->o->nodes * sizeof *d->best, cudaMemcpyDeviceToHost, first->device.stream));
    MCO_CUDA(d->ctx, cudaStreamSynchronize(first->device.stream));  // a copy of 4 bytes a node
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
        const double done = (double)(d->iterations + k - first) / (double)(d->p->iterations - first);
        g->h_width[k] = overlay_ramp_width(fmax(done, passed));
    }
}

static void set_plain(overlay_gpu *g, bool is_plain)
{
    for (int32_t k = 0; k < g->parts; k++)
        g->part[k].plan.rules.is_plain = is_plain;
}

static mco_status iterate_jump(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    overlay_dual *d = g->d;
    bool goes_on = true, from_best = true;
    const int64_t plain = (d->p->iterations + PLAIN_SHARE - 1) / PLAIN_SHARE;
    set_plain(g, true);
    while (goes_on && g->h_state->is_ended == 0 && d->iterations < plain && may_go_on(g))
        MCO_TRY(go_on(g, chunk_of(g, plain), false, false, &goes_on));
    set_plain(g, false);
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
    MCO_TRY(put(g, false));
    MCO_TRY(run_chunk(g, OVERLAY_GPU_MEASURE, 1, false, false));
    *is_done = s->is_ended == 0;
    *bound = (overlay_sum){s->least_low, s->least_high};
    *s = before;
    g->launch_s = 0;
done:
    return st;
}

// The duals of the host, or zero, to d_best.
static mco_status set_best(overlay_gpu *g, const uint32_t *dual)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->parts; k++) {
        uint32_t *d_best = g->part[k].plan.d_best;
        cudaStream_t stream = g->part[k].device.stream;
        const size_t bytes = (size_t)g->d->o->nodes * sizeof *d_best;
        MCO_TRY(mco_device_use(&g->part[k].device));
        MCO_CUDA(g->d->ctx, dual == NULL ? cudaMemsetAsync(d_best, 0, bytes, stream) : cudaMemcpyAsync(d_best, dual, bytes, cudaMemcpyHostToDevice, stream));
    }
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
    MCO_TRY(set_best(g, NULL));
    MCO_TRY(measure(g, &zero, &is_done));
    MCO_TRY(set_best(g, d->dual));
    if (is_done)
        MCO_TRY(measure(g, &half, &is_done));
    if (!is_done)
        return MCO_OK;
    d->least = half;
    g->h_state->least_low = half.low;
    g->h_state->least_high = half.high;
    MCO_TRY(mco_run_improve(d->run, overlay_bound_of(d->o, half), NULL, NULL));
    MCO_TRY(put(g, overlay_less(zero, half)));
done:
    return st;
}

mco_status overlay_gpu_start(overlay_gpu *g)
{
    mco_status st = MCO_OK;
    const overlay_dual *d = g->d;
    if (overlay_gpu_starts_at_zero(d))
        return MCO_OK;
    if (d->p->start == MCO_OVERLAY_START_AUTO)
        return start_better(g);
    MCO_TRY(set_best(g, d->dual));
    MCO_TRY(put(g, false));
done:
    return st;
}

// ---- All

static void log_parts(const overlay_gpu *g)
{
    const char *way = g->part[0].plan.whole_blocks > 0 ? "whole runs in one launch" : "a launch a sweep";
    for (int32_t k = 0; k < g->parts; k++)
        mco_log(g->d->ctx, MCO_LOG_DETAIL, "GPU %d: nodes from %d, %d of them, %.1f MB; %s", g->part[k].device.info.index, g->part[k].plan.first_node + 1,
                g->part[k].plan.end_node - g->part[k].plan.first_node, 1e-6 * (double)g->part[k].bytes, way);
    if (g->parts > 1)
        mco_log(g->d->ctx, MCO_LOG_DETAIL, "they tell each other duals through %s", g->by_host ? "memory of the host" : "their own memory");
    mco_log(g->d->ctx, MCO_LOG_DETAIL, "loaded in %.3f s", g->load_s);
}

mco_status overlay_gpu_run(overlay_dual *d, const char *gpus, mco_work *work)
{
    mco_status st = MCO_OK;
    overlay_gpu g = {0};
    MCO_TRY(overlay_gpu_open(d, gpus, NULL, &g));
    log_parts(&g);
    MCO_TRY(overlay_gpu_start(&g));
    MCO_TRY(overlay_gpu_iterate(&g));
    for (int32_t k = 0; k < g.parts; k++) {
        work->device_s += g.part[k].device.kernel_s;
        work->gpus |= UINT64_C(1) << g.part[k].device.info.index;
    }
    mco_log(d->ctx, MCO_LOG_DETAIL, "%" PRId64 " iterations, kernels %.6f s", d->iterations, work->device_s);
done:
    overlay_gpu_close(&g);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}
