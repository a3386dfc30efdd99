// SPDX-License-Identifier: MIT
// A unit of a GPU's work (guillotine_gpu_units.h), for C and CUDA.
#ifndef MCO_GUILLOTINE_UNIT_H
#define MCO_GUILLOTINE_UNIT_H

#include <stdint.h>

enum {
    GUILLOTINE_TILE = 64,           // coordinates of a tile of targets
    GUILLOTINE_VECTORS = 16,        // 16-byte vectors of a panel of lanes
    GUILLOTINE_LEAST_STRIPS = 64    // of a unit, unless the tile has fewer
};

typedef struct guillotine_unit {
    int32_t axis;              // that is cut: 0 x, 1 y
    int32_t target;            // first coordinate of the tile: a position
    int32_t lane, lanes;       // first position of the panel, a multiple of a vector's lanes, and how many are wanted
    int32_t strip, strip_end;  // coordinates of the smaller parts, [strip, strip_end)
} guillotine_unit;

#endif
