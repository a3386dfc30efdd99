// SPDX-License-Identifier: MIT
// Distances in tour order, and the four tables of joins of a symmetric, feasible tour.
//
// Cutting edge e leaves a tail, from a depot to position e, and a head, from e + 1 to a depot. If a depot lies between
// any two of the edges cut, each new edge makes one route of two such halves, and these alone decide whether the route
// is legal. The table entry of row r and column z is the distance of the join of a half of r with a half of z, or
// VRP_FAR if the route breaks a limit. Entries with the head of z are less the length of edge z, so that each move
// subtracts it once.
//
// If no depot lies from r + 1 to z, the entry is VRP_FAR. That excludes moves without the depots, and z <= r.
#ifndef MCO_VRP_SWEEP_JOINS_CUH
#define MCO_VRP_SWEEP_JOINS_CUH

#include "vrp/sweep/device.cuh"

namespace vrp {

enum join_kind { TAIL_HEAD, HEAD_TAIL, HEAD_HEAD, TAIL_TAIL };

constexpr int JOIN_COLUMNS = 32, JOIN_THREAD_ROWS = 8, JOIN_ROWS = 4;  // of a block: lanes, warps; rows of a warp

// ---- Distances

// Mapping: a warp has 32 columns of JOIN_ROWS rows. It reads coordinates through the tour. Bound by the writes: 4 bytes
// an entry.
__global__ void __launch_bounds__(JOIN_COLUMNS *JOIN_THREAD_ROWS) fill_distances(vrp_device_tour tour, vrp_device_places places)
{
    const int32_t column = (int32_t)(blockIdx.x * JOIN_COLUMNS + threadIdx.x % WARP);
    const int32_t first = (int32_t)(blockIdx.y * JOIN_THREAD_ROWS + threadIdx.x / WARP) * JOIN_ROWS;
    if (column >= tour.sums.count)
        return;
    const int32_t to = tour.sums.node[column];
    for (int32_t row = first; row < first + JOIN_ROWS && row < tour.sums.count; row++)
        tour.distance[row * tour.stride + column] = node_distance(places, tour.sums.node[row], to);
}

// ---- Joins

// Half of a route: its load and length, and whether it has a customer.
struct half {
    int32_t load, length;
    bool is_full;
};

DEVICE half tail_at(const vrp_sums &t, int32_t e)
{
    return {t.load_to[e], t.length_to[e], t.node[e] != 0};
}

DEVICE half head_at(const vrp_sums &t, int32_t e)
{
    return {t.load_from[e + 1], t.length_from[e + 1], t.node[e + 1] != 0};
}

// The entry for a join of two halves. Loads and lengths are at most 2^30, distances at most 2^24: sums fit 32 bits
// without a sign.
DEVICE int32_t joined(const vrp_sums &t, half a, half b, int32_t distance, int32_t weight)
{
    const bool is_legal = (uint32_t)a.load + (uint32_t)b.load <= (uint32_t)t.capacity &&
                          (uint32_t)a.length + (uint32_t)distance + (uint32_t)b.length <= (uint32_t)t.max_length;
    return is_legal ? distance + (a.is_full || b.is_full ? weight : 0) : (int32_t)VRP_FAR;
}

// What a move that cuts edge e subtracts: its length, and the weight of its route if that is not empty.
DEVICE int32_t weighted_edge(const vrp_sums &t, int32_t e, int32_t weight)
{
    return t.edge[e] + (t.node[e] != 0 || t.node[e + 1] != 0 ? weight : 0);
}

struct four_joins {
    int32_t of[4];
};

// The entries of row r and column z.
DEVICE four_joins joins_of(const vrp_device_tour &tour, int32_t weight, int32_t r, int32_t z)
{
    const vrp_sums &t = tour.sums;
    const int32_t edges = t.count - 1;
    if (r >= edges || z >= edges || z < t.next_depot[r + 1])
        return {{VRP_FAR, VRP_FAR, VRP_FAR, VRP_FAR}};
    const half tail = tail_at(t, r), head = head_at(t, r), tail_z = tail_at(t, z), head_z = head_at(t, z);
    const int32_t *row = tour.distance + r * tour.stride + z, *next = row + tour.stride, off = weighted_edge(t, z, weight);
    four_joins out;
    out.of[TAIL_HEAD] = joined(t, tail, head_z, row[1], weight);
    out.of[HEAD_TAIL] = joined(t, head, tail_z, next[0], weight);
    out.of[HEAD_HEAD] = joined(t, head, head_z, next[1], weight);
    out.of[TAIL_TAIL] = joined(t, tail, tail_z, row[0], weight);
    for (int k = TAIL_HEAD; k <= HEAD_HEAD; k += HEAD_HEAD - TAIL_HEAD)
        out.of[k] = out.of[k] < VRP_FAR ? out.of[k] - off : out.of[k];
    return out;
}

DEVICE uint32_t half_word(int32_t entry)
{
    return (uint32_t)(uint16_t)(entry == VRP_FAR ? (int32_t)VRP_FAR_16 : entry);
}

// Mapping: a warp has 32 words, each of one entry or two, in JOIN_ROWS rows. Of the lower triangle it writes only a
// band beside the diagonal: the tiles of vrp/sweep/closed.cuh begin at most 2 VRP_DEVICE_COLUMNS before the diagonal.
// Bound by the writes: 16 or 8 bytes a column and row.
template <bool IS_NARROW>
__global__ void __launch_bounds__(JOIN_COLUMNS *JOIN_THREAD_ROWS) fill_joins(vrp_device_tour tour, vrp_device_tables tables)
{
    constexpr int ENTRIES = IS_NARROW ? 2 : 1;
    const int32_t word = (int32_t)(blockIdx.x * JOIN_COLUMNS + threadIdx.x % WARP), words = tables.columns / ENTRIES;
    const int32_t first = (int32_t)(blockIdx.y * JOIN_THREAD_ROWS + threadIdx.x / WARP) * JOIN_ROWS;
    const int32_t z = tables.first + word * ENTRIES;
    if (word >= words)
        return;
    for (int32_t r = first; r < first + JOIN_ROWS && r < tables.rows; r++) {
        if (z + 3 * VRP_DEVICE_COLUMNS < r)
            continue;
        const four_joins low = joins_of(tour, tables.weight, r, z);
        const four_joins high = IS_NARROW ? joins_of(tour, tables.weight, r, z + 1) : low;
        const int64_t at = (int64_t)r * words + word;
        for (int k = 0; k < 4; k++)
            ((uint32_t *)tables.join[k])[at] =
                IS_NARROW ? half_word(low.of[k]) | half_word(high.of[k]) << 16 : (uint32_t)low.of[k];
    }
}

}  // namespace vrp

#endif
