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

constexpr int SUM_THREADS = 1024;
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

// What precedes each thread in the block.
__device__ __forceinline__ running_sum before_thread(running_sum own)
{
    __shared__ running_sum of_warp[SUM_THREADS / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int apart = 1; apart < WARP; apart *= 2) {
        const running_sum other = {__shfl_up_sync(ALL_LANES, own.load, apart), __shfl_up_sync(ALL_LANES, own.length, apart),
                                   __shfl_up_sync(ALL_LANES, own.depot, apart)};
        own = lane >= apart ? in_turn(other, own) : own;
    }
    if (lane == WARP - 1)
        of_warp[warp] = own;
    __syncthreads();
    running_sum before = {0, 0, -1};
    for (int k = 0; k < warp; k++)
        before = in_turn(before, of_warp[k]);
    const running_sum behind = {__shfl_up_sync(ALL_LANES, own.load, 1), __shfl_up_sync(ALL_LANES, own.length, 1),
                                __shfl_up_sync(ALL_LANES, own.depot, 1)};
    __syncthreads();
    return lane > 0 ? in_turn(before, behind) : before;
}

// What the sums say of the whole tour.
struct tour_state {
    int32_t routes, full;
    int32_t is_legal;
};

// Load and service of the customer at i in work[i], 0 of depots; edges and places beside.
template <class P>
__device__ __forceinline__ void gather(const vrp_device_two_opt &job, const vrp_device_places &places)
{
    for (int32_t i = (int32_t)threadIdx.x; i < job.count; i += SUM_THREADS) {
        const int32_t node = job.tour[i], next = job.tour[i + 1 < job.count ? i + 1 : i];
        const typename P::place here = P::of_node(places, node);
        ((typename P::place *)job.place)[i] = here;
        job.edge[i] = i + 1 < job.count ? P::distance(places, here, P::of_node(places, next)) - P::OFFSET : 0;
        job.work[i] = node != 0 ? places.demand[node] : -1;
        job.work[job.count + i] = node != 0 && places.service != nullptr ? places.service[node] : 0;
    }
}

// Position i onto a sum over an edge of this length.
__device__ __forceinline__ running_sum onto(const vrp_device_two_opt &job, running_sum sum, int32_t i, uint32_t edge)
{
    const int32_t demand = job.work[i];
    if (demand < 0)
        return {0, 0, i};
    return {add_up(sum.load, (uint32_t)demand),
            job.has_length ? add_up(add_up(sum.length, edge), (uint32_t)job.work[job.count + i]) : 0, sum.depot};
}

// Sums to each position; whether the routes that end in this thread's part are legal, and how many hold a customer.
__device__ __forceinline__ void sum_forward(const vrp_device_two_opt &job, int32_t begin, int32_t end, tour_state *state)
{
    running_sum sum = {0, 0, -1};
    for (int32_t i = begin; i < end; i++)
        sum = onto(job, sum, i, i > 0 ? (uint32_t)job.edge[i - 1] : 0);
    sum = before_thread(sum);
    for (int32_t i = begin; i < end; i++) {
        const running_sum last = sum;
        const uint32_t edge = i > 0 ? (uint32_t)job.edge[i - 1] : 0;
        sum = onto(job, last, i, edge);
        job.stop[i].load_to = (int32_t)sum.load;
        job.stop[i].length_to = (int32_t)sum.length;
        if (sum.depot != i || i == 0)
            continue;
        const uint32_t length = job.has_length ? add_up(last.length, edge) : 0;
        state->is_legal &= last.load <= (uint32_t)job.capacity && length <= (uint32_t)job.max_length;
        state->full += last.depot != i - 1;
        state->routes++;
    }
}

// Threads from the last on: what is behind a thread's part is before it in their order.
__device__ __forceinline__ void sum_backward(const vrp_device_two_opt &job, int32_t begin, int32_t end)
{
    running_sum sum = {0, 0, -1};
    for (int32_t i = end - 1; i >= begin; i--)
        sum = onto(job, sum, i, (uint32_t)job.edge[i]);
    sum = before_thread(sum);
    for (int32_t i = end - 1; i >= begin; i--) {
        sum = onto(job, sum, i, (uint32_t)job.edge[i]);
        job.stop[i].load_from = (int32_t)sum.load;
        job.stop[i].length_from = (int32_t)sum.length;
        job.next_depot[i] = sum.depot;
    }
}

