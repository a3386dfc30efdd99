// SPDX-License-Identifier: MIT
// The tour of a 2-opt sweep and its sums: symmetric tours, whose sweeps vrp/sweep/two_opt.cuh decides.
//
// A descent stays on the device. The kernel that begins a sweep takes the least of what the blocks of the sweep before have
// found, each of its blocks for itself, and reads the tour before as if the move were made: a position between its edges is
// the one as far from the other end. So a move costs nothing but its reading, and nothing waits for the host, to which a block
// of its own writes the answer meanwhile.
//
// Floor of a sweep at 2,401 nodes: 40 bytes a position are written and read, 0.1 MB in the L2 cache, so that latency is all:
// two launches of about 1.2 us each where the next kernel waits on the chip, five reads of L2 one behind the other at 0.3 us
// (sweep, tour, place; sums, places of a tile), three reductions over a block at 0.3 us. With 2.88 million moves of about 22
// instructions each, 4 us on 528 schedulers, that is some 9 us. Measured: 13.6 us from sweep to sweep, in which the host makes
// and walks the tour as well.
#ifndef MCO_VRP_SWEEP_TOUR_SUMS_CUH
#define MCO_VRP_SWEEP_TOUR_SUMS_CUH

#include "vrp/sweep/device.cuh"

namespace vrp {

// ---- Distances by position

struct grid_places {
    using place = float2;
    static constexpr int32_t OFFSET = ROUNDER_BITS;  // that distances have until it is taken off
    static constexpr bool IS_SHORT = true;           // a change of cost and a move of a tile fit a word
    static constexpr int BLOCKS = 4;                 // of a multiprocessor, which its registers allow

    static DEVICE place of_node(const vrp_device_places &p, int32_t node)
    {
        return ((const float2 *)p.grid)[node];
    }
    static DEVICE int32_t distance(const vrp_device_places &, place a, place b)
    {
        return grid_bits(a.x - b.x, a.y - b.y);
    }
};

struct plane_places {
    using place = double2;
    static constexpr int32_t OFFSET = 0;
    static constexpr bool IS_SHORT = false;
    static constexpr int BLOCKS = 2;

    static DEVICE place of_node(const vrp_device_places &p, int32_t node)
    {
        return ((const double2 *)p.plane)[node];
    }
    static DEVICE int32_t distance(const vrp_device_places &p, place a, place b)
    {
        return plane_distance(a.x - b.x, a.y - b.y, p.scale, p.rounds_up);
    }
};

struct matrix_places {
    using place = int32_t;
    static constexpr int32_t OFFSET = 0;
    static constexpr bool IS_SHORT = false;
    static constexpr int BLOCKS = 3;

