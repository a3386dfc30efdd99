// SPDX-License-Identifier: MIT
// A problem on one GPU, host side: slots, rows, memory.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "traffic/gpu/fleet.h"
#include "traffic/gpu/inner.h"

enum { SMALL_NODES = 4096, THREADS_LARGE = 512, BLOCKS_WANTED = 3, HISTORY_ROOM = 4096, ROUND = 128, PULLS = 4 };
static const uint32_t LONGEST = 1u << 30, LONGEST_WIDE = 1u << 28;
static const double FLOW_UNITS = 4294967295.0;  // of a row, at most

// ---- Uploads

static mco_status upload(traffic_gpu_city *c, void **out, const void *from, int64_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_take_bytes(&c->device, MCO_MEMORY_DEVICE, out, (size_t)(count > 0 ? count : 1), item_bytes));
    if (count > 0)
        MCO_CUDA(c->device.ctx, cudaMemcpyAsync(*out, from, (size_t)count * item_bytes, cudaMemcpyHostToDevice, c->device.stream));
    MCO_CUDA(c->device.ctx, cudaStreamSynchronize(c->device.stream));
    c->bytes += count * (int64_t)item_bytes;
done:
    return st;
}
#define UPLOAD(c, out, from, count) upload(c, (void **)(out), from, count, sizeof *(from))

static mco_status take_zeros(traffic_gpu_city *c, void **out, int64_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_take_bytes(&c->device, MCO_MEMORY_DEVICE, out, (size_t)(count > 0 ? count : 1), item_bytes));
    MCO_CUDA(c->device.ctx, cudaMemsetAsync(*out, 0, (size_t)(count > 0 ? count : 1) * item_bytes, c->device.stream));
    c->bytes += count * (int64_t)item_bytes;
done:
    return st;
}
#define ZEROS(c, out, count) take_zeros(c, (void **)(out), count, sizeof **(out))

// Values of links by slots. `from` NULL: the device has none either.
static mco_status upload_by_slot(traffic_gpu_city *c, const double **out, const double *from, int32_t sets)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    double *by_slot = NULL;
    if (from == NULL)
        return MCO_OK;
    MCO_TRY(mco_alloc(c->device.ctx, &by_slot, (int64_t)sets * p->links));
    for (int64_t k = 0; k < sets; k++)
        for (int64_t s = 0; s < p->links; s++)
            by_slot[k * p->links + s] = from[k * p->links + p->into[s]];
    MCO_TRY(UPLOAD(c, out, by_slot, (int64_t)sets * p->links));
done:
    mco_free(c->device.ctx, &by_slot);
    return st;
}

static mco_status upload_links(traffic_gpu_city *c)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    traffic_gpu_steps *s = &c->steps;
    traffic_gpu_arc *arc = NULL;
    MCO_TRY(mco_alloc(c->device.ctx, &arc, (int64_t)p->classes * p->links));
    if (c->wide != NULL)
        MCO_TRY(traffic_gpu_wide_arcs(c->wide, p, arc));
    for (int64_t k = 0; c->wide == NULL && k < p->classes; k++)
        for (int64_t i = 0; i < p->links; i++)
            arc[k * p->links + i] = (traffic_gpu_arc){1, p->tail[p->into[i]]};
    MCO_TRY(UPLOAD(c, &s->d_arc, arc, (int64_t)p->classes * p->links));
    s->costs = p->costs;
    MCO_TRY(upload_by_slot(c, &s->costs.base, p->costs.base, 1));
    MCO_TRY(upload_by_slot(c, &s->costs.k, p->costs.k, 1));
    MCO_TRY(upload_by_slot(c, &s->costs.p, p->costs.p, 1));
    MCO_TRY(upload_by_slot(c, &s->costs.capacity, p->costs.capacity, 1));
    MCO_TRY(upload_by_slot(c, &s->d_extra, p->extra, p->classes));
    MCO_TRY(UPLOAD(c, &c->trees.d_first, p->into_first, (int64_t)p->nodes + 1));
    if (c->wide == NULL && c->trees.inner.count == 0) {
        MCO_TRY(UPLOAD(c, &c->trees.d_out_first, p->first, (int64_t)p->nodes + 1));
        MCO_TRY(UPLOAD(c, &c->trees.d_out_head, p->head, p->links));
    }
