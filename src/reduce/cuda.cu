// SPDX-License-Identifier: MIT
// Reduction of a whole array on a GPU: kernels and launchers. One launch gives the value. Every team of 256 threads
// reduces a chunk of the fixed tree (reduce/tree.h). The block that finishes last takes the chunks' partial results
// through the comb (Harris, Optimizing Parallel Reduction in CUDA, 2007; Luitjens 2014 for the shuffles). The ticket
// that finds the last block wraps back to 0 by itself, so the launch can be repeated and captured into a graph.
//
// Invariants: the kernels follow the tree for every block size and alignment. Before the last block, only the scratch
// is written. A partial result is published before the ticket that announces it. The reference is reduce/ref.c.
#include "reduce/device.cuh"

namespace {

constexpr int TEAMS_MOST = REDUCE_BLOCK_MOST / REDUCE_TEAM;

// The number of tickets drawn before, which wraps back to 0 behind `last`. Others see the stores of this thread before its
// ticket, and what the threads of this block read after the next barrier are the stores before earlier tickets. A ticket
// with two full fences around it takes 0.5 us longer.
DEVICE unsigned int draw_ticket(unsigned int *ticket, unsigned int last)
{
    unsigned int before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(ticket), "r"(last) : "memory");
    return before;
}

// This thread's tooth of the comb over partials[0..count).
template <class Op> DEVICE typename Op::value comb_value(const reduce_partial *partials, int count, int thread)
{
    typename Op::value mine = Op::none();
    for (int c = thread; c < count; c += PARTIALS_IN_FLIGHT * REDUCE_TEAM) {
        uint4 bits[PARTIALS_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < PARTIALS_IN_FLIGHT; u++)
            if (c + u * REDUCE_TEAM < count)
                bits[u] = __ldcg(reinterpret_cast<const uint4 *>(partials + c + u * REDUCE_TEAM));
#pragma unroll
        for (int u = 0; u < PARTIALS_IN_FLIGHT; u++)
            if (c + u * REDUCE_TEAM < count) {
                reduce_partial p;
                memcpy(&p, &bits[u], sizeof p);
                mine = Op::combine(mine, Op::unpack(p));
            }
    }
    return mine;
}

// ---- Whole arrays

struct chunks_plan {
    const void *data;
    int64_t length;  // elements in `data`
    int64_t chunk;   // elements of a chunk
    int64_t first;   // index of data[0] in the array
    int32_t chunks;
    reduce_partial *partials;  // [chunks]
    unsigned int *ticket;      // NULL: the partial results are the answer
    mco_reduce_value *value;
};

