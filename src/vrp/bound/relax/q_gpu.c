// SPDX-License-Identifier: MIT
// q-paths and through-q-routes on a GPU, host side. Arcs go up, kernels run in launches of some milliseconds, and finished loads go down
// beside the next launch. So the tables are on the host when a run ends, and reading cells cannot fail.
//
// The two directions of an asymmetric problem run on two streams, at the same time where the device has room for both.
#include "vrp/bound/relax/q_gpu.h"

#include <string.h>

#include "device/device_cuda.h"
#include "vrp/bound/relax/q_cuda.h"
#include "vrp/bound/relax/q_inside.h"
#include "vrp/bound/relax/upload.h"

enum {
    LEAST_DOWN_BYTES = 4 << 20,  // of the tables that go down beside a launch
    SPARE_SHARED = 2048,         // bytes of shared memory that kernels have besides
    WIDE_RUNS = 15               // after a run with wide keys, so many begin with them
};
static const double LAUNCH_S = 0.02, WAIT_S = 0.05, CELL_BYTES = 12, JOINS_PER_S = 2e11;
_Static_assert((int)VRP_Q_DEVICE_NO_PATH == (int)VRP_NO_PATH && (int)VRP_Q_DEVICE_NO_ARC == (int)VRP_NO_ARC, "kernels have the same limits");

// One direction.
typedef struct side {
    vrp_q_device_plan plan;
    cudaStream_t stream;            // [1] is owned
    cudaEvent_t begun, ended;       // of the kernels
    cudaEvent_t launched;           // of the last launch
    int32_t *value, *second;        // [(capacity + 1) * stride] pinned
    uint16_t *before, *second_before;
    vrp_q_control *control;         // pinned
    int32_t next;                   // the first load whose paths have not left yet
    int32_t copied;                 // rows that went down
} side;

typedef struct gpu {
    mco_device device;
    int sides;
    side side[2];
    int32_t *d_arcs, *d_demand, *arcs;  // `arcs` is pinned
    int32_t *d_ratio, *ratio;           // [2 * nodes] value, load
    cudaEvent_t uploaded, copied;
    int shared_bytes;
    int32_t asked_shape;                // -1: chosen
    int32_t wide_runs;                  // that begin with wide keys
    vrp_q_device_plan far;              // a copy of the tables of the twin, for joins; NULL: none yet
    vrp_q_gpu_stats stats;
} gpu;

// ---- Open and close

static double gpu_bytes(const vrp_bound_problem *problem, const vrp_relax_settings *settings)
{
    (void)settings;
    return ((double)problem->capacity + 1) * problem->stride * CELL_BYTES * (problem->is_symmetric ? 1 : 2) +
           (double)problem->nodes * problem->stride * sizeof(int32_t);
}

static void close_side(side *s, bool owns_stream)
{
    const cudaEvent_t events[] = {s->begun, s->ended, s->launched};
    for (int k = 0; k < 3; k++)
        if (events[k] != NULL)
            (void)cudaEventDestroy(events[k]);
    if (owns_stream && s->stream != NULL)
        (void)cudaStreamDestroy(s->stream);
}

static void gpu_close(mco_context *ctx, vrp_q_pass *pass)
{
    gpu *g = pass->own;
    if (g == NULL)
        return;
    g->device.ctx = ctx;
    if (g->side[0].stream != NULL) {
        (void)mco_device_use(&g->device);
        for (int d = 0; d < 2; d++)
            close_side(&g->side[d], d == 1);
        if (g->uploaded != NULL)
            (void)cudaEventDestroy(g->uploaded);
        if (g->copied != NULL)
            (void)cudaEventDestroy(g->copied);
    }
    mco_device_close(&g->device);
    mco_free(ctx, &g);
    pass->own = NULL;
}

