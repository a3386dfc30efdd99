// SPDX-License-Identifier: MIT
// Status texts and the context.
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/structs.h"

#define ENUM_CASE(name, value, text) case name: return text;

const char *mco_status_text(mco_status status)
{
    switch (status) { MCO_STATUS_LIST(ENUM_CASE) }
    return "?";
}

const char *mco_outcome_text(mco_outcome outcome)
{
    switch (outcome) { MCO_OUTCOME_LIST(ENUM_CASE) }
    return "?";
}

const char *mco_stop_text(mco_stop stop)
{
    switch (stop) { MCO_STOP_LIST(ENUM_CASE) }
    return "?";
}

// Returns zeroed memory. Large blocks are pages that nobody has touched, and cost nothing until they are used.
static void *default_allocate(size_t bytes, void *user)
{
    (void)user;
    return calloc(1, bytes);
}

static void default_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

mco_status mco_context_create(mco_context **out, const mco_context_params *params)
{
    mco_context_params p = MCO_CONTEXT_PARAMS_INIT;
    if (out == NULL || (params != NULL && MCO_TAKE(NULL, params, &p) != MCO_OK))
        return MCO_ERR_ARGUMENT;
    if ((p.allocate == NULL) != (p.release == NULL))
        return MCO_ERR_ARGUMENT;
    if (p.allocate == NULL) {
        p.allocate = default_allocate;
        p.release = default_release;
    }
    mco_context *ctx = p.allocate(sizeof *ctx, p.allocator_user);
    if (ctx == NULL)
        return MCO_ERR_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->params = p;
    atomic_init(&ctx->is_cancelled, false);
    pthread_mutex_init(&ctx->lock, NULL);
    ctx->created_s = mco_clock_s();
    *out = ctx;
    return MCO_OK;
}

// ---- Contexts of worker threads

static void *allocate_by_parent(size_t bytes, void *user)
{
    mco_context *parent = user;
    pthread_mutex_lock(&parent->lock);
    void *block = parent->params.allocate(bytes, parent->params.allocator_user);
    pthread_mutex_unlock(&parent->lock);
    return block;
}

static void release_by_parent(void *block, void *user)
{
    mco_context *parent = user;
    pthread_mutex_lock(&parent->lock);
    parent->params.release(block, parent->params.allocator_user);
    pthread_mutex_unlock(&parent->lock);
}

// With the default allocator no lock is needed: any thread may call it.
mco_status mco_context_create_child(mco_context *parent, mco_context **out)
{
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    if (parent->params.allocate != default_allocate) {
        params.allocate = allocate_by_parent;
        params.release = release_by_parent;
        params.allocator_user = parent;
    }
    const mco_status st = mco_context_create(out, &params);
    if (st == MCO_OK)
        (*out)->parent = parent;
    return st;
}

void mco_context_destroy(mco_context **context)
{
    if (context == NULL || *context == NULL)
        return;
    mco_context *ctx = *context;
    *context = NULL;
    mco_free(ctx, &ctx->gpus);
    pthread_mutex_destroy(&ctx->lock);
    ctx->params.release(ctx, ctx->params.allocator_user);
}

const char *mco_context_error(const mco_context *context)
{
    return context != NULL ? context->error : "";
}

mco_status mco_fail(mco_context *ctx, mco_status status, const char *format, ...)
{
    if (ctx != NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(ctx->error, sizeof ctx->error, format, args);
        va_end(args);
    }
    return status;
}

// The original pointer is stored just before the aligned block. So the allocator may have any alignment.
enum { ALIGNMENT = 64 };

// Worker contexts share the caller's allocator, so every call of it holds the lock of the caller's context.
static void *allocate(mco_context *ctx, size_t bytes, bool is_zeroed)
{
    return ctx->params.allocate == default_allocate ? is_zeroed ? default_allocate(bytes, NULL) : malloc(bytes)
           : ctx->parent != NULL                    ? ctx->params.allocate(bytes, ctx->params.allocator_user)
                                                    : allocate_by_parent(bytes, ctx);
}

static mco_status allocate_items(mco_context *ctx, void **out, size_t count, size_t item_bytes, bool is_zeroed)
{
    size_t bytes;
    void *block = NULL;
    if (!__builtin_mul_overflow(count, item_bytes, &bytes) && bytes <= SIZE_MAX - 2 * ALIGNMENT)
        block = allocate(ctx, bytes + 2 * ALIGNMENT, is_zeroed);
    if (block == NULL)
        return mco_fail(ctx, MCO_ERR_MEMORY, "out of memory: %zu items of %zu bytes were asked for", count,
                        item_bytes);
    uintptr_t aligned = ((uintptr_t)block + sizeof(void *) + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    ((void **)aligned)[-1] = block;
    if (is_zeroed && ctx->params.allocate != default_allocate)
        memset((void *)aligned, 0, bytes);
    *out = (void *)aligned;
    return MCO_OK;
}

mco_status mco_alloc_bytes(mco_context *ctx, void **out, size_t count, size_t item_bytes)
{
    return allocate_items(ctx, out, count, item_bytes, true);
}

mco_status mco_alloc_unset_bytes(mco_context *ctx, void **out, size_t count, size_t item_bytes)
{
    return allocate_items(ctx, out, count, item_bytes, false);
}

void mco_free_bytes(mco_context *ctx, void **memory)
{
    if (*memory == NULL)
        return;
    void *block = ((void **)*memory)[-1];
    if (ctx->parent != NULL || ctx->params.allocate == default_allocate)
        ctx->params.release(block, ctx->params.allocator_user);
    else
        release_by_parent(block, ctx);
    *memory = NULL;
}

bool mco_wants_log(const mco_context *ctx, mco_log_level level)
{
    return ctx->params.log != NULL && level <= ctx->params.log_level;
}

void mco_log(mco_context *ctx, mco_log_level level, const char *format, ...)
{
    if (!mco_wants_log(ctx, level))
        return;
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ctx->params.log(level, line, ctx->params.log_user);
}

void mco_context_set_callback(mco_context *context, mco_callback callback, void *user)
{
    if (context == NULL)
        return;
    context->callback = callback;
    context->callback_user = user;
}

void mco_cancel(mco_context *context)
{
    if (context != NULL)
        atomic_store_explicit(&context->is_cancelled, true, memory_order_relaxed);
}

bool mco_is_cancelled(const mco_context *ctx)
{
    return atomic_load_explicit(&ctx->is_cancelled, memory_order_relaxed);
}

bool mco_call_is_over(const mco_context *ctx)
{
    const mco_context *of = ctx->parent != NULL ? ctx->parent : ctx;
    const double now = mco_clock_s();
    return mco_is_cancelled(of) || (of->call_stop_s != 0 && now >= of->call_stop_s) || (of->read_stop_s != 0 && now >= of->read_stop_s);
}

mco_status mco_call_in_time(mco_context *ctx, int64_t item)
{
    enum { LOOK = 1 << 14 };
    if (item % LOOK != 0 || !mco_call_is_over(ctx))
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_STOPPED, "the call was cancelled or reached its time limit before there was a solution");
}

void mco_clear_cancel(mco_context *ctx)
{
    atomic_store_explicit(&ctx->is_cancelled, false, memory_order_relaxed);
}

bool mco_call_back(mco_context *ctx, const mco_progress *progress)
{
    if (ctx->callback != NULL && ctx->callback(progress, ctx->callback_user) != 0)
        return true;
    return mco_is_cancelled(ctx);
}
