// SPDX-License-Identifier: MIT
// Shared by the units by value (guillotine/tile.cuh) and by waste (guillotine/waste_tile.cuh): the octet of targets
// that a thread holds in registers, and the bits of coordinates.
#ifndef MCO_GUILLOTINE_OCTET_CUH
#define MCO_GUILLOTINE_OCTET_CUH

#include "device/kernel.cuh"
#include "guillotine/unit.h"

namespace {

using namespace mco;

constexpr int OCTET = 8;

// Bits c .. c + 31.
DEVICE uint32_t bits_from(const uint32_t *bits, int32_t c)
{
    return (uint32_t)(((uint64_t)bits[c / 32 + 1] << 32 | bits[c / 32]) >> (c % 32));
}

// Rows and strips lie in shared memory, Lanes::VECTORS apart. Lanes::relax(&best, a, b) replaces the lanes of a vector by the
// sums of a and b where these are better.
template <class Lanes> struct octet_of_targets {
    uint4 best[OCTET];
    uint4 window[OCTET];  // window[r & 7] is row r of the octet, r = .., -1, 0, 1, ..
    bool is_warm;         // the window holds rows 1..7 of the next octet of strips

    // Relaxes the targets over eight coordinates. The bits of `present` say which of them are strips; at least one is.
    DEVICE void relax(const uint4 *row_0, const uint4 *row_8_below, const uint4 *strips, uint32_t present)
    {
        if (!is_warm) {
#pragma unroll
            for (int r = 1; r < OCTET; r++)
                window[r] = row_0[r * Lanes::VECTORS];
            is_warm = true;
        }
        if (present == 0xff)
            relax_all<true>(row_0, row_8_below, strips, present);
        else
            relax_all<false>(row_0, row_8_below, strips, present);
    }

  private:
    // Moves the row of one coordinate into the window. If the coordinate is a strip, relaxes all targets.
    template <int K> DEVICE void relax_one(const uint4 *row_0, const uint4 *row_8_below, const uint4 *strips, bool is_strip)
    {
        window[(OCTET - K) % OCTET] = K == 0 ? row_0[0] : row_8_below[(OCTET - K) * Lanes::VECTORS];
        if (!is_strip)
            return;
        const uint4 strip = strips[K * Lanes::VECTORS];
#pragma unroll
        for (int r = 0; r < OCTET; r++)
            Lanes::relax(&best[r], strip, window[(OCTET + r - K) % OCTET]);
    }

    template <bool IS_FULL>
    DEVICE void relax_all(const uint4 *row_0, const uint4 *row_8_below, const uint4 *strips, uint32_t mask)
    {
        relax_one<0>(row_0, row_8_below, strips, IS_FULL || (mask & 1));
        relax_one<1>(row_0, row_8_below, strips, IS_FULL || (mask & 2));
        relax_one<2>(row_0, row_8_below, strips, IS_FULL || (mask & 4));
        relax_one<3>(row_0, row_8_below, strips, IS_FULL || (mask & 8));
        relax_one<4>(row_0, row_8_below, strips, IS_FULL || (mask & 16));
        relax_one<5>(row_0, row_8_below, strips, IS_FULL || (mask & 32));
        relax_one<6>(row_0, row_8_below, strips, IS_FULL || (mask & 64));
        relax_one<7>(row_0, row_8_below, strips, IS_FULL || (mask & 128));
    }
};

}  // namespace

#endif
