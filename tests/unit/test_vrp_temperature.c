// SPDX-License-Identifier: MIT
// Temperatures of the annealing: by nearest neighbours; by mean edges where customers share places, and in the wide range of short routes.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "vrp/search/temperature.h"

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-9 * expected);
}

// 900 customers in 100 routes, edges of 100 and neighbours at a distance of 10.
static void short_routes_go_by_the_nearest_neighbours(void **state)
{
    (void)state;
    const vrp_temperatures t = vrp_temperatures_of(900, 100, 100000, 10, false);
    assert_near(t.hot, 42);
    assert_near(t.cold, 1);
    assert_near(t.warm, 50);
}

static void the_wide_range_of_short_routes_goes_by_the_mean_edge(void **state)
{
    (void)state;
    const vrp_temperatures t = vrp_temperatures_of(900, 100, 100000, 10, true);
    assert_near(t.hot, 60);
    assert_near(t.cold, 2);
    assert_near(t.warm, 100);
}

// All customers at places that they share: 900 customers in 100 routes, edges of 100.
static void shared_places_go_by_the_mean_edge(void **state)
{
    (void)state;
    const vrp_temperatures t = vrp_temperatures_of(900, 100, 100000, 0, false);
    assert_near(t.hot, 10);
    assert_near(t.cold, 0.2);
    assert_near(t.warm, 13);
}

// 9,900 customers in 100 routes, edges of 12 and neighbours at a distance of 10.
static void long_routes_go_by_the_nearest_neighbours(void **state)
{
    (void)state;
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        const vrp_temperatures t = vrp_temperatures_of(9900, 100, 120000, 10, is_wide);
        assert_near(t.hot, 14 * sqrt(99));
        assert_near(t.cold, 1);
        assert_near(t.warm, 50);
    }
}

static void customers_at_one_place_leave_a_positive_temperature(void **state)
{
    (void)state;
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        const vrp_temperatures t = vrp_temperatures_of(50, 50, 0, 0, is_wide);
        assert_true(t.cold > 0 && t.cold <= t.hot && t.warm > 0 && isfinite(t.hot) && isfinite(t.warm));
    }
}

// With the same edges, the first temperature never falls when routes grow.
static void temperatures_are_ordered(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < 10000; k++) {
        const int32_t customers = 1 + (int32_t)mco_rng_below(&rng, 100000);
        const int32_t routes = 1 + (int32_t)mco_rng_below(&rng, (uint32_t)customers);
        const double edge = 1 + 1000 * mco_rng_real(&rng), nearest = edge * mco_rng_real(&rng);
        const bool is_wide = mco_rng_below(&rng, 2) == 1;
        const vrp_temperatures t =
            vrp_temperatures_of(customers, routes, (int64_t)(edge * ((double)customers + routes)), nearest, is_wide);
        assert_true(t.cold > 0 && t.cold <= t.hot && t.warm >= t.cold);
        if (routes > 1) {
            const int64_t cost = (int64_t)(edge * ((double)customers + routes / 2));
            assert_true(vrp_temperatures_of(customers, routes / 2, cost, nearest, is_wide).hot >= 0.99 * t.hot);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(short_routes_go_by_the_nearest_neighbours), TEST(the_wide_range_of_short_routes_goes_by_the_mean_edge),
                                       TEST(shared_places_go_by_the_mean_edge), TEST(long_routes_go_by_the_nearest_neighbours),
                                       TEST(customers_at_one_place_leave_a_positive_temperature),
                                       TEST(temperatures_are_ordered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
