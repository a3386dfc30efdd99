// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/tails.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const vrp_tail *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

mco_status vrp_tails_open(mco_context *ctx, vrp_side *side, vrp_tails *out)
{
    mco_status st = MCO_OK;
    const int32_t nodes = side->task->problem->nodes;
    int64_t *end = NULL;
    *out = (vrp_tails){.side = side};
    MCO_TRY(mco_alloc(ctx, &out->first, nodes + 1));
    MCO_TRY(mco_alloc(ctx, &end, nodes));
    for (int64_t k = 0; k < side->count; k++)
        out->first[vrp_side_item(side, k)->node + 1] += vrp_side_item(side, k)->status == VRP_LABEL_DONE;
    for (int32_t i = 0; i < nodes; i++) {
        out->first[i + 1] += out->first[i];
        end[i] = out->first[i];
    }
    MCO_TRY(mco_alloc(ctx, &out->tail, out->first[nodes]));
    for (int64_t k = 0; k < side->count; k++) {
        const vrp_label_item *item = vrp_side_item(side, k);
        if (item->status == VRP_LABEL_DONE)
            out->tail[end[item->node]++] = (vrp_tail){item->value, item->load, item->length, item->memory, (int32_t)k};
    }
    for (int32_t i = 1; i < nodes && vrp_side_goes_on(side, out->first[i + 1] - out->first[i]); i++)
        qsort(out->tail + out->first[i], (size_t)(out->first[i + 1] - out->first[i]), sizeof *out->tail, by_value);
done:
    mco_free(ctx, &end);
    if (st != MCO_OK)
        vrp_tails_close(ctx, out);
    return st;
}

void vrp_tails_close(mco_context *ctx, vrp_tails *tails)
{
    mco_free(ctx, &tails->tail);
    mco_free(ctx, &tails->first);
}

int32_t vrp_tails_least(const vrp_tails *tails, const vrp_label_item *head, int32_t arc, int32_t k, uint32_t bits, int32_t below, bool is_any,
                        int64_t *steps)
{
    const vrp_side *side = tails->side;
    const vrp_bound_problem *p = side->task->problem;
    const int64_t value = (int64_t)head->value + arc, most = (int64_t)p->capacity - head->load;
    const bool has_length = p->max_length < INT64_MAX && p->service != NULL;
    const int64_t length = has_length ? p->max_length - head->length - p->cost[(int64_t)head->node * p->stride + k] : INT64_MAX;
    int64_t least = below, x = tails->first[k];
    for (; x < tails->first[k + 1]; x++) {
        const vrp_tail *tail = &tails->tail[x];
        if (value + tail->value >= least)
            break;
        if (tail->load > most || (tail->memory & bits) != 0 || tail->length > length)
            continue;
        const int64_t whole = value + tail->value +
                              (side->states->words == 0 ? 0 : vrp_states_join(side->states, head->words, vrp_side_item(side, tail->index)->words));
        least = whole < least ? whole : least;
        if (is_any && least < below)
            break;
    }
    *steps += x - tails->first[k] + 1;
    return (int32_t)least;
}

bool vrp_side_reaches_tail(vrp_side *side, const vrp_label_item *from, int32_t k)
{
    int64_t steps = 0;
    if (side->tails == NULL || from == NULL)
        return true;
    const int32_t arc = side->completion.arcs[(int64_t)from->node * side->task->problem->stride + k];
    const uint32_t bits = vrp_side_bits(side->task->sets, k, side->seen);
    const int32_t least = vrp_tails_least(side->tails, from, arc, k, bits, side->task->below, true, &steps);
    vrp_side_goes_on(side, steps);
    return least < side->task->below;
}
