// SPDX-License-Identifier: MIT
// Charts: the convergence of a bound by time; bound, overlay and gap by rounds of events.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/output.h"
#include "base/structs.h"
#include "overlay/instance.h"
#include "render/view.h"

enum { TEXT_ROOM = 256 };

// Pixels.
static const double MARGIN = 24, TOP = 72, SWATCH = 26;
static const double CHART_LEFT = 96, CHART_WIDTH = 640, CHART_HEIGHT = 360, SECOND_HEIGHT = 160, BETWEEN = 36, CHART_BELOW = 56;

static const char CSS[] = MCO_VIEW_CSS
    "path{fill:none;stroke-linecap:round}\n.frame{fill:none;stroke:#888}.grid{stroke:#DDD;stroke-width:1}\n"
    ".bound{stroke:#C0272D;stroke-width:2;stroke-linejoin:round}\n.worth{stroke:#3B76AF;stroke-width:2;stroke-linejoin:round}\n";

// ---- A chart

// A frame with axes: numbers from low to high, or powers of ten where an axis is logarithmic.
typedef struct chart {
    mco_svg *svg;
    double top, height;
    double low[2], high[2];
    bool is_log[2];
} chart;

static double x_of(const chart *c, double value)
{
    return CHART_LEFT + CHART_WIDTH * ((c->is_log[0] ? log10(value) : value) - c->low[0]) / (c->high[0] - c->low[0]);
}

static double y_of(const chart *c, double value)
{
    return c->top + c->height * (c->high[1] - (c->is_log[1] ? log10(value) : value)) / (c->high[1] - c->low[1]);
}

// 1, 2 or 5 times a power of ten: at most seven steps from low to high.
static double step_of(double range)
{
    const double power = pow(10, floor(log10(range / 7)));
    return range / power <= 7 ? power : range / power <= 14 ? 2 * power : range / power <= 35 ? 5 * power : 10 * power;
}

static void draw_tick(const chart *c, int axis, double at, const char *text)
{
    const double part = (at - c->low[axis]) / (c->high[axis] - c->low[axis]);
    const double x = CHART_LEFT + CHART_WIDTH * part, y = c->top + c->height * (1 - part);
    if (axis == 0) {
        mco_svg_line(c->svg, "grid", x, c->top, x, c->top + c->height);
        mco_svg_text(c->svg, NULL, MCO_SVG_MIDDLE, x, c->top + c->height + 18, text);
    } else {
        mco_svg_line(c->svg, "grid", CHART_LEFT, y, CHART_LEFT + CHART_WIDTH, y);
        mco_svg_text(c->svg, NULL, MCO_SVG_END, CHART_LEFT - 8, y + 4, text);
    }
}

static const int firsts[] = {1, 2, 5};  // digits of the numbers at a logarithmic axis of few powers
static const double FEW_POWERS = 2.5;

static void draw_log_axis(const chart *c, int axis)
{
    char text[32];
    const double range = c->high[axis] - c->low[axis], step = fmax(1, ceil(range / 8));
    for (double k = floor(c->low[axis] / step) * step; k <= c->high[axis] + 1e-9; k += step)
        for (int f = 0; f < (range <= FEW_POWERS ? 3 : 1); f++) {
            const double at = k + log10(firsts[f]);
            if (at < c->low[axis] - 1e-9 || at > c->high[axis] + 1e-9)
                continue;
            if (fabs(k) > 3)
                snprintf(text, sizeof text, "%de%.0f", firsts[f], k);
            else
                snprintf(text, sizeof text, "%.8g", firsts[f] * pow(10, k));
            draw_tick(c, axis, at, text);
        }
}

static void draw_axis(const chart *c, int axis)
{
    char text[32];
    if (c->is_log[axis]) {
        draw_log_axis(c, axis);
        return;
    }
    const double step = step_of(c->high[axis] - c->low[axis]);
    for (double k = ceil(c->low[axis] / step - 1e-9); k * step <= c->high[axis] + 1e-9 * step; k++) {
        snprintf(text, sizeof text, "%.8g", k == 0 ? 0 : k * step);
        draw_tick(c, axis, k * step, text);
    }
}

