// SPDX-License-Identifier: MIT
// A layer in vectors: 16- or 32-bit lanes of jobs, machines in the loop. It is compiled once for each vector unit and lane width.
//
// The times of the jobs that are free in some node lie in a table, machine by machine, so that a vector holds as many children of
// a node as it has lanes. The bounds of both ends take four operations a machine and vector: maximum, addition, maximum, addition.
// The guide of the end chosen takes eight; blocks without a child below `upper` have none. Unsigned lanes of 16 bits hold times up
// to 65,535: sums saturate, and a bound that does so is not below `upper`.
#include "base/lanes.h"

#if LANE_BITS == 16
typedef uint16_t lane;
typedef uint32_t wide;
#else
typedef uint32_t lane;
typedef uint64_t wide;
#endif

#include "flowshop/beam/node.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
typedef lane vec __attribute__((vector_size(VEC_BYTES), aligned(LANE_BITS / 8), may_alias));
typedef wide vec_wide __attribute__((vector_size(VEC_BYTES), may_alias));
typedef uint32_t vec_words __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));
typedef int32_t vec_ints __attribute__((vector_size(VEC_BYTES), may_alias));
typedef float vec_floats __attribute__((vector_size(VEC_BYTES), may_alias));
typedef double vec_doubles __attribute__((vector_size(VEC_BYTES)));
typedef int32_t half_ints __attribute__((vector_size(VEC_BYTES / 2), aligned(4), may_alias));
enum { LANES = VEC_BYTES / (LANE_BITS / 8), WORDS = VEC_BYTES / 4, DOUBLES = VEC_BYTES / 8, MOST_VECTORS = 4, COLUMNS = 64 };
enum { STEP = MOST_VECTORS * LANES < COLUMNS ? MOST_VECTORS * LANES : COLUMNS };  // columns of a block within 64

// ---- Lanes

// A value for all lanes, as one word: the processor broadcasts words from memory.
static ALWAYS_INLINE uint32_t word_of(uint32_t value)
{
    return LANE_BITS == 16 ? value << 16 | value : value;
}

static ALWAYS_INLINE vec all(uint32_t word)
{
    return (vec)((vec_words){0} + word);
}

static ALWAYS_INLINE vec load(const lane *from)
{
    return *(const vec *)from;
}

static ALWAYS_INLINE void store(lane *to, vec value)
{
    *(vec *)to = value;
}

static ALWAYS_INLINE vec larger(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_max_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return (vec)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_max_epu16((__m256i)a, (__m256i)b);
#elif defined(__AVX2__)
    return (vec)_mm256_max_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_adds_epu16((__m128i)a, _mm_subs_epu16((__m128i)b, (__m128i)a));
#else
    const vec mask = (vec)(a > b);
    return (a & mask) | (b & ~mask);
#endif
}

static ALWAYS_INLINE vec lesser(vec a, vec b)
{
    return ~larger(~a, ~b);
}

// Saturates where lanes have 16 bits; sums of 32 bits do not reach 2^32.
static ALWAYS_INLINE vec sum(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_adds_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_adds_epu16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_adds_epu16((__m128i)a, (__m128i)b);
#elif LANE_BITS == 16
    const vec total = a + b;
    return total | (vec)(total < a);
#else
    return a + b;
#endif
}

// floor(a * b / 2^16), for lanes below 2^16.
static ALWAYS_INLINE vec high_product(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_mulhi_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_mulhi_epu16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_mulhi_epu16((__m128i)a, (__m128i)b);
#elif LANE_BITS == 16
    vec out;
    for (int i = 0; i < LANES; i++)
        out[i] = (lane)((uint32_t)a[i] * b[i] >> 16);
    return out;
#else
    return a * b >> 16;
#endif
}

