// SPDX-License-Identifier: MIT
// Loads on a GPU by a hierarchy, host side.
//
// Rows of a class stand by the rank of their origin, as the hierarchy's sources do. Where the labels of all of them do not fit
// into device memory, they go through it in batches. A launch of walks has about TRIPS_AT_ONCE trips, some tens of milliseconds; one
// that climbs has a batch, about 0.3 us a row of 10,000 nodes.
#include "traffic/gpu/wide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "traffic/model/roads.h"

enum { TRIPS_AT_ONCE = 1 << 18, LANES_MOST = 64 };
static const double LABEL_SHARE = 0.6;  // of the free device memory

struct traffic_gpu_wide {
    mco_context *ctx;
    const traffic_problem *problem;
    mco_device *device;
    mco_paths_hierarchy *hierarchy;
    paths_device_hierarchy *on_device;
    traffic_gpu_walk walk;
    int32_t *row;            // [rows] by class, then by rank of the origin
    int32_t *source;         // [rows] origins in this order
    int32_t *class_first;    // [classes + 1] rows of a class
    int32_t *d_row, *d_vertex;  // [rows] as `row`; [vertices] of a rank
    int32_t batch;           // rows whose labels are on the device at once
    const traffic_gpu_arc *d_arc;
    unsigned long long *d_load;
    bool is_shared;          // the hierarchy is another one's
    bool climbs;             // a block's shared memory has room for a row's tree
    bool is_ready;           // the labels of the only batch are on the device: launches alone are enough for new ones
    cudaEvent_t before, after;
    double seconds[3];
};

// ---- The hierarchy

static mco_status make_hierarchy(traffic_gpu_wide *w, const traffic_call *call)
{
    mco_status st = MCO_OK;
    mco_paths_network *network = NULL;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    const double begin_s = mco_clock_s();
    params.engine = MCO_ENGINE_CPU;
    params.threads = call->params->threads;
    params.simd = call->params->simd;
    params.time_limit_s = call->run->stop_s - begin_s > 0 ? call->run->stop_s - begin_s : 0;
    MCO_TRY(traffic_roads_make(w->ctx, w->problem, &network));
    MCO_TRY(mco_paths_prepare(w->ctx, network, NULL, &params, &w->hierarchy));
    mco_log(w->ctx, MCO_LOG_DETAIL, "hierarchy of %d arcs prepared in %.2f s", w->hierarchy->topology.arcs, mco_clock_s() - begin_s);
done:
    mco_paths_destroy(w->ctx, &network);
    return st;
}

// ---- Rows

typedef struct ranked_row {
    int32_t k, rank, row;
} ranked_row;

static int by_class_and_rank(const void *a, const void *b)
{
    const ranked_row *x = a, *y = b;
    return x->k != y->k ? (x->k > y->k) - (x->k < y->k) : (x->rank > y->rank) - (x->rank < y->rank);
}

static mco_status sort_rows(traffic_gpu_wide *w)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = w->problem;
    const int32_t *rank = w->hierarchy->topology.rank;
    ranked_row *ranked = NULL;
    MCO_TRY(mco_alloc(w->ctx, &ranked, p->rows));
    MCO_TRY(mco_alloc(w->ctx, &w->row, p->rows));
    MCO_TRY(mco_alloc(w->ctx, &w->source, p->rows));
    MCO_TRY(mco_alloc(w->ctx, &w->class_first, (int64_t)p->classes + 1));
    for (int32_t r = 0; r < p->rows; r++) {
        ranked[r] = (ranked_row){p->row_class[r], rank[p->row_origin[r]], r};
        w->class_first[p->row_class[r] + 1] = r + 1;  // rows of a class follow each other
    }
    for (int32_t k = 0; k < p->classes; k++)
        if (w->class_first[k + 1] < w->class_first[k])
            w->class_first[k + 1] = w->class_first[k];
    qsort(ranked, (size_t)p->rows, sizeof *ranked, by_class_and_rank);
    for (int32_t i = 0; i < p->rows; i++) {
        w->row[i] = ranked[i].row;
        w->source[i] = p->row_origin[ranked[i].row];
    }
