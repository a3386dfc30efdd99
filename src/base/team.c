// SPDX-License-Identifier: MIT
#include "base/team.h"

#include <errno.h>
#include <string.h>
#include <time.h>

typedef struct mco_team_member {
    mco_team *team;
    int index;
} mco_team_member;

static void *member_main(void *argument)
{
    mco_team_member *member = argument;
    mco_team *team = member->team;
    // The lock is held until every member exists: nobody works in a team that is not complete.
    pthread_mutex_lock(&team->lock);
    bool is_complete = team->is_complete;
    pthread_mutex_unlock(&team->lock);
    if (is_complete)
        team->work(team->shared, member->index);
    pthread_mutex_lock(&team->lock);
    team->returned++;
    pthread_cond_signal(&team->changed);
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

mco_status mco_team_start(mco_context *ctx, int count, void (*work)(void *, int), void *shared, mco_team *team)
{
    mco_status st = MCO_OK;
    pthread_condattr_t attributes;
    *team = (mco_team){.ctx = ctx, .work = work, .shared = shared};
    MCO_TRY(mco_alloc(ctx, &team->threads, count));
    MCO_TRY(mco_alloc(ctx, &team->members, count));
    pthread_mutex_init(&team->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&team->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_lock(&team->lock);
    int error = 0;
    for (int i = 0; i < count && error == 0; i++) {
        team->members[i] = (mco_team_member){team, i};
        error = pthread_create(&team->threads[i], NULL, member_main, &team->members[i]);
        team->started += error == 0;
    }
    team->is_complete = error == 0;
    pthread_mutex_unlock(&team->lock);
    if (error != 0) {
        int started = team->started;
        mco_team_join(team);
        MCO_TRY(mco_fail(ctx, MCO_ERR_MEMORY, "only %d of %d threads could be started: %s", started, count,
                         strerror(error)));
    }
done:
    if (st != MCO_OK) {
        mco_free(ctx, &team->members);
        mco_free(ctx, &team->threads);
    }
    return st;
}

bool mco_team_wait(mco_team *team, double seconds)
{
    enum { LONGEST_S = 1000000 };  // keeps the sums below far from overflow
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    seconds = seconds > 0 ? seconds : 0;
    seconds = seconds < LONGEST_S ? seconds : LONGEST_S;
    int64_t nanoseconds = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
    pthread_mutex_lock(&team->lock);
    int error = 0;
    while (team->returned < team->started && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&team->changed, &team->lock, &until);
    bool is_done = team->returned == team->started;
    pthread_mutex_unlock(&team->lock);
    return is_done;
}

void mco_team_join(mco_team *team)
{
    if (team->threads == NULL)
        return;
    for (int i = 0; i < team->started; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    mco_free(team->ctx, &team->members);
    mco_free(team->ctx, &team->threads);
}
