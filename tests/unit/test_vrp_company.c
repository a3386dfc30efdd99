// SPDX-License-Identifier: MIT
// The cores' search beside another one, which here only waits: its plans arrive while it runs, and it ends with the other one.
#include "test_support.h"

#include <math.h>
#include <time.h>

#include "base/run.h"
#include "vrp/instance.h"
#include "vrp/search/company.h"
#include "vrp/search/stages.h"

enum { CUSTOMERS = 240, BETTER = 3 };
static const double PATIENCE_S = 60, SHORT_S = 0.3;

typedef struct waiting {
    mco_vrp *problem;
    mco_vrp_params params;
    vrp_search search;
    int looks;
} waiting;

static void open_search(waiting *w, double time_limit_s)
{
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    generation.customers = CUSTOMERS;
    *w = (waiting){.params = MCO_VRP_PARAMS_INIT};
    assert_ok(mco_vrp_generate(test_ctx, &generation, &w->problem));
    w->params.threads = 3;
    w->search = (vrp_search){.ctx = test_ctx, .problem = w->problem, .given = w->problem, .params = &w->params, .best_cost = -1,
                             .start_cost = -1, .proved = -1};
    w->search.run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = time_limit_s, .target = -1, .objective = "cost"});
}

static void close_search(waiting *w)
{
    int64_t cost = -1;
    if (w->search.best_cost >= 0) {
        assert_ok(mco_vrp_check(test_ctx, w->problem, &w->search.best, &cost));
        assert_int_equal(cost, w->search.best_cost);
    }
    mco_vrp_solution_clear(test_ctx, &w->search.best);
    mco_run_clear(&w->search.run);
    mco_vrp_destroy(test_ctx, &w->problem);
}

static void rest(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void wait_for_end(waiting *w)
{
    while (!vrp_search_ends(&w->search))
        rest();
}

static void plans_arrive_until_the_time_is_over(void **state)
{
    (void)state;
    waiting w;
    vrp_company *company = NULL;
    open_search(&w, SHORT_S);
    assert_ok(vrp_company_open(&w.search, false, &company));
    assert_non_null(company);
    wait_for_end(&w);
    assert_int_equal(w.search.run.stop, MCO_STOP_TIME);
    assert_ok(vrp_company_close(&company));
    assert_null(company);
    assert_true(w.search.best_cost >= 0);
    assert_null(w.search.look);
    close_search(&w);
}

// Better plans arrive long before the limit; then the other search ends, and the cores with it.
static void the_other_search_ends_both(void **state)
{
    (void)state;
    waiting w;
    vrp_company *company = NULL;
    open_search(&w, PATIENCE_S);
    assert_ok(vrp_company_open(&w.search, false, &company));
    while (w.search.run.history_count < BETTER && !vrp_search_ends(&w.search))
        rest();
    assert_true(w.search.run.history_count >= BETTER);
    assert_ok(vrp_company_close(&company));
    assert_true(w.search.iterations > 0);
    assert_true(mco_run_time_s(&w.search.run) < PATIENCE_S);
    close_search(&w);
}

static bool count_look(void *user)
{
    waiting *w = user;
    return ++w->looks > 3;
}

static void an_earlier_look_is_still_asked_and_comes_back(void **state)
{
    (void)state;
    waiting w;
    vrp_company *company = NULL;
    open_search(&w, PATIENCE_S);
    w.search.look = count_look;
    w.search.look_user = &w;
    assert_ok(vrp_company_open(&w.search, false, &company));
    wait_for_end(&w);
    assert_int_equal(w.looks, 4);
    assert_ok(vrp_company_close(&company));
    assert_true(w.search.look == count_look && w.search.look_user == &w);
    close_search(&w);
}

// The plan given is where the cores begin: what they find costs no more.
static void a_given_plan_is_where_the_cores_begin(void **state)
{
    (void)state;
    waiting w;
    vrp_company *company = NULL;
    open_search(&w, SHORT_S);
    assert_ok(vrp_company_open(&w.search, false, &company));
    wait_for_end(&w);
    assert_ok(vrp_company_close(&company));
    const int64_t before = w.search.best_cost;
    mco_run_limit(&w.search.run, mco_run_time_s(&w.search.run) + SHORT_S);
    assert_ok(vrp_company_open(&w.search, true, &company));
    wait_for_end(&w);
    assert_ok(vrp_company_close(&company));
    assert_true(w.search.best_cost <= before);
    close_search(&w);
}

static void nobody_comes_where_the_clock_must_not_count(void **state)
{
    (void)state;
    waiting w;
    vrp_company *company = NULL;
    open_search(&w, PATIENCE_S);
    w.params.iterations = 1000;
    assert_ok(vrp_company_open(&w.search, false, &company));
    assert_null(company);
    w.params.iterations = -1;
    w.params.threads = 1;
    assert_ok(vrp_company_open(&w.search, false, &company));
    assert_null(company);
    w.params.threads = 3;
    w.params.prove = true;
    assert_ok(vrp_company_open(&w.search, false, &company));
    assert_null(company);
    assert_ok(vrp_company_close(&company));
    close_search(&w);
}

// Wherever memory lacks in the opening, the caller's context says so. Where it lacks on the cores, the other search has its answer.
static void a_lack_of_memory_is_told(void **state)
{
    (void)state;
    waiting w;
    int refused = 0;
    open_search(&w, SHORT_S);
    assert_ok(vrp_search_first(&w.search));
    for (long k = 1; k <= 24; k++) {
        vrp_company *company = NULL;
        test_fail_allocation(k);
        const mco_status st = vrp_company_open(&w.search, true, &company);
        if (st == MCO_OK)
            assert_ok(vrp_company_close(&company));
        test_fail_allocation(0);
        assert_null(company);
        assert_null(w.search.look);
        if (st == MCO_OK)
            continue;
        refused++;
        assert_int_equal(st, MCO_ERR_MEMORY);
        assert_string_not_equal(mco_context_error(test_ctx), "");
        (void)mco_fail(test_ctx, MCO_OK, "%s", "");
    }
    assert_true(refused >= 6);
    close_search(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plans_arrive_until_the_time_is_over),
        TEST(the_other_search_ends_both),
        TEST(an_earlier_look_is_still_asked_and_comes_back),
        TEST(a_given_plan_is_where_the_cores_begin),
        TEST(nobody_comes_where_the_clock_must_not_count),
        TEST(a_lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
