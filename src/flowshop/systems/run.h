// SPDX-License-Identifier: MIT
// Inside of a pool search: what its driving thread holds. flowshop/systems/pool.c drives on the calling thread;
// flowshop/systems/concurrent.c from a thread of its own.
#ifndef MCO_FLOWSHOP_SYSTEMS_RUN_H
#define MCO_FLOWSHOP_SYSTEMS_RUN_H

#include "flowshop/systems/pool.h"
#include "flowshop/systems/size.h"
#include "flowshop/systems/tree.h"

enum { FLOWSHOP_POOL_MOST_BATCHES = 64 };

typedef struct flowshop_pool_run {
    flowshop_run *run;
    const flowshop_pool_setup *setup;
    mco_context *ctx; // receives the messages of the thread that drives the devices
    flowshop_pool_tree tree;
    flowshop_pool_counts counts; // of that thread
    flowshop_batch *batches[FLOWSHOP_POOL_MOST_BATCHES];
    bool is_full[FLOWSHOP_POOL_MOST_BATCHES]; // the pending nodes filled it, at the size wanted
    int batch_count;
    int parts;                       // a pool is split over so many batches
    int oldest, in_flight;           // of the ring of batches
    int64_t room;                    // children of a pool that fit now
    bool is_short, is_short_logged;  // memory was too small for the pool size wanted
    char shortage[MCO_ERROR_LENGTH]; // which memory
    bool is_cut, is_cut_logged;      // pools were smaller than wanted, so that their survivors find room
    int64_t most_nodes;              // pending nodes beyond this end the search
    flowshop_pool_size size;
    double collected_s; // when the last batch was collected
    int64_t collected_nodes;
    double rate_s; // of the last log line
    int64_t rate_nodes;
    flowshop_pool_stats stats;
} flowshop_pool_run;

// Gives all batches room for the pool size wanted, smaller ones where memory is short. Nothing may be under way.
// Returns MEMORY if not even a node's children fit.
mco_status flowshop_pool_make_room(flowshop_pool_run *p);
// Fills and starts the next batch of the ring, a smaller one where survivors might exceed the room left for pending
// nodes. *is_begun false: no node was left to take.
mco_status flowshop_pool_begin_batch(flowshop_pool_run *p, int idle, bool *is_begun);
// Waits for the oldest batch.
mco_status flowshop_pool_finish_batch(flowshop_pool_run *p);
// Takes its results over, and what they say about the pool size.
mco_status flowshop_pool_collect_batch(flowshop_pool_run *p);

// RLL-GB&B: a thread drives one device, others decompose on the host, all on one locked pool.
mco_status flowshop_pool_concurrent(flowshop_pool_run *p, bool *is_stopped, mco_stop *stop);
// The calling thread's: what was found goes to the run. And the columns of the log.
mco_status flowshop_pool_record_found(flowshop_pool_run *p);
#define FLOWSHOP_POOL_COLUMNS "     M nodes   pending   M nodes/s      pool"
void flowshop_pool_write_columns(void *pool, char *out, size_t size);

#endif
