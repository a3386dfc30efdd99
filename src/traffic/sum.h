// SPDX-License-Identifier: MIT
// Sums in double-double: about 32 digits (Dekker 1971; Knuth). Gaps of 1e-12 are differences of sums that agree in twelve digits.
#ifndef MCO_TRAFFIC_SUM_H
#define MCO_TRAFFIC_SUM_H

typedef struct traffic_sum {
    double high, low;  // |low| is at most half a unit in the last place of high
} traffic_sum;

static inline void traffic_sum_add(traffic_sum *sum, double x)
{
    const double s = sum->high + x, t = s - sum->high;
    const double error = (sum->high - (s - t)) + (x - t), low = sum->low + error;
    sum->high = s + low;
    sum->low = low - (sum->high - s);
}

// What rounding takes from p = a * b. Both below 1e290 in size.
static inline double traffic_product_error(double a, double b, double p)
{
    const double splitter = 134217729;  // 2^27 + 1
    const double ca = splitter * a, cb = splitter * b;
    const double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

// Adds a * b without rounding the product.
static inline void traffic_sum_add_product(traffic_sum *sum, double a, double b)
{
    const double p = a * b;
    traffic_sum_add(sum, p);
    traffic_sum_add(sum, traffic_product_error(a, b, p));
}

// A long sum of products: errors are collected beside it and added at the end (Ogita, Rump, Oishi 2005), which is as precise and
// a chain of one addition for each product.
typedef struct traffic_dot {
    double high, errors;
} traffic_dot;

static inline void traffic_dot_add(traffic_dot *dot, double a, double b)
{
    const double p = a * b, s = dot->high + p, t = s - dot->high;
    dot->errors += ((dot->high - (s - t)) + (p - t)) + traffic_product_error(a, b, p);
    dot->high = s;
}

static inline traffic_sum traffic_dot_sum(traffic_dot dot)
{
    traffic_sum sum = {dot.high, 0};
    traffic_sum_add(&sum, dot.errors);
    return sum;
}

static inline void traffic_sum_add_sum(traffic_sum *sum, traffic_sum x)
{
    traffic_sum_add(sum, x.high);
    traffic_sum_add(sum, x.low);
}

static inline double traffic_sum_less(traffic_sum a, traffic_sum b)
{
    traffic_sum_add(&a, -b.high);
    traffic_sum_add(&a, -b.low);
    return a.high + a.low;
}

#endif
