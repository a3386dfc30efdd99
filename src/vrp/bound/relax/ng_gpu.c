// SPDX-License-Identifier: MIT
// Dense ng tables on a GPU, host side. Arcs go up, kernels run in launches of some milliseconds, and the base values go down. The cells
// stay on the device: paths are traced there, and vrp_ng_fetch() brings the cells to the host for labels and digests.
#include "vrp/bound/relax/ng_gpu.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "device/device_cuda.h"
#include "vrp/bound/relax/ng_cuda.h"
#include "vrp/bound/relax/ng_pass.h"
#include "vrp/bound/relax/upload.h"

enum { SPARE_SHARED = 2048 };  // bytes of shared memory that kernels have besides
// Cells reach the host in pieces of 2^PIECE_BITS, 64 MB: some 20 ms to pin, less to copy.
enum { PIECE_BITS = 24 };
static const double LAUNCH_S = 0.02, WAIT_S = 0.05;
_Static_assert((int)VRP_NG_DEVICE_NO_PATH == (int)VRP_NO_PATH && (int)VRP_NG_DEVICE_NO_ARC == (int)VRP_NO_ARC &&
                   (int)VRP_NG_DEVICE_APART == (int)VRP_NG_APART && 1 << (VRP_NG_TABLES - 1) == (int)VRP_NG_DEVICE_MOST_SETS,
               "kernels have the same limits");

typedef struct gpu {
    mco_device device;
    vrp_ng_device_plan plan;
    int32_t *load, *row;            // [rows], [capacity + 1] as on the device
    int32_t step;                   // the greatest common divisor of all loads of rows
    int32_t *d_arcs, *arcs;         // `arcs` is pinned
    int32_t *d_demand, *d_load, *d_row, *d_first_pair, *d_to;
    uint32_t *d_needed;
    uint16_t *d_low, *d_high;
    int32_t *base;                  // as d_base, pinned
    int32_t **cell;                 // [pieces] as d_cell, pinned; NULL until the first fetch
    bool is_fetched;
    vrp_ng_device_ending *d_ending, *ending;  // [vrp_ng_paths()]; pinned
    int32_t *d_path, *path;         // [vrp_ng_paths() * longest]; pinned
    cudaEvent_t begun, ended, copied;
    int shared_bytes;
    vrp_ng_gpu_stats stats;
} gpu;

// ---- Rows

static int32_t greatest_divisor(int32_t a, int32_t b)
{
    while (b != 0) {
        const int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Which loads demands add up to, with repetitions: row[q] is 0, else -1. O(capacity * different demands).
static mco_status find_loads(mco_context *ctx, const vrp_bound_problem *p, int32_t *row)
{
    mco_status st = MCO_OK;
    bool *is_demand = NULL;
    MCO_TRY(mco_alloc(ctx, &is_demand, p->capacity + 1));
    for (int32_t q = 0; q <= p->capacity; q++)
        row[q] = q == 0 ? 0 : -1;
    for (int32_t i = 1; i < p->nodes; i++) {
        const int32_t demand = p->demand[i];
        if (demand > p->capacity || is_demand[demand])
            continue;
        if (vrp_bound_is_over(ctx, INFINITY)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        is_demand[demand] = true;
        for (int32_t q = demand; q <= p->capacity; q++)
            row[q] = row[q - demand] == 0 ? 0 : row[q];
    }
done:
    mco_free(ctx, &is_demand);
    return st;
}

static mco_status find_rows(mco_context *ctx, const vrp_bound_problem *p, gpu *g)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &g->row, p->capacity + 1));
    MCO_TRY(mco_alloc(ctx, &g->load, p->capacity + 1));
    MCO_TRY(find_loads(ctx, p, g->row));
    g->row[0] = -1;
    for (int32_t q = 1; q <= p->capacity; q++)
        if (g->row[q] == 0) {
            g->step = greatest_divisor(q, g->step);
            g->load[g->plan.rows] = q;
            g->row[q] = g->plan.rows++;
        }
done:
    return st;
}

