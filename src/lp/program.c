// SPDX-License-Identifier: MIT
// Programs that change, held by Clp (Forrest and others), which is loaded with the first of them. Clp keeps the matrix, the bounds and the
// basis across changes; bounds and costs are changed in its own arrays. What callers give is tested before Clp sees it, for Clp throws
// C++ exceptions at it. Scaling is off: matrices of routes and paths hold small integers, and scaled optima are only optimal within
// 10^-7 of the scale (NOTES.md).
#include "lp/program.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/grow.h"

lp_solver lp_clp;
static const char *const names[] = {LP_SYMBOLS(MCO_SYMBOL_NAME)};
static mco_library library = {.file = MCO_CLP_FILE, .folder = MCO_CLP_FOLDER, .purpose = "Clp, which solves linear programs (Debian: coinor-libclp1)",
                              .count = sizeof names / sizeof *names, .names = names, .symbols = &lp_clp};

// Clp's infinity is DBL_MAX.
static double to_clp(double bound)
{
    return bound == INFINITY ? DBL_MAX : bound == -INFINITY ? -DBL_MAX : bound;
}

static double from_clp(double bound)
{
    return bound >= DBL_MAX ? INFINITY : bound <= -DBL_MAX ? -INFINITY : bound;
}

bool mco_lp_is_there(void)
{
    return mco_library_open(NULL, &library, "linear programs") == MCO_OK;
}

mco_status mco_lp_open(mco_context *ctx, mco_lp **out)
{
    enum { ALWAYS_PERTURB = 50 };  // in Clp's words; degenerate masters need up to a quarter fewer iterations (NOTES.md)
    static const CoinBigIndex no_start = 0;
    mco_status st = MCO_OK;
    mco_lp *lp = NULL;
    MCO_TRY(mco_library_open(ctx, &library, "linear programs"));
    MCO_TRY(mco_alloc(ctx, &lp, 1));
    lp->model = lp_clp.Clp_newModel();
    lp_clp.Clp_setLogLevel(lp->model, 0);
    lp_clp.Clp_scaling(lp->model, 0);
    lp_clp.Clp_setPerturbation(lp->model, ALWAYS_PERTURB);
    lp_clp.Clp_loadProblem(lp->model, 0, 0, &no_start, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    *out = lp;
done:
    return st;
}

void mco_lp_close(mco_context *ctx, mco_lp **lp)
{
    if (lp == NULL || *lp == NULL)
        return;
    lp_clp.Clp_deleteModel((*lp)->model);
    mco_free(ctx, &(*lp)->mark);
    mco_free(ctx, lp);
}

int32_t mco_lp_rows(const mco_lp *lp)
{
    return lp->rows;
}

int32_t mco_lp_columns(const mco_lp *lp)
{
    return lp->columns;
}

int64_t mco_lp_iterations(const mco_lp *lp)
{
    return lp->iterations;
}

// ---- Tests of what callers give

static mco_status test_bounds(mco_context *ctx, const char *what, int32_t count, const double *least, const double *most)
{
    for (int32_t k = 0; k < count; k++)
        if (isnan(least[k]) || isnan(most[k]) || least[k] == INFINITY || most[k] == -INFINITY)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s %d of %d lies between %g and %g", what, k, count, least[k], most[k]);
    return MCO_OK;
}

static mco_status test_costs(mco_context *ctx, int32_t count, const double *cost)
{
    for (int32_t k = 0; k < count; k++)
        if (!isfinite(cost[k]))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "cost %d of %d is %g", k, count, cost[k]);
    return MCO_OK;
}

// Every index lies in 0..range and occurs once.
static mco_status test_indices(mco_context *ctx, mco_lp *lp, const char *what, int64_t count, const int32_t *index, int32_t range)
{
    const mco_status st = mco_grow(ctx, &lp->mark, &lp->mark_room, range);
    if (st != MCO_OK)
        return st;
    lp->calls++;
    for (int64_t k = 0; k < count; k++) {
        if (index[k] < 0 || index[k] >= range)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s %d, there are %d", what, index[k], range);
        if (lp->mark[index[k]] == lp->calls)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s %d occurs twice", what, index[k]);
        lp->mark[index[k]] = lp->calls;
    }
    return MCO_OK;
}

