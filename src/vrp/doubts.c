// SPDX-License-Identifier: MIT
#include "vrp/doubts.h"

enum { LOOKED_AT = 200 };  // nodes among which distances are compared

static double real_distance(const mco_vrp *p, int32_t i, int32_t j)
{
    const double dx = p->x[i] - p->x[j], dy = p->y[i] - p->y[j];
    return sqrt(dx * dx + dy * dy);
}

// Rounding to integers serves distances of tens and more. It spoils degrees: those of a town are 0 then.
static void doubt_rounding(mco_context *ctx, const mco_vrp *p)
{
    static const double NOTICEABLE = 0.05;  // of all distances; those of public instances change by less than 0.02
    const int32_t step = p->nodes <= LOOKED_AT ? 1 : p->nodes / LOOKED_AT;
    double sum = 0, change = 0;
    int64_t pairs = 0, zeros = 0;
    for (int32_t i = 0; i < p->nodes; i += step)
        for (int32_t j = 0; j < i; j += step) {
            const double real = real_distance(p, i, j);
            const int32_t rounded = vrp_distance(p, i, j);
            if (real == 0)
                continue;
            sum += real;
            change += fabs(real - rounded);
            pairs++;
            zeros += rounded == 0;
        }
    const bool is_zero = 2 * zeros > pairs;
    if (is_zero || change > NOTICEABLE * sum)
        mco_log(ctx, MCO_LOG_WARNING,
                "rounding to integers changes the distances by %.0f %%%s; --distance real keeps decimals, --distance geo "
                "takes x and y as longitude and latitude in degrees", 100 * change / sum,
                is_zero ? " and makes most of them 0" : "");
}

// DDD.MM: minutes are below 60.
static void doubt_minutes(mco_context *ctx, const mco_vrp *p)
{
    static const double MINUTES = 0.6, NEAR = 1e-9;
    for (int32_t i = 0; i < p->nodes; i++) {
        const double at[] = {p->x[i], p->y[i]};
        for (int axis = 0; axis < 2; axis++)
            if (fabs(at[axis] - trunc(at[axis])) >= MINUTES - NEAR) {
                mco_log(ctx, MCO_LOG_WARNING,
                        "GEO coordinates are degrees and minutes, DDD.MM: %.15g of %s %d has %.4g minutes, less than 60 were "
                        "expected; --distance geo takes decimal degrees", at[axis], i == 0 ? "node" : "customer", i,
                        100 * fabs(at[axis] - trunc(at[axis])));
                return;
            }
    }
}

void vrp_doubt_distances(mco_context *ctx, const mco_vrp *problem)
{
    const mco_vrp *p = problem;
    if ((p->rule == VRP_EUC_2D || p->rule == VRP_CEIL_2D) && p->distances == MCO_VRP_DISTANCES_ROUNDED)
        doubt_rounding(ctx, p);
    if (p->rule == VRP_GEO && p->distances != MCO_VRP_DISTANCES_GEO)
        doubt_minutes(ctx, p);
}
