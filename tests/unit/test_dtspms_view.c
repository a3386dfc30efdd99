// SPDX-License-Identifier: MIT
// The picture as a document: its content, that it is complete at all sizes, and that it is never made of a wrong
// solution.
#include "svg_support.h"

#include "base/rng.h"
#include "mco/dtspms.h"

static const char PICTURE[] = "picture.svg";

// The picture of a solution; it must be well-formed. To be freed.
static char *picture_of(const mco_dtspms *problem, const mco_dtspms_solution *solution)
{
    const char *path = test_path(PICTURE);
    assert_ok(mco_dtspms_plot(test_ctx, problem, solution, path));
    char *text = svg_read(path);
    remove(path);
    assert_true(svg_is_well_formed(text));
    assert_true(svg_is_inside_its_frame(text));
    return text;
}

// ---- Three orders on a square of side 10, depot at the lower left; delivery is twice as wide

typedef struct example {
    mco_dtspms *problem;
    mco_dtspms_solution solution;
    int32_t plan[3], pickup[3], delivery[3];
} example;

static void create_example(example *e, const char *first_name)
{
    char table[1024];
    snprintf(table, sizeof table,
             "name,pickup_x,pickup_y,delivery_x,delivery_y\ndepot,0,0,0,0\n%s,0,10,20,0\nb,10,10,20,10\nc,10,0,0,10\n",
             first_name);
    *e = (example){.plan = {0, 1, 2}, .pickup = {0, 1, 2}, .delivery = {1, 0, 2}};
    e->solution = (mco_dtspms_solution){3, 2, {2, 1}, e->plan, e->pickup, e->delivery};
    assert_ok(mco_dtspms_read(test_ctx, test_file("square.csv", table), NULL, &e->problem));
}