// One block; a thread has consecutive positions. The tour is read from the host's memory, once or twice a position. Latency:
// the sums are a few microseconds for some thousand positions.
template <class P> __global__ void __launch_bounds__(SUM_THREADS) sum_tour(vrp_device_two_opt job, vrp_device_places places)
{
    __shared__ tour_state whole;
    const int32_t part = (job.count + SUM_THREADS - 1) / SUM_THREADS, thread = (int32_t)threadIdx.x;
    const unsigned long long begin_ns = device_clock();
    tour_state own = {0, 0, 1};
    if (thread == 0)
        whole = {0, 0, 1};
    gather<P>(job, places);
    __syncthreads();
    sum_forward(job, min(thread * part, job.count), min((thread + 1) * part, job.count), &own);
    const int32_t other = SUM_THREADS - 1 - thread;
    sum_backward(job, min(other * part, job.count), min((other + 1) * part, job.count));
    if (own.routes > 0) {
        atomicAdd(&whole.routes, own.routes);
        atomicAdd(&whole.full, own.full);
        atomicAnd(&whole.is_legal, own.is_legal);
    }
    __syncthreads();
    if (thread > 0)
        return;
    // A move makes at most one route more, and never more than the tour has depots for.
    const int32_t most = whole.full < whole.routes ? whole.full + 1 : whole.full;
    *job.device_answer = {job.sequence, begin_ns, 0, no_key(), whole.is_legal != 0 && vrp_penalty(most, job.vehicles) == 0};
}

// ---- Moves

constexpr int TWO_OPT_WARPS = 8;

// A thread has COUNT consecutive y, a warp all but the last of its lanes'; a tile is these and X consecutive x.
template <class P, int COUNT, bool HAS_LENGTH> struct two_opt_lanes {
    const vrp_device_two_opt &job;
    const vrp_device_places &places;
    int32_t y;  // the first of the thread
    typename P::place place[COUNT];
    int32_t edge[COUNT];
    int32_t tail_room[COUNT], head_room[COUNT];      // of load, for what x brings
    int32_t tail_length[COUNT], head_length[COUNT];  // and of length
    int32_t best, best_x, best_y;

    __device__ __forceinline__ typename P::place place_at(int32_t i) const
    {
        return ((const typename P::place *)job.place)[i];
    }

    // Positions beyond the tour are those of its end; edges from there are none, which moves ask for by themselves.
    __device__ __forceinline__ void open(int32_t first_y)
    {
        y = first_y;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const int32_t here = min(y + k, job.count - 1), next = min(y + k + 1, job.count - 1);
            const vrp_device_stop stop = job.stop[here], behind = job.stop[next];
            place[k] = place_at(here);
            edge[k] = job.edge[here];
            tail_room[k] = job.capacity - stop.load_to;
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

    // Selections, where conditions would become jumps.
    __device__ __forceinline__ void take(bool is_legal, int32_t change, int32_t x, int32_t at)
    {
        const bool is_better = is_legal & (change < best);
        best = is_better ? change : best;
        best_x = is_better ? x : best_x;
        best_y = is_better ? at : best_y;
    }

    // Offsets of two distances and what is beyond 32 bits cancel.
    __device__ __forceinline__ int32_t change(int32_t row, int32_t next, int32_t edge_y, int32_t edge_x) const
    {
        return (int32_t)((uint32_t)row + (uint32_t)next - (uint32_t)edge_y - ((uint32_t)edge_x + 2u * (uint32_t)P::OFFSET));
    }

    // All y of the warp have a depot between x + 1 and them.
    __device__ __forceinline__ void closed(int32_t x, vrp_device_stop tail, vrp_device_stop head, int32_t edge_x,
                                           const int32_t *row, const int32_t *next, int32_t end)
    {
        const int32_t tail_length_x = tail.length_to - P::OFFSET, head_length_x = head.length_from - P::OFFSET;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            bool is_legal = (tail.load_to <= tail_room[k]) & (head.load_from <= head_room[k]) & (y + k < end);
            if (HAS_LENGTH)
                is_legal &= (row[k] + tail_length_x <= tail_length[k]) & (next[k + 1] + head_length_x <= head_length[k]);
            take(is_legal, change(row[k], next[k + 1], edge[k], edge_x), x, y + k);
        }
    }

    // Some y are in the route of x, or not behind x at all.
    __device__ __forceinline__ void mixed(int32_t x, vrp_device_stop tail, vrp_device_stop head, int32_t edge_x,
                                          const int32_t *row, const int32_t *next, int32_t depot, int32_t end)
    {
        const int32_t room = job.max_length - (tail.length_to + edge_x) - head.length_from;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const int32_t of_cost = change(row[k], next[k + 1], edge[k], edge_x);
            const bool is_inside = y + k < depot;
            const bool is_legal =
                is_inside ? of_cost <= room
                          : tail.load_to <= tail_room[k] && head.load_from <= head_room[k] &&
                                row[k] - P::OFFSET + tail.length_to <= tail_length[k] &&
                                next[k + 1] - P::OFFSET + head.length_from <= head_length[k];
            take(is_legal & (y + k > x) & (y + k < end), of_cost, x, y + k);
        }
    }
};

