// SPDX-License-Identifier: MIT
// The host side of beams on a GPU: memory, the sequence of layers, the clock. The host looks at the layers every LOOK of them; between
// two looks the kernels of the layers follow one another on the device.
#include "flowshop/beam/gpu/engine.h"

#include <math.h>
#include <string.h>

#include "device/device_cuda.h"
#include "flowshop/beam/gpu/layer.h"

enum {
    LOOK = 16,                   // layers
    LEAST_ROOM = 8192,           // nodes: narrower beams share it
    SELECTORS = 4,               // blocks of a multiprocessor that select
    SPARE_BYTES = 512 << 20,     // of the device, for the system
    LARGEST_SUM = UINT16_MAX,
    KEYS_READ_BEHIND = 4         // 16 bytes at a time
};

struct flowshop_beam_gpu {
    mco_context *ctx;
    mco_device device;
    cudaEvent_t looked;
    const flowshop_beam_shape *instance;
    flowshop_beam_gpu_args args;
    flowshop_beam_gpu_shape shape;
    int64_t widest;
    uint32_t *d_table, *d_totals, *d_means;
    uint16_t *d_times, *d_heads;
    uint16_t *root;                      // pinned: a node, then its set
    flowshop_beam_gpu_control *control;  // pinned
};

mco_status flowshop_beam_gpu_refuse(mco_context *ctx, const flowshop_beam_shape *shape, int64_t upper)
{
    if (shape->jobs > FLOWSHOP_BEAM_GPU_JOBS || shape->machines > FLOWSHOP_BEAM_GPU_MACHINES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d jobs on %d machines, beams on a GPU take at most %d on %d", shape->jobs, shape->machines,
                        FLOWSHOP_BEAM_GPU_JOBS, FLOWSHOP_BEAM_GPU_MACHINES);
    if (upper + (int64_t)shape->largest * shape->machines > LARGEST_SUM)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "makespan %lld and %d machines with times up to %d: beams on a GPU take sums up to %d, 16 bits",
                        (long long)upper, shape->machines, shape->largest, LARGEST_SUM);
    return MCO_OK;
}

// ---- Memory

static int64_t bytes_of_node(const flowshop_beam_gpu *x)
{
    const flowshop_beam_gpu_args *a = &x->args;
    const int64_t node = 4 * a->stride * (int64_t)sizeof(uint16_t) + a->words * (int64_t)sizeof(uint32_t) + (int64_t)sizeof(flowshop_beam_gpu_head);
    const int64_t child = sizeof *a->d_keys + sizeof *a->d_parents + sizeof *a->d_moves;
    return 2 * node + a->jobs * child + (int64_t)(sizeof *a->d_sides + sizeof *a->d_chosen);
}

// Arrays that do not depend on the width: upload() and take_rest() take them.
static int64_t bytes_of_rest(const flowshop_beam_gpu *x)
{
    const flowshop_beam_gpu_args *a = &x->args;
    const int64_t job = a->job_words * (int64_t)sizeof *x->d_table + a->stride * (int64_t)(sizeof *x->d_times + sizeof *x->d_heads);
    const int64_t machine = sizeof *x->d_totals + sizeof *x->d_means, block = sizeof *a->d_below + sizeof *a->d_tied;
    const int64_t others = FLOWSHOP_BEAM_GPU_DIGIT * (int64_t)sizeof *a->d_counts + (int64_t)(sizeof *a->d_control + sizeof *a->d_stop);
    return a->jobs * job + a->machines * machine + a->select_blocks * block + others + KEYS_READ_BEHIND * (int64_t)sizeof *a->d_keys;
}

double flowshop_beam_gpu_bytes(const flowshop_beam_gpu *x, int64_t width)
{
    return (double)width * (double)bytes_of_node(x) + (double)bytes_of_rest(x);
}

int64_t flowshop_beam_gpu_widest(const flowshop_beam_gpu *x)
{
    return x->widest;
}

