// SPDX-License-Identifier: MIT
// Which labels are needed, and how they are kept: in buckets by value, or in elementary mode by their sets (labels/grow.h says what
// dominates what).
#ifndef MCO_VRP_BOUND_LABELS_DOMINANCE_H
#define MCO_VRP_BOUND_LABELS_DOMINANCE_H

#include "vrp/bound/labels/grow.h"

// Whether b is not needed beside a, of the same last node, in a relaxation. O(words).
static inline bool vrp_side_dominates(const vrp_side *side, const vrp_label_item *a, const vrp_label_item *b)
{
    if (side->task->is_quick)
        return a->value <= b->value && a->load <= b->load;
    if (a->value > b->value || (a->memory & ~b->memory) != 0 || a->load > b->load || a->length > b->length)
        return false;
    const int64_t most = (int64_t)b->value - a->value;
    return side->states->words == 0 || vrp_states_excess(side->states, a->words, b->words, most) <= most;
}

// Takes `item` unless it is dominated, and marks dead what it dominates. No room for it ends the growth. Errors: MEMORY.
mco_status vrp_side_offer(vrp_side *side, const vrp_label_item *item);

// Settles the labels of a bucket that have grown. A label that another one dominates is not needed: what it dominates the other one does
// too. Errors: MEMORY.
mco_status vrp_side_settle(vrp_side *side, int32_t node, int64_t bucket);

// Whether a label of a lighter bucket of the same node dominates `item`. It is asked once, when the item grows: then all of those are
// settled.
bool vrp_side_has_lighter(vrp_side *side, const vrp_label_item *item);

#endif
