// SPDX-License-Identifier: MIT
// Nodes side by side in the lanes of a vector: eight with AVX-512, four with AVX2, else one. A mask has a bit for each lane.
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
static inline lanes lanes_shift(lanes x, int bits)
{
    return _mm512_slli_epi64(x, (unsigned)bits);
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
// Fills the lanes of the mask with the last values before `end`, of which LANES can be read. `order` is that of the mask.
static inline lanes lanes_refill_order(lanes_mask m)
{
    return _mm512_maskz_expand_epi64((__mmask8)m, _mm512_sub_epi64(_mm512_setr_epi64(8, 9, 10, 11, 12, 13, 14, 15),
                                                                   _mm512_set1_epi64(__builtin_popcount(m))));
}
static inline lanes lanes_refill(lanes x, lanes_mask m, lanes order, const uint64_t *end)
{
    return _mm512_mask_permutexvar_epi64(x, (__mmask8)m, order, _mm512_loadu_si512(end - LANES));
}
// The position of the only bit of each lane.
static inline lanes lanes_place(lanes x)
{
    return _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(x));
}
// Word i of the row at from + place of each lane to row[i]. Loads of whole rows and shuffles take half the time of gathers.
static inline __attribute__((always_inline)) void lanes_rows(const uint64_t *from, lanes place, int words, lanes *row)
{
    uint64_t at[LANES];
    if (words != 2 && words != 4) {
        for (int i = 0; i < words; i++)
            row[i] = _mm512_i64gather_epi64(place, (const long long *)(from + i), 8);
        return;
    }
    _mm512_storeu_si512(at, place);
    if (words == 2) {
        __m512i even = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(from + at[0])));
        __m512i odd = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(from + at[1])));
        even = _mm512_inserti64x2(even, _mm_loadu_si128((const __m128i *)(from + at[2])), 1);
        odd = _mm512_inserti64x2(odd, _mm_loadu_si128((const __m128i *)(from + at[3])), 1);
        even = _mm512_inserti64x2(even, _mm_loadu_si128((const __m128i *)(from + at[4])), 2);
        odd = _mm512_inserti64x2(odd, _mm_loadu_si128((const __m128i *)(from + at[5])), 2);
        even = _mm512_inserti64x2(even, _mm_loadu_si128((const __m128i *)(from + at[6])), 3);
        odd = _mm512_inserti64x2(odd, _mm_loadu_si128((const __m128i *)(from + at[7])), 3);
        row[0] = _mm512_unpacklo_epi64(even, odd);
        row[1] = _mm512_unpackhi_epi64(even, odd);
        return;
    }
    __m512i pair[4];  // rows k and k + 4
    for (int k = 0; k < 4; k++)
        pair[k] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(from + at[k]))),
                                     _mm256_loadu_si256((const __m256i *)(from + at[k + 4])), 1);
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    const __m512i low[2] = {_mm512_unpacklo_epi64(pair[0], pair[1]), _mm512_unpacklo_epi64(pair[2], pair[3])};
    const __m512i high[2] = {_mm512_unpackhi_epi64(pair[0], pair[1]), _mm512_unpackhi_epi64(pair[2], pair[3])};
    row[0] = _mm512_permutex2var_epi64(low[0], first, low[1]);
    row[1] = _mm512_permutex2var_epi64(high[0], first, high[1]);
    row[2] = _mm512_permutex2var_epi64(low[0], second, low[1]);
    row[3] = _mm512_permutex2var_epi64(high[0], second, high[1]);
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

#elif defined(__AVX2__)

enum { LANES = 4 };
typedef __m256i lanes;

// By mask: the halves of the lanes that are packed, and the halves of the last values that refill them.
#define LANES_PAIR(k) 2 * (k), 2 * (k) + 1
#define LANES_ROW(a, b, c, d) {LANES_PAIR(a), LANES_PAIR(b), LANES_PAIR(c), LANES_PAIR(d)}
static const int32_t LANES_PACK[16][8] = {
    LANES_ROW(0, 0, 0, 0), LANES_ROW(0, 0, 0, 0), LANES_ROW(1, 0, 0, 0), LANES_ROW(0, 1, 0, 0),
    LANES_ROW(2, 0, 0, 0), LANES_ROW(0, 2, 0, 0), LANES_ROW(1, 2, 0, 0), LANES_ROW(0, 1, 2, 0),
    LANES_ROW(3, 0, 0, 0), LANES_ROW(0, 3, 0, 0), LANES_ROW(1, 3, 0, 0), LANES_ROW(0, 1, 3, 0),
    LANES_ROW(2, 3, 0, 0), LANES_ROW(0, 2, 3, 0), LANES_ROW(1, 2, 3, 0), LANES_ROW(0, 1, 2, 3)};
