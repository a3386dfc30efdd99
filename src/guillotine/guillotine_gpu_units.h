// SPDX-License-Identifier: MIT
// How the table is divided for a GPU: bands of positions, steps of bands that do not depend on each other, and
// units of work. Plain C, for the engine, its kernels and a simulation of them on the host.
//
// Coordinates are divided by their greatest common divisor. A band is a run of positions that spans less than the shortest
// piece. Both parts of a cut are at least that long, so no cell of (band g of x) x (band h of y) depends on another one
// of it, and all bands with g + h = s make step s. A unit relaxes a tile of targets of one band, in coordinates of the
// axis that is cut, and a panel of lanes, positions of the other axis, over a range of strips, the smaller parts of cuts.
// Units of a step run in any order: they only raise values, and whatever they read besides is a value that some plan has.
#ifndef MCO_GUILLOTINE_GPU_UNITS_H
#define MCO_GUILLOTINE_GPU_UNITS_H

#include "guillotine/guillotine_model.h"
#include "guillotine/guillotine_unit.h"

// A tile of targets, and how many strips its last position has.
typedef struct guillotine_tile {
    int32_t target, strips;
} guillotine_tile;

typedef struct guillotine_band {
    int32_t first, end;            // positions
    int32_t tiles_first, tiles_end;
    int64_t strips;                // sum over its tiles
} guillotine_band;

typedef struct guillotine_bands {
    int32_t *at;                   // [count] positions in coordinates
    int32_t count;
    int32_t divisor;               // of the model's coordinates
    guillotine_band *bands;
    guillotine_tile *tiles;
    int32_t band_count, tile_count;
} guillotine_bands;

typedef struct guillotine_schedule {
    guillotine_bands axis[2];
    int32_t vector, panel;         // lanes of 16 bytes and of a panel
    int32_t slots;                 // units that the GPU works on at the same time
    int32_t steps;
} guillotine_schedule;

// For lanes of `lane_bytes`. Errors: MEMORY. O(positions).
mco_status guillotine_schedule_create(mco_context *ctx, const guillotine_model *model, int lane_bytes, int32_t slots,
                                      guillotine_schedule *out);
void guillotine_schedule_clear(mco_context *ctx, guillotine_schedule *schedule);

// Units of a step, costly ones first: their number, and where units is not NULL the units themselves.
int64_t guillotine_schedule_units(const guillotine_schedule *schedule, int32_t step, guillotine_unit *units);
// Sums that a step evaluates, about.
double guillotine_schedule_work(const guillotine_schedule *schedule, int32_t step);

#endif
