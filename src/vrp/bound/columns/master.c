// SPDX-License-Identifier: MIT
#include "vrp/bound/columns/master.h"

#include <string.h>

#include "vrp/bound/columns/program.h"

static const double SMOOTHING = 0.8, PRECISION = 1e-4;

// ---- Open, close

static mco_status add_singles(vrp_master *m)
{
    mco_status st = MCO_OK;
    for (int32_t i = 1; i < m->problem->nodes; i++)
        MCO_TRY(vrp_routes_add(m->ctx, &m->columns, &i, 1, vrp_bound_route_cost(m->problem, &i, 1), NULL, NULL));
done:
    return st;
}

static mco_status add_plan(vrp_master *m, const mco_vrp_solution *plan)
{
    mco_status st = MCO_OK;
    int32_t *node = NULL;
    MCO_TRY(mco_alloc(m->ctx, &node, m->problem->nodes));
    for (int32_t r = 0; r < plan->routes; r++) {
        const int32_t count = plan->first[r + 1] - plan->first[r];
        for (int32_t k = 0; k < count; k++)
            node[k] = plan->order[plan->first[r] + k] + 1;
        MCO_TRY(vrp_routes_add(m->ctx, &m->columns, node, count, vrp_bound_route_cost(m->problem, node, count), NULL, NULL));
    }
done:
    mco_free(m->ctx, &node);
    return st;
}

static mco_status add_list(vrp_master *m, const vrp_routes *start)
{
    mco_status st = MCO_OK;
    for (int64_t k = 0; k < start->count; k++) {
        const int32_t *node = start->node + start->first[k];
        const int32_t count = vrp_routes_length(start, k);
        MCO_TRY(vrp_routes_add(m->ctx, &m->columns, node, count, vrp_bound_route_cost(m->problem, node, count), NULL, NULL));
    }
done:
    return st;
}

static mco_status allocate(vrp_master *m)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = m->problem;
    MCO_TRY(mco_alloc(m->ctx, &m->arcs, (int64_t)p->nodes * p->stride));
    MCO_TRY(mco_alloc(m->ctx, &m->lp_customer, p->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->mixed, p->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->price, p->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->trial, p->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->visits, p->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->by_load, (int64_t)p->capacity + 1));
done:
    return st;
}

mco_status vrp_master_open(mco_context *ctx, mco_run *run, const vrp_bound_problem *problem, const vrp_routes *start,
                           const mco_vrp_solution *plan, const int32_t *price, vrp_master *out)
{
    mco_status st = MCO_OK;
    vrp_master *m = out;
    *m = (vrp_master){.ctx = ctx, .run = run, .problem = problem, .bound = INT64_MIN, .known = INT64_MAX, .smoothing = SMOOTHING,
                      .precision = PRECISION, .threads = 1, .is_started = price == NULL};
    vrp_routes_open(problem->is_symmetric, &m->columns);
    vrp_routes_open(problem->is_symmetric, &m->found);
    vrp_cuts_open(problem, &m->cuts);
    MCO_TRY(allocate(m));
    if (price != NULL)
        memcpy(m->price, price, (size_t)problem->nodes * sizeof *price);
    MCO_TRY(add_singles(m));
    if (plan != NULL && plan->order != NULL)
        MCO_TRY(add_plan(m, plan));
    if (start != NULL)
        MCO_TRY(add_list(m, start));
    MCO_TRY(vrp_program_open(m));
    MCO_TRY(vrp_program_add_routes(m, 0));
done:
    if (st != MCO_OK)
        vrp_master_close(m);
    return st;
}

static void close_pricer(vrp_master *m)
{
    vrp_q_close(m->ctx, &m->q);
    vrp_ng_close(m->ctx, &m->ng);
    if (m->sets != NULL)
        vrp_ng_sets_close(m->ctx, m->sets);
    if (m->table_sets != NULL)
        vrp_ng_sets_close(m->ctx, m->table_sets);
    mco_free(m->ctx, &m->sets);
    mco_free(m->ctx, &m->table_sets);
}

void vrp_master_close(vrp_master *master)
{
    vrp_master *m = master;
    close_pricer(m);
    mco_lp_close(m->ctx, &m->lp);
    vrp_routes_close(m->ctx, &m->columns);
    vrp_routes_close(m->ctx, &m->found);
    vrp_cuts_close(m->ctx, &m->cuts);
    mco_free(m->ctx, &m->removed);
    mco_free(m->ctx, &m->arcs);
    mco_free(m->ctx, &m->lp_customer);
    mco_free(m->ctx, &m->lp_row);
    mco_free(m->ctx, &m->x);
    mco_free(m->ctx, &m->price);
    mco_free(m->ctx, &m->trial);
    mco_free(m->ctx, &m->row_price);
    mco_free(m->ctx, &m->mixed);
    mco_free(m->ctx, &m->mixed_row);
    mco_free(m->ctx, &m->visits);
    mco_free(m->ctx, &m->by_load);
    mco_free(m->ctx, &m->box);
}

// ---- The pricer

mco_status vrp_master_drop_columns(vrp_master *master)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    bool *keep = NULL;
    MCO_TRY(mco_alloc(m->ctx, &keep, m->columns.count));
    for (int64_t k = 0; k < m->columns.count; k++)
        keep[k] = vrp_program_is_allowed(m, m->columns.node + m->columns.first[k], vrp_routes_length(&m->columns, k));
    MCO_TRY(vrp_program_keep_routes(m, keep));
done:
    mco_free(m->ctx, &keep);
    return st;
}

