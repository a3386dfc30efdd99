// SPDX-License-Identifier: MIT
// By which set of customers a node is divided.
//
// Candidates are sets whose crossings x(delta(S)) lie well between two even numbers: pairs, all customers but one, and sets grown from
// each customer by the strongest connection. The first trial adds a row to the program of the routes at hand, once for each side. The
// second one prices both sides of the best few. The greatest product of both rises wins.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/bound/columns/program.h"
#include "vrp/bound/tree/inside.h"

enum { PAIRS = 12, GROWN = 10, DEPOT = 4, CANDIDATES = PAIRS + GROWN + DEPOT, PRICED = 3, GROWN_MOST = 16 };
// Crossings this near to an even number are whole. A number of routes this near to an integer is whole.
static const double WHOLE = 0.02;
// Prices of the second trial are exact to this share of the program's value.
static const double TRIAL_PRECISION = 5e-4;
// A rise counts as at least this share of the program's value, and without a known cost as at most MOST_RISE.
static const double LEAST_RISE = 1e-6, MOST_RISE = 0.1;

typedef struct candidate {
    int32_t size;
    int32_t *node;       // [size] ascending, in choice.nodes
    double value;        // crossings
    double score;
} candidate;

typedef struct choice {
    tree *t;
    int32_t nodes;
    double *x;           // [nodes * nodes] sums of both directions
    double *to_set;      // [nodes] x from each node to the set that grows
    int32_t *node;       // [nodes] that set
    int32_t *arena;      // [CANDIDATES * nodes]
    candidate list[CANDIDATES];
    int32_t count;
    double value;        // of the program
    double most_rise;
} choice;

// ---- Candidates

static double off_middle(double crossings)
{
    const double rest = crossings - 2 * floor(crossings / 2);
    return fabs(rest - 1);
}

static bool has_same_set(const candidate *c, const int32_t *node, int32_t size)
{
    return c->size == size && memcmp(c->node, node, (size_t)size * sizeof *node) == 0;
}

// Whether artificial columns let the program break the row of a set that it has: a division by it would not end.
static bool has_broken_row(const choice *c, const int32_t *node, int32_t size)
{
    const vrp_master *m = c->t->m;
    for (int64_t k = 0; k < m->cuts.count && m->has_artificial; k++) {
        const vrp_cut *cut = &m->cuts.cut[k];
        if (cut->kind == VRP_CUT_SET && cut->size == size && memcmp(cut->node, node, (size_t)size * sizeof *node) == 0)
            return true;
    }
    return false;
}

// Offers a set, ascending, to the candidates list[from..from + most), ordered by nearness to the middle. Sets whose lower side breaks the
// capacity are for cuts.
static void offer(choice *c, int32_t from, int32_t most, const int32_t *node, int32_t size, double value)
{
    const vrp_bound_problem *p = c->t->root;
    int64_t demand = 0;
    int32_t at = c->count;
    if (off_middle(value) > 1 - WHOLE)
        return;
    for (int32_t k = 0; k < size; k++)
        demand += p->demand[node[k]];
    if ((int64_t)floor(value / 2) * p->capacity < demand || has_broken_row(c, node, size))
        return;
    for (int32_t k = 0; k < c->count; k++)
        if (has_same_set(&c->list[k], node, size))
            return;
    if (c->count - from == most) {
        at = c->count - 1;
        if (off_middle(c->list[at].value) <= off_middle(value))
            return;
    } else {
        c->list[at].node = c->arena + (int64_t)at * c->nodes;
        c->count++;
    }
    int32_t *place = c->list[at].node;
    for (; at > from && off_middle(c->list[at - 1].value) > off_middle(value); at--)
        c->list[at] = c->list[at - 1];
    memcpy(place, node, (size_t)size * sizeof *node);
    c->list[at] = (candidate){.size = size, .node = place, .value = value};
}

// x(delta({i})), depot included.
static double degree(const choice *c, int32_t i)
{
    double sum = 0;
    for (int32_t j = 0; j < c->nodes; j++)
        sum += c->x[(int64_t)i * c->nodes + j];
    return sum;
}

static void offer_pairs(choice *c)
{
    const int32_t from = c->count;
    for (int32_t i = 1; i < c->nodes && !tree_must_stop(c->t); i++)
        for (int32_t j = i + 1; j < c->nodes; j++) {
            const double x = c->x[(int64_t)i * c->nodes + j];
            const int32_t pair[2] = {i, j};
            if (x > WHOLE / 2)
                offer(c, from, PAIRS, pair, 2, degree(c, i) + degree(c, j) - 2 * x);
        }
}

