// SPDX-License-Identifier: MIT
// Ranks: processes that solve one problem together, each with the whole instance and a part of the work. The library knows a
// table of functions; who starts the processes fills it (the command by MPI, tests by threads), so that no program has to link MPI.
//
// Every rank calls the same collective functions in the same order, on the thread that called the library. Each call begins with
// a word from all ranks about what they are about to do. So a rank that failed tells the others in whatever call they are, all of
// them get its status and its message, and no rank waits for one that has given up. After that every call fails at once.
//
// A wait for other ranks ends when all of them call, when one of them fails, or by a signal. The launcher ends the ranks that are
// left when a process dies.
//
// Ranks may also part: they send each other letters through a channel from then on, and no collective waits any more. So a rank that
// is stopped holds nobody up.
#ifndef MCO_BASE_RANKS_H
#define MCO_BASE_RANKS_H

#include "base/context.h"

struct mco_channel;  // cluster/channel.h

typedef enum mco_reduction {
    MCO_REDUCE_SUM,   // of int64_t, exact in any order
    MCO_REDUCE_MAX,   // of int64_t
    MCO_REDUCE_MIN,   // of int64_t
    MCO_REDUCE_LEAST  // of double; sums of floating point are made from what was gathered, in the order of the ranks
} mco_reduction;

typedef struct mco_ranks {
    int rank, count;
    // All three return whether it worked, and all ranks agree on that.
    // Reduces data [count] over all ranks, in place.
    bool (*reduce)(void *user, void *data, int64_t count, mco_reduction how);
    // Rank r has filled the bytes first[r] to first[r + 1] - 1 of data; all bytes are filled afterwards. first [ranks + 1]
    bool (*gather)(void *user, void *data, const int64_t *first);
    // Copies data [bytes] of rank `root` to all ranks.
    bool (*broadcast)(void *user, void *data, int64_t bytes, int root);
    // Opens a channel between the ranks; a peer is a rank. NULL: there is none. Errors: MEMORY.
    mco_status (*open_channel)(void *user, mco_context *ctx, struct mco_channel *out);
    void *user;
    bool have_parted;   // collectives leave the data of each rank as it is
    bool must_abort;    // a rank that has parted does not answer, so the launcher has to end it
    bool must_leave;    // rank 0 has no answer from another rank: this one ends when rank 0 has written its files, without the others
    mco_status failed;  // what all ranks ended with; OK: none has failed
    char error[MCO_ERROR_LENGTH];
} mco_ranks;

// How many ranks share the call, 1 without a cluster; whether one has failed; and which of them this is.
static inline int mco_rank_count(const mco_context *ctx)
{
    return ctx->ranks != NULL ? ctx->ranks->count : 1;
}
static inline bool mco_ranks_have_failed(const mco_context *ctx)
{
    return ctx->ranks != NULL && ctx->ranks->failed != MCO_OK;
}
static inline int mco_rank(const mco_context *ctx)
{
    return ctx->ranks != NULL ? ctx->ranks->rank : 0;
}

// The part of `items` that a rank has if each takes a range of about equal size: its first one. Rank mco_rank_count() gives `items`.
static inline int64_t mco_rank_first(const mco_context *ctx, int64_t items, int rank)
{
    const int64_t count = mco_rank_count(ctx), whole = items / count, rest = items % count;
    return whole * rank + (rank < rest ? rank : rest);
}

// Collectives. One rank alone, or one that has parted, leaves the data as it is. Errors: what another rank failed with, with its message; INTERNAL (the
// transport failed, or ranks disagree on what they do).
mco_status mco_ranks_reduce(mco_context *ctx, void *data, int64_t count, mco_reduction how);
mco_status mco_ranks_gather(mco_context *ctx, void *data, const int64_t *first);
mco_status mco_ranks_broadcast(mco_context *ctx, void *data, int64_t bytes, int root);
// The end of a part of the work: OK if all ranks are OK, else the failure of the least rank that failed, with its message.
mco_status mco_ranks_agree(mco_context *ctx, mco_status status);
// *value becomes the greatest (least) value of all ranks.
mco_status mco_ranks_greatest(mco_context *ctx, int64_t *value);
mco_status mco_ranks_least(mco_context *ctx, double *value);

#endif
