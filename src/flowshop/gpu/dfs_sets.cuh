// SPDX-License-Identifier: MIT
// Part of flowshop/gpu/dfs.cu: pairs of values, 16 or 32 bits each, and sets of children.
#ifndef MCO_FLOWSHOP_GPU_DFS_SETS_CUH
#define MCO_FLOWSHOP_GPU_DFS_SETS_CUH

#include "device/kernel.cuh"
#include "flowshop/gpu/dfs.h"

namespace {

using namespace mco;

// ---- Pairs

struct lanes16 {
    typedef uint32_t pair;
    enum { WORDS = 1 };
    static __device__ pair add_max(pair a, pair b, pair c) { return __viaddmax_s16x2(a, b, c); }
    static __device__ pair max2(pair a, pair b) { return __vmaxs2(a, b); }
    static __device__ pair add(pair a, pair b) { return a + b; }
    static __device__ pair subtract(pair a, pair b) { return a - b; }
    static __device__ pair swap(pair a) { return __byte_perm(a, 0, 0x1032); }
    static __device__ pair zero() { return 0; }
    static __device__ int low(pair a) { return (int)(a & 0xffff); }
    static __device__ int high(pair a) { return (int)(a >> 16); }
    static __device__ pair choose(bool is_back, pair old, pair grown)
    {
        return is_back ? (grown & 0xffff0000u) | (old & 0xffffu) : (grown & 0xffffu) | (old & 0xffff0000u);
    }
    template <int G> static __device__ pair up(pair a, int distance) { return __shfl_up_sync(ALL_LANES, a, distance, G); }
    static __device__ void to_words(pair a, uint32_t *w) { w[0] = a; }
    static __device__ pair from_words(const uint32_t *w) { return w[0]; }
    static __device__ void load4(const pair *from, pair *to)
    {
        const uint4 v = *reinterpret_cast<const uint4 *>(from);
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
};

struct lanes32 {
    typedef int2 pair;
    enum { WORDS = 2 };
    static __device__ pair add_max(pair a, pair b, pair c)
    {
        return make_int2(max(a.x + b.x, c.x), max(a.y + b.y, c.y));
    }
    static __device__ pair max2(pair a, pair b) { return make_int2(max(a.x, b.x), max(a.y, b.y)); }
    static __device__ pair add(pair a, pair b) { return make_int2(a.x + b.x, a.y + b.y); }
    static __device__ pair subtract(pair a, pair b) { return make_int2(a.x - b.x, a.y - b.y); }
    static __device__ pair swap(pair a) { return make_int2(a.y, a.x); }
    static __device__ pair zero() { return make_int2(0, 0); }
    static __device__ int low(pair a) { return a.x; }
    static __device__ int high(pair a) { return a.y; }
    static __device__ pair choose(bool is_back, pair old, pair grown)
    {
        return is_back ? make_int2(old.x, grown.y) : make_int2(grown.x, old.y);
    }
    template <int G> static __device__ pair up(pair a, int distance)
    {
        return make_int2(__shfl_up_sync(ALL_LANES, a.x, distance, G), __shfl_up_sync(ALL_LANES, a.y, distance, G));
    }
    static __device__ void to_words(pair a, uint32_t *w) { w[0] = (uint32_t)a.x, w[1] = (uint32_t)a.y; }
    static __device__ pair from_words(const uint32_t *w) { return make_int2((int)w[0], (int)w[1]); }
    static __device__ void load4(const pair *from, pair *to)
    {
        const int4 v = reinterpret_cast<const int4 *>(from)[0], w = reinterpret_cast<const int4 *>(from)[1];
        to[0] = make_int2(v.x, v.y), to[1] = make_int2(v.z, v.w);
        to[2] = make_int2(w.x, w.y), to[3] = make_int2(w.z, w.w);
    }
};

// ---- Sets of children: bit k is the child of rank k

__device__ inline int first_bit(uint32_t x) { return __ffs((int)x) - 1; }
__device__ inline int first_bit(uint64_t x) { return __ffsll((long long)x) - 1; }
__device__ inline int count_bits(uint32_t x) { return __popc(x); }
__device__ inline int count_bits(uint64_t x) { return __popcll(x); }
__device__ inline int last_bit(uint32_t x) { return 31 - __clz((int)x); }
__device__ inline int last_bit(uint64_t x) { return 63 - __clzll((long long)x); }
__device__ inline uint32_t low_bits(int count) { return count >= 32 ? ~0u : (1u << count) - 1; }
template <class BITS> __device__ inline BITS bits_below(int k)
{
    return k >= (int)(8 * sizeof(BITS)) ? ~(BITS)0 : ((BITS)1 << k) - 1;
}
template <class BITS> __device__ inline int nth_bit(BITS x, int n)
{
    for (; n > 0; n--)
        x &= x - 1;
    return first_bit(x);
}

// Every lane of the group holds the whole set.
template <class BITS> struct set_in_lane {
    BITS bits;
    __device__ void clear() { bits = 0; }
    __device__ void add_pass(unsigned votes, int base, int /*lane*/, int shift)
    {
        bits |= (BITS)((votes >> shift) & 0xff) << base;
    }
    __device__ bool any() const { return bits != 0; }
    __device__ int count() const { return count_bits(bits); }
    __device__ int first() const { return first_bit(bits); }
    __device__ int last() const { return last_bit(bits); }
    __device__ int nth(int n) const { return nth_bit(bits, n); }
    __device__ bool has(int k) const { return (bits >> k) & 1; }
    __device__ void remove(int k) { bits &= ~((BITS)1 << k); }
    __device__ void keep_below(int k, int /*lane*/) { bits &= bits_below<BITS>(k); }
    __device__ void keep_from(int k, int /*lane*/) { bits &= ~bits_below<BITS>(k); }
    __device__ uint32_t word(int lane) const
    {
        return lane < (int)sizeof(BITS) / 4 ? (uint32_t)(bits >> (32 * lane % (8 * sizeof(BITS)))) : 0;
    }
    // Reads the set from the last row of a frame.
    __device__ void read(const uint32_t *row, int /*lane*/)
    {
        bits = row[0];
        if (sizeof(BITS) == 8)
            bits |= (BITS)((uint64_t)row[1] << 32);
    }
};

// Lane l of the warp holds ranks 32 l .. 32 l + 31. All lanes of the warp call every function together.
struct set_in_warp {
    uint32_t bits;
    __device__ void clear() { bits = 0; }
    __device__ void add_pass(unsigned votes, int base, int lane, int /*shift*/)
    {
        if (lane == base / 32)
            bits = votes;
    }
    __device__ bool any() const { return __any_sync(ALL_LANES, bits != 0); }
    __device__ int count() const { return (int)__reduce_add_sync(ALL_LANES, (unsigned)__popc(bits)); }
    __device__ int first() const
    {
        const int at = first_bit(__ballot_sync(ALL_LANES, bits != 0));
        return 32 * at + first_bit(__shfl_sync(ALL_LANES, bits, at & 31));
    }
    __device__ int last() const
    {
        const int at = last_bit(__ballot_sync(ALL_LANES, bits != 0));
        return 32 * at + last_bit(__shfl_sync(ALL_LANES, bits, at & 31));
    }
    __device__ int nth(int n) const
    {
        int before = 0, at = 0;
        for (;; at++) {
            const int here = __popc(__shfl_sync(ALL_LANES, bits, at));
            if (before + here > n)
                break;
            before += here;
        }
        return 32 * at + nth_bit(__shfl_sync(ALL_LANES, bits, at), n - before);
    }
    __device__ bool has(int k) const { return (__shfl_sync(ALL_LANES, bits, k / 32) >> (k % 32)) & 1; }
    __device__ void remove(int k)
    {
        if ((int)(threadIdx.x & 31) == k / 32)
            bits &= ~(1u << (k % 32));
    }
    __device__ void keep_below(int k, int lane) { bits &= low_bits(max(0, min(32, k - 32 * lane))); }
    __device__ void keep_from(int k, int lane) { bits &= ~low_bits(max(0, min(32, k - 32 * lane))); }
    __device__ uint32_t word(int /*lane*/) const { return bits; }
    __device__ void read(const uint32_t *row, int lane) { bits = lane < FLOWSHOP_DFS_MAX_JOBS / 32 ? row[lane] : 0; }
};

template <int G, int J> struct set_for { typedef set_in_lane<uint64_t> type; };
template <> struct set_for<8, 32> { typedef set_in_lane<uint32_t> type; };
template <> struct set_for<32, 256> { typedef set_in_warp type; };

}  // namespace

#endif