// All customers but one: crossings tell the arcs between that one and the depot.
static void offer_depot(choice *c)
{
    const int32_t from = c->count;
    for (int32_t i = 1; i < c->nodes && !tree_must_stop(c->t); i++) {
        const double x = c->x[i];
        int32_t size = 0;
        if (x <= WHOLE / 2)
            continue;
        for (int32_t j = 1; j < c->nodes; j++)
            if (j != i)
                c->node[size++] = j;
        offer(c, from, DEPOT, c->node, size, degree(c, 0) - x + degree(c, i) - x);
    }
}

static void insert(int32_t *node, int32_t size, int32_t i)
{
    int32_t k = size;
    for (; k > 0 && node[k - 1] > i; k--)
        node[k] = node[k - 1];
    node[k] = i;
}

// Grows a set from customer i by the strongest connection; each set on the way is offered. O(GROWN_MOST nodes), so no look at the clock.
static void grow_from(choice *c, int32_t from, int32_t i)
{
    double value = degree(c, i);
    int32_t size = 1, last = i;
    c->node[0] = i;
    memset(c->to_set, 0, (size_t)c->nodes * sizeof *c->to_set);
    while (size < GROWN_MOST && size < c->nodes - 1) {
        int32_t best = -1;
        for (int32_t j = 1; j < c->nodes; j++)
            c->to_set[j] += c->x[(int64_t)last * c->nodes + j];
        for (int32_t k = 0; k < size; k++)
            c->to_set[c->node[k]] = -INFINITY;
        for (int32_t j = 1; j < c->nodes; j++)
            if (c->to_set[j] > 0 && (best < 0 || c->to_set[j] > c->to_set[best]))
                best = j;
        if (best < 0)
            return;
        value += degree(c, best) - 2 * c->to_set[best];
        insert(c->node, size++, best);
        last = best;
        if (size > 2)
            offer(c, from, GROWN, c->node, size, value);
    }
}

static void offer_grown(choice *c)
{
    const int32_t from = c->count;
    for (int32_t i = 1; i < c->nodes && !tree_must_stop(c->t); i++)
        grow_from(c, from, i);
}

// ---- The first trial

// Adds the row of a candidate to the program, without bounds. Artificial columns have no entries: a side without a solution is the best.
static mco_status add_row(choice *c, const candidate *cand)
{
    mco_status st = MCO_OK;
    const vrp_master *m = c->t->m;
    mco_context *ctx = c->t->ctx;
    const double least = -INFINITY, most = INFINITY;
    uint64_t *member = NULL;
    int64_t first[2] = {0, 0};
    int32_t *column = NULL;
    double *value = NULL;
    MCO_TRY(mco_alloc(ctx, &member, m->cuts.words));
    MCO_TRY(mco_alloc(ctx, &column, m->columns.count));
    MCO_TRY(mco_alloc(ctx, &value, m->columns.count));
    for (int32_t k = 0; k < cand->size; k++)
        member[cand->node[k] >> 6] |= (uint64_t)1 << (cand->node[k] & 63);
    const vrp_cut cut = {.kind = VRP_CUT_SET, .member = member};
    for (int64_t k = 0; k < m->columns.count; k++) {
        const int32_t times = vrp_cut_coefficient(&cut, m->columns.node + m->columns.first[k], vrp_routes_length(&m->columns, k));
        if (times == 0)
            continue;
        column[first[1]] = m->problem->nodes + (int32_t)k;
        value[first[1]++] = times;
    }
    MCO_TRY(mco_lp_add_rows(ctx, m->lp, 1, &least, &most, first, column, value));
done:
    mco_free(ctx, &value);
    mco_free(ctx, &column);
    mco_free(ctx, &member);
    return st;
}

static double clamp_rise(const choice *c, double rise)
{
    return fmin(c->most_rise, fmax(LEAST_RISE * fabs(c->value), rise));
}

