// SPDX-License-Identifier: MIT
// Worker threads. The calling thread supervises: it alone logs, calls back, writes files and watches the clock, so that workers
// do nothing but work.
//
// A crew of threads for one job: mco_team_start(), mco_team_wait(), mco_team_join(). A resident team for many jobs, one after
// the other, each a number of items: mco_team_open(), mco_team_run(), mco_team_close().
#ifndef MCO_BASE_TEAM_H
#define MCO_BASE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/context.h"

typedef void mco_team_item(void *shared, int worker, int64_t item);

typedef struct mco_team {
    mco_context *ctx;
    void (*work)(void *shared, int worker);
    void *shared;
    pthread_t *threads;      // [started]
    struct mco_team_member *members;
    int started;
    int returned;            // guarded by the lock
    bool is_complete;        // every thread exists; guarded by the lock
    pthread_mutex_t lock;
    pthread_cond_t changed;
    // Of a resident team; guarded by the lock, but for `next`.
    int workers;             // that take items: the threads, and the calling thread where it works too
    pthread_cond_t has_job;
    mco_team_item *item_work;
    void *item_shared;
    int64_t items, job;      // the job's number
    atomic_int_least64_t next;
    int busy;                // threads that have not finished the job
    bool is_closing;
} mco_team;

// Starts `count` threads, each running work(shared, 0..count-1). Errors: MEMORY; none is left running.
mco_status mco_team_start(mco_context *ctx, int count, void (*work)(void *, int), void *shared, mco_team *team);
// Waits until every worker has returned, or for `seconds` (at most 10^6); true if all have.
bool mco_team_wait(mco_team *team, double seconds);
// Waits for all and releases the team. Fine on a zeroed team. It ends because workers end: they hold that duty.
void mco_team_join(mco_team *team);

// A resident team of `workers`. With `is_supervised` all of them are threads and the calling thread only watches; else it is
// the last of them. Errors: MEMORY.
mco_status mco_team_open(mco_context *ctx, int workers, bool is_supervised, mco_team *team);
// Runs work(shared, worker, item) once for every item 0..items-1, the workers taking them in that order, and returns when all
// are done. Of a supervised team, the calling thread meanwhile calls watch(shared), which returns the seconds until it is to be
// called again; NULL: it only waits.
void mco_team_run(mco_team *team, int64_t items, mco_team_item *work, double (*watch)(void *shared), void *shared);
// Fine on a zeroed team.
void mco_team_close(mco_team *team);

#endif