done:
    mco_free(w->ctx, &ranked);
    return st;
}

// How many rows have their labels on the device at once, a multiple of what a group may have.
static mco_status choose_batch(traffic_gpu_wide *w)
{
    mco_status st = MCO_OK;
    size_t free_bytes, all_bytes;
    const paths_topology *t = &w->hierarchy->topology;
    const double each = 4.0 * t->vertices + 24.0 * t->height + 16;
    MCO_CUDA(w->ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    const double fit = floor(LABEL_SHARE * (double)free_bytes / each / LANES_MOST) * LANES_MOST;
    if (fit < LANES_MOST)
        MCO_TRY(mco_fail(w->ctx, MCO_ERR_LIMIT, "GPU %d: labels of %d trees need %.0f bytes, %zu are free", w->device->info.index, LANES_MOST,
                         LANES_MOST * each, free_bytes));
    w->batch = fit < w->problem->rows ? (int32_t)fit : w->problem->rows;
done:
    return st;
}

static int32_t greatest_degree(const traffic_problem *p)
{
    int32_t most = 0;
    for (int32_t v = 0; v < p->nodes; v++) {
        const int32_t out = p->first[v + 1] - p->first[v], in = p->into_first[v + 1] - p->into_first[v];
        most = most > out ? most : out;
        most = most > in ? most : in;
    }
    return most;
}

// Whether trees of rows fit into shared memory.
static mco_status choose_loads(traffic_gpu_wide *w, bool walks)
{
    mco_status st = MCO_OK;
    int most = 0;
    const int64_t n = w->hierarchy->topology.vertices;
    MCO_CUDA(w->ctx, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, w->device->info.index));
    w->climbs = !walks && n < TRAFFIC_GPU_MOST_CLIMBED && traffic_gpu_climb_bytes(n) <= (size_t)most && greatest_degree(w->problem) < TRAFFIC_GPU_MOST_DEGREE;
    if (w->climbs)
        MCO_CUDA(w->ctx, traffic_gpu_climb_prepare(traffic_gpu_climb_bytes(n)));
done:
    return st;
}

mco_status traffic_gpu_wide_open(mco_context *ctx, const traffic_call *call, mco_device *device, bool walks, const traffic_gpu_wide *like,
                                 traffic_gpu_wide **out)
{
    mco_status st = MCO_OK;
    traffic_gpu_wide *w = NULL;
    MCO_TRY(mco_alloc(ctx, &w, 1));
    w->ctx = ctx;
    w->problem = call->problem;
    w->device = device;
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&w->before, cudaEventDisableTiming));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&w->after, cudaEventDisableTiming));
    w->is_shared = like != NULL;
    if (like != NULL)
        w->hierarchy = like->hierarchy;
    else
        MCO_TRY(make_hierarchy(w, call));
    MCO_TRY(choose_loads(w, walks));
    MCO_TRY(paths_device_open(ctx, w->hierarchy, UINT64_C(1) << device->info.index, &w->on_device));
    MCO_TRY(sort_rows(w));
    *out = w;
    w = NULL;
done:
    traffic_gpu_wide_close(ctx, &w);
    return st;
}

void traffic_gpu_wide_close(mco_context *ctx, traffic_gpu_wide **wide)
{
    traffic_gpu_wide *w = *wide;
    if (w == NULL)
        return;
    paths_device_close(ctx, &w->on_device);
    if (w->before != NULL)
        (void)cudaEventDestroy(w->before);
    if (w->after != NULL)
        (void)cudaEventDestroy(w->after);
    if (!w->is_shared)
        mco_paths_hierarchy_destroy(ctx, &w->hierarchy);
    mco_free(ctx, &w->class_first);
    mco_free(ctx, &w->source);
    mco_free(ctx, &w->row);
    mco_free(ctx, wide);
}