    static DEVICE place of_node(const vrp_device_places &, int32_t node)
    {
        return node;
    }
    static DEVICE int32_t distance(const vrp_device_places &p, place a, place b)
    {
        return p.matrix[(int64_t)a * p.nodes + b];
    }
};

// ---- The end of a sweep

constexpr int SUM_THREADS = 512, FEW_SUM_THREADS = 256;  // of a block that makes sums; few where tours are small
constexpr int32_t SMALL_TOUR = 4096;

// Of a launch that begins a sweep, or tells of one.
struct two_opt_step {
    bool is_first;              // the tour is the host's
    int64_t sequence, last;     // of that
    vrp_device_side before, after;
    int32_t partials, tallies;  // that the sweep before has left
};

// What a sweep has come to.
struct two_opt_end {
    vrp_device_key best;
    bool is_decided, goes_on;
};

// The kernel may have been launched while the one ahead of it still runs.
DEVICE void wait_for_kernel_before()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

// Once all blocks have come here: before that, waiting blocks could take the places of those that they wait for.
DEVICE void let_next_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// In all threads of the block, all of which call it. Reads all it needs before it waits for any of it.
DEVICE two_opt_end end_of_sweep(const vrp_device_two_opt &job, const two_opt_step &step, const vrp_device_sweep &sweep)
{
    constexpr word_64 NO_CHANGE = 1ull << 31;  // as packed_value() has it
    __shared__ vrp_device_tally whole;
    __shared__ vrp_device_key best;
    const int32_t thread = (int32_t)threadIdx.x, threads = (int32_t)blockDim.x;
    vrp_device_tally own = {0, 0, 1};
    vrp_device_key key = no_key();
    for (int32_t k = thread; k < step.tallies; k += threads) {
        const vrp_device_tally tally = step.before.tally[k];
        own = {own.routes + tally.routes, own.full + tally.full, own.is_legal & tally.is_legal};
    }
#pragma unroll 4
    for (int32_t k = thread; k < step.partials; k += threads)
        key = lesser(key, job.partial[k]);
    if (thread == 0)
        whole = {0, 0, 1};
    key = least_of_block(key);
    if (thread == 0)
        best = key;
    if (thread < step.tallies) {
        atomicAdd(&whole.routes, own.routes);
        atomicAdd(&whole.full, own.full);
        atomicAnd(&whole.is_legal, own.is_legal);
    }
    __syncthreads();
    // A move makes at most one route more, and never more than the tour has depots for.
    const int32_t most = whole.full < whole.routes ? whole.full + 1 : whole.full;
    const bool is_decided = whole.is_legal != 0 && vrp_penalty(most, job.vehicles) == 0;
    return {best, is_decided, is_decided && best.value < NO_CHANGE && sweep.sequence < sweep.last};
}

// By one thread. The host sees the number last.
DEVICE void tell(const vrp_device_two_opt &job, const vrp_device_sweep &sweep, const two_opt_end &end, unsigned long long now)
{
    vrp_device_answer *answer = &job.answers[sweep.sequence % VRP_DEVICE_ANSWERS];
    answer->begin_ns = sweep.begin_ns;
    answer->end_ns = now;
    answer->best = end.best;
    answer->is_decided = end.is_decided;
    __threadfence_system();
    *(volatile int64_t *)&answer->sequence = sweep.sequence;
}

// One block, where no other sweep follows.
static __global__ void __launch_bounds__(SUM_THREADS) tell_sweep(vrp_device_two_opt job, two_opt_step step)
{
    wait_for_kernel_before();
    const unsigned long long now = device_clock();
    const vrp_device_sweep sweep = *step.before.sweep;
    const two_opt_end end = end_of_sweep(job, step, sweep);
    if (threadIdx.x == 0)
        tell(job, sweep, end, now);
}

// What the block behind those of the sums does: the sweep that begins, then the answer of the one before, for which nothing
// else waits.
DEVICE void hand_over(const vrp_device_two_opt &job, const two_opt_step &step, const vrp_device_sweep &before,
                      const two_opt_end &end)
{
    const unsigned long long now = device_clock();
    if (threadIdx.x != 0)
        return;
    if (step.is_first)
        *step.after.sweep = {step.sequence, step.last, now, true};
    else
        *step.after.sweep = {before.sequence + 1, before.last, now, end.goes_on};
    if (before.is_wanted)
        tell(job, before, end, now);
}

// ---- Sums of the tour

constexpr uint32_t MOST_SUM = (1u << 30) + 1;  // sums stop there: more than any limit, and two of them fit a word

// What a piece of the tour adds behind its last depot. Customers count from the last depot, or the begin.
struct running_sum {
    uint32_t load, length;
    int32_t depot;  // its last; -1 if it has none
};

DEVICE uint32_t add_up(uint32_t a, uint32_t b)
{
    const uint32_t sum = a + b;
    return sum < MOST_SUM ? sum : MOST_SUM;
}

// First a, then b.
DEVICE running_sum in_turn(running_sum a, running_sum b)
{
    if (b.depot >= 0)
        return b;
    return {add_up(a.load, b.load), add_up(a.length, b.length), a.depot};
}

// Sums that a block makes at once: of its own positions and of those beside it, forward and backward.
enum { OWN_FORWARD, FORWARD_BEFORE, OWN_BACKWARD, BACKWARD_BEHIND, SUMS };

DEVICE running_sum of_lane_below(running_sum sum, int apart)
{
    return {__shfl_up_sync(ALL_LANES, sum.load, apart), __shfl_up_sync(ALL_LANES, sum.length, apart),
            __shfl_up_sync(ALL_LANES, sum.depot, apart)};
}

DEVICE running_sum of_lane(running_sum sum, int lane)
{
    return {__shfl_sync(ALL_LANES, sum.load, lane), __shfl_sync(ALL_LANES, sum.length, lane),
            __shfl_sync(ALL_LANES, sum.depot, lane)};
}

// Sums up to each lane, itself included.
template <int COUNT> DEVICE void sum_warp(running_sum (&sum)[COUNT])
{
#pragma unroll
    for (int apart = 1; apart < WARP; apart *= 2) {
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const running_sum other = of_lane_below(sum[k], apart);
            sum[k] = (int)threadIdx.x % WARP >= apart ? in_turn(other, sum[k]) : sum[k];
        }
    }
}

