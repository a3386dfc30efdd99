// SPDX-License-Identifier: MIT
// CUDA devices: list, open, memory, clock, errors.
#include "device/device_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "mco/devices.h"

// ---- List

static const char *reason_of(cudaError_t error)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (error == cudaErrorNoDevice && visible != NULL && visible[0] == '\0')
        return "CUDA_VISIBLE_DEVICES is set and empty, which hides them all";
    if (error == cudaErrorNoDevice)
        return visible != NULL ? "CUDA_VISIBLE_DEVICES leaves none visible" : "the NVIDIA driver finds no device";
    if (error == cudaErrorInsufficientDriver)
        return "no NVIDIA driver, or one older than this build's CUDA";
    return cudaGetErrorString(error);
}

static int attribute(enum cudaDeviceAttr name, int index)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, name, index) == cudaSuccess ? value : 0;
}

static cudaError_t describe(int index, mco_gpu *out)
{
    static const double BITS_PER_BYTE = 8, KHZ = 1e3, DATA_RATE = 2;
    struct cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, index);
    if (error != cudaSuccess)
        return error;
    *out = (mco_gpu){.index = index,
                     .major = p.major,
                     .minor = p.minor,
                     .multiprocessors = p.multiProcessorCount,
                     .clock_mhz = attribute(cudaDevAttrClockRate, index) / 1000,
                     .memory_bytes = p.totalGlobalMem,
                     .l2_bytes = (size_t)p.l2CacheSize,
                     .peak_bytes_per_s = DATA_RATE * KHZ * attribute(cudaDevAttrMemoryClockRate, index) *
                                         attribute(cudaDevAttrGlobalMemoryBusWidth, index) / BITS_PER_BYTE};
    snprintf(out->name, sizeof out->name, "%.*s", (int)sizeof out->name - 1, p.name);
    snprintf(out->bus_id, sizeof out->bus_id, "%04x:%02x:%02x.0", (unsigned)p.pciDomainID & 0xffff,
             (unsigned)p.pciBusID & 0xff, (unsigned)p.pciDeviceID & 0xff);
    return cudaSuccess;
}

// Lists the GPUs once: the driver needs tenths of a millisecond to tell a clock rate, so the context keeps the list.
static mco_status find_gpus(mco_context *ctx, int found)
{
    mco_status st = MCO_OK;
    mco_gpu *gpus = NULL;
    MCO_TRY(mco_alloc(ctx, &gpus, found));
    for (int i = 0; i < found; i++)
        MCO_CUDA(ctx, describe(i, &gpus[i]));
    ctx->gpus = gpus;
    ctx->gpu_count = found;
    return MCO_OK;
done:
    mco_free(ctx, &gpus);
    return st;
}

