// SPDX-License-Identifier: MIT
// Temperatures of the annealing, from the geometry of an instance. What a step decides is which of the routes near a customer takes it,
// so the unit is the distance of nearest neighbours. The mean edge is not: where routes are short and the depot is far it is mostly ways
// to the depot, up to 36 times that distance, and where routes are long hardly more than it. Down to some 1.5 times that distance a
// walk is in equilibrium, as measured with 6 to 23 customers a route: what it does there is forgotten. But whole routes have to move
// at first, so the first temperature is a share of the width of a route: of the square that its customers fill, whose side is about
// twice the distance of nearest neighbours times the root of their number.
//
// Where customers share places that distance tells nothing; then shares of the mean edge hold, less than in any instance measured.
#include <math.h>

#include "vrp/search/temperature.h"

static const double HOT_WIDTH = 1.4;     // the first one, in nearest * sqrt(customers of a route): 0.7 widths
static const double COLD_NEAREST = 0.1;  // the last one, in distances of nearest neighbours
static const double WARM_NEAREST = 5;    // the unit of regions, likewise

// The least ones, in mean edges. The wide range was measured on a GPU; the narrow one was not.
static const vrp_temperatures NARROW = {.hot = 0.1, .cold = 0.002, .warm = 0.13}, WIDE = {.hot = 0.6, .cold = 0.02, .warm = 1};

vrp_temperatures vrp_temperatures_of(int32_t customers, int32_t routes, int64_t cost, double nearest, bool is_wide)
{
    const double edge = fmax(1, (double)cost / ((double)customers + routes));
    const vrp_temperatures least = is_wide ? WIDE : NARROW;
    const double hot = fmax(least.hot * edge, HOT_WIDTH * nearest * sqrt((double)customers / routes));
    return (vrp_temperatures){
        .hot = hot,
        .cold = fmin(hot, fmax(least.cold * edge, COLD_NEAREST * nearest)),
        .warm = fmax(least.warm * edge, WARM_NEAREST * nearest),
    };
}
