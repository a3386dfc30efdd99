// SPDX-License-Identifier: MIT
// A team of workers: each index once, waiting, and failure to start.
#include "test_support.h"

#include <math.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/team.h"

enum { MEMBERS = 8 };

typedef struct shared {
    atomic_int runs[MEMBERS];
    atomic_bool may_end;
} shared;

static void work(void *argument, int worker)
{
    shared *s = argument;
    s->runs[worker]++;
    while (!atomic_load(&s->may_end))
        usleep(1000);
}

static void test_each_worker_once(void **state)
{
    (void)state;
    for (int count = 0; count <= MEMBERS; count++) {
        shared s = {.may_end = true};
        mco_team team;
        assert_ok(mco_team_start(test_ctx, count, work, &s, &team));
        while (!mco_team_wait(&team, 10))
            ;
        mco_team_join(&team);
        for (int i = 0; i < MEMBERS; i++)
            assert_int_equal(s.runs[i], i < count);
    }
}

static void test_wait(void **state)
{
    (void)state;
    shared s = {.may_end = false};
    mco_team team;
    assert_ok(mco_team_start(test_ctx, 2, work, &s, &team));
    assert_false(mco_team_wait(&team, 0.01));
    assert_false(mco_team_wait(&team, 0));
    assert_false(mco_team_wait(&team, -1));
    atomic_store(&s.may_end, true);
    assert_true(mco_team_wait(&team, (double)INFINITY));
    assert_true(mco_team_wait(&team, 0));
    mco_team_join(&team);
}

static void test_join_of_nothing(void **state)
{
    (void)state;
    mco_team team = {0};
    mco_team_join(&team);
}

static void test_allocation_fails(void **state)
{
    (void)state;
    shared s = {.may_end = true};
    mco_team team;
    const long before = test_memory.live;
    for (long k = 1; k <= 2; k++) {
        test_fail_allocation(k);
        assert_int_equal(mco_team_start(test_ctx, 2, work, &s, &team), MCO_ERR_MEMORY);
        assert_int_equal(test_memory.live, before);
        mco_team_join(&team);
    }
    assert_int_equal(s.runs[0], 0);
}

static void count_run(void *argument, int worker)
{
    atomic_int *runs = argument;
    runs[worker]++;
}

// With no room for the stacks of all, none works and none is left. A sanitizer's address space is
// beyond every such limit.
static void test_thread_fails(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    skip();
#endif
#endif
    enum { MANY = 1024 };
    static atomic_int runs[MANY];
    struct rlimit before, small;
    mco_team team;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)1 << 30;
    if (setrlimit(RLIMIT_AS, &small) != 0)
        skip();
    mco_status st = mco_team_start(test_ctx, MANY, count_run, runs, &team);
    setrlimit(RLIMIT_AS, &before);
    assert_int_equal(st, MCO_ERR_MEMORY);
    assert_non_null(strstr(mco_context_error(test_ctx), "of 1024 threads could be started"));
    for (int i = 0; i < MANY; i++)
        assert_int_equal(runs[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_each_worker_once), TEST(test_wait), TEST(test_join_of_nothing),
                                       TEST(test_allocation_fails), TEST(test_thread_fails)};
    return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
