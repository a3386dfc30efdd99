// SPDX-License-Identifier: MIT
// How the table is divided for a GPU: bands of positions, steps of bands that do not depend on each other, and
// units of work. Plain C, for the engine and its kernels.
//
// Coordinates are divided by their greatest common divisor. A band is a run of positions that spans less than the shortest
// piece. Both parts of a cut are at least that long, so no cell of (band g of x) x (band h of y) depends on another one
// of it, and all bands with g + h = s make step s. A unit relaxes a tile of targets of one band, in coordinates of the
// axis that is cut, and a panel of lanes, positions of the other axis, over a range of strips, the smaller parts of cuts.
// Units of a step run in any order: they only raise values, and whatever they read besides is a value that some plan has.
//
// Long strips leave short rests: those units need steps long before theirs only. The strips of a tile are cut into ranges
// where that changes, and a step's units begin with those that need not wait for the step just before: they keep the GPU
// busy while its last units end. If units of all steps are taken in order, each waiting for its `after` alone, then that
// step is done only when all before it are: every step has a unit that waits for the one before it.
#ifndef MCO_GUILLOTINE_GPU_UNITS_H
#define MCO_GUILLOTINE_GPU_UNITS_H

#include "guillotine/model.h"
#include "guillotine/unit.h"

enum { GUILLOTINE_MAX_COORDINATE = 1 << 24 };  // the last position below each is kept

// Strips of a tile of targets, in coordinates.
typedef struct guillotine_range {
    int32_t target;
    int32_t strip, strip_end;
    int32_t slack;                 // steps between the last one needed and the one before its own
} guillotine_range;

typedef struct guillotine_band {
    int32_t first, end;            // positions
    int32_t ranges_first, ranges_slack_end, ranges_end;  // those with slack come first
    int64_t stages;                // of its ranges
} guillotine_band;

typedef struct guillotine_bands {
    int32_t *at;                   // [count] positions in coordinates
    int32_t count;
    int32_t divisor;               // of the model's coordinates
    int32_t *last_at;              // [at[count - 1] + 1] the last position at or below a coordinate
    int32_t *band_of;              // [count] of a position
    int32_t *gap_after;            // [count] the first position beyond this one that a long gap is before, or `count`
    guillotine_band *bands;
    guillotine_range *ranges;
    int32_t band_count, range_count, range_room;
} guillotine_bands;

typedef struct guillotine_schedule {
    guillotine_bands axis[2];
    int32_t vector, panel;         // lanes of 16 bytes and of a panel
    int32_t slots;                 // units that the GPU works on at the same time
    int32_t steps;
    int32_t *units;                // [steps] their number
    int32_t *last;                 // [steps] the last step at or before this one that has units; -1 none
    int32_t stages, late_stages;   // of a unit at most; of one without slack
} guillotine_schedule;

// For lanes of `lane_bytes`. Errors: LIMIT, MEMORY. O(side + ranges).
mco_status guillotine_schedule_create(mco_context *ctx, const guillotine_model *model, int lane_bytes, int32_t slots,
                                      guillotine_schedule *out);
void guillotine_schedule_clear(mco_context *ctx, guillotine_schedule *schedule);

// Units of a step: their number, and where units is not NULL the units themselves.
int64_t guillotine_schedule_units(const guillotine_schedule *schedule, int32_t step, guillotine_unit *units);
// Sums that a step evaluates, at most.
double guillotine_schedule_work(const guillotine_schedule *schedule, int32_t step);

#endif