static const int32_t LANES_REFILL[16][8] = {
    LANES_ROW(0, 0, 0, 0), LANES_ROW(3, 0, 0, 0), LANES_ROW(0, 3, 0, 0), LANES_ROW(2, 3, 0, 0),
    LANES_ROW(0, 0, 3, 0), LANES_ROW(2, 0, 3, 0), LANES_ROW(0, 2, 3, 0), LANES_ROW(1, 2, 3, 0),
    LANES_ROW(0, 0, 0, 3), LANES_ROW(2, 0, 0, 3), LANES_ROW(0, 2, 0, 3), LANES_ROW(1, 2, 0, 3),
    LANES_ROW(0, 0, 2, 3), LANES_ROW(1, 0, 2, 3), LANES_ROW(0, 1, 2, 3), LANES_ROW(0, 1, 2, 3)};

static inline lanes lanes_all(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}
static inline void lanes_store(uint64_t *to, lanes x)
{
    _mm256_storeu_si256((__m256i *)to, x);
}
static inline void lanes_pack(uint64_t *to, lanes_mask m, lanes x)
{
    const __m256i order = _mm256_loadu_si256((const __m256i *)LANES_PACK[m & 15]);
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(x, order));
}
static inline lanes lanes_and(lanes x, lanes y)
{
    return _mm256_and_si256(x, y);
}
static inline lanes lanes_less(lanes x, lanes y)
{
    return _mm256_andnot_si256(y, x);
}
static inline lanes lanes_or(lanes x, lanes y)
{
    return _mm256_or_si256(x, y);
}
static inline lanes lanes_xor(lanes x, lanes y)
{
    return _mm256_xor_si256(x, y);
}
static inline lanes lanes_add(lanes x, lanes y)
{
    return _mm256_add_epi64(x, y);
}
static inline lanes lanes_subtract(lanes x, lanes y)
{
    return _mm256_sub_epi64(x, y);
}
static inline lanes lanes_shift(lanes x, int bits)
{
    return _mm256_slli_epi64(x, bits);
}
static inline lanes_mask lanes_any(lanes x)
{
    const __m256i none = _mm256_cmpeq_epi64(x, _mm256_setzero_si256());
    return (lanes_mask)_mm256_movemask_pd(_mm256_castsi256_pd(none)) ^ 15;
}
static inline lanes_mask lanes_greater(lanes x, lanes y)
{
    return (lanes_mask)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(x, y)));
}
static inline lanes lanes_choose(lanes_mask m, lanes yes, lanes no)
{
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i is_yes = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((long long)m), bit), bit);
    return _mm256_blendv_epi8(no, yes, is_yes);
}
static inline lanes lanes_refill_order(lanes_mask m)
{
    return _mm256_loadu_si256((const __m256i *)LANES_REFILL[m & 15]);
}
static inline lanes lanes_refill(lanes x, lanes_mask m, lanes order, const uint64_t *end)
{
    const __m256i last = _mm256_loadu_si256((const __m256i *)(end - LANES));
    return lanes_choose(m, _mm256_permutevar8x32_epi32(last, order), x);
}
static inline __attribute__((always_inline)) void lanes_rows(const uint64_t *from, lanes place, int words, lanes *row)
{
    uint64_t at[LANES];
    _mm256_storeu_si256((__m256i *)at, place);
    for (int i = 0; i + 1 < words; i += 2) {
        const __m256i even = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(from + at[0] + i))),
            _mm_loadu_si128((const __m128i *)(from + at[2] + i)), 1);
        const __m256i odd = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(from + at[1] + i))),
            _mm_loadu_si128((const __m128i *)(from + at[3] + i)), 1);
        row[i] = _mm256_unpacklo_epi64(even, odd);
        row[i + 1] = _mm256_unpackhi_epi64(even, odd);
    }
    if (words == 1)
        row[0] = _mm256_setr_epi64x((long long)from[at[0]], (long long)from[at[1]], (long long)from[at[2]],
                                    (long long)from[at[3]]);
}
static inline lanes lanes_count_bytes(lanes x)
{
    const lanes table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const lanes low = _mm256_set1_epi8(15);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
                           _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
}
static inline lanes lanes_add_bytes(lanes x, lanes y)
{
    return _mm256_add_epi8(x, y);
}
static inline lanes lanes_sum_bytes(lanes x)
{
    return _mm256_sad_epu8(x, _mm256_setzero_si256());
}
// The bits below the only one are as many as its position says.
static inline lanes lanes_place(lanes x)
{
    return lanes_sum_bytes(lanes_count_bytes(_mm256_sub_epi64(x, _mm256_set1_epi64x(1))));
}

#else

enum { LANES = 1 };
typedef uint64_t lanes;

static inline lanes lanes_all(uint64_t x)
{
    return x;
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
static inline lanes lanes_shift(lanes x, int bits)
{
    return x << bits;
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
static inline lanes lanes_refill_order(lanes_mask m)
{
    return m;
}
static inline lanes lanes_refill(lanes x, lanes_mask m, lanes order, const uint64_t *end)
{
    (void)order;
    return lanes_choose(m, end[-1], x);
}
static inline void lanes_rows(const uint64_t *from, lanes place, int words, lanes *row)
{
    for (int i = 0; i < words; i++)
        row[i] = from[place + (uint64_t)i];
}
static inline lanes lanes_count_bytes(lanes x)
{
#if defined(__POPCNT__)
    return (uint64_t)(uint32_t)__builtin_popcountll(x);
#else
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
#endif
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
