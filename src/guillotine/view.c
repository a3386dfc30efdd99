// SPDX-License-Identifier: MIT
// The sheet: the plate with its pieces, waste and cuts. The origin is the lower left corner.
//
// Colours are those of the flow shop's chart (P. Tol, "light", 2021), one for each piece type that is on the plate.
// There are eight tints, then the same eight paler, then the same eight dimmer; then they repeat. Waste is hatched. The
// kerf of the saw is the white between two parts. In large plans it is hatched too, or left out where it is finer than
// a pixel.
//
// A cut is a line from edge to edge, thickest in the first stage. A trim, which parts a piece from waste, is dashed.
// Stages are counted as in guillotine/check.c, from the plan's own first cut. Lines are thinner where pieces are
// narrow. A line that would hide a part of a few pixels is left out.
//
// Size: up to DETAIL_LEAVES leaves, each piece is a rectangle of its own with a tooltip, about 120 bytes. Beyond that,
// all pieces of a colour are one path with corners on a raster of RASTER pixels, about 20 bytes for each piece.
// Rounding is monotone and neighbours share the rounded edge. So pieces never overlap, at most one piece is left for
// each step of the raster, and no sheet exceeds 20 MB.
//
// A plate that is far longer than wide is drawn at least THINNEST pixels thick, and the legend says so.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/structs.h"
#include "guillotine/instance.h"
#include "render/view.h"

enum {
    TINTS = 24,       // of the palette
    STAGE_LOOKS = 4,  // the last look stands for all later stages too
    DETAIL_LEAVES = 10000,
    LISTED_TYPES = 48,
    NAME_ROOM = 256,
    TEXT_ROOM = 1024
};

// Pixels.
static const double MARGIN = 24, HEADER = 66, LEFT = 48;
static const double WIDEST = 1080, HIGHEST = 760, THINNEST = 48;  // of the plate
static const double CANVAS_NARROWEST = 720;                       // room for the header and the legend
static const double RASTER = 1;
static const double LINE_CLEAR = 3;                               // least length of a line; least room on both sides
static const double LINE_WIDEST = 3, LINE_THINNEST = 0.5, PIECE_FULL_LINES = 36;
static const double LINE_HEIGHT = 1.25;                           // of text, times the font size
static const double TOOLTIP_NAME_WIDTH = 720;
static const double LEGEND_ROW = 20, SWATCH = 14, TYPE_COLUMN = 264;

static const double TEXT_FONT = MCO_VIEW_FONT, LABEL_FONT = 12, SMALL_FONT = MCO_VIEW_SMALL_FONT;

static const char CSS[] =
    MCO_VIEW_CSS
    ".plate{fill:#FFF}\n"
    ".waste{fill:url(#hatch)}.parts{fill:#CCC}\n"
    ".frame{fill:none;stroke:#222;stroke-width:1;pointer-events:none}\n"
    ".cut{fill:none;stroke:#222;pointer-events:none}\n"
    ".trim{stroke-dasharray:3 2}\n"
    ".c0{fill:#77AADD}.c1{fill:#BBCC33}.c2{fill:#44BB99}.c3{fill:#EEDD88}"
    ".c4{fill:#99DDFF}.c5{fill:#EE8866}.c6{fill:#FFAABB}.c7{fill:#AAAA00}\n"
    ".c8{fill:#BBD4EE}.c9{fill:#DDE599}.c10{fill:#A1DDCC}.c11{fill:#F6EEC3}"
    ".c12{fill:#CCEEFF}.c13{fill:#F6C3B2}.c14{fill:#FFD4DD}.c15{fill:#D4D47F}\n"
    ".c16{fill:#6E95BB}.c17{fill:#A2AE3B}.c18{fill:#48A288}.c19{fill:#C8BB7B}"
    ".c20{fill:#88BBD5}.c21{fill:#C87B62}.c22{fill:#D595A2}.c23{fill:#959515}\n";

static const char *const COLOURS[TINTS] = {"c0",  "c1",  "c2",  "c3",  "c4",  "c5",  "c6",  "c7",
                                           "c8",  "c9",  "c10", "c11", "c12", "c13", "c14", "c15",
                                           "c16", "c17", "c18", "c19", "c20", "c21", "c22", "c23"};

// Widths of lines, as shares of the widest.
static const double STAGE_WIDTHS[STAGE_LOOKS] = {1, 0.6, 0.4, 0.25};
static const double TRIM_WIDTH = 0.2;