// How many cells a row has: needed [rows].
static void count_cells(const vrp_bound_problem *p, const gpu *g, uint32_t *needed)
{
    for (int32_t r = 0; r < g->plan.rows; r++)
        for (int32_t i = 1; i < p->nodes; i++) {
            const int32_t before = g->load[r] - p->demand[i];
            needed[r] += before == 0 || (before > 0 && g->row[before] >= 0);
        }
}

// ---- Open and close

static void gpu_close(mco_context *ctx, vrp_ng_pass *pass)
{
    gpu *g = pass->own;
    for (int s = 0; s < VRP_NG_SIDES; s++)
        pass->side[s].base = NULL;
    if (g == NULL)
        return;
    const cudaEvent_t events[] = {g->begun, g->ended, g->copied};
    g->device.ctx = ctx;
    if (g->device.stream != NULL)
        (void)mco_device_use(&g->device);
    for (int k = 0; k < 3; k++)
        if (events[k] != NULL)
            (void)cudaEventDestroy(events[k]);
    mco_device_close(&g->device);
    mco_free(ctx, &g->cell);
    mco_free(ctx, &g->row);
    mco_free(ctx, &g->load);
    mco_free(ctx, &g);
    pass->own = NULL;
}

static int64_t cells_of(const vrp_ng_device_plan *plan)
{
    return (int64_t)plan->sides * plan->rows * plan->nodes * plan->sets;
}

// Before the rows are known it counts base values and arcs only.
static mco_status check_memory(mco_context *ctx, const vrp_ng_pass *pass, const gpu *g)
{
    const vrp_ng_device_plan *plan = &g->plan;
    const double bases = (double)plan->sides * (plan->capacity + 1.0) * plan->stride * sizeof(int32_t);
    const double arcs = (double)(plan->sides + 1) * plan->nodes * plan->stride * sizeof(int32_t);
    const double bytes = (double)cells_of(plan) * sizeof(int32_t) + bases + arcs;
    if (bytes > pass->settings.memory)
        return mco_fail(ctx, MCO_ERR_LIMIT, "ng tables of %d loads, %d nodes and %d sets need %s%.0f bytes, at most %.0f may be taken",
                        plan->capacity + 1, plan->nodes, plan->sets, plan->rows == 0 ? "more than " : "", bytes, pass->settings.memory);
    if (g->device.info.free_bytes > 0 && bytes > (double)g->device.info.free_bytes)
        return mco_fail(ctx, MCO_ERR_LIMIT, "ng tables of %d loads, %d nodes and %d sets need %.0f bytes, GPU %d has %.0f free",
                        plan->capacity + 1, plan->nodes, plan->sets, bytes, g->device.info.index, (double)g->device.info.free_bytes);
    return MCO_OK;
}

// What a copy to the device reads lives until the stream is done with it: all in one pinned buffer.
static mco_status copy_up(mco_context *ctx, gpu *g, void *device, const void *host, size_t bytes)
{
    mco_status st = MCO_OK;
    MCO_CUDA(ctx, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, g->device.stream));
    MCO_CUDA(ctx, cudaStreamSynchronize(g->device.stream));  // ends: one copy
done:
    return st;
}

// Pairs and maps on the host, before they go up.
typedef struct host_pairs {
    vrp_ng_device_near *near;
    int32_t *to;
    uint16_t *low, *high;
} host_pairs;

static void set_pairs(const vrp_ng_pass *pass, int32_t sets, host_pairs *h)
{
    const int32_t highs = vrp_ng_highs(sets);
    for (int32_t a = 0; a < pass->pairs; a++) {
        const vrp_ng_pair *pair = &pass->pair[a];
        h->to[a] = pair->to;
        for (int s = 0; s < pass->sides; s++)
            h->near[s * (int64_t)pass->pairs + a] =
                (vrp_ng_device_near){.from = pair->from, .needed = pair->bit < 0 ? 0 : UINT32_C(1) << pair->bit};
        for (uint32_t m = 0; m < 32; m++)
            h->low[a * INT64_C(32) + m] = vrp_ng_entry(pass, pair, sets, m);
        for (int32_t b = 0; b < sets / 32; b++)
            h->high[a * (int64_t)highs + b] = vrp_ng_entry(pass, pair, sets, 32 * (uint32_t)b);
    }
}

