// SPDX-License-Identifier: MIT
// Bounds of the children of both ends, the end that grows, and the keys of its children (flowshop/beam/layer.h has the definitions).
//
// Mapping. A warp has a node, a block the table of times in shared memory. Nodes differ in their children below `upper`, so a warp that is
// done asks for the next one. For the bounds a lane has pairs of neighbours, one in each half of a register; for the guide it has single
// children whose bound is below `upper`.
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

// Both halves of a register and a sum.
DEVICE uint32_t add_halves(uint32_t halves, uint32_t sum)
{
    return __dp2a_lo(halves, 0x0101u, sum);
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

// ---- Parts and blocks

DEVICE bool must_stop(const flowshop_beam_gpu_args &a)
{
    return *(const volatile int32_t *)a.own.d_stop != 0;
}

// What this kernel leaves is void, so all kernels behind it, of all parts, must see the wish to stop before they read that.
DEVICE void pass_stop_on(const flowshop_beam_gpu_args &a)
{
    for (int p = 0; p < a.parts; p++)
        *(volatile int32_t *)a.peers[p].d_stop = 1;
}

// Whether the host asks to stop; equal for all threads of a block, which all call it.
DEVICE bool block_must_stop(const flowshop_beam_gpu_args &a)
{
    const bool is_over = __syncthreads_or(must_stop(a)) != 0;
    if (is_over && threadIdx.x == 0)
        pass_stop_on(a);
    return is_over;
}

// Whether this is the last block to come here; it sees what the others wrote before. All threads of all blocks call it.
DEVICE bool is_last_block(const flowshop_beam_gpu_args &a)
{
    bool is_last = false;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(&a.d_control->tickets, gridDim.x - 1) == gridDim.x - 1;
    is_last = __syncthreads_or(is_last) != 0;
    __threadfence();
    return is_last;
}

// The first of the nodes of `part`.
DEVICE uint32_t first_node(const flowshop_beam_gpu_args &a, int part)
{
    return (uint32_t)((uint64_t)a.d_control->nodes[a.depth] * (uint32_t)part / (uint32_t)a.parts);
}

// ---- A node in shared memory

// What a warp has there. In the order of the end that grows, step i has a machine; `next` belongs to the machine after it. Terms of a quad of
// steps lie side by side.
struct warp_memory {
    uint32_t *words;  // [2][quads][2][QUAD] next and rest, in both halves, for the bounds of each end
    int steps;        // machines, the last quad filled up
    uint16_t *list;   // [room] free jobs, ascending; behind them [2][room] bounds of their children at each end
    int room;
};

// Where term `term` of step i is, of `terms` a step.
DEVICE int place_of(int terms, int term, int i)
{
    return (i / QUAD * terms + term) * QUAD + i % QUAD;
}

DEVICE uint32_t *bound_terms(const warp_memory &s, int side)
{
    return s.words + 2 * side * s.steps;
}

// The same memory for the guide: [quads][3][QUAD] the step, the slopes of the gap and of the time.
DEVICE float *guide_terms(const warp_memory &s)
{
    return (float *)s.words;
}

DEVICE uint16_t *bounds_of(const warp_memory &s, int side)
{
    return s.list + (1 + side) * s.room;
}

__host__ __device__ inline int list_room(int jobs)
{
    return (jobs + 7) / 8 * 8;
}

__host__ __device__ inline size_t table_bytes(const flowshop_beam_gpu_args &a)
{
    return ((size_t)a.jobs * a.job_words * sizeof(uint32_t) + 15) / 16 * 16;
}

__host__ __device__ inline size_t warp_bytes(const flowshop_beam_gpu_args &a)
{
    return (size_t)a.quads * QUAD * 4 * sizeof(uint32_t) + (size_t)list_room(a.jobs) * 3 * sizeof(uint16_t);
}

DEVICE warp_memory memory_of_warp(const flowshop_beam_gpu_args &a, char *shared, int warp)
{
    const int steps = a.quads * QUAD;
    uint32_t *words = (uint32_t *)(shared + table_bytes(a) + warp * warp_bytes(a));
    return {words, steps, (uint16_t *)(words + 4 * steps), list_room(a.jobs)};
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
#pragma unroll 1
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
#pragma unroll 1
    for (int k = lane; k < steps; k += WARP) {
        const bool is_machine = k < a.machines;
        const uint32_t f = is_machine ? front[k] : 0, b = is_machine ? back[k] : 0, l = is_machine ? left[k] : 0;
        const int from_end = steps - 1 - k;
        bound_terms(s, 0)[place_of(2, 0, k > 0 ? k - 1 : steps - 1)] = k > 0 ? in_both_halves(f) : 0;
        bound_terms(s, 0)[place_of(2, 1, k)] = in_both_halves(l + b);
        bound_terms(s, 1)[place_of(2, 0, from_end > 0 ? from_end - 1 : steps - 1)] = from_end > 0 ? in_both_halves(b) : 0;
        bound_terms(s, 1)[place_of(2, 1, from_end)] = in_both_halves(l + f);
    }
}

// The order of the end that grows, in the table of times. The front and the back run the same instructions, so that they share their place
// in the instruction cache.
template <int BYTES> struct walk {
    int start, step;                      // words
    uint32_t pair[QUAD], single[QUAD];    // selectors of the times of a quad
};

template <int BYTES> DEVICE walk<BYTES> walk_of(const flowshop_beam_gpu_args &a, int side)
{
    walk<BYTES> w;
    w.start = side == 0 ? 0 : a.quads * BYTES - 1;
    w.step = side == 0 ? 1 : -1;
#pragma unroll
    for (int i = 0; i < QUAD; i++) {
        const uint32_t at = (uint32_t)(side == 0 ? i : QUAD - 1 - i), half = at % 2 * 2;
        // Of the bytes of two words. A selector from 8 on repeats the sign bit of its byte, which is 0 in a time.
        w.pair[i] = BYTES == 1 ? at | (8 | at) << 4 | (4 | at) << 8 | (12 | at) << 12 : half | (half + 1) << 4 | (half + 4) << 8 | (half + 5) << 12;
        w.single[i] = BYTES == 1 ? 0x7440u | at : 0x7400u | (half + 1) << 4 | half;
    }
    return w;
}

// Reads the times of a quad and goes to the next.
template <int BYTES> DEVICE void take_quad(const walk<BYTES> &w, const uint32_t *&job, uint32_t words[BYTES])
{
#pragma unroll
    for (int i = 0; i < BYTES; i++) {
        words[i] = *job;
        job += w.step;
    }
}

// ---- Bounds

struct tally {
    uint32_t below, sum;  // children below `upper`; sum of min(bound, upper)
};

// Bounds of the children in places [first, first + 64 PAIRS) of the list, two neighbours in a register. A place behind the list counts as a
// child that reaches `upper`, at both ends alike.
template <int BYTES, int PAIRS>
DEVICE void bound_block(const flowshop_beam_gpu_args &a, const uint32_t *table, const warp_memory &s, const walk<BYTES> &w, int side,
                        int free_jobs, int first, uint32_t start_word, uint32_t bound_word, int lane, tally &t)
{
    uint32_t start[PAIRS], bound[PAIRS];
    const uint32_t *job[PAIRS][2];
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
        const int at = first + 2 * (WARP * p + lane);
        const uint32_t jobs = *(const uint32_t *)(s.list + min(at, (free_jobs - 1) & ~1));
        start[p] = start_word;
        bound[p] = at + 1 < free_jobs ? bound_word : at < free_jobs ? bound_word | 0xffff0000u : NONE;
        job[p][0] = table + (jobs & 0xffff) * a.job_words + w.start;
        job[p][1] = table + (at + 1 < free_jobs ? jobs >> 16 : jobs & 0xffff) * a.job_words + w.start;
    }
    const uint4 *terms = (const uint4 *)bound_terms(s, side), *const end = terms + 2 * a.quads;
#pragma unroll 1
    for (; terms != end; terms += 2) {
        uint32_t times[PAIRS][2][BYTES];
#pragma unroll
        for (int p = 0; p < PAIRS; p++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                take_quad<BYTES>(w, job[p][h], times[p][h]);
        const uint4 n = terms[0], r = terms[1];
        const uint32_t next[QUAD] = {n.x, n.y, n.z, n.w}, rest[QUAD] = {r.x, r.y, r.z, r.w};
#pragma unroll
        for (int i = 0; i < QUAD; i++)
#pragma unroll
            for (int p = 0; p < PAIRS; p++) {
                const int word = i * BYTES / QUAD;
                const uint32_t time = permute(times[p][0][word], times[p][1][word], w.pair[i]);
                bound[p] = __viaddmax_u16x2(start[p], rest[i], bound[p]);
                start[p] = __viaddmax_u16x2(start[p], time, next[i]);
            }
    }
    const uint32_t upper = in_both_halves((uint32_t)a.upper), one = in_both_halves(1);
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
        const int at = first + 2 * (WARP * p + lane);
        const uint32_t value = __vminu2(bound[p], upper);
        if (at < free_jobs)
            *(uint32_t *)(bounds_of(s, side) + at) = bound[p];
        t.sum = add_halves(value, t.sum);
        t.below = add_halves(__vminu2(upper - value, one), t.below);
    }
}

