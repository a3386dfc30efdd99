// SPDX-License-Identifier: MIT
// The inner loop of customising, built once for each vector unit (customise_lanes.c), and the work that it is given.
#ifndef MCO_PATHS_CUSTOMISE_H
#define MCO_PATHS_CUSTOMISE_H

#include "base/simd.h"
#include "paths/hierarchy/hierarchy.h"

// Rows whose triangles are to be taken, in ascending order. Weights of an arc are two numbers side by side, as in
// paths_metric.pair. Arcs of tails below `limit` are in `pair`. Those of an outer tail, with height h, begin in `outer` at their
// number plus shift[h]; so threads may keep outer weights apart.
typedef struct customise_rows {
    const paths_topology *topology;
    const int32_t *triangle;  // of row `begin` and the following ones; NULL: targets are looked for
    int32_t begin, end, limit;
    int32_t *pair;
    int32_t *outer;
    const int32_t *shift;     // [height]
} customise_rows;

typedef struct customise_lanes {
    mco_build build;
    void (*relax)(const customise_rows *rows);
    // Writes the pairs of arcs [begin, end) apart.
    void (*split)(const paths_metric *metric, int32_t begin, int32_t end);
} customise_lanes;

// Threads that sleep between two calls, and how they share the work. One call at a time may use a crew. The threads wait without
// running: for a job, or for the end of the crew.
typedef struct paths_crew paths_crew;
mco_status paths_crew_open(mco_context *ctx, const paths_topology *topology, int32_t threads, paths_crew **out);
void paths_crew_close(mco_context *ctx, paths_crew **crew);
int32_t paths_crew_threads(const paths_crew *crew);
// paths_metric_make_within() by a crew. Errors: ARGUMENT, STOPPED.
mco_status paths_metric_make_by(mco_context *ctx, paths_crew *crew, const int32_t *triangle, const int32_t *weight, mco_simd simd,
                                const paths_limits *limits, paths_metric *metric);
// As many of the threads as pay.
int32_t paths_metric_threads(const paths_topology *topology, int32_t threads);

// paths_metric_make_within() with a vector unit and all threads, however little there is to do. Errors: ARGUMENT (this processor lacks the
// unit), STOPPED, MEMORY.
mco_status paths_metric_make_on(mco_context *ctx, const paths_topology *topology, const int32_t *triangle, const int32_t *weight,
                                int32_t threads, mco_simd simd, const paths_limits *limits, paths_metric *metric);

#endif
