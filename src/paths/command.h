// SPDX-License-Identifier: MIT
// What the actions of `mco paths` share. An action is a macro PATHS_..._ACTION in the header of its file; command.c lists them, one
// a line.
#ifndef MCO_PATHS_COMMAND_H
#define MCO_PATHS_COMMAND_H

#include "base/options.h"
#include "cli/frame.h"
#include "mco/paths.h"

// ---- How GRAPH is read

#define PATHS_GRAPH_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                  \
    REAL(scale, "--scale", 0, 0, 1e9, 0, "X",                                                                                  \
         "weights are the nearest integers to X times those of GRAPH; if not given: 1 if all are integers, else 1000")

typedef struct paths_graph_choice {
    MCO_FIELDS(PATHS_GRAPH_OPTIONS)
} paths_graph_choice;
extern const mco_option_table paths_graph_table;

// Opens GRAPH. The caller destroys *network. Errors: as mco_paths_read().
mco_status paths_open_graph(mco_context *ctx, const paths_graph_choice *choice, const char *path, mco_paths_network **network);

// The name of a method.
const char *paths_method_name(mco_paths_method method);

#endif
