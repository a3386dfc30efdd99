// SPDX-License-Identifier: MIT
// The builds of the vectorised files, one for each vector unit and lane width, and the choice of one.
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

// The build for the widest vector unit of this processor, or for the unit `simd` asks for. It has 16-bit lanes if
// flowshop_longest_path() is below INT16_MAX, or if `shop` is NULL, else 32-bit lanes. NULL if this processor lacks the
// unit asked for; the error of `ctx` says so.
const flowshop_variant *flowshop_variant_choose(mco_context *ctx, mco_simd simd, const mco_flowshop *shop);

// Upper bound on the length of any path through the instance, so also on every front, back and bound. A path has
// n + m - 1 operations: one of each job, and one more for each step to the next machine.
int64_t flowshop_longest_path(const mco_flowshop *shop);

#endif
