// SPDX-License-Identifier: MIT
// The inner loops of queries over a hierarchy, built once for each vector unit (base/lanes.h).
#include "paths/hierarchy/lanes.h"

#include "base/lanes32.h"

enum { NONE = MCO_PATHS_NONE, LOOK = 4096 };  // vertices between two looks at the request to stop
#define INLINE static inline __attribute__((always_inline))

INLINE int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- Ways up

// Lowers the labels of the upper neighbours of a vertex. From tail_at on, their heights count up by one: no gather. Lanes beyond the
// row get NONE and change nothing; the labels have 64 entries of padding.
INLINE void relax_up(const paths_topology *t, int32_t vertex, int32_t distance, const int32_t *weight, int32_t *label)
{
    const int32_t tail = t->tail_at[vertex], end = t->first[vertex + 1];
    int32_t a = t->first[vertex];
    for (; a < tail; a++) {
        int32_t *x = label + t->head_height[a];
        *x = lesser(*x, distance + weight[a]);
    }
    const lanes32 add = lanes32_all(distance), count = lanes32_count();
    int32_t *x = label + t->head_height[a];
    for (; a + LANES32 <= end; a += LANES32, x += LANES32)
        lanes32_store(x, lanes32_lesser(lanes32_load(x), add + lanes32_load(weight + a)));
    if (a < end) {
#if defined(__AVX512BW__)
        const __mmask16 is_row = (__mmask16)((1u << (end - a)) - 1);
        const __m512i sum = _mm512_add_epi32((__m512i)add, _mm512_maskz_loadu_epi32(is_row, weight + a));
        _mm512_mask_storeu_epi32(x, is_row, _mm512_min_epi32(sum, _mm512_maskz_loadu_epi32(is_row, x)));
        (void)count;
#else
        const lanes32 is_row = (lanes32)(count < lanes32_all(end - a));
        const lanes32 sum = lanes32_choose(is_row, add + lanes32_load(weight + a), lanes32_all(NONE));
        lanes32_store(x, lanes32_lesser(lanes32_load(x), sum));
#endif
    }
}

INLINE int32_t take(int32_t *label)
{
    const int32_t value = *label;
    *label = NONE;
    return value;
}

// Whether paths from `end` may go on at a vertex of its way up.
INLINE bool is_open(const paths_topology *t, int32_t vertex, int32_t end)
{
    return t->is_end == NULL || !t->is_end[vertex] || vertex == end;
}

// Both ways go up to the least common ancestor, the lower rank first, and then together. The label of a vertex is final when the
// way arrives there.
static int32_t query(const paths_climb *climb, int32_t source, int32_t target)
{
    const paths_climb c = *climb;
    const paths_topology *t = c.topology;
    int32_t x = source, y = target, best = NONE;
    int32_t *f = c.from + (t->height - 1 - t->depth[source]), *b = c.to + (t->height - 1 - t->depth[target]);
    *f = *b = 0;
    while (x != y)
        if ((uint32_t)x < (uint32_t)y) {  // -1, above a root, is the greatest
            const int32_t d = take(f++);
            if (d < NONE && is_open(t, x, source))
                relax_up(t, x, d, c.metric->up, c.from);
            x = t->parent[x];
        } else {
            const int32_t d = take(b++);
            if (d < NONE && is_open(t, y, target))
                relax_up(t, y, d, c.metric->down, c.to);
            y = t->parent[y];
        }
    for (; x >= 0; x = t->parent[x]) {
        const int32_t up = take(f++), down = take(b++);
        if (t->is_end != NULL && t->is_end[x] && x != source && x != target)
            continue;
        best = lesser(best, up + down);
        if (up < best && is_open(t, x, source))
            relax_up(t, x, up, c.metric->up, c.from);
        if (down < best && is_open(t, x, target))
            relax_up(t, x, down, c.metric->down, c.to);
    }
    return best;
}

static void climb_labels(const paths_climb *c, const int32_t *weight, int32_t vertex, int32_t *label)
{
    const paths_topology *t = c->topology;
    int32_t depth = t->depth[vertex];
    int32_t *f = c->from + (t->height - 1 - depth);
    *f = 0;
    for (int32_t x = vertex; x >= 0; x = t->parent[x], depth--) {
        const int32_t d = take(f++);
        const bool is_passed = is_open(t, x, vertex);
        label[depth] = is_passed ? d : NONE;
        if (d < NONE && is_passed)
            relax_up(t, x, d, weight, c->from);
    }
}

// ---- Sweeps