// The nearest cut above a node that is no trim. For a cut whose turn has come: the cut itself.
typedef struct level {
    int64_t stage;  // 0: there is none above; for a cut: it is a trim
    mco_guillotine_cut axis;
} level;

typedef struct sheet {
    const mco_guillotine *problem;
    const mco_guillotine_node *nodes;  // [count]
    int64_t count;
    int64_t kerf, value, area;  // area: of the pieces
    int64_t pieces, leaves, types, stages;
    bool has_trims, has_waste;
    int64_t *used;                    // [pieces of the problem] how many of each are on the plate
    int64_t *rank;                    // [pieces of the problem] number among the types used
    level *levels;                    // [count]
    double left, top, width, height;  // of the plate, pixels
    double scale_x, scale_y;          // pixels per unit
    double canvas_width;
    double line;  // width of a cut of the first stage
    bool is_merged, is_stretched;
    mco_view_known known;
    mco_svg svg;
} sheet;

// ---- What the plan says

// The kerf that a plan was made with. If no cut shows it, the least kerf that fits. The plan is not yet checked, so
// numbers of parts may be out of bounds.
static int64_t kerf_of(const mco_guillotine_node *nodes, int64_t count)
{
    int64_t least = 0;
    for (int64_t k = 0; k < count; k++) {
        const mco_guillotine_node *n = &nodes[k];
        if (n->kind != MCO_GUILLOTINE_NODE_CUT || n->parts[1] < 0 || n->parts[1] >= count)
            continue;
        const mco_guillotine_node *second = &nodes[n->parts[1]];
        const bool is_x = n->cut == MCO_GUILLOTINE_CUT_X;
        const int64_t from = (is_x ? (int64_t)n->x : n->y) + n->at;
        const int64_t gap = (is_x ? second->x : second->y) - from;
        if (gap >= 0 && (is_x ? second->width : second->height) > 0)
            return gap;
        least = gap > least ? gap : least;
    }
    return least;
}

// Parts come after their cut, because the plan is checked.
static void count_stages(sheet *s)
{
    for (int64_t k = 0; k < s->count; k++) {
        const mco_guillotine_node *n = &s->nodes[k];
        level *own = &s->levels[k];
        if (n->kind != MCO_GUILLOTINE_NODE_CUT)
            continue;
        const mco_guillotine_node_kind a = s->nodes[n->parts[0]].kind, b = s->nodes[n->parts[1]].kind;
        if ((a == MCO_GUILLOTINE_NODE_PIECE && b == MCO_GUILLOTINE_NODE_WASTE) ||
            (a == MCO_GUILLOTINE_NODE_WASTE && b == MCO_GUILLOTINE_NODE_PIECE)) {
            own->stage = 0;
            s->has_trims = true;
            continue;
        }
        own->stage += own->stage == 0 || own->axis != n->cut;
        own->axis = n->cut;
        s->levels[n->parts[0]] = s->levels[n->parts[1]] = *own;
        s->stages = own->stage > s->stages ? own->stage : s->stages;
    }
}

static void count_pieces(sheet *s)
{
    for (int64_t k = 0; k < s->count; k++) {
        const mco_guillotine_node *n = &s->nodes[k];
        s->leaves += n->kind != MCO_GUILLOTINE_NODE_CUT;
        s->has_waste |= n->kind == MCO_GUILLOTINE_NODE_WASTE && n->width > 0 && n->height > 0;
        if (n->kind != MCO_GUILLOTINE_NODE_PIECE)
            continue;
        s->pieces++;
        s->used[n->piece]++;
        s->area += (int64_t)n->width * n->height;
    }
    for (int64_t p = 0; p < s->problem->pieces; p++)
        if (s->used[p] > 0)
            s->rank[p] = s->types++;
}

static const char *colour_of(const sheet *s, int64_t piece)
{
    return COLOURS[s->rank[piece] % TINTS];
}

// ---- Measures

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

