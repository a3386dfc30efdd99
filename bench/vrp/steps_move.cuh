// SPDX-License-Identifier: MIT
// Neighbours: which one a thread has (Schulz 2011, section 6), its value and its feasibility. One generic kernel
// evaluates a neighbourhood for any resources, levels and mappings.
//
// "Fitness structure": the value and the feasibility of every neighbour, in two arrays. 2-opt: place i, or row * width
// + column of the cut triangle. 3-opt: 4 t + p, or p * stride + t, for triple t.
#ifndef BENCH_VRP_STEPS_MOVE_CUH
#define BENCH_VRP_STEPS_MOVE_CUH

#include <climits>

#include "steps_segment.cuh"

struct triple {
    uint16_t x, y, z;
};

struct move_args {
    problem p;
    stored_segments stored;
    const triple *triples;       // [count] of this part of the neighbourhood, TRIPLE_TABLE
    uint32_t first;              // rank of its first triple, TRIPLE_NEWTON
    uint32_t count, stride;      // triples of this part; room for those of a part. 2-opt: moves
    int32_t *value;              // the fitness structure
    uint8_t *feasible;
    const uint8_t *keep;         // PICK_KEPT
    const uint32_t *list;        // [listed] places, PICK_LISTED
    uint32_t listed;
};

// SINK_ADD: the kernel adds to what other kernels have left; SINK_SET: it writes the whole value and feasibility.
enum sink_mode { SINK_ADD, SINK_SET };
enum pick_mode { PICK_ALL, PICK_KEPT, PICK_LISTED };

struct candidate {
    int32_t value;
    uint64_t key;  // 12 bits each of x, y, z, 2 of p; all bits set: no move
};

static __device__ __host__ inline candidate no_candidate()
{
    return {INT_MAX, UINT64_MAX};
}

static __device__ __host__ inline bool is_better(candidate a, candidate b)
{
    return a.value < b.value || (a.value == b.value && a.key < b.key);
}

static __device__ __host__ inline uint64_t key_of(steps_move m)
{
    return (uint64_t)m.x << 26 | (uint64_t)m.y << 14 | (m.z < 0 ? 0 : (uint64_t)m.z << 2 | (uint64_t)m.p);
}

// ---- Mappings

// Exact up to 4608 edges.
static __device__ inline steps_move pair_by_formula(int32_t n, uint32_t place)
{
    const int32_t i = (int32_t)place, root = 8 * (n * (n - 1) / 2) - 8 * i - 7;
    const int32_t x = n - 2 - (int32_t)((sqrtf((float)root) - 1.0f) * 0.5f);
    return {x, 1 + i - x * (n - 1) + x * (x + 1) / 2, -1, -1};
}

static __device__ __host__ inline int32_t triangle_width(int32_t n)
{
    return n - 1 + (n & 1);
}

static __device__ __host__ inline steps_move pair_of_triangle(int32_t n, int32_t row, int32_t column)
{
    const int32_t last = n - 1 - row;
    return column < last ? steps_move{column, last, -1, -1} : steps_move{column - last, row + (n & 1), -1, -1};
}

static __device__ inline uint64_t choose_3(uint64_t n)
{
    return n * (n - 1) * (n - 2) / 6;
}

// The triple of a rank. Newton's method solves the cubic in single precision; the loops correct the result where it is
// off.
static __device__ inline triple triple_by_newton(int32_t n, uint32_t rank)
{
    uint64_t r = choose_3(n) - 1 - rank;
    const float target = 6.0f * (float)r;
    float u = cbrtf(target) + 1.0f;
    for (int step = 0; step < 2; step++)
        u -= (u * u * u - u - target) / (3.0f * u * u - 1.0f);
    int64_t m = (int64_t)(u + 1.0f);
    m = m < 2 ? 2 : m;
    while (choose_3(m) > r)
        m--;
    while (choose_3(m + 1) <= r)
        m++;
    r -= choose_3(m);
    int64_t k = (int64_t)((1.0f + sqrtf(1.0f + 8.0f * (float)r)) * 0.5f);
    while (k * (k - 1) / 2 > (int64_t)r)
        k--;
    while (k * (k + 1) / 2 <= (int64_t)r)
        k++;
    return {(uint16_t)(n - 1 - m), (uint16_t)(n - 1 - k), (uint16_t)(n - 1 - ((int64_t)r - k * (k - 1) / 2))};
}

template <triple_mode T> static __device__ inline steps_move triple_of(const move_args &a, uint32_t t, int32_t p)
{
    const triple m = T == TRIPLE_TABLE ? a.triples[t] : triple_by_newton(a.p.edges, a.first + t);
    return {m.x, m.y, m.z, p};
}

