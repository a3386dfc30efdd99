// SPDX-License-Identifier: MIT
#include "vrp/bound/pool/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

// An artificial column costs as much as PLANS_OF_ARTIFICIAL plans. A price is at most PRICES artificial columns, and at most RHS times that
// with its right-hand side. So all terms of a bound stay below 2^SUM_BITS together: rows of customers, the one of routes, and POOL_MOST_CUTS others.
enum { PLANS_OF_ARTIFICIAL = 16, PRICES = 4, RHS = 8, MOST_UNIT_BITS = 20, SUM_BITS = 60 };

// ---- Routes

typedef struct key {
    const uint64_t *members;
    int32_t words, route;
    int64_t cost;
} key;

static int compare_members(const key *a, const key *b)
{
    for (int32_t w = 0; w < a->words; w++)
        if (a->members[w] != b->members[w])
            return a->members[w] < b->members[w] ? -1 : 1;
    return 0;
}

// By customers, then cost, then place: so an order of its own does not matter.
static int compare_keys(const void *left, const void *right)
{
    const key *a = left, *b = right;
    const int members = compare_members(a, b);
    if (members != 0)
        return members;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->route > b->route) - (a->route < b->route);
}

static int64_t exact_cost(const mco_vrp *vrp, const int32_t *node, int32_t count)
{
    int64_t cost = 0;
    for (int32_t k = 0, at = 0; k <= count; k++) {
        const int32_t next = k < count ? node[k] : 0;
        cost += vrp_distance(vrp, at, next);
        at = next;
    }
    return cost;
}

// Fills members [words]; false if a customer occurs twice.
static bool collect_members(const int32_t *node, int32_t count, uint64_t *members)
{
    for (int32_t k = 0; k < count; k++) {
        if (vrp_set_has(members, node[k]))
            return false;
        members[node[k] >> 6] |= (uint64_t)1 << (node[k] & 63);
    }
    return true;
}

// Marks the routes to copy: visited once each, the cheapest of their customers.
static mco_status choose_routes(mco_context *ctx, const vrp_bound_problem *problem, const vrp_routes *routes, int32_t words, bool *is_chosen)
{
    mco_status st = MCO_OK;
    key *keys = NULL;
    uint64_t *members = NULL;
    int64_t count = 0;
    MCO_TRY(mco_alloc(ctx, &keys, routes->count));
    MCO_TRY(mco_alloc(ctx, &members, routes->count * words));
    for (int64_t k = 0; k < routes->count; k++) {
        const int32_t *node = routes->node + routes->first[k], length = vrp_routes_length(routes, k);
        if (collect_members(node, length, members + k * words))
            keys[count++] = (key){members + k * words, words, (int32_t)k, exact_cost(problem->vrp, node, length)};
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int64_t k = 0; k < count; k++)
        is_chosen[keys[k].route] = k == 0 || compare_members(&keys[k - 1], &keys[k]) != 0;
done:
    mco_free(ctx, &members);
    mco_free(ctx, &keys);
    return st;
}

static mco_status copy_routes(pool_program *p, const vrp_routes *routes, const bool *is_chosen)
{
    mco_status st = MCO_OK;
    int64_t count = 0, nodes = 0;
    for (int64_t k = 0; k < routes->count; k++) {
        count += is_chosen[k];
        nodes += is_chosen[k] ? vrp_routes_length(routes, k) : 0;
    }
    MCO_TRY(mco_alloc(p->ctx, &p->index, count));
    MCO_TRY(mco_alloc(p->ctx, &p->cost, count));
    MCO_TRY(mco_alloc(p->ctx, &p->first, count + 1));
    MCO_TRY(mco_alloc(p->ctx, &p->node, nodes));
    MCO_TRY(mco_alloc(p->ctx, &p->members, count * p->words));
    MCO_TRY(mco_alloc(p->ctx, &p->allowed, count));
    MCO_TRY(mco_alloc(p->ctx, &p->reduced, count));
    for (int64_t k = 0; k < routes->count; k++) {
        const int32_t *node = routes->node + routes->first[k], length = vrp_routes_length(routes, k), j = p->routes;
        if (!is_chosen[k])
            continue;
        memcpy(p->node + p->first[j], node, (size_t)length * sizeof *node);
        (void)collect_members(node, length, p->members + (int64_t)j * p->words);
        p->index[j] = k;
        p->cost[j] = exact_cost(p->problem->vrp, node, length);
        p->allowed[j] = true;
        p->first[++p->routes] = p->first[j] + length;
    }
done:
    return st;
}

// ---- The program

