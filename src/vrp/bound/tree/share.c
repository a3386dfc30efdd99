// SPDX-License-Identifier: MIT
// One tree by several ranks, in rounds.
//
// Every rank holds the whole list of nodes. Of the open nodes rank r solves the r-th in their order; then all tell all what came of theirs, and
// each applies everything in the order of the ranks. So the lists stay equal, and all ranks choose the same next nodes without a word. Only
// their programs differ: each has the routes that it has met.
#include <string.h>

#include "base/ranks.h"
#include "vrp/bound/tree/pack.h"

static tree_bytes bytes_of(const tree *t)
{
    return (tree_bytes){.ctx = t->ctx, .nodes = t->root->nodes};
}

mco_status tree_share_root(tree *t, tree_state **state, int64_t *bound)
{
    mco_status st = MCO_OK;
    tree_bytes b = bytes_of(t);
    if (mco_rank(t->ctx) == 0)
        MCO_TRY(tree_put_state(&b, *state));
    int64_t head[2] = {b.count, *bound};
    MCO_TRY(mco_ranks_broadcast(t->ctx, head, sizeof head, 0));
    if (mco_rank(t->ctx) > 0)
        MCO_TRY(mco_alloc(t->ctx, &b.data, head[0]));
    MCO_TRY(mco_ranks_broadcast(t->ctx, b.data, head[0], 0));
    if (mco_rank(t->ctx) > 0) {
        b.count = head[0];
        *bound = head[1];
        MCO_TRY(tree_get_state(&b, state));
    }
done:
    mco_free(t->ctx, &b.data);
    return st;
}

// ---- What a rank tells of its node

typedef struct head {
    int64_t bound, bounds[2];
    int64_t cost;                // of its plan; INT64_MAX: it has found none below the known cost
    int64_t routes_enumerated, tried_gap, tried_close;
    bool is_divided, is_stuck;
} head;

// What a round begins with.
typedef struct before {
    int64_t known, routes_enumerated;
} before;

static mco_status put_outcome(tree *t, int64_t k, const tree_outcome *o, const before *begin, tree_bytes *b)
{
    mco_status st = MCO_OK;
    const bool has_plan = t->known < begin->known && t->result->cost == t->known;
    const head h = {.bound = o->bound, .bounds = {o->bounds[0], o->bounds[1]}, .cost = has_plan ? t->result->cost : INT64_MAX,
                    .routes_enumerated = t->result->routes_enumerated - begin->routes_enumerated, .tried_gap = t->tried_gap,
                    .tried_close = t->tried_close,
                    .is_divided = o->is_divided, .is_stuck = o->is_stuck};
    MCO_TRY(tree_put(b, &h, sizeof h));
    if (has_plan)
        MCO_TRY(tree_put_routes(b, &t->result->plan));
    if (t->claims != NULL && !o->is_divided) {
        MCO_TRY(tree_put_prices(b, &t->claims->claim[t->nodes[k].part].prices));
        MCO_TRY(tree_put_pools(b, &t->claims->claim[t->nodes[k].part].pools));
    }
    if (o->is_divided)
        MCO_TRY(tree_put_state(b, o->state));
    for (int s = 0; s < 2 && o->is_divided; s++) {
        MCO_TRY(tree_put_side(b, &o->sides[s]));
        MCO_TRY(tree_put_prices(b, &o->prices[s]));
    }
done:
    return st;
}

// The prices of a node that is not divided become those of its part.
static mco_status get_claims(tree *t, int64_t k, tree_bytes *b)
{
    mco_status st = MCO_OK;
    vrp_claim_prices prices = {0};
    vrp_claim_pools pools = {0};
    MCO_TRY(tree_get_prices(b, &prices));
    MCO_TRY(tree_get_pools(b, &pools));
    vrp_claims_keep(t->ctx, t->claims, t->nodes[k].part, &prices);
    if (pools.count > 0) {
        vrp_claim_pools *own = &t->claims->claim[t->nodes[k].part].pools;
        vrp_claim_pools_clear(t->ctx, own);
        *own = pools;
        pools = (vrp_claim_pools){0};
    }
done:
    vrp_claim_pools_clear(t->ctx, &pools);
    vrp_claim_prices_clear(t->ctx, &prices);
    return st;
}

// A plan and claims are taken at once, the outcome later: whether a node is closed depends on all plans of the round.
static mco_status get_outcome(tree *t, int64_t k, tree_bytes *b, tree_outcome *o)
{
    mco_status st = MCO_OK;
    head h = {.bound = 0};
    vrp_routes plan;
    vrp_routes_open(t->root->is_symmetric, &plan);
    MCO_TRY(tree_get(b, &h, sizeof h));
    if (h.cost < INT64_MAX) {
        MCO_TRY(tree_get_routes(b, &plan));
        tree_adopt_plan(t, &plan, h.cost);
    }
    t->result->routes_enumerated += h.routes_enumerated;
    t->tried_gap = h.tried_gap < t->tried_gap ? h.tried_gap : t->tried_gap;
    t->tried_close = h.tried_close < t->tried_close ? h.tried_close : t->tried_close;
    if (t->claims != NULL && !h.is_divided)
        MCO_TRY(get_claims(t, k, b));
    if (h.is_divided)
        MCO_TRY(tree_get_state(b, &o->state));
    for (int s = 0; s < 2 && h.is_divided; s++) {
        MCO_TRY(tree_get_side(b, &o->sides[s]));
        MCO_TRY(tree_get_prices(b, &o->prices[s]));
        o->bounds[s] = h.bounds[s];
    }
    o->bound = h.bound;
    o->is_divided = h.is_divided;
    o->is_stuck = h.is_stuck;
done:
    vrp_routes_close(t->ctx, &plan);
    return st;
}

