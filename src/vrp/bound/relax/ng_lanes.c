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

INLINE int64_t cell_of(const vrp_ng_view *view, const vrp_ng_live *live, int32_t from)
{
    return cell_at(view, view->from[live->pair], from);
}

// Lists the near predecessors of k, of load `from`, below `far`. Returns how many. The loop has no branch: about half are listed.
static int32_t find_live(const vrp_ng_view *view, int32_t k, int32_t from, int32_t far, vrp_ng_live *live)
{
    const int32_t *restrict base = view->base + (int64_t)from * view->stride, *restrict near = view->near;
    const int32_t *restrict node = view->from;
    int32_t count = 0;
    for (int32_t a = view->first_pair[k]; a < view->first_pair[k + 1]; a++) {
        const int32_t value = base[node[a]] + near[a];
        live[count] = (vrp_ng_live){a, value};
        count += value < far;
    }
    return count;
}

// A cell that is about to be computed.
typedef struct task {
    int32_t node, load, from;  // from: the load of its predecessors
    int32_t far;               // the least value by a far predecessor
    int32_t base;              // the least of far and of the values in live[]
    int32_t lives;
    vrp_ng_live *live;         // [lives] the near predecessors whose base value and arc are below `far`
} task;

static void prepare(const vrp_ng_view *view, int32_t k, int32_t load, int32_t far, task *t)
{
    const int32_t from = load - view->demand[k];
    *t = (task){k, load, from, far, far, find_live(view, k, from, far, t->live), t->live};
    for (int32_t l = 0; l < t->lives; l++)
        t->base = lesser32(t->base, t->live[l].value);
}

INLINE int32_t entry_of(const vrp_ng_view *view, int32_t pair, int32_t m)
{
    return view->low[(int64_t)pair * 32 + m % 32] | view->high[(int64_t)pair * (view->sets / 32) + m / 32];
}

// Whether a path to m may come from the pair: m has the bit of `from`, if there is one.
INLINE bool is_allowed(const vrp_ng_view *view, int32_t pair, int32_t m)
{
    return (view->lanes[(int64_t)pair * (view->sets / 32) + m / 32] >> m % 32 & 1) != 0;
}

// ---- Cells of 16 bits

#if defined(__AVX512BW__)
// The entries `at` of a cell of 32, 64 or 128 sets. Not `is_deep`: all of them lie in the half of 128 that `half` points to.
INLINE __m512i entries(const __m512i *half, const int32_t sets, const bool is_deep, __m512i at)
{
    if (sets == 32)
        return _mm512_permutexvar_epi16(at, half[0]);
    const __m512i own = _mm512_permutex2var_epi16(half[0], at, half[1]);
    if (sets == 64 || !is_deep)
        return own;
    const __m512i upper = _mm512_permutex2var_epi16(half[2], at, half[3]);
    return _mm512_mask_blend_epi16(_mm512_test_epi16_mask(at, _mm512_set1_epi16(1 << VRP_NG_TOP_BIT)), own, upper);
}

// out[m] = min(out[m], from[map(m)] + off) for the sets m that the pair allows. Sums saturate at VRP_NG_NONE.
INLINE void pull(const vrp_ng_view *view, int32_t pair, const uint16_t *from, int32_t off, const int32_t sets, const int32_t kind,
                 __m512i *out)
{
    const int blocks = sets / 32, own = sets == 128 && (kind & VRP_NG_DEEP_TO) == 0 ? 2 : blocks;
    const uint16_t *high = view->high + (int64_t)pair * blocks;
    const uint32_t *lanes = view->lanes + (int64_t)pair * blocks;
    const __m512i low = _mm512_load_si512(view->low + (int64_t)pair * 32), add = _mm512_set1_epi16((short)off);
    const bool is_deep = (kind & VRP_NG_DEEP_FROM) != 0;
    const __m512i *half = (const __m512i *)(const void *)(sets == 128 && !is_deep ? from + (high[0] & 1 << VRP_NG_TOP_BIT) : from);
    UNROLL(4)
    for (int b = 0; b < own; b++) {
        const __m512i e = entries(half, sets, is_deep, _mm512_or_si512(low, _mm512_set1_epi16((short)high[b])));
        const __m512i sum = _mm512_adds_epu16(e, add);
        out[b] = _mm512_mask_min_epu16(out[b], lanes[b], out[b], sum);
        if (own < blocks)
            out[b + 2] = _mm512_mask_min_epu16(out[b + 2], lanes[b], out[b + 2], sum);
    }
}

