// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/join.h"

#include <stdlib.h>

#include "vrp/bound/labels/crew.h"

// What most joins ask of a backward label: the label itself is far away in memory.
typedef struct tail {
    int32_t value, index, load;
    uint32_t memory;
} tail;

typedef struct join {
    vrp_side *forward;   // or a copy of it, of a thread
    vrp_side *back;
    int64_t *first;  // [nodes + 1] into tail
    tail *tail;      // the backward labels of each node, by value
} join;

static int by_value(const void *a, const void *b)
{
    const tail *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool is_tail(const vrp_label_item *item)
{
    return item->status == VRP_LABEL_DONE;
}

static mco_status list_tails(mco_context *ctx, join *j)
{
    mco_status st = MCO_OK;
    const int32_t nodes = j->forward->task->problem->nodes;
    int64_t *end = NULL;
    MCO_TRY(mco_alloc(ctx, &j->first, nodes + 1));
    MCO_TRY(mco_alloc(ctx, &end, nodes));
    for (int64_t k = 0; k < j->back->count; k++)
        j->first[vrp_side_item(j->back, k)->node + 1] += is_tail(vrp_side_item(j->back, k));
    for (int32_t i = 0; i < nodes; i++) {
        j->first[i + 1] += j->first[i];
        end[i] = j->first[i];
    }
    MCO_TRY(mco_alloc(ctx, &j->tail, j->first[nodes]));
    for (int64_t k = 0; k < j->back->count; k++) {
        const vrp_label_item *item = vrp_side_item(j->back, k);
        if (is_tail(item))
            j->tail[end[item->node]++] = (tail){item->value, (int32_t)k, item->load, item->memory};
    }
    for (int32_t i = 1; i < nodes; i++)
        qsort(j->tail + j->first[i], (size_t)(j->first[i + 1] - j->first[i]), sizeof *j->tail, by_value);
done:
    mco_free(ctx, &end);
    return st;
}

// Whether both parts, whose loads and memories fit, make a route: lengths, no customer twice.
static bool fits(const join *j, vrp_label_item *head, vrp_label_item *rest)
{
    const vrp_bound_problem *p = j->forward->task->problem;
    if (p->max_length < INT64_MAX && p->service != NULL &&
        head->length + (int64_t)p->cost[(int64_t)head->node * p->stride + rest->node] + rest->length > p->max_length)
        return false;
    if (j->forward->task->is_elementary) {
        const uint64_t *a = vrp_side_visited(j->forward, head), *b = vrp_side_visited(j->back, rest);
        for (int32_t w = 0; w < j->forward->set_words; w++)
            if ((a[w] & b[w]) != 0)
                return false;
    }
    return true;
}

// Whether a route below task->below may go from the end of `head` to node k: the bound of the label that would end there.
static mco_status may_go(join *j, const vrp_label_item *head, int32_t k, bool *yes)
{
    mco_status st = MCO_OK;
    vrp_side *side = j->forward;
    const vrp_bound_problem *p = side->task->problem;
    const int64_t at = (int64_t)head->node * p->stride + k, load = head->load + (int64_t)p->demand[k];
    vrp_label_item *draft = side->draft;
    int64_t length = 0;
    *yes = false;
    if (p->max_length < INT64_MAX && p->service != NULL)
        length = head->length + (int64_t)p->cost[at] + p->service[k];
    if (load > p->capacity || length > p->max_length)
        return MCO_OK;
    draft->node = k;
    draft->load = (int32_t)load;
    draft->length = (int32_t)length;
    draft->value = head->value + side->task->arcs[at];
    MCO_TRY(vrp_completion_touch(side->ctx, &side->completion, k));
    *yes = vrp_side_bound(side, draft, side->seen) < side->task->below && vrp_side_reaches_tail(side, head, k);
done:
    return st;
}

// Joins the waiting label `index` to the tails that begin at node k. forward->seen is that of the label.
static mco_status join_at(join *j, int32_t index, int32_t k)
{
    mco_status st = MCO_OK;
    const vrp_label_task *task = j->forward->task;
    vrp_label_item *head = vrp_side_item(j->forward, index);
    const int64_t value = (int64_t)head->value + task->arcs[(int64_t)head->node * task->problem->stride + k];
    const uint32_t bits = task->is_elementary ? 0 : vrp_side_bits(task->sets, k, j->forward->seen);
    const int64_t left = (int64_t)task->problem->capacity - head->load;
    int64_t below = task->below, steps = 0;
    int32_t best = -1;
    for (int64_t x = j->first[k]; x < j->first[k + 1] && value + j->tail[x].value < below; x++) {
        if ((++steps & 0xfff) == 0 && !vrp_side_goes_on(j->forward, steps))
            break;
        if (j->tail[x].load > left || (bits & j->tail[x].memory) != 0)
            continue;
        vrp_label_item *rest = vrp_side_item(j->back, j->tail[x].index);
        if (!fits(j, head, rest))
            continue;
        const int64_t whole = value + rest->value + vrp_states_join(j->forward->states, head->words, rest->words);
        if (whole >= below)
            continue;
        if (task->is_elementary) {
            MCO_TRY(vrp_side_finish(j->forward, whole, index, j->tail[x].index));
        } else {
            below = whole;
            best = j->tail[x].index;
        }
    }
    vrp_side_goes_on(j->forward, steps & 0xfff);
    if (best >= 0)
        MCO_TRY(vrp_side_finish(j->forward, below, index, best));
done:
    return st;
}

static mco_status join_label(join *j, int32_t index)
{
    mco_status st = MCO_OK;
    vrp_side *side = j->forward;
    const vrp_label_task *task = side->task;
    const vrp_bound_problem *p = task->problem;
    const vrp_completion *c = &side->completion;
    vrp_label_item *head = vrp_side_item(side, index);
    const int32_t *arcs = c->arcs + (int64_t)head->node * p->stride;
    const int64_t left = (int64_t)p->capacity - head->load;
    const int64_t row = vrp_completion_row(left, c->load_step, c->load_has_slack, vrp_completion_visits(task, left));
    const int32_t *on = c->load + row * p->stride, most = task->below - head->value;
    vrp_side_see(side, head);
    for (int32_t k = 1; k < p->nodes && side->end == VRP_LABELS_DONE; k++) {
        bool yes = false;
        if (arcs[k] + on[k] < most && arcs[k] < VRP_NO_ARC && !vrp_set_has(side->seen, k))
            MCO_TRY(may_go(j, head, k, &yes));
        if (yes)
            MCO_TRY(join_at(j, index, k));
    }
    vrp_side_goes_on(side, p->nodes / 8 + 1);
done:
    return st;
}

// The labels that wait, in pieces.
enum { PIECE = 32 };

typedef struct waiting {
    const join *join;
    int32_t *index;      // [count]
    int64_t count;
} waiting;

static mco_status join_piece(vrp_side *hand, void *shared, int64_t piece)
{
    mco_status st = MCO_OK;
    const waiting *w = shared;
    join own = *w->join;
    own.forward = hand;
    for (int64_t k = piece * PIECE; k < w->count && k < (piece + 1) * PIECE && hand->end == VRP_LABELS_DONE; k++)
        MCO_TRY(join_label(&own, w->index[k]));
done:
    return st;
}

static mco_status list_waiting(mco_context *ctx, const vrp_side *side, waiting *w)
{
    mco_status st = MCO_OK;
    for (int64_t k = 0; k < side->count; k++)
        w->count += vrp_side_item(side, k)->status == VRP_LABEL_WAITING;
    MCO_TRY(mco_alloc(ctx, &w->index, w->count));
    w->count = 0;
    for (int64_t k = 0; k < side->count; k++)
        if (vrp_side_item(side, k)->status == VRP_LABEL_WAITING)
            w->index[w->count++] = (int32_t)k;
done:
    return st;
}

// Too many routes end it with none of its own, so that threads do not matter.
static void end_joins(vrp_side *forward, const waiting *w, int64_t before)
{
    if (forward->end == VRP_LABELS_DONE && forward->final_count > vrp_side_most_routes(forward))
        forward->end = VRP_LABELS_LIMIT;
    if (forward->end == VRP_LABELS_LIMIT)
        forward->final_count = before;
    for (int64_t k = 0; k < w->count && forward->end == VRP_LABELS_DONE; k++)
        vrp_side_item(forward, w->index[k])->status = VRP_LABEL_DONE;
}

mco_status vrp_join(mco_context *ctx, vrp_side *forward, vrp_side *back)
{
    mco_status st = MCO_OK;
    const int64_t before = forward->final_count;
    join j = {.forward = forward, .back = back};
    waiting w = {.join = &j};
    if (back->end != VRP_LABELS_DONE)
        forward->end = back->end;
    if (forward->end != VRP_LABELS_DONE)
        return MCO_OK;
    MCO_TRY(list_tails(ctx, &j));
    MCO_TRY(list_waiting(ctx, forward, &w));
    MCO_TRY(vrp_crew_run(forward, (w.count + PIECE - 1) / PIECE, w.count > PIECE, join_piece, &w));
    end_joins(forward, &w, before);
done:
    mco_free(ctx, &w.index);
    mco_free(ctx, &j.tail);
    mco_free(ctx, &j.first);
    return st;
}
