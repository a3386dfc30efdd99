// SPDX-License-Identifier: MIT
// An explorer searches one interval of the tree depth first, alone, in constant memory. It knows
// nothing of threads: flowshop_cpu.c runs one in each and moves intervals between them.
#ifndef MCO_FLOWSHOP_EXPLORER_H
#define MCO_FLOWSHOP_EXPLORER_H

#include <stdatomic.h>

#include "flowshop/flowshop_bounds.h"
#include "flowshop/flowshop_interval.h"

// What the explorers of one search have in common.
typedef struct flowshop_search {
    const mco_flowshop *shop;
    mco_flowshop_bound bound;
    mco_flowshop_branching branching;
    int64_t rule_bound;               // U: what the branching rules compare with; never changes
    const flowshop_johnson *johnson;  // orders of all pairs of machines; NULL without LB2
    atomic_int_least64_t incumbent;   // prune at lower bound >= this
    atomic_bool must_stop;
    // Receives a complete schedule below the incumbent, from any thread; lowers the incumbent.
    void (*found)(struct flowshop_search *search, int64_t makespan, const int32_t *order);
} flowshop_search;

typedef struct flowshop_explorer flowshop_explorer;

typedef struct flowshop_explorer_ops {
    mco_status (*create)(mco_context *ctx, flowshop_search *search, flowshop_explorer **out);
    void (*destroy)(mco_context *ctx, flowshop_explorer **explorer);
    // Takes up [A, B): walks down to A. Nodes on the way are not counted, they were before.
    void (*unfold)(flowshop_explorer *x, const flowshop_interval *interval);
    // Decomposes up to `nodes` nodes; false when the interval is done.
    bool (*explore)(flowshop_explorer *x, int64_t nodes);
    // What is left, as an interval; false when nothing is.
    bool (*fold)(const flowshop_explorer *x, flowshop_interval *out);
    // Gives the later part of what is left away; false when there is too little to share.
    bool (*split)(flowshop_explorer *x, flowshop_interval *given);
    // Nodes by depth and surviving children, [(n + 1) * flowshop_children_columns(n)]; and leaves.
    const int64_t *(*children_by_depth)(const flowshop_explorer *x);
    int64_t (*leaves)(const flowshop_explorer *x);
} flowshop_explorer_ops;

#endif