static mco_status open_side(gpu *g, const vrp_bound_problem *problem, bool is_backward, int d)
{
    mco_status st = MCO_OK;
    side *s = &g->side[d];
    mco_device *device = &g->device;
    const int64_t cells = ((int64_t)problem->capacity + 1) * problem->stride;
    s->plan = (vrp_q_device_plan){.nodes = problem->nodes, .stride = problem->stride, .capacity = problem->capacity,
                                  .least_demand = problem->least_demand, .is_symmetric = problem->is_symmetric, .is_backward = is_backward, .d_arcs = g->d_arcs, .d_demand = g->d_demand};
    if (d == 1)
        MCO_CUDA(device->ctx, cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    MCO_CUDA(device->ctx, cudaEventCreate(&s->begun));
    MCO_CUDA(device->ctx, cudaEventCreate(&s->ended));
    MCO_CUDA(device->ctx, cudaEventCreateWithFlags(&s->launched, cudaEventDisableTiming));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &s->plan.d_value, cells));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &s->plan.d_second, cells));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &s->plan.d_before, cells));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &s->plan.d_second_before, cells));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &s->plan.d_control, 1));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &s->value, cells));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &s->second, cells));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &s->before, cells));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &s->second_before, cells));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &s->control, 1));
done:
    return st;
}

static mco_status choose_shape(mco_context *ctx, gpu *g, side *s, bool is_wide, int32_t asked)
{
    mco_status st = MCO_OK;
    const cudaError_t error = vrp_q_choose_shape(&s->plan, is_wide, asked, g->device.info.multiprocessors, g->shared_bytes);
    if (error == cudaErrorInvalidConfiguration)
        return mco_fail(ctx, MCO_ERR_LIMIT, "q-paths of %d nodes need %d bytes of shared memory%s, GPU %d has %d", s->plan.nodes,
                        s->plan.shared_bytes, is_wide ? " with keys of 64 bits" : "", g->device.info.index, g->shared_bytes);
    MCO_CUDA(ctx, error);
done:
    return st;
}

static mco_status gpu_open(mco_context *ctx, vrp_q_pass *pass)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = pass->problem;
    gpu *g = NULL;
    if (problem->nodes > VRP_Q_DEVICE_NODES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d nodes, q-paths on a GPU take at most %d", problem->nodes, VRP_Q_DEVICE_NODES);
    MCO_TRY(mco_alloc(ctx, &g, 1));
    pass->own = g;
    g->asked_shape = -1;
    g->sides = problem->is_symmetric || pass->direction != VRP_BOTH_DIRECTIONS ? 1 : 2;
    MCO_TRY(mco_device_open_named(ctx, pass->settings.gpus, &g->device));
    g->side[0].stream = g->device.stream;
    MCO_CUDA(ctx, cudaDeviceGetAttribute(&g->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, g->device.info.index));
    g->shared_bytes -= SPARE_SHARED;
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&g->uploaded, cudaEventDisableTiming));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&g->copied, cudaEventDisableTiming));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_arcs, (int64_t)problem->nodes * problem->stride));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, &g->arcs, (int64_t)problem->nodes * problem->stride));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_demand, problem->nodes));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_ratio, 2 * (int64_t)problem->nodes));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, &g->ratio, 2 * (int64_t)problem->nodes));
    MCO_CUDA(ctx, cudaMemcpyAsync(g->d_demand, problem->demand, (size_t)problem->nodes * sizeof *g->d_demand, cudaMemcpyHostToDevice,
                                  g->device.stream));
    for (int d = 0; d < g->sides; d++) {
        MCO_TRY(open_side(g, problem, d == 1 || pass->direction == VRP_BACKWARD, d));
        if (pass->settings.may_use_cores || pass->settings.runs_often)  // then a run must not find out that wide keys have no room
            MCO_TRY(choose_shape(ctx, g, &g->side[d], true, -1));
        MCO_TRY(choose_shape(ctx, g, &g->side[d], false, -1));
    }
    MCO_CUDA(ctx, cudaStreamSynchronize(g->device.stream));  // ends: a copy of the demands
