// SPDX-License-Identifier: MIT
// mco vrp bound | relax, for the table in vrp/command.c.
#ifndef MCO_VRP_BOUND_COMMAND_H
#define MCO_VRP_BOUND_COMMAND_H

#include "cli/frame.h"
#include "mco/vrp_bound.h"

// The state of both.
typedef struct vrp_bound_session {
    mco_vrp_model model;
    mco_vrp *problem;
    mco_vrp_bound_params bound_params;
    mco_vrp_relax_params relax_params;
    mco_vrp_solution start;
    mco_vrp_bound_result bound;
    mco_vrp_relax_result relax;
} vrp_bound_session;

void vrp_bound_begin(void *state);
mco_status vrp_bound_open_instance(cli_call *call);
void vrp_bound_end(cli_call *call);

void vrp_bound_tables(void *state, mco_option_values *out);
mco_status vrp_bound_read_start(cli_call *call, const char *path);
mco_status vrp_bound_solve(cli_call *call);
bool vrp_bound_has_solution(const void *state);
bool vrp_bound_is_usable(const void *state);
mco_status vrp_bound_write_result(cli_call *call, const mco_option_values *more, const char *path);
mco_status vrp_bound_write_solution(cli_call *call, const void *incumbent, double objective, const char *path);
bool vrp_bound_has_plot(const void *state);
mco_status vrp_bound_plot(cli_call *call, const char *path);
mco_status vrp_bound_print(cli_call *call);

void vrp_relax_tables(void *state, mco_option_values *out);
mco_status vrp_relax_solve(cli_call *call);
bool vrp_relax_is_usable(const void *state);
mco_status vrp_relax_write_result(cli_call *call, const mco_option_values *more, const char *path);
mco_status vrp_relax_print(cli_call *call);

#define VRP_BOUND_ACTION                                                                                                        \
    {.name = "bound", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1,                                                 \
     .text = "a proven lower bound, by columns, cuts and branching, until a plan is proved optimal or the time is over",        \
     .state_bytes = sizeof(vrp_bound_session), .begin = vrp_bound_begin, .tables = vrp_bound_tables,                            \
     .open = vrp_bound_open_instance, .start_text = "prove the cost of the plan in F, or find a better one",                    \
     .read_start = vrp_bound_read_start, .ranks = CLI_RANKS_SHARE, .solve = vrp_bound_solve, .has_solution = vrp_bound_has_solution,                      \
     .is_usable = vrp_bound_is_usable, .has_plot = vrp_bound_has_plot, .write_result = vrp_bound_write_result,                  \
     .solution_text = "write the routes of the best plan (.sol, or .csv), where there is one",                                  \
     .write_solution = vrp_bound_write_solution, .plot_text = "draw the arcs of the last linear program", .plot = vrp_bound_plot, \
     .objective = "cost", .history = offsetof(vrp_bound_session, bound.history),                                                \
     .history_count = offsetof(vrp_bound_session, bound.history_count), .print = vrp_bound_print, .end = vrp_bound_end}

#define VRP_RELAX_ACTION                                                                                                        \
    {.name = "relax", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1,                                                 \
     .text = "one pass of a relaxation on the plain costs of the arcs: its value, a route that has it, time, and rate",         \
     .state_bytes = sizeof(vrp_bound_session), .begin = vrp_bound_begin, .tables = vrp_relax_tables,                            \
     .open = vrp_bound_open_instance, .solve = vrp_relax_solve, .is_usable = vrp_relax_is_usable,                               \
     .write_result = vrp_relax_write_result, .print = vrp_relax_print, .end = vrp_bound_end}

#endif
