// SPDX-License-Identifier: MIT
// Inner loops of the complete neighbourhoods (vrp/sweep/lanes.h), compiled once for each vector unit. The compiler
// vectorizes most loops over lanes. The block of closed parts, where nearly all moves are, is written with vectors.
#include "vrp/sweep/lanes.h"

#include "base/lanes.h"


enum { LANES = VEC_BYTES / 4 };
typedef int32_t vec __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));

static inline __attribute__((always_inline)) vec lesser(vec a, vec b)
{
#if defined(__AVX512BW__)
    return (vec)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (vec)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    const vec is_less = (vec)(a < b);
    return (a & is_less) | (b & ~is_less);
#endif
}

static inline vec broadcast(int32_t value)
{
    return value - (vec){0};
}

static inline int32_t min32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- Distances

// Let n be the root of an integer s, rounded to nearest. If a root is wrong by less than 1/4, the floor of root + 1/4
// is n or n - 1. It is n - 1 exactly if s > (n - 1)^2 + (n - 1), since s is an integer and (n - 1/2)^2 is not. Roots
// are at most 2800 sqrt(2). The inverse root of AVX-512 has a relative error of 2^-14, which makes 0.242 at the
// greatest root; it takes a third of the time of the root.
#if defined(__AVX512F__)
static void grid_row(const float *restrict x, const float *restrict y, float x0, float y0, int32_t count, int32_t *restrict out)
{
    const __m512 from_x = _mm512_set1_ps(x0), from_y = _mm512_set1_ps(y0), quarter = _mm512_set1_ps(0.25f);
    const __m512 tiny = _mm512_set1_ps(0x1p-20f);  // zero has no inverse; the root of this is rounded to zero
    const __m512i one = _mm512_set1_epi32(1);
    for (int32_t j = 0; j < count; j += LANES) {
        const __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(x + j), from_x), dy = _mm512_sub_ps(_mm512_loadu_ps(y + j), from_y);
        const __m512 s = _mm512_fmadd_ps(dx, dx, _mm512_mul_ps(dy, dy)), positive = _mm512_max_ps(s, tiny);
        const __m512 root = _mm512_fmadd_ps(positive, _mm512_rsqrt14_ps(positive), quarter);
        const __m512i n = _mm512_cvttps_epi32(root);
        const __m512 f = _mm512_cvtepi32_ps(n);
        const __mmask16 is_less = _mm512_cmp_ps_mask(s, _mm512_fmadd_ps(f, f, f), _CMP_GT_OQ);
        _mm512_storeu_si512(out + j, _mm512_mask_add_epi32(n, is_less, n, one));
    }
}
#else
static void grid_row(const float *restrict x, const float *restrict y, float x0, float y0, int32_t count, int32_t *restrict out)
{
    for (int32_t j = 0; j < count; j++) {
        const float dx = x[j] - x0, dy = y[j] - y0, s = dx * dx + dy * dy;
        const int32_t n = (int32_t)(sqrtf(s) + 0.25f);
        const float f = (float)n;
        out[j] = n + (s > f * f + f);
    }
}
#endif

// Like vrp_distance(), in the same order of operations.
static void plane_row(const double *restrict x, const double *restrict y, double x0, double y0, double scale, int32_t count,
                      int32_t *restrict out)
{
    for (int32_t j = 0; j < count; j++) {
        const double dx = x[j] - x0, dy = y[j] - y0;
        out[j] = (int32_t)(sqrt(dx * dx + dy * dy) * scale + 0.5);
    }
}

static void plane_row_up(const double *restrict x, const double *restrict y, double x0, double y0, double scale, int32_t count,
                         int32_t *restrict out)
{
    for (int32_t j = 0; j < count; j++) {
        const double dx = x[j] - x0, dy = y[j] - y0, length = sqrt(dx * dx + dy * dy) * scale;
        const int32_t n = (int32_t)length;
        out[j] = n + ((double)n < length);
    }
}

static void matrix_row(const int32_t *restrict row, const int32_t *restrict node, int32_t count, int32_t *restrict out)
{
    for (int32_t j = 0; j < count; j++)
        out[j] = row[node[j]];
}

