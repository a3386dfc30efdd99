// SPDX-License-Identifier: MIT
// Rows on the device (overlay/rows.h has those of the cores), and what a node does with one. A row lies in the registers of a warp, or
// in memory of a block. Its sums are the same in all threads that have it, so these threads take the same ways.
#ifndef MCO_OVERLAY_GPU_ROWS_CUH
#define MCO_OVERLAY_GPU_ROWS_CUH

#include "overlay/gpu/cuda.h"
#include "overlay/gpu/words.cuh"

namespace {

using namespace mco;

// ---- Sums

struct wide_sum {
    uint64_t low, high;
};

DEVICE void add_to(wide_sum &sum, uint64_t low, uint64_t high = 0)
{
    sum.low += low;
    sum.high += high + (sum.low < low ? 1 : 0);
}

// Over a warp, by three sums of 32 bits: pieces of 27 bits have room for 32 lanes.
DEVICE uint64_t sum_of_lanes(uint64_t value)
{
    constexpr uint32_t PIECE = (1u << 27) - 1;
    const uint32_t low = __reduce_add_sync(ALL_LANES, (uint32_t)value & PIECE);
    const uint32_t middle = __reduce_add_sync(ALL_LANES, (uint32_t)(value >> 27) & PIECE);
    const uint32_t high = __reduce_add_sync(ALL_LANES, (uint32_t)(value >> 54));
    return (uint64_t)low + ((uint64_t)middle << 27) + ((uint64_t)high << 54);
}

DEVICE wide_sum wide_sum_of_lanes(const wide_sum &value)
{
    const uint64_t low = sum_of_lanes(value.low & 0xffffffffu), middle = sum_of_lanes(value.low >> 32);
    wide_sum sum = {low, sum_of_lanes(value.high)};
    add_to(sum, middle << 32, middle >> 32);
    return sum;
}

// ---- Rows

DEVICE uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// By how much an excess lies above a dual.
DEVICE uint32_t above(uint32_t excess, uint32_t dual)
{
    return (excess > dual ? excess : dual) - dual;
}

constexpr int BLOCK_WARPS_MOST = 32;

// Sums over a block. Two sets take turns, so one barrier a sum is enough: who writes a set again has passed the barrier of the
// other one, and all have read this one before that.
struct block_room {
    uint64_t product[2][BLOCK_WARPS_MOST];
    uint32_t sum[2][BLOCK_WARPS_MOST];
};

// Sums over the threads that have a row: a block with its room, or a warp.
DEVICE uint32_t sum_up(block_room *room, int &turn, uint32_t sum)
{
    const int lane = (int)(threadIdx.x % WARP), warps = (int)(blockDim.x / WARP);
    const uint32_t of_warp = __reduce_add_sync(ALL_LANES, sum);
    if (room == nullptr)
        return of_warp;
    turn ^= 1;
    if (lane == 0)
        room->sum[turn][threadIdx.x / WARP] = of_warp;
    __syncthreads();
    return __reduce_add_sync(ALL_LANES, lane < warps ? room->sum[turn][lane] : 0u);
}

DEVICE uint64_t sum_up(block_room *room, int &turn, uint64_t product)
{
    const int lane = (int)(threadIdx.x % WARP), warps = (int)(blockDim.x / WARP);
    const uint64_t of_warp = sum_of_lanes(product);
    if (room == nullptr)
        return of_warp;
    turn ^= 1;
    if (lane == 0)
        room->product[turn][threadIdx.x / WARP] = of_warp;
    __syncthreads();
    return sum_of_lanes(lane < warps ? room->product[turn][lane] : (uint64_t)0);
}

// Both at once; the sum of 32 bits first, since a step waits for it.
DEVICE uint64_t sum_up(block_room *room, int &turn, uint32_t sum, uint64_t product, uint32_t *all_sum)
{
    const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP), warps = (int)(blockDim.x / WARP);
    const uint32_t of_warp = __reduce_add_sync(ALL_LANES, sum);
    const uint64_t product_of_warp = sum_of_lanes(product);
    if (room == nullptr) {
        *all_sum = of_warp;
        return product_of_warp;
    }
    turn ^= 1;
    if (lane == 0) {
        room->sum[turn][warp] = of_warp;
        room->product[turn][warp] = product_of_warp;
    }
    __syncthreads();
    *all_sum = __reduce_add_sync(ALL_LANES, lane < warps ? room->sum[turn][lane] : 0u);
    return sum_of_lanes(lane < warps ? room->product[turn][lane] : (uint64_t)0);
}

