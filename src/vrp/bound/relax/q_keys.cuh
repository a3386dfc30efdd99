// SPDX-License-Identifier: MIT
// Keys of q-paths on a device (q.cu): value << bits | place, in 32 or 64 bits; the shares of the warps; the two least keys.
#ifndef MCO_VRP_BOUND_RELAX_Q_KEYS_CUH
#define MCO_VRP_BOUND_RELAX_Q_KEYS_CUH

#include "device/kernel.cuh"
#include "vrp/bound/relax/q_cuda.h"

namespace {

using namespace mco;

constexpr int WARPS = 16, THREADS = WARPS * WARP;
constexpr int QUAD = 4;                 // sources that a lane reads at once
constexpr int NO_PATH = VRP_Q_DEVICE_NO_PATH;

// Keys. Sources have keys in [-no_key, no_key - greatest arc), or absent - 2^bits at most; an arc that is absent is `absent`. So no sum
// leaves the type, and sums from no_key on are none.
template <class KEY> struct keys;
template <> struct keys<int32_t> {
    static constexpr int32_t no_key = 1 << 29, absent = 1 << 30, none = INT32_MAX;
};
template <> struct keys<int64_t> {
    static constexpr int64_t absent = 1ll << 45, none = INT64_MAX;
};

// The shares of the warps: rounds of QUAD sources for each part of a warp.
struct share {
    int rounds, warp_rounds, extra;
    int bits;                           // of a place
};

template <int TARGETS> MCO_HD share share_of(int nodes)
{
    constexpr int ROUND = QUAD * (WARP / TARGETS);
    share s;
    s.rounds = (nodes + ROUND - 1) / ROUND;
    s.warp_rounds = s.rounds / WARPS;
    s.extra = s.rounds % WARPS;
    const int most = (s.warp_rounds + (s.extra > 0 ? 1 : 0)) * ROUND;
    for (s.bits = 0; 1 << s.bits < most;)
        s.bits++;
    return s;
}

DEVICE int first_round(const share &s, int warp) { return warp * s.warp_rounds + min(warp, s.extra); }
DEVICE int rounds_of(const share &s, int warp) { return s.warp_rounds + (warp < s.extra ? 1 : 0); }

template <class KEY> DEVICE KEY key_of(int32_t value, int bits, int place)
{
    return value < NO_PATH ? (KEY)value * ((KEY)1 << bits) + (KEY)place : keys<KEY>::absent - ((KEY)1 << bits);
}

// ---- The two least keys

DEVICE void insert(int32_t &first, int32_t &other, int32_t source, int32_t arc)
{
    other = min(other, __viaddmax_s32(source, arc, first));
    first = __viaddmin_s32(source, arc, first);
}

DEVICE void insert(int64_t &first, int64_t &other, int64_t source, int64_t arc)
{
    const int64_t key = source + arc;
    other = min(other, max(first, key));
    first = min(first, key);
}

template <class KEY> DEVICE void merge(KEY &first, KEY &other, KEY first_too, KEY other_too)
{
    other = min(max(first, first_too), min(other, other_too));
    first = min(first, first_too);
}

DEVICE void take_quad(const int32_t *from, int32_t out[QUAD])
{
    const int4 all = *reinterpret_cast<const int4 *>(from);
    out[0] = all.x;
    out[1] = all.y;
    out[2] = all.z;
    out[3] = all.w;
}

DEVICE void take_quad(const int64_t *from, int64_t out[QUAD])
{
    const longlong2 low = *reinterpret_cast<const longlong2 *>(from), high = *reinterpret_cast<const longlong2 *>(from + 2);
    out[0] = low.x;
    out[1] = low.y;
    out[2] = high.x;
    out[3] = high.y;
}

DEVICE void put_quad(int32_t *to, int32_t a, int32_t b, int32_t c, int32_t d) { *reinterpret_cast<int4 *>(to) = make_int4(a, b, c, d); }

DEVICE void put_quad(int64_t *to, int64_t a, int64_t b, int64_t c, int64_t d)
{
    reinterpret_cast<longlong2 *>(to)[0] = make_longlong2(a, b);
    reinterpret_cast<longlong2 *>(to)[1] = make_longlong2(c, d);
}

}  // namespace

#endif