static void row(const vrp_places *p, int32_t i, int32_t begin, int32_t end, bool is_to, int32_t *out)
{
    const mco_vrp *problem = p->problem;
    const int32_t count = (end - begin + VRP_CHUNK - 1) / VRP_CHUNK * VRP_CHUNK;  // arrays and rows are padded
    switch (p->source) {
    case VRP_SOURCE_GRID: grid_row(p->grid_x + begin, p->grid_y + begin, p->grid_x[i], p->grid_y[i], count, out); break;
    case VRP_SOURCE_PLANE:
        if (problem->rule == VRP_CEIL_2D && problem->distances == MCO_VRP_DISTANCES_ROUNDED)
            plane_row_up(p->x + begin, p->y + begin, p->x[i], p->y[i], problem->scale, count, out);
        else
            plane_row(p->x + begin, p->y + begin, p->x[i], p->y[i], problem->scale, count, out);
        break;
    case VRP_SOURCE_MATRIX:
        matrix_row((is_to ? p->transposed : p->matrix) + (int64_t)p->node[i] * problem->nodes, p->node + begin, count, out);
        break;
    case VRP_SOURCE_PLAIN:
        for (int32_t j = 0; j < end - begin; j++)
            out[j] = is_to ? vrp_distance(problem, p->node[begin + j], p->node[i])
                           : vrp_distance(problem, p->node[i], p->node[begin + j]);
        break;
    }
}

// ---- Joins

// `is_full`: with weights, turns and bad routes; else all of these are zero.
static inline __attribute__((always_inline)) int32_t join_at(const vrp_join *j, const bool is_full, int32_t e)
{
    const int32_t d = j->distance[e];
    int32_t sum = d + j->add - j->edge[e], over = (j->load_room - j->load[e]) | (j->length_room - d - j->length[e]);
    if (is_full) {
        sum += (j->weight_own | j->weight[e]) + j->turn[e];
        over |= -(j->bad[e] ^ j->bad_is);
    }
    return over < 0 ? VRP_ILLEGAL : sum;
}

static inline __attribute__((always_inline)) void join_lanes(const vrp_join *given, const bool is_full, int32_t begin,
                                                             int32_t end, int32_t *restrict out)
{
    const vrp_join j = *given;
    for (int32_t e = begin; e < end; e++)
        out[e - begin] = join_at(&j, is_full, e);
}

static void join(const vrp_join *j, int32_t begin, int32_t end, int32_t *out)
{
    if (j->turn != NULL)
        join_lanes(j, true, begin, end, out);
    else
        join_lanes(j, false, begin, end, out);
}

static inline __attribute__((always_inline)) int32_t two_joins_lanes(const vrp_join *tail, const vrp_join *head,
                                                                     const bool is_full, int32_t begin, int32_t end,
                                                                     int32_t *restrict out)
{
    const vrp_join a = *tail, b = *head;
    const int32_t add = a.add + b.add;
    int32_t least = INT32_MAX;
    for (int32_t e = begin; e < end; e++) {
        const int32_t d = a.distance[e], f = b.distance[e];
        int32_t sum = d + f + add - a.edge[e];
        int32_t over = (a.load_room - a.load[e]) | (a.length_room - d - a.length[e]) | (b.load_room - b.load[e]) |
                       (b.length_room - f - b.length[e]);
        if (is_full) {
            sum += (a.weight_own | a.weight[e]) + (b.weight_own | b.weight[e]) + a.turn[e];
            over |= -(a.bad[e] ^ a.bad_is);
        }
        sum = over < 0 ? VRP_ILLEGAL : sum;
        out[e - begin] = sum;
        least = min32(least, sum);
    }
    return least;
}

static int32_t two_joins(const vrp_join *tail, const vrp_join *head, int32_t begin, int32_t end, int32_t *out)
{
    return tail->turn != NULL ? two_joins_lanes(tail, head, true, begin, end, out)
                              : two_joins_lanes(tail, head, false, begin, end, out);
}

// ---- Open parts

static inline int32_t legal(int32_t sum, int32_t over)
{
    return over < 0 ? VRP_ILLEGAL : sum;
}

