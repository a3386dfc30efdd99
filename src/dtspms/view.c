// SPDX-License-Identifier: MIT
// The picture of a solution: the maps of both tours at one scale, and beside them the container with a column for each
// stack.
//
// Orders are dots and cells in the colour of their stack. The colours are six tints of P. Tol ("light", Colour Schemes,
// 2021). They are made for dark text and can be told apart with the common kinds of colour blindness. The depot is a
// black square. Arrow heads show the direction of a tour on edges that are long enough. A network without coordinates
// is drawn on a circle: its nodes in the order of the tour, clockwise from the depot at the top.
//
// The container is as high as its capacity. Where that would leave no room for names, it is cut off above, and its head
// says so. Without a known capacity it is as high as the highest stack.
//
// A dot has the name of its order beside it if the name covers no dot and no other name. A cell has it if the cell is
// high enough. The legend says if names are left out. With up to DETAIL_ORDERS orders, dots have tooltips with all
// details.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/output.h"
#include "base/structs.h"
#include "mco/dtspms.h"
#include "render/view.h"

enum {
    DETAIL_ORDERS = 5000,
    LARGE_DOTS = 200,  // orders, at most, with dots of full size and names beside them
    SMALL_DOTS = 3000,
    NAME_ROOM = 256,   // bytes of a name that is cut to fit
    TEXT_ROOM = 1024
};

// Pixels.
static const double MARGIN = 24, HEADER = 66, MAP_TITLE = 28, LEGEND = 52, LEGEND_ROW = 24;
static const double MAP = 520, MAP_PADDING = 26, GAP = 36;
static const double COLUMN = 76, COLUMN_GAP = 6;                 // of the container
static const double CELL_HIGHEST = 32, CELL_PARTED = 4, CELL_LEAST = 0.5;
static const double DEPOT = 11, DOT_REACH = 6;                   // side of the square; radius of a dot with its outline
static const double ARROW_LENGTH = 8, ARROW_HALF = 3, EDGE_LEAST = 24;
static const double LINE_HEIGHT = 1.15;                          // of a name in a cell, times the font size
static const double DOT_NAME_WIDTH = 128, TOOLTIP_NAME_WIDTH = 720;
static const double CELL_NAMED = 13;                             // least height of a cell with a name in a container cut off

static const double TEXT_FONT = MCO_VIEW_FONT, SMALL_FONT = MCO_VIEW_SMALL_FONT;

static const char CSS[] =
    MCO_VIEW_CSS
    ".map,.column{fill:#F7F7F7}\n"
    ".column{stroke:#BBB}\n"
    ".edges{fill:none;stroke:#888;stroke-width:1.2;stroke-linejoin:round}\n"
    ".arrows{fill:#555}\n"
    ".depot{fill:#111}\n"
    ".tip{fill:none;pointer-events:all}\n"
    ".dots path{fill:none;stroke-linecap:round;stroke-width:9}\n"
    ".dots .outline{stroke:#333;stroke-width:11}\n"
    ".dots .small{stroke-width:5}\n"
    ".dots .fine{stroke-width:2}\n"
    ".d0{stroke:#77AADD}.d1{stroke:#EE8866}.d2{stroke:#EEDD88}.d3{stroke:#44BB99}.d4{stroke:#FFAABB}.d5{stroke:#AAAA00}\n"
    ".c0{fill:#77AADD}.c1{fill:#EE8866}.c2{fill:#EEDD88}.c3{fill:#44BB99}.c4{fill:#FFAABB}.c5{fill:#AAAA00}\n";

static const char *const CELLS[MCO_DTSPMS_MAX_STACKS] = {"c0", "c1", "c2", "c3", "c4", "c5"};

typedef struct map {
    const int32_t *tour;  // [orders]
    int32_t *stop;        // [orders] when an order is visited, from 1
    double *x, *y;        // [orders + 1] pixels of each node
    double left;
    int64_t length;
    bool has_coordinates;
} map;

