// SPDX-License-Identifier: MIT
// What the pictures of all problems share: the look of texts, the header, what is known about the objective, and room
// for the labels of a map.
#ifndef MCO_RENDER_VIEW_H
#define MCO_RENDER_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "mco/status.h"
#include "render/svg.h"

enum { MCO_VIEW_TITLE_FONT = 18, MCO_VIEW_FONT = 12, MCO_VIEW_SMALL_FONT = 9 };

// The rules of texts; a picture's own rules follow. Names on a map have a halo in the colour of the map.
#define MCO_VIEW_CSS                                                                                            \
    "text{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;font-size:12px;fill:#333}\n"   \
    ".title{font-size:18px;font-weight:bold;fill:#111}\n"                                                       \
    ".head{font-weight:bold;fill:#111}\n"                                                                       \
    ".label,.small{fill:#111;pointer-events:none}\n"                                                            \
    ".small{font-size:9px}\n"                                                                                   \
    ".names text{paint-order:stroke;stroke:#F7F7F7;stroke-width:2.5px;stroke-linejoin:round}\n"

// ---- Header

// What is known about the solution in a picture. With outcome UNKNOWN nothing is, and the picture says nothing.
typedef struct mco_view_known {
    mco_outcome outcome;
    double objective, bound;  // in one unit; the bound is NaN while there is none
} mco_view_known;

// Writes the title and the line below it. The title has `name`, cut to fit `width`, then `objective`, such as "cost 96",
// then "optimal" or the gap.
void mco_view_header(mco_svg *svg, double x, double width, const char *name, const char *objective,
                     const mco_view_known *known, const char *summary);

// Writes an entry of a legend: `text` behind a sign that ends at x; y is the middle of the line. Returns where the next
// sign begins.
double mco_view_legend_text(mco_svg *svg, double x, double y, const char *text);

// ---- Room for labels on a square map

typedef struct mco_view_box {
    double x, y, width, height;  // from the upper left corner
} mco_view_box;

enum { MCO_VIEW_CELLS = 360 };  // of a map's side: 2 pixels or less

// A raster over the map. What touches a cell covers it. So boxes in different cells never overlap.
typedef struct mco_view_room {
    double left, top, cell;
    uint8_t cover[MCO_VIEW_CELLS][MCO_VIEW_CELLS];  // by row
} mco_view_room;

typedef enum mco_view_cover {
    MCO_VIEW_FREE,
    MCO_VIEW_DOT,   // a label may cover it where there is no better place
    MCO_VIEW_LABEL  // no label may cover it
} mco_view_cover;

void mco_view_room_begin(mco_view_room *room, double left, double top, double side);
// Covers the cells of a box, as far as it lies on the map.
void mco_view_room_take(mco_view_room *room, const mco_view_box *box, mco_view_cover cover);
// How many cells of dots the box would cover; -1 if it leaves the map or meets a label.
int32_t mco_view_room_cost(const mco_view_room *room, const mco_view_box *box);

typedef struct mco_view_point {
    double x, y;
} mco_view_point;

// Finds a place for a label: right, left, above or below a dot that covers `reach` pixels around `at`. It takes the place
// that covers the fewest cells of dots, at most `most_covered`, and lies farthest from the edges to the dot's neighbours.
// Sets the label's corner from its size and covers the place. Returns false if there is none.
bool mco_view_room_beside(mco_view_room *room, mco_view_point at, const mco_view_point neighbours[2], double reach,
                          int32_t most_covered, mco_view_box *label);

// Writes `name` in the small font at such a place, cut to fit `width`, else half of it. Returns false if there is none.
bool mco_view_name_beside(mco_svg *svg, mco_view_room *room, mco_view_point at, const mco_view_point neighbours[2],
                          double reach, double width, int32_t most_covered, const char *name);

#endif