static mco_status add_first_rows(pool_program *p)
{
    mco_status st = MCO_OK;
    double *side = NULL;
    const double least = p->fleet.least, most = p->fleet.most;
    MCO_TRY(mco_alloc(p->ctx, &side, p->customers));
    for (int32_t i = 0; i < p->customers; i++)
        side[i] = 1;
    MCO_TRY(mco_lp_add_rows(p->ctx, p->lp, p->customers, side, side, NULL, NULL, NULL));
    MCO_TRY(mco_lp_add_rows(p->ctx, p->lp, 1, &least, &most, NULL, NULL, NULL));
done:
    mco_free(p->ctx, &side);
    return st;
}

// The rows of column c: the customers of a route and the number of routes. Returns how many.
static int32_t rows_of_column(const pool_program *p, int32_t c, int32_t *row)
{
    const int32_t n = p->customers, j = c - n - 1;
    int32_t count = 0;
    if (c < n)
        row[count++] = c;
    for (int64_t k = j < 0 ? 0 : p->first[j]; j >= 0 && k < p->first[j + 1]; k++)
        row[count++] = p->node[k] - 1;
    if (c >= n)
        row[count++] = n;
    return count;
}

static mco_status add_columns(pool_program *p)
{
    mco_status st = MCO_OK;
    const int32_t n = p->customers, count = n + 1 + p->routes;
    const int64_t entries = n + 1 + p->first[p->routes] + p->routes;
    double *cost = NULL, *least = NULL, *most = NULL, *value = NULL;
    int64_t *first = NULL;
    int32_t *row = NULL;
    MCO_TRY(mco_alloc(p->ctx, &cost, count));
    MCO_TRY(mco_alloc(p->ctx, &least, count));
    MCO_TRY(mco_alloc(p->ctx, &most, count));
    MCO_TRY(mco_alloc(p->ctx, &first, count + 1));
    MCO_TRY(mco_alloc(p->ctx, &row, entries));
    MCO_TRY(mco_alloc(p->ctx, &value, entries));
    for (int32_t c = 0; c < count; c++) {
        cost[c] = (double)(c <= n ? p->artificial : p->cost[c - n - 1]);
        most[c] = INFINITY;
        first[c + 1] = first[c] + rows_of_column(p, c, row + first[c]);
    }
    for (int64_t k = 0; k < entries; k++)
        value[k] = 1;
    MCO_TRY(mco_lp_add_columns(p->ctx, p->lp, count, cost, least, most, first, row, value));
done:
    mco_free(p->ctx, &cost);
    mco_free(p->ctx, &least);
    mco_free(p->ctx, &most);
    mco_free(p->ctx, &first);
    mco_free(p->ctx, &row);
    mco_free(p->ctx, &value);
    return st;
}

static int64_t choose_unit(const pool_program *p)
{
    int bits = 0;
    const double terms = (double)p->artificial * PRICES * (2.0 * p->customers + RHS * POOL_MOST_CUTS);
    while (bits < MOST_UNIT_BITS && ldexp(terms, bits + 1) < ldexp(1, SUM_BITS))
        bits++;
    return (int64_t)1 << bits;
}

mco_status pool_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_routes *routes, int64_t known, pool_program *out)
{
    mco_status st = MCO_OK;
    bool *is_chosen = NULL;
    pool_program p = {.ctx = ctx, .problem = problem, .customers = problem->customers, .words = (problem->nodes + 63) / 64,
                      .fleet = problem->fleet, .artificial = PLANS_OF_ARTIFICIAL * (known > 0 ? known : 1)};
    vrp_cuts_open(problem, &p.cuts);
    p.unit = choose_unit(&p);
    MCO_TRY(mco_alloc(ctx, &is_chosen, routes->count));
    MCO_TRY(choose_routes(ctx, problem, routes, p.words, is_chosen));
    MCO_TRY(copy_routes(&p, routes, is_chosen));
    MCO_TRY(mco_alloc(ctx, &p.price, p.customers + 1));
    MCO_TRY(mco_lp_open(ctx, &p.lp));
    MCO_TRY(add_first_rows(&p));
    MCO_TRY(add_columns(&p));
    *out = p;
done:
    mco_free(ctx, &is_chosen);
    if (st != MCO_OK)
        pool_close(&p);
    return st;
}

static void clear_rows(pool_program *p, int64_t from)
{
    for (int64_t k = from; k < p->row_room; k++) {
        mco_free(p->ctx, &p->rows[k].route);
        mco_free(p->ctx, &p->rows[k].times);
        p->rows[k].count = 0;
    }
}

