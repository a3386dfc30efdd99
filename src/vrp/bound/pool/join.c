// SPDX-License-Identifier: MIT
// Routes that join the program.
#include <stdlib.h>

#include "vrp/bound/pool/program.h"

// Routes that join at a time, times the rows. A reduced cost below so many scaled units is negative.
enum { JOIN_A_ROW = 6 };
static const double NEGATIVE = -1e-6;

typedef struct columns {
    int32_t count;
    double *cost, *least, *most;
    int64_t *first;
    int32_t *row;
    double *value;
} columns;

// Appends the column of a route: its customers, the number of routes, and its coefficients in the rows.
static void append(const pool_program *p, int32_t route, columns *c)
{
    const int32_t *node = p->node + p->first[route], length = (int32_t)(p->first[route + 1] - p->first[route]);
    int64_t at = c->first[c->count];
    for (int32_t k = 0; k <= length; k++) {
        c->row[at] = k < length ? node[k] - 1 : p->customers;
        c->value[at++] = 1;
    }
    for (int64_t k = 0; k < p->cuts.count; k++) {
        const int32_t times = vrp_cut_coefficient(&p->cuts.cut[k], node, length);
        if (times == 0)
            continue;
        c->row[at] = p->customers + 1 + (int32_t)k;
        c->value[at++] = times;
    }
    c->cost[c->count] = (double)p->cost[route];
    c->most[c->count] = INFINITY;
    c->first[++c->count] = at;
}

mco_status pool_add_columns(pool_program *p, const int32_t *route, int32_t count)
{
    mco_status st = MCO_OK;
    const int32_t begin = mco_lp_columns(p->lp);
    columns c = {0};
    int64_t entries = 0;
    for (int32_t k = 0; k < count; k++)
        entries += p->first[route[k] + 1] - p->first[route[k]] + 1 + p->cuts.count;
    MCO_TRY(mco_alloc(p->ctx, &c.cost, count));
    MCO_TRY(mco_alloc(p->ctx, &c.least, count));
    MCO_TRY(mco_alloc(p->ctx, &c.most, count));
    MCO_TRY(mco_alloc(p->ctx, &c.first, count + 1));
    MCO_TRY(mco_alloc(p->ctx, &c.row, entries));
    MCO_TRY(mco_alloc(p->ctx, &c.value, entries));
    for (int32_t k = 0; k < count; k++)
        append(p, route[k], &c);
    MCO_TRY(mco_lp_add_columns(p->ctx, p->lp, count, c.cost, c.least, c.most, c.first, c.row, c.value));
    for (int32_t k = 0; k < count; k++)
        p->column[route[k]] = begin + k;
done:
    mco_free(p->ctx, &c.cost);
    mco_free(p->ctx, &c.least);
    mco_free(p->ctx, &c.most);
    mco_free(p->ctx, &c.first);
    mco_free(p->ctx, &c.row);
    mco_free(p->ctx, &c.value);
    return st;
}

// ---- Which of them

typedef struct priced {
    double reduced;
    int32_t route;
} priced;

static int by_reduced(const void *a, const void *b)
{
    const priced *x = a, *y = b;
    if (x->reduced < y->reduced || x->reduced > y->reduced)
        return x->reduced < y->reduced ? -1 : 1;
    return (x->route > y->route) - (x->route < y->route);
}

// Reduced costs [routes] in scaled units, by the duals as they are: at prices that shrank, a route may seem to be worth nothing.
static void price_by_duals(const pool_program *p, double *reduced)
{
    const double *dual = mco_lp_duals(p->lp), *of_row = dual + p->customers + 1;
    for (int32_t j = 0; j < p->routes; j++) {
        reduced[j] = (double)p->cost[j] - dual[p->customers];
        for (int64_t k = p->first[j]; k < p->first[j + 1]; k++)
            reduced[j] -= dual[p->node[k] - 1];
    }
    for (int64_t k = 0; k < p->cuts.count; k++)
        for (int64_t e = 0; of_row[k] != 0 && e < p->rows[k].count; e++)
            reduced[p->rows[k].route[e]] -= of_row[k] * p->rows[k].times[e];
}

// The values of routes that have not joined are 0.
static void read_values(pool_program *p)
{
    const double *x = mco_lp_values(p->lp);
    for (int32_t j = 0; j < p->routes; j++)
        p->value[j] = p->column[j] < 0 ? 0 : x[p->column[j]];
}

// Lists the routes that may join. list [routes].
static mco_status collect(const pool_program *p, priced *list, int32_t *count)
{
    mco_status st = MCO_OK;
    double *reduced = NULL;
    MCO_TRY(mco_alloc(p->ctx, &reduced, p->scale < 1 ? p->routes : 0));
    if (p->scale < 1)
        price_by_duals(p, reduced);
    *count = 0;
    for (int32_t j = 0; j < p->routes; j++) {
        const double value = p->scale < 1 ? reduced[j] : (double)p->reduced[j] / (double)p->unit;
        if (p->column[j] < 0 && p->allowed[j] && value < NEGATIVE)
            list[(*count)++] = (priced){value, j};
    }
done:
    mco_free(p->ctx, &reduced);
    return st;
}

mco_status pool_join(pool_program *p, int32_t *joined)
{
    mco_status st = MCO_OK;
    priced *list = NULL;
    int32_t *route = NULL, count = 0;
    const int32_t most = JOIN_A_ROW * mco_lp_rows(p->lp);
    MCO_TRY(mco_alloc(p->ctx, &list, p->routes));
    MCO_TRY(collect(p, list, &count));
    *joined = count < most ? count : most;
    if (count == 0)
        read_values(p);
    MCO_TRY(mco_alloc(p->ctx, &route, *joined));
    if (count > 0)
        qsort(list, (size_t)count, sizeof *list, by_reduced);
    for (int32_t k = 0; k < *joined; k++)
        route[k] = list[k].route;
    if (count > 0)
        MCO_TRY(pool_add_columns(p, route, *joined));
done:
    mco_free(p->ctx, &list);
    mco_free(p->ctx, &route);
    return st;
}
