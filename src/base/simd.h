// SPDX-License-Identifier: MIT
// Vector units: inner files are compiled once for each, the choice is made at run time.
#ifndef MCO_BASE_SIMD_H
#define MCO_BASE_SIMD_H

#include <stdbool.h>

// Whether this build and this processor have "avx512", "avx2" or "portable".
bool mco_simd_has(const char *simd);

#endif
