// SPDX-License-Identifier: MIT
// A build without Clp: no program can be opened, so none of the other calls is ever made with one.
#include "lp/lp.h"

static mco_status no_solver(mco_context *ctx)
{
    return mco_fail(ctx, MCO_ERR_IO, "this build lacks Clp, which solves linear programs (Debian: coinor-libclp-dev)");
}

bool mco_lp_is_there(void)
{
    return false;
}

mco_status mco_lp_open(mco_context *ctx, mco_lp **out)
{
    (void)out;
    return no_solver(ctx);
}

void mco_lp_close(mco_context *ctx, mco_lp **lp)
{
    (void)ctx, (void)lp;
}

int32_t mco_lp_rows(const mco_lp *lp)
{
    (void)lp;
    return 0;
}

int32_t mco_lp_columns(const mco_lp *lp)
{
    (void)lp;
    return 0;
}

mco_status mco_lp_add_rows(mco_context *ctx, mco_lp *lp, int32_t count, const double *least, const double *most,
                           const int64_t *first , const int32_t *column, const double *value)
{
    (void)lp, (void)count, (void)least, (void)most, (void)first, (void)column, (void)value;
    return no_solver(ctx);
}

mco_status mco_lp_add_columns(mco_context *ctx, mco_lp *lp, int32_t count, const double *cost, const double *least,
                              const double *most, const int64_t *first , const int32_t *row, const double *value)
{
    (void)lp, (void)count, (void)cost, (void)least, (void)most, (void)first, (void)row, (void)value;
    return no_solver(ctx);
}

mco_status mco_lp_delete_rows(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index)
{
    (void)lp, (void)count, (void)index;
    return no_solver(ctx);
}

mco_status mco_lp_delete_columns(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index)
{
    (void)lp, (void)count, (void)index;
    return no_solver(ctx);
}

mco_status mco_lp_set_row_bounds(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *least, const double *most)
{
    (void)lp, (void)count, (void)index, (void)least, (void)most;
    return no_solver(ctx);
}

mco_status mco_lp_set_column_bounds(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *least,
                                    const double *most)
{
    (void)lp, (void)count, (void)index, (void)least, (void)most;
    return no_solver(ctx);
}

mco_status mco_lp_set_costs(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *cost)
{
    (void)lp, (void)count, (void)index, (void)cost;
    return no_solver(ctx);
}

mco_status mco_lp_solve(mco_context *ctx, mco_lp *lp, mco_lp_method method, double stop_s, mco_lp_end *end)
{
    (void)lp, (void)method, (void)stop_s, (void)end;
    return no_solver(ctx);
}

double mco_lp_objective(const mco_lp *lp)
{
    (void)lp;
    return 0;
}

const double *mco_lp_values(const mco_lp *lp)
{
    (void)lp;
    return NULL;
}

const double *mco_lp_activities(const mco_lp *lp)
{
    (void)lp;
    return NULL;
}

const double *mco_lp_duals(const mco_lp *lp)
{
    (void)lp;
    return NULL;
}

const double *mco_lp_reduced_costs(const mco_lp *lp)
{
    (void)lp;
    return NULL;
}

bool mco_lp_column_is_basic(const mco_lp *lp, int32_t column)
{
    (void)lp, (void)column;
    return false;
}

bool mco_lp_row_is_basic(const mco_lp *lp, int32_t row)
{
    (void)lp, (void)row;
    return false;
}

int64_t mco_lp_iterations(const mco_lp *lp)
{
    (void)lp;
    return 0;
}

mco_status mco_lp_save_basis(mco_context *ctx, const mco_lp *lp, mco_lp_basis *out)
{
    (void)lp, (void)out;
    return no_solver(ctx);
}

mco_status mco_lp_load_basis(mco_context *ctx, mco_lp *lp, const mco_lp_basis *basis)
{
    (void)lp, (void)basis;
    return no_solver(ctx);
}

void mco_lp_basis_clear(mco_context *ctx, mco_lp_basis *basis)
{
    mco_free(ctx, &basis->place);
    *basis = (mco_lp_basis){0};
}

mco_status mco_lp_copy(mco_context *ctx, const mco_lp *lp, mco_lp **out)
{
    (void)lp, (void)out;
    return no_solver(ctx);
}

mco_status mco_lp_copy_model(mco_context *ctx, const mco_lp *lp, mco_lp_model *out)
{
    (void)lp, (void)out;
    return no_solver(ctx);
}

mco_status mco_lp_write(mco_context *ctx, const mco_lp *lp, const char *path)
{
    (void)lp, (void)path;
    return no_solver(ctx);
}
