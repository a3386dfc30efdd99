// SPDX-License-Identifier: MIT
// The device floor: pooled memory, its exhaustion, the clock, errors that become statuses.
#include <string.h>

#include "gpu/gpu_support.h"

static long checks;

static void test_pool(mco_context *ctx, mco_device *d)
{
    double *a = NULL, *b = NULL, *c = NULL;
    GPU_CHECK(mco_device_take(d, MCO_MEMORY_DEVICE, &a, 1000) == MCO_OK, "%s", mco_context_error(ctx));
    double *first = a;
    mco_device_give(d, &a);
    GPU_CHECK(a == NULL, "the pointer stays");
    GPU_CHECK(mco_device_take(d, MCO_MEMORY_DEVICE, &b, 600) == MCO_OK && b == first, "the block is not used again");
    GPU_CHECK(mco_device_take(d, MCO_MEMORY_PINNED, &c, 1000) == MCO_OK && c != first, "kinds are mixed");
    memset(c, 0x5a, 1000 * sizeof *c);
    GPU_CHECK(cudaMemcpyAsync(b, c, 600 * sizeof *b, cudaMemcpyHostToDevice, d->stream) == cudaSuccess, "copy in");
    memset(c + 600, 0, 400 * sizeof *c);
    GPU_CHECK(cudaMemcpyAsync(c + 600, b, 400 * sizeof *b, cudaMemcpyDeviceToHost, d->stream) == cudaSuccess, "copy out");
    GPU_CHECK(cudaStreamSynchronize(d->stream) == cudaSuccess, "wait");
    GPU_CHECK(memcmp(c, c + 600, 400 * sizeof *c) == 0, "the copies differ");
    mco_device_give(d, &b);
    mco_device_give(d, &c);
    checks += 9;
}

static void test_exhaustion(mco_context *ctx, mco_device *d)
{
    char *huge = NULL;
    mco_status st = mco_device_take(d, MCO_MEMORY_DEVICE, &huge, d->info.memory_bytes + 1);
    GPU_CHECK(st == MCO_ERR_MEMORY && huge == NULL, "status %d", (int)st);
    GPU_CHECK(strstr(mco_context_error(ctx), "MB are free") != NULL, "message: %s", mco_context_error(ctx));
    st = mco_device_take_bytes(d, MCO_MEMORY_DEVICE, (void **)&huge, SIZE_MAX / 2, 4);
    GPU_CHECK(st == MCO_ERR_MEMORY, "an overflow of the size gives %d", (int)st);
    GPU_CHECK(mco_device_take(d, MCO_MEMORY_DEVICE, &huge, 1000) == MCO_OK, "after it: %s", mco_context_error(ctx));
    mco_device_give(d, &huge);
    checks += 4;
}

static void test_clock(mco_context *ctx, mco_device *d)
{
    double seconds = -1, before = d->kernel_s;
    GPU_CHECK(mco_device_start_clock(d) == MCO_OK && mco_device_stop_clock(d, &seconds) == MCO_OK, "%s",
              mco_context_error(ctx));
    GPU_CHECK(seconds >= 0 && seconds < 1 && d->kernel_s >= before, "%g s", seconds);
    GPU_CHECK(mco_cuda_status(ctx, cudaErrorMemoryAllocation, "call()", "dir/file.c", 7) == MCO_ERR_MEMORY, "memory");
    GPU_CHECK(mco_cuda_status(ctx, cudaErrorIllegalAddress, "call()", "dir/file.c", 7) == MCO_ERR_DEVICE, "device");
    GPU_CHECK(strstr(mco_context_error(ctx), "(file.c:7: call())") != NULL, "message: %s", mco_context_error(ctx));
    checks += 5;
}

int main(void)
{
    mco_context *ctx = NULL;
    mco_device device = {0};
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    gpu_open_first(ctx, &device);
    test_pool(ctx, &device);
    test_exhaustion(ctx, &device);
    test_clock(ctx, &device);
    mco_device_close(&device);
    mco_context_destroy(&ctx);
    return gpu_summary("device", checks);
}
