// SPDX-License-Identifier: MIT
// The numbers that are reduced: a function of the index, the same on host and device.
//
// i32: a bijection of 32-bit words, so all values differ and the minimum has one place. Sums are taken modulo 2^32.
// f32: odd multiples of 1/128 in (-1, 1), with a lower minimum at each 3 * 2^j and a higher maximum at each 5 * 2^j. So
// every prefix of 2^k items has its minimum and its maximum once, past its middle. Sums of 2^30 such numbers stay below
// 2^17 (seven standard deviations of 18.9e3), where multiples of 1/128 are exact in 24 bits. The sum is therefore the
// same in any order and is compared for equality.
#ifndef MCO_BENCH_REDUCE_DATA_H
#define MCO_BENCH_REDUCE_DATA_H

#include <stdint.h>

#ifdef __CUDACC__
#define BENCH_HD __host__ __device__
#else
#define BENCH_HD
#endif

static BENCH_HD inline uint32_t bench_mix(uint32_t index)
{
    // Odd multipliers and xor with a right shift are invertible.
    uint32_t x = index * 0x9e3779b1u + 0x7f4a7c15u;
    x = (x ^ (x >> 15)) * 0x2c1b3c6du;
    x = (x ^ (x >> 13)) * 0x297a2d39u;
    return x ^ (x >> 16);
}

static BENCH_HD inline int32_t bench_i32(uint32_t index)
{
    return (int32_t)bench_mix(index);
}

// The f32 value in units of 1/128.
static BENCH_HD inline int32_t bench_f32_units(uint32_t index)
{
    enum { ONE = 128 };
    uint32_t low = index & (~index + 1), level = 0;
    if (index != 0 && (index == 3 * low || index == 5 * low)) {
        while (low >> level > 1)
            level++;
        return (index == 5 * low ? ONE : -ONE) * (int32_t)(level + 2);
    }
    return (int32_t)(bench_mix(index) & 127) * 2 - 127;
}

static BENCH_HD inline float bench_f32(uint32_t index)
{
    return (float)bench_f32_units(index) * (1.0f / 128);
}

#endif
