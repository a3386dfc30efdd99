// SPDX-License-Identifier: MIT
// The reductions that W. A. R. Jradi's thesis (UFG, 2016, chapter 6) compares. They are made correct on GPUs where the
// threads of a warp do not run in lock-step (compute capability 7 and later). They are here to be measured; the library
// has its own.
#ifndef MCO_BENCH_REDUCE_HISTORICAL_H
#define MCO_BENCH_REDUCE_HISTORICAL_H

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum historical_form {
    HISTORICAL_HARRIS_1 = 1,  // interleaved addressing, divergent branch
    HISTORICAL_HARRIS_2,      // interleaved addressing, strided index
    HISTORICAL_HARRIS_3,      // sequential addressing
    HISTORICAL_HARRIS_4,      // first operation while loading
    HISTORICAL_HARRIS_5,      // last warp unrolled
    HISTORICAL_HARRIS_6,      // all unrolled
    HISTORICAL_HARRIS_7,      // many items a thread
    HISTORICAL_SHUFFLE,       // Luitjens: warp shuffles
    HISTORICAL_CATANZARO,     // two stages
    HISTORICAL_THESIS         // two stages, unrolled, branch-free
} historical_form;

enum { HISTORICAL_UNROLL_MAX = 16 };

// `unroll` is F in 1..HISTORICAL_UNROLL_MAX for HISTORICAL_THESIS, and 0 for the others. They compute sum, min and max
// of at most 2^31 items; sums of i32 wrap. Published figures are left 0.
bench_competitor bench_historical(historical_form form, int unroll);

#ifdef __cplusplus
}
#endif
#endif
