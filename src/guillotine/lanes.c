// SPDX-License-Identifier: MIT
// One tile of the table (guillotine/lanes.h). This file is compiled once for each vector unit and lane width.
#include "guillotine/lanes.h"

#include <string.h>

#include "base/lanes.h"

// Registers hold AT_ONCE vectors each of TARGETS rows of sums and of one strip: 20 or 12 registers.
enum { AT_ONCE = 4, TARGETS = VEC_BYTES == 64 ? 4 : 2 };
// Strips of a block. Where positions are dense, they meet about 88 rows of 256 bytes; together they stay within 32 KiB.
enum { STRIPS = 24 };

#if LANE_BITS == 16
typedef uint16_t lane;
#elif LANE_BITS == 32
typedef int32_t lane;
#else
typedef int64_t lane;
#endif
enum { P = GUILLOTINE_PANEL_BYTES / sizeof(lane), LANES = VEC_BYTES / sizeof(lane), VECS = P / LANES };
#define IS_WASTE (LANE_BITS == 16)

typedef lane vec __attribute__((vector_size(VEC_BYTES), may_alias));

// The lesser waste or the greater value.
static inline vec better(vec a, vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return (vec)_mm512_min_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__) && LANE_BITS == 32
    return (vec)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return (vec)_mm512_max_epi64((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && LANE_BITS == 16
    return (vec)_mm256_min_epu16((__m256i)a, (__m256i)b);
#elif defined(__AVX2__) && LANE_BITS == 32
    return (vec)_mm256_max_epi32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && LANE_BITS == 16
    return (vec)_mm_sub_epi16((__m128i)a, _mm_subs_epu16((__m128i)a, (__m128i)b));
#elif LANE_BITS == 16
    vec m = (vec)(a < b);
    return (a & m) | (b & ~m);
#else
    vec m = (vec)(a > b);
    return (a & m) | (b & ~m);
#endif
}

static inline bool differ(vec a, vec b)
{
#if defined(__AVX512BW__)
    return _mm512_cmpneq_epi32_mask((__m512i)a, (__m512i)b) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)(a ^ b), (__m256i)(a ^ b));
#elif defined(__SSE2__)
    return _mm_movemask_epi8(_mm_cmpeq_epi32((__m128i)a, (__m128i)b)) != 0xffff;
#else
    return memcmp(&a, &b, sizeof a) != 0;
#endif
}

typedef struct tile {
    lane row[P][P];
} tile;

typedef struct scratch {
    tile x_cuts, y_cuts;  // the best cuts outside the tile, with rows by x and with rows by y
    tile by_x, by_y;      // the cells, in the same two layouts
} scratch;

// ---- Cuts whose parts both lie before the tile

// One axis of one tile.
typedef struct side {
    const guillotine_lanes_axis *axis;
    const lane *panel;              // [axis->count + 1][P]
    const guillotine_strip *strips;
    int32_t strip_count;
    int32_t first, rows;            // positions of the tile
} side;

static inline const lane *row(const side *s, int64_t position)
{
    return s->panel + position * P;
}

// cuts[t] = better(cuts[t], strip + rest) for rows t = 0 .. targets - 1 of cuts, at positions target + t, and strips
// [from, to).
#define RELAX(targets)                                                                                         \
    for (int part = 0; part < VECS; part += AT_ONCE) {                                                         \
        vec sum[targets][AT_ONCE];                                                                             \
        for (int t = 0; t < (targets); t++)                                                                    \
            for (int v = 0; v < AT_ONCE; v++)                                                                  \
                sum[t][v] = ((vec *)cuts[t])[part + v];                                                        \
        for (const guillotine_strip *k = s->strips + from; k < s->strips + to; k++) {                          \
            const vec *strip = (const vec *)row(s, k->position) + part;                                        \
            vec a[AT_ONCE];                                                                                    \
            for (int v = 0; v < AT_ONCE; v++)                                                                  \
                a[v] = strip[v];                                                                               \
            for (int t = 0; t < (targets); t++) {                                                              \
                const vec *rest = (const vec *)row(s, rank[t][-(int64_t)k->at]) + part;                        \
                for (int v = 0; v < AT_ONCE; v++)                                                              \
                    sum[t][v] = better(sum[t][v], a[v] + rest[v]);                                             \
            }                                                                                                  \
        }                                                                                                      \
        for (int t = 0; t < (targets); t++)                                                                    \
            for (int v = 0; v < AT_ONCE; v++)                                                                  \
                ((vec *)cuts[t])[part + v] = sum[t][v];                                                        \
    }