template <int BYTES>
DEVICE tally bound_children(const flowshop_beam_gpu_args &a, const uint32_t *table, const warp_memory &s, uint32_t node, int side, int lane)
{
    const walk<BYTES> w = walk_of<BYTES>(a, side);
    constexpr int PAIRS = 4, BLOCK = 2 * WARP * PAIRS;
    const int free_jobs = a.jobs - a.depth, last = a.quads * QUAD - 1;
    const uint32_t floor = in_both_halves(a.d_node_heads[a.depth & 1][node].bound);
    // The first machine of this end; one that fills up the last quad has time 0.
    const uint32_t start = side == 0 ? row_of(a, node, 0)[0] : last < a.machines ? row_of(a, node, 1)[last] : 0;
    tally t = {0, 0};
    int first = 0;
#pragma unroll 1
    for (; free_jobs - first > BLOCK * 3 / 4; first += BLOCK)
        bound_block<BYTES, PAIRS>(a, table, s, w, side, free_jobs, first, in_both_halves(start), floor, lane, t);
#pragma unroll 1
    for (; free_jobs - first > BLOCK / 4; first += BLOCK / 2)
        bound_block<BYTES, 2>(a, table, s, w, side, free_jobs, first, in_both_halves(start), floor, lane, t);
    if (first < free_jobs)
        bound_block<BYTES, 1>(a, table, s, w, side, free_jobs, first, in_both_halves(start), floor, lane, t);
    return {warp_sum(t.below), warp_sum(t.sum)};
}

