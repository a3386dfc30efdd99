// SPDX-License-Identifier: MIT
// Ranks of one proof: rank 0 proves the root alone, the others wait. If it leaves a tree, they open a master of their own with its sets, and
// all divide it (vrp/bound/tree/share.c).
#include "base/ranks.h"
#include "vrp/bound/root.h"

// What rank 0 tells the others. All but the sets of ng-routes, which follow.
typedef struct call {
    int64_t has_tree;       // 0: nothing is left for them
    int64_t known, scaled_bound;
    double unit;            // of the problem, to be the same everywhere
    vrp_fleet fleet;
    bool fleet_is_raised, limits_length, has_sets;
} call;

static mco_status share_sets(mco_context *ctx, vrp_ng_sets *sets)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_ranks_broadcast(ctx, sets->size, sets->nodes * (int64_t)sizeof *sets->size, 0));
    MCO_TRY(mco_ranks_broadcast(ctx, sets->neighbour, (int64_t)sets->nodes * VRP_NG_MOST * (int64_t)sizeof *sets->neighbour, 0));
done:
    return st;
}

mco_status vrp_root_call(vrp_root *root)
{
    mco_status st = MCO_OK;
    const vrp_root *r = root;
    vrp_proof *proof = r->proof;
    call c = {.has_tree = 1, .known = proof->known, .scaled_bound = proof->scaled_bound, .unit = r->problem.unit, .fleet = r->problem.fleet,
              .fleet_is_raised = r->fleet_is_raised, .limits_length = r->master.limits_length, .has_sets = r->master.sets != NULL};
    proof->has_called = true;
    MCO_TRY(mco_ranks_broadcast(proof->ctx, &c, sizeof c, 0));
    if (c.has_sets)
        MCO_TRY(share_sets(proof->ctx, r->master.sets));
done:
    return st;
}

mco_status vrp_proof_release(mco_context *ctx, const vrp_proof *proof)
{
    call c = {0};
    return proof->has_called ? MCO_OK : mco_ranks_broadcast(ctx, &c, sizeof c, 0);
}

// The pricer of rank 0.
static mco_status take_pricer(vrp_root *r, const call *c)
{
    mco_status st = MCO_OK;
    mco_context *ctx = r->proof->ctx;
    vrp_ng_sets *sets = NULL;
    if (!c->has_sets)
        return vrp_master_take_q(&r->master, &r->settings);
    MCO_TRY(mco_alloc(ctx, &sets, 1));
    MCO_TRY(vrp_ng_sets_open(ctx, &r->problem, 1, sets));
    MCO_TRY(share_sets(ctx, sets));
    return vrp_master_take_sets(&r->master, &r->settings, sets);
done:
    if (sets != NULL)
        vrp_ng_sets_close(ctx, sets);
    mco_free(ctx, &sets);
    return st;
}

static mco_status open_master(vrp_root *r, const call *c)
{
    mco_status st = MCO_OK;
    const vrp_proof *proof = r->proof;
    if (r->problem.unit != c->unit)
        return mco_fail(proof->ctx, MCO_ERR_INTERNAL, "costs count in units of %g here, of %g at rank 0", 1 / r->problem.unit, 1 / c->unit);
    r->problem.fleet = c->fleet;
    r->fleet_is_raised = c->fleet_is_raised;
    MCO_TRY(vrp_master_open(proof->ctx, proof->run, &r->problem, NULL, r->plan.order != NULL ? &r->plan : NULL, NULL, &r->master));
    r->has_master = true;
    r->master.threads = r->settings.threads;
    r->precision = r->master.precision;
    MCO_TRY(take_pricer(r, c));
    MCO_TRY(vrp_master_limit_length(&r->master, c->limits_length));
done:
    return st;
}

mco_status vrp_prove_with(vrp_proof *proof)
{
    mco_status st = MCO_OK;
    call c = {0};
    vrp_root root;
    MCO_TRY(mco_ranks_broadcast(proof->ctx, &c, sizeof c, 0));
    if (c.has_tree == 0)
        return MCO_OK;
    proof->known = c.known;
    proof->scaled_bound = c.scaled_bound;
    st = vrp_root_open(proof, &root);
    if (st == MCO_OK)
        st = open_master(&root, &c);
    if (st == MCO_OK)
        st = vrp_root_divide(&root);
    vrp_root_close(&root);
done:
    return st;
}
