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

// Adds a * b without rounding the product. Both below 1e290 in size.
static inline void traffic_sum_add_product(traffic_sum *sum, double a, double b)
{
    const double splitter = 134217729;  // 2^27 + 1
    const double p = a * b, ca = splitter * a, cb = splitter * b;
    const double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    const double error = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    traffic_sum_add(sum, p);
    traffic_sum_add(sum, error);
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
