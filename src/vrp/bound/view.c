// SPDX-License-Identifier: MIT
// The picture of a fractional solution: its arcs over the map. An arc is the darker and wider, the nearer its value is to 1; those that
// are whole are dark blue, the others go from yellow over orange to red in classes of a fifth. Arcs at the depot are pale: they are many. An edge of
// value 2 is a route of one customer. Without coordinates the customers are on a circle, by number.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/structs.h"
#include "mco/vrp_bound.h"
#include "render/view.h"
#include "vrp/instance.h"

enum {
    CLASSES = 6,    // five of fractions, one of whole arcs
    TEXT_ROOM = 160
};

// Pixels.
static const double MARGIN = 24, HEADER = 94, MAP = 900, PADDING = 20, LEGEND = 44, DEPOT = 10, SAMPLE = 26;

static const char CSS[] =
    MCO_VIEW_CSS
    ".map{fill:#F7F7F7}.depot{fill:#111;stroke:#FFF;stroke-width:1.5}\n"
    ".arcs path{fill:none;stroke-linecap:round}.spokes path{opacity:.35}\n"
    ".k0{stroke:#FECC5C;stroke-width:.7}.k1{stroke:#FDAE42;stroke-width:1}.k2{stroke:#F5803A;stroke-width:1.3}\n"
    ".k3{stroke:#E34A33;stroke-width:1.7}.k4{stroke:#B30000;stroke-width:2.1}.k5{stroke:#1F3C88;stroke-width:2.1}\n"
    ".dots path{fill:none;stroke:#444;stroke-width:3;stroke-linecap:round}\n";

typedef struct sheet {
    const mco_vrp *problem;
    const mco_vrp_bound_result *result;
    double *x, *y;  // [nodes] pixels
    bool has_coordinates;
    double bottom;
    mco_svg svg;
} sheet;

// ---- Places

static bool place_of(const sheet *s, int32_t node, double at[2])
{
    const int x = s->problem->rule == VRP_GEO ? 1 : 0;
    return mco_vrp_coordinates(s->problem, node, &at[x], &at[1 - x]);
}

static void place_on_circle(sheet *s)
{
    const double turn = 2 * acos(-1), radius = MAP / 2 - PADDING;
    s->x[0] = MARGIN + MAP / 2;
    s->y[0] = HEADER + MAP / 2;
    for (int32_t i = 1; i < s->problem->nodes; i++) {
        s->x[i] = s->x[0] + radius * sin(turn * (i - 1) / s->problem->customers);
        s->y[i] = s->y[0] - radius * cos(turn * (i - 1) / s->problem->customers);
    }
}

static void place_nodes(sheet *s)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, at[2];
    s->has_coordinates = true;
    for (int32_t i = 0; i < s->problem->nodes && s->has_coordinates; i++) {
        s->has_coordinates = place_of(s, i, at);
        for (int axis = 0; axis < 2 && s->has_coordinates; axis++) {
            low[axis] = fmin(low[axis], at[axis]);
            high[axis] = fmax(high[axis], at[axis]);
        }
    }
    if (!s->has_coordinates) {
        place_on_circle(s);
        return;
    }
    const double longest = fmax(high[0] - low[0], high[1] - low[1]), scale = longest > 0 ? (MAP - 2 * PADDING) / longest : 1;
    for (int32_t i = 0; i < s->problem->nodes; i++) {
        place_of(s, i, at);
        s->x[i] = MARGIN + MAP / 2 + (at[0] - (low[0] + high[0]) / 2) * scale;
        s->y[i] = HEADER + MAP / 2 - (at[1] - (low[1] + high[1]) / 2) * scale;
    }
}

// ---- Arcs

static int class_of(double value)
{
    static const double WHOLE = 1 - 1e-6;
    return value >= WHOLE ? CLASSES - 1 : value <= 0 ? 0 : (int)(value * (CLASSES - 1));
}

static void draw_line(sheet *s, const mco_vrp_support *arc)
{
    mco_svg_path_move(&s->svg, s->x[arc->from], s->y[arc->from]);
    mco_svg_path_line(&s->svg, s->x[arc->to], s->y[arc->to]);
}

// One path holds all arcs of a class. Those with an end at the depot, or the others.
static void draw_class(sheet *s, int k, bool at_depot)
{
    char look[8];
    bool is_open = false;
    snprintf(look, sizeof look, "k%d", k);
    for (int64_t i = 0; i < s->result->support_count; i++) {
        const mco_vrp_support *arc = &s->result->support[i];
        if ((arc->from == 0 || arc->to == 0) != at_depot || class_of(arc->value) != k)
            continue;
        if (!is_open)
            mco_svg_path_begin(&s->svg, look);
        is_open = true;
        draw_line(s, arc);
    }
    if (is_open)
        mco_svg_path_end(&s->svg);
}