static void begin_chart(const chart *c, const char *x_text, const char *y_text)
{
    draw_axis(c, 0);
    draw_axis(c, 1);
    mco_svg_rect(c->svg, "frame", CHART_LEFT, c->top, CHART_WIDTH, c->height, NULL);
    mco_svg_text(c->svg, NULL, MCO_SVG_MIDDLE, CHART_LEFT + CHART_WIDTH / 2, c->top + c->height + 40, x_text);
    mco_svg_text_upward(c->svg, NULL, MCO_SVG_MIDDLE, 20, c->top + c->height / 2, y_text);
}

static void widen(chart *c, int axis, double value)
{
    const double at = c->is_log[axis] ? log10(value) : value;
    c->low[axis] = fmin(c->low[axis], at);
    c->high[axis] = fmax(c->high[axis], at);
}

// Ends at numbers with a mark where the axis is logarithmic; never an empty range.
static void settle(chart *c, int axis)
{
    if (!(c->low[axis] <= c->high[axis]))
        c->low[axis] = c->high[axis] = 0;
    if (c->is_log[axis]) {
        const bool is_short = c->high[axis] - c->low[axis] < FEW_POWERS - 1;
        double low = floor(c->low[axis]), high = ceil(c->high[axis]);
        for (int f = 0; f < 3 && is_short; f++) {  // the next such numbers
            low = floor(c->low[axis]) + log10(firsts[f]) <= c->low[axis] ? floor(c->low[axis]) + log10(firsts[f]) : low;
            high = ceil(c->high[axis]) - 1 + log10(firsts[2 - f]) >= c->high[axis] ? ceil(c->high[axis]) - 1 + log10(firsts[2 - f]) : high;
        }
        c->low[axis] = low;
        c->high[axis] = high;
    }
    if (c->high[axis] - c->low[axis] < 1e-9 * fmax(1, fabs(c->high[axis])))
        c->high[axis] = c->low[axis] + 1;
}

static double gap_of(double bound, double worth)
{
    return worth > 0 ? (bound - worth) / worth : 0;
}

// ---- The convergence of a bound

static const double LEAST_GAP = 1e-9, LEAST_TIME_S = 1e-6;

// The bound stays until it falls, and after that until the end.
static void draw_convergence(mco_svg *svg, const mco_overlay_bound_result *r)
{
    chart c = {.svg = svg, .top = TOP, .height = CHART_HEIGHT, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}, .is_log = {true, true}};
    const double end_s = fmax(r->work.solve_s, LEAST_TIME_S);
    double y = 0;
    widen(&c, 0, end_s);
    for (int64_t k = 0; k < r->history_count; k++) {
        widen(&c, 0, fmax(r->history[k].time_s, LEAST_TIME_S));
        widen(&c, 1, fmax(gap_of(r->history[k].objective, r->value), LEAST_GAP));
    }
    settle(&c, 0);
    settle(&c, 1);
    begin_chart(&c, "time in seconds", "bound above the fractional overlay, relative");
    mco_svg_path_begin(svg, "bound");
    for (int64_t k = 0; k < r->history_count; k++) {
        const double x = x_of(&c, fmax(r->history[k].time_s, LEAST_TIME_S));
        if (k == 0)
            mco_svg_path_move(svg, x, y_of(&c, fmax(gap_of(r->history[k].objective, r->value), LEAST_GAP)));
        else
            mco_svg_path_line(svg, x, y);
        y = y_of(&c, fmax(gap_of(r->history[k].objective, r->value), LEAST_GAP));
        mco_svg_path_line(svg, x, y);
    }
    if (r->history_count > 0)
        mco_svg_path_line(svg, x_of(&c, end_s), y);
    mco_svg_path_end(svg);
}

// ---- Rounds

