// SPDX-License-Identifier: MIT
// Kernels of the waste form (guillotine/waste.h). Reference: guillotine/ref.c.
#include "guillotine/waste_cells.cuh"
#include "guillotine/waste_tile.cuh"
#include "guillotine/waste_trace.cuh"

namespace waste {

// ---- Begin

constexpr int FILL_THREADS = 256;

// A thread writes 16 bytes at a time. Limit: the bandwidth of device memory.
__global__ void __launch_bounds__(FILL_THREADS) fill(uint4 *to, int64_t count, uint32_t value)
{
    const int64_t stride = (int64_t)gridDim.x * FILL_THREADS;
    for (int64_t k = blockIdx.x * (int64_t)FILL_THREADS + threadIdx.x; k < count; k += stride)
        to[k] = make_uint4(value, value, value, value);
}

// ---- Cuts

// Lists the stages of a unit that have strips, in ascending order. A warp looks at 32 stages at a time.
struct stage_list {
    uint32_t mine, open;  // strips of the stage of this thread; stages of the warp that are still to come
    int base;

    DEVICE bool next(const unit_thread &t, int *stage, uint32_t *mask)
    {
        const int lane = threadIdx.x % WARP, stages = t.stages();
        while (open == 0) {
            base += WARP;
            if (base >= stages)
                return false;
            mine = base + lane < stages ? t.strips_of(base + lane) : 0;
            open = __ballot_sync(ALL_LANES, mine != 0);
        }
        const int first = __ffs((int)open) - 1;
        open &= open - 1;
        *stage = base + first;
        *mask = __shfl_sync(ALL_LANES, mine, first);
        return true;
    }
};

// A block has a unit: 64 targets times 16 vectors of lanes. A thread has 8 targets times one vector of 8 lanes. Shared
// memory: 48 KiB, a ring of ten chunks of 16 rows and two stages of 16 strips. For an octet of dense strips a thread
// does 256 packed additions with minimum and 16 loads of 16 bytes from shared memory; for a single strip it does 32
// additions and 9 loads. Limit: integer arithmetic, or shared memory where strips are sparse.
__global__ void __launch_bounds__(UNIT_THREADS, 4) relax_units(const __grid_constant__ guillotine_waste_tables tables,
                                                               const __grid_constant__ guillotine_waste_step step)
{
    __shared__ uint4 s_rows[RING * CHUNK_VECTORS], s_strips[2 * CHUNK_VECTORS];
    waste_unit unit;
    if (!find_unit(tables, step, blockIdx.x, blockIdx.y, blockIdx.z, &unit))
        return;
    unit_thread t(tables, unit, threadIdx.x);
    stage_list list = {0, 0, -32};
    int stage, next_stage = 0, lowest = CHUNKS - 1, strips = 0;
    uint32_t mask, next_mask = 0;
    if (!list.next(t, &stage, &mask))
        return;
    t.bring_stage(s_rows, s_strips, stage, CHUNKS, lowest, mask);
    for (int buffer = 0;; buffer ^= 1) {
        const bool has_next = list.next(t, &next_stage, &next_mask);
        copies_wait_all();
        __syncthreads();  // the stage has arrived, and all threads are done with the stage before
        int next_lowest = lowest;
        if (has_next) {
            const int ahead = next_stage - stage < CHUNKS ? next_stage - stage : CHUNKS;
            next_lowest = lowest + ahead < RING ? lowest + ahead : lowest + ahead - RING;
            t.bring_stage(s_rows, s_strips + (buffer ^ 1) * CHUNK_VECTORS, next_stage, ahead, next_lowest, next_mask);
        }
        t.relax_stage(s_rows, s_strips + buffer * CHUNK_VECTORS, lowest, mask);
        strips += __popc(mask);
        if (!has_next)
            break;
        if (next_stage != stage + 1)
            t.is_warm = false;
        stage = next_stage;
        mask = next_mask;
        lowest = next_lowest;
    }
    t.lower_own();
    if (threadIdx.x == 0)
        atomicAdd(tables.sums, (unsigned long long)(strips * t.sums_of_one()));
}

// ---- Cells

// A block has a chunk of x times a chunk of y, at most 64 x 64 cells. Traffic: the cells of both tables are read and
// written once. Limit: latency.
__global__ void __launch_bounds__(CELL_THREADS) finish_cells(const __grid_constant__ guillotine_waste_tables tables,
                                                             const __grid_constant__ guillotine_waste_step step)
{
    __shared__ shared_cells s;
    const guillotine_waste_chunk x = tables.axis[0].chunks[step.chunks_first + blockIdx.x];
    const int32_t *chunks_of = tables.axis[1].chunks_of + step.step - x.band;
    const int32_t number = chunks_of[0] + (int32_t)blockIdx.y;
    if (number >= chunks_of[1])
        return;
    const cell_thread t = {tables, x, tables.axis[1].chunks[number], (int)threadIdx.x};
    t.read_axes(s);
    __syncthreads();
    t.read_mirror(s);
    __syncthreads();
    t.merge(s);
    __syncthreads();
    t.mark_x(s);
    t.mark_y(s);
    __syncthreads();
    t.set_strips(s);
}

}  // namespace waste

cudaError_t guillotine_launch_waste_begin(const guillotine_waste_tables *tables, size_t strips_bytes, cudaStream_t stream)
{
    constexpr unsigned int BLOCKS = 2048;
    const uint32_t cap = (uint32_t)tables->cap;
    for (int axis = 0; axis < 2; axis++) {
        const guillotine_waste_axis &a = tables->axis[axis];
        const int64_t vectors = (a.side + (int64_t)1) * tables->axis[1 - axis].pitch / GUILLOTINE_WASTE_VECTOR;
        waste::fill<<<BLOCKS, waste::FILL_THREADS, 0, stream>>>(reinterpret_cast<uint4 *>(a.table), vectors, cap << 16 | cap);
    }
    const cudaError_t error = cudaMemsetAsync(tables->axis[0].strips, 0, strips_bytes, stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}

cudaError_t guillotine_launch_waste_step(const guillotine_waste_tables *tables, const guillotine_waste_step *step,
                                         cudaStream_t stream)
{
    const dim3 units((unsigned int)(step->tiles[0] + step->tiles[1]), (unsigned int)step->most_panels,
                     (unsigned int)step->parts);
    const dim3 cells((unsigned int)step->chunks, (unsigned int)step->most_chunks);
    if (step->parts > 0)
        waste::relax_units<<<units, waste::UNIT_THREADS, 0, stream>>>(*tables, *step);
    waste::finish_cells<<<cells, waste::CELL_THREADS, 0, stream>>>(*tables, *step);
    return cudaGetLastError();
}

cudaError_t guillotine_launch_waste_trace(const guillotine_waste_tables *tables, guillotine_trace *d_trace, int32_t capacity,
                                          cudaStream_t stream)
{
    const cudaError_t error = cudaMemsetAsync(d_trace, 0, guillotine_trace_bytes(capacity), stream);
    if (error != cudaSuccess)
        return error;
    waste::start_trace<<<1, 1, 0, stream>>>(*tables, d_trace);
    waste::trace_plan<<<TRACE_BLOCKS, TRACE_THREADS, 0, stream>>>(*tables, d_trace, capacity);
    return cudaGetLastError();
}