static void draw_arcs(sheet *s)
{
    for (int depot = 1; depot >= 0; depot--) {
        mco_svg_group_begin(&s->svg, depot ? "arcs spokes" : "arcs");
        for (int k = 0; k < CLASSES; k++)
            draw_class(s, k, depot == 1);
        mco_svg_group_end(&s->svg);
    }
}

static void draw_nodes(sheet *s)
{
    mco_svg_group_begin(&s->svg, "dots");
    mco_svg_path_begin(&s->svg, NULL);
    for (int32_t i = 1; i < s->problem->nodes; i++)
        mco_svg_path_dot(&s->svg, s->x[i], s->y[i]);
    mco_svg_path_end(&s->svg);
    mco_svg_group_end(&s->svg);
    mco_svg_rect(&s->svg, "depot", s->x[0] - DEPOT / 2, s->y[0] - DEPOT / 2, DEPOT, DEPOT, "depot");
}

// ---- Header and legend

static void draw_header(sheet *s)
{
    const mco_vrp_bound_result *r = s->result;
    char objective[64], text[TEXT_ROOM];
    int64_t whole = 0;
    const int decimals = s->problem->scale > 1 ? 2 : 0;
    for (int64_t k = 0; k < r->support_count; k++)
        whole += class_of(r->support[k].value) == CLASSES - 1;
    snprintf(objective, sizeof objective, "bound %.*f", decimals, r->bound);
    snprintf(text, sizeof text, "%d customer%s, %lld %s of the last linear program, %lld of them whole", s->problem->customers,
             mco_plural(s->problem->customers), (long long)r->support_count, s->problem->is_symmetric ? "edges" : "arcs",
             (long long)whole);
    const mco_view_known known = {r->outcome, r->cost, r->bound};
    mco_view_header(&s->svg, MARGIN, MAP, mco_vrp_name(s->problem), objective, &known, text);
}

static void draw_legend(sheet *s)
{
    static const char *const texts[CLASSES] = {"below 0.2", "0.4", "0.6", "0.8", "1", "whole"};
    const double y = s->bottom + LEGEND / 2;
    double x = MARGIN;
    mco_svg_group_begin(&s->svg, "legend arcs");
    mco_svg_rect(&s->svg, "depot", x, y - DEPOT / 2, DEPOT, DEPOT, NULL);
    x = mco_view_legend_text(&s->svg, x + DEPOT + 6, y, "depot");
    for (int k = 0; k < CLASSES; k++) {
        char look[8];
        snprintf(look, sizeof look, "k%d", k);
        mco_svg_path_begin(&s->svg, look);
        mco_svg_path_move(&s->svg, x, y);
        mco_svg_path_line(&s->svg, x + SAMPLE, y);
        mco_svg_path_end(&s->svg);
        x = mco_view_legend_text(&s->svg, x + SAMPLE + 6, y, texts[k]);
    }
    mco_svg_group_end(&s->svg);
}

static void draw(sheet *s, FILE *file)
{
    mco_svg_begin(&s->svg, file, 2 * MARGIN + MAP, s->bottom + LEGEND, "#FFF", mco_vrp_name(s->problem));
    mco_svg_style(&s->svg, CSS);
    draw_header(s);
    mco_svg_text(&s->svg, "head", MCO_SVG_START, MARGIN, HEADER - 9,
                 s->has_coordinates ? "arcs by their value" : "arcs by their value (no coordinates: customers by number, clockwise)");
    mco_svg_rect(&s->svg, "map", MARGIN, HEADER, MAP, MAP, NULL);
    draw_arcs(s);
    draw_nodes(s);
    draw_legend(s);
    mco_svg_end(&s->svg);
}

static mco_status refuse_arcs(mco_context *ctx, const mco_vrp *problem, const mco_vrp_bound_result *r)
{
    for (int64_t k = 0; k < r->support_count; k++) {
        const mco_vrp_support *arc = &r->support[k];
        if (arc->from < 0 || arc->to < 0 || arc->from >= problem->nodes || arc->to >= problem->nodes)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "arc %lld of the support leads from node %d to %d, the instance has %d nodes",
                            (long long)k + 1, arc->from, arc->to, problem->nodes);
    }
    return MCO_OK;
}

mco_status mco_vrp_plot_bound(mco_context *ctx, const mco_vrp *problem, const mco_vrp_bound_result *result, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    mco_vrp_bound_result r = MCO_VRP_BOUND_RESULT_INIT;
    sheet s = {.problem = problem, .result = &r, .bottom = HEADER + MAP};
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    MCO_TRY(refuse_arcs(ctx, problem, &r));
    MCO_TRY(mco_alloc(ctx, &s.x, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &s.y, problem->nodes));
    place_nodes(&s);
    MCO_TRY(mco_output_open(ctx, path, &output));
    draw(&s, output.file);
    st = mco_output_commit(ctx, &output, false);
done:
    if (ctx != NULL) {
        mco_free(ctx, &s.y);
        mco_free(ctx, &s.x);
    }
    return st;
}