done:
    return st;
}

// ---- Waits

// Waits for `event`, which comes after launches of about WAIT_S. Errors: STOPPED.
static mco_status wait_for(mco_context *ctx, gpu *g, cudaEvent_t event, double stop_s)
{
    vrp_relax_watch w = {ctx, stop_s};
    const mco_status st = mco_device_wait(&g->device, event, vrp_relax_must_stop, &w, NULL);
    return st == MCO_OK && vrp_relax_must_stop(&w) ? MCO_ERR_STOPPED : st;
}

// ---- A run

static mco_status upload_arcs(mco_context *ctx, gpu *g, const vrp_bound_problem *problem, const int32_t *arcs)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_relax_upload(&g->device, problem, arcs, g->arcs, g->d_arcs, NULL, NULL));
    MCO_CUDA(ctx, cudaEventRecord(g->uploaded, g->device.stream));
done:
    return st;
}

// Copies finished rows down, on the side stream.
static mco_status copy_rows(mco_context *ctx, gpu *g, side *s, int32_t end)
{
    mco_status st = MCO_OK;
    const size_t at = (size_t)s->copied * (size_t)s->plan.stride, cells = (size_t)(end - s->copied) * (size_t)s->plan.stride;
    const cudaStream_t stream = g->device.side;
    MCO_CUDA(ctx, cudaStreamWaitEvent(stream, s->launched, 0));
    MCO_CUDA(ctx, cudaMemcpyAsync(s->value + at, s->plan.d_value + at, cells * sizeof *s->value, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(s->second + at, s->plan.d_second + at, cells * sizeof *s->second, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(s->before + at, s->plan.d_before + at, cells * sizeof *s->before, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(s->second_before + at, s->plan.d_second_before + at, cells * sizeof *s->second_before,
                                  cudaMemcpyDeviceToHost, stream));
    s->copied = end;
done:
    return st;
}

// The first load from which no path can leave.
static int32_t end_of(const side *s)
{
    return s->plan.capacity - s->plan.least_demand + 1;
}

// Enqueues one launch and the copy of the rows before that are finished. Returns the seconds that it may take.
static mco_status launch_steps(mco_context *ctx, gpu *g, side *s, double *seconds)
{
    mco_status st = MCO_OK;
    const double by_time = LAUNCH_S / s->plan.step_s, by_bytes = LEAST_DOWN_BYTES / (CELL_BYTES * s->plan.stride * s->plan.layers);
    const double most = by_bytes < by_time ? by_bytes : by_time;
    const int64_t steps = most > 1 ? (int64_t)most : 1, last = s->next + steps * s->plan.layers;
    const int32_t end = last < end_of(s) ? (int32_t)last : end_of(s);
    MCO_CUDA(ctx, vrp_q_launch_steps(&s->plan, s->next, end, s->stream));
    MCO_CUDA(ctx, cudaEventRecord(s->launched, s->stream));
    s->next = end;
    const int32_t rows = end + s->plan.least_demand;
    MCO_TRY(copy_rows(ctx, g, s, rows < s->plan.capacity + 1 ? rows : s->plan.capacity + 1));
    *seconds += (double)steps * s->plan.step_s;
    g->stats.launches++;
done:
    return st;
}

static mco_status begin_side(mco_context *ctx, gpu *g, side *s)
{
    mco_status st = MCO_OK;
    s->next = s->plan.least_demand;
    s->copied = 0;
    if (s->stream != g->device.stream)
        MCO_CUDA(ctx, cudaStreamWaitEvent(s->stream, g->uploaded, 0));
    MCO_CUDA(ctx, cudaEventRecord(s->begun, s->stream));
    MCO_CUDA(ctx, vrp_q_launch_begin(&s->plan, s->stream));
    MCO_CUDA(ctx, cudaEventRecord(s->launched, s->stream));
done:
    return st;
}

static mco_status end_side(mco_context *ctx, gpu *g, side *s)
{
    mco_status st = MCO_OK;
    MCO_CUDA(ctx, cudaEventRecord(s->ended, s->stream));
    MCO_CUDA(ctx, cudaEventRecord(s->launched, s->stream));
    if (s->copied <= s->plan.capacity)
        MCO_TRY(copy_rows(ctx, g, s, s->plan.capacity + 1));
    MCO_CUDA(ctx, cudaStreamWaitEvent(g->device.side, s->launched, 0));
    MCO_CUDA(ctx, cudaMemcpyAsync(s->control, s->plan.d_control, sizeof *s->control, cudaMemcpyDeviceToHost, g->device.side));
done:
    return st;
}

// All launches of all directions in turn, with a wait where they add up.
static mco_status launch_all(mco_context *ctx, gpu *g, double stop_s)
{
    mco_status st = MCO_OK;
    double queued_s = 0;
    bool has_more = true;
    for (int d = 0; d < g->sides; d++)
        MCO_TRY(begin_side(ctx, g, &g->side[d]));
    while (has_more) {
        has_more = false;
        for (int d = 0; d < g->sides; d++)
            if (g->side[d].next < end_of(&g->side[d])) {
                MCO_TRY(launch_steps(ctx, g, &g->side[d], &queued_s));
                has_more = true;
            }
        if (has_more && queued_s > WAIT_S) {
            queued_s = 0;
            MCO_CUDA(ctx, cudaEventRecord(g->copied, g->device.side));
            MCO_TRY(wait_for(ctx, g, g->copied, stop_s));
        }
    }
    for (int d = 0; d < g->sides; d++)
        MCO_TRY(end_side(ctx, g, &g->side[d]));
    MCO_CUDA(ctx, cudaEventRecord(g->copied, g->device.side));
    MCO_TRY(wait_for(ctx, g, g->copied, stop_s));
done:
    return st;
}

// After a failure nothing of the run is under way: its buffers may go.
static void settle(gpu *g)
{
    for (int d = 0; d < g->sides; d++)
        (void)cudaStreamSynchronize(g->side[d].stream);  // ends: launches of about WAIT_S
    (void)cudaStreamSynchronize(g->device.side);
}

static mco_status run_with(mco_context *ctx, gpu *g, bool is_wide, double stop_s, bool *fits)
{
    mco_status st = MCO_OK;
    float longest_ms = 0;
    *fits = true;
    for (int d = 0; d < g->sides; d++)
        if (g->side[d].plan.is_wide != is_wide)
            MCO_TRY(choose_shape(ctx, g, &g->side[d], is_wide, -1));
    MCO_TRY(launch_all(ctx, g, stop_s));
    for (int d = 0; d < g->sides; d++) {
        float ms = 0;
        MCO_CUDA(ctx, cudaEventElapsedTime(&ms, g->side[d].begun, g->side[d].ended));
        longest_ms = ms > longest_ms ? ms : longest_ms;
        *fits = *fits && g->side[d].control->is_out == 0;
    }
    const vrp_q_device_plan *plan = &g->side[0].plan;
    g->stats.kernel_s = 1e-3 * (double)longest_ms;
    g->stats.shape = plan->shape;
    g->stats.blocks = plan->blocks;
    g->stats.layers = plan->layers;
    g->stats.shared_bytes = plan->shared_bytes;
    g->stats.is_wide = is_wide;
done:
    if (st != MCO_OK)
        settle(g);
    return st;
}

static mco_status refuse(mco_context *ctx, const gpu *g)
{
    for (int d = 0; d < g->sides; d++) {
        const vrp_q_control *c = g->side[d].control;
        if (c->is_out != 0)
            return vrp_q_refuse_value(ctx, c->least_arc <= -VRP_NO_PATH / 2 ? "an arc" : "a path", c->out);
    }
    return MCO_OK;
}

static mco_status gpu_run(mco_context *ctx, vrp_q_pass *pass, const int32_t *arcs, double stop_s)
{
    mco_status st = MCO_OK;
    gpu *g = pass->own;
    bool fits = false;
    g->device.ctx = ctx;
    g->stats.launches = 0;
    MCO_TRY(mco_device_use(&g->device));
    MCO_TRY(upload_arcs(ctx, g, pass->problem, arcs));
    if (g->wide_runs == 0) {
        MCO_TRY(run_with(ctx, g, false, stop_s, &fits));
        g->wide_runs = fits ? 0 : WIDE_RUNS + 1;
    }
    if (!fits) {
        g->wide_runs--;
        MCO_TRY(run_with(ctx, g, true, stop_s, &fits));
    }
    MCO_TRY(refuse(ctx, g));
done:
    if (st != MCO_OK)
        settle(g);
    return st;
}

// ---- Cells

static int32_t node_of(uint16_t node)
{
    return node == VRP_Q_DEVICE_NO_NODE ? -1 : node;
}

static vrp_q_cell gpu_cell(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node)
{
    const gpu *g = pass->own;
    const side *s = &g->side[backward];
    const int64_t at = (int64_t)load * s->plan.stride + node;
    return (vrp_q_cell){s->value[at], node_of(s->before[at]), s->second[at], node_of(s->second_before[at])};
}

static void gpu_column(const vrp_q_pass *pass, bool backward, int32_t node, const vrp_q_column *out)
{
    const gpu *g = pass->own;
    const side *s = &g->side[backward];
    const int32_t demand = pass->problem->demand[node];
    int64_t at = (int64_t)demand * s->plan.stride + node;
    for (int32_t load = 0; load <= s->plan.capacity - demand; load++, at += s->plan.stride) {
        out->value[load] = s->value[at];
        out->before[load] = node_of(s->before[at]);
        out->second[load] = s->second[at];
    }
}

// ---- Through-q-routes

// Launches of some LAUNCH_S each, and a wait where they add up.
static mco_status join_all(mco_context *ctx, gpu *g, const vrp_through_plan *plan, double stop_s)
{
    mco_status st = MCO_OK;
    const int32_t nodes = plan->near.nodes;
    const double joins = ((double)plan->near.capacity + 1) * plan->near.capacity / (plan->is_symmetric ? 4 : 2) + 1;
    const double most = LAUNCH_S * JOINS_PER_S / joins;
    const int32_t each = most < 1 ? 1 : most < nodes ? (int32_t)most : nodes;
    double queued_s = 0;
    for (int32_t first = 1; first < nodes; first += each) {
        const int32_t last = nodes - first > each ? first + each : nodes;
        MCO_CUDA(ctx, vrp_through_launch(plan, first, last, g->device.stream));
        queued_s += (last - first) * joins / JOINS_PER_S;
        if (queued_s < WAIT_S)
            continue;
        queued_s = 0;
        MCO_CUDA(ctx, cudaEventRecord(g->copied, g->device.stream));
        MCO_TRY(wait_for(ctx, g, g->copied, stop_s));
    }
done:
    return st;
}

// The tables of the twin, copied to this device.
static mco_status bring_far(mco_context *ctx, gpu *g, const gpu *back, vrp_q_device_plan *far)
{
    mco_status st = MCO_OK;
    const vrp_q_device_plan *there = &back->side[0].plan;
    const size_t cells = ((size_t)there->capacity + 1) * (size_t)there->stride;
    const int to = g->device.info.index, from = back->device.info.index;
    if (g->far.d_value == NULL) {
        MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->far.d_second, cells));
        MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->far.d_before, cells));
        MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->far.d_value, cells));
        (void)cudaDeviceEnablePeerAccess(from, 0);  // where there is none, copies go through the host
        (void)cudaGetLastError();
    }
    MCO_CUDA(ctx, cudaMemcpyPeerAsync(g->far.d_value, to, there->d_value, from, cells * sizeof *there->d_value, g->device.stream));
    MCO_CUDA(ctx, cudaMemcpyPeerAsync(g->far.d_second, to, there->d_second, from, cells * sizeof *there->d_second, g->device.stream));
    MCO_CUDA(ctx, cudaMemcpyPeerAsync(g->far.d_before, to, there->d_before, from, cells * sizeof *there->d_before, g->device.stream));
    *far = *there;
    far->d_value = g->far.d_value;
    far->d_second = g->far.d_second;
    far->d_before = g->far.d_before;
    far->d_second_before = NULL;  // a join needs none
    far->d_demand = g->d_demand;
    far->d_arcs = g->d_arcs;
    far->d_control = NULL;