// What precedes each thread in the block, and the sums of the block. All threads call it.
template <int THREADS, int COUNT>
DEVICE void sum_block(const running_sum (&own)[COUNT], running_sum (&before)[COUNT], running_sum (&whole)[COUNT])
{
    constexpr int WARPS = THREADS / WARP;
    constexpr running_sum NOTHING = {0, 0, -1};
    __shared__ running_sum of_warp[COUNT][WARPS];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    running_sum sum[COUNT], warps[COUNT];
    for (int k = 0; k < COUNT; k++)
        sum[k] = own[k];
    sum_warp(sum);
    __syncthreads();  // of_warp may be of a call before
    for (int k = 0; k < COUNT && lane == WARP - 1; k++)
        of_warp[k][warp] = sum[k];
    __syncthreads();
    for (int k = 0; k < COUNT; k++)
        warps[k] = lane < WARPS ? of_warp[k][lane] : NOTHING;
    sum_warp(warps);
    for (int k = 0; k < COUNT; k++) {
        const running_sum below = of_lane_below(sum[k], 1), warps_below = of_lane(warps[k], (warp + WARP - 1) % WARP);
        before[k] = in_turn(warp > 0 ? warps_below : NOTHING, lane > 0 ? below : NOTHING);
        whole[k] = of_lane(warps[k], WARP - 1);
    }
}

// What position i adds to a sum that reaches it over an edge of this length.
DEVICE running_sum step_onto(const vrp_device_two_opt &job, const vrp_device_places &places, int32_t i, int32_t node,
                             int32_t edge)
{
    if (node == 0)
        return {0, 0, i};
    const uint32_t service = places.service != nullptr ? (uint32_t)places.service[node] : 0;
    return {add_up((uint32_t)places.demand[node], 0), job.has_length ? add_up((uint32_t)edge, service) : 0, -1};
}

template <class P> DEVICE int32_t edge_between(const vrp_device_places &places, int32_t a, int32_t b)
{
    return P::distance(places, P::of_node(places, a), P::of_node(places, b)) - P::OFFSET;
}

// The tour of the sweep: one that is stored, with positions first..last walked back.
struct turned_tour {
    const int32_t *node;
    int32_t first, last;

    DEVICE int32_t operator()(int32_t i) const
    {
        return node[i >= first && i <= last ? first + last - i : i];
    }
};

// The same for position i; node_at: of the tour; way: where the sum comes from, -1 or 1. Nothing beyond the tour, whose ends
// have no edges there.
template <class P, class TOUR>
DEVICE running_sum step_at(const vrp_device_two_opt &job, const vrp_device_places &places, const TOUR &node_at, int32_t i,
                           int32_t way)
{
    const int32_t from = i + way;
    if (i < 0 || i >= job.count)
        return {0, 0, -1};
    const int32_t node = node_at(i);
    return step_onto(job, places, i, node, from >= 0 && from < job.count ? edge_between<P>(places, node, node_at(from)) : 0);
}

// Goes on from the block's neighbours, whose sums are in `sum`, until a depot or the end of the tour: long routes only.
template <class P, int THREADS>
DEVICE running_sum reach_depot(const vrp_device_two_opt &job, const vrp_device_places &places, const turned_tour &tour,
                               running_sum sum, int32_t way)
{
    const int32_t thread = (int32_t)threadIdx.x, place = way < 0 ? thread : THREADS - 1 - thread;
    int32_t begin = ((int32_t)blockIdx.x + 2 * way) * THREADS;
    for (; sum.depot < 0 && begin < job.count && begin + THREADS > 0; begin += way * THREADS) {
        const running_sum own[1] = {step_at<P>(job, places, tour, begin + place, way)};
        running_sum before[1], whole[1];
        sum_block<THREADS>(own, before, whole);
        sum = in_turn(whole[0], sum);
    }
    return sum;
}

