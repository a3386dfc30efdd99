// SPDX-License-Identifier: MIT
// 2-opt of a symmetric, feasible tour: one kernel makes the sums of the tour, another decides all moves; nothing else runs.
//
// With a depot in B, tail of x meets tail of y and head of x meets head of y, each a test of load and length of its own; else
// the route of both keeps its load and grows by the change of cost. The new edges of x and y are from x to y and from x + 1 to
// y + 1: the second of a move is the first of the move of the next x and y. So a thread keeps a few y for many x, takes one
// root a move, and has the other from its neighbour's.
#ifndef MCO_VRP_TWO_OPT_CUH
#define MCO_VRP_TWO_OPT_CUH

#include "vrp/vrp_device.cuh"

namespace vrp {

// ---- Distances by position

struct grid_places {
    using place = float2;
    static constexpr int32_t OFFSET = ROUNDER_BITS;  // that distances have until it is taken off
    static constexpr bool IS_SHORT = true;           // a change of cost and a move of a tile fit a word
    static constexpr int BLOCKS = 4;                 // of a multiprocessor, which its registers allow

    static __device__ __forceinline__ place of_node(const vrp_device_places &p, int32_t node)
    {
        return ((const float2 *)p.grid)[node];
    }
    static __device__ __forceinline__ int32_t distance(const vrp_device_places &, place a, place b)
    {
        return grid_bits(a.x - b.x, a.y - b.y);
    }
};

struct plane_places {
    using place = double2;
    static constexpr int32_t OFFSET = 0;
    static constexpr bool IS_SHORT = false;
    static constexpr int BLOCKS = 2;

    static __device__ __forceinline__ place of_node(const vrp_device_places &p, int32_t node)
    {
        return ((const double2 *)p.plane)[node];
    }
    static __device__ __forceinline__ int32_t distance(const vrp_device_places &p, place a, place b)
    {
        return plane_distance(a.x - b.x, a.y - b.y, p.scale, p.rounds_up);
    }
};

struct matrix_places {
    using place = int32_t;
    static constexpr int32_t OFFSET = 0;
    static constexpr bool IS_SHORT = false;
    static constexpr int BLOCKS = 3;

