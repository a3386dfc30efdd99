// SPDX-License-Identifier: MIT
// The mixed-integer program as LP or MPS (Strappaveccia 2015, 7.1): for link k a bandwidth x, and a binary y where it has a least one.
//
//     minimise - sum of w x     subject to   sum of x at node i <= b_i,   x <= u y,   x >= l y
#include <inttypes.h>
#include <math.h>

#include "lp/lp.h"
#include "overlay/instance.h"

static const double UNITS = 4294967296.0;

typedef struct program {
    mco_context *ctx;
    const mco_overlay *o;
    mco_lp_model m;
} program;

static int32_t least_of(const mco_overlay *o, int32_t i, int64_t k)
{
    return o->row_least != NULL ? o->row_least[o->first[i] + k] : o->least;
}

static void add_entry(program *p, int64_t *at, int32_t row, double value)
{
    p->m.row[*at] = row;
    p->m.value[(*at)++] = value;
}

// Columns of link {i, j}; `binary` is its number among the links with a least bandwidth.
static void add_link(program *p, int32_t i, int64_t k, int32_t *column, int32_t *binary, int64_t *at)
{
    const mco_overlay *o = p->o;
    const overlay_link link = overlay_entry(o, i, k);
    const int32_t least = least_of(o, i, k), rows = o->nodes + 2 * *binary;
    p->m.cost[*column] = -(link.weight / UNITS * o->weight_unit) / (double)o->scale;
    p->m.column_most[*column] = link.most;
    add_entry(p, at, i, 1);
    add_entry(p, at, link.node, 1);
    if (least > 0) {
        add_entry(p, at, rows, 1);
        add_entry(p, at, rows + 1, 1);
    }
    p->m.first[++*column] = *at;
    if (least == 0)
        return;
    p->m.column_most[*column] = 1;
    p->m.is_integer[*column] = true;
    p->m.row_least[rows] = -INFINITY;      // x - u y <= 0
    p->m.row_most[rows] = 0;
    p->m.row_least[rows + 1] = 0;          // x - l y >= 0
    p->m.row_most[rows + 1] = INFINITY;
    add_entry(p, at, rows, -(double)link.most);
    add_entry(p, at, rows + 1, -(double)least);
    p->m.first[++*column] = *at;
    ++*binary;
}

static mco_status open_model(program *p)
{
    mco_status st = MCO_OK;
    mco_context *ctx = p->ctx;
    const mco_overlay *o = p->o;
    int64_t with_least = 0;
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t k = 0; k < overlay_row_size(o, i); k++)
            with_least += overlay_entry(o, i, k).node > i && least_of(o, i, k) > 0;
    const int64_t columns = o->links + with_least, rows = o->nodes + 2 * with_least;
    if (columns > INT32_MAX / 4 || rows > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the program has %" PRId64 " columns, at most %d can be written", columns, INT32_MAX / 4);
    p->m.columns = (int32_t)columns;
    p->m.rows = (int32_t)rows;
    const int64_t entries = 2 * o->links + 4 * with_least;
    MCO_TRY(mco_alloc(ctx, &p->m.cost, columns));
    MCO_TRY(mco_alloc(ctx, &p->m.column_least, columns));
    MCO_TRY(mco_alloc(ctx, &p->m.column_most, columns));
    MCO_TRY(mco_alloc(ctx, &p->m.is_integer, columns));
    MCO_TRY(mco_alloc(ctx, &p->m.row_least, rows));
    MCO_TRY(mco_alloc(ctx, &p->m.row_most, rows));
    MCO_TRY(mco_alloc(ctx, &p->m.first, columns + 1));
    MCO_TRY(mco_alloc(ctx, &p->m.row, entries));
    MCO_TRY(mco_alloc(ctx, &p->m.value, entries));
done:
    return st;
}

mco_status mco_overlay_export(mco_context *ctx, const mco_overlay *instance, bool is_mps, const char *path)
{
    mco_status st = MCO_OK;
    program p = {.ctx = ctx, .o = instance};
    int32_t column = 0, binary = 0;
    int64_t at = 0;
    if (ctx == NULL || instance == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(open_model(&p));
    for (int32_t i = 0; i < instance->nodes; i++) {
        p.m.row_least[i] = -INFINITY;
        p.m.row_most[i] = instance->bandwidth[i];
        for (int64_t k = 0; k < overlay_row_size(instance, i); k++)
            if (overlay_entry(instance, i, k).node > i)
                add_link(&p, i, k, &column, &binary, &at);
    }
    MCO_TRY(mco_lp_model_write(ctx, &p.m, is_mps, path));
done:
    mco_lp_model_clear(ctx, &p.m);
    return st;
}
