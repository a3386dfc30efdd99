// SPDX-License-Identifier: MIT
#include "vrp/panel.h"

#include <math.h>
#include <stdio.h>

enum {
    LISTED_ROUTES = 60,  // the most routes with a bar
    BAR_ROWS = 45,       // the most bars below each other
    BINS = 10            // of loads, if they are counted
};

// Pixels.
static const double ROW = 16, BAR_HEIGHT = 10;
static const double NUMBER_WIDTH = 34, SAMPLE_WIDTH = 34, BAR_WIDTH = 110, FIGURES_WIDTH = 140, COLUMN_GAP = 12;

// ---- What the map shares

void vrp_begin_line(const vrp_panel *p, int32_t route)
{
    char look[32];
    snprintf(look, sizeof look, "c%d l%d", p->look[route] % VRP_COLOURS, p->look[route] / VRP_COLOURS);
    mco_svg_path_begin(p->svg, look);
}

const char *vrp_length_text(const mco_vrp *problem, int64_t length, char text[40])
{
    const int64_t hundredths = llround((double)length * 100 / problem->scale);
    if (problem->scale <= 1)
        snprintf(text, 40, "%lld", (long long)length);
    else
        snprintf(text, 40, "%lld.%02d", (long long)(hundredths / 100), (int)(hundredths % 100));
    return text;
}

void vrp_route_tooltip(const vrp_panel *p, int32_t r, const mco_vrp_route *route, char text[VRP_TEXT_ROOM])
{
    char length[40];
    const int32_t count = p->solution->first[r + 1] - p->solution->first[r];
    snprintf(text, VRP_TEXT_ROOM, "route %d: load %.15g of %.15g, length %s, %d customer%s", r + 1,
             vrp_load(p->problem, route->load), vrp_load(p->problem, p->problem->capacity), vrp_length_text(p->problem, route->length, length), count, mco_plural(count));
}

// ---- A bar for each route

static double column_width(void)
{
    return NUMBER_WIDTH + SAMPLE_WIDTH + BAR_WIDTH + FIGURES_WIDTH;
}

static int32_t bar_columns(int32_t routes)
{
    return routes > BAR_ROWS && routes <= LISTED_ROUTES ? 2 : 1;
}

double vrp_panel_width(int32_t routes)
{
    return bar_columns(routes) * (column_width() + COLUMN_GAP) - COLUMN_GAP;
}

static void put_number(const vrp_panel *p, double right, double baseline, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    mco_svg_text(p->svg, NULL, MCO_SVG_END, right, baseline, text);
}

static void draw_bar(const vrp_panel *p, int32_t r, double x, double y)
{
    char text[VRP_TEXT_ROOM], length[40], look[16];
    const mco_vrp_route route = mco_vrp_route_of(p->problem, p->solution, r);
    const double share = (double)route.load / p->problem->capacity, left = x + NUMBER_WIDTH + SAMPLE_WIDTH;
    const double baseline = y + BAR_HEIGHT, right = left + BAR_WIDTH + FIGURES_WIDTH - 10;
    put_number(p, x + NUMBER_WIDTH - 6, baseline, r + 1);
    vrp_begin_line(p, r);
    mco_svg_path_move(p->svg, x + NUMBER_WIDTH, y + BAR_HEIGHT / 2);
    mco_svg_path_line(p->svg, left - 6, y + BAR_HEIGHT / 2);
    mco_svg_path_end(p->svg);
    mco_svg_rect(p->svg, "frame", left, y, BAR_WIDTH, BAR_HEIGHT, NULL);
    vrp_route_tooltip(p, r, &route, text);
    snprintf(look, sizeof look, "f%d", p->look[r] % VRP_COLOURS);
    mco_svg_rect(p->svg, look, left, y, BAR_WIDTH * share, BAR_HEIGHT, text);
    snprintf(text, sizeof text, "%.15g", vrp_load(p->problem, route.load));
    mco_svg_text(p->svg, NULL, MCO_SVG_END, right - FIGURES_WIDTH / 2, baseline, text);
    mco_svg_text(p->svg, NULL, MCO_SVG_END, right, baseline, vrp_length_text(p->problem, route.length, length));
}

static void draw_bars(const vrp_panel *p)
{
    for (int32_t k = 0; k < bar_columns(p->solution->routes); k++) {
        const double right = p->left + k * (column_width() + COLUMN_GAP) + column_width() - 10;
        mco_svg_text(p->svg, NULL, MCO_SVG_END, right - FIGURES_WIDTH / 2, p->top - 9, "load");
        mco_svg_text(p->svg, NULL, MCO_SVG_END, right, p->top - 9, "length");
    }
    for (int32_t r = 0; r < p->solution->routes; r++)
        draw_bar(p, r, p->left + r / BAR_ROWS * (column_width() + COLUMN_GAP), p->top + r % BAR_ROWS * ROW);
}

