// SPDX-License-Identifier: MIT
// Version of the header and of the library found at run time.
#ifndef MCO_VERSION_H
#define MCO_VERSION_H

#include "mco/compiler.h"

#define MCO_VERSION "0.1.0"

MCO_BEGIN_C

// "0.1.0", the git hash it was built from ("unknown" outside a checkout), and compiler with what is
// compiled in, for example "gcc 12.2.0; zlib; simd avx512 avx2 portable". Static storage.
MCO_API const char *mco_version(void);
MCO_API const char *mco_version_git(void);
MCO_API const char *mco_version_build(void);

// The vector unit the engines choose on this processor: "avx512", "avx2" or "portable".
MCO_API const char *mco_simd_name(void);

// Processors this process may run on.
MCO_API int mco_cpu_count(void);

MCO_END_C
#endif
