// SPDX-License-Identifier: MIT
// The pool of workers that search one tree: cores, GPUs, or both.
#ifndef MCO_FLOWSHOP_TREE_SEARCH_H
#define MCO_FLOWSHOP_TREE_SEARCH_H

#include "flowshop/tree/checkpoint.h"
#include "flowshop/tree/exchange.h"
#include "flowshop/tree/explorer.h"
#include "flowshop/run.h"

// The kind of a worker thread: it is one core, or it drives one GPU.
typedef struct flowshop_worker_kind {
    const flowshop_explorer_ops *ops;
    const mco_gpu *gpu;  // NULL for a core
} flowshop_worker_kind;

// A stretch of the search by the same workers.
typedef struct flowshop_leg {
    const flowshop_worker_kind *workers;  // [count], GPUs first
    int count;
    const flowshop_johnson *johnson;      // with LB2, else NULL
    const flowshop_exchange *exchange;    // with a larger search, else NULL; then an idle leg waits for more work
    double limit_s;                       // the leg ends after so many seconds; infinite: it ends with the search
    // Called at the limit, in the calling thread, while the workers go on. If it returns true, the leg goes on without
    // a limit. If it returns false or is NULL, the leg ends.
    bool (*goes_on)(flowshop_run *run);
    double nodes_per_s;   // out: the rate in the second half of a leg that reached its limit
    bool has_lost_device; // out: a GPU failed
    bool is_recorded;     // out: `state` is what the leg left; if false, it is as before the leg, but for work taken in
} flowshop_leg;

// Searches from `state` (intervals to explore, U, counters) and replaces it by what is left and the counters so far.
// Lowers run->upper_bound with the incumbent and raises the bound. Writes checkpoints at their times if the parameters
// ask for them. *stop: why the run must end; FINISHED if nothing is left or only the leg is over.
// Errors: MEMORY, and those of a GPU. If a GPU fails, `state` is still replaced, unless memory is short too.
mco_status flowshop_search_leg(flowshop_run *run, flowshop_checkpoint *state, flowshop_leg *leg, mco_stop *stop);

// The number of nodes that `state` counts.
int64_t flowshop_search_nodes(const flowshop_checkpoint *state);
// Raises the proven bound to the least bound of the open intervals, at most run->upper_bound. A slice proves nothing:
// then the bound stays.
void flowshop_search_raise_bound(flowshop_run *run, const flowshop_checkpoint *state);

// Fills in what a checkpoint takes from the run: the bound, the rule and the incumbent.
void flowshop_run_fill_state(const flowshop_run *run, flowshop_checkpoint *state);
// Writes the checkpoint that the parameters ask for. The counters, the open intervals and U come from `state`, the
// incumbent from the run. Errors: IO, MEMORY, LIMIT.
mco_status flowshop_run_write_checkpoint(flowshop_run *run, flowshop_checkpoint *state);

#endif
