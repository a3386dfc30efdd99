// SPDX-License-Identifier: MIT
// An explorer searches intervals of the tree depth first. It knows nothing of other explorers:
// flowshop/tree/search.c runs one in each worker thread and moves intervals between them. A CPU explorer is
// one core and holds one interval. A GPU explorer is a whole device and holds thousands of intervals.
#ifndef MCO_FLOWSHOP_TREE_EXPLORER_H
#define MCO_FLOWSHOP_TREE_EXPLORER_H

#include <stdatomic.h>

#include "flowshop/tree/bounds.h"
#include "flowshop/tree/interval.h"

// What all explorers of a search share.
typedef struct flowshop_search {
    const mco_flowshop *shop;
    mco_flowshop_bound bound;
    mco_flowshop_branching branching;
    int64_t rule_bound;               // U: the branching rules compare with it; it never changes
    const flowshop_johnson *johnson;  // orders of all pairs of machines; NULL without LB2
    atomic_int_least64_t incumbent;   // nodes with a lower bound >= this are pruned
    atomic_bool must_stop;            // true: explore() returns soon; set only while no work changes hands
    atomic_int calls;                 // above 0: work or a note is wanted of the GPUs; their explore() returns soon
    // Receives a complete schedule shorter than the incumbent, and lowers the incumbent. Any thread may call it.
    void (*found)(struct flowshop_search *search, int64_t makespan, const int32_t *order);
} flowshop_search;

typedef struct flowshop_explorer flowshop_explorer;

typedef enum flowshop_progress {
    FLOWSHOP_WORK_DONE,   // nothing is left
    FLOWSHOP_WORK_LEFT,
    FLOWSHOP_WORK_FAILED  // the device failed; fold() gives what was left when explore() last returned without failing
} flowshop_progress;

// All functions except create and destroy run in the worker's thread, allocate nothing, and are called only between two
// calls of explore(). The exception is nodes(): any thread may call it at any time.
typedef struct flowshop_explorer_ops {
    const char *name;  // "cpu", "gpu"
    // `gpu` is the device to use, NULL for a CPU explorer.
    mco_status (*create)(mco_context *ctx, flowshop_search *search, const mco_gpu *gpu, flowshop_explorer **out);
    void (*destroy)(mco_context *ctx, flowshop_explorer **explorer);
    // The most intervals it holds at a time.
    int64_t (*room)(const flowshop_explorer *x);
    // Takes `count` intervals [A, B), 1..room. The explorer holds none before. Nodes on the way down to A do not count
    // again: they were counted when they were first visited.
    void (*unfold)(flowshop_explorer *x, const flowshop_interval *intervals, int64_t count);
    // A CPU explorer decomposes about `nodes` nodes. A GPU explorer goes on until it is called, stopped or done.
    flowshop_progress (*explore)(flowshop_explorer *x, int64_t nodes);
    // Appends what is left to `out`, which has room for all of it.
    void (*fold)(const flowshop_explorer *x, flowshop_intervals *out);
    // Gives away about `share` (0..1) of what is left: the later part, as at most `room` intervals. Appends them to
    // `given`, which has room. Returns their number, 0 if there is too little to share.
    int64_t (*split)(flowshop_explorer *x, double share, int64_t room, flowshop_intervals *given);
    // Nodes by depth and surviving children, [(n + 1) * flowshop_children_columns(n)]; and leaves.
    const int64_t *(*children_by_depth)(const flowshop_explorer *x);
    int64_t (*leaves)(const flowshop_explorer *x);
    // About how many nodes are decomposed so far; for the log.
    int64_t (*nodes)(const flowshop_explorer *x);
    // Why explore() failed, and the seconds its kernels ran. Both are NULL for CPU explorers.
    mco_status (*failure)(const flowshop_explorer *x, const char **text);
    double (*device_s)(const flowshop_explorer *x);
} flowshop_explorer_ops;

#ifdef MCO_HAVE_CUDA
extern const flowshop_explorer_ops flowshop_gpu_explorer;
#endif

#endif
