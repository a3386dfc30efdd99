// SPDX-License-Identifier: MIT
// Historical reductions, from the thesis' description of them (chapter 6): Harris' seven steps (2007),
// Luitjens' shuffles (2014), Catanzaro's two stages (2010), and the thesis' own unrolled, branch-free form.
//
// All forms use blocks of 256 threads and read 4 bytes for each item. K1..K6 write one partial result for each 256
// items (K4..K6: 512) and are launched again on the partial results until one is left. The others have a grid that
// fills the chip (fewer blocks if items are few) and a second launch of one block. A measurement takes all launches.
// Places past the end count as the identity. Indices are unsigned: at most 2^31 items and grid strides below 2^27
// cannot overflow.
#include "historical.h"

#include <climits>
#include <cstring>

enum { THREADS = 256, WARP = 32, RESIDENT_THREADS = 2048 /* of a multiprocessor, sm_80 and sm_90 */ };
static const unsigned ALL_LANES = 0xffffffffu;
static const int64_t MAX_COUNT = (int64_t)1 << 31;

// ---- Operators. min and max are selects, not the thesis' sums of products (a < b) * a + (a >= b) * b, in
// which an infinity makes 0 * inf = NaN.

template <class T> static __device__ T lowest_of();
template <class T> static __device__ T highest_of();
template <> __device__ int32_t lowest_of<int32_t>() { return INT_MIN; }
template <> __device__ int32_t highest_of<int32_t>() { return INT_MAX; }
template <> __device__ float lowest_of<float>() { return -__int_as_float(0x7f800000); }  // infinity
template <> __device__ float highest_of<float>() { return __int_as_float(0x7f800000); }

static __device__ int32_t add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static __device__ float add(float a, float b) { return a + b; }

template <class T> struct sum_of {
    typedef T item;
    static __device__ T identity() { return 0; }
    static __device__ T join(T a, T b) { return add(a, b); }
};
template <class T> struct min_of {
    typedef T item;
    static __device__ T identity() { return highest_of<T>(); }
    static __device__ T join(T a, T b) { return a < b ? a : b; }
};
template <class T> struct max_of {
    typedef T item;
    static __device__ T identity() { return lowest_of<T>(); }
    static __device__ T join(T a, T b) { return a > b ? a : b; }
};

#define ITEM typename Op::item

// ---- Harris' steps

// K1. A thread loads one item to shared memory. At distance s = 1, 2, 4, ... the threads whose number is divisible by 2
// s add. Thesis, table 6.1: 8.054 ms. It is slow because of the remainder and of warps with few active threads.
// Hazards: none beyond the end of the data.
template <class Op> static __global__ void harris_1(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[THREADS];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s_part[t] = i < count ? in[i] : Op::identity();
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0)
            s_part[t] = Op::join(s_part[t], s_part[t + s]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s_part[0];
}

