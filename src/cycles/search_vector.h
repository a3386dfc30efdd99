// SPDX-License-Identifier: MIT
// Nodes side by side in the lanes of a vector: eight with AVX-512, else one. A mask has a bit for each lane.
#ifndef MCO_CYCLES_SEARCH_VECTOR_H
#define MCO_CYCLES_SEARCH_VECTOR_H

#include <stdint.h>

#include "base/lanes.h"

typedef uint32_t lanes_mask;

#if defined(__AVX512BW__) && defined(__AVX512VL__)

enum { LANES = 8 };
typedef __m512i lanes;

static inline lanes lanes_all(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}
// The first lanes [of the mask], zero in the others.
static inline lanes lanes_load(const uint64_t *from, lanes_mask m)
{
    return _mm512_maskz_loadu_epi64((__mmask8)m, from);
}
static inline void lanes_store(uint64_t *to, lanes x)
{
    _mm512_storeu_si512(to, x);
}
// Stores the lanes of the mask one after the other. All LANES places are overwritten.
static inline void lanes_pack(uint64_t *to, lanes_mask m, lanes x)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64((__mmask8)m, x));
}
static inline lanes lanes_and(lanes x, lanes y)
{
    return _mm512_and_si512(x, y);
}
static inline lanes lanes_less(lanes x, lanes y)  // x without y
{
    return _mm512_andnot_si512(y, x);
}
static inline lanes lanes_or(lanes x, lanes y)
{
    return _mm512_or_si512(x, y);
}
static inline lanes lanes_xor(lanes x, lanes y)
{
    return _mm512_xor_si512(x, y);
}
static inline lanes lanes_add(lanes x, lanes y)
{
    return _mm512_add_epi64(x, y);
}
static inline lanes lanes_subtract(lanes x, lanes y)
{
    return _mm512_sub_epi64(x, y);
}
static inline lanes_mask lanes_any(lanes x)
{
    return _mm512_test_epi64_mask(x, x);
}
static inline lanes_mask lanes_greater(lanes x, lanes y)  // of small numbers
{
    return _mm512_cmpgt_epi64_mask(x, y);
}
static inline lanes lanes_choose(lanes_mask m, lanes yes, lanes no)
{
    return _mm512_mask_blend_epi64((__mmask8)m, no, yes);
}
// The position of the only bit of each lane.
static inline lanes lanes_place(lanes x)
{
    return _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(x));
}
static inline lanes lanes_gather(const uint64_t *from, lanes place)
{
    return _mm512_i64gather_epi64(place, (const long long *)from, 8);
}
// Counts of bits, byte by byte; at most 16 such may be added up. lanes_sum_bytes() gives the sum over a lane.
static inline lanes lanes_count_bytes(lanes x)
{
    const lanes table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const lanes low = _mm512_set1_epi8(15);
    return _mm512_add_epi8(_mm512_shuffle_epi8(table, _mm512_and_si512(x, low)),
                           _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(x, 4), low)));
}
static inline lanes lanes_add_bytes(lanes x, lanes y)
{
    return _mm512_add_epi8(x, y);
}
static inline lanes lanes_sum_bytes(lanes x)
{
    return _mm512_sad_epu8(x, _mm512_setzero_si512());
}

#else

enum { LANES = 1 };
typedef uint64_t lanes;

static inline lanes lanes_all(uint64_t x)
{
    return x;
}
static inline lanes lanes_load(const uint64_t *from, lanes_mask m)
{
    (void)m;
    return *from;
}
static inline void lanes_store(uint64_t *to, lanes x)
{
    *to = x;
}
static inline void lanes_pack(uint64_t *to, lanes_mask m, lanes x)
{
    (void)m;
    *to = x;
}
static inline lanes lanes_and(lanes x, lanes y)
{
    return x & y;
}
static inline lanes lanes_less(lanes x, lanes y)
{
    return x & ~y;
}
static inline lanes lanes_or(lanes x, lanes y)
{
    return x | y;
}
static inline lanes lanes_xor(lanes x, lanes y)
{
    return x ^ y;
}
static inline lanes lanes_add(lanes x, lanes y)
{
    return x + y;
}
static inline lanes lanes_subtract(lanes x, lanes y)
{
    return x - y;
}
static inline lanes_mask lanes_any(lanes x)
{
    return x != 0;
}
static inline lanes_mask lanes_greater(lanes x, lanes y)
{
    return x > y;
}
static inline lanes lanes_choose(lanes_mask m, lanes yes, lanes no)
{
    return no ^ ((no ^ yes) & -(uint64_t)(m & 1));
}
static inline lanes lanes_place(lanes x)
{
    return (uint64_t)(uint32_t)__builtin_ctzll(x);
}
static inline lanes lanes_gather(const uint64_t *from, lanes place)
{
    return from[place];
}
static inline lanes lanes_count_bytes(lanes x)
{
    return (uint64_t)(uint32_t)__builtin_popcountll(x);
}
static inline lanes lanes_add_bytes(lanes x, lanes y)
{
    return x + y;
}
static inline lanes lanes_sum_bytes(lanes x)
{
    return x;
}

#endif
#endif
