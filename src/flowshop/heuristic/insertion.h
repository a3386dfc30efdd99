// SPDX-License-Identifier: MIT
// Insertion of a job into a line: the makespan with the job at every place, and the best place of each job of the line
// when it is taken out and put back. There is one table of functions per vector unit and lane width.
#ifndef MCO_FLOWSHOP_HEURISTIC_INSERTION_H
#define MCO_FLOWSHOP_HEURISTIC_INSERTION_H

#include "flowshop/instance.h"

// A line: some jobs in order. The part hidden behind it has the fronts and backs of its parts. Only the functions below
// write to a line. Only one thread at a time uses it.
typedef struct flowshop_line {
    int32_t count;     // jobs placed
    int32_t makespan;  // of the jobs placed; stale after `assign` and `take_out` until `settle`
    int32_t *order;    // [count]
} flowshop_line;

typedef struct flowshop_place {
    int32_t position;  // 0 is before the first job, `count` is behind the last one
    int32_t makespan;  // of the line with the job there
} flowshop_place;

enum { FLOWSHOP_MAX_LANES = 32 };

typedef struct flowshop_insertion_ops {
    // An empty line for the jobs of `shop` (borrowed), at least one. It shares the table of times of `first`, which
    // outlives its use; NULL: it makes a table of its own. Errors: MEMORY.
    mco_status (*create)(mco_context *ctx, const mco_flowshop *shop, const flowshop_line *first, flowshop_line **out);
    void (*destroy)(mco_context *ctx, flowshop_line **line);

    // Makes the line `order` [count]. Fronts and backs of jobs that both lines share at either end stay known.
    void (*assign)(flowshop_line *line, const int32_t *order, int32_t count);
    // Puts the job at place.position. The line takes place.makespan as its makespan.
    void (*insert)(flowshop_line *line, int32_t job, flowshop_place place);
    void (*take_out)(flowshop_line *line, int32_t position);

    // Computes the fronts and backs that changes have made unknown, and the makespan. O(count m).
    void (*settle)(flowshop_line *line);

    // The place of least makespan for a job that is not in the line. Ties go to the place with the least added idle
    // time around the job (Fernandez-Viagas and Framinan 2014), then to the first. O(count m).
    flowshop_place (*best_place)(flowshop_line *line, int32_t job);

    // For each job from position `first` on, at most FLOWSHOP_MAX_LANES of them, writes to found[0..] its best place in
    // the line without it. Ties go to the nearest place from where it stands on, then to the nearest place before.
    // Returns the number of jobs done, at least 1. The line does not change. A job's own place counts too, so no
    // makespan found exceeds that of the line. O(count m).
    int32_t (*reinsert)(flowshop_line *line, int32_t first, flowshop_place *found);
} flowshop_insertion_ops;

#endif
