// SPDX-License-Identifier: MIT
// What a node inherits, and how a master comes to stand at a node.
#include <string.h>

#include "base/grow.h"
#include "vrp/bound/columns/program.h"
#include "vrp/bound/tree/inside.h"

// Routes of a reduced cost up to this share of the gap are kept for nodes below; at most so many a customer.
enum { ROUTES_KEPT = 6 };

// ---- Sides

mco_status tree_side_copy(mco_context *ctx, const tree_side *from, tree_side *to)
{
    mco_status st = MCO_OK;
    tree_side copy = *from;
    copy.node = NULL;
    if (from->node != NULL) {
        MCO_TRY(mco_alloc(ctx, &copy.node, from->size));
        memcpy(copy.node, from->node, (size_t)from->size * sizeof *copy.node);
    }
    *to = copy;
done:
    return st;
}

void tree_side_clear(mco_context *ctx, tree_side *side)
{
    mco_free(ctx, &side->node);
}

// ---- Save

static int64_t arc_words(const vrp_bound_problem *p)
{
    return ((int64_t)p->nodes * p->nodes + 63) / 64;
}

// The routes of the program with a value, and those of small reduced cost behind its last solve.
static mco_status save_routes(tree *t, vrp_routes *out)
{
    mco_status st = MCO_OK;
    const vrp_master *m = t->m;
    const int64_t most = (int64_t)ROUTES_KEPT * t->root->customers;
    const double gap = t->known != INT64_MAX && m->bound > INT64_MIN ? (double)(m->known - m->bound) : 0;
    vrp_routes_open(m->columns.is_symmetric, out);
    for (int64_t k = 0; k < m->columns.count; k++) {
        if (m->x[k] == 0 && (out->count >= most || vrp_program_reduced_cost(m, &m->columns, k) > gap / 4))
            continue;
        MCO_TRY(vrp_routes_add(t->ctx, out, m->columns.node + m->columns.first[k], vrp_routes_length(&m->columns, k), m->columns.cost[k],
                               NULL, NULL));
    }
done:
    return st;
}

static void free_state(mco_context *ctx, tree_state **state)
{
    tree_state *s = *state;
    if (s == NULL)
        return;
    mco_free(ctx, &s->price);
    mco_free(ctx, &s->removed);
    vrp_cuts_close(ctx, &s->cuts);
    vrp_routes_close(ctx, &s->routes);
    mco_free(ctx, state);
}

mco_status tree_state_save(tree *t, tree_state **out)
{
    mco_status st = MCO_OK;
    const vrp_master *m = t->m;
    tree_state *s = NULL;
    MCO_TRY(mco_alloc(t->ctx, &s, 1));
    s->uses = 1;
    MCO_TRY(mco_alloc(t->ctx, &s->price, t->root->nodes));
    memcpy(s->price, m->price, (size_t)t->root->nodes * sizeof *s->price);
    MCO_TRY(vrp_cuts_copy(t->ctx, &m->cuts, &s->cuts));
    if (m->removed != NULL) {
        MCO_TRY(mco_alloc(t->ctx, &s->removed, arc_words(t->root)));
        memcpy(s->removed, m->removed, (size_t)arc_words(t->root) * sizeof *s->removed);
    }
    MCO_TRY(save_routes(t, &s->routes));
    *out = s;
    s = NULL;
done:
    free_state(t->ctx, &s);
    return st;
}

void tree_state_drop(mco_context *ctx, tree_state **state)
{
    if (*state != NULL && --(*state)->uses == 0)
        free_state(ctx, state);
    *state = NULL;
}

// ---- Rows

static bool has_equal_words(const uint64_t *a, const uint64_t *b, int32_t words)
{
    if (a == NULL || b == NULL)
        return a == b;
    return memcmp(a, b, (size_t)words * sizeof *a) == 0;
}

static bool is_same_row(const vrp_cut *a, const vrp_cut *b, int32_t words)
{
    return a->kind == b->kind && a->sense == b->sense && a->rhs == b->rhs && a->size == b->size && a->denominator == b->denominator &&
           memcmp(a->numerator, b->numerator, sizeof a->numerator) == 0 && has_equal_words(a->member, b->member, words) &&
           has_equal_words(a->memory, b->memory, words);
}

// The first row of `cuts` like `row`, none of those taken; -1: none.
static int64_t find_row(const vrp_cuts *cuts, const vrp_cut *row, const bool *is_taken)
{
    for (int64_t k = 0; k < cuts->count; k++)
        if (!is_taken[k] && is_same_row(&cuts->cut[k], row, cuts->words))
            return k;
    return -1;
}

static mco_status add_row(tree *t, const vrp_cut *row)
{
    mco_status st = MCO_OK;
    vrp_cuts *cuts = &t->m->cuts;
    if (row->kind == VRP_CUT_SET)
        MCO_TRY(vrp_cuts_add_set(t->ctx, cuts, row->node, row->size, row->sense, row->rhs));
    else
        MCO_TRY(vrp_cuts_add_rank1(t->ctx, cuts, row->node, row->size, row->numerator, row->denominator, row->rhs, row->memory));
    cuts->cut[cuts->count - 1].price = row->price;
done:
    return st;
}

