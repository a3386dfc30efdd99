// SPDX-License-Identifier: MIT
#include "vrp/bound/columns/program.h"

#include <string.h>

#include "base/clock.h"
#include "base/grow.h"

// An artificial column first costs this many times the dearest route of one customer, and ARTIFICIAL_GROWTH times as much whenever it is
// in the solution while no route of the pricer helps.
static const double ARTIFICIAL_FIRST = 4, ARTIFICIAL_GROWTH = 8;
// A value of a column below this is 0.
static const double TINY = 1e-9;

// ---- Entries of columns

typedef struct entries {
    int64_t *first;
    int32_t *index;
    double *value;
    int64_t count, room, value_room;
} entries;

static void entries_close(mco_context *ctx, entries *e)
{
    mco_free(ctx, &e->first);
    mco_free(ctx, &e->index);
    mco_free(ctx, &e->value);
}

static mco_status entries_add(mco_context *ctx, entries *e, int64_t index, double value)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(ctx, &e->index, &e->room, e->count + 1));
    MCO_TRY(mco_grow(ctx, &e->value, &e->value_room, e->count + 1));
    e->index[e->count] = (int32_t)index;
    e->value[e->count++] = value;
done:
    return st;
}

static const int32_t *nodes_of(const vrp_routes *routes, int64_t k)
{
    return routes->node + routes->first[k];
}

// The entries of route k: the fleet, each customer by its visits, the cuts.
static mco_status add_route(vrp_master *m, int64_t k, entries *e)
{
    mco_status st = MCO_OK;
    const int32_t *node = nodes_of(&m->columns, k);
    const int32_t count = vrp_routes_length(&m->columns, k);
    for (int32_t v = 0; v < count; v++)
        m->visits[node[v]]++;
    st = entries_add(m->ctx, e, 0, 1);
    for (int32_t v = 0; v < count; v++) {
        if (m->visits[node[v]] > 0 && st == MCO_OK)
            st = entries_add(m->ctx, e, node[v], m->visits[node[v]]);
        m->visits[node[v]] = 0;
    }
    for (int64_t c = 0; c < m->cuts.count && st == MCO_OK; c++) {
        const int32_t times = vrp_cut_coefficient(&m->cuts.cut[c], node, count);
        if (times != 0)
            st = entries_add(m->ctx, e, m->problem->nodes + c, times);
    }
    return st;
}

// ---- Open

static double dearest_single(const vrp_bound_problem *p)
{
    double most = 1;
    for (int32_t i = 1; i < p->nodes; i++)
        most = fmax(most, (double)vrp_bound_route_cost(p, &i, 1));
    return most;
}

// One artificial column a row that is there at the begin. No dual of a customer exceeds its cost, so that cost is at most the greatest price:
// duals beyond are cut off one by one when they become prices, and the bound stays far below the value of the program. They do go there where
// the program has many duals, as with a row of a branch that two customers always travel together.
static mco_status add_artificial(vrp_master *m)
{
    mco_status st = MCO_OK;
    const int32_t nodes = m->problem->nodes;
    double *cost = NULL, *least = NULL, *most = NULL, *value = NULL;
    int64_t *first = NULL;
    int32_t *row = NULL;
    MCO_TRY(mco_alloc(m->ctx, &cost, nodes));
    MCO_TRY(mco_alloc(m->ctx, &least, nodes));
    MCO_TRY(mco_alloc(m->ctx, &most, nodes));
    MCO_TRY(mco_alloc(m->ctx, &value, nodes));
    MCO_TRY(mco_alloc(m->ctx, &first, nodes + 1));
    MCO_TRY(mco_alloc(m->ctx, &row, nodes));
    for (int32_t i = 0; i < nodes; i++) {
        cost[i] = m->artificial_cost;
        most[i] = INFINITY;
        value[i] = 1;
        row[i] = i;
        first[i + 1] = i + 1;
    }
    MCO_TRY(mco_lp_add_columns(m->ctx, m->lp, nodes, cost, least, most, first, row, value));
done:
    mco_free(m->ctx, &row);
    mco_free(m->ctx, &first);
    mco_free(m->ctx, &value);
    mco_free(m->ctx, &most);
    mco_free(m->ctx, &least);
    mco_free(m->ctx, &cost);
    return st;
}

