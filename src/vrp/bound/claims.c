// SPDX-License-Identifier: MIT
#include "vrp/bound/claims.h"

#include <string.h>

#include "base/grow.h"

void vrp_claim_prices_clear(mco_context *ctx, vrp_claim_prices *prices)
{
    mco_free(ctx, &prices->price);
    vrp_cuts_close(ctx, &prices->cuts);
    *prices = (vrp_claim_prices){.bound = INT64_MIN};
}

void vrp_claim_pool_clear(mco_context *ctx, vrp_claim_pool *pool)
{
    mco_free(ctx, &pool->price);
    mco_free(ctx, &pool->row_price);
    vrp_cuts_close(ctx, &pool->cuts);
    *pool = (vrp_claim_pool){0};
}

void vrp_claim_pools_clear(mco_context *ctx, vrp_claim_pools *pools)
{
    for (int64_t k = 0; k < pools->count; k++)
        vrp_claim_pool_clear(ctx, &pools->pool[k]);
    mco_free(ctx, &pools->pool);
    *pools = (vrp_claim_pools){0};
}

void vrp_claims_forget(mco_context *ctx, vrp_claims *claims)
{
    for (int64_t k = 0; k < claims->count; k++) {
        vrp_claim_prices_clear(ctx, &claims->claim[k].prices);
        vrp_claim_pools_clear(ctx, &claims->claim[k].pools);
        mco_free(ctx, &claims->claim[k].node);
    }
    claims->count = 0;
    while (claims->removals > 0 && claims->removal[claims->removals - 1].part > 0)
        vrp_claim_prices_clear(ctx, &claims->removal[--claims->removals].prices);
    claims->bytes = 0;
    claims->is_full = false;
}

void vrp_claims_clear(mco_context *ctx, vrp_claims *claims)
{
    vrp_claims_forget(ctx, claims);
    for (int64_t k = 0; k < claims->removals; k++)
        vrp_claim_prices_clear(ctx, &claims->removal[k].prices);
    mco_free(ctx, &claims->removal);
    mco_free(ctx, &claims->claim);
    *claims = (vrp_claims){0};
}

mco_status vrp_claims_begin(mco_context *ctx, vrp_claims *claims, vrp_fleet fleet)
{
    mco_status st = MCO_OK;
    vrp_claims_forget(ctx, claims);
    MCO_TRY(mco_grow(ctx, &claims->claim, &claims->room, 1));
    claims->claim[claims->count++] = (vrp_claim){.parent = -1, .fleet = fleet, .prices.bound = INT64_MIN};
done:
    return st;
}

mco_status vrp_claims_divide(mco_context *ctx, vrp_claims *claims, int64_t k, int32_t *child)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(ctx, &claims->claim, &claims->room, claims->count + 2));
    vrp_claim *parent = &claims->claim[k];
    *child = parent->child = (int32_t)claims->count;
    vrp_claim_pools_clear(ctx, &parent->pools);
    for (int s = 0; s < 2; s++)
        claims->claim[claims->count++] = (vrp_claim){.parent = (int32_t)k, .fleet = parent->fleet, .prices.bound = INT64_MIN};
done:
    return st;
}

// Bytes of prices, about: a row has lists, members and a memory.
static double bytes_of(const vrp_claim_prices *p, int32_t nodes)
{
    double bytes = 4.0 * nodes;
    for (int64_t k = 0; k < p->cuts.count; k++)
        bytes += (double)sizeof(vrp_cut) + 4.0 * p->cuts.cut[k].size + 16.0 * p->cuts.words + 96;
    return bytes;
}

mco_status vrp_claim_prices_copy(mco_context *ctx, const vrp_bound_problem *problem, int64_t bound, const int32_t *price,
                                 const vrp_cuts *cuts, vrp_claim_prices *out)
{
    mco_status st = MCO_OK;
    bool *keep = NULL;
    vrp_claim_prices copy = {.unit = problem->unit, .bound = bound};
    MCO_TRY(mco_alloc(ctx, &copy.price, problem->nodes));
    memcpy(copy.price, price, (size_t)problem->nodes * sizeof *price);
    MCO_TRY(vrp_cuts_copy(ctx, cuts, &copy.cuts));
    MCO_TRY(mco_alloc(ctx, &keep, copy.cuts.count));
    for (int64_t k = 0; k < copy.cuts.count; k++)
        keep[k] = copy.cuts.cut[k].price != 0;
    vrp_cuts_keep(ctx, &copy.cuts, keep);
    *out = copy;
    copy = (vrp_claim_prices){0};
done:
    mco_free(ctx, &keep);
    vrp_claim_prices_clear(ctx, &copy);
    return st;
}

mco_status vrp_claims_remove(mco_context *ctx, vrp_claims *claims, int64_t part, const vrp_bound_problem *problem, int64_t bound,
                             const int32_t *price, const vrp_cuts *cuts)
{
    mco_status st = MCO_OK;
    vrp_claim_prices prices = {.bound = INT64_MIN};
    MCO_TRY(mco_grow(ctx, &claims->removal, &claims->removal_room, claims->removals + 1));
    MCO_TRY(vrp_claim_prices_copy(ctx, problem, bound, price, cuts, &prices));
    const double bytes = part > 0 ? bytes_of(&prices, problem->nodes) : 0;
    if (part > 0 && (claims->is_full || claims->bytes + bytes > VRP_CLAIMS_BYTES)) {
        vrp_claim_prices_clear(ctx, &prices);
        return MCO_OK;
    }
    claims->bytes += bytes;
    claims->removal[claims->removals++] = (vrp_claim_removal){part, prices};
done:
    return st;
}

void vrp_claims_keep(mco_context *ctx, vrp_claims *claims, int64_t k, vrp_claim_prices *prices)
{
    vrp_claim *claim = &claims->claim[k];
    vrp_claim_prices *old = &claim->prices;
    const bool is_better = old->price == NULL || (double)prices->bound / prices->unit > (double)old->bound / old->unit;
    const int32_t nodes = 64 * prices->cuts.words;
    claims->is_full = claims->is_full || claims->bytes + bytes_of(prices, nodes) > VRP_CLAIMS_BYTES;
    if (prices->price != NULL && claim->child == 0 && is_better && !claims->is_full) {
        claims->bytes += bytes_of(prices, nodes) - (old->price != NULL ? bytes_of(old, nodes) : 0);
        vrp_claim_prices_clear(ctx, old);
        *old = *prices;
        *prices = (vrp_claim_prices){.bound = INT64_MIN};
    }
    vrp_claim_prices_clear(ctx, prices);
}
