// SPDX-License-Identifier: MIT
// The picture: the counts by length as bars; beside them a small graph with one of its cycles marked.
//
// Vertices stand at their places, or on a circle if the graph has none. Lengths share a bar where there are more than BARS of
// them. Bars are linear in the counts, so a bar of less than half a pixel is drawn as a thin line.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/structs.h"
#include "mco/cycles.h"
#include "render/view.h"

enum { BARS = 300, MOST_DRAWN = 200, MOST_NAMED = 100, TEXT_ROOM = 512, MOST_TICKS = 5 };

// Pixels.
static const double MARGIN = 24, TOP = 72, LEFT = 60, PLOT_WIDTH = 600, PLOT_HEIGHT = 400, BELOW = 44;
static const double GAP = 40, MAP = 400, MAP_INSET = 22, DOT = 3, TICK_ROOM = 34, FULL_CIRCLE = 6.283185307179586;
static const double NAME_WIDTH = 60;

static const char CSS[] = MCO_VIEW_CSS
    ".bar{fill:#77AADD}.bar:hover{fill:#4477AA}\n"
    ".axis{stroke:#222;stroke-width:1;fill:none}.tick{stroke:#DDD;stroke-width:1}\n"
    ".edge{stroke:#BBB;stroke-width:1;fill:none}\n"
    ".cycle{stroke:#EE8866;stroke-width:3;fill:none;stroke-linejoin:round}\n"
    ".dot{stroke:#555;stroke-width:6;stroke-linecap:round;fill:none}\n"
    ".on{stroke:#CC3311}\n"
    ".map{fill:#F7F7F7}\n";

typedef struct picture {
    mco_context *ctx;
    const mco_graph *graph;
    const mco_cycles_result *result;
    const int32_t *cycle;  // [length]
    int32_t length;
    mco_svg svg;
    mco_view_point *at;    // [vertices] of the map
    double map_left;
    char *digits;          // [digits_size] room for a count
    size_t digits_size;
} picture;

// ---- Bars

static double count_of(const picture *p, int32_t length)
{
    const mco_cycles_result *r = p->result;
    double value = 0;
    for (int32_t k = r->limbs - 1; k >= 0; k--)
        value = ldexp(value, 64) + (double)r->by_length[(size_t)length * (size_t)r->limbs + (size_t)k];
    return value;
}

// A count for people: all digits up to a million, else three figures.
static const char *short_text(double value, char out[32])
{
    if (value < 1e6) {
        snprintf(out, 32, "%lld", llround(value));
    } else {
        const int power = (int)floor(log10(value) + 1e-9);
        const long long hundredths = llround(value / pow(10, power - 2));
        snprintf(out, 32, "%lld.%02llde%d", hundredths / 100, hundredths % 100, power);
    }
    return out;
}

typedef struct bars {
    int32_t first, per_bar, count;
    double highest;
} bars;

static double bar_value(const picture *p, const bars *b, int32_t bar)
{
    double sum = 0;
    for (int32_t k = b->first + bar * b->per_bar; k < b->first + (bar + 1) * b->per_bar && k <= p->result->longest; k++)
        sum += count_of(p, k);
    return sum;
}

static bars measure_bars(const picture *p)
{
    const int32_t lengths = p->result->longest - 2;
    bars b = {.first = 3};
    b.per_bar = lengths > BARS ? (lengths + BARS - 1) / BARS : 1;
    b.count = lengths > 0 ? (lengths + b.per_bar - 1) / b.per_bar : 0;
    for (int32_t k = 0; k < b.count; k++)
        b.highest = fmax(b.highest, bar_value(p, &b, k));
    return b;
}

