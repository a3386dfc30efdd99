// SPDX-License-Identifier: MIT
// The picture: the streets of a network, coloured by the distance of their farther end from the source.
//
// Each class of distances is one path of the file. Arcs in both directions are drawn once. A street that is shorter than a part of a
// pixel is drawn as its neighbours cover it anyway.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/output.h"
#include "base/structs.h"
#include "paths/network.h"
#include "render/view.h"

enum { CLASSES = 12, TEXT_ROOM = 256 };

// Pixels.
static const double MARGIN = 24, TOP = 72, SIDE = 1000, LEGEND = 44, SWATCH = 18, DEGREE = 3.14159265358979323846 / 180;

// From near to far, then without a path.
static const char CSS[] = MCO_VIEW_CSS
    "path{fill:none;stroke-width:1;stroke-linecap:round}\n"
    ".map{fill:#F7F7F7}\n"
    ".d0{stroke:#0D0887}.d1{stroke:#3A049A}.d2{stroke:#5C01A6}.d3{stroke:#7E03A8}.d4{stroke:#9C179E}.d5{stroke:#B52F8C}\n"
    ".d6{stroke:#CC4778}.d7{stroke:#DE5F65}.d8{stroke:#ED7953}.d9{stroke:#F89540}.d10{stroke:#FDB42F}.d11{stroke:#FBD524}\n"
    ".d12{stroke:#CCCCCC}\n"
    ".key{stroke-width:4}\n"
    ".source{stroke:#117733;stroke-width:8}\n";

typedef struct picture {
    const mco_paths_rows *rows;
    const mco_paths_tree *tree;
    mco_svg svg;
    double left, upper, scale, stretch;  // a place stands at MARGIN + (x - left) * stretch * scale
    double width, height;                // of the map
} picture;

static const char *const class_names[CLASSES + 1] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11", "d12"};

static void measure(picture *p)
{
    const mco_paths_rows *r = p->rows;
    double right = -INFINITY, lower = INFINITY;
    p->left = INFINITY;
    p->upper = -INFINITY;
    for (int32_t v = 0; v < r->vertices; v++) {
        p->left = fmin(p->left, r->x[v]);
        right = fmax(right, r->x[v]);
        lower = fmin(lower, r->y[v]);
        p->upper = fmax(p->upper, r->y[v]);
    }
    p->stretch = r->is_map ? cos((lower + p->upper) / 2 * DEGREE) : 1;  // a degree of longitude is shorter than one of latitude
    const double wide = (right - p->left) * p->stretch, high = p->upper - lower, longer = fmax(wide, high);
    p->scale = longer > 0 ? SIDE / longer : 1;
    p->width = fmax(wide * p->scale, 400);
    p->height = fmax(high * p->scale, 100);
}

static double x_of(const picture *p, int32_t v)
{
    return MARGIN + (p->rows->x[v] - p->left) * p->stretch * p->scale;
}

static double y_of(const picture *p, int32_t v)
{
    return TOP + (p->upper - p->rows->y[v]) * p->scale;
}

// The class of a street; CLASSES: no path leads to both ends.
static int class_of(const picture *p, int32_t u, int32_t v)
{
    const int32_t a = p->tree->distance[u], b = p->tree->distance[v], farther = a > b ? a : b;
    if (farther == MCO_PATHS_NONE)
        return CLASSES;
    return p->tree->farthest == 0 ? 0 : (int)((int64_t)farther * (CLASSES - 1) / p->tree->farthest);
}

// Whether another arc joins the same ends the other way, and is the one that is drawn.
static bool is_drawn_back(const mco_paths_rows *r, int32_t u, int32_t v)
{
    for (int64_t a = r->first[v]; u > v && a < r->first[v + 1]; a++)
        if (r->head[a] == u)
            return true;
    return false;
}

static void draw_class(picture *p, int class)
{
    const mco_paths_rows *r = p->rows;
    mco_svg_path_begin(&p->svg, class_names[class]);
    for (int32_t u = 0; u < r->vertices; u++)
        for (int64_t a = r->first[u]; a < r->first[u + 1]; a++) {
            const int32_t v = r->head[a];
            if (u == v || class_of(p, u, v) != class || is_drawn_back(r, u, v))
                continue;
            mco_svg_path_move(&p->svg, x_of(p, u), y_of(p, u));
            mco_svg_path_line(&p->svg, x_of(p, v), y_of(p, v));
        }
    mco_svg_path_end(&p->svg);
}

static void draw_legend(picture *p)
{
    const double y = TOP + p->height + LEGEND / 2;
    double x = MARGIN;
    char text[32], key[16];
    for (int class = 0; class < CLASSES; class++, x += SWATCH) {
        snprintf(key, sizeof key, "key %s", class_names[class]);
        mco_svg_path_begin(&p->svg, key);
        mco_svg_path_move(&p->svg, x, y);
        mco_svg_path_line(&p->svg, x + SWATCH - 4, y);
        mco_svg_path_end(&p->svg);
    }
    snprintf(text, sizeof text, "0 to %d", p->tree->farthest);
    mco_view_legend_text(&p->svg, x + 4, y, text);
}

static void draw(picture *p, const mco_paths_network *network, FILE *file)
{
    char summary[TEXT_ROOM], objective[64], name[16];
    const mco_paths_tree *t = p->tree;
    const mco_view_known known = {.outcome = MCO_OUTCOME_UNKNOWN};
    snprintf(objective, sizeof objective, "distances from %.24s", mco_paths_vertex_name(network, t->source, name));
    snprintf(summary, sizeof summary, "%" PRId64 " of %d vertices reached, the farthest at %d", t->reached, t->vertices, t->farthest);
    mco_svg_begin(&p->svg, file, p->width + 2 * MARGIN, TOP + p->height + LEGEND, "#FFFFFF", mco_paths_name(network));
    mco_svg_style(&p->svg, CSS);
    mco_view_header(&p->svg, MARGIN, p->width, mco_paths_name(network), objective, &known, summary);
    mco_svg_rect(&p->svg, "map", MARGIN, TOP, p->width, p->height, NULL);
    for (int class = CLASSES; class >= 0; class--)
        draw_class(p, class);
    mco_svg_path_begin(&p->svg, "source");
    mco_svg_path_dot(&p->svg, x_of(p, t->source), y_of(p, t->source));
    mco_svg_path_end(&p->svg);
    draw_legend(p);
    mco_svg_end(&p->svg);
}

mco_status mco_paths_plot_tree(mco_context *ctx, const mco_paths_network *network, const mco_paths_tree *tree, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    mco_paths_tree t = MCO_PATHS_TREE_INIT;
    if (ctx == NULL || network == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, tree, &t));
    picture p = {.rows = &network->rows, .tree = &t};
    if (t.distance == NULL || t.vertices != network->rows.vertices)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the tree has distances of %d vertices, the network has %d", t.distance != NULL ? t.vertices : 0,
                        network->rows.vertices);
    if (network->rows.x == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s has no places: a .co file beside a .gr file has them", mco_paths_name(network));
    measure(&p);
    MCO_TRY(mco_output_open(ctx, path, &output));
    draw(&p, network, output.file);
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    return st;
}
