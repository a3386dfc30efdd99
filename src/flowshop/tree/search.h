// SPDX-License-Identifier: MIT
// The pool of workers that search one tree: cores, GPUs, or both.
#ifndef MCO_FLOWSHOP_TREE_SEARCH_H
#define MCO_FLOWSHOP_TREE_SEARCH_H

#include "flowshop/tree/checkpoint.h"
#include "flowshop/tree/explorer.h"
#include "flowshop/run.h"

// A worker thread is one core, or drives one GPU.
typedef struct flowshop_worker_kind {
    const flowshop_explorer_ops *ops;
    const mco_gpu *gpu;  // NULL: a core
} flowshop_worker_kind;

// A stretch of the search by the same workers.
typedef struct flowshop_leg {
    const flowshop_worker_kind *workers;  // [count], GPUs first
    int count;
    const flowshop_johnson *johnson;      // with LB2
    double limit_s;                       // the leg ends then; infinite: with the search
    // Asked in the calling thread at the limit, while the workers go on: true makes this the last leg,
    // without a limit. NULL: it ends.
    bool (*goes_on)(flowshop_run *run);
    double nodes_per_s;   // out: over the second half of a leg that reached its limit
    bool has_lost_device; // out: a GPU failed
    bool is_recorded;     // out: `state` is what the leg left; else it is as before
} flowshop_leg;

// Searches from `state` (intervals to explore, U, counters) and replaces it by what is left and the
// counters so far. Lowers run->upper_bound with the incumbent, raises the bound, writes checkpoints at
// their times where the parameters ask. *stop: why the run must end; FINISHED when nothing is left, and at the
// end of a leg. Errors: MEMORY; those of a GPU, `state` then being what it left unless memory failed too.
mco_status flowshop_search_leg(flowshop_run *run, flowshop_checkpoint *state, flowshop_leg *leg, mco_stop *stop);

// Nodes counted in a state.
int64_t flowshop_search_nodes(const flowshop_checkpoint *state);
// Raises the proven bound to the least of what is open.
void flowshop_search_raise_bound(flowshop_run *run, const flowshop_checkpoint *state);

// Writes the checkpoint that the parameters ask for: `state` has the counters, what is open, and U; the
// incumbent comes from the run.
mco_status flowshop_run_write_checkpoint(flowshop_run *run, flowshop_checkpoint *state);

#endif
