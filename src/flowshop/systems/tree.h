// SPDX-License-Identifier: MIT
// What every pool system does on the host: fill a batch from the pending nodes, take its results over, decompose
// single nodes, evaluate leaves. One thread at a time, except flowshop_pool_decompose.
#ifndef MCO_FLOWSHOP_SYSTEMS_TREE_H
#define MCO_FLOWSHOP_SYSTEMS_TREE_H

#include <pthread.h>

#include "flowshop/systems/batch.h"
#include "flowshop/systems/nodes.h"
#include "flowshop/run.h"

// Counters of a thread, and its room for one node.
typedef struct flowshop_pool_counts {
    int64_t *children_by_depth; // [(jobs + 1) * columns]
    int64_t leaves;
    int64_t nodes;
} flowshop_pool_counts;

// One node on the host: a batch of one father.
typedef struct flowshop_pool_node {
    flowshop_arrays arrays;
    int32_t offsets[2];
    uint32_t survivor_count;
} flowshop_pool_node;

typedef struct flowshop_pool_tree {
    mco_context *ctx; // gives the memory
    const mco_flowshop *shop;
    flowshop_tables tables; // of the host
    int32_t *constants;     // heads, tails, loads
    int32_t *pair_machines;
    flowshop_step *steps;
    int32_t columns;            // of children_by_depth
    flowshop_pool_nodes nodes;  // pending
    atomic_int_least64_t upper; // prune at bound >= upper
    pthread_mutex_t found_lock;
    int64_t found_makespan;       // guarded by it; -1 once recorded
    int32_t *found_order;         // [jobs]
    int32_t *order;               // [jobs] of the leaf in hand
    flowshop_survivor *survivors; // [jobs] of the father in hand
} flowshop_pool_tree;

// Memory comes from `ctx`, which the threads that insert must be free to use. *is_ready false: the time for
// the orders of LB2 was up. Errors: MEMORY.
mco_status flowshop_pool_tree_create(flowshop_run *run, mco_context *ctx, int64_t rule_bound, flowshop_pool_tree *tree,
                                     bool *is_ready);
void flowshop_pool_tree_destroy(flowshop_pool_tree *tree);

mco_status flowshop_pool_counts_create(mco_context *ctx, const flowshop_pool_tree *tree, flowshop_pool_counts *out);
mco_status flowshop_pool_node_create(mco_context *ctx, const flowshop_pool_tree *tree, flowshop_pool_node *out);
void flowshop_pool_node_destroy(mco_context *ctx, flowshop_pool_node *node);

// Moves pending nodes into the batch, the deepest first, until their children would exceed `children` or they are
// `fathers`; nodes at or above the incumbent are dropped. With FLOWSHOP_BOUND_ONLY lists the children too. True if
// the batch could take no more.
bool flowshop_pool_fill(flowshop_pool_tree *tree, flowshop_batch *batch, int32_t children, int32_t fathers);
// Counts the fathers of a finished batch and inserts their survivors; applies rule and pruning itself where the
// device did not. Errors: MEMORY.
mco_status flowshop_pool_apply(flowshop_pool_tree *tree, const flowshop_batch *batch, flowshop_pool_counts *counts);

// The same with a single node: takes the next one (false: there is none), decomposes it (any thread), inserts.
bool flowshop_pool_take(flowshop_pool_tree *tree, flowshop_pool_node *node);
void flowshop_pool_decompose(flowshop_pool_tree *tree, flowshop_pool_node *node);
mco_status flowshop_pool_insert(flowshop_pool_tree *tree, const flowshop_pool_node *node, flowshop_pool_counts *counts);

#endif