typedef struct sheet {
    const mco_dtspms *problem;
    const mco_dtspms_solution *solution;
    int32_t orders, stacks;
    int32_t first[MCO_DTSPMS_MAX_STACKS + 1];  // position in the plan of the lowest order of each stack
    int32_t *stack;                            // [orders]
    map map[2];
    double top, bottom;  // of the maps
    int64_t capacity;    // of a stack; 0: unknown
    int32_t levels;      // of the container, as drawn
    double cell;         // height
    bool lacks_names;    // some name has no room
    mco_view_known known;
    mco_view_room *room;
    mco_svg svg;
} sheet;

static const char *const NETWORKS[] = {"pickup", "delivery"};

// ---- Measures

// How many levels of the container to draw: all, or as many as leave room for names and are well above the highest stack.
static int32_t levels_of(const sheet *s, int32_t highest)
{
    const int32_t named = (int32_t)(MAP / CELL_NAMED), most = named > 2 * highest ? named : 2 * highest;
    return s->capacity == 0 ? highest : s->capacity < most ? (int32_t)s->capacity : most;
}

static void measure_plan(sheet *s)
{
    int32_t highest = 1;
    for (int32_t k = 0; k < s->stacks; k++) {
        const int32_t height = s->solution->heights[k];
        highest = height > highest ? height : highest;
        s->first[k + 1] = s->first[k] + height;
        for (int32_t i = s->first[k]; i < s->first[k + 1]; i++)
            s->stack[s->solution->plan[i]] = k;
    }
    for (int network = 0; network < 2; network++)
        for (int32_t i = 0; i < s->orders; i++)
            s->map[network].stop[s->map[network].tour[i]] = i + 1;
    s->top = HEADER + MAP_TITLE;
    s->bottom = s->top + MAP;
    s->levels = levels_of(s, highest);
    s->cell = fmin(CELL_HIGHEST, MAP / s->levels);
}

// The range of x and of y of a network's nodes.
typedef struct span {
    double low[2], high[2];
} span;

static span span_of(const sheet *s, mco_dtspms_network network)
{
    span a = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (int32_t node = 0; node <= s->orders; node++) {
        double at[2];
        mco_dtspms_coordinates(s->problem, network, node, &at[0], &at[1]);
        for (int axis = 0; axis < 2; axis++) {
            a.low[axis] = fmin(a.low[axis], at[axis]);
            a.high[axis] = fmax(a.high[axis], at[axis]);
        }
    }
    return a;
}

static void place_on_circle(const sheet *s, map *m)
{
    const double turn = 2 * acos(-1), radius = MAP / 2 - MAP_PADDING;
    for (int32_t i = 0; i <= s->orders; i++) {
        const int32_t node = i == 0 ? 0 : m->tour[i - 1] + 1;
        const double angle = turn * i / (s->orders + 1.0);
        m->x[node] = m->left + MAP / 2 + radius * sin(angle);
        m->y[node] = s->top + MAP / 2 - radius * cos(angle);
    }
}

// Places the network in the middle of its map; y grows upwards.
static void place_by_coordinates(const sheet *s, mco_dtspms_network network, map *m, const span *a, double scale)
{
    for (int32_t node = 0; node <= s->orders; node++) {
        double x, y;
        mco_dtspms_coordinates(s->problem, network, node, &x, &y);
        m->x[node] = m->left + MAP / 2 + (x - (a->low[0] + a->high[0]) / 2) * scale;
        m->y[node] = s->top + MAP / 2 - (y - (a->low[1] + a->high[1]) / 2) * scale;
    }
}

static void place_nodes(sheet *s)
{
    span spans[2];
    double longest = 0, unused;
    for (int n = 0; n < 2; n++) {
        map *m = &s->map[n];
        m->left = MARGIN + n * (MAP + GAP);
        m->has_coordinates = mco_dtspms_coordinates(s->problem, (mco_dtspms_network)n, 0, &unused, &unused);
        if (!m->has_coordinates) {
            place_on_circle(s, m);
            continue;
        }
        spans[n] = span_of(s, (mco_dtspms_network)n);
        for (int axis = 0; axis < 2; axis++)
            longest = fmax(longest, spans[n].high[axis] - spans[n].low[axis]);
    }
    const double scale = longest > 0 ? (MAP - 2 * MAP_PADDING) / longest : 1;
    for (int n = 0; n < 2; n++)
        if (s->map[n].has_coordinates)
            place_by_coordinates(s, (mco_dtspms_network)n, &s->map[n], &spans[n], scale);
}

