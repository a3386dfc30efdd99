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

// One GPU.
typedef struct beam_part {
    mco_device device;
    cudaEvent_t looked, stepped;
    flowshop_beam_gpu_args args;
    flowshop_beam_gpu_shape shape;
    int64_t room, keys;                  // nodes and keys that the arrays hold
    double limit;                        // bytes of all arrays
    uint32_t *d_table, *d_totals, *d_means;
    uint16_t *d_times, *d_heads;
    uint16_t *root;                      // pinned: a node, then its set
    flowshop_beam_gpu_control *control;  // pinned
} beam_part;

struct flowshop_beam_gpu {
    mco_context *ctx;
    const flowshop_beam_shape *instance;
    int32_t count, used;                 // parts, and those of this beam
    beam_part parts[FLOWSHOP_BEAM_GPU_PARTS];
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

// Of the arrays that grow with the width: for a node, and for a key of this part.
static int64_t bytes_of_node(const beam_part *x)
{
    const flowshop_beam_gpu_args *a = &x->args;
    const int64_t node = 4 * a->stride * (int64_t)sizeof(uint16_t) + a->words * (int64_t)sizeof(uint32_t) + (int64_t)sizeof(flowshop_beam_gpu_head);
    const int64_t path = sizeof *a->d_parents + sizeof *a->d_moves, side = sizeof *a->own.d_sides[0], chosen = sizeof *a->own.d_chosen;
    const int64_t candidate = sizeof *a->own.d_candidates + sizeof *a->own.d_candidate_keys;
    return 2 * (node + side) + a->jobs * path + chosen + FLOWSHOP_BEAM_GPU_CANDIDATES * candidate;
}

// Children of one part of `parts`.
static int64_t keys_of_part(const beam_part *x, int64_t width, int32_t parts)
{
    return (width / parts + 1) * x->args.jobs;
}

// Arrays that do not depend on the width: upload() and take_rest() take them.
static int64_t bytes_of_rest(const beam_part *x)
{
    const flowshop_beam_gpu_args *a = &x->args;
    const int64_t job = a->job_words * (int64_t)sizeof *x->d_table + a->stride * (int64_t)(sizeof *x->d_times + sizeof *x->d_heads);
    const int64_t machine = sizeof *x->d_totals + sizeof *x->d_means;
    const int64_t block = FLOWSHOP_BEAM_GPU_DIGIT * (int64_t)sizeof *a->d_block_counts + (int64_t)(sizeof *a->d_block_before + sizeof *a->d_below + sizeof *a->d_tied);
    const int64_t others = FLOWSHOP_BEAM_GPU_DIGIT * (int64_t)sizeof *a->d_counts + (int64_t)(sizeof *a->d_control + sizeof *a->own.d_stop);
    const int64_t behind = KEYS_READ_BEHIND * (int64_t)(sizeof *a->d_keys + FLOWSHOP_BEAM_GPU_CANDIDATES * sizeof *a->own.d_candidate_keys);
    return a->jobs * job + a->machines * machine + a->select_blocks * block + FLOWSHOP_BEAM_GPU_PARTS * (int64_t)sizeof *a->own.d_reports + others + behind;
}

static double bytes_of_part(const beam_part *x, int64_t width, int32_t parts)
{
    return (double)width * (double)bytes_of_node(x) + (double)keys_of_part(x, width, parts) * sizeof *x->args.d_keys + (double)bytes_of_rest(x);
}

double flowshop_beam_gpu_bytes(const flowshop_beam_gpu *x, int64_t width)
{
    return bytes_of_part(&x->parts[0], width, x->count);
}

int64_t flowshop_beam_gpu_widest(const flowshop_beam_gpu *x)
{
    int64_t widest = (int64_t)UINT32_MAX / x->instance->jobs;  // children are numbered by 32 bits
    for (int32_t p = 0; p < x->count; p++) {
        const beam_part *part = &x->parts[p];
        const double of_one = bytes_of_part(part, x->count, x->count) - bytes_of_part(part, 0, x->count);
        const double bytes = part->limit - bytes_of_part(part, 0, x->count);
        const int64_t fits = bytes > 0 ? (int64_t)(bytes / of_one * x->count) : 0;
        widest = fits < widest ? fits : widest;
    }
    return widest;
}

static void give_room(beam_part *x)
{
    flowshop_beam_gpu_args *a = &x->args;
    for (int h = 0; h < 2; h++) {
        mco_device_give(&x->device, &a->d_nodes[h]);
        mco_device_give(&x->device, &a->d_sets[h]);
        mco_device_give(&x->device, &a->d_node_heads[h]);
        mco_device_give(&x->device, &a->own.d_sides[h]);
    }
    mco_device_give(&x->device, &a->d_keys);
    mco_device_give(&x->device, &a->own.d_chosen);
    mco_device_give(&x->device, &a->own.d_candidates);
    mco_device_give(&x->device, &a->own.d_candidate_keys);
    mco_device_give(&x->device, &a->d_parents);
    mco_device_give(&x->device, &a->d_moves);
    x->room = x->keys = 0;
}

// Room for `width` nodes and `keys` keys.
static mco_status take_arrays(beam_part *x, int64_t width, int64_t keys)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu_args *a = &x->args;
    mco_device *d = &x->device;
    const int64_t candidates = FLOWSHOP_BEAM_GPU_CANDIDATES * width + KEYS_READ_BEHIND;
    if (width <= x->room && keys <= x->keys)
        return MCO_OK;
    give_room(x);
    for (int h = 0; h < 2; h++) {
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_nodes[h], width * 4 * a->stride));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_sets[h], width * a->words));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_node_heads[h], width));
        MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->own.d_sides[h], width));
    }
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_keys, keys + KEYS_READ_BEHIND));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->own.d_chosen, width));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->own.d_candidates, candidates));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->own.d_candidate_keys, candidates));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_parents, width * a->jobs));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_moves, width * a->jobs));
    x->room = width;
    x->keys = keys;