static void draw_bar(picture *p, const bars *b, int32_t bar)
{
    char text[TEXT_ROOM], number[32];
    const double value = bar_value(p, b, bar), step = PLOT_WIDTH / b->count;
    const double height = fmax(value / b->highest * PLOT_HEIGHT, 0.5), inset = step > 4 ? 0.1 * step : 0;
    const int32_t low = b->first + bar * b->per_bar, high = low + b->per_bar - 1;
    if (value == 0)
        return;
    if (b->per_bar > 1)
        snprintf(text, sizeof text, "lengths %d to %d: %s cycles", low, high, short_text(value, number));
    else
        snprintf(text, sizeof text, "length %d: %s cycles", low,
                 mco_cycles_count_text(p->result->by_length + (size_t)low * (size_t)p->result->limbs, p->result->limbs, p->digits,
                                       p->digits_size));
    mco_svg_rect(&p->svg, "bar", LEFT + bar * step + inset, TOP + PLOT_HEIGHT - height, step - 2 * inset, height, text);
}

// A round step, 1, 2 or 5 times a power of ten, of which few make up the highest bar.
static double tick_of(double highest)
{
    static const double steps[] = {1, 2, 5};
    for (double power = 1;; power *= 10)
        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++)
            if (highest <= MOST_TICKS * steps[k] * power)
                return steps[k] * power;
}

static void draw_axes(picture *p, const bars *b)
{
    char text[32];
    const double bottom = TOP + PLOT_HEIGHT, step = b->count > 0 ? PLOT_WIDTH / b->count : PLOT_WIDTH;
    const int32_t each = (int32_t)fmax(1, ceil(TICK_ROOM / step));
    const double tick = tick_of(b->highest);
    for (int k = 1; k * tick <= b->highest && b->highest > 0; k++) {
        const double y = bottom - PLOT_HEIGHT * k * tick / b->highest;
        mco_svg_line(&p->svg, "tick", LEFT, y, LEFT + PLOT_WIDTH, y);
        mco_svg_text(&p->svg, NULL, MCO_SVG_END, LEFT - 6, y + 4, short_text(k * tick, text));
    }
    for (int32_t k = 0; k < b->count; k += each) {
        snprintf(text, sizeof text, "%d", b->first + k * b->per_bar);
        mco_svg_text(&p->svg, NULL, MCO_SVG_MIDDLE, LEFT + (k + 0.5) * step, bottom + 16, text);
    }
    mco_svg_text(&p->svg, NULL, MCO_SVG_MIDDLE, LEFT + PLOT_WIDTH / 2, bottom + 36, "length of the cycle");
}

static void draw_histogram(picture *p)
{
    const bars b = measure_bars(p);
    draw_axes(p, &b);
    for (int32_t k = 0; k < b.count; k++)
        draw_bar(p, &b, k);
    mco_svg_line(&p->svg, "axis", LEFT, TOP + PLOT_HEIGHT, LEFT + PLOT_WIDTH, TOP + PLOT_HEIGHT);
    if (b.count == 0)
        mco_svg_text(&p->svg, NULL, MCO_SVG_MIDDLE, LEFT + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT / 2, "there are no chordless cycles");
}

// ---- The graph

static void place_on_circle(picture *p, int32_t n)
{
    const double radius = MAP / 2 - MAP_INSET;
    for (int32_t v = 0; v < n; v++) {
        const double angle = FULL_CIRCLE * v / n;
        p->at[v] = (mco_view_point){p->map_left + MAP / 2 + radius * sin(angle), TOP + MAP / 2 - radius * cos(angle)};
    }
}

static void place_by_coordinates(picture *p, const mco_graph_rows *rows)
{
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (int32_t v = 0; v < rows->vertices; v++) {
        low_x = fmin(low_x, rows->x[v]);
        high_x = fmax(high_x, rows->x[v]);
        low_y = fmin(low_y, rows->y[v]);
        high_y = fmax(high_y, rows->y[v]);
    }
    const double side = MAP - 2 * MAP_INSET, extent = fmax(fmax(high_x - low_x, high_y - low_y), 1e-300);
    const double left = p->map_left + MAP / 2 - (high_x - low_x) / extent * side / 2;
    const double bottom = TOP + MAP / 2 + (high_y - low_y) / extent * side / 2;
    for (int32_t v = 0; v < rows->vertices; v++)
        p->at[v] = (mco_view_point){left + (rows->x[v] - low_x) / extent * side, bottom - (rows->y[v] - low_y) / extent * side};
}

