// SPDX-License-Identifier: MIT
// A layer in vectors: 16- or 32-bit lanes of jobs, machines in the loop. It is compiled once for each vector unit and lane width.
//
// The times of the jobs that are free in some node lie in a table, in blocks of 64 columns, machine by machine, so that a vector holds
// as many children of a node as it has lanes. A block of all machines fits the first cache, and several nodes meet it one after
// another. The bounds of both ends take four operations a machine and vector: maximum, addition, maximum, addition. The guide of the
// end chosen takes six; blocks without a child below `upper` have none. Unsigned lanes of 16 bits hold times up to 65,535: sums
// saturate, and a bound that does so is not below `upper`.
#include "flowshop/beam/lanes.h"
#include "flowshop/beam/node.h"

enum {
    COLUMNS = 64,       // of a block of the table, and of a word of bits
    MOST_VECTORS = 4,   // of children whose bounds are computed at once
    TABLES = 3,         // a block holds times, then for each machine shifted times and shifted spare times
    TOGETHER = 8        // nodes that meet a block one after another
};

// A node and what its children share at each machine, as words to broadcast. Children are columns.
typedef struct open_node {
    node_view node;
    uint32_t *free[2], *rest[2];  // [machines], of both ends
    uint32_t *drop;               // [machines], of the end chosen: how much later the next machine is free, shifted
    uint32_t *gap_slope, *time_slope;
    lane *bounds[2], *gaps;       // [stride]
    uint64_t *columns[2];         // [stride / 64], below `upper`
    int32_t below[2];
    int64_t sums[2];
    int side;
} open_node;

// ---- Scratch

// Room for the terms of all machines, which are written in vectors.
static int64_t terms_of(const flowshop_beam_shape *s)
{
    return (s->machines + WORDS - 1) / WORDS * WORDS;
}

static int64_t words_of_slot(const flowshop_beam_shape *s)
{
    const int64_t blocks = (s->jobs + COLUMNS - 1) / COLUMNS;
    return (7 * terms_of(s) * 4 + 2 * blocks * 8 + 3 * blocks * COLUMNS * (int64_t)sizeof(lane) + 127) / 64 * 64 / 8;
}

static int64_t scratch_bytes(const flowshop_beam_shape *s)
{
    return TOGETHER * words_of_slot(s) * 8;
}

// The place `slot` of the scratch, for one node.
static open_node open_slot(const flowshop_beam_shape *s, void *scratch, int slot)
{
    const int64_t m = terms_of(s), blocks = (s->jobs + COLUMNS - 1) / COLUMNS;
    lane *lanes = (lane *)((uint64_t *)scratch + slot * words_of_slot(s));
    uint64_t *bits = (uint64_t *)(void *)(lanes + 3 * blocks * COLUMNS);
    uint32_t *words = (uint32_t *)(void *)(bits + 2 * blocks);
    return (open_node){.free = {words, words + m}, .rest = {words + 2 * m, words + 3 * m}, .drop = words + 4 * m,
                       .gap_slope = words + 5 * m, .time_slope = words + 6 * m, .bounds = {lanes, lanes + blocks * COLUMNS},
                       .gaps = lanes + 2 * blocks * COLUMNS, .columns = {bits, bits + blocks}};
}

// ---- Table

static ALWAYS_INLINE const lane *block_of(const flowshop_beam_layer *l, int32_t column)
{
    return (const lane *)l->table + (int64_t)(column / COLUMNS) * (TABLES * l->shape->machines * COLUMNS);
}

static ALWAYS_INLINE int left_shift(const flowshop_beam_shape *s)
{
    return s->shift > 0 ? s->shift : 0;
}

