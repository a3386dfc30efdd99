// SPDX-License-Identifier: MIT
// The picture of a solution: a map of the routes, and beside it a bar for the load of each.
//
// Colours are 24 hues of equal chroma (OKLCH 0.15), light and dark in turn. Routes are ranked by their direction from
// the depot. From rank to rank the colour moves on by 7 hues, so neighbours differ by 105 degrees. Edges at the depot
// are pale because they are many and cross. Customers are dots of four sizes, by demand; the largest is for demands
// from 1.5 times the average. Without coordinates the depot is the centre of a circle, and the customers are on it,
// route after route.
//
// One path holds all edges of a route, or all dots of one colour and size. So a picture of 20,000 customers takes less
// than a megabyte. Names stand beside the dots if there are at most NAMED_CUSTOMERS; tooltips exist up to
// DETAIL_CUSTOMERS.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "render/svg.h"
#include "vrp/instance.h"

enum {
    DETAIL_CUSTOMERS = 5000,  // the most customers, and the most routes, with tooltips
    NAMED_CUSTOMERS = 60,     // the most customers with names beside the dots
    LARGE_DOTS = 200,         // the most customers with dots and lines of full size
    SMALL_DOTS = 3000,        // the most customers with those of medium size
    COLOURS = 24, COLOUR_STEP = 7,
    DOT_SIZES = 4,
    NAME_ROOM = 256,  // bytes of a name that is cut to fit
    TEXT_ROOM = 1024
};

// Bars with numbers beside them have at most this many rows and columns. If the routes do not fit there, bars have no
// numbers and fill PLAIN_ROWS rows, or more once PLAIN_COLUMNS columns are full.
enum { NUMBERED_ROWS = 45, NUMBERED_COLUMNS = 2, PLAIN_ROWS = 180, PLAIN_COLUMNS = 16 };

// Pixels.
static const double MARGIN = 24, HEADER = 94, MAP = 720, MAP_PADDING = 20, GAP = 36, LEGEND = 44;
static const double DEPOT = 10, DOT_REACH = 6;  // side of the square; reach of a dot for the pointer
static const double ROW = 16, BAR_HEIGHT = 10;  // of bars with numbers
static const double NUMBER_WIDTH = 34, BAR_WIDTH = 130, FIGURES_WIDTH = 140, COLUMN_GAP = 12, PLAIN_BAR_WIDTH = 60;
static const double TITLE_FONT = 18, TEXT_FONT = 12, SMALL_FONT = 9, NAME_WIDTH = 64, TOOLTIP_WIDTH = 720;

static const char CSS[] =
    "text{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;font-size:12px;fill:#333}\n"
    ".title{font-size:18px;font-weight:bold;fill:#111}\n"
    ".head{font-weight:bold;fill:#111}\n"
    ".small{font-size:9px;fill:#111;pointer-events:none}\n"
    ".names text{paint-order:stroke;stroke:#F7F7F7;stroke-width:2px;stroke-linejoin:round}\n"
    ".map{fill:#F7F7F7}.frame{fill:#E8E8E8}\n"
    ".depot{fill:#111;stroke:#FFF;stroke-width:1.5}\n"
    ".tip{fill:none;pointer-events:all}\n"
    ".routes path,.spokes path{fill:none;stroke-width:1.7;stroke-linejoin:round}\n"
    ".spokes path{opacity:.4;stroke-width:1}\n"
    ".dots path{fill:none;stroke-linecap:round}\n"
    ".s0{stroke-width:5}.s1{stroke-width:6.5}.s2{stroke-width:8}.s3{stroke-width:10}\n"
    ".middling.routes path{stroke-width:1}.middling.spokes path{stroke-width:.6;opacity:.3}\n"
    ".middling .s0{stroke-width:2.4}.middling .s1{stroke-width:3}\n"
    ".middling .s2{stroke-width:3.6}.middling .s3{stroke-width:4.4}\n"
    ".fine.routes path{stroke-width:.5}.fine.spokes path{stroke-width:.3;opacity:.25}\n"
    ".fine .s0{stroke-width:1}.fine .s1{stroke-width:1.3}.fine .s2{stroke-width:1.6}.fine .s3{stroke-width:2}\n";

