// SPDX-License-Identifier: MIT
// The binary heap of the oracles that search in time. Stale entries stay; who takes one tells.
#ifndef MCO_PATHS_MOMENTS_H
#define MCO_PATHS_MOMENTS_H

#include "base/context.h"

typedef struct paths_moment {
    int32_t time;
    int64_t what;  // of the caller
} paths_moment;

// Zero before use; mco_free() of `item` releases it.
typedef struct paths_moments {
    paths_moment *item;  // [count]
    int64_t count, room;
} paths_moments;

// Errors: MEMORY. O(log count).
mco_status paths_moments_put(mco_context *ctx, paths_moments *moments, paths_moment moment);
// Takes the earliest of at least one. O(log count).
paths_moment paths_moments_take(paths_moments *moments);

#endif
