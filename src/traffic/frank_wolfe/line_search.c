// SPDX-License-Identifier: MIT
// Line searches. The potential along a line is convex. Where costs are polynomials, its derivative is one in the step, and one
// pass over the links finds its coefficients; then every search is free. Other costs take a pass for every step that is looked at.
//
// Golden section, Fibonacci and dichotomy compare values (Jradi 2016, chapter 8). Dichotomy halves by five points; the best of the
// three inner ones says which half stays, and the half around the middle one is among them.
#include "traffic/frank_wolfe/line_search.h"

enum {
    MOST_POWER = TRAFFIC_MOST_COEFFICIENTS - 2,
    PARTS = 8  // partial sums, so that a vector unit may add them; their order is fixed
};

// ---- The polynomial

// The greatest power, or -1 if one of them is no integer of 0 .. MOST_POWER.
static int32_t greatest_power(const traffic_problem *problem)
{
    const traffic_costs *c = &problem->costs;
    int32_t most = 0;
    for (int64_t a = 0; a < problem->links; a++) {
        const double p = c->k[a] == 0 ? 0 : c->p[a];
        if (!(p >= 0 && p <= MOST_POWER) || p != floor(p))
            return -1;
        most = (int32_t)p > most ? (int32_t)p : most;
    }
    return most;
}

static void sum_parts(double part[][PARTS], int32_t count, double *out)
{
    for (int32_t j = 0; j < count; j++) {
        out[j] = 0;
        for (int32_t i = 0; i < PARTS; i++)
            out[j] += part[j][i];
    }
}

static void add_quartic(const traffic_line *line, double part[][PARTS])
{
    const traffic_costs *c = &line->problem->costs;
    for (int64_t a = 0; a < line->problem->links; a++) {
        const double v = line->flow[a], d = line->direction[a], kd = c->k[a] * d, vv = v * v, dd = d * d;
        const int32_t i = (int32_t)(a % PARTS);
        part[0][i] += d * c->base[a] + kd * (vv * vv);
        part[1][i] += 4 * kd * d * (vv * v);
        part[2][i] += 6 * kd * dd * vv;
        part[3][i] += 4 * kd * dd * d * v;
        part[4][i] += kd * (dd * dd);
    }
}

static void add_cubic(const traffic_line *line, double part[][PARTS])
{
    const traffic_costs *c = &line->problem->costs;
    for (int64_t a = 0; a < line->problem->links; a++) {
        const double v = line->flow[a], d = line->direction[a], k = c->k[a], p = c->p[a], dd = d * d;
        const int32_t i = (int32_t)(a % PARTS);
        part[0][i] += d * (c->base[a] + v * (p + k * (v * v)));
        part[1][i] += dd * (p + 3 * k * (v * v));
        part[2][i] += 3 * k * v * dd * d;
        part[3][i] += k * (dd * dd);
    }
}

// d * (base + k (v + s d)^p) by the binomial theorem.
static void add_powers(const traffic_line *line, double part[][PARTS])
{
    const traffic_costs *c = &line->problem->costs;
    for (int64_t a = 0; a < line->problem->links; a++) {
        const double v = line->flow[a], d = line->direction[a], k = c->k[a];
        const int32_t i = (int32_t)(a % PARTS), p = k == 0 ? 0 : (int32_t)c->p[a];
        double power[MOST_POWER + 1], term = k * d;  // powers of v; k * binomial * d^(j + 1)
        power[0] = 1;
        for (int32_t j = 1; j <= p; j++)
            power[j] = power[j - 1] * v;
        part[0][i] += d * c->base[a];
        for (int32_t j = 0; j <= p; j++) {
            part[j][i] += term * power[p - j];
            term *= d * (p - j) / (j + 1);
        }
    }
}

traffic_line traffic_line_make(const traffic_problem *problem, const double *flow, const double *direction, double extra)
{
    traffic_line line = {.problem = problem, .flow = flow, .direction = direction, .extra = extra};
    double part[TRAFFIC_MOST_COEFFICIENTS][PARTS] = {{0}};
    if (problem->costs.shape == TRAFFIC_QUARTIC) {
        line.count = 5;
        add_quartic(&line, part);
    } else if (problem->costs.shape == TRAFFIC_CUBIC) {
        line.count = 4;
        add_cubic(&line, part);
    } else if (problem->costs.shape == TRAFFIC_POWER) {
        line.count = greatest_power(problem) + 1;
        if (line.count > 0)
            add_powers(&line, part);
    }
    sum_parts(part, line.count, line.coefficient);
    line.coefficient[0] += line.count > 0 ? extra : 0;
    return line;
}

double traffic_line_slope(const traffic_line *line, double step)
{
    double sum = line->extra, slope, part[1][PARTS] = {{0}};
    if (line->count > 0)
        return traffic_polynomial(line->coefficient, line->count, step, &slope);
    for (int64_t a = 0; a < line->problem->links; a++) {
        const double d = line->direction[a];
        if (d != 0)
            part[0][a % PARTS] += d * traffic_cost(&line->problem->costs, a, line->flow[a] + step * d);
    }
    for (int32_t i = 0; i < PARTS; i++)
        sum += part[0][i];
    return sum;
}

