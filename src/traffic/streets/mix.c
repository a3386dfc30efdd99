// SPDX-License-Identifier: MIT
#include "traffic/streets/mix.h"

#include <math.h>
#include <string.h>

// Added to the diagonal of the normal equations, relative: differences of nearly one direction share their step.
static const double RIDGE = 1e-12;

mco_status traffic_mix_open(mco_context *ctx, int64_t size, traffic_mix *out)
{
    mco_status st = MCO_OK;
    *out = (traffic_mix){.size = size};
    MCO_TRY(mco_alloc(ctx, &out->last_u, size));
    MCO_TRY(mco_alloc(ctx, &out->last_r, size));
    for (int i = 0; i < MIX_DEPTH; i++) {
        MCO_TRY(mco_alloc(ctx, &out->du[i], size));
        MCO_TRY(mco_alloc(ctx, &out->dr[i], size));
    }
done:
    if (st != MCO_OK)
        traffic_mix_close(ctx, out);
    return st;
}

void traffic_mix_close(mco_context *ctx, traffic_mix *mix)
{
    mco_free(ctx, &mix->last_u);
    mco_free(ctx, &mix->last_r);
    for (int i = 0; i < MIX_DEPTH; i++) {
        mco_free(ctx, &mix->du[i]);
        mco_free(ctx, &mix->dr[i]);
    }
}

void traffic_mix_restart(traffic_mix *mix)
{
    mix->held = 0;
    mix->steps = 0;
}

static double dot(int64_t size, const double *weight, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < size; i++)
        sum += weight[i] * a[i] * b[i];
    return sum;
}

// Solves a symmetric positive definite system by elimination; false if it is singular. `a` is destroyed.
static bool solve(int n, double a[MIX_DEPTH][MIX_DEPTH], double x[MIX_DEPTH])
{
    for (int k = 0; k < n; k++) {
        if (!(a[k][k] > 0))
            return false;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++)
                a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
    return true;
}

// Coefficients of the held differences that leave the least residual r.
static bool combine(const traffic_mix *mix, const double *weight, const double *r, double gamma[MIX_DEPTH])
{
    double a[MIX_DEPTH][MIX_DEPTH];
    for (int i = 0; i < mix->held; i++) {
        for (int j = 0; j <= i; j++)
            a[i][j] = a[j][i] = dot(mix->size, weight, mix->dr[i], mix->dr[j]);
        gamma[i] = dot(mix->size, weight, mix->dr[i], r);
        a[i][i] *= 1 + RIDGE;
    }
    return solve(mix->held, a, gamma);
}

// Puts the differences to the last point first; the oldest ones leave.
static void hold(traffic_mix *mix, const double *s, const double *u)
{
    double *du = mix->du[MIX_DEPTH - 1], *dr = mix->dr[MIX_DEPTH - 1];
    memmove(mix->du + 1, mix->du, (MIX_DEPTH - 1) * sizeof *mix->du);
    memmove(mix->dr + 1, mix->dr, (MIX_DEPTH - 1) * sizeof *mix->dr);
    mix->du[0] = du;
    mix->dr[0] = dr;
    for (int64_t i = 0; i < mix->size; i++) {
        du[i] = u[i] - mix->last_u[i];
        dr[i] = (s[i] - u[i]) - mix->last_r[i];
    }
    mix->held += mix->held < MIX_DEPTH;
}

void traffic_mix_next(traffic_mix *mix, const double *weight, const double *s, double *u)
{
    double gamma[MIX_DEPTH] = {0};
    if (mix->steps++ > 0)
        hold(mix, s, u);
    for (int64_t i = 0; i < mix->size; i++) {
        mix->last_u[i] = u[i];
        mix->last_r[i] = s[i] - u[i];
    }
    if (!combine(mix, weight, mix->last_r, gamma)) {
        traffic_mix_restart(mix);
        memset(gamma, 0, sizeof gamma);
    }
    memcpy(u, s, (size_t)mix->size * sizeof *u);
    for (int k = 0; k < mix->held; k++)
        for (int64_t i = 0; i < mix->size; i++)
            u[i] -= gamma[k] * (mix->du[k][i] + mix->dr[k][i]);
}
