// SPDX-License-Identifier: MIT
// Selection: of all children of a layer the `width` of least key, in their order; where keys are equal the lesser number wins.
//
// Mapping. Keys count from the least one, in three digits (11 bits each, or what is left). A count of the first digit tells which children
// may be chosen; these few are listed in their order, and the other digits are counted in that list alone. So the keys are read twice. If
// the list is too short (many equal keys), all keys take its place. Counts are kept for each block, so each block knows where its children
// go, and the result does not depend on the order in which blocks run.
//
// Parts. Several GPUs have a share of the keys, and of the list, each. They tell one another their counts, and write the list and the
// children chosen to all. A part that has fewer nodes before it has the lesser numbers, so ties go as on one GPU.
//
// Safe to stop: a kernel that stops leaves some of this void, and no kernel behind it reads that. Until it sees the wish to stop, one that
// runs beside it may read old values: digits and places are limited, whatever is read.
#ifndef MCO_FLOWSHOP_BEAM_GPU_SELECT_CUH
#define MCO_FLOWSHOP_BEAM_GPU_SELECT_CUH

#include "flowshop/beam/gpu/expand.cuh"

namespace {

constexpr unsigned int SELECT_THREADS = 512, LEAF_THREADS = 1024;
constexpr int KEYS = 4;                                  // of a thread at a time: 16 bytes
constexpr uint32_t TILE = SELECT_THREADS * KEYS;
constexpr int BINS = FLOWSHOP_BEAM_GPU_DIGIT, DIGIT_BITS = 11, KEY_BITS = 32, LAST_DIGIT = FLOWSHOP_BEAM_GPU_DIGITS - 1;
constexpr int BINS_OF_THREAD = BINS / (int)SELECT_THREADS;
static_assert(sizeof(flowshop_beam_gpu_report) % sizeof(uint4) == 0, "counts are read 16 bytes at a time");
static_assert(BINS == 1 << DIGIT_BITS && BINS_OF_THREAD == KEYS, "a thread loads its bins at once");

// ---- Digits

struct digit_place {
    uint32_t base;             // of which keys count
    int shift, above;          // bits behind the digit, and behind the digit before
    uint32_t mask, prefix;     // of the digit; the digits before
};

DEVICE digit_place place_of_digit(const flowshop_beam_gpu_args &a, int digit)
{
    uint32_t base = NONE, largest = 0;
    for (int p = 0; p < a.parts; p++) {
        base = min(base, a.own.d_reports[p].least);
        largest = max(largest, a.own.d_reports[p].largest);
    }
    const int bits = largest > base ? KEY_BITS - __clz((int)(largest - base)) : 0;
    digit_place d = {base, max(bits - DIGIT_BITS, 0), KEY_BITS, NONE, 0};
    for (int i = 0; i < digit; i++) {
        d.above = d.shift;
        d.shift = max(d.shift - DIGIT_BITS, 0);
        d.mask = (1u << (d.above - d.shift)) - 1;
    }
    d.prefix = digit == 0 ? 0 : a.d_control->prefix;
    return d;
}

// The digits before, and the digit.
DEVICE uint32_t digits_before(const digit_place &d, uint32_t key)
{
    return d.above < KEY_BITS ? (key - d.base) >> d.above : 0;
}

DEVICE uint32_t digit_of(const digit_place &d, uint32_t key)
{
    return min((key - d.base) >> d.shift & d.mask, (uint32_t)BINS - 1);
}

// ---- Keys

// The keys of this part in which a digit is counted.
struct key_list {
    const uint32_t *keys, *numbers;  // numbers is NULL where children follow one another
    uint32_t first, count;           // number of the first child
};

DEVICE key_list keys_of_digit(const flowshop_beam_gpu_args &a, int digit)
{
    const flowshop_beam_gpu_control *const c = a.d_control;
    const uint32_t free_jobs = (uint32_t)(a.jobs - a.depth), first = first_node(a, a.part) * free_jobs;
    if (digit == 0 || c->is_listed == 0)
        return {a.d_keys, NULL, first, first_node(a, a.part + 1) * free_jobs - first};
    const uint64_t all = c->candidates;
    const uint32_t begin = (uint32_t)(all * (uint32_t)a.part / (uint32_t)a.parts) / KEYS * KEYS;
    const uint32_t next = (uint32_t)(all * (uint32_t)(a.part + 1) / (uint32_t)a.parts) / KEYS * KEYS;
    const uint32_t end = a.part + 1 < a.parts ? next : c->candidates;
    return {a.own.d_candidate_keys + begin, a.own.d_candidates + begin, 0, end - begin};
}

// The share that this block has of `count` keys: whole tiles.
DEVICE void share_of_block(const flowshop_beam_gpu_args &a, uint32_t count, uint64_t *first, uint64_t *last)
{
    const uint64_t tiles = ((uint64_t)count + TILE - 1) / TILE, most = (tiles + a.select_blocks - 1) / a.select_blocks * TILE;
    *first = min(blockIdx.x * most, (uint64_t)count);
    *last = min(*first + most, (uint64_t)count);
}

struct four_keys {
    uint32_t key[KEYS];
    int count;
};

DEVICE four_keys four_keys_at(const uint32_t *keys, uint64_t at, uint64_t last)
{
    four_keys k = {{NONE, NONE, NONE, NONE}, at < last ? (int)min(last - at, (uint64_t)KEYS) : 0};
    if (k.count == 0)
        return k;
    const uint4 four = *(const uint4 *)(keys + at);
    k.key[0] = four.x;
    k.key[1] = four.y;
    k.key[2] = four.z;
    k.key[3] = four.w;
    return k;
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

// ---- Counts

// Adds the counts of a block to those of the part, and keeps them for place_digit().
DEVICE void keep_counts(const flowshop_beam_gpu_args &a, const uint32_t *s_counts, uint32_t before)
{
    for (int i = (int)threadIdx.x; i < BINS; i += (int)blockDim.x) {
        a.d_block_counts[(size_t)blockIdx.x * BINS + i] = s_counts[i];
        if (s_counts[i] != 0)
            atomicAdd(&a.d_counts[i], s_counts[i]);
    }
    if (threadIdx.x > 0)
        return;
    a.d_block_before[blockIdx.x] = before;
    if (before != 0)
        atomicAdd(&a.d_control->before, before);
}

// The last block tells all parts the counts of this one, and clears them.
DEVICE void report_counts(const flowshop_beam_gpu_args &a, int digit)
{
    for (int i = (int)threadIdx.x; i < BINS; i += (int)blockDim.x) {
        const uint32_t count = atomicExch(&a.d_counts[i], 0u);
        for (int p = 0; p < a.parts; p++)
            a.peers[p].d_reports[a.part].counts[digit][i] = count;
    }
    if (threadIdx.x > 0)
        return;
    const uint32_t before = atomicExch(&a.d_control->before, 0u);
    for (int p = 0; p < a.parts; p++)
        a.peers[p].d_reports[a.part].before[digit] = before;
}

// Counts the values of a digit among the keys of this part whose digits before it are known, and the keys that are less by those.
__global__ void __launch_bounds__(SELECT_THREADS) count_digit(const flowshop_beam_gpu_args a, int digit)
{
    __shared__ uint32_t s_counts[BINS];
    if (block_must_stop(a) || (digit > 0 && a.d_control->takes_all != 0))
        return;
    const key_list list = keys_of_digit(a, digit);
    const digit_place d = place_of_digit(a, digit);
    uint64_t first, last;
    share_of_block(a, list.count, &first, &last);
    if (first < last) {
        uint32_t before = 0, all_before;
        for (int i = (int)threadIdx.x; i < BINS; i += (int)blockDim.x)
            s_counts[i] = 0;
        __syncthreads();
        for (uint64_t at = first + threadIdx.x * KEYS; at < last; at += TILE) {
            const four_keys k = four_keys_at(list.keys, at, last);
#pragma unroll
            for (int i = 0; i < KEYS; i++) {
                if (i >= k.count || k.key[i] == NONE)
                    continue;
                const uint32_t higher = digits_before(d, k.key[i]);
                before += higher < d.prefix;
                if (higher == d.prefix)
                    atomicAdd(&s_counts[digit_of(d, k.key[i])], 1u);
            }
        }
        (void)block_scan(before, &all_before);
        __syncthreads();
        keep_counts(a, s_counts, all_before);
    }
    if (is_last_block(a))
        report_counts(a, digit);
}

// ---- Places

// Where the key sought is, among the values of a digit of all parts.
struct sought {
    uint32_t digit, rank;      // rank: among the keys with that digit
    uint32_t below, tied;      // keys of all parts below that digit, those with digits before it included, and those with it
    uint32_t total;            // keys counted
    uint32_t before_part[2];   // below and tied of the parts before this one
};

DEVICE uint32_t block_sum(uint32_t value)
{
    uint32_t total;
    (void)block_scan(value, &total);
    return total;
}

// Bins of this thread, from BINS counts.
DEVICE void load_bins(const uint32_t *counts, uint32_t bins[BINS_OF_THREAD])
{
    const uint4 four = ((const uint4 *)counts)[threadIdx.x];
    bins[0] = four.x;
    bins[1] = four.y;
    bins[2] = four.z;
    bins[3] = four.w;
}

// How many of this thread's bins are below `digit`, and how many have it.
DEVICE void split_bins(const uint32_t bins[BINS_OF_THREAD], uint32_t digit, uint32_t *below, uint32_t *tied)
{
#pragma unroll
    for (int i = 0; i < BINS_OF_THREAD; i++) {
        const uint32_t value = threadIdx.x * BINS_OF_THREAD + i;
        *below += value < digit ? bins[i] : 0;
        *tied += value == digit ? bins[i] : 0;
    }
}

DEVICE sought find_digit(const flowshop_beam_gpu_args &a, int digit)
{
    __shared__ uint32_t s_digit;
    const uint32_t rank = digit == 0 ? a.width : a.d_control->rank;
    uint32_t all[BINS_OF_THREAD] = {0, 0, 0, 0}, bins[BINS_OF_THREAD], own = 0, total;
    for (int p = 0; p < a.parts; p++) {
        load_bins(a.own.d_reports[p].counts[digit], bins);
#pragma unroll
        for (int i = 0; i < BINS_OF_THREAD; i++) {
            all[i] += bins[i];
            own += bins[i];
        }
    }
    if (threadIdx.x == 0)
        s_digit = BINS;  // all keys are below it
    uint32_t until = block_scan(own, &total) - own;
#pragma unroll
    for (int i = 0; i < BINS_OF_THREAD; i++) {
        if (rank > until && rank <= until + all[i] && rank < total + (digit > 0))
            s_digit = threadIdx.x * BINS_OF_THREAD + i;
        until += all[i];
    }
    __syncthreads();
    sought s = {s_digit, 0, 0, 0, total, {0, 0}};
    uint32_t below = 0, tied = 0, part_below = 0, part_tied = 0;
    split_bins(all, s.digit, &below, &tied);
    for (int p = 0; p < a.part; p++) {
        load_bins(a.own.d_reports[p].counts[digit], bins);
        split_bins(bins, s.digit, &part_below, &part_tied);
    }
    s.below = block_sum(below);
    s.tied = block_sum(tied);
    s.before_part[0] = block_sum(part_below);
    s.before_part[1] = block_sum(part_tied);
    s.rank = rank - s.below;
    for (int p = 0; p < a.parts; p++) {
        s.below += a.own.d_reports[p].before[digit];
        s.before_part[0] += p < a.part ? a.own.d_reports[p].before[digit] : 0;
    }
    return s;
}

// The last block: replaces the counts of the blocks by the sums of those before, in this part and in the parts before.
DEVICE void add_up(const flowshop_beam_gpu_args &a, uint32_t below, uint32_t tied)
{
    uint32_t total;
    for (int first = 0; first < a.select_blocks; first += (int)SELECT_THREADS) {
        const int at = first + (int)threadIdx.x;
        const bool is_block = at < a.select_blocks;
        const uint32_t own_below = is_block ? __ldcg(&a.d_below[at]) : 0, own_tied = is_block ? __ldcg(&a.d_tied[at]) : 0;
        const uint32_t until = below + block_scan(own_below, &total) - own_below;
        below += total;
        const uint32_t until_tied = tied + block_scan(own_tied, &total) - own_tied;
        tied += total;
        if (is_block) {
            a.d_below[at] = until;
            a.d_tied[at] = until_tied;
        }
    }
}

// One thread: what the digit tells.
DEVICE void keep_digit(const flowshop_beam_gpu_args &a, int digit, const digit_place &d, const sought &s)
{
    flowshop_beam_gpu_control *const c = a.d_control;
    c->prefix = digit == 0 ? s.digit : d.prefix << (d.above - d.shift) | s.digit;
    c->rank = s.rank;
    if (digit == 0) {
        c->takes_all = s.digit == BINS;
        c->has_discarded |= s.total > a.width;
        c->candidates = s.below + s.tied;
        c->is_listed = c->takes_all != 0 || s.below + s.tied <= FLOWSHOP_BEAM_GPU_CANDIDATES * a.room;
        const uint64_t beyond = d.base + ((uint64_t)(s.digit + 1) << d.shift);
        c->limit = s.digit == BINS || beyond > NONE ? NONE : (uint32_t)beyond;
        c->ties = 0;
        c->nodes[a.depth + 1] = min(s.total, a.width);
    } else if (digit == LAST_DIGIT) {
        c->limit = d.base + c->prefix;
        c->ties = s.rank;
    }
}

// Finds the value of a digit of the key sought. After the first and the last digit, also where each block writes its children.
__global__ void __launch_bounds__(SELECT_THREADS) place_digit(const flowshop_beam_gpu_args a, int digit)
{
    if (block_must_stop(a) || (digit > 0 && a.d_control->takes_all != 0))
        return;
    const digit_place d = place_of_digit(a, digit);
    const sought s = find_digit(a, digit);
    uint64_t first, last;
    uint32_t bins[BINS_OF_THREAD], below = 0, tied = 0;
    share_of_block(a, keys_of_digit(a, digit).count, &first, &last);
    if (first < last) {
        load_bins(a.d_block_counts + (size_t)blockIdx.x * BINS, bins);
        split_bins(bins, s.digit, &below, &tied);
    }
    below = block_sum(below);
    tied = block_sum(tied);
    if (threadIdx.x == 0) {
        below += first < last ? a.d_block_before[blockIdx.x] : 0;
        a.d_below[blockIdx.x] = digit == 0 ? below + tied : below;
        a.d_tied[blockIdx.x] = digit == 0 ? 0 : tied;
    }
    if (!is_last_block(a))
        return;
    const uint32_t part_below = s.before_part[0], part_tied = s.before_part[1];
    add_up(a, digit == 0 ? part_below + part_tied : part_below, digit == 0 ? 0 : part_tied);
    if (threadIdx.x == 0)
        keep_digit(a, digit, d, s);
}

// ---- Children

// Writes a child to the place `at` of the list, or of the children chosen, of all parts.
DEVICE void write_child(const flowshop_beam_gpu_args &a, bool is_candidate, uint32_t at, uint32_t number, uint32_t key)
{
    if (at >= (is_candidate ? FLOWSHOP_BEAM_GPU_CANDIDATES : 1) * a.room)
        return;
    for (int p = 0; p < a.parts; p++) {
        if (is_candidate) {
            a.peers[p].d_candidates[at] = number;
            a.peers[p].d_candidate_keys[at] = key;
        } else {
            a.peers[p].d_chosen[at] = number;
        }
    }
}

// After the first digit writes the list; after the last one, or where all children are chosen, the children chosen.
__global__ void __launch_bounds__(SELECT_THREADS) write_children(const flowshop_beam_gpu_args a, int digit)
{
    const flowshop_beam_gpu_control *const c = a.d_control;
    if (block_must_stop(a) || (digit == 0 ? c->is_listed == 0 : c->takes_all != 0))
        return;
    const bool is_candidate = c->takes_all == 0 && digit == 0;
    const uint32_t limit = c->limit, ties = c->ties;
    const key_list list = keys_of_digit(a, digit);
    uint32_t below_at = a.d_below[blockIdx.x], tied_at = a.d_tied[blockIdx.x];
    uint64_t first, last;
    share_of_block(a, list.count, &first, &last);
    for (uint64_t tile = first; tile < last; tile += TILE) {
        const uint64_t at = tile + threadIdx.x * KEYS;
        const four_keys k = four_keys_at(list.keys, at, last);
        uint32_t own = 0, total;
        // A tile has fewer than 2^16 keys of either kind.
#pragma unroll
        for (int i = 0; i < KEYS; i++)
            own += i < k.count ? (uint32_t)(k.key[i] < limit) + ((uint32_t)(k.key[i] == limit && ties > 0) << 16) : 0;
        if (!__syncthreads_or((int)own))
            continue;
        const uint32_t before = block_scan(own, &total) - own;
        uint32_t to_below = below_at + (before & 0xffff), to_tied = tied_at + (before >> 16);
#pragma unroll
        for (int i = 0; i < KEYS; i++) {
            const bool is_below = i < k.count && k.key[i] < limit, is_tied = i < k.count && k.key[i] == limit && ties > 0;
            const uint32_t number = i >= k.count ? 0 : list.numbers != NULL ? list.numbers[at + i] : list.first + (uint32_t)at + i;
            if (is_below || (is_tied && to_tied < ties))
                write_child(a, is_candidate, to_below + min(to_tied, ties), number, k.key[i]);
            to_below += is_below;
            to_tied += is_tied;
        }
        below_at += total & 0xffff;
        tied_at += total >> 16;
    }
}

}  // namespace

#endif
