// SPDX-License-Identifier: MIT
// The context of a solve: allocator, log, progress callback, cancellation, last error.
//
// One context serves one call at a time; two solves in two threads take two contexts. The library
// keeps no global state, never exits, never prints, installs no signal handler.
#ifndef MCO_CONTEXT_H
#define MCO_CONTEXT_H

#include "mco/status.h"

MCO_BEGIN_C

typedef struct mco_context mco_context;

typedef enum mco_log_level {
    MCO_LOG_WARNING,
    MCO_LOG_INFO,   // decisions and improvements
    MCO_LOG_DETAIL  // everything else worth a line
} mco_log_level;

// Settings of a context. Start from MCO_CONTEXT_PARAMS_INIT; every zero field means the default.
typedef struct mco_context_params {
    size_t struct_size;
    // Memory: NULL for malloc and free. `allocate` returns NULL on failure, else memory aligned as
    // malloc aligns. Called from the thread that calls the library only.
    void *(*allocate)(size_t bytes, void *user);
    void (*release)(void *memory, void *user);
    void *allocator_user;
    // Receives each log line at or below `log_level`, without newline; NULL for silence. The line
    // is borrowed for the call.
    void (*log)(mco_log_level level, const char *line, void *user);
    void *log_user;
    mco_log_level log_level;
} mco_context_params;

#define MCO_CONTEXT_PARAMS_INIT { sizeof(mco_context_params), NULL, NULL, NULL, NULL, NULL, MCO_LOG_INFO }

// Creates a context. `params` is copied; NULL for the defaults. Errors: ARGUMENT, MEMORY.
MCO_API mco_status mco_context_create(mco_context **out, const mco_context_params *params);

// Destroys *context and sets it NULL. NULL and a pointer to NULL are fine.
MCO_API void mco_context_destroy(mco_context **context);

// The text of the last failure on this context, "" if none; valid until the next call on it.
MCO_API const char *mco_context_error(const mco_context *context);

typedef enum mco_event {
    MCO_EVENT_PROGRESS,  // now and then, at least every 0.2 s
    MCO_EVENT_INCUMBENT  // a better solution is known
} mco_event;

// State of a running solve. Objective and bound are in the problem's unit, NaN while unknown. `solution` is the incumbent as
// the problem's own solution struct (mco_flowshop_solution, mco_vrp_solution, ...; each header names it): borrowed for the
// call, only to be read, NULL while there is none.
typedef struct mco_progress {
    mco_event event;
    double time_s;
    double objective;
    double bound;
    int64_t work;  // nodes, moves or iterations done so far
    const void *solution;
} mco_progress;

// A step of a solve's history: since its begin, seconds; objective and proven bound from then on, in the problem's unit. NaN
// stands for what was unknown.
typedef struct mco_improvement {
    double time_s, objective, bound;
} mco_improvement;

// Called on the thread that called solve, never concurrently. A nonzero return stops the solve
// soon, with MCO_STOP_CANCELLED and the incumbent.
typedef int (*mco_callback)(const mco_progress *progress, void *user);
MCO_API void mco_context_set_callback(mco_context *context, mco_callback callback, void *user);

// Stops the running solve soon. Async-signal-safe; any thread may call it. A solve clears the
// request when it ends, not when it starts: a request made just before is honoured.
MCO_API void mco_cancel(mco_context *context);

MCO_END_C
#endif
