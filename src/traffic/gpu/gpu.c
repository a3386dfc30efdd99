// SPDX-License-Identifier: MIT
// Frank-Wolfe methods on one GPU, host side. Trees and steps of a chunk are enqueued at once; while a chunk runs, the next one is
// enqueued, and the host looks at the clock and at what the last one has left. Steps after the end do nothing.
//
// Labels are whole numbers, about 2^30 for the longest path, so gaps down to about 1e-7 can be reached. The flows that are
// given back are those whose gap was found, or those after the last step if a limit ends the iterations.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "traffic/gpu/fleet.h"

enum { CHUNKS = 2, CHUNK_MOST = 16 };
static const double CHUNK_S = 0.02;  // wall time of a chunk

// What a chunk has left.
typedef struct pass_watch {
    traffic_gpu_state *h_state;  // [CHUNKS] pinned
    double *h_history;           // [history_room][2] pinned
    cudaEvent_t ended[CHUNKS];
    int32_t seen;                // steps whose gap and objective were noted
    double gap;                  // of the last one
} pass_watch;

static mco_status open_watch(traffic_gpu_city *c, pass_watch *w)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_take(&c->device, MCO_MEMORY_PINNED, &w->h_state, CHUNKS));
    MCO_TRY(mco_device_take(&c->device, MCO_MEMORY_PINNED, &w->h_history, 2 * c->steps.history_room));
    for (int k = 0; k < CHUNKS; k++)
        MCO_CUDA(c->device.ctx, cudaEventCreateWithFlags(&w->ended[k], cudaEventDisableTiming));
    w->gap = INFINITY;
done:
    return st;
}

static void close_watch(traffic_gpu_city *c, pass_watch *w)
{
    (void)cudaStreamSynchronize(c->device.stream);  // chunks are short
    if (c->fleet != NULL)
        traffic_gpu_fleet_wait(c->fleet);
    for (int k = 0; k < CHUNKS; k++)
        if (w->ended[k] != NULL)
            (void)cudaEventDestroy(w->ended[k]);
    mco_device_give(&c->device, &w->h_history);
    mco_device_give(&c->device, &w->h_state);
}

static bool must_stop(void *state)
{
    mco_run *run = state;
    return run != NULL && mco_run_must_stop(run, run->work);
}

// Enqueues `count` trees and steps, and a copy of the state behind them. Loads by a hierarchy have ended when it returns. Errors: STOPPED in a load.
static mco_status launch_chunk(traffic_gpu_city *c, mco_run *run, pass_watch *w, int chunk, int32_t count)
{
    mco_status st = MCO_OK;
    mco_context *ctx = c->device.ctx;
    for (int32_t k = 0; k < count; k++) {
        if (c->fleet != NULL) {
            MCO_TRY(traffic_gpu_fleet_step(c->fleet, run));
            continue;
        }
        if (c->wide != NULL)
            MCO_TRY(traffic_gpu_wide_load(c->wide, run));
        else if (c->trees.rows > 0)
            MCO_CUDA(ctx, traffic_gpu_launch_trees(&c->trees, c->device.stream));
        c->trees.is_cold = false;
        MCO_CUDA(ctx, traffic_gpu_launch_step(&c->steps, c->device.stream));
    }
    MCO_CUDA(ctx, cudaMemcpyAsync(&w->h_state[chunk], c->steps.d_state, sizeof *w->h_state, cudaMemcpyDeviceToHost, c->device.stream));
    MCO_CUDA(ctx, cudaEventRecord(w->ended[chunk], c->device.stream));
done:
    return st;
}

// Notes the gaps and objectives that a chunk has found. A step that ended the iterations has found some too.
static mco_status note_passes(traffic_gpu_city *c, const traffic_call *call, pass_watch *w, const traffic_gpu_state *state)
{
    mco_status st = MCO_OK;
    const int32_t room = c->steps.history_room, known = state->end == TRAFFIC_GPU_RUNNING ? state->iteration : state->iteration + 1;
    const bool is_lost = state->end == TRAFFIC_GPU_LOST;
    int32_t from = w->seen > 0 ? w->seen : 1;
    if (is_lost || known <= from)
        return MCO_OK;
    from = known - from > room ? known - room : from;
    for (int32_t begin = from, end; begin < known; begin = end) {  // two pieces where the ring turns
        const int32_t at = begin % room;
        end = known - begin < room - at ? known : begin + room - at;
        MCO_CUDA(c->device.ctx, cudaMemcpyAsync(w->h_history + 2 * (int64_t)at, c->steps.d_history + 2 * (int64_t)at,
                                                2 * (size_t)(end - begin) * sizeof *w->h_history, cudaMemcpyDeviceToHost, c->device.side));
    }
    MCO_CUDA(c->device.ctx, cudaStreamSynchronize(c->device.side));
    for (int32_t i = from; i < known; i++) {
        const double *entry = w->h_history + 2 * (int64_t)(i % room);
        w->gap = entry[0];
        MCO_TRY(traffic_note(call, entry[1], entry[0]));
    }
    w->seen = known;
done:
    return st;
}

