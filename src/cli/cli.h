// SPDX-License-Identifier: MIT
// What the commands share: arguments, log, signals, the result file.
#ifndef MCO_CLI_CLI_H
#define MCO_CLI_CLI_H

#include "base/options.h"
#include "base/output.h"
#include "mco/devices.h"
#include "mco/options.h"

// Exit codes, the same for every command.
enum {
    EXIT_USABLE = 0,      // optimum, schedule at a limit, infeasibility proved
    EXIT_NONE = 1,        // nothing found, or a check failed
    EXIT_USAGE = 2,
    EXIT_FILE = 3,        // unreadable, unwritable, invalid, beyond a limit
    EXIT_RESOURCES = 4,   // memory, device, cluster
    EXIT_INTERNAL = 5
};
// Tells a failure on standard error and goes on. Returns `code`, the exit code so far, or that of `status`: the first
// failure decides.
int cli_tell(mco_context *ctx, mco_status status, int code);

// ---- Problems: `mco PROBLEM ACTION ARGUMENTS`. A new one is its cmd_PROBLEM.c and a line in main.c.

typedef struct cli_call {
    mco_context *ctx;  // of this action alone; silent until cli_log_settings()
    int argc;
    char **argv;       // [argc] program, problem, action, arguments
    double start_s;    // of the process
} cli_call;

typedef struct cli_action {
    const char *name;
    int (*run)(const cli_call *call);  // returns an exit code
} cli_action;

typedef struct cli_problem {
    const char *name, *text;
    void (*help)(FILE *file);
    cli_action actions[8];  // up to the first without a name
} cli_problem;

extern const cli_problem cli_dtspms, cli_flowshop, cli_guillotine, cli_reduce, cli_vrp;

// ---- Options of the command itself, beside those of the solver.

// Entries of all kinds, for lists of options that take a macro for each; and such a list, expanded.
#define CLI_ENTRIES \
    MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_REAL_ENTRY, MCO_OPTION_CHOICE_ENTRY, MCO_OPTION_TEXT_ENTRY, MCO_OPTION_FLAG_ENTRY
#define CLI_EXPAND(list, ...) list(__VA_ARGS__)

#define CLI_LOG_ENTRIES                                \
    MCO_OPTION_FLAG_ENTRY(quiet, "--quiet", "no log")  \
    MCO_OPTION_FLAG_ENTRY(verbose, "-v", "a more detailed log")

#define CLI_INPUT_OPTIONS(INTEGER, TEXT)                         \
    TEXT(start, "--start", "F", "begin with the solution in F") \
    INTEGER(instance, "--instance", 0, 1, 1000000, 0, "K", "instance K of a file that holds several, from 1")
#define CLI_OUTPUT_OPTIONS(INTEGER, TEXT, FLAG)                                                              \
    TEXT(json, "--json", "F", "write the result file")                                                       \
    TEXT(solution, "--solution", "F", "write the solution, anew at improvements and at the end")            \
    TEXT(plot, "--plot", "F.svg", "draw the solution")                                                       \
    TEXT(history, "--history", "F.csv", "write the improvements: time, objective, bound")                    \
    CLI_INPUT_OPTIONS(INTEGER, TEXT)                                                                         \
    FLAG(quiet, "--quiet", "no log")                                                                         \
    FLAG(verbose, "-v", "a more detailed log")

typedef struct cli_outputs {
    CLI_OUTPUT_OPTIONS(MCO_FIELD_INTEGER, MCO_FIELD_TEXT, MCO_FIELD_FLAG)
} cli_outputs;

// ---- Arguments

// Options and the struct that holds their values.
typedef struct cli_table {
    const mco_option *options;
    size_t count;
    void *params;
} cli_table;
#define CLI_TABLE(options, params) ((cli_table){options, sizeof(options) / sizeof((options)[0]), params})

typedef struct cli_arguments {
    cli_table tables[4];  // up to the first without options
    const char *positional[4];
    size_t positional_count, positional_least, positional_most;
    const char *usage;  // one line, for messages
} cli_arguments;

