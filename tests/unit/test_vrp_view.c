// SPDX-License-Identifier: MIT
// The picture as a document: its content, that it is complete at all sizes, and that it is never made of a wrong
// solution.
#include "svg_support.h"

#include "mco/vrp.h"

// The picture of a solution; it must be well-formed. To be freed.
static char *picture_of(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    const char *path = test_path("picture.svg");
    assert_ok(mco_vrp_plot(test_ctx, problem, solution, path));
    char *text = svg_read(path);
    remove(path);
    assert_true(svg_is_well_formed(text));
    assert_true(svg_is_inside_its_frame(text));
    return text;
}

// ---- Four customers at the corners of a square of side 20 around the depot, in two routes

typedef struct example {
    mco_vrp *problem;
    mco_vrp_solution solution;
    int32_t order[4], first[3];
} example;

static void create_example(example *e, mco_vrp_distances distances)
{
    static const double x[] = {0, 10, 10, -10, -10}, y[] = {0, 10, -10, -10, 10};
    static const int32_t demands[] = {1, 2, 3, 6};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 10;
    model.max_length = 70;
    model.distance = distances;
    *e = (example){.order = {0, 1, 2, 3}, .first = {0, 2, 4}};
    e->solution = (mco_vrp_solution){4, 2, e->order, e->first};
    assert_ok(mco_vrp_from_coordinates(test_ctx, 4, x, y, demands, &model, &e->problem));
}

static void pictures_say_what_the_solution_is(void **state)
{
    example e;
    (void)state;
    create_example(&e, MCO_VRP_DISTANCES_ROUNDED);
    char *text = picture_of(e.problem, &e.solution);
    // 14 + 20 + 14, twice.
    assert_non_null(strstr(text, ">4 customers, 2 routes, each at most 70 long</text>"));
    assert_non_null(strstr(text, ": cost 96</text>"));
    assert_non_null(strstr(text, "<title>customer 1: demand 1, route 1, stop 1 of 2</title>"));
    assert_non_null(strstr(text, "<title>customer 4: demand 6, route 2, stop 2 of 2</title>"));
    assert_non_null(strstr(text, "<title>route 1: load 3 of 10, length 48, 2 customers</title>"));
    assert_non_null(strstr(text, "<title>route 2: load 9 of 10, length 48, 2 customers</title>"));
    assert_int_equal(count_in_group(text, "names", "<text"), 4);
    assert_int_equal(count_in_group(text, "routes", "<path"), 2);
    assert_int_equal(count_in_group(text, "spokes", "<path"), 2);
    assert_int_equal(count_in_group(text, "tips", "<rect"), 4);
    assert_int_equal(count_in_group(text, "loads", "<rect class=\"frame\""), 2);
    assert_int_equal(count_in_group(text, "numbers", ">1</text>"), 1);
    assert_int_equal(count_in_group(text, "numbers", ">2</text>"), 1);
    assert_int_equal(count_in_group(text, "depot-name names", ">depot</text>"), 1);
    assert_non_null(strstr(text, ">loads, of 10</text>"));
    assert_null(strstr(text, "coordinates"));
    free(text);
    mco_vrp_destroy(test_ctx, &e.problem);
}

// 680 pixels stand for 20 units, in the middle of a map of 720; y grows upwards. A bar of 110 pixels stands for the
// capacity.
static void places_and_bars_have_the_right_size(void **state)
{
    example e;
    (void)state;
    create_example(&e, MCO_VRP_DISTANCES_ROUNDED);
    char *text = picture_of(e.problem, &e.solution);
    assert_non_null(strstr(text, "d=\"M724 114L724 794\"/>"));
    assert_non_null(strstr(text, "d=\"M44 794L44 114\"/>"));
    assert_non_null(strstr(text, "d=\"M724 114L384 454L724 794\"/>"));
    assert_non_null(strstr(text, "<rect class=\"depot\" x=\"379\" y=\"449\""));
    assert_non_null(strstr(text, "y=\"94\" width=\"33\" height=\"10\"><title>route 1:"));
    assert_non_null(strstr(text, "y=\"110\" width=\"99\" height=\"10\"><title>route 2:"));
    // The average demand is 3: the dot sizes are for less than half of it, less than it, less than 1.5 times it, and
    // more.
    for (int size = 0; size < 4; size++) {
        char look[8];
        snprintf(look, sizeof look, " s%d\"", size);
        assert_int_equal(count_in_group(text, "dots", look), 1);
    }
    free(text);
    mco_vrp_destroy(test_ctx, &e.problem);
}