done:
    mco_free(c->device.ctx, &arc);
    return st;
}

// Flows are integers: a unit is a power of two, so that no row has more than 2^32 - 1 of them.
double traffic_gpu_flow_unit(const traffic_problem *p)
{
    double most = 0;
    int64_t most_trips = 0;
    for (int32_t r = 0; r < p->rows; r++) {
        double sum = 0;
        for (int64_t i = p->row_first[r]; i < p->row_first[r + 1]; i++)
            sum += p->amount[i];
        most = most > sum ? most : sum;
        most_trips = most_trips > p->row_first[r + 1] - p->row_first[r] ? most_trips : p->row_first[r + 1] - p->row_first[r];
    }
    return most > 0 ? exp2(ceil(log2(most / (FLOW_UNITS - 1 - (double)most_trips)))) : 1;
}

static mco_status upload_rows(traffic_gpu_city *c)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    const int64_t trips = p->rows > 0 ? p->row_first[p->rows] : 0;
    uint32_t *amount = NULL;
    c->steps.flow_unit = c->tuning.flow_unit > 0 ? c->tuning.flow_unit : traffic_gpu_flow_unit(p);
    MCO_TRY(mco_alloc(c->device.ctx, &amount, trips));
    for (int64_t i = 0; i < trips; i++)
        amount[i] = (uint32_t)(p->amount[i] / c->steps.flow_unit + 0.5);
    MCO_TRY(UPLOAD(c, &c->trees.d_trip_amount, amount, trips));
    MCO_TRY(UPLOAD(c, &c->trees.d_trip_to, p->to, trips));
    MCO_TRY(UPLOAD(c, &c->trees.d_trip_first, p->row_first, (int64_t)p->rows + 1));
    MCO_TRY(UPLOAD(c, &c->trees.d_row_class, p->row_class, p->rows));
    MCO_TRY(UPLOAD(c, &c->trees.d_row_origin, p->row_origin, p->rows));
done:
    mco_free(c->device.ctx, &amount);
    return st;
}

// What iterations write, all zero.
static mco_status take_memory(traffic_gpu_city *c)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    traffic_gpu_steps *s = &c->steps;
    const int64_t all = (int64_t)p->classes * p->links;
    if (c->wide == NULL && c->trees.inner.count == 0)
        MCO_TRY(ZEROS(c, &c->trees.d_parent, (int64_t)p->rows * p->nodes));
    MCO_TRY(ZEROS(c, &s->d_load, all));
    MCO_TRY(ZEROS(c, &s->d_flow, p->links));
    MCO_TRY(ZEROS(c, &s->d_before, p->links));
    MCO_TRY(ZEROS(c, &s->d_before_last, p->links));
    if (p->classes > 1) {
        MCO_TRY(ZEROS(c, &s->d_class_flow, all));
        MCO_TRY(ZEROS(c, &s->d_class_before, all));
        MCO_TRY(ZEROS(c, &s->d_class_before_last, all));
    }
    MCO_TRY(ZEROS(c, &s->d_partial, 2 * (int64_t)s->blocks * TRAFFIC_GPU_SUMS));
    MCO_TRY(ZEROS(c, &s->d_barrier, 2));
    MCO_TRY(ZEROS(c, &s->d_state, 1));
    MCO_TRY(ZEROS(c, &s->d_history, 2 * HISTORY_ROOM));
    s->history_room = HISTORY_ROOM;
done:
    return st;
}

// ---- Shapes

static traffic_gpu_trees shape_of(const traffic_problem *p, const traffic_gpu_tuning *tuning)
{
    traffic_gpu_trees t = {.nodes = p->nodes, .slots = p->links, .rows = p->rows, .first_through = p->first_through};
    const int32_t needed = (p->nodes + ROUND - 1) / ROUND * ROUND;
    t.threads = tuning->threads > 0 ? tuning->threads : needed < THREADS_LARGE ? needed : THREADS_LARGE;
    t.threads = t.threads < ROUND ? ROUND : t.threads > TRAFFIC_GPU_MOST_THREADS ? TRAFFIC_GPU_MOST_THREADS : t.threads / ROUND * ROUND;
    t.pulls = tuning->pulls > 0 ? tuning->pulls : PULLS;
    return t;
}

