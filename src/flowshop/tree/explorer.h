// SPDX-License-Identifier: MIT
// An explorer searches intervals of the tree depth first. It knows nothing of other explorers:
// flowshop/tree/search.c runs one in each worker thread and moves intervals between them. A CPU explorer is
// one core and holds one interval; a GPU explorer is a whole device and holds thousands.
#ifndef MCO_FLOWSHOP_TREE_EXPLORER_H
#define MCO_FLOWSHOP_TREE_EXPLORER_H

#include <stdatomic.h>

#include "flowshop/tree/bounds.h"
#include "flowshop/tree/interval.h"

// What the explorers of one search have in common.
typedef struct flowshop_search {
    const mco_flowshop *shop;
    mco_flowshop_bound bound;
    mco_flowshop_branching branching;
    int64_t rule_bound;               // U: what the branching rules compare with; never changes
    const flowshop_johnson *johnson;  // orders of all pairs of machines; NULL without LB2
    atomic_int_least64_t incumbent;   // prune at lower bound >= this
    atomic_bool must_stop;            // explore() returns soon; set while no work changes hands
    atomic_int calls;                 // above 0: somebody waits for work or a note; explore() returns soon
    // Receives a complete schedule below the incumbent, from any thread; lowers the incumbent.
    void (*found)(struct flowshop_search *search, int64_t makespan, const int32_t *order);
} flowshop_search;

typedef struct flowshop_explorer flowshop_explorer;

typedef enum flowshop_progress {
    FLOWSHOP_WORK_DONE,   // nothing is left
    FLOWSHOP_WORK_LEFT,
    FLOWSHOP_WORK_FAILED  // the device failed; what was left at the last return is what fold() gives
} flowshop_progress;

// Functions other than create and destroy run in the worker's thread, allocate nothing, and are called
// between two calls of explore() only; nodes() any time, from any thread.
typedef struct flowshop_explorer_ops {
    const char *name;  // "cpu", "gpu"
    // `gpu` is the device to use, NULL for a CPU explorer.
    mco_status (*create)(mco_context *ctx, flowshop_search *search, const mco_gpu *gpu, flowshop_explorer **out);
    void (*destroy)(mco_context *ctx, flowshop_explorer **explorer);
    // The most intervals it holds at a time.
    int64_t (*room)(const flowshop_explorer *x);
    // Takes up [A, B) of each of `count` intervals, 1..room; it holds none before. The walk down to A is
    // not counted: nodes on the way were before.
    void (*unfold)(flowshop_explorer *x, const flowshop_interval *intervals, int64_t count);
    // Decomposes about `nodes` nodes on a CPU; a GPU goes on until it is called, stopped or done.
    flowshop_progress (*explore)(flowshop_explorer *x, int64_t nodes);
    // Appends what is left to `out`, which has room for all of it.
    void (*fold)(const flowshop_explorer *x, flowshop_intervals *out);
    // Gives about `share` (0..1) of what is left away, the later part, at most `room` intervals: appends it
    // to `given`, which has room. Returns how many; 0 when there is too little to share.
    int64_t (*split)(flowshop_explorer *x, double share, int64_t room, flowshop_intervals *given);
    // Nodes by depth and surviving children, [(n + 1) * flowshop_children_columns(n)]; and leaves.
    const int64_t *(*children_by_depth)(const flowshop_explorer *x);
    int64_t (*leaves)(const flowshop_explorer *x);
    // Nodes decomposed so far, about, for the log.
    int64_t (*nodes)(const flowshop_explorer *x);
    // Why explore() failed; and the seconds its kernels ran. NULL for CPU explorers.
    mco_status (*failure)(const flowshop_explorer *x, const char **text);
    double (*device_s)(const flowshop_explorer *x);
} flowshop_explorer_ops;

#ifdef MCO_HAVE_CUDA
extern const flowshop_explorer_ops flowshop_gpu_explorer;
#endif

#endif
