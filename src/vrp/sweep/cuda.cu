// SPDX-License-Identifier: MIT
// Launchers of the kernels of complete neighbourhoods.
#include "vrp/sweep/cuda.h"

#include "vrp/sweep/closed.cuh"
#include "vrp/sweep/open.cuh"
#include "vrp/sweep/plain.cuh"
#include "vrp/sweep/two_opt.cuh"

namespace vrp {

static unsigned int blocks_for(int64_t items, int64_t of_block)
{
    return (unsigned int)((items + of_block - 1) / of_block);
}

// ---- The approximate root

static __global__ void check_roots(int64_t squares, unsigned int *wrong)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t n = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; n <= squares; n += step) {
        const int64_t k = rounded_root_bits((float)n - 0.25f) - ROUNDER_BITS;
        if (k < 0 || n > k * k + k || (k > 0 && n <= k * k - k))
            atomicAdd(wrong, 1u);
    }
}

// ---- 2-opt

enum { LEAST_ROW_BITS = 4, POSITIONS_OF_ROW = 512, FEW_LANES = 2, MOST_LANES = TWO_OPT_MOST_LANES };

// The tiles of a tour. Small tours have small tiles, so that these fill the machine.
static two_opt_range range_of(int32_t count)
{
    const int32_t width = (count <= SMALL_TOUR ? FEW_LANES : MOST_LANES) * WARP - 1, edges = count - 1;
    int32_t bits = LEAST_ROW_BITS;
    while (count > SMALL_TOUR && 1 << bits < TWO_OPT_MOST_ROWS && count >= POSITIONS_OF_ROW << bits)
        bits++;
    const int32_t columns = (edges - 1 + width - 1) / width, both = ((edges + 2 * width) >> bits) + 2;
    return {bits, columns, both, 0, (int64_t)both * ((columns + 1) / 2), nullptr};
}

// The number of blocks of each launch of a sweep.
template <class P> static unsigned int blocks_of_moves(const vrp_device_two_opt &job)
{
    const int64_t all = blocks_for(range_of(job.count).end, TWO_OPT_WARPS),
                  most = job.count <= SMALL_TOUR ? all : (int64_t)job.multiprocessors * P::BLOCKS,
                  fewer = all < most ? all : most;
    return (unsigned int)(fewer < VRP_DEVICE_TWO_OPT_BLOCKS ? fewer : (int64_t)VRP_DEVICE_TWO_OPT_BLOCKS);
}

template <class P>
static cudaError_t launch_moves(const vrp_device_two_opt &job, const vrp_device_places &places, const two_opt_range &range,
                                cudaStream_t stream)
{
    void (*const few)(vrp_device_two_opt, vrp_device_places, two_opt_range) =
        job.has_length ? two_opt_moves<P, FEW_LANES, true> : two_opt_moves<P, FEW_LANES, false>;
    void (*const most)(vrp_device_two_opt, vrp_device_places, two_opt_range) =
        job.has_length ? two_opt_moves<P, MOST_LANES, true> : two_opt_moves<P, MOST_LANES, false>;
    return launch_behind(job.overlaps, job.count <= SMALL_TOUR ? few : most, blocks_of_moves<P>(job), TWO_OPT_WARPS * WARP, 0,
                         stream, job, places, range);
}

static int32_t sum_threads(int32_t count)
{
    return count <= SMALL_TOUR ? FEW_SUM_THREADS : SUM_THREADS;
}

// What a launch after the moves of side `from` finds.
template <class P> static two_opt_step step_from(const vrp_device_two_opt &job, int from)
{
    return {false, 0, 0, job.side[from], job.side[1 - from], (int32_t)blocks_of_moves<P>(job),
            (int32_t)blocks_for(job.count, sum_threads(job.count))};
}

template <class P>
static cudaError_t launch_begin(const vrp_device_two_opt &job, const vrp_device_places &places, const two_opt_step &step,
                                cudaStream_t stream)
{
    const unsigned int threads = (unsigned int)sum_threads(job.count), blocks = blocks_for(job.count, threads) + 1;
    return launch_behind(job.overlaps, job.count <= SMALL_TOUR ? begin_sweep<P, FEW_SUM_THREADS> : begin_sweep<P, SUM_THREADS>, blocks,
                         threads, 0, stream, job, places, step);
}

