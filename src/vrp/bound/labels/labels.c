// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/labels.h"

#include "base/clock.h"
#include "vrp/bound/labels/crew.h"
#include "vrp/bound/labels/handout.h"
#include "vrp/bound/labels/join.h"
#include "vrp/bound/labels/tails.h"

enum { BOUNDED_WHEN_STOPPED = 1 << 17 };  // labels that are looked at after the time is over

static bool is_open(const vrp_label_item *item)
{
    return item->status == VRP_LABEL_OPEN || item->status == VRP_LABEL_GROWN;
}

// What is known when labels ran out or the time is over: each route not found begins with a label that has not grown yet.
static int32_t bound_of_open(vrp_side *side)
{
    int32_t least = side->task->below;
    if (side->count == 0 || side->task->is_quick || (side->end == VRP_LABELS_STOPPED && side->count > BOUNDED_WHEN_STOPPED) ||
        is_open(vrp_side_item(side, 0))) {
        const int32_t by_tables = vrp_completion_least(&side->completion);
        return by_tables < least ? by_tables : least;
    }
    for (int64_t k = 0; k < side->count; k++) {
        vrp_label_item *item = vrp_side_item(side, k);
        if (!is_open(item) && item->status != VRP_LABEL_WAITING)
            continue;
        vrp_side_see(side, item);
        const int32_t bound = vrp_side_bound(side, item, side->seen);
        least = bound < least ? bound : least;
    }
    return least;
}

static void report(vrp_side *side, double begin_s, vrp_labels_result *result)
{
    int32_t least = side->end == VRP_LABELS_DONE && !side->task->is_quick ? side->task->below : bound_of_open(side);
    for (int64_t k = 0; k < side->final_count; k++)
        least = side->final[k].value < least ? side->final[k].value : least;
    result->end = side->end;
    result->least = least;
    result->labels = side->count;
    result->seconds = mco_clock_s() - begin_s;
}

// A run that the time stopped while it was opened: nothing is known.
static mco_status report_unopened(mco_status st, double begin_s, vrp_labels_result *result)
{
    if (st != MCO_ERR_STOPPED)
        return st;
    *result = (vrp_labels_result){.end = VRP_LABELS_STOPPED, .least = VRP_NO_PATH, .seconds = mco_clock_s() - begin_s};
    return MCO_OK;
}

// Forward labels, backward ones where both differ, and their joins: sides[0] and sides[1].
static mco_status grow_both(mco_context *ctx, const vrp_label_task *task, const vrp_states *states, const vrp_tails *tails,
                            int32_t *arc_value, int32_t *backward, vrp_side *sides)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = task->problem;
    const int32_t half = task->is_one_way ? p->capacity : p->capacity / 2;
    MCO_TRY(vrp_side_open(ctx, task, states, false, half, &sides[0]));
    sides[0].arc_value = arc_value;
    sides[0].tails = tails;
    MCO_TRY(vrp_side_grow(&sides[0]));
    if (!task->is_one_way && !p->is_symmetric && sides[0].end == VRP_LABELS_DONE) {
        MCO_TRY(vrp_side_open(ctx, task, states, true, p->capacity - half - 1, &sides[1]));
        sides[1].drops_heavier = true;
        sides[1].most_labels -= sides[0].count;
        sides[1].arc_value = backward;
        MCO_TRY(vrp_side_grow(&sides[1]));
    }
done:
    return st;
}

// Whether an enumeration has rows or sets that its tables do not know, so that labels of the relaxation bound ways on better.
static bool wants_tails(const vrp_label_task *task, const vrp_states *states)
{
    return task->is_elementary && task->problem->is_symmetric && task->tables != NULL && (states->words > 0 || task->table_sets != NULL);
}

// Grows labels of `relaxed` up to the capacity and lists them. Where they do not suffice *is_there is false.
static mco_status open_tails(mco_context *ctx, const vrp_label_task *relaxed, const vrp_states *states, vrp_side *side, vrp_tails *tails,
                             bool *is_there)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_side_open(ctx, relaxed, states, false, relaxed->problem->capacity, side));
    MCO_TRY(vrp_side_grow(side));
    if (side->end == VRP_LABELS_DONE)
        MCO_TRY(vrp_tails_open(ctx, side, tails));
    *is_there = side->end == VRP_LABELS_DONE;
done:
    return st;
}

