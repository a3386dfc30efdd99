// SPDX-License-Identifier: MIT
// Pictures of an overlay: kept links on a circle, or as a matrix where nodes are many.
//
// Nodes stand in the order of their uptimes, since links join nodes of like uptime where weights are products. So links of the circle are
// short, and the matrix is dark near its diagonal.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/output.h"
#include "base/structs.h"
#include "overlay/instance.h"
#include "render/view.h"

enum { CIRCLE_MOST = 120, UPTIMES = 5, WIDTHS = 8, CELLS = 350, SHADES = 5, TEXT_ROOM = 256, KEY_ROOM = 24 };

// Pixels.
static const double MARGIN = 24, TOP = 72, SIDE = 700, RADIUS = 275, BESIDE = 11, LEGEND = 92, SWATCH = 26;
static const double NAME_WIDTH = 62, CELL = 2, TURN = 6.283185307179586;
static const double BOW = 0.5;  // a link bends inwards: what stays of the distance from the middle to the middle of its chord

static const char CSS[] = MCO_VIEW_CSS
    "path{fill:none;stroke-linecap:round}\n.map{fill:#F7F7F7}\n.link{stroke:#5B6770;stroke-opacity:.55}\n.node{stroke-width:9}\n"
    ".u0{stroke:#D7301F}.u1{stroke:#EE8A2A}.u2{stroke:#D9B310}.u3{stroke:#4FA58E}.u4{stroke:#3B76AF}\n"
    ".w1{stroke-width:1.25}.w2{stroke-width:2.5}.w3{stroke-width:3.75}.w4{stroke-width:5}.w5{stroke-width:6.25}.w6{stroke-width:7.5}\n"
    ".w7{stroke-width:8.75}.w8{stroke-width:10}\n"
    ".s0{fill:#C6DBEF}.s1{fill:#85B6DA}.s2{fill:#4A8FC4}.s3{fill:#1F65A6}.s4{fill:#08306B}\n"
    ".frame{fill:none;stroke:#888}\n";

typedef struct picture {
    mco_svg svg;
    const mco_overlay *o;
    const mco_overlay_solution *s;
    int32_t *order, *place;  // [nodes] node at a place, place of a node
    int64_t greatest;        // bandwidth of a kept link
} picture;

// ---- Order

typedef struct placed {
    uint32_t uptime;
    int32_t node;
} placed;

static int by_uptime(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->uptime != y->uptime)
        return x->uptime < y->uptime ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static mco_status open_picture(mco_context *ctx, picture *p)
{
    mco_status st = MCO_OK;
    placed *list = NULL;
    const int32_t nodes = p->o->nodes;
    MCO_TRY(mco_alloc(ctx, &list, nodes));
    MCO_TRY(mco_alloc(ctx, &p->order, nodes));
    MCO_TRY(mco_alloc(ctx, &p->place, nodes));
    for (int32_t i = 0; i < nodes; i++)
        list[i] = (placed){p->o->uptime[i], i};
    if (nodes > 0)
        qsort(list, (size_t)nodes, sizeof *list, by_uptime);
    for (int32_t k = 0; k < nodes; k++) {
        p->order[k] = list[k].node;
        p->place[list[k].node] = k;
    }
    for (int64_t k = 0; k < p->s->count; k++)
        p->greatest = p->s->bandwidth[k] > p->greatest ? p->s->bandwidth[k] : p->greatest;
done:
    mco_free(ctx, &list);
    return st;
}

// ---- The circle

static mco_view_point point_of(const picture *p, int32_t node)
{
    const double angle = TURN * (p->place[node] + 0.5) / p->o->nodes - TURN / 4, middle = MARGIN + SIDE / 2;
    return (mco_view_point){middle + RADIUS * cos(angle), TOP + SIDE / 2 + RADIUS * sin(angle)};
}

static int width_of(const picture *p, int64_t bandwidth)
{
    const int width = (int)ceil((double)bandwidth / (double)p->greatest * WIDTHS);
    return width < 1 ? 1 : width > WIDTHS ? WIDTHS : width;
}

static int colour_of(uint32_t uptime)
{
    const int colour = (int)((double)uptime / 4294967296.0 * UPTIMES);
    return colour < UPTIMES ? colour : UPTIMES - 1;
}

// A parabola between the nodes (Bezier's of degree 2). So links of neighbours are seen beside the circle.
static void draw_link(picture *p, int64_t k)
{
    enum { PIECES = 16 };
    const mco_view_point a = point_of(p, p->s->from[k]), b = point_of(p, p->s->to[k]), middle = {MARGIN + SIDE / 2, TOP + SIDE / 2};
    const mco_view_point bent = {middle.x + BOW * ((a.x + b.x) / 2 - middle.x), middle.y + BOW * ((a.y + b.y) / 2 - middle.y)};
    mco_svg_path_move(&p->svg, a.x, a.y);
    for (int piece = 1; piece <= PIECES; piece++) {
        const double t = (double)piece / PIECES, u = 1 - t;
        mco_svg_path_line(&p->svg, u * u * a.x + 2 * u * t * bent.x + t * t * b.x, u * u * a.y + 2 * u * t * bent.y + t * t * b.y);
    }
}

