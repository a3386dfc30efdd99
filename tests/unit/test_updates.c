// SPDX-License-Identifier: MIT
// When the command writes --solution before the end of a solve.
#include "test_support.h"

#include <math.h>

#include "cli/cli.h"

static const int routes = 1;  // stands for a solution
static const mco_progress first = {.objective = 10, .solution = &routes}, better = {.objective = 9, .solution = &routes};

// So many seconds behind the last writing, or behind the begin.
static bool is_due_after(cli_updates updates, double seconds, const mco_progress *progress)
{
    return cli_updates_are_due(&updates, progress, updates.paused_s + seconds);
}

static void test_cheap(void **state)
{
    (void)state;
    const mco_progress none = {.objective = 10};
    cli_updates u = cli_updates_begin(test_path("s"), 0, INFINITY);
    assert_false(is_due_after(u, 0, &none));
    assert_true(is_due_after(u, 0, &first));
    cli_updates_note(&u, first.objective, 7, 7);
    assert_false(is_due_after(u, 0.2, &better));
    assert_true(is_due_after(u, 0.6, &better));
    assert_false(is_due_after(u, 0.6, &first));  // it is in the file
}

// A writing of 0.1 s comes after 2 s at the earliest. Only the writings that were seen count after the first.
static void test_slow(void **state)
{
    (void)state;
    cli_updates u = cli_updates_begin(test_path("s"), 0.1, INFINITY);
    assert_false(is_due_after(u, 1.5, &first));
    assert_true(is_due_after(u, 2.1, &first));
    cli_updates_note(&u, first.objective, 6.8, 7);
    assert_false(is_due_after(u, 3, &better));
    assert_true(is_due_after(u, 4.5, &better));
}

static void test_time_limit(void **state)
{
    (void)state;
    cli_updates u = cli_updates_begin(test_path("s"), 5, INFINITY);
    u.stop_s = u.paused_s - 1;
    assert_false(is_due_after(u, 900, &first));
    u.stop_s = u.paused_s + 909;
    assert_false(is_due_after(u, 900, &first));
    u.stop_s = u.paused_s + 911;
    assert_true(is_due_after(u, 900, &first));
}

static void test_streams(void **state)
{
    (void)state;
    const char *const paths[] = {NULL, "-", "/dev/null"};
    for (int i = 0; i < COUNT_OF(paths); i++) {
        const cli_updates u = cli_updates_begin(paths[i], 0, INFINITY);
        assert_false(is_due_after(u, 900, &first));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_cheap), TEST(test_slow), TEST(test_time_limit), TEST(test_streams)};
    return cmocka_run_group_tests_name("updates", tests, NULL, NULL);
}
