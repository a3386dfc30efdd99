// SPDX-License-Identifier: MIT
// One solve as its caller sees it: history and bound, the ends, the callback, the clock, and the table in the log.
#include "test_support.h"

#include <math.h>

#include "base/run.h"
#include "mco/options.h"

static const mco_run_settings endless = {.time_limit_s = (double)INFINITY, .target = -1, .objective = "cost"};

// Where nothing may be due yet, the last time is moved later by this much, because a busy machine may pause between two
// calls.
static const double LATER_S = 1000;

static mco_run begin(mco_run_settings settings)
{
    return mco_run_begin(test_ctx, &settings);
}

static void assert_goes_on(mco_run *run)
{
    if (mco_run_must_stop(run, 1))
        fail_msg("the run must stop: %s", mco_stop_text(run->stop));
}

static void assert_stops(mco_run *run, mco_stop stop)
{
    assert_true(mco_run_must_stop(run, 1));
    assert_string_equal(mco_stop_text(run->stop), mco_stop_text(stop));
}

// ---- History and bound

static void test_begin(void **state)
{
    (void)state;
    mco_run run = begin(endless);
    assert_true(isnan(run.objective) && isnan(run.bound));
    assert_null(run.solution);
    assert_int_equal(run.history_count, 0);
    assert_int_equal(run.stop, MCO_STOP_FINISHED);
    assert_true(mco_run_time_s(&run) >= 0 && mco_run_time_s(&run) < 10);
    assert_goes_on(&run);
    assert_int_equal(run.work, 1);
    mco_run_clear(&run);
    mco_run_clear(&run);
    mco_run nothing = {0};
    mco_run_clear(&nothing);
}

static void test_history(void **state)
{
    (void)state;
    enum { COUNT = 100 };  // more than the first room
    mco_run run = begin(endless);
    mco_improvement *history = NULL;
    int64_t count;
    int solutions[COUNT];
    for (int i = 0; i < COUNT; i++) {
        if (i % 10 == 5)
            mco_run_raise_bound(&run, i);
        assert_ok(mco_run_improve(&run, 1000 - i, &solutions[i], "test"));
        assert_true(run.objective == 1000 - i);
        assert_ptr_equal(run.solution, &solutions[i]);
        assert_int_equal(run.history_count, i + 1);
    }
    const mco_improvement *before = run.history;
    mco_run_give_history(&run, &history, &count);
    assert_ptr_equal(history, before);
    assert_null(run.history);
    assert_int_equal(run.history_count, 0);
    assert_int_equal(run.history_room, 0);
    assert_int_equal(count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_true(history[i].objective == 1000 - i);
        assert_true(i < 5 ? isnan(history[i].bound) : history[i].bound == (i + 5) / 10 * 10 - 5);
        assert_true(history[i].time_s >= (i > 0 ? history[i - 1].time_s : 0));
    }
    mco_free(test_ctx, &history);
    // After it is given away, the history begins again.
    assert_ok(mco_run_improve(&run, 1, NULL, "test"));
    assert_int_equal(run.history_count, 1);
    mco_run_clear(&run);
    mco_run_give_history(&run, &history, &count);
    assert_null(history);
}

static void test_bound(void **state)
{
    (void)state;
    mco_run_settings s = endless;
    for (int maximises = 0; maximises <= 1; maximises++) {
        const int sign = maximises ? -1 : 1;
        s.maximises = maximises;
        mco_run run = begin(s);
        mco_run_raise_bound(&run, sign * 5);
        assert_true(run.bound == sign * 5);
        mco_run_raise_bound(&run, sign * 4);  // weaker than before
        assert_true(run.bound == sign * 5);
        mco_run_raise_bound(&run, sign * 7);
        assert_true(run.bound == sign * 7);
        mco_run_raise_bound(&run, (double)NAN);
        assert_true(run.bound == sign * 7);
        assert_int_equal(run.history_count, 0);
        mco_run_clear(&run);
    }
}