    static __device__ __forceinline__ place of_node(const vrp_device_places &, int32_t node)
    {
        return node;
    }
    static __device__ __forceinline__ int32_t distance(const vrp_device_places &p, place a, place b)
    {
        return p.matrix[(int64_t)a * p.nodes + b];
    }
};

// ---- Sums of the tour

constexpr int SUM_THREADS = 512;
constexpr uint32_t MOST_SUM = (1u << 30) + 1;  // sums stop there: more than any limit, and two of them fit a word

// What a piece of the tour adds behind its last depot. Customers count from the last depot, or the begin.
struct running_sum {
    uint32_t load, length;
    int32_t depot;  // its last; -1 if it has none
};

__device__ __forceinline__ uint32_t add_up(uint32_t a, uint32_t b)
{
    const uint32_t sum = a + b;
    return sum < MOST_SUM ? sum : MOST_SUM;
}

// First a, then b.
__device__ __forceinline__ running_sum in_turn(running_sum a, running_sum b)
{
    if (b.depot >= 0)
        return b;
    return {add_up(a.load, b.load), add_up(a.length, b.length), a.depot};
}

// Sums that a block makes at once: of its own positions and of those beside it, forward and backward.
enum { OWN_FORWARD, FORWARD_BEFORE, OWN_BACKWARD, BACKWARD_BEHIND, SUMS };

__device__ __forceinline__ running_sum of_lane_below(running_sum sum, int apart)
{
    return {__shfl_up_sync(ALL_LANES, sum.load, apart), __shfl_up_sync(ALL_LANES, sum.length, apart),
            __shfl_up_sync(ALL_LANES, sum.depot, apart)};
}

__device__ __forceinline__ running_sum of_lane(running_sum sum, int lane)
{
    return {__shfl_sync(ALL_LANES, sum.load, lane), __shfl_sync(ALL_LANES, sum.length, lane),
            __shfl_sync(ALL_LANES, sum.depot, lane)};
}

// Sums up to each lane, itself included.
template <int COUNT> __device__ __forceinline__ void sum_warp(running_sum (&sum)[COUNT])
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
template <int COUNT>
__device__ __forceinline__ void sum_block(const running_sum (&own)[COUNT], running_sum (&before)[COUNT],
                                          running_sum (&whole)[COUNT])
{
    constexpr int WARPS = SUM_THREADS / WARP;
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
__device__ __forceinline__ running_sum step_onto(const vrp_device_two_opt &job, const vrp_device_places &places, int32_t i,
                                                 int32_t node, int32_t edge)
{
    if (node == 0)
        return {0, 0, i};
    const uint32_t service = places.service != nullptr ? (uint32_t)places.service[node] : 0;
    return {add_up((uint32_t)places.demand[node], 0), job.has_length ? add_up((uint32_t)edge, service) : 0, -1};
}

template <class P> __device__ __forceinline__ int32_t edge_between(const vrp_device_places &places, int32_t a, int32_t b)
{
    return P::distance(places, P::of_node(places, a), P::of_node(places, b)) - P::OFFSET;
}

// The same for the position at `at` in nodes[], which begins with position `first`; way: where the sum comes from, -1 or 1.
// Nothing beyond the tour, whose ends have no edges there.
template <class P>
__device__ __forceinline__ running_sum step_at(const vrp_device_two_opt &job, const vrp_device_places &places,
                                               const int32_t *nodes, int32_t first, int32_t at, int32_t way)
{
    const int32_t i = first + at, from = i + way;
    if (i < 0 || i >= job.count)
        return {0, 0, -1};
    return step_onto(job, places, i, nodes[at],
                     from >= 0 && from < job.count ? edge_between<P>(places, nodes[at], nodes[at + way]) : 0);
}

// Goes on from the block's neighbours, whose sums are in `sum`, until a depot or the end of the tour: long routes only.
template <class P>
__device__ __forceinline__ running_sum reach_depot(const vrp_device_two_opt &job, const vrp_device_places &places,
                                                   running_sum sum, int32_t way)
{
    const int32_t thread = (int32_t)threadIdx.x, place = way < 0 ? thread : SUM_THREADS - 1 - thread;
    int32_t begin = ((int32_t)blockIdx.x + 2 * way) * SUM_THREADS;
    for (; sum.depot < 0 && begin < job.count && begin + SUM_THREADS > 0; begin += way * SUM_THREADS) {
        const running_sum own[1] = {step_at<P>(job, places, job.tour + begin, begin, place, way)};
        running_sum before[1], whole[1];
        sum_block(own, before, whole);
        sum = in_turn(whole[0], sum);
    }
    return sum;
}

// What the sums say of a block's positions.
__device__ __forceinline__ void tally_routes(const vrp_device_two_opt &job, bool is_end, running_sum last, uint32_t edge,
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
        job.tally[blockIdx.x] = whole;
}

// The kernel of the moves is launched while that of the sums still runs.
__device__ __forceinline__ void wait_for_sums()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

// Once all its blocks have begun.
__device__ __forceinline__ void let_moves_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// Mapping: a thread a position of the tour, which it reads from the host's memory; threads from the last on for sums
// backward. A block sums those beside it too, up to a depot, so that it waits for no other. Latency: of the tour from the host,
// then of its places.
template <class P> __global__ void __launch_bounds__(SUM_THREADS) sum_tour(vrp_device_two_opt job, vrp_device_places places)
{
    constexpr int32_t REACH = 3 * SUM_THREADS + 2;
    __shared__ int32_t nodes[REACH];
    const int32_t thread = (int32_t)threadIdx.x, other = SUM_THREADS - 1 - thread;
    const int32_t begin = (int32_t)blockIdx.x * SUM_THREADS, first = begin - SUM_THREADS - 1, own_at = SUM_THREADS + 1;
    let_moves_begin();
    if (begin == 0 && thread == 0)
        *job.device_answer = {job.sequence, device_clock(), 0, no_key(), true};
    for (int32_t k = thread; k < REACH; k += SUM_THREADS)
        nodes[k] = first + k >= 0 && first + k < job.count ? job.tour[first + k] : 0;
    __syncthreads();
    const running_sum own[SUMS] = {step_at<P>(job, places, nodes, first, own_at + thread, -1),
                                   step_at<P>(job, places, nodes, first, own_at - SUM_THREADS + thread, -1),
                                   step_at<P>(job, places, nodes, first, own_at + other, 1),
                                   step_at<P>(job, places, nodes, first, own_at + SUM_THREADS + other, 1)};
    running_sum before[SUMS], whole[SUMS];
    sum_block(own, before, whole);
    const running_sum carried_to = reach_depot<P>(job, places, whole[FORWARD_BEFORE], -1),
                      carried_from = reach_depot<P>(job, places, whole[BACKWARD_BEHIND], 1);
    const int32_t i = begin + thread, mirrored = begin + other;
    const running_sum last = in_turn(carried_to, before[OWN_FORWARD]), to = in_turn(last, own[OWN_FORWARD]),
                      from = in_turn(in_turn(carried_from, before[OWN_BACKWARD]), own[OWN_BACKWARD]);
    uint32_t edge_before = 0;
    if (i < job.count) {
        const int32_t node = nodes[own_at + thread];
        ((typename P::place *)job.place)[i] = P::of_node(places, node);
        job.edge[i] = i + 1 < job.count ? edge_between<P>(places, node, nodes[own_at + thread + 1]) : 0;
        edge_before = i > 0 ? (uint32_t)edge_between<P>(places, nodes[own_at + thread - 1], node) : 0;
        job.stop[i].load_to = (int32_t)to.load;
        job.stop[i].length_to = (int32_t)to.length;
    }
    if (mirrored < job.count) {
        job.stop[mirrored].load_from = (int32_t)from.load;
        job.stop[mirrored].length_from = (int32_t)from.length;
        job.next_depot[mirrored] = from.depot;
    }
    tally_routes(job, i > 0 && i < job.count && to.depot == i, last, edge_before, i);
}

// ---- Moves

constexpr int TWO_OPT_WARPS = 8, TWO_OPT_MOST_LANES = 4;
constexpr int CODE_BITS = 9;  // of a move in the tile of a thread: row, and y of the thread
constexpr int32_t NO_VALUE = 1 << 30;  // of no legal move; others are within 2^29, whatever x adds
constexpr int TWO_OPT_MOST_ROWS = (1 << CODE_BITS) / TWO_OPT_MOST_LANES;

// What all lanes ask of x.
template <class P> struct two_opt_row {
    vrp_device_stop head;  // of x + 1
    typename P::place place;
    int32_t edge, depot;  // from x; at or behind x + 1
};

// A thread has COUNT consecutive y, a warp all but the last of its lanes'; a tile is these and some consecutive x.
template <class P, int COUNT, bool HAS_LENGTH> struct two_opt_lanes {
    const vrp_device_two_opt &job;
    const vrp_device_places &places;
    int32_t y, end;  // the first of the thread, the end of the tile
    typename P::place place[COUNT];
    int32_t edge[COUNT];                             // short: before the place of a code, less k
    int32_t tail_room[COUNT], head_room[COUNT];      // of load, for what x brings
    int32_t tail_length[COUNT], head_length[COUNT];  // and of length
    int32_t least;  // of the x at hand, without what x adds; short only
    int32_t best;   // change of cost; where it is short, with the code of the move behind it
    int32_t code;   // of the best move, where changes are not short

    __device__ __forceinline__ typename P::place place_at(int32_t i) const
    {
        return ((const typename P::place *)job.place)[i];
    }

    // Positions beyond the tile take no load, so that no move with them is legal.
    __device__ __forceinline__ void open(int32_t first_y, int32_t end_y)
    {
        y = first_y;
        end = end_y;
        best = P::IS_SHORT ? NO_VALUE : INT32_MAX;
        code = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const int32_t here = min(y + k, job.count - 1), next = min(y + k + 1, job.count - 1);
            const vrp_device_stop stop = job.stop[here], behind = job.stop[next];
            place[k] = place_at(here);
            edge[k] = P::IS_SHORT ? (job.edge[here] << CODE_BITS) - k : job.edge[here];
            tail_room[k] = y + k < end ? job.capacity - stop.load_to : -1;
            head_room[k] = job.capacity - behind.load_from;
            tail_length[k] = job.max_length - stop.length_to;
            head_length[k] = job.max_length - behind.length_from;
        }
    }

    __device__ __forceinline__ void distances(typename P::place from, int32_t out[COUNT + 1]) const
    {
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            out[k] = P::distance(places, from, place[k]);
        out[COUNT] = __shfl_down_sync(ALL_LANES, out[0], 1);
    }

    static __device__ __forceinline__ void keep(const int32_t *next, int32_t *row)
    {
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            row[k] = next[k];
    }

    // What a move adds to that of its x: a change of cost, short ones before a code. Offsets of two distances leave a word.
    __device__ __forceinline__ int32_t value_of(int32_t row, int32_t next, int k) const
    {
        const uint32_t sum = (uint32_t)row + (uint32_t)next;
        return (int32_t)((P::IS_SHORT ? sum << CODE_BITS : sum - 2u * (uint32_t)P::OFFSET) - (uint32_t)edge[k]);
    }

    __device__ __forceinline__ static int32_t value_of_x(int32_t move, int32_t edge_x)
    {
        return P::IS_SHORT ? move - (edge_x << CODE_BITS) : -edge_x;
    }

    // Selections, where conditions would become jumps.
    __device__ __forceinline__ void take(bool is_legal, int32_t value, int32_t of_x, int32_t move)
    {
        if (P::IS_SHORT) {
            least = min(least, is_legal ? value : NO_VALUE);
            return;
        }
        const int32_t change = (int32_t)((uint32_t)value + (uint32_t)of_x);
        const bool is_better = is_legal & (change < best);
        best = is_better ? change : best;
        code = is_better ? move : code;
    }

    __device__ __forceinline__ void take_least(int32_t of_x)
    {
        if (P::IS_SHORT)
            best = min(best, least + of_x);
    }

    // All y of the warp have a depot between x + 1 and them.
    __device__ __forceinline__ void closed(int32_t move, vrp_device_stop tail, const two_opt_row<P> &x, const int32_t *row,
                                           const int32_t *next)
    {
        const int32_t tail_length_x = tail.length_to - P::OFFSET, head_length_x = x.head.length_from - P::OFFSET,
                      of_x = value_of_x(move, x.edge);
        least = NO_VALUE;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const bool is_short = !HAS_LENGTH || row[k] + tail_length_x <= tail_length[k],
                       is_legal = is_short & (!HAS_LENGTH || next[k + 1] + head_length_x <= head_length[k]) &
                                  (tail.load_to <= tail_room[k]) & (x.head.load_from <= head_room[k]);
            take(is_legal, value_of(row[k], next[k + 1], k), of_x, move + k);
        }
        take_least(of_x);
    }