static void relax_group(const side *s, int32_t target, lane (*cuts)[P], int32_t from, int32_t to)
{
    const int32_t *rank[TARGETS];
    for (int t = 0; t < TARGETS; t++)
        rank[t] = s->axis->rank + s->axis->at[target + t];
    RELAX(TARGETS)
}

static void relax_one(const side *s, int32_t target, lane (*cuts)[P], int32_t from, int32_t to)
{
    const int32_t *rank[1] = {s->axis->rank + s->axis->at[target]};
    RELAX(1)
}

// The number of strips below coordinate `at`, which is the index of the first strip at or beyond it.
static int32_t strips_below(const side *s, int64_t at)
{
    int32_t low = 0, high = s->strip_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (s->strips[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Rows of the tile that are computed together, all with the same strips [from, to). A strip before `from` leaves a rest
// inside the tile for at least one of the rows.
typedef struct group {
    int32_t row, rows, from, to;
} group;

static int make_groups(const side *s, group *groups)
{
    const int32_t *at = s->axis->at + s->first;
    int count = 0;
    for (int32_t r = s->first == 0 ? 1 : 0; r < s->rows;) {
        const bool is_full = r + TARGETS <= s->rows && at[r + TARGETS - 1] / 2 <= at[r];
        const int32_t rows = is_full ? TARGETS : 1, last = r + rows - 1;
        const int32_t to = strips_below(s, (int64_t)at[last] / 2 + 1);
        int32_t from = strips_below(s, (int64_t)at[last] - at[0] + 1);
        from = from < to ? from : to;
        groups[count++] = (group){r, rows, from, to};
        r += rows;
    }
    return count;
}

// Relaxes all groups, one block of strips after the other. Returns the number of pairs of rows added.
static int64_t relax_outside(const side *s, const group *groups, int count, tile *cuts)
{
    int64_t pairs = 0;
    for (int32_t block = 0; block < s->strip_count; block += STRIPS)
        for (int g = 0; g < count; g++) {
            const int32_t from = groups[g].from > block ? groups[g].from : block;
            const int32_t to = groups[g].to < block + STRIPS ? groups[g].to : block + STRIPS;
            if (from >= to)
                continue;
            pairs += (int64_t)groups[g].rows * (to - from);
            if (groups[g].rows == TARGETS)
                relax_group(s, s->first + groups[g].row, &cuts->row[groups[g].row], from, to);
            else
                relax_one(s, s->first + groups[g].row, &cuts->row[groups[g].row], from, to);
        }
    return pairs;
}

// ---- Closing the tile

static inline const lane *row_of(const side *s, const tile *cells, int64_t position)
{
    return position >= s->first && position < s->first + s->rows ? cells->row[position - s->first] : row(s, position);
}

static inline void relax_row(lane *best, const lane *strip, const lane *rest)
{
    for (int v = 0; v < VECS; v++)
        ((vec *)best)[v] = better(((vec *)best)[v], ((const vec *)strip)[v] + ((const vec *)rest)[v]);
}

// Relaxes the cuts of row r with the rest inside the tile: strips before `from`, and the rows of the tile itself as
// strips.
static int64_t relax_inside(const side *s, int32_t r, int32_t from, const tile *cells, lane *best)
{
    const int32_t *at = s->axis->at, target = at[s->first + r], half = target / 2;
    int64_t pairs = 0;
    for (int32_t k = 0; k < from && s->strips[k].at <= half; k++, pairs++)
        relax_row(best, row(s, s->strips[k].position),
                  row_of(s, cells, s->axis->rank[target - s->strips[k].at]));
    for (int32_t p = s->first > 0 ? s->first : 1; p < s->first + r && at[p] <= half; p++, pairs++)
        relax_row(best, cells->row[p - s->first], row_of(s, cells, s->axis->rank[target - at[p]]));
    return pairs;
}

#if IS_WASTE
// min(a * b, most) for a, b >= 0.
static inline int32_t product_below(int32_t a, int32_t b, int32_t most)
{
    enum { LARGE = 1 << 15 };
    const int32_t p = (a < LARGE ? a : LARGE) * (b < LARGE ? b : LARGE);
    return p < most ? p : most;
}
#endif

// best = better(best, before), where the row `before` lies `gap` below; lanes have the coordinates lane_at [P].
static inline void carry(const guillotine_lanes_run *run, lane *best, const lane *before, int32_t gap,
                         const int32_t *lane_at)
{
#if IS_WASTE
    // A lane at coordinate 0 has no area. If the first other lane wastes the cap in the gap, so do all others.
    if (product_below(gap, lane_at[lane_at[0] == 0], run->cap) == run->cap)
        return;
    for (int l = 0; l < P; l++) {
        const int32_t waste = before[l] + product_below(gap, lane_at[l], run->cap);
        best[l] = (lane)(waste < best[l] ? waste : best[l]);
    }
#else
    (void)run, (void)gap, (void)lane_at;
    for (int v = 0; v < VECS; v++)
        ((vec *)best)[v] = better(((vec *)best)[v], ((const vec *)before)[v]);
#endif
}

// One pass over the rows of the tile: cells = better(cells, cuts, carry). Returns true if a cell changed. A row is
// irreducible if one of its cells is better than its cuts and its carry.
static bool close_rows(const guillotine_lanes_run *run, const side *s, const group *groups, int count,
                       const int32_t *lane_at, bool has_cuts, const tile *cuts, tile *cells, bool *is_irreducible,
                       int64_t *pairs)
{
    _Alignas(VEC_BYTES) lane best[P];
    const int32_t *at = s->axis->at;
    bool is_changed = false;
    for (int g = 0; g < count; g++)
        for (int32_t r = groups[g].row; r < groups[g].row + groups[g].rows; r++) {
            const int64_t position = s->first + r;
            memcpy(best, cuts->row[r], sizeof best);
            if (has_cuts)
                *pairs += relax_inside(s, r, groups[g].from, cells, best);
            carry(run, best, row_of(s, cells, position - 1), at[position] - at[position - 1], lane_at);
            bool is_better = false;
            for (int v = 0; v < VECS; v++) {
                const vec mine = ((vec *)cells->row[r])[v], all = better(mine, ((vec *)best)[v]);
                is_changed |= differ(all, mine);
                is_better |= differ(all, ((vec *)best)[v]);
                ((vec *)cells->row[r])[v] = all;
            }
            is_irreducible[r] = is_better;
        }
    return is_changed;
}

// ---- Transposition, in blocks of 16 bytes

typedef lane vec16 __attribute__((vector_size(16), may_alias));
enum { BLOCK = 16 / sizeof(lane) };

// The lanes of the first halves of a and b, interleaved; and those of the second halves.
#if LANE_BITS == 16
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define SECOND_HALVES(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif LANE_BITS == 32
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define SECOND_HALVES(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#else
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 2)
#define SECOND_HALVES(a, b) __builtin_shufflevector(a, b, 1, 3)
#endif

// A perfect shuffle of the rows, log2(BLOCK) times, transposes a block.
static inline void transpose_block(const tile *from, tile *to, int i, int j)
{
    vec16 rows[BLOCK], next[BLOCK];
    for (int k = 0; k < BLOCK; k++)
        rows[k] = *(const vec16 *)&from->row[i + k][j];
    for (int width = 1; width < BLOCK; width *= 2) {
        for (int k = 0; k < BLOCK / 2; k++) {
            next[2 * k] = FIRST_HALVES(rows[k], rows[k + BLOCK / 2]);
            next[2 * k + 1] = SECOND_HALVES(rows[k], rows[k + BLOCK / 2]);
        }
        for (int k = 0; k < BLOCK; k++)
            rows[k] = next[k];
    }
    for (int k = 0; k < BLOCK; k++)
        *(vec16 *)&to->row[j + k][i] = rows[k];
}

static void transpose(const tile *from, tile *to)
{
    for (int i = 0; i < P; i += BLOCK)
        for (int j = 0; j < P; j += BLOCK)
            transpose_block(from, to, i, j);
}

// ---- Where a tile begins and ends

static void fill(tile *cells, lane value)
{
    for (int r = 0; r < P; r++)
        for (int l = 0; l < P; l++)
            cells->row[r][l] = value;
}

// The cells before any cut: seeds, and elsewhere no piece at all.
static void begin_with_seeds(const guillotine_lanes_run *run, const side *x, const side *y, int64_t tile_number,
                             const int32_t *lane_at, tile *cells)
{
#if IS_WASTE
    for (int32_t r = 0; r < P; r++) {
        const int32_t at = r < x->rows ? x->axis->at[x->first + r] : INT32_MAX;
        for (int l = 0; l < P; l++)
            cells->row[r][l] = (lane)product_below(at, lane_at[l], run->cap);
    }
#else
    (void)lane_at;
    fill(cells, 0);
#endif
    for (int64_t k = run->seeds_of_tile[tile_number]; k < run->seeds_of_tile[tile_number + 1]; k++) {
        const guillotine_seed *seed = &run->seeds[k];
        lane *cell = &cells->row[seed->i - x->first][seed->j - y->first];
#if IS_WASTE
        const int64_t waste = (int64_t)x->axis->at[seed->i] * y->axis->at[seed->j] - seed->value;
        *cell = (lane)(waste < run->cap ? waste : run->cap);
#else
        *cell = (lane)seed->value;
#endif
    }
}

static side make_side(const guillotine_lanes_axis *axis, int32_t tile_number, int32_t panel)
{
    side s = {.axis = axis, .first = tile_number * P};
    s.rows = axis->count - s.first < P ? axis->count - s.first : P;
    if (axis->table != NULL)
        s.panel = (const lane *)axis->table + (int64_t)panel * (axis->count + 1) * P;
    if (axis->strips != NULL) {
        s.strips = axis->strips + (int64_t)panel * axis->count;
        s.strip_count = axis->strip_count[panel];
    }
    return s;
}

static void end_side(const side *s, int32_t panel, const tile *cells, const bool *is_irreducible)
{
    memcpy((lane *)s->panel + (int64_t)s->first * P, cells->row, (size_t)s->rows * sizeof cells->row[0]);
    if (s->axis->strips == NULL)
        return;
    int32_t *count = &s->axis->strip_count[panel];
    guillotine_strip *strips = s->axis->strips + (int64_t)panel * s->axis->count;
    for (int32_t r = s->first == 0 ? 1 : 0; r < s->rows; r++)
        if (is_irreducible[r])
            strips[(*count)++] = (guillotine_strip){s->first + r, s->axis->at[s->first + r]};
}

// Coordinates of the lanes of a tile. Lanes beyond the last position repeat its coordinate.
static void lanes_of(const side *s, int32_t *at)
{
    for (int32_t l = 0; l < P; l++)
        at[l] = s->axis->at[s->first + (l < s->rows ? l : s->rows - 1)];
}

static const lane *tile_before(const char *table, const guillotine_lanes_axis *axis, int32_t panel, const side *s)
{
    return (const lane *)table + ((int64_t)panel * (axis->count + 1) + s->first) * P;
}

// A tile that is being computed.
typedef struct cells {
    const guillotine_lanes_run *run;
    scratch *m;
    int32_t ti, tj;
    side x, y;
    group x_groups[P], y_groups[P];
    int x_count, y_count;            // of groups
    int32_t x_lanes[P], y_lanes[P];  // coordinates of the lanes: x of rows by y, y of rows by x
    bool x_irreducible[P], y_irreducible[P];
    int64_t x_pairs, y_pairs;  // pairs of rows added
} cells;

// Clears the rows beyond the last position. They would otherwise hold data of the tile computed before, and that data
// would decide which strips are irreducible.
static void clear_rows(tile *t, int32_t from)
{
    for (int32_t r = from; r < P; r++)
        memset(t->row[r], 0, sizeof t->row[r]);
}

static void begin_tile(cells *c)
{
    const guillotine_lanes_run *run = c->run;
    scratch *m = c->m;
    if (run->before_a != NULL) {
        memcpy(m->by_x.row, tile_before(run->before_a, &run->x, c->tj, &c->x), (size_t)c->x.rows * sizeof m->by_x.row[0]);
        clear_rows(&m->by_x, c->x.rows);
    } else if (run->before_b != NULL) {
        memcpy(m->by_y.row, tile_before(run->before_b, &run->y, c->ti, &c->y), (size_t)c->y.rows * sizeof m->by_y.row[0]);
        clear_rows(&m->by_y, c->y.rows);
        transpose(&m->by_y, &m->by_x);
    } else {
        begin_with_seeds(run, &c->x, &c->y, (int64_t)c->ti * run->y.tiles + c->tj, c->y_lanes, &m->by_x);
    }
}

// Passes along x and y alternate until a pass after the first changes nothing. The tile is then closed along both axes.
static void close_tile(cells *c)
{
    const guillotine_lanes_run *run = c->run;
    scratch *m = c->m;
    const bool is_closed_x = run->x.table != NULL, is_closed_y = run->y.table != NULL;
    for (int pass = 0;; pass++) {
        bool is_changed = true;
        if (pass % 2 == 0 && is_closed_x)
            is_changed = close_rows(run, &c->x, c->x_groups, c->x_count, c->y_lanes, run->has_cuts_x, &m->x_cuts, &m->by_x,
                                    c->x_irreducible, &c->x_pairs);
        if (pass % 2 == 1 && is_closed_y)
            is_changed = close_rows(run, &c->y, c->y_groups, c->y_count, c->x_lanes, run->has_cuts_y, &m->y_cuts, &m->by_y,
                                    c->y_irreducible, &c->y_pairs);
        if (pass > 0 && (!is_changed || !is_closed_x || !is_closed_y))
            return;
        if (pass % 2 == 0)
            transpose(&m->by_x, &m->by_y);
        else
            transpose(&m->by_y, &m->by_x);
    }
}

static void relax_tile(cells *c)
{
    c->x_count = make_groups(&c->x, c->x_groups);
    c->y_count = make_groups(&c->y, c->y_groups);
    fill(&c->m->x_cuts, (lane)c->run->cap);
    fill(&c->m->y_cuts, (lane)c->run->cap);
    if (c->run->has_cuts_x)
        c->x_pairs = relax_outside(&c->x, c->x_groups, c->x_count, &c->m->x_cuts);
    if (c->run->has_cuts_y)
        c->y_pairs = relax_outside(&c->y, c->y_groups, c->y_count, &c->m->y_cuts);
}

static void write_out(const cells *c)
{
    lane *out = (lane *)c->run->out + (int64_t)c->x.first * c->y.axis->count + c->y.first;
    for (int32_t r = 0; r < c->x.rows; r++)
        memcpy(out + (int64_t)r * c->y.axis->count, c->m->by_x.row[r], (size_t)c->y.rows * sizeof(lane));
}

// ---- Tiles that a run by waste has computed, with no cell at its cap

#if LANE_BITS == 32
enum { WASTE_P = GUILLOTINE_PANEL_BYTES / sizeof(uint16_t) };

// Says which rows [first, first + rows) are irreducible strips of the wider panel of the run by waste.
static void read_irreducible(const guillotine_lanes_axis *known, int32_t panel, int32_t first, int32_t rows,
                             bool *is_irreducible)
{
    const guillotine_strip *strips = known->strips + (int64_t)panel * known->count;
    int32_t low = 0, high = known->strip_count[panel];  // the first strip at or beyond `first`
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (strips[middle].position < first)
            low = middle + 1;
        else
            high = middle;
    }
    for (int32_t r = 0; r < rows; r++)
        is_irreducible[r] = false;
    for (; low < known->strip_count[panel] && strips[low].position < first + rows; low++)
        is_irreducible[strips[low].position - first] = true;
}

static bool is_known(cells *c)
{
    const guillotine_lanes_run *known = c->run->known;
    if (known == NULL)
        return false;
    const int32_t lanes = c->y.rows, panel = c->y.first / WASTE_P;
    const uint16_t *waste = (const uint16_t *)(const void *)known->x.table +
                            ((int64_t)panel * (known->x.count + 1) + c->x.first) * WASTE_P + c->y.first % WASTE_P;
    for (int32_t r = 0; r < c->x.rows; r++) {
        const int32_t at = c->x.axis->at[c->x.first + r];
        uint16_t most = 0;
        for (int32_t l = 0; l < lanes; l++) {
            const uint16_t w = waste[(int64_t)r * WASTE_P + l];
            most = w > most ? w : most;
            c->m->by_x.row[r][l] = (int32_t)((uint32_t)at * (uint32_t)c->y_lanes[l] - w);
        }
        if (most >= known->cap)
            return false;
        for (int32_t l = lanes; l < P; l++)
            c->m->by_x.row[r][l] = 0;
    }
    clear_rows(&c->m->by_x, c->x.rows);
    transpose(&c->m->by_x, &c->m->by_y);
    read_irreducible(&known->x, panel, c->x.first, c->x.rows, c->x_irreducible);
    read_irreducible(&known->y, c->x.first / WASTE_P, c->y.first, c->y.rows, c->y_irreducible);
    return true;
}
#else
static bool is_known(cells *c)
{
    (void)c;
    return false;
}
#endif

static int64_t run_tile(const guillotine_lanes_run *run, int32_t ti, int32_t tj, void *memory)
{
    cells c = {.run = run, .m = memory, .ti = ti, .tj = tj, .x = make_side(&run->x, ti, tj), .y = make_side(&run->y, tj, ti)};
    lanes_of(&c.x, c.x_lanes);
    lanes_of(&c.y, c.y_lanes);
    if (!is_known(&c)) {
        relax_tile(&c);
        begin_tile(&c);
        close_tile(&c);
    }
    if (run->out != NULL)
        write_out(&c);
    if (run->x.table != NULL)
        end_side(&c.x, tj, &c.m->by_x, c.x_irreducible);
    if (run->y.table != NULL)
        end_side(&c.y, ti, &c.m->by_y, c.y_irreducible);
    return c.x_pairs * c.y.rows + c.y_pairs * c.x.rows;
}

extern const guillotine_lanes_variant VARIANT(guillotine_lanes);
const guillotine_lanes_variant VARIANT(guillotine_lanes) = {{LANE_SIMD, LANE_BITS}, run_tile, sizeof(scratch)};