static void measure(sheet *s)
{
    const double width = s->problem->width, height = s->problem->height;
    const double scale = fmin(WIDEST / width, HIGHEST / height);
    s->left = MARGIN + LEFT;
    s->top = HEADER;
    s->width = fmax(width * scale, THINNEST);
    s->height = fmax(height * scale, THINNEST);
    s->scale_x = s->width / width;
    s->scale_y = s->height / height;
    s->is_stretched = width * scale < THINNEST || height * scale < THINNEST;
    s->is_merged = s->leaves > DETAIL_LEAVES;
    s->canvas_width = fmax(s->left + s->width + MARGIN, CANVAS_NARROWEST);
    double shorter_sides = 0;
    for (int64_t k = 0; k < s->count; k++)
        if (s->nodes[k].kind == MCO_GUILLOTINE_NODE_PIECE)
            shorter_sides += fmin(s->nodes[k].width * s->scale_x, s->nodes[k].height * s->scale_y);
    s->line = LINE_WIDEST;
    if (s->pieces > 0)
        s->line = clamp(LINE_WIDEST * shorter_sides / (double)s->pieces / PIECE_FULL_LINES, LINE_THINNEST, LINE_WIDEST);
}

typedef struct box {
    double x, y, width, height;  // from the upper left corner of the canvas
} box;

// Rounds to the raster if pieces are merged.
static double snap(const sheet *s, double at)
{
    return s->is_merged ? RASTER * floor(at / RASTER + 0.5) : at;
}

// Where a rectangle ends, in pixels. A kerf finer than the raster is added to it, since it would show only at some
// places.
static double end_of(const sheet *s, int32_t begin, int32_t side, double scale, int32_t plate)
{
    const bool is_fine = s->is_merged && (double)s->kerf * scale < RASTER;
    const int64_t end = (int64_t)begin + side + (is_fine ? s->kerf : 0);
    return snap(s, (double)(end < plate ? end : plate) * scale);
}

static box box_of(const sheet *s, const mco_guillotine_node *n)
{
    const double x0 = snap(s, n->x * s->scale_x), x1 = end_of(s, n->x, n->width, s->scale_x, s->problem->width);
    const double y0 = snap(s, n->y * s->scale_y), y1 = end_of(s, n->y, n->height, s->scale_y, s->problem->height);
    return (box){s->left + x0, s->top + s->height - y1, x1 - x0, y1 - y0};
}

// ---- Pieces and waste

static const char TIMES[] = " \xc3\x97 ";

typedef struct sizes_text {
    char text[2 * MCO_NUMBER_TEXT + 8];
} sizes_text;

// Two sizes in the file's unit.
static sizes_text sizes(const sheet *s, int64_t first, const char *between, int64_t second)
{
    char a[MCO_NUMBER_TEXT], b[MCO_NUMBER_TEXT];
    sizes_text t;
    snprintf(t.text, sizeof t.text, "%s%s%s", guillotine_text(first, s->problem->scale, a), between,
             guillotine_text(second, s->problem->scale, b));
    return t;
}

static void node_tooltip(const sheet *s, const mco_guillotine_node *n, char text[TEXT_ROOM])
{
    char buffer[24], name[NAME_ROOM], value[MCO_NUMBER_TEXT];
    if (n->kind == MCO_GUILLOTINE_NODE_WASTE) {
        snprintf(text, TEXT_ROOM, "waste, %s at %s", sizes(s, n->width, TIMES, n->height).text, sizes(s, n->x, ",", n->y).text);
        return;
    }
    mco_svg_text_cut(name, NAME_ROOM, mco_guillotine_piece_name(s->problem, n->piece, buffer), TEXT_FONT,
                     TOOLTIP_NAME_WIDTH);
    snprintf(text, TEXT_ROOM, "piece %s%s, %s at %s, value %s", name, n->is_rotated ? " turned" : "",
             sizes(s, n->width, TIMES, n->height).text, sizes(s, n->x, ",", n->y).text,
             guillotine_text(s->problem->piece[n->piece].value, s->problem->value_scale, value));
}

static void draw_leaves_in_detail(sheet *s)
{
    char text[TEXT_ROOM];
    for (int64_t k = 0; k < s->count; k++) {
        const mco_guillotine_node *n = &s->nodes[k];
        if (n->kind == MCO_GUILLOTINE_NODE_CUT || n->width == 0 || n->height == 0)
            continue;
        const box b = box_of(s, n);
        node_tooltip(s, n, text);
        mco_svg_rect(&s->svg, n->kind == MCO_GUILLOTINE_NODE_WASTE ? "waste" : colour_of(s, n->piece), b.x, b.y, b.width,
                     b.height, text);
    }
}

