// SPDX-License-Identifier: MIT
// Between the files of the frame: arguments, outputs, log, signals.
#ifndef MCO_CLI_CLI_H
#define MCO_CLI_CLI_H

#include "cli/frame.h"

// Tells a failure on standard error and goes on. Returns `code`, the exit code so far, or that of `status`: the first
// failure decides.
int cli_tell(mco_context *ctx, mco_status status, int code);

// ---- Outputs (outputs.c)

// What the options of the frame say; NULL or 0 where not given.
typedef struct cli_outputs {
    const char *json, *solution, *plot, *history, *start;
    int quiet, verbose;
} cli_outputs;

// Records of the options that an action has, and the table over them.
typedef struct cli_output_options {
    mco_option records[8];
    mco_option_table table;
} cli_output_options;
void cli_make_output_options(const cli_action *action, cli_output_options *out);
// The one of --start alone, for the echo.
void cli_make_start_options(const cli_action *action, cli_output_options *out);

// Fails unless the files under paths [count] (NULL: none asked for) can be written and are different from each other and from
// inputs [input_count]. Leaves them as they are. Errors: ARGUMENT, IO.
mco_status cli_test_outputs(mco_context *ctx, const char *const *inputs, size_t input_count, const char *const *paths,
                            size_t count);
bool cli_is_stdout(const char *path);
mco_status cli_write_history(cli_call *call, const cli_action *action, const char *path);

// ---- Arguments (arguments.c)

typedef struct cli_arguments {
    mco_option_values tables[CLI_TABLES + 2];  // up to the first without one
    size_t least, most;                        // inputs
    const char *usage;                         // one line, for messages
} cli_arguments;

// Parses argv [argc] from `at` on: options into their tables, the rest into call->inputs. Errors: ARGUMENT, with what was wrong
// and what is expected.
mco_status cli_parse(cli_call *call, const cli_arguments *arguments, int argc, char **argv, int at);

// ---- Log on standard error, live line on a terminal (progress.c)

void cli_log_settings(mco_context *ctx, const cli_outputs *outputs);
bool cli_has_live_line(void);
void cli_live_line(const mco_progress *progress);  // replaces the last line of a terminal
void cli_end_live_line(void);

// The file under --solution while a solve improves.
typedef struct cli_updates {
    const char *path;  // NULL: nothing is written before the end
    double written_s, objective;
} cli_updates;

// Files are replaced at improvements; a pipe or device takes the last solution only. `path` NULL where none is asked for.
cli_updates cli_updates_begin(const char *path);
// Whether the incumbent is to be written now: it differs from the last one written, which is at least half a second old.
bool cli_updates_are_due(cli_updates *updates, const mco_progress *progress);

// To be called before the context is destroyed.
void cli_forget_context(void);
// Raises the signal caught, if any, again with its default action.
void cli_raise_caught_signal(void);

#endif