static inline __attribute__((always_inline)) int32_t opening_lanes(const vrp_opening *given, const bool is_full, int32_t begin,
                                                                   int32_t end, int32_t *restrict out)
{
    const vrp_opening o = *given;
    int32_t least = INT32_MAX;
    for (int32_t e = begin; e < end; e++) {
        const int32_t edge = o.edge[e], inner_load = o.inner_load_room - o.route_load[e];
        const int32_t tail_load = o.tail_load[e], head_load = o.head_load[e];
        const int32_t tail_back = o.tail_back[e], head_length = o.head_length[e], route_length = o.route_length[e];
        const int32_t between = o.to_x1[e] + o.from_y_next[e], between_back = o.to_y[e] + o.from_x1_next[e];
        int32_t sums[4] = {between, between_back, o.from_x[e] + o.from_y_next[e], o.from_x1[e] + o.from_y1_next[e]};
        int32_t over[4] = {inner_load | (o.inner_length_room - between - route_length),
                           inner_load | (o.inner_back_room - between_back - route_length),
                           (o.tail_load_room[0] - tail_load) | (o.tail_length_room[0] - o.from_x[e] - tail_back) |
                               (o.head_load_room[0] - head_load) | (o.head_length_room[0] - o.from_y_next[e] - head_length),
                           (o.tail_load_room[1] - tail_load) | (o.tail_length_room[1] - o.from_x1[e] - tail_back) |
                               (o.head_load_room[1] - head_load) | (o.head_length_room[1] - o.from_y1_next[e] - head_length)};
        if (is_full) {
            const int32_t is_bad = -(o.bad[e] ^ o.bad_is), turn = o.turn[e];
            over[2] |= is_bad;
            over[3] |= is_bad;
            sums[2] += turn + (o.tail_weight_own | o.tail_weight[e]);
            sums[3] += turn + (o.head_weight_own | o.head_weight[e]);
        }
        const int32_t first = min32(legal(sums[0] + o.add[0], over[0]), legal(sums[1] + o.add[1], over[1]));
        const int32_t second = min32(legal(sums[2] + o.add[2], over[2]), legal(sums[3] + o.add[3], over[3]));
        const int32_t sum = min32(first, second) - edge;
        out[e - begin] = sum;
        least = min32(least, sum);
    }
    return least;
}

static int32_t opening(const vrp_opening *o, int32_t begin, int32_t end, int32_t *out)
{
    return o->turn != NULL ? opening_lanes(o, true, begin, end, out) : opening_lanes(o, false, begin, end, out);
}

static inline __attribute__((always_inline)) int32_t turning_lanes(const vrp_opening *given, const bool is_full, int32_t begin,
                                                                   int32_t end, int32_t *restrict out)
{
    const vrp_opening o = *given;
    int32_t least = INT32_MAX;
    for (int32_t e = begin; e < end; e++) {
        const int32_t change = o.from_x[e] + o.from_x1_next[e] - o.edge[e] + o.add[0] + (is_full ? o.turn[e] : 0);
        const int32_t sum = change > o.room ? VRP_ILLEGAL : change;
        out[e - begin] = sum;
        least = min32(least, sum);
    }
    return least;
}

static int32_t turning(const vrp_opening *o, int32_t begin, int32_t end, int32_t *out)
{
    return o->turn != NULL ? turning_lanes(o, true, begin, end, out) : turning_lanes(o, false, begin, end, out);
}

// All edges lie in one route: its load stays, and its length changes by as much as the cost.
static inline __attribute__((always_inline)) int32_t same_route_lanes(const vrp_opening *given, const bool is_full,
                                                                      int32_t begin, int32_t end, int32_t *restrict out)
{
    const vrp_opening o = *given;
    int32_t least = INT32_MAX;
    for (int32_t e = begin; e < end; e++) {
        const int32_t turn = is_full ? o.turn[e] : 0;
        const int32_t first = min32(o.to_x1[e] + o.from_y_next[e] + o.add[0], o.to_y[e] + o.from_x1_next[e] + o.add[1]);
        const int32_t turned = o.from_x1[e] + o.from_y1_next[e] + o.add[3];
        const int32_t second = min32(o.from_x[e] + o.from_y_next[e] + o.add[2], turned) + turn;
        const int32_t change = min32(first, second) - o.edge[e], sum = change > o.room ? VRP_ILLEGAL : change;
        out[e - begin] = sum;
        least = min32(least, sum);
    }
    return least;
}

static int32_t same_route(const vrp_opening *o, int32_t begin, int32_t end, int32_t *out)
{
    return o->turn != NULL ? same_route_lanes(o, true, begin, end, out) : same_route_lanes(o, false, begin, end, out);
}

// ---- Closed parts

// First edges of a block that are evaluated together, as many as the registers allow: AVX-512 has 32, other units 16.
#if defined(__AVX512BW__)
enum { TOGETHER = 4 };
#else
enum { TOGETHER = 2 };
#endif