static void fill_table(const flowshop_beam_layer *l)
{
    const flowshop_beam_shape *s = l->shape;
    const int32_t m = s->machines;
    for (int32_t at = 0; at < l->stride; at += COLUMNS) {
        lane *restrict times = (lane *)l->table + (int64_t)at * TABLES * m, *restrict guide = times + (int64_t)m * COLUMNS;
        for (int32_t k = 0; k < m; k++, times += COLUMNS, guide += 2 * COLUMNS) {
            const int32_t *row = s->rows + (int64_t)k * s->jobs;
            uint32_t of_columns[COLUMNS] = {0};
            for (int32_t c = 0; c < COLUMNS && at + c < l->columns; c++)
                of_columns[c] = (uint32_t)row[l->jobs[at + c]];
            for (int32_t c = 0; c < COLUMNS; c++) {
                times[c] = (lane)of_columns[c];
                guide[c] = (lane)(of_columns[c] << left_shift(s));
                guide[COLUMNS + c] = (lane)shifted(s, (uint32_t)s->largest - of_columns[c]);
            }
        }
    }
}

// ---- Bounds

// The sum of two times, which cannot carry out of a lane if the shape `fits`. Adding without a test is the faster operation.
static ALWAYS_INLINE vec add(vec a, vec b, bool fits)
{
    if (fits)
        return a + b;
    return sum(a, b);
}

// Bounds of the children in columns [at, at + vectors * LANES), which lie in one block or fill several.
static ALWAYS_INLINE void bound_block(const flowshop_beam_layer *l, const open_node *o, int side, int32_t at, int vectors, bool fits)
{
    const int32_t m = l->shape->machines, step = side == 0 ? 1 : -1;
    const int64_t next = TABLES * (int64_t)m * COLUMNS;
    const int32_t first = side == 0 ? 0 : m - 1;
    const lane *times = block_of(l, at) + at % COLUMNS + (int64_t)first * COLUMNS;
    const uint32_t *frees = o->free[side] + first, *rests = o->rest[side] + first;
    vec end[MOST_VECTORS], bound[MOST_VECTORS];
    UNROLL(4)
    for (int v = 0; v < vectors; v++) {
        end[v] = all(0);
        bound[v] = all(word_of(o->node.head->bound));
    }
    for (int32_t i = 0; i < m; i++, times += step * COLUMNS, frees += step, rests += step) {
        const vec free = all(*frees), rest = all(*rests);
        UNROLL(4)
        for (int v = 0; v < vectors; v++) {
            const vec start = larger(end[v], free);
            bound[v] = larger(bound[v], add(start, rest, fits));
            end[v] = add(start, load(times + v * LANES / COLUMNS * next + v * LANES % COLUMNS), fits);
        }
    }
    UNROLL(4)
    for (int v = 0; v < vectors; v++)
        store(o->bounds[side] + at + v * LANES, bound[v]);
}

// All columns from `at` on, as many as MOST_VECTORS hold.
static ALWAYS_INLINE void bound_side(const flowshop_beam_layer *l, const open_node *o, int side, int32_t at, bool fits)
{
    const int32_t vectors = (l->columns - at + LANES - 1) / LANES;
    if (vectors >= 4)
        bound_block(l, o, side, at, 4, fits);
    else if (vectors == 3)
        bound_block(l, o, side, at, 3, fits);
    else if (vectors == 2)
        bound_block(l, o, side, at, 2, fits);
    else
        bound_block(l, o, side, at, 1, fits);
}

static void bound_children(const flowshop_beam_layer *l, const open_node *nodes, int count)
{
    for (int32_t at = 0; at < l->columns; at += MOST_VECTORS * LANES)
        for (int i = 0; i < count; i++)
            for (int side = 0; side < 2; side++)
                if (l->shape->fits)
                    bound_side(l, &nodes[i], side, at, true);
                else
                    bound_side(l, &nodes[i], side, at, false);
}

// ---- Guide