bool traffic_gpu_city_fits(const traffic_problem *p, size_t shared_bytes)
{
    const traffic_gpu_tuning none = {0};
    const traffic_gpu_trees t = shape_of(p, &none);
    return p->nodes <= TRAFFIC_GPU_MOST_NODES && p->links <= TRAFFIC_GPU_MOST_SLOTS && traffic_gpu_trees_bytes(&t) <= shared_bytes;
}

// Places of origins and destinations.
static mco_status upload_places(traffic_gpu_city *c, const int32_t *place, traffic_gpu_inner *to)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    const int64_t trips = p->rows > 0 ? p->row_first[p->rows] : 0;
    int32_t *of = NULL;
    MCO_TRY(mco_alloc(c->device.ctx, &of, trips > p->rows ? trips : p->rows));
    for (int32_t r = 0; r < p->rows; r++)
        of[r] = place[p->row_origin[r]];
    MCO_TRY(UPLOAD(c, &to->d_row_place, of, p->rows));
    for (int64_t i = 0; i < trips; i++)
        of[i] = place[p->to[i]];
    MCO_TRY(UPLOAD(c, &to->d_trip_place, of, trips));
done:
    mco_free(c->device.ctx, &of);
    return st;
}

// Inner nodes in registers, if there are not too many of them.
static mco_status choose_inner(traffic_gpu_city *c)
{
    mco_status st = MCO_OK;
    traffic_inner inner = {0};
    traffic_gpu_trees with_inner = c->trees;
    traffic_gpu_inner *const to = &with_inner.inner;
    const int64_t nodes = c->problem->nodes;
    MCO_TRY(traffic_inner_make(c->device.ctx, c->problem, &inner));
    to->count = inner.count;
    to->nodes = c->problem->nodes;
    if (inner.count == 0 || !traffic_gpu_relax_divide(&with_inner))
        goto done;
    MCO_TRY(upload_places(c, inner.place, to));
    MCO_TRY(UPLOAD(c, &to->d_kept, inner.kept, TRAFFIC_GPU_KEPT * nodes));
    MCO_TRY(UPLOAD(c, &to->d_rest_first, inner.rest_first, 2 * nodes + 1));
    MCO_TRY(UPLOAD(c, &to->d_rest, inner.rest, inner.rest_first[2 * nodes]));
    MCO_TRY(ZEROS(c, &to->d_way, (int64_t)c->problem->rows * inner.count));
    c->trees = with_inner;
done:
    traffic_inner_clear(c->device.ctx, &inner);
    return st;
}

// Blocks and threads of trees in shared memory.
static mco_status choose_trees(traffic_gpu_city *c, size_t shared_bytes)
{
    mco_status st = MCO_OK;
    int blocks = 0;
    traffic_gpu_trees with_arcs = c->trees;
    with_arcs.arcs_in_shared = true;
    if (c->trees.inner.count == 0 && c->tuning.arcs_in_shared != 2 && traffic_gpu_trees_bytes(&with_arcs) <= shared_bytes) {
        MCO_CUDA(c->device.ctx, traffic_gpu_trees_shape(&with_arcs, &blocks));
        if (blocks >= BLOCKS_WANTED || (blocks > 0 && c->tuning.arcs_in_shared == 1))
            c->trees = with_arcs;
    }
    MCO_CUDA(c->device.ctx, traffic_gpu_trees_shape(&c->trees, &blocks));
    c->per_multiprocessor = blocks;
done:
    return st;
}

