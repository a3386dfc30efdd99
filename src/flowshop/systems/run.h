// SPDX-License-Identifier: MIT
// The state of a pool search, held by its driving thread. In flowshop/systems/pool.c the calling thread drives; in
// flowshop/systems/concurrent.c a thread of its own.
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
    bool is_full[FLOWSHOP_POOL_MOST_BATCHES]; // the pending nodes filled the batch, and it has the size wanted
    int batch_count;
    int parts;                       // a pool is split into so many batches
    int oldest, in_flight;           // the batches under way, a part of the ring of batches
    int64_t room;                    // children of a pool that the batches have room for
    bool is_short, is_short_logged;  // memory is too small for the pool size wanted
    char shortage[MCO_ERROR_LENGTH]; // the message that says which memory
    bool is_cut, is_cut_logged;      // a pool was made smaller than wanted, so that its survivors find room
    int64_t most_nodes;              // more pending nodes than this end the search
    flowshop_pool_size size;
    double collected_s; // time when the last batch was collected
    int64_t collected_nodes;
    double rate_s; // time of the last log line
    int64_t rate_nodes;
    flowshop_pool_stats stats;
} flowshop_pool_run;

// Gives all batches room for the pool size wanted. If memory is short, it makes the pool size smaller. No batch may be
// under way. Returns MEMORY if not even the children of one node fit in each part.
mco_status flowshop_pool_make_room(flowshop_pool_run *p);
// Fills and starts the next batch of the ring; `idle` batches share the pending nodes. The batch is smaller if its
// survivors might exceed the room left for pending nodes. *is_begun is false if no node was left to take.
mco_status flowshop_pool_begin_batch(flowshop_pool_run *p, int idle, bool *is_begun);
// Waits for the oldest batch.
mco_status flowshop_pool_finish_batch(flowshop_pool_run *p);
// Inserts the results of the oldest batch and passes its rate on to the choice of the pool size.
mco_status flowshop_pool_collect_batch(flowshop_pool_run *p);

// RLL-GB&B: one thread drives a device, the others decompose nodes on the host. All share one locked pool.
mco_status flowshop_pool_concurrent(flowshop_pool_run *p, bool *is_stopped, mco_stop *stop);
// For the calling thread only. Offers the best schedule found to the run.
mco_status flowshop_pool_record_found(flowshop_pool_run *p);
// Heading and values of the columns of the log.
#define FLOWSHOP_POOL_COLUMNS "     M nodes   pending   M nodes/s      pool"
void flowshop_pool_write_columns(void *pool, char *out, size_t size);

#endif
