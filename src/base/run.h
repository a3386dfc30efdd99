// SPDX-License-Identifier: MIT
// One solve as its caller sees it: the begin, the improvements, the bound, the ends, the log and the history. Every problem
// has a run; only the calling thread touches it, and workers hand their findings to that thread.
#ifndef MCO_BASE_RUN_H
#define MCO_BASE_RUN_H

#include "base/context.h"

typedef struct mco_run_settings {
    double time_limit_s;     // INFINITY: none
    double target;           // ends at this objective or better; negative: none
    double gap;              // ends when |objective - bound| <= gap * objective; 0: never
    bool ends_at_bound;      // an objective that meets the bound ends the run as FINISHED
    bool maximises;
    const char *objective;   // what the log calls it: "makespan", "cost"
    int decimals;            // of objective and bound in the log
    const char *columns;     // heads the problem's own columns of the log; NULL: none
    // Writes these columns of a row. NULL: none.
    void (*write_columns)(void *user, char *out, size_t size);
    void *user;
} mco_run_settings;

typedef struct mco_run {
    mco_context *ctx;
    mco_run_settings settings;
    double begin_s, stop_s;    // moments of mco_clock_s(); stop_s infinite without a time limit
    double objective, bound;   // NaN while unknown
    const void *solution;      // the incumbent, for the callback
    int64_t work;              // nodes, moves or iterations done
    mco_stop stop;             // why the run must end
    bool is_asked_to_stop;     // the callback asked once
    mco_improvement *history;  // [history_count]
    int64_t history_count, history_room;
    const char *source;        // who found an incumbent that the log has not told yet; NULL: none
    double reported_s, row_s;  // when the callback was last called, and the log had its last row
    double row_bound;          // the bound that this row told
    int64_t rows;              // of the log, for the header every 20
    const char *header;        // the columns that the last header had
} mco_run;

mco_run mco_run_begin(mco_context *ctx, const mco_run_settings *settings);
// Sets the time limit anew; it counts from the begin.
void mco_run_limit(mco_run *run, double time_limit_s);
// Releases the history.
void mco_run_clear(mco_run *run);

// The problem's own columns from now on, under a new header; all NULL: none.
void mco_run_set_columns(mco_run *run, const char *columns, void (*write_columns)(void *user, char *out, size_t size),
                         void *user);

double mco_run_time_s(const mco_run *run);
// Part of the time limit that is over, 0 without one.
double mco_run_share(const mco_run *run);

// Records a better objective: history, callback, log. `solution` is the problem's own struct, valid until the next call with
// another one. `source` names who found it in the log; static storage. Errors: MEMORY.
mco_status mco_run_improve(mco_run *run, double objective, const void *solution, const char *source);
// Raises the proven bound (lowers it where the run maximises); a weaker one changes nothing.
void mco_run_raise_bound(mco_run *run, double bound);
// Whether the run must end; run->stop tells why. Calls back at most every 0.1 s and logs a row every 5 s. To be called at least
// every 0.05 s. The number of iterations is for the search itself to keep.
bool mco_run_must_stop(mco_run *run, int64_t work);
// A last row of the log, where it has not told the end.
void mco_run_log_end(mco_run *run);
// Moves the history to a result.
void mco_run_give_history(mco_run *run, mco_improvement **history, int64_t *count);

#endif