// Each corner is 10 sqrt(2) = 14.14 away.
static void real_lengths_have_two_decimals(void **state)
{
    example e;
    (void)state;
    create_example(&e, MCO_VRP_DISTANCES_REAL);
    char *text = picture_of(e.problem, &e.solution);
    assert_non_null(strstr(text, ">4 customers, 2 routes, each at most 70.00 long</text>"));
    assert_non_null(strstr(text, ": cost 96.57</text>"));
    assert_non_null(strstr(text, "load 3 of 10, length 48.28, 2 customers"));
    free(text);
    mco_vrp_destroy(test_ctx, &e.problem);
}

static void without_coordinates_customers_are_on_a_circle(void **state)
{
    const int32_t distances[5 * 5] = {0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0};
    const int32_t demands[] = {1, 1, 1, 1};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    int32_t order[] = {3, 1, 0, 2}, first[] = {0, 2, 4};
    const mco_vrp_solution solution = {4, 2, order, first};
    (void)state;
    model.capacity = 2;
    assert_ok(mco_vrp_create(test_ctx, 4, distances, demands, &model, &problem));
    char *text = picture_of(problem, &solution);
    assert_non_null(strstr(text, "(no coordinates: customers route after route, clockwise)</text>"));
    // The first customer is at the top, 340 pixels above the depot, the second to the right.
    assert_non_null(strstr(text, "d=\"M384 114L724 454\"/>"));
    assert_non_null(strstr(text, "d=\"M384 794L44 454\"/>"));
    free(text);
    mco_vrp_destroy(test_ctx, &problem);
}

// ---- All sizes

// The map is the square from 24, 94 with sides of 720.
static void assert_labels_inside(const char *text)
{
    static const char *const groups[] = {"names", "numbers", "depot-name names"};
    for (int k = 0; k < COUNT_OF(groups); k++)
        assert_int_equal(svg_texts_outside(text, groups[k], 24, 94, 744, 814), 0);
}

// Customers on a spiral, in routes of `length` customers one after the other.
static char *picture_of_size(int32_t customers, int32_t length, int32_t *routes)
{
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    mco_vrp_solution s = {.customers = customers, .routes = (customers + length - 1) / length};
    double *x = calloc((size_t)customers + 1, sizeof *x), *y = calloc((size_t)customers + 1, sizeof *y);
    int32_t *demands = calloc((size_t)customers + 1, sizeof *demands);
    s.order = calloc((size_t)customers + 1, sizeof *s.order);
    s.first = calloc((size_t)s.routes + 1, sizeof *s.first);
    assert_true(x != NULL && y != NULL && demands != NULL && s.order != NULL && s.first != NULL);
    for (int32_t i = 0; i < customers; i++) {
        s.order[i] = i;
        demands[i] = 1 + i % 3;
        x[i + 1] = (i % 97) * 10.0;
        y[i + 1] = (i % 89) * 12.0;
    }
    for (int32_t r = 0; r <= s.routes; r++)
        s.first[r] = r * length < customers ? r * length : customers;
    model.capacity = 3 * length;
    assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demands, &model, &problem));
    char *text = picture_of(problem, &s);
    *routes = s.routes;
    free(x);
    free(y);
    free(demands);
    free(s.order);
    free(s.first);
    mco_vrp_destroy(test_ctx, &problem);
    return text;
}