// ---- Tables

mco_status traffic_gpu_wide_arcs(const traffic_gpu_wide *w, const traffic_problem *p, traffic_gpu_arc *arc)
{
    const int32_t *rank = w->hierarchy->topology.rank;
    for (int64_t k = 0; k < p->classes; k++)
        for (int64_t s = 0; s < p->links; s++) {
            const int32_t tail = p->tail[p->into[s]];
            arc[k * p->links + s] = (traffic_gpu_arc){1, tail < p->first_through ? ~rank[tail] : rank[tail]};
        }
    return MCO_OK;
}

static mco_status upload(traffic_gpu_wide *w, const void **out, const void *from, int64_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    void *memory = NULL;
    MCO_TRY(mco_device_take_bytes(w->device, MCO_MEMORY_DEVICE, &memory, (size_t)(count > 0 ? count : 1), item_bytes));
    *out = memory;
    if (count > 0)
        MCO_CUDA(w->ctx, cudaMemcpyAsync(memory, from, (size_t)count * item_bytes, cudaMemcpyHostToDevice, w->device->stream));
    MCO_CUDA(w->ctx, cudaStreamSynchronize(w->device->stream));
done:
    return st;
}
#define UPLOAD(w, out, from, count) upload(w, (const void **)(out), from, count, sizeof *(from))

static mco_status upload_ranks(traffic_gpu_wide *w)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = w->problem;
    const paths_topology *t = &w->hierarchy->topology;
    const int64_t trips = p->rows > 0 ? p->row_first[p->rows] : 0;
    int32_t *range = NULL, *to = NULL, *origin = NULL;
    MCO_TRY(mco_alloc(w->ctx, &range, 2 * (int64_t)t->vertices));
    MCO_TRY(mco_alloc(w->ctx, &to, trips));
    MCO_TRY(mco_alloc(w->ctx, &origin, p->rows));
    for (int32_t v = 0; v < t->vertices; v++) {
        range[2 * (int64_t)v] = p->into_first[t->vertex[v]];
        range[2 * (int64_t)v + 1] = p->into_first[t->vertex[v] + 1];
    }
    for (int64_t i = 0; i < trips; i++)
        to[i] = t->rank[p->to[i]];
    for (int32_t r = 0; r < p->rows; r++)
        origin[r] = t->rank[p->row_origin[r]];
    MCO_TRY(UPLOAD(w, &w->walk.d_range, range, 2 * (int64_t)t->vertices));
    MCO_TRY(UPLOAD(w, &w->walk.d_trip_to, to, trips));
    MCO_TRY(UPLOAD(w, &w->walk.d_row_origin, origin, p->rows));
    MCO_TRY(UPLOAD(w, &w->walk.d_link, p->into, p->links));
    MCO_TRY(UPLOAD(w, &w->d_row, w->row, p->rows));
    MCO_TRY(UPLOAD(w, &w->d_vertex, t->vertex, t->vertices));
done:
    mco_free(w->ctx, &origin);
    mco_free(w->ctx, &to);
    mco_free(w->ctx, &range);
    return st;
}

mco_status traffic_gpu_wide_bind(traffic_gpu_wide *w, const traffic_gpu_arc *d_arc, unsigned long long *d_load, traffic_gpu_state *d_state,
                                 const uint32_t *d_amount, const int64_t *d_trip_first)
{
    mco_status st = MCO_OK;
    w->d_arc = d_arc;
    w->d_load = d_load;
    w->walk = (traffic_gpu_walk){.slots = w->problem->links, .vertices = w->hierarchy->topology.vertices, .d_trip_amount = d_amount,
                                 .d_trip_first = d_trip_first, .d_state = d_state, .d_greatest = &d_state->greatest};
    MCO_TRY(upload_ranks(w));
    MCO_TRY(choose_batch(w));
done:
    return st;
}

// ---- Loads

