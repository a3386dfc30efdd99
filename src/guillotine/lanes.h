// SPDX-License-Identifier: MIT
// The table of the cpu engine, and one tile of it.
//
// A panel is a part of the table 256 bytes wide: P = 256 / sizeof(lane) lanes. Table A has panels of P positions of Y
// and a row for each position of X, so an x cut adds whole rows: V(i', panel) + V(i'', panel). Table B is the
// transposed table, for y cuts. A tile has P x P cells; it lies in one panel of A and in one panel of B.
//
// Lanes hold either values or waste. Values have 32 or 64 bits, and greater is better. Waste is x * y - value, in 16
// bits without sign, and is cut off at a cap. Waste only adds up, so waste below the cap is exact. The sum of two caps
// fits a lane.
//
// An x cut is tried for each strip i' with x[i'] <= x[i]/2 that is irreducible in at least one lane of the panel: the
// strip is worth more than its own best x cut and than the position before. This is enough, because the smallest strip
// in any best row of strips is irreducible. For values, i'' is the last position at or below x[i] - x[i']. For waste,
// i'' must lie exactly there. If no position does, the cut belongs to the smaller position x[i'] + x[i''], and the
// waste of the gap is added on the way to x[i]. The row after the last position holds the cap; it stands for
// coordinates without a position.
//
// Cuts with i'' inside the tile wait until all others are done. Then the tile is closed under them and under
// V(i,j) >= V(i-1,j), V(i,j-1), one axis after the other, until nothing changes.
#ifndef MCO_GUILLOTINE_LANES_H
#define MCO_GUILLOTINE_LANES_H

#include "base/simd.h"
#include "guillotine/model.h"

enum { GUILLOTINE_PANEL_BYTES = 256 };

typedef struct guillotine_strip {
    int32_t position, at;
} guillotine_strip;

// One axis: the rows of one table and the lanes of the other.
typedef struct guillotine_lanes_axis {
    const int32_t *at;    // [count]
    int32_t count;
    int32_t tiles;        // ceil(count / P)
    const int32_t *rank;  // [side + 1] last position at or below; for waste, `count` unless it is exactly there
    char *table;          // [panels of the other axis][count + 1][P]; NULL where this table is not kept
    guillotine_strip *strips;  // [panels][count] the irreducible strips, ascending
    int32_t *strip_count;      // [panels]
} guillotine_lanes_axis;

typedef struct guillotine_lanes_run {
    guillotine_lanes_axis x, y;
    bool has_cuts_x, has_cuts_y;      // the axes along which the table is closed
    int32_t cap;                      // on the waste; 0 for values
    const guillotine_seed *seeds;     // by tile; NULL: the run starts from the level before
    const int64_t *seeds_of_tile;     // [x.tiles * y.tiles + 1] where the seeds of tile (ti, tj) begin
    const char *before_a, *before_b;  // the level before, as table A and as table B; NULL where not kept
    void *out;  // [x.count][y.count] lanes, a copy for the caller; NULL for none
    const struct guillotine_lanes_run *known;  // a finished run by waste over the same positions: 32-bit lanes copy its
                                               // tiles that have no cell at the cap. NULL for none
} guillotine_lanes_run;

typedef struct guillotine_lanes_variant {
    mco_build build;  // bits: 16, 32 or 64
    // Computes tile (ti, tj). The tiles to its left and below it must be done. Returns the number of sums evaluated.
    // `scratch` has scratch_bytes bytes and is aligned to a vector.
    int64_t (*run_tile)(const guillotine_lanes_run *run, int32_t ti, int32_t tj, void *scratch);
    size_t scratch_bytes;
} guillotine_lanes_variant;

#endif