// One, which the compiler does not know. So it multiplies, where an addition would wait for the unit that compares: integers are compared and
// added by one unit, multiplied by another one, and each takes a warp every second cycle.
DEVICE uint32_t unknown_one()
{
    return blockDim.z;
}

// sum += most where excess > dual.
DEVICE void add_above(uint32_t &sum, uint32_t excess, uint32_t dual, uint32_t most, uint32_t one)
{
#ifdef __CUDA_ARCH__
    asm("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, %2;\n\t@p mad.lo.u32 %0, %3, %4, %0;\n\t}"
        : "+r"(sum)
        : "r"(excess), "r"(dual), "r"(most), "r"(one));
#else
    sum += excess > dual ? most * one : 0;
#endif
}

// A row in registers: K links a thread of a block, or of a warp. Loads are summed up in two chains, since a sum waits for the one before.
template <int K, bool OF_BLOCK> struct kept_row {
    static constexpr int CHAINS = K < 4 ? 1 : 2;
    uint32_t excess[K], most[K];
    block_room *room;
    mutable int turn;
    mutable uint32_t lowest;  // dual that was looked at

    DEVICE block_room *shared() const
    {
        return OF_BLOCK ? room : nullptr;
    }

    DEVICE static uint32_t total(const uint32_t (&sum)[CHAINS])
    {
        return CHAINS == 1 ? sum[0] : sum[0] + sum[CHAINS - 1];
    }

    DEVICE uint32_t over(uint32_t dual) const
    {
        const uint32_t one = unknown_one();
        uint32_t sum[CHAINS] = {};
        lowest = lesser(lowest, dual);
#pragma unroll
        for (int k = 0; k < K; k++)
            add_above(sum[k % CHAINS], excess[k], dual, most[k], one);
        return sum_up(shared(), turn, total(sum));
    }

    DEVICE uint64_t ramp(uint32_t dual, uint32_t width) const
    {
        uint64_t product = 0;
        lowest = lesser(lowest, dual);
#pragma unroll
        for (int k = 0; k < K; k++)
            product += (uint64_t)lesser(above(excess[k], dual), width) * most[k];
        return sum_up(shared(), turn, product);
    }

    // over(), and what the links are worth.
    DEVICE uint32_t both(uint32_t dual, uint64_t *worth) const
    {
        const uint32_t one = unknown_one();
        uint32_t sum[CHAINS] = {}, all;
        uint64_t product = 0;
        lowest = lesser(lowest, dual);
#pragma unroll
        for (int k = 0; k < K; k++) {
            add_above(sum[k % CHAINS], excess[k], dual, most[k], one);
            product += (uint64_t)above(excess[k], dual) * most[k];
        }
        *worth = sum_up(shared(), turn, total(sum), product, &all);
        return all;
    }

    DEVICE static bool agree(bool value)
    {
        return OF_BLOCK ? __syncthreads_or(value) != 0 : __any_sync(ALL_LANES, value) != 0;
    }
};

template <int K> using warp_row = kept_row<K, false>;

// A row in the memory of a block: an entry is an excess, low word, and a limit.
struct block_row {
    const uint64_t *entry;
    int64_t size;
    block_room *room;
    mutable int turn;
    uint32_t lowest;  // of no interest: the row is whole

    DEVICE uint32_t over(uint32_t dual) const
    {
        uint32_t sum = 0;
        for (int64_t k = threadIdx.x; k < size; k += blockDim.x) {
            const uint64_t e = entry[k];
            sum += (uint32_t)e > dual ? (uint32_t)(e >> 32) : 0;
        }
        return sum_up(room, turn, sum);
    }

    DEVICE uint64_t ramp(uint32_t dual, uint32_t width) const
    {
        uint64_t product = 0;
        for (int64_t k = threadIdx.x; k < size; k += blockDim.x) {
            const uint64_t e = entry[k];
            product += (uint64_t)lesser(above((uint32_t)e, dual), width) * (uint32_t)(e >> 32);
        }
        return sum_up(room, turn, product);
    }

    DEVICE uint32_t both(uint32_t dual, uint64_t *worth) const
    {
        uint32_t sum = 0, total;
        uint64_t product = 0;
        for (int64_t k = threadIdx.x; k < size; k += blockDim.x) {
            const uint64_t e = entry[k];
            sum += (uint32_t)e > dual ? (uint32_t)(e >> 32) : 0;
            product += (uint64_t)above((uint32_t)e, dual) * (uint32_t)(e >> 32);
        }
        *worth = sum_up(room, turn, sum, product, &total);
        return total;
    }

    DEVICE static bool agree(bool value)
    {
        return __syncthreads_or(value) != 0;
    }
};

// ---- Loading

