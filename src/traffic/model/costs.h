// SPDX-License-Identifier: MIT
// Costs of links by their flows: value, derivative and integral, the same on the host and on a GPU. Plain: kernels include it.
//
// Every link has one function of its total flow v (cars) and a constant: cost(v) = base + growth(v). Marginal costs of the
// system optimum are of the same shapes, with other coefficients, or they are derived (is_marginal).
#ifndef MCO_TRAFFIC_COSTS_H
#define MCO_TRAFFIC_COSTS_H

#include <math.h>

#include "mco/compiler.h"

typedef enum traffic_shape {
    TRAFFIC_QUARTIC,  // k v^4
    TRAFFIC_POWER,    // k v^p, p > 0 where k > 0
    TRAFFIC_CUBIC,    // p v + k v^3
    TRAFFIC_CONICAL,  // k (1 + sqrt(a^2 (1 - z)^2 + b^2) - a (1 - z) - b), z = v/c, b = (2a - 1) / (2a - 2); k: free time, p: a
    TRAFFIC_AKCELIK   // T/4 (z - 1 + sqrt((z - 1)^2 + 8 p z / (c T))), z = v/c; p: delay parameter, T: period
} traffic_shape;

typedef struct traffic_costs {
    traffic_shape shape;     // of all links
    bool is_marginal;        // CONICAL, AKCELIK: the cost is t + v t'
    double period;           // of AKCELIK
    const double *base;      // [links]
    const double *k, *p;     // [links] by shape; p is NULL for QUARTIC
    const double *capacity;  // [links] of CONICAL, AKCELIK; else NULL
} traffic_costs;

// Parts of CONICAL and AKCELIK without k: value, first and second derivative by z = flow / capacity.
typedef struct traffic_parts {
    double value, slope, bend;
} traffic_parts;

// Both are a hyperbola; each difference of nearly equal numbers is written as a product, so small flows keep all digits.

// root - x with root^2 = x^2 + square.
static inline MCO_HD double traffic_rest(double root, double x, double square)
{
    return x > 0 ? square / (root + x) : root - x;
}

static inline MCO_HD traffic_parts traffic_conical(double z, double a)
{
    const double b = (2 * a - 1) / (2 * a - 2), b2 = b * b, x = a * (1 - z), root = sqrt(x * x + b2);
    const double rest0 = 1 / (2 * a - 2), rest = traffic_rest(root, x, b2);  // rest0 is that of z = 0
    return (traffic_parts){a * z * (rest + rest0) / (root + a + rest0), a * rest / root, a * a * b2 / (root * root * root)};
}

static inline MCO_HD traffic_parts traffic_akcelik(double z, double delay, double capacity, double period)
{
    const double e = 8 * delay / (capacity * period), y = z - 1, root = sqrt(y * y + e * z);
    const double half = y + e / 2, d = e * (1 - e / 4);  // root^2 = half^2 + d
    const double slope = root > 0 ? traffic_rest(root, -half, d) / root : 2;
    return (traffic_parts){period / 4 * traffic_rest(root, -y, e * z), period / 4 * slope, root > 0 ? period / 4 * d / (root * root * root) : 0};
}

static inline MCO_HD traffic_parts traffic_parts_of(const traffic_costs *costs, int64_t link, double flow)
{
    const double c = costs->capacity[link], k = costs->k[link];
    traffic_parts t;
    if (costs->shape == TRAFFIC_AKCELIK) {
        t = traffic_akcelik(flow / c, costs->p[link], c, costs->period);
    } else {
        t = traffic_conical(flow / c, costs->p[link]);
        t.value *= k;
        t.slope *= k;
        t.bend *= k;
    }
    t.slope /= c;
    t.bend /= c * c;
    return t;
}

// Flows below 0 count as 0.
static inline MCO_HD double traffic_cost(const traffic_costs *costs, int64_t link, double flow)
{
    const double v = flow > 0 ? flow : 0, base = costs->base[link];
    switch (costs->shape) {
    case TRAFFIC_QUARTIC: return base + costs->k[link] * ((v * v) * (v * v));
    case TRAFFIC_POWER: return costs->k[link] == 0 ? base : base + costs->k[link] * pow(v, costs->p[link]);
    case TRAFFIC_CUBIC: return base + v * (costs->p[link] + costs->k[link] * (v * v));
    default: break;
    }
    const traffic_parts t = traffic_parts_of(costs, link, v);
    return base + t.value + (costs->is_marginal ? v * t.slope : 0);
}

// The derivative of the cost by the flow; infinite for a power below 1 at flow 0.
static inline MCO_HD double traffic_slope(const traffic_costs *costs, int64_t link, double flow)
{
    const double v = flow > 0 ? flow : 0;
    switch (costs->shape) {
    case TRAFFIC_QUARTIC: return 4 * costs->k[link] * (v * v * v);
    case TRAFFIC_POWER: return costs->k[link] == 0 ? 0 : costs->k[link] * costs->p[link] * pow(v, costs->p[link] - 1);
    case TRAFFIC_CUBIC: return costs->p[link] + 3 * costs->k[link] * (v * v);
    default: break;
    }
    const traffic_parts t = traffic_parts_of(costs, link, v);
    return costs->is_marginal ? 2 * t.slope + v * t.bend : t.slope;
}

// The integral of the cost from 0 to the flow. That of a marginal cost is flow * cost.
double traffic_integral(const traffic_costs *costs, int64_t link, double flow);

#endif
