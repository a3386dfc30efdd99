// SPDX-License-Identifier: MIT
// Tiles of dense ng tables (ng_lanes.h), compiled once for each vector unit.
#include "vrp/bound/relax/ng_lanes.h"

#include <string.h>

#include "base/lanes32.h"

#define INLINE static inline __attribute__((always_inline))

INLINE int32_t lesser32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- Far predecessors

// For each of `count` rows of base values, least [count] is the least sum with `far`. Each vector of `far` is read once.
INLINE void far_rows(const int32_t *base, const int32_t *far, int32_t stride, const int count, int32_t *least)
{
    lanes32 best[8];
    UNROLL(8)
    for (int t = 0; t < count; t++)
        best[t] = lanes32_all(VRP_NO_PATH);
    for (int32_t i = 0; i < stride; i += LANES32) {
        const lanes32 arc = lanes32_load(far + i);
        UNROLL(8)
        for (int t = 0; t < count; t++)
            best[t] = lanes32_lesser(best[t], arc + lanes32_load(base + (int64_t)t * stride + i));
    }
    UNROLL(8)
    for (int t = 0; t < count; t++)
        least[t] = lanes32_least(best[t]);
}

// least [count]: at most VRP_NO_PATH / 2.
static void far_minima(const vrp_ng_view *view, int32_t k, int32_t from, int32_t count, int32_t *least)
{
    const int32_t stride = view->stride, *far = view->far + (int64_t)k * stride, *base = view->base + (int64_t)from * stride;
    int32_t t = 0;
    for (; t + 8 <= count; t += 8)
        far_rows(base + (int64_t)t * stride, far, stride, 8, least + t);
    if (t + 4 <= count) {
        far_rows(base + (int64_t)t * stride, far, stride, 4, least + t);
        t += 4;
    }
    if (t + 2 <= count) {
        far_rows(base + (int64_t)t * stride, far, stride, 2, least + t);
        t += 2;
    }
    if (t < count)
        far_rows(base + (int64_t)t * stride, far, stride, 1, least + t);
    for (t = 0; t < count; t++)
        least[t] = lesser32(least[t], VRP_NO_PATH / 2);
}

// ---- Near predecessors

INLINE int64_t cell_at(const vrp_ng_view *view, int32_t node, int32_t load)
{
    return ((int64_t)node * view->rooms + load) * view->sets;
}

// Lists, for each of `count` loads, the near predecessors below least[]: live [room] of load t begins at live[t * room]. Whole
// vectors only lie inside the tile: the loads behind it may be written by other threads.
static void find_live(const vrp_ng_view *view, const vrp_ng_scratch *scratch, int32_t k, int32_t from, int32_t count,
                      const int32_t *least, int32_t *lives)
{
    for (int32_t t = 0; t < count; t++)
        lives[t] = 0;
    for (int32_t a = view->first_pair[k]; a < view->first_pair[k + 1]; a++) {
        const int32_t arc = view->near[a], *base = view->turned + (int64_t)view->pair[a].from * view->rooms + from;
        uint32_t is_live = 0;
        int32_t t = 0;
        if (arc == VRP_NG_APART)
            continue;
        for (; t + LANES32 <= count; t += LANES32)
            is_live |= lanes32_signs(lanes32_load(base + t) + arc - lanes32_load(least + t)) << t;
        for (; t < count; t++)
            is_live |= (uint32_t)(base[t] + arc < least[t]) << t;
        for (; is_live != 0; is_live &= is_live - 1) {
            const int32_t at = __builtin_ctz(is_live);
            scratch->live[at * scratch->room + lives[at]++] = (vrp_ng_live){a, base[at] + arc};
        }
    }
}

// The entry that the set of all neighbours reads.
INLINE int32_t whole_entry(const vrp_ng_view *view, int32_t pair)
{
    const int32_t highs = view->sets / 32;
    return view->low[(int64_t)pair * 32 + 31] | view->high[(int64_t)pair * highs + highs - 1];
}

INLINE int32_t entry_of(const vrp_ng_view *view, int32_t pair, int32_t m)
{
    return view->low[(int64_t)pair * 32 + m % 32] | view->high[(int64_t)pair * (view->sets / 32) + m / 32];
}

// ---- Cells of 16 bits

// out[m] = min(out[m], from[map(m)] + off) for the sets m that have `bit`.
static void pull_plain(const vrp_ng_view *view, const vrp_ng_pair *pair, int32_t a, const uint16_t *from, int32_t off, uint16_t *out)
{
    for (int32_t m = 0; m < view->sets; m++) {
        if (pair->bit >= 0 && (m >> pair->bit & 1) == 0)
            continue;
        const int32_t entry = from[entry_of(view, a, m)];
        const int32_t sum = entry == VRP_NG_NONE ? VRP_NG_NONE : lesser32(entry + off, VRP_NG_NONE);
        out[m] = (uint16_t)lesser32(out[m], sum);
    }
}

#if defined(__AVX512BW__)
// Which of 32 lanes have bit 0..4 of their number.
static const uint32_t lanes_with[5] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};

