// SPDX-License-Identifier: MIT
// Insertion of a job into a line: what it costs at every place, and what taking each placed job out
// and putting it back would give. One table of functions per vector unit and lane width.
#ifndef MCO_FLOWSHOP_HEURISTIC_INSERTION_H
#define MCO_FLOWSHOP_HEURISTIC_INSERTION_H

#include "flowshop/instance.h"

// A line: some jobs in order, and inside, the fronts and backs of its parts. Only the functions
// below write to it. One thread uses a line at a time.
typedef struct flowshop_line {
    int32_t count;     // jobs placed
    int32_t makespan;  // of the jobs placed; stale after `assign` and `take_out` until `settle`
    int32_t *order;    // [count]
} flowshop_line;

typedef struct flowshop_place {
    int32_t position;  // 0 is before the first job, `count` behind the last
    int32_t makespan;  // of the line with the job there
} flowshop_place;

enum { FLOWSHOP_MAX_LANES = 32 };

typedef struct flowshop_insertion_ops {
    // An empty line for the jobs of `shop` (borrowed), at least one. Errors: MEMORY.
    mco_status (*create)(mco_context *ctx, const mco_flowshop *shop, flowshop_line **out);
    void (*destroy)(mco_context *ctx, flowshop_line **line);

    // Makes the line `order` [count]; what it shares with the line before at either end stays known.
    void (*assign)(flowshop_line *line, const int32_t *order, int32_t count);
    // The line takes the makespan of `place` for its own.
    void (*insert)(flowshop_line *line, int32_t job, flowshop_place place);
    void (*take_out)(flowshop_line *line, int32_t position);

    // Computes the fronts and backs that changes have made unknown, and the makespan. O(count m).
    void (*settle)(flowshop_line *line);

    // The place of least makespan for a job that is not in the line; among equals the one that adds
    // least idle time around it (Fernandez-Viagas and Framinan 2014), then the first. O(count m).
    flowshop_place (*best_place)(flowshop_line *line, int32_t job);

    // For each of the jobs at the positions from `first` on, at most FLOWSHOP_MAX_LANES of them: the
    // best place in the line without it, into found[0..]; among equals the nearest behind where it
    // stands, then the nearest before. Returns how many were done, at least 1. The line stays; its
    // own place counts, so no makespan exceeds that of the line. O(count m).
    int32_t (*reinsert)(flowshop_line *line, int32_t first, flowshop_place *found);
} flowshop_insertion_ops;

#endif