struct two_opt_range {
    int32_t rows, x_tiles;  // x of a tile; tiles side by side
    int64_t first, end;     // tiles
};

// Mapping: warps take tiles of `rows` x and 32 COUNT - 1 y, those behind the diagonal; what belongs to x is the same for all
// lanes. The block that ends last takes the least of all and writes it to the host. Arithmetic bound: a root and about twenty
// integer operations a move.
template <class P, int COUNT, bool HAS_LENGTH>
__global__ void __launch_bounds__(TWO_OPT_WARPS *WARP) two_opt_moves(vrp_device_two_opt job, vrp_device_places places,
                                                                   two_opt_range range)
{
    constexpr int WIDTH = COUNT * WARP - 1;
    __shared__ bool is_last;
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int32_t edges = job.count - 1;
    vrp_device_key key = no_key();
    const int64_t step = (int64_t)gridDim.x * TWO_OPT_WARPS;
    const int64_t end = job.device_answer->is_decided ? range.end : 0;
    for (int64_t tile = range.first + (int64_t)blockIdx.x * TWO_OPT_WARPS + warp; tile < end; tile += step) {
        const int32_t first_y = (int32_t)(tile / range.x_tiles) * WIDTH + 1,
                      x_begin = (int32_t)(tile % range.x_tiles) * range.rows;
        // x and y of the tile: x_begin..x_end - 1, first_y..y_end - 1.
        const int32_t y_end = min(first_y + WIDTH, edges), x_end = min(x_begin + range.rows, y_end - 1);
        if (x_begin >= x_end)
            continue;
        two_opt_lanes<P, COUNT, HAS_LENGTH> lanes = {job, places};
        lanes.best = INT32_MAX;
        lanes.open(first_y + lane * COUNT);
        int32_t row[COUNT + 1], next[COUNT + 1];
        vrp_device_stop tail = job.stop[x_begin];
        lanes.distances(lanes.place_at(x_begin), row);
        for (int32_t x = x_begin; x < x_end; x++) {
            const vrp_device_stop head = job.stop[x + 1];
            const int32_t edge_x = job.edge[x], depot = job.next_depot[x + 1];
            lanes.distances(lanes.place_at(x + 1), next);
            if (depot <= first_y)
                lanes.closed(x, tail, head, edge_x, row, next, y_end);
            else
                lanes.mixed(x, tail, head, edge_x, row, next, depot, y_end);
            tail = head;
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                row[k] = next[k];
        }
        if (lanes.best < INT32_MAX)
            key = lesser(key, {packed_value(0, lanes.best, 32), (word_64)lanes.best_x << 32 | (word_64)lanes.best_y});
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
    if (threadIdx.x == 0) {
        vrp_device_answer *answer = job.answer;
        key = lesser(key, job.device_answer->best);
        job.device_answer->best = key;
        answer->begin_ns = job.device_answer->begin_ns;
        answer->is_decided = job.device_answer->is_decided;
        answer->best = key;
        answer->end_ns = device_clock();
        __threadfence_system();
        *(volatile int64_t *)&answer->sequence = job.sequence;
    }
}

}  // namespace vrp

#endif
