// SPDX-License-Identifier: MIT
// What all kernels of complete neighbourhoods share: distances, and keys of best moves.
#ifndef MCO_VRP_SWEEP_DEVICE_CUH
#define MCO_VRP_SWEEP_DEVICE_CUH

#include "device/kernel.cuh"
#include "vrp/sweep/cuda.h"

namespace vrp {

using namespace mco;
using word_64 = unsigned long long;

constexpr word_64 NO_KEY = ~0ull;

// ---- Distances

// Adding ROUNDER to a float below 2^22 rounds that to an integer, which is then in the low bits.
constexpr float ROUNDER = 12582912.0f;         // 1.5 * 2^23
constexpr int32_t ROUNDER_BITS = 0x4b400000;   // of ROUNDER as an integer

// round(sqrt(n)) + ROUNDER_BITS, from n - 1/4. The root of an integer n rounds to k if k^2 - k < n <= k^2 + k. So
// n - 1/4 is at least 1/2 away from the square of k + 1/2. That leaves room for an approximate root;
// vrp_launch_grid_check() tries every n.
DEVICE int32_t rounded_root_bits(float less_a_quarter)
{
    return __float_as_int(__fadd_rn(approximate_root(fabsf(less_a_quarter)), ROUNDER));
}

// Differences are integers below 2^11, so that their squares less 1/4 are exact.
DEVICE int32_t grid_bits(float dx, float dy)
{
    return rounded_root_bits(__fmaf_rn(dx, dx, __fmaf_rn(dy, dy, -0.25f)));
}

// The same as vrp_distance() in every bit: no operations are contracted, and the root is correctly rounded.
DEVICE int32_t plane_distance(double dx, double dy, double scale, bool rounds_up)
{
    const double length = __dmul_rn(__dsqrt_rn(__dadd_rn(__dmul_rn(dx, dx), __dmul_rn(dy, dy))), scale);
    return rounds_up ? (int32_t)ceil(length) : (int32_t)__dadd_rn(length, 0.5);
}

DEVICE int32_t node_distance(const vrp_device_places &p, int32_t i, int32_t j)
{
    if (p.kind == VRP_PLACES_MATRIX)
        return p.matrix[(int64_t)i * p.nodes + j];
    if (p.kind == VRP_PLACES_GRID)
        return grid_bits(p.grid[2 * i] - p.grid[2 * j], p.grid[2 * i + 1] - p.grid[2 * j + 1]) - ROUNDER_BITS;
    return plane_distance(p.plane[2 * (int64_t)i] - p.plane[2 * (int64_t)j],
                          p.plane[2 * (int64_t)i + 1] - p.plane[2 * (int64_t)j + 1], p.scale, p.rounds_up);
}

// The distance from position i to position j.
DEVICE int32_t tour_distance(const vrp_device_tour &t, const vrp_device_places &p, int32_t i, int32_t j)
{
    if (t.distance != nullptr)
        return t.distance[i * t.stride + j];
    return node_distance(p, t.sums.node[i], t.sums.node[j]);
}

// ---- Keys

DEVICE bool is_less(vrp_device_key a, vrp_device_key b)
{
    return a.value != b.value ? a.value < b.value : a.index < b.index;
}

DEVICE vrp_device_key lesser(vrp_device_key a, vrp_device_key b)
{
    return is_less(b, a) ? b : a;
}

DEVICE vrp_device_key no_key()
{
    return {NO_KEY, NO_KEY};
}

// The least key of a warp, in all its lanes.
DEVICE vrp_device_key least_of_warp(vrp_device_key key)
{
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
        const vrp_device_key other = {__shfl_xor_sync(ALL_LANES, key.value, apart),
                                      __shfl_xor_sync(ALL_LANES, key.index, apart)};
        key = lesser(key, other);
    }
    return key;
}

// The least key of a block of at most 1024 threads, in its first thread. All threads call it; its shared memory is free
// when it returns.
DEVICE vrp_device_key least_of_block(vrp_device_key key)
{
    __shared__ vrp_device_key of_warp[WARP];
    key = least_of_warp(key);
    if (threadIdx.x % WARP == 0)
        of_warp[threadIdx.x / WARP] = key;
    __syncthreads();
    if (threadIdx.x < WARP)
        key = least_of_warp(threadIdx.x < blockDim.x / WARP ? of_warp[threadIdx.x] : no_key());
    __syncthreads();
    return key;
}

// Packs a value into a word. A cost may be negative, so half of its range is added.
DEVICE word_64 packed_value(int32_t penalty, int64_t cost, int32_t bits)
{
    return ((word_64)penalty << bits) + (word_64)(cost + ((int64_t)1 << (bits - 1)));
}

}  // namespace vrp

#endif
