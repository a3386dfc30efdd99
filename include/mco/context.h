// SPDX-License-Identifier: MIT
// The context of a solve: allocator, log, progress callback, cancellation, last error.
//
// A context serves one call at a time. Two solves in two threads need two contexts. The library keeps no global state,
// never exits, never prints, and installs no signal handler.
#ifndef MCO_CONTEXT_H
#define MCO_CONTEXT_H

#include "mco/status.h"

MCO_BEGIN_C

typedef struct mco_context mco_context;

typedef enum mco_log_level {
    MCO_LOG_WARNING,
    MCO_LOG_INFO,   // also decisions and improvements
    MCO_LOG_DETAIL  // also everything else worth a line
} mco_log_level;

// Settings of a context. Start from MCO_CONTEXT_PARAMS_INIT. A field that is zero means the default.
typedef struct mco_context_params {
    size_t struct_size;
    // The allocator: both functions, or both NULL for malloc and free. `allocate` returns NULL on failure, else memory
    // that is aligned as malloc aligns it. Both run on the thread that calls the library. The
    // exceptions are mco_guillotine_solve_batch() and MCO_ENGINE_GPU_CONCURRENT: worker threads call them too, one
    // thread at a time.
    void *(*allocate)(size_t bytes, void *user);
    void (*release)(void *memory, void *user);
    void *allocator_user;
    // Receives each log line whose level is at most `log_level`, without its newline. The line is valid during the call
    // only. NULL: no log.
    void (*log)(mco_log_level level, const char *line, void *user);
    void *log_user;
    mco_log_level log_level;
} mco_context_params;

#define MCO_CONTEXT_PARAMS_INIT { sizeof(mco_context_params), NULL, NULL, NULL, NULL, NULL, MCO_LOG_INFO }

// Creates a context. `params` is copied; NULL means the defaults. Errors: ARGUMENT, MEMORY.
MCO_API mco_status mco_context_create(mco_context **out, const mco_context_params *params);

// Destroys *context and sets it to NULL. NULL and a pointer to NULL are allowed.
MCO_API void mco_context_destroy(mco_context **context);

// The text of the last failure on this context, or "" if there is none. Valid until the next call on the context.
MCO_API const char *mco_context_error(const mco_context *context);

typedef enum mco_event {
    MCO_EVENT_PROGRESS,  // the solve goes on; told at least every 0.2 s
    MCO_EVENT_INCUMBENT  // a better solution is known
} mco_event;

// State of a running solve. The objective and the bound are in the problem's unit, NaN while unknown. `solution` is the
// incumbent as the problem's own solution struct, which its header names (mco_flowshop_solution, mco_vrp_solution,
// ...). It is valid during the call only and must not be changed. It is NULL while there is none.
typedef struct mco_progress {
    mco_event event;
    double time_s;
    double objective;
    double bound;
    int64_t work;  // nodes, moves or iterations done so far
    const void *solution;
} mco_progress;

// One entry of a solve's history: the seconds since the solve began, and the objective and the proven bound from that
// moment on, in the problem's unit. NaN means unknown.
typedef struct mco_improvement {
    double time_s, objective, bound;
} mco_improvement;

// Runs on the thread that called solve, never concurrently. A nonzero return stops the solve soon. The solve then
// returns the incumbent with MCO_STOP_CANCELLED.
typedef int (*mco_callback)(const mco_progress *progress, void *user);
MCO_API void mco_context_set_callback(mco_context *context, mco_callback callback, void *user);

// Stops the running solve soon. Async-signal-safe. Any thread may call it. A solve clears the request when it ends, not
// when it starts. So a request made just before the solve also counts. A call that reads a file and waits for a pipe, or reads a
// large file, ends too: it clears the request and returns MCO_ERR_STOPPED.
MCO_API void mco_cancel(mco_context *context);

MCO_END_C
#endif