done:
    if (st != MCO_OK)
        give_room(x);
    return st;
}

// Room for a beam of this width on the parts used, which tell one another where it is.
static mco_status take_room(flowshop_beam_gpu *x, int64_t width)
{
    mco_status st = MCO_OK;
    const int64_t widest = flowshop_beam_gpu_widest(x), room = width > LEAST_ROOM ? width : LEAST_ROOM < widest ? LEAST_ROOM : widest;
    if (width > widest)
        return mco_fail(x->ctx, MCO_ERR_MEMORY, "a beam of width %lld takes %.1f GB, GPU %d has room for width %lld, %.1f GB",
                        (long long)width, 1e-9 * flowshop_beam_gpu_bytes(x, width), x->parts[0].device.info.index, (long long)widest,
                        1e-9 * flowshop_beam_gpu_bytes(x, widest));
    for (int32_t p = 0; p < x->used; p++) {
        MCO_TRY(mco_device_use(&x->parts[p].device));
        MCO_TRY(take_arrays(&x->parts[p], room, keys_of_part(&x->parts[p], room, x->used)));
    }
    for (int32_t p = 0; p < x->used; p++) {
        flowshop_beam_gpu_args *a = &x->parts[p].args;
        a->part = p;
        a->parts = x->used;
        a->room = width;
        a->width = (uint32_t)width;
        for (int32_t other = 0; other < x->used; other++)
            a->peers[other] = x->parts[other].args.own;
    }
done:
    return st;
}

// ---- Open and close

static mco_status copy_up(const beam_part *x, void *device, const void *host, size_t bytes)
{
    mco_status st = MCO_OK;
    MCO_CUDA(x->device.ctx, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, x->device.stream));
    MCO_CUDA(x->device.ctx, cudaStreamSynchronize(x->device.stream));  // ends: one copy
done:
    return st;
}

typedef struct host_tables {
    uint32_t *table;
    uint16_t *times, *heads;
} host_tables;

