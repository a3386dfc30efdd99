// SPDX-License-Identifier: MIT
// Vector lanes, chosen at compile time. A file that includes this header is compiled once for each lane width
// (LANE_BITS 16 or 32) and each instruction set; the build passes the flags. flowshop/variants.c chooses one of the
// builds at run time.
//
// A `vec` holds LANES values. Two neighbouring lanes form a pair: the even lane serves the front of the schedule, the
// odd lane the back. The type `pair` is such a pair as one unsigned word. Every instruction set can broadcast it from
// memory. A sum of two words never carries from the even into the odd lane: values are non-negative and stay below
// 2^(LANE_BITS-1).
#ifndef MCO_FLOWSHOP_LANES_H
#define MCO_FLOWSHOP_LANES_H

#include "base/lanes.h"

#if LANE_BITS == 16
typedef int16_t lane;
typedef uint32_t pair;
#define LANE_MAX INT16_MAX
#else
typedef int32_t lane;
typedef uint64_t pair;
#define LANE_MAX INT32_MAX
#endif

typedef lane vec __attribute__((vector_size(VEC_BYTES), may_alias));
typedef pair vec_pairs __attribute__((vector_size(VEC_BYTES), may_alias));
enum { LANES = VEC_BYTES / (LANE_BITS / 8), PAIRS = LANES / 2 };

static inline pair pair_make(int32_t even, int32_t odd)
{
    return (pair)even | (pair)odd << LANE_BITS;
}

static inline int32_t pair_even(pair p)
{
    return (lane)p;
}

static inline int32_t pair_odd(pair p)
{
    return (lane)(p >> LANE_BITS);
}

static inline pair pair_swap(pair p)
{
    return (p >> LANE_BITS) | (p << LANE_BITS);
}

static inline vec vec_all(int32_t value)
{
    return (vec){0} + (lane)value;
}

static inline vec vec_broadcast(pair p)
{
    return (vec)((vec_pairs){0} + p);
}

// The numbers 0, 1, 2, ..., one in each pair.
static inline vec_pairs vec_pair_numbers(void)
{
    static const pair numbers[16] __attribute__((aligned(VEC_BYTES))) = {0, 1, 2,  3,  4,  5,  6,  7,
                                                                         8, 9, 10, 11, 12, 13, 14, 15};
    return *(const vec_pairs *)(const void *)numbers;
}

static inline vec vec_max(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_max_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return (vec)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_max_epi16((__m256i)a, (__m256i)b);
#elif defined(__AVX2__)
    return (vec)_mm256_max_epi32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
    vec m = (vec)(a > b);
    return (a & m) | (b & ~m);
#endif
}

static inline vec vec_min(vec a, vec b)
{
    return ~vec_max(~a, ~b);
}

// `value` where the mask is all ones, `other` where it is zero: mask ? value : other.
static inline vec vec_blend(vec mask, vec other, vec value)
{
    return (value & mask) | (other & ~mask);
}

// Copies the pairs of `from` [vectors] whose bit is set in `bits` to `to`, without gaps. It may overwrite up to one
// vector behind the last pair.
static inline void pairs_compress(const pair *from, int vectors, const uint64_t *bits, pair *to)
{
#if defined(__AVX512BW__)
    for (int v = 0; v < vectors; v++) {
        uint32_t mask = (uint32_t)(bits[v * PAIRS / 64] >> (v * PAIRS % 64)) & ((1u << PAIRS) - 1);
        __m512i row = _mm512_loadu_si512(from + v * PAIRS);
#if LANE_BITS == 16
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)mask, row));
#else
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi64((__mmask8)mask, row));
#endif
        to += __builtin_popcount(mask);
    }
#else
    for (int w = 0; w < (vectors * PAIRS + 63) / 64; w++)
        for (uint64_t left = bits[w]; left != 0; left &= left - 1)
            *to++ = from[w * 64 + __builtin_ctzll(left)];
#endif
}

// Bit k of *even is lane 2k of `mask`, bit k of *odd is lane 2k+1. Each lane is all ones or all zeros.
static inline void vec_mask_bits(vec mask, uint32_t *even, uint32_t *odd)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    uint32_t bits = _mm512_movepi16_mask((__m512i)mask);
    *even = _pext_u32(bits, 0x55555555u);
    *odd = _pext_u32(bits, 0xaaaaaaaau);
#elif defined(__AVX512BW__)
    uint32_t bits = _mm512_movepi32_mask((__m512i)mask);
    *even = _pext_u32(bits, 0x5555u);
    *odd = _pext_u32(bits, 0xaaaau);
#elif defined(__AVX2__) && LANE_BITS == 16
    *even = (uint32_t)_mm256_movemask_ps((__m256)_mm256_slli_epi32((__m256i)mask, 16));
    *odd = (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(__AVX2__)
    *even = (uint32_t)_mm256_movemask_pd((__m256d)_mm256_slli_epi64((__m256i)mask, 32));
    *odd = (uint32_t)_mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE2__) && LANE_BITS == 16
    *even = (uint32_t)_mm_movemask_ps((__m128)_mm_slli_epi32((__m128i)mask, 16));
    *odd = (uint32_t)_mm_movemask_ps((__m128)mask);
#elif defined(__SSE2__)
    *even = (uint32_t)_mm_movemask_pd((__m128d)_mm_slli_epi64((__m128i)mask, 32));
    *odd = (uint32_t)_mm_movemask_pd((__m128d)mask);
#else
    *even = *odd = 0;
    for (int k = 0; k < PAIRS; k++) {
        *even |= (uint32_t)(mask[2 * k] & 1) << k;
        *odd |= (uint32_t)(mask[2 * k + 1] & 1) << k;
    }
#endif
}

// a < b in each lane, as bits of the even and of the odd lanes.
static inline void vec_less_bits(vec a, vec b, uint32_t *even, uint32_t *odd)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    uint32_t bits = _mm512_cmplt_epi16_mask((__m512i)a, (__m512i)b);
    *even = _pext_u32(bits, 0x55555555u);
    *odd = _pext_u32(bits, 0xaaaaaaaau);
#else
    vec_mask_bits((vec)(a < b), even, odd);
#endif
}

// a == b in each lane, as bits of the even and of the odd lanes.
static inline void vec_equal_bits(vec a, vec b, uint32_t *even, uint32_t *odd)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    uint32_t bits = _mm512_cmpeq_epi16_mask((__m512i)a, (__m512i)b);
    *even = _pext_u32(bits, 0x55555555u);
    *odd = _pext_u32(bits, 0xaaaaaaaau);
#else
    vec_mask_bits((vec)(a == b), even, odd);
#endif
}

// Smallest lane.
static inline int32_t vec_reduce_min(vec a)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    // The minimum-position instruction compares unsigned numbers. That serves here: values are non-negative.
    __m256i half = _mm256_min_epu16(_mm512_castsi512_si256((__m512i)a), _mm512_extracti64x4_epi64((__m512i)a, 1));
    __m128i quarter = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return _mm_cvtsi128_si32(_mm_minpos_epu16(quarter)) & 0xffff;
#elif defined(__AVX2__) && LANE_BITS == 16 && !defined(__AVX512BW__)
    __m128i half = _mm_min_epu16(_mm256_castsi256_si128((__m256i)a), _mm256_extracti128_si256((__m256i)a, 1));
    return _mm_cvtsi128_si32(_mm_minpos_epu16(half)) & 0xffff;
#else
    int32_t least = a[0];
    for (int k = 1; k < LANES; k++)
        least = a[k] < least ? a[k] : least;
    return least;
#endif
}

#endif