// ---- Guide

// Of the keys that a lane has made so far.
struct key_range {
    uint32_t least, largest;
};

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

// Fills steps and slopes for the end `side`.
DEVICE node_guide fill_guide_terms(const flowshop_beam_gpu_args &a, uint32_t node, int side, int lane, const warp_memory &s)
{
    const uint16_t *grown = row_of(a, node, side);
    const flowshop_beam_gpu_head &head = a.d_node_heads[a.depth & 1][node];
    const int steps = a.quads * QUAD;
    const float scale = (float)(1 << a.shift);
    uint32_t base = NONE;
    long long weight = 0;
#pragma unroll 1
    for (int k = lane; k < a.machines; k += WARP)
        base = min(base, grown[k] + a.d_means[k]);
    base = __reduce_min_sync(ALL_LANES, base);
#pragma unroll 1
    for (int i = lane; i < steps; i += WARP) {
        const int k = side == 0 ? i : steps - 1 - i, after = side == 0 ? k + 1 : k - 1;
        float *const term = guide_terms(s) + place_of(3, 0, i);
        term[0] = -TIME_BASE;
        term[QUAD] = term[2 * QUAD] = 0;
        if (k >= a.machines)
            continue;
        const uint32_t idle = idle_at(a, node, side, k), reach = grown[k] + a.d_means[k], unit = LARGEST_SLOPE * base / reach;
        const uint32_t time_slope = unit * idle / reach;
        const int share = (int)((idle << WEIGHT_BITS) / reach);
        weight += share - (int)(share * (a.largest - (int)a.d_means[k]) / (int)reach);
        if (after >= 0 && after < a.machines)
            term[0] = (float)((int)grown[k] - (int)grown[after]) / UNIT - TIME_BASE;
        term[QUAD] = (float)(unit - time_slope) * scale;
        term[2 * QUAD] = (float)time_slope * scale;
    }
    weight = warp_sum_wide(weight) + head.weight[1 - side];
    return {(float)weight * (1.0f / (1 << WEIGHT_BITS)), __frcp_rn((float)base * scale),
            (head.ends | 1u << side) == 3 ? 0 : 1u << 31};
}

