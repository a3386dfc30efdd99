// SPDX-License-Identifier: MIT
// Directions of the Frank-Wolfe family (Mitradjieva, Lindberg 2013), and the zero of a polynomial along a line. Functions of plain numbers:
// cores and kernels share them, so both take the same steps from the same sums.
//
// x is the present point, y the all-or-nothing point, `last` and `before` are the points that the last two steps aimed at, and
// H is the diagonal matrix of the slopes of the costs at x. A step aims at a convex combination of y, last and before. It is
// conjugate by H to the last direction (cfw), or to the last two (bfw).
#ifndef MCO_TRAFFIC_FRANK_WOLFE_DIRECTION_H
#define MCO_TRAFFIC_FRANK_WOLFE_DIRECTION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/compiler.h"

// Sums over all links. With the last step s: near = last - x, far = s * last + (1 - s) * before - x.
typedef struct traffic_conjugacy {
    double near_y;     // near * H * (y - x)
    double near_near;  // near * H * near
    double far_y;      // far * H * (y - x)
    double far_far;    // far * H * (before - last)
} traffic_conjugacy;

// Shares of the three points, which sum to 1.
typedef struct traffic_shares {
    double y, last, before;
} traffic_shares;

// A positive finite number, else 0.
static inline MCO_HD double traffic_positive(double x)
{
    return x > 0 && x < INFINITY ? x : 0;
}

// The point that a step aims at. `memory` is how many earlier directions count: 0 for fw, 1 for cfw, 2 for bfw, and less after a restart.
static inline MCO_HD traffic_shares traffic_direction(int32_t memory, double last_step, const traffic_conjugacy *sums)
{
    double mu = 0, nu = 0;
    if (memory >= 2)
        mu = traffic_positive(-sums->far_y / sums->far_far);
    if (memory >= 1)
        nu = traffic_positive(-sums->near_y / sums->near_near + mu * last_step / (1 - last_step));
    const double share = 1 / (1 + mu + nu);
    return (traffic_shares){share, nu * share, mu * share};
}

// How many earlier directions the next step may use, after a step that used `memory`; `most` is 0, 1 or 2 by the method. A step of nearly 1
// forgets what was before it: x is nearly at `last`, and `near` has no direction left.
static inline MCO_HD int32_t traffic_memory_after(int32_t memory, double step, int32_t most)
{
    const double nearly_one = 0.99;
    if (step >= nearly_one)
        return 0;
    return memory < most ? memory + 1 : most;
}

enum { TRAFFIC_MOST_COEFFICIENTS = 12 };

// p[0] + p[1] s + .. + p[count - 1] s^(count - 1); *slope is its derivative.
static inline MCO_HD double traffic_polynomial(const double *p, int32_t count, double s, double *slope)
{
    double value = 0, first = 0;
    for (int32_t k = count - 1; k >= 0; k--) {
        first = first * s + value;
        value = value * s + p[k];
    }
    *slope = first;
    return value;
}

// The zero in [0, 1] of a polynomial that does not fall there; 0 or 1 if it has none inside. Newton's steps, halving where they leave the bracket;
// each round halves it or converges quadratically, and there are at most 100.
static inline MCO_HD double traffic_polynomial_zero(const double *p, int32_t count)
{
    enum { ROUNDS = 100 };
    double low = 0, high = 1, slope;
    if (p[0] >= 0)
        return 0;
    if (traffic_polynomial(p, count, 1, &slope) <= 0)
        return 1;
    double s = count > 1 && p[1] > 0 && -p[0] < p[1] ? -p[0] / p[1] : 0.5;
    for (int32_t k = 0; k < ROUNDS; k++) {
        const double value = traffic_polynomial(p, count, s, &slope);
        if (value > 0)
            high = s;
        else
            low = s;
        double next = slope > 0 ? s - value / slope : low + (high - low) / 2;
        if (!(next > low && next < high))
            next = low + (high - low) / 2;
        if (fabs(next - s) <= 1e-16 + 1e-15 * s || next == low || next == high)
            return next;
        s = next;
    }
    return s;
}

#endif