INLINE void fill_vectors(const vrp_ng_view *view, const vrp_ng_live *live, int32_t lives, int32_t from, int32_t base, int32_t far,
                         const int32_t sets, uint16_t *out)
{
    const int blocks = sets / 32;
    __m512i best[4];
    UNROLL(4)
    for (int b = 0; b < blocks; b++)
        best[b] = _mm512_set1_epi16((short)far);
    for (int32_t l = 0; l < lives; l++) {
        const int32_t pair = live[l].pair, off = lesser32(live[l].value - base, VRP_NG_NONE);
        const uint16_t *cell = view->cell + cell_of(view, &live[l], from);
        if (sets < 128) {
            pull(view, pair, cell, off, sets, 0, best);
            continue;
        }
        switch (view->kind[pair]) {  // pairs are sorted by kind
        case 0: pull(view, pair, cell, off, sets, 0, best); break;
        case VRP_NG_DEEP_FROM: pull(view, pair, cell, off, sets, VRP_NG_DEEP_FROM, best); break;
        case VRP_NG_DEEP_TO: pull(view, pair, cell, off, sets, VRP_NG_DEEP_TO, best); break;
        default: pull(view, pair, cell, off, sets, VRP_NG_DEEP_FROM | VRP_NG_DEEP_TO, best); break;
        }
    }
    UNROLL(4)
    for (int b = 0; b < blocks; b++)
        _mm512_store_si512(out + 32 * b, best[b]);
}

INLINE void lower_vectors(int32_t by, const int blocks, uint16_t *out)
{
    const __m512i none = _mm512_set1_epi16(-1), less = _mm512_set1_epi16((short)by);
    UNROLL(4)
    for (int b = 0; b < blocks; b++) {
        const __m512i e = _mm512_load_si512(out + 32 * b);
        _mm512_store_si512(out + 32 * b, _mm512_mask_sub_epi16(e, _mm512_cmpneq_epi16_mask(e, none), e, less));
    }
}
#endif

#if defined(__AVX2__) && !defined(__AVX512BW__)
enum { READS_COMMON = true };

// The words of a vector of 16 sets that lack bit 0..3 are NONE; the first row lacks nothing.
static const uint16_t lacking[5][16] = {
    {0},
    {0xffff, 0, 0xffff, 0, 0xffff, 0, 0xffff, 0, 0xffff, 0, 0xffff, 0, 0xffff, 0, 0xffff, 0},
    {0xffff, 0xffff, 0, 0, 0xffff, 0xffff, 0, 0, 0xffff, 0xffff, 0, 0, 0xffff, 0xffff, 0, 0},
    {0xffff, 0xffff, 0xffff, 0xffff, 0, 0, 0, 0, 0xffff, 0xffff, 0xffff, 0xffff, 0, 0, 0, 0},
    {0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0, 0, 0, 0, 0, 0, 0, 0},
};

// out[m] = min(out[m], from[map(m)] + off) for the sets m that the pair allows, if it has at most four common customers. Returns
// false if it has more; then out is unchanged.
INLINE bool pull_common(const vrp_ng_view *view, int32_t pair, const uint16_t *cell, int32_t off, uint16_t *out)
{
    const vrp_ng_common *common = view->common != NULL ? &view->common[pair] : NULL;
    if (common == NULL || !common->is_small)
        return false;
    const uint16_t *e = common->entry;
    const int32_t top = view->top[pair];
    const __m256i add = _mm256_set1_epi16((short)off);
#define ENTRY(j) (short)cell[e[j]]
    const __m128i lower = _mm_setr_epi16(ENTRY(0), ENTRY(1), ENTRY(2), ENTRY(3), ENTRY(4), ENTRY(5), ENTRY(6), ENTRY(7));
    const __m128i upper = _mm_setr_epi16(ENTRY(8), ENTRY(9), ENTRY(10), ENTRY(11), ENTRY(12), ENTRY(13), ENTRY(14), ENTRY(15));
#undef ENTRY
    const __m256i first = _mm256_adds_epu16(_mm256_broadcastsi128_si256(lower), add);
    const __m256i second = _mm256_adds_epu16(_mm256_broadcastsi128_si256(upper), add);
    const __m256i low = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(const void *)common->low), _mm256_set1_epi16(0x0100));
    const int32_t row = top == 0 || top >= 16 ? 0 : __builtin_ctz((unsigned)top) + 1;
    const __m256i lacks = _mm256_loadu_si256((const __m256i *)(const void *)lacking[row]);
    for (int32_t h = 0; h < view->sets / 16; h++) {
        if (top >= 16 && (16 * h & top) == 0)
            continue;
        const __m256i at = _mm256_or_si256(low, _mm256_set1_epi16((short)common->high[h]));
        // Bit 4 of each byte tells the half of the entries; three to the left it is the sign that a blend looks at.
        const __m256i is_second = _mm256_slli_epi16(at, 3);
        const __m256i sum = _mm256_blendv_epi8(_mm256_shuffle_epi8(first, at), _mm256_shuffle_epi8(second, at), is_second);
        __m256i *own = (__m256i *)(void *)(out + 16 * h);
        _mm256_store_si256(own, _mm256_min_epu16(_mm256_load_si256(own), _mm256_or_si256(sum, lacks)));
    }
    return true;
}
#else
enum { READS_COMMON = false };

