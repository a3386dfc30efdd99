// SPDX-License-Identifier: MIT
// What the commands share: arguments, log, signals, the result file.
#ifndef MCO_CLI_H
#define MCO_CLI_H

#include "base/options.h"
#include "base/output.h"
#include "mco/devices.h"

// Exit codes, the same for every command.
enum {
    EXIT_USABLE = 0,      // optimum, schedule at a limit, infeasibility proved
    EXIT_NONE = 1,        // nothing found, or a check failed
    EXIT_USAGE = 2,
    EXIT_FILE = 3,        // unreadable, unwritable, invalid, beyond a limit
    EXIT_RESOURCES = 4,   // memory, device, cluster
    EXIT_INTERNAL = 5
};
int exit_code(mco_status status);

// ---- Options of the command itself, beside those of the solver.
#define CLI_OUTPUT_OPTIONS(INTEGER, TEXT, FLAG)                                                              \
    TEXT(json, "--json", "F", "write the result file")                                                       \
    TEXT(solution, "--solution", "F", "write the solution, anew at improvements and at the end")            \
    TEXT(plot, "--plot", "F.svg", "draw the solution")                                                       \
    TEXT(history, "--history", "F.csv", "write the improvements: time, objective, bound")                    \
    TEXT(start, "--start", "F", "begin with the solution in F")                                              \
    INTEGER(instance, "--instance", 0, 1, 1000000, 0, "K", "instance K of a file that holds several, from 1") \
    FLAG(quiet, "--quiet", "no log")                                                                         \
    FLAG(verbose, "-v", "a more detailed log")

#define CLI_FIELD_INTEGER(field, flag, def, low, high, unset, argument, help) int64_t field;
#define CLI_FIELD_TEXT(field, flag, argument, help) const char *field;
#define CLI_FIELD_FLAG(field, flag, help) int field;
typedef struct cli_outputs {
    CLI_OUTPUT_OPTIONS(CLI_FIELD_INTEGER, CLI_FIELD_TEXT, CLI_FIELD_FLAG)
} cli_outputs;

// ---- Arguments

typedef struct cli_table {
    const mco_option *options;
    size_t count;
    void *params;
} cli_table;

typedef struct cli_arguments {
    cli_table tables[3];
    size_t table_count;
    const char *positional[4];
    size_t positional_count, positional_least, positional_most;
    const char *usage;  // one line, for messages
} cli_arguments;

const mco_option *cli_output_options(size_t *count);
// Parses argv[first..argc). Errors: ARGUMENT, with what was wrong and what is expected.
mco_status cli_parse(mco_context *ctx, int argc, char **argv, int first, cli_arguments *arguments);
// Fails unless the file under `path` (NULL: none asked for) can be written; leaves it as it is.
mco_status cli_test_output(mco_context *ctx, const char *path);

// ---- Log on standard error, live line on a terminal

void cli_log_settings(const cli_outputs *outputs, mco_context_params *params);
void cli_live_line(const mco_progress *progress);  // replaces the last line of a terminal
void cli_end_live_line(void);

// ---- Signals: the first cancels the solve, the second ends the process at once.

void cli_catch_signals(mco_context *ctx);
// To be called before the context is destroyed.
void cli_forget_context(void);
// Raises the signal caught, if any, again with its default action.
void cli_raise_caught_signal(void);

// ---- The result file, the same for every problem

typedef struct cli_report {
    const char *kind, *name;  // of the problem
    mco_outcome outcome;
    mco_stop stop;
    bool has_objective, has_bound;
    bool is_unchecked;  // the objective was not recomputed
    double objective, bound;
    int64_t seed;
    const char *engine;
    int threads;
    const mco_gpu *gpus;  // [gpu_count] used
    int gpu_count;
    double wall_s, solve_s, cpu_s;
    double device_s;  // kernel time, summed over the GPUs
    const void *user;  // for the writers of the problem's own members
    void (*write_sizes)(mco_json *json, const void *user);
    void (*write_options)(mco_json *json, const void *user);
    void (*write_counters)(mco_json *json, const void *user);
    void (*write_history)(mco_json *json, const void *user);
    void (*write_solution)(mco_json *json, const void *user);
} cli_report;

void cli_write_report(FILE *file, const cli_report *report);

// The members of one GPU, as `mco devices` and the result file give them. `unusable`: why it cannot be used, NULL
// if it can.
void cli_write_gpu(mco_json *json, const mco_gpu *gpu, const char *unusable);

// ---- Commands: argv[0] is the program, argv[1] the problem. Return an exit code.

int cmd_flowshop(int argc, char **argv, double process_start_s);
void help_flowshop(FILE *file);
int cmd_reduce(int argc, char **argv, double process_start_s);
void help_reduce(FILE *file);

#endif
