// SPDX-License-Identifier: MIT
// The vector unit that a file is compiled for: its width and its intrinsics.
#ifndef MCO_BASE_VECTOR_H
#define MCO_BASE_VECTOR_H

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

#endif