// ---- Texts

static const char *name_of(const sheet *s, int32_t order, double font, double width, char name[NAME_ROOM])
{
    char buffer[16];
    mco_svg_text_cut(name, NAME_ROOM, mco_dtspms_order_name(s->problem, order, buffer), font, width);
    return name;
}

static void order_tooltip(const sheet *s, int32_t order, int32_t position, char text[TEXT_ROOM])
{
    char name[NAME_ROOM];
    const int32_t stack = s->stack[order];
    snprintf(text, TEXT_ROOM, "order %s: stack %d, place %d of %d from the bottom, pickup stop %d, delivery stop %d",
             name_of(s, order, TEXT_FONT, TOOLTIP_NAME_WIDTH, name), stack + 1, position - s->first[stack] + 1,
             s->solution->heights[stack], s->map[0].stop[order], s->map[1].stop[order]);
}

// ---- A map

// Node at stop `stop`; stops 0 and orders + 1 are the depot.
static int32_t node_at(const sheet *s, const map *m, int32_t stop)
{
    return stop == 0 || stop > s->orders ? 0 : m->tour[stop - 1] + 1;
}

static void draw_edges(sheet *s, const map *m)
{
    mco_svg_path_begin(&s->svg, "edges");
    mco_svg_path_move(&s->svg, m->x[0], m->y[0]);
    for (int32_t stop = 1; stop <= s->orders + 1 && s->orders > 0; stop++)
        mco_svg_path_line(&s->svg, m->x[node_at(s, m, stop)], m->y[node_at(s, m, stop)]);
    mco_svg_path_end(&s->svg);
}

// Adds a triangle in the middle of the edge from a to b. Filling closes the path.
static void add_arrow(sheet *s, double ax, double ay, double bx, double by)
{
    const double length = hypot(bx - ax, by - ay);
    if (length < EDGE_LEAST)
        return;
    const double ux = (bx - ax) / length, uy = (by - ay) / length;
    const double tip_x = (ax + bx + ux * ARROW_LENGTH) / 2, tip_y = (ay + by + uy * ARROW_LENGTH) / 2;
    const double end_x = tip_x - ux * ARROW_LENGTH, end_y = tip_y - uy * ARROW_LENGTH;
    mco_svg_path_move(&s->svg, tip_x, tip_y);
    mco_svg_path_line(&s->svg, end_x - uy * ARROW_HALF, end_y + ux * ARROW_HALF);
    mco_svg_path_line(&s->svg, end_x + uy * ARROW_HALF, end_y - ux * ARROW_HALF);
}

static void draw_arrows(sheet *s, const map *m)
{
    mco_svg_path_begin(&s->svg, "arrows");
    for (int32_t stop = 0; stop <= s->orders; stop++) {
        const int32_t a = node_at(s, m, stop), b = node_at(s, m, stop + 1);
        add_arrow(s, m->x[a], m->y[a], m->x[b], m->y[b]);
    }
    mco_svg_path_end(&s->svg);
}

static void draw_dots(sheet *s, const map *m)
{
    const char *size = s->orders <= LARGE_DOTS ? "" : s->orders <= SMALL_DOTS ? " small" : " fine";
    char look[32];
    mco_svg_group_begin(&s->svg, "dots");
    if (s->orders <= LARGE_DOTS) {
        mco_svg_path_begin(&s->svg, "outline");
        for (int32_t node = 1; node <= s->orders; node++)
            mco_svg_path_dot(&s->svg, m->x[node], m->y[node]);
        mco_svg_path_end(&s->svg);
    }
    for (int32_t k = 0; k < s->stacks; k++) {
        snprintf(look, sizeof look, "d%d%s", k, size);
        mco_svg_path_begin(&s->svg, look);
        for (int32_t i = s->first[k]; i < s->first[k + 1]; i++) {
            const int32_t node = s->solution->plan[i] + 1;
            mco_svg_path_dot(&s->svg, m->x[node], m->y[node]);
        }
        mco_svg_path_end(&s->svg);
    }
    mco_svg_group_end(&s->svg);
}