static mco_status upload_pairs(mco_context *ctx, const vrp_ng_pass *pass, gpu *g)
{
    mco_status st = MCO_OK;
    host_pairs h = {0};
    const int64_t room = pass->pairs > 0 ? pass->pairs : 1, nears = room * pass->sides, highs = room * vrp_ng_highs(g->plan.sets);
    MCO_TRY(mco_alloc(ctx, &h.near, nears));
    MCO_TRY(mco_alloc(ctx, &h.to, room));
    MCO_TRY(mco_alloc(ctx, &h.low, 32 * room));
    MCO_TRY(mco_alloc(ctx, &h.high, highs));
    set_pairs(pass, g->plan.sets, &h);
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->plan.d_near, nears));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_to, room));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_low, 32 * room));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_high, highs));
    MCO_TRY(copy_up(ctx, g, g->plan.d_near, h.near, (size_t)nears * sizeof *h.near));
    MCO_TRY(copy_up(ctx, g, g->d_to, h.to, (size_t)room * sizeof *h.to));
    MCO_TRY(copy_up(ctx, g, g->d_low, h.low, 32 * (size_t)room * sizeof *h.low));
    MCO_TRY(copy_up(ctx, g, g->d_high, h.high, (size_t)highs * sizeof *h.high));
done:
    mco_free(ctx, &h.high);
    mco_free(ctx, &h.low);
    mco_free(ctx, &h.to);
    mco_free(ctx, &h.near);
    return st;
}

static mco_status upload_rows(mco_context *ctx, const vrp_ng_pass *pass, gpu *g)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = pass->problem;
    const int64_t rows = g->plan.rows;
    uint32_t *needed = NULL;
    MCO_TRY(mco_alloc(ctx, &needed, rows));
    count_cells(p, g, needed);
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_demand, p->nodes));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_load, rows));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_row, p->capacity + 1));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_needed, rows));
    MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_DEVICE, &g->d_first_pair, p->nodes + 1));
    MCO_TRY(copy_up(ctx, g, g->d_demand, p->demand, (size_t)p->nodes * sizeof *p->demand));
    MCO_TRY(copy_up(ctx, g, g->d_load, g->load, (size_t)rows * sizeof *g->load));
    MCO_TRY(copy_up(ctx, g, g->d_row, g->row, ((size_t)p->capacity + 1) * sizeof *g->row));
    MCO_TRY(copy_up(ctx, g, g->d_needed, needed, (size_t)rows * sizeof *needed));
    MCO_TRY(copy_up(ctx, g, g->d_first_pair, pass->first_pair, ((size_t)p->nodes + 1) * sizeof *pass->first_pair));
done:
    mco_free(ctx, &needed);
    return st;
}

static mco_status take_tables(vrp_ng_pass *pass, gpu *g)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = pass->problem;
    const int64_t arcs = (int64_t)p->nodes * p->stride, bases = pass->sides * ((int64_t)p->capacity + 1) * p->stride;
    const int64_t paths = vrp_ng_paths(p), nodes = paths * (p->capacity / p->least_demand);
    mco_device *device = &g->device;
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &g->d_arcs, arcs));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &g->arcs, arcs));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &g->plan.d_far, pass->sides * arcs));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &g->plan.d_done, pass->sides * (int64_t)g->plan.rows));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &g->plan.d_base, bases));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &g->base, bases));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &g->plan.d_cell, cells_of(&g->plan)));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &g->d_ending, paths));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &g->ending, paths));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &g->d_path, nodes));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &g->path, nodes));
    for (int64_t at = 0; at < bases; at++)
        g->base[at] = VRP_NO_PATH;
    for (int s = 0; s < pass->sides; s++)
        pass->side[s].base = g->base + s * ((int64_t)p->capacity + 1) * p->stride;
done:
    return st;
}

