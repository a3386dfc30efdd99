// SPDX-License-Identifier: MIT
// Version of the header and of the library found at run time.
#ifndef MCO_VERSION_H
#define MCO_VERSION_H

#include "mco/compiler.h"

// The version has its one place here: CMake reads these lines.
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

// "0.1.0", the git hash it was built from ("unknown" outside a checkout), and compiler with what is
// compiled in, for example "gcc 12.2.0; zlib; simd avx512 avx2 portable". Static storage.
MCO_API const char *mco_version(void);
MCO_API const char *mco_version_git(void);
MCO_API const char *mco_version_build(void);

// The vector unit the engines choose on this processor: "avx512", "avx2" or "portable".
MCO_API const char *mco_simd_name(void);

// Processors this process may use: those it may run on, fewer where its control group limits its time.
MCO_API int mco_cpu_count(void);

MCO_END_C
#endif
