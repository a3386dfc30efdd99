// SPDX-License-Identifier: MIT
// Any scan move by move: each move is decided by itself in constant time, by sums (vrp/sweep/move.h) or by stored
// segments (vrp/sweep/segment.h). It serves what the other ways cannot: asymmetric costs, infeasible tours, filters,
// more routes than vehicles, hierarchies.
//
// A unit of work is one x and some y. It leaves its best move; a second kernel takes the best of each x.
#ifndef MCO_VRP_SWEEP_PLAIN_CUH
#define MCO_VRP_SWEEP_PLAIN_CUH

#include "vrp/sweep/device.cuh"

namespace vrp {

constexpr int PLAIN_THREADS = 256, PLAIN_WARPS = PLAIN_THREADS / WARP;
constexpr int Z_BITS = 20, Y_BITS = 22;  // of an index of 3-opt; p has two bits

DEVICE word_64 index_of(vrp_move m)
{
    if (m.z < 0)
        return (word_64)m.x << 32 | (word_64)m.y;
    return (((word_64)m.x << Y_BITS | (word_64)m.y) << Z_BITS | (word_64)m.z) << 2 | (word_64)m.p;
}

DEVICE vrp_move move_of(word_64 index, bool is_three_opt)
{
    if (!is_three_opt)
        return {(int32_t)(index >> 32), (int32_t)(index & 0xffffffffu), -1, -1};
    return {(int32_t)(index >> (Y_BITS + Z_BITS + 2)), (int32_t)(index >> (Z_BITS + 2) & ((1u << Y_BITS) - 1)),
            (int32_t)(index >> 2 & ((1u << Z_BITS) - 1)), (int32_t)(index & 3)};
}

// ---- One move

DEVICE bool is_in(int32_t edge, int32_t first, int32_t end)
{
    return edge >= first && edge < end;
}

// Whether the move cuts all listed routes that break a limit. With symmetric distances every legal move does.
DEVICE bool cuts_bad(const vrp_device_plain &job, vrp_move m)
{
    for (int k = 0; k < job.bad; k++) {
        const int32_t first = job.bad_first[k], end = job.bad_end[k];
        if (!is_in(m.x, first, end) && !is_in(m.y, first, end) && !is_in(m.z, first, end))
            return false;
    }
    return true;
}

DEVICE bool is_open(const vrp_sums &t, vrp_move m)
{
    return m.y < t.next_depot[m.x + 1] || m.z < t.next_depot[m.y + 1];
}

DEVICE vrp_decision by_sums(const vrp_device_plain &job, vrp_move m)
{
    int32_t from[3], to[3], join[3] = {0, 0, 0};
    const int joins = vrp_joins(m, from, to);
    for (int k = 0; k < joins; k++)
        join[k] = tour_distance(job.tour, job.places, from[k], to[k]);
    return vrp_decide(&job.tour.sums, m, join);
}

DEVICE vrp_segment edge_between(const vrp_device_tour &tour, const vrp_device_places &places, vrp_limits limits, int32_t from,
                                int32_t to)
{
    return vrp_segment_edge(tour.sums.node[from], tour.sums.node[to], tour_distance(tour, places, from, to),
                            tour.sums.demand[to], tour.sums.service[to], limits);
}

DEVICE vrp_decision by_segments(const vrp_device_plain &job, vrp_move m)
{
    vrp_piece pieces[3];
    const int count = vrp_pieces(m.x, m.y, m.z, m.p, job.tour.sums.count - 1, pieces);
    vrp_segment so_far = vrp_segment_of(&job.layout, job.stored, {0, m.x}, job.limits);
    int32_t end = m.x;
    for (int k = 0; k < count; k++) {
        const vrp_segment edge = edge_between(job.tour, job.places, job.limits, end, pieces[k].from);
        const vrp_segment piece = vrp_segment_of(&job.layout, job.stored, pieces[k], job.limits);
        so_far = vrp_segment_join(&so_far, &edge, job.limits);
        so_far = vrp_segment_join(&so_far, &piece, job.limits);
        end = pieces[k].to;
    }
    return {vrp_segment_is_ok(&so_far), so_far.routes, so_far.cost - job.cost};
}

// The key of a move that is legal and, with wants_first, improves; else no key.
template <bool BY_SEGMENTS> DEVICE vrp_device_key key_of(const vrp_device_plain &job, vrp_move m)
{
    if (!cuts_bad(job, m) || (job.only_open && !is_open(job.tour.sums, m)))
        return no_key();
    const vrp_decision d = BY_SEGMENTS ? by_segments(job, m) : by_sums(job, m);
    const word_64 value = packed_value(vrp_penalty(d.routes, job.tour.sums.vehicles), d.change, job.value_bits);
    if (!d.is_feasible || (job.wants_first && value >= job.to_beat))
        return no_key();
    if (job.wants_first)
        atomicMin(job.found, index_of(m));
    return {job.wants_first ? 0 : value, index_of(m)};
}

DEVICE bool is_wanted(const vrp_device_plain &job, vrp_move m)
{
    return job.keep == UINT64_MAX || vrp_is_kept(job.filter_seed, job.keep, m);
}

// ---- A unit

struct unit_range {
    int32_t x, first_y, end_y;
};

DEVICE unit_range unit_at(const vrp_device_plain &job, int64_t unit)
{
    const int32_t edges = job.tour.sums.count - 1, x = (int32_t)(unit / job.chunks);
    const int64_t first = x + 1 + unit % job.chunks * job.chunk, end = first + job.chunk;
    return {x, (int32_t)(first < edges ? first : edges), (int32_t)(end < edges ? end : edges)};
}

// The k-th move of x and y; for 2-opt the move of x and y + k.
DEVICE vrp_move move_at(const vrp_device_plain &job, int32_t x, int32_t y, int64_t k)
{
    if (!job.is_three_opt)
        return {x, (int32_t)(y + k), -1, -1};
    return {x, y, (int32_t)(y + 1 + k / 4), (int32_t)(k % 4)};
}

// Each thread tests a move and decides it at once. *kept counts the moves that this thread keeps.
template <bool BY_SEGMENTS>
__device__ vrp_device_key visit_by_mask(const vrp_device_plain &job, int32_t x, int32_t y, int64_t count, word_64 *kept)
{
    vrp_device_key best = no_key();
    for (int64_t k = threadIdx.x; k < count; k += PLAIN_THREADS) {
        const vrp_move m = move_at(job, x, y, k);
        if (!is_wanted(job, m) || (job.counts && index_of(m) > job.last))
            continue;
        ++*kept;
        if (!job.counts)
            best = lesser(best, key_of<BY_SEGMENTS>(job, m));
    }
    return best;
}

// Lists the moves kept, and decides them once there is one for each thread. `list` [2 * PLAIN_THREADS] holds *listed
// moves.
template <bool BY_SEGMENTS>
__device__ vrp_device_key visit_by_list(const vrp_device_plain &job, int32_t x, int32_t y, int64_t count, vrp_move *list,
                                        int *listed, word_64 *kept)
{
    vrp_device_key best = no_key();
    for (int64_t first = 0; first < count; first += PLAIN_THREADS) {
        const int64_t k = first + threadIdx.x;
        const vrp_move m = move_at(job, x, y, k < count ? k : 0);
        const bool is_listed = k < count && is_wanted(job, m);
        if (is_listed)
            list[atomicAdd(listed, 1)] = m;
        __syncthreads();
        const int all = *listed;
        __syncthreads();
        if (all < PLAIN_THREADS)
            continue;
        ++*kept;
        best = lesser(best, key_of<BY_SEGMENTS>(job, list[all - PLAIN_THREADS + (int)threadIdx.x]));
        if (threadIdx.x == 0)
            *listed = all - PLAIN_THREADS;
        __syncthreads();
    }
    return best;
}

DEVICE word_64 sum_of_block(word_64 own)
{
    __shared__ word_64 sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int apart = WARP / 2; apart > 0; apart /= 2)
        own += __shfl_xor_sync(ALL_LANES, own, apart);
    if (threadIdx.x % WARP == 0)
        atomicAdd(&sum, own);
    __syncthreads();
    own = sum;
    __syncthreads();
    return own;
}

