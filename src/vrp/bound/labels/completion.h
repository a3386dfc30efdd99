// SPDX-License-Identifier: MIT
// Completion bounds: no way on from the end of a partial route to the depot is cheaper. Each bound looks at one resource, the load or
// the length. Bounds of the load come from dense ng tables (exact but for rank-1 rows and the length), from q tables, or from a program
// of its own over paths without those loops i-j-i that the relaxation excludes. The bound of the length is such a program as well.
#ifndef MCO_VRP_BOUND_LABELS_COMPLETION_H
#define MCO_VRP_BOUND_LABELS_COMPLETION_H

#include "vrp/bound/labels/labels.h"

typedef struct vrp_completion {
    const vrp_label_task *task;
    bool is_backward;        // the ways on are paths from the depot, so arcs are turned round
    int32_t *arcs;           // [nodes * stride] from the end of a label to the next node; owned
    int32_t *load;           // [(load_rows) * stride] row l: the least value of a way on that begins with the visit of node k, when
                             // loads up to l are left before it
    int64_t load_rows, load_step;
    bool load_has_slack;     // consumption is floor(. / step) + 1 a visit, and a row more is there for each visit
    int32_t *length;         // [(length_rows) * stride] the same from node k on, after its service; NULL: no limit of length
    int64_t length_rows, length_step;
    bool length_has_slack;
    const vrp_ng_sets *table_sets;
    int32_t **table;         // [nodes] vrp_ng_completion() of a node once it is needed; NULL without dense tables
} vrp_completion;

// Errors: MEMORY, LIMIT (values that might leave 32 bits, a length beyond 32 bits, too many loads), STOPPED.
mco_status vrp_completion_open(mco_context *ctx, const vrp_label_task *task, bool is_backward, vrp_completion *out);
void vrp_completion_close(mco_context *ctx, vrp_completion *completion);

// Row of `load`, or of `length`, for what is left. visits: no way on visits more customers.
static inline int64_t vrp_completion_row(int64_t left, int64_t step, bool has_slack, int64_t visits)
{
    return left / step + (has_slack ? visits + 1 : 0);
}

// The most customers of a way on with `load` left.
static inline int64_t vrp_completion_visits(const vrp_label_task *task, int64_t load)
{
    const int64_t visits = load / task->problem->least_demand;
    return task->is_elementary && visits > task->problem->customers ? task->problem->customers : visits;
}

// Loads the table of `node`, unless it is there. Errors: MEMORY, LIMIT.
mco_status vrp_completion_touch(mco_context *ctx, vrp_completion *completion, int32_t node);

// No route is cheaper, rank-1 rows left out: the least of load rows at the depot.
int32_t vrp_completion_least(const vrp_completion *completion);

#endif
