// SPDX-License-Identifier: MIT
// Kernels that fill the tables: the best single pieces, then the units of one step after another. Reference:
// guillotine/ref.c.
#include "guillotine/tile.cuh"
#include "guillotine/trace.cuh"

namespace {

// ---- Single pieces

constexpr int PIECE_THREADS = 128;

// A block has a row of a table or a part of it; a thread has one vector of lanes at a time. Traffic: each vector is
// written once; classes and values of pieces come from the caches. Limit: the bandwidth of device memory.
template <class Lanes>
__global__ void __launch_bounds__(PIECE_THREADS) place_pieces(const __grid_constant__ guillotine_device_tables t, int axis)
{
    using vector = vector_of<Lanes>;
    using lane = typename Lanes::lane;
    const guillotine_device_axis &rows = t.axis[axis], &other = t.axis[1 - axis];
    const int32_t p = blockIdx.x;
    const int64_t own = rows.piece_class[p] * (int64_t)(axis == 0 ? t.class_pitch : 1);
    const int64_t step = axis == 0 ? 1 : t.class_pitch;
    lane *row = static_cast<lane *>(t.table[axis]) + p * other.pitch;
    const int32_t stride = gridDim.y * PIECE_THREADS * vector::COUNT;
    for (int32_t j = (blockIdx.y * PIECE_THREADS + threadIdx.x) * vector::COUNT; j < other.pitch; j += stride) {
        lane v[vector::COUNT];
#pragma unroll
        for (int l = 0; l < vector::COUNT; l++)
            v[l] = j + l < other.count ? (lane)t.best_piece[own + other.piece_class[j + l] * step] : 0;
        uint4 bytes;
        memcpy(&bytes, v, sizeof bytes);
        *reinterpret_cast<uint4 *>(row + j) = bytes;
    }
}

template <class Lanes> cudaError_t launch_pieces(const guillotine_device_tables &t, cudaStream_t stream)
{
    const int64_t a_block = (int64_t)PIECE_THREADS * vector_of<Lanes>::COUNT, most = 64;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t parts = (t.axis[1 - axis].pitch + a_block - 1) / a_block;
        const dim3 grid((unsigned int)t.axis[axis].count, (unsigned int)(parts < most ? parts : most));
        place_pieces<Lanes><<<grid, PIECE_THREADS, 0, stream>>>(t, axis);
    }
    return cudaGetLastError();
}

// ---- Units

// A block has a unit: 64 targets times 16 vectors of lanes, or 8 vectors where bands are short. A thread has 8 targets
// times one vector. Shared memory: 48 KiB (or 24), a ring of 128 rows and two stages of 32 strips. For a stage of 32
// strips, 16 KiB come from the L2 cache, for 32 * 64 * 64 sums (32 bits). For an octet of strips a thread does 256 additions with maximum (32 bits) and 16 loads
// of 16 bytes from shared memory. For a warp, the SM needs 128 cycles for the additions and 64 cycles for the loads.
// Limit: integer arithmetic.
template <class Lanes> DEVICE void relax_unit(unit_thread<Lanes> &t, uint4 *s_rows, uint4 *s_strips,
                                              const typename unit_thread<Lanes>::stage_places &first)
{
    const int stages = t.stages();
    uint32_t mask = first.mask;
    t.bring_stage(s_rows, s_strips, first, 0);
    for (int stage = 0; stage < stages; stage++) {
        typename unit_thread<Lanes>::stage_places next;
        next.mask = 0;
        if (stage + 1 < stages)
            t.find_stage(&next, stage + 1);
        copies_wait_all();
        __syncthreads();  // the stage has arrived, and all threads are done with the stage before
        if (stage + 1 < stages)
            t.bring_stage(s_rows, s_strips, next, stage + 1);
        t.relax_stage(s_rows, s_strips, stage, mask);
        mask = next.mask;
    }
}

// ---- Units of many steps, taken in order

// Thread 0: the next unit, or `count` where none is left or the work must stop.
DEVICE int32_t take_unit(const guillotine_progress &progress, int32_t count)
{
    const int32_t number = atomicAdd(progress.taken, 1);
    const int32_t stop = *(const volatile int32_t *)progress.stop;
    return stop == 0 && number < count ? number : count;
}

constexpr int32_t STOP_LOOKS = 64;

// Thread 0: waits until the unit may begin. Steps end in order (guillotine/gpu_units.h); those up to *known are done.
// False: the work must stop.
DEVICE bool wait_for_steps(const guillotine_unit &unit, const guillotine_progress &progress, int32_t *known)
{
    if (unit.after <= *known)
        return true;
    const volatile int32_t *units_done = &progress.done[unit.after], *stop = progress.stop;
    for (int32_t looks = 1; *units_done < unit.after_units; looks++) {
        if (looks % STOP_LOOKS == 0 && *stop != 0)  // seldom: a second load would double the time of a look
            return false;
        __nanosleep(20);
    }
    __threadfence();
    *known = unit.after;
    return true;
}