DEVICE overlay_gpu_node node_at(const overlay_gpu_node *nodes, int64_t i)
{
    const uint4 n = __ldg(reinterpret_cast<const uint4 *>(nodes) + i);
    return {n.x, n.y, n.z, n.w};
}

// Where the row of a node of this part begins, or ends that of the one before.
DEVICE int64_t row_begin(const overlay_gpu_plan &p, int32_t i)
{
    return p.d_first[i] - p.first_entry;
}

// Tells the other parts the value of a node for iteration `tick`. `threads` have its row, and this is number `rank` of them.
DEVICE void tell_others(const overlay_gpu_plan &p, int64_t tick, int32_t i, uint32_t value, int threads, int rank)
{
    for (int q = rank; q < p.mails; q += threads)
        p.d_mail[q].duals[tick % OVERLAY_GPU_SLOTS * p.nodes + i] = value;
}

// ---- Jump (overlay/jump.c has the method; the same integers here)

constexpr int MOST_BRACKETS = 6;
constexpr uint32_t FIRST_REACH = 429496730, LEAST_REACH = 429497;  // 0.1, 0.0001

struct jump_rule {
    uint32_t width;
    double inverse;  // 1 / width
    int32_t inner;
};

// floor(sum / width), below 2^31 as loads are: so the double quotient is less than 1 off.
DEVICE int32_t share_of(uint64_t sum, const jump_rule &rule)
{
    const uint32_t share = (uint32_t)((double)sum * rule.inverse);
    const int64_t rest = (int64_t)(sum - (uint64_t)share * rule.width);
    return (int32_t)(rest < 0 ? share - 1 : rest >= (int64_t)rule.width ? share + 1 : share);
}

// Loads and bandwidths have 31 bits, so a surplus fits 32.
template <class ROW> DEVICE int32_t surplus(const ROW &row, const jump_rule &rule, uint32_t dual, uint32_t bandwidth)
{
    const uint32_t half = rule.width / 2;
    if (rule.width == 0)
        return (int32_t)(row.over(dual) - bandwidth);
    if (dual >= half)
        return share_of(row.ramp(dual - half, rule.width), rule) - (int32_t)bandwidth;
    const uint64_t sum = (uint64_t)row.over(0) * (half - dual) + row.ramp(0, rule.width - (half - dual));
    return share_of(sum, rule) - (int32_t)bandwidth;
}

// Two duals and the surpluses there.
struct bracket {
    uint32_t low, high;
    int32_t low_surplus, high_surplus;
};

// Between both ends by the line through their surpluses; the low one is positive, the high one is not. The share is at most 2^20, so the
// quotient of floats is less than 1 off.
DEVICE uint32_t between(const bracket &b, bool is_looked_at)
{
    constexpr uint32_t ONE = 1 << 20;
    const uint32_t whole = (uint32_t)b.low_surplus - (uint32_t)b.high_surplus;
    uint32_t share = (uint32_t)__fdividef((float)b.low_surplus * (float)ONE, (float)whole);
    const int64_t rest = (int64_t)(((uint64_t)(uint32_t)b.low_surplus << 20) - (uint64_t)share * whole);
    share += rest < 0 ? (uint32_t)-1 : rest >= (int64_t)whole ? 1 : 0;
    if (is_looked_at)
        share = share < ONE / 10 ? ONE / 10 : lesser(share, ONE - ONE / 10);
    return b.low + (uint32_t)((uint64_t)(b.high - b.low) * share >> 20);
}

// The dual that is best for the node alone, bracketed from `here`, the surplus at its own.
template <class ROW>
DEVICE uint32_t target_of(const ROW &row, const jump_rule &rule, uint32_t dual, uint32_t bandwidth, uint32_t reach, int32_t here)
{
    bracket b = {dual, dual, here, here};
    uint32_t step = reach > LEAST_REACH ? reach : LEAST_REACH;
    if (here == 0 || (here < 0 && dual == 0))
        return dual;
    for (int k = 0; k < MOST_BRACKETS && here > 0 && b.high_surplus > 0 && b.high < UINT32_MAX; k++) {
        b.low = b.high;
        b.low_surplus = b.high_surplus;
        b.high = b.high + step < step ? UINT32_MAX : b.high + step;
        b.high_surplus = surplus(row, rule, b.high, bandwidth);
        step = step > UINT32_MAX / 3 ? UINT32_MAX : step * 3;
    }
    for (int k = 0; k < MOST_BRACKETS && here < 0 && b.low_surplus < 0 && b.low > 0; k++) {
        b.high = b.low;
        b.high_surplus = b.low_surplus;
        b.low = b.low > step ? b.low - step : 0;
        b.low_surplus = surplus(row, rule, b.low, bandwidth);
        step = step > UINT32_MAX / 3 ? UINT32_MAX : step * 3;
    }
    if (b.low_surplus <= 0)
        return b.low;
    if (b.high_surplus > 0)
        return b.high;
    for (int32_t k = 0; k < rule.inner && b.high - b.low > 1; k++) {
        const uint32_t middle = between(b, true);
        const int32_t there = surplus(row, rule, middle, bandwidth);
        const bool is_low = there > 0;
        b.low = is_low ? middle : b.low;
        b.low_surplus = is_low ? there : b.low_surplus;
        b.high = is_low ? b.high : middle;
        b.high_surplus = is_low ? b.high_surplus : there;
    }
    return between(b, false);
}

