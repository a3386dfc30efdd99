// SPDX-License-Identifier: MIT
// Launchers of the reduction kernels (reduce/cuda.cu), in plain C for the engine and the benchmarks. They enqueue on a
// stream, allocate nothing and do not wait. The caller makes the device current. The caller also makes sure that the
// operation exists for the type, that counts are in range, and that pointers are aligned to their element.
#ifndef MCO_REDUCE_CUDA_H
#define MCO_REDUCE_CUDA_H

#include <cuda_runtime_api.h>

#include "mco/reduce.h"

MCO_BEGIN_C

// Block sizes of a reduction: the powers of two from LEAST to MOST; 0 chooses by size.
enum { REDUCE_BLOCK_LEAST = 256, REDUCE_BLOCK_MOST = 1024 };

typedef struct reduce_launch_args {
    mco_reduce_op op;
    mco_reduce_type type;
    bool is_compensated;  // SUM of F32, F64
    const void *d_data;   // [count]; read by 16-byte loads if it is aligned to 16 bytes
    int64_t count;        // 0 is allowed, except for argmin and argmax
    mco_reduce_value *d_value;  // aligned to 16 bytes
    void *d_scratch;      // [reduce_scratch_bytes()], aligned to 256; the caller zeroes it once before the first launch
                          // ever; only one launch at a time uses it
    int block;            // threads: 0, 256, 512 or 1024
    bool overlaps;        // the device can begin a kernel before the one ahead of it ends
} reduce_launch_args;

size_t reduce_scratch_bytes(void);

// Writes the value of d_data [count] to d_value, in one launch.
cudaError_t reduce_launch(const reduce_launch_args *args, cudaStream_t stream);

// Writes the partial results of chunks [first, first + chunks) of the tree over `total` elements (reduce/tree.h) to
// d_partials [chunks]. d_data holds the elements of these chunks only. args->count, d_value and d_scratch are unused.
struct reduce_partial;
cudaError_t reduce_launch_chunks(const reduce_launch_args *args, int64_t total, int32_t first, int32_t chunks,
                                 struct reduce_partial *d_partials, cudaStream_t stream);

// Writes the values of all segments to d_values [segments]. Segment s is d_data[d_offsets[s] .. d_offsets[s+1]). If
// d_offsets is NULL it is d_data[s * mean_length .. min((s + 1) * mean_length, args->count)). args->d_value is unused.
// args->d_scratch is used only for few long segments of equal length, which are reduced one after another.
cudaError_t reduce_launch_segments(const reduce_launch_args *args, const int64_t *d_offsets, int64_t mean_length,
                                   int64_t segments, mco_reduce_value *d_values, cudaStream_t stream);

// Writes the generated elements first .. first + count - 1 (mco_reduce_generate) to d_data [count].
cudaError_t reduce_launch_generate(mco_reduce_type type, uint64_t seed, int64_t first, int64_t count, void *d_data,
                                   cudaStream_t stream);

MCO_END_C
#endif
