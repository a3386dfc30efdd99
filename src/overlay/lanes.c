// SPDX-License-Identifier: MIT
// Rows by vectors (rows.h), 4 to 16 links at a time. Sums of limits fit 32 bits and products 64 (instance.h), so the order of the sums
// does not matter.
//
// A pass over a row of a node reads 8 bytes a link, which lie in the first cache; AVX-512 needs 3 instructions for 16 links to compare
// and add. Filling the row of a complete instance takes two multiplications for 16 links.
#include <string.h>

#include "base/lanes32.h"
#include "overlay/rows.h"

typedef uint32_t lanes32u __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));
typedef uint64_t lanes64u __attribute__((vector_size(VEC_BYTES), aligned(8), may_alias));

static inline __attribute__((always_inline)) lanes32u load32(const void *from)
{
    return *(const lanes32u *)from;
}

static inline __attribute__((always_inline)) lanes32u greater(lanes32u a, lanes32u b)
{
#if defined(__AVX512BW__)
    return (lanes32u)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (lanes32u)_mm256_max_epu32((__m256i)a, (__m256i)b);
#else
    return (lanes32u)lanes32_choose((lanes32)(a > b), (lanes32)a, (lanes32)b);
#endif
}

static inline __attribute__((always_inline)) lanes32u lesser(lanes32u a, lanes32u b)
{
#if defined(__AVX512BW__)
    return (lanes32u)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (lanes32u)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
    return (lanes32u)lanes32_choose((lanes32)(a < b), (lanes32)a, (lanes32)b);
#endif
}

// The products of the even lanes; for those of the odd lanes shift both by 32 before.
static inline __attribute__((always_inline)) lanes64u even_products(lanes64u a, lanes64u b)
{
#if defined(__AVX512BW__)
    return (lanes64u)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (lanes64u)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (lanes64u)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

// The high halves of the products of all lanes.
static inline __attribute__((always_inline)) lanes32u high_products(lanes32u a, lanes32u b)
{
    const lanes64u even = even_products((lanes64u)a, (lanes64u)b) >> 32;
    const lanes64u odd = even_products((lanes64u)a >> 32, (lanes64u)b >> 32);
    return (lanes32u)(even | (odd & ((lanes64u){0} + UINT64_C(0xffffffff00000000))));
}

// ---- Filling

// Whole vectors; the arrays of nodes have room for that (dual.c), and their entries behind the last node are 0.
static void load_complete(const mco_overlay *o, int32_t i, const uint32_t *dual, overlay_row *row)
{
    const lanes32u p = (lanes32u){0} + o->uptime[i], bias = (lanes32u){0} + UINT32_C(0x80000000);
    const lanes32 cap = lanes32_all(o->cap[i]);
    for (int32_t j = 0; j < o->nodes; j += LANES32) {
        const lanes32u weight = high_products(p, load32(o->uptime + j)), d = load32(dual + j);
        lanes32_store(row->excess + j, (lanes32)((greater(weight, d) - d) ^ bias));
        lanes32_store(row->most + j, lanes32_lesser(cap, lanes32_load(o->cap + j)));
    }
    row->excess[i] = overlay_biased(0);
    row->size = o->nodes;
}

static void load_sparse(const mco_overlay *o, int32_t i, const uint32_t *dual, overlay_row *row)
{
    const int64_t first = o->first[i];
    row->size = o->first[i + 1] - first;
    for (int64_t k = 0; k < row->size; k++) {
        const int32_t j = o->to[first + k];
        const uint32_t weight = o->weight != NULL ? o->weight[first + k] : overlay_product(o->uptime[i], o->uptime[j]);
        row->excess[k] = overlay_biased(overlay_excess(weight, dual[j]));
        row->most[k] = o->row_most != NULL ? o->row_most[first + k] : o->cap[i] < o->cap[j] ? o->cap[i] : o->cap[j];
    }
}

static void load(const mco_overlay *o, int32_t i, const uint32_t *dual, overlay_row *row)
{
    if (o->is_complete)
        load_complete(o, i, dual, row);
    else
        load_sparse(o, i, dual, row);
    memset(row->most + row->size, 0, LANES32 * sizeof *row->most);
    memset(row->excess + row->size, 0, LANES32 * sizeof *row->excess);
}

// ---- Sums

static uint32_t over(const overlay_row *row, uint32_t dual)
{
    const lanes32 d = lanes32_all(overlay_biased(dual));
    lanes32 sum = {0};
    uint32_t all = 0;
    for (int64_t k = 0; k < row->size; k += LANES32)
        sum += lanes32_load(row->most + k) & (lanes32)(lanes32_load(row->excess + k) > d);
    for (int l = 0; l < LANES32; l++)
        all += (uint32_t)sum[l];
    return all;
}

static uint64_t ramp(const overlay_row *row, uint32_t dual, uint32_t width)
{
    const lanes32u d = (lanes32u){0} + dual, w = (lanes32u){0} + width, bias = (lanes32u){0} + UINT32_C(0x80000000);
    lanes64u sum = {0};
    uint64_t all = 0;
    for (int64_t k = 0; k < row->size; k += LANES32) {
        const lanes32u excess = load32(row->excess + k) ^ bias, more = lesser(greater(excess, d) - d, w);
        const lanes32u most = load32(row->most + k);
        sum += even_products((lanes64u)more, (lanes64u)most) + even_products((lanes64u)more >> 32, (lanes64u)most >> 32);
    }
    for (int l = 0; l < LANES32 / 2; l++)
        all += sum[l];
    return all;
}

// Writes the lanes of the mask to `to`, side by side.
static inline __attribute__((always_inline)) void compress(int32_t *to, uint32_t mask, lanes32 value)
{
#if defined(__AVX512BW__)
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)value));
#else
    for (; mask != 0; mask &= mask - 1)
        *to++ = value[__builtin_ctz(mask)];
#endif
}

static void split(const overlay_row *row, uint32_t low, uint32_t high, overlay_row *inside, overlay_above *above)
{
    const lanes32 l = lanes32_all(overlay_biased(low)), h = lanes32_all(overlay_biased(high));
    const lanes32u bias = (lanes32u){0} + UINT32_C(0x80000000);
    lanes32 most_sum = {0};
    lanes64u worth = {0};
    int64_t count = 0;
    *above = (overlay_above){0};
    for (int64_t k = 0; k < row->size; k += LANES32) {
        const lanes32 excess = lanes32_load(row->excess + k), most = lanes32_load(row->most + k);
        const lanes32 is_above = (lanes32)(excess > h), is_inside = (lanes32)(excess > l) & ~is_above;
        const lanes64u counted = (lanes64u)(most & is_above), plain = (lanes64u)((lanes32u)excess ^ bias);
        most_sum += most & is_above;
        worth += even_products(plain, counted) + even_products(plain >> 32, counted >> 32);
        const uint32_t mask = lanes32_signs(is_inside);
        compress(inside->excess + count, mask, excess);
        compress(inside->most + count, mask, most);
        count += __builtin_popcount(mask);
    }
    for (int k = 0; k < LANES32; k++)
        above->most += (uint32_t)most_sum[k];
    for (int k = 0; k < LANES32 / 2; k++)
        above->worth += worth[k];
    inside->size = count;
    memset(inside->most + count, 0, LANES32 * sizeof *inside->most);
}

const overlay_build VARIANT(overlay_build) = {
    .build = {.simd = LANE_SIMD, .bits = 0},
    .load = load,
    .over = over,
    .ramp = ramp,
    .split = split,
};
