// SPDX-License-Identifier: MIT
// What tests of the flow shop share: random instances, makespans, and brute force.
#ifndef MCO_FLOWSHOP_SUPPORT_H
#define MCO_FLOWSHOP_SUPPORT_H

#include "test_support.h"

#include "base/rng.h"
#include "mco/mco.h"

enum { SKEWED = -1 };  // as `largest`: times of 0 and 1, one in eight of 1000, so that tangents fall below 0

// Times are uniform in [0, largest], or SKEWED.
static mco_flowshop *random_shop(int32_t n, int32_t m, uint64_t seed, int32_t largest)
{
    mco_flowshop *shop = NULL;
    mco_rng rng;
    int32_t *times = malloc((size_t)n * (size_t)m * sizeof *times + 1);
    mco_rng_seed(&rng, seed, (uint64_t)n * 1000 + (uint64_t)m);
    for (int32_t c = 0; c < n * m; c++)
        times[c] = largest == SKEWED ? (mco_rng_below(&rng, 8) == 0 ? 1000 : (int32_t)mco_rng_below(&rng, 2))
                                     : (int32_t)mco_rng_below(&rng, (uint32_t)largest + 1);
    assert_ok(mco_flowshop_create(test_ctx, n, m, times, &shop));
    free(times);
    return shop;
}

// The makespan of the first `count` jobs of an order.
static int32_t makespan_of(const mco_flowshop *shop, const int32_t *order, int32_t count)
{
    int32_t end[64] = {0};
    const int32_t m = mco_flowshop_machines(shop);
    assert_true(m <= COUNT_OF(end));
    for (int32_t t = 0; t < count; t++)
        for (int32_t k = 0; k < m; k++) {
            const int32_t before = k > 0 ? end[k - 1] : 0;
            end[k] = (end[k] > before ? end[k] : before) + mco_flowshop_time(shop, k, order[t]);
        }
    return end[m - 1];
}

// The least makespan of all orders that begin with order[0..fixed). It leaves `order` as it was. O((n - fixed)! n m).
static int32_t best_of_rest(const mco_flowshop *shop, int32_t *order, int32_t fixed)
{
    const int32_t n = mco_flowshop_jobs(shop);
    int32_t best = fixed == n ? makespan_of(shop, order, n) : INT32_MAX;
    for (int32_t t = fixed; t < n; t++) {
        const int32_t job = order[t];
        order[t] = order[fixed];
        order[fixed] = job;
        const int32_t found = best_of_rest(shop, order, fixed + 1);
        best = found < best ? found : best;
        order[fixed] = order[t];
        order[t] = job;
    }
    return best;
}

#endif
