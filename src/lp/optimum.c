// SPDX-License-Identifier: MIT
// The test of an optimum, from the matrix, the bounds and the costs alone: values x within bounds, activities A x within rows, and
// duals y whose reduced costs c - y A have the sign that the place of each value asks for. With all three the objective is optimal
// by duality, within the tolerance. The solver's own arrays of activities and reduced costs are not looked at.
//
// O(entries + rows + columns), about one iteration of a simplex method.
#include <float.h>

#include "lp/program.h"

static const double TOLERANCE = 1e-6;

// Whether `value` lies between its bounds and the price (cost of one unit more) has its sign: none below zero where the value can
// grow, none above zero where it can shrink. `size` and `price_size` are what the tolerance is relative to.
static bool is_settled(double value, double least, double most, double size, double price, double price_size)
{
    const double near = TOLERANCE * (1 + size), small = TOLERANCE * (1 + price_size);
    if (!(value >= least - near && value <= most + near))
        return false;
    const bool can_grow = value < most - near, can_shrink = value > least + near;
    return !(can_grow && price < -small) && !(can_shrink && price > small) && price == price;
}

// activity[i] = sum of value x over row i, size[i] = sum of the absolute terms; both are zero before.
static void sum_rows(const mco_lp *lp, double *activity, double *size)
{
    const CoinBigIndex *start = lp_clp.Clp_getVectorStarts(lp->model);
    const int *length = lp_clp.Clp_getVectorLengths(lp->model), *row = lp_clp.Clp_getIndices(lp->model);
    const double *value = lp_clp.Clp_getElements(lp->model), *x = mco_lp_values(lp);
    for (int32_t j = 0; j < lp->columns; j++)
        for (CoinBigIndex k = start[j]; x[j] != 0 && k < start[j] + length[j]; k++) {
            activity[row[k]] += value[k] * x[j];
            size[row[k]] += fabs(value[k] * x[j]);
        }
}

static bool columns_are_settled(const mco_lp *lp)
{
    const CoinBigIndex *start = lp_clp.Clp_getVectorStarts(lp->model);
    const int *length = lp_clp.Clp_getVectorLengths(lp->model), *row = lp_clp.Clp_getIndices(lp->model);
    const double *value = lp_clp.Clp_getElements(lp->model), *x = mco_lp_values(lp), *y = mco_lp_duals(lp);
    const double *least = lp_clp.Clp_columnLower(lp->model), *most = lp_clp.Clp_columnUpper(lp->model), *cost = lp_clp.Clp_objective(lp->model);
    for (int32_t j = 0; j < lp->columns; j++) {
        double price = cost[j], size = fabs(cost[j]);
        for (CoinBigIndex k = start[j]; k < start[j] + length[j]; k++) {
            price -= y[row[k]] * value[k];
            size += fabs(y[row[k]] * value[k]);
        }
        if (!is_settled(x[j], least[j], most[j], fabs(x[j]), price, size))
            return false;
    }
    return true;
}

mco_status lp_test_optimum(mco_context *ctx, const mco_lp *lp, bool *is_optimal)
{
    mco_status st = MCO_OK;
    double *activity = NULL, *size = NULL;
    const double *y = mco_lp_duals(lp), *least = lp_clp.Clp_rowLower(lp->model), *most = lp_clp.Clp_rowUpper(lp->model);
    MCO_TRY(mco_alloc(ctx, &activity, lp->rows));
    MCO_TRY(mco_alloc(ctx, &size, lp->rows));
    if (lp->columns > 0)
        sum_rows(lp, activity, size);
    *is_optimal = lp->columns == 0 || columns_are_settled(lp);
    // The dual of a row is the price of its activity, as a reduced cost is that of a value.
    for (int32_t i = 0; i < lp->rows && *is_optimal; i++)
        *is_optimal = is_settled(activity[i], least[i], most[i], size[i], y[i], fabs(y[i]));
done:
    mco_free(ctx, &size);
    mco_free(ctx, &activity);
    return st;
}