void pool_close(pool_program *p)
{
    clear_rows(p, 0);
    mco_free(p->ctx, &p->rows);
    mco_lp_close(p->ctx, &p->lp);
    vrp_cuts_close(p->ctx, &p->cuts);
    mco_free(p->ctx, &p->index);
    mco_free(p->ctx, &p->cost);
    mco_free(p->ctx, &p->first);
    mco_free(p->ctx, &p->node);
    mco_free(p->ctx, &p->members);
    mco_free(p->ctx, &p->allowed);
    mco_free(p->ctx, &p->reduced);
    mco_free(p->ctx, &p->price);
}

// ---- Rows

static mco_status fill_row(pool_program *p, const vrp_cut *cut, pool_row *row)
{
    mco_status st = MCO_OK;
    int32_t *times = NULL;
    int64_t count = 0;
    MCO_TRY(mco_alloc(p->ctx, &times, p->routes));
    for (int32_t j = 0; j < p->routes; j++) {
        times[j] = vrp_cut_coefficient(cut, p->node + p->first[j], (int32_t)(p->first[j + 1] - p->first[j]));
        count += times[j] != 0;
    }
    MCO_TRY(mco_alloc(p->ctx, &row->route, count));
    MCO_TRY(mco_alloc(p->ctx, &row->times, count));
    for (int32_t j = 0; j < p->routes; j++) {
        if (times[j] == 0)
            continue;
        row->route[row->count] = j;
        row->times[row->count++] = times[j];
    }
done:
    mco_free(p->ctx, &times);
    return st;
}

// An artificial route of a customer crosses each set that it is in twice. So it meets SET rows too.
static mco_status add_row(pool_program *p, const vrp_cut *cut, const pool_row *row)
{
    mco_status st = MCO_OK;
    int32_t *column = NULL;
    double *value = NULL;
    int64_t first[2] = {0, 0};
    const double least = cut->sense == VRP_CUT_AT_LEAST ? (double)cut->rhs : -INFINITY;
    const double most = cut->sense == VRP_CUT_AT_MOST ? (double)cut->rhs : INFINITY;
    MCO_TRY(mco_alloc(p->ctx, &column, row->count + cut->size));
    MCO_TRY(mco_alloc(p->ctx, &value, row->count + cut->size));
    for (int32_t k = 0; cut->kind == VRP_CUT_SET && cut->sense == VRP_CUT_AT_LEAST && k < cut->size; k++) {
        column[first[1]] = cut->node[k] - 1;
        value[first[1]++] = 2;
    }
    for (int64_t k = 0; k < row->count; k++) {
        column[first[1]] = p->customers + 1 + row->route[k];
        value[first[1]++] = row->times[k];
    }
    MCO_TRY(mco_lp_add_rows(p->ctx, p->lp, 1, &least, &most, first, column, value));
done:
    mco_free(p->ctx, &column);
    mco_free(p->ctx, &value);
    return st;
}

mco_status pool_add_rows(pool_program *p, int64_t from)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(p->ctx, &p->rows, &p->row_room, p->cuts.count));  // never more than POOL_MOST_CUTS
    for (int64_t k = from; k < p->cuts.count; k++) {
        MCO_TRY(fill_row(p, &p->cuts.cut[k], &p->rows[k]));
        MCO_TRY(add_row(p, &p->cuts.cut[k], &p->rows[k]));
    }
done:
    return st;
}

// ---- Fewer routes

static void move_routes(pool_program *p, const bool *keep)
{
    int32_t kept = 0;
    int64_t nodes = 0;
    for (int32_t j = 0; j < p->routes; j++) {
        const int64_t begin = p->first[j], length = p->first[j + 1] - begin;
        if (!keep[j])
            continue;
        memmove(p->node + nodes, p->node + begin, (size_t)length * sizeof *p->node);
        memmove(p->members + (int64_t)kept * p->words, p->members + (int64_t)j * p->words, (size_t)p->words * sizeof *p->members);
        p->index[kept] = p->index[j];
        p->cost[kept] = p->cost[j];
        p->allowed[kept] = p->allowed[j];
        p->reduced[kept] = p->reduced[j];
        p->first[kept++] = nodes;
        nodes += length;
    }
    p->routes = kept;
    p->first[kept] = nodes;
}

