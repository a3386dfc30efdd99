// SPDX-License-Identifier: MIT
// Pictures: the map of flows, the map of a difference, and the convergence.
//
// A map has one path for each pair of a width and a colour, from narrow to wide, so that its file has a few dozen elements whatever the
// number of links. A link is drawn beside its middle line, on the right of its direction: both directions of a street are seen. Links
// whose width would be less than half of the least are a hairline of the base alone.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/output.h"
#include "base/structs.h"
#include "render/view.h"
#include "traffic/model/network.h"

enum { WIDTHS = 12, COLOURS = 6, TEXT_ROOM = 256, KEY_ROOM = 24 };

// Pixels.
static const double MARGIN = 24, TOP = 72, SIDE = 1000, LEAST_WIDTH = 520, LEAST_HEIGHT = 160, LEGEND = 84, SWATCH = 26, STROKE = 0.75;
static const double DEGREE = 3.14159265358979323846 / 180, KM_OF_DEGREE = 111.195;  // of latitude

// From empty to jammed; then less and more.
static const char CSS[] = MCO_VIEW_CSS
    "path{fill:none;stroke-linecap:butt;stroke-linejoin:round}\n"
    ".map{fill:#F7F7F7}\n.base{stroke:#C8C8C8;stroke-width:.5}\n.bar{stroke:#333;stroke-width:1.5}\n"
    ".c0{stroke:#3B76AF}.c1{stroke:#4FA58E}.c2{stroke:#D9B310}.c3{stroke:#EE8A2A}.c4{stroke:#D7301F}.c5{stroke:#7A0177}\n"
    ".less{stroke:#2166AC}.more{stroke:#C0272D}\n"
    ".w1{stroke-width:.75}.w2{stroke-width:1.5}.w3{stroke-width:2.25}.w4{stroke-width:3}.w5{stroke-width:3.75}.w6{stroke-width:4.5}\n"
    ".w7{stroke-width:5.25}.w8{stroke-width:6}.w9{stroke-width:6.75}.w10{stroke-width:7.5}.w11{stroke-width:8.25}.w12{stroke-width:9}\n";

// Flow over capacity from which a colour counts.
static const double steps[COLOURS] = {0, 0.5, 0.75, 0.9, 1, 1.25};
static const char *const step_names[COLOURS] = {"0", "0.5", "0.75", "0.9", "1", "1.25"};

typedef struct picture {
    const mco_traffic_network *net;
    mco_svg svg;
    double left, upper, scale, stretch;  // a place stands at MARGIN + (x - left) * stretch * scale
    double width, height;                // of the map
    const double *before, *after;        // [links] a difference; `before` NULL: flows
    double greatest;                     // flow or difference
} picture;

static void measure(picture *p)
{
    const mco_traffic_network *n = p->net;
    double right = -INFINITY, lower = INFINITY;
    p->left = INFINITY;
    p->upper = -INFINITY;
    for (int32_t v = 0; v < n->nodes; v++) {
        p->left = fmin(p->left, n->x[v]);
        right = fmax(right, n->x[v]);
        lower = fmin(lower, n->y[v]);
        p->upper = fmax(p->upper, n->y[v]);
    }
    p->stretch = n->is_map ? cos((lower + p->upper) / 2 * DEGREE) : 1;  // a degree of longitude is shorter than one of latitude
    const double wide = (right - p->left) * p->stretch, high = p->upper - lower, longer = fmax(wide, high);
    p->scale = longer > 0 ? SIDE / longer : 1;
    p->width = fmax(wide * p->scale, LEAST_WIDTH);
    p->height = fmax(high * p->scale, LEAST_HEIGHT);
    if (!isfinite(p->left))
        p->left = p->upper = 0;
    for (int32_t a = 0; a < n->links; a++)
        p->greatest = fmax(p->greatest, fabs(p->after[a] - (p->before != NULL ? p->before[a] : 0)));
}

static double x_of(const picture *p, int32_t v)
{
    return MARGIN + (p->net->x[v] - p->left) * p->stretch * p->scale;
}

static double y_of(const picture *p, int32_t v)
{
    return TOP + (p->upper - p->net->y[v]) * p->scale;
}

static double value_of(const picture *p, int32_t a)
{
    return p->after[a] - (p->before != NULL ? p->before[a] : 0);
}

