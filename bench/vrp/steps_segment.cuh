// SPDX-License-Identifier: MIT
// Segments of the four resources of Schulz's report (2011, section 4), how they are stored (section 5, index modes of
// section 8), and how the segment of a piece of the tour is made from stored ones.
//
// A piece leads from a node of the tour to another one, backwards if inverted. Pieces that are joined share a node.
// With E edges, level 0 has the nodes 0..E as borders. Level l is cut into parts of part[l] units. The ends of the
// parts are the borders of level l + 1. Level l stores all segments, both ways, between two borders of one part. The
// highest level is one part.
#ifndef BENCH_VRP_STEPS_SEGMENT_CUH
#define BENCH_VRP_STEPS_SEGMENT_CUH

#include "steps.h"

// Resources are bits; a kernel evaluates any set of them.
enum { COST = 1, VEHICLES = 2, CAPACITY = 4, LENGTH = 8, ALL_FOUR = 15, RESOURCES = 4 };

// What the steps change. `HALVES` is the report's index mode 2, `ROWS` is 3, `RECTANGLE` is 4. `FORMULA` is 3 with the
// beginning of a row computed instead of read. Mode 1 is not described closely enough to be built again.
enum index_mode { HALVES, ROWS, FORMULA, RECTANGLE };
enum layout_mode { AOS, SOA };
// How the segments of a neighbour are held. HOLD_ARRAY: all in an array that a loop indexes, so in local memory (kernel
// mode 0 of the report). HOLD_ALL: all in registers (mode 0 too). HOLD_NEXT: each is joined as soon as it is known
// (mode 1).
enum hold_mode { HOLD_ARRAY, HOLD_ALL, HOLD_NEXT };
enum sizes_mode { SIZES_GLOBAL, SIZES_SHARED, SIZES_PARAMETER };
enum parts_mode { DIVIDE, SHIFT };
enum pair_mode { PAIR_FORMULA, PAIR_TRIANGLE };
enum triple_mode { TRIPLE_TABLE, TRIPLE_NEWTON };
enum order_mode { P_INNERMOST, P_OUTERMOST };

struct config {
    int level;
    index_mode index;
    layout_mode layout;
    hold_mode hold;
    sizes_mode sizes;
    parts_mode parts;
    pair_mode pair;
    triple_mode triple;
    order_mode order;
};

enum { MOST_LEVELS = 3 };

struct level_sizes {
    int32_t units, part, bits;  // 1 << bits is `part` if that is a power of two; at the highest level, part = units
    int32_t row;                // where its rows begin among the starts
    int32_t first, width;       // FORMULA, RECTANGLE: the first place of the level; RECTANGLE: places of a row
};

struct hierarchy_sizes {
    int32_t levels, half;  // half: places of the segments that are not inverted
    level_sizes level[MOST_LEVELS];
};

struct stored_segments {
    hierarchy_sizes sizes;
    const hierarchy_sizes *d_sizes;
    const int32_t *start;        // [borders of all levels], HALVES and ROWS
    int32_t *words[RESOURCES];   // of cost, vehicles, capacity, length: [count] segments
    int32_t count;               // places
};

struct problem {
    const int32_t *distance, *demand, *node;  // as in steps_tour, on the device
    int32_t locations, edges, capacity, length, vehicles;
};

// ---- Segments

// `routes` counts the routes that are complete inside the segment and not empty.
enum { BEGINS_AT_DEPOT = 1, ENDS_AT_DEPOT = 2, HAS_DEPOT = 4, IS_DEPOT = 7 };
struct vehicles_segment {
    int32_t routes, depots;
};

// A vehicle has used T in 0..limit before the segment and max(a, T + t) after it. The segment can be passed if T <= u
// and `ok`. Here t <= a and u <= limit - t, so the test of a join compares a of the first with u of the second.
struct bound_segment {
    int32_t a, t, u, ok;
};

// A segment holds only the resources that MASK names: the others take no room, not even in local memory.
template <bool> struct cost_member {};
template <> struct cost_member<true> { int32_t cost; };
template <bool> struct vehicles_member {};
template <> struct vehicles_member<true> { vehicles_segment vehicles; };
template <bool> struct capacity_member {};
template <> struct capacity_member<true> { bound_segment capacity; };
template <bool> struct length_member {};
template <> struct length_member<true> { bound_segment length; };
template <int MASK>
struct segment : cost_member<(MASK & COST) != 0>,
                 vehicles_member<(MASK & VEHICLES) != 0>,
                 capacity_member<(MASK & CAPACITY) != 0>,
                 length_member<(MASK & LENGTH) != 0> {};

