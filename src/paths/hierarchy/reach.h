// SPDX-License-Identifier: MIT
// Whether pairs without a distance have no path, or one that is too long. Distances saturate, so the hierarchy cannot tell.
#ifndef MCO_PATHS_HIERARCHY_REACH_H
#define MCO_PATHS_HIERARCHY_REACH_H

#include "paths/hierarchy/hierarchy.h"

enum { PATHS_REACH_SOURCES = 64 };

typedef struct paths_reach {
    const mco_paths_hierarchy *hierarchy;
    const mco_paths_rows *rows;  // with turns as arcs
    uint64_t *mask;     // [vertices] bit j: source j reaches it
    uint64_t *own;      // [vertices] bit j: source j is it
    int32_t *queue;     // [vertices] a ring
    bool *is_queued;    // [vertices]
} paths_reach;

// Finds whether no shortest path can have a length of MCO_PATHS_NONE or more: then there is nothing to ask. O(arcs of the hierarchy).
mco_status paths_is_short(mco_context *ctx, const mco_paths_hierarchy *hierarchy, bool *is_short);
mco_status paths_reach_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_reach *out);
// Finds what up to 64 vertices of the network reach. O(arcs) mostly, at most 64 times that. Errors: STOPPED.
mco_status paths_reach_from(mco_context *ctx, paths_reach *reach, mco_run *run, int32_t count, const int32_t *source);
// Refuses a pair without a distance that has a path. Errors: LIMIT.
mco_status paths_reach_refuse(mco_context *ctx, const paths_reach *reach, int32_t j, int32_t source, int32_t target);
void paths_reach_close(mco_context *ctx, paths_reach *reach);

#endif