// The program gets the rows of the state: it drops others, keeps what it has, adds the rest. O(rows^2).
static mco_status take_rows(tree *t, const vrp_cuts *rows)
{
    mco_status st = MCO_OK;
    vrp_master *m = t->m;
    bool *keep = NULL, *is_there = NULL;
    int64_t kept = 0, before = m->cuts.count;
    MCO_TRY(mco_alloc(t->ctx, &keep, before));
    MCO_TRY(mco_alloc(t->ctx, &is_there, rows->count));
    for (int64_t k = 0; k < before; k++) {
        const int64_t like = find_row(rows, &m->cuts.cut[k], is_there);
        keep[k] = like >= 0;
        if (like < 0)
            continue;
        is_there[like] = true;
        m->cuts.cut[k].price = rows->cut[like].price;
        kept++;
    }
    if (kept < before)
        MCO_TRY(vrp_program_keep_cuts(m, keep));
    before = m->cuts.count;
    for (int64_t k = 0; k < rows->count; k++)
        if (!is_there[k])
            MCO_TRY(add_row(t, &rows->cut[k]));
    MCO_TRY(vrp_program_add_cuts(m, before));
done:
    mco_free(t->ctx, &is_there);
    mco_free(t->ctx, &keep);
    return st;
}

// The row of a side, unless the program has it.
static mco_status take_side(tree *t, const tree_side *side)
{
    mco_status st = MCO_OK;
    vrp_cuts *cuts = &t->m->cuts;
    const int64_t before = cuts->count;
    if (side->node == NULL)
        return MCO_OK;
    MCO_TRY(vrp_cuts_add_set(t->ctx, cuts, side->node, side->size, side->sense, side->rhs));
    for (int64_t k = 0; k < before; k++) {
        if (!is_same_row(&cuts->cut[k], &cuts->cut[before], cuts->words))
            continue;
        mco_free(t->ctx, &cuts->cut[before].node);
        mco_free(t->ctx, &cuts->cut[before].member);
        cuts->count = before;
        return MCO_OK;
    }
    MCO_TRY(vrp_program_add_cuts(t->m, before));
done:
    return st;
}

// ---- Load

static mco_status take_fleet(tree *t, vrp_fleet fleet)
{
    const int32_t row = 0;
    const double least = fleet.least, most = fleet.most;
    t->problem.fleet = fleet;
    return mco_lp_set_row_bounds(t->ctx, t->m->lp, 1, &row, &least, &most);
}

static mco_status reset_artificial(tree *t)
{
    mco_status st = MCO_OK;
    vrp_master *m = t->m;
    double *cost = NULL;
    if (m->artificial_cost == t->artificial_cost)
        return MCO_OK;
    MCO_TRY(mco_alloc(t->ctx, &cost, t->root->nodes));
    for (int32_t i = 0; i < t->root->nodes; i++)
        cost[i] = t->artificial_cost;
    MCO_TRY(mco_lp_set_costs(t->ctx, m->lp, t->root->nodes, NULL, cost));
    m->artificial_cost = t->artificial_cost;
done:
    mco_free(t->ctx, &cost);
    return st;
}

static mco_status take_routes(tree *t, const vrp_routes *routes)
{
    mco_status st = MCO_OK;
    vrp_master *m = t->m;
    const int64_t before = m->columns.count;
    for (int64_t k = 0; k < routes->count; k++)
        MCO_TRY(vrp_routes_add(t->ctx, &m->columns, routes->node + routes->first[k], vrp_routes_length(routes, k), routes->cost[k], NULL,
                               NULL));
    MCO_TRY(vrp_program_add_routes(m, before));
    MCO_TRY(vrp_master_drop_columns(m));
done:
    return st;
}

mco_status tree_load(tree *t, const tree_state *state, const tree_side *side)
{
    mco_status st = MCO_OK;
    vrp_master *m = t->m;
    const int64_t words = arc_words(t->root);
    MCO_TRY(take_fleet(t, side->fleet));
    MCO_TRY(take_rows(t, &state->cuts));
    MCO_TRY(take_side(t, side));
    memcpy(m->price, state->price, (size_t)t->root->nodes * sizeof *m->price);
    if (state->removed == NULL)
        mco_free(t->ctx, &m->removed);
    else if (m->removed == NULL)
        MCO_TRY(mco_alloc(t->ctx, &m->removed, words));
    if (state->removed != NULL)
        memcpy(m->removed, state->removed, (size_t)words * sizeof *m->removed);
    MCO_TRY(take_routes(t, &state->routes));
    MCO_TRY(reset_artificial(t));
    m->bound = INT64_MIN;
    m->is_started = false;
done:
    return st;
}