mco_status vrp_program_open(vrp_master *master)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    const vrp_bound_problem *p = m->problem;
    double *least = NULL, *most = NULL;
    m->artificial_cost = fmin(ARTIFICIAL_FIRST * dearest_single(p), vrp_prices_most(p));
    MCO_TRY(mco_alloc(m->ctx, &least, p->nodes));
    MCO_TRY(mco_alloc(m->ctx, &most, p->nodes));
    for (int32_t i = 1; i < p->nodes; i++) {
        least[i] = 1;
        most[i] = p->is_metric ? INFINITY : 1;
    }
    least[0] = p->fleet.least;
    most[0] = p->fleet.most;
    MCO_TRY(mco_lp_open(m->ctx, &m->lp));
    MCO_TRY(mco_lp_add_rows(m->ctx, m->lp, p->nodes, least, most, NULL, NULL, NULL));
    MCO_TRY(add_artificial(m));
done:
    mco_free(m->ctx, &most);
    mco_free(m->ctx, &least);
    return st;
}

// ---- Columns

mco_status vrp_program_add_routes(vrp_master *master, int64_t from)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    const int64_t count = m->columns.count - from;
    double *cost = NULL, *least = NULL, *most = NULL;
    entries e = {0};
    if (count == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &cost, count));
    MCO_TRY(mco_alloc(m->ctx, &least, count));
    MCO_TRY(mco_alloc(m->ctx, &most, count));
    MCO_TRY(mco_alloc(m->ctx, &e.first, count + 1));
    MCO_TRY(mco_grow(m->ctx, &m->x, &m->x_room, m->columns.count));
    for (int64_t k = 0; k < count; k++) {
        cost[k] = (double)m->columns.cost[from + k];
        most[k] = INFINITY;
        MCO_TRY(add_route(m, from + k, &e));
        e.first[k + 1] = e.count;
        m->x[from + k] = 0;
    }
    MCO_TRY(mco_lp_add_columns(m->ctx, m->lp, (int32_t)count, cost, least, most, e.first, e.index, e.value));
done:
    entries_close(m->ctx, &e);
    mco_free(m->ctx, &most);
    mco_free(m->ctx, &least);
    mco_free(m->ctx, &cost);
    return st;
}

// Lists the k of keep [count] that go, behind `offset`. Errors: MEMORY.
static mco_status list_gone(mco_context *ctx, const bool *keep, int64_t count, int32_t offset, int32_t **gone, int32_t *gone_count)
{
    mco_status st = MCO_OK;
    *gone_count = 0;
    MCO_TRY(mco_alloc(ctx, gone, count));
    for (int64_t k = 0; k < count; k++)
        if (!keep[k])
            (*gone)[(*gone_count)++] = offset + (int32_t)k;
done:
    return st;
}

mco_status vrp_program_keep_routes(vrp_master *master, const bool *keep)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    int32_t *gone = NULL, gone_count = 0;
    MCO_TRY(list_gone(m->ctx, keep, m->columns.count, m->problem->nodes, &gone, &gone_count));
    MCO_TRY(mco_lp_delete_columns(m->ctx, m->lp, gone_count, gone));
    int64_t kept = 0;
    for (int64_t k = 0; k < m->columns.count; k++)
        if (keep[k])
            m->x[kept++] = m->x[k];
    vrp_routes_keep(&m->columns, keep);
done:
    mco_free(m->ctx, &gone);
    return st;
}

// ---- Rows of cuts

static mco_status make_row_room(vrp_master *m)
{
    mco_status st = MCO_OK;
    int64_t rooms[3] = {m->row_room, m->row_room, m->row_room};
    MCO_TRY(mco_grow(m->ctx, &m->lp_row, &rooms[0], m->cuts.count));
    MCO_TRY(mco_grow(m->ctx, &m->mixed_row, &rooms[1], m->cuts.count));
    MCO_TRY(mco_grow(m->ctx, &m->row_price, &rooms[2], m->cuts.count));
    m->row_room = rooms[0];
done:
    return st;
}

