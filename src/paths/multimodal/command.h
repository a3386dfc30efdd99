// SPDX-License-Identifier: MIT
// mco paths journey, and the part of generate that makes multi-modal networks.
#ifndef MCO_PATHS_MULTIMODAL_COMMAND_H
#define MCO_PATHS_MULTIMODAL_COMMAND_H

#include "cli/frame.h"

// What generate knows of a multi-modal network. `layers`: "500,400,300,200", vertices of up to four layers; NULL: none.
typedef struct multimodal_order {
    int64_t rows, columns, degree, seed;
    const char *layers;
    const char *automaton;  // where to write an automaton, or NULL
    int64_t states;         // of it
} multimodal_order;
mco_status multimodal_generate(mco_context *ctx, const multimodal_order *order, const char *path);

void multimodal_begin(void *state);
void multimodal_tables(void *state, mco_option_values *out);
mco_status multimodal_open(cli_call *call);
mco_status multimodal_solve(cli_call *call);
bool multimodal_has_answer(const void *state);
mco_status multimodal_write_json(cli_call *call, const mco_option_values *more, const char *path);
mco_status multimodal_print(cli_call *call);
void multimodal_end(cli_call *call);

// The sizes are written out because a table of actions is constant.
enum { MULTIMODAL_STATE_BYTES = 512 };
#define PATHS_JOURNEY_ACTION                                                                                                   \
    {.name = "journey", .arguments = "[OPTIONS] NETWORK AUTOMATON --source V [--target V] --depart HH:MM",                     \
     .text = "finds the earliest arrival in a multi-modal network under an automaton of labels", .least = 2, .most = 2,       \
     .state_bytes = MULTIMODAL_STATE_BYTES, .begin = multimodal_begin, .tables = multimodal_tables, .open = multimodal_open,   \
     .solve = multimodal_solve, .has_solution = multimodal_has_answer, .write_result = multimodal_write_json,                 \
     .print = multimodal_print, .end = multimodal_end}

#endif
