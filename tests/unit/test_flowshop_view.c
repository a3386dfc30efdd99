// SPDX-License-Identifier: MIT
// The Gantt chart: the critical path against the checker, and the SVG as a document.
#include "svg_support.h"

#include "base/rng.h"
#include "flowshop/view.h"
#include "render/svg.h"

static const char CHART[] = "test_flowshop_view.svg";  // in the folder of the build

// ---- Instances and charts

static mco_flowshop *random_shop(mco_context *ctx, mco_rng *rng, int32_t jobs, int32_t machines,
                                 uint32_t largest)
{
    mco_flowshop *shop = NULL;
    int64_t count = (int64_t)jobs * machines;
    int32_t *times = malloc(((size_t)count + 1) * sizeof *times);
    assert_non_null(times);
    for (int64_t i = 0; i < count; i++)
        times[i] = (int32_t)mco_rng_below(rng, largest + 1);
    assert_int_equal(mco_flowshop_create(ctx, jobs, machines, times, &shop), MCO_OK);
    free(times);
    return shop;
}

static int32_t *random_order(mco_rng *rng, int32_t jobs)
{
    int32_t *order = malloc(((size_t)jobs + 1) * sizeof *order);
    assert_non_null(order);
    for (int32_t t = 0; t < jobs; t++) {
        int32_t other = (int32_t)mco_rng_below(rng, (uint32_t)t + 1);
        order[t] = order[other];
        order[other] = t;
    }
    return order;
}

// The chart of `shop`; it must be well-formed. The caller frees it.
static char *chart_of(mco_context *ctx, const mco_flowshop *shop, const int32_t *order)
{
    assert_int_equal(mco_flowshop_plot(ctx, shop, order, CHART), MCO_OK);
    char *text = svg_read(CHART);
    remove(CHART);
    assert_true(svg_is_well_formed(text));
    assert_true(svg_is_inside_its_frame(text));
    return text;
}

static int setup(void **state)
{
    return mco_context_create((mco_context **)state, NULL) == MCO_OK ? 0 : -1;
}

static int teardown(void **state)
{
    mco_context_destroy((mco_context **)state);
    return 0;
}

// ---- The critical path

static void assert_critical(mco_context *ctx, const mco_flowshop *shop, const int32_t *order)
{
    int32_t n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop), clock = 0;
    int64_t makespan = -1;
    int32_t *end = malloc((size_t)n * (size_t)m * sizeof *end);
    flowshop_operation *path = malloc((size_t)(n + m) * sizeof *path);
    assert_non_null(end);
    assert_non_null(path);
    flowshop_schedule(shop, order, end);
    int32_t count = flowshop_critical_path(shop, order, end, path);
    assert_int_equal(count, n + m - 1);
    for (int32_t i = 0; i < count; i++) {
        flowshop_operation o = path[i];
        assert_in_range(o.position, 0, n - 1);
        assert_in_range(o.machine, 0, m - 1);
        assert_int_equal(o.position + o.machine, i);
        if (i > 0)
            assert_true(o.position >= path[i - 1].position && o.machine >= path[i - 1].machine);
        // There is no waiting: each operation ends its own time after the end of the one before.
        clock += mco_flowshop_time(shop, o.machine, order[o.position]);
        assert_int_equal(clock, end[(int64_t)o.machine * n + o.position]);
    }
    assert_int_equal(mco_flowshop_check(ctx, shop, order, n, &makespan), MCO_OK);
    assert_int_equal(clock, makespan);
    free(path);
    free(end);
}

static void critical_path_sums_to_the_makespan(void **state)
{
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int trial = 0; trial < 300; trial++) {
        int32_t jobs = 1 + (int32_t)mco_rng_below(&rng, 30), machines = 1 + (int32_t)mco_rng_below(&rng, 12);
        // Small times make ties and operations of time 0.
        uint32_t largest = trial % 3 == 0 ? 2 : trial % 3 == 1 ? 99 : 0;
        mco_flowshop *shop = random_shop(*state, &rng, jobs, machines, largest);
        int32_t *order = random_order(&rng, jobs);
        assert_critical(*state, shop, order);
        free(order);
        mco_flowshop_destroy(*state, &shop);
    }
}

