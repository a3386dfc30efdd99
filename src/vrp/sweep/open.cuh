// SPDX-License-Identifier: MIT
// Pure 3-opt moves without a depot between two of the edges cut: x and y lie in one route, or y and z do. For symmetric
// costs and a feasible tour; routes do not count.
//
// Let x and y lie in one route and z behind it, and B = x + 1..y:
//   p 0, 1   B goes into the route of z, forward or reversed. Both join x to y + 1, so both share a constant and the
//            one test of the route of z: the lesser one is legal if any is.
//   p 2      One route is tail of x, tail of z; it depends on x and z. The other is head of y, B, head of z: its load
//            depends on x and z, its length on x and y, and on y and z.
//   p 3      One route is tail of x, B, tail of z: its load depends on y and z, its length on x and y, and on x and z.
//            The other is head of y, head of z; it depends on y and z.
// So for x, y and z only four tests and three minima remain for the four moves. All else is made for pairs and used
// several times. If all three edges lie in one route, its load stays and its length changes by as much as the cost: the
// least is legal if any is.
//
// If y and z lie in one route and x before it, the tour is read from its end, which gives the same case: position i
// becomes E - i, edge e becomes E - 1 - e, x and z change places, and so do p 1 and 2. tour_view<true> is that tour;
// its lanes are x.
//
// Mapping: a block has 2 x. Its 8 warps share the y, 4 at a time, and z in parts of PART; lanes are z. A thread has 24
// running minima. A step loads 16 words of distances and 5 of sums for 32 moves of a lane.
#ifndef MCO_VRP_SWEEP_OPEN_CUH
#define MCO_VRP_SWEEP_OPEN_CUH

#include "vrp/sweep/joins.cuh"
#include "vrp/sweep/narrow.cuh"

namespace vrp {

constexpr int OPEN_X = 2, OPEN_Y = GROUP, OPEN_PAIRS = OPEN_X * OPEN_Y;
constexpr int OPEN_WARPS = 8, OPEN_PARTS = 2;  // warps of a block; blocks that share an x
constexpr int PART = 512;                      // z of an item
static_assert(OPEN_PAIRS <= WARP, "a lane makes the terms of a pair");

// A tour, or the same tour read from its end.
template <bool IS_MIRROR> struct tour_view {
    const vrp_device_tour &tour;
    int32_t edges;

    DEVICE int32_t at(int32_t i) const
    {
        return IS_MIRROR ? edges - i : i;
    }
    DEVICE uint32_t load_to(int32_t i) const
    {
        return (uint32_t)(IS_MIRROR ? tour.sums.load_from : tour.sums.load_to)[at(i)];
    }
    DEVICE uint32_t load_from(int32_t i) const
    {
        return (uint32_t)(IS_MIRROR ? tour.sums.load_to : tour.sums.load_from)[at(i)];
    }
    DEVICE int32_t length_to(int32_t i) const
    {
        return (IS_MIRROR ? tour.sums.length_from : tour.sums.length_to)[at(i)];
    }
    DEVICE int32_t length_from(int32_t i) const
    {
        return (IS_MIRROR ? tour.sums.length_to : tour.sums.length_from)[at(i)];
    }
    DEVICE int32_t service(int32_t i) const
    {
        return tour.sums.service[at(i)];
    }
    DEVICE int32_t edge(int32_t e) const
    {
        return tour.sums.edge[IS_MIRROR ? edges - 1 - e : e];
    }
    DEVICE int32_t next_depot(int32_t i) const
    {
        return IS_MIRROR ? edges - tour.sums.last_depot[edges - i] : tour.sums.next_depot[i];
    }
    DEVICE const int32_t *row(int32_t i) const
    {
        return tour.distance + at(i) * tour.stride;
    }
    DEVICE int32_t distance(int32_t i, int32_t j) const
    {
        return row(i)[at(j)];
    }
};

// The terms of x and y for all z. Each constant is added to the least sum of its moves; it is VRP_FAR if none is legal.
struct __align__(16) pair_terms {
    int32_t inner;                       // length of B
    int32_t room_2, room_3;              // p 2, 3: length that z may add to the route with B
    int32_t constant_01, constant_2, constant_3;
    int32_t only_01, room;               // all in one route: the constant of p 0 and 1; by how much the length may grow
};

template <bool IS_MIRROR>
DEVICE pair_terms terms_of(const tour_view<IS_MIRROR> &v, int32_t x, int32_t y)
{
    const int32_t limit = v.tour.sums.max_length;
    if (y <= x || y >= v.edges || y >= v.next_depot(x + 1))
        return {0, -VRP_FAR, -VRP_FAR, VRP_FAR, VRP_FAR, VRP_FAR, VRP_FAR, -VRP_FAR};
    const int32_t across = v.distance(x, y + 1), behind = v.distance(y + 1, x + 1), before = v.distance(x, y);
    const int32_t off = v.edge(x) + v.edge(y), tail = v.length_to(x), head = v.length_from(y + 1);
    pair_terms t;
    t.inner = v.length_to(y) - v.length_to(x + 1) + v.service(x + 1);
    t.room_2 = limit - (head + t.inner) - behind;
    t.room_3 = limit - (tail + t.inner) - before;
    t.only_01 = across - off;
    // The rest of the route, tail and head, need not be legal: its new edge may be longer than what it replaces.
    t.constant_01 = (uint32_t)tail + (uint32_t)head + (uint32_t)across <= (uint32_t)limit ? t.only_01 : (int32_t)VRP_FAR;
    t.constant_2 = behind - off;
    t.constant_3 = before - off;
    t.room = limit - (tail + v.edge(x)) - v.length_from(x + 1);
    return t;
}

struct open_minima {
    int32_t of_01[OPEN_X][OPEN_Y], of_2[OPEN_X][OPEN_Y], of_3[OPEN_X][OPEN_Y];

