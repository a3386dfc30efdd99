// SPDX-License-Identifier: MIT
// Vector units. Vector files (base/lanes.h) are compiled once for each unit. One function chooses among the builds at
// run time.
#ifndef MCO_BASE_SIMD_H
#define MCO_BASE_SIMD_H

#include "mco/engine.h"

// X(set, unit) or X(set, unit, bits) for each vector unit of this build, widest first.
#ifdef MCO_HAVE_AVX512
#define MCO_EACH_SIMD(X) X(avx512, MCO_SIMD_AVX512) X(avx2, MCO_SIMD_AVX2) X(portable, MCO_SIMD_PORTABLE)
#define MCO_EACH_LANES(X, bits) \
    X(avx512, MCO_SIMD_AVX512, bits) X(avx2, MCO_SIMD_AVX2, bits) X(portable, MCO_SIMD_PORTABLE, bits)
#else
#define MCO_EACH_SIMD(X) X(portable, MCO_SIMD_PORTABLE)
#define MCO_EACH_LANES(X, bits) X(portable, MCO_SIMD_PORTABLE, bits)
#endif

// Whether this build and this processor have the unit; AUTO: always.
bool mco_simd_has(mco_simd simd);
// The widest unit of this processor.
mco_simd mco_simd_widest(void);

// The first member of what a build exports: a struct of functions, which each problem defines.
typedef struct mco_build {
    mco_simd simd;
    int bits;  // of a lane; 0 if the file has only one build for each unit
} mco_build;

// Sets *out to the first of builds [count] with lanes of `bits` and the unit `asked`. AUTO: the first unit that this
// processor has, which is the widest. The builds are structs that begin with an mco_build. Errors: ARGUMENT, with what
// this processor has.
mco_status mco_pick_build(mco_context *ctx, const mco_build *const *builds, size_t count, mco_simd asked, int bits,
                          const mco_build **out);
// The same for an array of pointers to such structs.
#define mco_pick(ctx, table, asked, bits, out)                                                                    \
    mco_pick_build(ctx, (const mco_build *const *)(const void *)(table), sizeof(table) / sizeof((table)[0]), asked, bits, \
                   (const mco_build **)(const void **)(out))

#endif