static void draw_links(picture *p)
{
    char key[KEY_ROOM];
    for (int width = WIDTHS; width >= 1; width--) {
        bool is_open = false;
        snprintf(key, sizeof key, "link w%d", width);
        for (int64_t k = 0; k < p->s->count; k++) {
            if (width_of(p, p->s->bandwidth[k]) != width)
                continue;
            if (!is_open)
                mco_svg_path_begin(&p->svg, key);
            is_open = true;
            draw_link(p, k);
        }
        if (is_open)
            mco_svg_path_end(&p->svg);
    }
}

static void draw_nodes(picture *p)
{
    char key[KEY_ROOM];
    for (int colour = 0; colour < UPTIMES; colour++) {
        snprintf(key, sizeof key, "node u%d", colour);
        mco_svg_path_begin(&p->svg, key);
        for (int32_t i = 0; i < p->o->nodes; i++)
            if (colour_of(p->o->uptime[i]) == colour) {
                const mco_view_point at = point_of(p, i);
                mco_svg_path_dot(&p->svg, at.x, at.y);
            }
        mco_svg_path_end(&p->svg);
    }
}

// A name stands on a ray from the middle, outside: at the right it begins there, at the left it ends there.
static void draw_names(picture *p)
{
    char buffer[16], cut[TEXT_ROOM];
    const double middle_x = MARGIN + SIDE / 2, middle_y = TOP + SIDE / 2, far = (RADIUS + BESIDE) / RADIUS;
    double last = -INFINITY;
    mco_svg_group_begin(&p->svg, "names");
    for (int32_t k = 0; k < p->o->nodes; k++) {
        const int32_t i = p->order[k];
        const mco_view_point at = point_of(p, i);
        const double x = middle_x + (at.x - middle_x) * far, y = middle_y + (at.y - middle_y) * far;
        const bool is_right = at.x >= middle_x;
        if (k > 0 && is_right != (point_of(p, p->order[k - 1]).x >= middle_x))
            last = -INFINITY;
        mco_svg_text_cut(cut, sizeof cut, mco_overlay_node_name(p->o, i, buffer), MCO_VIEW_SMALL_FONT, NAME_WIDTH);
        if (fabs(y - last) < MCO_VIEW_SMALL_FONT)
            continue;  // near the top and the bottom there is no room for all
        last = y;
        mco_svg_text(&p->svg, "small", is_right ? MCO_SVG_START : MCO_SVG_END, x, y + 3, cut);
    }
    mco_svg_group_end(&p->svg);
}

static void draw_circle_legend(picture *p)
{
    static const char *const names[UPTIMES] = {"below 0.2", "below 0.4", "below 0.6", "below 0.8", "0.8 to 1"};
    static const int shown[] = {1, 4, 8};
    char key[KEY_ROOM], text[TEXT_ROOM];
    double x = mco_view_legend_text(&p->svg, MARGIN, TOP + SIDE + 24, "uptime of a node:");
    for (int colour = 0; colour < UPTIMES; colour++) {
        snprintf(key, sizeof key, "node u%d", colour);
        mco_svg_path_begin(&p->svg, key);
        mco_svg_path_dot(&p->svg, x + SWATCH / 2, TOP + SIDE + 24);
        mco_svg_path_end(&p->svg);
        x = mco_view_legend_text(&p->svg, x + SWATCH, TOP + SIDE + 24, names[colour]);
    }
    x = mco_view_legend_text(&p->svg, MARGIN, TOP + SIDE + 52, "bandwidth of a kept link, at most:");
    for (size_t k = 0; k < sizeof shown / sizeof *shown && p->greatest > 0; k++) {
        snprintf(key, sizeof key, "link w%d", shown[k]);
        snprintf(text, sizeof text, "%.4g", (double)p->greatest * shown[k] / WIDTHS / (double)p->o->scale);
        mco_svg_path_begin(&p->svg, key);
        mco_svg_path_move(&p->svg, x, TOP + SIDE + 52);
        mco_svg_path_line(&p->svg, x + SWATCH - 12, TOP + SIDE + 52);
        mco_svg_path_end(&p->svg);
        x = mco_view_legend_text(&p->svg, x + SWATCH, TOP + SIDE + 52, text);
    }
    mco_view_legend_text(&p->svg, MARGIN, TOP + SIDE + 78, "nodes clockwise by uptime, from the top");
}