static mco_status choose_shape(mco_context *ctx, gpu *g, int32_t independent, int32_t asked)
{
    mco_status st = MCO_OK;
    const cudaError_t error = vrp_ng_choose_shape(&g->plan, independent, asked, g->device.info.multiprocessors, g->shared_bytes);
    if (error == cudaErrorInvalidConfiguration)
        return mco_fail(ctx, MCO_ERR_LIMIT, "GPU %d has no room for the %d customers of ng tables in blocks of shape %d",
                        g->device.info.index, g->plan.nodes - 1, asked);
    MCO_CUDA(ctx, error);
done:
    return st;
}

// About so many rows in turn need none of each other.
static int32_t independent_rows(const vrp_bound_problem *p, const gpu *g)
{
    return (int32_t)((int64_t)g->plan.rows * p->least_demand / p->capacity);
}

static void set_plan(const vrp_ng_pass *pass, gpu *g)
{
    const vrp_bound_problem *p = pass->problem;
    vrp_ng_device_plan *plan = &g->plan;
    plan->nodes = p->nodes;
    plan->stride = p->stride;
    plan->capacity = p->capacity;
    plan->sides = pass->sides;
    plan->is_symmetric = p->is_symmetric;
    plan->first_side = pass->direction == VRP_BACKWARD ? 1 : 0;
    plan->sets = pass->largest > 6 ? 1 << (pass->largest - 1) : VRP_NG_DEVICE_LEAST_SETS;
    plan->pairs = pass->pairs;
    for (int32_t k = 1; k < p->nodes; k++) {
        const int32_t pairs = pass->first_pair[k + 1] - pass->first_pair[k];
        plan->most_pairs = pairs > plan->most_pairs ? pairs : plan->most_pairs;
    }
}

static mco_status gpu_open(mco_context *ctx, vrp_ng_pass *pass)
{
    mco_status st = MCO_OK;
    gpu *g = NULL;
    MCO_TRY(mco_alloc(ctx, &g, 1));
    pass->own = g;
    set_plan(pass, g);
    MCO_TRY(check_memory(ctx, pass, g));
    MCO_TRY(find_rows(ctx, pass->problem, g));
    MCO_TRY(mco_device_open_named(ctx, pass->settings.gpus, &g->device));
    MCO_TRY(check_memory(ctx, pass, g));
    MCO_CUDA(ctx, cudaDeviceGetAttribute(&g->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, g->device.info.index));
    g->shared_bytes -= SPARE_SHARED;
    MCO_CUDA(ctx, cudaEventCreate(&g->begun));
    MCO_CUDA(ctx, cudaEventCreate(&g->ended));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&g->copied, cudaEventDisableTiming));
    MCO_TRY(upload_pairs(ctx, pass, g));
    MCO_TRY(upload_rows(ctx, pass, g));
    MCO_TRY(take_tables(pass, g));
    g->plan.d_arcs = g->d_arcs;
    g->plan.d_demand = g->d_demand;
    g->plan.d_load = g->d_load;
    g->plan.d_row = g->d_row;
    g->plan.d_needed = g->d_needed;
    g->plan.d_first_pair = g->d_first_pair;
    g->plan.d_to = g->d_to;
    g->plan.d_low = g->d_low;
    g->plan.d_high = g->d_high;
    MCO_TRY(choose_shape(ctx, g, independent_rows(pass->problem, g), -1));
done:
    return st;
}

// ---- Waits

// Waits for the work on the stream, launches of about WAIT_S. Errors: STOPPED.
static mco_status wait_for_all(mco_context *ctx, gpu *g, double stop_s)
{
    mco_status st = MCO_OK;
    vrp_relax_watch w = {ctx, stop_s};
    MCO_CUDA(ctx, cudaEventRecord(g->copied, g->device.stream));
    MCO_TRY(mco_device_wait(&g->device, g->copied, vrp_relax_must_stop, &w, NULL));
    if (vrp_relax_must_stop(&w))
        st = MCO_ERR_STOPPED;
done:
    return st;
}