// The move at a place of the fitness structure.
template <config C, int CUTS> static __device__ inline steps_move move_at(const move_args &a, uint32_t place)
{
    if constexpr (CUTS == 2) {
        const uint32_t width = triangle_width(a.p.edges);
        return C.pair == PAIR_TRIANGLE ? pair_of_triangle(a.p.edges, place / width, place % width)
                                       : pair_by_formula(a.p.edges, place);
    } else if constexpr (C.order == P_INNERMOST) {
        return triple_of<C.triple>(a, place / 4, place % 4);
    } else {
        return triple_of<C.triple>(a, place % a.stride, place / a.stride);
    }
}

// The move of this thread and its place; false if it has none. Grids: (columns, rows) of the triangle; (triples, 4)
// with p outermost; otherwise one-dimensional.
template <config C, int CUTS, pick_mode PICK>
static __device__ inline bool find_move(const move_args &a, uint32_t *place, steps_move *m)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if constexpr (PICK == PICK_LISTED) {
        *place = i;
        if (i < a.listed)
            *m = move_at<C, CUTS>(a, a.list[i]);
        return i < a.listed;
    } else if constexpr (CUTS == 2 && C.pair == PAIR_TRIANGLE) {
        const uint32_t width = triangle_width(a.p.edges);
        *place = blockIdx.y * width + i;
        *m = pair_of_triangle(a.p.edges, blockIdx.y, i);
        return i < width && (PICK == PICK_ALL || a.keep[*place]);
    } else if constexpr (CUTS == 3 && C.order == P_OUTERMOST) {
        *place = blockIdx.y * a.stride + i;
        if (i >= a.count || (PICK == PICK_KEPT && !a.keep[*place]))
            return false;
        *m = triple_of<C.triple>(a, i, blockIdx.y);
        return true;
    } else {
        const uint32_t moves = CUTS == 2 ? a.count : 4 * a.count;
        *place = i;
        if (i >= moves || (PICK == PICK_KEPT && !a.keep[i]))
            return false;
        *m = move_at<C, CUTS>(a, i);
        return true;
    }
}

// ---- Evaluation

// Piece k of the neighbour is nodes from[k] .. to[k] of the tour.
template <int CUTS> struct pieces {
    int32_t from[CUTS + 1], to[CUTS + 1];
};

template <int CUTS> static __device__ inline pieces<CUTS> pieces_of(steps_move m, int32_t edges)
{
    if constexpr (CUTS == 2)
        return {{0, m.y, m.y + 1}, {m.x, m.x + 1, edges}};
    else
        return {{0, m.p == 3 ? m.y : m.p == 2 ? m.z : m.y + 1, m.p == 3 ? m.z : m.p == 1 ? m.y : m.x + 1, m.z + 1},
                {m.x, m.p == 3 ? m.x + 1 : m.p == 2 ? m.y + 1 : m.z, m.p == 3 ? m.y + 1 : m.p == 1 ? m.x + 1 : m.y, edges}};
}

template <config C> static __device__ inline const hierarchy_sizes &sizes_of(const move_args &a)
{
    if constexpr (C.sizes == SIZES_GLOBAL) {
        return *a.stored.d_sizes;
    } else if constexpr (C.sizes == SIZES_PARAMETER) {
        return a.stored.sizes;
    } else {
        __shared__ hierarchy_sizes s_sizes;
        const int words = sizeof s_sizes / sizeof(int32_t);
        for (int k = threadIdx.x; k < words; k += blockDim.x)
            ((int32_t *)&s_sizes)[k] = ((const int32_t *)a.stored.d_sizes)[k];
        __syncthreads();
        return s_sizes;
    }
}

// The segment of the whole neighbour.
template <config C, int CUTS, int MASK>
static __device__ inline segment<MASK> neighbour_segment(const move_args &a, const hierarchy_sizes &sizes, steps_move m)
{
    const pieces<CUTS> q = pieces_of<CUTS>(m, a.p.edges);
    const auto location = [&](int32_t k) { return __ldg(&a.p.node[k]); };
    const auto edge = [&](int k) { return of_edge<MASK>(a.p, location(q.to[k - 1]), location(q.from[k])); };
    if constexpr (C.hold == HOLD_NEXT) {
        segment<MASK> so_far = of_node<MASK>(a.p, 0);
        join_piece<C>(a.stored, sizes, 0, q.to[0], so_far);
#pragma unroll
        for (int k = 1; k <= CUTS; k++) {
            so_far = join(so_far, edge(k));
            join_piece<C>(a.stored, sizes, q.from[k], q.to[k], so_far);
        }
        return so_far;
    } else {
        constexpr int UNROLL = C.hold == HOLD_ARRAY ? 1 : CUTS + 1;
        segment<MASK> piece[CUTS + 1];
#pragma unroll(UNROLL)
        for (int k = 0; k <= CUTS; k++) {
            piece[k] = of_node<MASK>(a.p, location(q.from[k]));
            join_piece<C>(a.stored, sizes, q.from[k], q.to[k], piece[k]);
        }
        segment<MASK> so_far = piece[0];
#pragma unroll(UNROLL)
        for (int k = 1; k <= CUTS; k++)
            so_far = join(join(so_far, edge(k)), piece[k]);
        return so_far;
    }
}