static void chart_outlines_the_critical_path(void **state)
{
    mco_flowshop *shop = NULL;
    int32_t order[20], end[20 * 5], count;
    flowshop_operation path[24];
    for (int32_t t = 0; t < 20; t++)
        order[t] = 19 - t;
    assert_int_equal(mco_flowshop_taillard(*state, "ta001", &shop), MCO_OK);
    flowshop_schedule(shop, order, end);
    count = flowshop_critical_path(shop, order, end, path);
    char *text = chart_of(*state, shop, order);
    // All times of ta001 are positive: every operation is drawn, every critical one outlined.
    assert_int_equal(count_in_group(text, "operations", "<rect"), 20 * 5);
    assert_int_equal(count_in_group(text, "outline", "<rect"), count);
    assert_int_equal(count_of(text, "<title>job "), 20 * 5);
    assert_non_null(strstr(text, "<title>job 20 on M1, 0 to "));
    free(text);
    mco_flowshop_destroy(*state, &shop);
}

// ---- The document

static void charts_of_all_sizes_are_well_formed(void **state)
{
    static const int32_t sizes[][2] = {{0, 1},   {0, 7},   {1, 1},   {1, 9},   {9, 1},
                                       {20, 20}, {5, 300}, {300, 5}, {700, 31}};
    mco_rng rng;
    mco_rng_seed(&rng, 2, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t largest = 0; largest <= 1000; largest = largest == 0 ? 1 : largest * 1000) {
            mco_flowshop *shop = random_shop(*state, &rng, sizes[i][0], sizes[i][1], largest);
            int32_t *order = random_order(&rng, sizes[i][0]);
            free(chart_of(*state, shop, order));
            free(order);
            mco_flowshop_destroy(*state, &shop);
        }
}

static void the_reader_refuses_broken_charts(void **state)
{
    static const char *const broken[] = {"<g>",      "<g></p>",  "<g/><g/>", "<g>&</g>", "<g a=\"<\"/>",
                                         "<g>></g>", "<g a=b/>", "</g>",     "",         "<g>\x01</g>"};
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        assert_false(svg_is_well_formed(broken[i]));
    assert_true(svg_is_well_formed("<?xml version=\"1.0\"?>\n<g a=\"1\">&lt;<p/></g>\n"));
}

static void header_tells_what_is_known(void **state)
{
    static const int32_t times[] = {3, 4, 2, 5};  // M1: 0-3-7, M2: 3-5, 7-12
    static const struct {
        int64_t best, bound;
        const char *text;
    } cases[] = {{-1, -1, ">2 jobs \xc3\x97 2 machines<"},
                 {12, 12, ": makespan 12, optimal<"},
                 {10, 10, "2 machines, optimum 10 (+20.00 %)<"},
                 {11, 9, "2 machines, best known 11 (+9.09 %), lower bound 9<"},
                 {16, 9,
                  "2 machines, best known 16 (\xe2\x88\x92"
                  "25.00 %), lower bound 9<"}};
    mco_flowshop *shop = NULL;
    int32_t order[] = {0, 1};
    int64_t makespan;
    assert_int_equal(mco_flowshop_create(*state, 2, 2, times, &shop), MCO_OK);
    assert_int_equal(mco_flowshop_check(*state, shop, order, 2, &makespan), MCO_OK);
    assert_int_equal(makespan, 12);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        shop->best_makespan = cases[i].best;
        shop->best_bound = cases[i].bound;
        char *text = chart_of(*state, shop, order);
        assert_non_null(strstr(text, cases[i].text));
        free(text);
    }
    mco_flowshop_destroy(*state, &shop);
}

