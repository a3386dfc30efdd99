// SPDX-License-Identifier: MIT
// The systems of Chakroun (2013) for the flow shop on GPUs: a pool of nodes on the host, operators on devices.
#ifndef MCO_FLOWSHOP_SYSTEMS_POOL_H
#define MCO_FLOWSHOP_SYSTEMS_POOL_H

#include "flowshop/tree/checkpoint.h"
#include "flowshop/systems/batch.h"
#include "flowshop/run.h"

// Branch and bound of the whole tree by the system that run->result->work.engine names, on run->gpus; contract as
// flowshop_reference(). Pruning sees run->upper_bound, the rule state->rule_bound. Neither slices nor checkpoints.
// Errors: ARGUMENT for options out of place, MEMORY, DEVICE.
mco_status flowshop_pool(flowshop_run *run, const flowshop_checkpoint *state, bool *is_proved, mco_stop *stop);

// What a run did besides the tree.
typedef struct flowshop_pool_stats {
    int64_t batches;
    int64_t pool_size;                // children of a pool at the end, of all streams together
    int64_t bytes_up, bytes_down;     // between host and devices
    int64_t host_nodes;               // decomposed by the host while the devices worked
    double search_s;                  // without setting up
    double fill_s, finish_s, apply_s; // the driving thread: selecting (and branching), waiting, inserting (and pruning)
    double lock_s;                    // it waited for the shared pool (gpu-concurrent)
} flowshop_pool_stats;

// What the tests and benchmarks choose.
typedef struct flowshop_pool_setup {
    const flowshop_backend *backend;
    const mco_gpu *gpus; // [gpu_count]
    int gpu_count;
    int64_t pool_size, streams, block; // as the options
    int64_t rule_bound;
    int64_t most_pending;       // more pending nodes end the search; 0: what 8 GB hold
    bool is_idle_host;          // gpu-cooperative: the host does not explore meanwhile (table 5.4)
    bool prunes_on_host;        // gpu-tree: without its third kernel (table 4.3)
    flowshop_pool_stats *stats; // filled unless NULL
} flowshop_pool_setup;

// The same with everything chosen. Engine MCO_ENGINE_CPU is one host thread on the same pool.
mco_status flowshop_pool_search(flowshop_run *run, const flowshop_pool_setup *setup, bool *is_proved, mco_stop *stop);

#endif