// Sums of weighted gaps of the children in columns [at, at + vectors * LANES) of one block. No machine is free earlier than the one
// before it, so a gap follows from the gap before. Of all sums only that of the weighted gaps can reach 2^16, for children that `upper`
// does not prune.
static ALWAYS_INLINE void gap_block(const flowshop_beam_layer *l, const open_node *o, int32_t at, int vectors, bool shifts_right)
{
    const int32_t m = l->shape->machines, step = o->side == 0 ? 1 : -1, first = o->side == 0 ? 0 : m - 1;
    const lane shift = (lane)(shifts_right ? -l->shape->shift : 0);
    const lane *times = block_of(l, at) + (int64_t)(m + 2 * first) * COLUMNS + at % COLUMNS, *spares = times + COLUMNS;
    const uint32_t *drops = o->drop + first, *gap_slopes = o->gap_slope + first, *time_slopes = o->time_slope + first;
    vec gap[2], total[2], spare[2];
    UNROLL(2)
    for (int v = 0; v < vectors; v++)
        gap[v] = total[v] = spare[v] = all(0);
    for (int32_t i = 0; i < m; i++) {
        const vec drop = all(*drops), gap_slope = all(*gap_slopes), time_slope = all(*time_slopes);
        UNROLL(2)
        for (int v = 0; v < vectors; v++) {
            total[v] = sum(total[v], high_product(shifts_right ? gap[v] >> shift : gap[v], gap_slope));
            spare[v] += high_product(load(spares + v * LANES), time_slope);
            gap[v] = larger(gap[v] + load(times + v * LANES), drop) - drop;
        }
        times += step * 2 * COLUMNS;
        spares += step * 2 * COLUMNS;
        drops += step;
        gap_slopes += step;
        time_slopes += step;
    }
    UNROLL(2)
    for (int v = 0; v < vectors; v++)
        store(o->gaps + at + v * LANES, lesser(sum(total[v], spare[v]), all(word_of(LARGEST_SLOPE))));
}

// Of the columns in two vectors from `at` on, those that have a child below `upper`.
static ALWAYS_INLINE void gap_pair(const flowshop_beam_layer *l, const open_node *o, int32_t at, bool shifts_right)
{
    const uint64_t bits = o->columns[o->side][at / COLUMNS] >> at % COLUMNS, ones = UINT64_MAX >> (64 - LANES);
    const bool has_first = (bits & ones) != 0, has_second = (bits >> LANES & ones) != 0;
    if (has_first && has_second)
        gap_block(l, o, at, 2, shifts_right);
    else if (has_first || has_second)
        gap_block(l, o, has_first ? at : at + LANES, 1, shifts_right);
}

