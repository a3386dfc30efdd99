// SPDX-License-Identifier: MIT
// Shared by the files of the frame: arguments, outputs, log, signals.
#ifndef MCO_CLI_CLI_H
#define MCO_CLI_CLI_H

#include "cli/frame.h"

// Prints a failure on standard error. `code` is the exit code so far. Returns it if it shows a failure already or if
// `status` is MCO_OK; else returns the exit code of `status`. So the first failure decides.
int cli_tell(mco_context *ctx, mco_status status, int code);

// From now on this process prints nothing: it is one of several, and another one prints.
void cli_be_silent(void);

// Sets the defaults of an action's zeroed state, and writes its tables to `tables` [CLI_TABLES].
void cli_begin_state(const cli_action *action, void *state, mco_option_values *tables);

// ---- Outputs (outputs.c)

// The values of the frame's options; NULL or 0 if not given.
typedef struct cli_outputs {
    const char *json, *solution, *plot, *history, *start;
    int quiet, verbose;
} cli_outputs;

// The frame's options that an action has: records, and a table over them.
typedef struct cli_output_options {
    mco_option records[8];
    mco_option_table table;
} cli_output_options;
void cli_make_output_options(const cli_action *action, cli_output_options *out);
// The same with --start alone, for the echo.
void cli_make_start_options(const cli_action *action, cli_output_options *out);

// Tests the output files at paths [count]; a path is NULL if the file is not asked for. They must be writable and differ
// from each other. The test leaves the files unchanged. Errors: ARGUMENT, IO.
mco_status cli_test_outputs(mco_context *ctx, const char *const *paths, size_t count);
// Fails if the output at `path` would replace one of inputs [input_count], which are there. Each of them may be NULL, a list of
// paths with commas, a folder of vectors (its files without an ending), of a timetable (its .txt files), or of a
// GMNS network (link.csv, node.csv, config.csv).
// Errors: ARGUMENT.
mco_status cli_refuse_replacing(mco_context *ctx, const char *const *inputs, int64_t input_count, const char *path);
bool cli_is_stdout(const char *path);
// Whether two paths lead to one regular file, which may not exist yet. Several outputs may share a stream.
bool cli_is_same_file(const char *a, const char *b);
mco_status cli_write_history(cli_call *call, const cli_action *action, const char *path);

// ---- Arguments (arguments.c)

typedef struct cli_arguments {
    mco_option_values tables[CLI_TABLES + 2];  // up to the first whose table is NULL
    size_t least, most;                        // allowed number of inputs
    const char *usage;                         // one line, for messages
} cli_arguments;

// Parses argv [argc] from index `at` on. Options go into their tables, other arguments into call->inputs. Errors:
// ARGUMENT, with what is wrong and what is expected.
mco_status cli_parse(cli_call *call, const cli_arguments *arguments, int argc, char **argv, int at);

// Whether one of the arguments is this option.
bool cli_is_given(const mco_option *option, int argc, char **argv);

// Sets the options of tables [CLI_TABLES] that a result file at `path` states and the user does not give. Other files
// state none, and standard input is left alone. Errors: LIMIT (a value out of its range).
mco_status cli_take_stated(mco_context *ctx, const char *problem, const char *path, const mco_option_values *tables, int argc,
                           char **argv);

// Whether the user may have meant `word` by `typed`, and no word before was as near. *least is SIZE_MAX before the
// first word.
bool cli_is_likely(const char *typed, const char *word, size_t *least);

// ---- Log on standard error, live line on a terminal (progress.c)

void cli_log_settings(mco_context *ctx, const cli_outputs *outputs);
bool cli_has_live_line(void);
void cli_live_line(const mco_progress *progress);  // replaces the live line, the last line of the terminal
void cli_end_live_line(void);

// The file of --solution while a solve improves. Writing takes a small share of the time, and ends before the time limit.
typedef struct cli_updates {
    const char *path;  // NULL: nothing is written before the end
    double objective;  // of the last solution that was written; NaN: none
    double cost_s;     // of the last writing, or what the first one is expected to take
    double paused_s;   // by mco_clock_s(): the end of the last writing, or the begin of the solve
    double stop_s;     // by the same clock: the end of the time limit
} cli_updates;

// A regular file is replaced at improvements; a pipe or device gets only the last solution. `path` NULL: no file is
// asked for.
cli_updates cli_updates_begin(const char *path, double cost_s, double stop_s);
// Whether to write the incumbent at `now_s`: it differs from the last one written, that one is old enough, and there is time.
bool cli_updates_are_due(const cli_updates *updates, const mco_progress *progress, double now_s);
// Takes note of a writing that began at `begin_s` and ended at `end_s`.
void cli_updates_note(cli_updates *updates, double objective, double begin_s, double end_s);

// Must be called before the context is destroyed, so that no signal uses it.
void cli_forget_context(void);
// If a signal was caught, raises it again with its default action.
void cli_raise_caught_signal(void);

#endif