static __device__ inline vehicles_segment join(vehicles_segment p, vehicles_segment q)
{
    const bool completes_one =
        (p.depots & q.depots & HAS_DEPOT) && !((p.depots & ENDS_AT_DEPOT) && (q.depots & BEGINS_AT_DEPOT));
    const int32_t has = (p.depots | q.depots) & HAS_DEPOT;
    return {p.routes + q.routes + completes_one, (p.depots & BEGINS_AT_DEPOT) | (q.depots & ENDS_AT_DEPOT) | has};
}

static __device__ inline bound_segment join(bound_segment p, bound_segment q)
{
    return {max(q.a, p.a + q.t), p.t + q.t, min(p.u, q.u - p.t), p.ok & q.ok & (p.a <= q.u)};
}

// The segment of p followed by q.
template <int MASK> static __device__ inline segment<MASK> join(const segment<MASK> &p, const segment<MASK> &q)
{
    segment<MASK> s;
    if constexpr (MASK & COST)
        s.cost = p.cost + q.cost;
    if constexpr (MASK & VEHICLES)
        s.vehicles = join(p.vehicles, q.vehicles);
    if constexpr (MASK & CAPACITY)
        s.capacity = join(p.capacity, q.capacity);
    if constexpr (MASK & LENGTH)
        s.length = join(p.length, q.length);
    return s;
}

// The segment of one node; joining it changes nothing.
template <int MASK> static __device__ inline segment<MASK> of_node(const problem &p, int32_t location)
{
    segment<MASK> s;
    if constexpr (MASK & COST)
        s.cost = 0;
    if constexpr (MASK & VEHICLES)
        s.vehicles = {0, location == 0 ? IS_DEPOT : 0};
    if constexpr (MASK & CAPACITY)
        s.capacity = {0, 0, p.capacity, 1};
    if constexpr (MASK & LENGTH)
        s.length = {0, 0, p.length, 1};
    return s;
}

// The segment of an edge that uses `used`. A depot at its end resets what is used.
static __device__ inline bound_segment bound_of_edge(int32_t used, bool ends_at_depot, int32_t limit)
{
    return {ends_at_depot ? 0 : used, ends_at_depot ? used - limit : used, limit - used, used <= limit};
}

template <int MASK> static __device__ inline segment<MASK> of_edge(const problem &p, int32_t from, int32_t to)
{
    segment<MASK> s;
    int32_t w = 0;
    if constexpr (MASK & (COST | LENGTH))
        w = __ldg(&p.distance[from * p.locations + to]);
    if constexpr (MASK & COST)
        s.cost = w;
    if constexpr (MASK & VEHICLES)
        s.vehicles = {0, (from == 0 ? BEGINS_AT_DEPOT | HAS_DEPOT : 0) | (to == 0 ? ENDS_AT_DEPOT | HAS_DEPOT : 0)};
    if constexpr (MASK & CAPACITY)
        s.capacity = bound_of_edge(__ldg(&p.demand[to]), to == 0, p.capacity);
    if constexpr (MASK & LENGTH)
        s.length = bound_of_edge(w, to == 0, p.length);
    return s;
}

// ---- Places

// The place of the segment from border i to border j > i of one part of level l. FORMULA needs parts that are powers of
// two.
static __device__ inline int32_t place_of(index_mode index, const hierarchy_sizes &s, const int32_t *start, int l, int32_t i,
                                          int32_t j, bool inverted)
{
    const level_sizes &level = s.level[l];
    if (index == HALVES)
        return __ldg(&start[level.row + i]) + (j - i - 1) + (inverted ? s.half : 0);
    if (index == ROWS)
        return __ldg(&start[level.row + i]) + 2 * (j - i - 1) + inverted;
    if (index == RECTANGLE)
        return level.first + i * level.width + 2 * (j - i - 1) + inverted;
    const int32_t part = l == s.levels - 1 ? 0 : i >> level.bits, begin = part * level.part;
    const int32_t n = min(level.part, level.units - begin), row = i - begin;
    return level.first + begin * (level.part + 1) + 2 * (row * n - row * (row - 1) / 2 + (j - i - 1)) + inverted;
}

