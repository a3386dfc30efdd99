// SPDX-License-Identifier: MIT
// Overlays: the check of right and wrong ones, their files, the program that is exported; failing memory.
#include "test_support.h"

#include <math.h>

#include "mco/overlay.h"
#include "overlay/dual.h"

static mco_overlay *read_text(const char *text)
{
    mco_overlay *o = NULL;
    assert_ok(mco_overlay_read(test_ctx, test_file("i.csv", text), NULL, &o));
    return o;
}

// ---- The check

static void test_check(void **state)
{
    (void)state;
    mco_overlay *o = read_text("least,2\nname,uptime,bandwidth\na,0.5,10\nb,0.5,4.5\nc,0.5,3\nd,0.5,1\nfrom,to\na,b\na,c\nb,c\nc,d\n");
    int32_t from[] = {0, 0}, to[] = {1, 2};
    int64_t bandwidth[] = {45, 30};
    double worth;
    mco_overlay_solution s = {from, to, bandwidth, 2};
    assert_ok(mco_overlay_check(test_ctx, o, &s, &worth));
    assert_true(fabs(worth - 7.5 / 4) < 1e-9);
    s.count = 0;
    assert_ok(mco_overlay_check(test_ctx, o, &s, &worth));
    assert_true(worth == 0);
    s.count = 2;
    bandwidth[0] = 46;
    assert_fails(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK, "link 1, between a and b, carries 4.6; allowed is 2 to 4.5");
    bandwidth[0] = 19;
    assert_fails(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK, "link 1, between a and b, carries 1.9; allowed is 2 to 4.5");
    bandwidth[0] = -1;
    assert_int_equal(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK);
    bandwidth[0] = 40;
    from[1] = 1;
    assert_fails(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK, "the links of node b carry 7, its bandwidth is 4.5");
    from[1] = 1;
    to[1] = 0;
    bandwidth[0] = bandwidth[1] = 20;
    assert_fails(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK, "the link between a and b stands twice");
    to[1] = 3;
    assert_fails(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK, "link 2, between b and d, is not possible in this instance");
    to[1] = 1;
    assert_fails(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK, "link 2 joins nodes 2 and 2, expected are two different ones of 4");
    to[1] = 4;
    assert_fails(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK, "link 2 joins nodes 2 and 5, expected are two different ones of 4");
    from[1] = 2;
    to[1] = 3;
    assert_fails(mco_overlay_check(test_ctx, o, &s, &worth), MCO_ERR_CHECK, "link 2, between c and d, carries 2; allowed is 2 to 1");
    mco_overlay_destroy(test_ctx, &o);
}

static void test_solution_files(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"", "s:1:1: the text ends where an overlay was expected"},
        {"from,to\n1,2\n", "s:1:"},
        {"from,to,bandwidth\na,x,1\n", "s:2:3: "},
        {"from,to,bandwidth\na,b,1.25\n", "s:2:5: "},
        {"from,to,bandwidth\na,b\n", "s:2:"},
        {"from,to,bandwidth\na,b,-1\n", "s:2:5: "},
        {"{\"kind\": \"overlay\", \"solution\": {\"from\": [1], \"to\": [2]}}", "the result file has no overlay: its solution lacks bandwidth"},
        {"{\"kind\": \"overlay\", \"solution\": {\"duals\": [1]}}", "the result file has no overlay: its solution lacks from"},
        {"{\"kind\": \"overlay\"}", "the result file has no overlay: its solution lacks from"},
        {"{\"kind\": \"overlay\", \"solution\": {\"from\": [1], \"to\": [2, 3], \"bandwidth\": [1]}}", "the members from, to and bandwidth have 1, 2 and 1 entries"},
        {"{\"kind\": \"overlay\", \"solution\": {\"from\": [4], \"to\": [2], \"bandwidth\": [1]}}", "s:1:"},
        {"{\"kind\": \"vrp\", \"from\": []}", "s:1:"},
        {"{\"kind\": \"overlay\", \"solution\": {\"from\": [1", "s:1:"},
    };
    mco_overlay *o = read_text("name,uptime,bandwidth\na,0.5,10\nb,0.5,4.5\nc,0.5,3\n");
    mco_overlay_solution s = {0};
    double stated;
    for (int k = 0; k < COUNT_OF(texts); k++) {
        const mco_status st = mco_overlay_read_solution(test_ctx, o, test_file("s", texts[k][0]), &s, &stated);
        if (st == MCO_OK || strstr(mco_context_error(test_ctx), texts[k][1]) == NULL)
            fail_msg("%s: \"%s\" lacks \"%s\"", mco_status_text(st), mco_context_error(test_ctx), texts[k][1]);
        assert_null(s.from);
    }
    assert_ok(mco_overlay_read_solution(test_ctx, o, test_file("s", "bandwidth,to,from\n0.5,c,a\n3,b,c\n"), &s, &stated));
    assert_true(s.count == 2 && s.from[0] == 0 && s.to[0] == 2 && s.bandwidth[0] == 5 && s.from[1] == 2 && s.to[1] == 1 && s.bandwidth[1] == 30);
    assert_true(isnan(stated));
    mco_overlay_solution_clear(test_ctx, &s);
    assert_int_equal(s.count, 0);
    mco_overlay_destroy(test_ctx, &o);
}

