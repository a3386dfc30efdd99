// SPDX-License-Identifier: MIT
// The picture of a solution: a map of the routes, and beside it their loads.
//
// A route has one of 24 looks: six colours by four styles of lines. The colours are six of P. Tol's "muted" scheme
// (Colour Schemes, 2021), which is made for lines and for the common kinds of colour blindness. Any two of the six are at
// least 20 apart in CIELAB, in normal, protanopic, deuteranopic and tritanopic sight (Machado et al. 2009). In the
// order below, neighbours are at least 34 apart. Routes are ranked by their direction from the depot. Each five or six
// of that rank have the colours in order and one style, so routes beside each other differ in colour.
//
// A route has its number on the map, where it covers the fewest dots and no other number. Edges at the depot are pale
// because they are many and cross. Customers are dots of four sizes, by demand; the largest is for demands from 1.5
// times the average. Without coordinates the depot is the centre of a circle, and the customers are on it, route after
// route.
//
// One path holds all edges of a route, or all dots of one colour and size. So a picture of 20,000 customers takes less
// than a megabyte. Names stand beside the dots if there are at most NAMED_CUSTOMERS; tooltips exist up to
// DETAIL_CUSTOMERS.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/structs.h"
#include "render/view.h"
#include "vrp/panel.h"

enum {
    DETAIL_CUSTOMERS = 5000,  // the most customers with tooltips
    NAMED_CUSTOMERS = 200,    // the most customers with names beside the dots
    LARGE_DOTS = 200,         // the most customers with dots and lines of full size
    SMALL_DOTS = 3000,        // the most customers with those of medium size
    NUMBERED_ROUTES = 400,    // the most routes with a number on the map
    TRIED_STOPS = 200,        // of a route, for a place of its number
    STYLES = 4,
    DOT_SIZES = 4,
    NAME_ROOM = 256           // bytes of a name that is cut to fit
};

// Pixels.
static const double MARGIN = 24, HEADER = 94, MAP = 720, MAP_PADDING = 20, GAP = 36, LEGEND = 44;
static const double DEPOT = 10, DOT_REACH = 6;  // side of the square; reach of a dot for the pointer
static const double CHIP_PADDING = 2, CHIP_HEIGHT = 12, CHIP_FONT = 10;  // a chip is a number on the map
static const double TEXT_FONT = MCO_VIEW_FONT, NAME_WIDTH = 144, TOOLTIP_WIDTH = 720;
// Half the side of the square that a dot covers, by size class, for labels.
static const double DOT_COVERS[] = {4.5, 2, 1};

static const char CSS[] =
    MCO_VIEW_CSS
    ".map{fill:#F7F7F7}.frame{fill:#E8E8E8}.count{fill:#8C96A3}\n"
    ".depot{fill:#111;stroke:#FFF;stroke-width:1.5}\n"
    ".tip{fill:none;pointer-events:all}\n"
    ".routes path,.spokes path,.loads path{fill:none;stroke-width:1.7;stroke-linejoin:round}\n"
    ".spokes path{opacity:.4;stroke-width:1}\n"
    ".numbers rect{fill:#FFF;stroke-width:1.5}.numbers text{font-size:10px;font-weight:bold;fill:#111;pointer-events:none}\n"
    ".l1{stroke-dasharray:7 3}.l2{stroke-dasharray:2 2.4}.l3{stroke-dasharray:9 2.5 2 2.5}\n"
    ".dots path{fill:none;stroke-linecap:round}\n"
    ".s0{stroke-width:5}.s1{stroke-width:6.5}.s2{stroke-width:8}.s3{stroke-width:10}\n"
    ".middling.routes path{stroke-width:1.1}.middling.spokes path{stroke-width:.6;opacity:.3}\n"
    ".middling .s0{stroke-width:2.4}.middling .s1{stroke-width:3}\n"
    ".middling .s2{stroke-width:3.6}.middling .s3{stroke-width:4.4}\n"
    ".fine.routes path{stroke-width:.5}.fine.spokes path{stroke-width:.3;opacity:.25}\n"
    ".fine .s0{stroke-width:1}.fine .s1{stroke-width:1.3}.fine .s2{stroke-width:1.6}.fine .s3{stroke-width:2}\n";