// The entries `at` of a cell of `blocks` vectors.
INLINE __m512i entries(const __m512i *cell, const int blocks, __m512i at)
{
    if (blocks == 1)
        return _mm512_permutexvar_epi16(at, cell[0]);
    if (blocks == 2)
        return _mm512_permutex2var_epi16(cell[0], at, cell[1]);
    const __m512i lower = _mm512_permutex2var_epi16(cell[0], at, cell[1]);
    const __m512i upper = _mm512_permutex2var_epi16(cell[2], at, cell[3]);
    return _mm512_mask_blend_epi16(_mm512_test_epi16_mask(at, _mm512_set1_epi16(64)), lower, upper);
}

INLINE void pull(const vrp_ng_view *view, const vrp_ng_live *live, const uint16_t *from, int32_t off, const int blocks, __m512i *out)
{
    const int32_t bit = view->pair[live->pair].bit;
    const uint16_t *high = view->high + (int64_t)live->pair * blocks;
    const __m512i low = _mm512_load_si512(view->low + (int64_t)live->pair * 32), none = _mm512_set1_epi16(-1);
    const __m512i add = _mm512_set1_epi16((short)lesser32(off, VRP_NG_NONE)), less = _mm512_set1_epi16((short)-off);
    const uint32_t lanes = bit >= 0 && bit < 5 ? lanes_with[bit] : UINT32_MAX;
    __m512i cell[4];
    UNROLL(4)
    for (int b = 0; b < blocks; b++)
        cell[b] = _mm512_load_si512(from + 32 * b);
    UNROLL(4)
    for (int b = 0; b < blocks; b++) {
        if (bit >= 5 && (b >> (bit - 5) & 1) == 0)
            continue;
        const __m512i e = entries(cell, blocks, _mm512_or_si512(low, _mm512_set1_epi16((short)high[b])));
        // An entry that is read is at least -off, since the base value of this cell is at most that entry and its arc.
        const __m512i sum = off >= 0 ? _mm512_adds_epu16(e, add) : _mm512_mask_sub_epi16(e, _mm512_cmpneq_epi16_mask(e, none), e, less);
        out[b] = _mm512_mask_min_epu16(out[b], lanes, out[b], sum);
    }
}

INLINE void fill_vectors(const vrp_ng_view *view, const vrp_ng_live *live, int32_t lives, int32_t from, int32_t base, int32_t far,
                         const int blocks, uint16_t *out)
{
    __m512i best[4];
    UNROLL(4)
    for (int b = 0; b < blocks; b++)
        best[b] = _mm512_set1_epi16((short)far);
    for (int32_t l = 0; l < lives; l++)
        pull(view, &live[l], view->cell + cell_at(view, view->pair[live[l].pair].from, from), live[l].value - base, blocks, best);
    UNROLL(4)
    for (int b = 0; b < blocks; b++)
        _mm512_store_si512(out + 32 * b, best[b]);
}
#endif

// out [sets]: the entries of a cell, at most `far`.
static void fill(const vrp_ng_view *view, const vrp_ng_live *live, int32_t lives, int32_t from, int32_t base, int32_t far,
                 uint16_t *out)
{
#if defined(__AVX512BW__)
    switch (view->sets) {
    case 32: fill_vectors(view, live, lives, from, base, far, 1, out); return;
    case 64: fill_vectors(view, live, lives, from, base, far, 2, out); return;
    case 128: fill_vectors(view, live, lives, from, base, far, 4, out); return;
    default: break;
    }
#endif
    for (int32_t m = 0; m < view->sets; m++)
        out[m] = (uint16_t)far;
    for (int32_t l = 0; l < lives; l++) {
        const vrp_ng_pair *pair = &view->pair[live[l].pair];
        pull_plain(view, pair, live[l].pair, view->cell + cell_at(view, pair->from, from), live[l].value - base, out);
    }
}

// Whether an entry that reads VRP_NG_NONE has a path after all, whose difference has more than 16 bits.
static bool has_overflow(const vrp_ng_view *view, const vrp_ng_live *live, int32_t lives, int32_t from, bool has_far,
                         const uint16_t *out)
{
    if (has_far)
        return true;
    for (int32_t l = 0; l < lives; l++) {
        const vrp_ng_pair *pair = &view->pair[live[l].pair];
        const uint16_t *cell = view->cell + cell_at(view, pair->from, from);
        for (int32_t m = 0; m < view->sets; m++)
            if (out[m] == VRP_NG_NONE && (pair->bit < 0 || (m >> pair->bit & 1) != 0) &&
                cell[entry_of(view, live[l].pair, m)] != VRP_NG_NONE)
                return true;
    }
    return false;
}

