// SPDX-License-Identifier: MIT
// What the engines see: normal patterns on both axes and the pieces as seeds of the table.
//
// The kerf is gone: with U added to the sides of the plate and of every piece, a cut at w' splits w into w' and w - w'
// and loses nothing. Rotation is gone: a rotatable piece seeds both ways. Values are the pieces' own.
//
// X = { 0 = x[0] < x[1] < ... } holds the sums of piece widths up to the plate's (with kerf), Y likewise. V over X x Y is the
// least table with V(i,j) >= seeds there, ascending in i and j, and
//     V(i,j) >= V(i',j) + V(i'',j)  where x[i'] + x[i''] <= x[i],   V(i,j) >= V(i,j') + V(i,j'')  likewise.
// With stages only one of the two lines holds at a time: each stage closes the table of the one before along one axis.
//
// Where the plate alone counts, raster points do (Terno, Lindemann, Scheithauer 1987): W' - p, p a position, rounded down to
// a position, W' the last one. Two lengths with the same best remainder are worth the same to the plate, and a cut of a
// raster point may be moved so that both parts are raster points: let x' + x'' <= W' - u, all positions. The smallest raster
// point at or above x' is c = p(W' - p(W' - x')), and since x'' + u is a position at or below W' - x', c + x'' + u <= W'. So
// V over raster points alone gives V of the plate. A piece lies at the smallest raster point above its side.
#ifndef MCO_GUILLOTINE_MODEL_H
#define MCO_GUILLOTINE_MODEL_H

#include "guillotine/instance.h"

// The best piece that fits x[i] x y[j] and no smaller position.
typedef struct guillotine_seed {
    int32_t i, j;
    int32_t width, height;  // of the piece as it lies, kerf added: x[i] x y[j] unless those are raster points
    int64_t value;
    int64_t piece;
    bool is_rotated;
} guillotine_seed;

typedef struct guillotine_axis {
    int32_t side;      // of the plate, kerf added
    int32_t count;     // positions, with 0
    int32_t *at;       // [count] ascending from 0
    int32_t shortest;  // piece; at[1]; 0 if none fits
} guillotine_axis;

typedef struct guillotine_model {
    guillotine_axis x, y;
    int32_t kerf;
    guillotine_seed *seeds;  // [seed_count] by i, then j; all different; none is worth less than a smaller one
    int64_t seed_count;
    int64_t too_large;     // piece types that fit in no way
    int64_t value_bound;   // at least V of the plate: all values of the table lie below
    bool is_within_area;   // value <= width * height, kerf added, for every seed: waste is never negative
    bool is_raster;        // positions are raster points; sums of positions need be none
} guillotine_model;

// Errors: LIMIT (the values' sum; more than `most_positions` positions on an axis, with the memory a table would
// take), MEMORY.
mco_status guillotine_model_create(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                                   guillotine_model *model);
// The same with raster points instead of normal patterns: the plate's value is the same. Errors: MEMORY.
mco_status guillotine_model_raster(mco_context *ctx, const guillotine_model *model, guillotine_model *raster);

void guillotine_model_clear(mco_context *ctx, guillotine_model *model);

// The last position at or below `at`. O(log count).
int32_t guillotine_axis_floor(const guillotine_axis *axis, int64_t at);

#endif