static void give_room(flowshop_beam_gpu *x)
{
    flowshop_beam_gpu_args *a = &x->args;
    for (int h = 0; h < 2; h++) {
        mco_device_give(&x->device, &a->d_nodes[h]);
        mco_device_give(&x->device, &a->d_sets[h]);
        mco_device_give(&x->device, &a->d_node_heads[h]);
    }
    mco_device_give(&x->device, &a->d_sides);
    mco_device_give(&x->device, &a->d_keys);
    mco_device_give(&x->device, &a->d_chosen);
    mco_device_give(&x->device, &a->d_parents);
    mco_device_give(&x->device, &a->d_moves);
    a->room = 0;
}

static mco_status take_room(flowshop_beam_gpu *x, int64_t width)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu_args *a = &x->args;
    mco_device *d = &x->device;
    if (width <= a->room)
        return MCO_OK;
    if (width > x->widest)
        return mco_fail(x->ctx, MCO_ERR_MEMORY, "a beam of width %lld takes %.1f GB, GPU %d has room for width %lld, %.1f GB",
                        (long long)width, 1e-9 * flowshop_beam_gpu_bytes(x, width), d->info.index, (long long)x->widest,
                        1e-9 * flowshop_beam_gpu_bytes(x, x->widest));
    give_room(x);
    width = width > LEAST_ROOM ? width : LEAST_ROOM < x->widest ? LEAST_ROOM : x->widest;
    for (int h = 0; h < 2; h++) {
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_nodes[h], width * 4 * a->stride));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_sets[h], width * a->words));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_node_heads[h], width));
    }
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_sides, width));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_keys, width * a->jobs + KEYS_READ_BEHIND));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_chosen, width));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_parents, width * a->jobs));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_moves, width * a->jobs));
    a->room = width;
done:
    if (st != MCO_OK)
        give_room(x);
    return st;
}

// ---- Open and close

static mco_status copy_up(flowshop_beam_gpu *x, void *device, const void *host, size_t bytes)
{
    mco_status st = MCO_OK;
    MCO_CUDA(x->ctx, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, x->device.stream));
    MCO_CUDA(x->ctx, cudaStreamSynchronize(x->device.stream));  // ends: one copy
done:
    return st;
}

typedef struct host_tables {
    uint32_t *table;
    uint16_t *times, *heads;
} host_tables;

// Fills the tables of layer.h; they are cleared.
static void fill_tables(const flowshop_beam_gpu *x, host_tables *h)
{
    const flowshop_beam_gpu_args *a = &x->args;
    for (int32_t j = 0; j < a->jobs; j++) {
        uint32_t before = 0;
        for (int32_t k = 0; k < a->machines; k++) {
            const uint32_t time = (uint32_t)x->instance->times[(int64_t)j * a->machines + k];
            const int32_t byte = k % 4 * a->time_bytes, word = k / 4 * a->time_bytes + byte / 4;
            h->table[(int64_t)j * a->job_words + word] |= time << 8 * (byte % 4);
            h->times[(int64_t)j * a->stride + k] = (uint16_t)time;
            h->heads[(int64_t)j * a->stride + k] = (uint16_t)before;
            before += time;
        }
    }
}

static mco_status upload(flowshop_beam_gpu *x)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu_args *a = &x->args;
    mco_device *d = &x->device;
    host_tables h = {0};
    const int64_t words = (int64_t)a->jobs * a->job_words, cells = (int64_t)a->jobs * a->stride;
    const size_t row = (size_t)a->machines * sizeof(uint32_t);
    MCO_TRY(mco_alloc(x->ctx, &h.table, words));
    MCO_TRY(mco_alloc(x->ctx, &h.times, cells));
    MCO_TRY(mco_alloc(x->ctx, &h.heads, cells));
    fill_tables(x, &h);
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_table, words));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_times, cells));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_heads, cells));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_totals, a->machines));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_means, a->machines));
    MCO_TRY(copy_up(x, x->d_table, h.table, (size_t)words * sizeof *h.table));
    MCO_TRY(copy_up(x, x->d_times, h.times, (size_t)cells * sizeof *h.times));
    MCO_TRY(copy_up(x, x->d_heads, h.heads, (size_t)cells * sizeof *h.heads));
    MCO_TRY(copy_up(x, x->d_totals, x->instance->totals, row));
    MCO_TRY(copy_up(x, x->d_means, x->instance->means, row));
    a->d_table = x->d_table;
    a->d_times = x->d_times;
    a->d_heads = x->d_heads;
    a->d_totals = x->d_totals;
    a->d_means = x->d_means;
