// SPDX-License-Identifier: MIT
// The inner loops of the cpu engine. They are built once for each vector unit (LANE_SET) and chosen at run time.
#ifndef MCO_REDUCE_LANES_H
#define MCO_REDUCE_LANES_H

#include "base/simd.h"
#include "reduce/job.h"

// Reduces one chunk to its partial result: data [length], length > 0. Its first element has index `first`.
typedef void reduce_chunk_function(const void *data, int64_t length, int64_t first, reduce_partial *out);

typedef struct reduce_lanes {
    mco_build build;
    reduce_chunk_function *(*function_of)(const reduce_kind *kind);  // the operation must exist for the type
} reduce_lanes;

// The loops of the vector unit `simd`. Errors: ARGUMENT if the machine does not have it.
mco_status reduce_lanes_choose(mco_context *ctx, mco_simd simd, const reduce_lanes **out);

#endif