    DEVICE void clear()
    {
#pragma unroll
        for (int k = 0; k < OPEN_PAIRS; k++)
            of_01[k / OPEN_Y][k % OPEN_Y] = of_2[k / OPEN_Y][k % OPEN_Y] = of_3[k / OPEN_Y][k % OPEN_Y] = VRP_FAR;
    }
    // The least value of the i-th x, with the constants.
    DEVICE int32_t of_row(const pair_terms *terms, int i) const
    {
        int32_t least = VRP_FAR;
#pragma unroll
        for (int j = 0; j < OPEN_Y; j++) {
            const pair_terms &t = terms[i * OPEN_Y + j];
            least = __viaddmin_s32(of_01[i][j], t.constant_01, least);
            least = __viaddmin_s32(of_2[i][j], t.constant_2, least);
            least = __viaddmin_s32(of_3[i][j], t.constant_3, least);
        }
        return least;
    }
};

// The pairs of a warp, and what they keep for all z.
template <bool IS_MIRROR> struct open_tile {
    tour_view<IS_MIRROR> v;
    int32_t x, y;            // the first of OPEN_X and OPEN_Y
    int32_t end;             // the depot behind their route
    const pair_terms *terms;  // [OPEN_PAIRS], shared
    const int32_t *row_x[OPEN_X + 1], *row_y[OPEN_Y + 1];
    uint32_t tail_load_x[OPEN_X], head_room_x[OPEN_X], tail_room_x[OPEN_X], tail_load_y[OPEN_Y], tail_room_y[OPEN_Y],
        head_room_y[OPEN_Y];
    int32_t tail_length_x[OPEN_X], head_length_y[OPEN_Y];

    // Reads what the pairs need. Pairs beyond the tour read its last position; their terms are VRP_FAR.
    DEVICE void open(int32_t first_x, int32_t first_y, pair_terms *shared)
    {
        const uint32_t capacity = (uint32_t)v.tour.sums.capacity;
        const int32_t limit = v.tour.sums.max_length, last = v.edges;
        x = first_x;
        y = first_y;
        terms = shared;
#pragma unroll
        for (int i = 0; i < OPEN_X; i++) {
            const int32_t a = min(x + i, last);
            row_x[i] = v.row(a);
            tail_load_x[i] = v.load_to(a);
            tail_room_x[i] = capacity - tail_load_x[i];
            head_room_x[i] = capacity - v.load_from(min(x + i + 1, last));
            tail_length_x[i] = limit - v.length_to(a);
        }
        row_x[OPEN_X] = v.row(min(x + OPEN_X, last));
#pragma unroll
        for (int j = 0; j < OPEN_Y; j++) {
            const int32_t a = min(y + j, last), next = min(y + j + 1, last);
            row_y[j] = v.row(a);
            tail_load_y[j] = v.load_to(a);
            tail_room_y[j] = capacity - tail_load_y[j];
            head_room_y[j] = capacity - v.load_from(next);
            head_length_y[j] = limit - v.length_from(next);
        }
        row_y[OPEN_Y] = v.row(min(y + OPEN_Y, last));
    }

    // Adds a z in a route behind that of x and y.
    DEVICE void step(int32_t z, open_minima *m) const
    {
        const int32_t here = v.at(z), next = v.at(z + 1), edge = v.edge(z), to = v.length_to(z), from = v.length_from(z + 1);
        const uint32_t load_to = v.load_to(z), load_from = v.load_from(z + 1);
        const int32_t room = v.tour.sums.max_length - (to + edge) - from;
        const uint32_t load_room = (uint32_t)v.tour.sums.capacity - load_to - load_from;
        int32_t y_here[OPEN_Y], y_next[OPEN_Y], y_length[OPEN_Y], heads[OPEN_Y];
#pragma unroll
        for (int j = 0; j < OPEN_Y; j++) {
            const int32_t distance = row_y[j][next], head = row_y[j + 1][next];
            y_here[j] = row_y[j][here];
            y_next[j] = distance - edge;
            y_length[j] = distance + from;
            const bool is_legal =
                (load_from <= head_room_y[j]) & (load_to <= tail_room_y[j]) & (head + from <= head_length_y[j]);
            heads[j] = is_legal ? head - edge : (int32_t)VRP_FAR;
        }
#pragma unroll
        for (int i = 0; i < OPEN_X; i++) {
            const int32_t tail = row_x[i][here], x_here = row_x[i + 1][here], x_next = row_x[i + 1][next] - edge;
            const bool is_legal =
                (load_to <= tail_room_x[i]) & (load_from <= head_room_x[i]) & (tail + to <= tail_length_x[i]);
            const int32_t tails = is_legal ? tail : (int32_t)VRP_FAR, x_length = x_here + to;
            const uint32_t most_load = load_room + tail_load_x[i];
#pragma unroll
            for (int j = 0; j < OPEN_Y; j++) {
                const pair_terms &t = terms[i * OPEN_Y + j];
                const int32_t one = x_here + y_next[j], sum = __viaddmin_s32(y_here[j], x_next, one);
                // Written with selections, since conditions would become jumps.
                const bool fits = (tail_load_y[j] <= most_load) & (sum <= room - t.inner);
                const int32_t least_2 = __viaddmin_s32(tails, y_next[j], m->of_2[i][j]),
                              least_3 = __viaddmin_s32(heads[j], x_here, m->of_3[i][j]);
                m->of_01[i][j] = min(m->of_01[i][j], fits ? sum : (int32_t)VRP_FAR);
                m->of_2[i][j] = y_length[j] <= t.room_2 ? least_2 : m->of_2[i][j];
                m->of_3[i][j] = x_length <= t.room_3 ? least_3 : m->of_3[i][j];
            }
        }
    }

    // Adds a z in the same route, behind some y.
    DEVICE void step_inside(int32_t z, open_minima *m) const
    {
        const int32_t here = v.at(z), next = v.at(z + 1), edge = v.edge(z);
#pragma unroll
        for (int j = 0; j < OPEN_Y; j++) {
            const int32_t y_here = row_y[j][here], y_next = row_y[j][next] - edge, head = row_y[j + 1][next] - edge;
#pragma unroll
            for (int i = 0; i < OPEN_X; i++) {
                if (z <= y + j)
                    continue;
                const int32_t tail = row_x[i][here], x_here = row_x[i + 1][here], x_next = row_x[i + 1][next];
                m->of_01[i][j] = __viaddmin_s32(x_here, y_next, m->of_01[i][j]);
                m->of_01[i][j] = __viaddmin_s32(y_here, x_next - edge, m->of_01[i][j]);
                m->of_2[i][j] = __viaddmin_s32(tail, y_next, m->of_2[i][j]);
                m->of_3[i][j] = __viaddmin_s32(x_here, head, m->of_3[i][j]);
            }
        }
    }
};

// Offers the moves with x, y and z in one route, for all z of the route.
static DEVICE void finish_inside(const vrp_device_three_opt &search, const open_tile<false> &tile, open_minima *m)
{
    const int lane = threadIdx.x % WARP;
    m->clear();
    for (int32_t z = tile.y + 1 + lane; z < tile.end; z += WARP)
        tile.step_inside(z, m);
#pragma unroll
    for (int i = 0; i < OPEN_X; i++) {
        int32_t least = VRP_FAR;
#pragma unroll
        for (int j = 0; j < OPEN_Y; j++) {
            const pair_terms &t = tile.terms[i * OPEN_Y + j];
            int32_t of_pair = m->of_01[i][j] + t.only_01;
            of_pair = __viaddmin_s32(m->of_2[i][j], t.constant_2, of_pair);
            of_pair = __viaddmin_s32(m->of_3[i][j], t.constant_3, of_pair);
            least = of_pair <= t.room && of_pair < least ? of_pair : least;
        }
        least = __reduce_min_sync(ALL_LANES, least);
        if (lane == 0)
            offer(search, least, tile.x + i, tile.y);
    }
}

// Offers the moves with z of begin..end - 1 in routes behind.
static DEVICE void finish_part(const vrp_device_three_opt &search, const open_tile<false> &tile, int32_t begin, int32_t end,
                               open_minima *m)
{
    const int lane = threadIdx.x % WARP;
    m->clear();
    for (int32_t z = begin + lane; z < end; z += WARP)
        tile.step(z, m);
#pragma unroll
    for (int i = 0; i < OPEN_X; i++) {
        const int32_t least = __reduce_min_sync(ALL_LANES, m->of_row(tile.terms, i));
        if (lane == 0)
            offer(search, least, tile.x + i, tile.y);
    }
}

// The same for the mirrored tour, whose z are x and whose x are z. An offer needs the x of its lane. So a part that may
// hold the best move is gone through again, and every z offers its own moves. The lowest x is the highest z.
static DEVICE void finish_part(const vrp_device_three_opt &search, const open_tile<true> &tile, int32_t begin, int32_t end,
                               open_minima *m)
{
    const int lane = threadIdx.x % WARP;
    const int32_t edges = tile.v.edges;
    if (search.rows == nullptr) {
        m->clear();
        for (int32_t z = begin + lane; z < end; z += WARP)
            tile.step(z, m);
        int32_t least = VRP_FAR;
#pragma unroll
        for (int i = 0; i < OPEN_X; i++)
            least = min(least, m->of_row(tile.terms, i));
        least = __reduce_min_sync(ALL_LANES, least);
        if (offered_key(search, least, edges - end, 0) >= *(volatile word_64 *)search.best)
            return;
    }
    // From the lowest x on. Edge e of the mirrored tour is edge E - 1 - e.
    for (int32_t z = end - 1 - lane; z >= begin; z -= WARP) {
        m->clear();
        tile.step(z, m);
#pragma unroll
        for (int j = 0; j < OPEN_Y; j++) {
            int32_t least = VRP_FAR;
#pragma unroll
            for (int i = 0; i < OPEN_X; i++) {
                const pair_terms &t = tile.terms[i * OPEN_Y + j];
                least = __viaddmin_s32(m->of_01[i][j], t.constant_01, least);
                least = __viaddmin_s32(m->of_2[i][j], t.constant_2, least);
                least = __viaddmin_s32(m->of_3[i][j], t.constant_3, least);
            }
            offer(search, least, edges - 1 - z, edges - 1 - (tile.y + j));
        }
    }
}

template <bool IS_MIRROR> __global__ void __launch_bounds__(OPEN_WARPS *WARP, 2) open_moves(vrp_device_three_opt search, int32_t first)
{
    __shared__ pair_terms shared_terms[OPEN_WARPS][OPEN_PAIRS];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const tour_view<IS_MIRROR> view = {search.tour, search.tour.sums.count - 1};
    const int32_t edges = view.edges, x = first + (int32_t)blockIdx.x * OPEN_X;
    // If the two x lie in different routes, the first one has no y, since a depot follows it.
    const int32_t end = view.next_depot(x + 2 < edges ? x + 2 : edges), first_y = (x + 1) / OPEN_Y * OPEN_Y;
    const int32_t tiles = (end - first_y + OPEN_Y - 1) / OPEN_Y, parts = edges > end ? (edges - end + PART - 1) / PART : 1;
    for (int32_t item = (int32_t)blockIdx.y * OPEN_WARPS + warp; item < tiles * parts; item += OPEN_WARPS * OPEN_PARTS) {
        const int32_t y = first_y + item / parts * OPEN_Y, part = item % parts, begin = end + part * PART;
        open_tile<IS_MIRROR> tile = {view};
        open_minima minima;
        __syncwarp();  // the terms of the item before have been read
        if (lane < OPEN_PAIRS)
            shared_terms[warp][lane] = terms_of(view, x + lane / OPEN_Y, y + lane % OPEN_Y);
        __syncwarp();
        tile.end = end;
        tile.open(x, y, shared_terms[warp]);
        if constexpr (!IS_MIRROR)
            if (part == 0)
                finish_inside(search, tile, &minima);
        if (begin < edges)
            finish_part(search, tile, begin, begin + PART < edges ? begin + PART : edges, &minima);
    }
}

}  // namespace vrp

#endif
