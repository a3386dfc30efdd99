// SPDX-License-Identifier: MIT
// What differs between compilers and languages, and nothing else.
#ifndef MCO_COMPILER_H
#define MCO_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MCO_BEGIN_C extern "C" {
#define MCO_END_C }
#else
#define MCO_BEGIN_C
#define MCO_END_C
#endif

#if defined(__GNUC__)
#define MCO_API __attribute__((visibility("default")))
#define MCO_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define MCO_API
#define MCO_PRINTF(text, first)
#endif

// Arithmetic that is compiled for the host and the device.
#ifdef __CUDACC__
#define MCO_HD __host__ __device__
#else
#define MCO_HD
#endif

#endif
