// SPDX-License-Identifier: MIT
// Temperatures of the annealing. The natural unit is the mean edge of the first solution. In short routes many edges
// are long ways to the depot; in long routes nearly all of them join neighbours. So a mean edge is worth less the longer
// routes are: 0.6 mean edges are 2.9 to 6.6 times the distance of nearest neighbours with 10 to 30 customers a route, but
// 1.0 to 1.5 times that with 100 or more. There a search from 0.6 mean edges is frozen at its first solution. The first
// temperature therefore follows the length of a route.
#include <math.h>

#include "vrp/search/temperature.h"

static const double HOT = 0.6, COLD = 0.02;       // in mean edges
static const double SHORT_ROUTE = 10;             // customers: HOT grows with the routes that are longer
static const double COLD_NEAREST = 0.1;           // the least cold end, in distances of nearest neighbours
static const double WARM_NEAREST = 5;             // the least unit of regions, likewise

vrp_temperatures vrp_temperatures_of(int32_t customers, int32_t routes, int64_t cost, double nearest)
{
    const double edge = fmax(1, (double)cost / ((double)customers + routes));
    const double hot = HOT * edge * fmax(1, (double)customers / routes / SHORT_ROUTE);
    return (vrp_temperatures){
        .hot = hot,
        .cold = fmin(hot, fmax(COLD * edge, COLD_NEAREST * nearest)),
        .warm = fmax(edge, WARM_NEAREST * nearest),
    };
}
