// SPDX-License-Identifier: MIT
// What the root leaves open goes to the tree (vrp/bound/tree), whose bounds and plans become those of the proof.
#include <math.h>

#include "base/ranks.h"
#include "vrp/bound/root.h"
#include "vrp/bound/tree/tree.h"
#include "vrp/solution.h"

// A bound in scaled units in those of the problem. Where these are coarser it is rounded down, unless it is that of the known cost, which
// vrp_root_note() never exceeds.
static int64_t in_units(const vrp_root *r, int64_t scaled)
{
    const double units = (double)scaled * r->problem.unit;
    return (int64_t)(r->proof->known >= 0 && scaled >= r->proof->known ? ceil(units) : floor(units));
}

static mco_status note(void *user, int64_t scaled_bound, int64_t *known)
{
    mco_status st = MCO_OK;
    vrp_root *r = user;
    vrp_proof *proof = r->proof;
    if (scaled_bound > proof->scaled_bound)
        MCO_TRY(vrp_root_note(r, MCO_VRP_BOUND_BRANCHING, &r->problem, in_units(r, scaled_bound)));
    else if (proof->exchange != NULL)
        MCO_TRY(proof->exchange(proof, proof->user));
    *known = proof->known;
done:
    return st;
}

static mco_status offer(vrp_root *r, const vrp_tree_result *tree)
{
    mco_status st = MCO_OK;
    vrp_proof *proof = r->proof;
    mco_vrp_solution plan = {0};
    MCO_TRY(vrp_solution_new(proof->ctx, r->problem.customers, r->problem.customers, &plan));
    plan.customers = r->problem.customers;
    plan.routes = (int32_t)tree->plan.count;
    for (int64_t k = 0; k <= tree->plan.count; k++)
        plan.first[k] = (int32_t)tree->plan.first[k];
    for (int64_t v = 0; v < tree->plan.first[tree->plan.count]; v++)
        plan.order[v] = tree->plan.node[v] - 1;
    MCO_TRY(vrp_proof_offer(proof, &plan, tree->cost));
done:
    mco_vrp_solution_clear(proof->ctx, &plan);
    return st;
}

// Enumerations between rounds of cuts have few routes: the next round may leave fewer. Labels cost less than a round late in the root.
enum { EARLY_LABELS = 300000, EARLY_ROUTES = 6000 };
// Near the known cost, by this share of it, they may have more routes: rows of the pool need no labels, and it drops most routes at its root.
enum { NEAR_LABELS = 400000, NEAR_ROUTES = 48000 };
static const double NEAR = 0.0075;
// Those of routes of limited length: cuts raise their bounds less, so enumeration counts more. Early ones have a half and a fifth.
enum { LENGTH_LABELS = 4000000, LENGTH_ROUTES = 250000 };

static mco_status run_tree(vrp_root *r, vrp_tree_settings *settings)
{
    mco_status st = MCO_OK;
    vrp_proof *proof = r->proof;
    vrp_tree_result tree = {0};
    bool are_ready = true;
    if (!r->has_master || proof->params->root_only || (proof->known >= 0 && proof->scaled_bound >= proof->known))
        return MCO_OK;
    settings->known = proof->known;
    settings->stop_s = proof->run->stop_s;
    settings->cuts_capacity = proof->params->cuts != MCO_VRP_CUTS_NONE;
    settings->cuts_rank1 = proof->params->cuts == MCO_VRP_CUTS_ALL && r->master.ng != NULL;
    settings->note = note;
    settings->user = r;
    settings->tried_gap = r->tried_gap;
    settings->tried_close = r->tried_close;
    settings->claims = &r->claims;
    if (!settings->only_enumerates && mco_rank_count(proof->ctx) > 1 && mco_rank(proof->ctx) == 0)
        MCO_TRY(vrp_root_call(r, &are_ready));
    if (!are_ready)
        return MCO_OK;
    MCO_TRY(vrp_tree_solve(&r->master, settings, &tree));
    r->tried_gap = tree.tried_gap;
    r->tried_close = tree.tried_close;
    if (settings->only_enumerates && !tree.is_done)
        vrp_claims_forget(proof->ctx, &r->claims);
    proof->result->nodes += tree.nodes;
    proof->result->routes_enumerated += tree.routes_enumerated;
    if (tree.plan.count > 0)
        MCO_TRY(offer(r, &tree));
    if (tree.bound != INT64_MAX && (tree.bound > proof->scaled_bound || !settings->only_enumerates))
        MCO_TRY(vrp_root_note(r, settings->only_enumerates ? MCO_VRP_BOUND_ENUMERATION : MCO_VRP_BOUND_BRANCHING, &r->problem,
                              in_units(r, tree.bound)));
done:
    vrp_tree_result_clear(proof->ctx, &tree);
    return st;
}

static bool is_near(const vrp_root *r)
{
    const double known = (double)r->proof->known * r->problem.unit;
    return r->has_master && known - (double)r->master.bound < NEAR * known;
}

mco_status vrp_root_enumerate(vrp_root *root)
{
    vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
    settings.only_enumerates = true;
    settings.most_labels = is_near(root) ? NEAR_LABELS : EARLY_LABELS;
    settings.most_routes = is_near(root) ? NEAR_ROUTES : EARLY_ROUTES;
    if (root->has_master && root->master.limits_length) {
        settings.most_labels = LENGTH_LABELS / 2;
        settings.most_routes = LENGTH_ROUTES / 5;
    }
    return root->proof->known >= 0 ? run_tree(root, &settings) : MCO_OK;
}

mco_status vrp_root_divide(vrp_root *root)
{
    vrp_tree_settings settings = VRP_TREE_SETTINGS_INIT;
    root->tried_gap = 0;  // early ones were small
    if (root->has_master && root->master.limits_length) {
        settings.most_labels = LENGTH_LABELS;
        settings.most_routes = LENGTH_ROUTES;
    }
    return run_tree(root, &settings);
}
