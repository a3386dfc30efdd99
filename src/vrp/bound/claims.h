// SPDX-License-Identifier: MIT
// What a proof claims, for its recheck: the parts that the plans were divided into, and integer prices of each part that is not divided.
//
// Part 0 is all plans. A part is divided into two by the number of routes, or by how often routes cross the border of a set. A part
// without parts is proved by its prices: no route, or few routes, are worth less than what plans below the bound leave; and by the prices
// of a pool, where these few routes were settled by an integer program.
#ifndef MCO_VRP_BOUND_CLAIMS_H
#define MCO_VRP_BOUND_CLAIMS_H

#include "vrp/bound/prices.h"

typedef struct vrp_claim_prices {
    double unit;           // of a scaled unit of mco_vrp, a power of two
    int64_t bound;         // what the driver says that they prove, in these units
    int32_t *price;        // [nodes]; NULL: none
    vrp_cuts cuts;         // rows with a price
} vrp_claim_prices;

// Prices of a list of routes, of which those of a high value leave: customers at 0..customers - 1, the number of routes at customers. Costs are scaled units times `unit`.
typedef struct vrp_claim_pool {
    int64_t unit;
    int64_t *price;        // [customers + 1]; NULL: none
    vrp_cuts cuts;         // memories NULL; the prices of its rows are in `row_price`
    int64_t *row_price;    // [cuts.count]
} vrp_claim_pool;

// One after the other: the first ones leave fewer routes, the last one proves that these make no plan.
typedef struct vrp_claim_pools {
    int64_t count, room;
    vrp_claim_pool *pool;  // [count]
} vrp_claim_pools;

typedef struct vrp_claim {
    int32_t parent;        // -1: part 0
    int32_t child;         // the first of two; 0: not divided
    vrp_fleet fleet;       // of the part, in every case
    vrp_cut_sense sense;   // of the row that the part has beyond its parent; size 0: none
    int64_t rhs;
    int32_t size;
    int32_t *node;         // [size] ascending
    vrp_claim_prices prices;
    vrp_claim_pools pools;
} vrp_claim;

// At these prices arcs were removed from a part, and so from those that it was divided into later.
typedef struct vrp_claim_removal {
    int64_t part;
    vrp_claim_prices prices;
} vrp_claim_removal;

typedef struct vrp_claims {
    int64_t count, room;
    vrp_claim *claim;      // [count]
    int64_t removals, removal_room;
    vrp_claim_removal *removal;  // [removals] one after the other; those of all plans come first
    double bytes;          // of prices and rows, about
    bool is_full;          // beyond VRP_CLAIMS_BYTES: nothing was kept any more
} vrp_claims;

enum { VRP_CLAIMS_BYTES = 1 << 28 };

void vrp_claims_clear(mco_context *ctx, vrp_claims *claims);
// Forgets all parts. Removals of all plans stay.
void vrp_claims_forget(mco_context *ctx, vrp_claims *claims);
// Begins anew with part 0; removals of all plans stay. Errors: MEMORY.
mco_status vrp_claims_begin(mco_context *ctx, vrp_claims *claims, vrp_fleet fleet);
// Divides part k; *child: the first of two parts, whose fleets and rows the caller sets. Errors: MEMORY.
mco_status vrp_claims_divide(mco_context *ctx, vrp_claims *claims, int64_t k, int32_t *child);
void vrp_claim_prices_clear(mco_context *ctx, vrp_claim_prices *prices);
void vrp_claim_pool_clear(mco_context *ctx, vrp_claim_pool *pool);
void vrp_claim_pools_clear(mco_context *ctx, vrp_claim_pools *pools);
// Copies prices and the rows that have one. Errors: MEMORY.
mco_status vrp_claim_prices_copy(mco_context *ctx, const vrp_bound_problem *problem, int64_t bound, const int32_t *price,
                                 const vrp_cuts *cuts, vrp_claim_prices *out);
// Tells that arcs are removed from a part at these prices, before it is divided; part 0: from all plans, also if no part is there yet. Where
// the claims are full those of parts are left out. Errors: MEMORY.
mco_status vrp_claims_remove(mco_context *ctx, vrp_claims *claims, int64_t part, const vrp_bound_problem *problem, int64_t bound,
                             const int32_t *price, const vrp_cuts *cuts);
// Gives part k these prices unless it has better ones, or is divided. Takes them over in every case.
void vrp_claims_keep(mco_context *ctx, vrp_claims *claims, int64_t k, vrp_claim_prices *prices);

#endif