// 1 .. WIDTHS; 0: too little.
static int width_of(const picture *p, int32_t a)
{
    const double part = p->greatest > 0 ? fabs(value_of(p, a)) / p->greatest * WIDTHS : 0;
    return part < WIDTHS ? (int)(part + 0.5) : WIDTHS;
}

static int colour_of(const picture *p, int32_t a)
{
    if (p->before != NULL)
        return value_of(p, a) > 0;
    const double ratio = p->after[a] / p->net->capacity[a];
    int colour = COLOURS - 1;
    while (colour > 0 && ratio < steps[colour])
        colour--;
    return colour;
}

// Draws a link, moved to its right by `beside` pixels.
static void draw_link(picture *p, int32_t a, double beside)
{
    const int32_t u = p->net->tail[a], v = p->net->head[a];
    const double x = x_of(p, u), y = y_of(p, u), dx = x_of(p, v) - x, dy = y_of(p, v) - y, length = sqrt(dx * dx + dy * dy);
    const double ox = length > 0 ? -dy / length * beside : 0, oy = length > 0 ? dx / length * beside : 0;
    mco_svg_path_move(&p->svg, x + ox, y + oy);
    mco_svg_path_line(&p->svg, x + dx + ox, y + dy + oy);
}

static void draw_links(picture *p)
{
    static const char *const signs[] = {"less", "more"};
    const int colours = p->before != NULL ? 2 : COLOURS;
    char key[KEY_ROOM];
    mco_svg_path_begin(&p->svg, "base");
    for (int32_t a = 0; a < p->net->links; a++)
        if (width_of(p, a) == 0)
            draw_link(p, a, 0);
    mco_svg_path_end(&p->svg);
    for (int width = 1; width <= WIDTHS; width++)
        for (int colour = 0; colour < colours; colour++) {
            bool is_open = false;
            if (p->before != NULL)
                snprintf(key, sizeof key, "%s w%d", signs[colour], width);
            else
                snprintf(key, sizeof key, "c%d w%d", colour, width);
            for (int32_t a = 0; a < p->net->links; a++) {
                if (width_of(p, a) != width || colour_of(p, a) != colour)
                    continue;
                if (!is_open)
                    mco_svg_path_begin(&p->svg, key);
                is_open = true;
                draw_link(p, a, width * STROKE / 2);
            }
            if (is_open)
                mco_svg_path_end(&p->svg);
        }
}

// ---- The legend

static double draw_sign(picture *p, const char *key, double x, double y, const char *text)
{
    mco_svg_path_begin(&p->svg, key);
    mco_svg_path_move(&p->svg, x, y);
    mco_svg_path_line(&p->svg, x + SWATCH - 4, y);
    mco_svg_path_end(&p->svg);
    return mco_view_legend_text(&p->svg, x + SWATCH, y, text);
}

static void draw_colours(picture *p, double y)
{
    char key[KEY_ROOM];
    double x = MARGIN;
    if (p->before != NULL) {
        x = draw_sign(p, "less w6", x, y, "less flow after");
        draw_sign(p, "more w6", x, y, "more flow after");
        return;
    }
    x = mco_view_legend_text(&p->svg, x, y, "flow / capacity from");
    for (int colour = 0; colour < COLOURS; colour++) {
        snprintf(key, sizeof key, "c%d w6", colour);
        x = draw_sign(p, key, x, y, step_names[colour]);
    }
}

static void draw_widths(picture *p, double y)
{
    static const int shown[] = {1, 4, 8, 12};
    char key[KEY_ROOM], text[32];
    double x = mco_view_legend_text(&p->svg, MARGIN, y, p->before != NULL ? "difference:" : "flow:");
    for (int k = 0; k < 4; k++) {
        snprintf(key, sizeof key, "bar w%d", shown[k]);
        const double flow = p->greatest * shown[k] / WIDTHS;
        snprintf(text, sizeof text, flow >= 1000 && flow < 1e9 ? "%.0f" : "%.3g", flow);
        x = draw_sign(p, key, x, y, text);
    }
}