    // Some y are in the route of x, or not behind x at all. A tour that is not legal may exceed 32 bits; it has no answer.
    __device__ __forceinline__ void mixed(int32_t move, int32_t x_at, vrp_device_stop tail, const two_opt_row<P> &x,
                                          const int32_t *row, const int32_t *next)
    {
        const int32_t room = (int32_t)((uint32_t)job.max_length - (uint32_t)tail.length_to - (uint32_t)x.edge -
                                       (uint32_t)x.head.length_from);
        const int32_t of_x = value_of_x(move, x.edge);
        least = NO_VALUE;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const int32_t value = value_of(row[k], next[k + 1], k), whole = (int32_t)((uint32_t)value + (uint32_t)of_x),
                          change = P::IS_SHORT ? whole >> CODE_BITS : whole;
            const bool is_joined = (tail.load_to <= tail_room[k]) & (x.head.load_from <= head_room[k]) &
                                   (row[k] - P::OFFSET + tail.length_to <= tail_length[k]) &
                                   (next[k + 1] - P::OFFSET + x.head.length_from <= head_length[k]);
            const bool is_legal = y + k < x.depot ? change <= room : is_joined;
            take(is_legal & (y + k > x_at) & (y + k < end), value, of_x, move + k);
        }
        take_least(of_x);
    }

    // The best move of the tile whose first x is given.
    __device__ __forceinline__ vrp_device_key key(int32_t x_begin) const
    {
        if (best >= (P::IS_SHORT ? NO_VALUE / 2 : INT32_MAX))
            return no_key();
        const int32_t change = P::IS_SHORT ? best >> CODE_BITS : best,
                      move = P::IS_SHORT ? best & ((1 << CODE_BITS) - 1) : code;
        return {packed_value(0, change, 32),
                (word_64)(x_begin + move / TWO_OPT_MOST_LANES) << 32 | (word_64)(y + move % TWO_OPT_MOST_LANES)};
    }
};