// Fills the tables of layer.h; they are cleared.
static void fill_tables(const beam_part *x, const flowshop_beam_shape *instance, host_tables *h)
{
    const flowshop_beam_gpu_args *a = &x->args;
    for (int32_t j = 0; j < a->jobs; j++) {
        uint32_t before = 0;
        for (int32_t k = 0; k < a->machines; k++) {
            const uint32_t time = (uint32_t)instance->times[(int64_t)j * a->machines + k];
            const int32_t byte = k % 4 * a->time_bytes, word = k / 4 * a->time_bytes + byte / 4;
            h->table[(int64_t)j * a->job_words + word] |= time << 8 * (byte % 4);
            h->times[(int64_t)j * a->stride + k] = (uint16_t)time;
            h->heads[(int64_t)j * a->stride + k] = (uint16_t)before;
            before += time;
        }
    }
}

static mco_status upload(beam_part *x, const flowshop_beam_shape *instance)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu_args *a = &x->args;
    mco_device *d = &x->device;
    host_tables h = {0};
    const int64_t words = (int64_t)a->jobs * a->job_words, cells = (int64_t)a->jobs * a->stride;
    const size_t row = (size_t)a->machines * sizeof(uint32_t);
    MCO_TRY(mco_alloc(x->device.ctx, &h.table, words));
    MCO_TRY(mco_alloc(x->device.ctx, &h.times, cells));
    MCO_TRY(mco_alloc(x->device.ctx, &h.heads, cells));
    fill_tables(x, instance, &h);
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_table, words));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_times, cells));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_heads, cells));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_totals, a->machines));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &x->d_means, a->machines));
    MCO_TRY(copy_up(x, x->d_table, h.table, (size_t)words * sizeof *h.table));
    MCO_TRY(copy_up(x, x->d_times, h.times, (size_t)cells * sizeof *h.times));
    MCO_TRY(copy_up(x, x->d_heads, h.heads, (size_t)cells * sizeof *h.heads));
    MCO_TRY(copy_up(x, x->d_totals, instance->totals, row));
    MCO_TRY(copy_up(x, x->d_means, instance->means, row));
    a->d_table = x->d_table;
    a->d_times = x->d_times;
    a->d_heads = x->d_heads;
    a->d_totals = x->d_totals;
    a->d_means = x->d_means;
done:
    mco_free(x->device.ctx, &h.heads);
    mco_free(x->device.ctx, &h.times);
    mco_free(x->device.ctx, &h.table);
    return st;
}

// Memory that does not depend on the width.
static mco_status take_rest(beam_part *x, const flowshop_beam_shape *instance)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu_args *a = &x->args;
    mco_device *d = &x->device;
    const int64_t root = 4 * a->stride + 2 * a->words;
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_counts, FLOWSHOP_BEAM_GPU_DIGIT));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_block_counts, (int64_t)a->select_blocks * FLOWSHOP_BEAM_GPU_DIGIT));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_block_before, a->select_blocks));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->own.d_reports, FLOWSHOP_BEAM_GPU_PARTS));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_below, a->select_blocks));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_tied, a->select_blocks));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->d_control, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &a->own.d_stop, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &x->control, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &x->root, root));
    memset(x->root, 0, (size_t)root * sizeof *x->root);
    for (int32_t k = 0; k < a->machines; k++)
        x->root[3 * a->stride + k] = (uint16_t)instance->totals[k];
    for (int32_t j = 0; j < a->jobs; j++)
        x->root[4 * a->stride + j / 16] |= (uint16_t)(1u << j % 16);
done:
    return st;
}

