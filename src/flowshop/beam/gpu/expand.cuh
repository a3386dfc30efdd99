// SPDX-License-Identifier: MIT
// Bounds of the children of both ends, the end that grows, and the keys of its children (flowshop/beam/layer.h has the definitions).
//
// Mapping. A warp has a node, a block the table of times in shared memory. For the bounds a lane has pairs of children, one in each half
// of a register; for the guide it has single children whose bound is below `upper`.
//
// Bounds. Two instructions a machine and pair: max(bound, start + rest) and max(start + time, free). Halves do not overflow: `upper` and
// the work of the longest job together fit 16 bits.
//
// Guide. floor(gap slope / 2^16) is added to a float from 2^23 on by one multiplication that rounds down: there an ulp is 1. Gaps count in
// 2^-16, so that the instruction that keeps sums within 0 and 1 also takes max(0, gap). A time becomes a float above 128 by moving its
// bytes, because there an ulp is 2^-16. All of it is exact, so keys equal those of the cores.
#ifndef MCO_FLOWSHOP_BEAM_GPU_EXPAND_CUH
#define MCO_FLOWSHOP_BEAM_GPU_EXPAND_CUH

#include "device/kernel.cuh"
#include "flowshop/beam/gpu/layer.h"

namespace {

using namespace mco;

constexpr uint32_t NONE = 0xffffffffu;  // the key of a child that is pruned; no other key is as large
constexpr int QUAD = 4;                 // machines
constexpr unsigned int EXPAND_THREADS = 512;
constexpr float UNIT = 65536.0f, TIME_BASE = 128.0f, SUM_BASE = 8388608.0f;  // 2^16, and where an ulp is 2^-16 and 1
constexpr uint32_t TIME_BASE_BITS = 0x43000000u, LARGEST_SLOPE = 65535;
constexpr int WEIGHT_BITS = 12;

// ---- Instructions

// As __byte_perm(), which knows no selectors from 8 on: they repeat the sign bit of their byte.
DEVICE uint32_t permute(uint32_t low, uint32_t high, uint32_t selectors)
{
    uint32_t bytes;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(selectors));
    return bytes;
}

// ---- Reductions of a warp

DEVICE uint32_t warp_sum(uint32_t value)
{
    return __reduce_add_sync(ALL_LANES, value);
}