// The key of a child. No product is contracted with a sum: all engines round alike.
DEVICE uint32_t key_of(const flowshop_beam_gpu_args &a, const node_guide &g, uint32_t bound, float gaps)
{
    const float weight = __fadd_rn(__fmul_rn(gaps, g.unit), g.weight);
    const float factor = __fmul_rn(weight > 0 ? weight : 0, a.idle_factor);
    return __float_as_uint(__fmul_rn((float)bound, __fadd_rn(factor, a.share))) | g.penalty;
}

// Keys of the children number [first, first + 32 EACH) of those alive.
template <int BYTES, int EACH>
DEVICE void guide_block(const flowshop_beam_gpu_args &a, const uint32_t *table, const warp_memory &s, const walk<BYTES> &w, int side,
                        const node_guide &g, int count, int first, int lane, uint32_t *keys, key_range &range)
{
    const uint16_t *alive = bounds_of(s, 1 - side);
    float gap[EACH], sum[EACH];
    const uint32_t *job[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        gap[e] = 0;
        sum[e] = SUM_BASE;
        job[e] = table + s.list[alive[min(first + WARP * e + lane, count - 1)]] * a.job_words + w.start;
    }
    const float largest = TIME_BASE + (float)a.largest / UNIT;
    const float4 *terms = (const float4 *)guide_terms(s), *const end = terms + 3 * a.quads;
#pragma unroll 1
    for (; terms != end; terms += 3) {
        uint32_t times[EACH][BYTES];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            take_quad<BYTES>(w, job[e], times[e]);
        const float4 t = terms[0], u = terms[1], v = terms[2];
        const float steps[QUAD] = {t.x, t.y, t.z, t.w}, of_gap[QUAD] = {u.x, u.y, u.z, u.w}, of_time[QUAD] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < QUAD; i++)
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                // In 2^-16, plus TIME_BASE.
                const float time = __uint_as_float(permute(times[e][i * BYTES / QUAD], TIME_BASE_BITS, w.single[i]));
                sum[e] = __fmaf_rd(gap[e], of_gap[i], sum[e]);
                sum[e] = __fmaf_rd(__fsub_rn(largest, time), of_time[i], sum[e]);
                gap[e] = __saturatef(__fadd_rn(gap[e], __fadd_rn(time, steps[i])));
            }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int at = first + WARP * e + lane;
        const float gaps = fminf(__fsub_rn(sum[e], SUM_BASE), (float)LARGEST_SLOPE);
        if (at < count) {
            const uint32_t key = key_of(a, g, bounds_of(s, side)[alive[at]], gaps);
            keys[alive[at]] = key;
            range.least = min(range.least, key);
            range.largest = max(range.largest, key);
        }
    }
}

// Lists the places of the children below `upper` in the memory of the other end's bounds, and gives all others the key NONE.
DEVICE int list_alive(const flowshop_beam_gpu_args &a, const warp_memory &s, int side, int lane, uint32_t *keys)
{
    const int free_jobs = a.jobs - a.depth;
    const bool is_last = free_jobs == 1;
    const unsigned int lanes_before = (1u << lane) - 1;
    int count = 0;
#pragma unroll 1
    for (int first = 0; first < free_jobs; first += WARP) {
        const int at = first + lane;
        const uint32_t bound = at < free_jobs ? bounds_of(s, side)[at] : NONE;
        const unsigned int alive = __ballot_sync(ALL_LANES, bound < (uint32_t)a.upper);
        if (bound < (uint32_t)a.upper)
            bounds_of(s, 1 - side)[count + __popc(alive & lanes_before)] = (uint16_t)at;
        if (at < free_jobs && (is_last || bound >= (uint32_t)a.upper))
            keys[at] = bound < (uint32_t)a.upper ? bound : NONE;
        count += __popc(alive);
    }
    return is_last ? 0 : count;
}

