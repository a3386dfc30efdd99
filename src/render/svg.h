// SPDX-License-Identifier: MIT
// A streaming writer of SVG 1.1: elements go to the file in drawing order and nothing is kept.
//
// Lengths are pixels from the upper left corner, written with two decimals at most and with a point
// whatever the locale. Classes are looks of the style block; NULL stands for none. Texts are UTF-8
// and are escaped here. Errors of the stream are found by the caller's commit.
#ifndef MCO_RENDER_SVG_H
#define MCO_RENDER_SVG_H

#include <stddef.h>
#include <stdio.h>

typedef struct mco_svg {
    FILE *file;
    int open_groups;
} mco_svg;

typedef enum mco_svg_anchor { MCO_SVG_START, MCO_SVG_MIDDLE, MCO_SVG_END } mco_svg_anchor;

// `background` is a colour; `title` names the document for readers that show or speak it.
void mco_svg_begin(mco_svg *svg, FILE *file, double width, double height, const char *background,
                   const char *title);
void mco_svg_end(mco_svg *svg);
void mco_svg_style(mco_svg *svg, const char *css);
// Makes `fill:url(#ID)` a hatch of slanting lines, to be called once for each `id`.
void mco_svg_hatch(mco_svg *svg, const char *id, double spacing, const char *line, const char *background);
void mco_svg_group_begin(mco_svg *svg, const char *class_name);
void mco_svg_group_end(mco_svg *svg);

// `tooltip` NULL for none.
void mco_svg_rect(mco_svg *svg, const char *class_name, double x, double y, double width, double height,
                  const char *tooltip);
void mco_svg_line(mco_svg *svg, const char *class_name, double x1, double y1, double x2, double y2);
// `y` is the baseline.
void mco_svg_text(mco_svg *svg, const char *class_name, mco_svg_anchor anchor, double x, double y,
                  const char *text);
// The same, turned to the left about its place: it reads upwards.
void mco_svg_text_upward(mco_svg *svg, const char *class_name, mco_svg_anchor anchor, double x, double y,
                         const char *text);

// One path of any number of pieces: far smaller than an element for each piece.
void mco_svg_path_begin(mco_svg *svg, const char *class_name);
void mco_svg_path_move(mco_svg *svg, double x, double y);
void mco_svg_path_line(mco_svg *svg, double x, double y);
void mco_svg_path_rect(mco_svg *svg, double x, double y, double width, double height);
// A line without length, a dot where the look has round ends.
void mco_svg_path_dot(mco_svg *svg, double x, double y);
void mco_svg_path_end(mco_svg *svg);

// How many bytes of `text`, whole characters, fit `width` at `font_size`. Without the font at hand
// this estimates widths on the wide side, for a sans-serif face.
size_t mco_svg_text_fit(const char *text, double font_size, double width);
double mco_svg_text_width(const char *text, double font_size);
// `text` as it is where it fits `width`, else cut and ended with an ellipsis; `out` [room], at least 5 bytes.
void mco_svg_text_cut(char *out, size_t room, const char *text, double font_size, double width);

#endif