// Draws all pieces of a colour as one path.
static void draw_pieces_merged(sheet *s, const char *look)
{
    mco_svg_path_begin(&s->svg, look);
    for (int64_t k = 0; k < s->count; k++) {
        const mco_guillotine_node *n = &s->nodes[k];
        if (n->kind != MCO_GUILLOTINE_NODE_PIECE || colour_of(s, n->piece) != look)
            continue;
        const box b = box_of(s, n);
        if (b.width > 0 && b.height > 0)
            mco_svg_path_rect(&s->svg, b.x, b.y, b.width, b.height);
    }
    mco_svg_path_end(&s->svg);
}

static void draw_leaves(sheet *s)
{
    mco_svg_group_begin(&s->svg, "leaves");
    if (!s->is_merged)
        draw_leaves_in_detail(s);
    else {
        // Waste is drawn below all pieces: what no piece covers is waste.
        mco_svg_rect(&s->svg, "waste", s->left, s->top, s->width, s->height, NULL);
        for (int32_t c = 0; c < TINTS && c < s->types; c++)
            draw_pieces_merged(s, COLOURS[c]);
    }
    mco_svg_group_end(&s->svg);
}

// ---- Cuts

static double line_width(const sheet *s, int64_t stage)
{
    const double share = stage == 0 ? TRIM_WIDTH : STAGE_WIDTHS[(stage < STAGE_LOOKS ? stage : STAGE_LOOKS) - 1];
    return fmax(s->line * share, LINE_THINNEST / 2);
}

// Adds a line in the middle of the kerf, unless the line would hide one of the parts.
static void add_cut(sheet *s, const mco_guillotine_node *n)
{
    const bool is_x = n->cut == MCO_GUILLOTINE_CUT_X;
    const box b = box_of(s, n);
    const double scale = is_x ? s->scale_x : s->scale_y, side = is_x ? n->width : n->height;
    const double middle = n->at + fmin((double)s->kerf, side - n->at) / 2;
    if (fmin(fmin(b.width, b.height), fmin(middle, side - middle) * scale) < LINE_CLEAR)
        return;
    if (is_x) {
        const double x = s->left + (n->x + middle) * scale;
        mco_svg_path_move(&s->svg, x, b.y);
        mco_svg_path_line(&s->svg, x, b.y + b.height);
    } else {
        const double y = s->top + s->height - (n->y + middle) * scale;
        mco_svg_path_move(&s->svg, b.x, y);
        mco_svg_path_line(&s->svg, b.x + b.width, y);
    }
}

// Begins a group that gives its path or line a class and a width. The width depends on the plan.
static void begin_cuts(sheet *s, int64_t stage)
{
    char look[64];
    snprintf(look, sizeof look, "cut w%lld%s", (long long)stage, stage == 0 ? " trim" : "");
    mco_svg_group_begin(&s->svg, look);
}

// Draws trims first and the first stage last, on top.
static void draw_cuts(sheet *s)
{
    for (int64_t look = 0; look <= STAGE_LOOKS; look++) {
        const int64_t stage = look == 0 ? 0 : STAGE_LOOKS + 1 - look;
        begin_cuts(s, stage);
        mco_svg_path_begin(&s->svg, NULL);
        for (int64_t k = 0; k < s->count; k++) {
            const int64_t own = s->levels[k].stage < STAGE_LOOKS ? s->levels[k].stage : STAGE_LOOKS;
            if (s->nodes[k].kind == MCO_GUILLOTINE_NODE_CUT && own == stage)
                add_cut(s, &s->nodes[k]);
        }
        mco_svg_path_end(&s->svg);
        mco_svg_group_end(&s->svg);
    }
    mco_svg_rect(&s->svg, "frame", s->left, s->top, s->width, s->height, NULL);
}

// ---- Labels

// Whether the label fits into width x height. Two lines hold name and size, one line holds the name.
static bool label_fits(const char *name, const char *size, int lines, double font, double width, double height)
{
    const double widest = fmax(mco_svg_text_width(name, font), lines == 2 ? mco_svg_text_width(size, font) : 0);
    return widest + font / 2 <= width && lines * LINE_HEIGHT * font <= height;
}

