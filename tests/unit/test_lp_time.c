// SPDX-License-Identifier: MIT
// Linear programs that take long: they end in time, print nothing, and share the machine with others.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>

#include "lp_support.h"

#include "base/clock.h"

#ifndef MCO_HAVE_CLP
int main(void)
{
    return 77;  // skipped: this build has no solver
}
#else

static const double INF = INFINITY;

// Random covering; `rows` divided by 20: seconds of work from 800 on.
static mco_lp *open_large(int32_t rows)
{
    enum { COLUMNS = 4000, ENTRIES = 20 };
    mco_lp *lp = lp_open();
    double *side = malloc(COLUMNS * sizeof *side), *most = malloc(COLUMNS * sizeof *most), *zero = calloc(COLUMNS, sizeof *zero);
    double *cost = malloc(COLUMNS * sizeof *cost), *value = malloc(COLUMNS * ENTRIES * sizeof *value);
    int64_t *first = malloc((COLUMNS + 1) * sizeof *first);
    int32_t *row = malloc(COLUMNS * ENTRIES * sizeof *row);
    mco_rng rng;
    mco_rng_seed(&rng, 22, 4);
    for (int32_t k = 0; k < COLUMNS; k++) {
        most[k] = INF;
        side[k] = 10 + mco_rng_real(&rng);
        cost[k] = 1 + mco_rng_real(&rng);
        first[k] = (int64_t)k * ENTRIES;
        for (int32_t e = 0; e < ENTRIES; e++) {  // strided, so that no row occurs twice
            row[first[k] + e] = (int32_t)(mco_rng_below(&rng, (uint32_t)rows / ENTRIES) + (uint32_t)(e * (rows / ENTRIES)));
            value[first[k] + e] = mco_rng_real(&rng);
        }
    }
    first[COLUMNS] = (int64_t)COLUMNS * ENTRIES;
    assert_ok(mco_lp_add_rows(test_ctx, lp, rows, side, most, NULL, NULL, NULL));
    assert_ok(mco_lp_add_columns(test_ctx, lp, COLUMNS, cost, zero, most, first, row, value));
    free(row), free(first), free(value), free(cost), free(zero), free(most), free(side);
    return lp;
}

// Whether threads can be started now.
static bool has_threads = true;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument)
{
    return has_threads ? __real_pthread_create(thread, attributes, work, argument) : EAGAIN;
}

// The time of processors that may be taken behind a limit. A stop comes within 0.1 s.
static const double LATE_S = TEST_IS_SANITIZED ? 2 : 0.5;

// Stopped after several times, by all methods, with and without a thread; then to the end, which is that of an undisturbed solve.
static void test_time_limit(void **state)
{
    (void)state;
    static const double limits_s[] = {0, 0.02, 0.04};
    double objective = NAN, latest_s = 0;
    int stops = 0;
    for (int k = 0; k < 2 * COUNT_OF(lp_methods); k++) {
        mco_lp *lp = open_large(300);
        has_threads = k % 2 == 0;
        for (int l = 0; l < COUNT_OF(limits_s); l++) {
            mco_lp_end end;
            const double begin_s = mco_cpu_clock_s();
            assert_ok(mco_lp_solve(test_ctx, lp, lp_methods[k / 2], mco_clock_s() + limits_s[l], &end));
            latest_s = fmax(latest_s, mco_cpu_clock_s() - begin_s - limits_s[l]);
            stops += end == MCO_LP_STOPPED;
            assert_true(end == MCO_LP_STOPPED || end == MCO_LP_OPTIMAL);
        }
        assert_int_equal(lp_solve(lp, lp_methods[k / 2]), MCO_LP_OPTIMAL);
        if (k == 0)
            objective = mco_lp_objective(lp);
        assert_near(mco_lp_objective(lp), objective);
        mco_lp_close(test_ctx, &lp);
    }
    has_threads = true;
    assert_true(stops > 2 * COUNT_OF(lp_methods));  // at least those at once, and one later
    print_message("at most %.3f s behind the limit\n", latest_s);
    assert_true(latest_s < LATE_S);
}

