// SPDX-License-Identifier: MIT
// Vectors of 32-bit integers, as wide as the vector unit. For vector files (base/lanes.h).
#ifndef MCO_BASE_LANES32_H
#define MCO_BASE_LANES32_H

#include "base/lanes.h"

enum { LANES32 = VEC_BYTES / 4 };
typedef int32_t lanes32 __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));

static inline __attribute__((always_inline)) lanes32 lanes32_all(int32_t value)
{
    return value - (lanes32){0};
}

static inline __attribute__((always_inline)) lanes32 lanes32_load(const int32_t *from)
{
    return *(const lanes32 *)from;
}

static inline __attribute__((always_inline)) void lanes32_store(int32_t *to, lanes32 value)
{
    *(lanes32 *)to = value;
}

// The lanes of `a` where the mask has all bits, those of `b` where it has none.
static inline __attribute__((always_inline)) lanes32 lanes32_choose(lanes32 mask, lanes32 a, lanes32 b)
{
    return (a & mask) | (b & ~mask);
}

static inline __attribute__((always_inline)) lanes32 lanes32_lesser(lanes32 a, lanes32 b)
{
#if defined(__AVX512BW__)
    return (lanes32)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (lanes32)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return lanes32_choose((lanes32)(a < b), a, b);
#endif
}

// base[index] in each lane.
static inline __attribute__((always_inline)) lanes32 lanes32_gather(const int32_t *base, lanes32 index)
{
#if defined(__AVX512BW__)
    return (lanes32)_mm512_i32gather_epi32((__m512i)index, base, 4);
#elif defined(__AVX2__)
    return (lanes32)_mm256_i32gather_epi32(base, (__m256i)index, 4);
#else
    lanes32 out;
    for (int l = 0; l < LANES32; l++)
        out[l] = base[index[l]];
    return out;
#endif
}

// 0, 1, 2, ...
static inline __attribute__((always_inline)) lanes32 lanes32_count(void)
{
    static const int32_t numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lanes32_load(numbers);
}

// Bit l is set if lane l is negative.
static inline __attribute__((always_inline)) uint32_t lanes32_signs(lanes32 a)
{
#if defined(__AVX512BW__)
    return _mm512_cmplt_epi32_mask((__m512i)a, _mm512_setzero_si512());
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)a);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)a);
#else
    uint32_t signs = 0;
    for (int l = 0; l < LANES32; l++)
        signs |= (uint32_t)(a[l] < 0) << l;
    return signs;
#endif
}

// The least of all lanes.
static inline __attribute__((always_inline)) int32_t lanes32_least(lanes32 a)
{
#if defined(__AVX512BW__)
    return _mm512_reduce_min_epi32((__m512i)a);
#else
    int32_t least = a[0];
    for (int l = 1; l < LANES32; l++)
        least = a[l] < least ? a[l] : least;
    return least;
#endif
}

#endif
