// SPDX-License-Identifier: MIT
// Integrals of costs, and the parts of a problem that every engine holds: flows, pairs, answers.
#include "traffic/model/costs.h"

#include "traffic/engine.h"

// The antiderivative of sqrt((z - 1)^2 + e z) from 0 to z: with y = z - 1 + e / 2 it is sqrt(y^2 + d), d = e - e^2 / 4.
static double root_part(double y, double d)
{
    const double root = sqrt(y * y + d > 0 ? y * y + d : 0);
    const double sum = y >= 0 ? y + root : d / (root - y);  // no cancellation for y < 0
    return 0.5 * (y * root + (d != 0 && sum > 0 ? d * log(sum) : 0));
}

static double akcelik_integral(double z, double delay, double capacity, double period)
{
    const double e = 8 * delay / (capacity * period), d = e - e * e / 4;
    double roots;
    if (d >= 0) {
        roots = root_part(z - 1 + e / 2, d) - root_part(-1 + e / 2, d);
    } else {  // both arguments are positive: e > 4
        const double y = z - 1 + e / 2, y0 = -1 + e / 2, r = sqrt(y * y + d > 0 ? y * y + d : 0), r0 = 1;
        roots = 0.5 * (y * r - y0 * r0 + d * log((y + r) / (y0 + r0)));
    }
    return period / 4 * (z * (z / 2 - 1) + roots);
}

// The antiderivative of sqrt(x^2 + b^2) by x.
static double conical_part(double x, double b)
{
    return 0.5 * (x * sqrt(x * x + b * b) + b * b * asinh(x / b));
}

static double conical_integral(double z, double a)
{
    const double b = (2 * a - 1) / (2 * a - 2), x0 = a, x = a * (1 - z);
    return z * (1 - a - b) + a * z * z / 2 + (conical_part(x0, b) - conical_part(x, b)) / a;
}

double traffic_integral(const traffic_costs *costs, int64_t link, double flow)
{
    const double v = flow > 0 ? flow : 0, k = costs->k[link], v2 = v * v, base = costs->base[link];
    if (costs->is_marginal)
        return v == 0 ? 0 : v * (base + traffic_parts_of(costs, link, v).value);
    switch (costs->shape) {
    case TRAFFIC_QUARTIC: return base * v + k * (v2 * v2) * v / 5;
    case TRAFFIC_POWER: return base * v + (k == 0 || v == 0 ? 0 : v * (k * pow(v, costs->p[link])) / (costs->p[link] + 1));
    case TRAFFIC_CUBIC: return v * (base + v * (costs->p[link] / 2 + k / 4 * v2));
    case TRAFFIC_CONICAL: return base * v + k * costs->capacity[link] * conical_integral(v / costs->capacity[link], costs->p[link]);
    case TRAFFIC_AKCELIK: break;
    }
    const double c = costs->capacity[link];
    return base * v + c * akcelik_integral(v / c, costs->p[link], c, costs->period);
}

// ---- Releasing

void traffic_flows_clear(mco_context *ctx, traffic_flows *flows)
{
    mco_free(ctx, &flows->first);
    mco_free(ctx, &flows->link);
    mco_free(ctx, &flows->flow);
    *flows = (traffic_flows){0};
}

void traffic_pairs_clear(mco_context *ctx, traffic_pairs *pairs)
{
    mco_free(ctx, &pairs->first);
    mco_free(ctx, &pairs->link);
    mco_free(ctx, &pairs->row_first);
    mco_free(ctx, &pairs->row);
    *pairs = (traffic_pairs){0};
}