// Indigo, rose, olive, wine, cyan, green.
static const char *const PALETTE[VRP_COLOURS] = {"#332288", "#CC6677", "#999933", "#882255", "#88CCEE", "#117733"};

typedef struct ranked {
    double angle;
    int32_t route;
} ranked;

typedef struct sheet {
    const mco_vrp *problem;
    const mco_vrp_solution *solution;
    int32_t customers, routes;
    int64_t cost;
    double *x, *y;         // [customers + 1] pixels of each node
    int32_t *look;         // [routes] style * VRP_COLOURS + colour
    int32_t *route;        // [customers] the route of each customer
    ranked *ranks;         // [routes] by direction from the depot
    int32_t *of_look;      // [customers] the customers, sorted by colour and size
    bool has_coordinates;
    bool lacks_names, lacks_numbers;
    double top, bottom, width;
    mco_view_known known;
    mco_view_room *room;
    vrp_panel panel;
    mco_svg svg;
} sheet;

// ---- Measures

// 0: dots and lines of full size, 1: of medium size, 2: fine.
static int size_class(const sheet *s)
{
    return s->customers <= LARGE_DOTS ? 0 : s->customers <= SMALL_DOTS ? 1 : 2;
}

// Begins a group of class `name`, with the rules of the size class.
static void begin_sized(sheet *s, const char *name)
{
    static const char *const classes[] = {"", " middling", " fine"};
    char look[32];
    snprintf(look, sizeof look, "%s%s", name, classes[size_class(s)]);
    mco_svg_group_begin(&s->svg, look);
}

// The node of the customer at place i of the solution.
static int32_t node_at(const sheet *s, int32_t i)
{
    return s->solution->order[i] + 1;
}

// In GEO files the latitude comes first, in others x.
static bool place_of(const sheet *s, int32_t node, double at[2])
{
    const int x = s->problem->rule == VRP_GEO ? 1 : 0;
    return mco_vrp_coordinates(s->problem, node, &at[x], &at[1 - x]);
}

static void place_on_circle(sheet *s)
{
    const double turn = 2 * acos(-1), radius = MAP / 2 - MAP_PADDING;
    s->x[0] = MARGIN + MAP / 2;
    s->y[0] = s->top + MAP / 2;
    for (int32_t i = 0; i < s->customers; i++) {
        s->x[node_at(s, i)] = s->x[0] + radius * sin(turn * i / s->customers);
        s->y[node_at(s, i)] = s->y[0] - radius * cos(turn * i / s->customers);
    }
}

// Centres the nodes in the map; y grows upwards.
static void place_by_coordinates(sheet *s, const double low[2], const double high[2])
{
    const double longest = fmax(high[0] - low[0], high[1] - low[1]);
    const double scale = longest > 0 ? (MAP - 2 * MAP_PADDING) / longest : 1;
    for (int32_t node = 0; node <= s->customers; node++) {
        double at[2];
        place_of(s, node, at);
        s->x[node] = MARGIN + MAP / 2 + (at[0] - (low[0] + high[0]) / 2) * scale;
        s->y[node] = s->top + MAP / 2 - (at[1] - (low[1] + high[1]) / 2) * scale;
    }
}

static void place_nodes(sheet *s)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, at[2];
    s->has_coordinates = true;
    for (int32_t node = 0; node <= s->customers && s->has_coordinates; node++) {
        s->has_coordinates = place_of(s, node, at);
        for (int axis = 0; axis < 2 && s->has_coordinates; axis++) {
            low[axis] = fmin(low[axis], at[axis]);
            high[axis] = fmax(high[axis], at[axis]);
        }
    }
    // Without a finite span the map has no scale. The readers keep it finite: they limit all coordinates.
    s->has_coordinates = s->has_coordinates && isfinite(high[0] - low[0]) && isfinite(high[1] - low[1]);
    if (s->has_coordinates)
        place_by_coordinates(s, low, high);
    else
        place_on_circle(s);
}

