// SPDX-License-Identifier: MIT
// The inner loops of the cpu engine, built once for each vector unit (LANE_SET) and chosen at run time.
#ifndef MCO_REDUCE_LANES_H
#define MCO_REDUCE_LANES_H

#include "base/simd.h"
#include "reduce/job.h"

// Reduces one chunk, data [length] with length > 0, whose first element has index `first`, to its partial result.
typedef void reduce_chunk_function(const void *data, int64_t length, int64_t first, reduce_partial *out);

typedef struct reduce_lanes {
    mco_build build;
    reduce_chunk_function *(*function_of)(const reduce_kind *kind);  // of a kind that exists
} reduce_lanes;

// Those of the vector unit asked for. Errors: ARGUMENT where it is absent.
mco_status reduce_lanes_choose(mco_context *ctx, mco_simd simd, const reduce_lanes **out);

#endif