done:
    mco_free(x->ctx, &h.heads);
    mco_free(x->ctx, &h.times);
    mco_free(x->ctx, &h.table);
    return st;
}

// Memory that does not depend on the width.
static mco_status take_rest(flowshop_beam_gpu *x)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu_args *a = &x->args;
    mco_device *d = &x->device;
    const int64_t root = 4 * a->stride + 2 * a->words;
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_counts, FLOWSHOP_BEAM_GPU_DIGIT));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_below, a->select_blocks));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_tied, a->select_blocks));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_control, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_stop, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &x->control, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &x->root, root));
    memset(x->root, 0, (size_t)root * sizeof *x->root);
    for (int32_t k = 0; k < a->machines; k++)
        x->root[3 * a->stride + k] = (uint16_t)x->instance->totals[k];
    for (int32_t j = 0; j < a->jobs; j++)
        x->root[4 * a->stride + j / 16] |= (uint16_t)(1u << j % 16);
done:
    return st;
}

static mco_status settle(flowshop_beam_gpu *x, double memory)
{
    mco_status st = MCO_OK;
    int shared = 0;
    x->args.select_blocks = SELECTORS * x->device.info.multiprocessors;
    const double bytes = fmin(memory, (double)x->device.info.free_bytes - SPARE_BYTES) - (double)bytes_of_rest(x);
    MCO_CUDA(x->ctx, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, x->device.info.index));
    MCO_CUDA(x->ctx, flowshop_beam_gpu_settle(&x->args, x->device.info.multiprocessors, shared, &x->shape));
    if (x->shape.blocks == 0)
        MCO_TRY(mco_fail(x->ctx, MCO_ERR_LIMIT, "%d jobs on %d machines do not fit the shared memory of GPU %d, %d bytes", x->args.jobs,
                         x->args.machines, x->device.info.index, shared));
    x->widest = bytes > 0 ? (int64_t)(bytes / (double)bytes_of_node(x)) : 0;
    const int64_t children = (int64_t)UINT32_MAX / x->args.jobs;  // they are numbered by 32 bits
    x->widest = x->widest < children ? x->widest : children;
done:
    return st;
}

mco_status flowshop_beam_gpu_open(mco_context *ctx, const mco_gpu *gpu, const flowshop_beam_shape *shape, int64_t upper, double memory,
                                  flowshop_beam_gpu **out)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu *x = NULL;
    MCO_TRY(flowshop_beam_gpu_refuse(ctx, shape, upper));
    MCO_TRY(mco_alloc(ctx, &x, 1));
    x->ctx = ctx;
    x->instance = shape;
    x->args = (flowshop_beam_gpu_args){.jobs = shape->jobs, .machines = shape->machines, .quads = (shape->machines + 3) / 4,
                                       .stride = (shape->machines + 7) / 8 * 8, .words = (shape->jobs + 31) / 32,
                                       .time_bytes = shape->largest <= FLOWSHOP_BEAM_GPU_BYTE_TIME ? 1 : 2,
                                       .shift = shape->shift, .largest = shape->largest};
    x->args.job_words = (x->args.quads * x->args.time_bytes) | 1;  // odd: the banks of shared memory differ from job to job
    MCO_TRY(mco_device_open(ctx, gpu, &x->device));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&x->looked, cudaEventDisableTiming));
    MCO_TRY(settle(x, memory));
    MCO_TRY(upload(x));
    MCO_TRY(take_rest(x));
    *out = x;
    return MCO_OK;
done:
    flowshop_beam_gpu_close(ctx, &x);
    return st;
}

void flowshop_beam_gpu_close(mco_context *ctx, flowshop_beam_gpu **beams)
{
    flowshop_beam_gpu *x = *beams;
    if (x == NULL)
        return;
    if (x->looked != NULL)
        (void)cudaEventDestroy(x->looked);
    mco_device_close(&x->device);
    mco_free(ctx, beams);
}

// ---- One beam

