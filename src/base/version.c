// SPDX-License-Identifier: MIT
#include "mco/version.h"

#include "mco_git.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown compiler"
#endif
#ifdef MCO_HAVE_ZLIB
#define WITH_ZLIB "; zlib"
#else
#define WITH_ZLIB "; no zlib"
#endif
#ifdef MCO_HAVE_AVX512
#define WITH_SIMD "; simd avx512 avx2 portable"
#else
#define WITH_SIMD "; simd portable"
#endif

const char *mco_version(void)
{
    return MCO_VERSION;
}

const char *mco_version_git(void)
{
    return MCO_GIT_HASH;
}

const char *mco_version_build(void)
{
    return COMPILER WITH_ZLIB WITH_SIMD;
}
