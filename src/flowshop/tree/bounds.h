// SPDX-License-Identifier: MIT
// Heads, tails, and the tables of the two-machine bound.
#ifndef MCO_FLOWSHOP_TREE_BOUNDS_H
#define MCO_FLOWSHOP_TREE_BOUNDS_H

#include "flowshop/instance.h"

// The smallest head sum_{u<k} p(j,u) and the smallest tail sum_{u>k} p(j,u) over all jobs, [machines] each. No job
// reaches machine k before the head. At least the tail follows the last job on k. They are the ends of the root node.
void flowshop_root_ends(const mco_flowshop *shop, int32_t *heads, int32_t *tails);

// LB1 of the whole instance. O(n m).
int64_t flowshop_one_machine_bound(const mco_flowshop *shop);

// For every pair of machines k < l: the jobs in Johnson's order with lags (Jackson 1956, Mitten 1959). Let
// a = p(j,k) + lag and b = lag + p(j,l). The jobs with a <= b come first, by increasing a. The others follow, by
// decreasing b. The order of a subset of the jobs is this order restricted to the subset.
typedef struct flowshop_johnson {
    int32_t pairs;      // machines * (machines - 1) / 2
    int32_t *first;     // [pairs] k
    int32_t *second;    // [pairs] l
    int32_t *order;     // [pairs * jobs]
    int64_t bound;      // the greatest two-machine bound of the whole instance, over the pairs that were sorted
    bool is_complete;   // every pair was sorted: neither the deadline nor a cancellation came first
    int64_t *prefix;    // [jobs * (machines + 1)] sums of times over machines 0..i-1; lags are differences of two
} flowshop_johnson;

// Sorting takes O(n m^2 log n): a second at 2000x100. It ends early when mco_clock_s() reaches `deadline_s` or on
// cancellation. Then is_complete is false, and the orders must not be used.
mco_status flowshop_johnson_create(mco_context *ctx, const mco_flowshop *shop, double deadline_s,
                                   flowshop_johnson *out);
void flowshop_johnson_destroy(mco_context *ctx, flowshop_johnson *johnson);

// The lag: the time of job j on the machines between k and l > k.
static inline int32_t flowshop_lag(const flowshop_johnson *johnson, int32_t machines, int32_t j, int32_t k, int32_t l)
{
    const int64_t *p = johnson->prefix + (int64_t)j * (machines + 1);
    return (int32_t)(p[l] - p[k + 1]);
}

#endif
