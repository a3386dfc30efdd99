// SPDX-License-Identifier: MIT
#include "base/team.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

// Time before the first call of watch(). So a short job ends undisturbed, even if the time limit has passed.
static const double FIRST_WAIT_S = 0.005;

typedef struct mco_team_member {
    mco_team *team;
    int index;
} mco_team_member;

static void *member_main(void *argument)
{
    mco_team_member *member = argument;
    mco_team *team = member->team;
    // start() holds the lock until all threads exist, so nobody works before.
    pthread_mutex_lock(&team->lock);
    const bool is_valid = team->is_valid;
    pthread_mutex_unlock(&team->lock);
    if (is_valid)
        team->work(team->shared, member->index);
    pthread_mutex_lock(&team->lock);
    team->returned++;
    pthread_cond_signal(&team->changed);
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

// Starts the threads. The caller has set what they run; the rest of the team is zero. If fewer than `least` can be
// started, none works and none is left.
static mco_status start(mco_context *ctx, int least, int count, void (*settle)(void *, int), mco_team *team)
{
    mco_status st = MCO_OK;
    team->ctx = ctx;
    MCO_TRY(mco_alloc(ctx, &team->threads, count));
    MCO_TRY(mco_alloc(ctx, &team->members, count));
    pthread_mutex_init(&team->lock, NULL);
    mco_clock_condition(&team->changed);
    pthread_mutex_lock(&team->lock);
    int error = 0;
    for (int i = 0; i < count && error == 0; i++) {
        team->members[i] = (mco_team_member){team, i};
        error = pthread_create(&team->threads[i], NULL, member_main, &team->members[i]);
        team->started += error == 0;
    }
    const int started = team->started;
    team->is_valid = started >= least;
    if (team->is_valid && started < count && settle != NULL)
        settle(team->shared, started);
    pthread_mutex_unlock(&team->lock);
    if (started < least) {
        mco_team_join(team);
        MCO_TRY(mco_fail(ctx, MCO_ERR_MEMORY, "only %d of %d threads could be started: %s", started, count, strerror(error)));
    }
    if (started < count)
        mco_log(ctx, MCO_LOG_WARNING, "only %d of %d threads could be started: %s", started, count, strerror(error));
done:
    if (st != MCO_OK) {
        mco_free(ctx, &team->members);
        mco_free(ctx, &team->threads);
    }
    return st;
}

mco_status mco_team_start(mco_context *ctx, int count, void (*work)(void *, int), void *shared, mco_team *team)
{
    *team = (mco_team){.work = work, .shared = shared};
    return start(ctx, count, count, NULL, team);
}

mco_status mco_team_start_some(mco_context *ctx, int count, void (*work)(void *, int), void (*settle)(void *shared, int started),
                               void *shared, mco_team *team)
{
    *team = (mco_team){.work = work, .shared = shared};
    return start(ctx, 0, count, settle, team);
}

bool mco_team_wait(mco_team *team, double seconds)
{
    const struct timespec until = mco_clock_after(seconds);
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

// ---- Resident teams

static void take_items(mco_team *team, int worker)
{
    for (int64_t item; (item = atomic_fetch_add_explicit(&team->next, 1, memory_order_relaxed)) < team->items;)
        team->item_work(team->item_shared, worker, item);
}

// Where there is no thread: the calling thread works and watches.
static void take_items_watched(mco_team *team, double (*watch)(void *shared))
{
    for (int64_t item = 0; item < team->items; item++) {
        team->item_work(team->item_shared, team->workers - 1, item);
        (void)watch(team->item_shared);
    }
}

static void resident_work(void *shared, int worker)
{
    mco_team *team = shared;
    int64_t job = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        // The wait ends with the next job, or when the team is closed.
        while (team->job == job && !team->is_closing)
            pthread_cond_wait(&team->has_job, &team->lock);
        if (team->is_closing)
            break;
        job = team->job;
        pthread_mutex_unlock(&team->lock);
        take_items(team, worker);
        pthread_mutex_lock(&team->lock);
        if (--team->busy == 0)
            pthread_cond_signal(&team->changed);
    }
    pthread_mutex_unlock(&team->lock);
}

mco_status mco_team_open(mco_context *ctx, int workers, bool is_supervised, mco_team *team)
{
    *team = (mco_team){.work = resident_work, .shared = team, .workers = workers, .is_supervised = is_supervised};
    pthread_cond_init(&team->has_job, NULL);
    return start(ctx, 0, is_supervised ? workers : workers - 1, NULL, team);
}

void mco_team_run(mco_team *team, int64_t items, mco_team_item *work, double (*watch)(void *shared), void *shared)
{
    pthread_mutex_lock(&team->lock);
    team->item_work = work;
    team->item_shared = shared;
    team->items = items;
    atomic_store(&team->next, 0);
    team->busy = team->started;
    team->job++;
    pthread_cond_broadcast(&team->has_job);
    pthread_mutex_unlock(&team->lock);
    if (team->started == 0 && watch != NULL)
        take_items_watched(team, watch);
    else if (!team->is_supervised || team->started == 0)
        take_items(team, team->workers - 1);
    pthread_mutex_lock(&team->lock);
    for (double wait_s = FIRST_WAIT_S; team->busy > 0;) {
        if (watch == NULL) {  // the wait ends when the last worker has no item left
            pthread_cond_wait(&team->changed, &team->lock);
            continue;
        }
        const struct timespec until = mco_clock_after(wait_s);
        for (int error = 0; team->busy > 0 && error != ETIMEDOUT;)
            error = pthread_cond_timedwait(&team->changed, &team->lock, &until);
        if (team->busy > 0) {
            pthread_mutex_unlock(&team->lock);
            wait_s = watch(shared);
            pthread_mutex_lock(&team->lock);
        }
    }
    pthread_mutex_unlock(&team->lock);
}

void mco_team_close(mco_team *team)
{
    if (team->threads == NULL)
        return;
    pthread_mutex_lock(&team->lock);
    team->is_closing = true;
    pthread_cond_broadcast(&team->has_job);
    pthread_mutex_unlock(&team->lock);
    mco_team_join(team);
    pthread_cond_destroy(&team->has_job);
}