// Blocks take units in order until none is left.
//
// Waiting ends. A block takes a unit while it runs, never by its number, so every unit taken is in the hands of a running
// block, whatever number of blocks the GPU runs together. Consider the first unit, in order, that is taken and not done. It
// waits for units of earlier steps alone; these come before it in the order or belong to earlier launches, so they are done.
// Hence it runs and ends. The host can also end all waiting: it sets *stop.
template <class Lanes>
__global__ void __launch_bounds__(unit_thread<Lanes>::THREADS, 4 * GUILLOTINE_VECTORS / Lanes::VECTORS)
    relax_queue(const __grid_constant__ guillotine_device_tables tables, const guillotine_unit *units, int32_t count,
                const __grid_constant__ guillotine_progress progress)
{
    using lane = typename Lanes::lane;
    __shared__ uint4 s_rows[RING * Lanes::VECTORS], s_strips[2 * STAGE * Lanes::VECTORS];
    int32_t *const s_next = reinterpret_cast<int32_t *>(s_strips);  // used between two units
    lane *const s_turn = reinterpret_cast<lane *>(s_rows);
    static_assert(unit_thread<Lanes>::TURN_LANES * sizeof(lane) <= sizeof s_rows, "the results fit");
    int32_t known = -1;
    if (threadIdx.x == 0)
        *s_next = take_unit(progress, count);
    __syncthreads();
    for (int32_t number = *s_next; number < count;) {
        unit_thread<Lanes> t(tables, units[number], threadIdx.x);
        int32_t first_rows[unit_thread<Lanes>::FIRST_ROWS], next = 0;
        typename unit_thread<Lanes>::stage_places first;
        t.find_first(first_rows);
        t.find_stage(&first, 0);
        const bool is_stopped = threadIdx.x == 0 && !wait_for_steps(t.unit, progress, &known);
        if (__syncthreads_or(is_stopped))
            return;
        t.bring_first(s_rows, first_rows);
        relax_unit<Lanes>(t, s_rows, s_strips, first);
        if (threadIdx.x == 0)
            next = take_unit(progress, count);
        t.raise_own();
        __syncthreads();
        t.turn(s_turn);
        if (threadIdx.x == 0)
            *s_next = next;
        __syncthreads();
        number = *s_next;
        t.raise_mirror(s_turn, threadIdx.x);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();  // all that the block has raised is visible before the count
            atomicAdd(&progress.done[t.unit.step], 1);
        }
    }
}

// ---- Plan

template <class T>
cudaError_t launch_trace(const guillotine_device_tables &t, guillotine_trace *d_trace, int32_t capacity, cudaStream_t stream)
{
    const cudaError_t error = cudaMemsetAsync(d_trace, 0, guillotine_trace_bytes(capacity), stream);
    if (error != cudaSuccess)
        return error;
    start_trace<T><<<1, 1, 0, stream>>>(t, d_trace);
    trace_plan<T><<<TRACE_BLOCKS, TRACE_THREADS, 0, stream>>>(t, d_trace, capacity);
    return cudaGetLastError();
}

}  // namespace

cudaError_t guillotine_launch_pieces(const guillotine_device_tables *tables, cudaStream_t stream)
{
    return tables->lane_bytes == 4 ? launch_pieces<lanes_32<GUILLOTINE_VECTORS>>(*tables, stream) : launch_pieces<lanes_64<GUILLOTINE_VECTORS>>(*tables, stream);
}

cudaError_t guillotine_launch_queue(const guillotine_device_tables *tables, const guillotine_unit *d_units, int64_t count,
                                    int64_t blocks, const guillotine_progress *progress, cudaStream_t stream)
{
    const unsigned int grid = (unsigned int)(count < blocks ? count : blocks);
    if (count == 0)
        return cudaSuccess;
    const bool is_narrow = tables->vectors == GUILLOTINE_FEW_VECTORS;
    void (*const kernel)(guillotine_device_tables, const guillotine_unit *, int32_t, guillotine_progress) =
        tables->lane_bytes == 4 ? is_narrow ? relax_queue<lanes_32<GUILLOTINE_FEW_VECTORS>> : relax_queue<lanes_32<GUILLOTINE_VECTORS>>
        : is_narrow             ? relax_queue<lanes_64<GUILLOTINE_FEW_VECTORS>>
                                : relax_queue<lanes_64<GUILLOTINE_VECTORS>>;
    kernel<<<grid, (unsigned int)(tables->vectors * ROW_GROUPS), 0, stream>>>(*tables, d_units, (int32_t)count, *progress);
    return cudaGetLastError();
}

cudaError_t guillotine_launch_trace(const guillotine_device_tables *tables, guillotine_trace *d_trace, int32_t capacity,
                                    cudaStream_t stream)
{
    return tables->lane_bytes == 4 ? launch_trace<int32_t>(*tables, d_trace, capacity, stream)
                                   : launch_trace<int64_t>(*tables, d_trace, capacity, stream);
}
