// SPDX-License-Identifier: MIT
// The inner loops of the complete neighbourhoods, compiled once for each vector unit.
//
// A move of the giant tour is folded into a sum of 32-bit integers: the costs of its joins less those of the edges cut.
// A join that makes a route too heavy or too long, and a part that may not be reversed, count as VRP_ILLEGAL. That is
// so large that no sum with it looks like a legal one (vrp/sweep/cpu.c shows the bounds). So one minimum over sums
// decides both cost and feasibility of the moves.
//
// A part of the tour that holds a depot is closed: the new edges at its two ends belong to different routes, so that
// each join is legal or not by itself. Parts without a depot are open.
//
// Arrays are in tour order. "Lanes" are edges of the tour, side by side in a vector. Edge e has its tail at position e
// and its head at e + 1.
#ifndef MCO_VRP_SWEEP_LANES_H
#define MCO_VRP_SWEEP_LANES_H

#include "base/simd.h"
#include "vrp/instance.h"

enum {
    VRP_ILLEGAL = 1 << 29,
    VRP_PAD = 64,          // int32_t that loops may read or write beyond the end of a row
    VRP_BLOCK = 4,         // first edges that go together; the rows of tables are a multiple of it
    VRP_CHUNK = 16         // columns of one table that lie side by side: the widest vector
};

// ---- Distances

typedef enum vrp_source {
    VRP_SOURCE_GRID,    // integer coordinates up to VRP_GRID_LIMIT, EUC_2D rounded
    VRP_SOURCE_PLANE,   // any coordinates, EUC_2D or CEIL_2D
    VRP_SOURCE_MATRIX,
    VRP_SOURCE_PLAIN    // vrp_distance() for each
} vrp_source;

// With coordinates up to this limit, the squared distance of two points and what the rounding adds are integers below
// 2^24.
enum { VRP_GRID_LIMIT = 2800 };

typedef struct vrp_places {
    const mco_vrp *problem;
    vrp_source source;
    const int32_t *node;         // [count] the tour
    const float *grid_x, *grid_y;  // [count] coordinates less the least one
    const double *x, *y;         // [count]
    const int32_t *matrix;       // by node
    const int32_t *transposed;   // the same pointer if distances are symmetric
} vrp_places;

// ---- Sums

// The join of a given end with every lane. It is legal if load <= load_room, distance + length <= length_room and
// bad == bad_is; its value is then distance + add + (weight_own | weight) - edge + turn, else VRP_ILLEGAL.
typedef struct vrp_join {
    const int32_t *distance, *load, *length, *weight, *edge, *turn, *bad;  // by lane
    int32_t load_room, length_room, weight_own, add, bad_is;
} vrp_join;

// Moves with an open part. The part is cut out at x and y, and put into another route or joined with halves of it; the
// lanes are the third edge. The names hold for x before y before the lanes. If the part is cut out at y and z, behind
// the lanes, the mirrored tour serves, with p = 1 and 2 exchanged.
typedef struct vrp_opening {
    const int32_t *from_x, *from_x1, *from_x1_next, *from_y_next, *from_y1_next, *to_x1, *to_y;  // distances by lane
    const int32_t *tail_load, *head_load, *route_load, *tail_back, *head_length, *route_length;  // by lane, and below
    const int32_t *tail_weight, *head_weight, *edge, *turn, *bad;
    int32_t add[4];
    int32_t inner_load_room, inner_length_room, inner_back_room;  // p = 0, 1: the part between two nodes of a route
    int32_t tail_load_room[2], tail_length_room[2];               // p = 2, 3
    int32_t head_load_room[2], head_length_room[2];
    int32_t tail_weight_own, head_weight_own;
    int32_t bad_is;
    int32_t room;  // all edges in one route: its length may grow by so much
} vrp_opening;

// Moves at three edges with a depot between the first two, and between the last two. Each is the sum of a table entry
// of x, one of y and a constant. First and second edges use rows of the same tables: four with symmetric distances,
// else eight.
typedef struct vrp_closed {
    const int32_t *tables;       // see vrp_table_place()
    int32_t columns;             // a multiple of VRP_CHUNK
    int32_t table_count;         // VRP_SYMMETRIC_TABLES or VRP_TABLES
    const int32_t *constants;    // of y, p, x at ((y - y_begin) * 4 + p) * constant_stride + x
    int64_t constant_stride;
    int32_t x_begin, x_end, y_begin, y_end;  // x_begin is a multiple of VRP_BLOCK
    const int32_t *x_end_of;     // [edges] by y: a depot lies between y and each smaller x
    const int32_t *z_begin_of;   // [edges] by y: the first z with a depot between y and z
    int32_t first_column;        // the edge of column 0
    int32_t begin, end;          // columns; multiples of VRP_CHUNK
    int32_t *limits;             // [x_end + VRP_BLOCK] by x; sums up to the limit are found
    // Called for each block x..x + VRP_BLOCK - 1 and y with such a sum. It may lower limits.
    void (*found)(void *user, const struct vrp_closed *closed, int32_t x, int32_t y);
    void *user;
} vrp_closed;

enum { VRP_SYMMETRIC_TABLES = 4, VRP_TABLES = 8 };

// The tables that each p reads at row x and at row y; [1] is for symmetric distances.
static const int32_t VRP_TABLES_OF_X[2][4] = {{0, 2, 3, 4}, {0, 2, 3, 0}}, VRP_TABLES_OF_Y[2][4] = {{1, 5, 6, 7}, {1, 3, 1, 2}};

// The place of row r, column c of table k. The tables of a row lie together, VRP_CHUNK columns of each in turn, so that
// a block reads them with one pointer for each row.
static inline int64_t vrp_table_place(int64_t r, int32_t columns, int32_t table_count, int32_t k, int32_t c)
{
    return r * columns * table_count + (int64_t)(c / VRP_CHUNK * table_count + k) * VRP_CHUNK + c % VRP_CHUNK;
}

typedef struct vrp_lanes_variant {
    mco_build build;
    // Writes the distances from position i to positions begin..end - 1, with is_to those to i, to out[0...]. It may
    // write up to VRP_CHUNK - 1 more.
    void (*row)(const vrp_places *places, int32_t i, int32_t begin, int32_t end, bool is_to, int32_t *out);
    // All others write the value of lane e to out[e - begin].
    void (*join)(const vrp_join *join, int32_t begin, int32_t end, int32_t *out);
    // The sum of two joins; returns the least sum. Edges, turns and bad routes are those of `tail` alone.
    int32_t (*two_joins)(const vrp_join *tail, const vrp_join *head, int32_t begin, int32_t end, int32_t *out);
    // 2-opt inside a route: the part between edge x and the lane is turned round. Returns the least. Reads from_x,
    // from_x1_next, edge, turn, add[0] and room.
    int32_t (*turning)(const vrp_opening *opening, int32_t begin, int32_t end, int32_t *out);
    // The least of the four moves by lane; returns the least of all. same_route() is for all edges in one route.
    int32_t (*opening)(const vrp_opening *opening, int32_t begin, int32_t end, int32_t *out);
    int32_t (*same_route)(const vrp_opening *opening, int32_t begin, int32_t end, int32_t *out);
    void (*closed)(const vrp_closed *closed);
    // Writes the least of the four moves of x and y by column to out[0..end - begin).
    void (*closed_pair)(const vrp_closed *closed, int32_t x, int32_t y, int32_t *out);
} vrp_lanes_variant;

#endif
