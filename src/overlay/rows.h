// SPDX-License-Identifier: MIT
// A row as a node sees it while the duals of the others stand still: of each possible link the excess of its weight over the other
// end's dual, and its limit. The functions over rows have a build for each vector unit, and a plain one, the reference.
#ifndef MCO_OVERLAY_ROWS_H
#define MCO_OVERLAY_ROWS_H

#include "base/simd.h"
#include "overlay/instance.h"

enum { OVERLAY_ROW_PAD = 16 };  // arrays have so many entries more; a row is followed by entries of limit 0

// Excesses are biased by 2^31: signed comparisons of them are those of the excesses.
typedef struct overlay_row {
    int32_t *excess;  // [size]
    int32_t *most;    // [size]
    int64_t size;
} overlay_row;

static inline int32_t overlay_biased(uint32_t value)
{
    return (int32_t)(value ^ UINT32_C(0x80000000));
}

// Links whose excess is above all duals of interest: the sum of their limits, and of limit * excess.
typedef struct overlay_above {
    uint32_t most;
    uint64_t worth;
} overlay_above;

typedef struct overlay_build {
    mco_build build;
    // Fills the row of node i. A complete instance has an entry of excess 0 for the node itself. O(size)
    void (*load)(const mco_overlay *o, int32_t i, const uint32_t *dual, overlay_row *row);
    // The sum of the limits of links whose excess is above `dual`.
    uint32_t (*over)(const overlay_row *row, uint32_t dual);
    // The sum of limit * min(excess - dual, width) over the same links. width UINT32_MAX: what they are worth.
    uint64_t (*ramp)(const overlay_row *row, uint32_t dual, uint32_t width);
    // Splits a row for duals in [low, high]: links whose excess is in (low, high] go to `inside`, whose arrays have room for all; those
    // above go into the sums. NULL: this build looks at whole rows.
    void (*split)(const overlay_row *row, uint32_t low, uint32_t high, overlay_row *inside, overlay_above *above);
} overlay_build;

extern const overlay_build overlay_plain;  // the reference; simd is AUTO

// The build for the vector unit asked for. Errors: ARGUMENT.
mco_status overlay_pick(mco_context *ctx, mco_simd simd, const overlay_build **out);

#endif