static int compare_ranks(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    return p->angle != q->angle ? (p->angle < q->angle ? -1 : 1) : p->route < q->route ? -1 : p->route > q->route;
}

// Deals the ranks out to blocks of VRP_COLOURS routes, or one fewer, so that the last and the first ranks, which are
// neighbours too, have the ends of the colours' order.
static void choose_looks(sheet *s)
{
    const int64_t blocks = (s->routes + VRP_COLOURS - 1) / VRP_COLOURS;
    const int32_t *first = s->solution->first;
    for (int32_t r = 0; r < s->routes; r++) {
        double x = 0, y = 0;
        for (int32_t i = first[r]; i < first[r + 1]; i++) {
            x += s->x[node_at(s, i)] - s->x[0];
            y += s->y[node_at(s, i)] - s->y[0];
            s->route[s->solution->order[i]] = r;
        }
        s->ranks[r] = (ranked){atan2(y, x), r};
    }
    qsort(s->ranks, (size_t)s->routes, sizeof *s->ranks, compare_ranks);
    for (int32_t k = 0; k < s->routes; k++) {
        const int64_t block = k * blocks / s->routes, begin = (block * s->routes + blocks - 1) / blocks;
        s->look[s->ranks[k].route] = (int32_t)(block % STYLES * VRP_COLOURS + k - begin);
    }
}

// ---- Texts

static const char *name_of(const sheet *s, int32_t customer, double font, double width, char name[NAME_ROOM])
{
    char buffer[16];
    mco_svg_text_cut(name, NAME_ROOM, mco_vrp_customer_name(s->problem, customer, buffer), font, width);
    return name;
}

// ---- The map

static void draw_routes(sheet *s)
{
    begin_sized(s, "routes");
    for (int32_t r = 0; r < s->routes; r++) {
        const int32_t first = s->solution->first[r], end = s->solution->first[r + 1];
        if (end - first < 2)
            continue;
        vrp_begin_line(&s->panel, r);
        mco_svg_path_move(&s->svg, s->x[node_at(s, first)], s->y[node_at(s, first)]);
        for (int32_t i = first + 1; i < end; i++)
            mco_svg_path_line(&s->svg, s->x[node_at(s, i)], s->y[node_at(s, i)]);
        mco_svg_path_end(&s->svg);
    }
    mco_svg_group_end(&s->svg);
}

static void draw_spokes(sheet *s)
{
    begin_sized(s, "spokes");
    for (int32_t r = 0; r < s->routes; r++) {
        const int32_t a = node_at(s, s->solution->first[r]), b = node_at(s, s->solution->first[r + 1] - 1);
        vrp_begin_line(&s->panel, r);
        mco_svg_path_move(&s->svg, s->x[a], s->y[a]);
        mco_svg_path_line(&s->svg, s->x[0], s->y[0]);
        if (a != b)
            mco_svg_path_line(&s->svg, s->x[b], s->y[b]);
        mco_svg_path_end(&s->svg);
    }
    mco_svg_group_end(&s->svg);
}

// The sizes stand for demands below 0.5, 1 and 1.5 times the average, and for all others.
static int32_t dot_size(const sheet *s, int32_t customer, double average)
{
    const double halves = average > 0 ? 2 * s->problem->demand[customer + 1] / average : 0;
    return halves < 1 ? 0 : halves < 2 ? 1 : halves < 3 ? 2 : DOT_SIZES - 1;
}

