// SPDX-License-Identifier: MIT
// The systems of Chakroun (2013) for the flow shop on GPUs: the host keeps a pool of nodes, devices do the operators.
#ifndef MCO_FLOWSHOP_SYSTEMS_POOL_H
#define MCO_FLOWSHOP_SYSTEMS_POOL_H

#include "flowshop/tree/checkpoint.h"
#include "flowshop/systems/batch.h"
#include "flowshop/run.h"

// Branch and bound of the whole tree by the system that run->result->work.engine names, on run->gpus. The contract is
// that of flowshop_reference(). Pruning compares with run->upper_bound, the branching rule with state->rule_bound.
// There are no slices and no checkpoints. Errors: ARGUMENT if --block is not a multiple of 32, MEMORY, DEVICE.
mco_status flowshop_pool(flowshop_run *run, const flowshop_checkpoint *state, bool *is_proved, mco_stop *stop);

// Statistics of a run beside those of the tree.
typedef struct flowshop_pool_stats {
    int64_t batches;
    int64_t pool_size;                // children of a pool at the end, of all streams together
    int64_t bytes_up, bytes_down;     // copied between host and devices
    int64_t host_nodes;               // nodes that the host decomposed
    double search_s;                  // time of the search, without the setup
    double fill_s, finish_s, apply_s; // of the driving thread: selecting (branching), waiting, inserting (pruning)
    double lock_s;                    // of the driving thread: waiting for the shared pool (gpu-concurrent)
} flowshop_pool_stats;

// The choices that tests and benchmarks can make.
typedef struct flowshop_pool_setup {
    const flowshop_backend *backend;
    const mco_gpu *gpus; // [gpu_count]
    int gpu_count;
    int64_t pool_size, streams, block; // as the options of these names
    int64_t rule_bound;
    int64_t most_pending;       // more pending nodes than this end the search; 0: as many as 8 GiB hold
    bool is_idle_host;          // gpu-cooperative: the host does not explore while the streams are busy (table 5.4)
    bool prunes_on_host;        // gpu-tree: the host prunes in place of the third kernel (table 4.3)
    flowshop_pool_stats *stats; // to be filled unless NULL
} flowshop_pool_setup;

// The same search with all choices in `setup`. With engine MCO_ENGINE_CPU one host thread searches, on the same pool.
mco_status flowshop_pool_search(flowshop_run *run, const flowshop_pool_setup *setup, bool *is_proved, mco_stop *stop);

#endif