mco_status vrp_master_take_q(vrp_master *master, const vrp_relax_settings *settings)
{
    mco_status st = MCO_OK;
    vrp_q_pass *q = NULL;
    MCO_TRY(vrp_q_open(master->ctx, master->problem, settings, &q));
    close_pricer(master);
    master->q = q;
    MCO_TRY(vrp_master_drop_columns(master));
done:
    return st;
}

static void drop_sets(mco_context *ctx, vrp_ng_sets **sets)
{
    if (*sets != NULL)
        vrp_ng_sets_close(ctx, *sets);
    mco_free(ctx, sets);
}

// The parts of the sets that dense tables hold; *out NULL: the sets themselves.
static mco_status cut_sets(mco_context *ctx, const vrp_ng_sets *sets, vrp_ng_sets **out)
{
    mco_status st = MCO_OK;
    int32_t largest = 0;
    for (int32_t i = 1; i < sets->nodes; i++)
        largest = sets->size[i] > largest ? sets->size[i] : largest;
    if (largest <= VRP_NG_DENSE)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, out, 1));
    MCO_TRY(vrp_ng_sets_copy(ctx, sets, *out));
    for (int32_t i = 1; i < sets->nodes; i++)
        if (sets->size[i] > VRP_NG_DENSE)
            (*out)->size[i] = VRP_NG_DENSE;
done:
    if (st != MCO_OK)
        mco_free(ctx, out);
    return st;
}

// Whether the master's tables are those of `sets`: then they stay.
static bool has_tables_of(const vrp_master *m, const vrp_ng_sets *sets)
{
    const vrp_ng_sets *own = m->ng != NULL ? vrp_master_table_sets(m) : NULL;
    for (int32_t i = 1; own != NULL && i < sets->nodes; i++) {
        const int64_t first = (int64_t)i * VRP_NG_MOST;
        if (own->size[i] != sets->size[i] ||
            memcmp(own->neighbour + first, sets->neighbour + first, (size_t)(sets->size[i] - 1) * sizeof *sets->neighbour) != 0)
            return false;
    }
    return own != NULL;
}

// Units are as fine as 32 bits allow, since rounded prices of many rows add up: in units of 1/16 of a cost, which tables of 16 bits need,
// 10 routes behind some 150 rows lost 12 costs. So tables round arcs to a grain, unless they are small.
enum { SMALL_CELLS = 3000, LARGEST_COST = 27000 };

static int32_t grain_of_tables(const vrp_bound_problem *p)
{
    int32_t largest = 1, grain = 1;
    if (((double)p->capacity + 1) * p->nodes <= SMALL_CELLS)
        return 1;
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++) {
            const int32_t cost = p->cost[(int64_t)i * p->stride + j];
            largest = cost < VRP_NO_ARC && cost > largest ? cost : largest;
        }
    while (largest / grain > LARGEST_COST)
        grain *= 2;
    return grain;
}

mco_status vrp_master_take_sets(vrp_master *master, const vrp_relax_settings *settings, vrp_ng_sets *sets)
{
    mco_status st = MCO_OK;
    vrp_ng_pass *ng = NULL;
    vrp_ng_sets *table_sets = NULL;
    MCO_TRY(cut_sets(master->ctx, sets, &table_sets));
    const vrp_ng_sets *of_tables = table_sets != NULL ? table_sets : sets;
    if (has_tables_of(master, of_tables)) {
        ng = master->ng;
        master->ng = NULL;
    } else {
        MCO_TRY(vrp_ng_open(master->ctx, master->problem, of_tables, settings, &ng));
        vrp_ng_coarsen(ng, grain_of_tables(master->problem));
    }
    close_pricer(master);
    master->ng = ng;
    master->sets = sets;
    master->table_sets = table_sets;
    return vrp_master_drop_columns(master);
done:
    drop_sets(master->ctx, &table_sets);
    drop_sets(master->ctx, &sets);
    return st;
}

mco_status vrp_master_take_ng(vrp_master *master, const vrp_relax_settings *settings, int32_t size)
{
    mco_status st = MCO_OK;
    vrp_ng_sets *sets = NULL;
    MCO_TRY(mco_alloc(master->ctx, &sets, 1));
    MCO_TRY(vrp_ng_sets_open(master->ctx, master->problem, size, sets));
    return vrp_master_take_sets(master, settings, sets);
done:
    mco_free(master->ctx, &sets);
    return st;
}

// ---- Support

void vrp_master_support(const vrp_master *master, double *x)
{
    const vrp_master *m = master;
    const int64_t nodes = m->problem->nodes;
    memset(x, 0, (size_t)(nodes * nodes) * sizeof *x);
    for (int64_t k = 0; k < m->columns.count; k++) {
        int64_t at = 0;
        if (m->x[k] == 0)
            continue;
        for (int64_t v = m->columns.first[k]; v <= m->columns.first[k + 1]; v++) {
            const int64_t to = v < m->columns.first[k + 1] ? m->columns.node[v] : 0;
            x[at * nodes + to] += m->x[k];
            if (m->problem->is_symmetric)
                x[to * nodes + at] += m->x[k];
            at = to;
        }
    }
}

int64_t vrp_master_arcs(const vrp_master *master)
{
    const int64_t nodes = master->problem->nodes, words = (nodes * nodes + 63) / 64;
    int64_t removed = 0;
    for (int64_t w = 0; master->removed != NULL && w < words; w++)
        removed += __builtin_popcountll(master->removed[w]);
    return nodes * (nodes - 1) - removed;
}