// Fills of_look. Look k has colour k / DOT_SIZES and size k % DOT_SIZES; it begins at begin[k].
static void sort_by_look(sheet *s, int32_t begin[VRP_COLOURS * DOT_SIZES + 1])
{
    int32_t next[VRP_COLOURS * DOT_SIZES + 1] = {0};
    double average = 0;
    for (int32_t i = 0; i < s->customers; i++)
        average += (double)s->problem->demand[i + 1] / s->customers;
    for (int32_t i = 0; i < s->customers; i++)
        next[s->look[s->route[i]] % VRP_COLOURS * DOT_SIZES + dot_size(s, i, average) + 1]++;
    for (int k = 0; k < VRP_COLOURS * DOT_SIZES; k++)
        next[k + 1] += next[k];
    memcpy(begin, next, sizeof next);
    for (int32_t i = 0; i < s->customers; i++)
        s->of_look[next[s->look[s->route[i]] % VRP_COLOURS * DOT_SIZES + dot_size(s, i, average)]++] = i;
}

static void draw_dots(sheet *s)
{
    int32_t begin[VRP_COLOURS * DOT_SIZES + 1];
    char look[32];
    sort_by_look(s, begin);
    begin_sized(s, "dots");
    for (int k = 0; k < VRP_COLOURS * DOT_SIZES; k++) {
        if (begin[k] == begin[k + 1])
            continue;
        snprintf(look, sizeof look, "c%d s%d", k / DOT_SIZES, k % DOT_SIZES);
        mco_svg_path_begin(&s->svg, look);
        for (int32_t i = begin[k]; i < begin[k + 1]; i++)
            mco_svg_path_dot(&s->svg, s->x[s->of_look[i] + 1], s->y[s->of_look[i] + 1]);
        mco_svg_path_end(&s->svg);
    }
    mco_svg_group_end(&s->svg);
}

static void draw_tooltips(sheet *s)
{
    char text[VRP_TEXT_ROOM], name[NAME_ROOM];
    mco_svg_group_begin(&s->svg, "tips");
    for (int32_t i = 0; i < s->customers && s->customers <= DETAIL_CUSTOMERS; i++) {
        const int32_t customer = s->solution->order[i], r = s->route[customer];
        snprintf(text, sizeof text, "customer %s: demand %.15g, route %d, stop %d of %d",
                 name_of(s, customer, TEXT_FONT, TOOLTIP_WIDTH, name),
                 vrp_load(s->problem, s->problem->demand[customer + 1]), r + 1,
                 i - s->solution->first[r] + 1, s->solution->first[r + 1] - s->solution->first[r]);
        mco_svg_rect(&s->svg, "tip", s->x[customer + 1] - DOT_REACH, s->y[customer + 1] - DOT_REACH, 2 * DOT_REACH,
                     2 * DOT_REACH, text);
    }
    mco_svg_group_end(&s->svg);
}

// ---- Labels on the map

static mco_view_point point_of(const sheet *s, int32_t node)
{
    return (mco_view_point){s->x[node], s->y[node]};
}

// The node at place i of a route's stops; the depot is at both ends.
static int32_t stop_at(const sheet *s, int32_t route, int32_t i)
{
    return i < s->solution->first[route] || i >= s->solution->first[route + 1] ? 0 : node_at(s, i);
}

static void cover_dots(sheet *s)
{
    const double half = DOT_COVERS[size_class(s)];
    mco_view_room_begin(s->room, MARGIN, s->top, MAP);
    for (int32_t node = 0; node <= s->customers; node++)
        mco_view_room_take(s->room, &(mco_view_box){s->x[node] - half, s->y[node] - half, 2 * half, 2 * half}, MCO_VIEW_DOT);
    mco_view_room_take(s->room, &(mco_view_box){s->x[0] - DEPOT / 2, s->y[0] - DEPOT / 2, DEPOT, DEPOT}, MCO_VIEW_LABEL);
}