cli_table cli_output_table(cli_outputs *outputs);
cli_table cli_input_table(cli_outputs *outputs);  // the part of it that is no output
// Parses what follows the action. Errors: ARGUMENT, with what was wrong and what is expected.
mco_status cli_parse(const cli_call *call, cli_arguments *arguments);
// Writes a line per option; the values in the table are the defaults.
void cli_help(FILE *file, cli_table table);
// Fails unless the files under paths [count] (NULL: none asked for) can be written and are different from each other and from
// `input` (NULL: none). Leaves them as they are. Errors: ARGUMENT, IO.
mco_status cli_test_outputs(mco_context *ctx, const char *input, const char *const *paths, size_t count);
bool cli_is_stdout(const char *path);
// Standard output carries the summary, unless one of the files was sent there.
bool cli_prints_summary(const cli_outputs *outputs);

// ---- Lists of files, for batches: a path a line, relative to the list's folder; " x8" behind it stands for eight lines; a
// line that begins with # is a comment.

enum { CLI_LIST_MOST = 1000000 };  // problems of a list

typedef struct cli_list {
    char **paths, **names;  // [file_count] every file once: to be opened; as the list names it
    int64_t *first;         // [file_count] its first place in file_of
    int64_t file_count;
    int64_t *file_of;  // [count] the file of each problem
    int64_t count;
} cli_list;

// `out` is zero; cli_clear_list() releases it, after a failure too. Errors: IO, PARSE with the place, LIMIT, MEMORY.
mco_status cli_read_list(mco_context *ctx, const char *path, cli_list *out);
void cli_clear_list(mco_context *ctx, cli_list *list);

// ---- Log on standard error, live line on a terminal

void cli_log_settings(mco_context *ctx, const cli_outputs *outputs);
void cli_live_line(const mco_progress *progress);  // replaces the last line of a terminal
void cli_end_live_line(void);
// What is left of a time limit, which counts from the start of the process.
double cli_time_left(double limit_s, double process_start_s);

// ---- The file under --solution while a solve improves

typedef struct cli_updates {
    const char *path;  // NULL: nothing is written before the end
    double written_s, objective;
} cli_updates;

// Files are replaced at improvements; a pipe or device takes the last solution only. `path` NULL where none is asked for.
cli_updates cli_updates_begin(const char *path);
// Whether the incumbent is to be written now: it differs from the last one written, which is at least half a second old.
bool cli_updates_are_due(cli_updates *updates, const mco_progress *progress);

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
    double objective, bound;  // NaN while unknown
    bool is_unchecked;        // the objective was not recomputed
    int64_t seed;
    cli_table options[4];     // to be echoed, up to the first without options
    const char *engine;
    int threads;
    const mco_gpu *gpus;  // [gpu_count] used
    int gpu_count;
    double start_s;   // of the process
    double solve_s;
    double device_s;  // kernel time, summed over the GPUs
    const void *user;  // for the writers of the problem's own members, NULL where it has none
    void (*write_sizes)(mco_json *json, const void *user);
    void (*write_counters)(mco_json *json, const void *user);
    void (*write_history)(mco_json *json, const void *user);
    void (*write_solution)(mco_json *json, const void *user);
} cli_report;

// An entry of its history: [time, cost, bound], null for NaN.
void cli_write_history_entry(mco_json *json, double time_s, double cost, double bound);
// Writes the whole file. Errors: IO.
mco_status cli_write_report(mco_context *ctx, const char *path, const cli_report *report);

// The members of one GPU, as `mco devices` and the result file give them. `unusable`: why it cannot be used, NULL
// if it can.
void cli_write_gpu(mco_json *json, const mco_gpu *gpu, const char *unusable);

// Prints the engine and what it ran on, without a newline: "engine cpu (2 threads, simd avx2)". `gpu` NULL for none, `simd`
// NULL or "none" where there is none.
void cli_print_engine(const char *engine, const mco_gpu *gpu, double device_s, int threads, const char *simd);

#endif
