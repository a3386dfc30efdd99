// SPDX-License-Identifier: MIT
// Vectors of unsigned 16- or 32-bit lanes, for the layer of a beam. Sums of 16 bits saturate.
#ifndef MCO_FLOWSHOP_BEAM_LANES_H
#define MCO_FLOWSHOP_BEAM_LANES_H

#include "base/lanes.h"

#if LANE_BITS == 16
typedef uint16_t lane;
typedef uint32_t wide;
#else
typedef uint32_t lane;
typedef uint64_t wide;
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
typedef lane vec __attribute__((vector_size(VEC_BYTES), aligned(LANE_BITS / 8), may_alias));
typedef wide vec_wide __attribute__((vector_size(VEC_BYTES), may_alias));
typedef uint32_t vec_words __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));
typedef int32_t vec_ints __attribute__((vector_size(VEC_BYTES), may_alias));
typedef float vec_floats __attribute__((vector_size(VEC_BYTES), may_alias));
typedef double vec_doubles __attribute__((vector_size(VEC_BYTES), may_alias));
typedef int64_t vec_longs __attribute__((vector_size(VEC_BYTES), may_alias));
typedef int32_t half_ints __attribute__((vector_size(VEC_BYTES / 2), aligned(4), may_alias));
enum { LANES = VEC_BYTES / (LANE_BITS / 8), WORDS = VEC_BYTES / 4, DOUBLES = VEC_BYTES / 8 };

typedef int32_t loose_ints __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));
typedef lane few_lanes __attribute__((vector_size(WORDS * (LANE_BITS / 8)), aligned(LANE_BITS / 8), may_alias));

// WORDS lanes as integers, and back. Reads and writes may go beyond the end of an array.
static ALWAYS_INLINE vec_ints ints_of(const lane *from)
{
    return __builtin_convertvector(*(const few_lanes *)from, vec_ints);
}

static ALWAYS_INLINE void put_lanes(lane *to, vec_ints values)
{
    *(few_lanes *)to = __builtin_convertvector(values, few_lanes);
}

static ALWAYS_INLINE vec_ints ints_at(const int32_t *from)
{
    return (vec_ints) * (const loose_ints *)from;
}

// A value for all lanes, as one word: the processor broadcasts words from memory.
static ALWAYS_INLINE uint32_t word_of(uint32_t value)
{
    return LANE_BITS == 16 ? value << 16 | value : value;
}

static ALWAYS_INLINE vec all(uint32_t word)
{
    return (vec)((vec_words){0} + word);
}

static ALWAYS_INLINE vec load(const lane *from)
{
    return *(const vec *)from;
}

static ALWAYS_INLINE void store(lane *to, vec value)
{
    *(vec *)to = value;
}

static ALWAYS_INLINE vec larger(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_max_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return (vec)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_max_epu16((__m256i)a, (__m256i)b);
#elif defined(__AVX2__)
    return (vec)_mm256_max_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_adds_epu16((__m128i)a, _mm_subs_epu16((__m128i)b, (__m128i)a));
#else
    const vec mask = (vec)(a > b);
    return (a & mask) | (b & ~mask);
#endif
}

static ALWAYS_INLINE vec lesser(vec a, vec b)
{
    return ~larger(~a, ~b);
}

// Saturates where lanes have 16 bits; sums of 32 bits do not reach 2^32.
static ALWAYS_INLINE vec sum(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_adds_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_adds_epu16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_adds_epu16((__m128i)a, (__m128i)b);
#elif LANE_BITS == 16
    const vec total = a + b;
    return total | (vec)(total < a);
#else
    return a + b;
#endif
}

// floor(a * b / 2^16), for lanes below 2^16.
static ALWAYS_INLINE vec high_product(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_mulhi_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_mulhi_epu16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_mulhi_epu16((__m128i)a, (__m128i)b);
#elif LANE_BITS == 16
    vec out;
    for (int i = 0; i < LANES; i++)
        out[i] = (lane)((uint32_t)a[i] * b[i] >> 16);
    return out;
#else
    return a * b >> 16;
#endif
}

// Bit i is lane i of a < b.
static ALWAYS_INLINE uint64_t less_bits(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return _mm512_cmplt_epu16_mask((__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return _mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    const __m256i not_less = _mm256_cmpeq_epi16(_mm256_subs_epu16((__m256i)b, (__m256i)a), _mm256_setzero_si256());
    const uint32_t bytes = ~(uint32_t)_mm256_movemask_epi8(not_less);
    return _pext_u32(bytes, 0x55555555u);
#elif defined(__AVX2__)
    const __m256i not_less = _mm256_cmpeq_epi32(_mm256_max_epu32((__m256i)a, (__m256i)b), (__m256i)a);
    return ~(uint32_t)_mm256_movemask_ps((__m256)not_less) & 0xff;
#elif defined(__SSE2__) && LANE_BITS == 16
    const __m128i not_less = _mm_cmpeq_epi16(_mm_subs_epu16((__m128i)b, (__m128i)a), _mm_setzero_si128());
    return ~(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(not_less, not_less)) & 0xff;
#else
    uint64_t bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= (uint64_t)(a[i] < b[i]) << i;
    return bits;
#endif
}

// All ones in the lanes whose bit is set.
static ALWAYS_INLINE vec mask_of(uint64_t bits)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_movm_epi16((__mmask32)bits);
#elif defined(__AVX512BW__)
    return (vec)_mm512_maskz_set1_epi32((__mmask16)bits, -1);
#else
    static const lane powers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    const vec power = load(powers), value = all(word_of((uint32_t)bits & 0xffff));
    return (vec)((value & power) == power);
#endif
}

static ALWAYS_INLINE int64_t add_lanes(vec_wide sums)
{
    int64_t total = 0;
    for (int i = 0; i < LANES / 2; i++)
        total += (int64_t)sums[i];
    return total;
}

#endif
