// SPDX-License-Identifier: MIT
// The depth-first engines: cpu, gpu, hybrid, and auto, which tries them.
#ifndef MCO_FLOWSHOP_TREE_ENGINES_H
#define MCO_FLOWSHOP_TREE_ENGINES_H

#include "flowshop/tree/search.h"

// Searches the tree from `state` by the engine of the parameters: run->threads explorers on the cores,
// one on each of run->gpus. Fills the counters of the result; the bound, checkpoints and *stop as
// flowshop_search_leg does. *is_proved: nothing is left. If a GPU fails, what is left and done goes to
// the checkpoint first, where one was asked for.
mco_status flowshop_search_tree(flowshop_run *run, flowshop_checkpoint *state, bool *is_proved, mco_stop *stop);

// What the tests choose.
typedef struct flowshop_engine_setup {
    const flowshop_explorer_ops *gpu_explorer;  // NULL where the build has none
    double cores_leg_s, gpus_leg_s;             // of engine auto
} flowshop_engine_setup;

// The same with everything chosen. Engine auto looks for GPUs where run->gpus is NULL, and fills it.
mco_status flowshop_search_tree_by(flowshop_run *run, const flowshop_engine_setup *setup, flowshop_checkpoint *state,
                                   bool *is_proved, mco_stop *stop);

// Cores that search with this engine, the threads that drive GPUs aside.
int flowshop_exploring_cores(const flowshop_run *run, mco_engine engine);

// Records in the result which engine runs, and on how many threads.
void flowshop_use_engine(flowshop_run *run, mco_engine engine);

// Fails with LIMIT where the GPU explorer cannot search this tree, with the value seen and the value allowed.
mco_status flowshop_refuse_gpu(const flowshop_run *run);

#endif