// What the sums say of a block's positions.
DEVICE void tally_routes(const vrp_device_two_opt &job, vrp_device_tally *tally, bool is_end, running_sum last, uint32_t edge,
                         int32_t i)
{
    __shared__ vrp_device_tally whole;
    if (threadIdx.x == 0)
        whole = {0, 0, 1};
    __syncthreads();
    if (is_end) {
        const uint32_t length = job.has_length ? add_up(last.length, edge) : 0;
        atomicAdd(&whole.routes, 1);
        atomicAdd(&whole.full, last.depot != i - 1 ? 1 : 0);
        atomicAnd(&whole.is_legal, last.load <= (uint32_t)job.capacity && length <= (uint32_t)job.max_length ? 1 : 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        tally[blockIdx.x] = whole;
}

// The sums of a block, of the tour that it reads.
template <class P, int THREADS>
DEVICE void sum_positions(const vrp_device_two_opt &job, const vrp_device_places &places, const turned_tour &tour,
                          const vrp_device_side &side)
{
    constexpr int32_t REACH = 3 * THREADS + 2;
    __shared__ int32_t nodes[REACH];
    const int32_t thread = (int32_t)threadIdx.x, other = THREADS - 1 - thread;
    const int32_t begin = (int32_t)blockIdx.x * THREADS, first = begin - THREADS - 1;
    for (int32_t k = thread; k < REACH; k += THREADS)
        nodes[k] = first + k >= 0 && first + k < job.count ? tour(first + k) : 0;
    __syncthreads();
    const auto near = [&](int32_t i) { return nodes[i - first]; };
    const int32_t i = begin + thread, mirrored = begin + other;
    const running_sum own[SUMS] = {step_at<P>(job, places, near, i, -1), step_at<P>(job, places, near, i - THREADS, -1),
                                   step_at<P>(job, places, near, mirrored, 1),
                                   step_at<P>(job, places, near, mirrored + THREADS, 1)};
    running_sum before[SUMS], whole[SUMS];
    sum_block<THREADS>(own, before, whole);
    const running_sum carried_to = reach_depot<P, THREADS>(job, places, tour, whole[FORWARD_BEFORE], -1),
                      carried_from = reach_depot<P, THREADS>(job, places, tour, whole[BACKWARD_BEHIND], 1);
    const running_sum last = in_turn(carried_to, before[OWN_FORWARD]), to = in_turn(last, own[OWN_FORWARD]),
                      from = in_turn(in_turn(carried_from, before[OWN_BACKWARD]), own[OWN_BACKWARD]);
    uint32_t edge_before = 0;
    if (i < job.count) {
        const int32_t node = near(i);
        side.tour[i] = node;
        ((typename P::place *)job.place)[i] = P::of_node(places, node);
        job.edge[i] = i + 1 < job.count ? edge_between<P>(places, node, near(i + 1)) : 0;
        edge_before = i > 0 ? (uint32_t)edge_between<P>(places, near(i - 1), node) : 0;
        job.stop[i].load_to = (int32_t)to.load;
        job.stop[i].length_to = (int32_t)to.length;
    }
    if (mirrored < job.count) {
        job.stop[mirrored].load_from = (int32_t)from.load;
        job.stop[mirrored].length_from = (int32_t)from.length;
        job.next_depot[mirrored] = from.depot;
    }
    tally_routes(job, side.tally, i > 0 && i < job.count && to.depot == i, last, edge_before, i);
}

// Mapping: a thread a position of the tour; threads from the last on for sums backward. A block sums those beside it too, up to
// a depot, so that it waits for no other. The block behind them hands the sweep over.
template <class P, int THREADS>
__global__ void __launch_bounds__(THREADS) begin_sweep(vrp_device_two_opt job, vrp_device_places places, two_opt_step step)
{
    wait_for_kernel_before();
    let_next_begin();
    turned_tour tour = {job.start, 1, 0};
    vrp_device_sweep before = {0, 0, 0, false};
    two_opt_end end = {no_key(), false, true};
    if (!step.is_first) {
        before = *step.before.sweep;
        end.goes_on = false;
        if (before.is_wanted)
            end = end_of_sweep(job, step, before);
        tour = {step.before.tour, (int32_t)(end.best.index >> 32) + 1, (int32_t)(end.best.index & UINT32_MAX)};
    }
    if (blockIdx.x == gridDim.x - 1)
        hand_over(job, step, before, end);
    else if (end.goes_on)
        sum_positions<P, THREADS>(job, places, tour, step.after);
}

}  // namespace vrp

#endif
