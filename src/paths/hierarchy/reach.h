// SPDX-License-Identifier: MIT
// Whether pairs without a distance have no path, or one that is too long. Distances saturate, so the hierarchy cannot tell.
#ifndef MCO_PATHS_HIERARCHY_REACH_H
#define MCO_PATHS_HIERARCHY_REACH_H

#include "paths/hierarchy/hierarchy.h"

enum { PATHS_REACH_SOURCES = 64 };

typedef struct paths_reach {
    const mco_paths_hierarchy *hierarchy;
    const mco_paths_rows *rows;  // with turns as arcs
    int32_t parts;      // strongly connected ones
    int32_t *part;      // [vertices] of a vertex
    int64_t *first;     // [parts + 1] the arcs between parts, to lesser numbers
    int32_t *head;      // [first[parts]]
    uint64_t *mask;     // [parts] bit j: source j reaches it
} paths_reach;

// Finds whether no shortest path can have a length of MCO_PATHS_NONE or more: then there is nothing to ask. O(arcs of the hierarchy).
mco_status paths_is_short(mco_context *ctx, const mco_paths_hierarchy *hierarchy, bool *is_short);
// Finds the parts and the arcs between them. Errors: STOPPED, MEMORY. O(vertices + arcs).
mco_status paths_reach_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_run *run, paths_reach *out);
// Finds what up to 64 vertices of the network reach. Errors: STOPPED. O(parts + arcs between them + arcs of the sources).
mco_status paths_reach_from(mco_context *ctx, paths_reach *reach, mco_run *run, int32_t count, const int32_t *source);
// Whether source j has a path to the vertex.
static inline bool paths_reach_has(const paths_reach *reach, int32_t j, int32_t target)
{
    return (reach->mask[reach->part[target]] >> j & 1) != 0;
}
// Refuses a pair without a distance that has a path. Errors: LIMIT.
mco_status paths_reach_refuse(mco_context *ctx, const paths_reach *reach, int32_t j, int32_t source, int32_t target);
void paths_reach_close(mco_context *ctx, paths_reach *reach);

#endif
