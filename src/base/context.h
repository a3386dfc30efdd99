// SPDX-License-Identifier: MIT
// The inside of a context: errors, allocation, log lines, progress, cancellation.
#ifndef MCO_BASE_CONTEXT_H
#define MCO_BASE_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "mco/context.h"

enum { MCO_ERROR_LENGTH = 512 };

struct mco_context {
    mco_context_params params;
    mco_context *parent;   // of a worker's context; NULL: this is the caller's own context
    pthread_mutex_t lock;  // held while the caller's allocator runs
    mco_callback callback;
    void *callback_user;
    atomic_bool is_cancelled;
    double created_s;  // mco_clock_s()
    double read_stop_s;  // the same clock; files that are still being read then are given up; 0: never
    double call_stop_s;  // the same clock; what a solve does before and behind its search is given up then; 0: never
    char error[MCO_ERROR_LENGTH];
    struct mco_gpu *gpus;  // [gpu_count] GPUs that were already listed; NULL: none
    int gpu_count;
    struct mco_ranks *ranks;  // borrowed; processes that share the call (base/ranks.h); NULL: this one alone
};

// Records the message and returns `status`: `return mco_fail(ctx, MCO_ERR_LIMIT, ...)`. `ctx` may be NULL. The message
// gives the value seen and the value expected.
mco_status mco_fail(mco_context *ctx, mco_status status, const char *format, ...) MCO_PRINTF(3, 4);

// The status for a start solution of the caller that fails the check: it is a wrong argument.
static inline mco_status mco_as_argument(mco_status status)
{
    return status == MCO_ERR_CHECK ? MCO_ERR_ARGUMENT : status;
}

// On failure leaves the function through its one exit. Needs a variable `mco_status st` and a label `done`.
#define MCO_TRY(call)             \
    do {                          \
        st = (call);              \
        if (st != MCO_OK)         \
            goto done;            \
    } while (0)

// Allocates a zeroed array of `count` items in *out, aligned to 64 bytes (one vector, one cache line). Zero items give
// a valid pointer. Errors: MEMORY, with the size asked for.
mco_status mco_alloc_bytes(mco_context *ctx, void **out, size_t count, size_t item_bytes);
void mco_free_bytes(mco_context *ctx, void **memory);
#define mco_alloc(ctx, out, count) mco_alloc_bytes(ctx, (void **)(out), (size_t)(count), sizeof **(out))
// The same without zeros: for large blocks that are written before they are read.
mco_status mco_alloc_unset_bytes(mco_context *ctx, void **out, size_t count, size_t item_bytes);
#define mco_alloc_unset(ctx, out, count) mco_alloc_unset_bytes(ctx, (void **)(out), (size_t)(count), sizeof **(out))
#define mco_free(ctx, out) mco_free_bytes(ctx, (void **)(out))

// Creates a context for a worker thread. It has its own errors, no log and no callback. Its memory comes from the
// parent's allocator, which one thread at a time calls. mco_context_destroy() destroys it, before its parent. Any
// thread may call this. Errors: MEMORY, without a message.
mco_status mco_context_create_child(mco_context *parent, mco_context **out);

void mco_log(mco_context *ctx, mco_log_level level, const char *format, ...) MCO_PRINTF(3, 4);

bool mco_wants_log(const mco_context *ctx, mco_log_level level);

// The plural ending of a noun in a message, for `count` things.
static inline const char *mco_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

// Calls the callback. Returns true if it asks to stop or if a cancellation is pending.
bool mco_call_back(mco_context *ctx, const mco_progress *progress);
bool mco_is_cancelled(const mco_context *ctx);
// Whether the call is cancelled, or beyond call_stop_s or read_stop_s. The context of a worker asks its parent's. Any thread may call it.
bool mco_call_is_over(const mco_context *ctx);
// For long loops that do not call mco_run_must_stop(): every 2^14th item asks that. Errors: STOPPED.
mco_status mco_call_in_time(mco_context *ctx, int64_t item);
void mco_clear_cancel(mco_context *ctx);

#endif