static bool sweep_one(const paths_chunks *chunks, const atomic_bool *stop)
{
    const paths_chunks c = *chunks;
    const int32_t *head = c.head, *weight = c.weight;
    for (int32_t i = 0; i < c.count; i++) {
        const int64_t slots = c.first[i + 1] - c.first[i];
        int32_t *label = c.label + (int64_t)PATHS_CHUNK * i;
        if (i % LOOK == 0 && stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return false;
        for (int part = 0; part < PATHS_CHUNK; part += LANES32) {
            lanes32 least = c.is_begun[i] ? lanes32_load(label + part) : lanes32_all(NONE);
            const int32_t *h = head + part, *w = weight + part;
            for (int64_t k = 0; k < slots; k++, h += PATHS_CHUNK, w += PATHS_CHUNK)
                least = lanes32_lesser(least, lanes32_gather(c.label, lanes32_load(h)) + lanes32_load(w));
            lanes32_store(label + part, least);
        }
        c.is_begun[i] = false;
        head += slots * PATHS_CHUNK;
        weight += slots * PATHS_CHUNK;
    }
    return true;
}

INLINE bool sweep_lanes(const paths_lane_rows *rows, const int32_t lanes, const atomic_bool *stop)
{
    const paths_lane_rows r = *rows;
    enum { MOST = PATHS_MOST_LANES / LANES32 };
    const int parts = lanes / LANES32;
    for (int32_t v = r.vertices - 1; v >= 0; v--) {
        lanes32 least[MOST];
        int32_t *own = r.label + (int64_t)v * lanes;
        if (v % LOOK == 0 && stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return false;
        UNROLL(16)
        for (int p = 0; p < parts; p++)
            least[p] = lanes32_all(NONE);
        if (r.is_begun[v]) {
            r.is_begun[v] = false;
            UNROLL(16)
            for (int p = 0; p < parts; p++)
                least[p] = lanes32_load(own + p * LANES32);
        }
        for (int32_t a = r.first[v]; a < r.first[v + 1]; a++) {
            const int32_t *upper = r.label + (int64_t)r.head[a] * lanes;
            const lanes32 weight = lanes32_all(r.weight[a]);
            UNROLL(16)
            for (int p = 0; p < parts; p++)
                least[p] = lanes32_lesser(least[p], weight + lanes32_load(upper + p * LANES32));
        }
        UNROLL(16)
        for (int p = 0; p < parts; p++)
            lanes32_store(own + p * LANES32, least[p]);
    }
    return true;
}

static bool sweep_many(const paths_lane_rows *rows, int32_t lanes, const atomic_bool *stop)
{
    return lanes == 64 ? sweep_lanes(rows, 64, stop) : lanes == 32 ? sweep_lanes(rows, 32, stop) : sweep_lanes(rows, 16, stop);
}

// ---- Copies

static void copy(const int32_t *label, const int32_t *place, int32_t vertices, int32_t *out)
{
    int32_t v = 0;
    for (; v + LANES32 <= vertices; v += LANES32)
        lanes32_store(out + v, lanes32_gather(label, lanes32_load(place + v)));
    for (; v < vertices; v++)
        out[v] = label[place[v]];
}

#if defined(__AVX512BW__)
// Exchanges bit `bit` of the row with that bit of the lane; four of them transpose 16 rows.
INLINE void exchange(__m512i row[PATHS_CHUNK], int bit, __m512i low, __m512i high)
{
    UNROLL(16)
    for (int i = 0; i < PATHS_CHUNK; i++)
        if ((i & bit) == 0) {
            const __m512i a = row[i], b = row[i | bit];
            row[i] = _mm512_permutex2var_epi32(a, low, b);
            row[i | bit] = _mm512_permutex2var_epi32(a, high, b);
        }
}

// out[j * stride + k] = rows[k][j] of a block of 16 by 16.
INLINE void turn(const int32_t *const rows[PATHS_CHUNK], int32_t *out, int64_t stride, int32_t count)
{
    __m512i row[PATHS_CHUNK];
    UNROLL(16)
    for (int k = 0; k < PATHS_CHUNK; k++)
        row[k] = _mm512_loadu_si512(rows[k]);
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    UNROLL(4)
    for (int bit = 1; bit < PATHS_CHUNK; bit *= 2) {
        // Entry l of the lower row: a[l] where lane l lacks the bit, else b[l - bit]; 16 and more call lanes of b.
        const __mmask16 has = _mm512_test_epi32_mask(lane, _mm512_set1_epi32(bit));
        const __m512i low = _mm512_mask_add_epi32(lane, has, lane, _mm512_set1_epi32(16 - bit));
        const __m512i high = _mm512_mask_add_epi32(_mm512_add_epi32(lane, _mm512_set1_epi32(bit)), has, lane, _mm512_set1_epi32(16));
        exchange(row, bit, low, high);
    }
    UNROLL(16)
    for (int j = 0; j < PATHS_CHUNK; j++)
        if (j < count)
            _mm512_storeu_si512(out + j * stride, row[j]);
}
#else
INLINE void turn(const int32_t *const rows[PATHS_CHUNK], int32_t *out, int64_t stride, int32_t count)
{
    for (int j = 0; j < count; j++)
        for (int k = 0; k < PATHS_CHUNK; k++)
            out[j * stride + k] = rows[k][j];
}
#endif

// Blocks of vertices, so that 16 streams at a time are written.
static void copy_many(const int32_t *label, int32_t lanes, const int32_t *place, int32_t vertices, int32_t count, int32_t *out,
                      int64_t stride)
{
    enum { BLOCK = 512 };
    const int32_t whole = vertices / PATHS_CHUNK * PATHS_CHUNK;
    for (int32_t begin = 0; begin < whole; begin += BLOCK)
        for (int32_t j = 0; j < count; j += PATHS_CHUNK)
            for (int32_t v = begin; v < lesser(begin + BLOCK, whole); v += PATHS_CHUNK) {
                const int32_t *rows[PATHS_CHUNK];
                for (int k = 0; k < PATHS_CHUNK; k++)
                    rows[k] = label + (int64_t)place[v + k] * lanes + j;
                turn(rows, out + j * stride + v, stride, lesser(PATHS_CHUNK, count - j));
            }
    for (int32_t v = whole; v < vertices; v++)
        for (int32_t j = 0; j < count; j++)
            out[j * stride + v] = label[(int64_t)place[v] * lanes + j];
}

// ---- Certificate

// Sums over the vertices, for each vector of lanes. Masks have all bits in lanes of which they speak.
typedef struct judge {
    lanes32 source, wrong, overflow, lacking, pending;
} judge;

// Neighbours lie anywhere in the order of ranks: their labels are asked for some arcs ahead, which took the certificate of 64 trees of
// 76,595 vertices from 3.2 to 2.1 ms.
enum { AHEAD = PATHS_ARCS_AHEAD, LINE = 16 };

// The least sums over the arcs that arrive at v: with positive weights and from sources that end paths, and with weight 0.
INLINE void least_sums(const paths_incoming *in, int32_t v, const int32_t lanes, const int32_t *label, const judge *j, lanes32 *positive,
                       lanes32 *zero)
{
    const int parts = lanes / LANES32;
    int32_t a = in->first[v];
    UNROLL(16)
    for (int p = 0; p < parts; p++)
        positive[p] = zero[p] = lanes32_all(NONE);
    for (int32_t ahead = a + AHEAD, end = in->first[v + 1] + AHEAD; ahead < end; ahead++)
        for (int32_t line = 0; line < lanes; line += LINE)
            __builtin_prefetch(label + (int64_t)in->tail[ahead] * lanes + line);
    for (; a < in->zero[v]; a++) {
        const int32_t *tail = label + (int64_t)in->tail[a] * lanes;
        const lanes32 weight = lanes32_all(in->weight[a]);
        UNROLL(16)
        for (int p = 0; p < parts; p++)
            positive[p] = lanes32_lesser(positive[p], weight + lanes32_load(tail + p * LANES32));
    }
    for (; a < in->end[v]; a++)
        for (int p = 0; p < parts; p++)
            zero[p] = lanes32_lesser(zero[p], lanes32_load(label + (int64_t)in->tail[a] * lanes + p * LANES32));
    for (; a < in->first[v + 1]; a++)
        for (int p = 0; p < parts; p++) {
            const lanes32 is_from = (lanes32)(j[p].source == lanes32_all(in->tail[a]));
            positive[p] = lanes32_lesser(positive[p], lanes32_choose(is_from, lanes32_all(in->weight[a]), lanes32_all(NONE)));
        }
}

// Notes lanes of v without a label, and those of them where a neighbour with an arc to v has one.
INLINE void note_lacking(const paths_incoming *in, int32_t v, const int32_t lanes, const int32_t *label, lanes32 lacks, judge *j)
{
    lanes32 least = lanes32_all(NONE);
    for (int32_t a = in->first[v]; a < in->end[v]; a++)
        least = lanes32_lesser(least, lanes32_load(label + (int64_t)in->tail[a] * lanes));
    j->lacking -= lacks;
    j->overflow |= lacks & (lanes32)(least < lanes32_all(NONE));
}

// One vertex; returns the mask of lanes that rest on a positive arc or on being the source.
INLINE uint64_t judge_vertex(const paths_incoming *in, int32_t v, const int32_t lanes, const int32_t *label, bool is_source, judge *j)
{
    enum { MOST = PATHS_MOST_LANES / LANES32 };
    const int parts = lanes / LANES32;
    const bool is_asked = in->has_zero;
    lanes32 positive[MOST], zero[MOST];
    uint64_t mask = 0;
    least_sums(in, v, lanes, label, j, positive, zero);
    UNROLL(16)
    for (int p = 0; p < parts; p++) {
        const lanes32 own = lanes32_load(label + (int64_t)v * lanes + p * LANES32), lacks = (lanes32)(own >= lanes32_all(NONE));
        if (is_source)
            positive[p] = lanes32_choose((lanes32)(j[p].source == lanes32_all(v)), lanes32_all(0), positive[p]);
        j[p].wrong |= (lanes32)(own != lanes32_lesser(positive[p], zero[p]));
        if (lanes32_signs(lacks) != 0)
            note_lacking(in, v, lanes, label + p * LANES32, lacks, j + p);
        if (!is_asked)
            continue;
        const lanes32 grounded = (lanes32)(own == positive[p]);
        j[p].pending |= ~grounded;
        mask |= (uint64_t)lanes32_signs(grounded) << (p * LANES32);
    }
    return mask;
}

INLINE bool judge_lanes(const paths_incoming *in, const int32_t lanes, const int32_t *source, const int32_t *label,
                        const uint8_t *is_source, uint64_t *grounded, judge *out, const atomic_bool *stop)
{
    enum { MOST = PATHS_MOST_LANES / LANES32 };
    const int parts = lanes / LANES32;
    const paths_incoming rows = *in;
    judge j[MOST];
    UNROLL(16)
    for (int p = 0; p < parts; p++)
        j[p] = (judge){.source = lanes32_load(source + p * LANES32)};
    for (int32_t v = 0; v < rows.vertices; v++) {
        if (v % LOOK == 0 && stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return false;
        const uint64_t mask = judge_vertex(&rows, v, lanes, label, is_source[v] != 0, j);
        if (rows.has_zero)
            grounded[v] = mask;
    }
    for (int p = 0; p < parts; p++)
        out[p] = j[p];
    return true;
}

static bool certify(const paths_incoming *in, int32_t lanes, int32_t count, const int32_t *source, const int32_t *label,
                    uint8_t *is_source, uint64_t *grounded, paths_verdict *verdict, const atomic_bool *stop)
{
    judge j[PATHS_MOST_LANES / LANES32];
    for (int32_t k = 0; k < count; k++)
        is_source[source[k]] = 1;
    const bool is_done = lanes == 64   ? judge_lanes(in, 64, source, label, is_source, grounded, j, stop)
                         : lanes == 32 ? judge_lanes(in, 32, source, label, is_source, grounded, j, stop)
                                       : judge_lanes(in, 16, source, label, is_source, grounded, j, stop);
    for (int32_t k = 0; k < count; k++)
        is_source[source[k]] = 0;
    *verdict = (paths_verdict){0};
    for (int32_t k = 0; is_done && k < count; k++) {
        const judge *of = j + k / LANES32;
        const int l = k % LANES32;
        verdict->wrong |= (uint64_t)(of->wrong[l] != 0) << k;
        verdict->overflow |= (uint64_t)(of->overflow[l] != 0) << k;
        verdict->pending |= (uint64_t)(of->pending[l] != 0) << k;
        verdict->reached += in->vertices - of->lacking[l];
    }
    return is_done;
}

// ---- Parents

INLINE void parents_of(const paths_incoming *in, int32_t v, const int32_t lanes, const int32_t *source, const int32_t *label, int32_t *out)
{
    enum { MOST = PATHS_MOST_LANES / LANES32 };
    const int parts = lanes / LANES32;
    const lanes32 none = lanes32_all(INT32_MAX);
    lanes32 own[MOST], least[MOST];
    UNROLL(16)
    for (int p = 0; p < parts; p++) {
        own[p] = lanes32_load(label + (int64_t)v * lanes + p * LANES32);
        least[p] = none;
    }
    for (int32_t ahead = in->first[v] + AHEAD, end = in->zero[v] + AHEAD; ahead < end; ahead++)
        for (int32_t line = 0; line < lanes; line += LINE)
            __builtin_prefetch(label + (int64_t)in->tail[ahead] * lanes + line);
    for (int32_t a = in->first[v]; a < in->zero[v]; a++) {
        const int32_t *tail = label + (int64_t)in->tail[a] * lanes;
        const lanes32 weight = lanes32_all(in->weight[a]), arc = lanes32_all(in->arc[a]);
        UNROLL(16)
        for (int p = 0; p < parts; p++) {
            const lanes32 is_tight = (lanes32)(weight + lanes32_load(tail + p * LANES32) == own[p]);
            least[p] = lanes32_lesser(least[p], lanes32_choose(is_tight, arc, none));
        }
    }
    for (int32_t a = in->end[v]; a < in->first[v + 1]; a++)  // from ends: tight for their own trees alone
        for (int p = 0; p < parts && in->weight[a] > 0; p++) {
            const lanes32 is_from = (lanes32)(lanes32_load(source + p * LANES32) == lanes32_all(in->tail[a]));
            const lanes32 is_tight = is_from & (lanes32)(lanes32_all(in->weight[a]) == own[p]);
            least[p] = lanes32_lesser(least[p], lanes32_choose(is_tight, lanes32_all(in->arc[a]), none));
        }
    UNROLL(16)
    for (int p = 0; p < parts; p++)
        lanes32_store(out + (int64_t)v * lanes + p * LANES32, lanes32_choose((lanes32)(own[p] < lanes32_all(NONE)), least[p], none));
}

static bool parents(const paths_incoming *in, int32_t lanes, const int32_t *source, const int32_t *label, int32_t *out,
                    const atomic_bool *stop)
{
    const paths_incoming rows = *in;
    for (int32_t v = 0; v < rows.vertices; v++) {
        if (v % LOOK == 0 && stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return false;
        if (lanes == 64)
            parents_of(&rows, v, 64, source, label, out);
        else if (lanes == 32)
            parents_of(&rows, v, 32, source, label, out);
        else
            parents_of(&rows, v, 16, source, label, out);
    }
    return true;
}

// ---- Labels and matrices

static void lower(int32_t *row, const int32_t *other, int32_t add, int32_t count)
{
    const lanes32 all = lanes32_all(add);
    for (int32_t i = 0; i < count; i += LANES32)
        lanes32_store(row + i, lanes32_lesser(lanes32_load(row + i), all + lanes32_load(other + i)));
}

static int32_t least_sum(const int32_t *a, const int32_t *b, int32_t count)
{
    lanes32 least = lanes32_all(NONE);
    int32_t i = 0;
    for (; i + LANES32 <= count; i += LANES32)
        least = lanes32_lesser(least, lanes32_load(a + i) + lanes32_load(b + i));
    if (i < count) {
        const lanes32 is_common = (lanes32)(lanes32_count() < lanes32_all(count - i));
        least = lanes32_lesser(least, lanes32_choose(is_common, lanes32_load(a + i) + lanes32_load(b + i), lanes32_all(NONE)));
    }
    return lanes32_least(least);
}

static void panel(const paths_panel *panel, const int32_t *up, int32_t out[PATHS_CHUNK])
{
    for (int part = 0; part < PATHS_CHUNK; part += LANES32) {
        const int32_t *down = panel->down + part;
        const lanes32 common = lanes32_lesser(lanes32_load(panel->inner + part), lanes32_all(panel->near)), none = lanes32_all(NONE);
        lanes32 even = none, odd = none;
        int32_t p = 0;
        for (; p + 1 < panel->least; p += 2) {
            even = lanes32_lesser(even, lanes32_all(up[p]) + lanes32_load(down + (int64_t)p * PATHS_CHUNK));
            odd = lanes32_lesser(odd, lanes32_all(up[p + 1]) + lanes32_load(down + (int64_t)(p + 1) * PATHS_CHUNK));
        }
        for (; p < panel->most; p++) {
            const lanes32 sum = lanes32_all(up[p]) + lanes32_load(down + (int64_t)p * PATHS_CHUNK);
            even = lanes32_lesser(even, lanes32_choose((lanes32)(common > lanes32_all(p)), sum, none));
        }
        lanes32_store(out + part, lanes32_lesser(even, odd));
    }
}

extern const paths_lanes VARIANT(paths_lanes_of);
const paths_lanes VARIANT(paths_lanes_of) = {
    .build = {.simd = LANE_SIMD},
    .query = query,
    .climb = climb_labels,
    .sweep_one = sweep_one,
    .sweep_many = sweep_many,
    .copy = copy,
    .copy_many = copy_many,
    .certify = certify,
    .parents = parents,
    .lower = lower,
    .least_sum = least_sum,
    .panel = panel,
};