// A bar of 1, 2 or 5 times a power of ten, about a sixth of the map.
static void draw_scale(picture *p, double y)
{
    const double unit = p->net->is_map ? KM_OF_DEGREE : 1, most = p->width / 6 / p->scale * unit;
    const double power = pow(10, floor(log10(most)));
    const double length = most >= 5 * power ? 5 * power : most >= 2 * power ? 2 * power : power, pixels = length / unit * p->scale;
    char text[32];
    snprintf(text, sizeof text, "%g%s", length, p->net->is_map ? " km" : "");
    const double x = MARGIN + p->width - pixels;
    mco_svg_line(&p->svg, "bar", x, y, x + pixels, y);
    mco_svg_line(&p->svg, "bar", x, y - 4, x, y + 4);
    mco_svg_line(&p->svg, "bar", x + pixels, y - 4, x + pixels, y + 4);
    mco_svg_text(&p->svg, NULL, MCO_SVG_END, x - 8, y + 4, text);
}

static mco_status draw_map(mco_context *ctx, picture *p, const char *name, const char *objective, const char *summary, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    const mco_view_known known = {.outcome = MCO_OUTCOME_UNKNOWN};
    measure(p);
    MCO_TRY(mco_output_open(ctx, path, &output));
    mco_svg_begin(&p->svg, output.file, p->width + 2 * MARGIN, TOP + p->height + LEGEND, "#FFFFFF", name);
    mco_svg_style(&p->svg, CSS);
    mco_view_header(&p->svg, MARGIN, p->width, name, objective, &known, summary);
    mco_svg_rect(&p->svg, "map", MARGIN - 8, TOP - 8, p->width + 16, p->height + 16, NULL);
    draw_links(p);
    draw_colours(p, TOP + p->height + 30);
    draw_widths(p, TOP + p->height + 58);
    draw_scale(p, TOP + p->height + 58);
    mco_svg_end(&p->svg);
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    return st;
}