// The rise of the program with the candidate's row, the last one, on one side.
static mco_status try_side(choice *c, const mco_lp_basis *basis, double least, double most, double *rise)
{
    mco_status st = MCO_OK;
    mco_lp *lp = c->t->m->lp;
    mco_lp_end end;
    const int32_t row = mco_lp_rows(lp) - 1;
    MCO_TRY(mco_lp_set_row_bounds(c->t->ctx, lp, 1, &row, &least, &most));
    MCO_TRY(mco_lp_load_basis(c->t->ctx, lp, basis));
    MCO_TRY(mco_lp_solve(c->t->ctx, lp, MCO_LP_DUAL, c->t->settings->stop_s, &end));
    *rise = 0;
    if (end == MCO_LP_INFEASIBLE)
        *rise = c->most_rise;
    else if (end == MCO_LP_OPTIMAL)
        *rise = mco_lp_objective(lp) - c->value;
    *rise = clamp_rise(c, *rise);
done:
    return st;
}

// Keeps the PRICED greatest scores so far in `best`, the greatest first: the second trial takes those. Returns the least of them, -1
// while there are fewer.
static double note_score(double *best, double score)
{
    int at = PRICED - 1;
    if (score <= best[at])
        return best[PRICED - 1];
    for (; at > 0 && best[at - 1] < score; at--)
        best[at] = best[at - 1];
    best[at] = score;
    return best[PRICED - 1];
}

static mco_status try_rows(choice *c)
{
    mco_status st = MCO_OK;
    mco_context *ctx = c->t->ctx;
    mco_lp *lp = c->t->m->lp;
    mco_lp_basis basis = {0};
    double best[PRICED], least = -1;
    for (int k = 0; k < PRICED; k++)
        best[k] = -1;
    MCO_TRY(mco_lp_save_basis(ctx, lp, &basis));
    for (int32_t k = 0; k < c->count && !tree_must_stop(c->t); k++) {
        candidate *cand = &c->list[k];
        const double even = 2 * floor(cand->value / 2);
        double low, high = 0;
        MCO_TRY(add_row(c, cand));
        const int32_t row = mco_lp_rows(lp) - 1;
        st = try_side(c, &basis, -INFINITY, even, &low);
        if (st == MCO_OK && low * c->most_rise > least)  // else no rise of the other side makes it one of the best
            st = try_side(c, &basis, even + 2, INFINITY, &high);
        cand->score = st == MCO_OK ? low * high : cand->score;
        least = note_score(best, cand->score);
        const mco_status deleted = mco_lp_delete_rows(ctx, lp, 1, &row);
        st = st != MCO_OK ? st : deleted;
        MCO_TRY(st);
    }
    MCO_TRY(mco_lp_load_basis(ctx, lp, &basis));
done:
    mco_lp_basis_clear(ctx, &basis);
    return st;
}

// ---- The second trial

static tree_side side_of(const candidate *cand, bool is_low, vrp_fleet fleet)
{
    const int64_t even = 2 * (int64_t)floor(cand->value / 2);
    return (tree_side){.fleet = fleet, .sense = is_low ? VRP_CUT_AT_MOST : VRP_CUT_AT_LEAST, .rhs = is_low ? even : even + 2,
                       .size = cand->size, .node = cand->node};
}

static candidate *best_left(choice *c)
{
    candidate *best = NULL;
    for (int32_t k = 0; k < c->count; k++)
        if (c->list[k].score >= 0 && (best == NULL || c->list[k].score > best->score))
            best = &c->list[k];
    return best;
}

// Prices one side by tables alone; its rise times *score. Where rank-1 rows have prices the value of the program tells the rise, what is
// proved is less.
static mco_status try_loaded(choice *c, const tree_state *state, const tree_side *side, int64_t *proved, double *score)
{
    mco_status st = MCO_OK;
    tree *t = c->t;
    MCO_TRY(tree_load(t, state, side));
    t->m->skips_labels = true;
    st = tree_price(t, TRIAL_PRECISION, t->settings->stop_s, proved);
    t->m->skips_labels = false;
    MCO_TRY(st);
    *score *= clamp_rise(c, t->m->has_artificial ? c->most_rise : t->m->lp_value - c->value);
done:
    return st;
}

