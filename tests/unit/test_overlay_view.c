// SPDX-License-Identifier: MIT
// Pictures of overlays: well-formed documents, inside their frame, on a circle and as a matrix; of bounds and of rounds; names that need
// escapes; empty ones.
#include "svg_support.h"

#include "overlay/instance.h"

// The picture in `path`: a document that stays inside its frame. The caller frees it.
static char *document(const char *path)
{
    char *text = svg_read(path);
    assert_true(svg_is_well_formed(text));
    assert_true(svg_is_inside_its_frame(text));
    return text;
}

static mco_overlay *generated(int64_t nodes)
{
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.nodes = nodes;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    return o;
}

static char *plotted(const mco_overlay *o)
{
    mco_overlay_params p = MCO_OVERLAY_PARAMS_INIT;
    mco_overlay_result r = MCO_OVERLAY_RESULT_INIT;
    const char *path = test_path("p.svg");
    p.iterations = 20;
    p.time_limit_s = mco_overlay_nodes(o) > 100 ? 5 : MCO_NO_LIMIT;  // its proof takes long
    assert_ok(mco_overlay_solve(test_ctx, o, &p, &r));
    assert_ok(mco_overlay_plot(test_ctx, o, &r, path));
    mco_overlay_result_clear(test_ctx, &r);
    return document(path);
}

static void test_sizes(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 40, 120, 121, 300};
    for (int k = 0; k < COUNT_OF(sizes); k++) {
        mco_overlay *o = generated(sizes[k]);
        char *text = plotted(o);
        assert_int_equal(strstr(text, "too many for a circle") != NULL, sizes[k] > 120);
        assert_int_equal(strstr(text, "class=\"link w8\"") != NULL, sizes[k] > 1 && sizes[k] <= 120);
        free(text);
        mco_overlay_destroy(test_ctx, &o);
    }
}

static void test_names(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    assert_ok(mco_overlay_read(test_ctx, test_file("n.csv", "name,uptime,bandwidth\n<a & b>,0.5,2\na name that is far too long for the place beside "
                                                            "its node,0.9,3\n\"q\"\"q\",1,2\n"), NULL, &o));
    char *text = plotted(o);
    assert_non_null(strstr(text, "&lt;a &amp; b&gt;"));
    assert_null(strstr(text, "beside its node"));
    free(text);
    mco_overlay_destroy(test_ctx, &o);
}

// An overlay that is not possible is refused, and no file appears.
static void test_wrong_overlay(void **state)
{
    (void)state;
    mco_overlay *o = generated(3);
    mco_overlay_result r = MCO_OVERLAY_RESULT_INIT;
    int32_t from[1] = {0}, to[1] = {1};
    int64_t bandwidth[1] = {1};
    const char *path = test_path("wrong.svg");
    r.solution = (mco_overlay_solution){from, to, bandwidth, 1};
    assert_int_equal(mco_overlay_plot(test_ctx, o, &r, path), MCO_ERR_CHECK);
    assert_int_equal(access(path, F_OK), -1);
    mco_overlay_destroy(test_ctx, &o);
}

static void test_bounds(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 60};
    const char *path = test_path("b.svg");
    for (int k = 0; k < COUNT_OF(sizes); k++) {
        mco_overlay *o = generated(sizes[k]);
        mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
        mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
        assert_ok(mco_overlay_bound(test_ctx, o, &p, &r));
        assert_ok(mco_overlay_plot_bound(test_ctx, o, &r, path));
        char *text = document(path);
        assert_non_null(strstr(text, "time in seconds"));
        free(text);
        mco_overlay_bound_result_clear(test_ctx, &r);
        mco_overlay_destroy(test_ctx, &o);
    }
}

static void test_rounds(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 30};
    const char *path = test_path("r.svg");
    for (int k = 0; k < COUNT_OF(counts); k++) {
        mco_overlay *o = generated(30);
        mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
        mco_overlay_events e = {0};
        mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
        mco_overlay_live_params live = MCO_OVERLAY_LIVE_PARAMS_INIT;
        mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
        g.nodes = 30;
        g.events = counts[k];
        assert_ok(mco_overlay_generate_events(test_ctx, o, &g, &e));
        assert_ok(mco_overlay_follow(test_ctx, o, &e, &p, &live, &r, NULL));
        assert_ok(mco_overlay_plot_bound(test_ctx, o, &r, path));
        char *text = document(path);
        assert_non_null(strstr(text, "gap in %"));
        free(text);
        mco_overlay_bound_result_clear(test_ctx, &r);
        mco_overlay_events_clear(test_ctx, &e);
        mco_overlay_destroy(test_ctx, &o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_sizes), TEST(test_names), TEST(test_wrong_overlay), TEST(test_bounds), TEST(test_rounds)};
    return cmocka_run_group_tests_name("overlay view", tests, NULL, NULL);
}