static void test_allocation_fails(void **state)
{
    (void)state;
    mco_run run = begin(endless);
    int first, second;
    test_fail_allocation(1);
    assert_int_equal(mco_run_improve(&run, 9, &first, "test"), MCO_ERR_MEMORY);
    assert_true(isnan(run.objective));
    assert_null(run.solution);
    assert_int_equal(run.history_count, 0);
    test_fail_allocation(0);
    while (run.history_count == 0 || run.history_count < run.history_room)
        assert_ok(mco_run_improve(&run, 8, &first, "test"));
    const int64_t full = run.history_count;
    test_fail_allocation(1);
    assert_int_equal(mco_run_improve(&run, 7, &second, "test"), MCO_ERR_MEMORY);
    assert_true(run.objective == 8);
    assert_ptr_equal(run.solution, &first);
    assert_int_equal(run.history_count, full);
    assert_true(run.history[full - 1].objective == 8);
    test_fail_allocation(0);
    assert_ok(mco_run_improve(&run, 7, &second, "test"));
    assert_true(run.history[full - 1].objective == 8 && run.history[full].objective == 7);
    mco_run_clear(&run);
}

// ---- Ends

static void test_target(void **state)
{
    (void)state;
    static const struct {
        double target, objective;
        bool maximises, is_met;
    } cases[] = {
        {100, (double)NAN, false, false}, {100, 101, false, false}, {100, 100, false, true},  {100, 99, false, true},
        {100, (double)NAN, true, false},  {100, 99, true, false},   {100, 100, true, true},   {100, 101, true, true},
        {99.5, 99.75, false, false},      {99.5, 99.5, false, true}, {0, 0, false, true},      {0, 1, false, false},
        {-1, 0, false, false},            {-1, 5, true, false},      {0, (double)NAN, true, false},
    };
    for (int c = 0; c < COUNT_OF(cases); c++) {
        mco_run_settings s = endless;
        s.target = cases[c].target;
        s.maximises = cases[c].maximises;
        mco_run run = begin(s);
        if (!isnan(cases[c].objective))
            assert_ok(mco_run_improve(&run, cases[c].objective, NULL, "test"));
        if (cases[c].is_met)
            assert_stops(&run, MCO_STOP_TARGET);
        else
            assert_goes_on(&run);
        mco_run_clear(&run);
    }
}

static void test_gap(void **state)
{
    (void)state;
    static const struct {
        double gap, objective, bound;
        bool maximises, is_met;
    } cases[] = {
        // 10 / 110 and 10 / 90: the gap is relative to the objective.
        {0.0909, 110, 100, false, false}, {0.0910, 110, 100, false, true},
        {0.1111, 90, 100, true, false},   {0.1112, 90, 100, true, true},
        {1, (double)NAN, 100, false, false}, {1, 100, (double)NAN, false, false}, {1, (double)NAN, (double)NAN, true, false},
        {0.01, 100, 100, false, true},    {0.01, 0, 0, false, true},    {1, 0, 5, true, false},
        {0, 100, 100, false, false},      {0, 100, 100, true, false},   {1e-9, 1e15, 1e15 - 1, false, true},
        {0.5, -10, -12, false, true},     {0.1, -10, -12, false, false},
    };
    for (int c = 0; c < COUNT_OF(cases); c++) {
        mco_run_settings s = endless;
        s.gap = cases[c].gap;
        s.maximises = cases[c].maximises;
        mco_run run = begin(s);
        if (!isnan(cases[c].bound))
            mco_run_raise_bound(&run, cases[c].bound);
        if (!isnan(cases[c].objective))
            assert_ok(mco_run_improve(&run, cases[c].objective, NULL, "test"));
        if (cases[c].is_met)
            assert_stops(&run, MCO_STOP_GAP);
        else
            assert_goes_on(&run);
        mco_run_clear(&run);
    }
}

static void test_ends_at_bound(void **state)
{
    (void)state;
    for (int ends = 0; ends <= 1; ends++)
        for (int maximises = 0; maximises <= 1; maximises++) {
            mco_run_settings s = endless;
            s.ends_at_bound = ends;
            s.maximises = maximises;
            mco_run run = begin(s);
            assert_goes_on(&run);  // neither is known
            assert_ok(mco_run_improve(&run, 50, NULL, "test"));
            assert_goes_on(&run);
            mco_run_raise_bound(&run, maximises ? 51 : 49);
            assert_goes_on(&run);
            mco_run_raise_bound(&run, 50);
            if (ends)
                assert_stops(&run, MCO_STOP_FINISHED);
            else
                assert_goes_on(&run);
            mco_run_clear(&run);
        }
}