template <int BYTES>
DEVICE void guide_children(const flowshop_beam_gpu_args &a, const uint32_t *table, const warp_memory &s, uint32_t node, int side, int lane,
                           key_range &range)
{
    uint32_t *keys = a.d_keys + (size_t)(node - first_node(a, a.part)) * (a.jobs - a.depth);
    const int count = list_alive(a, s, side, lane, keys);
    if (count == 0)
        return;
    const node_guide g = fill_guide_terms(a, node, side, lane, s);
    const walk<BYTES> w = walk_of<BYTES>(a, side);
    __syncwarp();
    int first = 0;
#pragma unroll 1
    for (; count - first > 2 * WARP; first += 4 * WARP)
        guide_block<BYTES, 4>(a, table, s, w, side, g, count, first, lane, keys, range);
    if (count - first > WARP)
        guide_block<BYTES, 2>(a, table, s, w, side, g, count, first, lane, keys, range);
    else if (count > first)
        guide_block<BYTES, 1>(a, table, s, w, side, g, count, first, lane, keys, range);
}

// ---- All nodes of a layer

// Tells all parts the least and the largest key of this one.
DEVICE void report_range(const flowshop_beam_gpu_args &a, const key_range &range, int lane)
{
    flowshop_beam_gpu_control *const c = a.d_control;
    const uint32_t lowest = __reduce_min_sync(ALL_LANES, range.least), highest = __reduce_max_sync(ALL_LANES, range.largest);
    if (lane == 0) {
        atomicMin(&c->least, lowest);
        atomicMax(&c->largest, highest);
    }
    if (!is_last_block(a) || threadIdx.x > 0)
        return;
    c->taken = 0;
    const uint32_t least = atomicExch(&c->least, NONE), largest = atomicExch(&c->largest, 0u);
    for (int p = 0; p < a.parts; p++) {
        a.peers[p].d_reports[a.part].least = least;
        a.peers[p].d_reports[a.part].largest = largest;
    }
}

template <int BYTES> __global__ void __launch_bounds__(EXPAND_THREADS, 2) expand(const flowshop_beam_gpu_args a)
{
    char *shared = dynamic_shared<char>();
    uint32_t *table = (uint32_t *)shared;
    for (int at = (int)threadIdx.x; at < a.jobs * a.job_words; at += (int)blockDim.x)
        table[at] = a.d_table[at];
    __syncthreads();
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
    const warp_memory s = memory_of_warp(a, shared, warp);
    const uint32_t end_node = first_node(a, a.part + 1);
    key_range range = {NONE, 0};
    const uint32_t first = first_node(a, a.part), at_once = gridDim.x * warps;
    uint32_t next = 0;
    for (uint32_t node = first + blockIdx.x * warps + warp; node < end_node; node = first + at_once + __shfl_sync(ALL_LANES, next, 0)) {
        if (__any_sync(ALL_LANES, must_stop(a))) {
            pass_stop_on(a);
            break;
        }
        if (lane == 0)
            next = atomicAdd(&a.d_control->taken, 1u);  // needed after this node
        list_free_jobs(a, node, lane, s.list);
        fill_bound_terms(a, node, lane, s);
        __syncwarp();
        tally front, back = {0, 0};
#pragma unroll 1
        for (int end = 0; end < 2; end++) {
            front = back;
            back = bound_children<BYTES>(a, table, s, node, end, lane);
        }
        const int chosen = a.depth == 0 ? 0 : front.below != back.below ? front.below > back.below : front.sum < back.sum;
        // permute() takes selectors from registers of threads. The compiler must not know that all lanes have the same.
        const int side = __shfl_sync(ALL_LANES, chosen, lane);
        if (lane < a.parts)
            a.peers[lane].d_sides[a.depth & 1][node] = (uint8_t)side;
        __syncwarp();
        guide_children<BYTES>(a, table, s, node, side, lane, range);
        __syncwarp();
    }
    report_range(a, range, lane);
}

}  // namespace

#endif