mco_status mco_gpus_list(mco_context *ctx, mco_gpu out[MCO_MAX_GPUS], int *count, const char **reason)
{
    mco_status st = MCO_OK;
    int found = 0;
    if (ctx == NULL || out == NULL || count == NULL || reason == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (ctx->gpus == NULL) {
        const cudaError_t error = cudaGetDeviceCount(&found);
        if (error != cudaSuccess || found == 0) {
            *count = 0;
            *reason = reason_of(error == cudaSuccess ? cudaErrorNoDevice : error);
            (void)cudaGetLastError();
            return MCO_OK;
        }
        MCO_TRY(find_gpus(ctx, found < MCO_MAX_GPUS ? found : MCO_MAX_GPUS));
    }
    memcpy(out, ctx->gpus, (size_t)ctx->gpu_count * sizeof *out);
    *count = ctx->gpu_count;
    *reason = NULL;
done:
    return st;
}

// ---- One device

// Makes it the current device of the calling thread, and opens it if it is not open. The message names this device,
// because after a failure another one is current.
static mco_status make_current(mco_context *ctx, int index)
{
    cudaError_t error = cudaSetDevice(index);
    if (error == cudaSuccess)
        return MCO_OK;
    (void)cudaGetLastError();
    return mco_fail(ctx, error == cudaErrorMemoryAllocation ? MCO_ERR_MEMORY : MCO_ERR_DEVICE, "GPU %d: %s", index,
                    cudaGetErrorString(error));
}

mco_status mco_gpu_free_bytes(mco_context *ctx, const mco_gpu *gpu, size_t *free_bytes)
{
    mco_status st = MCO_OK;
    size_t some_bytes, all_bytes;
    if (ctx == NULL || gpu == NULL || free_bytes == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    int before = gpu->index;
    MCO_CUDA(ctx, cudaGetDevice(&before));
    MCO_TRY(make_current(ctx, gpu->index));
    MCO_CUDA(ctx, cudaMemGetInfo(&some_bytes, &all_bytes));
    *free_bytes = some_bytes;
done:
    // Only if the device differs, because cudaSetDevice() opens the device. If it fails, that device was unusable
    // before too.
    if (before != gpu->index && cudaSetDevice(before) != cudaSuccess)
        (void)cudaGetLastError();
    return st;
}

mco_status mco_device_open(mco_context *ctx, const mco_gpu *gpu, mco_device *out)
{
    mco_status st = MCO_OK;
    mco_device d = {.ctx = ctx, .info = *gpu};
    size_t all_bytes;
    MCO_TRY(make_current(ctx, gpu->index));
    MCO_CUDA(ctx, cudaMemGetInfo(&d.info.free_bytes, &all_bytes));
    MCO_CUDA(ctx, cudaStreamCreateWithFlags(&d.stream, cudaStreamNonBlocking));
    MCO_CUDA(ctx, cudaStreamCreateWithFlags(&d.side, cudaStreamNonBlocking));
    MCO_CUDA(ctx, cudaEventCreate(&d.begin));
    MCO_CUDA(ctx, cudaEventCreate(&d.end));
    *out = d;
    return MCO_OK;
done:
    mco_device_close(&d);
    return st;
}

mco_status mco_device_open_named(mco_context *ctx, const char *gpus, mco_device *out)
{
    mco_gpu gpu;
    const mco_status st = mco_gpu_choose(ctx, gpus, &gpu);
    return st != MCO_OK ? st : mco_device_open(ctx, &gpu, out);
}

static void release(const mco_memory_block *block)
{
    if (block->kind == MCO_MEMORY_DEVICE)
        (void)cudaFree(block->address);
    else
        (void)cudaFreeHost(block->address);
}

void mco_device_close(mco_device *d)
{
    if (d->ctx == NULL)
        return;
    // Errors here are of work that is already reported, or of a device that is lost.
    (void)cudaSetDevice(d->info.index);
    (void)cudaDeviceSynchronize();
    for (int i = 0; i < d->block_count; i++)
        release(&d->blocks[i]);
    free(d->blocks);
    if (d->begin != NULL)
        (void)cudaEventDestroy(d->begin);
    if (d->end != NULL)
        (void)cudaEventDestroy(d->end);
    if (d->side != NULL)
        (void)cudaStreamDestroy(d->side);
    if (d->stream != NULL)
        (void)cudaStreamDestroy(d->stream);
    (void)cudaGetLastError();
    *d = (mco_device){0};
}

mco_status mco_device_use(mco_device *device)
{
    return make_current(device->ctx, device->info.index);
}

// ---- Memory

static mco_memory_block *find_free(mco_device *d, mco_memory_kind kind, size_t bytes)
{
    mco_memory_block *best = NULL;
    for (int i = 0; i < d->block_count; i++) {
        mco_memory_block *b = &d->blocks[i];
        bool fits = b->is_free && b->kind == kind && b->bytes >= bytes && b->bytes / 2 <= bytes;
        if (fits && (best == NULL || b->bytes < best->bytes))
            best = b;
    }
    return best;
}

// Gives the pool's free memory of this kind back to the driver.
static void trim(mco_device *d, mco_memory_kind kind)
{
    int kept = 0;
    for (int i = 0; i < d->block_count; i++) {
        if (d->blocks[i].is_free && d->blocks[i].kind == kind)
            release(&d->blocks[i]);
        else
            d->blocks[kept++] = d->blocks[i];
    }
    d->block_count = kept;
}

static cudaError_t allocate(mco_memory_kind kind, size_t bytes, void **out)
{
    return kind == MCO_MEMORY_DEVICE ? cudaMalloc(out, bytes)
                                     : cudaHostAlloc(out, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
}

static cudaError_t take_new(mco_device *d, mco_memory_kind kind, size_t bytes, void **out)
{
    cudaError_t error = allocate(kind, bytes, out);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        trim(d, kind);
        error = allocate(kind, bytes, out);
    }
    return error;
}

// The message says how much is free only for device memory. The system's limit on pinned memory cannot be read.
static mco_status fail_for_memory(mco_device *d, mco_memory_kind kind, size_t count, size_t item_bytes)
{
    size_t free_bytes = 0, all_bytes = 0;
    (void)cudaGetLastError();
    if (kind == MCO_MEMORY_PINNED)
        return mco_fail(d->ctx, MCO_ERR_MEMORY,
                        "GPU %d: %zu items of %zu bytes of pinned host memory were asked for, the system gives less",
                        d->info.index, count, item_bytes);
    (void)cudaMemGetInfo(&free_bytes, &all_bytes);
    return mco_fail(d->ctx, MCO_ERR_MEMORY,
                    "GPU %d: %zu items of %zu bytes of device memory were asked for, %.1f MB are free", d->info.index,
                    count, item_bytes, (double)free_bytes * 1e-6);
}

mco_status mco_device_take_bytes(mco_device *d, mco_memory_kind kind, void **out, size_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    size_t bytes;
    void *address = NULL;
    if (__builtin_mul_overflow(count, item_bytes, &bytes))
        bytes = SIZE_MAX;
    bytes = bytes == 0 ? 1 : bytes;
    mco_memory_block *block = find_free(d, kind, bytes);
    if (block != NULL) {
        block->is_free = false;
        *out = block->address;
        return MCO_OK;
    }
    cudaError_t error = bytes == SIZE_MAX ? cudaErrorMemoryAllocation : take_new(d, kind, bytes, &address);
    if (error == cudaErrorMemoryAllocation)
        return fail_for_memory(d, kind, count, item_bytes);
    MCO_CUDA(d->ctx, error);
    if (d->block_count == d->block_room) {
        int room = d->block_room > 0 ? 2 * d->block_room : 16;
        mco_memory_block *blocks = realloc(d->blocks, (size_t)room * sizeof *blocks);
        if (blocks == NULL)
            MCO_TRY(mco_fail(d->ctx, MCO_ERR_MEMORY, "out of memory: %d blocks", room));
        d->blocks = blocks;
        d->block_room = room;
    }
    d->blocks[d->block_count++] = (mco_memory_block){address, bytes, kind, false};
    *out = address;
    return MCO_OK;
done:
    if (address != NULL)
        release(&(mco_memory_block){address, bytes, kind, false});
    return st;
}

void mco_device_give_bytes(mco_device *d, void **memory)
{
    if (*memory == NULL)
        return;
    for (int i = 0; i < d->block_count; i++)
        if (d->blocks[i].address == *memory)
            d->blocks[i].is_free = true;
    *memory = NULL;
}

// ---- Clock

mco_status mco_device_start_clock(mco_device *d)
{
    return mco_cuda_status(d->ctx, cudaEventRecord(d->begin, d->stream), "cudaEventRecord", __FILE__, __LINE__);
}

mco_status mco_device_stop_clock(mco_device *d, double *seconds)
{
    mco_status st = MCO_OK;
    float ms = 0;
    MCO_CUDA(d->ctx, cudaEventRecord(d->end, d->stream));
    MCO_CUDA(d->ctx, cudaEventSynchronize(d->end));
    MCO_CUDA(d->ctx, cudaEventElapsedTime(&ms, d->begin, d->end));
    d->kernel_s += 1e-3 * (double)ms;
    if (seconds != NULL)
        *seconds = 1e-3 * (double)ms;
done:
    return st;
}

// ---- Waiting

mco_status mco_device_wait(mco_device *d, cudaEvent_t event, bool (*must_stop)(void *state), void *state, int32_t *d_stop)
{
    mco_status st = MCO_OK;
    static const double SPIN_S = 5e-3;  // short work is not delayed by a nap
    const struct timespec nap = {0, 200000};
    const double begin_s = mco_clock_s();
    double looked_s = begin_s;
    bool is_stopping = false;
    for (;;) {
        const cudaError_t error = cudaEventQuery(event);
        if (error == cudaSuccess)
            break;
        if (error != cudaErrorNotReady)
            MCO_CUDA(d->ctx, error);
        const double now_s = mco_clock_s();
        if (!is_stopping && now_s - looked_s >= 1e-3) {
            looked_s = now_s;
            is_stopping = must_stop(state);
            if (is_stopping && d_stop != NULL)
                MCO_CUDA(d->ctx, cudaMemsetAsync(d_stop, 1, sizeof *d_stop, d->side));
        }
        if (now_s - begin_s >= SPIN_S)
            nanosleep(&nap, NULL);
    }
done:
    return st;
}

// ---- Errors

mco_status mco_cuda_status(mco_context *ctx, cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return MCO_OK;
    (void)cudaGetLastError();  // clears the error, so that the next call does not report it again
    const char *name = strrchr(file, '/');
    int device = -1;
    if (cudaGetDevice(&device) != cudaSuccess)
        device = -1;
    return mco_fail(ctx, error == cudaErrorMemoryAllocation ? MCO_ERR_MEMORY : MCO_ERR_DEVICE,
                    "GPU %d: %s (%s:%d: %s)", device, cudaGetErrorString(error), name != NULL ? name + 1 : file, line,
                    call);
}
