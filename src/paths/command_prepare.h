// SPDX-License-Identifier: MIT
// mco paths prepare, for the table in command.c.
#ifndef MCO_PATHS_COMMAND_PREPARE_H
#define MCO_PATHS_COMMAND_PREPARE_H

#include "paths/command.h"

#define PATHS_PREPARE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                      \
    TEXT(output, "--output", "F.mcoh", "where to write the hierarchy, which every action takes as GRAPH")                      \
    TEXT(order, "--order", "F",                                                                                                \
         "order of elimination: the number of a vertex a line, as GRAPH numbers it; if not given, one is looked for")          \
    INTEGER(threads, "--threads", 0, 0, 1024, 0, "T",                                                                          \
            "worker threads; 0 or not given: one for each processor that this process may use")                                \
    MCO_MEMORY_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                      \
    MCO_TIME_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)

typedef struct paths_prepare_choice {
    MCO_FIELDS(PATHS_PREPARE_OPTIONS)
} paths_prepare_choice;

typedef struct paths_preparation {
    paths_prepare_choice choice;
    paths_graph_choice graph;
} paths_preparation;

void paths_prepare_begin(void *state);
void paths_prepare_tables(void *state, mco_option_values *out);
const char *const *paths_prepare_inputs(const void *state, int64_t *count);
void paths_prepare_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS]);
mco_status paths_prepare_run(cli_call *call);

#define PATHS_PREPARE_ACTION                                                                                                   \
    {.name = "prepare", .arguments = "[OPTIONS] GRAPH --output F.mcoh",                                                        \
     .text = "prepares a hierarchy for fast trees, matrices and routes", .least = 1, .most = 1,                                \
     .state_bytes = sizeof(paths_preparation), .begin = paths_prepare_begin, .tables = paths_prepare_tables,                         \
     .more_inputs = paths_prepare_inputs, .more_outputs = paths_prepare_outputs, .run = paths_prepare_run}

#endif
