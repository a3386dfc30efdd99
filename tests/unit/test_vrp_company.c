// SPDX-License-Identifier: MIT
// The cores' search beside another one, which here only waits: its plans arrive while it runs, and it ends with the other one.
#include "test_support.h"

#include <math.h>
#include <time.h>

#include "base/run.h"
#include "vrp/instance.h"
#include "vrp/search/company.h"
#include "vrp/search/rounds.h"
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
    assert_ok(vrp_company_open(&w.search, false, 1, &company));
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
    assert_ok(vrp_company_open(&w.search, false, 1, &company));
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
    assert_ok(vrp_company_open(&w.search, false, 1, &company));
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
    assert_ok(vrp_company_open(&w.search, false, 1, &company));
    wait_for_end(&w);
    assert_ok(vrp_company_close(&company));
    const int64_t before = w.search.best_cost;
    mco_run_limit(&w.search.run, mco_run_time_s(&w.search.run) + SHORT_S);
    assert_ok(vrp_company_open(&w.search, true, 1, &company));
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
    assert_ok(vrp_company_open(&w.search, false, 1, &company));
    assert_null(company);
    w.params.iterations = -1;
    w.params.threads = 1;
    assert_ok(vrp_company_open(&w.search, false, 1, &company));
    assert_null(company);
    w.params.threads = 3;
    w.params.prove = true;
    assert_ok(vrp_company_open(&w.search, false, 1, &company));
    assert_null(company);
    assert_ok(vrp_company_close(&company));
    close_search(&w);
}

// What a search of the cores ends with whose whole has a share of it at most.
static int64_t cost_by_share(double whole_share)
{
    enum { MANY = 1200, STEPS = 1200 * 300 };
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    waiting w = {.params = MCO_VRP_PARAMS_INIT};
    generation.customers = MANY;
    assert_ok(mco_vrp_generate(test_ctx, &generation, &w.problem));
    w.params.threads = 1;
    w.params.iterations = STEPS;
    w.search = (vrp_search){.ctx = test_ctx, .problem = w.problem, .given = w.problem, .params = &w.params, .best_cost = -1,
                            .start_cost = -1, .proved = -1, .whole_share = whole_share};
    w.search.run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = INFINITY, .target = -1, .objective = "cost"});
    assert_ok(vrp_search_cpu(&w.search));
    const int64_t cost = w.search.best_cost;
    close_search(&w);
    return cost;
}

static void the_whole_ends_at_its_share_at_the_latest(void **state)
{
    (void)state;
    const int64_t cost = cost_by_share(0);
    assert_int_equal(cost_by_share(1), cost);
    assert_int_not_equal(cost_by_share(0.4), cost);  // regions anneal the rest
}

// A search takes what another one beside it has found only if it is better, and with as many routes as that has.
static void the_better_plan_is_the_present_one(void **state)
{
    (void)state;
    waiting w;
    mco_vrp_solution plan = {0};
    open_search(&w, PATIENCE_S);
    assert_ok(vrp_search_first(&w.search));
    vrp_rounds s = {.search = &w.search, .problem = w.problem};
    assert_ok(vrp_rounds_open(&s));
    assert_ok(vrp_solution_new(test_ctx, CUSTOMERS, CUSTOMERS, &plan));
    vrp_solution_copy(&w.search.best, &plan);
    s.now.routes = 0;
    s.now_cost = w.search.best_cost;
    s.vehicles = plan.routes - 1;
    vrp_rounds_take_best(&s);
    assert_int_equal(s.now.routes, 0);
    assert_int_equal(s.vehicles, plan.routes - 1);
    s.now_cost++;
    vrp_rounds_take_best(&s);
    assert_int_equal(s.now_cost, w.search.best_cost);
    assert_int_equal(s.now.routes, plan.routes);
    assert_int_equal(s.vehicles, plan.routes);
    assert_memory_equal(s.now.order, plan.order, CUSTOMERS * sizeof *plan.order);
    mco_vrp_solution_clear(test_ctx, &plan);
    vrp_rounds_close(&s);
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
        const mco_status st = vrp_company_open(&w.search, true, 1, &company);
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
        TEST(the_whole_ends_at_its_share_at_the_latest),
        TEST(the_better_plan_is_the_present_one),
        TEST(a_lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
