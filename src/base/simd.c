// SPDX-License-Identifier: MIT
#include "base/simd.h"

#include <string.h>

#include "mco/version.h"

bool mco_simd_has(const char *simd)
{
#ifdef MCO_HAVE_AVX512
    // The sets stand for the x86-64-v4 and -v3 levels the files are compiled for.
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
    bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512cd");
    if (strcmp(simd, "avx512") == 0)
        return has_avx512;
    if (strcmp(simd, "avx2") == 0)
        return has_avx2;
#endif
    return strcmp(simd, "portable") == 0;
}

const char *mco_simd_name(void)
{
    return mco_simd_has("avx512") ? "avx512" : mco_simd_has("avx2") ? "avx2" : "portable";
}