static int32_t chunk_of(const traffic_gpu_city *c, const traffic_call *call, int32_t launched, double step_s)
{
    const int32_t most = c->wide != NULL ? 1 : c->tuning.chunk > 0 ? c->tuning.chunk : CHUNK_MOST;
    const double fit = step_s > 0 ? CHUNK_S / step_s : 1;
    int32_t count = fit >= most ? most : fit < 1 ? 1 : (int32_t)fit;
    if (call->params->iterations > 0 && call->params->iterations - launched < count)
        count = (int32_t)(call->params->iterations - launched);
    return count;
}

static bool is_last(const traffic_call *call, const traffic_gpu_state *state)
{
    return state->end != TRAFFIC_GPU_RUNNING || (call->params->iterations > 0 && state->iteration >= call->params->iterations);
}

// The loop. After it no chunk runs, and *last is the state.
static mco_status run_chunks(traffic_gpu_city *c, const traffic_call *call, pass_watch *w, traffic_gpu_state *last)
{
    mco_status st = MCO_OK;
    int32_t launched = 0, counts[CHUNKS] = {0};
    double step_s = 0, before_s = mco_clock_s();
    int64_t enqueued = 0, ended = 0;
    bool is_stopping = false;
    *last = (traffic_gpu_state){0};
    while (ended < enqueued || !(is_stopping || is_last(call, last))) {
        // One chunk more may wait behind the running one, once the time of a step is known.
        while (!is_stopping && !is_last(call, last) && enqueued - ended < (step_s > 0 && c->wide == NULL ? CHUNKS : 1)) {
            const int32_t count = chunk_of(c, call, launched, step_s);
            if (count <= 0 && enqueued > ended)
                break;
            counts[enqueued % CHUNKS] = count > 0 ? count : 1;
            const mco_status launched_st = launch_chunk(c, call->run, w, (int)(enqueued % CHUNKS), counts[enqueued % CHUNKS]);
            is_stopping = launched_st == MCO_ERR_STOPPED;
            if (is_stopping)
                break;
            MCO_TRY(launched_st);
            launched += counts[enqueued % CHUNKS];
            enqueued++;
        }
        if (ended == enqueued)
            break;
        const int chunk = (int)(ended % CHUNKS);
        MCO_TRY(mco_device_wait(&c->device, w->ended[chunk], must_stop, call->run, NULL));
        const double now_s = mco_clock_s();
        step_s = (now_s - before_s) / counts[chunk];
        before_s = now_s;
        *last = w->h_state[chunk];
        ended++;
        call->run->work = last->iteration;
        MCO_TRY(note_passes(c, call, w, last));
        is_stopping = is_stopping || must_stop(call->run);
        if (last->end == TRAFFIC_GPU_LOST)
            MCO_TRY(mco_fail(c->device.ctx, MCO_ERR_INTERNAL, "GPU %d: a trip's destination was not reached", c->device.info.index));
    }
done:
    return st;
}

// Searches that compare values need the integral of the cost, which the device has for polynomials and powers.
static mco_traffic_line_search choose_search(mco_context *ctx, const traffic_call *call)
{
    const traffic_shape shape = call->problem->costs.shape;
    if (call->params->line_search == MCO_TRAFFIC_SEARCH_EXACT || (shape != TRAFFIC_CONICAL && shape != TRAFFIC_AKCELIK))
        return call->params->line_search;
    mco_log(ctx, MCO_LOG_INFO, "on a GPU the line search of conical and akcelik costs is exact");
    return MCO_TRAFFIC_SEARCH_EXACT;
}

