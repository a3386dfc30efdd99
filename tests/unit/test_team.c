// SPDX-License-Identifier: MIT
// Teams of workers: each index runs once, waiting, failure to start; resident teams: each item runs once, job after
// job.
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

// If there is no room for the stacks of all, no worker starts and none is left behind. The address space of a sanitizer
// is beyond every such limit.
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

// ---- Resident teams

enum { MOST_ITEMS = 1000, MOST_WORKERS = 4 };

typedef struct items {
    atomic_int runs[MOST_ITEMS];
    atomic_int breaches;         // an item or worker out of range, a wrong thread, or items that do not ascend
    int64_t last[MOST_WORKERS];  // the last item of each worker
    int workers;
    bool is_supervised;
    pthread_t caller;
    useconds_t pause_us;         // for each item
    double watch_s;              // between two calls of watch(); 0: it is not called
    int watched, watched_elsewhere;
} items;

static void run_item(void *argument, int worker, int64_t item)
{
    items *s = argument;
    if (worker < 0 || worker >= s->workers || item < 0 || item >= MOST_ITEMS) {
        s->breaches++;
        return;
    }
    // The calling thread is the last worker of a team that it does not supervise.
    const bool is_callers = !s->is_supervised && worker == s->workers - 1;
    s->breaches += (pthread_equal(pthread_self(), s->caller) != 0) != is_callers;
    s->breaches += item <= s->last[worker];
    s->last[worker] = item;
    s->runs[item]++;
    if (s->pause_us > 0)
        usleep(s->pause_us);
}

static double watch(void *argument)
{
    items *s = argument;
    s->watched++;
    s->watched_elsewhere += pthread_equal(pthread_self(), s->caller) == 0;
    return s->watch_s;
}

// Runs one job: every item below `count` must run once, and no other item.
static void run_job(mco_team *team, items *s, int64_t count, double watch_s)
{
    for (int i = 0; i < MOST_ITEMS; i++)
        s->runs[i] = 0;
    for (int w = 0; w < MOST_WORKERS; w++)
        s->last[w] = -1;
    s->watch_s = watch_s;
    mco_team_run(team, count, run_item, watch_s > 0 ? watch : NULL, s);
    for (int i = 0; i < MOST_ITEMS; i++)
        if (s->runs[i] != (i < count))
            fail_msg("%d workers, %lld items: item %d ran %d times", s->workers, (long long)count, i, (int)s->runs[i]);
    assert_int_equal(s->breaches, 0);
}

static void open_team(mco_team *team, items *s, int workers, bool is_supervised)
{
    memset(s, 0, sizeof *s);
    s->workers = workers;
    s->is_supervised = is_supervised;
    s->caller = pthread_self();
    assert_ok(mco_team_open(test_ctx, workers, is_supervised, team));
}

static void test_each_item_once(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 31, 32, 33, MOST_ITEMS};
    items s;
    mco_team team;
    for (int workers = 1; workers <= MOST_WORKERS; workers++)
        for (int is_supervised = 0; is_supervised <= 1; is_supervised++) {
            open_team(&team, &s, workers, is_supervised);
            for (int c = 0; c < COUNT_OF(counts); c++) {
                run_job(&team, &s, counts[c], 0);
                run_job(&team, &s, counts[c], 0.001);
            }
            mco_team_close(&team);
            mco_team_close(&team);
        }
}

// A team that is opened and closed does nothing. A team of one worker that is not supervised has no thread.
static void test_team_without_job(void **state)
{
    (void)state;
    items s;
    mco_team team = {0};
    mco_team_close(&team);
    for (int workers = 1; workers <= MOST_WORKERS; workers++)
        for (int is_supervised = 0; is_supervised <= 1; is_supervised++) {
            open_team(&team, &s, workers, is_supervised);
            assert_int_equal(team.started, is_supervised ? workers : workers - 1);
            mco_team_close(&team);
        }
}

static void test_many_jobs(void **state)
{
    (void)state;
    items s;
    mco_team team;
    for (int is_supervised = 0; is_supervised <= 1; is_supervised++) {
        open_team(&team, &s, 3, is_supervised);
        for (int job = 0; job < (TEST_IS_SANITIZED ? 300 : 3000); job++)
            run_job(&team, &s, job % 7, job % 2 == 0 ? 0 : 10);
        mco_team_close(&team);
    }
}

// The calling thread watches while others work, at the intervals that it sets.
static void test_watch(void **state)
{
    (void)state;
    items s;
    mco_team team;
    open_team(&team, &s, 2, true);
    s.pause_us = 30000;
    run_job(&team, &s, 4, 0.002);
    assert_true(s.watched >= 5);
    s.watched = 0;
    run_job(&team, &s, 4, 1000);  // longer than the items take, so the items end the wait
    assert_true(s.watched <= 1);
    s.watched = 0;
    run_job(&team, &s, 4, 0);
    assert_int_equal(s.watched, 0);
    assert_int_equal(s.watched_elsewhere, 0);
    mco_team_close(&team);
}

static void test_allocation_of_resident_team_fails(void **state)
{
    (void)state;
    const long before = test_memory.live;
    for (int is_supervised = 0; is_supervised <= 1; is_supervised++) {
        mco_status st = MCO_ERR_MEMORY;
        for (long k = 1; st != MCO_OK; k++) {
            mco_team team;
            test_fail_allocation(k);
            st = mco_team_open(test_ctx, 3, is_supervised, &team);
            assert_true(st == MCO_ERR_MEMORY || (st == MCO_OK && k > 2));
            mco_team_close(&team);
            assert_int_equal(test_memory.live, before);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_worker_once), TEST(test_wait),           TEST(test_join_of_nothing),
        TEST(test_allocation_fails), TEST(test_thread_fails),   TEST(test_team_without_job),
        TEST(test_each_item_once),   TEST(test_many_jobs),      TEST(test_watch),
        TEST(test_allocation_of_resident_team_fails),
    };
    return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
