// SPDX-License-Identifier: MIT
// CUB's DeviceReduce from the toolkit: Sum, Min, Max, and ArgMin in the form of CUB 3 with two outputs (the form with a
// key-value pair is deprecated). Counts are given as int, CUB's fastest offset; the largest here is 2^30 items.
#include <climits>
#include <cstring>
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include "bench.h"

// The result as CUB writes it: the value comes first, the index of argmin at an aligned place behind it.
enum { INDEX_OFFSET = 8 };

template <class T> static cudaError_t call_cub(const bench_job *job, void *d_scratch, size_t *bytes)
{
    const T *d_in = (const T *)job->d_in;
    T *d_value = (T *)job->d_out;
    int64_t *d_index = (int64_t *)((char *)job->d_out + INDEX_OFFSET);
    int count = (int)job->count;
    switch (job->op) {
    case BENCH_SUM:
        return cub::DeviceReduce::Sum(d_scratch, *bytes, d_in, d_value, count, job->stream);
    case BENCH_MIN:
        return cub::DeviceReduce::Min(d_scratch, *bytes, d_in, d_value, count, job->stream);
    case BENCH_MAX:
        return cub::DeviceReduce::Max(d_scratch, *bytes, d_in, d_value, count, job->stream);
    case BENCH_ARGMIN:
        return cub::DeviceReduce::ArgMin(d_scratch, *bytes, d_in, d_value, d_index, job->count, job->stream);
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t dispatch(const bench_job *job, void *d_scratch, size_t *bytes)
{
    if (job->count > INT_MAX)
        return cudaErrorInvalidValue;
    return job->type == BENCH_I32 ? call_cub<int32_t>(job, d_scratch, bytes) : call_cub<float>(job, d_scratch, bytes);
}

static cudaError_t cub_run(const bench_competitor *, const bench_job *job)
{
    size_t bytes = job->scratch_bytes;
    return dispatch(job, job->d_scratch, &bytes);
}

static cudaError_t cub_scratch(const bench_competitor *, const bench_job *job, size_t *bytes)
{
    *bytes = 0;
    return dispatch(job, NULL, bytes);
}

static bench_result cub_read(const void *out, bench_op, bench_type)
{
    bench_result r = {};
    memcpy(&r.value, out, sizeof r.value);
    memcpy(&r.index, (const char *)out + INDEX_OFFSET, sizeof r.index);
    return r;
}

bench_competitor bench_cub(void)
{
    bench_competitor c = {};
    snprintf(c.name, sizeof c.name, "CUB");
    c.run = cub_run;
    c.scratch_bytes = cub_scratch;
    c.read = cub_read;
    c.is_cub = true;
    return c;
}

int bench_cub_version(void)
{
    return CUB_VERSION;
}
