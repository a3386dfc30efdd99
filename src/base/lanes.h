// SPDX-License-Identifier: MIT
// For vector files. The build compiles each file once for each vector unit: LANE_SET is its name, LANE_SIMD the
// mco_simd. If a file asks for it, there is a build for each width of lane too (LANE_BITS). base/simd.h chooses among
// the builds at run time. This header has the width of the unit, its intrinsics, the names that a build exports, a
// macro to unroll loops, and vectors of 32-bit integers.
#ifndef MCO_BASE_LANES_H
#define MCO_BASE_LANES_H

#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__)
enum { VEC_BYTES = 64 };
#elif defined(__AVX2__)
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif

// The name of a function or table in this build: name_avx512, or name_avx512_16 if there is a build for each width.
#if defined(LANE_BITS)
#define VARIANT(name) MCO_LANES_NAME(name, LANE_SET, LANE_BITS)
#define MCO_LANES_NAME(name, set, bits) MCO_LANES_PASTE(name, set, bits)
#define MCO_LANES_PASTE(name, set, bits) name##_##set##_##bits
#elif defined(LANE_SET)
#define VARIANT(name) MCO_LANES_NAME(name, LANE_SET)
#define MCO_LANES_NAME(name, set) MCO_LANES_PASTE(name, set)
#define MCO_LANES_PASTE(name, set) name##_##set
#endif

// UNROLL(count) unrolls the loop that follows. It does nothing under a sanitizer, whose checks would be unrolled too
// and take minutes to compile.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNROLL(count)
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNROLL(count)
#endif
#ifndef UNROLL
#define UNROLL_TEXT(text) _Pragma(#text)
#define UNROLL(count) UNROLL_TEXT(GCC unroll count)
#endif

// ---- Vectors of 32-bit integers, as wide as the unit

enum { LANES32 = VEC_BYTES / 4 };
typedef int32_t lanes32 __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));

static inline __attribute__((always_inline)) lanes32 lanes_all(int32_t value)
{
    return value - (lanes32){0};
}

static inline __attribute__((always_inline)) lanes32 lanes_load(const int32_t *from)
{
    return *(const lanes32 *)from;
}

static inline __attribute__((always_inline)) void lanes_store(int32_t *to, lanes32 value)
{
    *(lanes32 *)to = value;
}

// The lanes of `a` where the mask has all bits, those of `b` where it has none.
static inline __attribute__((always_inline)) lanes32 lanes_choose(lanes32 mask, lanes32 a, lanes32 b)
{
    return (a & mask) | (b & ~mask);
}

static inline __attribute__((always_inline)) lanes32 lanes_lesser(lanes32 a, lanes32 b)
{
#if defined(__AVX512BW__)
    return (lanes32)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (lanes32)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return lanes_choose((lanes32)(a < b), a, b);
#endif
}

// base[index] in each lane.
static inline __attribute__((always_inline)) lanes32 lanes_gather(const int32_t *base, lanes32 index)
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
static inline __attribute__((always_inline)) lanes32 lanes_count(void)
{
    static const int32_t numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lanes_load(numbers);
}

// Bit l is set if lane l is negative.
static inline __attribute__((always_inline)) uint32_t lanes_signs(lanes32 a)
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
static inline __attribute__((always_inline)) int32_t lanes_least(lanes32 a)
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
