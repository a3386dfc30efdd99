// SPDX-License-Identifier: MIT
// What the parts of preparing share.
#ifndef MCO_PATHS_PREPARE_H
#define MCO_PATHS_PREPARE_H

#include "paths/hierarchy/hierarchy.h"

// ---- turns.c
// Makes the expanded network, entry, plain_arc and turn_cost. Errors: LIMIT, MEMORY. O(arcs + turns + pairs of arcs at turns).
mco_status paths_turns_expand(mco_context *ctx, const mco_paths_network *network, mco_paths_hierarchy *hierarchy);
// The weights [arcs of expanded] of the expanded network by those of the network.
void paths_turns_weigh(const mco_paths_hierarchy *hierarchy, const int32_t *weight, int32_t *out);
// The order of the expanded network by one of the network. Errors: MEMORY.
mco_status paths_turns_order(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const int32_t *order, int32_t **out);

// ---- prepare.c
// Makes the hierarchy by an order [vertices of the network], and its metric. The limits hold for the list of triangles too. Takes the network over: *network becomes NULL. Errors: as mco_paths_prepare().
mco_status paths_hierarchy_build(mco_context *ctx, mco_paths_network **network, const int32_t *order,
                                 const paths_limits *limits, int32_t threads, mco_paths_hierarchy **out);

// Refuses what is no permutation of the vertices. Errors: ARGUMENT, MEMORY.
mco_status paths_order_refuse(mco_context *ctx, const int32_t *order, int32_t vertices);

// ---- file.c
// The hierarchy in data [bytes]; `name` is the file's in messages. Errors: as mco_paths_hierarchy_read().
mco_status paths_hierarchy_parse(mco_context *ctx, const char *name, const void *data, int64_t bytes, mco_paths_hierarchy **out);

// The checksum of data [bytes], which is a multiple of 8.
uint64_t paths_hierarchy_checksum(const void *data, int64_t bytes);

#endif