// Of an own instance, nothing is published: the title and the line below it show what the run has proved.
static void charts_of_results_show_the_run(void **state)
{
    static const int32_t times[] = {3, 4, 2, 5};
    mco_flowshop *shop = NULL;
    int32_t order[] = {0, 1};
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    assert_int_equal(mco_flowshop_create(*state, 2, 2, times, &shop), MCO_OK);
    r.order = order;
    r.makespan = 12;
    r.bound = 9;
    r.outcome = MCO_OUTCOME_FEASIBLE;
    assert_int_equal(mco_flowshop_plot_result(*state, shop, &r, CHART), MCO_OK);
    char *text = svg_read(CHART);
    assert_non_null(strstr(text, ": makespan 12, gap 25.00 %</text>"));
    assert_non_null(strstr(text, " machines, no schedule is shorter than 9</text>"));
    free(text);
    r.outcome = MCO_OUTCOME_OPTIMAL;
    r.bound = 12;
    assert_int_equal(mco_flowshop_plot_result(*state, shop, &r, CHART), MCO_OK);
    text = svg_read(CHART);
    assert_non_null(strstr(text, ": makespan 12, optimal</text>"));
    assert_non_null(strstr(text, " machines</text>"));
    free(text);
    // A result of an older header is shorter.
    r.struct_size = offsetof(mco_flowshop_result, reason);
    assert_int_equal(mco_flowshop_plot_result(*state, shop, &r, CHART), MCO_OK);
    remove(CHART);
    r = (mco_flowshop_result)MCO_FLOWSHOP_RESULT_INIT;
    assert_int_equal(mco_flowshop_plot_result(*state, shop, &r, CHART), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_flowshop_plot_result(*state, shop, NULL, CHART), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_flowshop_plot_result(*state, NULL, &r, CHART), MCO_ERR_ARGUMENT);
    assert_int_equal(access(CHART, F_OK), -1);
    mco_flowshop_destroy(*state, &shop);
}

// Up to eight jobs are named in the legend, because their names may have no room on the bars.
static void few_jobs_are_named_in_the_legend(void **state)
{
    static const int32_t times[] = {1, 99};
    char name[] = "a name that has no room on a bar";
    mco_flowshop *shop = NULL;
    int32_t order[] = {1, 0};
    assert_int_equal(mco_flowshop_create(*state, 2, 1, times, &shop), MCO_OK);
    shop->job_names[0] = name;
    char *text = chart_of(*state, shop, order);
    assert_int_equal(count_of(text, ">a name that has no room on a bar</text>"), 1);
    assert_int_equal(count_of(text, ">2</text>"), 2);
    free(text);
    mco_flowshop_destroy(*state, &shop);
}

static void names_are_escaped(void **state)
{
    char job[] = "<a & \"b\">", machine[] = "cut\x01\xff & </g>";
    static const int32_t times[] = {30, 40};
    mco_flowshop *shop = NULL;
    int32_t order[] = {0};
    assert_int_equal(mco_flowshop_create(*state, 1, 2, times, &shop), MCO_OK);
    shop->job_names[0] = job;
    shop->machine_names[1] = machine;
    char *text = chart_of(*state, shop, order);
    assert_non_null(strstr(text, ">&lt;a &amp; &quot;b&quot;&gt;</text>"));
    assert_non_null(strstr(text, ">cut\xef\xbf\xbd\xef\xbf\xbd &amp; &lt;/g&gt;</text>"));
    free(text);
    mco_flowshop_destroy(*state, &shop);
}