// ---- Routes counted by load

// What many routes have in common: least, sum and most of load, length and number of customers.
typedef struct spread {
    int64_t least, sum, most;
} spread;

static void add_to(spread *a, int64_t value)
{
    a->least = value < a->least ? value : a->least;
    a->most = value > a->most ? value : a->most;
    a->sum += value;
}

// Counts the routes by load. Bin k has the loads above k and up to k + 1 tenths of the capacity; no load is in bin 0.
static void count_routes(const vrp_panel *p, int32_t bins[BINS], spread *load, spread *length, spread *stops)
{
    *load = *length = *stops = (spread){.least = INT64_MAX};
    for (int32_t r = 0; r < p->solution->routes; r++) {
        const mco_vrp_route route = mco_vrp_route_of(p->problem, p->solution, r);
        bins[route.load > 0 ? (route.load * BINS - 1) / p->problem->capacity : 0]++;
        add_to(load, route.load);
        add_to(length, route.length);
        add_to(stops, p->solution->first[r + 1] - p->solution->first[r]);
    }
}

static void draw_spread(const vrp_panel *p, double y, const char *name, const char *least, const char *mean, const char *most)
{
    const double left = p->left, step = (column_width() - 10) / 4;
    mco_svg_text(p->svg, NULL, MCO_SVG_START, left, y, name);
    mco_svg_text(p->svg, NULL, MCO_SVG_END, left + 2 * step, y, least);
    mco_svg_text(p->svg, NULL, MCO_SVG_END, left + 3 * step, y, mean);
    mco_svg_text(p->svg, NULL, MCO_SVG_END, left + 4 * step, y, most);
}

// Means of loads and customers have two decimals. The values are integers over `scale`.
static void draw_count_spread(const vrp_panel *p, double y, const char *name, const spread *a, double scale)
{
    char least[24], mean[32], most[24];
    const long long hundredths = llround(100.0 * (double)a->sum / scale / p->solution->routes);
    snprintf(least, sizeof least, "%.15g", (double)a->least / scale);
    snprintf(mean, sizeof mean, "%lld.%02lld", hundredths / 100, hundredths % 100);
    snprintf(most, sizeof most, "%.15g", (double)a->most / scale);
    draw_spread(p, y, name, least, mean, most);
}

static void draw_counts(const vrp_panel *p)
{
    const double left = p->left + NUMBER_WIDTH + SAMPLE_WIDTH, width = BAR_WIDTH + FIGURES_WIDTH / 2;
    int32_t bins[BINS] = {0}, highest = 1;
    spread load, length, stops;
    char text[64], least[40], mean[40], most[40];
    count_routes(p, bins, &load, &length, &stops);
    for (int k = 0; k < BINS; k++)
        highest = bins[k] > highest ? bins[k] : highest;
    for (int k = 0; k < BINS; k++) {
        const double y = p->top + k * ROW;
        const int bin = BINS - 1 - k;
        snprintf(text, sizeof text, "to %d %%", 100 / BINS * (bin + 1));
        mco_svg_text(p->svg, NULL, MCO_SVG_END, left - 6, y + BAR_HEIGHT, text);
        mco_svg_rect(p->svg, "count", left, y, width * bins[bin] / highest, BAR_HEIGHT, NULL);
        put_number(p, p->left + column_width() - 10, y + BAR_HEIGHT, bins[bin]);
    }
    const double y = p->top + (BINS + 2) * ROW;
    draw_spread(p, y, "a route has", "least", "mean", "most");
    snprintf(text, sizeof text, "load, of %.15g", vrp_load(p->problem, p->problem->capacity));
    draw_count_spread(p, y + ROW, text, &load, mco_vrp_load_scale(p->problem));
    draw_spread(p, y + 2 * ROW, "length", vrp_length_text(p->problem, length.least, least),
                vrp_length_text(p->problem, llround((double)length.sum / p->solution->routes), mean),
                vrp_length_text(p->problem, length.most, most));
    draw_count_spread(p, y + 3 * ROW, "customers", &stops, 1);
}

// ---- Both

void vrp_panel_draw(const vrp_panel *p)
{
    char text[VRP_TEXT_ROOM];
    const bool is_listed = p->solution->routes <= LISTED_ROUTES;
    snprintf(text, sizeof text, "loads, of %.15g", vrp_load(p->problem, p->problem->capacity));
    mco_svg_group_begin(p->svg, "loads");
    mco_svg_text(p->svg, "head", MCO_SVG_START, p->left, p->top - 9,
                 is_listed ? text : "routes by load, in % of the capacity");
    if (is_listed)
        draw_bars(p);
    else
        draw_counts(p);
    mco_svg_group_end(p->svg);
}
