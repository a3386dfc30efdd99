// SPDX-License-Identifier: MIT
// The members of the result file for vehicle routing. All costs and lengths in it are in units of the instance's file.
#ifndef MCO_VRP_REPORT_H
#define MCO_VRP_REPORT_H

#include "base/json.h"
#include "mco/vrp.h"

// Writes the sizes of an instance into the open object.
void vrp_report_sizes(mco_json *json, const mco_vrp *problem);
// Writes the members of a solution: routes, names, loads, lengths; or all of them as null.
void vrp_report_routes(mco_json *json, const mco_vrp *problem, const mco_vrp_solution *solution);
void vrp_report_no_routes(mco_json *json);

#endif