mco_status vrp_label(mco_context *ctx, const vrp_label_task *task, vrp_routes *routes, vrp_labels_result *result)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    vrp_states states = {0};
    vrp_side sides[2] = {{0}, {0}};
    vrp_side *back = task->problem->is_symmetric ? &sides[0] : &sides[1];
    vrp_side relaxed_side = {0};
    vrp_tails tails = {0};
    vrp_label_task relaxed = *task;
    bool has_tails = false;
    relaxed.is_elementary = false;
    MCO_TRY(vrp_states_open(ctx, task->problem, task->cuts, &states));
    if (wants_tails(task, &states))
        MCO_TRY(open_tails(ctx, &relaxed, &states, &relaxed_side, &tails, &has_tails));
    MCO_TRY(grow_both(ctx, task, &states, has_tails ? &tails : NULL, NULL, NULL, sides));
    if (!task->is_one_way)
        MCO_TRY(vrp_join(ctx, &sides[0], back));
    MCO_TRY(vrp_hand_out(ctx, &sides[0], back, routes));
    report(&sides[0], begin_s, result);
    result->labels += sides[1].count + relaxed_side.count;
done:
    vrp_tails_close(ctx, &tails);
    vrp_side_close(&relaxed_side);
    vrp_side_close(&sides[1]);
    vrp_side_close(&sides[0]);
    vrp_states_close(ctx, &states);
    return report_unopened(st, begin_s, result);
}

// ---- Arcs

// The least over all splits of the loads: bounds of the part before the arc and of the part behind it.
static void bound_arcs(const vrp_completion *before, const vrp_completion *behind, int32_t *value)
{
    const vrp_bound_problem *p = behind->task->problem;
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++) {
            int32_t *to = &value[(int64_t)i * p->stride + j];
            const int32_t arc = behind->arcs[(int64_t)i * p->stride + j];
            *to = VRP_NO_PATH;
            for (int64_t l = 0; arc < VRP_NO_ARC && l < behind->load_rows; l++) {
                const int32_t a = i == 0 ? 0 : before->load[l * p->stride + i];
                const int32_t b = j == 0 ? 0 : behind->load[(behind->load_rows - 1 - l) * p->stride + j];
                if (a < VRP_NO_PATH && b < VRP_NO_PATH && a + b + arc < *to)
                    *to = a + b + arc;
            }
        }
}

// Values of backward labels belong to the reversed arcs. A symmetric route uses an arc within its first half in one of both directions.
static void fold_values(const vrp_label_task *task, const int32_t *backward, int32_t *value)
{
    const vrp_bound_problem *p = task->problem;
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++) {
            const int64_t at = (int64_t)i * p->stride + j, reversed = (int64_t)j * p->stride + i;
            if (p->is_symmetric && j < i)
                value[at] = value[reversed] = value[reversed] < value[at] ? value[reversed] : value[at];
            else if (!p->is_symmetric)
                value[at] = backward[reversed] < value[at] ? backward[reversed] : value[at];
        }
}

// Each route has a first arc.
static int32_t least_first(const vrp_bound_problem *p, int32_t below, const int32_t *value)
{
    for (int32_t k = 1; k < p->nodes; k++)
        below = value[k] < below ? value[k] : below;
    return below;
}

// The least value of a route over the arc between the end of `index`, whose load is at most half the capacity, and each other node. Of both
// parts of a route one is so light.
static void join_arcs(vrp_side *side, const vrp_tails *tails, int64_t index, int32_t *value)
{
    const vrp_label_task *task = side->task;
    const vrp_bound_problem *p = task->problem;
    vrp_label_item *head = vrp_side_item(side, index);
    const int32_t *arcs = task->arcs + (int64_t)head->node * p->stride;
    int64_t steps = 0;
    vrp_side_see(side, head);
    for (int32_t k = 1; k < p->nodes; k++) {
        int32_t *there = &value[(int64_t)head->node * p->stride + k];
        if (arcs[k] < VRP_NO_ARC && !vrp_set_has(side->seen, k))
            *there = vrp_tails_least(tails, head, arcs[k], k, vrp_side_bits(task->sets, k, side->seen), *there, false, &steps);
    }
    vrp_side_goes_on(side, steps + p->nodes / 8);
}

// What the labels of nodes are joined for: the values of the arcs of each one are its own.
typedef struct arc_values {
    const vrp_tails *tails;
    int32_t *value;
} arc_values;