done:
    return st;
}

static mco_status gpu_through(mco_context *ctx, const vrp_q_pass *pass, int32_t *value, int32_t *load, int32_t *table, double stop_s,
                              bool *is_done)
{
    mco_status st = MCO_OK;
    gpu *g = pass->own;
    const size_t nodes = (size_t)pass->problem->nodes, cells = ((size_t)pass->problem->capacity + 1) * nodes;
    vrp_through_plan plan = {.near = g->side[0].plan, .far = g->side[g->sides - 1].plan, .is_symmetric = pass->problem->is_symmetric,
                             .d_ratio_value = g->d_ratio, .d_ratio_load = g->d_ratio + nodes};
    float ms = 0;
    g->device.ctx = ctx;
    MCO_TRY(mco_device_use(&g->device));
    if (pass->back != NULL)
        MCO_TRY(bring_far(ctx, g, pass->back->own, &plan.far));
    const cudaError_t error = vrp_through_choose_shape(&plan, g->device.info.multiprocessors, g->shared_bytes);
    *is_done = error != cudaErrorInvalidConfiguration;
    if (!*is_done)
        return MCO_OK;
    MCO_CUDA(ctx, error);
    if (table != NULL)
        MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &plan.d_table, cells));
    MCO_CUDA(ctx, cudaEventRecord(g->side[0].begun, g->device.stream));
    MCO_TRY(join_all(ctx, g, &plan, stop_s));
    MCO_CUDA(ctx, cudaEventRecord(g->side[0].ended, g->device.stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(g->ratio, g->d_ratio, 2 * nodes * sizeof *g->ratio, cudaMemcpyDeviceToHost, g->device.stream));
    MCO_CUDA(ctx, cudaEventRecord(g->copied, g->device.stream));
    MCO_TRY(wait_for(ctx, g, g->copied, stop_s));
    MCO_CUDA(ctx, cudaEventElapsedTime(&ms, g->side[0].begun, g->side[0].ended));
    g->stats.through_s = 1e-3 * (double)ms;
    if (table != NULL)
        MCO_CUDA(ctx, cudaMemcpy(table, plan.d_table, cells * sizeof *table, cudaMemcpyDeviceToHost));
    for (size_t i = 1; value != NULL && i < nodes; i++) {
        value[i] = g->ratio[i];
        load[i] = g->ratio[nodes + i];
    }
done:
    if (st != MCO_OK)
        settle(g);
    mco_device_give(&g->device, &plan.d_table);
    return st;
}

const vrp_q_engine VRP_Q_GPU = {gpu_bytes, gpu_open, gpu_close, gpu_run, gpu_cell, gpu_column, gpu_through};

// ---- For tests and measurements

const vrp_q_gpu_stats *vrp_q_gpu_tell(const vrp_q_pass *pass)
{
    return &((const gpu *)pass->own)->stats;
}

mco_status vrp_q_gpu_take_shape(mco_context *ctx, vrp_q_pass *pass, int32_t shape)
{
    mco_status st = MCO_OK;
    gpu *g = pass->own;
    g->device.ctx = ctx;
    MCO_TRY(mco_device_use(&g->device));
    for (int d = 0; d < g->sides; d++)
        MCO_TRY(choose_shape(ctx, g, &g->side[d], false, shape));
done:
    return st;
}
