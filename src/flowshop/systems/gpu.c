// SPDX-License-Identifier: MIT
// Batches of the pool systems on GPUs: memory, copies, order of the kernels. Each batch has its own streams, so the
// copies of one batch overlap the kernels of another. Host arrays are page-locked. Copies up, kernels and counts down
// go through one stream. Survivors come down once their number is known.
#include <string.h>

#include "device/device_cuda.h"
#include "flowshop/systems/batch.h"
#include "flowshop/systems/cuda.h"

// The part of a batch on one device.
typedef struct side {
    mco_device device;
    flowshop_tables tables; // constants in its memory, which belong to this side or to another one on the same device
    flowshop_arrays arrays;
    cudaEvent_t begin, end, ready; // begin and end of its kernels; its results are complete
} side;

typedef struct gpu_batch {
    flowshop_batch base;
    mco_context *ctx;
    side sides[2]; // the device that branches, or does all; the device that bounds and prunes, if is_split
    bool is_split;
    int block;
} gpu_batch;

// ---- Constants

static mco_status upload(side *x, const void *from, void *to_field, size_t bytes)
{
    mco_status st = MCO_OK;
    unsigned char *memory = NULL;
    if (bytes == 0)
        return MCO_OK;
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_DEVICE, &memory, bytes));
    MCO_CUDA(x->device.ctx, cudaMemcpyAsync(memory, from, bytes, cudaMemcpyHostToDevice, x->device.stream));
    memcpy(to_field, &memory, sizeof memory);
done:
    return st;
}

// The constants on the device with this index, if an earlier batch or the first side of this one brought them; else
// NULL.
static const flowshop_tables *find_tables(const flowshop_batch_place *place, const gpu_batch *b, int index)
{
    for (int i = 0; i < place->earlier_count; i++) {
        const gpu_batch *earlier = (const gpu_batch *)(const void *)place->earlier[i];
        for (int k = 0; k < 1 + earlier->is_split; k++)
            if (earlier->sides[k].device.info.index == index)
                return &earlier->sides[k].tables;
    }
    const side *first = &b->sides[0];
    return first->device.ctx != NULL && first->device.info.index == index ? &first->tables : NULL;
}

static mco_status upload_tables(side *x, const flowshop_tables *t)
{
    mco_status st = MCO_OK;
    const size_t word = sizeof(int32_t), m = (size_t)t->machines, n = (size_t)t->jobs, pairs = (size_t)t->pairs;
    x->tables = *t;
    MCO_TRY(upload(x, t->times, &x->tables.times, m * n * word));
    MCO_TRY(upload(x, t->heads, &x->tables.heads, m * word));
    MCO_TRY(upload(x, t->tails, &x->tables.tails, m * word));
    MCO_TRY(upload(x, t->loads, &x->tables.loads, m * word));
    MCO_TRY(upload(x, t->pair_machines, &x->tables.pair_machines, pairs * word));
    MCO_TRY(upload(x, t->steps, &x->tables.steps, pairs * n * sizeof *t->steps));
    MCO_CUDA(x->device.ctx, cudaStreamSynchronize(x->device.stream));
done:
    return st;
}

// ---- Memory of a batch

// Does not use the memory pool of mco_device. A batch asks for another size every time. When memory is short, the
// blocks it gave back to such a pool would stay unused, or half used.
static mco_status take_part(side *x, mco_memory_kind kind, void *field, size_t bytes)
{
    void *memory = NULL;
    const bool is_device = kind == MCO_MEMORY_DEVICE;
    if (bytes == 0)
        return MCO_OK;
    const cudaError_t error =
        is_device ? cudaMalloc(&memory, bytes) : cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
    if (error == cudaSuccess)
        memcpy(field, &memory, sizeof memory);
    if (error != cudaErrorMemoryAllocation)
        return mco_cuda_status(x->device.ctx, error, is_device ? "cudaMalloc" : "cudaHostAlloc", __FILE__, __LINE__);
    (void)cudaGetLastError();
    return mco_fail(x->device.ctx, MCO_ERR_MEMORY, "GPU %d: %.1f MB of %s memory were asked for, less is free",
                    x->device.info.index, (double)bytes * 1e-6, is_device ? "device" : "pinned host");
}

