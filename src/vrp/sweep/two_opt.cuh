// SPDX-License-Identifier: MIT
// 2-opt of a symmetric, feasible tour: all moves, by the sums that vrp/sweep/tour_sums.cuh makes.
//
// A move of x and y turns B = x + 1..y round. If B holds a depot, the tail of x joins the tail of y and the head of x
// joins the head of y; each join has its own test of load and length. Else x and y lie in one route, which keeps its
// load and grows by the change of cost. The new edges are (x, y) and (x + 1, y + 1): the second one is the first one of
// the move of x + 1 and y + 1. So a thread keeps a few y for many x and takes one root for each move; it has the other
// from a neighbouring move.
#ifndef MCO_VRP_SWEEP_TWO_OPT_CUH
#define MCO_VRP_SWEEP_TWO_OPT_CUH

#include "vrp/sweep/tour_sums.cuh"

namespace vrp {

// ---- Moves

constexpr int TWO_OPT_WARPS = 8, TWO_OPT_MOST_LANES = 4;
constexpr int CODE_BITS = 9;  // of the code of a move in the tile: row, and which y of the thread
constexpr int32_t NO_VALUE = 1 << 30;  // no legal move; legal ones are within 2^29, with and without what x adds
constexpr int TWO_OPT_MOST_ROWS = (1 << CODE_BITS) / TWO_OPT_MOST_LANES;

// What all lanes read of an x.
template <class P> struct two_opt_row {
    vrp_device_stop head;     // of x + 1
    typename P::place place;  // of x + 1
    int32_t edge, depot;      // length of edge x; first depot at or behind x + 1
};

// The moves of a thread. A thread has COUNT consecutive y, a warp all y of its lanes but the last one. A tile is the y
// of a warp and some consecutive x.
template <class P, int COUNT, bool HAS_LENGTH> struct two_opt_lanes {
    const vrp_device_two_opt &job;
    const vrp_device_places &places;
    int32_t y, end;  // first y of the thread, end of the y of the tile
    typename P::place place[COUNT];
    int32_t edge[COUNT];                             // length of edge y + k; if short, shifted above the code, less k
    int32_t tail_room[COUNT], head_room[COUNT];      // load that x may bring
    int32_t tail_length[COUNT], head_length[COUNT];  // length that x and the new edge may bring
    int32_t least;  // least value of the present x, without what x adds; only if short
    int32_t best;   // least change of cost; if short, with the code of the move in the low bits
    int32_t code;   // of the best move; only if not short

    DEVICE typename P::place place_at(int32_t i) const
    {
        return ((const typename P::place *)job.place)[i];
    }

    // Reads the y of the thread. Positions beyond the tile have room -1, so that no move with them is legal.
    DEVICE void open(int32_t first_y, int32_t end_y)
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

    DEVICE void distances(typename P::place from, int32_t out[COUNT + 1]) const
    {
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            out[k] = P::distance(places, from, place[k]);
        out[COUNT] = __shfl_down_sync(ALL_LANES, out[0], 1);
    }

    static DEVICE void keep(const int32_t *next, int32_t *row)
    {
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            row[k] = next[k];
    }

    // The value of a move without what its x adds: a change of cost; if short, shifted above a code. The offsets of the
    // two distances are shifted out of the word.
    DEVICE int32_t value_of(int32_t row, int32_t next, int k) const
    {
        const uint32_t sum = (uint32_t)row + (uint32_t)next;
        return (int32_t)((P::IS_SHORT ? sum << CODE_BITS : sum - 2u * (uint32_t)P::OFFSET) - (uint32_t)edge[k]);
    }

    DEVICE static int32_t value_of_x(int32_t move, int32_t edge_x)
    {
        return P::IS_SHORT ? move - (edge_x << CODE_BITS) : -edge_x;
    }

    // Keeps the move if it is legal and better. Written with selections, since conditions would become jumps.
    DEVICE void take(bool is_legal, int32_t value, int32_t of_x, int32_t move)
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

    DEVICE void take_least(int32_t of_x)
    {
        if (P::IS_SHORT)
            best = min(best, least + of_x);
    }

    // The moves of an x with a depot between x + 1 and every y of the warp.
    DEVICE void closed(int32_t move, vrp_device_stop tail, const two_opt_row<P> &x, const int32_t *row, const int32_t *next)
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

    // The moves of an x with some y in its route, or not behind x at all. An illegal tour may exceed 32 bits; this way
    // then does not decide the scan.
    DEVICE void mixed(int32_t move, int32_t x_at, vrp_device_stop tail, const two_opt_row<P> &x, const int32_t *row,
                      const int32_t *next)
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

    // The key of the best move of the tile, whose first x is x_begin.
    DEVICE vrp_device_key key(int32_t x_begin) const
    {
        if (best >= (P::IS_SHORT ? NO_VALUE / 2 : INT32_MAX))
            return no_key();
        const int32_t change = P::IS_SHORT ? best >> CODE_BITS : best,
                      move = P::IS_SHORT ? best & ((1 << CODE_BITS) - 1) : code;
        return {packed_value(0, change, 32),
                (word_64)(x_begin + move / TWO_OPT_MOST_LANES) << 32 | (word_64)(y + move % TWO_OPT_MOST_LANES)};
    }
};

// The tiles of a launch. Columns of tiles are counted in pairs: the first with the last, and so on inward. Only x
// before y make moves, so every pair of columns has about the same number of tiles.
struct two_opt_range {
    int32_t row_bits;       // a tile has 1 << row_bits x
    int32_t columns, both;  // number of columns; most tiles of two of them
    int64_t first, end;     // tiles
    const vrp_device_sweep *sweep;
};

struct two_opt_tile {
    int32_t x_begin, x_end, first_y, end_y;  // empty: x_begin >= x_end
};

// The x and y of a tile. INTEGER has 32 bits if there are few tiles, since divisions of 64 bits are slow.
template <class INTEGER>
DEVICE two_opt_tile tile_of(const two_opt_range &range, int32_t width, int32_t edges, INTEGER tile)
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

// Mapping: a warp takes tiles of some x and 32 COUNT - 1 y, those with moves. All lanes need the same values of x, so
// they fetch them together. A block leaves its best move. Arithmetic bound: a root and about ten integer operations a
// move.
template <class P, int COUNT, bool HAS_LENGTH>
__global__ void __launch_bounds__(TWO_OPT_WARPS *WARP, P::BLOCKS)
    two_opt_moves(vrp_device_two_opt job, vrp_device_places places, two_opt_range range)
{
    constexpr int WIDTH = COUNT * WARP - 1;
    __shared__ two_opt_row<P> rows[TWO_OPT_WARPS][WARP];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int32_t edges = job.count - 1;
    vrp_device_key key = no_key();
    const int64_t step = (int64_t)gridDim.x * TWO_OPT_WARPS;
    wait_for_kernel_before();
    let_next_begin();
    if (!range.sweep->is_wanted)
        return;
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
            // The depot behind x does not decrease with x: from some x on it lies behind the first y.
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
    if (threadIdx.x == 0)
        job.partial[blockIdx.x] = range.first > 0 ? lesser(key, job.partial[blockIdx.x]) : key;
}

}  // namespace vrp

#endif