static void long_names_are_cut(void **state)
{
    char name[4000] = "";
    static const int32_t times[] = {1};
    mco_flowshop *shop = NULL;
    int32_t order[] = {0};
    for (size_t i = 0; i + 3 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xbc", 3);
    assert_int_equal(mco_flowshop_create(*state, 1, 1, times, &shop), MCO_OK);
    shop->job_names[0] = shop->machine_names[0] = name;
    char *text = chart_of(*state, shop, order);
    assert_non_null(strstr(text, "\xc3\xbc\xe2\x80\xa6</text>"));
    assert_null(strstr(text, "\xef\xbf\xbd"));
    free(text);
    mco_flowshop_destroy(*state, &shop);
}

static void numbers_are_short(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    mco_svg svg = {.file = open_memstream(&text, &size)};
    assert_non_null(svg.file);
    mco_svg_path_begin(&svg, NULL);
    mco_svg_path_move(&svg, -0.001, 12);
    mco_svg_path_line(&svg, -0.25, 1.5);
    mco_svg_path_line(&svg, 1600.004, 0.07);
    mco_svg_path_end(&svg);
    fclose(svg.file);
    assert_string_equal(text, "<path d=\"M0 12L-0.25 1.5L1600 0.07\"/>\n");
    free(text);
}

static void text_fit_keeps_characters_whole(void **state)
{
    (void)state;
    assert_int_equal(mco_svg_text_fit("abc", 10, 1000), 3);
    assert_int_equal(mco_svg_text_fit("abc", 10, 1), 0);
    for (double width = 0; width < 100; width++)
        assert_int_equal(mco_svg_text_fit("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 10, width) % 2, 0);
}

// ---- Failures

static void wrong_orders_are_refused(void **state)
{
    static const int32_t times[] = {1, 2, 3};
    static const int32_t wrong[][3] = {{0, 1, 1}, {0, 1, 3}, {-1, 0, 1}};
    mco_flowshop *shop = NULL;
    assert_int_equal(mco_flowshop_create(*state, 3, 1, times, &shop), MCO_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(mco_flowshop_plot(*state, shop, wrong[i], CHART), MCO_ERR_CHECK);
    assert_int_equal(mco_flowshop_plot(*state, shop, NULL, CHART), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_flowshop_plot(*state, shop, wrong[0], NULL), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_flowshop_plot(*state, NULL, wrong[0], CHART), MCO_ERR_ARGUMENT);
    assert_int_equal(access(CHART, F_OK), -1);
    int32_t order[] = {2, 0, 1};
    assert_int_equal(mco_flowshop_plot(*state, shop, order, "no/such/folder/chart.svg"), MCO_ERR_IO);
    assert_int_equal(mco_flowshop_plot(*state, shop, order, "/dev/full"), MCO_ERR_IO);
    mco_flowshop_destroy(*state, &shop);
}

static void *allocate_some(size_t bytes, void *user)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

static void failing_allocations_leave_no_file(void **state)
{
    (void)state;
    int left = 1000;
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    params.allocate = allocate_some;
    params.release = release;
    params.allocator_user = &left;
    mco_context *ctx = NULL;
    mco_flowshop *shop = NULL;
    int32_t order[20];
    for (int32_t t = 0; t < 20; t++)
        order[t] = t;
    assert_int_equal(mco_context_create(&ctx, &params), MCO_OK);
    assert_int_equal(mco_flowshop_taillard(ctx, "ta001", &shop), MCO_OK);
    mco_status st = MCO_ERR_MEMORY;
    for (int allowed = 0; st != MCO_OK; allowed++) {
        assert_int_equal(access(CHART, F_OK), -1);
        left = allowed;
        st = mco_flowshop_plot(ctx, shop, order, CHART);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
    }
    remove(CHART);
    mco_flowshop_destroy(ctx, &shop);
    mco_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_path_sums_to_the_makespan),
        cmocka_unit_test(chart_outlines_the_critical_path),
        cmocka_unit_test(charts_of_all_sizes_are_well_formed),
        cmocka_unit_test(the_reader_refuses_broken_charts),
        cmocka_unit_test(header_tells_what_is_known),
        cmocka_unit_test(charts_of_results_show_the_run),
        cmocka_unit_test(few_jobs_are_named_in_the_legend),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(text_fit_keeps_characters_whole),
        cmocka_unit_test(wrong_orders_are_refused),
        cmocka_unit_test(failing_allocations_leave_no_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
