// SPDX-License-Identifier: MIT
// What the engines see: normal patterns on both axes and the pieces as seeds of the table.
//
// The model has no kerf: the kerf U is added to the sides of the plate and of every piece, so that a cut at w' splits w
// into w' and w - w' and loses nothing. The model has no rotation: a rotatable piece gives a seed for each of its two
// ways. Values are the pieces' own.
//
// X = { 0 = x[0] < x[1] < ... } holds the sums of piece widths up to the plate's width (with kerf), Y likewise. V over
// X x Y is the least table that is at or above the seeds, ascends in i and j, and satisfies
//     V(i,j) >= V(i',j) + V(i'',j)  where x[i'] + x[i''] <= x[i],   V(i,j) >= V(i,j') + V(i,j'')  likewise.
// With stages, each stage closes the table of the stage before along one axis: only one of the two conditions holds for
// it.
//
// Where only the plate's value and plan are wanted, raster points are enough (Terno, Lindemann, Scheithauer 1987). Let
// p(a) be the last position at or below a, and W' the last position. The raster points are p(W' - u) for all positions
// u. Two lengths with the same best remainder are worth the same to the plate. A cut of a raster point can be moved so
// that both parts are raster points. Proof: the cut of p(W' - u) has parts x' + x'' <= W' - u, all of them positions.
// The smallest raster point at or above x' is c = p(W' - p(W' - x')). x'' + u is a position at or below W' - x', so
// c + x'' + u <= W'. The same move then takes x'' to a raster point. So V over raster points gives V of the plate.
// A piece lies at the smallest raster point at or above its side.
#ifndef MCO_GUILLOTINE_MODEL_H
#define MCO_GUILLOTINE_MODEL_H

#include "base/run.h"
#include "guillotine/instance.h"

// The best piece that fits x[i] x y[j] and fits no smaller position.
typedef struct guillotine_seed {
    int32_t i, j;
    int32_t width, height;  // of the piece as it lies, kerf added; equal to x[i] x y[j] over normal patterns
    int64_t value;
    int64_t piece;
    bool is_rotated;
} guillotine_seed;

typedef struct guillotine_axis {
    int32_t side;      // of the plate, kerf added
    int32_t count;     // positions, including 0
    int32_t *at;       // [count] ascending from 0
    int32_t shortest;  // at[1], the least position that a piece takes; 0 if no piece fits
} guillotine_axis;

typedef struct guillotine_model {
    guillotine_axis x, y;
    int32_t kerf;
    // By i, then j, all at different places. Over normal patterns each seed is worth more than every smaller one.
    guillotine_seed *seeds;  // [seed_count]
    int64_t seed_count;
    int64_t too_large;     // piece types that do not fit the plate in either way
    int64_t value_bound;   // at least V of the plate; no value of the table exceeds it
    bool is_within_area;   // value <= width * height, kerf added, for every seed: waste is never negative
    bool is_raster;        // positions are raster points; a sum of positions need not be a position
    bool is_complete;      // false: the run was stopped before; the only seed is then that of the best grid of one piece
} guillotine_model;

// Errors: LIMIT (a plate full of one piece is worth 2^62 or more; an axis has more than 2^22 positions, with the memory
// that a table would take), MEMORY.
// `run` may stop the work; NULL: never.
mco_status guillotine_model_create(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                                   mco_run *run, guillotine_model *model);
// The same with raster points instead of normal patterns: the plate's value is the same. Errors: MEMORY.
mco_status guillotine_model_raster(mco_context *ctx, const guillotine_model *model, guillotine_model *raster);

void guillotine_model_clear(mco_context *ctx, guillotine_model *model);

// The last position at or below `at`. O(log count).
int32_t guillotine_axis_floor(const guillotine_axis *axis, int64_t at);

#endif
