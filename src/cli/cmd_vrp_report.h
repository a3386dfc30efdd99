// SPDX-License-Identifier: MIT
// What the actions of mco vrp say alike: instances, costs and routes, in summaries and result files. All costs and lengths that
// leave are in units of the instance's file.
#ifndef MCO_CLI_CMD_VRP_REPORT_H
#define MCO_CLI_CMD_VRP_REPORT_H

#include "cli/cli.h"
#include "mco/vrp.h"

enum { VRP_COST_TEXT = 48 };  // bytes of a cost as text

extern const char *const vrp_engine_names[], *const vrp_distance_names[];  // by mco_vrp_engine, by mco_vrp_distances

double vrp_report_units(const mco_vrp *problem, int64_t value);
// An integer, or with all decimals that the scale has, at least two.
const char *vrp_report_cost(const mco_vrp *problem, int64_t cost, char text[VRP_COST_TEXT]);

// Members of the result file.
void vrp_report_write_sizes(mco_json *json, const mco_vrp *problem);
void vrp_report_write_solution(mco_json *json, const mco_vrp *problem, const mco_vrp_solution *solution);  // NULL: none known

// Lines of the summary.
void vrp_report_print_instance(const mco_vrp *problem);
void vrp_report_print_engine(const mco_vrp_work *work);
void vrp_report_print_fleet(const mco_vrp *problem, const mco_vrp_solution *solution);
void vrp_report_print_routes(const mco_vrp *problem, const mco_vrp_solution *solution);

#endif