void traffic_gpu_wide_aim(traffic_gpu_wide *w, unsigned long long *d_load, uint32_t *d_greatest)
{
    w->d_load = d_load;
    w->walk.d_load = d_load;
    w->walk.d_greatest = d_greatest;
}

static bool must_stop(void *state)
{
    mco_run *run = state;
    return run != NULL && mco_run_must_stop(run, run->work);
}

// Walks of rows [begin, end), whose labels are on the device from `base` on; so many at a time, whole groups of lanes.
static mco_status walk_rows(traffic_gpu_wide *w, mco_run *run, int32_t base, int32_t end)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = w->problem;
    const paths_trees_plan *trees = paths_device_look(w->on_device).trees;
    const int32_t lanes = PATHS_LANES * trees->per_lane;
    w->walk.lanes = lanes;
    for (int32_t begin = base, next; begin < end; begin = next) {
        int64_t trips = 0;
        for (next = begin; next < end && (w->climbs || trips < TRIPS_AT_ONCE || (next - base) % lanes != 0); next++)
            trips += p->row_first[w->row[next] + 1] - p->row_first[w->row[next]];
        w->walk.rows = next - begin;
        w->walk.d_row = w->d_row + begin;
        w->walk.d_label = trees->d_label + (int64_t)((begin - base) / lanes) * w->walk.vertices * lanes;
        if (w->climbs)
            MCO_CUDA(w->ctx, traffic_gpu_launch_climb(&w->walk, w->device->stream));
        else
            MCO_CUDA(w->ctx, traffic_gpu_launch_walk(&w->walk, w->device->stream));
        MCO_CUDA(w->ctx, cudaEventRecord(w->device->end, w->device->stream));
        MCO_TRY(mco_device_wait(w->device, w->device->end, must_stop, run, NULL));
        if (must_stop(run))
            MCO_TRY(MCO_ERR_STOPPED);
    }
done:
    return st;
}

static mco_status load_class(traffic_gpu_wide *w, mco_run *run, int32_t k)
{
    mco_status st = MCO_OK;
    double seconds = 0;
    w->walk.d_arc = w->d_arc + (int64_t)k * w->walk.slots;
    w->walk.d_load = w->d_load + (int64_t)k * w->walk.slots;
    MCO_CUDA(w->ctx, traffic_gpu_launch_weigh(&w->walk, paths_device_look(w->on_device).d_weight, w->device->stream));
    MCO_CUDA(w->ctx, cudaStreamSynchronize(w->device->stream));
    MCO_TRY(paths_device_customise_here(w->ctx, w->on_device, &seconds));
    w->seconds[0] += seconds;
    for (int32_t begin = w->class_first[k], end; begin < w->class_first[k + 1]; begin = end) {
        end = w->class_first[k + 1] - begin < w->batch ? w->class_first[k + 1] : begin + w->batch;
        MCO_TRY(paths_device_trees(w->ctx, w->on_device, run, end - begin, w->source + begin, NULL, &seconds, NULL));
        w->seconds[1] += seconds;
        const double begin_s = mco_clock_s();
        MCO_TRY(walk_rows(w, run, begin, end));
        w->seconds[2] += mco_clock_s() - begin_s;
    }
done:
    return st;
}

// All kernels of a load, enqueued on the two streams.
static mco_status enqueue_load(traffic_gpu_wide *w)
{
    mco_status st = MCO_OK;
    const paths_device_parts parts = paths_device_look(w->on_device);
    MCO_CUDA(w->ctx, traffic_gpu_launch_weigh(&w->walk, parts.d_weight, w->device->stream));
    MCO_CUDA(w->ctx, cudaEventRecord(w->before, w->device->stream));
    MCO_CUDA(w->ctx, cudaStreamWaitEvent(parts.stream, w->before, 0));
    MCO_TRY(paths_device_enqueue(w->ctx, w->on_device));
    MCO_CUDA(w->ctx, cudaEventRecord(w->after, parts.stream));
    MCO_CUDA(w->ctx, cudaStreamWaitEvent(w->device->stream, w->after, 0));
    if (w->climbs)
        MCO_CUDA(w->ctx, traffic_gpu_launch_climb(&w->walk, w->device->stream));
    else
        MCO_CUDA(w->ctx, traffic_gpu_launch_walk(&w->walk, w->device->stream));
done:
    return st;
}

