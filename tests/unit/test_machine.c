// SPDX-License-Identifier: MIT
// How many threads and how much memory a call takes: what the caller asks for, else what this process may use.
#include "test_support.h"

#include <sched.h>

#include "base/machine.h"
#include "mco/version.h"

static void test_asked_threads(void **state)
{
    (void)state;
    static const int64_t asked[] = {1, 2, 3, 64, 1024};
    for (int i = 0; i < COUNT_OF(asked); i++)
        assert_int_equal(mco_settle_threads(asked[i]), asked[i]);
    assert_int_equal(mco_settle_threads(0), mco_cpu_count());
    assert_true(mco_settle_threads(0) >= 1);
}

// The first `count` processors of `all`.
static cpu_set_t first_of(const cpu_set_t *all, int count)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&set) < count; cpu++)
        if (CPU_ISSET(cpu, all))
            CPU_SET(cpu, &set);
    return set;
}

static void test_threads_follow_affinity(void **state)
{
    (void)state;
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        skip();
    const int there = CPU_COUNT(&all);
    const int most = mco_settle_threads(0);  // the control group may allow less than all
    assert_true(most >= 1 && most <= there);
    for (int count = 1; count <= there; count++) {
        const cpu_set_t some = first_of(&all, count);
        if (sched_setaffinity(0, sizeof some, &some) != 0)
            break;
        const int settled = mco_settle_threads(0), asked = mco_settle_threads(5);
        sched_setaffinity(0, sizeof all, &all);
        assert_int_equal(settled, count < most ? count : most);
        assert_int_equal(asked, 5);
    }
    assert_int_equal(mco_settle_threads(0), most);
}

static void test_memory_settled(void **state)
{
    (void)state;
    const double machine = mco_machine_memory();
    assert_true(machine == (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE));
    assert_true(machine > 1 << 20);
    assert_true(mco_settle_memory(1) == 1 << 20);
    assert_true(mco_settle_memory(1000) == 1000.0 * (1 << 20));
    assert_true(mco_settle_memory(1000000) == 1e6 * (1 << 20));  // as asked, even if the machine has less
    assert_true(mco_settle_memory(0) > 0.5 * machine && mco_settle_memory(0) < machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_asked_threads), TEST(test_threads_follow_affinity),
                                       TEST(test_memory_settled)};
    return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
