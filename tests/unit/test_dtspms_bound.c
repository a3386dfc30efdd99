// SPDX-License-Identifier: MIT
// Bounds of single tours: subsets against all permutations, branch and bound against subsets, both against published
// optima. They are still bounds when they are stopped at once.
#include "test_support.h"

#include "base/clock.h"
#include "base/rng.h"
#include "dtspms/bound.h"
#include "dtspms/engine.h"

enum { MOST = DTSPMS_BOUND_MAX_SUBSET_NODES };
static const double LONG_S = 60;

// ---- Distances

typedef enum kind { POINTS, FEW_POINTS, FEW_VALUES, ANY_VALUES, LONG_VALUES, EQUAL, KINDS } kind;

// Draws points in a square, or in one so small that many coincide; or values without a triangle inequality.
static void draw(mco_rng *rng, kind k, bool is_symmetric, int32_t nodes, int32_t *distance)
{
    static const uint32_t limits[KINDS] = {100, 3, 4, 1000, 1u << 26, 1};
    double x[64], y[64];
    for (int32_t i = 0; i < nodes; i++) {
        x[i] = mco_rng_below(rng, limits[k]);
        y[i] = mco_rng_below(rng, limits[k]);
    }
    for (int32_t i = 0; i < nodes; i++)
        for (int32_t j = 0; j < nodes; j++) {
            int32_t *d = &distance[i * nodes + j];
            if (is_symmetric && j < i)
                *d = distance[j * nodes + i];
            else if (k == POINTS || k == FEW_POINTS)
                *d = (int32_t)(hypot(x[i] - x[j], y[i] - y[j]) + 0.5) + (is_symmetric ? 0 : (int32_t)mco_rng_below(rng, 3));
            else
                *d = k == EQUAL ? 7 : (int32_t)mco_rng_below(rng, limits[k]);
        }
}

static int64_t shortest(const int32_t *distance, int32_t nodes, int32_t at, int32_t left)
{
    int64_t best = left == 0 ? distance[at * nodes] : INT64_MAX;
    for (int32_t to = 1; to < nodes; to++)
        if ((left >> to & 1) != 0) {
            const int64_t length = distance[at * nodes + to] + shortest(distance, nodes, to, left & ~(1 << to));
            best = length < best ? length : best;
        }
    return best;
}

// ---- Tests

static void test_subsets_against_permutations(void **state)
{
    (void)state;
    mco_rng rng;
    int32_t distance[8 * 8];
    mco_rng_seed(&rng, 1, 0);
    for (int32_t nodes = 2; nodes <= 8; nodes++)
        for (int round = 0; round < 2 * KINDS; round++) {
            int64_t bound;
            draw(&rng, (kind)(round / 2), round % 2 == 0, nodes, distance);
            assert_ok(dtspms_bound_subsets(test_ctx, distance, nodes, &bound));
            assert_int_equal(bound, shortest(distance, nodes, 0, (1 << nodes) - 2));
        }
}

// Runs the tree to its end, and stopped before it begins.
static void compare_tree(const int32_t *distance, int32_t nodes, bool is_symmetric)
{
    int64_t optimum, bound;
    bool is_optimal;
    assert_ok(dtspms_bound_subsets(test_ctx, distance, nodes, &optimum));
    assert_ok(dtspms_bound_tree(test_ctx, distance, nodes, is_symmetric, mco_clock_s() + LONG_S, &bound, &is_optimal));
    assert_true(is_optimal);
    assert_int_equal(bound, optimum);
    assert_ok(dtspms_bound_tree(test_ctx, distance, nodes, is_symmetric, 0, &bound, &is_optimal));
    assert_true(bound >= 0 && bound <= optimum);
    assert_true(!is_optimal || bound == optimum);
}

static void test_tree_against_subsets(void **state)
{
    (void)state;
    enum { ROUNDS = 12 };
    mco_rng rng;
    int32_t distance[MOST * MOST];
    mco_rng_seed(&rng, 2, 0);
    for (int32_t nodes = 3; nodes <= MOST; nodes++)
        for (int round = 0; round < 2 * ROUNDS * KINDS; round++) {
            draw(&rng, (kind)(round % KINDS), round < ROUNDS * KINDS, nodes, distance);
            compare_tree(distance, nodes, round < ROUNDS * KINDS);
        }
}

static int64_t tour_bound(const mco_dtspms *problem, mco_dtspms_network network, double seconds)
{
    dtspms_model model;
    int64_t bound;
    assert_ok(dtspms_model_create(test_ctx, problem, 3, 0, INFINITY, &model));
    assert_ok(dtspms_tour_bound(test_ctx, &model, network, seconds, &bound));
    dtspms_model_clear(test_ctx, &model);
    return bound;
}

