// SPDX-License-Identifier: MIT
// Temperatures of the annealing, from the geometry of an instance.
#ifndef MCO_VRP_SEARCH_TEMPERATURE_H
#define MCO_VRP_SEARCH_TEMPERATURE_H

#include <stdbool.h>
#include <stdint.h>

// In units of cost.
typedef struct vrp_temperatures {
    double hot, cold;  // the first and the last one of the whole; regions end at `cold` too
    double warm;       // a region begins at a share of this
} vrp_temperatures;

// The temperatures for an instance of `customers` >= 1 whose first solution has `routes` >= 1 routes and costs `cost` >= 0.
// `nearest` >= 0 is the mean distance of a customer to the nearest other one, 0 if there is none. `is_wide`: the range of a search
// on a GPU, which begins and ends hotter where edges are much longer than that. All results are positive, and cold <= hot.
vrp_temperatures vrp_temperatures_of(int32_t customers, int32_t routes, int64_t cost, double nearest, bool is_wide);

#endif