// K2. Like K1, but the first threads of the block are active: thread t works at 2 s t. This avoids divergence, but has
// bank conflicts. Thesis: 3.456 ms. Hazards: none.
template <class Op> static __global__ void harris_2(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[THREADS];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s_part[t] = i < count ? in[i] : Op::identity();
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned place = 2 * s * t;
        if (place < blockDim.x)
            s_part[place] = Op::join(s_part[place], s_part[place + s]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s_part[0];
}

// K3. Distances go down from half the block, so neighbours read neighbours: no bank conflicts.
// Thesis: 1.722 ms. Hazards: none.
template <class Op> static __global__ void harris_3(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[THREADS];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s_part[t] = i < count ? in[i] : Op::identity();
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            s_part[t] = Op::join(s_part[t], s_part[t + s]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s_part[0];
}

// A thread joins two items while loading, so half as many blocks are needed (K4 to K6).
template <class Op> static __device__ ITEM load_two(const ITEM *in, unsigned count)
{
    unsigned i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    ITEM a = i < count ? in[i] : Op::identity();
    return i + blockDim.x < count ? Op::join(a, in[i + blockDim.x]) : a;
}

// K4. K3 with the first operation done while loading. Thesis: 0.965 ms. Hazard mended: the second load has its own
// bound.
template <class Op> static __global__ void harris_4(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[THREADS];
    unsigned t = threadIdx.x;
    s_part[t] = load_two<Op>(in, count);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            s_part[t] = Op::join(s_part[t], s_part[t + s]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s_part[0];
}

// The first warp joins the last 64 places without a block barrier (K5 to K7). Hazard mended: the original relies on
// `volatile` and on lock-step, in which all lanes read before one writes. Here a lane reads, the warp meets, the lane
// writes, the warp meets. Lanes at and above the distance join places that no longer count.
template <class Op> static __device__ void join_last_warp(ITEM *s_part, unsigned t)
{
#pragma unroll
    for (unsigned s = WARP; s > 0; s >>= 1) {
        ITEM joined = Op::join(s_part[t], s_part[t + s]);
        __syncwarp();
        s_part[t] = joined;
        __syncwarp();
    }
}

// K5. K4 with the last warp unrolled. Thesis: 0.536 ms. Hazard mended: join_last_warp().
template <class Op> static __global__ void harris_5(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[THREADS];
    unsigned t = threadIdx.x;
    s_part[t] = load_two<Op>(in, count);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > WARP; s >>= 1) {
        if (t < s)
            s_part[t] = Op::join(s_part[t], s_part[t + s]);
        __syncthreads();
    }
    if (t < WARP)
        join_last_warp<Op>(s_part, t);
    if (t == 0)
        out[blockIdx.x] = s_part[0];
}

// The tree of a block whose size is known at compile time, without a loop (K6, K7).
template <class Op, unsigned BLOCK> static __device__ void join_block(ITEM *s_part, unsigned t)
{
#pragma unroll
    for (unsigned s = BLOCK / 2; s > WARP; s >>= 1) {
        if (t < s)
            s_part[t] = Op::join(s_part[t], s_part[t + s]);
        __syncthreads();
    }
    if (t < WARP)
        join_last_warp<Op>(s_part, t);
}

// K6. K5 with all steps unrolled. Thesis: 0.381 ms. Hazard mended: join_last_warp().
template <class Op, unsigned BLOCK> static __global__ void harris_6(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[BLOCK];
    unsigned t = threadIdx.x;
    s_part[t] = load_two<Op>(in, count);
    __syncthreads();
    join_block<Op, BLOCK>(s_part, t);
    if (t == 0)
        out[blockIdx.x] = s_part[0];
}

// K7. K6 with a grid that strides over the data; a thread takes two items in each turn. Thesis: 0.268 ms on the G80;
// table 6.3: 0.17766 ms on the C2075. Hazards mended: the second load has its own bound (the original needs a power of
// two), join_last_warp().
template <class Op, unsigned BLOCK> static __global__ void harris_7(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[BLOCK];
    unsigned t = threadIdx.x, stride = 2 * BLOCK * gridDim.x;
    ITEM mine = Op::identity();
    for (unsigned i = blockIdx.x * (2 * BLOCK) + t; i < count; i += stride) {
        mine = Op::join(mine, in[i]);
        if (i + BLOCK < count)
            mine = Op::join(mine, in[i + BLOCK]);
    }
    s_part[t] = mine;
    __syncthreads();
    join_block<Op, BLOCK>(s_part, t);
    if (t == 0)
        out[blockIdx.x] = s_part[0];
}

// ---- Luitjens' shuffles

template <class Op> static __device__ ITEM join_warp(ITEM mine)
{
#pragma unroll
    for (unsigned s = WARP / 2; s > 0; s >>= 1)
        mine = Op::join(mine, __shfl_down_sync(ALL_LANES, mine, s));
    return mine;
}

// A thread takes one item in each turn of a grid-stride loop. Then a shuffle tree runs in each warp, each warp writes
// to one shared place, and a shuffle tree runs over these. The thesis names this form and gives no figure. Hazard
// mended: all lanes shuffle at once (`_sync`), and every lane reaches the shuffle.
template <class Op> static __global__ void shuffle(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_warp[WARP];
    unsigned t = threadIdx.x, lane = t % WARP, stride = blockDim.x * gridDim.x;
    ITEM mine = Op::identity();
    for (unsigned i = blockIdx.x * blockDim.x + t; i < count; i += stride)
        mine = Op::join(mine, in[i]);
    mine = join_warp<Op>(mine);
    if (lane == 0)
        s_warp[t / WARP] = mine;
    __syncthreads();
    if (t < WARP) {
        mine = lane < blockDim.x / WARP ? s_warp[lane] : Op::identity();
        mine = join_warp<Op>(mine);
        if (t == 0)
            out[blockIdx.x] = mine;
    }
}

// ---- Catanzaro's two stages, and the thesis' form of them

// Catanzaro's kernel, used for both stages: (1) each thread strides over the data into a private value, (2) writes it
// to shared memory, (3) the block joins the values in a tree with barriers, (4) and writes its result. The thesis' F =
// 1: 0.24978 ms on the R9 290X. Hazards: none.
template <class Op> static __global__ void catanzaro(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[THREADS];
    unsigned t = threadIdx.x, stride = blockDim.x * gridDim.x;
    ITEM mine = Op::identity();
    for (unsigned i = blockIdx.x * blockDim.x + t; i < count; i += stride)
        mine = Op::join(mine, in[i]);
    s_part[t] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            s_part[t] = Op::join(s_part[t], s_part[t + s]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s_part[0];
}

// The thesis' tree has no branch: every thread joins at every step and keeps its value where the flag is 0. Hazards
// mended: the original has no barrier at all, which is a race outside of one wave-front in lock-step. Here the steps go
// between two rows of shared memory, so one barrier for each step is enough. The flag selects (the original multiplies:
// 0 * inf = NaN).
template <class Op> static __device__ ITEM join_branch_free(ITEM mine, ITEM (*s_part)[THREADS])
{
    unsigned t = threadIdx.x, row = 0;
#pragma unroll
    for (unsigned s = THREADS / 2; s > 0; s >>= 1) {
        s_part[row][t] = mine;
        __syncthreads();
        bool flag = t < s;
        ITEM joined = Op::join(mine, s_part[row][t + (flag ? s : 0)]);
        mine = flag ? joined : mine;
        row ^= 1;
    }
    return mine;
}

// The thesis' method: each thread takes UNROLL consecutive items, under predicates instead of a branch at the bound.
// Then comes the branch-free tree. Table 6.2 (R9 290X): F = 1 0.24978 ms, F = 8 0.08949 ms, F = 16 0.08816 ms; table
// 6.3 (C2075): F = 8 0.17867 ms. Hazards mended: with predicate 0 a thread reads item 0 (the original reads past the
// end) and selects the identity (the original multiplies by it).
template <class Op, unsigned UNROLL> static __global__ void thesis(const ITEM *in, unsigned count, ITEM *out)
{
    __shared__ ITEM s_part[2][THREADS];
    unsigned stride = blockDim.x * gridDim.x * UNROLL;
    ITEM mine = Op::identity();
    for (unsigned place = (blockIdx.x * blockDim.x + threadIdx.x) * UNROLL; place < count; place += stride) {
        ITEM group = in[place];
#pragma unroll
        for (unsigned j = 1; j < UNROLL; j++) {
            bool flag = place + j < count;
            ITEM item = in[flag ? place + j : 0];
            group = Op::join(group, flag ? item : Op::identity());
        }
        mine = Op::join(mine, group);
    }
    mine = join_branch_free<Op>(mine, s_part);
    if (threadIdx.x == 0)
        out[blockIdx.x] = mine;
}

// ---- Launchers

template <class Op> struct kernel_of {
    typedef void (*function)(const ITEM *in, unsigned count, ITEM *out);
};

template <class Op> static typename kernel_of<Op>::function thesis_kernel(int unroll)
{
    static const typename kernel_of<Op>::function by_unroll[HISTORICAL_UNROLL_MAX] = {
        thesis<Op, 1>,  thesis<Op, 2>,  thesis<Op, 3>,  thesis<Op, 4>,  thesis<Op, 5>,  thesis<Op, 6>,
        thesis<Op, 7>,  thesis<Op, 8>,  thesis<Op, 9>,  thesis<Op, 10>, thesis<Op, 11>, thesis<Op, 12>,
        thesis<Op, 13>, thesis<Op, 14>, thesis<Op, 15>, thesis<Op, 16>};
    return unroll >= 1 && unroll <= HISTORICAL_UNROLL_MAX ? by_unroll[unroll - 1] : NULL;
}

template <class Op> static typename kernel_of<Op>::function kernel_for(int form, int unroll)
{
    switch (form) {
    case HISTORICAL_HARRIS_1:
        return harris_1<Op>;
    case HISTORICAL_HARRIS_2:
        return harris_2<Op>;
    case HISTORICAL_HARRIS_3:
        return harris_3<Op>;
    case HISTORICAL_HARRIS_4:
        return harris_4<Op>;
    case HISTORICAL_HARRIS_5:
        return harris_5<Op>;
    case HISTORICAL_HARRIS_6:
        return harris_6<Op, THREADS>;
    case HISTORICAL_HARRIS_7:
        return harris_7<Op, THREADS>;
    case HISTORICAL_SHUFFLE:
        return shuffle<Op>;
    case HISTORICAL_CATANZARO:
        return catanzaro<Op>;
    case HISTORICAL_THESIS:
        return thesis_kernel<Op>(unroll);
    default:
        return NULL;
    }
}

static unsigned blocks_for(unsigned count, unsigned items_per_block)
{
    return (unsigned)(((int64_t)count + items_per_block - 1) / items_per_block);
}

// K1..K6: launched again on the partial results of the launch before, until one block gives the result.
template <class Op> static cudaError_t repeat_launches(const bench_competitor *self, const bench_job *job)
{
    typename kernel_of<Op>::function kernel = kernel_for<Op>(self->form, 0);
    const ITEM *from = (const ITEM *)job->d_in;
    ITEM *room = (ITEM *)job->d_scratch;
    unsigned left = (unsigned)job->count, per_block = self->form >= HISTORICAL_HARRIS_4 ? 2 * THREADS : THREADS;
    for (;;) {
        unsigned blocks = blocks_for(left, per_block);
        ITEM *to = blocks == 1 ? (ITEM *)job->d_out : room;
        kernel<<<blocks, THREADS, 0, job->stream>>>(from, left, to);
        cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess || blocks == 1)
            return error;
        from = to;
        room += blocks;
        left = blocks;
    }
}

// The others: a grid that fills the chip, then one block on its results.
template <class Op> static cudaError_t two_launches(const bench_competitor *self, const bench_job *job)
{
    typename kernel_of<Op>::function kernel = kernel_for<Op>(self->form, self->unroll);
    typename kernel_of<Op>::function last = kernel_for<Op>(self->form, 1);
    unsigned per_thread = self->form == HISTORICAL_HARRIS_7 ? 2 : self->unroll > 1 ? (unsigned)self->unroll : 1;
    unsigned blocks = blocks_for((unsigned)job->count, THREADS * per_thread);
    unsigned resident = (unsigned)job->multiprocessors * (RESIDENT_THREADS / THREADS);
    blocks = blocks < resident ? blocks : resident;
    ITEM *d_out = (ITEM *)job->d_out, *d_part = blocks == 1 ? d_out : (ITEM *)job->d_scratch;
    kernel<<<blocks, THREADS, 0, job->stream>>>((const ITEM *)job->d_in, (unsigned)job->count, d_part);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess || blocks == 1)
        return error;
    last<<<1, THREADS, 0, job->stream>>>(d_part, blocks, d_out);
    return cudaGetLastError();
}

template <class Op> static cudaError_t launch(const bench_competitor *self, const bench_job *job)
{
    if (kernel_for<Op>(self->form, self->unroll) == NULL)
        return cudaErrorInvalidValue;
    return self->form <= HISTORICAL_HARRIS_6 ? repeat_launches<Op>(self, job) : two_launches<Op>(self, job);
}

template <class T> static cudaError_t launch_op(const bench_competitor *self, const bench_job *job)
{
    switch (job->op) {
    case BENCH_SUM:
        return launch<sum_of<T>>(self, job);
    case BENCH_MIN:
        return launch<min_of<T>>(self, job);
    case BENCH_MAX:
        return launch<max_of<T>>(self, job);
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t historical_run(const bench_competitor *self, const bench_job *job)
{
    if (job->count < 1 || job->count > MAX_COUNT)
        return cudaErrorInvalidValue;
    return job->type == BENCH_I32 ? launch_op<int32_t>(self, job) : launch_op<float>(self, job);
}

static cudaError_t historical_scratch(const bench_competitor *, const bench_job *job, size_t *bytes)
{
    // K1..K3 leave n / 256 + n / 256^2 + ... partial results: at most four terms, each rounded up. The others leave one
    // for each resident block.
    enum { TERMS = 4 };
    size_t repeated = (size_t)job->count / (THREADS - 1) + TERMS;
    size_t resident = (size_t)job->multiprocessors * (RESIDENT_THREADS / THREADS);
    *bytes = BENCH_ITEM_BYTES * (repeated + resident);
    return cudaSuccess;
}

static bench_result historical_read(const void *out, bench_op, bench_type)
{
    bench_result r = {};
    memcpy(&r.value, out, sizeof r.value);
    return r;
}

static void name_form(char *name, size_t size, historical_form form, int unroll)
{
    if (form <= HISTORICAL_HARRIS_7)
        snprintf(name, size, "Harris K%d", (int)form);
    else if (form == HISTORICAL_SHUFFLE)
        snprintf(name, size, "shuffle (Luitjens)");
    else if (form == HISTORICAL_CATANZARO)
        snprintf(name, size, "Catanzaro two-stage");
    else
        snprintf(name, size, "thesis F=%d", unroll);
}

bench_competitor bench_historical(historical_form form, int unroll)
{
    bench_competitor c = {};
    name_form(c.name, sizeof c.name, form, unroll);
    c.form = form;
    c.unroll = unroll;
    c.run = historical_run;
    c.scratch_bytes = historical_scratch;
    c.read = historical_read;
    return c;
}
