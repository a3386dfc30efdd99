// SPDX-License-Identifier: MIT
// Worker threads. The calling thread supervises: it alone logs, calls the callback, writes files and watches the clock.
// So workers do nothing but work.
//
// A team for one job uses mco_team_start(), mco_team_wait() and mco_team_join(). A resident team runs many jobs, one
// after the other. Each job is a number of items. It uses mco_team_open(), mco_team_run() and mco_team_close().
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
    bool is_valid;           // enough threads exist; guarded by the lock
    pthread_mutex_t lock;
    pthread_cond_t changed;
    // Only of a resident team. All but `next` are guarded by the lock.
    int workers;             // who take items: the threads, and the calling thread if it works too
    bool is_supervised;      // the calling thread only watches
    pthread_cond_t has_job;
    mco_team_item *item_work;
    void *item_shared;
    int64_t items, job;      // of the job: how many items it has, its number
    atomic_int_least64_t next;
    int busy;                // threads that have not yet finished the job
    bool is_closing;
} mco_team;

// Starts `count` threads. Thread k runs work(shared, k), k = 0..count-1. Errors: MEMORY; then no thread is left
// running.
mco_status mco_team_start(mco_context *ctx, int count, void (*work)(void *, int), void *shared, mco_team *team);
// Starts as many of `count` threads as it can: team->started of them, which may be none. If these are fewer than `count`,
// a warning tells how many, and settle(shared, started) is called before any of them works; `settle` may be NULL. Errors:
// MEMORY.
mco_status mco_team_start_some(mco_context *ctx, int count, void (*work)(void *, int), void (*settle)(void *shared, int started),
                               void *shared, mco_team *team);
// Waits until every worker has returned, but at most `seconds` (at most 10^6). Returns true if all have returned.
bool mco_team_wait(mco_team *team, double seconds);
// Waits for all workers and releases the team. A zeroed team is allowed. The wait is not limited: workers must end by
// themselves.
void mco_team_join(mco_team *team);

// Starts a resident team of `workers`. With `is_supervised` all of them are threads, and the calling thread only
// watches. Else the calling thread is the last worker. If fewer threads can be started, the team works with these, and
// a warning tells how many. If none can, the calling thread does all items. Errors: MEMORY.
mco_status mco_team_open(mco_context *ctx, int workers, bool is_supervised, mco_team *team);
// Runs work(shared, worker, item) once for every item 0..items-1 and returns when all are done. The workers take the
// items in that order. Meanwhile the calling thread of a supervised team calls watch(shared). It returns the seconds
// until its next call. `watch` NULL: the calling thread only waits. Without any thread, watch() follows every item.
void mco_team_run(mco_team *team, int64_t items, mco_team_item *work, double (*watch)(void *shared), void *shared);
// Ends the threads and releases the team. A zeroed team is allowed.
void mco_team_close(mco_team *team);

#endif