static void draw_depot_name(sheet *s)
{
    const mco_view_point nowhere[2] = {point_of(s, 0), point_of(s, 0)};
    mco_svg_group_begin(&s->svg, "depot-name names");
    mco_view_name_beside(&s->svg, s->room, point_of(s, 0), nowhere, DEPOT / 2, NAME_WIDTH, INT32_MAX, "depot");
    mco_svg_group_end(&s->svg);
}

// A place for the number of a route. `score` is the less, the better the place.
typedef struct place {
    double score;
    mco_view_box chip;
} place;

// Tries the number with its middle at x, y. A place covers few dots; among equals it is far from the depot, where routes
// are apart. `penalty` counts as so many cells of dots.
static void try_place(const sheet *s, place *best, double x, double y, double penalty)
{
    const double per_cell = 2 * MAP;  // more than the distance from the depot
    const mco_view_box chip = {x - best->chip.width / 2, y - best->chip.height / 2, best->chip.width, best->chip.height};
    const int32_t covered = mco_view_room_cost(s->room, &chip);
    const double score = per_cell * (covered + penalty) - hypot(x - s->x[0], y - s->y[0]);
    if (covered >= 0 && score < best->score)
        *best = (place){score, chip};
}

// Looks at three places on each edge of a route, at those beside its stops, and last at its edge to the depot. Of a long
// route it looks at some TRIED_STOPS stops, evenly spread.
static void find_number_place(const sheet *s, int32_t route, place *best)
{
    const double beside = 1, on_spoke = 12, away = DOT_COVERS[size_class(s)] + 2 * s->room->cell;
    const double right = away + best->chip.width / 2, down = away + best->chip.height / 2;
    const int32_t first = s->solution->first[route], end = s->solution->first[route + 1];
    // In 64 bits, because the last step may lead beyond the end.
    for (int64_t at = first; at < end; at += 1 + (end - first) / TRIED_STOPS) {
        const int32_t i = (int32_t)at;
        const int32_t node = stop_at(s, route, i), next = stop_at(s, route, i + 1);
        const double x = s->x[node], y = s->y[node];
        const double dx = (s->x[next] - x) / 4, dy = (s->y[next] - y) / 4;
        for (int quarter = 1; quarter <= 3; quarter++)
            try_place(s, best, x + dx * quarter, y + dy * quarter, next == 0 ? on_spoke : 0);
        try_place(s, best, x + right, y, beside);
        try_place(s, best, x - right, y, beside);
        try_place(s, best, x, y + down, beside);
        try_place(s, best, x, y - down, beside);
    }
}

static void draw_chip(sheet *s, const mco_view_box *chip, int32_t colour, const char *number, const char *tooltip)
{
    char look[16];
    snprintf(look, sizeof look, "c%d", colour);
    mco_svg_rect(&s->svg, look, chip->x, chip->y, chip->width, chip->height, tooltip);
    // 0.35 of the font size is half the height of a digit.
    mco_svg_text(&s->svg, NULL, MCO_SVG_MIDDLE, chip->x + chip->width / 2, chip->y + chip->height / 2 + 0.35 * CHIP_FONT,
                 number);
}

static void draw_numbers(sheet *s)
{
    char number[16], text[VRP_TEXT_ROOM];
    int32_t count = 0;
    mco_svg_group_begin(&s->svg, "numbers");
    for (int32_t r = 0; r < s->routes && s->routes <= NUMBERED_ROUTES; r++) {
        const mco_vrp_route route = mco_vrp_route_of(s->problem, s->solution, r);
        snprintf(number, sizeof number, "%d", r + 1);
        place best = {INFINITY, {.width = mco_svg_text_width(number, CHIP_FONT) + 2 * CHIP_PADDING, .height = CHIP_HEIGHT}};
        find_number_place(s, r, &best);
        if (best.score == INFINITY)
            continue;
        count++;
        mco_view_room_take(s->room, &best.chip, MCO_VIEW_LABEL);
        vrp_route_tooltip(&s->panel, r, &route, text);
        draw_chip(s, &best.chip, s->look[r] % VRP_COLOURS, number, text);
    }
    mco_svg_group_end(&s->svg);
    s->lacks_numbers = count < s->routes;
}