// A block is 1, 2 or 4 teams of 256 threads. A team has a chunk; thread t of a team has vector t of every row. Shared
// memory: 256 values per team. Traffic: every element once, and 16 bytes written and read per chunk. Operations per
// element: 1 (sum, min, bits) to 7 (compensated); an H200 can do 20 in the time of the memory traffic. Limit: device
// memory. Rate: README.md, Results.
template <class Op> __global__ void __launch_bounds__(REDUCE_BLOCK_MOST) reduce_chunks(const chunks_plan plan)
{
    __shared__ bool s_is_last;
    const int thread = threadIdx.x % REDUCE_TEAM, team = threadIdx.x / REDUCE_TEAM, teams = blockDim.x / REDUCE_TEAM;
    const int32_t chunk = blockIdx.x * teams + team;
    typename Op::value *const s_all = dynamic_shared<typename Op::value>(), *const s_values = s_all + team * REDUCE_TEAM;
    typename Op::value mine = Op::none();
    wait_for_kernel_before();
    if (chunk < plan.chunks) {
        const int64_t begin = chunk * plan.chunk;
        const int64_t length = plan.length - begin < plan.chunk ? plan.length - begin : plan.chunk;
        const typename Op::element *data = static_cast<const typename Op::element *>(plan.data) + begin;
        mine = thread_value<Op, REDUCE_TEAM, 1>(data, length, plan.first + begin, thread);
    }
    let_next_begin();  // earlier, the next launch's blocks would disturb the loads: up to 0.1 of a call
    mine = team_value<Op>(mine, s_values, thread);

    if (plan.ticket != nullptr && gridDim.x == 1) {
        // The comb of at most four chunks. Its other teeth are empty.
        if (teams > 1) {
            __syncthreads();
            if (thread == 0)
                s_values[0] = mine;
            __syncthreads();
            typename Op::value v[TEAMS_MOST];
            for (int t = 0; t < TEAMS_MOST; t++)
                v[t] = t < teams ? s_all[t * REDUCE_TEAM] : Op::none();
            mine = Op::combine(Op::combine(v[0], v[2]), Op::combine(v[1], v[3]));
        }
        if (threadIdx.x == 0)
            store(plan.value, Op::finish(mine));
        return;
    }

    if (thread == 0 && chunk < plan.chunks)
        store(plan.partials + chunk, Op::pack(mine));
    if (plan.ticket == nullptr)
        return;
    if (teams > 1)
        __syncthreads();
    if (threadIdx.x == 0) {
        s_is_last = draw_ticket(plan.ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!s_is_last)
        return;
    mine = threadIdx.x < REDUCE_TEAM ? comb_value<Op>(plan.partials, plan.chunks, thread) : Op::none();
    mine = team_value<Op>(mine, s_values, thread);
    if (threadIdx.x == 0)
        store(plan.value, Op::finish(mine));
}

// One chunk: one team, without the code for several chunks. Every instruction counts, because the whole kernel takes
// only some two thousand cycles.
template <class Op>
__global__ void __launch_bounds__(REDUCE_TEAM) reduce_chunk(const void *data, int length, mco_reduce_value *value)
{
    __shared__ __align__(16) unsigned char s_bytes[REDUCE_TEAM * sizeof(typename Op::value)];
    let_next_begin();
    wait_for_kernel_before();
    typename Op::value mine = thread_value<Op, REDUCE_TEAM, 1, REDUCE_LEAST_ROWS>(
        static_cast<const typename Op::element *>(data), length, 0, threadIdx.x);
    mine = team_value<Op>(mine, reinterpret_cast<typename Op::value *>(s_bytes), threadIdx.x);
    if (threadIdx.x == 0)
        store(value, Op::finish(mine));
}

// ---- Generated data

DEVICE void set_random(uint32_t *x, uint64_t seed, uint64_t i) { *x = reduce_random_u32(seed, i); }
DEVICE void set_random(uint64_t *x, uint64_t seed, uint64_t i) { *x = reduce_random(seed, i); }
DEVICE void set_random(float *x, uint64_t seed, uint64_t i) { *x = reduce_random_f32(seed, i); }
DEVICE void set_random(double *x, uint64_t seed, uint64_t i) { *x = reduce_random_f64(seed, i); }

// A thread makes elements that lie a whole grid of threads apart. Traffic: every element once. About 12 integer
// operations per element.
template <class T> __global__ void generate(uint64_t seed, int64_t first, int64_t count, T *data)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        set_random(data + i, seed, (uint64_t)(first + i));
}

template <class T>
cudaError_t launch_generate(uint64_t seed, int64_t first, int64_t count, void *d_data, cudaStream_t stream)
{
    const int64_t blocks = reduce_ceil_div(count, REDUCE_TEAM);
    const unsigned int grid = blocks < REDUCE_MAX_CHUNKS ? (unsigned int)blocks : (unsigned int)REDUCE_MAX_CHUNKS;
    return launch(generate<T>, grid, REDUCE_TEAM, 0, stream, seed, first, count, static_cast<T *>(d_data));
}

// ---- Launches

struct chunks_kernel {
    void (*kernel)(const chunks_plan);
    void (*single)(const void *, int, mco_reduce_value *);  // for one chunk
    int value_bytes, element_bytes;
};

struct find_chunks_kernel {
    template <class Op> chunks_kernel of() const
    {
        return {reduce_chunks<Op>, reduce_chunk<Op>, (int)sizeof(typename Op::value), (int)sizeof(typename Op::element)};
    }
    chunks_kernel none() const { return {nullptr, nullptr, 0, 0}; }
};