// The next dual and reach of a node, and what its row is worth.
template <class ROW>
DEVICE uint32_t jump(const ROW &row, const jump_rule &rule, uint32_t dual, uint32_t bandwidth, uint32_t &reach, uint64_t &worth)
{
    const uint32_t load = row.both(dual, &worth);
    const int32_t here = rule.width == 0 ? (int32_t)(load - bandwidth) : surplus(row, rule, dual, bandwidth);
    const uint32_t target = target_of(row, rule, dual, bandwidth, reach, here), way = target > dual ? target - dual : dual - target;
    const uint32_t moved = (uint32_t)((uint64_t)way * 77 / 128);
    reach = (uint32_t)((uint64_t)way * 90 / 128);
    return target > dual ? dual + moved : dual - moved;
}

// ---- After a sweep. Doubles by the very operations of the cores: the compiler must not fuse them.

constexpr double LEAST_GAIN = 1e-4, LESS_BETA = 0.95;
constexpr int STD_STALLS = 75;

// Rounded once, as a conversion does. Made of bits: the unit that converts takes a warp every eighth cycle. The high half is the last bits of a
// double between 2^84 and 2^85, the low half those of one between 2^52 and 2^53.
DEVICE double double_of(uint64_t value)
{
    constexpr double BOTH = 19342813118337666422669312.0;  // 2^84 + 2^52
    const double high = __dadd_rn(__hiloint2double(0x45300000, (int)(uint32_t)(value >> 32)), -BOTH);
    return __dadd_rn(high, __hiloint2double(0x43300000, (int)(uint32_t)value));
}

DEVICE double units_of(uint64_t low, uint64_t high)
{
    return __dadd_rn(__dmul_rn(double_of(high), 18446744073709551616.0), double_of(low));
}

// Takes the bound of the present duals. Returns whether it is the least. `writes`: this thread writes the log.
DEVICE bool take_bound(overlay_gpu_state &s, const wide_sum &bound, overlay_gpu_change *d_log, bool writes)
{
    const bool is_less = bound.high != s.least_high ? bound.high < s.least_high : bound.low < s.least_low;
    if (is_less) {
        s.least_low = bound.low;
        s.least_high = bound.high;
        s.best_iteration = s.iteration;
        if (writes)
            d_log[s.changes] = {s.iteration, bound.low, bound.high};
        s.changes++;
    }
    s.iteration++;
    return is_less;
}

// Plain jumps end when one gains little.
DEVICE void test_gain(overlay_gpu_state &s)
{
    const double least = units_of(s.least_low, s.least_high);
    s.is_ended = !(least < __dmul_rn(s.before, 1 - LEAST_GAIN));
    s.before = least;
}

// std: the norm of the subgradient.
DEVICE double norm_of(const overlay_gpu_rules &rules, const wide_sum &squares)
{
    const double square = units_of(squares.low, squares.high);
    return rules.is_squared ? square : __dmul_rn(__dsqrt_rn(square), rules.scale);
}

// std: the step length, after beta has followed what the bound did.
DEVICE double step_length(overlay_gpu_state &s, const overlay_gpu_rules &rules, bool is_less, const wide_sum &bound, double norm)
{
    s.stalls = is_less ? 0 : s.stalls + 1;
    if (s.stalls == STD_STALLS) {
        s.beta = __dmul_rn(s.beta, LESS_BETA);
        s.stalls = 0;
    }
    const double way = __dmul_rn(__dmul_rn(s.beta, rules.std_constant), __dmul_rn(units_of(bound.low, bound.high), 0.5));
    return norm > 0 ? __ddiv_rn(way, norm) : 0;
}

DEVICE uint32_t stepped(uint32_t dual, double length, int32_t excess)
{
    const double moved = __dadd_rn((double)dual, floor(__dadd_rn(__dmul_rn(length, (double)excess), 0.5)));
    return moved <= 0 ? 0 : moved >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)moved;
}

}  // namespace

#endif