template <int MASK>
static __device__ inline segment<MASK> load_segment(layout_mode layout, const stored_segments &stored, int32_t at)
{
    segment<MASK> s;
    const int32_t n = stored.count;
    if constexpr (MASK & COST)
        s.cost = __ldg(&stored.words[0][at]);
    if constexpr (MASK & VEHICLES) {
        const int32_t *w = stored.words[1];
        const int2 v = layout == AOS ? __ldg((const int2 *)w + at) : make_int2(__ldg(&w[at]), __ldg(&w[n + at]));
        s.vehicles = {v.x, v.y};
    }
    if constexpr (MASK & CAPACITY) {
        const int32_t *w = stored.words[2];
        const int4 v = layout == AOS
                           ? __ldg((const int4 *)w + at)
                           : make_int4(__ldg(&w[at]), __ldg(&w[n + at]), __ldg(&w[2 * n + at]), __ldg(&w[3 * n + at]));
        s.capacity = {v.x, v.y, v.z, v.w};
    }
    if constexpr (MASK & LENGTH) {
        const int32_t *w = stored.words[3];
        const int4 v = layout == AOS
                           ? __ldg((const int4 *)w + at)
                           : make_int4(__ldg(&w[at]), __ldg(&w[n + at]), __ldg(&w[2 * n + at]), __ldg(&w[3 * n + at]));
        s.length = {v.x, v.y, v.z, v.w};
    }
    return s;
}

static __device__ inline void store_bound(layout_mode layout, int32_t *w, int32_t n, int32_t at, bound_segment b)
{
    if (layout == AOS) {
        ((int4 *)w)[at] = make_int4(b.a, b.t, b.u, b.ok);
        return;
    }
    w[at] = b.a;
    w[n + at] = b.t;
    w[2 * n + at] = b.u;
    w[3 * n + at] = b.ok;
}

template <int MASK>
static __device__ inline void store_segment(layout_mode layout, const stored_segments &stored, int32_t at,
                                            const segment<MASK> &s)
{
    if constexpr (MASK & COST)
        stored.words[0][at] = s.cost;
    if constexpr (MASK & VEHICLES) {
        if (layout == AOS) {
            ((int2 *)stored.words[1])[at] = make_int2(s.vehicles.routes, s.vehicles.depots);
        } else {
            stored.words[1][at] = s.vehicles.routes;
            stored.words[1][stored.count + at] = s.vehicles.depots;
        }
    }
    if constexpr (MASK & CAPACITY)
        store_bound(layout, stored.words[2], stored.count, at, s.capacity);
    if constexpr (MASK & LENGTH)
        store_bound(layout, stored.words[3], stored.count, at, s.length);
}

// ---- The segment of a piece

// Joins to `so_far` the stored segments of the piece from border i to border j > i of level L. They are the part up to
// the next border of the level above, what lies between such borders, and the rest; in reverse order if inverted.
template <config C, int MASK, int L>
static __device__ inline void join_stored(const stored_segments &stored, const hierarchy_sizes &sizes, int32_t i, int32_t j,
                                          bool inverted, segment<MASK> &so_far)
{
    const auto join_one = [&](int32_t from, int32_t to) {
        const int32_t at = place_of(C.index, sizes, stored.start, L, from, to, inverted);
        so_far = join(so_far, load_segment<MASK>(C.layout, stored, at));
    };
    if constexpr (L == C.level) {
        join_one(i, j);
    } else {
        const level_sizes &level = sizes.level[L];
        const auto part_of = [&](int32_t k) { return C.parts == SHIFT ? k >> level.bits : k / level.part; };
        if (part_of(i) == part_of(j - 1)) {
            join_one(i, j);
            return;
        }
        const int32_t up = part_of(i + level.part - 1), down = j == level.units ? part_of(j + level.part - 1) : part_of(j);
        const int32_t head_end = up * level.part, tail_begin = down * level.part;
        const bool has_head = i < head_end, has_tail = tail_begin < j;
        if (inverted ? has_tail : has_head)
            join_one(inverted ? tail_begin : i, inverted ? j : head_end);
        if (up < down)
            join_stored<C, MASK, L + 1>(stored, sizes, up, down, inverted, so_far);
        if (inverted ? has_head : has_tail)
            join_one(inverted ? i : tail_begin, inverted ? head_end : j);
    }
}

template <config C, int MASK>
static __device__ inline void join_piece(const stored_segments &stored, const hierarchy_sizes &sizes, int32_t from, int32_t to,
                                         segment<MASK> &so_far)
{
    if (from != to)
        join_stored<C, MASK, 0>(stored, sizes, min(from, to), max(from, to), from > to, so_far);
}

#endif
