// SPDX-License-Identifier: MIT
// What a picture of a schedule shows. It is apart from the drawing so that tests can check it.
#ifndef MCO_FLOWSHOP_VIEW_H
#define MCO_FLOWSHOP_VIEW_H

#include "flowshop/instance.h"

typedef struct flowshop_operation {
    int32_t position;  // of the job in the order, 0-based
    int32_t machine;
} flowshop_operation;

// Computes when each operation ends if all start as early as possible. `end` [machines * jobs], machine-major by
// position in `order`. `order` [jobs] must be a permutation. O(n m).
void flowshop_schedule(const mco_flowshop *shop, const int32_t *order, int32_t *end);

// One longest path through the schedule `end`: operations that follow one another without waiting, from time 0 to the
// makespan. `path` [jobs + machines - 1] receives it. Every such path begins with the first job on the first machine
// and ends with the last job on the last machine. Each step goes to the next machine or to the next position.
// Returns the number of operations, 0 without jobs. Where both predecessors end at the same time, the path stays on its
// machine. O(n + m).
int32_t flowshop_critical_path(const mco_flowshop *shop, const int32_t *order, const int32_t *end,
                               flowshop_operation *path);

#endif