// Sums of both optimal tours of R00, R01, ... without stacks (Petersen, Madsen 2009, tables 3 and 4); 0: takes too long
// here.
static void test_published(void **state)
{
    (void)state;
    static const int32_t orders[2] = {33, 66};
    static const int32_t sums[2][10] = {{911, 875, 935, 961, 937, 900, 998, 963, 978, 976},
                                        {0, 1257, 0, 1290, 1295, 1204, 1294, 1307, 1297, 1276}};
    for (int size = 0; size < 2; size++)
        for (int k = 0; k < 10; k++) {
            mco_dtspms *problem = NULL;
            const char name[] = {'R', '0', (char)('0' + k), '\0'};
            if (sums[size][k] == 0)
                continue;
            assert_ok(mco_dtspms_named(test_ctx, name, orders[size], &problem));
            const int64_t pickup = tour_bound(problem, MCO_DTSPMS_NETWORK_PICKUP, LONG_S);
            assert_int_equal(pickup + tour_bound(problem, MCO_DTSPMS_NETWORK_DELIVERY, LONG_S), sums[size][k]);
            mco_dtspms_destroy(test_ctx, &problem);
        }
}

// No, one and two orders; equal distances; delivery tours uphill.
static void test_simple_networks(void **state)
{
    (void)state;
        static const int32_t orders[] = {0, 1, 2, 5, 12, 13, 20};
    int32_t equal[21 * 21], uphill[21 * 21];
    for (int k = 0; k < COUNT_OF(orders); k++)
        for (int32_t value = 0; value < 2; value++) {
            mco_dtspms *problem = NULL;
            const int32_t nodes = orders[k] + 1;
            // The way from i up to j costs j - i and the way down nothing, so a tour pays for one climb to the top.
            for (int32_t i = 0; i < nodes; i++)
                for (int32_t j = 0; j < nodes; j++) {
                    equal[i * nodes + j] = value;
                    uphill[i * nodes + j] = j > i ? j - i : 0;
                }
            assert_ok(mco_dtspms_create(test_ctx, orders[k], equal, uphill, &problem));
            assert_int_equal(tour_bound(problem, MCO_DTSPMS_NETWORK_PICKUP, LONG_S), orders[k] == 0 ? 0 : value * nodes);
            assert_int_equal(tour_bound(problem, MCO_DTSPMS_NETWORK_DELIVERY, LONG_S), orders[k]);
            mco_dtspms_destroy(test_ctx, &problem);
        }
}

// Too many nodes for branch and bound: the bound must come in time and be near the shortest known tour, about 0.7124
// sqrt(n area).
static void test_large(void **state)
{
    (void)state;
    enum { ORDERS = 1500 };
    mco_dtspms *problem = NULL;
    assert_ok(mco_dtspms_generate(test_ctx, ORDERS, 5, 6, &problem));
    const double expected = 0.7124 * 100 * sqrt(ORDERS);
    const int64_t bound = tour_bound(problem, MCO_DTSPMS_NETWORK_PICKUP, 1);
    const int64_t at_once = tour_bound(problem, MCO_DTSPMS_NETWORK_PICKUP, 0);
    assert_true((double)at_once > 0.5 * expected && at_once <= bound);
    assert_true((double)bound < 1.1 * expected);
    mco_dtspms_destroy(test_ctx, &problem);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    mco_rng rng;
    int32_t distance[MOST * MOST];
    mco_rng_seed(&rng, 3, 0);
    draw(&rng, POINTS, false, MOST, distance);
    for (int is_tree = 0; is_tree < 2; is_tree++) {
        mco_status st = MCO_ERR_MEMORY;
        for (long k = 1; st == MCO_ERR_MEMORY; k++) {
            int64_t bound;
            bool is_optimal;
            test_fail_allocation(k);
            st = is_tree ? dtspms_bound_tree(test_ctx, distance, MOST, false, mco_clock_s() + LONG_S, &bound, &is_optimal)
                         : dtspms_bound_subsets(test_ctx, distance, MOST, &bound);
            assert_int_equal(test_memory.live, 1);  // the context
        }
        assert_int_equal(st, MCO_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_subsets_against_permutations), TEST(test_tree_against_subsets), TEST(test_published),
        TEST(test_simple_networks),              TEST(test_large),                TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("dtspms_bound", tests, NULL, NULL);
}
