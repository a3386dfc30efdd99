// SPDX-License-Identifier: MIT
// The run of a method on a GPU, host side. Iterations go in chunks: a launch of many for small complete instances, else launches that are
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

// When lists are made, in iterations since the last put of duals: as soon as jumps are short, and before the drift of the duals uses them up.
static bool is_list_due(int64_t iterations, bool has_width)
{
    enum { LIST_PERIOD = 8, FIRST_OF_RAMP = 2 };
    return has_width && iterations == FIRST_OF_RAMP ? true : iterations > 0 && iterations % LIST_PERIOD == 0;
}

static mco_status enqueue(overlay_gpu *g, overlay_gpu_method method, int32_t count, bool has_width, bool from_best)
{
    mco_status st = MCO_OK;
    mco_device *device = &g->device;
    const bool is_whole = g->plan.whole_blocks > 0 && method != OVERLAY_GPU_MEASURE;
    if (is_whole) {
        if (has_width)
            MCO_CUDA(device->ctx, cudaMemcpyAsync(g->d_width, g->h_width, (size_t)count * sizeof *g->d_width, cudaMemcpyHostToDevice,
                                                  device->stream));
        MCO_CUDA(device->ctx, cudaEventRecord(device->begin, device->stream));
        MCO_CUDA(device->ctx, method == OVERLAY_GPU_STD
                                  ? overlay_gpu_launch_std(&g->plan, count, device->stream)
                                  : overlay_gpu_launch_whole(&g->plan, method, g->ticks, count, has_width ? g->d_width : NULL, from_best, device->stream));
        g->ticks += (uint32_t)count;
        goto done;
    }
    MCO_CUDA(device->ctx, cudaMemsetAsync(g->plan.d_sums, 0, OVERLAY_GPU_SLOTS * sizeof *g->plan.d_sums, device->stream));
    MCO_CUDA(device->ctx, cudaEventRecord(device->begin, device->stream));
    if (from_best) {
        MCO_CUDA(device->ctx, overlay_gpu_launch_put(&g->plan, NULL, device->stream));
        MCO_TRY(overlay_gpu_forget_lists(g));
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
    MCO_TRY(mco_device_wait(device, g->ended, overlay_gpu_must_stop, g->d, g->d_stop));
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
    int64_t most = is_whole ? OVERLAY_GPU_LOG_ROOM : SWEEPS_MOST, count;
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
        const double done = (double)(d->iterations + k - first) / (double)(d->p->iterations - first);
        g->h_width[k] = overlay_ramp_width(fmax(done, passed));
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
    if (overlay_gpu_starts_at_zero(d))
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