// Ignores errors: they come from work already reported, or from a device that is lost.
static void give_part(mco_memory_kind kind, void *field)
{
    void *memory;
    memcpy(&memory, field, sizeof memory);
    if (memory == NULL)
        return;
    (void)(kind == MCO_MEMORY_DEVICE ? cudaFree(memory) : cudaFreeHost(memory));
    (void)cudaGetLastError();
    memory = NULL;
    memcpy(field, &memory, sizeof memory);
}

static void release_side(side *x)
{
    flowshop_arrays *a = &x->arrays;
    const mco_memory_kind kind = MCO_MEMORY_DEVICE;
    give_part(kind, &a->survivor_count);
    give_part(kind, &a->counts);
    give_part(kind, &a->survivors);
    give_part(kind, &a->bounds);
    give_part(kind, &a->child_ends);
    give_part(kind, &a->ends);
    give_part(kind, &a->words);
    give_part(kind, &a->offsets);
    give_part(kind, &a->rows);
}

static mco_status take_side(side *x, const flowshop_batch_bytes *room)
{
    mco_status st = MCO_OK;
    flowshop_arrays *a = &x->arrays;
    const mco_memory_kind kind = MCO_MEMORY_DEVICE;
    MCO_TRY(take_part(x, kind, &a->rows, room->rows));
    MCO_TRY(take_part(x, kind, &a->offsets, room->offsets));
    MCO_TRY(take_part(x, kind, &a->words, room->words));
    MCO_TRY(take_part(x, kind, &a->ends, room->ends));
    MCO_TRY(take_part(x, kind, &a->child_ends, room->child_ends));
    MCO_TRY(take_part(x, kind, &a->bounds, room->bounds));
    MCO_TRY(take_part(x, kind, &a->survivors, room->survivors));
    MCO_TRY(take_part(x, kind, &a->counts, room->counts));
    MCO_TRY(take_part(x, kind, &a->survivor_count, sizeof *a->survivor_count));
done:
    return st;
}

static void release_host(gpu_batch *b)
{
    flowshop_arrays *a = &b->base.host;
    const mco_memory_kind kind = MCO_MEMORY_PINNED;
    give_part(kind, &a->survivor_count);
    give_part(kind, &a->counts);
    give_part(kind, &a->survivors);
    give_part(kind, &a->bounds);
    give_part(kind, &a->words);
    give_part(kind, &a->offsets);
    give_part(kind, &a->rows);
    b->base.child_room = b->base.father_room = 0;
}

// Takes the page-locked host arrays for the data that goes up and comes down.
static mco_status take_host(gpu_batch *b, const flowshop_batch_bytes *room)
{
    mco_status st = MCO_OK;
    flowshop_arrays *a = &b->base.host;
    side *x = &b->sides[0];
    const bool is_listed = b->base.operators == FLOWSHOP_BOUND_ONLY,
               is_pruned_here = flowshop_host_prunes(b->base.operators);
    const mco_memory_kind kind = MCO_MEMORY_PINNED;
    MCO_TRY(take_part(x, kind, &a->rows, room->rows));
    MCO_TRY(take_part(x, kind, &a->offsets, room->offsets));
    MCO_TRY(take_part(x, kind, &a->words, is_listed ? room->words : 0));
    MCO_TRY(take_part(x, kind, &a->bounds, is_pruned_here ? room->bounds : 0));
    MCO_TRY(take_part(x, kind, &a->survivors, room->survivors));
    MCO_TRY(take_part(x, kind, &a->counts, room->counts));
    MCO_TRY(take_part(x, kind, &a->survivor_count, sizeof *a->survivor_count));
    a->row_bytes = flowshop_row_bytes(b->base.tables.jobs);
done:
    return st;
}

// ---- Life

static void close_side(side *x)
{
    if (x->device.ctx == NULL)
        return;
    (void)cudaSetDevice(x->device.info.index);
    (void)cudaDeviceSynchronize();
    release_side(x);
    cudaEvent_t events[] = {x->begin, x->end, x->ready};
    for (int i = 0; i < 3; i++)
        if (events[i] != NULL)
            (void)cudaEventDestroy(events[i]);
    mco_device_close(&x->device);
}