static void draw_tooltips(sheet *s, const map *m)
{
    char text[TEXT_ROOM];
    mco_svg_group_begin(&s->svg, "tips");
    for (int32_t i = 0; i < s->orders && s->orders <= DETAIL_ORDERS; i++) {
        const int32_t order = s->solution->plan[i];
        order_tooltip(s, order, i, text);
        mco_svg_rect(&s->svg, "tip", m->x[order + 1] - DOT_REACH, m->y[order + 1] - DOT_REACH, 2 * DOT_REACH,
                     2 * DOT_REACH, text);
    }
    mco_svg_group_end(&s->svg);
}

static mco_view_point point_of(const map *m, int32_t node)
{
    return (mco_view_point){m->x[node], m->y[node]};
}

// Writes the name of the node at stop `stop`, unless it has no room that covers at most `most_covered` cells of dots.
static bool draw_name(sheet *s, const map *m, int32_t stop, int32_t most_covered, const char *name)
{
    const mco_view_point neighbours[] = {point_of(m, node_at(s, m, stop == 0 ? s->orders : stop - 1)),
                                         point_of(m, node_at(s, m, stop + 1))};
    return mco_view_name_beside(&s->svg, s->room, point_of(m, node_at(s, m, stop)), neighbours, DOT_REACH, DOT_NAME_WIDTH,
                                most_covered, name);
}

static void draw_names(sheet *s, const map *m)
{
    char buffer[16];
    int32_t count = 0;
    mco_view_room_begin(s->room, m->left, s->top, MAP);
    for (int32_t node = 0; node <= s->orders; node++) {
        const mco_view_box dot = {m->x[node] - DOT_REACH, m->y[node] - DOT_REACH, 2 * DOT_REACH, 2 * DOT_REACH};
        mco_view_room_take(s->room, &dot, MCO_VIEW_DOT);
    }
    mco_svg_group_begin(&s->svg, "names");
    draw_name(s, m, 0, INT32_MAX, "depot");
    for (int32_t i = 0; i < s->orders && s->orders <= LARGE_DOTS; i++)
        count += draw_name(s, m, i + 1, 0, mco_dtspms_order_name(s->problem, m->tour[i], buffer));
    mco_svg_group_end(&s->svg);
    s->lacks_names |= count < s->orders;
}

static void draw_map(sheet *s, mco_dtspms_network network)
{
    const map *m = &s->map[network];
    char text[TEXT_ROOM];
    snprintf(text, sizeof text, "%s tour, length %lld%s", NETWORKS[network], (long long)m->length,
             m->has_coordinates ? "" : " (no coordinates: stops clockwise)");
    mco_svg_group_begin(&s->svg, NETWORKS[network]);
    mco_svg_text(&s->svg, "head", MCO_SVG_START, m->left, s->top - 9, text);
    mco_svg_rect(&s->svg, "map", m->left, s->top, MAP, MAP, NULL);
    draw_edges(s, m);
    draw_arrows(s, m);
    draw_dots(s, m);
    mco_svg_rect(&s->svg, "depot", m->x[0] - DEPOT / 2, m->y[0] - DEPOT / 2, DEPOT, DEPOT, "depot");
    draw_names(s, m);
    draw_tooltips(s, m);
    mco_svg_group_end(&s->svg);
}

// ---- The container

static double column_left(int32_t stack)
{
    return MARGIN + 2 * (MAP + GAP) + stack * (COLUMN + COLUMN_GAP);
}

static void draw_cell_name(sheet *s, int32_t order, double x, double y, double height)
{
    const double font = height >= LINE_HEIGHT * TEXT_FONT ? TEXT_FONT : SMALL_FONT;
    char name[NAME_ROOM];
    if (height < LINE_HEIGHT * font) {
        s->lacks_names = true;
        return;
    }
    name_of(s, order, font, COLUMN - font / 2, name);
    // 0.35 of the font size is half the height of a capital.
    mco_svg_text(&s->svg, font == TEXT_FONT ? "label" : "small", MCO_SVG_MIDDLE, x + COLUMN / 2,
                 y + height / 2 + 0.35 * font, name);
}

