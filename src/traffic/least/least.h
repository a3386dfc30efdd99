// SPDX-License-Identifier: MIT
// Least costs of all trips at given costs of links: a dual value, a gap. Rows are shared by threads; sums have the order of rows.
#ifndef MCO_TRAFFIC_LEAST_H
#define MCO_TRAFFIC_LEAST_H

#include "base/run.h"
#include "base/team.h"
#include "traffic/model/problem.h"

typedef struct traffic_least {
    const traffic_problem *problem;  // borrowed
    struct least_worker *worker;     // [workers]
    int workers;
    mco_team team;
    double *row_sum;                 // [rows]
    // Of the sum that is being computed.
    mco_run *run;
    const double *cost, *extra;
    atomic_bool must_stop;
} traffic_least;

// `threads` 1 or more. Errors: MEMORY.
mco_status traffic_least_open(mco_context *ctx, const traffic_problem *problem, int threads, traffic_least *out);
// *sum of trips * least cost, at cost [links] + extra [classes][links], 0 or more; NULL: none. Asks run->must_stop.
// Errors: STOPPED. O(rows * links * log nodes).
mco_status traffic_least_sum(traffic_least *least, mco_run *run, const double *cost, const double *extra, double *sum);
// A zeroed one is allowed.
void traffic_least_close(traffic_least *least);

#endif
