// SPDX-License-Identifier: MIT
// The pool of workers, cut short by the clock, by a GPU that fails, and by memory that runs out. The nodes must be
// those of the published trees, however often the search is written down and resumed.
#include "flowshop_search_support.h"

#include "base/clock.h"

// ---- Notes and checkpoints

static void resume_from(solve_of_test *s, const char *path)
{
    assert_ok(flowshop_checkpoint_read(test_ctx, s->run.shop, path, &s->state));
    s->run.upper_bound = s->state.upper_bound;
}

// The clock cuts the legs of one team after another. Some legs resume from the last but one checkpoint, which was taken
// while the workers continued.
static void test_stop_and_resume(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta030");
    char path[200], before[220];
    snprintf(path, sizeof path, "%s", test_path("pool.ckpt"));
    snprintf(before, sizeof before, "%s.prev", path);
    int resumed = 0;
    bool is_done = false;
    for (int leg = 0; !is_done; leg++) {
        const team *w = &teams[leg % COUNT_OF(teams)];
        solve_of_test s;
        prepare(&s, shop, w->engine, w->gpus, w->threads, 2178);
        s.params.checkpoint = path;
        s.params.checkpoint_interval_s = 0.01;
        s.run.run.begin_s = mco_clock_s();
        s.run.run.stop_s = leg < 12 ? s.run.run.begin_s + 0.06 : INFINITY;
        if (leg > 0 && leg % 2 == 1 && access(before, R_OK) == 0) {
            resume_from(&s, before);  // as after a crash: a part of the last leg is lost
            resumed++;
        } else if (leg > 0) {
            resume_from(&s, path);
        } else {
            begin_with_root(&s);
        }
        assert_ok(search(&s));
        is_done = s.is_proved;
        assert_int_equal(s.stop, is_done ? MCO_STOP_FINISHED : MCO_STOP_TIME);
        if (is_done)
            assert_int_equal(s.result.nodes, 2415746);
        end(&s);
    }
    assert_true(resumed > 0);
    mco_flowshop_destroy(test_ctx, &shop);
}

