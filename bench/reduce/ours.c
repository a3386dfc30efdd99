// SPDX-License-Identifier: MIT
// The library's reduction as a competitor: its launcher, without the tests of arguments in front of it.
#include <string.h>

#include "bench.h"
#include "reduce/cuda.h"

static const mco_reduce_op OPS[BENCH_OPS] = {
    [BENCH_SUM] = MCO_REDUCE_OP_SUM, [BENCH_MIN] = MCO_REDUCE_OP_MIN, [BENCH_MAX] = MCO_REDUCE_OP_MAX,
    [BENCH_ARGMIN] = MCO_REDUCE_OP_ARGMIN};

// As the library decides it (mco_device_overlaps).
static bool overlaps(void)
{
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 9;
}

static cudaError_t ours_run(const bench_competitor *self, const bench_job *job)
{
    reduce_launch_args args = {.op = OPS[job->op],
                               .type = job->type == BENCH_I32 ? MCO_REDUCE_TYPE_I32 : MCO_REDUCE_TYPE_F32,
                               .d_data = job->d_in,
                               .count = job->count,
                               .d_value = job->d_out,
                               .d_scratch = job->d_scratch,
                               .block = self->block,
                               .overlaps = overlaps()};
    return reduce_launch(&args, job->stream);
}

static cudaError_t ours_scratch(const bench_competitor *self, const bench_job *job, size_t *bytes)
{
    (void)self;
    (void)job;
    *bytes = reduce_scratch_bytes();
    return cudaSuccess;
}

static bench_result ours_read(const void *out, bench_op op, bench_type type)
{
    mco_reduce_value value;
    bench_result r = {0};
    memcpy(&value, out, sizeof value);
    // Sums of i32 have 64 bits here, and are modulo 2^32 in the reference and in the others.
    if (type == BENCH_I32)
        r.value.i32 = (int32_t)(uint32_t)value.u;
    else
        r.value.f32 = (float)value.f;
    r.index = op == BENCH_ARGMIN ? value.index : 0;
    return r;
}

bench_competitor bench_ours(int block)
{
    return (bench_competitor){
        .name = "ours", .block = block, .run = ours_run, .scratch_bytes = ours_scratch, .read = ours_read};
}