// How the kernels run on this GPU, and how much memory they may take there.
static mco_status settle(beam_part *x, double memory)
{
    mco_status st = MCO_OK;
    mco_context *ctx = x->device.ctx;
    int shared = 0;
    x->args.select_blocks = SELECTORS * x->device.info.multiprocessors;
    x->limit = fmin(memory, (double)x->device.info.free_bytes - SPARE_BYTES);
    MCO_CUDA(ctx, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, x->device.info.index));
    MCO_CUDA(ctx, flowshop_beam_gpu_settle(&x->args, x->device.info.multiprocessors, shared, &x->shape));
    if (x->shape.blocks == 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "%d jobs on %d machines do not fit the shared memory of GPU %d, %d bytes", x->args.jobs,
                         x->args.machines, x->device.info.index, shared));
done:
    return st;
}

static mco_status open_part(mco_context *ctx, const mco_gpu *gpu, const flowshop_beam_shape *shape, double memory, beam_part *x)
{
    mco_status st = MCO_OK;
    x->args = (flowshop_beam_gpu_args){.jobs = shape->jobs, .machines = shape->machines, .quads = (shape->machines + 3) / 4,
                                       .stride = (shape->machines + 7) / 8 * 8, .words = (shape->jobs + 31) / 32,
                                       .time_bytes = shape->largest <= FLOWSHOP_BEAM_GPU_BYTE_TIME ? 1 : 2,
                                       .shift = shape->shift, .largest = shape->largest};
    x->args.job_words = (x->args.quads * x->args.time_bytes) | 1;  // odd: the banks of shared memory differ from job to job
    MCO_TRY(mco_device_open(ctx, gpu, &x->device));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&x->looked, cudaEventDisableTiming));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&x->stepped, cudaEventDisableTiming));
    MCO_TRY(settle(x, memory));
    MCO_TRY(upload(x, shape));
    MCO_TRY(take_rest(x, shape));
done:
    return st;
}

// Lets the kernels of `part` write the memory of `other`.
static mco_status let_write(beam_part *part, const beam_part *other)
{
    mco_status st = MCO_OK;
    mco_context *ctx = part->device.ctx;
    int can = 0;
    if (part->device.info.index == other->device.info.index)
        return MCO_OK;
    MCO_TRY(mco_device_use(&part->device));
    MCO_CUDA(ctx, cudaDeviceCanAccessPeer(&can, part->device.info.index, other->device.info.index));
    if (!can)
        MCO_TRY(mco_fail(ctx, MCO_ERR_DEVICE, "GPU %d cannot write the memory of GPU %d: a beam needs that, or --gpus with one of them",
                         part->device.info.index, other->device.info.index));
    const cudaError_t error = cudaDeviceEnablePeerAccess(other->device.info.index, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled)
        (void)cudaGetLastError();
    else
        MCO_CUDA(ctx, error);
done:
    return st;
}

mco_status flowshop_beam_gpu_open(mco_context *ctx, const mco_gpu *gpus, int count, const flowshop_beam_shape *shape, int64_t upper,
                                  double memory, flowshop_beam_gpu **out)
{
    mco_status st = MCO_OK;
    flowshop_beam_gpu *x = NULL;
    MCO_TRY(flowshop_beam_gpu_refuse(ctx, shape, upper));
    MCO_TRY(mco_alloc(ctx, &x, 1));
    x->ctx = ctx;
    x->instance = shape;
    for (; x->count < count && x->count < FLOWSHOP_BEAM_GPU_PARTS; x->count++)
        MCO_TRY(open_part(ctx, &gpus[x->count], shape, memory, &x->parts[x->count]));
    for (int32_t p = 0; p < x->count; p++)
        for (int32_t other = 0; other < x->count; other++)
            MCO_TRY(let_write(&x->parts[p], &x->parts[other]));
    *out = x;
    return MCO_OK;
done:
    flowshop_beam_gpu_close(ctx, &x);
    return st;
}

int32_t flowshop_beam_gpu_count(const flowshop_beam_gpu *x)
{
    return x->count;
}

