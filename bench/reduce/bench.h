// SPDX-License-Identifier: MIT
// What the files of this benchmark share: a reduction to run, the competitors, the data and their reference values, the
// clocks.
#ifndef MCO_BENCH_REDUCE_BENCH_H
#define MCO_BENCH_REDUCE_BENCH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_op { BENCH_SUM, BENCH_MIN, BENCH_MAX, BENCH_ARGMIN, BENCH_OPS } bench_op;
typedef enum bench_type { BENCH_I32, BENCH_F32, BENCH_TYPES } bench_type;

enum {
    BENCH_ITEM_BYTES = 4,    // of both types
    BENCH_RESULT_BYTES = 64  // device memory each competitor writes its result to
};

typedef union bench_scalar {
    int32_t i32;
    float f32;
} bench_scalar;

// What a reduction gave: the value, and for argmin its index.
typedef struct bench_result {
    bench_scalar value;
    int64_t index;
} bench_result;

// One reduction of d_in[0..count) on a stream. All memory is borrowed.
typedef struct bench_job {
    bench_op op;
    bench_type type;
    const void *d_in;
    int64_t count;
    void *d_out;  // [BENCH_RESULT_BYTES]
    void *d_scratch;
    size_t scratch_bytes;
    int multiprocessors;
    cudaStream_t stream;
} bench_job;

// A competitor. `run` only enqueues work; it may be captured into a graph.
typedef struct bench_competitor {
    char name[40];
    int form, unroll;  // of the historical kernels
    int block;         // of ours
    bool is_cub;       // CUB: ratios are taken to it
    cudaError_t (*run)(const struct bench_competitor *self, const bench_job *job);
    // Bytes of device memory that run() needs for this job; they are zeroed once, before the first run.
    cudaError_t (*scratch_bytes)(const struct bench_competitor *self, const bench_job *job, size_t *bytes);
    // Makes the result from the BENCH_RESULT_BYTES that run() wrote; NULL: there is no result.
    bench_result (*read)(const void *out, bench_op op, bench_type type);
    double published_ms, published_gb_s, published_share;  // from the thesis, on its chip; 0: none
} bench_competitor;

// ours.c, cub.cu, historical.cu, kernels.cu
bench_competitor bench_ours(int block);  // threads of a block; 0: the library chooses
bench_competitor bench_cub(void);
bench_competitor bench_empty(void);  // one launch that does nothing: the least that the clocks can show
int bench_cub_version(void);         // 300001: 3.0.1

// kernels.cu
// Fills d_data[0..count) with the values of data.h.
cudaError_t bench_fill(bench_type type, void *d_data, int64_t count, cudaStream_t stream);
// Keeps the stream busy for `ns` nanoseconds.
cudaError_t bench_hold(unsigned long long ns, cudaStream_t stream);

// The values of data.h reduced on the host, in the order of the index. A user may need only some of them.
typedef struct bench_reference {
    int64_t count;
    bench_scalar value[BENCH_TYPES][BENCH_ARGMIN];  // sum, min, max; the sum of i32 modulo 2^32
    int64_t argmin[BENCH_TYPES];                    // the index of the first minimum
} bench_reference;

// Fills the rows. Their counts must ascend.
void bench_reference_fill(bench_reference *rows, int row_count);

#ifdef __cplusplus
}
#endif
#endif
