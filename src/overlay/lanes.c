// SPDX-License-Identifier: MIT
// Rows by vectors (rows.h), 4 to 16 links at a time. Sums of limits fit 32 bits and products 64 (instance.h), so the order of the sums
// does not matter.
//
// Most links of a complete instance lie far below the duals of their ends. A product of floats, which errs to the safe side, sorts
// them out: with AVX-512 that takes two loads, a multiplication and a comparison for 16 links, and a group of nodes shares the
// loads. What is left is computed exactly.
#include <string.h>

#include "base/lanes32.h"
#include "overlay/rows.h"

typedef uint32_t lanes32u __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));
typedef float lanesf __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));
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

// ---- Sorting out

static inline __attribute__((always_inline)) lanesf loadf(const float *from)
{
    return *(const lanesf *)from;
}

static inline __attribute__((always_inline)) lanesf product_less(lanesf a, lanesf b, lanesf c)
{
#if defined(__AVX512BW__)
    return (lanesf)_mm512_fmsub_ps((__m512)a, (__m512)b, (__m512)c);
#else
    return a * b - c;
#endif
}

static inline __attribute__((always_inline)) lanesf greaterf(lanesf a, lanesf b)
{
#if defined(__AVX512BW__)
    return (lanesf)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (lanesf)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (lanesf)_mm_max_ps((__m128)a, (__m128)b);
#else
    return (lanesf)lanes32_choose((lanes32)(a > b), (lanes32)a, (lanes32)b);
#endif
}

// Bit l is set if lane l of `a` is no less than that of `b`.
static inline __attribute__((always_inline)) uint32_t reaches(lanesf a, lanesf b)
{
#if defined(__AVX512BW__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GE_OQ);
#else
    return lanes32_signs((lanes32)(a >= b));
#endif
}