static void *cancel_soon(void *user)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    *(double *)user = mco_cpu_clock_s();
    mco_cancel(test_ctx);
    return NULL;
}

static void test_cancel(void **state)
{
    (void)state;
    mco_lp_end end;
    pthread_t thread;
    double cancelled_s;
    mco_lp *lp = open_large(1000);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancelled_s), 0);
    assert_ok(mco_lp_solve(test_ctx, lp, MCO_LP_DUAL, INFINITY, &end));
    const double ended_s = mco_cpu_clock_s();
    pthread_join(thread, NULL);
    assert_int_equal(end, MCO_LP_STOPPED);
    print_message("%.3f s behind the cancel\n", ended_s - cancelled_s);
    assert_true(ended_s - cancelled_s < LATE_S);
    mco_clear_cancel(test_ctx);
    mco_lp_close(test_ctx, &lp);
}

// Clp prints nothing, whatever the end is.
static void test_is_silent(void **state)
{
    (void)state;
    const char *const path = test_path("printed");
    mco_rng rng;
    mco_rng_seed(&rng, 22, 6);
    fflush(NULL);
    const int file = open(path, O_WRONLY | O_CREAT, 0600), out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    assert_true(file >= 0 && out >= 0 && err >= 0);
    dup2(file, STDOUT_FILENO), dup2(file, STDERR_FILENO);
    for (int k = 0; k < 60; k++) {
        const lp_case c = lp_draw(&rng);
        mco_lp *lp = k < COUNT_OF(lp_methods) ? open_large(100) : lp_open();
        if (k >= COUNT_OF(lp_methods))
            lp_add_case(lp, &c, false);
        lp_solve(lp, lp_methods[k % COUNT_OF(lp_methods)]);
        mco_lp_close(test_ctx, &lp);
    }
    fflush(NULL);
    dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    close(file), close(out), close(err);
    assert_content(path, "");
}

// Two threads solve at once, with contexts of their own.
static void *solve_many(void *user)
{
    mco_context *ctx = NULL;
    mco_rng rng;
    bool *is_good = user;
    *is_good = mco_context_create(&ctx, NULL) == MCO_OK;
    mco_rng_seed(&rng, 22, 5);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 25 : 150) && *is_good; k++) {
        const lp_case c = lp_draw(&rng);
        const lp_entries e = lp_compress(&c, false);
        double objective = 0;
        mco_lp_end end = MCO_LP_FAILED;
        mco_lp *lp = NULL;
        *is_good = mco_lp_open(ctx, &lp) == MCO_OK && mco_lp_add_rows(ctx, lp, c.rows, c.row_least, c.row_most, NULL, NULL, NULL) == MCO_OK &&
                   mco_lp_add_columns(ctx, lp, c.columns, c.cost, c.least, c.most, e.first, e.index, e.value) == MCO_OK &&
                   mco_lp_solve(ctx, lp, MCO_LP_AUTO, INFINITY, &end) == MCO_OK && end == lp_reference(&c, &objective) &&
                   (end != MCO_LP_OPTIMAL || fabs(mco_lp_objective(lp) - objective) < 1e-6 * (1 + fabs(objective)));
        mco_lp_close(ctx, &lp);
    }
    mco_context_destroy(&ctx);
    return NULL;
}

static void test_two_threads(void **state)
{
    (void)state;
    pthread_t threads[2];
    bool is_good[2];
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, solve_many, &is_good[k]), 0);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    assert_true(is_good[0] && is_good[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_time_limit), TEST(test_cancel), TEST(test_is_silent), TEST(test_two_threads)};
    return cmocka_run_group_tests_name("lp_time", tests, NULL, NULL);
}
#endif
