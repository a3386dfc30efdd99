// SPDX-License-Identifier: MIT
// Rows by plain loops: the reference, and the choice among the builds.
#include "overlay/rows.h"

static void load(const overlay_prices *v, int32_t i, uint32_t low, overlay_row *row)
{
    const mco_overlay *o = v->o;
    (void)low;
    row->low = 0;
    row->size = overlay_row_size(o, i);
    for (int64_t k = 0; k < row->size; k++) {
        const overlay_link link = overlay_entry(o, i, k);
        row->excess[k] = overlay_biased(overlay_excess(link.weight, v->dual[link.node]));
        row->most[k] = link.most;
    }
}

static uint32_t excess_of(const overlay_row *row, int64_t k, uint32_t dual)
{
    return overlay_excess((uint32_t)overlay_biased((uint32_t)row->excess[k]), dual);
}

static uint32_t over(const overlay_row *row, uint32_t dual)
{
    uint32_t sum = 0;
    for (int64_t k = 0; k < row->size; k++)
        sum += excess_of(row, k, dual) > 0 ? (uint32_t)row->most[k] : 0;
    return sum;
}

static uint64_t ramp(const overlay_row *row, uint32_t dual, uint32_t width)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < row->size; k++) {
        const uint32_t excess = excess_of(row, k, dual);
        sum += (uint64_t)(excess < width ? excess : width) * (uint32_t)row->most[k];
    }
    return sum;
}

const overlay_build overlay_plain = {.build = {.simd = MCO_SIMD_AUTO, .bits = 0}, .load = load, .over = over, .ramp = ramp};

#define DECLARE(set, simd) extern const overlay_build overlay_build_##set;
MCO_EACH_SIMD(DECLARE)
#define BUILD_OF(set, simd) &overlay_build_##set,
static const overlay_build *const builds[] = {MCO_EACH_SIMD(BUILD_OF)};

mco_status overlay_pick(mco_context *ctx, mco_simd simd, const overlay_build **out)
{
    return mco_pick(ctx, builds, simd, 0, out);
}
