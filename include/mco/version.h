// SPDX-License-Identifier: MIT
// Version of this header, and of the library that is found at run time.
#ifndef MCO_VERSION_H
#define MCO_VERSION_H

#include "mco/compiler.h"

// The only place of the version: CMake reads these lines.
#define MCO_VERSION_MAJOR 0
#define MCO_VERSION_MINOR 1
#define MCO_VERSION_PATCH 0
// For comparisons by the preprocessor: 100 for 0.1.0, 10203 for 1.2.3.
#define MCO_VERSION_NUMBER (MCO_VERSION_MAJOR * 10000 + MCO_VERSION_MINOR * 100 + MCO_VERSION_PATCH)
// The same as text, "0.1.0".
#define MCO_VERSION_QUOTE(number) #number
#define MCO_VERSION_TEXT(major, minor, patch) \
    MCO_VERSION_QUOTE(major) "." MCO_VERSION_QUOTE(minor) "." MCO_VERSION_QUOTE(patch)
#define MCO_VERSION MCO_VERSION_TEXT(MCO_VERSION_MAJOR, MCO_VERSION_MINOR, MCO_VERSION_PATCH)

MCO_BEGIN_C

// The version of the library, "0.1.0". The git hash that it was built from, "unknown" outside a checkout. The compiler
// and the features compiled in, for example "gcc 12.2.0; zlib; simd avx512 avx2 portable". Static storage.
MCO_API const char *mco_version(void);
MCO_API const char *mco_version_git(void);
MCO_API const char *mco_version_build(void);

// The vector unit that the engines choose on this processor: "avx512", "avx2" or "portable".
MCO_API const char *mco_simd_name(void);

// Number of processors that this process may use: those it may run on, or fewer if its control group limits its CPU
// time.
MCO_API int mco_cpu_count(void);

MCO_END_C
#endif