// The entries of a cut. An artificial column helps a SET row as much as the route of its customer alone crosses the border. So no dual of such
// a row exceeds half its cost. In a rank-1 row it counts not at all.
static mco_status add_cut(vrp_master *m, const vrp_cut *cut, entries *e)
{
    mco_status st = MCO_OK;
    const int32_t nodes = m->problem->nodes;
    if (cut->kind == VRP_CUT_SET)
        for (int32_t k = 0; k < cut->size; k++)
            MCO_TRY(entries_add(m->ctx, e, cut->node[k], cut->sense == VRP_CUT_AT_LEAST ? 2 : -2));
    for (int64_t k = 0; k < m->columns.count; k++) {
        const int32_t times = vrp_cut_coefficient(cut, nodes_of(&m->columns, k), vrp_routes_length(&m->columns, k));
        if (times != 0)
            MCO_TRY(entries_add(m->ctx, e, nodes + k, times));
    }
done:
    return st;
}

mco_status vrp_program_add_cuts(vrp_master *master, int64_t from)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    const int64_t count = m->cuts.count - from;
    double *least = NULL, *most = NULL;
    entries e = {0};
    if (count == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &least, count));
    MCO_TRY(mco_alloc(m->ctx, &most, count));
    MCO_TRY(mco_alloc(m->ctx, &e.first, count + 1));
    MCO_TRY(make_row_room(m));
    for (int64_t k = 0; k < count; k++) {
        const vrp_cut *cut = &m->cuts.cut[from + k];
        least[k] = cut->sense == VRP_CUT_AT_LEAST ? (double)cut->rhs : -INFINITY;
        most[k] = cut->sense == VRP_CUT_AT_LEAST ? INFINITY : (double)cut->rhs;
        MCO_TRY(add_cut(m, cut, &e));
        e.first[k + 1] = e.count;
        m->lp_row[from + k] = 0;
    }
    MCO_TRY(mco_lp_add_rows(m->ctx, m->lp, (int32_t)count, least, most, e.first, e.index, e.value));
done:
    entries_close(m->ctx, &e);
    mco_free(m->ctx, &most);
    mco_free(m->ctx, &least);
    return st;
}

mco_status vrp_program_renew_cuts(vrp_master *master, int64_t from, int64_t before)
{
    mco_status st = MCO_OK;
    int32_t *gone = NULL;
    MCO_TRY(mco_alloc(master->ctx, &gone, before - from));
    for (int64_t k = from; k < before; k++)
        gone[k - from] = master->problem->nodes + (int32_t)k;
    MCO_TRY(mco_lp_delete_rows(master->ctx, master->lp, (int32_t)(before - from), gone));
    MCO_TRY(vrp_program_add_cuts(master, from));
done:
    mco_free(master->ctx, &gone);
    return st;
}

mco_status vrp_program_keep_cuts(vrp_master *master, const bool *keep)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    int32_t *gone = NULL, gone_count = 0;
    MCO_TRY(list_gone(m->ctx, keep, m->cuts.count, m->problem->nodes, &gone, &gone_count));
    MCO_TRY(mco_lp_delete_rows(m->ctx, m->lp, gone_count, gone));
    int64_t kept = 0;
    for (int64_t k = 0; k < m->cuts.count; k++)
        if (keep[k])
            m->lp_row[kept++] = m->lp_row[k];
    vrp_cuts_keep(m->ctx, &m->cuts, keep);
done:
    mco_free(m->ctx, &gone);
    return st;
}

// ---- The solution

