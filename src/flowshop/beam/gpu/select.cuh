// SPDX-License-Identifier: MIT
// Selection: of all children of a layer the `width` of least key, in their order; where keys are equal the lesser number wins.
//
// Mapping. Three counts of the digits of all keys (11, 11 and 10 bits) find the key of the last child chosen and how many that equal
// it are chosen, as the cores do (flowshop/beam/sieve.c). Then each block counts the chosen of its share of the keys, one block adds
// these counts up, and each block writes its children in their order. So the result does not depend on the order in which blocks run.
//
// Bytes. Each of the five passes reads the keys once; early layers, which take all children, need three.
#ifndef MCO_FLOWSHOP_BEAM_GPU_SELECT_CUH
#define MCO_FLOWSHOP_BEAM_GPU_SELECT_CUH

#include "flowshop/beam/gpu/expand.cuh"

namespace {

constexpr unsigned int SELECT_THREADS = 512, FIND_THREADS = FLOWSHOP_BEAM_GPU_DIGIT / 2;
constexpr int KEYS = 4;                                  // of a thread at a time: 16 bytes
constexpr uint32_t TILE = SELECT_THREADS * KEYS;

DEVICE int digit_shift(int digit)
{
    return digit == 0 ? 21 : digit == 1 ? 10 : 0;
}

DEVICE uint32_t keys_of_layer(const flowshop_beam_gpu_args &a)
{
    return a.d_control->nodes[a.depth] * (uint32_t)(a.jobs - a.depth);
}

// The sum over the threads up to this one; *total receives that of all. Blocks have up to 1024 threads.
DEVICE uint32_t block_scan(uint32_t value, uint32_t *total)
{
    __shared__ uint32_t s_sums[WARP];
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
    const uint32_t own = (uint32_t)warp_scan((int)value, lane);
    __syncthreads();  // all have read the sums of the call before
    if (lane == WARP - 1)
        s_sums[warp] = own;
    __syncthreads();
    const uint32_t sums = (uint32_t)warp_scan(lane < warps ? (int)s_sums[lane] : 0, lane);
    *total = __shfl_sync(ALL_LANES, sums, WARP - 1);
    const uint32_t before = __shfl_sync(ALL_LANES, sums, warp > 0 ? warp - 1 : 0);
    return own + (warp > 0 ? before : 0);
}

// Counts the values of a digit among the keys whose digits before it are known.
__global__ void __launch_bounds__(SELECT_THREADS) count_digits(const flowshop_beam_gpu_args a, int digit)
{
    __shared__ uint32_t s_counts[FLOWSHOP_BEAM_GPU_DIGIT];
    if (block_must_stop(a) || (digit > 0 && a.d_control->takes_all != 0))
        return;
    for (int i = (int)threadIdx.x; i < FLOWSHOP_BEAM_GPU_DIGIT; i += (int)blockDim.x)
        s_counts[i] = 0;
    __syncthreads();
    const uint32_t count = keys_of_layer(a), prefix = a.d_control->prefix, mask = digit == 2 ? 1023 : 2047;
    const int shift = digit_shift(digit), before = digit == 1 ? 21 : 10;
    for (uint64_t at = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * KEYS; at < count; at += (uint64_t)gridDim.x * TILE) {
        const uint4 four = *(const uint4 *)(a.d_keys + at);
        const uint32_t keys[KEYS] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < KEYS; i++)
            if (at + i < count && keys[i] != NONE && (digit == 0 || keys[i] >> before == prefix))
                atomicAdd(&s_counts[keys[i] >> shift & mask], 1u);
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < FLOWSHOP_BEAM_GPU_DIGIT; i += (int)blockDim.x)
        if (s_counts[i] != 0)
            atomicAdd(&a.d_counts[i], s_counts[i]);
}

// One block: finds the value of the digit in which the rank falls, and clears the counts.
__global__ void __launch_bounds__(FIND_THREADS) find_digit(const flowshop_beam_gpu_args a, int digit)
{
    flowshop_beam_gpu_control *const c = a.d_control;
    if (block_must_stop(a) || (digit > 0 && c->takes_all != 0))
        return;
    const uint32_t first = a.d_counts[2 * threadIdx.x], second = a.d_counts[2 * threadIdx.x + 1];
    const uint32_t rank = digit == 0 ? a.width : c->rank, prefix = digit == 0 ? 0 : c->prefix;
    uint32_t total;
    const uint32_t until = block_scan(first + second, &total), before = until - first - second;
    a.d_counts[2 * threadIdx.x] = a.d_counts[2 * threadIdx.x + 1] = 0;
    if (digit == 0 && threadIdx.x == 0) {
        c->takes_all = total <= a.width;
        c->has_discarded |= total > a.width;
        c->limit = NONE;
        c->ties = 0;
    }
    if ((digit == 0 && total <= a.width) || rank <= before || rank > until)
        return;
    const bool is_second = rank > before + first;
    const uint32_t value = prefix << (digit == 2 ? 10 : 11) | (2 * threadIdx.x + is_second);
    c->prefix = value;
    c->rank = rank - before - (is_second ? first : 0);
    if (digit == 2) {
        c->limit = value;
        c->ties = c->rank;
    }
}