double traffic_line_value(const traffic_line *line, double step)
{
    double sum = 0, part[1][PARTS] = {{0}};
    if (line->count > 0) {
        for (int32_t k = line->count - 1; k >= 0; k--)
            sum = (sum + line->coefficient[k] / (k + 1)) * step;
        return sum;
    }
    for (int64_t a = 0; a < line->problem->links; a++) {
        const double d = line->direction[a], v = line->flow[a];
        if (d != 0)
            part[0][a % PARTS] += traffic_integral(&line->problem->costs, a, v + step * d) - traffic_integral(&line->problem->costs, a, v);
    }
    for (int32_t i = 0; i < PARTS; i++)
        sum += part[0][i];
    return sum + step * line->extra;
}

// ---- Searches

// The zero of the derivative, which does not fall: false position with the weight of an end that stays halved (Illinois), which
// a halving replaces where it makes less than half the way in three rounds.
static double search_zero(const traffic_line *line)
{
    enum { ROUNDS = 200 };
    if (line->count > 0)
        return traffic_polynomial_zero(line->coefficient, line->count);
    double low = 0, high = 1, at_low = traffic_line_slope(line, 0), at_high = traffic_line_slope(line, 1), width = 1;
    const double first = at_low;
    int32_t side = 0;
    if (!(at_low < 0))
        return 0;
    if (at_high <= 0)
        return 1;
    for (int32_t k = 0; k < ROUNDS && high - low > 1e-15; k++) {
        double s = low + (high - low) * at_low / (at_low - at_high);
        if (k % 3 == 2 && high - low > width / 2)
            s = low + (high - low) / 2;
        if (k % 3 == 2)
            width = high - low;
        if (!(s > low && s < high))
            return s <= low ? low : high;
        const double value = traffic_line_slope(line, s);
        if (fabs(value) <= -1e-14 * first)
            return s;
        if (value < 0) {
            at_high *= side == -1 ? 0.5 : 1;
            low = s, at_low = value, side = -1;
        } else {
            at_low *= side == 1 ? 0.5 : 1;
            high = s, at_high = value, side = 1;
        }
    }
    return low + (high - low) / 2;
}

// Keeps the part of [low, high] around the better of two inner points, at `ratio` of the length from each end.
static double search_golden(const traffic_line *line)
{
    const double ratio = (sqrt(5.0) - 1) / 2;
    double low = 0, high = 1, a = 1 - ratio, b = ratio;
    double at_a = traffic_line_value(line, a), at_b = traffic_line_value(line, b);
    while (high - low > TRAFFIC_LINE_TOLERANCE) {
        if (at_a < at_b) {
            high = b, b = a, at_b = at_a;
            a = high - ratio * (high - low);
            at_a = traffic_line_value(line, a);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + ratio * (high - low);
            at_b = traffic_line_value(line, b);
        }
    }
    return low + (high - low) / 2;
}

// The same with shares of Fibonacci's numbers F(0) = F(1) = 1: after k of N rounds, F(N - k) / F(N) of the interval is left.
static double search_fibonacci(const traffic_line *line)
{
    enum { MOST = 60 };
    double number[MOST] = {1, 1};
    int32_t n = 1;
    while (n < MOST - 1 && 1 / number[n] > TRAFFIC_LINE_TOLERANCE) {
        n++;
        number[n] = number[n - 1] + number[n - 2];
    }
    double low = 0, high = 1, a = number[n - 2] / number[n], b = number[n - 1] / number[n];
    double at_a = traffic_line_value(line, a), at_b = traffic_line_value(line, b);
    for (int32_t left = n - 1; left >= 2; left--) {
        if (at_a < at_b) {
            high = b, b = a, at_b = at_a;
            a = low + (high - low) * number[left - 2] / number[left];
            at_a = traffic_line_value(line, a);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + (high - low) * number[left - 1] / number[left];
            at_b = traffic_line_value(line, b);
        }
    }
    return low + (high - low) / 2;
}

// Points x[0] .. x[4], evenly spread. The least value is near the best of the inner three; its two neighbours are the next ends.
static double search_dichotomy(const traffic_line *line)
{
    double low = 0, high = 1, middle = 0.5, at_middle = traffic_line_value(line, middle);
    while (high - low > TRAFFIC_LINE_TOLERANCE) {
        const double left = low + (middle - low) / 2, right = middle + (high - middle) / 2;
        const double at_left = traffic_line_value(line, left), at_right = traffic_line_value(line, right);
        if (at_left < at_middle) {
            high = middle, middle = left, at_middle = at_left;
        } else if (at_right < at_middle) {
            low = middle, middle = right, at_middle = at_right;
        } else {
            low = left, high = right;
        }
    }
    return middle;
}

double traffic_line_search(const traffic_line *line, mco_traffic_line_search how)
{
    double step = 0;
    switch (how) {
    case MCO_TRAFFIC_SEARCH_EXACT: return search_zero(line);
    case MCO_TRAFFIC_SEARCH_GOLDEN: step = search_golden(line); break;
    case MCO_TRAFFIC_SEARCH_FIBONACCI: step = search_fibonacci(line); break;
    case MCO_TRAFFIC_SEARCH_DICHOTOMY: step = search_dichotomy(line); break;
    }
    // A search by values never looks at the ends.
    if (traffic_line_value(line, 1) <= traffic_line_value(line, step))
        step = 1;
    return traffic_line_value(line, step) < 0 ? step : 0;
}
