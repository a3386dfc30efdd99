// SPDX-License-Identifier: MIT
// A unit of a GPU's work (guillotine/gpu_units.h), for C and CUDA.
#ifndef MCO_GUILLOTINE_UNIT_H
#define MCO_GUILLOTINE_UNIT_H

#include <stdint.h>

enum {
    GUILLOTINE_TILE = 64,      // coordinates of a tile of targets
    GUILLOTINE_VECTORS = 16,   // 16-byte vectors of a panel of lanes
    GUILLOTINE_STAGE = 32      // coordinates of strips that arrive together
};

typedef struct guillotine_unit {
    int32_t target;            // first coordinate of the tile: a position
    int32_t lane;              // first position of the panel, a multiple of a vector's lanes
    int32_t strip, strip_end;  // coordinates of the smaller parts, [strip, strip_end)
    int16_t axis;              // that is cut: 0 x, 1 y
    int16_t lanes;             // of the panel that are wanted
    int32_t step;
    int32_t after;             // the step that must be done before, and how many units it has; -1 none
    int32_t after_units;
} guillotine_unit;

#endif
