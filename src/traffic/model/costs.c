// SPDX-License-Identifier: MIT
// Integrals of costs, and the parts of a problem that every engine holds: flows, pairs, answers.
#include "traffic/model/costs.h"

#include <float.h>

#include "traffic/engine.h"

// log(1 + x) - x / (1 + x) for x = w / w0, both 0 or more. The sum is used where the difference would lose digits.
static double log_rest(double w, double w0)
{
    enum { TERMS = 9 };               // the next one is below 2^-53 of the first
    const double small = 1.0 / 128, x = w / w0;
    double sum = 0;
    if (!(x < small))
        return log1p(x) - w / (w0 + w);
    for (int n = TERMS + 1; n >= 2; n--)
        sum = (double)(n - 1) / n - x * sum;
    return x * x * sum;
}

// Integrals by z, from 0, of the values in costs.h. With the value w itself as the variable, z is a ratio of polynomials in w:
// z = w (w + 2) / (2 w + e) for Akcelik's; a (1 - z) = (b^2 - u^2) / (2 u) with u = w + b - 1 for the conical one.
static double akcelik_integral(double z, double delay, double capacity, double period)
{
    const double e = 8 * delay / (capacity * period), d = e * (1 - e / 4);
    const double w = 4 / period * traffic_akcelik(z, delay, capacity, period).value;
    return period / 4 * (w * w / 4 + (e > DBL_MIN && w > 0 ? d / 2 * log_rest(w, e / 2) : 0));
}

static double conical_integral(double z, double a)
{
    const double b = (2 * a - 1) / (2 * a - 2), w = traffic_conical(z, a).value;
    return (w * w / 2 + b * b * log_rest(w, 1 / (2 * a - 2))) / (2 * a);
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

void traffic_plan_clear(mco_context *ctx, traffic_plan *plan)
{
    mco_free(ctx, &plan->row);
    mco_free(ctx, &plan->order);
    *plan = (traffic_plan){0};
}

void traffic_pairs_clear(mco_context *ctx, traffic_pairs *pairs)
{
    mco_free(ctx, &pairs->first);
    mco_free(ctx, &pairs->link);
    mco_free(ctx, &pairs->row_first);
    mco_free(ctx, &pairs->row);
    *pairs = (traffic_pairs){0};
}