static void pictures_say_what_the_solution_is(void **state)
{
    example e;
    (void)state;
    create_example(&e, "a");
    char *text = picture_of(e.problem, &e.solution);
    // Delivery: 0,0 to 20,10 to 20,0 to 0,10: 22 + 10 + 22 + 10.
    assert_non_null(strstr(text, ">3 orders, 2 stacks, pickup 40 and delivery 64</text>"));
    assert_non_null(strstr(text, ": length 104</text>"));
    assert_non_null(strstr(text, ">pickup tour, length 40</text>"));
    assert_non_null(strstr(text, ">delivery tour, length 64</text>"));
    // On both maps and in the container.
    assert_int_equal(count_of(text, "order a: stack 1, place 1 of 2 from the bottom, pickup stop 1, delivery stop 2<"), 3);
    assert_int_equal(count_of(text, "order b: stack 1, place 2 of 2 from the bottom, pickup stop 2, delivery stop 1<"), 3);
    assert_int_equal(count_of(text, "order c: stack 2, place 1 of 1 from the bottom, pickup stop 3, delivery stop 3<"), 3);
    assert_int_equal(count_of(text, ">a</text>"), 3);
    assert_int_equal(count_in_group(text, "container", "class=\"c0\""), 2);
    assert_int_equal(count_in_group(text, "container", "class=\"c1\""), 1);
    assert_non_null(strstr(text, ">stack 2</text>"));
    assert_null(strstr(text, ">stack 3</text>"));
    assert_non_null(strstr(text, ">2 orders</text>"));
    assert_non_null(strstr(text, ">1 order</text>"));
    assert_null(strstr(text, "coordinates"));
    assert_null(strstr(text, "have room"));
    free(text);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

// A cell is 32 pixels high, so a container of 3 levels is 96 high, from 518 to 614.
static void containers_are_as_high_as_their_capacity(void **state)
{
    const char *path = test_path(PICTURE);
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    example e;
    (void)state;
    create_example(&e, "a");
    r.solution = e.solution;
    r.cost = 104;
    r.bound = 104;
    r.capacity = 3;
    r.outcome = MCO_OUTCOME_OPTIMAL;
    assert_ok(mco_dtspms_plot_result(test_ctx, e.problem, &r, path));
    char *text = svg_read(path);
    assert_true(svg_is_inside_its_frame(text));
    assert_int_equal(count_of(text, "class=\"column\" x=\"1136\" y=\"518\" width=\"76\" height=\"96\"/>"), 1);
    assert_non_null(strstr(text, ">2 of 3</text>"));
    assert_non_null(strstr(text, ": length 104, optimal</text>"));
    free(text);
    // A far higher container is cut off above, and says so; names keep their room.
    r.capacity = 10000000;
    r.bound = 78;
    r.outcome = MCO_OUTCOME_FEASIBLE;
    assert_ok(mco_dtspms_plot_result(test_ctx, e.problem, &r, path));
    text = svg_read(path);
    assert_true(svg_is_inside_its_frame(text));
    assert_non_null(strstr(text, ">container, cut off above</text>"));
    assert_int_equal(count_of(text, "class=\"column\" x=\"1136\" y=\"94\" width=\"76\" height=\"520\"/>"), 1);
    assert_int_equal(count_of(text, ">a</text>"), 3);
    assert_non_null(strstr(text, ": length 104, gap 25.00 %</text>"));
    assert_non_null(strstr(text, ", no solution is shorter than 78</text>"));
    free(text);
    remove(path);
    r.capacity = 1;
    assert_int_equal(mco_dtspms_plot_result(test_ctx, e.problem, &r, path), MCO_ERR_CHECK);
    r = (mco_dtspms_result)MCO_DTSPMS_RESULT_INIT;
    assert_true(mco_dtspms_plot_result(test_ctx, e.problem, &r, path) != MCO_OK);
    assert_int_equal(mco_dtspms_plot_result(test_ctx, e.problem, NULL, path), MCO_ERR_ARGUMENT);
    assert_int_equal(access(path, F_OK), -1);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

// Both maps have one scale: 468 pixels for 20 units, each map in the middle of its 520; y grows upwards.
static void both_maps_have_one_scale(void **state)
{
    example e;
    (void)state;
    create_example(&e, "a");
    char *text = picture_of(e.problem, &e.solution);
    assert_non_null(strstr(text, "class=\"edges\" d=\"M167 471L167 237L401 237L401 471L167 471\"/>"));
    assert_non_null(strstr(text, "class=\"edges\" d=\"M606 471L1074 237L1074 471L606 237L606 471\"/>"));
    assert_int_equal(count_of(text, "<rect class=\"depot\" x=\"161.5\" y=\"465.5\" width=\"11\" height=\"11\">"), 1);
    // The lowest order is at the bottom of its column, 614 pixels down.
    assert_non_null(strstr(text, "<rect class=\"c0\" x=\"1136\" y=\"583\" width=\"76\" height=\"31\"><title>order a:"));
    assert_non_null(strstr(text, "<rect class=\"c0\" x=\"1136\" y=\"551\" width=\"76\" height=\"31\"><title>order b:"));
    free(text);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

static void networks_without_coordinates_are_circles(void **state)
{
    const int32_t distance[4 * 4] = {0, 1, 2, 3, 1, 0, 1, 2, 2, 1, 0, 1, 3, 2, 1, 0};
    example e;
    mco_dtspms *problem = NULL;
    (void)state;
    create_example(&e, "a");
    assert_ok(mco_dtspms_create(test_ctx, 3, distance, distance, &problem));
    char *text = picture_of(problem, &e.solution);
    assert_int_equal(count_of(text, " (no coordinates: stops clockwise)</text>"), 2);
    // The edges begin at the depot, 234 pixels above the middle, and go to the right first.
    assert_non_null(strstr(text, "class=\"edges\" d=\"M284 120L518 354L284 588L50 354L284 120\"/>"));
    assert_non_null(strstr(text, "class=\"edges\" d=\"M840 120L1074 354L840 588L606 354L840 120\"/>"));
    free(text);
    mco_dtspms_destroy(test_ctx, &problem);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

static void arrows_point_the_way_of_the_tour(void **state)
{
    example e;
    (void)state;
    create_example(&e, "a");
    char *text = picture_of(e.problem, &e.solution);
    // The edge leads up from the depot, so the tip of the arrow is its highest corner.
    assert_non_null(strstr(text, "class=\"arrows\" d=\"M167 350L170 358L164 358M"));
    free(text);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

// ---- Names

static void names_are_escaped_and_cut(void **state)
{
    char name[600] = "\"<a & ''>", *text;
    example e;
    (void)state;
    create_example(&e, "\"<a & ''>\"");
    text = picture_of(e.problem, &e.solution);
    assert_non_null(strstr(text, ">&lt;a &amp; ''&gt;</text>"));
    assert_non_null(strstr(text, "<title>order &lt;a &amp; ''&gt;: stack 1,"));
    free(text);
    mco_dtspms_destroy(test_ctx, &e.problem);
    memset(name, 0, sizeof name);
    for (size_t i = 0; i + 3 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xbc", 3);
    create_example(&e, name);
    text = picture_of(e.problem, &e.solution);
    assert_non_null(strstr(text, "\xc3\xbc\xe2\x80\xa6</text>"));
    assert_non_null(strstr(text, "\xc3\xbc\xe2\x80\xa6: stack 1,"));
    assert_null(strstr(text, "\xef\xbf\xbd"));
    free(text);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

// ---- All sizes

// The orders fill the stacks in the order of their numbers. The first stack holds `first`; the others are as equal as
// possible.
static char *picture_of_size(int32_t orders, int32_t stacks, int32_t first)
{
    mco_dtspms *problem = NULL;
    mco_dtspms_solution s = {.orders = orders, .stacks = stacks};
    s.plan = calloc((size_t)orders + 1, sizeof *s.plan);
    s.delivery = calloc((size_t)orders + 1, sizeof *s.delivery);
    assert_true(s.plan != NULL && s.delivery != NULL);
    s.pickup = s.plan;
    for (int32_t k = 0, left = orders; k < stacks; k++)
        left -= s.heights[k] = k == 0 ? first : left / (stacks - k);
    for (int32_t i = 0; i < orders; i++) {
        s.plan[i] = i;
        s.delivery[i] = orders - 1 - i;
    }
    assert_ok(mco_dtspms_generate(test_ctx, orders, 1, 2, &problem));
    char *text = picture_of(problem, &s);
    mco_dtspms_destroy(test_ctx, &problem);
    free(s.delivery);
    free(s.plan);
    return text;
}

static void pictures_of_all_sizes_are_well_formed(void **state)
{
    static const struct {
        int32_t orders, stacks, first;
        bool has_cell_names;
    } sizes[] = {{0, 2, 0, true},     {1, 3, 0, true},    {1, 6, 1, true},   {4, 2, 2, true},    {12, 3, 4, true},
                 {66, 3, 22, true},   {132, 3, 44, true}, {132, 6, 22, true}, {132, 2, 66, false}, {201, 4, 201, false}};
    char counted[64];
    (void)state;
    for (int k = 0; k < COUNT_OF(sizes); k++) {
        const int32_t n = sizes[k].orders;
        char *text = picture_of_size(n, sizes[k].stacks, sizes[k].first);
        snprintf(counted, sizeof counted, ">%d order%s, %d stacks, pickup ", n, n == 1 ? "" : "s", sizes[k].stacks);
        assert_non_null(strstr(text, counted));
        assert_int_equal(count_of(text, "<title>order "), 3 * n);
        assert_int_equal(count_of(text, "class=\"column\""), sizes[k].stacks);
        assert_int_equal(count_in_group(text, "tips", "<rect"), n);
        // A head, two lines under each stack, and the names.
        assert_int_equal(count_in_group(text, "container", "<text"),
                         1 + 2 * sizes[k].stacks + (sizes[k].has_cell_names ? n : 0));
        // The depot's name is always there.
        if (n <= 12)
            assert_int_equal(count_in_group(text, "names", "<text"), 1 + n);
        if (n > 200)
            assert_int_equal(count_in_group(text, "names", "<text"), 1);
        assert_int_equal(svg_texts_outside(text, "names", 24, 94, 544, 614), 0);
        assert_non_null(strstr(text, ">depot</text>"));
        if (!sizes[k].has_cell_names)
            assert_non_null(strstr(text, ">not all names have room: point at a dot or cell</text>"));
        free(text);
    }
}

static void large_pictures_are_merged(void **state)
{
    (void)state;
    char *text = picture_of_size(6000, 3, 2000);
    assert_int_equal(count_of(text, "<title>order "), 0);
    assert_non_null(strstr(text, "<title>stack 3: 2000 orders</title>"));
    assert_non_null(strstr(text, ">names have no room</text>"));
    assert_int_equal(count_of(text, "<path"), 2 * (2 + 3) + 2 * 3 + 1);
    assert_true(strlen(text) < 1 << 20);
    free(text);
}

// All nodes at one place.
static void points_alone_have_a_map(void **state)
{
    const char table[] = "name,pickup_x,pickup_y,delivery_x,delivery_y\ndepot,5,5,7,7\na,5,5,7,7\n";
    int32_t one[] = {0};
    const mco_dtspms_solution s = {1, 2, {0, 1}, one, one, one};
    mco_dtspms *problem = NULL;
    (void)state;
    assert_ok(mco_dtspms_read(test_ctx, test_file("point.csv", table), NULL, &problem));
    char *text = picture_of(problem, &s);
    assert_non_null(strstr(text, "class=\"edges\" d=\"M284 354L284 354L284 354\"/>"));
    free(text);
    mco_dtspms_destroy(test_ctx, &problem);
}

// ---- Failures

static void wrong_calls_leave_no_file(void **state)
{
    const char *path = test_path(PICTURE);
    example e;
    (void)state;
    create_example(&e, "a");
    e.pickup[0] = 1;
    e.pickup[1] = 0;
    assert_fails(mco_dtspms_plot(test_ctx, e.problem, &e.solution, path), MCO_ERR_CHECK,
                 "pickup position 1: order 2 (b) is put on stack 1 while order 1 (a), below it, is missing");
    e.pickup[0] = 0;
    e.pickup[1] = 1;
    assert_int_equal(mco_dtspms_plot(NULL, e.problem, &e.solution, path), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_dtspms_plot(test_ctx, NULL, &e.solution, path), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_dtspms_plot(test_ctx, e.problem, NULL, path), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_dtspms_plot(test_ctx, e.problem, &e.solution, NULL), MCO_ERR_ARGUMENT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(mco_dtspms_plot(test_ctx, e.problem, &e.solution, "no/such/folder/picture.svg"), MCO_ERR_IO);
    assert_int_equal(mco_dtspms_plot(test_ctx, e.problem, &e.solution, "/dev/full"), MCO_ERR_IO);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

static void failing_allocations_leave_no_file(void **state)
{
    const char *path = test_path(PICTURE);
    mco_status st = MCO_ERR_MEMORY;
    example e;
    (void)state;
    create_example(&e, "a");
    for (long k = 1; st != MCO_OK; k++) {
        assert_int_equal(access(path, F_OK), -1);
        test_fail_allocation(k);
        st = mco_dtspms_plot(test_ctx, e.problem, &e.solution, path);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
    }
    test_fail_allocation(0);
    remove(path);
    mco_dtspms_destroy(test_ctx, &e.problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pictures_say_what_the_solution_is),
        TEST(containers_are_as_high_as_their_capacity),
        TEST(both_maps_have_one_scale),
        TEST(networks_without_coordinates_are_circles),
        TEST(arrows_point_the_way_of_the_tour),
        TEST(names_are_escaped_and_cut),
        TEST(pictures_of_all_sizes_are_well_formed),
        TEST(large_pictures_are_merged),
        TEST(points_alone_have_a_map),
        TEST(wrong_calls_leave_no_file),
        TEST(failing_allocations_leave_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