static void put_label(sheet *s, const char *name, const char *size, int lines, double font, bool is_upward, box b)
{
    const double x = b.x + b.width / 2, y = b.y + b.height / 2;
    const char *look = font == LABEL_FONT ? "label" : "small";
    for (int line = 0; line < lines; line++) {
        // The distance from the middle of the piece to the baseline; 0.35 of the font size is half a capital letter.
        const double down = font * (0.35 + LINE_HEIGHT * (line - 0.5 * (lines - 1)));
        const char *text = line == 0 ? name : size;
        if (is_upward)
            mco_svg_text_upward(&s->svg, look, MCO_SVG_MIDDLE, x + down, y, text);
        else
            mco_svg_text(&s->svg, look, MCO_SVG_MIDDLE, x, y + down, text);
    }
}

// Puts the first label that fits: more lines before fewer, large before small, level before upward. Returns false if
// none fits.
static bool place_label(sheet *s, const char *name, const char *size, int most_lines, box b)
{
    for (int lines = most_lines; lines >= 1; lines--)
        for (int small = 0; small < 2; small++)
            for (int upward = 0; upward < 2; upward++) {
                const double font = small ? SMALL_FONT : LABEL_FONT;
                if (!label_fits(name, size, lines, font, upward ? b.height : b.width, upward ? b.width : b.height))
                    continue;
                put_label(s, name, size, lines, font, upward, b);
                return true;
            }
    return false;
}

// Labels a piece with name and size, or with the name, or, if the name is too long, with the size.
static void draw_label(sheet *s, const mco_guillotine_node *n)
{
    char buffer[24], size[sizeof(sizes_text)];
    const box b = box_of(s, n);
    if (fmin(b.width, b.height) < SMALL_FONT)
        return;
    snprintf(size, sizeof size, "%s", sizes(s, n->width, TIMES, n->height).text);
    if (!place_label(s, mco_guillotine_piece_name(s->problem, n->piece, buffer), size, 2, b))
        place_label(s, size, size, 1, b);
}

static void draw_labels(sheet *s)
{
    mco_svg_group_begin(&s->svg, "labels");
    for (int64_t k = 0; k < s->count && !s->is_merged; k++)
        if (s->nodes[k].kind == MCO_GUILLOTINE_NODE_PIECE)
            draw_label(s, &s->nodes[k]);
    mco_svg_group_end(&s->svg);
}

// ---- Frame: header, sides, legend

static int add_count(char *text, int length, const char *before, int64_t count, const char *one, const char *many)
{
    return length + snprintf(text + length, (size_t)(TEXT_ROOM - length), "%s%lld %s", before, (long long)count,
                             count == 1 ? one : many);
}

static void draw_header(sheet *s)
{
    char text[TEXT_ROOM], objective[40];
    const double plate = (double)s->problem->width * s->problem->height;
    // In whole thousandths, because printf would write a real number with the decimal sign of the locale.
    const long long waste = llround(1e5 * (plate - (double)s->area) / plate);
    char value[MCO_NUMBER_TEXT];
    snprintf(objective, sizeof objective, "value %s", guillotine_text(s->value, s->problem->value_scale, value));
    int at = snprintf(text, TEXT_ROOM, "%s, waste %lld.%03lld%%",
                      sizes(s, s->problem->width, TIMES, s->problem->height).text, waste / 1000, waste % 1000);
    at = add_count(text, at, ", ", s->pieces, "piece", "pieces");
    at = add_count(text, at, " of ", s->types, "type", "types");
    at = add_count(text, at, ", ", s->stages, "stage", "stages");
    if (s->known.outcome == MCO_OUTCOME_FEASIBLE && isfinite(s->known.bound))
        snprintf(text + at, (size_t)(TEXT_ROOM - at), ", no plan is worth more than %s",
                 guillotine_text((int64_t)s->known.bound, s->problem->value_scale, value));
    mco_view_header(&s->svg, s->left, s->canvas_width - s->left - MARGIN, mco_guillotine_name(s->problem), objective,
                    &s->known, text);
}

static void draw_sides(sheet *s)
{
    char text[MCO_NUMBER_TEXT];
    guillotine_text(s->problem->width, s->problem->scale, text);
    mco_svg_text(&s->svg, NULL, MCO_SVG_MIDDLE, s->left + s->width / 2, s->top + s->height + 18, text);
    guillotine_text(s->problem->height, s->problem->scale, text);
    mco_svg_text_upward(&s->svg, NULL, MCO_SVG_MIDDLE, s->left - 8, s->top + s->height / 2, text);
}