// Draws the cells from the bottom up, or one block if cells are too thin to see.
static void draw_stack(sheet *s, int32_t k)
{
    const double x = column_left(k), parting = s->cell >= CELL_PARTED ? 1 : 0;
    const int32_t height = s->solution->heights[k];
    char text[TEXT_ROOM];
    mco_svg_rect(&s->svg, "column", x, s->bottom - s->levels * s->cell, COLUMN, s->levels * s->cell, NULL);
    if (s->cell < CELL_LEAST) {
        snprintf(text, sizeof text, "stack %d: %d order%s", k + 1, height, mco_plural(height));
        mco_svg_rect(&s->svg, CELLS[k], x, s->bottom - height * s->cell, COLUMN, height * s->cell, text);
        s->lacks_names |= height > 0;
        return;
    }
    for (int32_t level = 0; level < height; level++) {
        const int32_t position = s->first[k] + level, order = s->solution->plan[position];
        const double y = s->bottom - (level + 1) * s->cell;
        order_tooltip(s, order, position, text);
        mco_svg_rect(&s->svg, CELLS[k], x, y + parting, COLUMN, s->cell - parting, text);
        draw_cell_name(s, order, x, y + parting, s->cell - parting);
    }
}

static void draw_container(sheet *s)
{
    char text[TEXT_ROOM];
    mco_svg_group_begin(&s->svg, "container");
    mco_svg_text(&s->svg, "head", MCO_SVG_START, column_left(0), s->top - 9,
                 s->levels < s->capacity ? "container, cut off above" : "container, all on board");
    for (int32_t k = 0; k < s->stacks; k++) {
        const double middle = column_left(k) + COLUMN / 2;
        draw_stack(s, k);
        snprintf(text, sizeof text, "stack %d", k + 1);
        mco_svg_text(&s->svg, NULL, MCO_SVG_MIDDLE, middle, s->bottom + 16, text);
        if (s->capacity > 0)
            snprintf(text, sizeof text, "%d of %lld", s->solution->heights[k], (long long)s->capacity);
        else
            snprintf(text, sizeof text, "%d order%s", s->solution->heights[k], mco_plural(s->solution->heights[k]));
        mco_svg_text(&s->svg, "small", MCO_SVG_MIDDLE, middle, s->bottom + 29, text);
    }
    mco_svg_group_end(&s->svg);
}

// ---- Header and legend

static void draw_header(sheet *s)
{
    const int64_t length = s->map[0].length + s->map[1].length;
    char objective[40], text[TEXT_ROOM];
    snprintf(objective, sizeof objective, "length %lld", (long long)length);
    int at = snprintf(text, sizeof text, "%d order%s, %d stack%s, pickup %lld and delivery %lld", s->orders,
                      mco_plural(s->orders), s->stacks, mco_plural(s->stacks), (long long)s->map[0].length,
                      (long long)s->map[1].length);
    if (s->known.outcome == MCO_OUTCOME_FEASIBLE && isfinite(s->known.bound))
        snprintf(text + at, sizeof text - (size_t)at, ", no solution is shorter than %lld", (long long)s->known.bound);
    mco_view_header(&s->svg, MARGIN, 2 * MAP, mco_dtspms_name(s->problem), objective, &s->known, text);
}