// After a failure nothing of the run is under way: its buffers may go.
static void settle(gpu *g)
{
    (void)cudaStreamSynchronize(g->device.stream);  // ends: launches of about WAIT_S
}

// ---- A run

static mco_status launch_all(mco_context *ctx, gpu *g, double stop_s)
{
    mco_status st = MCO_OK;
    const double most = LAUNCH_S / g->plan.row_s;
    const int32_t each = most < 1 ? 1 : most < g->plan.rows ? (int32_t)most : g->plan.rows;
    double queued_s = 0;
    MCO_CUDA(ctx, cudaEventRecord(g->begun, g->device.stream));
    MCO_CUDA(ctx, vrp_ng_launch_begin(&g->plan, g->device.stream));
    for (int32_t first = 0; first < g->plan.rows; first += each) {
        const int32_t last = g->plan.rows - first > each ? first + each : g->plan.rows;
        if (queued_s > WAIT_S) {
            queued_s = 0;
            MCO_TRY(wait_for_all(ctx, g, stop_s));
        }
        MCO_CUDA(ctx, vrp_ng_launch_rows(&g->plan, first, last, g->device.stream));
        queued_s += (last - first) * g->plan.row_s;
        g->stats.launches++;
    }
    MCO_CUDA(ctx, cudaEventRecord(g->ended, g->device.stream));
done:
    return st;
}

// All rows of `base` have loads that are multiples of `step`.
static mco_status copy_base(mco_context *ctx, gpu *g)
{
    mco_status st = MCO_OK;
    const size_t row = (size_t)g->plan.stride * sizeof *g->base, pitch = row * (size_t)g->step;
    for (int s = 0; s < g->plan.sides; s++) {
        const int64_t at = s * ((int64_t)g->plan.capacity + 1) * g->plan.stride;
        MCO_CUDA(ctx, cudaMemcpy2DAsync(g->base + at, pitch, g->plan.d_base + at, pitch, row, (size_t)(g->plan.capacity / g->step + 1),
                                        cudaMemcpyDeviceToHost, g->device.stream));
    }
done:
    return st;
}

static void keep_stats(gpu *g, double kernel_s)
{
    const int32_t launches = g->stats.launches;
    g->stats = (vrp_ng_gpu_stats){.kernel_s = kernel_s, .launches = launches, .shape = g->plan.shape, .warps = g->plan.warps,
                                  .groups = g->plan.groups, .blocks = g->plan.blocks, .shared_bytes = g->plan.shared_bytes,
                                  .rows = g->plan.rows, .stays = g->plan.stays};
}

static mco_status gpu_run(mco_context *ctx, vrp_ng_pass *pass, const int32_t *arcs, double stop_s)
{
    mco_status st = MCO_OK;
    gpu *g = pass->own;
    float ms = 0;
    int32_t least, greatest;
    g->device.ctx = ctx;
    g->is_fetched = false;
    g->stats.launches = 0;
    MCO_TRY(mco_device_use(&g->device));
    MCO_TRY(vrp_relax_upload(&g->device, pass->problem, arcs, g->arcs, g->d_arcs, &least, &greatest));
    MCO_TRY(vrp_ng_check_values(ctx, pass->problem, least, greatest));
    MCO_TRY(launch_all(ctx, g, stop_s));
    MCO_TRY(copy_base(ctx, g));
    MCO_TRY(wait_for_all(ctx, g, stop_s));
    MCO_CUDA(ctx, cudaEventElapsedTime(&ms, g->begun, g->ended));
    keep_stats(g, 1e-3 * (double)ms);
done:
    if (st != MCO_OK)
        settle(g);
    return st;
}

// ---- Cells and paths