// Bit i is lane i of a < b.
static ALWAYS_INLINE uint64_t less_bits(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return _mm512_cmplt_epu16_mask((__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return _mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    const __m256i not_less = _mm256_cmpeq_epi16(_mm256_subs_epu16((__m256i)b, (__m256i)a), _mm256_setzero_si256());
    const uint32_t bytes = ~(uint32_t)_mm256_movemask_epi8(not_less);
    return _pext_u32(bytes, 0x55555555u);
#elif defined(__AVX2__)
    const __m256i not_less = _mm256_cmpeq_epi32(_mm256_max_epu32((__m256i)a, (__m256i)b), (__m256i)a);
    return ~(uint32_t)_mm256_movemask_ps((__m256)not_less) & 0xff;
#elif defined(__SSE2__) && LANE_BITS == 16
    const __m128i not_less = _mm_cmpeq_epi16(_mm_subs_epu16((__m128i)b, (__m128i)a), _mm_setzero_si128());
    return ~(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(not_less, not_less)) & 0xff;
#else
    uint64_t bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= (uint64_t)(a[i] < b[i]) << i;
    return bits;
#endif
}

// All ones in the lanes whose bit is set.
static ALWAYS_INLINE vec mask_of(uint64_t bits)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_movm_epi16((__mmask32)bits);
#elif defined(__AVX512BW__)
    return (vec)_mm512_maskz_set1_epi32((__mmask16)bits, -1);
#else
    static const lane powers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    const vec power = load(powers), value = all(word_of((uint32_t)bits & 0xffff));
    return (vec)((value & power) == power);
#endif
}

static ALWAYS_INLINE int64_t add_lanes(vec_wide sums)
{
    int64_t total = 0;
    for (int i = 0; i < LANES / 2; i++)
        total += (int64_t)sums[i];
    return total;
}

// ---- Bounds

// What the children of a node share at each machine, as words to broadcast.
typedef struct machine_terms {
    uint32_t free, rest, gap_slope, time_slope;
} machine_terms;

// Bounds of the children in columns [at, at + vectors * LANES). `step` is 1 at the front and -1 at the back.
static ALWAYS_INLINE void bound_block(const flowshop_beam_layer *l, const machine_terms *terms, int side, uint32_t floor, int32_t at,
                                      int vectors, lane *bounds)
{
    const int32_t m = l->shape->machines, stride = l->stride, step = side == 0 ? 1 : -1;
    const lane *times = (const lane *)l->table + (int64_t)(side == 0 ? 0 : m - 1) * stride + at;
    vec end[MOST_VECTORS], bound[MOST_VECTORS];
    UNROLL(4)
    for (int v = 0; v < vectors; v++) {
        end[v] = all(0);
        bound[v] = all(floor);
    }
    for (int32_t i = 0; i < m; i++, times += step * stride) {
        const vec free = all(terms[i].free), rest = all(terms[i].rest);
        UNROLL(4)
        for (int v = 0; v < vectors; v++) {
            const vec start = larger(end[v], free);
            bound[v] = larger(bound[v], sum(start, rest));
            end[v] = sum(start, load(times + v * LANES));
        }
    }
    UNROLL(4)
    for (int v = 0; v < vectors; v++)
        store(bounds + at + v * LANES, bound[v]);
}

static void bound_children(const flowshop_beam_layer *l, const machine_terms *terms, int side, uint32_t floor, lane *bounds)
{
    int32_t at = 0;
    for (; at + MOST_VECTORS * LANES <= l->stride; at += MOST_VECTORS * LANES)
        bound_block(l, terms, side, floor, at, MOST_VECTORS, bounds);
    for (; at < l->stride; at += COLUMNS)  // only where four vectors are wider than 64 columns
        bound_block(l, terms, side, floor, at, COLUMNS / LANES < MOST_VECTORS ? COLUMNS / LANES : MOST_VECTORS, bounds);
}

// ---- Guide

// Sums of weighted gaps of the children in columns [at, at + vectors * LANES).
static ALWAYS_INLINE void gap_block(const flowshop_beam_layer *l, const machine_terms *terms, int side, int32_t at, int vectors,
                                    bool shifts_left, lane *gaps)
{
    const int32_t m = l->shape->machines, stride = l->stride, step = side == 0 ? 1 : -1;
    const int shift = shifts_left ? l->shape->shift : -l->shape->shift;
    const lane *times = (const lane *)l->table + (int64_t)(side == 0 ? 0 : m - 1) * stride + at;
    const int64_t spare = (int64_t)m * stride;  // from a time to the spare time
    vec end[MOST_VECTORS], total[MOST_VECTORS];
    UNROLL(4)
    for (int v = 0; v < vectors; v++)
        end[v] = total[v] = all(0);
    for (int32_t i = 0; i < m; i++, times += step * stride) {
        const vec free = all(terms[i].free), gap_slope = all(terms[i].gap_slope), time_slope = all(terms[i].time_slope);
        UNROLL(4)
        for (int v = 0; v < vectors; v++) {
            const vec start = larger(end[v], free), gap = start - free;
            total[v] = sum(total[v], high_product(shifts_left ? gap << (lane)shift : gap >> (lane)shift, gap_slope));
            total[v] = sum(total[v], high_product(load(times + spare + v * LANES), time_slope));
            end[v] = sum(start, load(times + v * LANES));
        }
    }
    UNROLL(4)
    for (int v = 0; v < vectors; v++)
        store(gaps + v * LANES, lesser(total[v], all(word_of(LARGEST_SLOPE))));
}

// Keys of 64 children, from their bounds and gaps.
static ALWAYS_INLINE void fill_keys(const node_guide *g, bool is_last, const lane *bounds, const lane *gaps, uint32_t *keys)
{
    UNROLL(4)
    for (int at = 0; at < COLUMNS; at += WORDS) {
#if LANE_BITS == 16
        typedef uint16_t half __attribute__((vector_size(VEC_BYTES / 2), aligned(2), may_alias));
        const vec_ints bound = __builtin_convertvector(*(const half *)(bounds + at), vec_ints);
        const vec_ints gap = __builtin_convertvector(*(const half *)(gaps + at), vec_ints);
#else
        const vec_ints bound = (vec_ints)load(bounds + at), gap = (vec_ints)load(gaps + at);
#endif
        const vec_floats product = __builtin_convertvector(gap, vec_floats) * g->unit;
        const vec_floats weight = product + g->weight, positive = (vec_floats)((vec_ints)weight & (weight > 0));
        const vec_floats factor = positive * g->idle_factor;
        const vec_floats guide = __builtin_convertvector(bound, vec_floats) * (factor + g->share);
        if (is_last)
            *(vec_words *)(keys + at) = (vec_words)bound;
        else
            *(vec_words *)(keys + at) = (vec_words)guide | g->penalty;
    }
}

// ---- A node

typedef struct open_node {
    const flowshop_beam_layer *layer;
    node_view node;
    machine_terms *terms[2];  // [machines], in the order of each end
} open_node;

static void fill_terms(const open_node *o, int side)
{
    const int32_t m = o->layer->shape->machines;
    for (int32_t i = 0; i < m; i++) {
        const int32_t k = side == 0 ? i : m - 1 - i;
        const uint32_t rest = (uint32_t)o->node.left[k] + o->node.ends[1 - side][k];
        o->terms[side][i].free = word_of(o->node.ends[side][k]);
        o->terms[side][i].rest = word_of(LANE_BITS == 16 && rest > UINT16_MAX ? UINT16_MAX : rest);
    }
}

// The columns that are free in the node, [stride / 64].
static void free_columns(const open_node *o, uint64_t *columns)
{
    const flowshop_beam_layer *l = o->layer;
    int at = 0;
    memset(columns, 0, (size_t)(l->stride / 64) * sizeof *columns);
    for (int32_t w = 0; w < l->shape->words; w++) {
#if defined(__BMI2__)
        const uint64_t bits = _pext_u64(o->node.free[w], l->free[w]);
#else
        uint64_t bits = 0;
        int place = 0;
        for (uint64_t rest = l->free[w]; rest != 0; rest &= rest - 1, place++)
            bits |= (o->node.free[w] >> __builtin_ctzll(rest) & 1) << place;
#endif
        const int count = __builtin_popcountll(l->free[w]);
        if (count > 0)
            columns[at >> 6] |= bits << (at & 63);
        if ((at & 63) + count > 64)
            columns[(at >> 6) + 1] |= bits >> (64 - (at & 63));
        at += count;
    }
}

// Replaces the columns that are free by those of them whose bound is below `upper`. Returns the sum of min(bound, upper) over all that
// are free; *below receives how many stay.
static int64_t keep_below(const flowshop_beam_layer *l, const lane *bounds, uint64_t *columns, int32_t *below)
{
    const vec upper = all(word_of((uint32_t)l->upper));
    vec_wide sums = {0};
    *below = 0;
    for (int32_t at = 0; at < l->stride; at += COLUMNS) {
        const uint64_t is_free = columns[at / COLUMNS];
        uint64_t is_less = 0;
        for (int32_t c = 0; c < COLUMNS && is_free != 0; c += LANES) {
            const vec bound = lesser(load(bounds + at + c), upper) & mask_of(is_free >> c);
            is_less |= less_bits(load(bounds + at + c), upper) << c;
            sums += ((vec_wide)bound & (((wide)1 << LANE_BITS) - 1)) + ((vec_wide)bound >> LANE_BITS);
        }
        columns[at / COLUMNS] = is_free & is_less;
        *below += __builtin_popcountll(is_free & is_less);
    }
    return add_lanes(sums);
}

static ALWAYS_INLINE uint64_t early_bits(const uint32_t *keys, uint32_t limit)
{
    uint64_t bits = 0;
    UNROLL(4)
    for (int at = 0; at < COLUMNS; at += WORDS) {
#if defined(__AVX512BW__)
        bits |= (uint64_t)_mm512_cmplt_epu32_mask(_mm512_loadu_si512(keys + at), _mm512_set1_epi32((int)limit)) << at;
#elif defined(__AVX2__)
        const __m256i key = _mm256_loadu_si256((const __m256i *)(const void *)(keys + at)), most = _mm256_set1_epi32((int)limit);
        const __m256i is_late = _mm256_cmpeq_epi32(_mm256_max_epu32(key, most), key);
        bits |= (uint64_t)(~(uint32_t)_mm256_movemask_ps((__m256)is_late) & 0xff) << at;
#else
        for (int i = 0; i < WORDS; i++)
            bits |= (uint64_t)(keys[at + i] < limit) << (at + i);
#endif
    }
    return bits;
}

// Offers the children of node `index` in `columns`.
static void offer(const open_node *o, int64_t index, const node_guide *guide, const uint64_t *columns, flowshop_beam_sieve *sieve)
{
    const flowshop_beam_layer *l = o->layer;
    const int side = l->sides[index];
    const bool is_last = l->depth + 1 == l->shape->jobs;
    const lane *bounds = sieve->bounds[side];
    lane gaps[COLUMNS] __attribute__((aligned(64))) = {0};
    for (int32_t at = 0; at < l->stride; at += COLUMNS) {
        uint64_t left = columns[at / COLUMNS];
        if (left == 0)
            continue;
        for (int32_t c = 0; c < COLUMNS && !is_last; c += STEP) {
            if ((left >> c & (UINT64_MAX >> (64 - STEP))) == 0)
                continue;
            if (l->shape->shift >= 0)
                gap_block(l, o->terms[side], side, at + c, STEP / LANES, true, gaps + c);
            else
                gap_block(l, o->terms[side], side, at + c, STEP / LANES, false, gaps + c);
        }
        fill_keys(guide, is_last, bounds + at, gaps, sieve->keys);
        if (sieve->has_limit)
            left &= early_bits(sieve->keys, sieve->limit);
        if (sieve->count + COLUMNS > sieve->room)
            flowshop_beam_squeeze(sieve);
        for (; left != 0; left &= left - 1) {
            const int c = __builtin_ctzll(left);
            sieve->children[sieve->count++] = (uint64_t)sieve->keys[c] << 32 | (uint64_t)(index * l->columns + at + c);
        }
    }
}

static ALWAYS_INLINE vec_doubles doubles(const int32_t *from)
{
    return __builtin_convertvector(*(const half_ints *)from, vec_doubles);
}

static ALWAYS_INLINE vec_doubles whole(vec_doubles value)
{
    return __builtin_convertvector(__builtin_convertvector(value, half_ints), vec_doubles);
}

// As fill_slopes(), and puts the slopes into the terms. Quotients of doubles are exact when rounded down: a quotient a / b that is no
// integer is 1 / b away from one, farther than a double below 2^53 / b is wrong.
static node_sums fill_slope_terms(const open_node *o, int side)
{
    enum { ROOM = MCO_FLOWSHOP_MAX_MACHINES + DOUBLES };
    const flowshop_beam_shape *s = o->layer->shape;
    const int32_t m = s->machines;
    int32_t idle[ROOM], reach[ROOM], spare[ROOM], units[ROOM], times[ROOM], weights[ROOM], base = INT32_MAX;
    for (int32_t k = 0; k < m; k++) {
        idle[k] = (int32_t)idle_at(s, &o->node, side, k);
        reach[k] = (int32_t)o->node.ends[side][k] + s->means[k];
        spare[k] = s->largest - s->means[k];
        base = reach[k] < base ? reach[k] : base;
    }
    for (int32_t k = m; k < m + DOUBLES; k++) {
        idle[k] = spare[k] = 0;
        reach[k] = base;
    }
    for (int32_t k = 0; k < m; k += DOUBLES) {
        const vec_doubles by = doubles(reach + k), of = doubles(idle + k);
        const vec_doubles unit = whole((double)LARGEST_SLOPE * (double)base / by), share = whole(of * (double)(1 << WEIGHT_BITS) / by);
        *(half_ints *)(units + k) = __builtin_convertvector(unit, half_ints);
        *(half_ints *)(times + k) = __builtin_convertvector(unit * of / by, half_ints);
        *(half_ints *)(weights + k) = __builtin_convertvector(share - whole(share * doubles(spare + k) / by), half_ints);
    }
    node_sums sums = {o->node.head->weight[1 - side], (uint32_t)base};
    for (int32_t i = 0; i < m; i++) {
        const int32_t k = side == 0 ? i : m - 1 - i;
        o->terms[side][i].gap_slope = word_of((uint32_t)(units[k] - times[k]));
        o->terms[side][i].time_slope = word_of((uint32_t)times[k]);
        sums.weight += weights[k];
    }
    return sums;
}

static void expand_node(open_node *o, int64_t index, flowshop_beam_sieve *sieve)
{
    enum { MOST_WORDS = (MCO_FLOWSHOP_MAX_JOBS + 63) / 64 };
    const flowshop_beam_layer *l = o->layer;
    uint64_t columns[2][MOST_WORDS];
    int32_t below[2];
    int64_t sums[2];
    o->node = node_at(l, index);
    free_columns(o, columns[0]);
    memcpy(columns[1], columns[0], (size_t)(l->stride / 64) * sizeof **columns);
    for (int side = 0; side < 2; side++) {
        fill_terms(o, side);
        bound_children(l, o->terms[side], side, word_of(o->node.head->bound), sieve->bounds[side]);
        sums[side] = keep_below(l, sieve->bounds[side], columns[side], &below[side]);
    }
    const int side = l->depth == 0 ? 0 : below[0] != below[1] ? below[0] > below[1] : sums[0] < sums[1];
    l->sides[index] = (uint8_t)side;
    sieve->bounded += 2 * (int64_t)(l->shape->jobs - l->depth);
    sieve->seen += below[side];
    if (below[side] == 0)
        return;
    const node_guide guide = guide_of(l, &o->node, side, fill_slope_terms(o, side));
    offer(o, index, &guide, columns[side], sieve);
}

static void expand(const flowshop_beam_layer *l, int64_t first, int64_t last, flowshop_beam_sieve *sieve)
{
    machine_terms terms[2][MCO_FLOWSHOP_MAX_MACHINES];
    open_node o = {.layer = l, .terms = {terms[0], terms[1]}};
    for (int64_t i = first; i < last; i++)
        expand_node(&o, i, sieve);
}

static void fill_table(const flowshop_beam_layer *l)
{
    const flowshop_beam_shape *s = l->shape;
    const size_t padding = (size_t)(l->stride - l->columns) * sizeof(lane);
    for (int32_t k = 0; k < s->machines; k++) {
        const int32_t *row = s->rows + (int64_t)k * s->jobs;
        lane *table = (lane *)l->table + (int64_t)k * l->stride, *spare = table + (int64_t)s->machines * l->stride;
        for (int32_t c = 0; c < l->columns; c++) {
            table[c] = (lane)row[l->jobs[c]];
            spare[c] = (lane)shifted(s, (uint32_t)(s->largest - row[l->jobs[c]]));
        }
        memset(table + l->columns, 0, padding);
        memset(spare + l->columns, 0, padding);
    }
}

extern const flowshop_beam_ops VARIANT(flowshop_beam);
const flowshop_beam_ops VARIANT(flowshop_beam) = {.build = {LANE_SIMD, LANE_BITS}, .node_bytes = node_bytes, .make_root = make_root,
                                                  .join_free = join_free, .fill_table = fill_table, .expand = expand,
                                                  .make_child = make_child};
