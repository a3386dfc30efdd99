// SPDX-License-Identifier: MIT
// For vector files. The build compiles each file once for each vector unit: LANE_SET is its name, LANE_SIMD the
// mco_simd. If a file asks for it, there is a build for each width of lane too (LANE_BITS). base/simd.h chooses among
// the builds at run time. This header has the width of the unit, its intrinsics, the names that a build exports, and a
// macro to unroll loops.
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

#endif
