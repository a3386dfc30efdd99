// SPDX-License-Identifier: MIT
#include "base/simd.h"

#include "base/context.h"
#include "mco/version.h"

bool mco_simd_has(mco_simd simd)
{
#ifdef MCO_HAVE_AVX512
    // These features stand for the levels x86-64-v4 and x86-64-v3, for which the files are compiled.
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("popcnt");
    if (simd == MCO_SIMD_AVX2)
        return has_avx2;
    if (simd == MCO_SIMD_AVX512)
        return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512cd");
#endif
    return simd == MCO_SIMD_AUTO || simd == MCO_SIMD_PORTABLE;
}

mco_simd mco_simd_widest(void)
{
    return mco_simd_has(MCO_SIMD_AVX512) ? MCO_SIMD_AVX512 : mco_simd_has(MCO_SIMD_AVX2) ? MCO_SIMD_AVX2 : MCO_SIMD_PORTABLE;
}

const char *mco_simd_name(void)
{
    return mco_simd_text(mco_simd_widest());
}

mco_status mco_pick_build(mco_context *ctx, const mco_build *const *builds, size_t count, mco_simd asked, int bits,
                          const mco_build **out)
{
    for (size_t i = 0; i < count; i++) {
        if (builds[i]->bits != bits || (asked != MCO_SIMD_AUTO && builds[i]->simd != asked) || !mco_simd_has(builds[i]->simd))
            continue;
        *out = builds[i];
        return MCO_OK;
    }
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "this processor or this build lacks the vector unit %s; the widest it has is %s",
                    mco_simd_text(asked), mco_simd_name());
}