mco_status mco_traffic_plot_flows(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                                  const mco_traffic_result *result, const char *path)
{
    mco_status st = MCO_OK;
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    char summary[TEXT_ROOM];
    if (ctx == NULL || traffic == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    if (r.flow == NULL || r.links != traffic->view.links)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the result has flows of %d links, the network has %d", r.flow != NULL ? r.links : 0, traffic->view.links);
    if (traffic->view.x == NULL)
        return mco_traffic_plot_history(ctx, traffic, result, path);
    picture map = {.net = &traffic->view, .after = r.flow};
    snprintf(summary, sizeof summary, "%d links, %.10g trips, total cost %.10g, relative gap %.2g", r.links, r.assigned, r.total_cost, r.gap);
    MCO_TRY(draw_map(ctx, &map, traffic->name, p.objective == MCO_TRAFFIC_SO ? "flows of the system optimum" : "flows of the user equilibrium", summary,
                     path));
done:
    return st;
}

mco_status mco_traffic_plot_difference(mco_context *ctx, const mco_traffic *traffic, const double *before, const double *after, const char *path)
{
    char summary[TEXT_ROOM];
    int32_t more = 0, less = 0;
    if (ctx == NULL || traffic == NULL || before == NULL || after == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (traffic->view.x == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s has no places, which a map needs: --nodes names a file of them", traffic->name);
    for (int32_t a = 0; a < traffic->view.links; a++) {
        more += after[a] > before[a];
        less += after[a] < before[a];
    }
    picture map = {.net = &traffic->view, .before = before, .after = after};
    snprintf(summary, sizeof summary, "%d links: %d with more flow, %d with less", traffic->view.links, more, less);
    return draw_map(ctx, &map, traffic->name, "difference of flows", summary, path);
}

// ---- The convergence

typedef struct chart {
    mco_svg svg;
    const mco_traffic_pass *pass;
    int64_t count;
    int low[2], high[2];  // powers of ten of time and gap
} chart;

static const double CHART_LEFT = 84, CHART_WIDTH = 640, CHART_HEIGHT = 400, CHART_BELOW = 56;
static const char CHART_CSS[] = MCO_VIEW_CSS
    "path{fill:none}\n.frame{fill:#F7F7F7;stroke:#888}\n.grid{stroke:#DDD;stroke-width:1}\n"
    ".gap{stroke:#C0272D;stroke-width:2;stroke-linejoin:round}\n.dot{stroke:#C0272D;stroke-width:5;stroke-linecap:round}\n";

static bool is_shown(const mco_traffic_pass *p)
{
    return p->gap > 0 && p->time_s > 0 && isfinite(p->gap) && isfinite(p->time_s);
}

static void find_range(chart *c)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    for (int64_t i = 0; i < c->count; i++) {
        const double value[2] = {c->pass[i].time_s, c->pass[i].gap};
        for (int k = 0; is_shown(&c->pass[i]) && k < 2; k++) {
            least[k] = fmin(least[k], value[k]);
            most[k] = fmax(most[k], value[k]);
        }
    }
    for (int k = 0; k < 2; k++) {
        c->low[k] = most[k] > 0 ? (int)floor(log10(least[k])) : -1;
        c->high[k] = most[k] > 0 ? (int)ceil(log10(most[k])) : 0;
        c->high[k] += c->high[k] == c->low[k];
    }
}

static double chart_x(const chart *c, double power)
{
    return CHART_LEFT + CHART_WIDTH * (power - c->low[0]) / (c->high[0] - c->low[0]);
}

static double chart_y(const chart *c, double power)
{
    return TOP + CHART_HEIGHT * (c->high[1] - power) / (c->high[1] - c->low[1]);
}

static void draw_grid(chart *c)
{
    char text[32];
    mco_svg_rect(&c->svg, "frame", CHART_LEFT, TOP, CHART_WIDTH, CHART_HEIGHT, NULL);
    for (int k = c->low[0]; k <= c->high[0]; k++) {
        snprintf(text, sizeof text, "%g", pow(10, k));
        mco_svg_line(&c->svg, "grid", chart_x(c, k), TOP, chart_x(c, k), TOP + CHART_HEIGHT);
        mco_svg_text(&c->svg, NULL, MCO_SVG_MIDDLE, chart_x(c, k), TOP + CHART_HEIGHT + 18, text);
    }
    for (int k = c->low[1]; k <= c->high[1]; k++) {
        snprintf(text, sizeof text, "1e%d", k);
        mco_svg_line(&c->svg, "grid", CHART_LEFT, chart_y(c, k), CHART_LEFT + CHART_WIDTH, chart_y(c, k));
        mco_svg_text(&c->svg, NULL, MCO_SVG_END, CHART_LEFT - 8, chart_y(c, k) + 4, text);
    }
    mco_svg_text(&c->svg, NULL, MCO_SVG_MIDDLE, CHART_LEFT + CHART_WIDTH / 2, TOP + CHART_HEIGHT + 40, "time in seconds");
    mco_svg_text_upward(&c->svg, NULL, MCO_SVG_MIDDLE, 28, TOP + CHART_HEIGHT / 2, "relative gap");
}

static void draw_gaps(chart *c)
{
    bool is_first = true;
    mco_svg_path_begin(&c->svg, "gap");
    for (int64_t i = 0; i < c->count; i++) {
        if (!is_shown(&c->pass[i]))
            continue;
        const double x = chart_x(c, log10(c->pass[i].time_s)), y = chart_y(c, log10(c->pass[i].gap));
        if (is_first)
            mco_svg_path_move(&c->svg, x, y);
        else
            mco_svg_path_line(&c->svg, x, y);
        is_first = false;
    }
    mco_svg_path_end(&c->svg);
    mco_svg_path_begin(&c->svg, "dot");
    for (int64_t i = 0; i < c->count; i++)
        if (is_shown(&c->pass[i]))
            mco_svg_path_dot(&c->svg, chart_x(c, log10(c->pass[i].time_s)), chart_y(c, log10(c->pass[i].gap)));
    mco_svg_path_end(&c->svg);
}

mco_status mco_traffic_plot_history(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_result *result, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    char summary[TEXT_ROOM];
    const mco_view_known known = {.outcome = MCO_OUTCOME_UNKNOWN};
    if (ctx == NULL || traffic == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    chart c = {.pass = r.history, .count = r.history_count};
    find_range(&c);
    snprintf(summary, sizeof summary, "%" PRId64 " passes, relative gap %.2g after %.3g s", r.history_count, r.gap, r.work.solve_s);
    MCO_TRY(mco_output_open(ctx, path, &output));
    mco_svg_begin(&c.svg, output.file, CHART_LEFT + CHART_WIDTH + MARGIN, TOP + CHART_HEIGHT + CHART_BELOW, "#FFFFFF", traffic->name);
    mco_svg_style(&c.svg, CHART_CSS);
    mco_view_header(&c.svg, MARGIN, CHART_WIDTH, traffic->name, "convergence", &known, summary);
    draw_grid(&c);
    draw_gaps(&c);
    mco_svg_end(&c.svg);
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    return st;
}
