// SPDX-License-Identifier: MIT
// Vectors of lanes and memory for them, for code that is compiled once for each vector unit (LANE_SET) and lane width
// (LANE_BITS). ORIGIN stands for length 0; GREATEST is the greatest value of a lane (dtspms/lanes.h).
#ifndef MCO_DTSPMS_VECTOR_H
#define MCO_DTSPMS_VECTOR_H

#include <stddef.h>

#include "base/lanes.h"

#if LANE_BITS == 16
typedef int16_t lane;
enum { ORIGIN = -32768, GREATEST = 32767 };
#else
typedef int32_t lane;
enum { ORIGIN = 0, GREATEST = 2147483647 };
#endif
enum { LANES = VEC_BYTES / sizeof(lane) };
typedef lane vec __attribute__((vector_size(VEC_BYTES), may_alias));

static inline vec lesser(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_min_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return (vec)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_min_epi16((__m256i)a, (__m256i)b);
#elif defined(__AVX2__)
    return (vec)_mm256_min_epi32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_min_epi16((__m128i)a, (__m128i)b);
#else
    const vec is_less = (vec)(a < b);
    return (a & is_less) | (b & ~is_less);
#endif
}

static inline vec broadcast(lane value)
{
    return value - (vec){0};
}

// Lays out memory: takes room for `count` items from *next, unless *next is NULL. Adds its bytes, a multiple of 64, to
// *bytes.
static inline void *take(char **next, double *bytes, double count, size_t item)
{
    void *out = *next;
    const double size = 64 * (double)(int64_t)((count * (double)item + 63) / 64);
    *bytes += size;
    if (*next != NULL)
        *next += (size_t)size;
    return out;
}

#endif
