// SPDX-License-Identifier: MIT
// The panel beside the map of the routes: a bar for the load of each, with its length. Where there are too many routes to
// read a bar, it counts them by load. Also what the map shares with it.
#ifndef MCO_VRP_PANEL_H
#define MCO_VRP_PANEL_H

#include "render/svg.h"
#include "vrp/instance.h"

// Look k is line style k / VRP_COLOURS, class l0 and so on, in colour k % VRP_COLOURS, class c0 of lines, f0 of areas.
enum { VRP_COLOURS = 6, VRP_TEXT_ROOM = 1024 };

typedef struct vrp_panel {
    mco_svg *svg;
    const mco_vrp *problem;
    const mco_vrp_solution *solution;
    const int32_t *look;  // [routes]
    double left, top;     // of the first bar; the head is above
} vrp_panel;

double vrp_panel_width(int32_t routes);
void vrp_panel_draw(const vrp_panel *p);

// Begins a path in the look of a route.
void vrp_begin_line(const vrp_panel *p, int32_t route);
// A length in units of the file: an integer with scale 1, else with a point and two decimals.
const char *vrp_length_text(const mco_vrp *problem, int64_t length, char text[40]);
void vrp_route_tooltip(const vrp_panel *p, int32_t r, const mco_vrp_route *route, char text[VRP_TEXT_ROOM]);

#endif
