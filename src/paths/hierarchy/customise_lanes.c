// SPDX-License-Identifier: MIT
// The inner loop of customising (customise.h), built once for each vector unit (base/lanes.h).
//
// One addition and one minimum serve both directions of a triangle: with v below x below y, up (x to y) takes down (v, x) plus
// up (v, y), and down takes up (v, x) plus down (v, y). So the pair of (v, x) is swapped and added to the pairs of the arcs that
// follow it in the row. Where the targets have no gaps, vectors take several pairs. Weights are at most MCO_PATHS_NONE, and twice
// that fits 32 bits.
#include <string.h>

#include "base/lanes.h"
#include "paths/hierarchy/customise.h"

enum { PAIRS = VEC_BYTES / 8, LEAST_RUN = 4 };  // shorter runs go pair by pair

#if defined(__AVX2__)
typedef __m128i swapped_pair;

static inline swapped_pair swap(const int32_t *pair)
{
    return _mm_shuffle_epi32(_mm_loadl_epi64((const __m128i *)(const void *)pair), 0xb1);
}

static inline void relax_one(int32_t *target, const int32_t *from, swapped_pair by)
{
    __m128i *out = (__m128i *)(void *)target;
    const __m128i sum = _mm_add_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from), by);
    _mm_storel_epi64(out, _mm_min_epi32(sum, _mm_loadl_epi64(out)));
}
#else
typedef struct swapped_pair {
    int32_t up, down;
} swapped_pair;

static inline swapped_pair swap(const int32_t *pair)
{
    return (swapped_pair){pair[1], pair[0]};
}

static inline void relax_one(int32_t *target, const int32_t *from, swapped_pair by)
{
    const int32_t up = from[0] + by.up, down = from[1] + by.down;
    target[0] = up < target[0] ? up : target[0];
    target[1] = down < target[1] ? down : target[1];
}
#endif

#if defined(__AVX512BW__)
static inline void relax_run(int32_t *target, const int32_t *from, int32_t count, swapped_pair by)
{
    const __m512i all = _mm512_broadcastq_epi64(by);
    int32_t k = 0;
    for (; k + PAIRS <= count; k += PAIRS) {
        const __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(from + 2 * k), all);
        _mm512_storeu_si512(target + 2 * k, _mm512_min_epi32(sum, _mm512_loadu_si512(target + 2 * k)));
    }
    if (k == count)
        return;
    const __mmask8 rest = (__mmask8)((1u << (count - k)) - 1);
    const __m512i sum = _mm512_add_epi32(_mm512_maskz_loadu_epi64(rest, from + 2 * k), all);
    const __m512i least = _mm512_min_epi32(sum, _mm512_maskz_loadu_epi64(rest, target + 2 * k));
    _mm512_mask_storeu_epi64(target + 2 * k, rest, least);
}
#elif defined(__AVX2__)
static inline void relax_run(int32_t *target, const int32_t *from, int32_t count, swapped_pair by)
{
    const __m256i all = _mm256_broadcastq_epi64(by);
    int32_t k = 0;
    for (; k + PAIRS <= count; k += PAIRS) {
        __m256i *out = (__m256i *)(void *)(target + 2 * k);
        const __m256i sum = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(from + 2 * k)), all);
        _mm256_storeu_si256(out, _mm256_min_epi32(sum, _mm256_loadu_si256(out)));
    }
    for (; k < count; k++)
        relax_one(target + 2 * k, from + 2 * k, by);
}
#else
static inline void relax_run(int32_t *target, const int32_t *from, int32_t count, swapped_pair by)
{
    for (int32_t k = 0; k < count; k++)
        relax_one(target + 2 * k, from + 2 * k, by);
}
#endif

// Where the weights of the arcs are whose tail is x, the head of arc a.
typedef struct target_row {
    int32_t *weights;
    ptrdiff_t shift;
} target_row;

static inline target_row row_of(const customise_rows *r, int32_t a, int32_t x)
{
    return x < r->limit ? (target_row){r->pair, 0} : (target_row){r->outer, r->shift[r->topology->head_height[a]]};
}

static inline int32_t *pair_of(const target_row *row, int32_t arc)
{
    return row->weights + 2 * (row->shift + arc);
}

static void relax_listed(const customise_rows *r)
{
    const paths_topology *t = r->topology;
    const int32_t *target = r->triangle;
    for (int32_t v = r->begin; v < r->end; v++) {
        const int32_t last = t->first[v + 1] - 1;
        if (t->first[v] >= last || (t->is_end != NULL && t->is_end[v]))
            continue;
        for (int32_t a = t->first[v]; a < last; a++) {
            const int32_t count = last - a;
            const target_row row = row_of(r, a, t->head[a]);
            const int32_t *from = r->pair + 2 * (ptrdiff_t)(a + 1);
            const swapped_pair by = swap(from - 2);
            if (count >= LEAST_RUN && target[count - 1] - target[0] == count - 1)
                relax_run(pair_of(&row, target[0]), from, count, by);
            else
                for (int32_t k = 0; k < count; k++)
                    relax_one(pair_of(&row, target[k]), from + 2 * k, by);
            target += count;
        }
    }
}

static void relax_searched(const customise_rows *r)
{
    const paths_topology *t = r->topology;
    for (int32_t v = r->begin; v < r->end; v++) {
        const int32_t end = t->first[v + 1];
        if (t->is_end != NULL && t->is_end[v])
            continue;
        for (int32_t a = t->first[v]; a < end; a++) {
            const int32_t x = t->head[a];
            const target_row row = row_of(r, a, x);
            const swapped_pair by = swap(r->pair + 2 * (ptrdiff_t)a);
            for (int32_t b = a + 1, c = t->first[x]; b < end; b++) {
                while (t->head[c] != t->head[b])
                    c++;
                relax_one(pair_of(&row, c), r->pair + 2 * (ptrdiff_t)b, by);
            }
        }
    }
}

static void relax(const customise_rows *rows)
{
    if (rows->triangle != NULL)
        relax_listed(rows);
    else
        relax_searched(rows);
}

static void split(const paths_metric *metric, int32_t begin, int32_t end)
{
    const int32_t *restrict pair = metric->pair;
    int32_t *restrict up = metric->up, *restrict down = metric->down;
    for (ptrdiff_t a = begin; a < end; a++) {
        up[a] = pair[2 * a];
        down[a] = pair[2 * a + 1];
    }
}

extern const customise_lanes VARIANT(customise_lanes_of);
const customise_lanes VARIANT(customise_lanes_of) = {
    .build = {.simd = LANE_SIMD},
    .relax = relax,
    .split = split,
};
