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

// Whether all ranks are ready for the tree. One whose time was over when it opened its master is not: then nobody begins.
static mco_status all_are_ready(mco_context *ctx, bool is_ready, bool *all)
{
    int64_t least = is_ready;
    const mco_status st = mco_ranks_reduce(ctx, &least, 1, MCO_REDUCE_MIN);
    *all = least != 0;
    return st;
}

mco_status vrp_root_call(vrp_root *root, bool *are_ready)
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
    MCO_TRY(all_are_ready(proof->ctx, true, are_ready));
done:
    return st;
}

mco_status vrp_proof_release(mco_context *ctx, const vrp_proof *proof)
{
    call c = {0};
    return proof->has_called ? MCO_OK : mco_ranks_broadcast(ctx, &c, sizeof c, 0);
}

// The sets of rank 0.
static mco_status receive_sets(mco_context *ctx, int32_t nodes, vrp_ng_sets **out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, out, 1));
    (*out)->nodes = nodes;
    MCO_TRY(mco_alloc(ctx, &(*out)->size, nodes));
    MCO_TRY(mco_alloc(ctx, &(*out)->neighbour, (int64_t)nodes * VRP_NG_MOST));
    MCO_TRY(share_sets(ctx, *out));
done:
    return st;
}

// *sets, NULL for q-routes, become the master's.
static mco_status open_master(vrp_root *r, const call *c, vrp_ng_sets **sets)
{
    mco_status st = MCO_OK;
    const vrp_proof *proof = r->proof;
    vrp_ng_sets *taken = *sets;
    if (r->problem.unit != c->unit)
        return mco_fail(proof->ctx, MCO_ERR_INTERNAL, "costs count in units of %g here, of %g at rank 0", 1 / r->problem.unit, 1 / c->unit);
    r->problem.fleet = c->fleet;
    r->fleet_is_raised = c->fleet_is_raised;
    MCO_TRY(vrp_master_open(proof->ctx, proof->run, &r->problem, NULL, r->plan.order != NULL ? &r->plan : NULL, NULL, &r->master));
    r->has_master = true;
    r->master.threads = r->settings.threads;
    r->precision = r->master.precision;
    *sets = NULL;
    MCO_TRY(taken != NULL ? vrp_master_take_sets(&r->master, &r->settings, taken) : vrp_master_take_q(&r->master, &r->settings));
    MCO_TRY(vrp_master_limit_length(&r->master, c->limits_length));
done:
    return st;
}

// Divides the tree with the others, if all are ready.
static mco_status follow(vrp_proof *proof, const call *c, vrp_ng_sets **sets)
{
    mco_status st = MCO_OK;
    bool are_ready;
    vrp_root root;
    proof->known = c->known;
    proof->scaled_bound = c->scaled_bound;
    st = vrp_root_open(proof, &root);
    if (st == MCO_OK)
        st = open_master(&root, c, sets);
    const bool is_ready = st == MCO_OK;
    st = st == MCO_ERR_STOPPED ? MCO_OK : st;
    MCO_TRY(st);
    MCO_TRY(all_are_ready(proof->ctx, is_ready, &are_ready));
    if (are_ready)
        MCO_TRY(vrp_root_divide(&root));
done:
    vrp_root_close(&root);
    return st;
}

mco_status vrp_prove_with(vrp_proof *proof)
{
    mco_status st = MCO_OK;
    call c = {0};
    vrp_ng_sets *sets = NULL;
    MCO_TRY(mco_ranks_broadcast(proof->ctx, &c, sizeof c, 0));
    if (c.has_tree != 0 && c.has_sets)
        MCO_TRY(receive_sets(proof->ctx, proof->problem->customers + 1, &sets));
    if (c.has_tree != 0)
        MCO_TRY(follow(proof, &c, &sets));
done:
    if (sets != NULL)
        vrp_ng_sets_close(proof->ctx, sets);
    mco_free(proof->ctx, &sets);
    return st;
}
