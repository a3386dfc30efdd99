// SPDX-License-Identifier: MIT
// How readers make networks.
#ifndef MCO_PATHS_FILE_H
#define MCO_PATHS_FILE_H

#include "graph/graph.h"
#include "paths/network.h"

// Makes a network of a graph, which it takes over: *graph becomes NULL. So does *weight [arcs] if `weight` is not NULL; else the
// weights come from those of the graph by the scale of the model. Turns are copied. Errors: as mco_paths_create(); then the graph
// stays with the caller.
mco_status paths_network_adopt(mco_context *ctx, mco_graph **graph, int32_t **weight, const mco_paths_model *model, bool is_map,
                               mco_paths_network **out);
// A copy with its own arrays. Errors: MEMORY.
mco_status paths_network_copy(mco_context *ctx, const mco_paths_network *network, mco_paths_network **out);

#endif
