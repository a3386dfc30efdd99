// SPDX-License-Identifier: MIT
// Tables of waste on a GPU, in 16 bits, and the launchers of their kernels (guillotine/waste.cu). Plain C.
//
//     w(x,y) = x * y - V(x,y), cut off at a cap of at most 32767.
//
// Waste only adds up, so waste below the cap is exact. The sum of two cells fits 16 bits. Lanes are positions. Rows are
// all coordinates: the row of a coordinate that is no position is the row of the last position below plus the waste of
// the gap. So a cut is a sum of two rows,
//     w(x,y) <= w(x',y) + w(x-x',y),
// where the smaller part x' is a position and the other part is any coordinate.
//
// Until its cells are finished, a table holds only the cuts along its own axis. Finishing sets a cell to the least of
// both tables and the best single piece. A position is irreducible where its waste is less than that of its own cuts
// and less than that of the position before plus the gap. Only irreducible positions serve as strips: the smallest
// strip of any best row of strips is irreducible, also over raster points. For each panel of lanes a bit says for each
// coordinate whether it is irreducible and below the cap in at least one lane.
#ifndef MCO_GUILLOTINE_WASTE_H
#define MCO_GUILLOTINE_WASTE_H

#include <cuda_runtime_api.h>

#include "guillotine/cuda.h"
#include "guillotine/unit.h"
#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    GUILLOTINE_WASTE_VECTOR = 8,   // lanes in 16 bytes
    GUILLOTINE_WASTE_PANEL = GUILLOTINE_VECTORS * GUILLOTINE_WASTE_VECTOR,
    GUILLOTINE_WASTE_CELLS = 64    // most positions of a chunk
};

// A tile of targets of one band, and where its strips end, in coordinates.
typedef struct guillotine_waste_tile {
    int32_t target, strip_end, band;
} guillotine_waste_tile;

// Positions of one band. As a panel, the lanes of a unit: it begins at a whole vector. As a chunk, cells that are
// finished together.
typedef struct guillotine_waste_chunk {
    int32_t first, count;
    int32_t band, panel;
} guillotine_waste_chunk;

// Device pointers. Coordinates are those of the schedule.
typedef struct guillotine_waste_axis {
    const int32_t *at;           // [count] coordinates of the positions
    const int32_t *last_at;      // [side + 1] the last position at or below a coordinate
    const uint32_t *patterns;    // [words] a bit for each coordinate: it is a position
    const int32_t *piece_class;  // [count] number (1, 2, ...) of the last piece side at or below a position; 0 none
    const guillotine_waste_tile *tiles;                // by band
    const guillotine_waste_chunk *panels, *chunks;     // by band
    const int32_t *panels_of, *chunks_of;  // [bands + 1] where the panels and chunks of a band begin
    uint32_t *strips;            // [panels of the other axis][words] a bit for each coordinate: irreducible in a lane
    uint16_t *table;             // [side + 1][pitch of the other axis]; its rows follow this axis
    int64_t pitch;               // lanes from row to row of the other axis' table
    int32_t words;
    int32_t count, side;         // side = at[count - 1]
} guillotine_waste_axis;

typedef struct guillotine_waste_tables {
    guillotine_waste_axis axis[2];  // x, y
    const int64_t *best_piece;      // [classes of x][class_pitch]: the best single piece up to these sides
    int64_t unit_area;              // area of a unit square of coordinates, in units of the plate
    int32_t class_pitch;
    int32_t cap;
    unsigned long long *sums;       // sums evaluated so far
} guillotine_waste_tables;

// What a step launches: it covers all bands g of x and h of y with g + h = step.
typedef struct guillotine_waste_step {
    int32_t step;
    int32_t tiles_first[2], tiles[2];  // tiles of x and of y that take part
    int32_t chunks_first, chunks;      // chunks of x that take part
    int32_t most_panels, most_chunks;  // of any band: panels of either axis, chunks of y
    int32_t span, parts;               // most coordinates of strips of a block; most blocks of a tile and panel
} guillotine_waste_step;

// Fills both tables with the cap, and clears all strips.
cudaError_t guillotine_launch_waste_begin(const guillotine_waste_tables *tables, size_t strips_bytes, cudaStream_t stream);

// Computes the cuts of a step's cells along both axes, then finishes the cells.
cudaError_t guillotine_launch_waste_step(const guillotine_waste_tables *tables, const guillotine_waste_step *step,
                                         cudaStream_t stream);

// Traces the plan, as guillotine_launch_trace(). If the plate's waste reaches the cap, value is -1 and there are no
// nodes.
cudaError_t guillotine_launch_waste_trace(const guillotine_waste_tables *tables, guillotine_trace *d_trace, int32_t capacity,
                                          cudaStream_t stream);

MCO_END_C
#endif
