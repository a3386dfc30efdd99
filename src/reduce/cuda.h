// SPDX-License-Identifier: MIT
// Launchers of the reduction kernels (reduce/cuda.cu), in plain C for the engine and the benchmarks. They
// enqueue on a stream, allocate nothing and do not wait. The caller has made the device current and has
// validated: the operation exists for the type, counts are in range, pointers are aligned to their element.
#ifndef MCO_REDUCE_CUDA_H
#define MCO_REDUCE_CUDA_H

#include <cuda_runtime_api.h>

#include "mco/reduce.h"

MCO_BEGIN_C

// Block sizes a reduction can be launched with; 0 chooses by size.
enum { REDUCE_BLOCK_LEAST = 256, REDUCE_BLOCK_MOST = 1024 };  // powers of two between

typedef struct reduce_launch_args {
    mco_reduce_op op;
    mco_reduce_type type;
    bool is_compensated;  // SUM of F32, F64
    const void *d_data;   // [count]; 16-byte loads where it is aligned to 16 bytes
    int64_t count;        // 0 is fine, except for argmin and argmax
    mco_reduce_value *d_value;  // aligned to 16 bytes
    void *d_scratch;      // [reduce_scratch_bytes()], aligned to 256; zeroed once, before its first launch ever; used by one
                          // launch at a time
    int block;            // threads: 0, 256, 512 or 1024
} reduce_launch_args;

size_t reduce_scratch_bytes(void);

// One launch: the value of d_data [count].
cudaError_t reduce_launch(const reduce_launch_args *args, cudaStream_t stream);

// Chunks [first, first + chunks) of the tree over `total` elements, of which d_data holds those of these
// chunks only: their partial results to d_partials [chunks] (reduce/tree.h). args->count, d_value and d_scratch
// are unused.
struct reduce_partial;
cudaError_t reduce_launch_chunks(const reduce_launch_args *args, int64_t total, int32_t first, int32_t chunks,
                                 struct reduce_partial *d_partials, cudaStream_t stream);

// Segment s is d_data[d_offsets[s] .. d_offsets[s+1]), or without d_offsets
// d_data[s * mean_length .. min((s + 1) * mean_length, args->count)). d_values [segments]. args->d_value is unused;
// args->d_scratch is used where few long segments of equal length are reduced one after another.
cudaError_t reduce_launch_segments(const reduce_launch_args *args, const int64_t *d_offsets, int64_t mean_length,
                                   int64_t segments, mco_reduce_value *d_values, cudaStream_t stream);

// d_data [count] receives generated elements first .. first + count - 1 (mco_reduce_generate).
cudaError_t reduce_launch_generate(mco_reduce_type type, uint64_t seed, int64_t first, int64_t count, void *d_data,
                                   cudaStream_t stream);

MCO_END_C
#endif
