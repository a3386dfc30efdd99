// SPDX-License-Identifier: MIT
// How each node of a beam came to be: its parent and its move. Only ancestors of the newest layer are kept, so a path takes little
// more than a few layers.
#ifndef MCO_FLOWSHOP_BEAM_PATH_H
#define MCO_FLOWSHOP_BEAM_PATH_H

#include "flowshop/beam/layer.h"

typedef struct flowshop_beam_path {
    int32_t layers;      // layers so far; layer d holds nodes with d + 1 jobs placed
    int64_t *begin;      // [jobs + 1], where each layer begins; begin[layers] is the end
    int64_t room;
    uint32_t *parents;   // [room], places in the layer before, ascending within a layer
    uint16_t *moves;     // [room], 2 * job + side
    uint8_t *is_kept;    // [room], scratch
} flowshop_beam_path;

mco_status flowshop_beam_path_create(mco_context *ctx, int32_t jobs, flowshop_beam_path *path);
void flowshop_beam_path_destroy(mco_context *ctx, flowshop_beam_path *path);

// Forgets all layers.
void flowshop_beam_path_clear(flowshop_beam_path *path);

// Makes room for a layer of `count` nodes behind the newest one, which the caller fills and then counts by adding to layers
// and begin. Nodes that have no descendant in the newest layer are dropped where room is short. look(user) is asked between layers and
// megabytes; once it says that the run is over, the path is of no use any more. Errors: MEMORY.
mco_status flowshop_beam_path_extend(mco_context *ctx, flowshop_beam_path *path, int64_t count, flowshop_beam_look *look, void *user);

// Writes the order that leads to node `node` of the newest layer, which has all jobs placed.
void flowshop_beam_path_order(const flowshop_beam_path *path, int64_t node, int32_t *order);

#endif
