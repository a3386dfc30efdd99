// SPDX-License-Identifier: MIT
// Tables of waste on a GPU, in 16 bits, and launchers of their kernels (guillotine/waste.cu). Plain C.
//
//     w(x,y) = x * y - V(x,y), cut off at a cap of at most 32767.
//
// Waste only adds up, so whatever lies below the cap is exact, and sums of two fit. Lanes are positions; rows are coordinates,
// all of them: between two positions the row is the one before and the waste of the gap. So a cut is a sum of two rows,
//     w(x,y) <= w(x',y) + w(x-x',y),
// the smaller part x' a position, the other any coordinate.
//
// A table has the cuts of its axis alone until its cells are finished: then a cell becomes the least of both tables and the
// best single piece. A position is irreducible where it beats its own cuts and the position before with the gap. Only these
// are strips: the smallest strip of any best row of strips is one, for raster points too. For each panel of lanes
// a bit says which coordinates are irreducible below the cap in one of its lanes.
#ifndef MCO_GUILLOTINE_WASTE_H
#define MCO_GUILLOTINE_WASTE_H

#include <cuda_runtime_api.h>

#include "guillotine/cuda.h"
#include "guillotine/unit.h"
#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    GUILLOTINE_WASTE_VECTOR = 8,   // lanes of 16 bytes
    GUILLOTINE_WASTE_PANEL = GUILLOTINE_VECTORS * GUILLOTINE_WASTE_VECTOR,
    GUILLOTINE_WASTE_CELLS = 64    // positions of a chunk at most
};

// Targets of one band, and where their strips end, in coordinates.
typedef struct guillotine_waste_tile {
    int32_t target, strip_end, band;
} guillotine_waste_tile;

// Positions of one band: lanes of a unit, from a whole vector on; or cells that are finished together.
typedef struct guillotine_waste_chunk {
    int32_t first, count;
    int32_t band, panel;
} guillotine_waste_chunk;

// Device pointers. Coordinates are those of the schedule.
typedef struct guillotine_waste_axis {
    const int32_t *at;           // [count] coordinates of the positions
    const int32_t *last_at;      // [side + 1] the last position at or below a coordinate
    const uint32_t *patterns;    // [words] bits of coordinates: positions
    const int32_t *piece_class;  // [count] the last side of a piece at or below a position, 1, 2, ...; 0 none
    const guillotine_waste_tile *tiles;                // by band
    const guillotine_waste_chunk *panels, *chunks;     // by band
    const int32_t *panels_of, *chunks_of;  // [bands + 1] where those of a band begin
    uint32_t *strips;            // [panels of the other axis][words] bits of coordinates: irreducible in one of the lanes
    uint16_t *table;             // [side + 1][pitch of the other axis] rows along this axis
    int64_t pitch;               // lanes between rows of the other axis' table
    int32_t words;
    int32_t count, side;         // side = at[count - 1]
} guillotine_waste_axis;

typedef struct guillotine_waste_tables {
    guillotine_waste_axis axis[2];  // x, y
    const int64_t *best_piece;      // [classes of x][class_pitch]: the best single piece up to these sides
    int64_t unit_area;              // of a square of the coordinates, in the plate's
    int32_t class_pitch;
    int32_t cap;
    unsigned long long *sums;       // evaluated so far
} guillotine_waste_tables;

// What a step launches: bands g of x and h of y with g + h = step.
typedef struct guillotine_waste_step {
    int32_t step;
    int32_t tiles_first[2], tiles[2];  // of x and y that take part
    int32_t chunks_first, chunks;      // of x
    int32_t most_panels, most_chunks;  // of any band; chunks of y
    int32_t span, parts;               // coordinates of strips of a block at most; blocks of a tile and panel at most
} guillotine_waste_step;

// Both tables: the cap; no strips.
cudaError_t guillotine_launch_waste_begin(const guillotine_waste_tables *tables, size_t strips_bytes, cudaStream_t stream);

// The cuts of a step's cells, of both axes; then the cells are finished.
cudaError_t guillotine_launch_waste_step(const guillotine_waste_tables *tables, const guillotine_waste_step *step,
                                         cudaStream_t stream);

// The plan, as guillotine_launch_trace(). value is -1 and there are no nodes where the plate's waste reaches the cap.
cudaError_t guillotine_launch_waste_trace(const guillotine_waste_tables *tables, guillotine_trace *d_trace, int32_t capacity,
                                          cudaStream_t stream);

MCO_END_C
#endif