static mco_status join_node(vrp_side *hand, void *shared, int64_t node)
{
    const arc_values *to = shared;
    const vrp_tails *tails = to->tails;
    for (int64_t x = tails->first[node]; x < tails->first[node + 1] && hand->end == VRP_LABELS_DONE; x++)
        if (tails->tail[x].load <= hand->task->problem->capacity / 2)
            join_arcs(hand, tails, tails->tail[x].index, to->value);
    return MCO_OK;
}

// Values of arcs of a symmetric problem, exact where `side`, whose labels have grown up to the capacity, ends DONE; value is full of
// task->below before.
static mco_status value_by_tails(mco_context *ctx, vrp_side *side, int32_t *value)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = side->task->problem;
    vrp_tails tails = {0};
    MCO_TRY(vrp_tails_open(ctx, side, &tails));
    for (int64_t x = 0; x < side->final_count; x++) {
        int32_t *last = &value[vrp_side_item(side, side->final[x].head)->node];
        *last = side->final[x].value < *last ? side->final[x].value : *last;
    }
    MCO_TRY(vrp_crew_run(side, p->nodes, true, join_node, &(arc_values){&tails, value}));
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < i; j++) {
            const int64_t at = (int64_t)i * p->stride + j, reversed = (int64_t)j * p->stride + i;
            value[at] = value[reversed] = value[reversed] < value[at] ? value[reversed] : value[at];
        }
done:
    vrp_tails_close(ctx, &tails);
    return st;
}

// Fills `value` by tails if labels suffice. Else *is_done is false.
static mco_status try_tails(mco_context *ctx, const vrp_label_task *task, const vrp_states *states, int32_t *value, vrp_labels_result *result,
                            bool *is_done)
{
    mco_status st = MCO_OK;
    vrp_side side = {0};
    const vrp_bound_problem *p = task->problem;
    *is_done = false;
    if (!p->is_symmetric)
        return MCO_OK;
    MCO_TRY(vrp_side_open(ctx, task, states, false, p->capacity, &side));
    MCO_TRY(vrp_side_grow(&side));
    if (side.end == VRP_LABELS_DONE)
        MCO_TRY(value_by_tails(ctx, &side, value));
    *is_done = side.end == VRP_LABELS_DONE;
    result->end = side.end;
    result->labels = side.count;
done:
    vrp_side_close(&side);
    return st;
}

mco_status vrp_label_arc_values(mco_context *ctx, const vrp_label_task *task, int32_t *value, vrp_labels_result *result)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = task->problem;
    const double begin_s = mco_clock_s();
    const int64_t cells = (int64_t)p->nodes * p->stride;
    const vrp_completion *before;
    vrp_states states = {0};
    vrp_side sides[2] = {{0}, {0}};
    int32_t *backward = NULL;
    bool is_done;
    vrp_label_task both = *task;
    both.is_one_way = both.is_quick = false;
    MCO_TRY(vrp_states_open(ctx, p, task->cuts, &states));
    MCO_TRY(mco_alloc(ctx, &backward, cells));
    for (int64_t k = 0; k < cells; k++)
        value[k] = backward[k] = task->below;
    MCO_TRY(try_tails(ctx, &both, &states, value, result, &is_done));
    if (is_done) {
        result->seconds = mco_clock_s() - begin_s;
        result->least = least_first(p, task->below, value);
        goto done;
    }
    for (int64_t k = 0; k < cells; k++)
        value[k] = task->below;
    MCO_TRY(grow_both(ctx, &both, &states, NULL, value, backward, sides));
    if (sides[1].end != VRP_LABELS_DONE)
        sides[0].end = sides[1].end;
    if (sides[0].end == VRP_LABELS_DONE) {
        fold_values(task, backward, value);
    } else {
        if (!p->is_symmetric && sides[1].task == NULL)
            MCO_TRY(vrp_side_open(ctx, &both, &states, true, 0, &sides[1]));
        before = p->is_symmetric ? &sides[0].completion : &sides[1].completion;
        bound_arcs(before, &sides[0].completion, value);
    }
    report(&sides[0], begin_s, result);
    result->labels += sides[1].count;
    result->least = least_first(p, task->below, value);
done:
    vrp_side_close(&sides[1]);
    vrp_side_close(&sides[0]);
    mco_free(ctx, &backward);
    vrp_states_close(ctx, &states);
    if (st == MCO_ERR_STOPPED)
        for (int64_t k = 0; k < cells; k++)
            value[k] = -VRP_NO_PATH;
    return report_unopened(st, begin_s, result);
}
