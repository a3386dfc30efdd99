// SPDX-License-Identifier: MIT
// A row as a node sees it while the duals of the others stand still: of each possible link the excess of its weight over the other
// end's dual, and its limit. The functions over rows have a build for each vector unit, and a plain one, the reference.
#ifndef MCO_OVERLAY_ROWS_H
#define MCO_OVERLAY_ROWS_H

#include "base/simd.h"
#include "overlay/instance.h"

enum { OVERLAY_ROW_PAD = 16 };  // arrays have so many entries more; a row is followed by entries of limit 0

// What a sweep reads of the nodes: the duals of the others, which stand still meanwhile, in the order that vectors like.
//
// Complete instances: nodes stand in ascending order of uptime, since most links that matter join nodes of like uptime. Floats sort out
// the other links: the products of `above` are no less than the weights, `below` is no more than the duals. What they leave is computed
// in integers, so floats decide nothing.
typedef struct overlay_prices {
    const mco_overlay *o;
    const uint32_t *dual;  // [nodes], as given
    // Complete: of the node at each place, padded by OVERLAY_PRICE_PAD places that no link reaches.
    int32_t *order;        // [nodes] node at a place; NULL: places are nodes
    int32_t *place;        // [nodes] place of a node
    uint32_t *uptime;      // [nodes]
    uint32_t *at;          // [nodes] dual
    int32_t *cap;          // [nodes]
    float *above;          // [nodes] uptime, of 1
    float *below;          // [nodes] dual, of 1
    // Not complete.
    struct overlay_end *ends;  // [nodes]
} overlay_prices;

enum { OVERLAY_PRICE_PAD = 64, OVERLAY_GROUP = 4 };

// An end of a link: one line of a cache has all of it.
typedef struct overlay_end {
    uint32_t uptime, dual;
    int32_t cap, unused;
} overlay_end;

// overlay_prices_close() releases it. `is_plain`: for the reference, which reads instance and duals alone. Errors: MEMORY.
// O(nodes log(nodes))
mco_status overlay_prices_open(mco_context *ctx, const mco_overlay *o, bool is_plain, overlay_prices *out);
void overlay_prices_close(mco_context *ctx, overlay_prices *v);
// The duals of the next sweep, borrowed until the next call. O(nodes)
void overlay_prices_set(overlay_prices *v, const uint32_t *dual);
// The dual of node i changed since then. O(1)
void overlay_prices_move(overlay_prices *v, int32_t i);

// 2^-32 of the value, or a little less.
static inline float overlay_below(uint32_t value)
{
    return (float)value * (0x1p-32F * (1 - 0x1p-22F));
}

// Excesses are biased by 2^31: signed comparisons of them are those of the excesses.
typedef struct overlay_row {
    int32_t *excess;  // [size]
    int32_t *most;    // [size]
    int64_t size;
    uint32_t low;     // links whose excess is at most `low` may be absent
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
    // Fills the row of node i with the links whose excess is above `low`; others may come with them. O(size)
    void (*load)(const overlay_prices *v, int32_t i, uint32_t low, overlay_row *row);
    // The sum of the limits of links whose excess is above `dual`, which is row->low at least.
    uint32_t (*over)(const overlay_row *row, uint32_t dual);
    // The sum of limit * min(excess - dual, width) over the same links. width UINT32_MAX: what they are worth.
    uint64_t (*ramp)(const overlay_row *row, uint32_t dual, uint32_t width);
    // Both sums at once, with all the worth. NULL: this build has none of what follows.
    overlay_above (*both)(const overlay_row *row, uint32_t dual);
    // Splits a row for duals in [low, high]: links whose excess is in (low, high] go to `inside`, whose arrays have room for all; those
    // above go into the sums.
    void (*split)(const overlay_row *row, uint32_t low, uint32_t high, overlay_row *inside, overlay_above *above);
    // Complete instances, each link once: those between the nodes at OVERLAY_GROUP places from `place` on, which is a multiple of it, and all
    // later places. Adds the limits of links above the duals of both ends to load [nodes, padded as the prices] at both places; worth:
    // of each of these nodes what its links are worth. O(nodes)
    void (*group)(const overlay_prices *v, int64_t place, uint32_t *load, uint64_t worth[OVERLAY_GROUP]);
} overlay_build;

extern const overlay_build overlay_plain;  // the reference; simd is AUTO

// The build for the vector unit asked for. Errors: ARGUMENT.
mco_status overlay_pick(mco_context *ctx, mco_simd simd, const overlay_build **out);

#endif