static mco_status open_side(gpu_batch *b, const flowshop_batch_place *place, const mco_gpu *gpu, side *x)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->ctx;
    const flowshop_tables *there = find_tables(place, b, gpu->index);
    MCO_TRY(mco_device_open(ctx, gpu, &x->device));
    MCO_CUDA(ctx, cudaEventCreate(&x->begin));
    MCO_CUDA(ctx, cudaEventCreate(&x->end));
    MCO_CUDA(ctx, cudaEventCreateWithFlags(&x->ready, cudaEventDisableTiming));
    if (there != NULL)
        x->tables = *there;
    else
        MCO_TRY(upload_tables(x, &b->base.tables));
done:
    return st;
}

// Lets copies between two devices go directly if the machine can do that. Else the runtime stages them through the
// host.
static mco_status connect(mco_context *ctx, int from, int to)
{
    mco_status st = MCO_OK;
    int can = 0;
    if (from == to)
        return MCO_OK;
    MCO_CUDA(ctx, cudaDeviceCanAccessPeer(&can, from, to));
    if (!can)
        return MCO_OK;
    MCO_CUDA(ctx, cudaSetDevice(from));
    cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
        return MCO_OK;
    }
    MCO_CUDA(ctx, error);
done:
    return st;
}

static void destroy(mco_context *ctx, flowshop_batch **batch)
{
    gpu_batch *b = (gpu_batch *)(void *)*batch;
    if (b == NULL)
        return;
    close_side(&b->sides[1]);
    close_side(&b->sides[0]);
    release_host(b);
    mco_free(ctx, &b);
    *batch = NULL;
}

static mco_status create(mco_context *ctx, const flowshop_tables *tables, flowshop_operators operators,
                         const flowshop_batch_place *place, flowshop_batch **out)
{
    mco_status st = MCO_OK;
    gpu_batch *b = NULL;
    flowshop_batch *made = NULL;
    MCO_TRY(mco_alloc(ctx, &b, 1));
    made = &b->base;
    made->tables = *tables;
    made->operators = operators;
    b->ctx = ctx;
    b->block = place->block;
    b->is_split = place->second != NULL;
    MCO_TRY(open_side(b, place, place->gpu, &b->sides[0]));
    if (b->is_split) {
        MCO_TRY(open_side(b, place, place->second, &b->sides[1]));
        MCO_TRY(connect(ctx, place->gpu->index, place->second->index));
        MCO_TRY(connect(ctx, place->second->index, place->gpu->index));
    }
    *out = made;
done:
    if (st != MCO_OK && made != NULL)
        destroy(ctx, &made);
    return st;
}

// ---- Room

static void release_all(gpu_batch *b)
{
    release_host(b);
    for (int i = 0; i < 1 + b->is_split; i++)
        release_side(&b->sides[i]);
}

static mco_status resize(flowshop_batch *batch, int32_t children, int32_t fathers)
{
    mco_status st = MCO_OK;
    gpu_batch *b = (gpu_batch *)(void *)batch;
    const flowshop_batch_bytes room = flowshop_batch_room(&batch->tables, batch->operators, children, fathers);
    release_all(b);
    for (int i = 0; i < 1 + b->is_split; i++) {
        MCO_TRY(mco_device_use(&b->sides[i].device));
        MCO_TRY(take_side(&b->sides[i], &room));
    }
    MCO_TRY(mco_device_use(&b->sides[0].device));
    MCO_TRY(take_host(b, &room));
    batch->child_room = children;
    batch->father_room = fathers;
done:
    if (st != MCO_OK)
        release_all(b);
    return st;
}

// ---- A batch on its way

static mco_status copy_up(gpu_batch *b, void *to, const void *from, size_t bytes)
{
    b->base.bytes_up += (int64_t)bytes;
    return mco_cuda_status(b->ctx, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, b->sides[0].device.stream),
                           "cudaMemcpyAsync up", __FILE__, __LINE__);
}