// ---- A round

// All ranks tell all: `out` gets what each has, one after the other. Errors: MEMORY, those of collectives.
static mco_status gather(tree *t, const tree_bytes *own, tree_bytes *out)
{
    mco_status st = MCO_OK;
    const int ranks = mco_rank_count(t->ctx), rank = mco_rank(t->ctx);
    int64_t *size = NULL, *first = NULL;
    MCO_TRY(mco_alloc(t->ctx, &size, ranks));
    MCO_TRY(mco_alloc(t->ctx, &first, ranks + 1));
    size[rank] = own->count;
    MCO_TRY(mco_ranks_reduce(t->ctx, size, ranks, MCO_REDUCE_SUM));
    for (int r = 0; r < ranks; r++)
        first[r + 1] = first[r] + size[r];
    MCO_TRY(mco_alloc(t->ctx, &out->data, first[ranks]));
    out->count = first[ranks];
    if (own->count > 0)
        memcpy(out->data + first[rank], own->data, (size_t)own->count);
    MCO_TRY(mco_ranks_gather(t->ctx, out->data, first));
done:
    mco_free(t->ctx, &first);
    mco_free(t->ctx, &size);
    return st;
}

static mco_status apply_all(tree *t, const int64_t *chosen, int count, tree_bytes *b)
{
    mco_status st = MCO_OK;
    tree_outcome *outcome = NULL;
    MCO_TRY(mco_alloc(t->ctx, &outcome, count));
    for (int r = 0; r < count; r++)
        MCO_TRY(get_outcome(t, chosen[r], b, &outcome[r]));
    for (int r = 0; r < count; r++)
        MCO_TRY(tree_apply(t, chosen[r], &outcome[r]));
done:
    for (int r = 0; r < count && outcome != NULL; r++)
        tree_outcome_clear(t->ctx, &outcome[r]);
    mco_free(t->ctx, &outcome);
    return st;
}

// Each rank solves its node of chosen [count].
static mco_status go_round(tree *t, const int64_t *chosen, int count)
{
    mco_status st = MCO_OK;
    const int rank = mco_rank(t->ctx);
    const before begin = {.known = t->known, .routes_enumerated = t->result->routes_enumerated};
    tree_outcome own = {0};
    tree_bytes told = bytes_of(t), all = bytes_of(t);
    if (rank < count) {
        MCO_TRY(tree_expand(t, chosen[rank], &own));
        MCO_TRY(put_outcome(t, chosen[rank], &own, &begin, &told));
    }
    t->result->routes_enumerated = begin.routes_enumerated;  // all ranks add those of all
    MCO_TRY(gather(t, &told, &all));
    MCO_TRY(apply_all(t, chosen, count, &all));
done:
    mco_free(t->ctx, &all.data);
    mco_free(t->ctx, &told.data);
    tree_outcome_clear(t->ctx, &own);
    return st;
}

// The first open nodes, at most one a rank, which are not proved. Returns how many.
static int choose(const tree *t, int64_t *chosen)
{
    int count = 0;
    const int64_t left = t->settings->nodes > 0 ? t->settings->nodes - t->result->nodes : INT64_MAX;
    for (int64_t k = -1; count < mco_rank_count(t->ctx) && count < left;) {
        k = tree_next(t, k);
        if (k < 0 || tree_is_closed(t, t->nodes[k].bound))
            break;
        chosen[count++] = k;
    }
    return count;
}

mco_status tree_search_by_ranks(tree *t)
{
    mco_status st = MCO_OK;
    int64_t *chosen = NULL, rounds = 0;
    MCO_TRY(mco_alloc(t->ctx, &chosen, mco_rank_count(t->ctx)));
    for (;;) {
        int64_t must_stop = tree_must_stop(t);
        MCO_TRY(mco_ranks_greatest(t->ctx, &must_stop));
        t->is_stopped = must_stop != 0;
        const int count = t->is_stopped ? 0 : choose(t, chosen);
        if (count == 0)
            break;
        MCO_TRY(tree_note(t, chosen[0]));
        MCO_TRY(go_round(t, chosen, count));
        rounds++;
    }
    mco_log(t->ctx, MCO_LOG_DETAIL, "tree: %lld nodes in %lld rounds of %d ranks", (long long)t->result->nodes, (long long)rounds,
            mco_rank_count(t->ctx));
done:
    mco_free(t->ctx, &chosen);
    return st;
}