INLINE bool pull_common(const vrp_ng_view *view, int32_t pair, const uint16_t *cell, int32_t off, uint16_t *out)
{
    (void)view, (void)pair, (void)cell, (void)off, (void)out;
    return false;
}
#endif

static void fill_plain(const vrp_ng_view *view, const vrp_ng_live *live, int32_t lives, int32_t from, int32_t base, int32_t far,
                       uint16_t *restrict out)
{
    for (int32_t m = 0; m < view->sets; m++)
        out[m] = (uint16_t)far;
    for (int32_t l = 0; l < lives; l++) {
        const int32_t pair = live[l].pair, off = live[l].value - base;
        const uint16_t *restrict cell = view->cell + cell_of(view, &live[l], from);
        if (off >= out[view->top[pair]] || pull_common(view, pair, cell, off, out))
            continue;
        for (int32_t m = 0; m < view->sets; m++) {
            const int32_t sum = lesser32(cell[entry_of(view, pair, m)] + off, VRP_NG_NONE);
            out[m] = is_allowed(view, pair, m) && sum < out[m] ? (uint16_t)sum : out[m];
        }
    }
}

// out [sets]: the entries of a cell less `base`, which no path undercuts, at most `far`. A predecessor is left out if no entry that
// it allows is above its base value: `top` is the largest of them.
INLINE void fill(const vrp_ng_view *view, const vrp_ng_live *live, int32_t lives, int32_t from, int32_t base, int32_t far,
                 uint16_t *out)
{
#if defined(__AVX512BW__)
    switch (view->sets) {
    case 32: fill_vectors(view, live, lives, from, base, far, 32, out); return;
    case 64: fill_vectors(view, live, lives, from, base, far, 64, out); return;
    case 128: fill_vectors(view, live, lives, from, base, far, 128, out); return;
    default: break;
    }
#endif
    fill_plain(view, live, lives, from, base, far, out);
}

// Takes `by` off the entries of paths.
INLINE void lower(const vrp_ng_view *view, int32_t by, uint16_t *out)
{
    if (by == 0)
        return;
#if defined(__AVX512BW__)
    switch (view->sets) {
    case 32: lower_vectors(by, 1, out); return;
    case 64: lower_vectors(by, 2, out); return;
    case 128: lower_vectors(by, 4, out); return;
    default: break;
    }
#endif
    for (int32_t m = 0; m < view->sets; m++)
        out[m] = out[m] == VRP_NG_NONE ? VRP_NG_NONE : (uint16_t)(out[m] - by);
}

// Whether an entry that reads VRP_NG_NONE has a path after all, whose difference has more than 16 bits.
static bool has_overflow(const vrp_ng_view *view, const vrp_ng_live *live, int32_t lives, int32_t from, bool has_far,
                         const uint16_t *out)
{
    if (has_far)
        return true;
    for (int32_t l = 0; l < lives; l++) {
        const uint16_t *cell = view->cell + cell_of(view, &live[l], from);
        for (int32_t m = 0; m < view->sets; m++)
            if (out[m] == VRP_NG_NONE && is_allowed(view, live[l].pair, m) && cell[entry_of(view, live[l].pair, m)] != VRP_NG_NONE)
                return true;
    }
    return false;
}