DEVICE long long warp_sum_wide(long long value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

// The sum over the lanes up to this one.
DEVICE int warp_scan(int value, int lane)
{
    for (int step = 1; step < WARP; step *= 2) {
        const int before = __shfl_up_sync(ALL_LANES, value, step);
        if (lane >= step)
            value += before;
    }
    return value;
}

// Whether the host asks to stop; equal for all threads of a block, which all call it.
DEVICE bool block_must_stop(const flowshop_beam_gpu_args &a)
{
    return __syncthreads_or(*(const volatile int32_t *)a.d_stop) != 0;
}

// ---- A node in shared memory

// What a warp has there. In the order of the end that grows, step i has a machine; `next` belongs to the machine after it.
struct warp_memory {
    uint32_t *next[2], *rest[2];            // [4 quads] free and rest, in both halves, for the bounds of each end
    float *step, *gap_slope, *time_slope;   // [4 quads] for the guide, in the same memory
    uint16_t *list;                         // [jobs] free jobs, ascending
    uint16_t *bounds[2];                    // [jobs] of their children at each end
};

DEVICE int list_room(int jobs)
{
    return (jobs + 7) / 8 * 8;
}

__host__ __device__ inline size_t table_bytes(const flowshop_beam_gpu_args &a)
{
    return ((size_t)a.jobs * a.job_words * sizeof(uint32_t) + 15) / 16 * 16;
}

__host__ __device__ inline size_t warp_bytes(const flowshop_beam_gpu_args &a)
{
    return (size_t)a.quads * QUAD * 4 * sizeof(uint32_t) + (size_t)((a.jobs + 7) / 8 * 8) * 3 * sizeof(uint16_t);
}

DEVICE warp_memory memory_of_warp(const flowshop_beam_gpu_args &a, char *shared, int warp)
{
    const int steps = a.quads * QUAD, room = list_room(a.jobs);
    uint32_t *words = (uint32_t *)(shared + table_bytes(a) + warp * warp_bytes(a));
    uint16_t *halves = (uint16_t *)(words + 4 * steps);
    return {{words, words + 2 * steps}, {words + steps, words + 3 * steps}, (float *)words, (float *)words + steps,
            (float *)words + 2 * steps, halves, {halves + room, halves + 2 * room}};
}

DEVICE uint32_t in_both_halves(uint32_t value)
{
    return value << 16 | value;
}

DEVICE const uint16_t *row_of(const flowshop_beam_gpu_args &a, uint32_t node, int row)
{
    return a.d_nodes[a.depth & 1] + ((size_t)node * 4 + row) * a.stride;
}

DEVICE void list_free_jobs(const flowshop_beam_gpu_args &a, uint32_t node, int lane, uint16_t *list)
{
    const uint32_t own = lane < a.words ? a.d_sets[a.depth & 1][(size_t)node * a.words + lane] : 0, lanes_before = (1u << lane) - 1;
    int at = 0;
    for (int w = 0; w < a.words; w++) {
        const uint32_t set = __shfl_sync(ALL_LANES, own, w);
        if ((set >> lane & 1) != 0)
            list[at + __popc(set & lanes_before)] = (uint16_t)(w * WARP + lane);
        at += __popc(set);
    }
}

DEVICE void fill_bound_terms(const flowshop_beam_gpu_args &a, uint32_t node, int lane, const warp_memory &s)
{
    const uint16_t *front = row_of(a, node, 0), *back = row_of(a, node, 1), *left = row_of(a, node, 3);
    const int steps = a.quads * QUAD;
    for (int k = lane; k < steps; k += WARP) {
        const bool is_machine = k < a.machines;
        const uint32_t f = is_machine ? front[k] : 0, b = is_machine ? back[k] : 0, l = is_machine ? left[k] : 0;
        const int from_end = steps - 1 - k;
        s.next[0][k > 0 ? k - 1 : steps - 1] = k > 0 ? in_both_halves(f) : 0;
        s.rest[0][k] = in_both_halves(l + b);
        s.next[1][from_end > 0 ? from_end - 1 : steps - 1] = from_end > 0 ? in_both_halves(b) : 0;
        s.rest[1][from_end] = in_both_halves(l + f);
    }
}

// Where the times of a job begin in the order of the end SIDE.
template <int BYTES, int SIDE> DEVICE const uint32_t *times_of(const flowshop_beam_gpu_args &a, const uint32_t *table, int job)
{
    return table + job * a.job_words + (SIDE == 0 ? 0 : (a.quads - 1) * BYTES);
}

// Reads a quad and goes to the next.
template <int BYTES, int SIDE> DEVICE void take_quad(const uint32_t *&job, uint32_t words[BYTES])
{
#pragma unroll
    for (int w = 0; w < BYTES; w++)
        words[w] = job[w];
    job += SIDE == 0 ? BYTES : -BYTES;
}

// ---- Bounds

// The times of two jobs on machine `in_quad`, one in each half.
template <int BYTES> DEVICE uint32_t pair_of_times(const uint32_t *first, const uint32_t *second, int in_quad)
{
    if (BYTES == 2)
        return __byte_perm(first[in_quad / 2], second[in_quad / 2], in_quad % 2 == 0 ? 0x5410 : 0x7632);
    // A selector from 8 on repeats the sign bit of its byte, which is 0 in a time.
    const unsigned int byte = (unsigned int)in_quad;
    return permute(first[0], second[0], byte | (8 | byte) << 4 | (4 | byte) << 8 | (12 | byte) << 12);
}

struct tally {
    uint32_t below, sum;  // children below `upper`; sum of min(bound, upper)
};

// Bounds of the children in places [first, first + 64 PAIRS) of the list, at the end SIDE.
template <int BYTES, int PAIRS, int SIDE>
DEVICE void bound_block(const flowshop_beam_gpu_args &a, const uint32_t *table, const warp_memory &s, int free_jobs, int first,
                        uint32_t start_word, uint32_t bound_word, int lane, tally &t)
{
    uint32_t start[PAIRS], bound[PAIRS];
    const uint32_t *job[PAIRS][2];
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
        start[p] = start_word;
        bound[p] = bound_word;
#pragma unroll
        for (int h = 0; h < 2; h++)
            job[p][h] = times_of<BYTES, SIDE>(a, table, s.list[min(first + 2 * WARP * p + WARP * h + lane, free_jobs - 1)]);
    }
    const uint4 *const next_of = (const uint4 *)s.next[SIDE], *const rest_of = (const uint4 *)s.rest[SIDE];
    for (int q = 0; q < a.quads; q++) {
        uint32_t times[PAIRS][2][BYTES];
#pragma unroll
        for (int p = 0; p < PAIRS; p++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                take_quad<BYTES, SIDE>(job[p][h], times[p][h]);
        const uint4 n = next_of[q], r = rest_of[q];
        const uint32_t next[QUAD] = {n.x, n.y, n.z, n.w}, rest[QUAD] = {r.x, r.y, r.z, r.w};
#pragma unroll
        for (int i = 0; i < QUAD; i++)
#pragma unroll
            for (int p = 0; p < PAIRS; p++) {
                const uint32_t time = pair_of_times<BYTES>(times[p][0], times[p][1], SIDE == 0 ? i : QUAD - 1 - i);
                bound[p] = __viaddmax_u16x2(start[p], rest[i], bound[p]);
                start[p] = __viaddmax_u16x2(start[p], time, next[i]);
            }
    }
#pragma unroll
    for (int p = 0; p < PAIRS; p++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int at = first + 2 * WARP * p + WARP * h + lane;
            const uint32_t value = h == 0 ? bound[p] & 0xffff : bound[p] >> 16;
            if (at < free_jobs) {
                s.bounds[SIDE][at] = (uint16_t)value;
                t.below += value < (uint32_t)a.upper;
                t.sum += min(value, (uint32_t)a.upper);
            }
        }
}

template <int BYTES, int SIDE>
DEVICE tally bound_children(const flowshop_beam_gpu_args &a, const uint32_t *table, const warp_memory &s, uint32_t node, int lane)
{
    constexpr int PAIRS = 2, BLOCK = 2 * WARP * PAIRS;
    const int free_jobs = a.jobs - a.depth, last = a.quads * QUAD - 1;
    const uint32_t floor = in_both_halves(a.d_node_heads[a.depth & 1][node].bound);
    // The first machine of this end; one that fills up the last quad has time 0.
    const uint32_t start = SIDE == 0 ? row_of(a, node, 0)[0] : last < a.machines ? row_of(a, node, 1)[last] : 0;
    tally t = {0, 0};
    int first = 0;
    for (; free_jobs - first > BLOCK / 2; first += BLOCK)
        bound_block<BYTES, PAIRS, SIDE>(a, table, s, free_jobs, first, in_both_halves(start), floor, lane, t);
    if (first < free_jobs)
        bound_block<BYTES, 1, SIDE>(a, table, s, free_jobs, first, in_both_halves(start), floor, lane, t);
    return {warp_sum(t.below), warp_sum(t.sum)};
}

// ---- Guide

// What all children of a node share.
struct node_guide {
    float weight, unit;
    uint32_t penalty;
};

DEVICE uint32_t idle_at(const flowshop_beam_gpu_args &a, uint32_t node, int side, int k)
{
    const uint32_t front_idle = row_of(a, node, 2)[k];
    if (side == 0)
        return front_idle;
    const uint32_t in_front = row_of(a, node, 0)[k] - front_idle, placed = a.d_totals[k] - row_of(a, node, 3)[k];
    return row_of(a, node, 1)[k] - (placed - in_front);
}

// Fills step, gap_slope and time_slope for the end `side`.
DEVICE node_guide fill_guide_terms(const flowshop_beam_gpu_args &a, uint32_t node, int side, int lane, const warp_memory &s)
{
    const uint16_t *grown = row_of(a, node, side);
    const flowshop_beam_gpu_head &head = a.d_node_heads[a.depth & 1][node];
    const int steps = a.quads * QUAD;
    const float scale = (float)(1 << a.shift);
    uint32_t base = NONE;
    long long weight = 0;
    for (int k = lane; k < a.machines; k += WARP)
        base = min(base, grown[k] + a.d_means[k]);
    base = __reduce_min_sync(ALL_LANES, base);
    for (int i = lane; i < steps; i += WARP) {
        const int k = side == 0 ? i : steps - 1 - i, after = side == 0 ? k + 1 : k - 1;
        s.step[i] = -TIME_BASE;
        s.gap_slope[i] = s.time_slope[i] = 0;
        if (k >= a.machines)
            continue;
        const uint32_t idle = idle_at(a, node, side, k), reach = grown[k] + a.d_means[k], unit = LARGEST_SLOPE * base / reach;
        const uint32_t time_slope = unit * idle / reach;
        const int share = (int)((idle << WEIGHT_BITS) / reach);
        weight += share - (int)(share * (a.largest - (int)a.d_means[k]) / (int)reach);
        if (after >= 0 && after < a.machines)
            s.step[i] = (float)((int)grown[k] - (int)grown[after]) / UNIT - TIME_BASE;
        s.gap_slope[i] = (float)(unit - time_slope) * scale;
        s.time_slope[i] = (float)time_slope * scale;
    }
    weight = warp_sum_wide(weight) + head.weight[1 - side];
    return {(float)weight * (1.0f / (1 << WEIGHT_BITS)), __frcp_rn((float)base * scale),
            (head.ends | 1u << side) == 3 ? 0 : 1u << 31};
}

// The time on machine `in_quad`, in 2^-16, plus TIME_BASE. `base` is that constant in a register: the instruction has one immediate.
template <int BYTES> DEVICE float time_as_float(const uint32_t *words, int in_quad, uint32_t base)
{
    const unsigned int half = (unsigned int)(in_quad % 2) * 2;
    return __uint_as_float(BYTES == 1 ? __byte_perm(words[0], base, 0x7440u | (unsigned int)in_quad)
                                      : __byte_perm(words[in_quad / 2], base, 0x7400u | (half + 1) << 4 | half));
}

// The key of a child. No product is contracted with a sum: all engines round alike.
DEVICE uint32_t key_of(const flowshop_beam_gpu_args &a, const node_guide &g, uint32_t bound, uint32_t gaps)
{
    const float weight = __fadd_rn(__fmul_rn((float)gaps, g.unit), g.weight);
    const float factor = __fmul_rn(weight > 0 ? weight : 0, a.idle_factor);
    return __float_as_uint(__fmul_rn((float)bound, __fadd_rn(factor, a.share))) | g.penalty;
}

// Keys of the children number [first, first + 32 EACH) of those alive.
template <int BYTES, int EACH, int SIDE>
DEVICE void guide_block(const flowshop_beam_gpu_args &a, const uint32_t *table, const warp_memory &s, const node_guide &g,
                        const uint16_t *alive, int count, int first, int lane, uint32_t *keys)
{
    float gap[EACH], sum[EACH];
    const uint32_t *job[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        gap[e] = 0;
        sum[e] = SUM_BASE;
        job[e] = times_of<BYTES, SIDE>(a, table, s.list[alive[min(first + WARP * e + lane, count - 1)]]);
    }
    const float largest = TIME_BASE + (float)a.largest / UNIT;
    const uint32_t base = __float_as_uint(largest) & TIME_BASE_BITS;  // the compiler does not see that this is TIME_BASE_BITS
    const float4 *const step_of = (const float4 *)s.step;
    const float4 *const gap_of = (const float4 *)s.gap_slope, *const time_of = (const float4 *)s.time_slope;
    for (int q = 0; q < a.quads; q++) {
        uint32_t times[EACH][BYTES];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            take_quad<BYTES, SIDE>(job[e], times[e]);
        const float4 t = step_of[q], u = gap_of[q], v = time_of[q];
        const float steps[QUAD] = {t.x, t.y, t.z, t.w}, of_gap[QUAD] = {u.x, u.y, u.z, u.w}, of_time[QUAD] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < QUAD; i++)
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                const float time = time_as_float<BYTES>(times[e], SIDE == 0 ? i : QUAD - 1 - i, base);
                sum[e] = __fmaf_rd(gap[e], of_gap[i], sum[e]);
                sum[e] = __fmaf_rd(__fsub_rn(largest, time), of_time[i], sum[e]);
                gap[e] = __saturatef(__fadd_rn(gap[e], __fadd_rn(time, steps[i])));
            }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int at = first + WARP * e + lane;
        const uint32_t gaps = min((uint32_t)__fsub_rn(sum[e], SUM_BASE), LARGEST_SLOPE);
        if (at < count)
            keys[alive[at]] = key_of(a, g, s.bounds[SIDE][alive[at]], gaps);
    }
}

