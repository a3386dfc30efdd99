// SPDX-License-Identifier: MIT
// Completion bounds by labels: with rank-1 rows and whole sets, where tables know neither.
//
// Labels of a relaxation that grow up to the capacity hold, for each way on, one that costs no more. So a path goes on to a node below a
// value only if it joins such a label there. It serves arcs (each is tried between all labels of both its ends) and the enumeration
// (Pecin, Pessoa, Poggi, Uchoa 2017). Symmetric problems only: then one list of labels is that of both directions.
#ifndef MCO_VRP_BOUND_LABELS_TAILS_H
#define MCO_VRP_BOUND_LABELS_TAILS_H

#include "vrp/bound/labels/grow.h"

typedef struct vrp_tail {
    int32_t value, load, length;
    uint32_t memory;
    int32_t index;       // of the label
} vrp_tail;

typedef struct vrp_tails {
    vrp_side *side;      // whose labels they are; borrowed
    int64_t *first;      // [nodes + 1] into `tail`
    vrp_tail *tail;      // those of each node, by value
} vrp_tails;

// Lists the labels of `side` that have grown. side->end tells of a stop: then the list serves nothing. O(labels log labels). Errors: MEMORY.
mco_status vrp_tails_open(mco_context *ctx, vrp_side *side, vrp_tails *out);
void vrp_tails_close(mco_context *ctx, vrp_tails *tails);

// The least value, at most `below`, of a path that ends with `head` (of the same rows, not elementary or elementary), goes over `arc` to node k
// and on as a tail does. bits: what the path has seen, over the neighbours of k. is_any: any value below serves. *steps grows by the
// tails looked at. O(tails of k).
int32_t vrp_tails_least(const vrp_tails *tails, const vrp_label_item *head, int32_t arc, int32_t k, uint32_t bits, int32_t below, bool is_any,
                        int64_t *steps);

#endif