// Puts `text` behind a swatch. Returns where the next entry begins.
static double legend_text(sheet *s, double x, double y, const char *text)
{
    return mco_view_legend_text(&s->svg, x + 2 * SWATCH + 8, y + SWATCH / 2, text);
}

// The swatch shows two parts and the kerf between them.
static double legend_kerf(sheet *s, double x, double y)
{
    const double gap = 6, part = SWATCH - gap / 2;
    const bool is_fine = (double)s->kerf * fmax(s->scale_x, s->scale_y) < RASTER;
    char text[80], kerf[MCO_NUMBER_TEXT];
    mco_svg_rect(&s->svg, "parts", x, y, part, SWATCH, NULL);
    mco_svg_rect(&s->svg, "parts", x + part + gap, y, part, SWATCH, NULL);
    snprintf(text, sizeof text, "kerf %s%s", guillotine_text(s->kerf, s->problem->scale, kerf),
             is_fine        ? ", finer than a pixel"
             : s->is_merged ? ", hatched on this sheet"
                            : "");
    return legend_text(s, x, y, text);
}

static double legend_line(sheet *s, int64_t stage, double x, double y)
{
    char text[64];
    begin_cuts(s, stage);
    mco_svg_line(&s->svg, NULL, x, y + SWATCH / 2, x + 2 * SWATCH, y + SWATCH / 2);
    mco_svg_group_end(&s->svg);
    snprintf(text, sizeof text,
             stage == 0                                  ? "trim"
             : stage == STAGE_LOOKS && s->stages > stage ? "stage %lld and later"
                                                         : "stage %lld",
             (long long)stage);
    return legend_text(s, x, y, text);
}

static bool has_lines(const sheet *s)
{
    return s->stages > 0 || s->has_trims;
}

static bool has_areas(const sheet *s)
{
    return s->has_waste || s->kerf > 0 || s->is_stretched;
}

// A row for the lines, and one for the rest.
static void draw_legend(sheet *s, double y)
{
    double x = s->left;
    for (int64_t stage = 1; stage <= s->stages && stage <= STAGE_LOOKS; stage++)
        x = legend_line(s, stage, x, y);
    if (s->has_trims)
        legend_line(s, 0, x, y);
    x = s->left;
    y += has_lines(s) ? LEGEND_ROW : 0;
    if (s->has_waste) {
        mco_svg_rect(&s->svg, "waste", x, y, 2 * SWATCH, SWATCH, NULL);
        x = legend_text(s, x, y, "waste");
    }
    if (s->kerf > 0)
        x = legend_kerf(s, x, y);
    if (s->is_stretched)
        mco_svg_text(&s->svg, NULL, MCO_SVG_START, x, y + SWATCH - 3,
                     s->problem->width > s->problem->height ? "not to scale: heights stretched"
                                                            : "not to scale: widths stretched");
}

// The number of types on the plate that the legend lists. It lists them in columns; the fewer columns, the wider they
// are.
static int64_t types_listed(const sheet *s)
{
    return s->types < LISTED_TYPES ? s->types : LISTED_TYPES;
}

static int64_t type_rows(const sheet *s)
{
    const int64_t entries = types_listed(s) + (s->types > LISTED_TYPES);
    const int64_t columns = (int64_t)((s->canvas_width - s->left - MARGIN) / TYPE_COLUMN);  // at least 2
    return (entries + columns - 1) / columns;
}

static double type_column_width(const sheet *s)
{
    const int64_t rows = type_rows(s), entries = types_listed(s) + (s->types > LISTED_TYPES);
    return rows > 0 ? (s->canvas_width - s->left - MARGIN) / (double)((entries + rows - 1) / rows) : 0;
}

