// SPDX-License-Identifier: MIT
// The sheet as a document: its content, that it is complete and small, and that it is never made of a wrong plan.
#include "svg_support.h"

#include "base/rng.h"
#include "guillotine/instance.h"
#include "render/svg.h"

#define TIMES "\xc3\x97"

static const char SHEET[] = "sheet.svg";

// The sheet of a plan; it must be well-formed. To be freed.
static char *sheet_of(const mco_guillotine *problem, const mco_guillotine_node *nodes, int64_t count)
{
    const char *path = test_path(SHEET);
    assert_ok(mco_guillotine_plot(test_ctx, problem, nodes, count, path));
    char *text = svg_read(path);
    remove(path);
    assert_true(svg_is_well_formed(text));
    assert_true(svg_is_inside_its_frame(text));
    return text;
}

// ---- A plan by hand: 30 x 20, kerf 1; a cut of each of two stages, a trim, an empty part

static const mco_guillotine_piece PIECES[] = {
    {18, 12, 70, true}, {7, 18, 40, true}, {5, 5, 1, true}, {11, 9, 30, true}};

#define CUT(x, y, width, height, axis, at, first, second) \
    {MCO_GUILLOTINE_NODE_CUT, x, y, width, height, MCO_GUILLOTINE_CUT_##axis, at, {first, second}, 0, false}
#define PIECE(x, y, width, height, number) \
    {MCO_GUILLOTINE_NODE_PIECE, x, y, width, height, MCO_GUILLOTINE_CUT_ANY, 0, {0, 0}, number - 1, false}
#define WASTE(x, y, width, height) \
    {MCO_GUILLOTINE_NODE_WASTE, x, y, width, height, MCO_GUILLOTINE_CUT_ANY, 0, {0, 0}, 0, false}

static const mco_guillotine_node NODES[] = {
    CUT(0, 0, 30, 20, X, 18, 1, 6),  CUT(0, 0, 18, 20, Y, 12, 2, 3), PIECE(0, 0, 18, 12, 1),
    CUT(0, 13, 18, 7, X, 17, 4, 5),  WASTE(0, 13, 17, 7),            WASTE(18, 13, 0, 7),
    CUT(19, 0, 11, 20, Y, 9, 7, 8),  PIECE(19, 0, 11, 9, 4),         WASTE(19, 10, 11, 10)};

static mco_guillotine *example(void)
{
    mco_guillotine *problem = NULL;
    assert_ok(mco_guillotine_create(test_ctx, 30, 20, PIECES, COUNT_OF(PIECES), &problem));
    return problem;
}

static void sheets_say_what_the_plan_is(void **state)
{
    mco_guillotine *problem = example();
    (void)state;
    char *text = sheet_of(problem, NODES, COUNT_OF(NODES));
    // 600 - 216 - 99 of 600 is waste.
    assert_non_null(
        strstr(text, ">30 " TIMES " 20, waste 47.500%, 2 pieces of 2 types, 3 stages</text>"));
    assert_non_null(strstr(text, ": value 100</text>"));
    assert_non_null(strstr(text, ">kerf 1</text>"));
    assert_int_equal(count_of(text, "class=\"parts\""), 2);
    assert_int_equal(count_in_group(text, "leaves", "<rect"), 4);  // the empty part is not drawn
    assert_int_equal(count_in_group(text, "leaves", "class=\"waste\""), 2);
    assert_non_null(strstr(text, "<title>piece 1, 18 " TIMES " 12 at 0,0, value 70</title>"));
    assert_non_null(strstr(text, "<title>waste, 11 " TIMES " 10 at 19,10</title>"));
    assert_int_equal(count_in_group(text, "cut w1", "M"), 1);
    assert_int_equal(count_in_group(text, "cut w2", "M"), 1);
    assert_int_equal(count_in_group(text, "cut w3", "M"), 1);
    assert_int_equal(count_in_group(text, "cut w4", "M"), 0);
    assert_int_equal(count_in_group(text, "cut w0 trim", "M"), 1);
    assert_int_equal(count_in_group(text, "labels", ">18 " TIMES " 12<"), 1);
    assert_int_equal(count_in_group(text, "labels", "<text"), 4);
    assert_int_equal(count_in_group(text, "types", "<rect"), 2);
    assert_non_null(strstr(text, ">4: 11 " TIMES " 9, 1 on the plate</text>"));
    assert_non_null(strstr(text, ">stage 3</text>"));
    assert_null(strstr(text, ">stage 4</text>"));
    assert_non_null(strstr(text, ">trim</text>"));
    assert_null(strstr(text, "not to scale"));
    free(text);
    mco_guillotine_destroy(test_ctx, &problem);
}

static void sheets_of_results_show_what_is_proved(void **state)
{
    mco_guillotine *problem = example();
    const char *path = test_path(SHEET);
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    mco_guillotine_node nodes[COUNT_OF(NODES)];
    (void)state;
    memcpy(nodes, NODES, sizeof nodes);
    params.kerf = 1;
    r.nodes = nodes;
    r.node_count = COUNT_OF(nodes);
    r.value = 100;
    r.bound = 125;
    r.outcome = MCO_OUTCOME_FEASIBLE;
    assert_ok(mco_guillotine_plot_result(test_ctx, problem, &params, &r, path));
    char *text = svg_read(path);
    assert_non_null(strstr(text, ": value 100, gap 25.00 %</text>"));
    assert_non_null(strstr(text, ", no plan is worth more than 125</text>"));
    assert_non_null(strstr(text, ">kerf 1</text>"));
    free(text);
    r.outcome = MCO_OUTCOME_OPTIMAL;
    assert_ok(mco_guillotine_plot_result(test_ctx, problem, &params, &r, path));
    text = svg_read(path);
    assert_non_null(strstr(text, ": value 100, optimal</text>"));
    free(text);
    remove(path);
    // The kerf is that of the parameters, and the plan must obey it.
    params.kerf = 2;
    assert_int_equal(mco_guillotine_plot_result(test_ctx, problem, &params, &r, path), MCO_ERR_CHECK);
    r.nodes = NULL;
    assert_fails(mco_guillotine_plot_result(test_ctx, problem, &params, &r, path), MCO_ERR_ARGUMENT,
                 "the result has no plan to draw");
    assert_int_equal(mco_guillotine_plot_result(test_ctx, problem, &params, NULL, path), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_guillotine_plot_result(test_ctx, problem, NULL, &r, path), MCO_ERR_ARGUMENT);
    assert_int_equal(access(path, F_OK), -1);
    mco_guillotine_destroy(test_ctx, &problem);
}

// The lower left is the origin: pixels grow downwards, y grows upwards.
static void the_origin_is_the_lower_left_corner(void **state)
{
    const mco_guillotine_piece half = {2, 1, 5, true};
    const mco_guillotine_node nodes[] = {CUT(0, 0, 2, 2, Y, 1, 1, 2), PIECE(0, 0, 2, 1, 1), WASTE(0, 1, 2, 1)};
    mco_guillotine *problem = NULL;
    (void)state;
    assert_ok(mco_guillotine_create(test_ctx, 2, 2, &half, 1, &problem));
    char *text = sheet_of(problem, nodes, COUNT_OF(nodes));
    // 760 pixels high, from 66 on.
    assert_non_null(strstr(text, "<rect class=\"c0\" x=\"72\" y=\"446\" width=\"760\" height=\"380\">"));
    assert_non_null(strstr(text, "<rect class=\"waste\" x=\"72\" y=\"66\" width=\"760\" height=\"380\">"));
    assert_non_null(strstr(text, "1 piece of 1 type, 0 stages<"));
    free(text);
    mco_guillotine_destroy(test_ctx, &problem);
}

static void an_uncut_plate_is_a_sheet(void **state)
{
    const mco_guillotine_node whole = WASTE(0, 0, 30, 20);
    mco_guillotine *problem = example(), *empty = NULL;
    (void)state;
    char *text = sheet_of(problem, &whole, 1);
    assert_non_null(strstr(text, ", waste 100.000%, 0 pieces of 0 types, 0 stages<"));
    free(text);
    assert_ok(mco_guillotine_create(test_ctx, 30, 20, NULL, 0, &empty));
    free(sheet_of(empty, &whole, 1));
    mco_guillotine_destroy(test_ctx, &empty);
    mco_guillotine_destroy(test_ctx, &problem);
}

// ---- Names

static void names_are_escaped_and_cut(void **state)
{
    char escaped[] = "<a & \"b\">", name[4000] = "", *names[COUNT_OF(PIECES)] = {escaped, NULL, NULL, name};
    mco_guillotine *problem = example();
    (void)state;
    for (size_t i = 0; i + 3 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xbc", 3);
    problem->piece_names = names;
    char *text = sheet_of(problem, NODES, COUNT_OF(NODES));
    assert_non_null(strstr(text, ">&lt;a &amp; &quot;b&quot;&gt;</text>"));
    assert_non_null(strstr(text, "\xc3\xbc\xe2\x80\xa6: 11 " TIMES " 9, 1 on the plate</text>"));
    assert_null(strstr(text, "\xef\xbf\xbd"));
    // The long name has no room on its piece, but its size has.
    assert_int_equal(count_in_group(text, "labels", "<text"), 3);
    free(text);
    problem->piece_names = NULL;
    mco_guillotine_destroy(test_ctx, &problem);
}

// ---- All sizes

static char *solved_sheet(const mco_guillotine *problem, mco_guillotine_params params, int64_t *leaves)
{
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    params.engine = MCO_ENGINE_REFERENCE;
    assert_ok(mco_guillotine_solve(test_ctx, problem, &params, &r));
    char *text = sheet_of(problem, r.nodes, r.node_count);
    *leaves = 0;
    for (int64_t k = 0; k < r.node_count; k++)
        *leaves += r.nodes[k].kind != MCO_GUILLOTINE_NODE_CUT && r.nodes[k].width > 0 && r.nodes[k].height > 0;
    mco_guillotine_result_clear(test_ctx, &r);
    return text;
}

static void sheets_of_all_sizes_are_well_formed(void **state)
{
    static const struct {
        int32_t width, height;
        bool is_stretched;
    } sizes[] = {{1, 1, false},      {5, 700, true},     {300, 200, false}, {1 << 30, 1 << 30, false},
                 {1 << 30, 1, true}, {1, 1 << 30, true}, {80, 1000, false}, {1000, 60, false}};
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < 10 * COUNT_OF(sizes); k++) {
        const int32_t width = sizes[k / 10].width, height = sizes[k / 10].height;
        mco_guillotine_piece pieces[30];
        mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
        mco_guillotine *problem = NULL;
        int64_t leaves;
        const bool is_huge = width > 1000 || height > 1000;
        if (is_huge && k % 10 > 0)
            continue;  // tables of 2^30 coordinates take a while
        const int count = is_huge ? 3 : COUNT_OF(pieces);  // few pieces make few normal patterns
        for (int p = 0; p < count; p++) {
            const int32_t w = (int32_t)mco_rng_below(&rng, (uint32_t)width),
                          h = (int32_t)mco_rng_below(&rng, (uint32_t)height);
            pieces[p] = (mco_guillotine_piece){width / 7 + w / 2 + 1, height / 7 + h / 2 + 1, w, true};
        }
        params.kerf = is_huge ? 0 : k % 3;  // the longest sides leave no room for a kerf
        params.rotate = k % 2;
        params.stages = k % 4;
        assert_ok(mco_guillotine_create(test_ctx, width, height, pieces, count, &problem));
        char *text = solved_sheet(problem, params, &leaves);
        assert_int_equal(count_in_group(text, "leaves", "<rect"), leaves);
        assert_int_equal(strstr(text, width > height ? "not to scale: heights" : "not to scale: widths") != NULL,
                         sizes[k / 10].is_stretched);
        free(text);
        mco_guillotine_destroy(test_ctx, &problem);
    }
}

// Beyond ten thousand parts: one path for each colour, no tooltips and labels, and a file of a few MB at most.
static void large_plans_are_merged(void **state)
{
    static const int32_t sides[] = {200, 400};
    (void)state;
    for (int k = 0; k < COUNT_OF(sides); k++) {
        const mco_guillotine_piece pieces[] = {{1, 1, 1, true}, {1, 2, 2, true}, {7, 3, 21, true}};
        mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
        mco_guillotine *problem = NULL;
        int64_t leaves;
        assert_ok(mco_guillotine_create(test_ctx, sides[k], sides[k], pieces, 1 + k, &problem));
        char *text = solved_sheet(problem, params, &leaves);
        assert_true(leaves > 30000);
        assert_int_equal(count_of(text, "<title>"), 1);
        assert_int_equal(count_in_group(text, "labels", "<text"), 0);
        assert_int_equal(count_in_group(text, "leaves", "<rect"), 1);
        assert_true(strlen(text) < 4 << 20);
        free(text);
        mco_guillotine_destroy(test_ctx, &problem);
    }
}

static void many_types_are_counted(void **state)
{
    enum { TYPES = 60 };
    mco_guillotine_piece pieces[TYPES];
    mco_guillotine_node nodes[2 * TYPES - 1];
    mco_guillotine *problem = NULL;
    const int32_t width = TYPES * (TYPES + 1) / 2;
    (void)state;
    for (int32_t p = 0, x = 0; p < TYPES; x += ++p) {
        mco_guillotine_node *next = &nodes[2 * p];
        pieces[p] = (mco_guillotine_piece){p + 1, 50, 1, true};
        if (p + 1 < TYPES)
            *next++ = (mco_guillotine_node)CUT(x, 0, width - x, 50, X, p + 1, 2 * p + 1, 2 * p + 2);
        *next = (mco_guillotine_node)PIECE(x, 0, p + 1, 50, p + 1);
    }
    assert_ok(mco_guillotine_create(test_ctx, width, 50, pieces, TYPES, &problem));
    char *text = sheet_of(problem, nodes, COUNT_OF(nodes));
    assert_int_equal(count_in_group(text, "types", "<rect"), 48);
    assert_non_null(strstr(text, ">and 12 more types</text>"));
    assert_null(strstr(text, ">waste</text>"));
    free(text);
    mco_guillotine_destroy(test_ctx, &problem);
}

// ---- The writer

static char *written(void (*draw)(mco_svg *svg))
{
    char *text = NULL;
    size_t size;
    mco_svg svg = {.file = open_memstream(&text, &size)};
    assert_non_null(svg.file);
    draw(&svg);
    fclose(svg.file);
    return text;
}

static void draw_hatch(mco_svg *svg)
{
    mco_svg_hatch(svg, "h", 6.5, "#111", "#EEE");
}

static void draw_upward(mco_svg *svg)
{
    mco_svg_text_upward(svg, "label", MCO_SVG_MIDDLE, 10.5, -2, "a<b");
}

static void hatches_and_upward_texts_are_written(void **state)
{
    (void)state;
    char *text = written(draw_hatch);
    assert_string_equal(text, "<defs><pattern id=\"h\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\" "
                              "width=\"6.5\" height=\"6.5\"><rect width=\"6.5\" height=\"6.5\" fill=\"#EEE\"/>"
                              "<rect width=\"1\" height=\"6.5\" fill=\"#111\"/></pattern></defs>\n");
    free(text);
    text = written(draw_upward);
    assert_string_equal(text, "<text class=\"label\" x=\"10.5\" y=\"-2\" transform=\"rotate(-90 10.5 -2)\" "
                              "text-anchor=\"middle\">a&lt;b</text>\n");
    free(text);
}

static void cut_texts_keep_characters_whole(void **state)
{
    static const char text[] = "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc";
    char out[64];
    (void)state;
    mco_svg_text_cut(out, sizeof out, text, 10, 1000);
    assert_string_equal(out, text);
    for (size_t room = 5; room <= sizeof out; room++)
        for (double width = 0; width < 100; width++) {
            mco_svg_text_cut(out, room, text, 10, width);
            const size_t length = strlen(out);
            assert_true(length < room);
            assert_true(length == strlen(text) || (length % 2 == 1 && strcmp(out + length - 3, "\xe2\x80\xa6") == 0));
        }
}

// ---- Failures

static void wrong_plans_are_refused(void **state)
{
    mco_guillotine_node nodes[COUNT_OF(NODES)];
    mco_guillotine *problem = example();
    const char *path = test_path(SHEET);
    (void)state;
    for (int k = 0; k < COUNT_OF(NODES); k++) {
        memcpy(nodes, NODES, sizeof nodes);
        nodes[k].width++;
        assert_int_equal(mco_guillotine_plot(test_ctx, problem, nodes, COUNT_OF(nodes), path), MCO_ERR_CHECK);
        memcpy(nodes, NODES, sizeof nodes);
        nodes[k].parts[0] = nodes[k].parts[1] = INT64_MAX;
        nodes[k].kind = MCO_GUILLOTINE_NODE_CUT;
        nodes[k].x = nodes[k].y = nodes[k].at = INT32_MIN;
        assert_int_equal(mco_guillotine_plot(test_ctx, problem, nodes, COUNT_OF(nodes), path), MCO_ERR_CHECK);
    }
    assert_int_equal(mco_guillotine_plot(test_ctx, problem, NODES, 0, path), MCO_ERR_CHECK);
    assert_int_equal(mco_guillotine_plot(test_ctx, problem, NULL, 1, path), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_guillotine_plot(test_ctx, problem, NODES, COUNT_OF(NODES), NULL), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_guillotine_plot(test_ctx, NULL, NODES, COUNT_OF(NODES), path), MCO_ERR_ARGUMENT);
    assert_int_equal(mco_guillotine_plot(NULL, problem, NODES, COUNT_OF(NODES), path), MCO_ERR_ARGUMENT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(mco_guillotine_plot(test_ctx, problem, NODES, COUNT_OF(NODES), "no/such/folder/sheet.svg"),
                     MCO_ERR_IO);
    assert_int_equal(mco_guillotine_plot(test_ctx, problem, NODES, COUNT_OF(NODES), "/dev/full"), MCO_ERR_IO);
    mco_guillotine_destroy(test_ctx, &problem);
}

static void failing_allocations_leave_no_file(void **state)
{
    mco_guillotine *problem = example();
    const char *path = test_path(SHEET);
    mco_status st = MCO_ERR_MEMORY;
    (void)state;
    for (long k = 1; st != MCO_OK; k++) {
        assert_int_equal(access(path, F_OK), -1);
        test_fail_allocation(k);
        st = mco_guillotine_plot(test_ctx, problem, NODES, COUNT_OF(NODES), path);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
    }
    test_fail_allocation(0);
    remove(path);
    mco_guillotine_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sheets_say_what_the_plan_is),
        TEST(sheets_of_results_show_what_is_proved),
        TEST(the_origin_is_the_lower_left_corner),
        TEST(an_uncut_plate_is_a_sheet),
        TEST(names_are_escaped_and_cut),
        TEST(sheets_of_all_sizes_are_well_formed),
        TEST(large_plans_are_merged),
        TEST(many_types_are_counted),
        TEST(hatches_and_upward_texts_are_written),
        TEST(cut_texts_keep_characters_whole),
        TEST(wrong_plans_are_refused),
        TEST(failing_allocations_leave_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
