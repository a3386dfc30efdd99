// SPDX-License-Identifier: MIT
// Segmented reduction on a GPU: kernel and launcher. A segment follows the tree of an array of its length
// (reduce/tree.h), so it has the same bits. A warp reduces a segment of one chunk, a block a longer one. The whole GPU
// reduces few long ones in turn. The reference is reduce/ref.c.
#include "reduce/device.cuh"

namespace {

constexpr int SEGMENT_WARPS = REDUCE_TEAM / WARP;  // segments of a block if each has a warp
// If there are fewer segments than FEW_SEGMENTS, of at least LONG_SEGMENT_BYTES each, the whole GPU reduces one after
// another.
constexpr int64_t FEW_SEGMENTS = 256, LONG_SEGMENT_BYTES = 1 << 20;

struct segments_plan {
    const void *data;
    const int64_t *offsets;  // [segments + 1], or NULL if `length` gives the segments
    int64_t length;          // of every segment but the last, if offsets is NULL
    int64_t count;           // elements in `data`
    int64_t segments;
    bool is_short;           // a warp tries each segment first
    mco_reduce_value *values;  // [segments]
};

struct segment {
    int64_t begin, length;
};

DEVICE segment segment_of(const segments_plan &plan, int64_t s)
{
    if (plan.offsets != nullptr) {
        const int64_t begin = __ldg(plan.offsets + s);
        return {begin, __ldg(plan.offsets + s + 1) - begin};
    }
    const int64_t begin = s * plan.length, left = plan.count - begin;
    return {begin, left < plan.length ? left : plan.length};
}

// Reduces one chunk by one warp. Thread 0 of the warp returns the value. If the order matters, a thread holds eight
// vectors of the row.
template <class Op>
DEVICE typename Op::value chunk_by_warp(const typename Op::element *data, int64_t length)
{
    constexpr int FOLD = Op::IS_EXACT ? 1 : REDUCE_TEAM / WARP;
    return warp_value<Op>(thread_value<Op, WARP, FOLD>(data, length, 0, threadIdx.x % WARP));
}

// Reduces one segment of any length by a block of one team, chunk after chunk. If the order does not matter, the
// segment is taken in one piece.
template <class Op>
DEVICE typename Op::value segment_by_block(const typename Op::element *data, int64_t length, typename Op::value *s_values)
{
    const int thread = threadIdx.x;
    typename Op::value *const s_comb = s_values + REDUCE_TEAM;
    const reduce_shape shape = reduce_shape_of(length, sizeof *data);
    __syncthreads();  // the shared values may still be in use by the segment before
    if (Op::IS_EXACT || shape.chunks <= 1)
        return team_value<Op>(thread_value<Op, REDUCE_TEAM, 1>(data, length, 0, thread), s_values, thread);
    s_comb[thread] = Op::none();
    for (int32_t c = 0; c < shape.chunks; c++) {
        const int64_t begin = c * shape.chunk;
        const int64_t chunk = length - begin < shape.chunk ? length - begin : shape.chunk;
        typename Op::value mine = thread_value<Op, REDUCE_TEAM, 1>(data + begin, chunk, begin, thread);
        mine = team_value<Op>(mine, s_values, thread);
        if (thread == 0)
            s_comb[c % REDUCE_TEAM] = Op::combine(s_comb[c % REDUCE_TEAM], mine);
        __syncthreads();
    }
    return team_value<Op>(s_comb[thread], s_values, thread);
}

// A block is one team. Short segments get a warp each, eight in a block; the whole block then takes the long ones among
// them. Long segments get a block each. Shared memory: 512 values. Traffic: every element once; per segment 16 bytes
// written and 16 bytes of offsets read. Limit: device memory. Rate: README.md, Results.
template <class Op> __global__ void __launch_bounds__(REDUCE_TEAM) reduce_segments(const segments_plan plan)
{
    __shared__ bool s_is_long[SEGMENT_WARPS];
    typename Op::value *const s_values = dynamic_shared<typename Op::value>();
    const typename Op::element *data = static_cast<const typename Op::element *>(plan.data);
    constexpr int64_t SHORT = REDUCE_LEAST_ROWS * REDUCE_ROW_BYTES / sizeof *data;  // one chunk
    const int64_t first = (int64_t)blockIdx.x * (plan.is_short ? SEGMENT_WARPS : 1);
    if (plan.is_short) {
        const int warp = threadIdx.x / WARP;
        bool is_long = false;
        if (first + warp < plan.segments) {
            const segment s = segment_of(plan, first + warp);
            is_long = s.length > SHORT;
            if (!is_long) {
                const typename Op::value v = chunk_by_warp<Op>(data + s.begin, s.length);
                if (threadIdx.x % WARP == 0)
                    store(plan.values + first + warp, Op::finish(v));
            }
        }
        if (threadIdx.x % WARP == 0)
            s_is_long[warp] = is_long;
        if (!__syncthreads_or(is_long))
            return;
    }
    for (int k = 0; k < (plan.is_short ? SEGMENT_WARPS : 1); k++) {
        if (plan.is_short && !s_is_long[k])
            continue;
        const segment s = segment_of(plan, first + k);
        const typename Op::value v = segment_by_block<Op>(data + s.begin, s.length, s_values);
        if (threadIdx.x == 0)
            store(plan.values + first + k, Op::finish(v));
    }
}

// ---- Launch

struct segments_kernel {
    void (*kernel)(const segments_plan);
    int value_bytes, element_bytes;
};

struct find_segments_kernel {
    template <class Op> segments_kernel of() const
    {
        return {reduce_segments<Op>, (int)sizeof(typename Op::value), (int)sizeof(typename Op::element)};
    }
    segments_kernel none() const { return {nullptr, 0, 0}; }
};

// Reduces few long segments of equal length in turn, each by the whole GPU.
cudaError_t launch_one_by_one(const reduce_launch_args *args, int64_t length, int element_bytes, int64_t segments,
                                     mco_reduce_value *d_values, cudaStream_t stream)
{
    reduce_launch_args one = *args;
    for (int64_t s = 0; s < segments; s++) {
        const int64_t begin = s * length, left = args->count - begin;
        one.d_data = static_cast<const unsigned char *>(args->d_data) + begin * element_bytes;
        one.count = left < length ? left : length;
        one.d_value = d_values + s;
        const cudaError_t error = reduce_launch(&one, stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t reduce_launch_segments(const reduce_launch_args *args, const int64_t *d_offsets, int64_t mean_length,
                                   int64_t segments, mco_reduce_value *d_values, cudaStream_t stream)
{
    const segments_kernel k = visit(args, find_segments_kernel());
    if (k.kernel == nullptr)
        return cudaErrorInvalidValue;
    if (segments == 0)
        return cudaSuccess;
    if (d_offsets == nullptr && segments < FEW_SEGMENTS && mean_length * k.element_bytes >= LONG_SEGMENT_BYTES)
        return launch_one_by_one(args, mean_length, k.element_bytes, segments, d_values, stream);
    const bool is_short = mean_length * k.element_bytes <= REDUCE_LEAST_ROWS * REDUCE_ROW_BYTES;
    const segments_plan plan = {args->d_data, d_offsets, mean_length, args->count, segments, is_short, d_values};
    const int64_t grid = is_short ? reduce_ceil_div(segments, SEGMENT_WARPS) : segments;
    return launch(k.kernel, (unsigned int)grid, REDUCE_TEAM, (size_t)(2 * REDUCE_TEAM * k.value_bytes), stream, plan);
}
