// SPDX-License-Identifier: MIT
// A machine that starts few threads or none: every solver goes on with these, and its answer is that of one thread at least.
#include "test_support.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "mco/dtspms.h"
#include "mco/flowshop.h"
#include "mco/guillotine.h"
#include "mco/reduce.h"
#include "mco/vrp.h"

// Linked in place of pthread_create and pthread_join: at most so many threads more live at a time.
static atomic_int threads_left;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument);
int __real_pthread_join(pthread_t thread, void **value);
int __wrap_pthread_join(pthread_t thread, void **value);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument)
{
    if (atomic_load(&threads_left) == 0)
        return EAGAIN;
    atomic_fetch_sub(&threads_left, 1);
    return __real_pthread_create(thread, attributes, work, argument);
}

int __wrap_pthread_join(pthread_t thread, void **value)
{
    atomic_fetch_add(&threads_left, 1);
    return __real_pthread_join(thread, value);
}

enum { WANTED = 4 };

static void test_flowshop(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_generate(test_ctx, 10, 5, 42, &shop));
    for (int method = 0; method < 2; method++)
        for (int started = 0; started <= 2; started++) {
            mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
            mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
            params.threads = WANTED;
            params.method = method == 0 ? MCO_FLOWSHOP_METHOD_BB : MCO_FLOWSHOP_METHOD_HEURISTIC;
            params.iterations = 20;
            params.engine = MCO_ENGINE_CPU;
            atomic_store(&threads_left, started);
            assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
            assert_non_null(result.order);
            if (method == 0 && started > 0)
                assert_int_equal(result.outcome, MCO_OUTCOME_OPTIMAL);
            mco_flowshop_result_clear(test_ctx, &result);
        }
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_vrp(void **state)
{
    (void)state;
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    mco_vrp *problem = NULL;
    generation.customers = 60;
    assert_ok(mco_vrp_generate(test_ctx, &generation, &problem));
    for (int started = 0; started <= 2; started++) {
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        mco_vrp_result result = MCO_VRP_RESULT_INIT;
        params.threads = WANTED;
        params.iterations = 20000;
        params.time_limit_s = 20;
        atomic_store(&threads_left, started);
        assert_ok(mco_vrp_solve(test_ctx, problem, &params, &result));
        assert_int_equal(result.outcome, MCO_OUTCOME_FEASIBLE);
        mco_vrp_result_clear(test_ctx, &result);
        mco_vrp_neighbourhood_result around = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
        atomic_store(&threads_left, started);
        params.engine = MCO_ENGINE_CPU;
        assert_ok(mco_vrp_neighbourhood(test_ctx, problem, &params, &around));
        mco_vrp_neighbourhood_result_clear(test_ctx, &around);
    }
    mco_vrp_destroy(test_ctx, &problem);
}

static void test_dtspms(void **state)
{
    (void)state;
    mco_dtspms *problem = NULL;
    assert_ok(mco_dtspms_named(test_ctx, "R00", 20, &problem));
    for (int method = 0; method < 2; method++)
        for (int started = 0; started <= 2; started++) {
            mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
            mco_dtspms_result result = MCO_DTSPMS_RESULT_INIT;
            params.threads = WANTED;
            params.iterations = 50;
            params.engine = MCO_ENGINE_CPU;
            params.method = method == 0 ? MCO_DTSPMS_METHOD_TABU : MCO_DTSPMS_METHOD_ILS;
            atomic_store(&threads_left, started);
            assert_ok(mco_dtspms_solve(test_ctx, problem, &params, &result));
            assert_true(result.cost > 0);
            mco_dtspms_result_clear(test_ctx, &result);
        }
    mco_dtspms_destroy(test_ctx, &problem);
}

// No thread at all is a failure: nothing is known before the end of the table.
static void test_guillotine(void **state)
{
    (void)state;
    mco_guillotine *problem = NULL;
    int64_t value = -1;
    assert_ok(mco_guillotine_randcut(test_ctx, 1500, 1500, 30, 1, &problem));
    for (int started = 2; started >= 0; started--) {
        mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
        mco_guillotine_result result = MCO_GUILLOTINE_RESULT_INIT;
        params.threads = WANTED;
        params.engine = MCO_ENGINE_CPU;
        atomic_store(&threads_left, started);
        const mco_status st = mco_guillotine_solve(test_ctx, problem, &params, &result);
        if (started == 0) {
            assert_int_equal(st, MCO_ERR_MEMORY);
            assert_string_equal(mco_context_error(test_ctx), "no thread could be started");
            break;
        }
        assert_ok(st);
        assert_true(value < 0 || result.value == value);
        value = result.value;
        mco_guillotine_result_clear(test_ctx, &result);
    }
    mco_guillotine_destroy(test_ctx, &problem);
}

static void test_reduce(void **state)
{
    (void)state;
    uint64_t bits = 0;
    for (int started = 0; started <= 2; started++) {
        mco_reduce_params params = MCO_REDUCE_PARAMS_INIT;
        mco_reduce_result result = MCO_REDUCE_RESULT_INIT;
        params.threads = WANTED;
        params.engine = MCO_ENGINE_CPU;
        atomic_store(&threads_left, started);
        assert_ok(mco_reduce_generated(test_ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, 7, 20000000, 0, &params, NULL, &result));
        assert_true(started == 0 || result.value.u == bits);
        bits = result.value.u;
        assert_int_equal(result.work.threads, started > 0 ? started : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_flowshop), TEST(test_vrp), TEST(test_dtspms), TEST(test_guillotine),
                                       TEST(test_reduce)};
    return cmocka_run_group_tests_name("few_threads", tests, NULL, NULL);
}