static mco_status choose_shapes(traffic_gpu_city *c, const traffic_call *call)
{
    mco_status st = MCO_OK;
    mco_context *ctx = c->device.ctx;
    const traffic_problem *p = c->problem;
    int most = 0;
    MCO_CUDA(ctx, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, c->device.info.index));
    c->trees = shape_of(p, &c->tuning);
    c->trees.overlaps = !c->tuning.keeps_apart && mco_device_overlaps(&c->device);
    const int32_t way = c->tuning.way;
    const bool is_small = p->nodes <= SMALL_NODES || way == 1 || way == 4;
    if (is_small && (way == 0 || way == 4))
        MCO_TRY(choose_inner(c));
    if (c->trees.inner.count == 0 && (way == 2 || way == 3 || !is_small || !traffic_gpu_city_fits(p, (size_t)most)))
        MCO_TRY(traffic_gpu_wide_open(ctx, call, &c->device, way == 3, c->tuning.like, &c->wide));
    else
        MCO_TRY(choose_trees(c, (size_t)most));
    c->steps.slots = p->links;
    c->steps.classes = p->classes;
    c->steps.longest = c->wide != NULL ? LONGEST_WIDE : LONGEST;
    MCO_CUDA(ctx, traffic_gpu_steps_shape(&c->steps, c->device.info.multiprocessors));
done:
    return st;
}

// A first unit of labels: no path without a repeated node is longer than 2^29 at empty links. Later units follow the labels found.
static double first_scale(const traffic_problem *p)
{
    double most = 0;
    for (int64_t k = 0; k < p->classes; k++)
        for (int32_t a = 0; a < p->links; a++) {
            const double cost = traffic_cost(&p->costs, a, 0) + (p->extra != NULL ? p->extra[k * p->links + a] : 0);
            most = most > cost ? most : cost;
        }
    const double all = most * (double)p->nodes;
    return all > 0 ? exp2(floor(log2(0x1p29 / all))) : 1;
}

static mco_status put_state(traffic_gpu_city *c, const traffic_gpu_state *state)
{
    mco_status st = MCO_OK;
    MCO_CUDA(c->device.ctx, cudaMemcpyAsync(c->steps.d_state, state, sizeof *state, cudaMemcpyHostToDevice, c->device.stream));
    MCO_CUDA(c->device.ctx, traffic_gpu_launch_costs(&c->steps, c->device.stream));
    MCO_CUDA(c->device.ctx, cudaStreamSynchronize(c->device.stream));
done:
    return st;
}

// The one GPU of the set, or the first one if the set is empty.
static mco_status open_gpu(mco_context *ctx, uint64_t gpus, mco_device *out)
{
    char name[16];
    if (gpus == 0)
        return mco_device_open_named(ctx, NULL, out);
    snprintf(name, sizeof name, "%d", __builtin_ctzll(gpus));
    return mco_device_open_named(ctx, name, out);
}

mco_status traffic_gpu_city_restart(traffic_gpu_city *c)
{
    mco_status st = MCO_OK;
    const traffic_gpu_state state = {.scale = first_scale(c->problem), .step = 1};
    MCO_TRY(mco_device_use(&c->device));
    MCO_CUDA(c->device.ctx, cudaMemsetAsync(c->steps.d_flow, 0, (size_t)c->problem->links * sizeof *c->steps.d_flow, c->device.stream));
    c->trees.is_cold = true;
    MCO_TRY(put_state(c, &state));
    for (int g = 1; c->fleet != NULL && g < c->fleet->count; g++)
        MCO_TRY(traffic_gpu_city_restart(c->fleet->member[g].city));
    if (c->fleet != NULL)
        MCO_TRY(mco_device_use(&c->device));
done:
    return st;
}

mco_status traffic_gpu_city_open(mco_context *ctx, const traffic_call *call, const traffic_gpu_tuning *tuning, traffic_gpu_city *out)
{
    mco_status st = MCO_OK;
    const traffic_gpu_tuning none = {0};
    if ((call->gpus & (call->gpus - 1)) != 0)
        return traffic_gpu_fleet_open(ctx, call, tuning != NULL ? tuning : &none, out);
    *out = (traffic_gpu_city){.problem = call->problem, .tuning = tuning != NULL ? *tuning : none};
    MCO_TRY(open_gpu(ctx, call->gpus, &out->device));
    MCO_TRY(choose_shapes(out, call));
    MCO_TRY(upload_links(out));
    MCO_TRY(upload_rows(out));
    MCO_TRY(take_memory(out));
    out->trees.d_arc = out->steps.d_arc;
    out->trees.d_load = out->steps.d_load;
    out->trees.d_state = out->steps.d_state;
    out->trees.d_greatest = &out->steps.d_state->greatest;
    if (out->wide != NULL)
        MCO_TRY(traffic_gpu_wide_bind(out->wide, out->steps.d_arc, out->steps.d_load, out->steps.d_state, out->trees.d_trip_amount, out->trees.d_trip_first));
    MCO_TRY(traffic_gpu_city_restart(out));
done:
    if (st != MCO_OK)
        traffic_gpu_city_close(out);
    return st;
}

