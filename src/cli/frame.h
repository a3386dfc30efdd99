// SPDX-License-Identifier: MIT
// The frame of the command. A problem hands over a table of actions (PROBLEM/command.c); the frame parses, and owns outputs,
// signals, the time limit, the start file, the history, the result file, help and exit codes.
#ifndef MCO_CLI_FRAME_H
#define MCO_CLI_FRAME_H

#include "base/context.h"
#include "base/options.h"
#include "mco/devices.h"
#include "mco/engine.h"

// Exit codes, the same for every command.
enum {
    EXIT_USABLE = 0,      // optimum, schedule at a limit, infeasibility proved
    EXIT_NONE = 1,        // nothing found, or a check failed
    EXIT_USAGE = 2,
    EXIT_FILE = 3,        // unreadable, unwritable, invalid, beyond a limit
    EXIT_RESOURCES = 4,   // memory, device, cluster
    EXIT_INTERNAL = 5
};

enum { CLI_TABLES = 4, CLI_INPUTS = 4, CLI_MORE_OUTPUTS = 4 };

// What an action is given. `state` is the action's own struct, zeroed, then filled by begin().
typedef struct cli_call {
    mco_context *ctx;
    void *state;
    const char *inputs[CLI_INPUTS];  // [input_count] arguments that are no options
    size_t input_count;
} cli_call;

// An action: `mco PROBLEM NAME ARGUMENTS`. Functions that an action does not need are NULL. They run in the order in which they
// stand here; a failure ends the action, and end() is called in any case.
typedef struct cli_action {
    const char *name;
    const char *arguments;   // "[OPTIONS] INSTANCE", for usage and help
    const char *text;        // a line or more about it, for the help; NULL: none
    size_t least, most;      // inputs
    size_t state_bytes;
    // Defaults of the state.
    void (*begin)(void *state);
    // The option tables [CLI_TABLES], up to the first without one. The first is the library's for what solve() does: it holds
    // --time-limit, if the action has one, and the library echoes it in the result file. The frame echoes the others.
    void (*tables)(void *state, mco_option_values *out);
    // Reads the instance, and settles what options leave open.
    mco_status (*open)(cli_call *call);
    // Refuses --solution or --plot where this call cannot have it.
    mco_status (*refuse_output)(cli_call *call, const char *flag);
    // Files that the action writes besides those of the frame; NULL in their place where not asked for.
    void (*more_outputs)(const void *state, const char *out[CLI_MORE_OUTPUTS]);

    // ---- An action that only does something: generate, bound.
    mco_status (*run)(cli_call *call);

    // ---- An action that checks a solution, its last input. PARSE from read_solution() fails the check too.
    mco_status (*read_solution)(cli_call *call, const char *path);
    mco_status (*check)(cli_call *call);  // prints what is valid; CHECK: it is not

    // ---- An action that solves.
    const char *start_text;     // help of --start; NULL: it has none
    mco_status (*read_start)(cli_call *call, const char *path);
    mco_status (*solve)(cli_call *call);
    bool is_killed_by_signals;  // no part of an answer is worth keeping, and solve() does not look for a cancellation
    // Whether there is something to use: else the exit code is EXIT_NONE. Whether there is a solution to be written. NULL: always.
    bool (*is_usable)(const void *state);
    bool (*has_solution)(const void *state);
    // Writes the result file; `more`: options of the frame and of the other tables.
    mco_status (*write_result)(cli_call *call, const mco_option_values *more, const char *path);
    const char *solution_text;  // help of --solution; NULL: it has none
    // Writes the solution: an incumbent with its objective while solving, NULL for the result's.
    mco_status (*write_solution)(cli_call *call, const void *incumbent, double objective, const char *path);
    const char *plot_text;      // help of --plot; NULL: it has none
    mco_status (*plot)(cli_call *call, const char *path);
    const char *objective;      // heads the history, --history; NULL: it has none
    size_t history, history_count;  // where the state has these members of the result: offsetof(session, result.history)
    // Writes the files of more_outputs(). One that cannot be written costs none of the others.
    mco_status (*write_more)(cli_call *call);
    mco_status (*print)(cli_call *call);  // the summary

    void (*end)(cli_call *call);  // releases what the state holds
} cli_action;

typedef struct cli_problem {
    const char *name, *text;  // of the list of problems
    const char *about;        // of the help: the problem, what its files are
    cli_action actions[8];    // up to the first without a name
} cli_problem;

// Runs the action. Returns the exit code. argv [argc]: program, problem, action, arguments.
int cli_run(mco_context *ctx, const cli_problem *problem, const cli_action *action, int argc, char **argv);
// Help of a problem: options for users, or with `has_study` all.
void cli_help(FILE *file, const cli_problem *problem, bool has_study);

// ---- For the problems

// Signals: the first cancels what runs on the context, the second ends the process at once. The frame does it for solvers.
void cli_catch_signals(mco_context *ctx);
// Lines of a summary that all problems print alike.
void cli_print_outcome(mco_outcome outcome, mco_stop stop);
// What computed: "engine cpu (2 threads, simd avx2)", "engine gpu (NVIDIA H200, kernels 0.100 s)", without a newline.
void cli_print_engine(mco_context *ctx, const mco_work *work);
bool cli_ends_with(const char *text, const char *end);

// Options of instances that are files or generated: where to write.
typedef struct cli_generated {
    const char *output;
} cli_generated;
extern const mco_option_table cli_generated_options;
// The path: standard output where none is given.
const char *cli_generated_path(const cli_generated *generated);

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

#endif