// Tiles are counted row by row of two columns of y each, one from the begin and one from the end: together they have about as
// many tiles in every row, since only x before y make moves.
struct two_opt_range {
    int32_t row_bits;       // 1 << row_bits x of a tile
    int32_t columns, both;  // of y; tiles of two of them, at most
    int64_t first, end;     // tiles
};

struct two_opt_tile {
    int32_t x_begin, x_end, first_y, end_y;  // empty: x_begin >= x_end
};

// INTEGER: of 32 bits where tiles are few, since divisions of 64 bits are long.
template <class INTEGER>
__device__ __forceinline__ two_opt_tile tile_of(const two_opt_range &range, int32_t width, int32_t edges, INTEGER tile)
{
    const int32_t rows = 1 << range.row_bits, low = (int32_t)(tile / (INTEGER)range.both), high = range.columns - 1 - low,
                  of_low = (min(width * (low + 1), edges - 1) + rows - 1) >> range.row_bits;
    const int32_t at = (int32_t)(tile - (INTEGER)low * (INTEGER)range.both);
    const bool is_low = at < of_low;
    const int32_t first_y = (is_low ? low : high) * width + 1, end_y = min(first_y + width, edges),
                  x_begin = (is_low ? at : at - of_low) << range.row_bits;
    const bool is_counted_twice = !is_low && low == high;
    return {x_begin, is_counted_twice ? x_begin : min(x_begin + rows, end_y - 1), first_y, end_y};
}

