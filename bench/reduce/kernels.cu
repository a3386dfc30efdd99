// SPDX-License-Identifier: MIT
// The benchmark's own kernels: the data, the hold before a measurement, the empty launch.
#include "bench.h"
#include "data.h"

static __device__ void put(int32_t *out, uint32_t index)
{
    *out = bench_i32(index);
}

static __device__ void put(float *out, uint32_t index)
{
    *out = bench_f32(index);
}

// A thread makes the items index, index + threads of the grid, ... It writes 4 bytes for an item and reads nothing. It
// is not measured: it runs once for each type.
template <class T> static __global__ void fill(T *data, uint32_t count)
{
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        put(&data[i], i);
}

cudaError_t bench_fill(bench_type type, void *d_data, int64_t count, cudaStream_t stream)
{
    // The index and the stride stay below 2^32.
    enum { THREADS = 256, BLOCKS = 2048 };
    if (count < 0 || count > INT32_MAX)
        return cudaErrorInvalidValue;
    if (type == BENCH_I32)
        fill<<<BLOCKS, THREADS, 0, stream>>>((int32_t *)d_data, (uint32_t)count);
    else
        fill<<<BLOCKS, THREADS, 0, stream>>>((float *)d_data, (uint32_t)count);
    return cudaGetLastError();
}

// One thread waits on the device's wall clock. It touches no memory, so caches stay as they are.
static __global__ void hold(unsigned long long ns)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}

cudaError_t bench_hold(unsigned long long ns, cudaStream_t stream)
{
    hold<<<1, 1, 0, stream>>>(ns);
    return cudaGetLastError();
}

static __global__ void nothing()
{
}

static cudaError_t empty_run(const bench_competitor *, const bench_job *job)
{
    nothing<<<1, 1, 0, job->stream>>>();
    return cudaGetLastError();
}

static cudaError_t empty_scratch(const bench_competitor *, const bench_job *, size_t *bytes)
{
    *bytes = 0;
    return cudaSuccess;
}

bench_competitor bench_empty(void)
{
    bench_competitor c = {};
    snprintf(c.name, sizeof c.name, "empty launch");
    c.run = empty_run;
    c.scratch_bytes = empty_scratch;
    return c;  // no read(): nothing to check
}