static mco_status copy_down(gpu_batch *b, side *x, void *to, const void *from, size_t bytes)
{
    b->base.bytes_down += (int64_t)bytes;
    return mco_cuda_status(b->ctx, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, x->device.stream),
                           "cudaMemcpyAsync down", __FILE__, __LINE__);
}

static mco_status send_fathers(gpu_batch *b)
{
    mco_status st = MCO_OK;
    const flowshop_arrays *h = &b->base.host, *d = &b->sides[0].arrays;
    MCO_TRY(copy_up(b, d->rows, h->rows, (size_t)h->fathers * (size_t)h->row_bytes));
    MCO_TRY(copy_up(b, d->offsets, h->offsets, ((size_t)h->fathers + 1) * sizeof *h->offsets));
    if (b->base.operators == FLOWSHOP_BOUND_ONLY)
        MCO_TRY(copy_up(b, d->words, h->words, (size_t)h->children * sizeof *h->words));
    MCO_CUDA(b->ctx, cudaEventRecord(b->sides[0].begin, b->sides[0].device.stream));
done:
    return st;
}

static mco_status move_part(gpu_batch *b, void *to, const void *from, size_t bytes)
{
    return mco_cuda_status(b->ctx,
                           cudaMemcpyPeerAsync(to, b->sides[1].device.info.index, from, b->sides[0].device.info.index,
                                               bytes, b->sides[1].device.stream),
                           "cudaMemcpyPeerAsync", __FILE__, __LINE__);
}

// Copies the children, and the data of their fathers that bounding and pruning need, to the second device.
static mco_status move_children(gpu_batch *b)
{
    mco_status st = MCO_OK;
    const flowshop_tables *t = &b->base.tables;
    const flowshop_arrays *from = &b->sides[0].arrays, *to = &b->sides[1].arrays;
    const size_t word = sizeof(int32_t), fathers = (size_t)from->fathers, children = (size_t)from->children;
    MCO_CUDA(b->ctx, cudaEventRecord(b->sides[0].end, b->sides[0].device.stream));
    MCO_TRY(mco_device_use(&b->sides[1].device));
    MCO_CUDA(b->ctx, cudaStreamWaitEvent(b->sides[1].device.stream, b->sides[0].end, 0));
    MCO_TRY(move_part(b, to->rows, from->rows, fathers * (size_t)from->row_bytes));
    MCO_TRY(move_part(b, to->offsets, from->offsets, (fathers + 1) * word));
    MCO_TRY(move_part(b, to->ends, from->ends, (size_t)(3 * t->machines + t->words) * (size_t)from->stride * word));
    MCO_TRY(move_part(b, to->words, from->words, children * word));
    MCO_TRY(move_part(b, to->child_ends, from->child_ends, (size_t)t->machines * (size_t)from->child_stride * word));
    MCO_CUDA(b->ctx, cudaEventRecord(b->sides[1].begin, b->sides[1].device.stream));
done:
    return st;
}

static mco_status run_kernel_chain(gpu_batch *b)
{
    mco_status st = MCO_OK;
    side *x = &b->sides[0], *y = &b->sides[b->is_split];
    cudaStream_t first = x->device.stream, last = y->device.stream;
    MCO_CUDA(b->ctx, cudaMemsetAsync(x->arrays.survivor_count, 0, sizeof *x->arrays.survivor_count, first));
    MCO_CUDA(b->ctx, flowshop_cuda_ends(&x->tables, &x->arrays, b->block, first));
    MCO_CUDA(b->ctx, flowshop_cuda_branch(&x->tables, &x->arrays, b->block, first));
    if (b->is_split) {
        MCO_TRY(move_children(b));
        MCO_CUDA(b->ctx, cudaMemsetAsync(y->arrays.survivor_count, 0, sizeof *y->arrays.survivor_count, last));
    }
    MCO_CUDA(b->ctx, flowshop_cuda_bound(&y->tables, &y->arrays, b->block, last));
    if (b->base.operators == FLOWSHOP_THREE_KERNELS)
        MCO_CUDA(b->ctx, flowshop_cuda_prune(&y->tables, &y->arrays, b->block, last));
done:
    return st;
}