// ---- Export

static void test_export(void **state)
{
    (void)state;
    mco_overlay *o = read_text("least,2\nuptime,bandwidth\n0.5,10\n0.5,4\nfrom,to,weight\n1,2,0.5\n");
    assert_ok(mco_overlay_export(test_ctx, o, true, test_path("p.mps")));
    char *text = test_content(test_path("p.mps"));
    assert_non_null(text);
    assert_non_null(strstr(text, "COLUMNS"));
    assert_non_null(strstr(text, "-0.5"));
    assert_non_null(strstr(text, "INTORG"));
    free(text);
    assert_ok(mco_overlay_export(test_ctx, o, false, test_path("p.lp")));
    text = test_content(test_path("p.lp"));
    assert_non_null(text);
    assert_non_null(strstr(text, "- 0.5 x0"));
    assert_non_null(strstr(text, "- 4 x1"));  // x <= 4 y
    assert_non_null(strstr(text, "- 2 x1"));
    free(text);
    mco_overlay_destroy(test_ctx, &o);
}

// ---- Failing memory

static void test_failing_memory(void **state)
{
    (void)state;
    mco_overlay *o = read_text("name,uptime,bandwidth\na,0.5,10\nb,0.5,4.5\nc,0.5,3\n");
    const char *const paths[] = {test_file("s.csv", "from,to,bandwidth\na,b,2\n"),
                                 test_file("s.json", "{\"kind\": \"overlay\", \"solution\": {\"from\": [1], \"to\": [2], \"bandwidth\": [2]}}")};
    const long before = test_memory.live;
    for (int f = 0; f < COUNT_OF(paths); f++) {
        mco_status st = MCO_ERR_MEMORY;
        for (long k = 1; st != MCO_OK && k < 100; k++) {
            mco_overlay_solution s = {0};
            double stated, worth;
            test_fail_allocation(k);
            st = mco_overlay_read_solution(test_ctx, o, paths[f], &s, &stated);
            if (st == MCO_OK)
                st = mco_overlay_check(test_ctx, o, &s, &worth);
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
            mco_overlay_solution_clear(test_ctx, &s);
            assert_int_equal(test_memory.live, before);
        }
        test_fail_allocation(0);
        assert_int_equal(st, MCO_OK);
    }
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK && k < 100; k++) {
        test_fail_allocation(k);
        st = mco_overlay_export(test_ctx, o, true, test_path("p.mps"));
        assert_true((st == MCO_OK || st == MCO_ERR_MEMORY) && test_memory.live == before);
    }
    test_fail_allocation(0);
    assert_int_equal(st, MCO_OK);
    mco_overlay_destroy(test_ctx, &o);
}

// A cancel ends the check of a bound, unless it has ended the run before.
static void test_cancelled_check(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "bound"};
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    g.nodes = 500;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    mco_run run = mco_run_begin(test_ctx, &settings);
    overlay_dual d;
    overlay_sum before, after;
    assert_ok(overlay_dual_open(test_ctx, &run, o, &p, &overlay_plain, 1, &d));
    assert_true(overlay_check_best(&d, &before));
    mco_cancel(test_ctx);
    assert_false(overlay_check_best(&d, &after));
    assert_int_equal(run.stop, MCO_STOP_CANCELLED);
    assert_true(overlay_check_best(&d, &after));
    assert_true(before.low > 0 && before.low == after.low && before.high == after.high);
    mco_clear_cancel(test_ctx);
    overlay_dual_close(&d);
    mco_run_clear(&run);
    mco_overlay_destroy(test_ctx, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_check), TEST(test_cancelled_check), TEST(test_solution_files), TEST(test_export), TEST(test_failing_memory)};
    return cmocka_run_group_tests_name("overlay check", tests, NULL, NULL);
}
