// SPDX-License-Identifier: MIT
// The depth-first engines: cpu, gpu, hybrid, and auto, which measures them and chooses.
#ifndef MCO_FLOWSHOP_TREE_ENGINES_H
#define MCO_FLOWSHOP_TREE_ENGINES_H

#include "flowshop/tree/search.h"

// Searches the tree from `state` with the engine of the parameters: flowshop_exploring_cores() explorers on the cores
// and one on each of run->gpus. Fills the counters of the result. Treats the bound, the checkpoints and *stop as
// flowshop_search_leg does. *is_proved: nothing is left to search. If a GPU fails and a checkpoint is asked for, the
// checkpoint first receives what is left and done.
mco_status flowshop_search_tree(flowshop_run *run, flowshop_checkpoint *state, bool *is_proved, mco_stop *stop);

// The search of a worker: it begins with nothing, and ends when the exchange says so. The engine is not auto.
mco_status flowshop_search_tree_with(flowshop_run *run, const flowshop_exchange *exchange, flowshop_checkpoint *state,
                                     bool *is_proved, mco_stop *stop);

// Puts the counters of a search into the result.
void flowshop_fill_counters(flowshop_run *run, const flowshop_checkpoint *state);

// What the tests and a worker of a cluster choose.
typedef struct flowshop_engine_setup {
    const flowshop_explorer_ops *gpu_explorer;  // NULL where the build has none
    double cores_leg_s, gpus_leg_s;             // lengths of the legs of engine auto
    const flowshop_exchange *exchange;          // NULL: a search of its own; else the engine is not auto
} flowshop_engine_setup;

// The same with a given setup. If run->gpus is NULL, engine auto looks for a GPU and fills run->gpus.
mco_status flowshop_search_tree_by(flowshop_run *run, const flowshop_engine_setup *setup, flowshop_checkpoint *state,
                                   bool *is_proved, mco_stop *stop);

// The number of cores that search with this engine, without the threads that drive GPUs.
int flowshop_exploring_cores(const flowshop_run *run, mco_engine engine);

// Records in the result which engine runs, and on how many threads.
void flowshop_use_engine(flowshop_run *run, mco_engine engine);

// Fails with LIMIT if the GPU explorer cannot search this tree. The message has the value seen and the value allowed.
mco_status flowshop_refuse_gpu(const flowshop_run *run);

#endif
