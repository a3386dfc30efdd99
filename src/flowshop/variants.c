// SPDX-License-Identifier: MIT
#include "flowshop/variants.h"

#include <string.h>

#include "base/simd.h"

#define DECLARE(set, bits)                                                \
    extern const struct flowshop_explorer_ops flowshop_explorer_##set##_##bits; \
    extern const struct flowshop_insertion_ops flowshop_insertion_##set##_##bits;
#define VARIANT(set, bits) {#set, bits, &flowshop_explorer_##set##_##bits, &flowshop_insertion_##set##_##bits}

DECLARE(portable, 16)
DECLARE(portable, 32)
#ifdef MCO_HAVE_AVX512
DECLARE(avx512, 16)
DECLARE(avx512, 32)
DECLARE(avx2, 16)
DECLARE(avx2, 32)
#endif

// Widest first; 16 bits before 32.
static const flowshop_variant variants[] = {
#ifdef MCO_HAVE_AVX512
    VARIANT(avx512, 16), VARIANT(avx512, 32), VARIANT(avx2, 16), VARIANT(avx2, 32),
#endif
    VARIANT(portable, 16), VARIANT(portable, 32),
};

int64_t flowshop_longest_path(const mco_flowshop *shop)
{
    const int32_t n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop);
    int64_t largest = 0, jobs = 0, machines = 0;
    for (int32_t j = 0; j < n; j++) {
        int64_t of_job = 0;
        for (int32_t i = 0; i < m; i++) {
            int64_t time = mco_flowshop_time(shop, i, j);
            of_job = time > of_job ? time : of_job;
        }
        jobs += of_job;
        largest = of_job > largest ? of_job : largest;
    }
    for (int32_t i = 1; i < m; i++) {
        int64_t of_machine = 0, of_machine_before = 0;
        for (int32_t j = 0; j < n; j++) {
            int64_t time = mco_flowshop_time(shop, i, j), before = mco_flowshop_time(shop, i - 1, j);
            of_machine = time > of_machine ? time : of_machine;
            of_machine_before = before > of_machine_before ? before : of_machine_before;
        }
        machines += of_machine > of_machine_before ? of_machine : of_machine_before;
    }
    int64_t by_count = ((int64_t)n + m - 1) * largest;
    return by_count < jobs + machines ? by_count : jobs + machines;
}

const flowshop_variant *flowshop_variant_choose(mco_flowshop_simd simd, const mco_flowshop *shop)
{
    static const char *const names[] = {NULL, "avx512", "avx2", "portable"};
    int bits = shop != NULL && flowshop_longest_path(shop) >= INT16_MAX ? 32 : 16;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const flowshop_variant *v = &variants[i];
        if (v->lane_bits == bits && mco_simd_has(v->simd) &&
            (simd == MCO_FLOWSHOP_SIMD_AUTO || strcmp(v->simd, names[simd]) == 0))
            return v;
    }
    return NULL;
}
