// SPDX-License-Identifier: MIT
// For vector files. The build compiles them once for each vector unit (LANE_SET, an mco_simd in LANE_SIMD) and, where they ask
// for it, each width of lane (LANE_BITS); base/simd.h chooses among the builds at run time. Here are the width of the unit,
// its intrinsics, the names of what a build exports, and loops to be unrolled.
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

// The name of a function or table in this build: name_avx512, or name_avx512_16 where widths differ.
#if defined(LANE_BITS)
#define VARIANT(name) MCO_LANES_NAME(name, LANE_SET, LANE_BITS)
#define MCO_LANES_NAME(name, set, bits) MCO_LANES_PASTE(name, set, bits)
#define MCO_LANES_PASTE(name, set, bits) name##_##set##_##bits
#elif defined(LANE_SET)
#define VARIANT(name) MCO_LANES_NAME(name, LANE_SET)
#define MCO_LANES_NAME(name, set) MCO_LANES_PASTE(name, set)
#define MCO_LANES_PASTE(name, set) name##_##set
#endif

// UNROLL(count) unrolls the loop that follows. Not under a sanitizer: its checks would be unrolled too and take minutes to
// compile.
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

#endif