static void draw_edges(picture *p, const mco_graph_rows *rows)
{
    mco_svg_path_begin(&p->svg, "edge");
    for (int32_t u = 0; u < rows->vertices; u++)
        for (int64_t a = rows->first[u]; a < rows->first[u + 1]; a++)
            if (rows->is_directed ? rows->head[a] != u : rows->head[a] > u) {
                mco_svg_path_move(&p->svg, p->at[u].x, p->at[u].y);
                mco_svg_path_line(&p->svg, p->at[rows->head[a]].x, p->at[rows->head[a]].y);
            }
    mco_svg_path_end(&p->svg);
    mco_svg_path_begin(&p->svg, "cycle");
    for (int32_t k = 0; k <= p->length; k++) {
        const mco_view_point at = p->at[p->cycle[k < p->length ? k : 0]];
        if (k == 0)
            mco_svg_path_move(&p->svg, at.x, at.y);
        else
            mco_svg_path_line(&p->svg, at.x, at.y);
    }
    mco_svg_path_end(&p->svg);
}

static bool is_on_cycle(const picture *p, int32_t v)
{
    for (int32_t k = 0; k < p->length; k++)
        if (p->cycle[k] == v)
            return true;
    return false;
}

static void draw_dots(picture *p, int32_t n, bool is_on)
{
    mco_svg_path_begin(&p->svg, is_on ? "dot on" : "dot");
    for (int32_t v = 0; v < n; v++)
        if (is_on_cycle(p, v) == is_on)
            mco_svg_path_dot(&p->svg, p->at[v].x, p->at[v].y);
    mco_svg_path_end(&p->svg);
}

// Two neighbours of the vertex: its name keeps away from them.
static void find_neighbours(const picture *p, const mco_graph_rows *rows, int32_t v, mco_view_point out[2])
{
    const int64_t first = rows->first[v], degree = rows->first[v + 1] - first;
    for (int k = 0; k < 2; k++)
        out[k] = degree > 0 ? p->at[rows->head[first + (k < degree ? k : 0)]] : p->at[v];
}

static mco_status draw_names(picture *p, const mco_graph_rows *rows)
{
    mco_status st = MCO_OK;
    mco_view_room *room = NULL;
    char buffer[16];
    MCO_TRY(mco_alloc(p->ctx, &room, 1));
    mco_view_room_begin(room, p->map_left, TOP, MAP);
    for (int32_t v = 0; v < rows->vertices; v++) {
        const mco_view_box dot = {p->at[v].x - DOT, p->at[v].y - DOT, 2 * DOT, 2 * DOT};
        mco_view_room_take(room, &dot, MCO_VIEW_DOT);
    }
    mco_svg_group_begin(&p->svg, "names");
    for (int32_t v = 0; v < rows->vertices; v++) {
        mco_view_point neighbours[2];
        find_neighbours(p, rows, v, neighbours);
        mco_view_name_beside(&p->svg, room, p->at[v], neighbours, DOT, NAME_WIDTH, 0, mco_graph_vertex_name(p->graph, v, buffer));
    }
    mco_svg_group_end(&p->svg);
done:
    mco_free(p->ctx, &room);
    return st;
}