static void pictures_of_all_sizes_are_whole(void **state)
{
    static const struct {
        int32_t customers, length;
        const char *dots;
        int tips, bars;
    } sizes[] = {{0, 1, "dots", 0, 0},           {1, 1, "dots", 1, 1},          {60, 7, "dots", 60, 9},
                 {60, 1, "dots", 60, 60},        {61, 1, "dots", 61, 0},
                 {200, 2, "dots", 200, 0},       {2000, 21, "dots middling", 2000, 0}, {5000, 1, "dots fine", 5000, 0},
                 {20000, 29, "dots fine", 0, 0}, {20000, 1, "dots fine", 0, 0}};
    (void)state;
    for (int k = 0; k < COUNT_OF(sizes); k++) {
        int32_t routes;
        char *text = picture_of_size(sizes[k].customers, sizes[k].length, &routes);
        const int dots = count_in_group(text, sizes[k].dots, "<path");
        assert_true(dots <= 6 * 4 && (dots > 0) == (sizes[k].customers > 0));
        assert_int_equal(count_in_group(text, "tips", "<rect"), sizes[k].tips);
        assert_int_equal(count_in_group(text, "loads", "<title>route "), sizes[k].bars);
        assert_int_equal(count_in_group(text, "loads", "class=\"count\""), routes > 60 ? 10 : 0);
        assert_int_equal(count_of(text, "class=\"count\""), routes > 60 ? 10 : 0);
        const int numbers = count_in_group(text, "numbers", "<text");
        // A number has no place where others surround its route.
        assert_true(routes <= 10 ? numbers == routes : routes <= 400 ? numbers > routes / 2 : numbers == 0);
        assert_true(count_in_group(text, "names", "<text") <= (sizes[k].customers <= 200 ? sizes[k].customers : 0));
        assert_labels_inside(text);
        // With tooltips a customer takes at most 350 bytes, without them less than 100; a number at most 300, a bar 700.
        assert_true(strlen(text) < 10000 + (sizes[k].tips > 0 ? 350 : 100) * (size_t)sizes[k].customers +
                                       300 * (size_t)numbers + 700 * (size_t)sizes[k].bars);
        free(text);
    }
}