// What is proven comes before what was asked for, and a cancellation comes before everything.
static void test_order_of_ends(void **state)
{
    (void)state;
    mco_run run = begin((mco_run_settings){.time_limit_s = 0, .target = 60, .gap = 0.5, .ends_at_bound = true,
                                           .objective = "cost"});
    assert_stops(&run, MCO_STOP_TIME);
    assert_ok(mco_run_improve(&run, 90, NULL, "test"));
    mco_run_raise_bound(&run, 50);
    assert_stops(&run, MCO_STOP_GAP);
    assert_ok(mco_run_improve(&run, 60, NULL, "test"));
    assert_stops(&run, MCO_STOP_TARGET);
    assert_ok(mco_run_improve(&run, 50, NULL, "test"));
    assert_stops(&run, MCO_STOP_FINISHED);
    mco_cancel(test_ctx);
    assert_stops(&run, MCO_STOP_CANCELLED);
    mco_clear_cancel(test_ctx);
    assert_stops(&run, MCO_STOP_FINISHED);
    mco_run_clear(&run);
}

static void test_time_limit(void **state)
{
    (void)state;
    mco_run run = begin(endless);
    assert_true(mco_run_share(&run) == 0);
    mco_run_limit(&run, 0);
    assert_stops(&run, MCO_STOP_TIME);
    assert_true(mco_run_share(&run) == 1);
    mco_run_limit(&run, 1000);
    assert_goes_on(&run);
    assert_true(mco_run_share(&run) >= 0 && mco_run_share(&run) < 0.1);
    // The limit counts from the beginning of the run.
    run.begin_s -= 600;
    mco_run_limit(&run, 1000);
    assert_goes_on(&run);
    assert_true(mco_run_share(&run) > 0.59 && mco_run_share(&run) < 0.7);
    assert_true(mco_run_time_s(&run) >= 600);
    mco_run_limit(&run, 599);
    assert_stops(&run, MCO_STOP_TIME);
    assert_true(mco_run_share(&run) > 1);
    const double none[] = {(double)INFINITY, MCO_NO_LIMIT};
    for (int i = 0; i < COUNT_OF(none); i++) {
        mco_run_limit(&run, none[i]);
        assert_goes_on(&run);
        assert_true(isinf(run.stop_s) && mco_run_share(&run) == 0);
    }
    mco_run_clear(&run);
    run = begin((mco_run_settings){.time_limit_s = 0.02, .target = -1, .objective = "cost"});
    usleep(25000);
    assert_stops(&run, MCO_STOP_TIME);
    mco_run_clear(&run);
}

// ---- The callback

typedef struct calls {
    int incumbents, progress;
    mco_progress last;
    bool stops;
} calls;

static int note(const mco_progress *progress, void *user)
{
    calls *c = user;
    c->incumbents += progress->event == MCO_EVENT_INCUMBENT;
    c->progress += progress->event == MCO_EVENT_PROGRESS;
    c->last = *progress;
    return c->stops;
}

static void test_callback(void **state)
{
    (void)state;
    calls c = {0};
    int solution;
    mco_run run = begin(endless);
    mco_context_set_callback(test_ctx, note, &c);
    run.reported_s += LATER_S;
    assert_goes_on(&run);
    assert_int_equal(c.progress, 0);  // at most every 0.1 s
    run.reported_s -= LATER_S + 0.2;
    assert_false(mco_run_must_stop(&run, 77));
    assert_int_equal(c.progress, 1);
    assert_true(isnan(c.last.objective) && isnan(c.last.bound));
    assert_null(c.last.solution);
    assert_int_equal(c.last.work, 77);
    mco_run_raise_bound(&run, 3);
    assert_ok(mco_run_improve(&run, 4, &solution, "test"));
    assert_int_equal(c.incumbents, 1);
    assert_true(c.last.objective == 4 && c.last.bound == 3 && c.last.time_s >= 0);
    assert_ptr_equal(c.last.solution, &solution);
    assert_ok(mco_run_improve(&run, 3.5, &solution, "test"));  // each improvement is told, however soon it comes
    assert_int_equal(c.incumbents, 2);
    assert_true(c.last.objective == 3.5);
    run.reported_s += LATER_S;
    assert_goes_on(&run);
    assert_int_equal(c.progress, 1);
    mco_run_clear(&run);
}

