// SPDX-License-Identifier: MIT
// Inside of a context: errors, allocation, log lines, progress, cancellation.
#ifndef MCO_BASE_CONTEXT_H
#define MCO_BASE_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "mco/context.h"

enum { MCO_ERROR_LENGTH = 512 };

struct mco_context {
    mco_context_params params;
    mco_context *parent;   // of a worker's context; NULL: the caller's own
    pthread_mutex_t lock;  // of the caller's allocator
    mco_callback callback;
    void *callback_user;
    atomic_bool is_cancelled;
    double created_s;  // mco_clock_s()
    char error[MCO_ERROR_LENGTH];
    struct mco_gpu *gpus;  // [gpu_count] described before; NULL: none were
    int gpu_count;
};

// Records the message and returns `status`: `return mco_fail(ctx, MCO_ERR_LIMIT, ...)`. Safe with
// a NULL context. The message carries the value seen and the value expected.
mco_status mco_fail(mco_context *ctx, mco_status status, const char *format, ...) MCO_PRINTF(3, 4);

// What a checker says of a solution that the caller gives to start with: a wrong argument.
static inline mco_status mco_as_argument(mco_status status)
{
    return status == MCO_ERR_CHECK ? MCO_ERR_ARGUMENT : status;
}

// Needs `mco_status st` and a label `done`: leaves the function through its one exit on failure.
#define MCO_TRY(call)             \
    do {                          \
        st = (call);              \
        if (st != MCO_OK)         \
            goto done;            \
    } while (0)

// Zeroed array of `count` items in *out, aligned to 64 bytes (one vector, one cache line). Zero
// items give a valid pointer. Errors: MEMORY, with the size asked for.
mco_status mco_alloc_bytes(mco_context *ctx, void **out, size_t count, size_t item_bytes);
void mco_free_bytes(mco_context *ctx, void **memory);
#define mco_alloc(ctx, out, count) mco_alloc_bytes(ctx, (void **)(out), (size_t)(count), sizeof **(out))
#define mco_free(ctx, out) mco_free_bytes(ctx, (void **)(out))

// A context for a worker thread: its own errors, no log, no callback, memory from the parent's allocator, which one thread at a
// time calls. Destroyed by mco_context_destroy(), before its parent. Any thread. Errors: MEMORY, without a message.
mco_status mco_context_create_child(mco_context *parent, mco_context **out);

void mco_log(mco_context *ctx, mco_log_level level, const char *format, ...) MCO_PRINTF(3, 4);

bool mco_wants_log(const mco_context *ctx, mco_log_level level);

// The end of a noun in a message that stands for `count` things.
static inline const char *mco_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

// Tells the callback; true if it asks to stop or a cancellation is pending.
bool mco_call_back(mco_context *ctx, const mco_progress *progress);
bool mco_is_cancelled(const mco_context *ctx);
void mco_clear_cancel(mco_context *ctx);

#endif