// The root as the only node of the first layer, and all counters.
static mco_status begin(flowshop_beam_gpu *x)
{
    mco_status st = MCO_OK;
    const flowshop_beam_gpu_args *a = &x->args;
    cudaStream_t stream = x->device.stream;
    const size_t node = 4 * (size_t)a->stride * sizeof *x->root, set = (size_t)a->words * sizeof(uint32_t);
    memset(x->control, 0, sizeof *x->control);
    x->control->nodes[0] = 1;
    x->control->makespan = UINT32_MAX;
    MCO_CUDA(x->ctx, cudaStreamSynchronize(x->device.side));  // ends: at most the wish to stop of the beam before
    MCO_CUDA(x->ctx, cudaMemsetAsync(a->d_stop, 0, sizeof *a->d_stop, stream));
    MCO_CUDA(x->ctx, cudaMemsetAsync(a->d_counts, 0, FLOWSHOP_BEAM_GPU_DIGIT * sizeof *a->d_counts, stream));
    MCO_CUDA(x->ctx, cudaMemsetAsync(a->d_node_heads[0], 0, sizeof **a->d_node_heads, stream));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(a->d_nodes[0], x->root, node, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(a->d_sets[0], x->root + 4 * a->stride, set, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(a->d_control, x->control, sizeof *x->control, cudaMemcpyHostToDevice, stream));
done:
    return st;
}

typedef struct watch {
    const flowshop_beam_gpu_task *task;
    bool is_over;
} watch;

static bool must_stop(void *state)
{
    watch *w = state;
    w->is_over = w->is_over || w->task->must_stop(w->task->state);
    return w->is_over;
}

// Runs the layers from *depth on, LOOK at most.
static mco_status run_layers(flowshop_beam_gpu *x, watch *w, int32_t *depth)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu_args *a = &x->args;
    cudaStream_t stream = x->device.stream;
    const int32_t end = *depth + LOOK < a->jobs ? *depth + LOOK : a->jobs;
    for (; *depth < end; ++*depth) {
        a->depth = *depth;
        a->share = (float)(a->depth + 1) / (float)a->jobs;
        a->idle_factor = w->task->idle_share * (1.0f - a->share);
        MCO_CUDA(x->ctx, flowshop_beam_gpu_launch(a, &x->shape, stream));
    }
    MCO_CUDA(x->ctx, cudaMemcpyAsync(x->control, a->d_control, sizeof *x->control, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(x->ctx, cudaEventRecord(x->looked, stream));
    // Ends: a layer is finite, and no kernel goes on for long once the wish to stop is on the device.
    MCO_TRY(mco_device_wait(&x->device, x->looked, must_stop, w, a->d_stop));
done:
    return st;
}

// From the newest job to the oldest, places go from the middle to both ends.
static void read_order(const flowshop_beam_gpu *x, int32_t *order)
{
    int32_t in_front = 0;
    for (int32_t d = 0; d < x->args.jobs; d++)
        in_front += (x->control->moves[d] & 1) == 0;
    int32_t front = in_front - 1, back = in_front;
    for (int32_t d = x->args.jobs - 1; d >= 0; d--)
        order[(x->control->moves[d] & 1) == 0 ? front-- : back++] = (int32_t)(x->control->moves[d] >> 1);
}

mco_status flowshop_beam_gpu_run(flowshop_beam_gpu *x, const flowshop_beam_gpu_task *task, flowshop_beam_gpu_answer *out, int32_t *order)
{
    mco_status st = MCO_OK;
    const int32_t n = x->args.jobs;
    watch w = {.task = task};
    *out = (flowshop_beam_gpu_answer){.makespan = INT64_MAX};
    MCO_TRY(mco_device_use(&x->device));
    MCO_TRY(take_room(x, task->width));
    MCO_TRY(begin(x));
    x->args.width = (uint32_t)task->width;
    x->args.upper = (int32_t)task->upper;
    *task->depth = 0;
    do
        MCO_TRY(run_layers(x, &w, task->depth));
    while (!w.is_over && *task->depth < n && x->control->nodes[*task->depth] > 0);
    for (int32_t d = 0; d < *task->depth; d++)
        out->bounded += 2 * (int64_t)x->control->nodes[d] * (n - d);
    out->is_complete = !w.is_over;
    out->has_discarded = x->control->has_discarded != 0;
    if (w.is_over || x->control->makespan == UINT32_MAX)
        return MCO_OK;
    out->makespan = x->control->makespan;
    read_order(x, order);
done:
    return st;
}
