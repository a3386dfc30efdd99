// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/labels.h"

#include "base/clock.h"
#include "vrp/bound/labels/grow.h"
#include "vrp/bound/labels/handout.h"

enum { BOUNDED_WHEN_STOPPED = 1 << 17 };  // labels that are looked at after the time is over

// What is known when labels ran out or the time is over: each route not found begins with a label that has not grown yet.
static int32_t bound_of_open(vrp_side *side)
{
    int32_t least = side->task->below;
    if (side->count == 0 || (side->end == VRP_LABELS_STOPPED && side->count > BOUNDED_WHEN_STOPPED) ||
        vrp_side_item(side, 0)->status == VRP_LABEL_OPEN) {
        const int32_t by_tables = vrp_completion_least(&side->completion);
        return by_tables < least ? by_tables : least;
    }
    for (int64_t k = 0; k < side->count; k++) {
        vrp_label_item *item = vrp_side_item(side, k);
        if (item->status != VRP_LABEL_OPEN)
            continue;
        vrp_side_see(side, item);
        const int32_t bound = vrp_side_bound(side, item, side->seen);
        least = bound < least ? bound : least;
    }
    return least;
}

static void report(vrp_side *side, double begin_s, vrp_labels_result *result)
{
    int32_t least = side->end == VRP_LABELS_DONE ? side->task->below : bound_of_open(side);
    for (int64_t k = 0; k < side->final_count; k++)
        least = side->final[k].value < least ? side->final[k].value : least;
    result->end = side->end;
    result->least = least;
    result->labels = side->count;
    result->seconds = mco_clock_s() - begin_s;
}

// A run that the time stopped while it was opened: nothing is known.
static mco_status report_unopened(mco_context *ctx, mco_status st, double begin_s, vrp_labels_result *result)
{
    if (st != MCO_ERR_STOPPED)
        return st;
    (void)ctx;
    *result = (vrp_labels_result){.end = VRP_LABELS_STOPPED, .least = VRP_NO_PATH, .seconds = mco_clock_s() - begin_s};
    return MCO_OK;
}

mco_status vrp_label(mco_context *ctx, const vrp_label_task *task, vrp_routes *routes, vrp_labels_result *result)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    vrp_states states = {0};
    vrp_side forward = {0};
    MCO_TRY(vrp_states_open(ctx, task->problem, task->cuts, &states));
    MCO_TRY(vrp_side_open(ctx, task, &states, false, task->problem->capacity, &forward));
    MCO_TRY(vrp_side_grow(&forward));
    MCO_TRY(vrp_hand_out(ctx, &forward, NULL, routes));
    report(&forward, begin_s, result);
done:
    vrp_side_close(&forward);
    vrp_states_close(ctx, &states);
    return report_unopened(ctx, st, begin_s, result);
}