// ---- 3-opt

template <class L, bool IS_WHOLE>
static cudaError_t launch_closed(const closed_job &job, int multiprocessors, cudaStream_t stream)
{
    const size_t bytes = closed_shared_bytes(job.tables.rows / TILE);
    const cudaError_t error = allow_shared(closed_tiles<L, IS_WHOLE>, bytes);
    return error != cudaSuccess
               ? error
               : launch(closed_tiles<L, IS_WHOLE>, dim3((unsigned int)multiprocessors), CLOSED_THREADS, bytes, stream, job);
}

template <bool IS_NARROW>
static cudaError_t launch_joins(const vrp_device_tour &tour, const vrp_device_tables &tables, cudaStream_t stream)
{
    const dim3 blocks(blocks_for(tables.columns / (IS_NARROW ? 2 : 1), JOIN_COLUMNS),
                      blocks_for(tables.rows, JOIN_THREAD_ROWS * JOIN_ROWS));
    return launch(fill_joins<IS_NARROW>, blocks, JOIN_COLUMNS * JOIN_THREAD_ROWS, 0, stream, tour, tables);
}

}  // namespace vrp

using namespace vrp;

cudaError_t vrp_launch_grid_check(int64_t squares, unsigned int *wrong, cudaStream_t stream)
{
    const cudaError_t error = cudaMemsetAsync(wrong, 0, sizeof *wrong, stream);
    return error != cudaSuccess ? error : launch(check_roots, dim3(128), 256, 0, stream, squares, wrong);
}

// Calls use(places) with a value of the type that computes distances.
template <class Use> static cudaError_t with_places(vrp_place_kind kind, Use use)
{
    switch (kind) {
    case VRP_PLACES_GRID:
        return use(grid_places{});
    case VRP_PLACES_PLANE:
        return use(plane_places{});
    default:
        return use(matrix_places{});
    }
}

int64_t vrp_two_opt_tallies(int32_t count)
{
    return blocks_for(count, FEW_SUM_THREADS);
}

int64_t vrp_two_opt_tiles(int32_t count)
{
    return range_of(count).end;
}

cudaError_t vrp_launch_two_opt_begin(const vrp_device_two_opt *job, const vrp_device_places *places, int64_t sequence,
                                     int64_t last, cudaStream_t stream)
{
    return with_places(places->kind, [&](auto kind) {
        return launch_begin<decltype(kind)>(*job, *places, {true, sequence, last, {}, job->side[0], 0, 0}, stream);
    });
}

cudaError_t vrp_launch_two_opt_moves(const vrp_device_two_opt *job, const vrp_device_places *places, int side, int64_t first,
                                     int64_t end, cudaStream_t stream)
{
    two_opt_range range = range_of(job->count);
    range.first = first;
    range.end = end;
    range.sweep = job->side[side].sweep;
    return with_places(places->kind,
                       [&](auto kind) { return launch_moves<decltype(kind)>(*job, *places, range, stream); });
}

cudaError_t vrp_launch_two_opt_next(const vrp_device_two_opt *job, const vrp_device_places *places, int from,
                                    cudaStream_t stream)
{
    return with_places(places->kind, [&](auto kind) {
        return launch_begin<decltype(kind)>(*job, *places, step_from<decltype(kind)>(*job, from), stream);
    });
}

cudaError_t vrp_launch_two_opt_tell(const vrp_device_two_opt *job, const vrp_device_places *places, int from,
                                    cudaStream_t stream)
{
    return with_places(places->kind, [&](auto kind) {
        return launch_behind(job->overlaps, tell_sweep, 1, SUM_THREADS, 0, stream, *job, step_from<decltype(kind)>(*job, from));
    });
}

cudaError_t vrp_launch_distances(const vrp_device_tour *tour, const vrp_device_places *places, cudaStream_t stream)
{
    const dim3 blocks(blocks_for(tour->sums.count, JOIN_COLUMNS), blocks_for(tour->sums.count, JOIN_THREAD_ROWS * JOIN_ROWS));
    return launch(fill_distances, blocks, JOIN_COLUMNS * JOIN_THREAD_ROWS, 0, stream, *tour, *places);
}

