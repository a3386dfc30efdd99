// SPDX-License-Identifier: MIT
// What ranks of one program tell each other of a tree, as bytes: states, sides, rows, prices, routes. All ranks run the same build.
#ifndef MCO_VRP_BOUND_TREE_PACK_H
#define MCO_VRP_BOUND_TREE_PACK_H

#include "vrp/bound/tree/inside.h"

typedef struct tree_bytes {
    mco_context *ctx;
    int32_t nodes;       // of the problem
    uint8_t *data;       // [count]; owned by who filled it
    int64_t count, room;
    int64_t at;          // where the next get begins
} tree_bytes;

// Errors: put MEMORY; get also INTERNAL, where the bytes end too early. What a get fills was empty before, and is the caller's also
// after an error.
mco_status tree_put(tree_bytes *b, const void *data, int64_t size);
mco_status tree_get(tree_bytes *b, void *data, int64_t size);
mco_status tree_put_routes(tree_bytes *b, const vrp_routes *routes);
mco_status tree_get_routes(tree_bytes *b, vrp_routes *routes);
mco_status tree_put_state(tree_bytes *b, const tree_state *state);
mco_status tree_get_state(tree_bytes *b, tree_state **state);
mco_status tree_put_side(tree_bytes *b, const tree_side *side);
mco_status tree_get_side(tree_bytes *b, tree_side *side);
mco_status tree_put_prices(tree_bytes *b, const vrp_claim_prices *prices);
mco_status tree_get_prices(tree_bytes *b, vrp_claim_prices *prices);
mco_status tree_put_pools(tree_bytes *b, const vrp_claim_pools *pools);
mco_status tree_get_pools(tree_bytes *b, vrp_claim_pools *pools);

#endif
