// SPDX-License-Identifier: MIT
// The cpu engine of complete neighbourhoods against the formula, move by move. The tours have many tiles and sizes that
// are no multiples of a tile.
#include "vrp_cpu_support.h"

static void test_sizes(void **state)
{
    (void)state;
    check_large(310, 30, true, true, 0, 20, 1000);
    check_large(500, 29, true, true, 0, 0, 1000);
    check_large(601, 3, true, true, 0, 0, 1000);
    check_large(620, 79, true, false, 0, 70, 1000);
    check_large(1100, 120, true, true, 0, 0, 1000);
}

static void test_asymmetric(void **state)
{
    (void)state;
    check_large(560, 40, false, true, 0, 0, 1000);
    check_large(500, 5, false, false, 0, 4, 1000);
}

static void test_infeasible(void **state)
{
    (void)state;
    check_large(290, 12, true, false, 2, 0, 1000);
    check_large(480, 20, true, true, 1, 0, 1000);
    check_large(470, 30, true, true, 3, 25, 1000);
    check_large(300, 30, false, true, 1, 0, 1000);
}

static void test_ties(void **state)
{
    (void)state;
    check_large(280, 20, true, true, 0, 0, 2);
    check_large(600, 50, true, true, 0, 0, 1);
    check_large(500, 50, true, true, 0, 43, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sizes),
        TEST(test_asymmetric),
        TEST(test_infeasible),
        TEST(test_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
