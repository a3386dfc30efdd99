// SPDX-License-Identifier: MIT
// The table of the cpu engine, and one tile of it.
//
// A panel is a strip of the table 256 bytes wide: P = 256 / sizeof(lane) lanes. Table A has panels of P positions of Y, a
// row for each position of X: an x cut adds whole rows, V(i', panel) + V(i'', panel). Table B is the same transposed, for y
// cuts. A tile is P x P cells, of one panel of A and one of B.
//
// Lanes hold values (32 or 64 bits, the greater the better), or waste, x * y - value, of 16 bits without sign, cut off at
// a cap: waste only adds up, so what lies below the cap is exact. (Sums of two caps fit.)
//
// An x cut is tried for each strip i' with x[i'] <= x[i]/2 that is irreducible somewhere in the panel: worth more than its own
// best x cut and than the position before. The smallest strip of any best row of strips is one. i'' is the last position at or
// below x[i] - x[i']; where waste is kept it has to be exactly there, else the position between serves (and the row of a
// position that is none holds the cap).
//
// Cuts with i'' inside the tile itself wait until the others are done; then the tile is closed under them and under
// V(i,j) >= V(i-1,j), V(i,j-1), one axis after the other until nothing changes.
#ifndef MCO_GUILLOTINE_LANES_H
#define MCO_GUILLOTINE_LANES_H

#include "base/simd.h"
#include "guillotine/model.h"

enum { GUILLOTINE_PANEL_BYTES = 256 };

typedef struct guillotine_strip {
    int32_t position, at;
} guillotine_strip;

// One axis: rows of one table, lanes of the other.
typedef struct guillotine_lanes_axis {
    const int32_t *at;    // [count]
    int32_t count;
    int32_t tiles;        // ceil(count / P)
    const int32_t *rank;  // [side + 1] last position at or below; for waste `count` where none is exactly there
    char *table;          // [panels][count + 1][P], panels of the other axis; NULL where none is kept
    guillotine_strip *strips;  // [panels][count] irreducible ones, ascending
    int32_t *strip_count;      // [panels]
} guillotine_lanes_axis;

typedef struct guillotine_lanes_run {
    guillotine_lanes_axis x, y;
    bool has_cuts_x, has_cuts_y;      // along which axes the table is closed
    int32_t cap;                      // of waste; else 0
    const guillotine_seed *seeds;     // by tile, or NULL: values come from the level before
    const int64_t *seeds_of_tile;     // [x.tiles * y.tiles + 1] where those of tile (ti, tj) begin
    const char *before_a, *before_b;  // the level before in either layout; NULL where not kept
    void *out;  // [x.count][y.count] lanes, a copy for the caller; NULL for none
    const struct guillotine_lanes_run *known;  // a finished run by waste over the same positions; lanes of 32 bits take over
                                               // tiles of it without a cell at the cap. NULL for none
} guillotine_lanes_run;

typedef struct guillotine_lanes_variant {
    mco_build build;  // bits: 16, 32 or 64
    // Computes tile (ti, tj); those to its left and below are done. Returns the sums evaluated. `scratch` has
    // scratch_bytes, aligned to a vector.
    int64_t (*run_tile)(const guillotine_lanes_run *run, int32_t ti, int32_t tj, void *scratch);
    size_t scratch_bytes;
} guillotine_lanes_variant;

#endif