static void take_solution(vrp_master *m)
{
    const int32_t nodes = m->problem->nodes;
    const double *dual = mco_lp_duals(m->lp), *value = mco_lp_values(m->lp);
    m->lp_value = mco_lp_objective(m->lp);
    m->lp_fleet = dual[0];
    m->lp_customer[0] = 0;
    memcpy(m->lp_customer + 1, dual + 1, (size_t)(nodes - 1) * sizeof *dual);
    for (int64_t k = 0; k < m->cuts.count; k++)
        m->lp_row[k] = dual[nodes + k];
    for (int64_t k = 0; k < m->columns.count; k++)
        m->x[k] = value[nodes + k] > TINY ? value[nodes + k] : 0;
    m->has_artificial = false;
    for (int32_t i = 0; i < nodes; i++)
        m->has_artificial |= value[i] > 1e-6;
    if (m->box != NULL)
        memcpy(m->box + nodes, value, (size_t)nodes * sizeof *value);
}

mco_status vrp_program_raise_artificial(vrp_master *master, bool *is_raised)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    const int32_t nodes = m->problem->nodes;
    const double dearer = fmin(m->artificial_cost * ARTIFICIAL_GROWTH, vrp_prices_most(m->problem));
    double *cost = NULL;
    *is_raised = dearer > m->artificial_cost;
    if (!*is_raised)
        return MCO_OK;
    m->artificial_cost = dearer;
    MCO_TRY(mco_alloc(m->ctx, &cost, nodes));
    for (int32_t i = 0; i < nodes; i++)
        cost[i] = dearer;
    MCO_TRY(mco_lp_set_costs(m->ctx, m->lp, nodes, NULL, cost));
done:
    mco_free(m->ctx, &cost);
    return st;
}

mco_status vrp_program_solve(vrp_master *master, double stop_s)
{
    vrp_master *m = master;
    const double begin = mco_clock_s();
    const mco_status st = mco_lp_solve(m->ctx, m->lp, MCO_LP_AUTO, stop_s, &m->end);
    if (st == MCO_OK && m->end == MCO_LP_OPTIMAL)
        take_solution(m);
    m->lp_s += mco_clock_s() - begin;
    return st;
}

double vrp_program_reduced_cost(const vrp_master *master, const vrp_routes *routes, int64_t k)
{
    const vrp_master *m = master;
    const int32_t *node = nodes_of(routes, k);
    const int32_t count = vrp_routes_length(routes, k);
    double value = (double)routes->cost[k] - m->lp_fleet;
    for (int32_t v = 0; v < count; v++)
        value -= m->lp_customer[node[v]];
    for (int64_t c = 0; c < m->cuts.count; c++)
        if (m->lp_row[c] != 0)
            value -= m->lp_row[c] * vrp_cut_coefficient(&m->cuts.cut[c], node, count);
    return value;
}

// ---- Which routes are allowed

static bool has_removed_arc(const vrp_master *m, const int32_t *node, int32_t count)
{
    int64_t at = 0;
    for (int32_t k = 0; k <= count; k++) {
        const int64_t to = k < count ? node[k] : 0, arc = at * m->problem->nodes + to;
        if (m->removed[arc >> 6] >> (arc & 63) & 1)
            return true;
        at = to;
    }
    return false;
}

static bool has_neighbour(const vrp_ng_sets *sets, int32_t i, int32_t j)
{
    return i == j || vrp_ng_sets_bit(sets, i, j) >= 0;
}

// Whether a later visit of a customer finds it forgotten: some customer between has it in no set.
static bool is_ng_route(const vrp_ng_sets *sets, const int32_t *node, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        for (int32_t l = k + 1; l < count && has_neighbour(sets, node[l], node[k]); l++)
            if (node[l] == node[k])
                return false;
    return true;
}

static bool is_q_route(const int32_t *node, int32_t count)
{
    for (int32_t k = 2; k < count; k++)
        if (node[k] == node[k - 2])
            return false;
    return true;
}

bool vrp_program_is_allowed(const vrp_master *master, const int32_t *node, int32_t count)
{
    const vrp_master *m = master;
    if (m->removed != NULL && has_removed_arc(m, node, count))
        return false;
    if (m->limits_length && !vrp_bound_route_fits(m->problem, node, count))
        return false;
    return m->ng != NULL ? is_ng_route(m->sets, node, count) : is_q_route(node, count);
}