static void draw_names(sheet *s)
{
    char buffer[16];
    int32_t count = 0;
    mco_svg_group_begin(&s->svg, "names");
    for (int32_t i = 0; i < s->customers && s->customers <= NAMED_CUSTOMERS; i++) {
        const int32_t customer = s->solution->order[i], r = s->route[customer];
        const mco_view_point neighbours[] = {point_of(s, stop_at(s, r, i - 1)), point_of(s, stop_at(s, r, i + 1))};
        count += mco_view_name_beside(&s->svg, s->room, point_of(s, customer + 1), neighbours, DOT_COVERS[size_class(s)],
                                      NAME_WIDTH, 0, mco_vrp_customer_name(s->problem, customer, buffer));
    }
    mco_svg_group_end(&s->svg);
    s->lacks_names = count < s->customers;
}

static void draw_map(sheet *s)
{
    mco_svg_group_begin(&s->svg, "whole-map");
    mco_svg_text(&s->svg, "head", MCO_SVG_START, MARGIN, s->top - 9,
                 s->has_coordinates ? "routes" : "routes (no coordinates: customers route after route, clockwise)");
    mco_svg_rect(&s->svg, "map", MARGIN, s->top, MAP, MAP, NULL);
    draw_spokes(s);
    draw_routes(s);
    draw_dots(s);
    mco_svg_rect(&s->svg, "depot", s->x[0] - DEPOT / 2, s->y[0] - DEPOT / 2, DEPOT, DEPOT, "depot");
    cover_dots(s);
    draw_depot_name(s);
    draw_numbers(s);
    draw_names(s);
    draw_tooltips(s);
    mco_svg_group_end(&s->svg);
}

// ---- Header and legend

static void draw_header(sheet *s)
{
    char objective[64], text[VRP_TEXT_ROOM], number[40];
    snprintf(objective, sizeof objective, "cost %s", vrp_length_text(s->problem, s->cost, number));
    int at = snprintf(text, sizeof text, "%d customer%s, %d route%s", s->customers, mco_plural(s->customers), s->routes,
                      mco_plural(s->routes));
    if (vrp_has_max_length(s->problem))
        at += snprintf(text + at, sizeof text - (size_t)at, ", each at most %s long",
                       vrp_length_text(s->problem, s->problem->max_length, number));
    if (s->known.outcome == MCO_OUTCOME_FEASIBLE && isfinite(s->known.bound))
        snprintf(text + at, sizeof text - (size_t)at, ", no solution costs less than %s",
                 vrp_length_text(s->problem, llround(s->known.bound * s->problem->scale), number));
    mco_view_header(&s->svg, MARGIN, MAP, mco_vrp_name(s->problem), objective, &s->known, text);
}

static void draw_legend(sheet *s)
{
    const double y = s->bottom + LEGEND / 2;
    double x = MARGIN;
    mco_svg_group_begin(&s->svg, "legend");
    mco_svg_rect(&s->svg, "depot", x, y - DEPOT / 2, DEPOT, DEPOT, NULL);
    x = mco_view_legend_text(&s->svg, x + DEPOT + 6, y, "depot");
    if (s->routes > 0 && s->routes <= NUMBERED_ROUTES) {
        const mco_view_box chip = {x, y - CHIP_HEIGHT / 2, CHIP_HEIGHT, CHIP_HEIGHT};
        mco_svg_group_begin(&s->svg, "numbers");
        draw_chip(s, &chip, 0, "1", NULL);
        mco_svg_group_end(&s->svg);
        x = mco_view_legend_text(&s->svg, x + CHIP_HEIGHT + 6, y,
                                 s->lacks_numbers ? "route number, if it has room" : "route number");
    }
    mco_svg_group_begin(&s->svg, "dots");
    for (int size = 0; size < DOT_SIZES; size++) {
        const char *const looks[DOT_SIZES] = {"c0 s0", "c0 s1", "c0 s2", "c0 s3"};
        mco_svg_path_begin(&s->svg, looks[size]);
        mco_svg_path_dot(&s->svg, x + DOT_REACH + 12 * size, y);
        mco_svg_path_end(&s->svg);
    }
    mco_svg_group_end(&s->svg);
    x = mco_view_legend_text(&s->svg, x + 12 * DOT_SIZES + 6, y,
                             "customers by demand: below 0.5, 1 and 1.5 times the average, and others");
    if (s->lacks_names && s->customers <= DETAIL_CUSTOMERS)
        mco_view_legend_text(&s->svg, x, y, "point at a dot for more");
    mco_svg_group_end(&s->svg);
}