// Returns false if a difference needs more than 16 bits.
static bool finish_cell(const vrp_ng_view *view, const task *t)
{
    int32_t *known = &view->base[(int64_t)t->load * view->stride + t->node];
    *known = VRP_NO_PATH;
    if (t->base >= VRP_NO_PATH / 2)
        return true;
    // Entries count from the least value of any predecessor first, then from the value of the largest set.
    const bool has_far = t->far < VRP_NO_PATH / 2;
    uint16_t *out = view->cell + cell_at(view, t->node, t->load);
    fill(view, t->live, t->lives, t->from, t->base, has_far ? lesser32(t->far - t->base, VRP_NG_NONE) : VRP_NG_NONE, out);
    // The empty set has the largest entry.
    if (out[0] == VRP_NG_NONE && has_overflow(view, t->live, t->lives, t->from, has_far, out))
        return false;
    const int32_t least = out[view->sets - 1];
    if (least == VRP_NG_NONE)
        return true;
    *known = t->base + least;
    lower(view, least, out);
    return true;
}

// ---- Cells of 32 bits

static void finish_wide_cell(const vrp_ng_view *view, const task *t)
{
    const int32_t highs = view->sets / 32;
    int32_t *restrict out = view->wide + cell_at(view, t->node, t->load);
    for (int32_t m = 0; m < view->sets; m++)
        out[m] = t->far < VRP_NO_PATH / 2 ? t->far : VRP_NO_PATH;
    for (int32_t l = 0; l < t->lives; l++) {
        const int32_t pair = t->live[l].pair, arc = view->near[pair];
        const int32_t *restrict cell = view->wide + cell_of(view, &t->live[l], t->from);
        const uint16_t *restrict low = view->low + (int64_t)pair * 32;
        if (t->live[l].value >= out[view->top[pair]])
            continue;
        for (int32_t h = 0; h < highs; h++) {
            const uint16_t high = view->high[(int64_t)pair * highs + h];
            const uint32_t lanes = view->lanes[(int64_t)pair * highs + h];
            int32_t *restrict part = out + 32 * h;
            for (int32_t m = 0; m < 32; m++) {
                const int32_t sum = cell[low[m] | high] + arc, open = -(int32_t)(lanes >> m & 1);
                // A sum with VRP_NO_PATH is no path.
                part[m] = open != 0 && sum < VRP_NO_PATH / 2 && sum < part[m] ? sum : part[m];
            }
        }
    }
    view->base[(int64_t)t->load * view->stride + t->node] = out[view->sets - 1];
}

// ---- Tiles

// The path of the depot and k alone.
static void first_cell(const vrp_ng_view *view, int32_t k)
{
    const int32_t load = view->demand[k], value = view->first[k] < VRP_NG_APART ? view->first[k] : VRP_NO_PATH;
    view->base[(int64_t)load * view->stride + k] = value;
    for (int32_t m = 0; m < view->sets; m++)
        if (view->wide != NULL)
            view->wide[cell_at(view, k, load) + m] = value;
        else
            view->cell[cell_at(view, k, load) + m] = 0;
}

INLINE bool any_tiles(const vrp_ng_view *view, const vrp_ng_scratch *scratch, const int32_t *node, int32_t nodes, int32_t load,
                      int32_t count, const bool is_wide)
{
    task t = {.live = scratch->live};
    bool fits = true;
    for (int32_t n = 0; n < nodes; n++) {
        const int32_t k = node[n], demand = view->demand[k], end = load + count, begin = load > demand ? load : demand + 1;
        int32_t least[VRP_NG_TILE];
        if (load <= demand && demand < end)
            first_cell(view, k);
        if (begin >= end)
            continue;
        far_minima(view, k, begin - demand, end - begin, least);
        for (int32_t q = begin; q < end; q++) {
            prepare(view, k, q, least[q - begin], &t);
            if (is_wide)
                finish_wide_cell(view, &t);
            else
                fits = finish_cell(view, &t) && fits;
        }
    }
    return fits;
}

static bool tiles(const vrp_ng_view *view, const vrp_ng_scratch *scratch, const int32_t *node, int32_t nodes, int32_t load,
                  int32_t count)
{
    return any_tiles(view, scratch, node, nodes, load, count, false);
}

static bool wide_tiles(const vrp_ng_view *view, const vrp_ng_scratch *scratch, const int32_t *node, int32_t nodes, int32_t load,
                       int32_t count)
{
    return any_tiles(view, scratch, node, nodes, load, count, true);
}

extern const vrp_ng_build VARIANT(vrp_ng_build);
const vrp_ng_build VARIANT(vrp_ng_build) = {.build = {LANE_SIMD, 0}, .reads_common = READS_COMMON, .tiles = tiles,
                                            .wide_tiles = wide_tiles};