static void guide_children(const flowshop_beam_layer *l, const open_node *nodes, int count)
{
    for (int32_t at = 0; at < l->columns; at += 2 * LANES)
        for (int i = 0; i < count; i++) {
            if (l->shape->shift >= 0)
                gap_pair(l, &nodes[i], at, false);
            else
                gap_pair(l, &nodes[i], at, true);
        }
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

static ALWAYS_INLINE vec_ints in_16_bits(vec_ints values)
{
    const vec_ints is_larger = values > UINT16_MAX;
    return (values & ~is_larger) | (is_larger & UINT16_MAX);
}

// Values as words to broadcast.
static ALWAYS_INLINE void put_words(uint32_t *to, vec_ints values)
{
    if (LANE_BITS == 16)
        values |= values << 16;
    *(loose_ints *)to = values;
}

// The same of times that 16 bits may not hold.
static ALWAYS_INLINE void put_lane_words(uint32_t *to, vec_ints values)
{
    if (LANE_BITS == 16)
        values = in_16_bits(values);
    put_words(to, values);
}

static void fill_terms(const flowshop_beam_layer *l, open_node *o)
{
    for (int32_t k = 0; k < l->shape->machines; k += WORDS) {
        const vec_ints front = ints_of(o->node.ends[0] + k), back = ints_of(o->node.ends[1] + k), left = ints_of(o->node.left + k);
        put_words(o->free[0] + k, front);
        put_words(o->free[1] + k, back);
        put_lane_words(o->rest[0] + k, left + back);
        put_lane_words(o->rest[1] + k, left + front);
    }
}

// The columns that are free in the node, [stride / 64].
static void free_columns(const flowshop_beam_layer *l, const node_view *node, uint64_t *columns)
{
    int at = 0;
    memset(columns, 0, (size_t)(l->stride / 64) * sizeof *columns);
    for (int32_t w = 0; w < l->shape->words; w++) {
#if defined(__BMI2__)
        const uint64_t bits = _pext_u64(node->free[w], l->free[w]);
#else
        uint64_t bits = 0;
        int place = 0;
        for (uint64_t rest = l->free[w]; rest != 0; rest &= rest - 1, place++)
            bits |= (node->free[w] >> __builtin_ctzll(rest) & 1) << place;
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

// Offers the children of node `index` that are below `upper`.
static void offer(const flowshop_beam_layer *l, const open_node *o, int64_t index, const node_guide *guide, flowshop_beam_sieve *sieve)
{
    const bool is_last = l->depth + 1 == l->shape->jobs;
    uint32_t keys[COLUMNS] __attribute__((aligned(64)));
    for (int32_t at = 0; at < l->stride; at += COLUMNS) {
        uint64_t left = o->columns[o->side][at / COLUMNS];
        if (left == 0)
            continue;
        fill_keys(guide, is_last, o->bounds[o->side] + at, o->gaps + at, keys);
        if (sieve->has_limit)
            left &= early_bits(keys, sieve->limit);
        if (sieve->count + COLUMNS > sieve->room)
            flowshop_beam_squeeze(sieve);
        for (; left != 0; left &= left - 1) {
            const int c = __builtin_ctzll(left);
            sieve->children[sieve->count++] = (uint64_t)keys[c] << 32 | (uint64_t)(index * l->columns + at + c);
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

static ALWAYS_INLINE double sum_of(vec_doubles values)
{
    double total = 0;
    for (int i = 0; i < DOUBLES; i++)
        total += values[i];
    return total;
}

static ALWAYS_INLINE void put_half_words(uint32_t *to, vec_doubles values)
{
    half_ints words = __builtin_convertvector(values, half_ints);
    if (LANE_BITS == 16)
        words |= words << 16;
    *(half_ints *)to = words;
}

enum { ROOM = MCO_FLOWSHOP_MAX_MACHINES + WORDS };

// All ones at machines [k, k + WORDS) that there are.
static ALWAYS_INLINE vec_ints are_machines(const flowshop_beam_shape *s, int32_t k)
{
    vec_ints number;
    UNROLL(16)
    for (int i = 0; i < WORDS; i++)
        number[i] = i;
    return number < s->machines - k;
}

// idle_at() of the machines from k on.
static ALWAYS_INLINE vec_ints idle_times(const flowshop_beam_shape *s, const node_view *node, int side, int32_t k)
{
    const vec_ints front_idle = ints_of(node->idle + k);
    if (side == 0)
        return front_idle;
    const vec_ints in_front = ints_of(node->ends[0] + k) - front_idle, placed = ints_at(s->totals + k) - ints_of(node->left + k);
    return ints_of(node->ends[1] + k) - (placed - in_front);
}

// Fills idle times and reaches [ROOM] of all machines; others get 0 and INT32_MAX. Returns the least reach.
static ALWAYS_INLINE int32_t fill_reaches(const flowshop_beam_shape *s, const node_view *node, int side, int32_t *idle, int32_t *reaches)
{
    vec_ints least = (vec_ints){0} + INT32_MAX;
    int32_t base = INT32_MAX;
    for (int32_t k = 0; k < s->machines; k += WORDS) {
        const vec_ints is_machine = are_machines(s, k), times = idle_times(s, node, side, k);
        const vec_ints reach = ((ints_of(node->ends[side] + k) + ints_at(s->means + k)) & is_machine) | (INT32_MAX & ~is_machine);
        const vec_ints is_less = reach < least;
        *(loose_ints *)(idle + k) = times & is_machine;
        *(loose_ints *)(reaches + k) = reach;
        least = (reach & is_less) | (least & ~is_less);
    }
    for (int i = 0; i < WORDS; i++)
        base = least[i] < base ? least[i] : base;
    return base;
}

// As fill_slopes(), and puts the slopes into the terms. Quotients of doubles are exact when rounded down: a quotient a / b that is no
// integer is 1 / b away from one, farther than a double below 2^53 / b is wrong.
static node_sums fill_slope_terms(const flowshop_beam_layer *l, const open_node *o)
{
    const flowshop_beam_shape *s = l->shape;
    int32_t idle[ROOM], reaches[ROOM];
    vec_doubles weights = {0};
    const int32_t base = o->side == 0 ? fill_reaches(s, &o->node, 0, idle, reaches) : fill_reaches(s, &o->node, 1, idle, reaches);
    for (int32_t k = 0; k < s->machines; k += DOUBLES) {
        const vec_doubles by = doubles(reaches + k), of = doubles(idle + k), spare = (double)s->largest - doubles(s->means + k);
        const vec_doubles unit = whole((double)LARGEST_SLOPE * (double)base / by), share = whole(of * (double)(1 << WEIGHT_BITS) / by);
        const vec_doubles time = whole(unit * of / by);
        put_half_words(o->gap_slope + k, unit - time);
        put_half_words(o->time_slope + k, time);
        weights += share - whole(share * spare / by);
    }
    return (node_sums){(int64_t)o->node.head->weight[1 - o->side] + (int64_t)sum_of(weights), (uint32_t)base};
}

// A gap shifted to the left is below 2^16, so a drop from there on leaves none. What is behind the last machine does not count.
static void fill_drops(const flowshop_beam_layer *l, const open_node *o)
{
    const flowshop_beam_shape *s = l->shape;
    const lane *ends = o->node.ends[o->side];
    const int step = o->side == 0 ? 1 : -1;
    for (int32_t k = 0; k < s->machines; k += WORDS) {
        vec_ints drop = ints_of(ends + k + step) - ints_of(ends + k);
        if (s->shift >= 0)
            drop = in_16_bits(in_16_bits(drop) << s->shift);
        put_words(o->drop + k, drop);
    }
}

// When each machine is free after the job, ends [ROOM]. What is behind the last one is 1.
static ALWAYS_INLINE void ends_after(const flowshop_beam_shape *s, const lane *ends_before, int side, const int32_t *times, int32_t *ends)
{
    const int32_t m = s->machines, step = side == 0 ? 1 : -1;
    int32_t end = 0;
    for (int32_t i = 0, k = side == 0 ? 0 : m - 1; i < m; i++, k += step) {
        const int32_t before = (int32_t)ends_before[k];
        end = (end > before ? end : before) + times[k];
        ends[k] = end;
    }
    for (int32_t k = m; k < m + WORDS; k++)
        ends[k] = 1;
}

// Sum of floor(2^WEIGHT_BITS idle / end); an end of 0 has no idle time.
static ALWAYS_INLINE uint32_t sum_of_shares(const flowshop_beam_shape *s, const int32_t *idle, const int32_t *ends)
{
    const vec_doubles one = (vec_doubles){0} + 1;
    vec_doubles sums = {0};
    for (int32_t k = 0; k < s->machines; k += DOUBLES) {
        const vec_doubles end = doubles(ends + k), by = end + (vec_doubles)((vec_longs)one & (end == 0));
        sums += whole(doubles(idle + k) * (double)(1 << WEIGHT_BITS) / by);
    }
    return (uint32_t)sum_of(sums);
}

// As make_child(). What follows from the ends is in vectors.
static uint32_t make_child_in_vectors(const flowshop_beam_layer *l, int64_t index, int32_t job, void *memory)
{
    const flowshop_beam_shape *s = l->shape;
    const int32_t m = s->machines, *times = s->times + (int64_t)job * m;
    const int side = l->sides[index];
    const node_view node = node_at(l, index), child = view_node(s, memory);
    int32_t ends[ROOM], idle[ROOM];
    lane grown[ROOM], left[ROOM], new_idle[ROOM];
    vec_ints bounds = (vec_ints){0} + (int32_t)node.head->bound;
    ends_after(s, node.ends[side], side, times, ends);
    for (int32_t k = 0; k < m; k += WORDS) {
        const vec_ints is_machine = are_machines(s, k), end = ints_at(ends + k), start = end - ints_at(times + k);
        const vec_ints through = start + ints_of(node.left + k) + ints_of(node.ends[1 - side] + k), is_larger = is_machine & (through > bounds);
        const vec_ints waited = (side == 0 ? idle_times(s, &node, 0, k) : idle_times(s, &node, 1, k)) + start - ints_of(node.ends[side] + k);
        bounds = (through & is_larger) | (bounds & ~is_larger);
        *(loose_ints *)(idle + k) = waited & is_machine;
        put_lanes(new_idle + k, waited);
        put_lanes(grown + k, end);
        put_lanes(left + k, ints_of(node.left + k) - ints_at(times + k));
    }
    memcpy(memory, node.head, (size_t)node_bytes(s));
    memcpy(child.ends[side], grown, (size_t)m * sizeof *grown);
    memcpy(child.left, left, (size_t)m * sizeof *left);
    if (side == 0)
        memcpy(child.idle, new_idle, (size_t)m * sizeof *new_idle);
    for (int i = 0; i < WORDS; i++)
        child.head->bound = (uint32_t)bounds[i] > child.head->bound ? (uint32_t)bounds[i] : child.head->bound;
    child.free[job >> 6] &= ~((uint64_t)1 << (job & 63));
    child.head->weight[side] = sum_of_shares(s, idle, ends);
    child.head->ends |= (uint32_t)1 << side;
    return child.head->bound;
}

static void open_one(const flowshop_beam_layer *l, int64_t index, open_node *o)
{
    o->node = node_at(l, index);
    free_columns(l, &o->node, o->columns[0]);
    memcpy(o->columns[1], o->columns[0], (size_t)(l->stride / 64) * sizeof *o->columns[0]);
    fill_terms(l, o);
}

static void choose_side(const flowshop_beam_layer *l, open_node *o)
{
    for (int side = 0; side < 2; side++)
        o->sums[side] = keep_below(l, o->bounds[side], o->columns[side], &o->below[side]);
    o->side = l->depth == 0 ? 0 : o->below[0] != o->below[1] ? o->below[0] > o->below[1] : o->sums[0] < o->sums[1];
}

static void expand_nodes(const flowshop_beam_layer *l, int64_t first, int count, open_node *nodes, flowshop_beam_sieve *sieve)
{
    node_guide guides[TOGETHER];
    for (int i = 0; i < count; i++)
        open_one(l, first + i, &nodes[i]);
    bound_children(l, nodes, count);
    for (int i = 0; i < count; i++) {
        open_node *o = &nodes[i];
        choose_side(l, o);
        l->sides[first + i] = (uint8_t)o->side;
        sieve->seen += o->below[o->side];
        if (o->below[o->side] == 0)
            continue;
        fill_drops(l, o);
        guides[i] = guide_of(l, &o->node, o->side, fill_slope_terms(l, o));
    }
    sieve->bounded += 2 * (int64_t)count * (l->shape->jobs - l->depth);
    guide_children(l, nodes, count);
    for (int i = 0; i < count; i++)
        if (nodes[i].below[nodes[i].side] > 0)
            offer(l, &nodes[i], first + i, &guides[i], sieve);
}

static void expand(const flowshop_beam_layer *l, int64_t first, int64_t last, flowshop_beam_sieve *sieve)
{
    open_node nodes[TOGETHER];
    for (int i = 0; i < TOGETHER; i++)
        nodes[i] = open_slot(l->shape, sieve->scratch, i);
    for (int64_t i = first; i < last; i += TOGETHER)
        expand_nodes(l, i, last - i < TOGETHER ? (int)(last - i) : TOGETHER, nodes, sieve);
}

extern const flowshop_beam_ops VARIANT(flowshop_beam);
const flowshop_beam_ops VARIANT(flowshop_beam) = {.build = {LANE_SIMD, LANE_BITS}, .node_bytes = node_bytes, .scratch_bytes = scratch_bytes,
                                                  .make_root = make_root, .join_free = join_free, .fill_table = fill_table,
                                                  .expand = expand, .make_child = make_child_in_vectors};