static const char *const PALETTE[COLOURS] = {
    "#B9454C", "#EC785B", "#B45000", "#DD881B", "#9E6400", "#BC9C00", "#787700", "#89AE37",
    "#398526", "#3BB974", "#008C64", "#00BBAB", "#008994", "#00B4D8", "#007EB7", "#3BA6F5",
    "#396FC8", "#8494FA", "#725EC2", "#B484E8", "#9750A7", "#D677C3", "#AF467E", "#E97292"};

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
    int32_t *colour;       // [routes]
    int32_t *route;        // [customers] the route of each customer
    ranked *ranks;         // [routes] by direction from the depot
    int32_t *of_look;      // [customers] the customers, sorted by colour and size
    bool has_coordinates;
    bool lacks_names;
    double top, bottom, width;
    int32_t rows, columns; // of bars
    bool is_numbered;
    mco_svg svg;
} sheet;

// ---- Measures

static const char *size_class(const sheet *s)
{
    return s->customers <= LARGE_DOTS ? "" : s->customers <= SMALL_DOTS ? " middling" : " fine";
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

// Returns how many colours to use. The ranking is a circle: its last routes lie beside its first ones, and the number
// is such that they share no colour.
static int32_t colours_for(int32_t routes)
{
    const int32_t least = COLOURS - 2 * COLOUR_STEP, apart = 4;
    for (int32_t colours = COLOURS; colours > least; colours--)
        if (colours % COLOUR_STEP != 0 &&
            (routes <= colours || (routes % colours >= apart && routes % colours <= colours - apart)))
            return colours;
    return COLOURS;
}

static void choose_colours(sheet *s)
{
    const int32_t colours = colours_for(s->routes);
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
    for (int32_t k = 0; k < s->routes; k++)
        s->colour[s->ranks[k].route] = (int32_t)((int64_t)k * COLOUR_STEP % colours);
}

static void measure_bars(sheet *s)
{
    s->is_numbered = s->routes <= NUMBERED_ROWS * NUMBERED_COLUMNS;
    const int32_t rows = s->is_numbered ? NUMBERED_ROWS : PLAIN_ROWS, most = s->is_numbered ? NUMBERED_COLUMNS : PLAIN_COLUMNS;
    s->columns = (s->routes + rows - 1) / rows;
    s->columns = s->columns < 1 ? 1 : s->columns > most ? most : s->columns;
    s->rows = s->columns < most ? rows : (s->routes + most - 1) / most;
    s->rows = s->rows < rows ? rows : s->rows;
}

static double column_width(const sheet *s)
{
    return s->is_numbered ? NUMBER_WIDTH + BAR_WIDTH + FIGURES_WIDTH : PLAIN_BAR_WIDTH;
}

static double bars_left(void)
{
    return MARGIN + MAP + GAP;
}

// ---- Texts

// A length in units of the file: an integer with scale 1, else with a point and two decimals.
static const char *length_text(const sheet *s, int64_t length, char text[40])
{
    const int64_t hundredths = llround((double)length * 100 / s->problem->scale);
    if (s->problem->scale <= 1)
        snprintf(text, 40, "%lld", (long long)length);
    else
        snprintf(text, 40, "%lld.%02d", (long long)(hundredths / 100), (int)(hundredths % 100));
    return text;
}

static const char *name_of(const sheet *s, int32_t customer, double font, double width, char name[NAME_ROOM])
{
    char buffer[16];
    mco_svg_text_cut(name, NAME_ROOM, mco_vrp_customer_name(s->problem, customer, buffer), font, width);
    return name;
}

static void route_tooltip(const sheet *s, int32_t r, const mco_vrp_route *route, char text[TEXT_ROOM])
{
    char length[40];
    const int32_t count = s->solution->first[r + 1] - s->solution->first[r];
    snprintf(text, TEXT_ROOM, "route %d: load %.15g of %.15g, length %s, %d customer%s", r + 1,
             vrp_load(s->problem, route->load), vrp_load(s->problem, s->problem->capacity),
             length_text(s, route->length, length), count, mco_plural(count));
}

// ---- The map

static void draw_routes(sheet *s)
{
    char look[32];
    snprintf(look, sizeof look, "routes%s", size_class(s));
    mco_svg_group_begin(&s->svg, look);
    for (int32_t r = 0; r < s->routes; r++) {
        const int32_t first = s->solution->first[r], end = s->solution->first[r + 1];
        if (end - first < 2)
            continue;
        snprintf(look, sizeof look, "c%d", s->colour[r]);
        mco_svg_path_begin(&s->svg, look);
        mco_svg_path_move(&s->svg, s->x[node_at(s, first)], s->y[node_at(s, first)]);
        for (int32_t i = first + 1; i < end; i++)
            mco_svg_path_line(&s->svg, s->x[node_at(s, i)], s->y[node_at(s, i)]);
        mco_svg_path_end(&s->svg);
    }
    mco_svg_group_end(&s->svg);
}

static void draw_spokes(sheet *s)
{
    char look[32];
    snprintf(look, sizeof look, "spokes%s", size_class(s));
    mco_svg_group_begin(&s->svg, look);
    for (int32_t r = 0; r < s->routes; r++) {
        const int32_t a = node_at(s, s->solution->first[r]), b = node_at(s, s->solution->first[r + 1] - 1);
        snprintf(look, sizeof look, "c%d", s->colour[r]);
        mco_svg_path_begin(&s->svg, look);
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
static void sort_by_look(sheet *s, int32_t begin[COLOURS * DOT_SIZES + 1])
{
    int32_t next[COLOURS * DOT_SIZES + 1] = {0};
    double average = 0;
    for (int32_t i = 0; i < s->customers; i++)
        average += (double)s->problem->demand[i + 1] / s->customers;
    for (int32_t i = 0; i < s->customers; i++)
        next[s->colour[s->route[i]] * DOT_SIZES + dot_size(s, i, average) + 1]++;
    for (int k = 0; k < COLOURS * DOT_SIZES; k++)
        next[k + 1] += next[k];
    memcpy(begin, next, sizeof next);
    for (int32_t i = 0; i < s->customers; i++)
        s->of_look[next[s->colour[s->route[i]] * DOT_SIZES + dot_size(s, i, average)]++] = i;
}

static void draw_dots(sheet *s)
{
    int32_t begin[COLOURS * DOT_SIZES + 1];
    char look[32];
    sort_by_look(s, begin);
    snprintf(look, sizeof look, "dots%s", size_class(s));
    mco_svg_group_begin(&s->svg, look);
    for (int k = 0; k < COLOURS * DOT_SIZES; k++) {
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
    char text[TEXT_ROOM], name[NAME_ROOM];
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

typedef struct box {
    double x, y, width;  // the left end of the baseline, and its length
} box;

static bool is_free(const box *taken, int32_t count, box b)
{
    for (int32_t k = 0; k < count; k++)
        if (fabs(taken[k].y - b.y) < SMALL_FONT && taken[k].x < b.x + b.width && b.x < taken[k].x + taken[k].width)
            return false;
    return true;
}

// Names stand above and right of the dots. A name that would cover another one is left out.
static void draw_names(sheet *s)
{
    box taken[NAMED_CUSTOMERS];
    int32_t count = 0;
    char name[NAME_ROOM];
    mco_svg_group_begin(&s->svg, "names");
    for (int32_t i = 0; i < s->customers && s->customers <= NAMED_CUSTOMERS; i++) {
        name_of(s, i, SMALL_FONT, NAME_WIDTH, name);
        const box b = {s->x[i + 1] + DOT_REACH - 1, s->y[i + 1] - DOT_REACH + 1, mco_svg_text_width(name, SMALL_FONT)};
        if (!is_free(taken, count, b))
            continue;
        taken[count++] = b;
        mco_svg_text(&s->svg, "small", MCO_SVG_START, b.x, b.y, name);
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
    draw_names(s);
    draw_tooltips(s);
    mco_svg_group_end(&s->svg);
}

// ---- Loads

static void draw_numbered_bar(sheet *s, int32_t r, double x, double y)
{
    char text[TEXT_ROOM], length[40], look[16];
    const mco_vrp_route route = mco_vrp_route_of(s->problem, s->solution, r);
    const double share = (double)route.load / s->problem->capacity, left = x + NUMBER_WIDTH, baseline = y + BAR_HEIGHT;
    const double right = left + BAR_WIDTH + FIGURES_WIDTH - 10;
    snprintf(text, sizeof text, "%d", r + 1);
    mco_svg_text(&s->svg, NULL, MCO_SVG_END, left - 6, baseline, text);
    mco_svg_rect(&s->svg, "frame", left, y, BAR_WIDTH, BAR_HEIGHT, NULL);
    route_tooltip(s, r, &route, text);
    snprintf(look, sizeof look, "f%d", s->colour[r]);
    mco_svg_rect(&s->svg, look, left, y, BAR_WIDTH * share, BAR_HEIGHT, text);
    snprintf(text, sizeof text, "%.15g", vrp_load(s->problem, route.load));
    mco_svg_text(&s->svg, NULL, MCO_SVG_END, right - FIGURES_WIDTH / 2, baseline, text);
    mco_svg_text(&s->svg, NULL, MCO_SVG_END, right, baseline, length_text(s, route.length, length));
}

static void draw_numbered_bars(sheet *s)
{
    for (int32_t k = 0; k < s->columns; k++) {
        const double left = bars_left() + k * (column_width(s) + COLUMN_GAP) + NUMBER_WIDTH;
        mco_svg_text(&s->svg, NULL, MCO_SVG_END, left + BAR_WIDTH + FIGURES_WIDTH / 2 - 10, s->top - 9, "load");
        mco_svg_text(&s->svg, NULL, MCO_SVG_END, left + BAR_WIDTH + FIGURES_WIDTH - 10, s->top - 9, "length");
    }
    for (int32_t r = 0; r < s->routes; r++)
        draw_numbered_bar(s, r, bars_left() + r / s->rows * (column_width(s) + COLUMN_GAP), s->top + r % s->rows * ROW);
}

// Draws thin bars. If they are too many for tooltips, one path holds all bars of a colour.
static void draw_plain_bars(sheet *s)
{
    const double pitch = MAP / s->rows, height = pitch * 0.8;
    const bool has_tooltips = s->routes <= DETAIL_CUSTOMERS;
    char text[TEXT_ROOM], look[16];
    for (int32_t k = 0; k < s->columns; k++)
        mco_svg_rect(&s->svg, "frame", bars_left() + k * (PLAIN_BAR_WIDTH + COLUMN_GAP), s->top, PLAIN_BAR_WIDTH, MAP, NULL);
    for (int32_t colour = 0; colour < COLOURS; colour++) {
        snprintf(look, sizeof look, "f%d", colour);
        if (!has_tooltips)
            mco_svg_path_begin(&s->svg, look);
        for (int32_t r = 0; r < s->routes; r++) {
            if (s->colour[r] != colour)
                continue;
            const mco_vrp_route route = mco_vrp_route_of(s->problem, s->solution, r);
            const double x = bars_left() + r / s->rows * (PLAIN_BAR_WIDTH + COLUMN_GAP), y = s->top + r % s->rows * pitch;
            const double width = PLAIN_BAR_WIDTH * (double)route.load / s->problem->capacity;
            route_tooltip(s, r, &route, text);
            if (has_tooltips)
                mco_svg_rect(&s->svg, look, x, y, width, height, text);
            else
                mco_svg_path_rect(&s->svg, x, y, width, height);
        }
        if (!has_tooltips)
            mco_svg_path_end(&s->svg);
    }
}

static void draw_loads(sheet *s)
{
    char text[TEXT_ROOM];
    snprintf(text, sizeof text, "loads, of %.15g", vrp_load(s->problem, s->problem->capacity));
    mco_svg_group_begin(&s->svg, "loads");
    mco_svg_text(&s->svg, "head", MCO_SVG_START, bars_left(), s->top - 9, text);
    if (s->is_numbered)
        draw_numbered_bars(s);
    else
        draw_plain_bars(s);
    mco_svg_group_end(&s->svg);
}

// ---- Header and legend

static void draw_header(sheet *s)
{
    char text[TEXT_ROOM], name[NAME_ROOM], cost[40], limit[40];
    mco_svg_text_cut(name, NAME_ROOM, mco_vrp_name(s->problem), TITLE_FONT, MAP);
    mco_svg_text(&s->svg, "title", MCO_SVG_START, MARGIN, 30, name);
    snprintf(text, sizeof text, "%d customer%s, %d route%s, cost %s%s%s", s->customers, mco_plural(s->customers), s->routes,
             mco_plural(s->routes), length_text(s, s->cost, cost), vrp_has_max_length(s->problem) ? ", routes up to " : "",
             vrp_has_max_length(s->problem) ? length_text(s, s->problem->max_length, limit) : "");
    mco_svg_text(&s->svg, NULL, MCO_SVG_START, MARGIN, 52, text);
}

// Writes `text` to the right of a sign. Returns where the next entry begins.
static double legend_text(sheet *s, double x, double y, const char *text)
{
    mco_svg_text(&s->svg, NULL, MCO_SVG_START, x, y + 0.35 * TEXT_FONT, text);
    return x + mco_svg_text_width(text, TEXT_FONT) + MARGIN;
}

static void draw_legend(sheet *s)
{
    const double y = s->bottom + LEGEND / 2;
    double x = MARGIN;
    mco_svg_group_begin(&s->svg, "legend");
    mco_svg_rect(&s->svg, "depot", x, y - DEPOT / 2, DEPOT, DEPOT, NULL);
    x = legend_text(s, x + DEPOT + 6, y, "depot");
    mco_svg_group_begin(&s->svg, "dots");
    for (int size = 0; size < DOT_SIZES; size++) {
        const char *const looks[DOT_SIZES] = {"c16 s0", "c16 s1", "c16 s2", "c16 s3"};
        mco_svg_path_begin(&s->svg, looks[size]);
        mco_svg_path_dot(&s->svg, x + DOT_REACH + 12 * size, y);
        mco_svg_path_end(&s->svg);
    }
    mco_svg_group_end(&s->svg);
    x = legend_text(s, x + 12 * DOT_SIZES + 6, y, "customers by demand: below 0.5, 1 and 1.5 times the average, and others");
    if (s->lacks_names && s->customers <= DETAIL_CUSTOMERS)
        legend_text(s, x, y, "point at a dot or bar for more");
    mco_svg_group_end(&s->svg);
}

static void draw_style(sheet *s)
{
    char css[sizeof CSS + COLOURS * 48];
    size_t size = sizeof CSS - 1;
    memcpy(css, CSS, size);
    for (int k = 0; k < COLOURS; k++)
        size += (size_t)snprintf(css + size, sizeof css - size, ".c%d{stroke:%s}.f%d{fill:%s}\n", k, PALETTE[k], k, PALETTE[k]);
    mco_svg_style(&s->svg, css);
}

static void draw(sheet *s, FILE *file)
{
    mco_svg_begin(&s->svg, file, s->width, s->bottom + LEGEND, "#FFF", mco_vrp_name(s->problem));
    draw_style(s);
    draw_header(s);
    draw_map(s);
    draw_loads(s);
    draw_legend(s);
    mco_svg_end(&s->svg);
}

static mco_status prepare(mco_context *ctx, sheet *s)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &s->x, s->customers + 1));
    MCO_TRY(mco_alloc(ctx, &s->y, s->customers + 1));
    MCO_TRY(mco_alloc(ctx, &s->colour, s->routes));
    MCO_TRY(mco_alloc(ctx, &s->route, s->customers));
    MCO_TRY(mco_alloc(ctx, &s->ranks, s->routes));
    MCO_TRY(mco_alloc(ctx, &s->of_look, s->customers));
    s->top = HEADER;
    s->bottom = s->top + MAP;
    place_nodes(s);
    choose_colours(s);
    measure_bars(s);
    s->width = bars_left() + s->columns * (column_width(s) + COLUMN_GAP) - COLUMN_GAP + MARGIN;
done:
    return st;
}

mco_status mco_vrp_plot(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    if (ctx == NULL || problem == NULL || solution == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    sheet s = {.problem = problem, .solution = solution, .customers = solution->customers, .routes = solution->routes};
    MCO_TRY(mco_vrp_check(ctx, problem, solution, &s.cost));
    MCO_TRY(prepare(ctx, &s));
    MCO_TRY(mco_output_open(ctx, path, &output));
    draw(&s, output.file);
    st = mco_output_commit(ctx, &output, false);
done:
    mco_free(ctx, &s.of_look);
    mco_free(ctx, &s.ranks);
    mco_free(ctx, &s.route);
    mco_free(ctx, &s.colour);
    mco_free(ctx, &s.y);
    mco_free(ctx, &s.x);
    return st;
}