static void draw_line(const chart *c, const char *key, const mco_overlay_bound_result *r, double (*value_of)(const mco_overlay_round *))
{
    mco_svg_path_begin(c->svg, key);
    for (int64_t k = 0; k < r->round_count; k++) {
        const double x = x_of(c, (double)r->rounds[k].round), y = y_of(c, value_of(&r->rounds[k]));
        if (k == 0)
            mco_svg_path_move(c->svg, x, y);
        else
            mco_svg_path_line(c->svg, x, y);
    }
    mco_svg_path_end(c->svg);
}

static double bound_at(const mco_overlay_round *round)
{
    return round->bound;
}

static double worth_at(const mco_overlay_round *round)
{
    return round->worth;
}

static double percents_at(const mco_overlay_round *round)
{
    return 100 * gap_of(round->bound, round->worth);
}

static void draw_sign(mco_svg *svg, const char *key, double x, double y, const char *text)
{
    mco_svg_path_begin(svg, key);
    mco_svg_path_move(svg, x, y);
    mco_svg_path_line(svg, x + SWATCH - 6, y);
    mco_svg_path_end(svg);
    mco_view_legend_text(svg, x + SWATCH, y, text);
}

static void draw_rounds(mco_svg *svg, const mco_overlay_bound_result *r)
{
    const double last = (double)r->rounds[r->round_count - 1].round;
    chart c = {.svg = svg, .top = TOP, .height = CHART_HEIGHT, .low = {0, INFINITY}, .high = {last, -INFINITY}}, g = c;
    g.top = TOP + CHART_HEIGHT + CHART_BELOW + BETWEEN;
    g.height = SECOND_HEIGHT;
    g.low[1] = 0;
    g.high[1] = 0;
    for (int64_t k = 0; k < r->round_count; k++) {
        widen(&c, 1, r->rounds[k].worth);
        widen(&c, 1, r->rounds[k].bound);
        widen(&g, 1, percents_at(&r->rounds[k]));
    }
    for (int axis = 0; axis < 2; axis++) {
        settle(&c, axis);
        settle(&g, axis);
    }
    begin_chart(&c, "round", "bound and overlay");
    draw_line(&c, "bound", r, bound_at);
    draw_line(&c, "worth", r, worth_at);
    begin_chart(&g, "round", "gap in %");
    draw_line(&g, "bound", r, percents_at);
    draw_sign(svg, "bound", CHART_LEFT, TOP + CHART_HEIGHT + CHART_BELOW + 8, "bound");
    draw_sign(svg, "worth", CHART_LEFT + 100, TOP + CHART_HEIGHT + CHART_BELOW + 8, "worth of the overlay");
}

mco_status mco_overlay_plot_bound(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_result *result, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    mco_svg svg;
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    const mco_view_known known = {.outcome = MCO_OUTCOME_UNKNOWN};
    char objective[TEXT_ROOM], summary[TEXT_ROOM];
    if (ctx == NULL || instance == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const bool has_rounds = r.round_count > 0;
    snprintf(objective, sizeof objective, "bound %.8g", r.bound);
    if (has_rounds)
        snprintf(summary, sizeof summary, "%" PRId64 " rounds of events, %" PRId32 " nodes at last, gap %.3g %%", r.round_count - 1,
                 r.rounds[r.round_count - 1].nodes, 100 * gap_of(r.bound, r.value));
    else
        snprintf(summary, sizeof summary, "%" PRId32 " nodes, %" PRId64 " possible links, %" PRId64 " iterations, %.3g s", instance->nodes,
                 instance->links, r.iterations, r.work.solve_s);
    const double height = TOP + CHART_HEIGHT + CHART_BELOW + (has_rounds ? BETWEEN + SECOND_HEIGHT + CHART_BELOW : 0);
    MCO_TRY(mco_output_open(ctx, path, &output));
    mco_svg_begin(&svg, output.file, CHART_LEFT + CHART_WIDTH + MARGIN, height, "#FFFFFF", instance->name);
    mco_svg_style(&svg, CSS);
    mco_view_header(&svg, MARGIN, CHART_WIDTH, instance->name, objective, &known, summary);
    if (has_rounds)
        draw_rounds(&svg, &r);
    else
        draw_convergence(&svg, &r);
    mco_svg_end(&svg);
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    return st;
}
