// SPDX-License-Identifier: MIT
// The tour of a 2-opt sweep and its sums, for symmetric tours. vrp/sweep/two_opt.cuh decides the moves of the sweep.
//
// A descent stays on the device. In the kernel that begins a sweep, every block takes the best move that the blocks of
// the sweep before have found. It reads the old tour as if that move were made: a position between the edges cut is
// read as far from the other end. So a move costs only its reading. Nothing waits for the host; an extra block writes
// the answer to it meanwhile.
//
// Floor of a sweep at 2,401 nodes: 40 bytes a position are written and read, 0.1 MB in the L2 cache, so that only
// latency counts. Two launches take about 1.2 us each, as the next kernel already waits on the chip. Five reads of L2,
// one behind the other (sweep, tour, place; sums, places of a tile), and three reductions over a block take 0.3 us
// each. 2.88 million moves of about 22 instructions each take 4 us on 528 schedulers. That is some 9 us in all.
// Measured: 13.6 us from sweep to sweep, in which the host makes and walks the tour as well.
#ifndef MCO_VRP_SWEEP_TOUR_SUMS_CUH
#define MCO_VRP_SWEEP_TOUR_SUMS_CUH

#include "vrp/sweep/device.cuh"

namespace vrp {

// ---- Distances by position

struct grid_places {
    using place = float2;
    static constexpr int32_t OFFSET = ROUNDER_BITS;  // distance() returns the distance plus this
    static constexpr bool IS_SHORT = true;           // a change of cost and a move of a tile fit a word
    static constexpr int BLOCKS = 4;                 // of a multiprocessor, as its registers allow

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

constexpr int SUM_THREADS = 512, FEW_SUM_THREADS = 256;  // of a block that makes sums; few for small tours
constexpr int32_t SMALL_TOUR = 4096;                     // positions, at most

// The parameters of a launch that begins a sweep, or writes the answer of one.
struct two_opt_step {
    bool is_first;              // the tour is the host's
    int64_t sequence, last;     // is_first: number of this sweep, and of the last one wanted
    vrp_device_side before, after;
    int32_t partials, tallies;  // numbers of those that the sweep before has left
};

// The result of a sweep.
struct two_opt_end {
    vrp_device_key best;
    bool is_decided, goes_on;
};

// The result of the sweep, in all threads of the block, all of which call it. It issues all its reads before it uses
// one.
DEVICE two_opt_end end_of_sweep(const vrp_device_two_opt &job, const two_opt_step &step, const vrp_device_sweep &sweep)
{
    constexpr word_64 NO_CHANGE = 1ull << 31;  // packed_value() of a change of 0
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
    // A move adds at most one route that is not empty; there are never more than routes.
    const int32_t most = whole.full < whole.routes ? whole.full + 1 : whole.full;
    const bool is_decided = whole.is_legal != 0 && vrp_penalty(most, job.vehicles) == 0;
    return {best, is_decided, is_decided && best.value < NO_CHANGE && sweep.sequence < sweep.last};
}

// Writes the answer of a sweep to the host, its number last. One thread calls it.
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

// Writes the answer of a sweep that no other follows. Mapping: one block.
static __global__ void __launch_bounds__(SUM_THREADS) tell_sweep(vrp_device_two_opt job, two_opt_step step)
{
    wait_for_kernel_before();
    const unsigned long long now = device_clock();
    const vrp_device_sweep sweep = *step.before.sweep;
    const two_opt_end end = end_of_sweep(job, step, sweep);
    if (threadIdx.x == 0)
        tell(job, sweep, end, now);
}

// The work of the block behind those of the sums. It writes the record of the sweep that begins, then the answer of the
// sweep before, for which no other block waits.
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

constexpr uint32_t MOST_SUM = (1u << 30) + 1;  // sums are cut off there: above any limit, and two of them fit a word

// Sums of a piece of the tour from its last depot on, or from its begin if it has none.
struct running_sum {
    uint32_t load, length;
    int32_t depot;  // position of its last depot; -1 if it has none
};

DEVICE uint32_t add_up(uint32_t a, uint32_t b)
{
    const uint32_t sum = a + b;
    return sum < MOST_SUM ? sum : MOST_SUM;
}

// The sums of piece a, then piece b.
DEVICE running_sum in_turn(running_sum a, running_sum b)
{
    if (b.depot >= 0)
        return b;
    return {add_up(a.load, b.load), add_up(a.length, b.length), a.depot};
}

// The sums that a block makes together: of its own positions and of the neighbouring block's, forward and backward.
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

// Replaces each sum by that of the lanes up to and with its own.
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

// Sets `before` to the sums of the threads before each one in the block, and `whole` to those of the block. All threads
// call it.
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
    __syncthreads();  // others may still read of_warp of the call before
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

// The sum of position i alone, which is reached over an edge of this length.
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

// The tour of the sweep: a stored tour with positions first..last walked back.
struct turned_tour {
    const int32_t *node;
    int32_t first, last;

    DEVICE int32_t operator()(int32_t i) const
    {
        return node[i >= first && i <= last ? first + last - i : i];
    }
};

// The sum of position i alone. node_at(i) is the node of a position; the sum comes from position i + way, way = -1 or
// 1. It is empty for positions beyond the tour, and the tour has no edges beyond its ends.
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

// Extends `sum`, the sum of the neighbouring block, to the blocks beyond it until a depot or the end of the tour. Only
// long routes need that.
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

// Tallies the routes that end among the block's positions.
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

// Writes the tour and its sums for the positions of a block.
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

// Mapping: a thread has a position of the tour; for sums backward, threads take the positions in reverse order. A block
// also sums the positions beside its own up to a depot, so that it waits for no other block. The block behind them
// hands the sweep over.
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
