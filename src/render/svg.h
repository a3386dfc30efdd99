// SPDX-License-Identifier: MIT
// A streaming writer of SVG 1.1. Elements go to the file in drawing order, and the writer keeps none of them.
//
// Coordinates are pixels from the upper left corner. They are written with at most two decimals, and with a point in
// every locale. Classes name rules of the style block; NULL means no class. Texts are UTF-8, and this writer escapes
// them. Errors of the stream appear when the caller commits the output.
#ifndef MCO_RENDER_SVG_H
#define MCO_RENDER_SVG_H

#include <stddef.h>
#include <stdio.h>

typedef struct mco_svg {
    FILE *file;
    int open_groups;
} mco_svg;

typedef enum mco_svg_anchor { MCO_SVG_START, MCO_SVG_MIDDLE, MCO_SVG_END } mco_svg_anchor;

// Begins the document. `background` is a colour. `title` names the document, for programs that show or speak it.
void mco_svg_begin(mco_svg *svg, FILE *file, double width, double height, const char *background,
                   const char *title);
void mco_svg_end(mco_svg *svg);
void mco_svg_style(mco_svg *svg, const char *css);
// Defines a hatch of slanting lines, used as `fill:url(#ID)`. Must be called once for each `id`.
void mco_svg_hatch(mco_svg *svg, const char *id, double spacing, const char *line, const char *background);
void mco_svg_group_begin(mco_svg *svg, const char *class_name);
void mco_svg_group_end(mco_svg *svg);

// `tooltip` NULL: none.
void mco_svg_rect(mco_svg *svg, const char *class_name, double x, double y, double width, double height,
                  const char *tooltip);
void mco_svg_line(mco_svg *svg, const char *class_name, double x1, double y1, double x2, double y2);
// `y` is the baseline.
void mco_svg_text(mco_svg *svg, const char *class_name, mco_svg_anchor anchor, double x, double y,
                  const char *text);
// The same, turned to the left about (x, y), so that it reads upwards.
void mco_svg_text_upward(mco_svg *svg, const char *class_name, mco_svg_anchor anchor, double x, double y,
                         const char *text);

// One path with any number of pieces. Its file is far smaller than with an element for each piece.
void mco_svg_path_begin(mco_svg *svg, const char *class_name);
void mco_svg_path_move(mco_svg *svg, double x, double y);
void mco_svg_path_line(mco_svg *svg, double x, double y);
void mco_svg_path_rect(mco_svg *svg, double x, double y, double width, double height);
// A line without length. It is a dot if the class has round line ends.
void mco_svg_path_dot(mco_svg *svg, double x, double y);
void mco_svg_path_end(mco_svg *svg);

// How many bytes of `text`, in whole characters, fit `width` at `font_size`. The font is unknown, so widths are
// estimates for a sans-serif face, rather too wide than too narrow.
size_t mco_svg_text_fit(const char *text, double font_size, double width);
// The estimated width of `text`.
double mco_svg_text_width(const char *text, double font_size);
// Writes `text` to `out` [room], at least 5 bytes. If it does not fit `width` or `room`, it is cut and ends with an
// ellipsis.
void mco_svg_text_cut(char *out, size_t room, const char *text, double font_size, double width);

#endif