static void draw_legend(sheet *s)
{
    const double y = s->bottom + LEGEND - LEGEND_ROW;
    double x = MARGIN;
    char text[32], look[16];
    mco_svg_group_begin(&s->svg, "legend");
    mco_svg_rect(&s->svg, "depot", x, y - DEPOT / 2, DEPOT, DEPOT, NULL);
    x = mco_view_legend_text(&s->svg, x + DEPOT + 6, y, "depot");
    mco_svg_group_begin(&s->svg, "dots");
    for (int32_t k = 0; k < s->stacks; k++) {
        mco_svg_path_begin(&s->svg, "outline");
        mco_svg_path_dot(&s->svg, x + DOT_REACH, y);
        mco_svg_path_end(&s->svg);
        snprintf(look, sizeof look, "d%d", k);
        mco_svg_path_begin(&s->svg, look);
        mco_svg_path_dot(&s->svg, x + DOT_REACH, y);
        mco_svg_path_end(&s->svg);
        snprintf(text, sizeof text, "stack %d", k + 1);
        x = mco_view_legend_text(&s->svg, x + 2 * DOT_REACH + 6, y, text);
    }
    mco_svg_group_end(&s->svg);
    mco_svg_line(&s->svg, "edges", x, y, x + EDGE_LEAST, y);
    mco_svg_path_begin(&s->svg, "arrows");
    add_arrow(s, x, y, x + EDGE_LEAST, y);
    mco_svg_path_end(&s->svg);
    x = mco_view_legend_text(&s->svg, x + EDGE_LEAST + 6, y, "direction of the tour");
    if (s->lacks_names)
        mco_view_legend_text(&s->svg, x, y, s->orders <= DETAIL_ORDERS ? "not all names have room: point at a dot or cell"
                                                        : "names have no room");
    mco_svg_group_end(&s->svg);
}

static void draw(sheet *s, FILE *file)
{
    mco_svg_begin(&s->svg, file, column_left(s->stacks) - COLUMN_GAP + MARGIN, s->bottom + LEGEND, "#FFF",
                  mco_dtspms_name(s->problem));
    mco_svg_style(&s->svg, CSS);
    draw_header(s);
    draw_map(s, MCO_DTSPMS_NETWORK_PICKUP);
    draw_map(s, MCO_DTSPMS_NETWORK_DELIVERY);
    draw_container(s);
    draw_legend(s);
    mco_svg_end(&s->svg);
}

static mco_status plot(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution, int64_t capacity,
                       mco_view_known known, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    int64_t cost_of[2];
    sheet s = {.problem = problem, .solution = solution, .orders = solution->orders, .stacks = solution->stacks,
               .capacity = capacity, .known = known};
    MCO_TRY(mco_dtspms_check(ctx, problem, solution, capacity > 0 ? capacity : MCO_DTSPMS_MAX_ORDERS, NULL, cost_of));
    MCO_TRY(mco_alloc(ctx, &s.room, 1));
    MCO_TRY(mco_alloc(ctx, &s.stack, s.orders));
    for (int network = 0; network < 2; network++) {
        map *m = &s.map[network];
        m->tour = network == MCO_DTSPMS_NETWORK_PICKUP ? solution->pickup : solution->delivery;
        m->length = cost_of[network];
        MCO_TRY(mco_alloc(ctx, &m->stop, s.orders));
        MCO_TRY(mco_alloc(ctx, &m->x, s.orders + 1));
        MCO_TRY(mco_alloc(ctx, &m->y, s.orders + 1));
    }
    measure_plan(&s);
    place_nodes(&s);
    MCO_TRY(mco_output_open(ctx, path, &output));
    draw(&s, output.file);
    st = mco_output_commit(ctx, &output, false);
done:
    for (int network = 1; network >= 0; network--) {
        mco_free(ctx, &s.map[network].y);
        mco_free(ctx, &s.map[network].x);
        mco_free(ctx, &s.map[network].stop);
    }
    mco_free(ctx, &s.stack);
    mco_free(ctx, &s.room);
    return st;
}

mco_status mco_dtspms_plot(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_solution *solution,
                           const char *path)
{
    if (ctx == NULL || problem == NULL || solution == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    return plot(ctx, problem, solution, 0, (mco_view_known){.outcome = MCO_OUTCOME_UNKNOWN}, path);
}

mco_status mco_dtspms_plot_result(mco_context *ctx, const mco_dtspms *problem, const mco_dtspms_result *result,
                                  const char *path)
{
    mco_dtspms_result r = MCO_DTSPMS_RESULT_INIT;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_status st = MCO_TAKE(ctx, result, &r);
    if (st != MCO_OK)
        return st;
    return plot(ctx, problem, &r.solution, r.capacity,
                (mco_view_known){r.outcome, (double)r.cost, (double)r.bound}, path);
}
