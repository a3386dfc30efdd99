// SPDX-License-Identifier: MIT
// The builds of the inner files, one for each vector unit and lane width, and the choice of one.
#ifndef MCO_FLOWSHOP_VARIANTS_H
#define MCO_FLOWSHOP_VARIANTS_H

#include "base/simd.h"
#include "mco/flowshop.h"

struct flowshop_explorer_ops;
struct flowshop_insertion_ops;

typedef struct flowshop_variant {
    mco_build build;  // bits: 16 or 32
    const struct flowshop_explorer_ops *explorer;    // flowshop/tree/explorer.h
    const struct flowshop_insertion_ops *insertion;  // flowshop/heuristic/insertion.h
} flowshop_variant;

// The widest unit this processor has, or the one asked for; 16-bit lanes where every length of a path through the instance
// provably fits, else 32. NULL if the unit asked for is absent; the error of `ctx` says so. `shop` NULL: any.
const flowshop_variant *flowshop_variant_choose(mco_context *ctx, mco_simd simd, const mco_flowshop *shop);

// Upper bound on the length of any path through the instance (n + m - 1 operations, at least one of
// each job and, besides, one more for each machine passed), thus on every front, back and bound.
int64_t flowshop_longest_path(const mco_flowshop *shop);

#endif