static mco_status gpu_fetch(mco_context *ctx, const vrp_ng_pass *pass)
{
    mco_status st = MCO_OK;
    gpu *g = pass->own;
    const int64_t cells = cells_of(&g->plan), each = INT64_C(1) << PIECE_BITS;
    if (g->is_fetched)
        return MCO_OK;
    g->device.ctx = ctx;
    MCO_TRY(mco_device_use(&g->device));
    if (g->cell == NULL)
        MCO_TRY(mco_alloc(ctx, &g->cell, (cells >> PIECE_BITS) + 1));
    for (int64_t at = 0; at < cells; at += each) {
        const int64_t count = cells - at < each ? cells - at : each;
        int32_t **piece = &g->cell[at >> PIECE_BITS];
        if (*piece == NULL)
            MCO_TRY(mco_device_take(&g->device, MCO_MEMORY_PINNED, piece, count));
        MCO_CUDA(ctx, cudaMemcpyAsync(*piece, g->plan.d_cell + at, (size_t)count * sizeof **piece, cudaMemcpyDeviceToHost, g->device.stream));
        MCO_TRY(wait_for_all(ctx, g, pass->stop_s));
    }
    g->is_fetched = true;
done:
    if (st != MCO_OK)
        settle(g);
    return st;
}

static int32_t gpu_value(const vrp_ng_pass *pass, int side, int32_t load, int32_t node, uint32_t memory)
{
    const gpu *g = pass->own;
    const vrp_ng_device_plan *plan = &g->plan;
    const int32_t base = pass->side[side].base[(int64_t)load * plan->stride + node];
    const uint32_t all = (UINT32_C(1) << (pass->sets.size[node] - 1)) - 1;
    if (!vrp_ng_is_path(base) || memory == all)
        return base;
    assert(g->is_fetched);
    const int64_t at = (((int64_t)side * plan->rows + g->row[load]) * plan->nodes + node) * plan->sets + memory;
    return g->cell[at >> PIECE_BITS][at & ((INT64_C(1) << PIECE_BITS) - 1)];
}

static mco_status gpu_trace(mco_context *ctx, const vrp_ng_pass *pass, vrp_ng_ending *ending, int32_t count, int32_t *path)
{
    mco_status st = MCO_OK;
    gpu *g = pass->own;
    const int32_t longest = pass->problem->capacity / pass->problem->least_demand;
    const size_t bytes = (size_t)count * sizeof *g->ending, path_bytes = (size_t)count * (size_t)longest * sizeof *path;
    const cudaStream_t stream = g->device.stream;
    g->device.ctx = ctx;
    MCO_TRY(mco_device_use(&g->device));
    for (int32_t e = 0; e < count; e++)
        g->ending[e] = (vrp_ng_device_ending){ending[e].node, ending[e].load, longest};
    MCO_CUDA(ctx, cudaMemcpyAsync(g->d_ending, g->ending, bytes, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(ctx, vrp_ng_launch_trace(&g->plan, g->d_ending, count, longest, g->d_path, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(g->ending, g->d_ending, bytes, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(g->path, g->d_path, path_bytes, cudaMemcpyDeviceToHost, stream));
    MCO_TRY(wait_for_all(ctx, g, pass->stop_s));
    memcpy(path, g->path, path_bytes);
    for (int32_t e = 0; e < count; e++) {
        ending[e].begin = g->ending[e].begin;
        if (ending[e].begin >= longest)
            MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "the path of load %d to customer %d has no predecessor in the tables", ending[e].load,
                             ending[e].node));
    }
done:
    if (st != MCO_OK)
        settle(g);
    return st;
}

const vrp_ng_engine vrp_ng_gpu = {.open = gpu_open, .close = gpu_close, .run = gpu_run, .value = gpu_value, .has_tables = true,
                                  .is_device = true, .fetch = gpu_fetch, .trace = gpu_trace};

// ---- For tests and measurements

const vrp_ng_gpu_stats *vrp_ng_gpu_tell(const vrp_ng_pass *pass)
{
    return &((const gpu *)pass->own)->stats;
}

mco_status vrp_ng_gpu_take_shape(mco_context *ctx, vrp_ng_pass *pass, int32_t shape)
{
    mco_status st = MCO_OK;
    gpu *g = pass->own;
    g->device.ctx = ctx;
    MCO_TRY(mco_device_use(&g->device));
    MCO_TRY(choose_shape(ctx, g, independent_rows(pass->problem, g), shape));
done:
    return st;
}
