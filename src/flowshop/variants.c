// SPDX-License-Identifier: MIT
#include "flowshop/variants.h"

#include "flowshop/instance.h"

#define DECLARE(set, simd, bits)                                                \
    extern const struct flowshop_explorer_ops flowshop_explorer_##set##_##bits; \
    extern const struct flowshop_insertion_ops flowshop_insertion_##set##_##bits;
#define DEFINE(set, simd, bits)                                                 \
    static const flowshop_variant set##_##bits = {                              \
        {simd, bits}, &flowshop_explorer_##set##_##bits, &flowshop_insertion_##set##_##bits};
#define LIST(set, simd, bits) &set##_##bits,

MCO_EACH_LANES(DECLARE, 16)
MCO_EACH_LANES(DECLARE, 32)
MCO_EACH_LANES(DEFINE, 16)
MCO_EACH_LANES(DEFINE, 32)
static const flowshop_variant *const variants[] = {MCO_EACH_LANES(LIST, 16) MCO_EACH_LANES(LIST, 32)};

int64_t flowshop_longest_path(const mco_flowshop *shop)
{
    const int32_t n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop);
    int64_t largest = 0, jobs = 0, machines = 0;
    enum { BLOCK = 256 };  // jobs whose maxima stay in the cache, while the times are read machine by machine
    for (int32_t first = 0; first < n; first += BLOCK) {
        const int32_t count = n - first < BLOCK ? n - first : BLOCK;
        int32_t of_job[BLOCK] = {0};
        for (int32_t i = 0; i < m; i++)
            for (int32_t j = 0; j < count; j++) {
                const int32_t time = shop->times[(int64_t)i * n + first + j];
                of_job[j] = time > of_job[j] ? time : of_job[j];
            }
        for (int32_t j = 0; j < count; j++) {
            jobs += of_job[j];
            largest = of_job[j] > largest ? of_job[j] : largest;
        }
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

const flowshop_variant *flowshop_variant_choose(mco_context *ctx, mco_simd simd, const mco_flowshop *shop)
{
    const flowshop_variant *variant = NULL;
    const int bits = shop != NULL && flowshop_longest_path(shop) >= INT16_MAX ? 32 : 16;
    return mco_pick(ctx, variants, simd, bits, &variant) == MCO_OK ? variant : NULL;
}