// Mapping: a block takes a unit, its threads consecutive moves. These are z and p of one y after the other for 3-opt, y
// for 2-opt. It reads sums and distances by position. Bound by instructions, about a hundred a move.
template <bool BY_SEGMENTS>
__global__ void __launch_bounds__(PLAIN_THREADS) plain_units(vrp_device_plain job, int64_t first, int64_t end)
{
    __shared__ vrp_move list[2 * PLAIN_THREADS];
    __shared__ int listed;
    const int32_t edges = job.tour.sums.count - 1;
    word_64 kept = 0;
    if (threadIdx.x == 0)
        listed = 0;
    __syncthreads();
    for (int64_t unit = first + blockIdx.x; unit < end; unit += gridDim.x) {
        const unit_range range = unit_at(job, unit);
        vrp_device_key best = no_key();
        const int32_t step = job.is_three_opt ? 1 : range.end_y - range.first_y + 1;
        for (int32_t y = range.first_y; y < range.end_y; y += step) {
            const int64_t count = job.is_three_opt ? (int64_t)(edges - 1 - y) * 4 : range.end_y - range.first_y;
            // All threads get the same answer, whatever other blocks find meanwhile.
            const bool is_behind = job.wants_first && __syncthreads_or(index_of(move_at(job, range.x, y, 0)) >
                                                                       *(volatile word_64 *)job.found);
            if (is_behind || (job.counts && index_of(move_at(job, range.x, y, 0)) > job.last))
                break;
            best = lesser(best, job.compacts ? visit_by_list<BY_SEGMENTS>(job, range.x, y, count, list, &listed, &kept)
                                             : visit_by_mask<BY_SEGMENTS>(job, range.x, y, count, &kept));
        }
        if (job.compacts && (int)threadIdx.x < listed) {
            ++kept;
            best = lesser(best, key_of<BY_SEGMENTS>(job, list[threadIdx.x]));
        }
        best = least_of_block(best);
        if (threadIdx.x == 0) {
            listed = 0;
            job.partial[unit] = best;
        }
        __syncthreads();
    }
    kept = sum_of_block(kept);
    if (threadIdx.x == 0)
        atomicAdd(job.kept, kept);
}

