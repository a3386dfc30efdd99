// SPDX-License-Identifier: MIT
// Temperatures of the annealing. The natural unit is the mean edge of the first solution, as long as many edges are long
// ways to the depot and to other clusters. In long routes nearly all edges join neighbours: 0.6 mean edges are 2 to 21
// times the distance of nearest neighbours with up to 30 customers a route, but 1.1 to 1.9 times with 90 to 185. There a
// search from 0.6 mean edges is frozen at its first solution. But whole routes have to move at first, so the first
// temperature is at least a share of the width of a route: of the square that its customers fill, whose side is about
// twice the distance of nearest neighbours times the root of their number.
#include <math.h>

#include "vrp/search/temperature.h"

static const double HOT = 0.6, COLD = 0.02;  // in mean edges
static const double HOT_WIDTH = 1.4;         // the least hot end, in nearest * sqrt(customers of a route): 0.7 widths
static const double COLD_NEAREST = 0.1;      // the least cold end, in distances of nearest neighbours
static const double WARM_NEAREST = 5;        // the least unit of regions, likewise

vrp_temperatures vrp_temperatures_of(int32_t customers, int32_t routes, int64_t cost, double nearest)
{
    const double edge = fmax(1, (double)cost / ((double)customers + routes));
    const double hot = fmax(HOT * edge, HOT_WIDTH * nearest * sqrt((double)customers / routes));
    return (vrp_temperatures){
        .hot = hot,
        .cold = fmin(hot, fmax(COLD * edge, COLD_NEAREST * nearest)),
        .warm = fmax(edge, WARM_NEAREST * nearest),
    };
}
