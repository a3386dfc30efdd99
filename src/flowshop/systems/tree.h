// SPDX-License-Identifier: MIT
// The host's part of every pool system: fill a batch from the pending nodes, insert its results, decompose single
// nodes, evaluate leaves. Only one thread at a time may call these functions, except flowshop_pool_decompose.
#ifndef MCO_FLOWSHOP_SYSTEMS_TREE_H
#define MCO_FLOWSHOP_SYSTEMS_TREE_H

#include <pthread.h>

#include "flowshop/systems/batch.h"
#include "flowshop/systems/nodes.h"
#include "flowshop/run.h"

// Counters of a thread.
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
    int64_t found_makespan;       // guarded by found_lock; -1 once recorded
    int32_t *found_order;         // [jobs]
    int32_t *order;               // [jobs] the schedule of the leaf in hand
    flowshop_survivor *survivors; // [jobs] the survivors of the father in hand
} flowshop_pool_tree;

// Memory comes from `ctx`; the threads that insert must be free to use it. *is_ready is false if the time limit ended
// the sorting of LB2's orders. Errors: MEMORY.
mco_status flowshop_pool_tree_create(flowshop_run *run, mco_context *ctx, int64_t rule_bound, flowshop_pool_tree *tree,
                                     bool *is_ready);
void flowshop_pool_tree_destroy(flowshop_pool_tree *tree);

mco_status flowshop_pool_counts_create(mco_context *ctx, const flowshop_pool_tree *tree, flowshop_pool_counts *out);
mco_status flowshop_pool_node_create(mco_context *ctx, const flowshop_pool_tree *tree, flowshop_pool_node *out);
void flowshop_pool_node_destroy(mco_context *ctx, flowshop_pool_node *node);

// Moves pending nodes into the batch, the deepest first. Stops at `fathers` nodes, or before their children exceed
// `children`. Drops nodes whose bound is not below the incumbent. With FLOWSHOP_BOUND_ONLY it also lists the children.
// True if the batch could take no more.
bool flowshop_pool_fill(flowshop_pool_tree *tree, flowshop_batch *batch, int32_t children, int32_t fathers);
// Counts the fathers of a finished batch and inserts their survivors. If the device did not prune, it applies the
// branching rule and prunes. Errors: MEMORY.
mco_status flowshop_pool_apply(flowshop_pool_tree *tree, const flowshop_batch *batch, flowshop_pool_counts *counts);

// The same for a single node. take removes the next pending node (false: there is none), decompose computes its
// survivors (any thread may call it), insert counts the node and inserts its survivors.
bool flowshop_pool_take(flowshop_pool_tree *tree, flowshop_pool_node *node);
void flowshop_pool_decompose(flowshop_pool_tree *tree, flowshop_pool_node *node);
mco_status flowshop_pool_insert(flowshop_pool_tree *tree, const flowshop_pool_node *node, flowshop_pool_counts *counts);

#endif
