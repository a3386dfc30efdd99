// SPDX-License-Identifier: MIT
// What the engines of one tree share: they are called through paths_search_tree().
#ifndef MCO_PATHS_SINGLE_SEARCH_H
#define MCO_PATHS_SINGLE_SEARCH_H

#include "paths/single/single.h"

// The first member of each engine.
struct paths_search {
    const paths_layout *layout;  // borrowed
    // Finds the distances below MCO_PATHS_NONE; none of them is above *greatest. All are MCO_PATHS_NONE before.
    mco_status (*tree)(mco_context *ctx, paths_search *search, mco_run *run, int32_t source, int32_t *distance,
                       paths_counts *counts, int32_t *greatest);
    void (*close)(mco_context *ctx, paths_search *search);  // releases all but the struct itself
};

// Sets the width of buckets to 2^shift, shift in 0..29, for tests and studies.
void paths_buckets_set_shift(paths_search *search, int32_t shift);

// Whether arcs lead on from a vertex that has a distance.
static inline bool paths_may_pass(const paths_layout *layout, int32_t vertex, int32_t source)
{
    return layout->is_end == NULL || !layout->is_end[vertex] || vertex == source;
}

#endif