mco_status pool_keep(pool_program *p, const bool *keep)
{
    mco_status st = MCO_OK;
    int32_t *gone = NULL, count = 0;
    MCO_TRY(mco_alloc(p->ctx, &gone, p->routes));
    for (int32_t j = 0; j < p->routes; j++)
        if (!keep[j])
            gone[count++] = p->customers + 1 + j;
    MCO_TRY(mco_lp_delete_columns(p->ctx, p->lp, count, gone));
    move_routes(p, keep);
    clear_rows(p, 0);
    for (int64_t k = 0; k < p->cuts.count; k++)
        MCO_TRY(fill_row(p, &p->cuts.cut[k], &p->rows[k]));
done:
    mco_free(p->ctx, &gone);
    return st;
}

mco_status pool_restrict(pool_program *p, const bool *allowed, vrp_fleet fleet)
{
    mco_status st = MCO_OK;
    int32_t *column = NULL, count = 0;
    double *least = NULL, *most = NULL;
    const double routes_least = fleet.least, routes_most = fleet.most;
    MCO_TRY(mco_alloc(p->ctx, &column, p->routes));
    MCO_TRY(mco_alloc(p->ctx, &least, p->routes));
    MCO_TRY(mco_alloc(p->ctx, &most, p->routes));
    for (int32_t j = 0; j < p->routes; j++) {
        if (allowed[j] == p->allowed[j])
            continue;
        column[count] = p->customers + 1 + j;
        most[count++] = allowed[j] ? INFINITY : 0;
        p->allowed[j] = allowed[j];
    }
    MCO_TRY(mco_lp_set_column_bounds(p->ctx, p->lp, count, column, least, most));
    MCO_TRY(mco_lp_set_row_bounds(p->ctx, p->lp, 1, &p->customers, &routes_least, &routes_most));
    p->fleet = fleet;
done:
    mco_free(p->ctx, &column);
    mco_free(p->ctx, &least);
    mco_free(p->ctx, &most);
    return st;
}

// ---- The proof

// The most that a price of a row with this right-hand side may be.
static double most_price(const pool_program *p, int64_t rhs)
{
    return (double)p->artificial * PRICES * (double)p->unit / (rhs > RHS ? (double)rhs / RHS : 1);
}

// A dual as a price of a row with this right-hand side.
static int64_t rounded(const pool_program *p, double dual, int64_t rhs)
{
    const double most = most_price(p, rhs);
    return (int64_t)llround(fmax(-most, fmin(most, dual * (double)p->unit)));
}

// What all duals are taken times, at most 1, so that none exceeds its most. Where a node has no plan, artificial columns make some of them
// very large. Costs are not negative, so lesser duals of the same proportions price no route below 0, and prove a lesser value.
static double scale_of(const pool_program *p, const double *dual)
{
    double scale = 1;
    for (int64_t i = 0; i <= p->customers + p->cuts.count; i++) {
        const double most = most_price(p, i <= p->customers ? 1 : p->cuts.cut[i - p->customers - 1].rhs);
        if (fabs(dual[i]) * (double)p->unit * scale > most)
            scale = most / (fabs(dual[i]) * (double)p->unit);
    }
    return scale;
}

// A row k of `cuts` at its price, taken off the reduced costs of its routes.
static int64_t price_row(pool_program *p, int64_t k, double dual)
{
    const vrp_cut *cut = &p->cuts.cut[k];
    const pool_row *row = &p->rows[k];
    int64_t price = rounded(p, dual, cut->rhs);
    if (cut->sense == VRP_CUT_AT_LEAST ? price < 0 : price > 0)
        price = 0;
    for (int64_t e = 0; price != 0 && e < row->count; e++)
        p->reduced[row->route[e]] -= price * row->times[e];
    return price * cut->rhs;
}

void pool_prove(pool_program *p)
{
    const double *dual = mco_lp_duals(p->lp);
    const int32_t n = p->customers;
    const double scale = scale_of(p, dual);
    int64_t bound = 0;
    for (int32_t i = 0; i <= n; i++)
        p->price[i] = rounded(p, scale * dual[i], 1);
    for (int32_t i = 0; i < n; i++)
        bound += p->price[i];
    bound += p->price[n] * (p->price[n] > 0 ? p->fleet.least : p->fleet.most);
    for (int32_t j = 0; j < p->routes; j++) {
        p->reduced[j] = p->cost[j] * p->unit - p->price[n];
        for (int64_t k = p->first[j]; k < p->first[j + 1]; k++)
            p->reduced[j] -= p->price[p->node[k] - 1];
    }
    for (int64_t k = 0; k < p->cuts.count; k++)
        bound += price_row(p, k, scale * dual[n + 1 + k]);
    for (int32_t j = 0; j < p->routes && bound > -((int64_t)1 << SUM_BITS); j++)
        if (p->allowed[j] && p->reduced[j] < 0)
            bound += p->reduced[j];
    p->bound = bound;
}