void flowshop_beam_gpu_close(mco_context *ctx, flowshop_beam_gpu **beams)
{
    flowshop_beam_gpu *x = *beams;
    if (x == NULL)
        return;
    // A kernel of one part may write the memory of another, so all are done before any memory goes.
    for (int32_t p = 0; p < FLOWSHOP_BEAM_GPU_PARTS; p++)
        if (x->parts[p].device.ctx != NULL && mco_device_use(&x->parts[p].device) == MCO_OK)
            (void)cudaDeviceSynchronize();
    for (int32_t p = 0; p < FLOWSHOP_BEAM_GPU_PARTS; p++) {
        beam_part *part = &x->parts[p];
        if (part->looked != NULL)
            (void)cudaEventDestroy(part->looked);
        if (part->stepped != NULL)
            (void)cudaEventDestroy(part->stepped);
        mco_device_close(&part->device);
    }
    mco_free(ctx, beams);
}

// ---- One beam

// The root as the only node of the first layer, and all counters.
static mco_status begin_part(beam_part *x)
{
    mco_status st = MCO_OK;
    mco_context *ctx = x->device.ctx;
    const flowshop_beam_gpu_args *a = &x->args;
    cudaStream_t stream = x->device.stream;
    const size_t node = 4 * (size_t)a->stride * sizeof *x->root, set = (size_t)a->words * sizeof(uint32_t);
    memset(x->control, 0, sizeof *x->control);
    x->control->nodes[0] = 1;
    x->control->makespan = x->control->least = UINT32_MAX;
    MCO_TRY(mco_device_use(&x->device));
    MCO_CUDA(ctx, cudaStreamSynchronize(x->device.side));  // ends: at most the wish to stop of the beam before
    MCO_CUDA(ctx, cudaMemsetAsync(a->own.d_stop, 0, sizeof *a->own.d_stop, stream));
    MCO_CUDA(ctx, cudaMemsetAsync(a->d_counts, 0, FLOWSHOP_BEAM_GPU_DIGIT * sizeof *a->d_counts, stream));
    MCO_CUDA(ctx, cudaMemsetAsync(a->d_node_heads[0], 0, sizeof **a->d_node_heads, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(a->d_nodes[0], x->root, node, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(a->d_sets[0], x->root + 4 * a->stride, set, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(a->d_control, x->control, sizeof *x->control, cudaMemcpyHostToDevice, stream));
done:
    return st;
}

// What follows on any part waits for what is enqueued on all.
static mco_status join_parts(flowshop_beam_gpu *x)
{
    mco_status st = MCO_OK;
    if (x->used == 1)
        return MCO_OK;
    for (int32_t p = 0; p < x->used; p++) {
        MCO_TRY(mco_device_use(&x->parts[p].device));
        MCO_CUDA(x->ctx, cudaEventRecord(x->parts[p].stepped, x->parts[p].device.stream));
    }
    for (int32_t p = 0; p < x->used; p++) {
        MCO_TRY(mco_device_use(&x->parts[p].device));
        for (int32_t other = 0; other < x->used; other++)
            if (other != p)
                MCO_CUDA(x->ctx, cudaStreamWaitEvent(x->parts[p].device.stream, x->parts[other].stepped, 0));
    }
done:
    return st;
}

static mco_status begin(flowshop_beam_gpu *x)
{
    mco_status st = MCO_OK;
    for (int32_t p = 0; p < x->used; p++)
        MCO_TRY(begin_part(&x->parts[p]));
    MCO_TRY(join_parts(x));
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

// Enqueues one layer. Nodes are made from what all parts have, and by each part for itself: no part waits for the others there.
static mco_status run_layer(flowshop_beam_gpu *x, const flowshop_beam_gpu_task *task, int32_t depth)
{
    mco_status st = MCO_OK;
    const int steps = depth + 1 < x->instance->jobs ? FLOWSHOP_BEAM_GPU_STEPS : 2;
    for (int step = 0; step < steps; step++) {
        for (int32_t p = 0; p < x->used; p++) {
            beam_part *part = &x->parts[p];
            flowshop_beam_gpu_args *a = &part->args;
            a->depth = depth;
            a->share = (float)(depth + 1) / (float)a->jobs;
            a->idle_factor = task->idle_share * (1.0f - a->share);
            a->upper = (int32_t)task->upper;
            if (x->used > 1)
                MCO_TRY(mco_device_use(&part->device));
            MCO_CUDA(x->ctx, flowshop_beam_gpu_launch(a, &part->shape, step, part->device.stream));
        }
        if (step + 1 < steps)
            MCO_TRY(join_parts(x));
    }
done:
    return st;
}

// Runs the layers from *depth on, LOOK at most.
static mco_status run_layers(flowshop_beam_gpu *x, watch *w, int32_t *depth)
{
    mco_status st = MCO_OK;
    const int32_t jobs = x->instance->jobs, end = *depth + LOOK < jobs ? *depth + LOOK : jobs;
    for (; *depth < end; ++*depth)
        MCO_TRY(run_layer(x, w->task, *depth));
    for (int32_t p = 0; p < x->used; p++) {
        beam_part *part = &x->parts[p];
        MCO_TRY(mco_device_use(&part->device));
        MCO_CUDA(x->ctx, cudaMemcpyAsync(part->control, part->args.d_control, sizeof *part->control, cudaMemcpyDeviceToHost, part->device.stream));
        MCO_CUDA(x->ctx, cudaEventRecord(part->looked, part->device.stream));
    }
    // Ends: a layer is finite, and no kernel goes on for long once the wish to stop is on the device; kernels pass it on to the other parts.
    for (int32_t p = 0; p < x->used; p++) {
        beam_part *part = &x->parts[p];
        MCO_TRY(mco_device_use(&part->device));
        MCO_TRY(mco_device_wait(&part->device, part->looked, must_stop, w, part->args.own.d_stop));
    }
done:
    return st;
}

// From the newest job to the oldest, places go from the middle to both ends.
static void read_order(const flowshop_beam_gpu_control *control, int32_t jobs, int32_t *order)
{
    int32_t in_front = 0;
    for (int32_t d = 0; d < jobs; d++)
        in_front += (control->moves[d] & 1) == 0;
    int32_t front = in_front - 1, back = in_front;
    for (int32_t d = jobs - 1; d >= 0; d--)
        order[(control->moves[d] & 1) == 0 ? front-- : back++] = (int32_t)(control->moves[d] >> 1);
}

// The best leaf of all parts, the first of equals. Earlier parts have the earlier leaves.
static const flowshop_beam_gpu_control *best_leaf(const flowshop_beam_gpu *x)
{
    const flowshop_beam_gpu_control *best = x->parts[0].control;
    for (int32_t p = 1; p < x->used; p++)
        if (x->parts[p].control->makespan < best->makespan)
            best = x->parts[p].control;
    return best;
}

mco_status flowshop_beam_gpu_run(flowshop_beam_gpu *x, const flowshop_beam_gpu_task *task, flowshop_beam_gpu_answer *out, int32_t *order)
{
    mco_status st = MCO_OK;
    const int32_t n = x->instance->jobs;
    const flowshop_beam_gpu_control *control = x->parts[0].control;
    watch w = {.task = task};
    *out = (flowshop_beam_gpu_answer){.makespan = INT64_MAX};
    x->used = task->gpus < 1 ? 1 : task->gpus < x->count ? task->gpus : x->count;
    MCO_TRY(take_room(x, task->width));
    MCO_TRY(begin(x));
    *task->depth = 0;
    do
        MCO_TRY(run_layers(x, &w, task->depth));
    while (!w.is_over && *task->depth < n && control->nodes[*task->depth] > 0);
    for (int32_t d = 0; d < *task->depth; d++)
        out->bounded += 2 * (int64_t)control->nodes[d] * (n - d);
    out->is_complete = !w.is_over;
    out->has_discarded = control->has_discarded != 0;
    const flowshop_beam_gpu_control *best = best_leaf(x);
    if (w.is_over || best->makespan == UINT32_MAX)
        return MCO_OK;
    out->makespan = best->makespan;
    read_order(best, n, order);
done:
    return st;
}