// Bit l is set if lane l is not 0.
static inline __attribute__((always_inline)) uint32_t bits_of(lanes32 mask)
{
#if defined(__AVX512BW__)
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#else
    return lanes32_signs(mask);
#endif
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

// ---- Filling

enum { AHEAD = 4 };  // vectors that are looked at by one branch
_Static_assert(AHEAD * 16 <= OVERLAY_PRICE_PAD, "vectors end in the padding");

// The excess of the links between node `own` and the nodes at `place` and the lanes behind; 0 for the node itself.
static inline __attribute__((always_inline)) lanes32u excess_at(const overlay_prices *v, int64_t place, int64_t own)
{
    const lanes32u d = load32(v->at + place), p = (lanes32u){0} + v->uptime[own];
    const lanes32 is_other = (lanes32)(lanes32_count() != lanes32_all((int32_t)(own - place)));
    return (greater(high_products(p, load32(v->uptime + place)), d) - d) & (lanes32u)is_other;
}

static void load_complete(const overlay_prices *v, int32_t i, uint32_t low, overlay_row *row)
{
    const int64_t own = v->place[i], nodes = v->o->nodes;
    const lanesf p = (lanesf){0} + v->above[own], least = (lanesf){0} + overlay_below(low);
    const lanes32 cap = lanes32_all(v->cap[own]), biased = lanes32_all(overlay_biased(low));
    const lanes32u bias = (lanes32u){0} + UINT32_C(0x80000000);
    int64_t size = 0;
    for (int64_t first = 0; first < nodes; first += AHEAD * LANES32) {
        uint32_t hits[AHEAD];
        UNROLL(4)
        for (int k = 0; k < AHEAD; k++)
            hits[k] = reaches(product_less(p, loadf(v->above + first + k * LANES32), least), loadf(v->below + first + k * LANES32));
        if ((hits[0] | hits[1] | hits[2] | hits[3]) == 0)
            continue;
        for (int k = 0; k < AHEAD; k++) {
            if (hits[k] == 0)
                continue;
            const int64_t place = first + k * LANES32;
            const lanes32 excess = (lanes32)(excess_at(v, place, own) ^ bias);
            const uint32_t mask = bits_of((lanes32)(excess > biased));
            compress(row->excess + size, mask, excess);
            compress(row->most + size, mask, lanes32_lesser(cap, lanes32_load(v->cap + place)));
            size += __builtin_popcount(mask);
        }
    }
    row->size = size;
}

// The ends of links lie anywhere. So those of the next rows are on their way from memory while this row is filled.
static void load_sparse(const overlay_prices *v, int32_t i, uint32_t low, overlay_row *row)
{
    enum { ENTRIES_AHEAD = 48 };
    const mco_overlay *o = v->o;
    const int64_t first = o->first[i], end = o->first[i + 1], last = o->first[o->nodes] - 1;
    const uint32_t uptime = v->ends[i].uptime;
    const int32_t cap = v->ends[i].cap;
    int64_t size = 0;
    for (int64_t k = first; k < end; k++) {
        const overlay_end *other = &v->ends[o->to[k]];
        __builtin_prefetch(&v->ends[o->to[k + ENTRIES_AHEAD < last ? k + ENTRIES_AHEAD : last]]);
        const uint32_t weight = o->weight != NULL ? o->weight[k] : overlay_product(uptime, other->uptime);
        const uint32_t excess = overlay_excess(weight, other->dual);
        row->excess[size] = overlay_biased(excess);
        row->most[size] = o->row_most != NULL ? o->row_most[k] : cap < other->cap ? cap : other->cap;
        size += excess > low;
    }
    row->size = size;
}

static void load(const overlay_prices *v, int32_t i, uint32_t low, overlay_row *row)
{
    row->low = low;
    if (v->o->is_complete)
        load_complete(v, i, low, row);
    else
        load_sparse(v, i, low, row);
    memset(row->most + row->size, 0, LANES32 * sizeof *row->most);
    memset(row->excess + row->size, 0, LANES32 * sizeof *row->excess);
}

// ---- Sums

static inline __attribute__((always_inline)) uint32_t sum32(lanes32 value)
{
#if defined(__AVX512BW__)
    return (uint32_t)_mm512_reduce_add_epi32((__m512i)value);
#else
    uint32_t all = 0;
    for (int l = 0; l < LANES32; l++)
        all += (uint32_t)value[l];
    return all;
#endif
}

static inline __attribute__((always_inline)) uint64_t sum64(lanes64u value)
{
#if defined(__AVX512BW__)
    return (uint64_t)_mm512_reduce_add_epi64((__m512i)value);
#else
    uint64_t all = 0;
    for (int l = 0; l < LANES32 / 2; l++)
        all += value[l];
    return all;
#endif
}

// Products of all lanes, two in each sum.
static inline __attribute__((always_inline)) lanes64u products(lanes32u a, lanes32u b)
{
    return even_products((lanes64u)a, (lanes64u)b) + even_products((lanes64u)a >> 32, (lanes64u)b >> 32);
}

static uint32_t over(const overlay_row *row, uint32_t dual)
{
    const lanes32 d = lanes32_all(overlay_biased(dual));
    lanes32 sum = {0};
    for (int64_t k = 0; k < row->size; k += LANES32)
        sum += lanes32_load(row->most + k) & (lanes32)(lanes32_load(row->excess + k) > d);
    return sum32(sum);
}

static uint64_t ramp(const overlay_row *row, uint32_t dual, uint32_t width)
{
    const lanes32u d = (lanes32u){0} + dual, w = (lanes32u){0} + width, bias = (lanes32u){0} + UINT32_C(0x80000000);
    lanes64u sum = {0};
    for (int64_t k = 0; k < row->size; k += LANES32) {
        const lanes32u excess = load32(row->excess + k) ^ bias;
        sum += products(lesser(greater(excess, d) - d, w), load32(row->most + k));
    }
    return sum64(sum);
}

static overlay_above both(const overlay_row *row, uint32_t dual)
{
    const lanes32 d = lanes32_all(overlay_biased(dual));
    lanes32 most = {0};
    lanes64u worth = {0};
    for (int64_t k = 0; k < row->size; k += LANES32) {
        const lanes32 excess = lanes32_load(row->excess + k);
        const lanes32 counted = lanes32_load(row->most + k) & (lanes32)(excess > d);
        most += counted;
        worth += products((lanes32u)excess - (lanes32u)d, (lanes32u)counted);
    }
    return (overlay_above){sum32(most), sum64(worth)};
}

// What a group of nodes has in common over a row.
typedef struct grouped {
    lanesf above[OVERLAY_GROUP], below[OVERLAY_GROUP];
    lanes32 most[OVERLAY_GROUP];
    lanes64u worth[OVERLAY_GROUP];
} grouped;

// Adds the links between the nodes of the group and those of a vector, or behind each node in the vector that has the group itself.
static inline __attribute__((always_inline)) void add_vector(const overlay_prices *v, int64_t first, int64_t place, bool is_own, uint32_t *load,
                                                             grouped *s)
{
    const lanes32u p = load32(v->uptime + place), at = load32(v->at + place);
    const lanes32 cap = lanes32_load(v->cap + place);
    lanes32 column = {0};
    UNROLL(4)
    for (int g = 0; g < OVERLAY_GROUP; g++) {
        const lanes32u own = (lanes32u){0} + v->uptime[first + g], d = (lanes32u){0} + v->at[first + g];
        const lanes32u excess = greater(high_products(own, p), at) - at, more = greater(excess, d) - d;
        lanes32 counted = lanes32_lesser(lanes32_all(v->cap[first + g]), cap) & (lanes32)(more != (lanes32u){0});
        if (is_own)
            counted &= (lanes32)(lanes32_count() > lanes32_all((int32_t)(first + g - place)));
        s->most[g] += counted;
        s->worth[g] += products(more, (lanes32u)counted);
        column += counted;
    }
    lanes32_store((int32_t *)load + place, lanes32_load((const int32_t *)load + place) + column);
}

// Whether a node of the group may reach one of the vector.
static inline __attribute__((always_inline)) bool may_reach(const overlay_prices *v, int64_t place, const grouped *s)
{
    const lanesf q = loadf(v->above + place);
    const lanesf front = greaterf(product_less(s->above[0], q, s->below[0]), product_less(s->above[1], q, s->below[1]));
    const lanesf back = greaterf(product_less(s->above[2], q, s->below[2]), product_less(s->above[3], q, s->below[3]));
    return reaches(greaterf(front, back), loadf(v->below + place)) != 0;
}

static void group(const overlay_prices *v, int64_t first, uint32_t *load, uint64_t worth[OVERLAY_GROUP])
{
    const int64_t nodes = v->o->nodes, own = first - first % LANES32;
    grouped s = {0};
    for (int g = 0; g < OVERLAY_GROUP; g++) {
        s.above[g] = (lanesf){0} + v->above[first + g];
        s.below[g] = (lanesf){0} + v->below[first + g];
    }
    if (may_reach(v, own, &s))
        add_vector(v, first, own, true, load, &s);
    for (int64_t place = own + LANES32; place < nodes; place += LANES32)
        if (may_reach(v, place, &s))
            add_vector(v, first, place, false, load, &s);
    for (int g = 0; g < OVERLAY_GROUP; g++) {
        load[first + g] += sum32(s.most[g]);
        worth[g] = sum64(s.worth[g]);
    }
}

static void split(const overlay_row *row, uint32_t low, uint32_t high, overlay_row *inside, overlay_above *above)
{
    const lanes32 l = lanes32_all(overlay_biased(low)), h = lanes32_all(overlay_biased(high));
    const lanes32u bias = (lanes32u){0} + UINT32_C(0x80000000);
    lanes32 most_sum = {0};
    lanes64u worth = {0};
    int64_t count = 0;
    for (int64_t k = 0; k < row->size; k += LANES32) {
        const lanes32 excess = lanes32_load(row->excess + k), most = lanes32_load(row->most + k);
        const lanes32 is_above = (lanes32)(excess > h), is_inside = (lanes32)(excess > l) & ~is_above;
        most_sum += most & is_above;
        worth += products((lanes32u)excess ^ bias, (lanes32u)(most & is_above));
        const uint32_t mask = bits_of(is_inside);
        compress(inside->excess + count, mask, excess);
        compress(inside->most + count, mask, most);
        count += __builtin_popcount(mask);
    }
    *above = (overlay_above){sum32(most_sum), sum64(worth)};
    inside->size = count;
    inside->low = low;
    memset(inside->most + count, 0, LANES32 * sizeof *inside->most);
}

const overlay_build VARIANT(overlay_build) = {
    .build = {.simd = LANE_SIMD, .bits = 0},
    .load = load,
    .over = over,
    .ramp = ramp,
    .both = both,
    .split = split,
    .group = group,
};
