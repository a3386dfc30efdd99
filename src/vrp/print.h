// SPDX-License-Identifier: MIT
// Lines of the summaries of `mco vrp`. Costs, lengths and loads are in units of the instance's file.
#ifndef MCO_VRP_PRINT_H
#define MCO_VRP_PRINT_H

#include "mco/vrp.h"

enum { VRP_COST_TEXT = 48 };  // bytes

// "rounded", "real" or "geo".
const char *vrp_distance_name(const mco_vrp *problem);
double vrp_units(const mco_vrp *problem, int64_t scaled);
// An integer with scale 1, else all decimals of the scale, at least two.
const char *vrp_cost_text(const mco_vrp *problem, double cost, char text[VRP_COST_TEXT]);

void vrp_print_instance(const mco_vrp *problem);
// How many routes a plan may have, which decides what a bound holds for. exactly > 0: this many.
void vrp_print_fleet_rule(const mco_vrp *problem, int64_t exactly);
// The number of routes, how full they are, the longest.
void vrp_print_fleet(const mco_vrp *problem, const mco_vrp_solution *solution);
void vrp_print_routes(const mco_vrp *problem, const mco_vrp_solution *solution);
void vrp_print_time(mco_context *ctx, const mco_work *work);

#endif
