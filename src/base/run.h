// SPDX-License-Identifier: MIT
// One solve as its caller sees it: begin, improvements, bound, reasons to end, log and history. Every problem uses a
// run. Only the calling thread touches it; workers hand their findings to that thread.
#ifndef MCO_BASE_RUN_H
#define MCO_BASE_RUN_H

#include "base/context.h"

typedef struct mco_run_settings {
    double time_limit_s;     // INFINITY or MCO_NO_LIMIT: none
    double target;           // the run ends at this objective or a better one; negative: none
    double gap;              // the run ends when |objective - bound| <= gap * |objective|; 0: never
    bool ends_at_bound;      // an objective that meets the bound ends the run as FINISHED
    bool maximises;
    const char *objective;   // name of the objective in the log: "makespan", "cost"
    int decimals;            // of objective and bound in the log
    const char *columns;     // header of the problem's own columns in the log; NULL: none
    // Writes the problem's own columns of a row. NULL: none.
    void (*write_columns)(void *user, char *out, size_t size);
    void *user;
} mco_run_settings;

typedef struct mco_run {
    mco_context *ctx;
    mco_run_settings settings;
    double begin_s, stop_s;    // by mco_clock_s(); stop_s is infinite without a time limit
    double objective, bound;   // NaN while unknown
    const void *solution;      // the incumbent, for the callback
    int64_t work;              // nodes, moves or iterations done
    mco_stop stop;             // why the run must end
    bool is_asked_to_stop;     // the callback has asked to stop
    mco_improvement *history;  // [history_count]
    int64_t history_count, history_room;
    const char *source;        // who found an incumbent that is not yet in the log; NULL: none
    double reported_s, row_s;  // times of the last call of the callback and of the last row of the log
    double row_bound;          // the bound in that row
    int64_t rows;              // of the log so far; a header comes every 20 rows
    const char *header;        // the `columns` of the last header
} mco_run;

mco_run mco_run_begin(mco_context *ctx, const mco_run_settings *settings);
// Changes the time limit. It still counts from the begin of the run.
void mco_run_limit(mco_run *run, double time_limit_s);
// Releases the history.
void mco_run_clear(mco_run *run);

// Sets the problem's own columns from now on, under a new header. All NULL: no own columns.
void mco_run_set_columns(mco_run *run, const char *columns, void (*write_columns)(void *user, char *out, size_t size),
                         void *user);

double mco_run_time_s(const mco_run *run);
// The share of the time limit that has passed; 0 without a limit. It exceeds 1 after the limit.
double mco_run_share(const mco_run *run);

// Records a better objective in the history and the log, and calls the callback. `solution` is the problem's own
// struct. It stays valid until the next call with another one. `source` says in the log who found it; static storage.
// Errors: MEMORY.
mco_status mco_run_improve(mco_run *run, double objective, const void *solution, const char *source);
// Raises the proven bound, or lowers it if the run maximises. A weaker bound changes nothing.
void mco_run_raise_bound(mco_run *run, double bound);
// Whether the run must end; run->stop says why. Also calls the callback, at most every 0.1 s, and logs a row every 5 s.
// Must be called at least every 0.05 s. It does not test the limit on iterations: the search itself does.
bool mco_run_must_stop(mco_run *run, int64_t work);
// Logs a last row, unless the last row already shows the final state.
void mco_run_log_end(mco_run *run);
// Moves the history to a result, which owns it then.
void mco_run_give_history(mco_run *run, mco_improvement **history, int64_t *count);

#endif