static void draw_style(sheet *s)
{
    char css[sizeof CSS + VRP_COLOURS * 48];
    size_t size = sizeof CSS - 1;
    memcpy(css, CSS, size);
    for (int k = 0; k < VRP_COLOURS; k++)
        size += (size_t)snprintf(css + size, sizeof css - size, ".c%d{stroke:%s}.f%d{fill:%s}\n", k, PALETTE[k], k, PALETTE[k]);
    mco_svg_style(&s->svg, css);
}

static void draw(sheet *s, FILE *file)
{
    mco_svg_begin(&s->svg, file, s->width, s->bottom + LEGEND, "#FFF", mco_vrp_name(s->problem));
    draw_style(s);
    draw_header(s);
    draw_map(s);
    vrp_panel_draw(&s->panel);
    draw_legend(s);
    mco_svg_end(&s->svg);
}

static mco_status prepare(mco_context *ctx, sheet *s)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &s->x, s->customers + 1));
    MCO_TRY(mco_alloc(ctx, &s->y, s->customers + 1));
    MCO_TRY(mco_alloc(ctx, &s->look, s->routes));
    MCO_TRY(mco_alloc(ctx, &s->route, s->customers));
    MCO_TRY(mco_alloc(ctx, &s->ranks, s->routes));
    MCO_TRY(mco_alloc(ctx, &s->of_look, s->customers));
    MCO_TRY(mco_alloc(ctx, &s->room, 1));
    s->top = HEADER;
    s->bottom = s->top + MAP;
    place_nodes(s);
    choose_looks(s);
    s->panel = (vrp_panel){&s->svg, s->problem, s->solution, s->look, MARGIN + MAP + GAP, s->top};
    s->width = s->panel.left + vrp_panel_width(s->routes) + MARGIN;
done:
    return st;
}

static mco_status plot(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, mco_view_known known,
                       const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    sheet s = {.problem = problem, .solution = solution, .customers = solution->customers, .routes = solution->routes,
               .known = known};
    MCO_TRY(mco_vrp_check(ctx, problem, solution, &s.cost));
    MCO_TRY(prepare(ctx, &s));
    MCO_TRY(mco_output_open(ctx, path, &output));
    draw(&s, output.file);
    st = mco_output_commit(ctx, &output, false);
done:
    mco_free(ctx, &s.room);
    mco_free(ctx, &s.of_look);
    mco_free(ctx, &s.ranks);
    mco_free(ctx, &s.route);
    mco_free(ctx, &s.look);
    mco_free(ctx, &s.y);
    mco_free(ctx, &s.x);
    return st;
}

mco_status mco_vrp_plot(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, const char *path)
{
    if (ctx == NULL || problem == NULL || solution == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    return plot(ctx, problem, solution, (mco_view_known){.outcome = MCO_OUTCOME_UNKNOWN}, path);
}

mco_status mco_vrp_plot_result(mco_context *ctx, const mco_vrp *problem, const mco_vrp_result *result, const char *path)
{
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_status st = MCO_TAKE(ctx, result, &r);
    if (st != MCO_OK)
        return st;
    return plot(ctx, problem, &r.solution, (mco_view_known){r.outcome, r.cost, r.bound}, path);
}