cudaError_t vrp_launch_joins(const vrp_device_tour *tour, const vrp_device_tables *tables, cudaStream_t stream)
{
    return tables->is_narrow ? launch_joins<true>(*tour, *tables, stream) : launch_joins<false>(*tour, *tables, stream);
}

cudaError_t vrp_launch_begin(const vrp_device_three_opt *job, cudaStream_t stream)
{
    const unsigned int threads = 256, blocks = job->rows != NULL ? blocks_for(job->tour.sums.count - 1, threads) : 1;
    return launch(begin_search, dim3(blocks), threads, 0, stream, *job);
}

cudaError_t vrp_launch_closed(const vrp_device_three_opt *job, const vrp_device_tables *tables, int32_t first_block,
                              int32_t end_block, int multiprocessors, cudaStream_t stream)
{
    const closed_job closed = {*job, *tables, first_block, end_block, tables->columns / (tables->is_narrow ? 2 : 1)};
    if (tables->is_narrow)
        return tables->is_whole ? launch_closed<narrow_lanes, true>(closed, multiprocessors, stream)
                                : launch_closed<narrow_lanes, false>(closed, multiprocessors, stream);
    return tables->is_whole ? launch_closed<wide_lanes, true>(closed, multiprocessors, stream)
                            : launch_closed<wide_lanes, false>(closed, multiprocessors, stream);
}

cudaError_t vrp_launch_open(const vrp_device_three_opt *job, int32_t first, int32_t end, cudaStream_t stream)
{
    const dim3 blocks(blocks_for(end - first, OPEN_X), OPEN_PARTS);
    const cudaError_t error = launch(open_moves<false>, blocks, OPEN_WARPS * WARP, 0, stream, *job, first);
    return error != cudaSuccess ? error : launch(open_moves<true>, blocks, OPEN_WARPS * WARP, 0, stream, *job, first);
}

cudaError_t vrp_launch_narrow(const vrp_device_three_opt *job, int32_t weight, cudaStream_t stream)
{
    const unsigned int keys = job->rows != NULL ? (unsigned int)job->tour.sums.count - 1 : 1, threads = 256;
    const dim3 blocks(job->rows != NULL ? 1 : NARROW_BLOCKS, keys);
    const cudaError_t error = launch(narrow_keys, blocks, NARROW_THREADS, 0, stream, *job, weight);
    return error != cudaSuccess ? error : launch(tell_moves, dim3(blocks_for(keys, threads)), threads, 0, stream, *job);
}

cudaError_t vrp_launch_plain(const vrp_device_plain *job, int64_t first, int64_t end, int multiprocessors, cudaStream_t stream)
{
    const int64_t most = (int64_t)multiprocessors * 8, units = end - first;
    const dim3 blocks((unsigned int)(units < most ? units : most));
    return job->stored != NULL ? launch(plain_units<true>, blocks, PLAIN_THREADS, 0, stream, *job, first, end)
                               : launch(plain_units<false>, blocks, PLAIN_THREADS, 0, stream, *job, first, end);
}

cudaError_t vrp_launch_plain_rows(const vrp_device_plain *job, cudaStream_t stream)
{
    const dim3 blocks((unsigned int)job->tour.sums.count - 1);
    const cudaError_t error = launch(best_of_rows, blocks, PLAIN_THREADS, 0, stream, *job);
    return error != cudaSuccess ? error : launch(best_of_all, dim3(1), PLAIN_THREADS, 0, stream, *job);
}

cudaError_t vrp_launch_segments(const vrp_device_tour *tour, const vrp_device_places *places, const vrp_layout *layout,
                                vrp_limits limits, int level, vrp_segment *stored, cudaStream_t stream)
{
    return launch(store_level, dim3(blocks_for(2 * (int64_t)layout->units[level], SEGMENT_THREADS)), SEGMENT_THREADS, 0, stream,
                  *tour, *places, *layout, limits, level, stored);
}
