// SPDX-License-Identifier: MIT
#include "vrp/bound/pool/sift.h"

#include <stdlib.h>
#include <string.h>

// Columns that join in a round, times the rows. A reduced cost below this part of the column's cost is negative.
enum { JOIN_A_ROW = 6 };
static const double NEGATIVE = 1e-7;

typedef struct priced {
    double reduced;
    int32_t column;
} priced;

typedef struct sift {
    mco_context *ctx;
    mco_lp *lp;            // the program of some columns
    mco_lp_model all;
    bool *is_in;           // [all.columns]
    int32_t *column;       // [count] of `all`, in the order of lp
    int32_t count;
    priced *list;          // [all.columns]
} sift;

static int by_reduced(const void *a, const void *b)
{
    const priced *x = a, *y = b;
    if (x->reduced < y->reduced || x->reduced > y->reduced)
        return x->reduced < y->reduced ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static mco_status add_column(sift *s, int32_t c)
{
    const mco_lp_model *m = &s->all;
    const int64_t first[2] = {0, m->first[c + 1] - m->first[c]};
    s->is_in[c] = true;
    s->column[s->count++] = c;
    return mco_lp_add_columns(s->ctx, s->lp, 1, &m->cost[c], &m->column_least[c], &m->column_most[c], first, m->row + m->first[c],
                              m->value + m->first[c]);
}

// Adds the columns of the least reduced costs. *added of them.
static mco_status join(sift *s, int32_t *added)
{
    mco_status st = MCO_OK;
    const mco_lp_model *m = &s->all;
    const double *dual = mco_lp_duals(s->lp);
    int32_t count = 0;
    for (int32_t c = 0; c < m->columns; c++) {
        double reduced = m->cost[c];
        for (int64_t e = m->first[c]; e < m->first[c + 1] && !s->is_in[c]; e++)
            reduced -= dual[m->row[e]] * m->value[e];
        if (!s->is_in[c] && reduced < -NEGATIVE * m->cost[c])
            s->list[count++] = (priced){reduced, c};
    }
    if (count > 0)
        qsort(s->list, (size_t)count, sizeof *s->list, by_reduced);
    *added = count < JOIN_A_ROW * m->rows ? count : JOIN_A_ROW * m->rows;
    for (int32_t k = 0; k < *added; k++)
        MCO_TRY(add_column(s, s->list[k].column));
done:
    return st;
}

// The basis of the program of some columns is one of the whole program: all other columns are at 0.
static mco_status hand_over(const sift *s, mco_lp *lp)
{
    mco_status st = MCO_OK;
    mco_lp_basis some = {0}, all = {0};
    MCO_TRY(mco_lp_save_basis(s->ctx, s->lp, &some));
    MCO_TRY(mco_lp_save_basis(s->ctx, lp, &all));
    for (int32_t k = 0; k < s->count; k++)
        all.place[s->column[k]] = some.place[k];
    memcpy(all.place + all.columns, some.place + some.columns, (size_t)all.rows * sizeof *all.place);
    MCO_TRY(mco_lp_load_basis(s->ctx, lp, &all));
done:
    mco_lp_basis_clear(s->ctx, &some);
    mco_lp_basis_clear(s->ctx, &all);
    return st;
}

mco_status pool_sift(mco_context *ctx, mco_lp *lp, int32_t begin, double stop_s)
{
    mco_status st = MCO_OK;
    sift s = {.ctx = ctx};
    mco_lp_end end = MCO_LP_OPTIMAL;
    int32_t added = 1;
    MCO_TRY(mco_lp_copy_model(ctx, lp, &s.all));
    MCO_TRY(mco_alloc(ctx, &s.is_in, s.all.columns));
    MCO_TRY(mco_alloc(ctx, &s.column, s.all.columns));
    MCO_TRY(mco_alloc(ctx, &s.list, s.all.columns));
    MCO_TRY(mco_lp_open(ctx, &s.lp));
    MCO_TRY(mco_lp_add_rows(ctx, s.lp, s.all.rows, s.all.row_least, s.all.row_most, NULL, NULL, NULL));
    for (int32_t c = 0; c < begin && c < s.all.columns; c++)
        MCO_TRY(add_column(&s, c));
    while (added > 0 && end == MCO_LP_OPTIMAL) {  // ends: columns join, none leaves
        MCO_TRY(mco_lp_solve(ctx, s.lp, MCO_LP_PRIMAL, stop_s, &end));
        if (end == MCO_LP_OPTIMAL)
            MCO_TRY(join(&s, &added));
    }
    if (end == MCO_LP_OPTIMAL)
        MCO_TRY(hand_over(&s, lp));
done:
    mco_lp_close(ctx, &s.lp);
    mco_lp_model_clear(ctx, &s.all);
    mco_free(ctx, &s.is_in);
    mco_free(ctx, &s.column);
    mco_free(ctx, &s.list);
    return st;
}