// Once either call has asked the run to stop, it stays stopped.
static void test_callback_stops(void **state)
{
    (void)state;
    for (int by_progress = 0; by_progress <= 1; by_progress++) {
        calls c = {.stops = true};
        mco_run run = begin(endless);
        mco_context_set_callback(test_ctx, note, &c);
        if (by_progress)
            run.reported_s -= 1;
        else
            assert_ok(mco_run_improve(&run, 5, NULL, "test"));
        assert_stops(&run, MCO_STOP_CANCELLED);
        c.stops = false;
        assert_stops(&run, MCO_STOP_CANCELLED);
        mco_run_clear(&run);
        mco_context_set_callback(test_ctx, NULL, NULL);
    }
}

static void test_cancel(void **state)
{
    (void)state;
    mco_run run = begin(endless);
    mco_cancel(test_ctx);
    assert_stops(&run, MCO_STOP_CANCELLED);
    mco_clear_cancel(test_ctx);
    assert_goes_on(&run);
    mco_run_clear(&run);
}

// ---- The log

typedef struct lines {
    int count;
    char last[8][200];  // the last lines; line k is at k % 8
} lines;

static void add_line(mco_log_level level, const char *text, void *user)
{
    lines *l = user;
    assert_int_equal(level, MCO_LOG_INFO);
    snprintf(l->last[l->count++ % 8], sizeof l->last[0], "%s", text);
}

static const char *line(const lines *l, int k)
{
    assert_true(k >= 0 && k < l->count && k >= l->count - 8);
    return l->last[k % 8];
}

// Compares the row without its time, which has eight or nine characters.
static void assert_row(const lines *l, int k, const char *expected)
{
    double time_s;
    int length = 0;
    assert_int_equal(sscanf(line(l, k), "%lf%n", &time_s, &length), 1);
    assert_int_equal(length, 9);
    assert_true(time_s >= 0 && time_s < 100);
    assert_string_equal(line(l, k) + length, expected);
}

static mco_context *context_with_log(lines *l, mco_log_level level)
{
    mco_context *ctx = NULL;
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    memset(l, 0, sizeof *l);
    params.log = add_line;
    params.log_user = l;
    params.log_level = level;
    assert_int_equal(mco_context_create(&ctx, &params), MCO_OK);
    return ctx;
}

static void write_left(void *user, char *out, size_t size)
{
    snprintf(out, size, " %7d", *(const int *)user);
}

static void write_twice(void *user, char *out, size_t size)
{
    snprintf(out, size, " %7d", 2 * *(const int *)user);
}

static const char HEADER[] = "   time s  found by            cost          bound      gap";

static void test_log(void **state)
{
    (void)state;
    lines l;
    mco_context *ctx = context_with_log(&l, MCO_LOG_INFO);
    mco_run_settings s = endless;
    s.decimals = 2;
    mco_run run = mco_run_begin(ctx, &s);
    mco_run_log_end(&run);
    assert_goes_on(&run);
    assert_int_equal(l.count, 0);  // nothing to tell yet
    assert_int_equal(mco_run_improve(&run, 200, NULL, "start"), MCO_OK);
    assert_int_equal(l.count, 2);
    assert_string_equal(line(&l, 0), HEADER);
    assert_row(&l, 1, "  start             200.00              -        -");
    // Many improvements come at once: only the last of them is told, later.
    run.row_s += LATER_S;
    mco_run_raise_bound(&run, 100);
    assert_int_equal(mco_run_improve(&run, 150, NULL, "walk"), MCO_OK);
    assert_int_equal(mco_run_improve(&run, 125, NULL, "tree"), MCO_OK);
    assert_goes_on(&run);
    assert_int_equal(l.count, 2);
    run.row_s -= LATER_S + 0.6;
    assert_goes_on(&run);
    assert_int_equal(l.count, 3);
    assert_row(&l, 2, "  tree              125.00         100.00  20.000%");
    // Without improvements there is a row every 5 s.
    run.row_s += LATER_S;
    assert_goes_on(&run);
    assert_int_equal(l.count, 3);
    run.row_s -= LATER_S + 5.1;
    assert_goes_on(&run);
    assert_int_equal(l.count, 4);
    assert_row(&l, 3, "                    125.00         100.00  20.000%");
    // At the end there is a last row.
    mco_run_raise_bound(&run, 125);
    mco_run_log_end(&run);
    assert_int_equal(l.count, 5);
    assert_row(&l, 4, "                    125.00         125.00   0.000%");
    mco_run_clear(&run);
    mco_context_destroy(&ctx);
}

