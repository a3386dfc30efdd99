// SPDX-License-Identifier: MIT
#include "base/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// What a rank is about to do. The maximum over all ranks says whether all do the same, and who has failed first.
enum { KIND_REDUCE = 1, KIND_GATHER = 2, KIND_BROADCAST = 3, KIND_AGREE = 4 };
typedef struct word {
    int64_t failed;              // count - rank of a rank that failed, else 0
    int64_t kind, other_kind;    // and its negative, so that the maxima are opposite if all are equal
    int64_t size, other_size;
} word;
enum { WORD_SIZE = sizeof(word) / sizeof(int64_t) };

typedef struct failure {
    int32_t status;
    char error[MCO_ERROR_LENGTH];
} failure;

static mco_status fail_all(mco_context *ctx, mco_status status, const char *text)
{
    mco_ranks *r = ctx->ranks;
    char copy[MCO_ERROR_LENGTH];  // `text` may be the context's own
    snprintf(copy, sizeof copy, "%s", text);
    r->failed = status;
    memcpy(r->error, copy, sizeof copy);
    return mco_fail(ctx, status, "%s", copy);
}

// Rank `who` tells what happened to it.
static mco_status spread_failure(mco_context *ctx, int who, mco_status status)
{
    mco_ranks *r = ctx->ranks;
    failure f = {.status = status};
    snprintf(f.error, sizeof f.error, "%s", ctx->error[0] != '\0' ? ctx->error : mco_status_text(status));
    if (!r->broadcast(r->user, &f, sizeof f, who))
        return fail_all(ctx, MCO_ERR_INTERNAL, "the transport between the ranks failed");
    if (who == 0)
        return fail_all(ctx, (mco_status)f.status, f.error);
    char text[MCO_ERROR_LENGTH];
    const int begin = snprintf(text, sizeof text, "rank %d: ", who);
    snprintf(text + begin, sizeof text - (size_t)begin, "%.*s", (int)(sizeof text - (size_t)begin) - 1, f.error);
    return fail_all(ctx, (mco_status)f.status, text);
}

// All ranks say what comes next. OK: all do the same, and none has failed.
static mco_status announce(mco_context *ctx, mco_status status, int64_t kind, int64_t size)
{
    mco_ranks *r = ctx->ranks;
    word w = {.failed = status != MCO_OK ? r->count - r->rank : 0, .kind = kind, .other_kind = -kind, .size = size,
              .other_size = -size};
    if (r->failed != MCO_OK)
        return mco_fail(ctx, r->failed, "%s", r->error);
    if (!r->reduce(r->user, &w, WORD_SIZE, MCO_REDUCE_MAX))
        return fail_all(ctx, MCO_ERR_INTERNAL, "the transport between the ranks failed");
    if (w.failed > 0)
        return spread_failure(ctx, r->count - (int)w.failed, status);
    if (w.kind == -w.other_kind && w.size == -w.other_size)
        return MCO_OK;
    char text[MCO_ERROR_LENGTH];
    snprintf(text, sizeof text, "ranks disagree: rank %d is at call %" PRId64 " of size %" PRId64 ", others are at calls %" PRId64
             " to %" PRId64 " of sizes %" PRId64 " to %" PRId64, r->rank, kind, size, -w.other_kind, w.kind, -w.other_size, w.size);
    return fail_all(ctx, MCO_ERR_INTERNAL, text);
}

static bool is_alone(const mco_context *ctx)
{
    return mco_rank_count(ctx) == 1 || ctx->ranks->have_parted;
}

static mco_status as_status(mco_context *ctx, bool has_worked)
{
    return has_worked ? MCO_OK : fail_all(ctx, MCO_ERR_INTERNAL, "the transport between the ranks failed");
}

mco_status mco_ranks_reduce(mco_context *ctx, void *data, int64_t count, mco_reduction how)
{
    mco_ranks *r = ctx->ranks;
    if (is_alone(ctx))
        return MCO_OK;
    const mco_status st = announce(ctx, MCO_OK, KIND_REDUCE, count);
    return st == MCO_OK && count > 0 ? as_status(ctx, r->reduce(r->user, data, count, how)) : st;
}

mco_status mco_ranks_gather(mco_context *ctx, void *data, const int64_t *first)
{
    mco_ranks *r = ctx->ranks;
    if (is_alone(ctx))
        return MCO_OK;
    const mco_status st = announce(ctx, MCO_OK, KIND_GATHER, first[r->count]);
    return st == MCO_OK && first[r->count] > 0 ? as_status(ctx, r->gather(r->user, data, first)) : st;
}

mco_status mco_ranks_broadcast(mco_context *ctx, void *data, int64_t bytes, int root)
{
    mco_ranks *r = ctx->ranks;
    if (is_alone(ctx))
        return MCO_OK;
    const mco_status st = announce(ctx, MCO_OK, KIND_BROADCAST, bytes);
    return st == MCO_OK && bytes > 0 ? as_status(ctx, r->broadcast(r->user, data, bytes, root)) : st;
}

mco_status mco_ranks_agree(mco_context *ctx, mco_status status)
{
    if (is_alone(ctx))
        return status;
    return announce(ctx, status, KIND_AGREE, 0);
}

mco_status mco_ranks_greatest(mco_context *ctx, int64_t *value)
{
    return mco_ranks_reduce(ctx, value, 1, MCO_REDUCE_MAX);
}

mco_status mco_ranks_least(mco_context *ctx, double *value)
{
    return mco_ranks_reduce(ctx, value, 1, MCO_REDUCE_LEAST);
}
