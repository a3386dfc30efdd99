// SPDX-License-Identifier: MIT
#include "vrp/bound/tree/tree.h"

#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
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

// The open node of least bound, the deepest of several, the latest of these; -1: none. Each node costs a program of at least a millisecond:
// a tree of 10^6 of them took a quarter of an hour, and its nodes are read in some 0.05 s.
static int64_t next_node(const tree *t)
{
    int64_t best = -1;
    for (int64_t k = 0; k < t->count; k++) {
        const tree_node *n = &t->nodes[k], *b = best >= 0 ? &t->nodes[best] : NULL;
        if (n->is_open && (b == NULL || n->bound < b->bound || (n->bound == b->bound && n->depth >= b->depth)))
            best = k;
    }
    return best;
}

static int64_t scaled_bound(const tree *t, int64_t bound)
{
    const int64_t scaled = bound > 0 ? vrp_bound_proved(t->root, bound) : 0;
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

// Divides node k, where the master stands. Returns in *is_divided whether it could.
static mco_status divide(tree *t, int64_t k, bool *is_divided)
{
    mco_status st = MCO_OK;
    tree_state *state = NULL;
    tree_side sides[2] = {{.node = NULL}, {.node = NULL}};
    vrp_claim_prices prices[2] = {{.price = NULL}, {.price = NULL}};
    int64_t bounds[2];
    int32_t child = 0;
    const int64_t bound = t->nodes[k].bound;
    const int32_t depth = t->nodes[k].depth + 1;
    MCO_TRY(tree_state_save(t, &state));
    MCO_TRY(tree_choose(t, state, bound, sides, bounds, prices, is_divided));
    if (*is_divided)
        MCO_TRY(claim_sides(t, k, sides, prices, &child));
    for (int s = 0; s < 2 && *is_divided; s++)
        MCO_TRY(add_node(t, &sides[s], state, bounds[s] > bound ? bounds[s] : bound, depth, child + s));
done:
    vrp_claim_prices_clear(t->ctx, &prices[0]);
    vrp_claim_prices_clear(t->ctx, &prices[1]);
    tree_side_clear(t->ctx, &sides[0]);
    tree_side_clear(t->ctx, &sides[1]);
    tree_state_drop(t->ctx, &state);
    return st;
}

// Solves node k. It stays open if the time is over, or if nothing divides it: then *is_stuck.
static mco_status expand(tree *t, int64_t k, bool *is_stuck)
{
    mco_status st = MCO_OK;
    bool is_divided = false;
    int64_t bound = t->nodes[k].bound;
    MCO_TRY(tree_load(t, t->nodes[k].from, &t->nodes[k].side));
    t->part = t->nodes[k].part;
    MCO_TRY(tree_work_on(t, &bound));
    t->nodes[k].bound = bound;
    t->result->nodes++;
    if (t->is_stopped && !tree_is_closed(t, bound))
        return MCO_OK;
    if (!tree_is_closed(t, bound)) {
        MCO_TRY(divide(t, k, &is_divided));
        if (!is_divided)  // choices that found nothing have not loaded another node
            MCO_TRY(tree_enumerate(t, true, &t->nodes[k].bound));
    }
    if (is_divided || tree_is_closed(t, t->nodes[k].bound))
        close_node(t, k);
    else
        *is_stuck = true;
done:
    return st;
}

static mco_status note(tree *t, int64_t k)
{
    int64_t known = t->known == INT64_MAX ? -1 : t->known;
    const int64_t scaled = scaled_bound(t, t->nodes[k].bound);
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

static mco_status search(tree *t)
{
    mco_status st = MCO_OK;
    tree_state *state = NULL;
    tree_side side = {.fleet = t->root->fleet};
    bool is_stuck = false;
    MCO_TRY(begin_claims(t));
    MCO_TRY(tree_state_save(t, &state));
    MCO_TRY(add_node(t, &side, state, t->m->bound > 0 ? t->m->bound : 0, 0, 0));
    while (!is_stuck && !tree_must_stop(t)) {
        const int64_t k = next_node(t);
        if (k < 0 || tree_is_closed(t, t->nodes[k].bound) || (t->settings->nodes > 0 && t->result->nodes >= t->settings->nodes))
            break;
        MCO_TRY(note(t, k));
        MCO_TRY(expand(t, k, &is_stuck));
    }
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

// The bound of all plans: that of the open node of least bound.
static void report(tree *t)
{
    const int64_t k = next_node(t);
    vrp_tree_result *r = t->result;
    r->bound = k < 0 ? t->known : scaled_bound(t, t->nodes[k].bound);
    r->is_done = r->bound == t->known;
    r->tried_gap = t->tried_gap == INT64_MAX ? 0 : t->tried_gap;
}

mco_status vrp_tree_solve(vrp_master *master, const vrp_tree_settings *settings, vrp_tree_result *result)
{
    mco_status st = MCO_OK;
    vrp_tree_result r = {.cost = INT64_MAX};
    tree t = {.ctx = master->ctx, .m = master, .settings = settings, .result = &r, .root = master->problem, .problem = *master->problem,
              .artificial_cost = master->artificial_cost, .known = INT64_MAX, .claims = settings->claims};
    t.tried_gap = settings->tried_gap > 0 ? settings->tried_gap : INT64_MAX;
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