// The entries of new rows or columns: `what` they refer to has `range` members. *start is Clp's copy of `first`, [count + 1].
static mco_status take_entries(mco_context *ctx, mco_lp *lp, const char *what, int32_t count, int32_t range, const int64_t *first,
                               const int32_t *index, const double *value, CoinBigIndex **start)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, start, (int64_t)count + 1));
    if (first == NULL)
        return MCO_OK;
    if (lp->entries + first[count] - first[0] > INT_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " entries, at most %d supported", lp->entries + first[count] - first[0], INT_MAX);
    for (int32_t k = 0; k < count; k++) {
        if (first[k] < 0 || first[k] > first[k + 1])
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "entries %" PRId64 "..%" PRId64, first[k], first[k + 1]);
        MCO_TRY(test_indices(ctx, lp, what, first[k + 1] - first[k], index + first[k], range));
        (*start)[k + 1] = (CoinBigIndex)(first[k + 1] - first[0]);
    }
    for (int64_t k = first[0]; k < first[count]; k++)
        if (!isfinite(value[k]))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the value at %s %d is %g", what, index[k], value[k]);
done:
    return st;
}

// ---- Changes

// Copies of both bounds, with Clp's infinities.
static mco_status copy_bounds(mco_context *ctx, int32_t count, const double *least, const double *most, double **lower, double **upper)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, lower, count));
    MCO_TRY(mco_alloc(ctx, upper, count));
    for (int32_t k = 0; k < count; k++) {
        (*lower)[k] = to_clp(least[k]);
        (*upper)[k] = to_clp(most[k]);
    }
done:
    return st;
}

static mco_status test_room(mco_context *ctx, const char *what, int32_t present, int32_t count)
{
    if (count < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d %ss", count, what);
    if (count > INT_MAX / 2 - present)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " %ss, at most %d supported", (int64_t)present + count, what, INT_MAX / 2);
    return MCO_OK;
}

mco_status mco_lp_add_rows(mco_context *ctx, mco_lp *lp, int32_t count, const double *least, const double *most, const int64_t *first,
                           const int32_t *column, const double *value)
{
    mco_status st = MCO_OK;
    double *lower = NULL, *upper = NULL;
    CoinBigIndex *start = NULL;
    MCO_TRY(test_room(ctx, "row", lp->rows, count));
    MCO_TRY(test_bounds(ctx, "row", count, least, most));
    MCO_TRY(take_entries(ctx, lp, "column", count, lp->columns, first, column, value, &start));
    MCO_TRY(copy_bounds(ctx, count, least, most, &lower, &upper));
    if (count > 0) {
        const int64_t begin = first != NULL ? first[0] : 0;
        lp_clp.Clp_addRows(lp->model, count, lower, upper, start, first != NULL ? column + begin : &lp->rows, first != NULL ? value + begin : lower);
        lp->rows += count;
        lp->entries += start[count];
        lp_change(lp, false);
    }
done:
    mco_free(ctx, &upper);
    mco_free(ctx, &lower);
    mco_free(ctx, &start);
    return st;
}

mco_status mco_lp_add_columns(mco_context *ctx, mco_lp *lp, int32_t count, const double *cost, const double *least, const double *most,
                              const int64_t *first, const int32_t *row, const double *value)
{
    mco_status st = MCO_OK;
    double *lower = NULL, *upper = NULL;
    CoinBigIndex *start = NULL;
    MCO_TRY(test_room(ctx, "column", lp->columns, count));
    MCO_TRY(test_bounds(ctx, "column", count, least, most));
    MCO_TRY(test_costs(ctx, count, cost));
    MCO_TRY(take_entries(ctx, lp, "row", count, lp->rows, first, row, value, &start));
    MCO_TRY(copy_bounds(ctx, count, least, most, &lower, &upper));
    if (count > 0) {
        const int64_t begin = first != NULL ? first[0] : 0;
        lp_clp.Clp_addColumns(lp->model, count, lower, upper, cost, start, first != NULL ? row + begin : &lp->columns, first != NULL ? value + begin : lower);
        lp->columns += count;
        lp->entries += start[count];
        lp_change(lp, true);
    }
done:
    mco_free(ctx, &upper);
    mco_free(ctx, &lower);
    mco_free(ctx, &start);
    return st;
}

mco_status mco_lp_delete_rows(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index)
{
    const mco_status st = test_indices(ctx, lp, "row", count, index, lp->rows);
    if (st != MCO_OK || count <= 0)
        return st;
    lp_clp.Clp_deleteRows(lp->model, count, index);
    lp->rows -= count;
    lp->entries = lp_clp.Clp_getNumElements(lp->model);
    lp_change(lp, true);  // the duals of the rows that are gone are missing in reduced costs
    return MCO_OK;
}

mco_status mco_lp_delete_columns(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index)
{
    const mco_status st = test_indices(ctx, lp, "column", count, index, lp->columns);
    if (st != MCO_OK || count <= 0)
        return st;
    lp_clp.Clp_deleteColumns(lp->model, count, index);
    lp->columns -= count;
    lp->entries = lp_clp.Clp_getNumElements(lp->model);
    lp_change(lp, false);
    return MCO_OK;
}