// An improvement that comes last is told at the end.
static void test_log_of_the_end(void **state)
{
    (void)state;
    lines l;
    mco_context *ctx = context_with_log(&l, MCO_LOG_INFO);
    mco_run run = mco_run_begin(ctx, &endless);
    assert_int_equal(mco_run_improve(&run, 9, NULL, "start"), MCO_OK);
    run.row_s += LATER_S;
    assert_int_equal(mco_run_improve(&run, 8, NULL, "tree"), MCO_OK);
    assert_int_equal(l.count, 2);
    mco_run_log_end(&run);
    assert_int_equal(l.count, 3);
    assert_row(&l, 2, "  tree                   8              -        -");
    mco_run_clear(&run);
    mco_context_destroy(&ctx);
}

static void test_log_of_long_runs(void **state)
{
    (void)state;
    enum { ROWS = 45 };
    lines l;
    mco_context *ctx = context_with_log(&l, MCO_LOG_INFO);
    mco_run run = mco_run_begin(ctx, &endless);
    int headers = 0;
    for (int row = 0; row < ROWS; row++) {
        run.row_s -= 6;
        assert_goes_on(&run);
        const int before = headers;
        headers += strcmp(line(&l, l.count - 2 >= 0 ? l.count - 2 : 0), HEADER) == 0;
        assert_int_equal(headers - before, row % 20 == 0);
        assert_row(&l, l.count - 1, "                         -              -        -");
    }
    assert_int_equal(headers, 3);
    assert_int_equal(l.count, ROWS + headers);
    mco_run_clear(&run);
    mco_context_destroy(&ctx);
}

// The problem's own columns: under a header with their names, which is repeated when they change.
static void test_columns(void **state)
{
    (void)state;
    static const char LEFT[] = "    left", TWICE[] = "   twice";
    lines l;
    mco_context *ctx = context_with_log(&l, MCO_LOG_INFO);
    int left = 7;
    char header[100];
    mco_run_settings s = endless;
    s.columns = LEFT;
    s.write_columns = write_left;
    s.user = &left;
    mco_run run = mco_run_begin(ctx, &s);
    assert_int_equal(mco_run_improve(&run, 40, NULL, "start"), MCO_OK);
    snprintf(header, sizeof header, "%s%s", HEADER, LEFT);
    assert_string_equal(line(&l, 0), header);
    assert_row(&l, 1, "  start                 40              -        -       7");
    mco_run_set_columns(&run, LEFT, write_twice, &left);  // the same names: no new header
    run.row_s -= 6;
    assert_goes_on(&run);
    assert_int_equal(l.count, 3);
    assert_row(&l, 2, "                        40              -        -      14");
    mco_run_set_columns(&run, TWICE, write_twice, &left);
    run.row_s -= 6;
    assert_goes_on(&run);
    assert_int_equal(l.count, 5);
    snprintf(header, sizeof header, "%s%s", HEADER, TWICE);
    assert_string_equal(line(&l, 3), header);
    assert_row(&l, 4, "                        40              -        -      14");
    mco_run_set_columns(&run, NULL, NULL, NULL);
    mco_run_log_end(&run);  // nothing is new since the last row
    assert_int_equal(l.count, 5);
    run.row_s -= 6;
    mco_run_log_end(&run);
    assert_int_equal(l.count, 7);
    assert_string_equal(line(&l, 5), HEADER);
    assert_row(&l, 6, "                        40              -        -");
    mco_run_clear(&run);
    mco_context_destroy(&ctx);
}

static void test_log_of_warnings_only(void **state)
{
    (void)state;
    lines l;
    mco_context *ctx = context_with_log(&l, MCO_LOG_WARNING);
    mco_run run = mco_run_begin(ctx, &endless);
    assert_int_equal(mco_run_improve(&run, 9, NULL, "start"), MCO_OK);
    run.row_s -= 6;
    assert_goes_on(&run);
    mco_run_log_end(&run);
    assert_int_equal(l.count, 0);
    mco_run_clear(&run);
    mco_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_begin),         TEST(test_history),        TEST(test_bound),    TEST(test_allocation_fails),
        TEST(test_target),        TEST(test_gap),            TEST(test_ends_at_bound),
        TEST(test_order_of_ends), TEST(test_time_limit),     TEST(test_callback), TEST(test_callback_stops),
        TEST(test_cancel),        TEST(test_log),            TEST(test_log_of_the_end),
        TEST(test_log_of_long_runs), TEST(test_columns),     TEST(test_log_of_warnings_only),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
