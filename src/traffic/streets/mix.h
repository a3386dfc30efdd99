// SPDX-License-Identifier: MIT
// Anderson's mixing (1965) of a fixed-point iteration u <- S(u): the next point is the affine combination of the last ones whose residuals
// S(u) - u combine to the least, in a weighted norm, moved by that residual. Plain iteration where it does not help is the caller's.
#ifndef MCO_TRAFFIC_STREETS_MIX_H
#define MCO_TRAFFIC_STREETS_MIX_H

#include "base/context.h"

enum { MIX_DEPTH = 5 };

typedef struct traffic_mix {
    int64_t size;
    int held;                        // differences that are held, at most MIX_DEPTH
    int64_t steps;                   // pairs seen since the last restart
    double *last_u, *last_r;         // [size] the last point and its residual
    double *du[MIX_DEPTH], *dr[MIX_DEPTH];  // [size] differences of consecutive points and of their residuals
} traffic_mix;

// Errors: MEMORY.
mco_status traffic_mix_open(mco_context *ctx, int64_t size, traffic_mix *out);
void traffic_mix_close(mco_context *ctx, traffic_mix *mix);
// Forgets all points.
void traffic_mix_restart(traffic_mix *mix);
// Takes a point u and s = S(u), and writes the next point to u. Its entries may be below 0. weight [size], 0 or more. O(size * MIX_DEPTH).
void traffic_mix_next(traffic_mix *mix, const double *weight, const double *s, double *u);

#endif
