// SPDX-License-Identifier: MIT
// What mco dtspms says of its results: members of result files and summaries.
#ifndef MCO_CLI_CMD_DTSPMS_REPORT_H
#define MCO_CLI_CMD_DTSPMS_REPORT_H

#include "cli/cli.h"
#include "mco/dtspms.h"

extern const char *const dtspms_engine_names[];  // by mco_dtspms_engine

// NULL where none is known.
const mco_dtspms_solution *dtspms_report_solution(const mco_dtspms_result *result);
const mco_dtspms_solution *dtspms_report_neighbour(const mco_dtspms_neighbourhood_result *around);
// A neighbourhood of no moves is complete; one that lacks its best move was interrupted.
bool dtspms_report_is_complete(const mco_dtspms_neighbourhood_result *around);

// Members of the result file; `solution` NULL: none known.
void dtspms_report_write_sizes(mco_json *json, const mco_dtspms *problem, int64_t stacks, int64_t capacity,
                               const mco_dtspms_solution *solution);
void dtspms_report_write_solution(mco_json *json, const mco_dtspms_solution *solution);
void dtspms_report_write_counters(mco_json *json, const mco_dtspms_result *result);
void dtspms_report_write_move(mco_json *json, const mco_dtspms_neighbourhood_result *around);

// Summaries. `start`: the file of the plan, NULL for a random one.
void dtspms_report_print_result(const mco_dtspms *problem, const mco_dtspms_params *params, const mco_dtspms_result *result);
void dtspms_report_print_neighbourhood(const mco_dtspms *problem, const mco_dtspms_params *params, int64_t capacity,
                                       const char *start, const mco_dtspms_neighbourhood_result *around);

#endif