// What the sums of all blocks say of the tour, in all threads of the block.
__device__ __forceinline__ bool is_decided(const vrp_device_two_opt &job)
{
    __shared__ vrp_device_tally whole;
    const int32_t blocks = (job.count + SUM_THREADS - 1) / SUM_THREADS;
    if (threadIdx.x == 0)
        whole = {0, 0, 1};
    __syncthreads();
    for (int32_t k = (int32_t)threadIdx.x; k < blocks; k += (int32_t)blockDim.x) {
        atomicAdd(&whole.routes, job.tally[k].routes);
        atomicAdd(&whole.full, job.tally[k].full);
        atomicAnd(&whole.is_legal, job.tally[k].is_legal);
    }
    __syncthreads();
    // A move makes at most one route more, and never more than the tour has depots for.
    const int32_t most = whole.full < whole.routes ? whole.full + 1 : whole.full;
    return whole.is_legal != 0 && vrp_penalty(most, job.vehicles) == 0;
}

// Mapping: warps take tiles of some x and 32 COUNT - 1 y, those behind the diagonal; what belongs to x is the same for all
// lanes, which fetch it together. The block that ends last takes the least of all and writes it to the host. Arithmetic bound:
// a root and about ten integer operations a move.
template <class P, int COUNT, bool HAS_LENGTH>
__global__ void __launch_bounds__(TWO_OPT_WARPS *WARP, P::BLOCKS)
    two_opt_moves(vrp_device_two_opt job, vrp_device_places places, two_opt_range range)
{
    constexpr int WIDTH = COUNT * WARP - 1;
    __shared__ two_opt_row<P> rows[TWO_OPT_WARPS][WARP];
    __shared__ bool is_last;
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int32_t edges = job.count - 1;
    vrp_device_key key = no_key();
    const int64_t step = (int64_t)gridDim.x * TWO_OPT_WARPS;
    wait_for_sums();
    for (int64_t index = range.first + (int64_t)blockIdx.x * TWO_OPT_WARPS + warp; index < range.end; index += step) {
        const two_opt_tile tile = COUNT < TWO_OPT_MOST_LANES ? tile_of<uint32_t>(range, WIDTH, edges, (uint32_t)index)
                                                             : tile_of<int64_t>(range, WIDTH, edges, index);
        if (tile.x_begin >= tile.x_end)
            continue;
        two_opt_lanes<P, COUNT, HAS_LENGTH> lanes = {job, places};
        lanes.open(tile.first_y + lane * COUNT, tile.end_y);
        int32_t row[COUNT + 1], next[COUNT + 1];
        vrp_device_stop tail = job.stop[tile.x_begin];
        lanes.distances(lanes.place_at(tile.x_begin), row);
        for (int32_t part = tile.x_begin; part < tile.x_end; part += WARP) {
            const int32_t mine = min(part + lane, edges - 1), of_part = min(tile.x_end - part, WARP);
            __syncwarp();
            rows[warp][lane] = {job.stop[mine + 1], lanes.place_at(mine + 1), job.edge[mine], job.next_depot[mine + 1]};
            __syncwarp();
            // Depots come in the order of x: from some x on, they are behind the first y.
            const bool is_closed = lane < of_part && rows[warp][lane].depot <= tile.first_y;
            const int32_t closed = __popc(__ballot_sync(ALL_LANES, is_closed));
            int32_t move = (part - tile.x_begin) * TWO_OPT_MOST_LANES;
#pragma unroll 2
            for (int32_t k = 0; k < closed; k++, move += TWO_OPT_MOST_LANES) {
                const two_opt_row<P> &x = rows[warp][k];
                lanes.distances(x.place, next);
                lanes.closed(move, tail, x, row, next);
                tail = x.head;
                lanes.keep(next, row);
            }
#pragma unroll 1
            for (int32_t k = closed; k < of_part; k++, move += TWO_OPT_MOST_LANES) {
                const two_opt_row<P> &x = rows[warp][k];
                lanes.distances(x.place, next);
                lanes.mixed(move, part + k, tail, x, row, next);
                tail = x.head;
                lanes.keep(next, row);
            }
        }
        key = lesser(key, lanes.key(tile.x_begin));
    }
    key = least_of_block(key);
    if (threadIdx.x == 0) {
        job.partial[blockIdx.x] = key;
        __threadfence();
        is_last = atomicInc(job.ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    key = no_key();
    for (unsigned int k = threadIdx.x; k < gridDim.x; k += TWO_OPT_WARPS * WARP)
        key = lesser(key, {*(volatile word_64 *)&job.partial[k].value, *(volatile word_64 *)&job.partial[k].index});
    key = least_of_block(key);
    const bool decided = is_decided(job);
    if (threadIdx.x == 0) {
        vrp_device_answer *answer = job.answer;
        key = lesser(key, job.device_answer->best);
        job.device_answer->best = key;
        answer->begin_ns = job.device_answer->begin_ns;
        answer->is_decided = decided;
        answer->best = key;
        answer->end_ns = device_clock();
        __threadfence_system();
        *(volatile int64_t *)&answer->sequence = job.sequence;
    }
}

}  // namespace vrp

#endif
