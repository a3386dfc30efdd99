// SPDX-License-Identifier: MIT
// The inner loops of the complete neighbourhoods, compiled once for each vector unit.
//
// A move of the giant tour is folded into a sum of 32-bit integers: what each join costs, less what the edges cut cost. A join
// that makes a route too heavy or too long, and a part that may not be reversed, has a value so large that no sum with it is
// mistaken for a legal one (VRP_ILLEGAL; vrp/sweep/cpu.c shows the bounds). So one minimum over sums decides cost and
// feasibility of every move in it.
//
// A part of the tour that holds a depot is closed: the new edges at its two ends make different routes, and each join is legal
// or not by itself. Parts without a depot are open.
//
// Arrays are in tour order. "Lanes" are edges of the tour, side by side in a vector: edge e has the tail at position e and the
// head at e + 1.
#ifndef MCO_VRP_SWEEP_LANES_H
#define MCO_VRP_SWEEP_LANES_H

#include "base/simd.h"
#include "vrp/instance.h"

enum {
    VRP_ILLEGAL = 1 << 29,
    VRP_PAD = 64,          // int32_t that loops may read or write beyond the end of a row
    VRP_BLOCK = 4,         // first edges that go together; tables have rows for a multiple of it
    VRP_CHUNK = 16         // columns of one table that lie side by side, the widest vector
};

// ---- Distances

typedef enum vrp_source {
    VRP_SOURCE_GRID,    // integers of at most VRP_GRID_LIMIT, EUC_2D rounded
    VRP_SOURCE_PLANE,   // any coordinates, EUC_2D or CEIL_2D
    VRP_SOURCE_MATRIX,
    VRP_SOURCE_PLAIN    // vrp_distance() for each
} vrp_source;

// The squared distance of two points with coordinates up to this, and what the rounding adds, are integers below 2^24.
enum { VRP_GRID_LIMIT = 2800 };

typedef struct vrp_places {
    const mco_vrp *problem;
    vrp_source source;
    const int32_t *node;         // [count] the tour
    const float *grid_x, *grid_y;  // [count] less the least coordinate
    const double *x, *y;         // [count]
    const int32_t *matrix;       // by node
    const int32_t *transposed;   // the same matrix where distances are symmetric
} vrp_places;

// ---- Sums

// One join of a given end with every lane: legal where load <= load_room, distance + length <= length_room, and bad == bad_is.
// out = distance + add + (weight_own | weight) - edge + turn.
typedef struct vrp_join {
    const int32_t *distance, *load, *length, *weight, *edge, *turn, *bad;  // by lane
    int32_t load_room, length_room, weight_own, add, bad_is;
} vrp_join;

// Moves with an open part, which is cut out at x and y and put between other routes or joined with halves of them; the lanes
// are the third edge. Given for x before y before the lanes; the mirrored tour serves for y, z behind the lanes, with p = 1 and
// 2 exchanged.
typedef struct vrp_opening {
    const int32_t *from_x, *from_x1, *from_x1_next, *from_y_next, *from_y1_next, *to_x1, *to_y;  // distances by lane
    const int32_t *tail_load, *head_load, *route_load, *tail_back, *head_length, *route_length;  // by lane, as the rest
    const int32_t *tail_weight, *head_weight, *edge, *turn, *bad;
    int32_t add[4];
    int32_t inner_load_room, inner_length_room, inner_back_room;  // p = 0, 1: the part between two nodes of a route
    int32_t tail_load_room[2], tail_length_room[2];               // p = 2, 3
    int32_t head_load_room[2], head_length_room[2];
    int32_t tail_weight_own, head_weight_own;
    int32_t bad_is;
    int32_t room;  // all edges in one route: the change of its length that it can take
} vrp_opening;

// Three edges, of which the first two make a part with a depot, and so do the last two: in each move the sum of one row of x,
// one row of y and a constant. Rows of first and second edges are the same tables; symmetric distances need four, others eight.
typedef struct vrp_closed {
    const int32_t *tables;       // see vrp_table_place()
    int32_t columns;             // a multiple of VRP_CHUNK
    int32_t table_count;         // VRP_SYMMETRIC_TABLES or VRP_TABLES
    const int32_t *constants;    // of y, p, x at ((y - y_begin) * 4 + p) * constant_stride + x
    int64_t constant_stride;
    int32_t x_begin, x_end, y_begin, y_end;  // x_begin is a multiple of VRP_BLOCK
    const int32_t *x_end_of;     // [edges] by y: x that make a part with a depot are less
    const int32_t *z_begin_of;   // [edges] by y: the first column where the second part holds one
    int32_t first_column;        // the edge of column 0
    int32_t begin, end;          // columns; multiples of VRP_CHUNK
    int32_t *limits;             // [x_end + VRP_BLOCK] by x; sums of no more than this are found
    // Told of a block x..x + VRP_BLOCK - 1 and y where there are such sums, and may lower limits.
    void (*found)(void *user, const struct vrp_closed *closed, int32_t x, int32_t y);
    void *user;
} vrp_closed;

enum { VRP_SYMMETRIC_TABLES = 4, VRP_TABLES = 8 };

// Tables that each p reads at row x, and at row y.
static const int32_t VRP_TABLES_OF_X[2][4] = {{0, 2, 3, 4}, {0, 2, 3, 0}}, VRP_TABLES_OF_Y[2][4] = {{1, 5, 6, 7}, {1, 3, 1, 2}};

// Where column c of table k of row r is: the tables of a row lie together, VRP_CHUNK columns of each after the other, so that a
// block reads them with one pointer a row.
static inline int64_t vrp_table_place(int64_t r, int32_t columns, int32_t table_count, int32_t k, int32_t c)
{
    return r * columns * table_count + (int64_t)(c / VRP_CHUNK * table_count + k) * VRP_CHUNK + c % VRP_CHUNK;
}

typedef struct vrp_lanes_variant {
    mco_build build;
    // Distances from position i to positions begin..end - 1, or the other way, to out[0...]; writes up to VRP_CHUNK - 1 more.
    void (*row)(const vrp_places *places, int32_t i, int32_t begin, int32_t end, bool is_to, int32_t *out);
    // Below, the value of lane e is written to out[e - begin].
    void (*join)(const vrp_join *join, int32_t begin, int32_t end, int32_t *out);
    // Of two joins the sum, the least of which is returned; edges, turns and bad routes are those of `tail` alone.
    int32_t (*two_joins)(const vrp_join *tail, const vrp_join *head, int32_t begin, int32_t end, int32_t *out);
    // The part between edge x and the lane turned round in its route; x, x1 and add[0] of `opening` are read, and room.
    int32_t (*turning)(const vrp_opening *opening, int32_t begin, int32_t end, int32_t *out);
    // The least of the four moves by lane; returns the least of all. The second: all edges in one route.
    int32_t (*opening)(const vrp_opening *opening, int32_t begin, int32_t end, int32_t *out);
    int32_t (*same_route)(const vrp_opening *opening, int32_t begin, int32_t end, int32_t *out);
    void (*closed)(const vrp_closed *closed);
    // The least of the four moves of x and y by column, to out[0..end - begin).
    void (*closed_pair)(const vrp_closed *closed, int32_t x, int32_t y, int32_t *out);
} vrp_lanes_variant;

#endif
