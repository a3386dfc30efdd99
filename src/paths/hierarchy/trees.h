// SPDX-License-Identifier: MIT
// One call for many trees, as its ways see it.
#ifndef MCO_PATHS_HIERARCHY_TREES_H
#define MCO_PATHS_HIERARCHY_TREES_H

#include "paths/hierarchy/solve.h"

typedef struct paths_trees {
    mco_context *ctx;
    mco_run run;
    mco_paths_params p;
    const mco_paths_network *network;
    const mco_paths_hierarchy *hierarchy;  // NULL: none
    mco_paths_hierarchy *own;              // that was prepared for this call
    int64_t count;
    const int32_t *source;
    int32_t *distance;  // [count][vertices]
    int64_t *parent;    // [count][vertices], or NULL
    mco_paths_result result;
} paths_trees;

// trees_lanes.c: sweeps, certificates and copies by lanes on all cores. Errors: ARGUMENT, LIMIT, INTERNAL, MEMORY.
mco_status paths_trees_by_lanes(paths_trees *job);

#endif
