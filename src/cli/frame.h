// SPDX-License-Identifier: MIT
// The frame of the command. Each problem provides a table of actions (PROBLEM/command.c). The frame parses the
// arguments. It also handles outputs, signals, the time limit, the start file, the history, the result file, the help
// and the exit codes.
#ifndef MCO_CLI_FRAME_H
#define MCO_CLI_FRAME_H

#include "base/context.h"
#include "base/options.h"
#include "mco/devices.h"
#include "mco/engine.h"

// Exit codes, the same for every command.
enum {
    EXIT_USABLE = 0,      // an optimum, a solution at a limit, or a proof that was asked for
    EXIT_NONE = 1,        // no solution, or a check failed
    EXIT_USAGE = 2,
    EXIT_FILE = 3,        // a file is unreadable, unwritable, invalid or beyond a limit
    EXIT_RESOURCES = 4,   // memory, device
    EXIT_INTERNAL = 5
};

enum { CLI_TABLES = 4, CLI_INPUTS = 4, CLI_MORE_OUTPUTS = 4 };

// What an action gets. `state` is the action's own struct. It is zeroed, then begin() fills it.
typedef struct cli_call {
    mco_context *ctx;
    void *state;
    const char *inputs[CLI_INPUTS];  // [input_count] the arguments that are not options
    size_t input_count;
    int argc;
    char **argv;                     // [argc] of the command, borrowed
} cli_call;

// Whether the user gave the option of this flag, such as "--seed".
bool cli_has(const cli_call *call, const char *flag);

// What an action does where a launcher has started several processes: refuses them, lets them share it (base/ranks.h), the first one as
// their coordinator or not, or lets each work for itself.
typedef enum cli_ranks { CLI_RANKS_REFUSED, CLI_RANKS_SHARE, CLI_RANKS_COORDINATED, CLI_RANKS_EACH } cli_ranks;

// An action: `mco PROBLEM NAME ARGUMENTS`. Functions that an action does not need are NULL. The order of calls is
// begin(), tables(), more_inputs(), refuse_output(), open(), read_start(), more_outputs(), more_inputs(). Then an action of one of the
// three kinds below runs its functions in the order of its members. A failure ends the action, except that all output
// files are tried. end() is always called.
typedef struct cli_action {
    const char *name;
    const char *arguments;   // for usage and help: "[OPTIONS] INSTANCE"
    const char *text;        // for the help: one or more lines about the action; NULL: none
    size_t least, most;      // allowed number of inputs
    size_t state_bytes;
    // Sets the defaults of the state.
    void (*begin)(void *state);
    // Writes the option tables to out [CLI_TABLES]; they end before the first entry whose table is NULL. The first
    // table is the library's table for solve(). It has --time-limit, if the action has that option. The library echoes
    // the first table in the result file; the frame passes the others to write_result().
    void (*tables)(void *state, mco_option_values *out);
    // Reads the instance, and sets what the options leave open.
    mco_status (*open)(cli_call *call);
    // Fails if this call cannot have the output of `flag`, --solution or --plot.
    mco_status (*refuse_output)(cli_call *call, const char *flag);
    // Paths of files [*count] that the action reads besides its inputs and --start; a path may be NULL. No output of the
    // frame may replace them. Those of options are there before open(): one input at most is standard input.
    const char *const *(*more_inputs)(const void *state, int64_t *count);
    cli_ranks ranks;    // what several processes of a launcher mean
    bool keeps_inputs;  // no file of more_outputs() may replace one of more_inputs() either
    // Paths of files that the action writes besides those of the frame; NULL for a file that is not asked for.
    void (*more_outputs)(const void *state, const char *out[CLI_MORE_OUTPUTS]);

    // ---- An action that neither checks nor solves: generate, bound.
    mco_status (*run)(cli_call *call);

    // ---- An action that checks a solution, its last input. Options that a result file states are set before open().
    // PARSE from read_solution() also means a failed check.
    const char *kind;  // of the result files that it takes; NULL: the name of the problem
    mco_status (*read_solution)(cli_call *call, const char *path);
    mco_status (*check)(cli_call *call);  // prints a line about a valid solution; returns CHECK for an invalid one

    // ---- An action that solves.
    const char *start_text;     // help of --start; NULL: the action lacks this option
    mco_status (*read_start)(cli_call *call, const char *path);
    mco_status (*solve)(cli_call *call);
    bool is_killed_by_signals;  // a part of the answer is of no use, and solve() does not test for a cancellation
    // has_solution: whether there is a solution to write; NULL: always. is_usable: whether the files hold an answer,
    // else the exit code is EXIT_NONE; NULL: as has_solution. has_plot: whether there is something to draw; NULL: as has_solution.
    bool (*has_solution)(const void *state);
    bool (*is_usable)(const void *state);
    bool (*has_plot)(const void *state);
    // Writes the result file. `more` has the options of the frame and of the other tables.
    mco_status (*write_result)(cli_call *call, const mco_option_values *more, const char *path);
    const char *solution_text;  // help of --solution; NULL: the action lacks this option
    // Writes a solution. During the solve it is `incumbent` with its objective. At the end `incumbent` is NULL, which
    // means the solution of the result.
    mco_status (*write_solution)(cli_call *call, const void *incumbent, double objective, const char *path);
    const char *plot_text;      // help of --plot; NULL: the action lacks this option
    mco_status (*plot)(cli_call *call, const char *path);
    const char *objective;      // column title in the file of --history; NULL: the action lacks this option
    size_t history, history_count;  // offsets in the state: offsetof(session, result.history), ...
    // Writes the files of more_outputs(). If one of them fails, it still writes the others.
    mco_status (*write_more)(cli_call *call);
    mco_status (*print)(cli_call *call);  // prints the summary

    void (*end)(cli_call *call);  // releases what the state holds
} cli_action;