// Lists the places of the children below `upper` in the memory of the other end's bounds, and gives all others the key NONE.
DEVICE int list_alive(const flowshop_beam_gpu_args &a, const warp_memory &s, int side, int lane, uint32_t *keys)
{
    const int free_jobs = a.jobs - a.depth;
    const bool is_last = free_jobs == 1;
    const unsigned int lanes_before = (1u << lane) - 1;
    int count = 0;
    for (int first = 0; first < free_jobs; first += WARP) {
        const int at = first + lane;
        const uint32_t bound = at < free_jobs ? s.bounds[side][at] : NONE;
        const unsigned int alive = __ballot_sync(ALL_LANES, bound < (uint32_t)a.upper);
        if (bound < (uint32_t)a.upper)
            s.bounds[1 - side][count + __popc(alive & lanes_before)] = (uint16_t)at;
        if (at < free_jobs && (is_last || bound >= (uint32_t)a.upper))
            keys[at] = bound < (uint32_t)a.upper ? bound : NONE;
        count += __popc(alive);
    }
    return is_last ? 0 : count;
}

template <int BYTES, int SIDE>
DEVICE void guide_children(const flowshop_beam_gpu_args &a, const uint32_t *table, const warp_memory &s, uint32_t node, int lane)
{
    uint32_t *keys = a.d_keys + (size_t)node * (a.jobs - a.depth);
    const int count = list_alive(a, s, SIDE, lane, keys);
    if (count == 0)
        return;
    const node_guide g = fill_guide_terms(a, node, SIDE, lane, s);
    const uint16_t *alive = s.bounds[1 - SIDE];
    __syncwarp();
    int first = 0;
    for (; count - first > 2 * WARP; first += 4 * WARP)
        guide_block<BYTES, 4, SIDE>(a, table, s, g, alive, count, first, lane, keys);
    if (count - first > WARP)
        guide_block<BYTES, 2, SIDE>(a, table, s, g, alive, count, first, lane, keys);
    else if (count > first)
        guide_block<BYTES, 1, SIDE>(a, table, s, g, alive, count, first, lane, keys);
}