// At most four chunks: one block with a team for each chunk, and no ticket. More chunks: a block for each.
int choose_block(int32_t chunks)
{
    int block = REDUCE_TEAM;
    if (chunks > TEAMS_MOST)
        return block;
    while (block < chunks * REDUCE_TEAM)
        block *= 2;
    return block;
}

cudaError_t launch_chunks(const chunks_kernel &k, const chunks_plan &plan, int block, bool overlaps, cudaStream_t stream)
{
    block = block != 0 ? block : choose_block(plan.chunks);
    if (block < REDUCE_BLOCK_LEAST || block > REDUCE_BLOCK_MOST || (block & (block - 1)) != 0)
        return cudaErrorInvalidValue;
    const int teams = block / REDUCE_TEAM;
    const int64_t grid = plan.chunks > 0 ? reduce_ceil_div(plan.chunks, teams) : 1;
    return launch_behind(overlaps, k.kernel, (unsigned int)grid, (unsigned int)block, (size_t)(block * k.value_bytes), stream, plan);
}

// The ticket lies in the scratch behind the partial results.
constexpr size_t TICKET_AT = REDUCE_MAX_CHUNKS * sizeof(reduce_partial);

}  // namespace

size_t reduce_scratch_bytes(void)
{
    return TICKET_AT + 256;
}

cudaError_t reduce_launch(const reduce_launch_args *args, cudaStream_t stream)
{
    const chunks_kernel k = visit(args, find_chunks_kernel());
    if (k.kernel == nullptr)
        return cudaErrorInvalidValue;
    const reduce_shape shape = reduce_shape_of(args->count, k.element_bytes);
    if (shape.chunks <= 1 && args->block == 0)
        return launch_behind(args->overlaps, k.single, 1, REDUCE_TEAM, 0, stream, args->d_data, (int)args->count, args->d_value);
    unsigned char *scratch = static_cast<unsigned char *>(args->d_scratch);
    chunks_plan plan = {args->d_data, args->count, shape.chunk, 0, shape.chunks, reinterpret_cast<reduce_partial *>(scratch),
                        reinterpret_cast<unsigned int *>(scratch + TICKET_AT), args->d_value};
    return launch_chunks(k, plan, args->block, args->overlaps, stream);
}

cudaError_t reduce_launch_chunks(const reduce_launch_args *args, int64_t total, int32_t first, int32_t chunks,
                                 reduce_partial *d_partials, cudaStream_t stream)
{
    const chunks_kernel k = visit(args, find_chunks_kernel());
    if (k.kernel == nullptr)
        return cudaErrorInvalidValue;
    if (chunks == 0)
        return cudaSuccess;
    const reduce_shape shape = reduce_shape_of(total, k.element_bytes);
    const int64_t begin = first * shape.chunk, left = total - begin;
    const int64_t length = left < chunks * shape.chunk ? left : chunks * shape.chunk;
    chunks_plan plan = {args->d_data, length, shape.chunk, begin, chunks, d_partials, nullptr, nullptr};
    return launch_chunks(k, plan, args->block != 0 ? args->block : REDUCE_TEAM, args->overlaps, stream);
}

cudaError_t reduce_launch_generate(mco_reduce_type type, uint64_t seed, int64_t first, int64_t count, void *d_data,
                                   cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    switch (type) {
    case MCO_REDUCE_TYPE_I32:
    case MCO_REDUCE_TYPE_U32: return launch_generate<uint32_t>(seed, first, count, d_data, stream);
    case MCO_REDUCE_TYPE_I64:
    case MCO_REDUCE_TYPE_U64: return launch_generate<uint64_t>(seed, first, count, d_data, stream);
    case MCO_REDUCE_TYPE_F32: return launch_generate<float>(seed, first, count, d_data, stream);
    case MCO_REDUCE_TYPE_F64: return launch_generate<double>(seed, first, count, d_data, stream);
    }
    return cudaErrorInvalidValue;
}
