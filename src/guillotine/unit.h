// SPDX-License-Identifier: MIT
// A unit of work for a GPU (guillotine/gpu_units.h), in C and CUDA.
#ifndef MCO_GUILLOTINE_UNIT_H
#define MCO_GUILLOTINE_UNIT_H

#include <stdint.h>

enum {
    GUILLOTINE_TILE = 64,      // coordinates of a tile of targets
    GUILLOTINE_VECTORS = 16,   // 16-byte vectors of a panel of lanes
    GUILLOTINE_FEW_VECTORS = 8,  // of a panel for short bands
    GUILLOTINE_STAGE = 32      // coordinates of strips that are loaded together
};

typedef struct guillotine_unit {
    int32_t target;            // first coordinate of the tile: a position
    int32_t lane;              // first position of the panel, a multiple of a vector's lanes
    int32_t strip, strip_end;  // coordinates of the smaller parts, [strip, strip_end)
    int16_t axis;              // the axis that is cut: 0 x, 1 y
    int16_t lanes;             // lanes of the panel that are computed
    int32_t step;
    int32_t after;             // the step that must be done before, -1 none;
    int32_t after_units;       // and how many units it has
} guillotine_unit;

#endif