// One cell. live [lives] are its near predecessors whose base value and arc are below `far`; those that are not below it with the
// entry that they give to the whole set are dropped. Returns false if a difference needs more than 16 bits.
static bool finish_cell(const vrp_ng_view *view, int32_t k, int32_t load, int32_t far, vrp_ng_live *live, int32_t lives)
{
    const int32_t from = load - view->demand[k];
    int32_t base = far, kept = 0;
    for (int32_t l = 0; l < lives; l++) {
        const vrp_ng_pair *pair = &view->pair[live[l].pair];
        // Only a set that has k gives less than its base value.
        const int32_t entry =
            pair->back < 0 ? 0 : view->cell[cell_at(view, pair->from, from) + whole_entry(view, live[l].pair)];
        if (entry == VRP_NG_NONE || live[l].value + entry >= far)
            continue;
        base = lesser32(base, live[l].value + entry);
        live[kept++] = live[l];
    }
    const bool is_path = base < VRP_NO_PATH / 2;
    view->base[(int64_t)load * view->stride + k] = view->turned[(int64_t)k * view->rooms + load] = is_path ? base : VRP_NO_PATH;
    if (!is_path)
        return true;
    const bool has_far = far < VRP_NO_PATH / 2;
    uint16_t *out = view->cell + cell_at(view, k, load);
    fill(view, live, kept, from, base, has_far ? lesser32(far - base, VRP_NG_NONE) : VRP_NG_NONE, out);
    // The empty set has the largest entry.
    return out[0] != VRP_NG_NONE || !has_overflow(view, live, kept, from, has_far, out);
}

// ---- Cells of 32 bits

static void finish_wide_cell(const vrp_ng_view *view, int32_t k, int32_t load, int32_t far, const vrp_ng_live *live, int32_t lives)
{
    const int32_t from = load - view->demand[k], highs = view->sets / 32;
    int32_t *restrict out = view->wide + cell_at(view, k, load);
    for (int32_t m = 0; m < view->sets; m++)
        out[m] = far < VRP_NO_PATH / 2 ? far : VRP_NO_PATH;
    for (int32_t l = 0; l < lives; l++) {
        const vrp_ng_pair *pair = &view->pair[live[l].pair];
        const int32_t arc = view->near[live[l].pair], *cell = view->wide + cell_at(view, pair->from, from);
        const uint16_t *low = view->low + (int64_t)live[l].pair * 32, *high = view->high + (int64_t)live[l].pair * highs;
        for (int32_t h = 0; h < highs; h++) {
            const uint16_t upper = high[h];
            for (int32_t m = 0; m < 32; m++) {
                const int32_t sum = cell[low[m] | upper] + arc;
                const bool is_allowed = pair->bit < 0 || ((32 * h + m) >> pair->bit & 1) != 0;
                out[32 * h + m] = is_allowed && sum < VRP_NO_PATH / 2 ? lesser32(out[32 * h + m], sum) : out[32 * h + m];
            }
        }
    }
    view->base[(int64_t)load * view->stride + k] = view->turned[(int64_t)k * view->rooms + load] = out[view->sets - 1];
}

// ---- Tiles

// The path of the depot and k alone.
static void first_cell(const vrp_ng_view *view, int32_t k)
{
    const int32_t load = view->demand[k], value = view->first[k] < VRP_NG_APART ? view->first[k] : VRP_NO_PATH;
    view->base[(int64_t)load * view->stride + k] = view->turned[(int64_t)k * view->rooms + load] = value;
    for (int32_t m = 0; m < view->sets; m++)
        if (view->wide != NULL)
            view->wide[cell_at(view, k, load) + m] = value;
        else
            view->cell[cell_at(view, k, load) + m] = 0;
}

INLINE bool any_tile(const vrp_ng_view *view, const vrp_ng_scratch *scratch, int32_t k, int32_t load, int32_t count,
                     const bool is_wide)
{
    int32_t least[VRP_NG_TILE], lives[VRP_NG_TILE];
    const int32_t demand = view->demand[k], end = load + count, begin = load > demand ? load : demand + 1;
    bool fits = true;
    if (load <= demand && demand < end)
        first_cell(view, k);
    if (begin >= end)
        return true;
    far_minima(view, k, begin - demand, end - begin, least);
    find_live(view, scratch, k, begin - demand, end - begin, least, lives);
    for (int32_t t = 0; t < end - begin; t++) {
        vrp_ng_live *live = scratch->live + (int64_t)t * scratch->room;
        if (is_wide)
            finish_wide_cell(view, k, begin + t, least[t], live, lives[t]);
        else
            fits = finish_cell(view, k, begin + t, least[t], live, lives[t]) && fits;
    }
    return fits;
}

static bool tile(const vrp_ng_view *view, const vrp_ng_scratch *scratch, int32_t k, int32_t load, int32_t count)
{
    return any_tile(view, scratch, k, load, count, false);
}

static bool wide_tile(const vrp_ng_view *view, const vrp_ng_scratch *scratch, int32_t k, int32_t load, int32_t count)
{
    return any_tile(view, scratch, k, load, count, true);
}

extern const vrp_ng_build VARIANT(vrp_ng_build);
const vrp_ng_build VARIANT(vrp_ng_build) = {.build = {LANE_SIMD, 0}, .tile = tile, .wide_tile = wide_tile};