// Tests which members are to change; NULL: the first `count`.
static mco_status test_members(mco_context *ctx, mco_lp *lp, const char *what, int32_t count, const int32_t *index, int32_t range)
{
    if (index != NULL)
        return test_indices(ctx, lp, what, count, index, range);
    if (count < 0 || count > range)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d %ss, there are %d", count, what, range);
    return MCO_OK;
}

static void set_bounds(int32_t count, const int32_t *index, const double *least, const double *most, double *lower, double *upper)
{
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = index != NULL ? index[k] : k;
        lower[at] = to_clp(least[k]);
        upper[at] = to_clp(most[k]);
    }
}

mco_status mco_lp_set_row_bounds(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *least, const double *most)
{
    mco_status st = MCO_OK;
    MCO_TRY(test_members(ctx, lp, "row", count, index, lp->rows));
    MCO_TRY(test_bounds(ctx, "row", count, least, most));
    set_bounds(count, index, least, most, lp_clp.Clp_rowLower(lp->model), lp_clp.Clp_rowUpper(lp->model));
    lp_change(lp, false);
done:
    return st;
}

mco_status mco_lp_set_column_bounds(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *least, const double *most)
{
    mco_status st = MCO_OK;
    MCO_TRY(test_members(ctx, lp, "column", count, index, lp->columns));
    MCO_TRY(test_bounds(ctx, "column", count, least, most));
    set_bounds(count, index, least, most, lp_clp.Clp_columnLower(lp->model), lp_clp.Clp_columnUpper(lp->model));
    lp_change(lp, false);
done:
    return st;
}

mco_status mco_lp_set_costs(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *cost)
{
    mco_status st = MCO_OK;
    MCO_TRY(test_members(ctx, lp, "column", count, index, lp->columns));
    MCO_TRY(test_costs(ctx, count, cost));
    double *const costs = lp_clp.Clp_objective(lp->model);
    for (int32_t k = 0; k < count; k++)
        costs[index != NULL ? index[k] : k] = cost[k];
    lp_change(lp, true);
done:
    return st;
}

// ---- The optimum

double mco_lp_objective(const mco_lp *lp)
{
    assert(lp->is_optimal);
    return lp_clp.Clp_objectiveValue(lp->model);
}

const double *mco_lp_values(const mco_lp *lp)
{
    return lp_clp.Clp_primalColumnSolution(lp->model);
}

const double *mco_lp_activities(const mco_lp *lp)
{
    return lp_clp.Clp_primalRowSolution(lp->model);
}

const double *mco_lp_duals(const mco_lp *lp)
{
    return lp_clp.Clp_dualRowSolution(lp->model);
}

const double *mco_lp_reduced_costs(const mco_lp *lp)
{
    return lp_clp.Clp_dualColumnSolution(lp->model);
}

bool mco_lp_column_is_basic(const mco_lp *lp, int32_t column)
{
    return (lp_clp.Clp_statusArray(lp->model)[column] & LP_PLACE) == LP_BASIC;
}

bool mco_lp_row_is_basic(const mco_lp *lp, int32_t row)
{
    return (lp_clp.Clp_statusArray(lp->model)[lp->columns + row] & LP_PLACE) == LP_BASIC;
}

// ---- A basis, and a copy, at rest

mco_status mco_lp_save_basis(mco_context *ctx, const mco_lp *lp, mco_lp_basis *out)
{
    const size_t size = (size_t)lp->columns + (size_t)lp->rows;
    uint8_t *place = NULL;
    const mco_status st = mco_alloc(ctx, &place, size);
    if (st != MCO_OK)
        return st;
    if (size > 0)
        memcpy(place, lp_clp.Clp_statusArray(lp->model), size);
    mco_lp_basis_clear(ctx, out);
    *out = (mco_lp_basis){lp->columns, lp->rows, place};
    return MCO_OK;
}

mco_status mco_lp_load_basis(mco_context *ctx, mco_lp *lp, const mco_lp_basis *basis)
{
    if (basis->columns > lp->columns || basis->rows > lp->rows)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a basis of %d columns and %d rows, the program has %d and %d", basis->columns, basis->rows,
                        lp->columns, lp->rows);
    if (lp->columns + lp->rows == 0)
        return MCO_OK;
    unsigned char *const place = lp_clp.Clp_statusArray(lp->model);
    const double *least = lp_clp.Clp_columnLower(lp->model), *most = lp_clp.Clp_columnUpper(lp->model);
    for (int32_t j = 0; j < lp->columns; j++)
        place[j] = j < basis->columns ? basis->place[j]
                                      : least[j] > -DBL_MAX ? LP_AT_LEAST : most[j] < DBL_MAX ? LP_AT_MOST : LP_FREE;
    for (int32_t i = 0; i < lp->rows; i++)
        place[lp->columns + i] = i < basis->rows ? basis->place[basis->columns + i] : LP_BASIC;
    lp->is_optimal = false;
    return MCO_OK;
}

