// SPDX-License-Identifier: MIT
// An order of the vertices in which neighbours are near in memory.
//
// Where places are known, vertices follow the Hilbert curve through a grid of 2^16 x 2^16 cells, those of a cell by their number:
// any run of vertices is a compact piece of the map, and on a square grid runs of 4^k vertices are squares. Else parts of
// `tile` vertices grow in breadth-first order; each begins at the oldest vertex that an earlier part has seen and not taken.
//
// Source: Hilbert (1891); the walk down the quadrants is that of Skilling (2004) for two axes.
#include <math.h>

#include "paths/single/single.h"

// ---- Places

enum { CURVE_BITS = 16, DIGIT = 11, DIGITS = 1 << DIGIT, PASSES = 3 };  // 3 digits of 11 bits hold 32 bits

// The place of a cell on the curve.
static uint32_t curve_of(uint32_t x, uint32_t y)
{
    uint32_t place = 0;
    for (uint32_t side = 1u << (CURVE_BITS - 1); side > 0; side /= 2) {
        const uint32_t right = (x & side) != 0, upper = (y & side) != 0;
        place = place << 2 | ((3 * right) ^ upper);
        if (upper == 0) {  // the lower quadrants are mirrored and turned
            const uint32_t flip = right != 0 ? 2 * side - 1 : 0, old = x;
            x = y ^ flip;
            y = old ^ flip;
        }
    }
    return place;
}

typedef struct range {
    double low, scale;  // of cells
} range;

static range range_of(const double *x, const double *y, int32_t n, const double *of)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t v = 0; v < n; v++) {
        low[0] = fmin(low[0], x[v]);
        high[0] = fmax(high[0], x[v]);
        low[1] = fmin(low[1], y[v]);
        high[1] = fmax(high[1], y[v]);
    }
    // One scale for both axes: cells are squares. `span` cells fit into the grid.
    const double span = fmax(high[0] - low[0], high[1] - low[1]);
    return (range){low[of == y], span > 0 ? ((1 << CURVE_BITS) - 1) / span : 0};
}

static uint32_t cell_of(const range *r, double at)
{
    return (uint32_t)((at - r->low) * r->scale);
}

// Sorts `from` [n] by the digit at `shift` of its upper half into `to`, stable.
static void sort_by_digit(const uint64_t *from, uint64_t *to, int32_t n, int shift)
{
    int32_t begin[DIGITS + 1] = {0};
    for (int32_t k = 0; k < n; k++)
        begin[(from[k] >> shift & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++)
        begin[d + 1] += begin[d];
    for (int32_t k = 0; k < n; k++)
        to[begin[from[k] >> shift & (DIGITS - 1)]++] = from[k];
}

static mco_status order_by_places(mco_context *ctx, const mco_paths_rows *rows, int32_t *vertex_at)
{
    mco_status st = MCO_OK;
    const int32_t n = rows->vertices;
    const range along = range_of(rows->x, rows->y, n, rows->x), across = range_of(rows->x, rows->y, n, rows->y);
    uint64_t *key = NULL, *other = NULL;  // place on the curve << 32 | vertex
    MCO_TRY(mco_alloc(ctx, &key, n));
    MCO_TRY(mco_alloc(ctx, &other, n));
    for (int32_t v = 0; v < n; v++) {
        MCO_TRY(mco_call_in_time(ctx, v));
        key[v] = (uint64_t)curve_of(cell_of(&along, rows->x[v]), cell_of(&across, rows->y[v])) << 32 | (uint32_t)v;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        MCO_TRY(mco_call_in_time(ctx, 0));
        sort_by_digit(key, other, n, 32 + pass * DIGIT);
        uint64_t *swap = key;
        key = other;
        other = swap;
    }
    for (int32_t k = 0; k < n; k++)
        vertex_at[k] = (int32_t)(uint32_t)key[k];
done:
    mco_free(ctx, &other);
    mco_free(ctx, &key);
    return st;
}

// ---- Parts

typedef enum standing { STANDING_NEW, STANDING_SEEN, STANDING_TAKEN } standing;

typedef struct growth {
    const mco_paths_rows *rows;
    uint8_t *standing;   // [vertices] seen: noted at the border of a part; taken: it has a place
    int32_t *vertex_at;  // [taken] the order so far; its end is the queue of the part that grows
    int32_t taken;
    int32_t *seen;       // [seen_count] vertices at the borders of parts, oldest first
    int32_t seen_at, seen_count;
    int32_t lowest;      // vertices below this one have a place
} growth;

static void take(growth *g, int32_t vertex)
{
    g->standing[vertex] = STANDING_TAKEN;
    g->vertex_at[g->taken++] = vertex;
}

// A vertex without a place: the oldest that was seen, else the first of all.
static int32_t next_seed(growth *g)
{
    while (g->seen_at < g->seen_count && g->standing[g->seen[g->seen_at]] == STANDING_TAKEN)
        g->seen_at++;
    if (g->seen_at < g->seen_count)
        return g->seen[g->seen_at];
    while (g->standing[g->lowest] == STANDING_TAKEN)
        g->lowest++;
    return g->lowest;
}

// Notes the neighbours without a place of the vertices from place `begin` on. Each vertex is noted once.
static void note_border(growth *g, int32_t begin)
{
    const mco_paths_rows *r = g->rows;
    for (int32_t k = begin; k < g->taken; k++)
        for (int64_t a = r->first[g->vertex_at[k]]; a < r->first[g->vertex_at[k] + 1]; a++)
            if (g->standing[r->head[a]] == STANDING_NEW) {
                g->standing[r->head[a]] = STANDING_SEEN;
                g->seen[g->seen_count++] = r->head[a];
            }
}

static void grow_part(growth *g, int32_t tile)
{
    const mco_paths_rows *r = g->rows;
    const int32_t begin = g->taken, end = r->vertices - begin < tile ? r->vertices : begin + tile;
    for (int32_t at = begin; g->taken < end; at++) {
        if (at == g->taken)  // all that the part reaches has a place
            take(g, next_seed(g));
        const int32_t v = g->vertex_at[at];
        for (int64_t a = r->first[v]; a < r->first[v + 1] && g->taken < end; a++)
            if (g->standing[r->head[a]] != STANDING_TAKEN)
                take(g, r->head[a]);
    }
    note_border(g, begin);
}

static mco_status order_by_parts(mco_context *ctx, const mco_paths_rows *rows, int32_t tile, int32_t *vertex_at)
{
    enum { PARTS_OF_A_LOOK = 64 };
    mco_status st = MCO_OK;
    growth g = {.rows = rows, .vertex_at = vertex_at};
    MCO_TRY(mco_alloc(ctx, &g.standing, rows->vertices));
    MCO_TRY(mco_alloc(ctx, &g.seen, rows->vertices));
    for (int64_t part = 0; g.taken < rows->vertices; part++) {
        MCO_TRY(mco_call_in_time(ctx, part % PARTS_OF_A_LOOK == 0 ? 0 : 1));
        grow_part(&g, tile);
    }
done:
    mco_free(ctx, &g.seen);
    mco_free(ctx, &g.standing);
    return st;
}

mco_status paths_local_order(mco_context *ctx, const mco_paths_rows *rows, int32_t tile, int32_t **vertex_at)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, vertex_at, rows->vertices));
    if (rows->x != NULL && rows->y != NULL)
        MCO_TRY(order_by_places(ctx, rows, *vertex_at));
    else
        MCO_TRY(order_by_parts(ctx, rows, tile, *vertex_at));
done:
    if (st != MCO_OK)
        mco_free(ctx, vertex_at);
    return st;
}