mco_status traffic_gpu_wide_load(traffic_gpu_wide *w, mco_run *run)
{
    mco_status st = MCO_OK;
    if (w->is_ready)
        return enqueue_load(w);
    for (int32_t k = 0; k < w->problem->classes; k++)
        if (w->class_first[k + 1] > w->class_first[k])
            MCO_TRY(load_class(w, run, k));
    // The walk of the last launch is that of all rows then.
    w->is_ready = w->problem->classes == 1 && w->walk.rows > 0 && w->walk.rows == w->problem->rows;
done:
    return st;
}

// ---- Labels

static mco_status customise_down(traffic_gpu_wide *w, int32_t k)
{
    mco_status st = MCO_OK;
    double seconds = 0;
    traffic_gpu_walk floors = w->walk;
    floors.d_arc = w->d_arc + (int64_t)k * floors.slots;
    floors.less = 1;
    MCO_CUDA(w->ctx, traffic_gpu_launch_weigh(&floors, paths_device_look(w->on_device).d_weight, w->device->stream));
    MCO_CUDA(w->ctx, cudaStreamSynchronize(w->device->stream));
    MCO_TRY(paths_device_customise_here(w->ctx, w->on_device, &seconds));
done:
    return st;
}

mco_status traffic_gpu_wide_labels(traffic_gpu_wide *w, mco_run *run, mco_status (*work)(void *state, mco_run *run, int32_t begin, int32_t end),
                                   void *state)
{
    mco_status st = MCO_OK;
    double seconds = 0;
    w->is_ready = false;
    for (int32_t k = 0; k < w->problem->classes; k++) {
        if (w->class_first[k + 1] > w->class_first[k])
            MCO_TRY(customise_down(w, k));
        for (int32_t begin = w->class_first[k], end; begin < w->class_first[k + 1]; begin = end) {
            end = w->class_first[k + 1] - begin < w->batch ? w->class_first[k + 1] : begin + w->batch;
            MCO_TRY(paths_device_trees(w->ctx, w->on_device, run, end - begin, w->source + begin, NULL, &seconds, NULL));
            MCO_TRY(work(state, run, begin, end));
        }
    }
done:
    return st;
}

static int32_t lanes_of(const traffic_gpu_wide *w)
{
    return PATHS_LANES * paths_device_look(w->on_device).trees->per_lane;
}

mco_status traffic_gpu_wide_spread(const traffic_gpu_wide *w, int32_t base, int32_t first, int32_t count, int32_t *d_label)
{
    mco_status st = MCO_OK;
    traffic_gpu_walk plan = w->walk;
    plan.lanes = lanes_of(w);
    plan.rows = count;
    plan.d_label = paths_device_look(w->on_device).trees->d_label + (int64_t)((first - base) / plan.lanes) * plan.vertices * plan.lanes;
    MCO_CUDA(w->ctx, traffic_gpu_launch_spread(&plan, w->d_vertex, d_label, w->device->stream));
done:
    return st;
}

int32_t traffic_gpu_wide_group(const traffic_gpu_wide *w, int64_t rows)
{
    const int64_t most = PATHS_LANES * 2;  // of a group
    (void)w;
    return (int32_t)(rows < most ? most : rows < 1 << 20 ? rows / most * most : 1 << 20);
}

int32_t traffic_gpu_wide_row(const traffic_gpu_wide *w, int32_t place)
{
    return w->row[place];
}

void traffic_gpu_wide_times(const traffic_gpu_wide *w, double seconds[3])
{
    for (int i = 0; i < 3; i++)
        seconds[i] = w->seconds[i];
}
