// SPDX-License-Identifier: MIT
// What the engines for many queries share.
#ifndef MCO_PATHS_TRANSIT_BATCH_H
#define MCO_PATHS_TRANSIT_BATCH_H

#include "base/run.h"
#include "base/team.h"
#include "paths/transit/city.h"

typedef struct transit_worker {
    mco_context *ctx;
    transit_watch watch;
    transit_planner planner;
    mco_status status;
    int64_t done, found, off_map, walks, rides;
} transit_worker;

typedef struct transit_many {
    mco_context *ctx;
    const mco_transit *city;
    const mco_transit_params *params;
    const mco_transit_query *query;
    int64_t count;
    mco_transit_journey *journey;  // [count]
    transit_worker *workers;
    mco_run run;
    atomic_bool must_stop;
} transit_many;

// Counts the answer of a query.
void transit_many_count(transit_worker *worker, const mco_transit_journey *journey, bool is_off_map);
// For mco_team_run() of a transit_many: looks at the clock and sets must_stop.
double transit_many_watch(void *shared);

// ---- gpu.c: answers all queries, rounds and walks on a GPU, places, legs and checks on the team's threads. The workers are open.
// work->gpus and work->device_s are set. Without a GPU engine in this build there is none. Errors: DEVICE, LIMIT (stops, routes), MEMORY, INTERNAL.
mco_status transit_gpu_many(transit_many *many, mco_team *team, mco_work *work);

#endif
