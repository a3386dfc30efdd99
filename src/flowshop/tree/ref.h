// SPDX-License-Identifier: MIT
// The plain form of the search: it rebuilds every node from its jobs. It is the oracle of the fast engines.
#ifndef MCO_FLOWSHOP_TREE_REF_H
#define MCO_FLOWSHOP_TREE_REF_H

#include "flowshop/tree/bounds.h"
#include "flowshop/run.h"

// A node: order[0..front) is fixed in front, order[jobs-back..jobs) at the back. The jobs between are free and in
// increasing order.
typedef struct flowshop_node {
    int32_t front, back;
    int64_t bound;
    int32_t *order;  // [jobs]
} flowshop_node;

typedef struct flowshop_ref {
    flowshop_run *run;
    const mco_flowshop *shop;
    int64_t rule_bound;          // U
    flowshop_johnson johnson;    // used with LB2
    mco_stop *stop;              // decomposing with LB2 asks whether the run must end; NULL: it does not ask
    bool is_stopped;             // it had to end: *stop says why, and the node is not decomposed
    int32_t *heads, *tails;      // [machines] heads and tails of the root
    int64_t *front, *back, *remain, *child_front, *child_back;  // [machines] scratch
    int64_t *front_bounds, *back_bounds;  // [jobs] of the children of the last decomposed node, by free job
    bool *is_free;               // [jobs]
} flowshop_ref;

mco_status flowshop_ref_create(flowshop_run *run, flowshop_ref *out);
void flowshop_ref_destroy(mco_context *ctx, flowshop_ref *ref);

// Computes the bounds of all children into front_bounds and back_bounds. True if the front is the end that grows.
bool flowshop_ref_decompose(flowshop_ref *ref, const flowshop_node *node);
// The two-machine part of LB2 alone, for one node (Chakroun 2013, figure 3.3).
int64_t flowshop_ref_pairs_bound(flowshop_ref *ref, const flowshop_node *node);
// Makes the child that fixes the k-th free job of `node` at an end. child->bound is valid only if `node` is the last
// decomposed node.
void flowshop_ref_child(const flowshop_ref *ref, const flowshop_node *node, int32_t k, bool in_front,
                        flowshop_node *child);
// Counts a decomposed node by its depth and the number of its surviving children. The root does not count.
void flowshop_ref_count(flowshop_ref *ref, const flowshop_node *node, int64_t children);

// Depth first on one thread (engine reference); and best bound first, with ties to the deepest node.
mco_status flowshop_reference(flowshop_run *run, bool *is_proved, mco_stop *stop);
mco_status flowshop_best_first(flowshop_run *run, bool *is_proved, mco_stop *stop);

#endif