static void draw_types(sheet *s, double top)
{
    const int64_t rows = type_rows(s);
    const double column = type_column_width(s);
    char text[TEXT_ROOM], detail[96], buffer[24], name[NAME_ROOM];
    mco_svg_group_begin(&s->svg, "types");
    for (int64_t p = 0; p < s->problem->pieces; p++) {
        const int64_t entry = s->rank[p];
        if (s->used[p] == 0 || entry >= types_listed(s))
            continue;
        const double x = s->left + (double)(entry / rows) * column, y = top + (double)(entry % rows) * LEGEND_ROW;
        snprintf(detail, sizeof detail, ": %s, %lld on the plate",
                 sizes(s, s->problem->piece[p].width, TIMES, s->problem->piece[p].height).text, (long long)s->used[p]);
        const double room = column - SWATCH - 16 - mco_svg_text_width(detail, TEXT_FONT);
        mco_svg_text_cut(name, NAME_ROOM, mco_guillotine_piece_name(s->problem, p, buffer), TEXT_FONT, room);
        snprintf(text, sizeof text, "%s%s", name, detail);
        mco_svg_rect(&s->svg, colour_of(s, p), x, y, SWATCH, SWATCH, NULL);
        mco_svg_text(&s->svg, NULL, MCO_SVG_START, x + SWATCH + 8, y + SWATCH - 3, text);
    }
    if (s->types > LISTED_TYPES) {
        const int64_t entry = LISTED_TYPES;
        snprintf(text, sizeof text, "and %lld more types", (long long)(s->types - LISTED_TYPES));
        mco_svg_text(&s->svg, NULL, MCO_SVG_START, s->left + (double)(entry / rows) * column + SWATCH + 8,
                     top + (double)(entry % rows) * LEGEND_ROW + SWATCH - 3, text);
    }
    mco_svg_group_end(&s->svg);
}

static void put_style(sheet *s)
{
    char css[sizeof CSS + 512];
    int at = snprintf(css, sizeof css, "%s", CSS);
    for (int64_t stage = 0; stage <= STAGE_LOOKS; stage++) {
        const long long hundredths = llround(100 * line_width(s, stage));
        at += snprintf(css + at, sizeof css - (size_t)at, ".w%lld{stroke-width:%lld.%02lld}\n", (long long)stage,
                       hundredths / 100, hundredths % 100);
    }
    mco_svg_style(&s->svg, css);
}

static void draw(sheet *s, FILE *file)
{
    const double legend = s->top + s->height + 36, types = legend + LEGEND_ROW * (has_lines(s) + has_areas(s)) + 8;
    mco_svg_begin(&s->svg, file, s->canvas_width, types + (double)type_rows(s) * LEGEND_ROW + MARGIN / 2, "#FFF",
                  mco_guillotine_name(s->problem));
    put_style(s);
    mco_svg_hatch(&s->svg, "hatch", 6, "#B5B5B5", "#F2F2F2");
    draw_header(s);
    mco_svg_rect(&s->svg, "plate", s->left, s->top, s->width, s->height, NULL);
    draw_leaves(s);
    draw_cuts(s);
    draw_labels(s);
    draw_sides(s);
    draw_legend(s, legend);
    draw_types(s, types);
    mco_svg_end(&s->svg);
}

// Of the parameters only what a plan must obey is read.
static mco_status plot(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                       const mco_guillotine_node *nodes, int64_t count, mco_view_known known, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    sheet s = {.problem = problem, .nodes = nodes, .count = count, .kerf = params->kerf, .known = known};
    MCO_TRY(mco_guillotine_check(ctx, problem, params, nodes, count, &s.value));
    MCO_TRY(mco_alloc(ctx, &s.levels, count));
    MCO_TRY(mco_alloc(ctx, &s.used, problem->pieces));
    MCO_TRY(mco_alloc(ctx, &s.rank, problem->pieces));
    count_stages(&s);
    count_pieces(&s);
    measure(&s);
    MCO_TRY(mco_output_open(ctx, path, &output));
    draw(&s, output.file);
    st = mco_output_commit(ctx, &output, false);
done:
    mco_free(ctx, &s.rank);
    mco_free(ctx, &s.used);
    mco_free(ctx, &s.levels);
    return st;
}

mco_status mco_guillotine_plot(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_node *nodes,
                               int64_t count, const char *path)
{
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    if (ctx == NULL || problem == NULL || path == NULL || (nodes == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    params.kerf = kerf_of(nodes, count);
    params.rotate = 1;
    return plot(ctx, problem, &params, nodes, count, (mco_view_known){.outcome = MCO_OUTCOME_UNKNOWN}, path);
}

mco_status mco_guillotine_plot_result(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                                      const mco_guillotine_result *result, const char *path)
{
    mco_status st = MCO_OK;
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    MCO_TRY(guillotine_settle_kerf(ctx, problem, &p));
    if (r.nodes == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the result has no plan to draw");
    MCO_TRY(plot(ctx, problem, &p, r.nodes, r.node_count, (mco_view_known){r.outcome, (double)r.value, (double)r.bound}, path));
done:
    return st;
}
