// SPDX-License-Identifier: MIT
#include "vrp/bound/tree/tree.h"

#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/ranks.h"
#include "vrp/bound/tree/inside.h"

// ---- Nodes

// Takes over the side. Counts a use of the state.
static mco_status add_node(tree *t, tree_side *side, tree_state *from, int64_t bound, int32_t depth, int32_t part)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(t->ctx, &t->nodes, &t->room, t->count + 1));
    t->nodes[t->count++] = (tree_node){.is_open = true, .side = *side, .from = from, .bound = bound, .depth = depth, .part = part};
    *side = (tree_side){0};
    from->uses++;
done:
    return st;
}

static void close_node(tree *t, int64_t k)
{
    t->nodes[k].is_open = false;
    tree_state_drop(t->ctx, &t->nodes[k].from);
    tree_side_clear(t->ctx, &t->nodes[k].side);
}

// Whether node k comes before node j.
static bool is_before(const tree *t, int64_t k, int64_t j)
{
    const tree_node *a = &t->nodes[k], *b = &t->nodes[j];
    if (a->bound != b->bound)
        return a->bound < b->bound;
    return a->depth != b->depth ? a->depth > b->depth : k > j;
}

// Each node costs a program of at least a millisecond: a tree of 10^6 of them took a quarter of an hour, and its nodes are read in some 0.05 s.
int64_t tree_next(const tree *t, int64_t before)
{
    int64_t best = -1;
    for (int64_t k = 0; k < t->count; k++)
        if (t->nodes[k].is_open && !t->nodes[k].is_aside && (best < 0 || is_before(t, k, best)) && (before < 0 || is_before(t, before, k)))
            best = k;
    return best;
}

// The bound of all plans, scaled: that of the open node of least bound.
static int64_t scaled_bound(const tree *t)
{
    int64_t bound = INT64_MAX;
    for (int64_t k = 0; k < t->count; k++)
        if (t->nodes[k].is_open && t->nodes[k].bound < bound)
            bound = t->nodes[k].bound;
    const int64_t scaled = bound == INT64_MAX ? t->known : bound > 0 ? vrp_bound_proved(t->root, bound) : 0;
    return scaled < t->known ? scaled : t->known;
}

// ---- Claims

static mco_status begin_claims(tree *t)
{
    mco_status st = MCO_OK;
    if (t->claims == NULL)
        return MCO_OK;
    MCO_TRY(vrp_claims_begin(t->ctx, t->claims, t->root->fleet));
    st = tree_claim(t);
done:
    return st;
}

// Divides the part of node k as its sides are. *child: the first of both.
static mco_status claim_sides(tree *t, int64_t k, const tree_side sides[2], vrp_claim_prices prices[2], int32_t *child)
{
    mco_status st = MCO_OK;
    if (t->claims == NULL)
        return MCO_OK;
    MCO_TRY(vrp_claims_divide(t->ctx, t->claims, t->nodes[k].part, child));
    for (int s = 0; s < 2; s++) {
        vrp_claim *part = &t->claims->claim[*child + s];
        part->fleet = sides[s].fleet;
        if (sides[s].node != NULL) {
            MCO_TRY(mco_alloc(t->ctx, &part->node, sides[s].size));
            memcpy(part->node, sides[s].node, (size_t)sides[s].size * sizeof *part->node);
            part->size = sides[s].size;
            part->sense = sides[s].sense;
            part->rhs = sides[s].rhs;
        }
        if (prices[s].price != NULL)
            vrp_claims_keep(t->ctx, t->claims, *child + s, &prices[s]);
    }
done:
    return st;
}

// ---- The search

void tree_outcome_clear(mco_context *ctx, tree_outcome *outcome)
{
    for (int s = 0; s < 2; s++) {
        vrp_claim_prices_clear(ctx, &outcome->prices[s]);
        tree_side_clear(ctx, &outcome->sides[s]);
    }
    tree_state_drop(ctx, &outcome->state);
    *outcome = (tree_outcome){0};
}

// Chooses the sides of the node where the master stands.
static mco_status divide(tree *t, tree_outcome *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(tree_state_save(t, &out->state));
    MCO_TRY(tree_choose(t, out->state, out->bound, out->sides, out->bounds, out->prices, &out->is_divided));
done:
    return st;
}

mco_status tree_expand(tree *t, int64_t k, tree_outcome *out)
{
    mco_status st = MCO_OK;
    out->bound = t->nodes[k].bound;
    MCO_TRY(tree_load(t, t->nodes[k].from, &t->nodes[k].side));
    t->part = t->nodes[k].part;
    MCO_TRY(tree_work_on(t, &out->bound));
    if (t->is_stopped || tree_is_closed(t, out->bound))
        return MCO_OK;
    MCO_TRY(divide(t, out));
    if (!out->is_divided)  // choices that found nothing have not loaded another node
        MCO_TRY(tree_enumerate(t, true, &out->bound));
    out->is_stuck = !out->is_divided && !tree_is_closed(t, out->bound);
done:
    return st;
}

mco_status tree_apply(tree *t, int64_t k, tree_outcome *outcome)
{
    mco_status st = MCO_OK;
    int32_t child = 0;
    const int64_t bound = outcome->bound;
    const int32_t depth = t->nodes[k].depth + 1;
    t->nodes[k].bound = bound;
    t->result->nodes++;
    if (outcome->is_divided)
        MCO_TRY(claim_sides(t, k, outcome->sides, outcome->prices, &child));
    for (int s = 0; s < 2 && outcome->is_divided; s++)
        MCO_TRY(add_node(t, &outcome->sides[s], outcome->state, outcome->bounds[s] > bound ? outcome->bounds[s] : bound, depth, child + s));
    if (outcome->is_divided || tree_is_closed(t, bound))
        close_node(t, k);
    else if (outcome->is_stuck) {
        t->nodes[k].is_aside = true;
        mco_log(t->ctx, MCO_LOG_DETAIL, "tree: a node at depth %d is set aside: nothing divides it, bound %lld", t->nodes[k].depth,
                (long long)vrp_bound_proved(t->root, bound));
    }
done:
    return st;
}