static __device__ inline int32_t vehicles_value(const problem &p, int32_t routes)
{
    return routes > p.vehicles ? STEPS_LAMBDA * routes : 0;
}

// What the resources of MASK add to the value, and whether the neighbour keeps all of them.
template <config C, int CUTS, int MASK>
static __device__ inline steps_verdict verdict_of(const move_args &a, const hierarchy_sizes &sizes, steps_move m)
{
    const segment<MASK> s = neighbour_segment<C, CUTS, MASK>(a, sizes, m);
    steps_verdict v = {0, true};
    if constexpr (MASK & (COST | VEHICLES)) {
        constexpr int OBJECTIVES = MASK & (COST | VEHICLES);
        const int32_t at = place_of(C.index, sizes, a.stored.start, C.level, 0, sizes.level[C.level].units, false);
        const segment<OBJECTIVES> tour = load_segment<OBJECTIVES>(C.layout, a.stored, at);
        if constexpr (MASK & COST)
            v.value += s.cost - tour.cost;
        if constexpr (MASK & VEHICLES)
            v.value += vehicles_value(a.p, s.vehicles.routes) - vehicles_value(a.p, tour.vehicles.routes);
    }
    if constexpr (MASK & CAPACITY)
        v.is_feasible = v.is_feasible && s.capacity.ok;
    if constexpr (MASK & LENGTH)
        v.is_feasible = v.is_feasible && s.length.ok;
    return v;
}

// One thread, one neighbour.
template <config C, int CUTS, int MASK, sink_mode SINK, pick_mode PICK>
static __global__ void evaluate_moves(const __grid_constant__ move_args a)
{
    const hierarchy_sizes &sizes = sizes_of<C>(a);
    uint32_t place;
    steps_move m;
    if (!find_move<C, CUTS, PICK>(a, &place, &m))
        return;
    const steps_verdict v = verdict_of<C, CUTS, MASK>(a, sizes, m);
    if constexpr (SINK == SINK_SET) {
        a.value[place] = v.value;
        a.feasible[place] = v.is_feasible;
    } else {
        if constexpr (MASK & (COST | VEHICLES))
            a.value[place] = (int32_t)((uint32_t)a.value[place] + (uint32_t)v.value);  // may wrap if only timed
        if constexpr (MASK & (CAPACITY | LENGTH))
            if (!v.is_feasible)
                a.feasible[place] = 0;
    }
}

// ---- The best candidate

enum { BEST_THREADS = 256, WARP = 32 };

// The best candidate of a block of BEST_THREADS threads; only thread 0 may use it.
static __device__ inline candidate best_of_block(candidate best)
{
    __shared__ candidate s_best[BEST_THREADS / WARP];
    for (int d = WARP / 2; d > 0; d /= 2) {
        const candidate other = {__shfl_xor_sync(~0u, best.value, d), __shfl_xor_sync(~0u, best.key, d)};
        if (is_better(other, best))
            best = other;
    }
    if (threadIdx.x % WARP == 0)
        s_best[threadIdx.x / WARP] = best;
    __syncthreads();
    for (int w = 0; w < BEST_THREADS / WARP; w++)
        if (is_better(s_best[w], best))
            best = s_best[w];
    return best;
}

// Evaluates all four resources of every neighbour and keeps the best feasible one of each block, without a fitness
// structure. Blocks have BEST_THREADS threads; there are at most as many as the device holds at a time.
template <config C, int CUTS>
static __global__ void __launch_bounds__(BEST_THREADS)
    evaluate_best(const __grid_constant__ move_args a, candidate *best_of_blocks)
{
    const hierarchy_sizes &sizes = sizes_of<C>(a);
    const uint32_t threads = gridDim.x * blockDim.x;
    candidate best = no_candidate();
    const auto look_at = [&](steps_move m) {
        const steps_verdict v = verdict_of<C, CUTS, ALL_FOUR>(a, sizes, m);
        const candidate c = {v.value, key_of(m)};
        if (v.is_feasible && is_better(c, best))
            best = c;
    };
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += threads) {
        if constexpr (CUTS == 2) {
            look_at(move_at<C, 2>(a, i));
        } else {
            steps_move m = triple_of<C.triple>(a, i, 0);
#pragma unroll 1
            for (m.p = 0; m.p < 4; m.p++)
                look_at(m);
        }
    }
    best = best_of_block(best);
    if (threadIdx.x == 0)
        best_of_blocks[blockIdx.x] = best;
}

#endif