// The share of the keys that block `block` has: whole tiles.
DEVICE void share_of_block(const flowshop_beam_gpu_args &a, uint32_t block, uint64_t *first, uint64_t *last)
{
    const uint64_t count = keys_of_layer(a), tiles = (count + TILE - 1) / TILE;
    const uint64_t most = (tiles + a.select_blocks - 1) / a.select_blocks * TILE;
    *first = block * most;
    *last = min(*first + most, count);
}

struct four_keys {
    uint32_t below, tied;  // bits of the keys below the limit, and of those that equal it
};

DEVICE four_keys look_at_keys(const flowshop_beam_gpu_args &a, uint64_t at, uint64_t last, uint32_t limit)
{
    four_keys k = {0, 0};
    if (at >= last)
        return k;
    const uint4 four = *(const uint4 *)(a.d_keys + at);
    const uint32_t keys[KEYS] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        if (at + i < last) {
            k.below |= (uint32_t)(keys[i] < limit) << i;
            k.tied |= (uint32_t)(keys[i] == limit) << i;
        }
    return k;
}

__global__ void __launch_bounds__(SELECT_THREADS) count_chosen(const flowshop_beam_gpu_args a)
{
    if (block_must_stop(a))
        return;
    const uint32_t limit = a.d_control->limit;
    uint64_t first, last;
    uint32_t below = 0, tied = 0, total;
    share_of_block(a, blockIdx.x, &first, &last);
    for (uint64_t at = first + threadIdx.x * KEYS; at < last; at += TILE) {
        const four_keys k = look_at_keys(a, at, last, limit);
        below += __popc(k.below);
        tied += __popc(k.tied);
    }
    block_scan(below, &total);
    if (threadIdx.x == 0)
        a.d_below[blockIdx.x] = total;
    block_scan(tied, &total);
    if (threadIdx.x == 0)
        a.d_tied[blockIdx.x] = total;
}

// One block: replaces the counts of the blocks by the sums of those before.
__global__ void __launch_bounds__(FIND_THREADS) add_up(const flowshop_beam_gpu_args a)
{
    if (block_must_stop(a))
        return;
    uint32_t below = 0, tied = 0, total;
    for (int first = 0; first < a.select_blocks; first += FIND_THREADS) {
        const int at = first + (int)threadIdx.x;
        const uint32_t own_below = at < a.select_blocks ? a.d_below[at] : 0, own_tied = at < a.select_blocks ? a.d_tied[at] : 0;
        const uint32_t until = below + block_scan(own_below, &total) - own_below;
        below += total;
        const uint32_t until_tied = tied + block_scan(own_tied, &total) - own_tied;
        tied += total;
        if (at < a.select_blocks) {
            a.d_below[at] = until;
            a.d_tied[at] = until_tied;
        }
    }
    if (threadIdx.x == 0)
        a.d_control->nodes[a.depth + 1] = below + min(tied, a.d_control->ties);
}

__global__ void __launch_bounds__(SELECT_THREADS) write_chosen(const flowshop_beam_gpu_args a)
{
    if (block_must_stop(a))
        return;
    const uint32_t limit = a.d_control->limit, ties = a.d_control->ties;
    uint32_t below = a.d_below[blockIdx.x], tied = a.d_tied[blockIdx.x];
    uint64_t first, last;
    share_of_block(a, blockIdx.x, &first, &last);
    for (uint64_t tile = first; tile < last; tile += TILE) {
        const uint64_t at = tile + threadIdx.x * KEYS;
        const four_keys k = look_at_keys(a, at, last, limit);
        if (!__syncthreads_or((int)(k.below | k.tied)))
            continue;
        // A tile has fewer than 2^16 keys of either kind.
        uint32_t total;
        const uint32_t own = (uint32_t)__popc(k.tied) << 16 | (uint32_t)__popc(k.below), before = block_scan(own, &total) - own;
        uint32_t below_at = below + (before & 0xffff), tied_at = tied + (before >> 16);
#pragma unroll
        for (int i = 0; i < KEYS; i++) {
            const bool is_below = (k.below >> i & 1) != 0, is_tied = (k.tied >> i & 1) != 0;
            if (is_below || (is_tied && tied_at < ties))
                a.d_chosen[below_at + min(tied_at, ties)] = (uint32_t)(at + i);
            below_at += is_below;
            tied_at += is_tied;
        }
        below += total & 0xffff;
        tied += total >> 16;
    }
}

}  // namespace

#endif
