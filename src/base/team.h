// SPDX-License-Identifier: MIT
// A team of worker threads. The calling thread supervises: it alone logs, calls back, writes files
// and watches the clock, so that workers do nothing but work.
#ifndef MCO_BASE_TEAM_H
#define MCO_BASE_TEAM_H

#include <pthread.h>

#include "base/context.h"

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
} mco_team;

// Starts `count` threads, each running work(shared, 0..count-1). Errors: MEMORY; none is left running.
mco_status mco_team_start(mco_context *ctx, int count, void (*work)(void *, int), void *shared, mco_team *team);
// Waits until every worker has returned, or for `seconds` (at most 10^6); true if all have.
bool mco_team_wait(mco_team *team, double seconds);
// Waits for all and releases the team. Fine on a zeroed team.
void mco_team_join(mco_team *team);

#endif