// Whether a sum of the block is within its limit.
static inline __attribute__((always_inline)) bool run_block(const vrp_closed *c, const bool is_symmetric, int32_t x, int32_t y,
                                                            int32_t begin, int32_t end)
{
    const int tables = is_symmetric ? VRP_SYMMETRIC_TABLES : VRP_TABLES;
    const int32_t *of_x = VRP_TABLES_OF_X[is_symmetric], *of_y = VRP_TABLES_OF_Y[is_symmetric];
    const int64_t row_items = (int64_t)c->columns * tables;
    const int32_t *in_x[TOGETHER], *in_y = c->tables + y * row_items;
    vec least[4][TOGETHER];
    UNROLL(4)
    for (int i = 0; i < TOGETHER; i++) {
        in_x[i] = c->tables + (x + i) * row_items;
        UNROLL(4)
        for (int p = 0; p < 4; p++)
            least[p][i] = broadcast(INT32_MAX);
    }
    for (int64_t at = (int64_t)begin * tables; at < (int64_t)end * tables; at += VRP_CHUNK * tables)
        UNROLL(4)
        for (int part = 0; part < VRP_CHUNK; part += LANES) {
            vec of[VRP_TABLES];
            UNROLL(4)
            for (int p = 0; p < 4; p++)
                of[p] = *(const vec *)(in_y + at + of_y[p] * VRP_CHUNK + part);
            UNROLL(4)
            for (int i = 0; i < TOGETHER; i++)
                UNROLL(4)
                for (int p = 0; p < 4; p++)
                    least[p][i] = lesser(least[p][i], *(const vec *)(in_x[i] + at + of_x[p] * VRP_CHUNK + part) + of[p]);
        }
    vec is_within = broadcast(0);
    UNROLL(4)
    for (int i = 0; i < TOGETHER; i++) {
        const int32_t *constants = c->constants + (int64_t)(y - c->y_begin) * 4 * c->constant_stride + x + i;
        vec sum = least[0][i] + broadcast(constants[0]);
        UNROLL(4)
        for (int p = 1; p < 4; p++)
            sum = lesser(sum, least[p][i] + broadcast(constants[p * c->constant_stride]));
        is_within |= (vec)(sum <= broadcast(c->limits[x + i]));
    }
    int32_t any = 0;
    UNROLL(16)
    for (int l = 0; l < LANES; l++)
        any |= is_within[l];
    return any != 0;
}

static inline __attribute__((always_inline)) void run_closed(const vrp_closed *c, const bool is_symmetric)
{
    for (int32_t x = c->x_begin; x < c->x_end; x += VRP_BLOCK)
        for (int32_t y = c->y_begin; y < c->y_end; y++) {
            if (x >= c->x_end_of[y])
                continue;
            const int32_t from = (c->z_begin_of[y] - c->first_column) / VRP_CHUNK * VRP_CHUNK;
            const int32_t begin = from > c->begin ? from : c->begin;
            bool is_found = false;
            for (int32_t i = 0; i < VRP_BLOCK && begin < c->end; i += TOGETHER)
                is_found |= run_block(c, is_symmetric, x + i, y, begin, c->end);
            if (is_found)
                c->found(c->user, c, x, y);
        }
}

static void closed(const vrp_closed *c)
{
    if (c->table_count == VRP_SYMMETRIC_TABLES)
        run_closed(c, true);
    else
        run_closed(c, false);
}

static void closed_pair(const vrp_closed *c, int32_t x, int32_t y, int32_t *restrict out)
{
    const bool is_symmetric = c->table_count == VRP_SYMMETRIC_TABLES;
    const int32_t *of_x = VRP_TABLES_OF_X[is_symmetric], *of_y = VRP_TABLES_OF_Y[is_symmetric];
    const int32_t *constants = c->constants + (int64_t)(y - c->y_begin) * 4 * c->constant_stride + x;
    const int32_t *in_x = c->tables + vrp_table_place(x, c->columns, c->table_count, 0, c->begin);
    const int32_t *in_y = c->tables + vrp_table_place(y, c->columns, c->table_count, 0, c->begin);
    for (int32_t at = 0; at < c->end - c->begin; at += VRP_CHUNK) {
        for (int l = 0; l < VRP_CHUNK; l++)
            out[at + l] = INT32_MAX;
        for (int p = 0; p < 4; p++)
            for (int l = 0; l < VRP_CHUNK; l++)
                out[at + l] = min32(out[at + l], in_x[at * c->table_count + of_x[p] * VRP_CHUNK + l] +
                                                     in_y[at * c->table_count + of_y[p] * VRP_CHUNK + l] +
                                                     constants[p * c->constant_stride]);
    }
}


extern const vrp_lanes_variant VARIANT(vrp_lanes);
const vrp_lanes_variant VARIANT(vrp_lanes) = {{LANE_SIMD, 0}, row, join, two_joins,
                                                            turning, opening, same_route, closed, closed_pair};