// Prices both sides of the best candidates; keeps those of the greatest product.
static mco_status try_prices(choice *c, const tree_state *state, int64_t bound, tree_side out[2], int64_t bounds[2],
                             vrp_claim_prices prices[2])
{
    mco_status st = MCO_OK;
    tree *t = c->t;
    vrp_claim_prices trial[2] = {{.price = NULL}, {.price = NULL}};
    const vrp_fleet fleet = t->problem.fleet;
    double best_score = -1;
    for (int round = 0; round < PRICED; round++) {
        candidate *cand = best_left(c);
        int64_t proved[2] = {bound, bound};
        double score = 1;
        if (cand == NULL || (round > 0 && tree_must_stop(t)))
            break;
        cand->score = -1;
        for (int s = 0; s < 2; s++) {
            const tree_side side = side_of(cand, s == 0, fleet);
            vrp_claim_prices_clear(t->ctx, &trial[s]);
            t->trial = &trial[s];
            st = try_loaded(c, state, &side, &proved[s], &score);
            t->trial = NULL;
            MCO_TRY(st);
        }
        mco_log(t->ctx, MCO_LOG_DETAIL, "tree: set of %d with %.2f crossings: score %.3g, bounds %lld and %lld", cand->size, cand->value,
                score, (long long)proved[0], (long long)proved[1]);
        if (score <= best_score)
            continue;
        best_score = score;
        for (int s = 0; s < 2; s++) {
            const tree_side side = side_of(cand, s == 0, fleet);
            tree_side_clear(t->ctx, &out[s]);
            vrp_claim_prices_clear(t->ctx, &prices[s]);
            bounds[s] = proved[s];
            prices[s] = trial[s];
            trial[s] = (vrp_claim_prices){.price = NULL};
            MCO_TRY(tree_side_copy(t->ctx, &side, &out[s]));
        }
    }
done:
    vrp_claim_prices_clear(t->ctx, &trial[0]);
    vrp_claim_prices_clear(t->ctx, &trial[1]);
    return st;
}

// ---- Choice

// Divides the number of routes if it is no integer.
static bool choose_fleet(const choice *c, int64_t bound, tree_side out[2], int64_t bounds[2])
{
    const double routes = degree(c, 0) / 2;
    const vrp_fleet fleet = c->t->problem.fleet;
    const int32_t low = (int32_t)floor(routes);
    if (fabs(routes - round(routes)) < WHOLE || low < fleet.least || low >= fleet.most)
        return false;
    out[0] = (tree_side){.fleet = {fleet.least, low}};
    out[1] = (tree_side){.fleet = {low + 1, fleet.most}};
    bounds[0] = bounds[1] = bound;
    return true;
}

static mco_status open_choice(choice *c)
{
    mco_status st = MCO_OK;
    const int64_t nodes = c->nodes;
    mco_context *ctx = c->t->ctx;
    MCO_TRY(mco_alloc(ctx, &c->x, nodes * nodes));
    MCO_TRY(mco_alloc(ctx, &c->to_set, nodes));
    MCO_TRY(mco_alloc(ctx, &c->node, nodes));
    MCO_TRY(mco_alloc(ctx, &c->arena, CANDIDATES * nodes));
    vrp_master_support(c->t->m, c->x);
    for (int64_t i = 0; !c->t->root->is_symmetric && i < nodes; i++)
        for (int64_t j = 0; j < i; j++)
            c->x[i * nodes + j] = c->x[j * nodes + i] = c->x[i * nodes + j] + c->x[j * nodes + i];
done:
    return st;
}

static void close_choice(choice *c)
{
    mco_free(c->t->ctx, &c->arena);
    mco_free(c->t->ctx, &c->node);
    mco_free(c->t->ctx, &c->to_set);
    mco_free(c->t->ctx, &c->x);
}

mco_status tree_choose(tree *t, const tree_state *state, int64_t bound, tree_side out[2], int64_t bounds[2], vrp_claim_prices prices[2],
                       bool *found)
{
    mco_status st = MCO_OK;
    choice c = {.t = t, .nodes = t->root->nodes, .value = t->m->lp_value};
    *found = false;
    out[0] = out[1] = (tree_side){0};
    // Without a known cost a node that no routes serve would be divided for ever.
    if (t->m->end != MCO_LP_OPTIMAL || (t->m->has_artificial && t->known == INT64_MAX))
        return MCO_OK;
    MCO_TRY(open_choice(&c));
    *found = choose_fleet(&c, bound, out, bounds);
    if (*found)
        goto done;
    c.most_rise = t->known != INT64_MAX ? (double)(t->m->known - bound) : MOST_RISE * fabs(c.value);
    offer_pairs(&c);
    offer_grown(&c);
    offer_depot(&c);
    if (c.count == 0)
        goto done;
    MCO_TRY(try_rows(&c));
    MCO_TRY(try_prices(&c, state, bound, out, bounds, prices));
    *found = true;
done:
    close_choice(&c);
    return st;
}
