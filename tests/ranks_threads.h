// SPDX-License-Identifier: MIT
// Ranks as threads of one process, so that calls of several ranks are tested where no MPI is.
#ifndef MCO_TEST_RANKS_THREADS_H
#define MCO_TEST_RANKS_THREADS_H

#include <pthread.h>

#include "base/ranks.h"
#include "test_support.h"

enum { RANKS_MOST = 8 };

typedef struct ranks_team {
    int count;
    pthread_barrier_t barrier;
    void *data[RANKS_MOST];  // of each rank, during a call
} ranks_team;

typedef struct ranks_member {
    ranks_team *team;
    mco_ranks ranks;
    mco_context *ctx;
    mco_status status;
    void (*work)(struct ranks_member *member);
    void *shared;  // of the test
} ranks_member;

static bool ranks_reduce(void *user, void *data, int64_t count, mco_reduction how)
{
    ranks_member *m = user;
    ranks_team *t = m->team;
    int64_t *sum = calloc((size_t)count, sizeof *sum);
    double *least = calloc((size_t)count, sizeof *least);
    t->data[m->ranks.rank] = data;
    pthread_barrier_wait(&t->barrier);
    for (int64_t k = 0; k < count; k++)
        for (int r = 0; r < t->count; r++) {
            const int64_t value = ((int64_t *)t->data[r])[k];
            const double real = ((double *)t->data[r])[k];
            sum[k] = r == 0 ? value : how == MCO_REDUCE_SUM ? sum[k] + value
                     : (how == MCO_REDUCE_MAX) == (value > sum[k]) ? value : sum[k];
            least[k] = r == 0 || real < least[k] ? real : least[k];
        }
    pthread_barrier_wait(&t->barrier);
    memcpy(data, how == MCO_REDUCE_LEAST ? (void *)least : (void *)sum, (size_t)count * sizeof *sum);
    free(sum);
    free(least);
    return true;
}

static bool ranks_gather(void *user, void *data, const int64_t *first)
{
    ranks_member *m = user;
    ranks_team *t = m->team;
    t->data[m->ranks.rank] = data;
    pthread_barrier_wait(&t->barrier);
    for (int r = 0; r < t->count; r++)
        if (r != m->ranks.rank)
            memcpy((char *)data + first[r], (char *)t->data[r] + first[r], (size_t)(first[r + 1] - first[r]));
    pthread_barrier_wait(&t->barrier);
    return true;
}

static bool ranks_broadcast(void *user, void *data, int64_t bytes, int root)
{
    ranks_member *m = user;
    ranks_team *t = m->team;
    t->data[m->ranks.rank] = data;
    pthread_barrier_wait(&t->barrier);
    if (root != m->ranks.rank)
        memcpy(data, t->data[root], (size_t)bytes);
    pthread_barrier_wait(&t->barrier);
    return true;
}

static void *ranks_thread(void *argument)
{
    ranks_member *m = argument;
    m->work(m);
    return NULL;
}

// Runs work(member) on `count` ranks, each with a context of its own, and hands the last state of each to `members` [count]. Contexts
// live until ranks_close().
TEST_UNUSED static void ranks_run(int count, void (*work)(ranks_member *), void *shared, ranks_member *members)
{
    static ranks_team team;
    pthread_t threads[RANKS_MOST];
    team = (ranks_team){.count = count};
    pthread_barrier_init(&team.barrier, NULL, (unsigned)count);
    for (int r = 0; r < count; r++) {
        members[r] = (ranks_member){.team = &team, .work = work, .shared = shared,
                                    .ranks = {.rank = r, .count = count, .reduce = ranks_reduce, .gather = ranks_gather,
                                              .broadcast = ranks_broadcast, .user = &members[r]}};
        assert_int_equal(mco_context_create(&members[r].ctx, NULL), MCO_OK);
        members[r].ctx->ranks = &members[r].ranks;
    }
    for (int r = 0; r < count; r++)
        assert_int_equal(pthread_create(&threads[r], NULL, ranks_thread, &members[r]), 0);
    for (int r = 0; r < count; r++)
        pthread_join(threads[r], NULL);
    pthread_barrier_destroy(&team.barrier);
}

TEST_UNUSED static void ranks_close(int count, ranks_member *members)
{
    for (int r = 0; r < count; r++)
        mco_context_destroy(&members[r].ctx);
}

#endif