static mco_status run_kernels(gpu_batch *b)
{
    mco_status st = MCO_OK;
    side *x = &b->sides[0];
    if (b->base.operators == FLOWSHOP_THREE_KERNELS || b->base.operators == FLOWSHOP_BRANCH_AND_BOUND)
        return run_kernel_chain(b);
    if (b->base.operators == FLOWSHOP_WHOLE_NODE) {
        MCO_CUDA(b->ctx, flowshop_cuda_node(&x->tables, &x->arrays, b->block, x->device.stream));
        return MCO_OK;
    }
    MCO_CUDA(b->ctx, flowshop_cuda_ends(&x->tables, &x->arrays, b->block, x->device.stream));
    MCO_CUDA(b->ctx, flowshop_cuda_bound_child(&x->tables, &x->arrays, b->block, x->device.stream));
done:
    return st;
}

static mco_status begin(flowshop_batch *batch)
{
    mco_status st = MCO_OK;
    gpu_batch *b = (gpu_batch *)(void *)batch;
    const flowshop_arrays *h = &batch->host;
    side *y = &b->sides[b->is_split];
    const size_t fathers = (size_t)h->fathers, children = (size_t)h->children;
    for (int i = 0; i < 1 + b->is_split; i++)
        flowshop_batch_measure(batch, &b->sides[i].arrays);
    MCO_TRY(mco_device_use(&b->sides[0].device));
    MCO_TRY(send_fathers(b));
    MCO_TRY(run_kernels(b));
    MCO_CUDA(b->ctx, cudaEventRecord(y->end, y->device.stream));
    if (flowshop_host_prunes(batch->operators))
        MCO_TRY(copy_down(b, y, h->bounds, y->arrays.bounds, children * sizeof *h->bounds));
    else
        MCO_TRY(copy_down(b, y, h->counts, y->arrays.counts, fathers * sizeof *h->counts));
    if (batch->operators == FLOWSHOP_WHOLE_NODE)
        MCO_TRY(copy_down(b, y, h->survivors, y->arrays.survivors, children / 2 * sizeof *h->survivors));
    if (batch->operators == FLOWSHOP_THREE_KERNELS)
        MCO_TRY(copy_down(b, y, h->survivor_count, y->arrays.survivor_count, sizeof *h->survivor_count));
    MCO_CUDA(b->ctx, cudaEventRecord(y->ready, y->device.stream));
done:
    return st;
}

static bool is_done(flowshop_batch *batch)
{
    gpu_batch *b = (gpu_batch *)(void *)batch;
    return cudaEventQuery(b->sides[b->is_split].ready) != cudaErrorNotReady; // a failure shows in finish()
}

static mco_status add_kernel_time(gpu_batch *b, const side *x)
{
    mco_status st = MCO_OK;
    float ms = 0;
    MCO_CUDA(b->ctx, cudaEventElapsedTime(&ms, x->begin, x->end));
    b->base.kernel_s += 1e-3 * (double)ms;
done:
    return st;
}

static mco_status finish(flowshop_batch *batch)
{
    mco_status st = MCO_OK;
    gpu_batch *b = (gpu_batch *)(void *)batch;
    const flowshop_arrays *h = &batch->host;
    side *y = &b->sides[b->is_split];
    MCO_TRY(mco_device_use(&y->device));
    MCO_CUDA(b->ctx, cudaEventSynchronize(y->ready));
    for (int i = 0; i < 1 + b->is_split; i++)
        MCO_TRY(add_kernel_time(b, &b->sides[i]));
    if (batch->operators == FLOWSHOP_THREE_KERNELS && *h->survivor_count > 0) {
        MCO_TRY(copy_down(b, y, h->survivors, y->arrays.survivors, *h->survivor_count * sizeof *h->survivors));
        MCO_CUDA(b->ctx, cudaStreamSynchronize(y->device.stream));
    }
done:
    return st;
}

const flowshop_backend flowshop_cuda_backend = {"cuda", create, destroy, resize, begin, is_done, finish};