void traffic_gpu_city_close(traffic_gpu_city *c)
{
    if (c->device.ctx != NULL)
        traffic_gpu_fleet_close(c->device.ctx, &c->fleet);  // before the hierarchy that it shares
    traffic_gpu_wide_close(c->device.ctx, &c->wide);
    mco_device_close(&c->device);
    *c = (traffic_gpu_city){0};
}

// ---- Flows

mco_status traffic_gpu_city_put(traffic_gpu_city *c, const double *flow)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    double *by_slot = NULL;
    traffic_gpu_state state = {.iteration = 1, .scale = first_scale(p), .step = 1};
    MCO_TRY(mco_device_use(&c->device));
    MCO_TRY(mco_alloc(c->device.ctx, &by_slot, p->links));
    for (int32_t s = 0; s < p->links; s++)
        by_slot[s] = flow[p->into[s]];
    double *const to[3] = {c->steps.d_flow, c->steps.d_before, c->steps.d_before_last};
    for (int k = 0; k < 3; k++)
        MCO_CUDA(c->device.ctx, cudaMemcpyAsync(to[k], by_slot, (size_t)p->links * sizeof *by_slot, cudaMemcpyHostToDevice, c->device.stream));
    MCO_TRY(put_state(c, &state));
    for (int g = 1; c->fleet != NULL && g < c->fleet->count; g++)
        MCO_TRY(traffic_gpu_city_put(c->fleet->member[g].city, flow));
    if (c->fleet != NULL)
        MCO_TRY(mco_device_use(&c->device));
done:
    mco_free(c->device.ctx, &by_slot);
    return st;
}

// Rows [sets][slots] of the device as [sets][links].
static mco_status download(traffic_gpu_city *c, const double *from, int32_t sets, double *out)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    const int64_t all = (int64_t)sets * p->links;
    double *by_slot = NULL;
    MCO_TRY(mco_alloc(c->device.ctx, &by_slot, all));
    if (all > 0)
        MCO_CUDA(c->device.ctx, cudaMemcpyAsync(by_slot, from, (size_t)all * sizeof *by_slot, cudaMemcpyDeviceToHost, c->device.stream));
    MCO_CUDA(c->device.ctx, cudaStreamSynchronize(c->device.stream));
    for (int64_t k = 0; k < sets; k++)
        for (int64_t s = 0; s < p->links; s++)
            out[k * p->links + p->into[s]] = by_slot[k * p->links + s];
done:
    mco_free(c->device.ctx, &by_slot);
    return st;
}

mco_status traffic_gpu_city_get(traffic_gpu_city *c, double *flow, double *class_flow)
{
    mco_status st = MCO_OK;
    MCO_TRY(download(c, c->steps.d_flow, 1, flow));
    if (class_flow != NULL)
        MCO_TRY(download(c, c->steps.d_class_flow, c->problem->classes, class_flow));
done:
    return st;
}

mco_status traffic_gpu_city_loads(traffic_gpu_city *c, double *load)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    const int64_t all = (int64_t)p->classes * p->links;
    unsigned long long *by_slot = NULL;
    MCO_TRY(mco_alloc(c->device.ctx, &by_slot, all));
    if (all > 0)
        MCO_CUDA(c->device.ctx, cudaMemcpyAsync(by_slot, c->steps.d_load, (size_t)all * sizeof *by_slot, cudaMemcpyDeviceToHost, c->device.stream));
    MCO_CUDA(c->device.ctx, cudaStreamSynchronize(c->device.stream));
    for (int64_t k = 0; k < p->classes; k++)
        for (int64_t s = 0; s < p->links; s++)
            load[k * p->links + p->into[s]] = (double)by_slot[k * p->links + s] * c->steps.flow_unit;
done:
    mco_free(c->device.ctx, &by_slot);
    return st;
}