// Mapping: a block has one x.
static __global__ void __launch_bounds__(PLAIN_THREADS) best_of_rows(vrp_device_plain job)
{
    vrp_device_key best = no_key();
    for (int32_t k = (int32_t)threadIdx.x; k < job.chunks; k += PLAIN_THREADS)
        best = lesser(best, job.partial[(int64_t)blockIdx.x * job.chunks + k]);
    best = least_of_block(best);
    if (threadIdx.x == 0)
        job.rows[blockIdx.x] = best;
}

static __global__ void __launch_bounds__(PLAIN_THREADS) best_of_all(vrp_device_plain job)
{
    const int32_t edges = job.tour.sums.count - 1;
    vrp_device_key best = no_key();
    for (int32_t k = (int32_t)threadIdx.x; k < edges; k += PLAIN_THREADS)
        best = lesser(best, job.rows[k]);
    best = least_of_block(best);
    if (threadIdx.x == 0)
        job.rows[edges] = best;
}

// ---- Stored segments

constexpr int SEGMENT_THREADS = 128;

// The unit behind border k of a level: an edge, or a part of the level below.
DEVICE vrp_segment segment_unit(const vrp_device_tour &tour, const vrp_device_places &places, const vrp_layout &layout,
                                vrp_limits limits, const vrp_segment *stored, int level, int32_t k, bool backwards)
{
    if (level == 0)
        return backwards ? edge_between(tour, places, limits, k + 1, k) : edge_between(tour, places, limits, k, k + 1);
    const int32_t below = level - 1, begin = k << layout.bits[below];
    return stored[vrp_layout_at(&layout, below, begin, begin + vrp_layout_part(&layout, below, k), backwards)];
}

// Mapping: a thread makes the segments from one border on, in one direction, each from the one before it.
static __global__ void __launch_bounds__(SEGMENT_THREADS)
    store_level(vrp_device_tour tour, vrp_device_places places, vrp_layout layout, vrp_limits limits, int level,
                vrp_segment *stored)
{
    const int32_t thread = (int32_t)(blockIdx.x * SEGMENT_THREADS + threadIdx.x), i = thread / 2;
    const bool backwards = thread % 2 != 0;
    if (i >= layout.units[level])
        return;
    const int32_t part = i >> layout.bits[level], end = (part << layout.bits[level]) + vrp_layout_part(&layout, level, part);
    vrp_segment so_far = vrp_segment_none(limits);
    for (int32_t j = i + 1; j <= end; j++) {
        const vrp_segment unit = segment_unit(tour, places, layout, limits, stored, level, j - 1, backwards);
        so_far = vrp_segment_extend(&so_far, &unit, backwards, limits);
        stored[vrp_layout_at(&layout, level, i, j, backwards)] = so_far;
    }
}

}  // namespace vrp

#endif
