// SPDX-License-Identifier: MIT
// The differences between compilers and between C, C++ and CUDA, and nothing else.
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
#define MCO_EXTENSION __extension__  // marks a construct that C99 lacks and every compiler knows
#else
#define MCO_API
#define MCO_PRINTF(text, first)
#define MCO_EXTENSION
#endif

// Initialises a struct of this type: sets its struct_size and leaves the rest zero. C++ needs its own form, because it
// has designated initialisers only from C++20 on.
#ifdef __cplusplus
extern "C++" {
template <typename type> inline type mco_sized()
{
    type value = type();
    value.struct_size = sizeof(type);
    return value;
}
}
#define MCO_SIZED(type) mco_sized<type>()
#else
#define MCO_SIZED(type) { .struct_size = sizeof(type) }
#endif

// Marks functions that are compiled for the host and the device.
#ifdef __CUDACC__
#define MCO_HD __host__ __device__
#else
#define MCO_HD
#endif

#endif
