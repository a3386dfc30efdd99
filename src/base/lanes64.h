// SPDX-License-Identifier: MIT
// Groups of 8 doubles on every vector unit. For vector files (base/lanes.h), compiled with -ffp-contract=off.
//
// Each lane does the same IEEE operations on every unit, and sums over lanes have one fixed order. So the builds of a file give
// equal results bit for bit. No lane may be NaN where a function does not say so.
#ifndef MCO_BASE_LANES64_H
#define MCO_BASE_LANES64_H

#include "base/lanes.h"

typedef double lanes64 __attribute__((vector_size(64), aligned(64), may_alias));
typedef int64_t lanes64_mask __attribute__((vector_size(64), aligned(64), may_alias));

static inline __attribute__((always_inline)) lanes64 lanes64_all(double value)
{
    return value - (lanes64){0};
}

static inline __attribute__((always_inline)) lanes64 lanes64_load(const double *from)
{
    return *(const lanes64 *)from;
}

static inline __attribute__((always_inline)) void lanes64_store(double *to, lanes64 value)
{
    *(lanes64 *)to = value;
}

// The lanes of `a` where the mask has all bits, those of `b` where it has none.
static inline __attribute__((always_inline)) lanes64 lanes64_choose(lanes64_mask mask, lanes64 a, lanes64 b)
{
    return (lanes64)(((lanes64_mask)a & mask) | ((lanes64_mask)b & ~mask));
}

static inline __attribute__((always_inline)) lanes64 lanes64_lesser(lanes64 a, lanes64 b)
{
#if defined(__AVX512F__)
    return (lanes64)_mm512_min_pd((__m512d)a, (__m512d)b);
#else
    return lanes64_choose((lanes64_mask)(a < b), a, b);
#endif
}

static inline __attribute__((always_inline)) lanes64 lanes64_greater(lanes64 a, lanes64 b)
{
#if defined(__AVX512F__)
    return (lanes64)_mm512_max_pd((__m512d)a, (__m512d)b);
#else
    return lanes64_choose((lanes64_mask)(a > b), a, b);
#endif
}

#if !defined(__AVX512F__)
// Bit l is the sign of lane l.
static inline __attribute__((always_inline)) uint32_t lanes64_signs(lanes64_mask mask)
{
#if defined(__AVX2__)
    const __m256d *half = (const __m256d *)(const void *)&mask;
    return (uint32_t)_mm256_movemask_pd(half[0]) | (uint32_t)_mm256_movemask_pd(half[1]) << 4;
#elif defined(__SSE2__)
    const __m128d *part = (const __m128d *)(const void *)&mask;
    return (uint32_t)_mm_movemask_pd(part[0]) | (uint32_t)_mm_movemask_pd(part[1]) << 2 | (uint32_t)_mm_movemask_pd(part[2]) << 4 |
           (uint32_t)_mm_movemask_pd(part[3]) << 6;
#else
    uint32_t bits = 0;
    for (int l = 0; l < 8; l++)
        bits |= (uint32_t)(mask[l] < 0) << l;
    return bits;
#endif
}
#endif

// Bit l is set if a < b in lane l.
static inline __attribute__((always_inline)) uint32_t lanes64_less(lanes64 a, lanes64 b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
#else
    return lanes64_signs((lanes64_mask)(a < b));
#endif
}

// Bit l is set unless a <= b in lane l: for NaN too.
static inline __attribute__((always_inline)) uint32_t lanes64_exceeds(lanes64 a, lanes64 b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NLE_UQ);
#else
    return lanes64_signs(~(lanes64_mask)(a <= b));
#endif
}

// Bit l is set if a == b in lane l.
static inline __attribute__((always_inline)) uint32_t lanes64_equal(lanes64 a, lanes64 b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ);
#else
    return lanes64_signs((lanes64_mask)(a == b));
#endif
}

// The sum of all lanes, in one order on every unit.
static inline __attribute__((always_inline)) double lanes64_sum(lanes64 a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

#endif
