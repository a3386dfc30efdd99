// SPDX-License-Identifier: MIT
// The frontier method on all graphs of 7 vertices.
#include "cycles_frontier_support.h"

static void test_seven(void **state)
{
    (void)state;
    try_all_graphs(7, TEST_IS_SANITIZED ? 97 : 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_seven, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