// ---- All nodes of a layer

template <int BYTES> __global__ void __launch_bounds__(EXPAND_THREADS, 2) expand(const flowshop_beam_gpu_args a)
{
    char *shared = dynamic_shared<char>();
    uint32_t *table = (uint32_t *)shared;
    for (int at = (int)threadIdx.x; at < a.jobs * a.job_words; at += (int)blockDim.x)
        table[at] = a.d_table[at];
    __syncthreads();
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
    const warp_memory s = memory_of_warp(a, shared, warp);
    const uint32_t nodes = a.d_control->nodes[a.depth];
    for (uint32_t node = blockIdx.x * warps + warp; node < nodes; node += gridDim.x * warps) {
        if (__any_sync(ALL_LANES, *(const volatile int32_t *)a.d_stop))
            return;
        list_free_jobs(a, node, lane, s.list);
        fill_bound_terms(a, node, lane, s);
        __syncwarp();
        const tally front = bound_children<BYTES, 0>(a, table, s, node, lane), back = bound_children<BYTES, 1>(a, table, s, node, lane);
        const int side = a.depth == 0 ? 0 : front.below != back.below ? front.below > back.below : front.sum < back.sum;
        if (lane == 0)
            a.d_sides[node] = (uint8_t)side;
        __syncwarp();
        if (side == 0)
            guide_children<BYTES, 0>(a, table, s, node, lane);
        else
            guide_children<BYTES, 1>(a, table, s, node, lane);
        __syncwarp();
    }
}

}  // namespace

#endif
