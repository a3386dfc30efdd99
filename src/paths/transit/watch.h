// SPDX-License-Identifier: MIT
// Whether a search must stop. Searches ask every few thousand steps, so that they end within milliseconds.
#ifndef MCO_PATHS_TRANSIT_WATCH_H
#define MCO_PATHS_TRANSIT_WATCH_H

#include <stdatomic.h>

#include "base/run.h"

// Of one thread. Either pointer may be NULL.
typedef struct transit_watch {
    const atomic_bool *must_stop;  // set by another thread
    mco_run *run;                  // of this thread: its clock and its requests
    bool is_stopped;               // stays true
    uint32_t steps;
} transit_watch;

static inline bool transit_is_stopped(transit_watch *watch)
{
    if (watch == NULL)
        return false;
    watch->is_stopped = watch->is_stopped || (watch->must_stop != NULL && atomic_load_explicit(watch->must_stop, memory_order_relaxed)) ||
                        (watch->run != NULL && mco_run_must_stop(watch->run, 0));
    return watch->is_stopped;
}

// The same of one step of many: every 2048th looks.
static inline bool transit_step_is_stopped(transit_watch *watch)
{
    enum { STEPS = 2048 };
    return watch != NULL && ++watch->steps % STEPS == 0 && transit_is_stopped(watch);
}

#endif
