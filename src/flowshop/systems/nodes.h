// SPDX-License-Identifier: MIT
// The pending nodes of the pool systems. The deepest node comes first; among the deepest, the node of smaller bound
// (Chakroun 2013, section 4.1). Taking and adding are O(1): there is a list of blocks for each depth and each of 16
// equal parts of the range of bounds. A list is last in, first out, so nodes within a part are not ordered by bound.
#ifndef MCO_FLOWSHOP_SYSTEMS_NODES_H
#define MCO_FLOWSHOP_SYSTEMS_NODES_H

#include "base/context.h"
#include "flowshop/kernels.h"

struct flowshop_pool_block;

typedef struct flowshop_pool_nodes {
    mco_context *ctx; // gives the memory
    int32_t jobs, row_bytes;
    int32_t block_rows;                 // rows of a block
    int64_t least, range;               // the parts divide the bounds from `least` to least + range - 1
    int64_t count;                      // nodes held
    int32_t deepest;                    // no list beyond this depth holds a node
    uint32_t *filled;                   // [jobs] bit c: list c of this depth is not empty
    struct flowshop_pool_block **lists; // [jobs * FLOWSHOP_POOL_CLASSES]
    struct flowshop_pool_block *spare;  // blocks to use again
} flowshop_pool_nodes;

enum { FLOWSHOP_POOL_CLASSES = 16 };

// For nodes of `jobs` jobs. Most bounds should be in least <= bound < upper; others go to the first or last part.
// Errors: MEMORY.
mco_status flowshop_pool_nodes_create(mco_context *ctx, int32_t jobs, int64_t least, int64_t upper,
                                      flowshop_pool_nodes *out);
void flowshop_pool_nodes_destroy(flowshop_pool_nodes *nodes);

// Adds a node with `depth` (below jobs) jobs fixed. The caller writes the node to *out. Errors: MEMORY.
mco_status flowshop_pool_nodes_add(flowshop_pool_nodes *nodes, int32_t depth, int64_t bound, flowshop_row **out);

// Removes the first node and returns it; it is valid until the next addition. NULL if there is none.
const flowshop_row *flowshop_pool_nodes_take(flowshop_pool_nodes *nodes);
// Depth of the first node; -1 if there is none.
int32_t flowshop_pool_nodes_depth(flowshop_pool_nodes *nodes);

#endif
