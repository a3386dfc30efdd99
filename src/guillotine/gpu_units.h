// SPDX-License-Identifier: MIT
// How the table is divided for a GPU: bands of positions, steps of bands that do not depend on each other, and
// units of work. Plain C, for the engine and its kernels.
//
// Coordinates are divided by their greatest common divisor. A band is a run of positions that spans less than the
// shortest piece. Both parts of a cut are at least as long as that piece. So cells of (band g of x) x (band h of y) do
// not depend on each other, and all pairs of bands with g + h = s make step s. A unit has a tile of targets, in
// coordinates of the axis that is cut, and a panel of lanes, which are positions of the other axis. It relaxes them
// over a range of strips, the smaller parts of the cuts. The units of a step run in any order: they only raise values,
// and a value that changes while they read it is the value of some plan before and after.
//
// A long strip leaves a short rest, so its unit needs only steps long before its own. The strips of a tile are split
// into ranges by the step that they need. The units of a step begin with those that need not wait for the step just
// before: they keep the GPU busy while the last units of that step end. Units of all steps are taken in order, and each
// waits only for its step `after`. That step is done only when all steps before it are done, because every step has a
// unit that waits for the step before it.
//
// Where the shortest piece is short, so are bands: most targets and lanes of a unit would be empty. Then bands are merged
// into groups of m. A unit of groups (G, H) belongs to the first step of its bands, m (G + H). It takes only strips that
// leave rests in bands up to m (G - 1), and that lie there themselves: these cells are final before that step, since their
// step is at most m (G - 1) + m H + m - 1. The few shorter strips remain with the units of single bands.
#ifndef MCO_GUILLOTINE_GPU_UNITS_H
#define MCO_GUILLOTINE_GPU_UNITS_H

#include "guillotine/model.h"
#include "guillotine/unit.h"

enum { GUILLOTINE_MAX_COORDINATE = 1 << 24 };  // for each coordinate the last position at or below it is kept

// A range of strips of a tile of targets, in coordinates.
typedef struct guillotine_range {
    int32_t target;
    int32_t strip, strip_end;
    int32_t needed;                // the band of the longest rest: no rest and no strip lies in a later one
} guillotine_range;

typedef struct guillotine_band {
    int32_t first, end;            // positions
    int32_t ranges_first, ranges_slack_end, ranges_end;  // ranges with slack come first
    int64_t stages;                // of all its ranges
} guillotine_band;

typedef struct guillotine_bands {
    int32_t *at;                   // [count] positions in coordinates
    int32_t count;
    int32_t divisor;               // of the model's coordinates
    int32_t *last_at;              // [at[count - 1] + 1] the last position at or below a coordinate
    int32_t *band_of;              // [count] the band of a position
    int32_t *gap_after;            // [count] the next position that follows a long gap; `count` if there is none
    guillotine_band *bands;
    guillotine_band *groups;       // runs of `merged` bands, the last one may be shorter; none where merged is 1
    guillotine_range *ranges;
    int32_t band_count, group_count, merged, range_count, range_room;
} guillotine_bands;

typedef struct guillotine_schedule {
    guillotine_bands axis[2];
    int32_t vectors;               // of a panel
    int32_t vector, panel;         // lanes in 16 bytes, and in a panel
    int32_t slots;                 // units that the GPU works on at the same time
    int32_t steps;
    int32_t *units;                // [steps] units of a step
    int32_t *last;                 // [steps] the last step with units, at or before this one; -1 none
    int32_t stages, late_stages;   // most stages of a unit, and of a unit without slack
} guillotine_schedule;

// For lanes of `lane_bytes`. Errors: LIMIT, MEMORY. O(side + ranges).
mco_status guillotine_schedule_create(mco_context *ctx, const guillotine_model *model, int lane_bytes, int32_t slots,
                                      guillotine_schedule *out);
void guillotine_schedule_clear(mco_context *ctx, guillotine_schedule *schedule);

// Returns the number of units of a step, and writes them to `units` unless it is NULL.
int64_t guillotine_schedule_units(const guillotine_schedule *schedule, int32_t step, guillotine_unit *units);
// Units of the launch after one of `part` units (0: the first launch), 1 to `most`. The first launches are small, so that
// the GPU begins while the host makes the units of the next.
int64_t guillotine_next_part(int64_t part, int64_t most);
// Most sums that a step evaluates.
double guillotine_schedule_work(const guillotine_schedule *schedule, int32_t step);

#endif
