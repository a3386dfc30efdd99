// SPDX-License-Identifier: MIT
#include "render/view.h"

#include <math.h>
#include <string.h>

#include "render/report.h"

enum { NAME_ROOM = 256, TITLE_ROOM = 512 };  // bytes

static const double TITLE_BASELINE = 30, SUMMARY_BASELINE = 50;
static const double HALF_CAPITAL = 0.35;  // half the height of a capital letter, times the font size
static const double ASCENT = 0.85;        // from the top of a line to its baseline, times the font size
static const double LEGEND_GAP = 24;

// ---- Header

// Writes ", optimal", ", gap 1.25 %" or what else is known. Hundredths are printed as integers, because printf would
// write the decimal sign of the locale.
static void write_known(const mco_view_known *known, char *text, size_t room)
{
    const double gap = mco_report_gap(known->objective, known->bound);
    if (known->outcome == MCO_OUTCOME_OPTIMAL)
        snprintf(text, room, ", optimal");
    else if (known->outcome == MCO_OUTCOME_UNKNOWN)
        snprintf(text, room, "%s", "");
    else if (isnan(known->bound))
        snprintf(text, room, ", no bound known");
    else if (!(gap < 1e6))  // none exists, or no reader learns anything from it
        snprintf(text, room, ", gap unknown");
    else if (gap > 0 && gap < 1e-4)
        snprintf(text, room, ", gap below 0.01 %%");
    else {
        const long long hundredths = llround(gap * 1e4);
        snprintf(text, room, ", gap %lld.%02lld %%", hundredths / 100, hundredths % 100);
    }
}

void mco_view_header(mco_svg *svg, double x, double width, const char *name, const char *objective,
                     const mco_view_known *known, const char *summary)
{
    char title[TITLE_ROOM], fact[TITLE_ROOM / 2 - 4], known_text[64], cut[NAME_ROOM];
    write_known(known, known_text, sizeof known_text);
    snprintf(fact, sizeof fact, ": %s%s", objective, known_text);
    mco_svg_text_cut(cut, sizeof cut, name, MCO_VIEW_TITLE_FONT, width - mco_svg_text_width(fact, MCO_VIEW_TITLE_FONT));
    snprintf(title, sizeof title, "%s%s", cut, fact);
    mco_svg_text(svg, "title", MCO_SVG_START, x, TITLE_BASELINE, title);
    mco_svg_text(svg, NULL, MCO_SVG_START, x, SUMMARY_BASELINE, summary);
}

double mco_view_legend_text(mco_svg *svg, double x, double y, const char *text)
{
    mco_svg_text(svg, NULL, MCO_SVG_START, x, y + HALF_CAPITAL * MCO_VIEW_FONT, text);
    return x + mco_svg_text_width(text, MCO_VIEW_FONT) + LEGEND_GAP;
}

// ---- Room

void mco_view_room_begin(mco_view_room *room, double left, double top, double side)
{
    *room = (mco_view_room){.left = left, .top = top, .cell = side / MCO_VIEW_CELLS};
}

// The cells from first to end - 1 that a box touches on one axis. They may lie beside the map.
typedef struct cells {
    int32_t first, end;
} cells;

static cells cells_of(const mco_view_room *room, double from, double size)
{
    return (cells){(int32_t)floor(from / room->cell), (int32_t)ceil((from + size) / room->cell)};
}

void mco_view_room_take(mco_view_room *room, const mco_view_box *box, mco_view_cover cover)
{
    const cells x = cells_of(room, box->x - room->left, box->width), y = cells_of(room, box->y - room->top, box->height);
    for (int32_t row = y.first < 0 ? 0 : y.first; row < y.end && row < MCO_VIEW_CELLS; row++)
        for (int32_t column = x.first < 0 ? 0 : x.first; column < x.end && column < MCO_VIEW_CELLS; column++)
            if (room->cover[row][column] < cover)
                room->cover[row][column] = (uint8_t)cover;
}

int32_t mco_view_room_cost(const mco_view_room *room, const mco_view_box *box)
{
    const cells x = cells_of(room, box->x - room->left, box->width), y = cells_of(room, box->y - room->top, box->height);
    int32_t dots = 0;
    if (x.first < 0 || y.first < 0 || x.end > MCO_VIEW_CELLS || y.end > MCO_VIEW_CELLS)
        return -1;
    for (int32_t row = y.first; row < y.end; row++)
        for (int32_t column = x.first; column < x.end; column++) {
            if (room->cover[row][column] == MCO_VIEW_LABEL)
                return -1;
            dots += room->cover[row][column] == MCO_VIEW_DOT;
        }
    return dots;
}

// The cosine between the edge from `at` to `other` and the direction x, y.
static double nearness(mco_view_point at, mco_view_point other, double x, double y)
{
    const double dx = other.x - at.x, dy = other.y - at.y, length = hypot(dx, dy);
    return length > 0 ? (dx * x + dy * y) / length : -1;
}

bool mco_view_room_beside(mco_view_room *room, mco_view_point at, const mco_view_point neighbours[2], double reach,
                          int32_t most_covered, mco_view_box *label)
{
    static const double ways[][2] = {{1, 0}, {-1, 0}, {0, -1}, {0, 1}};
    const double away = reach + room->cell;  // by a whole cell, so that no cell is both the dot's and the label's
    const double per_cell = 4;  // more than any two cosines differ
    double least = INFINITY;
    mco_view_box found = {0};
    for (int k = 0; k < 4; k++) {
        const double x = ways[k][0], y = ways[k][1];
        const mco_view_box b = {at.x + x * (away + label->width / 2) - label->width / 2,
                                at.y + y * (away + label->height / 2) - label->height / 2, label->width, label->height};
        const double near = fmax(nearness(at, neighbours[0], x, y), nearness(at, neighbours[1], x, y));
        const int32_t covered = mco_view_room_cost(room, &b);
        if (covered < 0 || covered > most_covered || per_cell * covered + near >= least)
            continue;
        least = per_cell * covered + near;
        found = b;
    }
    if (least == INFINITY)
        return false;
    *label = found;
    mco_view_room_take(room, label, MCO_VIEW_LABEL);
    return true;
}

bool mco_view_name_beside(mco_svg *svg, mco_view_room *room, mco_view_point at, const mco_view_point neighbours[2],
                          double reach, double width, int32_t most_covered, const char *name)
{
    char cut[NAME_ROOM];
    for (int tries = 0; tries < 2; tries++, width /= 2) {
        mco_svg_text_cut(cut, sizeof cut, name, MCO_VIEW_SMALL_FONT, width);
        mco_view_box label = {.width = mco_svg_text_width(cut, MCO_VIEW_SMALL_FONT), .height = MCO_VIEW_SMALL_FONT};
        if (!mco_view_room_beside(room, at, neighbours, reach, most_covered, &label))
            continue;
        // Widths are estimates: a name is anchored on the side of its dot.
        const bool is_right = label.x > at.x, is_left = label.x + label.width < at.x;
        mco_svg_text(svg, "small", is_right ? MCO_SVG_START : is_left ? MCO_SVG_END : MCO_SVG_MIDDLE,
                     label.x + label.width * (is_right ? 0 : is_left ? 1 : 0.5), label.y + ASCENT * MCO_VIEW_SMALL_FONT, cut);
        return true;
    }
    return false;
}