// Legs with many workers on few processors are cut short again and again. When a leg ends, some workers are about to
// give work to others that leave. No work may be lost on the way.
static void test_nothing_is_lost_at_stops(void **state)
{
    (void)state;
    static const team crowds[] = {
        {MCO_ENGINE_CPU, 0, 48}, {MCO_ENGINE_CPU, 0, 48}, {MCO_ENGINE_HYBRID, 3, 24}};
    mco_flowshop *shop = taillard(TEST_IS_SANITIZED ? "ta020" : "ta030");
    for (int c = 0; c < COUNT_OF(crowds); c++) {
        solve_of_test s;
        prepare(&s, shop, crowds[c].engine, crowds[c].gpus, crowds[c].threads, TEST_IS_SANITIZED ? 1591 : 2178);
        begin_with_root(&s);
        for (int leg = 0; !s.is_proved; leg++) {
            s.run.run.stop_s = leg < 50 ? mco_clock_s() + 0.005 : INFINITY;
            assert_ok(search(&s));
        }
        assert_int_equal(s.result.nodes, TEST_IS_SANITIZED ? 268812 : 2415746);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

static void drop_line(mco_log_level level, const char *line, void *user)
{
    (void)level, (void)line, (void)user;
}

static mco_run *hurried;

// Makes a row of the log due at once, and the next call of this function.
static int hurry(const mco_progress *progress, void *user)
{
    (void)progress;
    ++*(int *)user;
    hurried->row_s = hurried->reported_s = -1e9;
    return 0;
}

// Rows of the log are written while a note is taken.
static void test_log_within_notes(void **state)
{
    (void)state;
    enum { LONGEST_S = 1000 };  // a hang
    mco_flowshop *shop = taillard("ta020");
    solve_of_test s;
    int calls = 0;
    test_ctx->params.log = drop_line;
    test_ctx->params.log_level = MCO_LOG_INFO;
    mco_context_set_callback(test_ctx, hurry, &calls);
    alarm(LONGEST_S);
    prepare(&s, shop, MCO_ENGINE_CPU, 0, 3, 1591);
    hurried = &s.run.run;
    s.run.run.reported_s = -1e9;
    s.params.checkpoint = test_path("log.ckpt");
    s.params.checkpoint_interval_s = 0.001;
    begin_with_root(&s);
    assert_ok(search(&s));
    assert_int_equal(s.result.nodes, 268812);
    assert_true(calls > 1);
    alarm(0);
    end(&s);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Failing GPUs, failing memory

static int64_t optimum_by_reference(const mco_flowshop *shop)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    params.engine = MCO_ENGINE_REFERENCE;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    const int64_t makespan = result.makespan;
    mco_flowshop_result_clear(test_ctx, &result);
    return makespan;
}

static void test_failure_keeps_the_search(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    const char *path = test_path("failed.ckpt");
    for (int w = 1; w < COUNT_OF(teams); w++) {
        solve_of_test s;
        prepare(&s, shop, teams[w].engine, teams[w].gpus, teams[w].threads, 1591);
        mocks.fail_at = 20000;
        s.params.checkpoint = path;
        begin_with_root(&s);
        mco_status st = search(&s);
        // In the hybrid engine the cores may have done nearly everything.
        assert_true(st == MCO_ERR_DEVICE || teams[w].engine == MCO_ENGINE_HYBRID);
        if (st == MCO_ERR_DEVICE) {
            expect_text("the mock failed as asked");
            expect_text("--resume");
        }
        end(&s);
        prepare(&s, shop, MCO_ENGINE_CPU, 0, 2, 1591);
        resume_from(&s, path);
        assert_true(st == MCO_OK || s.state.open.count > 0);
        assert_ok(search(&s));
        assert_int_equal(s.result.nodes, 268812);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// The GPU fails, and the k-th allocation fails with it. The checkpoint, if there is one, still leads to the optimum.
static void test_failure_with_memory_short(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    const char *path = test_path("short.ckpt");
    int64_t optimum;
    assert_ok(mco_flowshop_generate(test_ctx, 9, 4, 1, &shop));
    optimum = optimum_by_reference(shop);
    bool has_failed = true;
    int kept = 0, lost = 0;
    for (long k = 1; has_failed; k++) {
        solve_of_test s;
        prepare(&s, shop, MCO_ENGINE_GPU, 1, 1, 1000);
        mocks.fail_at = 1;
        s.params.checkpoint = path;
        begin_with_root(&s);
        unlink(path);
        test_fail_allocation(k);
        mco_status st = search(&s);
        has_failed = test_memory.calls >= k;
        test_fail_allocation(0);
        assert_true(st == MCO_ERR_DEVICE || (has_failed && st == MCO_ERR_MEMORY));
        end(&s);
        if (st == MCO_ERR_DEVICE) {
            expect_text("the mock failed as asked");
            const bool is_kept = access(path, R_OK) == 0;
            expect_text(is_kept ? "--resume" : "lost");
            kept += is_kept;
            lost += !is_kept;
        }
        if (access(path, R_OK) != 0)
            continue;
        prepare(&s, shop, MCO_ENGINE_CPU, 0, 2, 1000);
        resume_from(&s, path);
        assert_ok(search(&s));
        assert_int_equal(s.run.upper_bound, optimum);
        end(&s);
    }
    assert_true(kept > 0 && lost > 0);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_failure_without_checkpoint(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta011");
    solve_of_test s;
    prepare(&s, shop, MCO_ENGINE_GPU, 2, 1, 1582);
    mocks.fail_at = 1000;
    begin_with_root(&s);
    assert_int_equal(search(&s), MCO_ERR_DEVICE);
    expect_text("--checkpoint");
    end(&s);
    prepare(&s, shop, MCO_ENGINE_HYBRID, 2, 2, 1582);
    mocks.fails_to_open = true;
    begin_with_root(&s);
    assert_int_equal(search(&s), MCO_ERR_DEVICE);
    assert_string_equal(mco_context_error(test_ctx), "the mock cannot be opened");
    end(&s);
    mco_flowshop_destroy(test_ctx, &shop);
}

// The k-th allocation fails, for every k: there must be a status, and nothing may be left behind.
static void test_memory_fails(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_generate(test_ctx, 7, 4, 1, &shop));
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st == MCO_ERR_MEMORY; k++) {
        solve_of_test s;
        prepare(&s, shop, MCO_ENGINE_HYBRID, 1, 1, 500);
        begin_with_root(&s);
        test_fail_allocation(k);
        st = search(&s);
        const bool has_failed = test_memory.calls >= k;
        test_fail_allocation(0);
        assert_int_equal(st, has_failed ? MCO_ERR_MEMORY : MCO_OK);
        end(&s);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stop_and_resume),
        TEST(test_nothing_is_lost_at_stops), TEST(test_log_within_notes),
        TEST(test_failure_keeps_the_search),
        TEST(test_failure_with_memory_short),
        TEST(test_failure_without_checkpoint),
        TEST(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
