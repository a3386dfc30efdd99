// SPDX-License-Identifier: MIT
// What the pictures share: the header, and room for labels.
#include "svg_support.h"

#include <math.h>

#include "render/view.h"

static const mco_view_point NOWHERE[2] = {{0, 0}, {0, 0}};

// ---- Header

static char *header(const char *name, const mco_view_known *known, double width)
{
    char *text = NULL;
    size_t size;
    mco_svg svg = {.file = open_memstream(&text, &size)};
    assert_non_null(svg.file);
    mco_view_header(&svg, 10, width, name, "cost 96", known, "two routes");
    fclose(svg.file);
    return text;
}

static void titles_say_what_is_known(void **state)
{
    static const struct {
        mco_view_known known;
        const char *title;
    } cases[] = {{{MCO_OUTCOME_UNKNOWN, 0, 0}, ">a: cost 96<"},
                 {{MCO_OUTCOME_OPTIMAL, 96, 96}, ">a: cost 96, optimal<"},
                 {{MCO_OUTCOME_OPTIMAL, 96, NAN}, ">a: cost 96, optimal<"},
                 {{MCO_OUTCOME_FEASIBLE, 96, 96}, ">a: cost 96, gap 0.00 %<"},
                 {{MCO_OUTCOME_FEASIBLE, 96, 72}, ">a: cost 96, gap 25.00 %<"},
                 {{MCO_OUTCOME_FEASIBLE, 96, 96.001}, ">a: cost 96, gap below 0.01 %<"},
                 {{MCO_OUTCOME_FEASIBLE, 96, NAN}, ">a: cost 96, no bound known<"},
                 {{MCO_OUTCOME_FEASIBLE, 0, 5}, ">a: cost 96, gap unknown<"},
                 {{MCO_OUTCOME_FEASIBLE, 1e-300, 1e300}, ">a: cost 96, gap unknown<"}};
    (void)state;
    for (int k = 0; k < COUNT_OF(cases); k++) {
        char *text = header("a", &cases[k].known, 700);
        assert_non_null(strstr(text, cases[k].title));
        assert_non_null(strstr(text, ">two routes</text>"));
        free(text);
    }
}

// The name is cut, the rest of the title never.
static void long_titles_keep_what_is_known(void **state)
{
    const mco_view_known known = {MCO_OUTCOME_OPTIMAL, 96, 96};
    char name[2000];
    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (double width = 0; width <= 1000; width += 250) {
        char *text = header(name, &known, width);
        assert_non_null(strstr(text, "\xe2\x80\xa6: cost 96, optimal</text>"));
        free(text);
    }
    char *text = header(name, &known, 700);
    assert_int_equal(svg_texts_outside(text, NULL, 10, 0, 710, 100), 0);
    free(text);
}

// ---- Room

static void labels_never_overlap(void **state)
{
    mco_view_room *room = malloc(sizeof *room);
    mco_view_box taken[100];
    int count = 0;
    (void)state;
    assert_non_null(room);
    mco_view_room_begin(room, 100, 50, 300);
    for (int i = 0; i < COUNT_OF(taken); i++) {
        const mco_view_point at = {100 + i * 37 % 301, 50 + i * 61 % 301};
        mco_view_box label = {.width = 20 + i % 30, .height = 9};
        if (!mco_view_room_beside(room, at, NOWHERE, 4, INT32_MAX, &label))
            continue;
        assert_true(label.x >= 100 && label.y >= 50 && label.x + label.width <= 400 && label.y + label.height <= 350);
        for (int k = 0; k < count; k++)
            assert_true(label.x >= taken[k].x + taken[k].width || taken[k].x >= label.x + label.width ||
                        label.y >= taken[k].y + taken[k].height || taken[k].y >= label.y + label.height);
        taken[count++] = label;
    }
    assert_true(count > 20);
    free(room);
}

// The neighbours of the dot at 200, 200 lie to the right and above, so the label goes to the left or below; a dot to the
// left leaves the place below. With dots all around, only a label that may cover them has a place.
static void labels_avoid_edges_and_dots(void **state)
{
    const mco_view_point at = {200, 200}, neighbours[2] = {{300, 190}, {190, 100}};
    mco_view_room *room = malloc(sizeof *room);
    mco_view_box label = {.width = 20, .height = 10};
    const mco_view_box dots[] = {{170, 196, 8, 8}, {196, 210, 8, 8}, {196, 180, 8, 8}, {215, 196, 8, 8}};
    (void)state;
    assert_non_null(room);
    mco_view_room_begin(room, 0, 0, 720);
    mco_view_room_take(room, &dots[0], MCO_VIEW_DOT);
    assert_true(mco_view_room_beside(room, at, neighbours, 4, 0, &label));
    assert_true(label.y > 204 && label.x == 190);
    mco_view_room_begin(room, 0, 0, 720);
    for (int k = 0; k < COUNT_OF(dots); k++)
        mco_view_room_take(room, &dots[k], MCO_VIEW_DOT);
    assert_false(mco_view_room_beside(room, at, neighbours, 4, 0, &label));
    assert_true(mco_view_room_beside(room, at, neighbours, 4, INT32_MAX, &label));
    // What lies beside the map covers nothing, and a label there has no place.
    mco_view_room_take(room, &(mco_view_box){-50, -50, 20, 20}, MCO_VIEW_LABEL);
    mco_view_room_take(room, &(mco_view_box){700, 700, 1000, 1000}, MCO_VIEW_LABEL);
    assert_int_equal(mco_view_room_cost(room, &(mco_view_box){0, 0, 20, 20}), 0);
    assert_int_equal(mco_view_room_cost(room, &(mco_view_box){-1, 0, 20, 20}), -1);
    assert_int_equal(mco_view_room_cost(room, &(mco_view_box){690, 690, 20, 20}), -1);
    free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(titles_say_what_is_known),
        TEST(long_titles_keep_what_is_known),
        TEST(labels_never_overlap),
        TEST(labels_avoid_edges_and_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