mco_status tree_note(tree *t, int64_t k)
{
    int64_t known = t->known == INT64_MAX ? -1 : t->known;
    const int64_t scaled = scaled_bound(t);
    mco_log(t->ctx, MCO_LOG_DETAIL, "tree: %lld nodes, next at depth %d, bound %lld", (long long)t->result->nodes, t->nodes[k].depth,
            (long long)scaled);
    if (t->settings->note == NULL)
        return MCO_OK;
    const mco_status st = t->settings->note(t->settings->user, scaled, &known);
    if (known >= 0)
        tree_set_known(t, known);
    return st;
}

// The last step alone, at the root.
static mco_status enumerate_root(tree *t)
{
    mco_status st = MCO_OK;
    tree_state *state = NULL;
    tree_side side = {.fleet = t->root->fleet};
    MCO_TRY(begin_claims(t));
    MCO_TRY(mco_alloc(t->ctx, &state, 1));
    state->uses = 1;
    MCO_TRY(add_node(t, &side, state, t->m->bound > 0 ? t->m->bound : 0, 0, 0));
    MCO_TRY(tree_enumerate(t, false, &t->nodes[0].bound));
done:
    tree_state_drop(t->ctx, &state);
    return st;
}

static mco_status search_alone(tree *t)
{
    mco_status st = MCO_OK;
    tree_outcome outcome = {.is_stuck = false};
    while (!tree_must_stop(t)) {
        const int64_t k = tree_next(t, -1);
        if (k < 0 || tree_is_closed(t, t->nodes[k].bound) || (t->settings->nodes > 0 && t->result->nodes >= t->settings->nodes))
            break;
        tree_outcome_clear(t->ctx, &outcome);
        MCO_TRY(tree_note(t, k));
        MCO_TRY(tree_expand(t, k, &outcome));
        MCO_TRY(tree_apply(t, k, &outcome));
    }
done:
    tree_outcome_clear(t->ctx, &outcome);
    return st;
}

static mco_status search(tree *t)
{
    mco_status st = MCO_OK;
    tree_state *state = NULL;
    tree_side side = {.fleet = t->root->fleet};
    int64_t bound = t->m->bound > 0 ? t->m->bound : 0;
    MCO_TRY(begin_claims(t));
    if (mco_rank(t->ctx) == 0)
        MCO_TRY(tree_state_save(t, &state));
    if (mco_rank_count(t->ctx) > 1)
        MCO_TRY(tree_share_root(t, &state, &bound));
    MCO_TRY(add_node(t, &side, state, bound, 0, 0));
    MCO_TRY(mco_rank_count(t->ctx) > 1 ? tree_search_by_ranks(t) : search_alone(t));
done:
    tree_state_drop(t->ctx, &state);
    return st;
}

// ---- Open, close

static mco_status restore(tree *t)
{
    const int32_t row = 0;
    const double least = t->root->fleet.least, most = t->root->fleet.most;
    t->m->problem = t->root;
    return mco_lp_set_row_bounds(t->ctx, t->m->lp, 1, &row, &least, &most);
}

static void report(tree *t)
{
    vrp_tree_result *r = t->result;
    r->bound = scaled_bound(t);
    for (int64_t k = 0; k < t->count; k++)
        r->nodes_aside += t->nodes[k].is_open && t->nodes[k].is_aside;
    r->is_done = r->bound == t->known;
    r->tried_gap = t->tried_gap == INT64_MAX ? 0 : t->tried_gap;
    r->tried_close = t->tried_close == INT64_MAX ? 0 : t->tried_close;
}

mco_status vrp_tree_solve(vrp_master *master, const vrp_tree_settings *settings, vrp_tree_result *result)
{
    mco_status st = MCO_OK;
    vrp_tree_result r = {.cost = INT64_MAX};
    tree t = {.ctx = master->ctx, .m = master, .settings = settings, .result = &r, .root = master->problem, .problem = *master->problem,
              .artificial_cost = master->artificial_cost, .known = INT64_MAX, .claims = settings->claims};
    t.tried_gap = settings->tried_gap > 0 ? settings->tried_gap : INT64_MAX;
    t.tried_close = settings->tried_close > 0 ? settings->tried_close : INT64_MAX;
    vrp_routes_open(t.root->is_symmetric, &r.plan);
    if (settings->known >= 0)
        tree_set_known(&t, settings->known);
    master->problem = &t.problem;
    MCO_TRY(settings->only_enumerates ? enumerate_root(&t) : search(&t));
    report(&t);
    MCO_TRY(restore(&t));
    *result = r;
    r = (vrp_tree_result){0};
done:
    master->problem = t.root;
    for (int64_t k = 0; k < t.count; k++)
        close_node(&t, k);
    mco_free(t.ctx, &t.nodes);
    vrp_tree_result_clear(t.ctx, &r);
    return st;
}

void vrp_tree_result_clear(mco_context *ctx, vrp_tree_result *result)
{
    vrp_routes_close(ctx, &result->plan);
    *result = (vrp_tree_result){0};
}
