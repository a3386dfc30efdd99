// SPDX-License-Identifier: MIT
// Inner loops of dense ng tables on cores (ng_cores.c), compiled once for each vector unit.
//
// A tile is one customer k at `count` consecutive loads, at most demand(k), so all its predecessors are known before. The far
// predecessors of a cell collapse to one minimum over a row of base values. A near one matters only if its base value and the arc
// are below that minimum: then its cell is read entry by entry, in the order that its sets map to those of k.
//
// A cell has `sets` entries, 2^(size - 1) or at least 32; a customer of a smaller set has each entry several times, as its maps
// ignore the bits that it lacks. An entry is F less the base value in 16 bits, VRP_NG_NONE where there is no such path; or, in a
// wide pass, F itself in 32 bits.
#ifndef MCO_VRP_BOUND_RELAX_NG_LANES_H
#define MCO_VRP_BOUND_RELAX_NG_LANES_H

#include "base/simd.h"
#include "vrp/bound/relax/ng_pass.h"

enum { VRP_NG_TILE = 16, VRP_NG_LEAST_SETS = 32, VRP_NG_NONE = UINT16_MAX };

// A pair by the customers that both sets have: entry j comes from entry[j], and set m of `to` takes the j of
// low[m % 16] | high[m / 16]. For units that choose among 16 entries at once.
typedef struct vrp_ng_common {
    uint16_t entry[16];
    uint16_t low[16], high[8];  // as 0x0202 j: with 0x0100 added, the numbers of the two bytes of entry j
    bool is_small;              // at most four such customers, and at most 128 sets; else the pair is read entry by entry
} vrp_ng_common;

// One side of a pass.
typedef struct vrp_ng_view {
    int32_t stride;
    int32_t rooms;              // loads of a customer in `cell`
    int32_t sets;
    const int32_t *demand, *first, *far, *near, *first_pair;
    const int32_t *from;        // [pairs]
    const uint8_t *kind;        // [pairs] as in vrp_ng_pair
    const int32_t *top;         // [pairs] the set with the largest entry that the pair allows
    const uint32_t *lanes;      // [pairs * sets / 32] bit m % 32 of word m / 32: the pair allows set m
    const uint16_t *low, *high; // [pairs * 32], [pairs * sets / 32]: entry m comes from entry low[m % 32] | high[m / 32]
    const vrp_ng_common *common; // [pairs], or NULL if the build does not read it
    int32_t *base;              // [(capacity + 1) * stride]
    uint16_t *cell;             // [nodes * rooms * sets]
    int32_t *wide;              // the same in 32 bits; NULL but in a wide pass
} vrp_ng_view;

// A near predecessor whose cell must be read.
typedef struct vrp_ng_live {
    int32_t pair;
    int32_t value;   // base + arc: no entry gives less
} vrp_ng_live;

typedef struct vrp_ng_scratch {
    vrp_ng_live *live;  // [the most pairs of a customer + 1]
} vrp_ng_scratch;

typedef struct vrp_ng_build {
    mco_build build;
    bool reads_common;
    // Computes the cells of node [nodes] at loads load .. load + count - 1; `count` is at most VRP_NG_TILE and each of their
    // demands. Returns false if some entry does not fit 16 bits. O(count (nodes + pairs * sets)) for each of them.
    bool (*tiles)(const vrp_ng_view *view, const vrp_ng_scratch *scratch, const int32_t *node, int32_t nodes, int32_t load,
                  int32_t count);
    // As tiles(), in 32 bits.
    bool (*wide_tiles)(const vrp_ng_view *view, const vrp_ng_scratch *scratch, const int32_t *node, int32_t nodes, int32_t load,
                       int32_t count);
} vrp_ng_build;

#endif