// A CSV file of a problem, for the help.
typedef struct cli_column {
    const char *name, *text;
} cli_column;
typedef struct cli_csv {
    const char *text;        // what it holds and how its rows follow each other
    cli_column columns[12];  // up to the first whose name is NULL
} cli_csv;

typedef struct cli_problem {
    const char *name, *text;  // name, and its line in the list of problems
    const char *about;        // for the help: the problem and its files
    const char *example;      // for the help: a command over a file of examples/, without "mco" and the problem; NULL: none
    cli_csv csv[4];           // for the help: up to the first whose text is NULL
    cli_action actions[16];    // up to the first whose name is NULL
} cli_problem;

// Makes the heap of the process suit solves: fewer page faults. Once, before the first large block.
void cli_prepare_heap(void);

// Runs the action and returns the exit code. argv [argc]: program, problem, action, arguments.
int cli_run(mco_context *ctx, const cli_problem *problem, const cli_action *action, int argc, char **argv);
// Where the examples of the help run.
#define CLI_EXAMPLES "where examples/ is: in mco's source folder, or in PREFIX/share/mco"
// Writes the line of the example, if there is one, without its heading.
void cli_help_example(FILE *file, const cli_problem *problem);
// Writes the help of a problem: with the options for users, or with `has_study` all options.
void cli_help(FILE *file, const cli_problem *problem, bool has_study);

// ---- For the problems

// Catches INT, TERM and HUP. The first signal cancels what runs on the context. Another one ends the process at once,
// unless it is the same one within a second. The frame calls this for solvers.
void cli_catch_signals(mco_context *ctx);
// Logs which signal was caught, if any, and who sent it: whoever finds a cancelled run wants to know why.
void cli_log_signal(mco_context *ctx);
// Prints the line of a summary with the outcome, the same for all problems. `reason`: "" if there is none.
void cli_print_outcome(mco_outcome outcome, mco_stop stop, const char *reason);
// Prints what computed, without a newline, such as "engine cpu (2 threads, simd avx2)" or
// "engine gpu (NVIDIA H200, kernels 0.100 s)".
void cli_print_engine(mco_context *ctx, const mco_work *work);
bool cli_ends_with(const char *text, const char *end);
// Whether there is a regular file under the path.
bool cli_is_old_file(const char *path);

// Options of an action that makes an instance: where to write it.
typedef struct cli_generated {
    const char *output;
} cli_generated;
extern const mco_option_table cli_generated_options;
// The path; standard output if none is given.
const char *cli_generated_path(const cli_generated *generated);

// ---- Lists of files, for batches. Each line has a path, relative to the folder of the list. " x8" after the path
// means eight such lines. A line that begins with # is a comment.

enum { CLI_LIST_MOST = 1000000 };  // most problems in a list

typedef struct cli_list {
    char **paths, **names;  // [file_count] every file once: its path to open, its name in the list
    int64_t *first;         // [file_count] the first place of the file in file_of
    int64_t file_count;
    int64_t *file_of;  // [count] the file of each problem
    int64_t count;
} cli_list;

// Reads a list. *out is zero before. cli_clear_list() releases it, also after a failure. Errors: IO, PARSE with the
// place, LIMIT, MEMORY.
mco_status cli_read_list(mco_context *ctx, const char *path, cli_list *out);
void cli_clear_list(mco_context *ctx, cli_list *list);

#endif