static void draw_circle(picture *p)
{
    mco_svg_rect(&p->svg, "map", MARGIN, TOP, SIDE, SIDE, NULL);
    draw_links(p);
    draw_nodes(p);
    draw_names(p);
    draw_circle_legend(p);
}

// ---- The matrix

static int32_t cell_of(const picture *p, int32_t node)
{
    return (int32_t)((int64_t)p->place[node] * CELLS / p->o->nodes);
}

// The bandwidth between the nodes of two cells decides the shade, by powers of the greatest: its root halves the range.
static mco_status draw_matrix(mco_context *ctx, picture *p)
{
    mco_status st = MCO_OK;
    double *sum = NULL, greatest = 0;
    char key[KEY_ROOM];
    MCO_TRY(mco_alloc(ctx, &sum, CELLS * CELLS));
    for (int64_t k = 0; k < p->s->count; k++) {
        const int32_t a = cell_of(p, p->s->from[k]), b = cell_of(p, p->s->to[k]);
        sum[a * CELLS + b] += (double)p->s->bandwidth[k];
        if (a != b)
            sum[b * CELLS + a] += (double)p->s->bandwidth[k];
    }
    for (int64_t c = 0; c < CELLS * CELLS; c++)
        greatest = fmax(greatest, sum[c]);
    mco_svg_rect(&p->svg, "map", MARGIN, TOP, SIDE, SIDE, NULL);
    for (int shade = 0; shade < SHADES; shade++) {
        snprintf(key, sizeof key, "s%d", shade);
        mco_svg_path_begin(&p->svg, key);
        for (int32_t c = 0; c < CELLS * CELLS; c++) {
            const double part = greatest > 0 ? sqrt(sum[c] / greatest) * SHADES : 0;
            if (sum[c] > 0 && (int)fmin(part, SHADES - 1) == shade)
                mco_svg_path_rect(&p->svg, MARGIN + c % CELLS * CELL, TOP + SIDE - CELL - c / CELLS * CELL, CELL, CELL);
        }
        mco_svg_path_end(&p->svg);
    }
    mco_svg_rect(&p->svg, "frame", MARGIN, TOP, SIDE, SIDE, NULL);
done:
    mco_free(ctx, &sum);
    return st;
}

static void draw_matrix_legend(picture *p)
{
    char text[TEXT_ROOM];
    double x = mco_view_legend_text(&p->svg, MARGIN, TOP + SIDE + 52, "bandwidth between two places: from little");
    for (int shade = 0; shade < SHADES; shade++) {
        snprintf(text, sizeof text, "s%d", shade);
        mco_svg_rect(&p->svg, text, x - 16 + 22 * shade, TOP + SIDE + 43, 20, 18, NULL);
    }
    mco_view_legend_text(&p->svg, x - 8 + 22 * SHADES, TOP + SIDE + 52, "to much");
    snprintf(text, sizeof text, "nodes by uptime, least at the lower left; %" PRId32 " nodes are too many for a circle of at most %d", p->o->nodes,
             CIRCLE_MOST);
    mco_view_legend_text(&p->svg, MARGIN, TOP + SIDE + 24, text);
}

mco_status mco_overlay_plot(mco_context *ctx, const mco_overlay *instance, const mco_overlay_result *result, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    mco_overlay_result r = MCO_OVERLAY_RESULT_INIT;
    picture p = {.o = instance, .s = &r.solution};
    char objective[TEXT_ROOM], summary[TEXT_ROOM];
    double worth;
    if (ctx == NULL || instance == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    MCO_TRY(mco_overlay_check(ctx, instance, &r.solution, &worth));
    MCO_TRY(open_picture(ctx, &p));
    const mco_view_known known = {.outcome = r.outcome, .objective = r.worth, .bound = r.bound};
    snprintf(objective, sizeof objective, "worth %.8g", r.worth);
    snprintf(summary, sizeof summary, "%" PRId32 " nodes, %" PRId64 " kept of %" PRId64 " possible links", instance->nodes, r.solution.count,
             instance->links);
    MCO_TRY(mco_output_open(ctx, path, &output));
    mco_svg_begin(&p.svg, output.file, SIDE + 2 * MARGIN, TOP + SIDE + LEGEND, "#FFFFFF", instance->name);
    mco_svg_style(&p.svg, CSS);
    mco_view_header(&p.svg, MARGIN, SIDE, instance->name, objective, &known, summary);
    if (instance->nodes <= CIRCLE_MOST)
        draw_circle(&p);
    else {
        MCO_TRY(draw_matrix(ctx, &p));
        draw_matrix_legend(&p);
    }
    mco_svg_end(&p.svg);
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    mco_free(ctx, &p.order);
    mco_free(ctx, &p.place);
    return st;
}