static mco_status draw_graph(picture *p)
{
    mco_status st = MCO_OK;
    char text[TEXT_ROOM];
    const mco_graph_rows rows = mco_graph_view(p->graph);
    p->map_left = LEFT + PLOT_WIDTH + GAP;
    MCO_TRY(mco_alloc(p->ctx, &p->at, rows.vertices));
    if (rows.x != NULL && rows.y != NULL)
        place_by_coordinates(p, &rows);
    else
        place_on_circle(p, rows.vertices);
    mco_svg_rect(&p->svg, "map", p->map_left, TOP, MAP, MAP, NULL);
    draw_edges(p, &rows);
    draw_dots(p, rows.vertices, false);
    draw_dots(p, rows.vertices, true);
    if (rows.vertices <= MOST_NAMED)
        MCO_TRY(draw_names(p, &rows));
    snprintf(text, sizeof text, "one of the cycles, of length %d", p->length);
    mco_svg_text(&p->svg, NULL, MCO_SVG_MIDDLE, p->map_left + MAP / 2, TOP + MAP + 16, text);
done:
    mco_free(p->ctx, &p->at);
    return st;
}

// ---- The page

static mco_status draw(picture *p, FILE *file)
{
    const mco_cycles_result *r = p->result;
    const mco_view_known known = {.outcome = MCO_OUTCOME_UNKNOWN, .bound = NAN};
    const double width = LEFT + PLOT_WIDTH + (p->cycle != NULL ? GAP + MAP : 0) + MARGIN;
    char objective[TEXT_ROOM], summary[TEXT_ROOM], count[64];
    mco_cycles_count_text(r->exact, r->limbs, p->digits, p->digits_size);
    if (strlen(p->digits) < 40)
        snprintf(count, sizeof count, "%.40s", p->digits);
    else
        snprintf(count, sizeof count, "about 10^%zu", strlen(p->digits) - 1);
    snprintf(objective, sizeof objective, "%s%s chordless cycles longer than 3", r->outcome == MCO_OUTCOME_OPTIMAL ? "" : "at least ",
             count);
    snprintf(summary, sizeof summary, "%lld vertices, %lld edge%s, %lld triangle%s", (long long)r->vertices, (long long)r->edges,
             mco_plural(r->edges), (long long)r->triangles, mco_plural(r->triangles));
    mco_svg_begin(&p->svg, file, width, TOP + PLOT_HEIGHT + BELOW, "#FFF", mco_graph_name(p->graph));
    mco_svg_style(&p->svg, CSS);
    mco_view_header(&p->svg, MARGIN, width - 2 * MARGIN, mco_graph_name(p->graph), objective, &known, summary);
    draw_histogram(p);
    const mco_status st = p->cycle != NULL ? draw_graph(p) : MCO_OK;
    mco_svg_end(&p->svg);
    return st;
}

static mco_status refuse_cycle(mco_context *ctx, const mco_graph *graph, const int32_t *cycle, int32_t length)
{
    const int32_t n = mco_graph_view(graph).vertices;
    if (length < 1 || length > n)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the cycle has %d vertices, the graph has %d", length, n);
    for (int32_t k = 0; k < length; k++)
        if (cycle[k] < 0 || cycle[k] >= n)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "vertex %d of the cycle is %d, vertices are 0 to %d", k, cycle[k], n - 1);
    return MCO_OK;
}

mco_status mco_cycles_plot(mco_context *ctx, const mco_graph *graph, const mco_cycles_result *result, const int32_t *cycle,
                           int32_t length, const char *path)
{
    mco_status st = MCO_OK;
    mco_output o = {0};
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    picture p = {.ctx = ctx, .graph = graph, .result = &r, .length = length};
    if (ctx == NULL || graph == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    if (r.by_length == NULL || r.exact == NULL)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the result has no counts by length"));
    if (cycle != NULL)
        MCO_TRY(refuse_cycle(ctx, graph, cycle, length));
    p.cycle = mco_graph_view(graph).vertices <= MOST_DRAWN ? cycle : NULL;
    p.digits_size = 20 * (size_t)r.limbs + 2;
    MCO_TRY(mco_alloc(ctx, &p.digits, p.digits_size));
    MCO_TRY(mco_output_open(ctx, path, &o));
    MCO_TRY(draw(&p, o.file));
    MCO_TRY(mco_output_commit(ctx, &o, false));
done:
    mco_output_discard(&o);
    mco_free(ctx, &p.digits);
    return st;
}