mco_status traffic_gpu_iterate(mco_context *ctx, const traffic_call *call, traffic_gpu_city *c, traffic_answer *out)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = call->problem;
    const mco_traffic_method method = call->params->method;
    pass_watch watch = {0};
    traffic_gpu_state last;
    c->steps.gap = call->gap;
    c->steps.memory = method == MCO_TRAFFIC_METHOD_FW ? 0 : method == MCO_TRAFFIC_METHOD_CFW ? 1 : 2;
    c->steps.search = (int32_t)choose_search(ctx, call);
    if (call->start_flow != NULL && p->classes == 1)
        MCO_TRY(traffic_gpu_city_put(c, call->start_flow));
    if (c->fleet != NULL)
        MCO_TRY(traffic_gpu_fleet_begin(c->fleet));
    MCO_TRY(open_watch(c, &watch));
    MCO_TRY(run_chunks(c, call, &watch, &last));
    if (last.iteration == 0)
        MCO_TRY(MCO_ERR_STOPPED);
    MCO_TRY(mco_alloc(ctx, &out->flow, p->links));
    if (p->classes > 1)
        MCO_TRY(mco_alloc(ctx, &out->class_flow, (int64_t)p->classes * p->links));
    MCO_TRY(traffic_gpu_city_get(c, out->flow, out->class_flow));
    out->gap = watch.gap;
    c->scale = last.scale;
    out->iterations = last.iteration;
    out->gpus = c->fleet != NULL ? call->gpus : UINT64_C(1) << c->device.info.index;
    if (last.end == TRAFFIC_GPU_STUCK)
        mco_log(ctx, MCO_LOG_DETAIL, "GPU %d: no direction descends at a gap of %.3g: labels are no finer", c->device.info.index, watch.gap);
done:
    close_watch(c, &watch);
    return st;
}

// Labels of the GPU for the proof of the gap. Without them the proof is a search of the cores, so a GPU without room is no error.
static mco_status prove(mco_context *ctx, const traffic_call *call, traffic_gpu_city *c, traffic_answer *out)
{
    mco_status st = MCO_OK;
    if (c->wide == NULL || c->fleet != NULL || call->history->is_quiet || must_stop(call->run))
        return MCO_OK;
    MCO_TRY(traffic_certificate_open(ctx, call->problem, out->flow, out->class_flow, &out->certificate));
    MCO_CUDA(ctx, traffic_gpu_launch_costs(&c->steps, c->device.stream));  // of these flows, at the scale of the state
    MCO_TRY(traffic_gpu_wide_prove(c->wide, call, &c->device, c->scale, &out->certificate));
done:
    if (st == MCO_OK)
        return MCO_OK;
    traffic_certificate_clear(ctx, &out->certificate);
    return st == MCO_ERR_STOPPED || st == MCO_ERR_MEMORY || st == MCO_ERR_LIMIT ? MCO_OK : st;
}

mco_status traffic_gpu_frank_wolfe_assign(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    mco_status st = MCO_OK;
    traffic_gpu_city city = {0};
    const double begin_s = mco_clock_s();
    MCO_TRY(traffic_gpu_city_open(ctx, call, NULL, &city));
    if (city.wide != NULL)
        mco_log(ctx, MCO_LOG_DETAIL, "GPU %d: trees by a hierarchy, %.1f MB beside it", city.device.info.index, 1e-6 * (double)city.bytes);
    else
        mco_log(ctx, MCO_LOG_DETAIL, "GPU %d: a block of %d threads for each of %d trees, %d on a multiprocessor, %.1f MB", city.device.info.index,
            city.trees.threads, city.trees.rows, city.per_multiprocessor, 1e-6 * (double)city.bytes);
    const double opened_s = mco_clock_s();
    MCO_TRY(traffic_gpu_iterate(ctx, call, &city, out));
    out->device_s = mco_clock_s() - opened_s;
    MCO_TRY(prove(ctx, call, &city, out));
    if (city.fleet != NULL)
        mco_log(ctx, MCO_LOG_DETAIL, "%d GPUs, each with the trees of about %d origins", city.fleet->count, city.trees.rows);
    mco_log(ctx, MCO_LOG_DETAIL, "GPU %d: opened in %.3f s, %lld steps in %.4f s", city.device.info.index, opened_s - begin_s,
            (long long)out->iterations, out->device_s);
done:
    traffic_gpu_city_close(&city);
    return st;
}