// The first and the last route of the ranking, which are neighbours on the map, must have different colours.
static void neighbours_differ_in_colour(void **state)
{
    (void)state;
    for (int32_t routes = 20; routes <= 80; routes++) {
        double x[128] = {0}, y[128] = {0};
        int32_t demands[128], order[128], first[128];
        mco_vrp_model model = MCO_VRP_MODEL_INIT;
        mco_vrp *problem = NULL;
        for (int32_t i = 0; i < routes; i++) {
            const double angle = 2 * acos(-1) * i / routes;
            x[i + 1] = 1000 * cos(angle);
            y[i + 1] = 1000 * sin(angle);
            demands[i] = 1;
            order[i] = first[i] = i;
        }
        first[routes] = routes;
        model.capacity = 1;
        assert_ok(mco_vrp_from_coordinates(test_ctx, routes, x, y, demands, &model, &problem));
        char *text = picture_of(problem, &(mco_vrp_solution){routes, routes, order, first});
        int colour[128];
        const char *at = strstr(text, "<g class=\"spokes\">");
        for (int32_t i = 0; i < routes; i++) {
            at = strstr(at + 1, "class=\"c");
            colour[i] = atoi(at + 8);
        }
        for (int32_t i = 0; i < routes; i++)
            assert_true(colour[i] != colour[(i + 1) % routes] && colour[i] != colour[(i + 2) % routes]);
        free(text);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// With 24 routes, no two have the same colour and the same style of lines.
static void routes_have_looks_of_their_own(void **state)
{
    int32_t routes;
    char *text = picture_of_size(48, 2, &routes), looks[24][16];
    const char *at = strstr(text, "<g class=\"spokes\">");
    (void)state;
    assert_int_equal(routes, 24);
    for (int32_t r = 0; r < routes; r++) {
        at = strstr(at + 1, "<path class=\"");
        snprintf(looks[r], sizeof looks[r], "%.5s", at + strlen("<path class=\""));
        for (int32_t other = 0; other < r; other++)
            assert_string_not_equal(looks[r], looks[other]);
    }
    free(text);
}

// Customers in all four corners, with names of 60 letters, and all at one place.
static void long_names_stay_on_the_map(void **state)
{
    char table[4096] = "name,x,y,demand\ndepot,50,50,\n";
    int32_t order[20], first[] = {0, 10, 20};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    (void)state;
    model.capacity = 10;
    for (int place = 0; place < 2; place++) {
        mco_vrp *problem = NULL;
        size_t size = strlen("name,x,y,demand\ndepot,50,50,\n");
        for (int i = 0; i < 20; i++) {
            size += (size_t)snprintf(table + size, sizeof table - size, "%060d,%d,%d,1\n", i, place ? 50 : i % 2 * 100,
                                     place ? 50 : i / 2 % 2 * 100 + i / 4);
            order[i] = i;
        }
        assert_ok(mco_vrp_read(test_ctx, test_file("names.csv", table), &model, &problem));
        char *text = picture_of(problem, &(mco_vrp_solution){20, 2, order, first});
        assert_labels_inside(text);
        assert_true(count_in_group(text, "names", "<text") > 0);
        assert_int_equal(count_in_group(text, "depot-name names", ">depot</text>"), 1);
        free(text);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

static void pictures_of_results_show_what_is_known(void **state)
{
    static const struct {
        mco_outcome outcome;
        double bound;
        const char *title, *summary;
    } cases[] = {{MCO_OUTCOME_OPTIMAL, 96, ": cost 96, optimal<", " long<"},
                 {MCO_OUTCOME_FEASIBLE, 72, ": cost 96, gap 25.00 %<", ", no solution costs less than 72<"},
                 {MCO_OUTCOME_FEASIBLE, NAN, ": cost 96, no bound known<", " long<"}};
    const char *path = test_path("picture.svg");
    example e;
    (void)state;
    create_example(&e, MCO_VRP_DISTANCES_ROUNDED);
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    r.solution = e.solution;
    r.cost = 96;
    for (int k = 0; k < COUNT_OF(cases); k++) {
        r.outcome = cases[k].outcome;
        r.bound = cases[k].bound;
        assert_ok(mco_vrp_plot_result(test_ctx, e.problem, &r, path));
        char *text = svg_read(path);
        assert_non_null(strstr(text, cases[k].title));
        assert_non_null(strstr(text, cases[k].summary));
        free(text);
    }
    remove(path);
    r = (mco_vrp_result)MCO_VRP_RESULT_INIT;
    assert_true(mco_vrp_plot_result(test_ctx, e.problem, &r, path) != MCO_OK);
    assert_int_equal(mco_vrp_plot_result(test_ctx, e.problem, NULL, path), MCO_ERR_ARGUMENT);
    assert_int_equal(access(path, F_OK), -1);
    mco_vrp_destroy(test_ctx, &e.problem);
}

// ---- Refusals

static void wrong_solutions_are_refused(void **state)
{
    example e;
    (void)state;
    create_example(&e, MCO_VRP_DISTANCES_ROUNDED);
    e.order[3] = 0;
    assert_int_equal(mco_vrp_plot(test_ctx, e.problem, &e.solution, test_path("none.svg")), MCO_ERR_CHECK);
    assert_int_equal(access(test_path("none.svg"), F_OK), -1);
    e.order[3] = 3;
    assert_int_equal(mco_vrp_plot(test_ctx, e.problem, &e.solution, "no/such/folder/f.svg"), MCO_ERR_IO);
    assert_fails(mco_vrp_plot(test_ctx, e.problem, NULL, "f.svg"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_vrp_plot(test_ctx, e.problem, &e.solution, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_vrp_destroy(test_ctx, &e.problem);
}

static void memory_may_run_out(void **state)
{
    example e;
    mco_status st = MCO_ERR_MEMORY;
    (void)state;
    create_example(&e, MCO_VRP_DISTANCES_ROUNDED);
    for (long k = 1; st == MCO_ERR_MEMORY; k++) {
        assert_true(k < 100);
        test_fail_allocation(k);
        st = mco_vrp_plot(test_ctx, e.problem, &e.solution, test_path("memory.svg"));
        test_fail_allocation(0);
        assert_true(st == MCO_OK || access(test_path("memory.svg"), F_OK) != 0);
    }
    assert_int_equal(st, MCO_OK);
    mco_vrp_destroy(test_ctx, &e.problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(pictures_say_what_the_solution_is),
                                       TEST(places_and_bars_have_the_right_size),
                                       TEST(real_lengths_have_two_decimals),
                                       TEST(without_coordinates_customers_are_on_a_circle),
                                       TEST(pictures_of_all_sizes_are_whole),
                                       TEST(neighbours_differ_in_colour),
                                       TEST(routes_have_looks_of_their_own),
                                       TEST(long_names_stay_on_the_map),
                                       TEST(pictures_of_results_show_what_is_known),
                                       TEST(wrong_solutions_are_refused),
                                       TEST(memory_may_run_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