void mco_lp_basis_clear(mco_context *ctx, mco_lp_basis *basis)
{
    mco_free(ctx, &basis->place);
    *basis = (mco_lp_basis){0};
}

// The columns of Clp may have gaps between them.
static mco_status copy_matrix(mco_context *ctx, const mco_lp *lp, mco_lp_model *out)
{
    mco_status st = MCO_OK;
    const CoinBigIndex *start = lp->columns > 0 ? lp_clp.Clp_getVectorStarts(lp->model) : NULL;
    const int *length = lp->columns > 0 ? lp_clp.Clp_getVectorLengths(lp->model) : NULL, *row = NULL;
    const double *value = NULL;
    for (int32_t j = 0; j < lp->columns; j++)
        out->first[j + 1] = out->first[j] + length[j];
    MCO_TRY(mco_alloc(ctx, &out->row, out->first[lp->columns]));
    MCO_TRY(mco_alloc(ctx, &out->value, out->first[lp->columns]));
    if (out->first[lp->columns] > 0) {
        row = lp_clp.Clp_getIndices(lp->model);
        value = lp_clp.Clp_getElements(lp->model);
    }
    for (int32_t j = 0; j < lp->columns; j++)
        for (int32_t k = 0; k < length[j]; k++) {
            out->row[out->first[j] + k] = row[start[j] + k];
            out->value[out->first[j] + k] = value[start[j] + k];
        }
done:
    return st;
}

mco_status mco_lp_copy_model(mco_context *ctx, const mco_lp *lp, mco_lp_model *out)
{
    mco_status st = MCO_OK;
    mco_lp_model m = {.columns = lp->columns, .rows = lp->rows};
    MCO_TRY(mco_alloc(ctx, &m.cost, m.columns));
    MCO_TRY(mco_alloc(ctx, &m.column_least, m.columns));
    MCO_TRY(mco_alloc(ctx, &m.column_most, m.columns));
    MCO_TRY(mco_alloc(ctx, &m.row_least, m.rows));
    MCO_TRY(mco_alloc(ctx, &m.row_most, m.rows));
    MCO_TRY(mco_alloc(ctx, &m.first, (int64_t)m.columns + 1));
    for (int32_t j = 0; j < m.columns; j++) {
        m.cost[j] = lp_clp.Clp_objective(lp->model)[j];
        m.column_least[j] = from_clp(lp_clp.Clp_columnLower(lp->model)[j]);
        m.column_most[j] = from_clp(lp_clp.Clp_columnUpper(lp->model)[j]);
    }
    for (int32_t i = 0; i < m.rows; i++) {
        m.row_least[i] = from_clp(lp_clp.Clp_rowLower(lp->model)[i]);
        m.row_most[i] = from_clp(lp_clp.Clp_rowUpper(lp->model)[i]);
    }
    MCO_TRY(copy_matrix(ctx, lp, &m));
    *out = m;
done:
    if (st != MCO_OK)
        mco_lp_model_clear(ctx, &m);
    return st;
}

mco_status mco_lp_copy(mco_context *ctx, const mco_lp *lp, mco_lp **out)
{
    mco_status st = MCO_OK;
    mco_lp_model m = {0};
    mco_lp_basis basis = {0};
    mco_lp *copy = NULL;
    MCO_TRY(mco_lp_copy_model(ctx, lp, &m));
    MCO_TRY(mco_lp_save_basis(ctx, lp, &basis));
    MCO_TRY(mco_lp_open(ctx, &copy));
    MCO_TRY(mco_lp_add_rows(ctx, copy, m.rows, m.row_least, m.row_most, NULL, NULL, NULL));
    MCO_TRY(mco_lp_add_columns(ctx, copy, m.columns, m.cost, m.column_least, m.column_most, m.first, m.row, m.value));
    MCO_TRY(mco_lp_load_basis(ctx, copy, &basis));
    copy->is_long = lp->is_long;
    *out = copy;
    copy = NULL;
done:
    mco_lp_close(ctx, &copy);
    mco_lp_basis_clear(ctx, &basis);
    mco_lp_model_clear(ctx, &m);
    return st;
}

mco_status mco_lp_write(mco_context *ctx, const mco_lp *lp, const char *path)
{
    mco_lp_model model = {0};
    mco_status st = mco_lp_copy_model(ctx, lp, &model);
    if (st == MCO_OK)
        st = mco_lp_model_write(ctx, &model, mco_lp_is_mps(path), path);
    mco_lp_model_clear(ctx, &model);
    return st;
}
