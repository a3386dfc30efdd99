// SPDX-License-Identifier: MIT
// The inner loops of the cpu engine, built once for each vector unit (LANE_SET) and chosen at run time.
#ifndef MCO_REDUCE_LANES_H
#define MCO_REDUCE_LANES_H

#include "reduce/job.h"

// Reduces one chunk, data [length] with length > 0, whose first element has index `first`, to its partial result.
typedef void reduce_chunk_function(const void *data, int64_t length, int64_t first, reduce_partial *out);

// The function for a kind that exists, of a vector unit that this build has: "avx512", "avx2" or "portable".
reduce_chunk_function *reduce_lanes_of(const char *simd, const reduce_kind *kind);

// One each from the same source.
reduce_chunk_function *reduce_lanes_avx512(const reduce_kind *kind);
reduce_chunk_function *reduce_lanes_avx2(const reduce_kind *kind);
reduce_chunk_function *reduce_lanes_portable(const reduce_kind *kind);

#endif
